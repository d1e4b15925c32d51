# minx_add_kernels(<target> <file.c>...)
#
# Compiles each kernel file once for every instance of this minx build (an instance kind and a layout, such as host:right or
# cuda:left), and once more for its dispatch table. The objects become part of <target>. Each unit is a generated file of a
# few lines that includes the kernel file, because in CMake one source cannot be both C and CUDA.
#
# <target> may also be linked to other libraries, with or without keywords (PRIVATE, PUBLIC). If headers of <target> include those
# of minx, add target_link_libraries(<target> PUBLIC minx::minx).
#
# minx_add_program(<name> <file.c>...)
#
# Builds an executable from kernel files. One of them has main, between #ifdef MX_DRIVER and #endif: see minx/kernel.h.
#
# A project without a CUDA compiler gets no cuda instances; a launch on cuda is then an error at run time. Kernels are compiled
# for the GPU architectures of the minx build, or for those in the variable MINX_KERNEL_CUDA_ARCHITECTURES.
#
# Compilers take longer for headers than for many kernel files. nvcc compiles MINX_KERNEL_CUDA_BATCH files of a target as one, and the C
# compiler MINX_KERNEL_HOST_BATCH, each 1 by default. With more, all files take fewer processor seconds, but one alone takes longer after
# a change. In such files types, constants and macros must have different names. So must functions, static ones too; for nvcc only
# where the types of their parameters are the same. Files with the source property MINX_KERNEL_UNBATCHED are compiled one by one: those
# that define MX_NOT_CHECKED, or another macro for a header.
#
# Where MINX_KERNEL_CUDA_PTX is ON, <target> gets no cuda instances: the target <target>_kernels_cuda_left, which `all` does not build,
# makes PTX of the kernel files, to see that nvcc takes them.

include(CheckCCompilerFlag)
include(CheckCSourceCompiles)

function(minx_add_kernels target)
  get_target_property(type ${target} TYPE)
  get_target_property(instances minx::minx MINX_INSTANCES)
  get_target_property(platform minx::minx MINX_HIP_PLATFORM)
  if(NOT CMAKE_CUDA_COMPILER)
    list(FILTER instances EXCLUDE REGEX "^cuda:")
  endif()
  if((platform STREQUAL amd AND NOT MINX_HIPCC) OR (platform STREQUAL nvidia AND NOT CMAKE_CUDA_COMPILER))
    list(FILTER instances EXCLUDE REGEX "^hip:")
  endif()
  string(TOUPPER "${CMAKE_BUILD_TYPE}" configuration)
  get_directory_property(options COMPILE_OPTIONS)
  if("${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${configuration}} ${options}" MATCHES "-fsanitize=") # of the project: no other one can be added
    list(FILTER instances EXCLUDE REGEX "_races:")
  endif()

  set(linked ${instances})
  if(MINX_KERNEL_CUDA_PTX)
    list(FILTER linked EXCLUDE REGEX "^cuda:")
  endif()
  set(table "#define MX_DISPATCH(ROW, name)")
  foreach(instance IN LISTS linked)
    string(REPLACE ":" ";" pair ${instance})
    list(GET pair 0 kind)
    list(GET pair 1 layout)
    string(TOUPPER ${kind} KIND)
    string(TOUPPER ${layout} LAYOUT)
    string(APPEND table " ROW(name, MX_INSTANCE_${KIND}, MX_LAYOUT_${LAYOUT}, ${kind}_${layout})")
  endforeach()

  minx_add_kernel_units_(${target} ${type} dispatch c "${table}" ${ARGN})
  foreach(instance IN LISTS instances)
    string(REPLACE ":" ";" pair ${instance})
    list(GET pair 0 kind)
    list(GET pair 1 layout)
    set(number 2)
    if(layout STREQUAL left)
      set(number 1)
    endif()
    set(head "#define MX_INSTANCE_SUFFIX ${kind}_${layout}\n#define MX_INSTANCE_LAYOUT ${number}")
    set(extension c)
    if(kind MATCHES "^simt")
      string(APPEND head "\n#define MX_INSTANCE_SIMT_")
    elseif(kind MATCHES "^(cuda|hip)$")
      set(extension cu)
    endif()
    if(kind STREQUAL hip)
      string(APPEND head "\n#define MX_INSTANCE_HIP_")
    endif()
    minx_add_kernel_units_(${target} ${type} ${kind}_${layout} ${extension} "${head}" ${ARGN})
  endforeach()
  if(target STREQUAL minx) # the core has kernels too, and does not link to itself
    return()
  endif()
  # The same as target_link_libraries(... PRIVATE ...), which CMake does not allow beside a call without keywords.
  set_property(TARGET ${target} APPEND PROPERTY LINK_LIBRARIES minx::minx)
  if(type STREQUAL STATIC_LIBRARY)
    set_property(TARGET ${target} APPEND PROPERTY INTERFACE_LINK_LIBRARIES $<LINK_ONLY:minx::minx>)
  endif()
