# What reads decks, options and data files.
foreach(test input data)
  add_executable(test_app_minimd_${test} minimd_${test}.c)
  target_compile_options(test_app_minimd_${test} PRIVATE ${minx_WARNINGS})
  target_link_libraries(test_app_minimd_${test} PRIVATE minimd_input app_common)
  add_test(NAME apps_minimd_${test} COMMAND test_app_minimd_${test})
  set_tests_properties(apps_minimd_${test} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900 LABELS apps)
endforeach()
app_fuzz(minimd_deck minimd_input)
app_fuzz(minimd_data minimd_input)
app_test(minimd_spread 1 2 4 SOURCES ${PROJECT_SOURCE_DIR}/apps/minimd/input/data_spread.c LIBRARIES minimd_input)

# LAMMPS data files, against LAMMPS's own figures.
add_test(NAME minimd_data COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/minimd_data.py
  --minimd $<TARGET_FILE:minimd> --mpiexec ${minx_MPIEXEC})
set_tests_properties(minimd_data PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900 LABELS apps PROCESSORS 2
  ENVIRONMENT "${minx_MPI_ENVIRONMENT}")

# What it prints and what it refuses.
foreach(case texts bad)
  add_test(NAME minimd_${case} COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/minimd_input.py ${case}
    --minimd $<TARGET_FILE:minimd>)
endforeach()
add_test(NAME minimd_bad_2 COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/minimd_input.py bad
  --minimd $<TARGET_FILE:minimd> --ranks 2 --mpiexec ${minx_MPIEXEC})
set_tests_properties(minimd_texts minimd_bad minimd_bad_2 PROPERTIES TIMEOUT 900 LABELS apps
  ENVIRONMENT "${minx_MPI_ENVIRONMENT}")
