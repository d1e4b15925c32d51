# Turns the options of the root file into compile flags. Sets:
#   minx_CUDA               ON when the cuda backend is built
#   minx_WARNINGS           warnings for our own C files
#   minx_HOST_KERNEL_FLAGS  how kernel files are compiled for hosts
#   minx_HOST_DEBUG_FLAGS   the same, in the configuration Debug
#   minx_HOST_FLAGS         one of the two, a generator expression
#   minx_THREAD_LOCAL       how all C files reach thread-local variables

set(minx_CUDA OFF)
if(NOT MINX_CUDA STREQUAL OFF)
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    set(CMAKE_CUDA_ARCHITECTURES ${MINX_CUDA_ARCHITECTURES})
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
    set(CMAKE_CUDA_STANDARD 17)
    set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
    set(minx_CUDA ON)
  elseif(MINX_CUDA STREQUAL ON)
    message(FATAL_ERROR "MINX_CUDA is ON but no CUDA compiler was found: put nvcc on PATH or set CMAKE_CUDA_COMPILER")
  endif()
endif()

find_package(OpenMP REQUIRED COMPONENTS C)
find_package(Threads REQUIRED)

set(minx_WARNINGS -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Werror=incompatible-pointer-types
  -Werror=int-conversion -Werror=implicit-function-declaration)
if(MINX_WERROR)
  list(APPEND minx_WARNINGS -Werror)
endif()

# Alignment of functions and loops: without it, identical loops differed by up to 1.5 times in speed.
set(minx_HOST_KERNEL_FLAGS -O3 -fno-math-errno -fno-trapping-math)
if(CMAKE_C_COMPILER_ID MATCHES "^(GNU|Clang)$")
  list(APPEND minx_HOST_KERNEL_FLAGS -falign-functions=64 -falign-loops=32)
endif()
if(CMAKE_C_COMPILER_ID STREQUAL GNU)
  # unroll-and-jam would take rows, which go by eights, in halves of two eights
  list(APPEND minx_HOST_KERNEL_FLAGS -fno-loop-unroll-and-jam)
endif()
# For debuggers, in the configuration Debug: without optimisation, bodies are functions and all variables can be printed. With a
# sanitizer, which is slow enough, a little of it; a sanitizer prints functions and lines but no variables, and finding the
# variables of vectorised loops takes gcc as long as all else.
set(minx_HOST_DEBUG_FLAGS -O0 -g)
if(MINX_SANITIZE)
  set(minx_HOST_DEBUG_FLAGS -O1 -g1)
endif()
# Kernels and launches read thread-local variables in the fastest way, with one restriction: their memory is set aside as a
# program starts, so that one which loads a shared libminx later (Python) finds too little. No attribute may ask for it either. A
# library that is loaded later and has a static libminx in it meets the same: it needs a shared minx.
set(minx_THREAD_LOCAL "")
if(NOT BUILD_SHARED_LIBS)
  set(minx_THREAD_LOCAL -ftls-model=initial-exec)
endif()
set(minx_common_flags ${minx_THREAD_LOCAL})
if(CMAKE_C_COMPILER_ID STREQUAL Clang)
  # `omp simd` permits vectors; that a loop got none is no fault of the source
  list(APPEND minx_common_flags -Wno-pass-failed)
endif()
if(NOT MINX_TUNE STREQUAL generic)
  list(APPEND minx_common_flags -march=${MINX_TUNE})
endif()
list(APPEND minx_HOST_KERNEL_FLAGS ${minx_common_flags})
list(APPEND minx_HOST_DEBUG_FLAGS ${minx_common_flags})
# one of the two, by the configuration of what is compiled
set(minx_HOST_FLAGS "$<IF:$<CONFIG:Debug>,${minx_HOST_DEBUG_FLAGS},${minx_HOST_KERNEL_FLAGS}>")
if(MINX_SANITIZE MATCHES thread AND NOT CMAKE_C_COMPILER_ID STREQUAL Clang)
  message(FATAL_ERROR "MINX_SANITIZE=${MINX_SANITIZE} needs clang with libomp (cmake --preset threads): the barriers of "
    "other OpenMP run times are invisible to the thread sanitizer")
endif()
if(MINX_SANITIZE)
  add_compile_options($<$<COMPILE_LANGUAGE:C>:-fsanitize=${MINX_SANITIZE}> $<$<COMPILE_LANGUAGE:C>:-fno-omit-frame-pointer>
    $<$<COMPILE_LANGUAGE:C>:-fno-sanitize-recover=all>)
  add_link_options(-fsanitize=${MINX_SANITIZE})
endif()