endfunction()

function(minx_add_program name)
  add_executable(${name})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE C)
  minx_add_kernels(${name} ${ARGN})
endfunction()

# Warnings for kernel files, by host compilers. What nvcc would refuse is an error (variable-length arrays, code that is not C++), and
# so is what breaks the typed interface. The options keep messages about mistakes in minx's macros short. Rows are processed in
# groups of eight items. In a body over n by 3 that reads an array of three elements, gcc would warn that the group reads element 3,
# although a row of three items has no group; that warning is off.
function(minx_kernel_warnings_ compiler result)
  set(warnings -Wall -Wextra -Wno-psabi -Werror=incompatible-pointer-types -Werror=implicit-function-declaration
    -Werror=int-conversion -Werror=vla -Werror=c++-compat)
  if(compiler STREQUAL GNU)
    list(APPEND warnings -ftrack-macro-expansion=0 -fmax-errors=2 -Wno-aggressive-loop-optimizations)
  elseif(compiler MATCHES Clang)
    list(APPEND warnings -fmacro-backtrace-limit=1 -ferror-limit=3 -fno-caret-diagnostics -Wno-pass-failed)
    # On some CPUs clang 19 warns of the features that it finds itself for -march=native.
    set(CMAKE_REQUIRED_QUIET ON)
    check_c_compiler_flag(-Winvalid-feature-combination MINX_CLANG_WARNS_OF_FEATURES)
    if(MINX_CLANG_WARNS_OF_FEATURES)
      list(APPEND warnings -Wno-invalid-feature-combination)
    endif()
  endif()
  set(${result} ${warnings} PARENT_SCOPE)
endfunction()

# The same for the dispatch unit. It may contain a driver, which is compiled as C only. By the rule of C that an inline function which
# is not static uses nothing static (minx/detail/language.h), compilers find what nvcc would refuse in bodies: gcc says so as one of
# those violations of the standard that are no errors by default.
function(minx_dispatch_warnings_ compiler result)
  minx_kernel_warnings_(${compiler} warnings)
  list(REMOVE_ITEM warnings -Werror=c++-compat)
  if(compiler STREQUAL GNU)
    list(APPEND warnings -pedantic-errors -Wno-pedantic)
  elseif(compiler MATCHES Clang)
    list(APPEND warnings -Werror=static-in-inline)
  endif()
  set(${result} ${warnings} PARENT_SCOPE)
endfunction()

