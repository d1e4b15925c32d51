# Writes lib/minx/build.json: what a program that compiles kernels at run time, without CMake, must know of this build. The Python
# package reads it. Flags are those of minx_add_kernels; the simt instance has -O2 instead of -O3.

function(minx_json_list_ result)
  set(text "")
  foreach(item IN LISTS ARGN)
    string(REGEX REPLACE "([\"\\\\])" "\\\\\\1" item "${item}")
    list(APPEND text "\"${item}\"")
  endforeach()
  list(JOIN text ", " text)
  set(${result} "[${text}]" PARENT_SCOPE)
endfunction()

function(minx_write_build_info_)
  set(defines "")
  if(MINX_BOUNDS_CHECK)
    list(APPEND defines MINX_BOUNDS_CHECK)
  endif()
  if(minx_RACE_CHECK)
    list(APPEND defines MINX_RACE_CHECK)
  endif()
  get_target_property(minx_INSTANCES minx MINX_INSTANCES)
  minx_json_list_(instances ${minx_INSTANCES})
  minx_json_list_(flags ${minx_HOST_KERNEL_FLAGS})
  minx_json_list_(debug_flags ${minx_HOST_DEBUG_FLAGS})
  minx_json_list_(compiler_flags ${minx_COMPILER_FLAGS})
  minx_json_list_(defines ${defines})
  minx_json_list_(architectures ${MINX_CUDA_ARCHITECTURES})
  set(nvcc "")
  if(minx_CUDA)
    set(nvcc "${CMAKE_CUDA_COMPILER}")
  endif()
  set(shared false)
  if(BUILD_SHARED_LIBS)
    set(shared true)
  endif()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/build.json @ONLY CONTENT [[{
  "version": "@PROJECT_VERSION@",
  "shared": @shared@,
  "library": "@CMAKE_INSTALL_LIBDIR@/libminx.so",
  "include": "@CMAKE_INSTALL_INCLUDEDIR@",
  "compiler": "@CMAKE_C_COMPILER@",
  "compiler_id": "@CMAKE_C_COMPILER_ID@",
  "tune": "@MINX_TUNE@",
  "instances": @instances@,
  "flags": @flags@,
  "debug_flags": @debug_flags@,
  "compiler_flags": @compiler_flags@,
  "defines": @defines@,
  "nvcc": "@nvcc@",
  "cuda_runtime": "@MINX_CUDA_RUNTIME@",
  "architectures": @architectures@
}
]])
endfunction()

minx_write_build_info_()
install(FILES ${PROJECT_BINARY_DIR}/build.json DESTINATION ${CMAKE_INSTALL_LIBDIR}/minx)
