# miniFE: against the dumps of the original's reference variant, and the order of its error.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
foreach(test dumps error)
  add_test(NAME minife_${test} COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/minife_${test}.py
    --minife $<TARGET_FILE:minife> --mpiexec ${minx_MPIEXEC})
  set_tests_properties(minife_${test} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900 LABELS apps PROCESSORS 2
    ENVIRONMENT "${minx_MPI_ENVIRONMENT}")
endforeach()

# Inputs: the original's, bad ones, and on 3 ranks a few of the bad ones and load_imbalance.
foreach(ranks 1 3)
  set(launcher)
  if(ranks GREATER 1)
    set(launcher ${minx_MPIEXEC} ${MPIEXEC_NUMPROC_FLAG} ${ranks})
  endif()
  add_test(NAME minife_input_${ranks} COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/minife_input.py
    $<TARGET_FILE:minife> ${ranks} ${launcher})
  set_tests_properties(minife_input_${ranks} PROPERTIES TIMEOUT 900 LABELS apps ENVIRONMENT "${minx_MPI_ENVIRONMENT}")
endforeach()

foreach(test restart outputs)
  add_test(NAME minife_${test} COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/minife_${test}.py
    --minife $<TARGET_FILE:minife> --verify $<TARGET_FILE:minx-verify> --mpiexec ${minx_MPIEXEC})
  set_tests_properties(minife_${test} PROPERTIES TIMEOUT 900 LABELS apps PROCESSORS 2 ENVIRONMENT "${minx_MPI_ENVIRONMENT}")
endforeach()

# Of two ranks only the second would hold too many nodes; both must end.
add_test(NAME minife_too_large COMMAND ${minx_MPIEXEC} ${MPIEXEC_NUMPROC_FLAG} 2 $<TARGET_FILE:minife> nx=4094 ny=1023 nz=1022
  --backend=serial)
set_tests_properties(minife_too_large PROPERTIES TIMEOUT 900 LABELS apps PROCESSORS 2 ENVIRONMENT "${minx_MPI_ENVIRONMENT}"
  PASS_REGULAR_EXPRESSION "a rank would hold 2151152640 nodes")

app_fuzz(minife_input minife_input)

