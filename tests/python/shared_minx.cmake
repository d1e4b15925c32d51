# A shared minx for tests that load it from Python: built (not optimised) and installed beside this build, with a second library that checks
# indices. The tests require the fixture python_minx; MINX_TEST_PREFIX is the folder in which it is installed.
set(MINX_TEST_PREFIX ${CMAKE_CURRENT_BINARY_DIR}/python/prefix)
set(options -DCMAKE_C_COMPILER=${CMAKE_C_COMPILER} -DCMAKE_BUILD_TYPE=Debug -DBUILD_SHARED_LIBS=ON
  -DCMAKE_INSTALL_PREFIX=${MINX_TEST_PREFIX} -DCMAKE_INSTALL_LIBDIR=lib -DMINX_APPS=OFF -DMINX_TESTS=OFF -DMINX_TUNE=${MINX_TUNE}
  -DMINX_CHECKED_LIBRARY=ON -DMINX_PRECOMPILE=ON -DMINX_CUDA=${minx_CUDA} "-DMINX_CUDA_ARCHITECTURES=${MINX_KERNEL_CUDA_ARCHITECTURES}")
if(minx_CUDA)
  list(JOIN MINX_TEST_CUDA_FLAGS " " flags)
  list(APPEND options -DCMAKE_CUDA_COMPILER=${CMAKE_CUDA_COMPILER} "-DCMAKE_CUDA_FLAGS=${flags}")
endif()
add_test(NAME install_python_minx COMMAND ${CMAKE_CTEST_COMMAND}
  --build-and-test ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR}/python/minx --build-generator ${CMAKE_GENERATOR} --build-noclean
  --build-target install --build-options ${options})
set_tests_properties(install_python_minx PROPERTIES FIXTURES_SETUP python_minx LABELS "install;python" TIMEOUT 900 COST 200)
minx_hide_settings()
