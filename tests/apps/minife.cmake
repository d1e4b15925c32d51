# miniFE: against the dumps of the original's reference variant, and the order of its error.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
foreach(test dumps error)
  add_test(NAME minife_${test} COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/minife_${test}.py
    --minife $<TARGET_FILE:minife> --mpiexec ${minx_MPIEXEC})
  set_tests_properties(minife_${test} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300 LABELS apps PROCESSORS 2
    ENVIRONMENT "${minx_MPI_ENVIRONMENT}")
endforeach()
