# Install rules, what a shared libminx exports, and the package that find_package(minx) finds.
include(CMakePackageConfigHelpers)
set(minx_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/minx)
install(TARGETS minx EXPORT minxTargets)
if(BUILD_SHARED_LIBS) # nothing of the CUDA libraries that are linked in: the program may have others
  target_link_options(minx PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/libminx.map)
endif()
install(EXPORT minxTargets NAMESPACE minx:: DESTINATION ${minx_PACKAGE_DIR})
install(DIRECTORY core/include/minx kit/include/minx DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
configure_package_config_file(cmake/minxConfig.cmake.in ${PROJECT_BINARY_DIR}/minxConfig.cmake
  INSTALL_DESTINATION ${minx_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/minxConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/minxConfig.cmake ${PROJECT_BINARY_DIR}/minxConfigVersion.cmake cmake/MinxKernels.cmake
  DESTINATION ${minx_PACKAGE_DIR})

# minx-compare looks for its package and its decks in share/minx, see tools/compare/minx-compare
if(MINX_APPS)
  install(PROGRAMS tools/compare/minx-compare DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(DIRECTORY tools/compare/minx_compare tools/compare/plans tools/compare/rivals DESTINATION share/minx/compare PATTERN __pycache__ EXCLUDE)
  install(DIRECTORY inputs DESTINATION share/minx PATTERN "*.h5" EXCLUDE PATTERN "*.xmf" EXCLUDE)
endif()
include(cmake/MinxBuildInfo.cmake)
include(cmake/MinxChecked.cmake)
