/* Chooses the header of the GPU's vendor, by the compiler and, for the tests that run HIP's backend
 * on another vendor's GPU, by MX_INSTANCE_HIP_. It defines nothing in host code. The headers
 * define MX_GPU_CODE_, by which other headers know that they are compiled for a GPU. No other file
 * asks for a vendor. */
#pragma once
#if defined(MX_INSTANCE_HIP_) || defined(__HIP__)
#include "minx/device/vendor_hip.h"
#elif defined(__CUDACC__)
#include "minx/device/vendor_cuda.h"
#endif
