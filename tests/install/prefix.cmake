# Installs the build BUILD into SCRATCH/prefix, from nothing.
file(REMOVE_RECURSE ${SCRATCH})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --config ${CONFIG} --prefix ${SCRATCH}/prefix
  RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
if(failed)
  message(FATAL_ERROR "cmake --install failed:\n${said}")
endif()
file(GLOB_RECURSE headers ${SCRATCH}/prefix/*.h)
list(FILTER headers EXCLUDE REGEX "/share/minx/compare/rivals/") # sources of programs that minx-compare builds
foreach(header IN LISTS headers)
  if(NOT header MATCHES "/include/minx/([a-z]+/)?[a-z_]+\\.h$")
    message(FATAL_ERROR "installed, but no public header: ${header}")
  endif()
endforeach()