# Altered results. Skips without h5py.
if(app_test_PYTHON)
  add_test(NAME minife_alter COMMAND ${app_test_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/minife_alter.py
    --minife $<TARGET_FILE:minife> --verify $<TARGET_FILE:minx-verify>)
  set_tests_properties(minife_alter PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900 LABELS apps ENVIRONMENT "${minx_MPI_ENVIRONMENT}")
endif()

# Solvers and preconditioners against each other. Skips without h5py.
if(app_test_PYTHON)
  add_test(NAME minife_solvers COMMAND ${app_test_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/minife_solvers.py
    --minife $<TARGET_FILE:minife> --verify $<TARGET_FILE:minx-verify> --max-ranks ${max_ranks} --mpiexec ${minx_MPIEXEC})
  set_tests_properties(minife_solvers PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900 LABELS apps PROCESSORS 2
    ENVIRONMENT "${minx_MPI_ENVIRONMENT}")
endif()

# precision=mixed against double. Skips without h5py.
if(app_test_PYTHON)
  add_test(NAME minife_mixed COMMAND ${app_test_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/minife_mixed.py
    --minife $<TARGET_FILE:minife> --verify $<TARGET_FILE:minx-verify> --mpiexec ${minx_MPIEXEC})
  set_tests_properties(minife_mixed PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900 LABELS apps PROCESSORS 2
    ENVIRONMENT "${minx_MPI_ENVIRONMENT}")
endif()

# On a GPU against serial; on simt, which runs the same kernels, it takes too long for every build.
if(minx_CUDA)
  add_test(NAME minife_cuda COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/minife_device.py
    --minife $<TARGET_FILE:minife> --verify $<TARGET_FILE:minx-verify> --mpiexec ${minx_MPIEXEC})
  set_tests_properties(minife_cuda PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900 LABELS "apps;cuda" RUN_SERIAL ON
    ENVIRONMENT "${minx_MPI_ENVIRONMENT}")
endif()

app_expect(minife_limit 0 "CG ended at max_iterations=3: its residual, 0.256786, is above the tolerance, [0-9.e-]+. Checks .* allow 7.4 "
  $<TARGET_FILE:minife> nx=20 max_iterations=3)
app_expect(minife_limit_0 0 "CG ended at max_iterations=0: its residual, " $<TARGET_FILE:minife> nx=20 max_iterations=0)
# CG makes the energy smaller, but not the norm of the residual: it is 1.7 times the first one here.
app_expect(minife_limit_rises 0 "CG ended at max_iterations=1: its residual, " $<TARGET_FILE:minife> nx=3 ny=3 nz=60
  problem=manufactured max_iterations=1)
app_expect(minife_hpcg_size 2 "ny: got 12, expected a multiple of 8" $<TARGET_FILE:minife> nx=16 ny=12 preconditioner=hpcg)

# Operators against each other, with the app's own kernels.
get_target_property(minife_kernels minife SOURCES)
list(FILTER minife_kernels INCLUDE REGEX TARGET_OBJECTS)
set(minife_objects $<TARGET_OBJECTS:minife>) # those of the app's own files, its main too
app_test(minife_operators 1 2 4 LIBRARIES minife_input SOURCES ${minife_kernels}
  "$<FILTER:${minife_objects},INCLUDE,/(level|operators)/([a-z0-9_]+/)?[a-z0-9_]+[.]c[.]>")

# A preconditioner that is not positive definite: message, exit code, and what minx-verify says. The app with another preconditioner.c.
app_test(minife_indefinite LIBRARIES minife_input SOURCES ${minife_kernels}
  "$<FILTER:${minife_objects},EXCLUDE,/preconditioner[.]c>")
foreach(solver cg single-reduction)
  add_test(NAME minife_indefinite_${solver} WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/minife_indefinite.sh $<TARGET_FILE:test_app_minife_indefinite> $<TARGET_FILE:minx-verify> ${solver})
  set_tests_properties(minife_indefinite_${solver} PROPERTIES TIMEOUT 900 LABELS apps ENVIRONMENT "${minx_MPI_ENVIRONMENT}")
endforeach()

# An allocation that fails on one of two ranks.
app_test(minife_no_memory LIBRARIES minife_input MPI::MPI_C SOURCES ${minife_kernels} ${minife_objects})
add_test(NAME minife_no_memory COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/minife_no_memory.py --step 3
  $<TARGET_FILE:test_app_minife_no_memory> ${minx_MPIEXEC} ${MPIEXEC_NUMPROC_FLAG})
set_tests_properties(minife_no_memory PROPERTIES TIMEOUT 900 LABELS apps PROCESSORS 2 ENVIRONMENT "${minx_MPI_ENVIRONMENT}")

# A solver that is stopped early is no error of the discretisation.
add_test(NAME minife_unfinished COMMAND minife nx=16 problem=manufactured max_iterations=3 --backend=serial)
set_tests_properties(minife_unfinished PROPERTIES TIMEOUT 900 LABELS apps ENVIRONMENT "${minx_MPI_ENVIRONMENT}")

# The memory of views, counted by a tool.
add_test(NAME minife_memory COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/minife_memory.py $<TARGET_FILE:minife>
  $<TARGET_FILE:app_memory_tool>)
set_tests_properties(minife_memory PROPERTIES TIMEOUT 900 LABELS apps ENVIRONMENT "${minx_MPI_ENVIRONMENT}")

app_indices(minife)
app_deck_doc(minife minife.md 0)
app_check_against(minife)
app_memory(minife)
app_file_roles(minife)
app_summary(minife $<TARGET_FILE:minife> ${PROJECT_SOURCE_DIR}/inputs/minife/box_17x3x5.in)
app_originals(minife $<TARGET_FILE:minife> ${PROJECT_SOURCE_DIR}/inputs/minife/box_17x3x5.in)
app_verify_columns(minife)
app_restarts(minife ${PROJECT_SOURCE_DIR}/inputs/minife)

app_label(once app_minife_cube_30 app_minife_manufactured_24 minife_mixed minife_solvers minife_error minife_input_1 minife_alter)
