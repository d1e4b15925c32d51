# Potentials of the embedded-atom method. The reader and the splines know no MPI.
add_executable(test_app_minimd_potential minimd_potential.c)
target_compile_options(test_app_minimd_potential PRIVATE ${minx_WARNINGS})
target_link_libraries(test_app_minimd_potential PRIVATE minimd_input m)
add_test(NAME minimd_potential COMMAND test_app_minimd_potential ${PROJECT_SOURCE_DIR})
set_tests_properties(minimd_potential PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900 LABELS apps)
app_fuzz(minimd_potential minimd_input)

# Results files, by a Python that has h5py.
if(app_test_PYTHON)
  foreach(case gradient timestep energy restart altered one_atom frames killed)
    add_test(NAME minimd_${case} COMMAND ${app_test_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/minimd_results.py ${case}
      --minimd $<TARGET_FILE:minimd> --verify $<TARGET_FILE:minx-verify> --inputs ${PROJECT_SOURCE_DIR}/inputs/minimd
      --mpiexec ${minx_MPIEXEC})
    set_tests_properties(minimd_${case} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900 LABELS apps PROCESSORS 2
      ENVIRONMENT "${minx_MPI_ENVIRONMENT}")
  endforeach()
endif()
