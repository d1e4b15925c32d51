# Fuzz targets: programs that throw text at a reader of files.
#
#     app_fuzz(NAME LIBRARY...)
#
# builds NAME.c here, which has LLVMFuzzerTestOneInput, as the program fuzz_NAME. NAME is APP_WHAT, or WHAT of all apps. The test
# apps_fuzz_NAME runs it on the files in the folder NAME, the seeds. Where MINX_SANITIZE has fuzzer-no-link, libFuzzer is linked,
# which makes up texts (scripts/fuzz.sh); the target `fuzz` builds all of them.
add_custom_target(fuzz)

function(app_fuzz name)
  set(source ${PROJECT_SOURCE_DIR}/tests/apps/fuzz)
  set(libfuzzer OFF)
  if(MINX_SANITIZE MATCHES fuzzer-no-link)
    set(libfuzzer ON)
  endif()
  add_executable(fuzz_${name} ${source}/${name}.c $<$<NOT:$<BOOL:${libfuzzer}>>:${source}/replay.c>)
  target_compile_options(fuzz_${name} PRIVATE ${minx_WARNINGS})
  target_link_libraries(fuzz_${name} PRIVATE ${ARGN})
  target_link_options(fuzz_${name} PRIVATE $<$<BOOL:${libfuzzer}>:-fsanitize=fuzzer>)
  add_dependencies(fuzz fuzz_${name})
  file(GLOB seeds CONFIGURE_DEPENDS ${source}/${name}/*)
  if(NOT libfuzzer)
    app_command(apps_fuzz_${name} 1 COMMAND fuzz_${name} ${seeds})
  endif()
endfunction()