# minx_hip_objects_(TARGET WHAT files...): compiles files by hipcc; the objects become part of TARGET. They need nothing of the C++ run
# time. WHAT makes the name of the target that builds them: TARGET may be of another folder.
function(minx_hip_objects_ target what)
  get_target_property(architectures minx::minx MINX_HIP_ARCHITECTURES)
  if(MINX_KERNEL_HIP_ARCHITECTURES)
    set(architectures "${MINX_KERNEL_HIP_ARCHITECTURES}")
  endif()
  list(TRANSFORM architectures PREPEND --offload-arch=)
  set(includes $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
  set(definitions $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
  separate_arguments(flags UNIX_COMMAND "${CMAKE_HIP_FLAGS}")
  set(objects)
  foreach(file IN LISTS ARGN)
    get_filename_component(name ${file} NAME)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/minx_kernels/${target}/${name}.o)
    add_custom_command(OUTPUT ${object} DEPENDS ${file} DEPFILE ${object}.d COMMAND_EXPAND_LISTS VERBATIM
      COMMENT "Compiling ${name} by hipcc"
      COMMAND ${MINX_HIPCC} -x hip -std=c++17 ${architectures} -fPIC $<IF:$<CONFIG:Debug>,-O0$<SEMICOLON>-g,-O3>
        -fno-exceptions -fno-threadsafe-statics $<$<BOOL:${MINX_WERROR}>:-Werror> ${flags}
        "$<$<BOOL:${includes}>:-I$<JOIN:${includes},;-I>>" "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
        -MD -MF ${object}.d -c ${file} -o ${object})
    list(APPEND objects ${object})
  endforeach()
  string(MD5 hash "${objects}")
  string(SUBSTRING ${hash} 0 6 hash)
  add_custom_target(${target}_${what}_${hash} DEPENDS ${objects})
  add_dependencies(${target} ${target}_${what}_${hash})
  target_sources(${target} PRIVATE ${objects})
  set_source_files_properties(${objects} TARGET_DIRECTORY ${target} PROPERTIES GENERATED ON EXTERNAL_OBJECT ON)
endfunction()

# Options of kernel files for hosts that depend on the compiler. A project that uses minx may have another compiler than minx itself.
# Alignment: without it, identical loops differed by up to 1.5 times in speed. Unroll-and-jam is off because it would divide the
# groups of eight items in which rows are processed. Larger loops are unswitched: each addition to a scatter view tests whether it
# shall be atomic, and the test is moved out of the loop. The pass gcse is off because it may load the address of a thread's
# number in a way (lea of @gottpoff) that linkers for x86 refuse in an executable with a static minx. clang shall not keep what an
# item has loaded for the item after it: it then finds no way to vectorise a loop of stencils with three sums. TeaLeaf's pass
# took 3.2 times as long in cache. (That is a setting of LLVM, which clang 14 and 19 have; a version without it would refuse it.)
function(minx_compiler_flags_ compiler result)
  set(flags "")
  if(compiler MATCHES "^(GNU|Clang)$")
    list(APPEND flags -falign-functions=64 -falign-loops=32)
  endif()
  if(compiler STREQUAL GNU)
    list(APPEND flags -fno-loop-unroll-and-jam --param=max-unswitch-insns=100 -fno-gcse)
  elseif(compiler STREQUAL Clang)
    set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY) # linking would warn that it is not used
    set(keep_no_loads -mllvm -enable-load-in-loop-pre=false)
    list(JOIN keep_no_loads " " CMAKE_REQUIRED_FLAGS)
    set(CMAKE_REQUIRED_QUIET ON)
    check_c_source_compiles("int main(void) { return 0; }" MINX_CLANG_HAS_LOAD_IN_LOOP_PRE)
    if(MINX_CLANG_HAS_LOAD_IN_LOOP_PRE)
      list(APPEND flags ${keep_no_loads})
    elseif(NOT DEFINED MINX_CLANG_LOADS_WARNED)
      set(MINX_CLANG_LOADS_WARNED ON CACHE INTERNAL "")
      message(STATUS "minx: clang refuses \"${CMAKE_REQUIRED_FLAGS}\": some loops will not be vectorised, and the last digits of sums may depend on the number of threads")
    endif()
  endif()
  set(${result} ${flags} PARENT_SCOPE)
endfunction()

# Options of kernel files for check=races: the compiler calls functions of libminx in front of each access to memory. -g1: an error names
# the line. gcc warns that such code does not see fences. clang instruments no vectors of more than 16 bytes, so none are made.
function(minx_race_flags_ compiler result)
  set(flags -fsanitize=thread -g1)
  if(compiler STREQUAL GNU)
    list(APPEND flags -Wno-tsan)
  else()
    list(APPEND flags -DMX_NO_SIMD -fno-vectorize -fno-slp-vectorize -Wno-source-uses-openmp)
  endif()
  set(${result} ${flags} PARENT_SCOPE)
endfunction()

