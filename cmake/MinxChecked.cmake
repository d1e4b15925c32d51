# A second libminx, which checks every index, in lib/minx/checked: for kernels in Python with MINX_PY_CHECK=1.

option(MINX_CHECKED_LIBRARY "Install a libminx that checks every index beside the normal one, for MINX_PY_CHECK=1" OFF)

if(MINX_CHECKED_LIBRARY AND NOT MINX_BOUNDS_CHECK)
  include(ExternalProject)
  set(minx_checked_cuda "")
  if(minx_CUDA)
    string(REPLACE ";" "|" minx_checked_cuda "${MINX_CUDA_ARCHITECTURES}")
    set(minx_checked_cuda -DCMAKE_CUDA_COMPILER=${CMAKE_CUDA_COMPILER} -DMINX_CUDA_ARCHITECTURES=${minx_checked_cuda}
      "-DCMAKE_CUDA_FLAGS=${CMAKE_CUDA_FLAGS}")
  endif()
  ExternalProject_Add(minx_checked
    SOURCE_DIR ${PROJECT_SOURCE_DIR}
    BINARY_DIR ${PROJECT_BINARY_DIR}/checked
    LIST_SEPARATOR |
    PREFIX ${PROJECT_BINARY_DIR}/checked-steps
    CMAKE_ARGS -DBUILD_SHARED_LIBS=ON -DMINX_BOUNDS_CHECK=ON -DMINX_APPS=OFF -DMINX_TESTS=OFF -DMINX_CUDA=${minx_CUDA}
      -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE} -DCMAKE_C_COMPILER=${CMAKE_C_COMPILER} -DCMAKE_INSTALL_LIBDIR=lib
      -DCMAKE_PLATFORM_NO_VERSIONED_SONAME=${CMAKE_PLATFORM_NO_VERSIONED_SONAME} -DMINX_TUNE=${MINX_TUNE}
      -DMINX_CUDA_RUNTIME=${MINX_CUDA_RUNTIME} -DMINX_PRECOMPILE=${MINX_PRECOMPILE} ${minx_checked_cuda}
      -DCMAKE_INSTALL_PREFIX=${PROJECT_BINARY_DIR}/checked-installed
    BUILD_ALWAYS TRUE)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/checked-installed/ DESTINATION ${CMAKE_INSTALL_LIBDIR}/minx/checked)
endif()
