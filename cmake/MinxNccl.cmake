# NCCL, by which data of GPUs go between ranks (apps/common/comm/transport_nccl.c). The build needs its header only; programs look for
# the library when they start to use it. Sets:
#   minx_NCCL            ON when the apps are built with it
#   minx_NCCL_INCLUDES   folders of nccl.h and of the CUDA headers that it includes
#   minx_NCCL_LIBRARY    the library beside that header, or empty
#
# MINX_NCCL_ROOT (an option, or a variable of the environment) names the folder that has include/nccl.h and lib/libnccl.so.2; else it is looked for where compilers look, and
# in the CUDA toolkit. Debian and Ubuntu: libnccl-dev, from NVIDIA's CUDA repository. Elsewhere the Python package
# nvidia-nccl-cu13 has both: MINX_NCCL_ROOT is its folder nvidia/nccl.

# For hip the same calls are RCCL's: its header is rccl/rccl.h, in ROCm's folder or in MINX_NCCL_ROOT. (A program with cuda and hip has
# NCCL.)

set(minx_NCCL OFF)
set(minx_NCCL_LIBRARY "")
set(minx_NCCL_INCLUDE nccl.h)
set(minx_NCCL_NAME libnccl.so.2)
set(minx_NCCL_STREAM cudaStream_t)
set(minx_NCCL_DEFINITIONS "")
if(minx_HIP AND NOT minx_CUDA AND MINX_HIP_PLATFORM STREQUAL amd)
  set(minx_NCCL_INCLUDE rccl/rccl.h)
  set(minx_NCCL_NAME librccl.so.1)
  set(minx_NCCL_STREAM hipStream_t)
  set(minx_NCCL_DEFINITIONS __HIP_PLATFORM_AMD__)
endif()
if(MINX_NCCL STREQUAL OFF OR NOT (minx_CUDA OR minx_NCCL_STREAM STREQUAL hipStream_t))
  if(MINX_NCCL STREQUAL ON)
    message(FATAL_ERROR "MINX_NCCL is ON, but neither the cuda backend nor hip is built: NCCL needs one (MINX_CUDA, MINX_HIP)")
  endif()
  return()
endif()

unset(minx_NCCL_HEADER CACHE) # another MINX_NCCL_ROOT finds another one
set(minx_nccl_everywhere "")
if(MINX_NCCL_ROOT)
  set(minx_nccl_everywhere NO_DEFAULT_PATH)
endif()
find_path(minx_NCCL_HEADER ${minx_NCCL_INCLUDE} HINTS "${MINX_NCCL_ROOT}/include" ${CUDAToolkit_INCLUDE_DIRS} "$ENV{ROCM_PATH}/include"
  ${minx_nccl_everywhere})
mark_as_advanced(minx_NCCL_HEADER)
if(NOT minx_NCCL_HEADER)
  if(MINX_NCCL STREQUAL ON OR MINX_NCCL_ROOT)
    message(FATAL_ERROR "There is no ${minx_NCCL_INCLUDE}: MINX_NCCL_ROOT has to name the folder that has include/${minx_NCCL_INCLUDE} (got '${MINX_NCCL_ROOT}')")
  endif()
  message(STATUS "NCCL: no ${minx_NCCL_INCLUDE} found; messages between GPUs go by MPI (MINX_NCCL_ROOT names a folder that has include/${minx_NCCL_INCLUDE})")
  return()
endif()
set(minx_NCCL ON)
set(minx_NCCL_INCLUDES "${minx_NCCL_HEADER}" ${CUDAToolkit_INCLUDE_DIRS})
if(MINX_NCCL_ROOT)
  find_file(minx_nccl_found ${minx_NCCL_NAME} PATHS "${MINX_NCCL_ROOT}/lib" "${MINX_NCCL_ROOT}/lib64" NO_DEFAULT_PATH NO_CACHE)
  if(minx_nccl_found)
    set(minx_NCCL_LIBRARY "${minx_nccl_found}")
  endif()
endif()
message(STATUS "NCCL: ${minx_NCCL_HEADER}/${minx_NCCL_INCLUDE}")
