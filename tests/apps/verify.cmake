# minx-verify. Included by CMakeLists.txt.

# A run of TeaLeaf makes the good file.
set(folder ${CMAKE_CURRENT_BINARY_DIR}/verify_1)
file(MAKE_DIRECTORY ${folder})
add_test(NAME apps_verify_good_file WORKING_DIRECTORY ${folder}
  COMMAND tealeaf ${PROJECT_SOURCE_DIR}/inputs/tealeaf/crooked_pipe_10.in visit_frequency=4
    --backend=serial --quiet --output=good.h5)
# The same deck, but not said to be one whose final U was published.
file(READ ${PROJECT_SOURCE_DIR}/inputs/tealeaf/crooked_pipe_10.in deck)
string(REGEX REPLACE "test_problem +1" "" deck "${deck}")
file(CONFIGURE OUTPUT ${folder}/unpublished.in CONTENT "${deck}" @ONLY)
add_test(NAME apps_verify_unpublished_file WORKING_DIRECTORY ${folder}
  COMMAND tealeaf unpublished.in --backend=serial --quiet --output=unpublished.h5)
set_tests_properties(apps_verify_good_file apps_verify_unpublished_file PROPERTIES FIXTURES_SETUP apps_verify LABELS apps
  ENVIRONMENT "${minx_MPI_ENVIRONMENT}")

# verify_test(NAME SOURCES... [ARGUMENTS args...]): a program that runs minx-verify on copies of it
function(verify_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "ARGUMENTS")
  add_executable(test_app_${name} ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(test_app_${name} PRIVATE app_files app_hdf5 m)
  target_compile_options(test_app_${name} PRIVATE ${minx_WARNINGS})
  set(own ${CMAKE_CURRENT_BINARY_DIR}/${name})
  file(MAKE_DIRECTORY ${own})
  add_test(NAME apps_${name} WORKING_DIRECTORY ${own}
    COMMAND test_app_${name} $<TARGET_FILE:minx-verify> ${folder}/good.h5 ${arg_ARGUMENTS})
  set_tests_properties(apps_${name} PROPERTIES FIXTURES_REQUIRED apps_verify LABELS apps)
endfunction()

verify_test(verify verify.c verify_alter.c verify_forge.c ARGUMENTS ${folder}/unpublished.h5)

add_executable(test_app_guard guard.c ${PROJECT_SOURCE_DIR}/apps/verify/guard.c ${PROJECT_SOURCE_DIR}/apps/verify/verdict.c)
target_include_directories(test_app_guard PRIVATE ${PROJECT_SOURCE_DIR}/apps/verify)
target_link_libraries(test_app_guard PRIVATE app_files)
target_compile_options(test_app_guard PRIVATE ${minx_WARNINGS})
add_test(NAME apps_verify_guard COMMAND test_app_guard)
set_tests_properties(apps_verify_guard PROPERTIES LABELS apps)

verify_test(damage damage.c damage_structure.c ARGUMENTS 300)

# Forgeries of every dataset of every app. Skips without h5py.
if(app_test_PYTHON)
  add_test(NAME apps_verify_forgeries COMMAND ${app_test_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/verify_forgeries.py
    --programs ${PROJECT_BINARY_DIR}/bin --inputs ${PROJECT_SOURCE_DIR}/inputs)
  set_tests_properties(apps_verify_forgeries PROPERTIES SKIP_RETURN_CODE 77 LABELS apps PROCESSORS 2
    ENVIRONMENT "${minx_MPI_ENVIRONMENT}")
endif()

app_label(results apps_verify_good_file apps_verify_unpublished_file apps_verify apps_verify_guard apps_verify_forgeries)
app_label(once apps_verify apps_damage apps_verify_forgeries)
