# Turns the options of the root file into compile flags. Sets:
#   minx_CUDA               ON when the cuda backend is built
#   minx_CUDA_RUNTIME       the target of CMake with the CUDA run time
#   minx_HIP                ON when the hip backend is built
#   minx_HIP_RUNTIME        the library with the HIP run time
#   minx_HIP_TARGET         what its kernels are compiled for, in words
#   minx_HIP_INCLUDES       folders of headers that stand for HIP's, where MINX_HIP_PLATFORM is nvidia
#   minx_NO_CXX_RUNTIME_*   options of cuda's and hip's compilers, by which the library needs nothing of the C++ run time
#   minx_WARNINGS           warnings for our own C files
#   minx_HOST_KERNEL_FLAGS  options of kernel files for hosts, without those that depend on the compiler (MinxKernels.cmake)
#   minx_COMPILER_FLAGS     the options that depend on this compiler
#   minx_HOST_DEBUG_FLAGS   options of kernel files for hosts in the configuration Debug
#   minx_HOST_FLAGS         the options for the configuration, a generator expression
#   minx_RACE_CHECK         ON when kernels are also compiled for check=races
#   minx_THREAD_LOCAL       how all C files access thread-local variables

set(minx_CUDA OFF)
set(minx_HIP OFF)
set(minx_HIP_INCLUDES "")
set(minx_NO_CXX_RUNTIME_cuda -Xcompiler=-fno-exceptions -Xcompiler=-fno-threadsafe-statics)
if(NOT MINX_CUDA STREQUAL OFF OR (MINX_HIP STREQUAL ON AND MINX_HIP_PLATFORM STREQUAL nvidia))
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    set(CMAKE_CUDA_ARCHITECTURES ${MINX_CUDA_ARCHITECTURES})
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
    set(CMAKE_CUDA_STANDARD 17)
    set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
    set(minx_CUDA_RUNTIME CUDA::cudart_static)
    if(MINX_CUDA_RUNTIME STREQUAL shared)
      set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
      set(minx_CUDA_RUNTIME CUDA::cudart)
    endif()
    set(minx_CUDA ON)
  elseif(MINX_CUDA STREQUAL ON OR MINX_HIP_PLATFORM STREQUAL nvidia)
    message(FATAL_ERROR "MINX_CUDA is ON but no CUDA compiler was found: put nvcc on PATH or set CMAKE_CUDA_COMPILER")
  endif()
endif()
if(MINX_HIP STREQUAL ON AND MINX_HIP_PLATFORM STREQUAL nvidia)
  # The tests' headers map HIP's calls to CUDA's. Both backends would take the same memory for theirs, so cuda is left out.
  set(minx_CUDA OFF)
  set(minx_HIP ON)
  set(minx_HIP_INCLUDES ${PROJECT_SOURCE_DIR}/tests/hip_on_cuda)
  set(minx_HIP_RUNTIME ${minx_CUDA_RUNTIME})
  list(JOIN MINX_CUDA_ARCHITECTURES " " minx_HIP_TARGET)
  string(PREPEND minx_HIP_TARGET "NVIDIA GPUs, ")
  set(minx_NO_CXX_RUNTIME_hip ${minx_NO_CXX_RUNTIME_cuda})
elseif(NOT MINX_HIP STREQUAL OFF)
  include(${CMAKE_CURRENT_LIST_DIR}/MinxHip.cmake)
endif()
set(minx_DEVICES "") # kinds of instances that are compiled for GPUs
foreach(device CUDA HIP)
  if(minx_${device})
    string(TOLOWER ${device} device)
    list(APPEND minx_DEVICES ${device})
  endif()
endforeach()

# Adds files for a kind of device (cuda, hip) to libminx. They need nothing of the C++ run time: a consumer without the device's
# compiler links as C.
function(minx_add_device_files_ device)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  if(device STREQUAL hip AND MINX_HIP_PLATFORM STREQUAL amd)
    minx_hip_objects_(minx files ${ARGN})
    return()
  endif()
  target_sources(minx PRIVATE ${ARGN})
  set_source_files_properties(${ARGN} TARGET_DIRECTORY minx PROPERTIES COMPILE_OPTIONS "${minx_NO_CXX_RUNTIME_${device}}")
  if(device STREQUAL hip)
    set_source_files_properties(${ARGN} TARGET_DIRECTORY minx PROPERTIES INCLUDE_DIRECTORIES "${minx_HIP_INCLUDES}")
  endif()
endfunction()

find_package(OpenMP REQUIRED COMPONENTS C)
find_package(Threads REQUIRED)

set(minx_WARNINGS -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Werror=incompatible-pointer-types
  -Werror=int-conversion -Werror=implicit-function-declaration)
