# Precompiles minx's headers for the C files of all targets here: reading them takes a compiler about 0.2 s a file, which is most of the
# time of a debug build. For builds from scratch on few cores, as those of continuous integration. A file that lacks an #include
# compiles in such a build, so another one must be without.
#
# Left out are targets of few files, and kernel files: the units of minx_add_kernels define the instance in front of the headers. So are
# files with options of their own, or with a macro for the system's headers in front of the first #include. Targets that choose their
# headers themselves keep them.

# minx_precompile_not_(TARGET): its files that cannot use precompiled headers
function(minx_precompile_not_ target)
  get_target_property(sources ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  foreach(source IN LISTS sources)
    get_filename_component(path "${source}" ABSOLUTE BASE_DIR ${folder})
    if(path MATCHES "\\.c$" AND EXISTS "${path}") # others are generated
      file(STRINGS ${path} first REGEX "^#(define|include)" LIMIT_COUNT 1)
      get_source_file_property(options ${path} TARGET_DIRECTORY ${target} COMPILE_OPTIONS)
      if(first MATCHES "^#define" OR options)
        set_source_files_properties(${path} TARGET_DIRECTORY ${target} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
      endif()
    endif()
  endforeach()
endfunction()

# minx_precompile_in_(FOLDER): for the libraries and programs in a folder and those below
function(minx_precompile_in_ folder)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(NOT type MATCHES "^(EXECUTABLE|STATIC_LIBRARY|SHARED_LIBRARY)$")
      continue()
    endif()
    get_target_property(sources ${target} SOURCES)
    get_target_property(own ${target} PRECOMPILE_HEADERS)
    get_target_property(shared ${target} PRECOMPILE_HEADERS_REUSE_FROM)
    list(LENGTH sources count)
    if(NOT own AND NOT shared AND count GREATER 5)
      target_precompile_headers(${target} PRIVATE "$<$<COMPILE_LANGUAGE:C>:<minx/minx.h$<ANGLE-R>>")
      set(own ON)
    endif()
    if(own OR shared)
      minx_precompile_not_(${target})
    endif()
  endforeach()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(below IN LISTS folders)
    minx_precompile_in_(${below})
  endforeach()
endfunction()
