# Potentials of the embedded-atom method. The reader and the splines know no MPI.
foreach(test potential potential_files)
  add_executable(test_app_minimd_${test} minimd_${test}.c)
  target_compile_options(test_app_minimd_${test} PRIVATE ${minx_WARNINGS})
  target_link_libraries(test_app_minimd_${test} PRIVATE minimd_input m)
endforeach()
add_test(NAME minimd_potential COMMAND test_app_minimd_potential ${PROJECT_SOURCE_DIR})
add_test(NAME minimd_potential_files COMMAND test_app_minimd_potential_files)
set_tests_properties(minimd_potential minimd_potential_files PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900 LABELS apps)
app_fuzz(minimd_potential minimd_input)

# LAMMPS's own potentials, against LAMMPS.
add_test(NAME minimd_lammps COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/minimd_lammps.py --minimd $<TARGET_FILE:minimd>)
set_tests_properties(minimd_lammps PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900 LABELS apps ENVIRONMENT "${minx_MPI_ENVIRONMENT}")

# Elements of types, and files as others write them.
foreach(case lattice reports)
  add_test(NAME minimd_elements_${case} COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/minimd_elements.py ${case}
    --minimd $<TARGET_FILE:minimd> --verify $<TARGET_FILE:minx-verify> --inputs ${PROJECT_SOURCE_DIR}/inputs/minimd
    --max-ranks ${max_ranks} --mpiexec ${minx_MPIEXEC})
  set_tests_properties(minimd_elements_${case} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900 LABELS apps PROCESSORS 2
    ENVIRONMENT "${minx_MPI_ENVIRONMENT}")
endforeach()

# Results files, by a Python that has h5py.
if(app_test_PYTHON)
  foreach(case gradient timestep energy restart altered one_atom frames gaps killed)
    add_test(NAME minimd_${case} COMMAND ${app_test_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/minimd_results.py ${case}
      --minimd $<TARGET_FILE:minimd> --verify $<TARGET_FILE:minx-verify> --inputs ${PROJECT_SOURCE_DIR}/inputs/minimd
      --mpiexec ${minx_MPIEXEC})
    set_tests_properties(minimd_${case} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900 LABELS apps PROCESSORS 2
      ENVIRONMENT "${minx_MPI_ENVIRONMENT}")
  endforeach()
  foreach(case rest places large near)
    add_test(NAME minimd_${case} COMMAND ${app_test_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/minimd_still.py ${case}
      --minimd $<TARGET_FILE:minimd> --verify $<TARGET_FILE:minx-verify> --inputs ${PROJECT_SOURCE_DIR}/inputs/minimd
      --mpiexec ${minx_MPIEXEC})
    set_tests_properties(minimd_${case} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900 LABELS apps PROCESSORS 2
      ENVIRONMENT "${minx_MPI_ENVIRONMENT}")
  endforeach()
endif()
