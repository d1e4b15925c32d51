# A second libminx, which checks every index, in lib/minx/checked: for kernels in Python with MINX_PY_CHECK=1.

option(MINX_CHECKED_LIBRARY "Install a libminx that checks every index beside the normal one, for MINX_PY_CHECK=1" OFF)

if(MINX_CHECKED_LIBRARY AND NOT MINX_BOUNDS_CHECK)
  include(ExternalProject)
  ExternalProject_Add(minx_checked
    SOURCE_DIR ${PROJECT_SOURCE_DIR}
    BINARY_DIR ${PROJECT_BINARY_DIR}/checked
    PREFIX ${PROJECT_BINARY_DIR}/checked-steps
    CMAKE_ARGS -DBUILD_SHARED_LIBS=ON -DMINX_BOUNDS_CHECK=ON -DMINX_APPS=OFF -DMINX_TESTS=OFF -DMINX_CUDA=${minx_CUDA}
      -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE} -DCMAKE_C_COMPILER=${CMAKE_C_COMPILER}
      -DCMAKE_INSTALL_PREFIX=${PROJECT_BINARY_DIR}/checked-installed
    BUILD_ALWAYS TRUE)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/checked-installed/ DESTINATION ${CMAKE_INSTALL_LIBDIR}/minx/checked)
endif()
