# minx_add_app(NAME SOURCES main.c... [INPUT files...] [KERNELS kernels/x.c...] [VERIFY files...] [DECKS folder] [ALSO name])
#
# An app: all that the build, the tests, minx-verify and the scripts need to know of it. Called by the CMakeLists.txt of the app's
# folder, in apps/ or elsewhere (the tests have an app of their own).
#
#   SOURCES   the program NAME, with app_common
#   INPUT     the table of keys and what reads decks: a library NAME_input without MPI, for the program, minx-verify and tests
#   KERNELS   compiled for every backend (minx_add_kernels); main may be in one of them, between #ifdef MX_DRIVER and #endif
#   VERIFY    the checks of its physics, for minx-verify (apps/verify/physics.h); they may use INPUT
#   ALSO      a further name of the program, as a link: that of the original program
#   DECKS     the folder of its decks, *.in; default inputs/NAME. Each runs on every backend on 1, 2 and 4 ranks (tests/apps)
#
# The global property minx_APPS lists the apps; minx_DECKS_NAME is the folder of decks of each.
function(minx_add_app name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DECKS;ALSO" "SOURCES;INPUT;KERNELS;VERIFY")
  if(arg_UNPARSED_ARGUMENTS OR NOT (arg_SOURCES OR arg_KERNELS))
    message(FATAL_ERROR "minx_add_app(${name}): expected SOURCES, INPUT, KERNELS, VERIFY, DECKS or ALSO, each with its files; got '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  set(libraries app_common m)
  if(arg_INPUT)
    add_library(${name}_input STATIC ${arg_INPUT})
    target_include_directories(${name}_input PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
    target_compile_options(${name}_input PRIVATE ${minx_WARNINGS})
    target_link_libraries(${name}_input PUBLIC app_files)
    list(PREPEND libraries ${name}_input)
  endif()

  add_executable(${name} ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE C)
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_compile_options(${name} PRIVATE ${minx_WARNINGS})
  target_link_libraries(${name} PRIVATE ${libraries})
  if(arg_KERNELS)
    minx_add_kernels(${name} ${arg_KERNELS})
  endif()
  if(arg_ALSO)
    set(link $<TARGET_FILE_DIR:${name}>/${arg_ALSO})
    add_custom_command(TARGET ${name} POST_BUILD COMMAND ${CMAKE_COMMAND} -E create_symlink ${name} ${link})
    install(FILES ${link} TYPE BIN)
  endif()
  if(arg_VERIFY)
    set(input)
    if(arg_INPUT)
      set(input LIBRARIES ${name}_input)
    endif()
    minx_add_physics(${name} ${arg_VERIFY} ${input})
  endif()

  if(NOT arg_DECKS)
    set(arg_DECKS ${PROJECT_SOURCE_DIR}/inputs/${name})
  endif()
  get_filename_component(decks ${arg_DECKS} ABSOLUTE)
  set_property(GLOBAL APPEND PROPERTY minx_APPS ${name})
  set_property(GLOBAL PROPERTY minx_DECKS_${name} ${decks})
endfunction()

# minx_add_physics(APP files... LIBRARIES libraries...)
#
# Compiles the files, which check APP's results files and export vf_physics_APP (apps/verify/physics.h), into minx-verify.
function(minx_add_physics app)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES")
  list(TRANSFORM arg_UNPARSED_ARGUMENTS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  target_sources(minx-verify PRIVATE ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(minx-verify PRIVATE ${arg_LIBRARIES})
  set_property(TARGET minx-verify APPEND PROPERTY minx_APPS ${app})
endfunction()