if(CMAKE_C_COMPILER_ID MATCHES Clang) # constants of enumerations are numbers here, also beside a double
  list(APPEND minx_WARNINGS -Wno-enum-float-conversion)
endif()
if(MINX_WERROR)
  list(APPEND minx_WARNINGS -Werror)
endif()

set(minx_HOST_KERNEL_FLAGS -O3 -fno-math-errno -fno-trapping-math)
# Loops in which every index is checked gain little from -O3, and take twice as long to compile with it.
if(MINX_BOUNDS_CHECK)
  list(TRANSFORM minx_HOST_KERNEL_FLAGS REPLACE "^-O3$" -O1)
endif()
minx_compiler_flags_(${CMAKE_C_COMPILER_ID} minx_COMPILER_FLAGS)
# check=races has instances of its own. A sanitizer excludes it: they are compiled with one.
set(minx_RACE_CHECK OFF)
string(TOUPPER "${CMAKE_BUILD_TYPE}" configuration)
if(MINX_BOUNDS_CHECK AND MINX_RACE_CHECK AND NOT MINX_SANITIZE
   AND NOT "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${configuration}}" MATCHES "-fsanitize=")
  set(minx_RACE_CHECK ON)
endif()
# For debuggers, in the configuration Debug: without optimisation, bodies are functions and all variables can be printed. The thread
# sanitizer makes a build so slow that it is optimised a little. With other sanitizers gcc would need up to ten times as long for
# that: each access brings several branches. A sanitizer prints functions and lines but no variables, hence -g1.
set(minx_HOST_DEBUG_FLAGS -O0 -g)
if(MINX_SANITIZE MATCHES thread)
  set(minx_HOST_DEBUG_FLAGS -O1 -g1)
elseif(MINX_SANITIZE)
  set(minx_HOST_DEBUG_FLAGS -O0 -g1)
endif()
# Kernels and launches access thread-local variables in the fastest way (initial-exec), if minx is a static library. The memory of
# such variables is reserved when a program starts. So a program that loads a library at run time (Python) may not have enough
# of it: such a library needs a shared minx. No attribute in the source may ask for initial-exec either.
set(minx_THREAD_LOCAL "")
if(NOT BUILD_SHARED_LIBS)
  set(minx_THREAD_LOCAL -ftls-model=initial-exec)
endif()
set(minx_common_flags ${minx_THREAD_LOCAL})
if(CMAKE_C_COMPILER_ID STREQUAL Clang)
  # `omp simd` permits vectors. A loop that was not vectorised is no error in the source.
  list(APPEND minx_common_flags -Wno-pass-failed)
endif()
if(NOT MINX_TUNE STREQUAL generic)
  list(APPEND minx_common_flags -march=${MINX_TUNE})
endif()
list(APPEND minx_HOST_KERNEL_FLAGS ${minx_common_flags})
list(APPEND minx_HOST_DEBUG_FLAGS ${minx_common_flags})
set(minx_HOST_FLAGS "$<IF:$<CONFIG:Debug>,${minx_HOST_DEBUG_FLAGS},${minx_HOST_KERNEL_FLAGS};${minx_COMPILER_FLAGS}>")
if(MINX_SANITIZE MATCHES thread AND NOT CMAKE_C_COMPILER_ID STREQUAL Clang)
  message(FATAL_ERROR "MINX_SANITIZE=${MINX_SANITIZE} needs clang with libomp (cmake --preset threads): the barriers of "
    "other OpenMP run times are invisible to the thread sanitizer")
endif()
if(MINX_SANITIZE)
  add_compile_options($<$<COMPILE_LANGUAGE:C>:-fsanitize=${MINX_SANITIZE}> $<$<COMPILE_LANGUAGE:C>:-fno-omit-frame-pointer>
    $<$<COMPILE_LANGUAGE:C>:-fno-sanitize-recover=all>)
  add_link_options(-fsanitize=${MINX_SANITIZE})
endif()

# The names that a variable of the user asks for: all of them if it is ON, else the names in its list. A name that does not exist is
# an error. what: the word for one of them, in the message.
function(minx_selected_names_ variable what names result)
  minx_on_or_off_("${${variable}}" selected)
  if(selected STREQUAL ON)
    set(selected ${names})
  endif()
  foreach(name IN LISTS selected)
    if(NOT name IN_LIST names)
      list(JOIN names ", " all)
      message(FATAL_ERROR "${variable}: there is no ${what} '${name}': ON, OFF, or a list of ${all}")
    endif()
  endforeach()
  set(${result} ${selected} PARENT_SCOPE)
endfunction()
