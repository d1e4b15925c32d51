# miniFE against the dumps of the original's reference variant.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME minife_dumps COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/minife_dumps.py
  --minife $<TARGET_FILE:minife> --mpiexec ${minx_MPIEXEC})
set_tests_properties(minife_dumps PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300 LABELS apps PROCESSORS 2
  ENVIRONMENT "${minx_MPI_ENVIRONMENT}")