# One object library: each kernel file, or a batch of them, after the lines of `head`, compiled for one instance.
function(minx_add_kernel_units_ target type instance extension head)
  set(batch 1)
  if(instance MATCHES "^(cuda|hip)" AND MINX_KERNEL_CUDA_BATCH)
    set(batch ${MINX_KERNEL_CUDA_BATCH})
  elseif(NOT instance MATCHES "^(cuda|hip)" AND MINX_KERNEL_HOST_BATCH)
    set(batch ${MINX_KERNEL_HOST_BATCH})
  endif()
  set(units)
  set(sources ${ARGN})
  list(REMOVE_DUPLICATES sources)
  set(unbatched)
  foreach(source IN LISTS ARGN)
    get_property(is_unbatched SOURCE ${source} PROPERTY MINX_KERNEL_UNBATCHED)
    if(is_unbatched)
      list(APPEND unbatched ${source})
      list(REMOVE_ITEM sources ${source})
    endif()
  endforeach()
  while(sources OR unbatched)
    if(sources)
      list(SUBLIST sources 0 ${batch} unit_sources)
      list(REMOVE_ITEM sources ${unit_sources})
    else()
      list(POP_FRONT unbatched unit_sources)
    endif()
    set(names)
    set(lines "${head}")
    foreach(source IN LISTS unit_sources)
      get_filename_component(path ${source} ABSOLUTE)
      file(RELATIVE_PATH relative ${CMAKE_CURRENT_SOURCE_DIR} ${path})
      list(APPEND names ${relative})
      string(APPEND lines "\n#include \"${path}\"")
    endforeach()
    list(GET names 0 id)
    string(MAKE_C_IDENTIFIER ${id} id)
    string(MD5 hash "${names}") # a/b.c and a_b.c have one identifier
    string(SUBSTRING ${hash} 0 6 hash)
    set(unit ${CMAKE_CURRENT_BINARY_DIR}/minx_kernels/${target}/${id}_${hash}.${instance}.${extension})
    file(CONFIGURE OUTPUT ${unit} CONTENT "${lines}\n" @ONLY)
    list(APPEND units ${unit})
  endwhile()

  get_target_property(platform minx::minx MINX_HIP_PLATFORM)
  if(instance MATCHES "^hip" AND platform STREQUAL amd)
    minx_hip_objects_(${target} ${instance} ${units})
    return()
  endif()
  set(objects ${target}_kernels_${instance})
  if(TARGET ${objects})
    target_sources(${objects} PRIVATE ${units})
    return()
  endif()
  add_library(${objects} OBJECT ${units})
  # the target's include paths and definitions, but not its options: nvcc does not know gcc's warnings
  target_include_directories(${objects} PRIVATE $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
  target_compile_definitions(${objects} PRIVATE $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
  if(NOT target STREQUAL minx)
    target_link_libraries(${objects} PRIVATE minx::minx)
  endif()
  set(position_independent ${CMAKE_POSITION_INDEPENDENT_CODE})
  if(NOT type STREQUAL EXECUTABLE)
    set(position_independent ON)
  endif()
  set_target_properties(${objects} PROPERTIES UNITY_BUILD OFF C_STANDARD 11 CUDA_STANDARD 17
    POSITION_INDEPENDENT_CODE "${position_independent}")
  if(instance MATCHES "^(cuda|hip)")
    if(instance MATCHES "^hip")
      get_target_property(includes minx::minx MINX_HIP_INCLUDES)
      target_include_directories(${objects} PRIVATE ${includes})
    endif()
    get_target_property(architectures minx::minx MINX_CUDA_ARCHITECTURES)
    if(MINX_KERNEL_CUDA_ARCHITECTURES)
      set(architectures "${MINX_KERNEL_CUDA_ARCHITECTURES}")
    endif()
    set_target_properties(${objects} PROPERTIES CUDA_ARCHITECTURES "${architectures}")
    target_compile_options(${objects} PRIVATE --expt-relaxed-constexpr --brief-diagnostics=true
      -Xcudafe=--error_limit=3 $<$<BOOL:${MINX_WERROR}>:-Werror=all-warnings>)
  else()
    # the configuration of these kernels decides, not that of minx
    get_target_property(flags minx::minx MINX_HOST_KERNEL_FLAGS)
    get_target_property(debug_flags minx::minx MINX_HOST_DEBUG_FLAGS)
    minx_compiler_flags_(${CMAKE_C_COMPILER_ID} compiler_flags)
    # Where every index is checked, gcc compiles a fifth faster without induction variables for addresses, and with one region for
    # the allocation of registers.
    get_target_property(definitions minx::minx INTERFACE_COMPILE_DEFINITIONS)
    if(CMAKE_C_COMPILER_ID STREQUAL GNU AND "MINX_BOUNDS_CHECK" IN_LIST definitions)
      list(APPEND compiler_flags -fno-ivopts -fira-region=one)
    endif()
    # Nothing is vectorised in this debug instance, and -O3 takes almost two times as long to compile. With -O1 gcc would round each
    # product of a * b + c, and --check-against would find last bits that differ from those of hosts.
    if(instance MATCHES "^simt")
      list(TRANSFORM flags REPLACE "^-O3$" -O2)
    endif()
    # Else CMake leaves out -mllvm, as a word that is there already, if the project has an -mllvm of its own.
    string(REPLACE "-mllvm;" "SHELL:-mllvm " compiler_flags "${compiler_flags}")
    list(APPEND flags ${compiler_flags})
    set(simd -fopenmp-simd)
    if(instance MATCHES "_races_")
      minx_race_flags_(${CMAKE_C_COMPILER_ID} race_flags)
      list(APPEND flags ${race_flags})
      list(APPEND debug_flags ${race_flags})
      if(NOT CMAKE_C_COMPILER_ID STREQUAL GNU)
        set(simd "")
      endif()
    endif()
    if(instance STREQUAL dispatch)
      minx_dispatch_warnings_(${CMAKE_C_COMPILER_ID} warnings)
    else()
      minx_kernel_warnings_(${CMAKE_C_COMPILER_ID} warnings)
    endif()
    target_compile_options(${objects} PRIVATE "$<IF:$<CONFIG:Debug>,${debug_flags},${flags}>" ${simd} ${warnings}
      $<$<BOOL:${MINX_WERROR}>:-Werror>)
  endif()
  if(instance MATCHES "^cuda" AND MINX_KERNEL_CUDA_PTX)
    set_target_properties(${objects} PROPERTIES CUDA_PTX_COMPILATION ON EXCLUDE_FROM_ALL ON)
  else()
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
  endif()
endfunction()
