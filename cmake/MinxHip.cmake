# HIP, by which kernels run on AMD's GPUs. Sets minx_HIP, minx_HIP_RUNTIME and minx_HIP_TARGET (MinxOptions.cmake), and MINX_HIPCC.
# hipcc compiles (minx_hip_objects_ in MinxKernels.cmake), and not the language HIP of CMake: that finds no ROCm in the folders of a
# distribution, and asks every project that uses minx for a compiler of its own.
#
# AUTO: where there is an AMD GPU, or ROCM_PATH says where ROCm is. A compiler from a distribution is not enough: nothing here could run
# its kernels.

if(MINX_HIP STREQUAL AUTO AND NOT EXISTS /dev/kfd AND NOT DEFINED ENV{ROCM_PATH})
  return()
endif()
find_program(MINX_HIPCC hipcc HINTS "$ENV{ROCM_PATH}/bin" /opt/rocm/bin)
find_library(MINX_HIP_LIBRARY amdhip64 HINTS "$ENV{ROCM_PATH}/lib" /opt/rocm/lib)
mark_as_advanced(MINX_HIPCC MINX_HIP_LIBRARY)
if(NOT MINX_HIPCC OR NOT MINX_HIP_LIBRARY)
  if(MINX_HIP STREQUAL ON)
    message(FATAL_ERROR "MINX_HIP is ON but there is no hipcc with libamdhip64: put hipcc on PATH, or set ROCM_PATH")
  endif()
  return()
endif()
set(minx_HIP ON)
set(minx_HIP_RUNTIME ${MINX_HIP_LIBRARY} stdc++) # rocPRIM uses the streams of C++
list(JOIN MINX_HIP_ARCHITECTURES " " minx_HIP_TARGET)
