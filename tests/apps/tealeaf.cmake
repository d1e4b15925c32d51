# The parser of decks and the initial state, which know no MPI: these run without mpirun. MINX_REFERENCE_DATA comes from the caller's environment.
add_executable(test_app_deck tealeaf_deck.c)
add_executable(test_app_states tealeaf_states.c)
add_executable(test_app_coarse tealeaf_coarse.c)
add_executable(test_app_bottom tealeaf_bottom.c)
foreach(test deck states coarse bottom)
  target_compile_options(test_app_${test} PRIVATE ${minx_WARNINGS})
  target_link_libraries(test_app_${test} PRIVATE tealeaf_input)
endforeach()
add_test(NAME apps_states COMMAND test_app_states)
add_test(NAME apps_coarse COMMAND test_app_coarse)
add_test(NAME apps_bottom COMMAND test_app_bottom)
set_tests_properties(apps_states apps_coarse apps_bottom PROPERTIES TIMEOUT 900 LABELS apps)
app_fuzz(tealeaf_deck tealeaf_input)
add_test(NAME apps_deck COMMAND test_app_deck ${PROJECT_SOURCE_DIR})
app_expect(apps_deck_without_data 77 "MINX_REFERENCE_DATA is not set" ${CMAKE_COMMAND} -E env MINX_REFERENCE_DATA= MINX_REQUIRE_DATA=
  $<TARGET_FILE:test_app_deck> ${PROJECT_SOURCE_DIR})
set_tests_properties(apps_deck PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900 LABELS apps)

# Known solutions: the order of the method in space and time, and the energy. On several ranks too.
add_executable(test_app_tealeaf_analytic tealeaf_analytic.c)
target_compile_options(test_app_tealeaf_analytic PRIVATE ${minx_WARNINGS})
target_link_libraries(test_app_tealeaf_analytic PRIVATE app_files m)
foreach(ranks 1 3)
  set(launcher)
  if(ranks GREATER 1)
    set(launcher ${minx_MPIEXEC} -n ${ranks})
  endif()
  set(own ${CMAKE_CURRENT_BINARY_DIR}/tealeaf_analytic_${ranks})
  file(MAKE_DIRECTORY ${own})
  add_test(NAME tealeaf_analytic_${ranks} WORKING_DIRECTORY ${own}
    COMMAND test_app_tealeaf_analytic $<TARGET_FILE:tealeaf> ${launcher})
  set_tests_properties(tealeaf_analytic_${ranks} PROPERTIES TIMEOUT 900 LABELS apps ENVIRONMENT "${minx_MPI_ENVIRONMENT}")
endforeach()

# tealeaf as its users run it. Decks come from the folder of reference data, expected values from reference publications
# (the reference code's field_summary and the C++ port's tea.problems).
find_package(Python3 REQUIRED COMPONENTS Interpreter)

# tealeaf_runs(NAME DECK EXPECTED RUNS... [OPTIONS options of tealeaf_runs.py...])
function(tealeaf_runs name deck expected)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "" "OPTIONS")
  add_test(NAME tealeaf_${name} COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/tealeaf_runs.py
    --tealeaf $<TARGET_FILE:tealeaf> --verify $<TARGET_FILE:minx-verify> --deck ${deck} --expected ${expected}
    ${arg_OPTIONS} --runs ${arg_UNPARSED_ARGUMENTS} --mpiexec ${minx_MPIEXEC})
  set_tests_properties(tealeaf_${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900 LABELS apps PROCESSORS 2
    ENVIRONMENT "${minx_MPI_ENVIRONMENT}")
endfunction()

foreach(pair solvers=crooked_pipe_250 solvers_3d=crooked_pipe_3d_10)
  string(REPLACE "=" ";" pair ${pair})
  list(GET pair 0 name)
  list(GET pair 1 deck)
  add_test(NAME tealeaf_${name} COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/tealeaf_solvers.py
    $<TARGET_FILE:tealeaf> $<TARGET_FILE:minx-verify> ${PROJECT_SOURCE_DIR}/inputs/tealeaf/${deck}.in ${minx_MPIEXEC})
  set_tests_properties(tealeaf_${name} PROPERTIES TIMEOUT 900 LABELS apps PROCESSORS 2 ENVIRONMENT "${minx_MPI_ENVIRONMENT}")
endforeach()

add_test(NAME tealeaf_sweeps COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/tealeaf_sweeps.py
  $<TARGET_FILE:tealeaf> $<TARGET_FILE:minx-verify> ${minx_MPIEXEC})
set_tests_properties(tealeaf_sweeps PROPERTIES TIMEOUT 900 LABELS apps PROCESSORS 2 ENVIRONMENT "${minx_MPI_ENVIRONMENT}")

set(hosts serial:1:0 serial:2:0 serial:4:0 openmp:1:1 openmp:1:2 openmp:1:3 openmp:2:1 openmp:4:1)
# Where ranks share cores badly (apps.cmake) the longer decks are left out; bm_1 and the shipped deck run on 1, 2 and 4 ranks.
set(long_decks ON)
if(max_ranks LESS 4)
  set(long_decks OFF)
endif()
set(debug simt:1:0 simt:1:1 serial:order=shuffled:1:0)
tealeaf_runs(bm_1 data:tealeaf/tea_bm_1.in 157.55084183279294 ${hosts} ${debug})
if(long_decks)
  tealeaf_runs(bm_2 data:tealeaf/tea_bm_2.in 106.27221178646569 ${hosts} ${debug})
  # the larger problems with fewer runs: one rank, several ranks, several threads
  tealeaf_runs(bm_3 data:tealeaf/tea_bm_3.in 99.955877498324000 serial:4:0 openmp:1:1 openmp:1:2)
  tealeaf_runs(bm_5e_1_4 data:tealeaf/tea_bm_5e_1_4.in 93.48844542172745 serial:2:0 openmp:1:2)
endif()
# The port's value differs by 2.7e-10: it stops at an absolute residual of eps, this program at eps times the first one.
tealeaf_runs(shipped_64 ${PROJECT_SOURCE_DIR}/inputs/tealeaf/port_64.in 108.4697720003111 ${hosts} ${debug} simt:2:0
  OPTIONS --published 1e-9)
# Three dimensions. The reference cuts the conduction through the last interior face of each direction, also in its published
# value of problem 4, 1176.3114252290486. An independent program without that fault found 1176.311425243143 (and the published value
# with it); they differ by 1.2e-11, so the tolerance tells them apart.
set(pipe_3d ${PROJECT_SOURCE_DIR}/inputs/tealeaf/crooked_pipe_3d_10.in)
set(problem_4_3d --published 1e-12 --keys test_problem=4 initial_timestep=0.04)
tealeaf_runs(3d_bm_1 ${pipe_3d} 1099.6237305862667 ${hosts} ${debug} simt:4:0)
tealeaf_runs(3d_last_face ${pipe_3d} 1176.311425243143 serial:1:0 serial:3:0 serial:4:0 openmp:1:2 openmp:2:1 simt:1:0
  OPTIONS ${problem_4_3d})
# Eight ranks divide all three directions. The passes of simt, as those of cuda, form ghosts on all six sides.
if(long_decks)
  add_test(NAME tealeaf_3d_ranks COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/tealeaf_runs.py
    --tealeaf $<TARGET_FILE:tealeaf> --verify $<TARGET_FILE:minx-verify> --deck ${CMAKE_CURRENT_SOURCE_DIR}/tealeaf_3d.in
    --runs serial:1:0 serial:8:0 simt:1:0 simt:2:0 simt:8:0 --needs simt --mpiexec ${minx_MPIEXEC})
  set_tests_properties(tealeaf_3d_ranks PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900 LABELS apps PROCESSORS 2 ENVIRONMENT "${minx_MPI_ENVIRONMENT}")
endif()
# Multigrid: a mesh with coarse ones that the ranks share, and one that each rank solves alone.
tealeaf_runs(multigrid ${PROJECT_SOURCE_DIR}/inputs/tealeaf/crooked_pipe_250.in 106.27221178646569
  serial:1:0 serial:2:0 serial:4:0 openmp:1:2 simt:1:0 OPTIONS --keys tl_preconditioner_type=multigrid)
tealeaf_runs(3d_multigrid ${pipe_3d} 1099.6237305862667 serial:1:0 serial:2:0 serial:4:0 openmp:1:2 simt:2:0
  OPTIONS --keys tl_preconditioner_type=multigrid)
if(minx_CUDA)
  tealeaf_runs(3d_bm_1_cuda ${pipe_3d} 1099.6237305862667 cuda:1:0 cuda:2:0 openmp:1:0 OPTIONS --needs cuda)
  tealeaf_runs(3d_last_face_cuda ${pipe_3d} 1176.311425243143 cuda:1:0 openmp:1:0 OPTIONS --needs cuda ${problem_4_3d})
  tealeaf_runs(3d_bm_2_cuda ${pipe_3d} 1039.0046623461017 cuda:1:0 cuda:2:0
    OPTIONS --needs cuda --published 1e-9 --keys test_problem=2 x_cells=125 y_cells=125 z_cells=125)
  foreach(name 3d_bm_1 3d_last_face 3d_bm_2)
    set_tests_properties(tealeaf_${name}_cuda PROPERTIES LABELS "apps;cuda" RUN_SERIAL ON)
  endforeach()
endif()
if(minx_CUDA)
  foreach(deck bm_1=157.55084183279294 bm_2=106.27221178646569 bm_3=99.955877498324000 bm_5e_1_4=93.48844542172745
      bm_5e_4_2=89.44258537125111)
    string(REPLACE "=" ";" pair ${deck})
    list(GET pair 0 name)
    list(GET pair 1 expected)
    tealeaf_runs(${name}_cuda data:tealeaf/tea_${name}.in ${expected} cuda:1:0 cuda:2:0 openmp:1:0
      OPTIONS --needs cuda)
    set_tests_properties(tealeaf_${name}_cuda PROPERTIES LABELS "apps;cuda" RUN_SERIAL ON)
  endforeach()
endif()

add_test(NAME tealeaf_energy COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/tealeaf_energy.py
  $<TARGET_FILE:tealeaf> $<TARGET_FILE:minx-verify> ${PROJECT_SOURCE_DIR}/inputs/tealeaf ${minx_MPIEXEC})
set_tests_properties(tealeaf_energy PROPERTIES TIMEOUT 900 LABELS apps PROCESSORS 2 ENVIRONMENT "${minx_MPI_ENVIRONMENT}")

add_test(NAME tealeaf_cg_end COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/tealeaf_cg_end.py
  $<TARGET_FILE:tealeaf> $<TARGET_FILE:minx-verify> ${PROJECT_SOURCE_DIR}/inputs/tealeaf)
set_tests_properties(tealeaf_cg_end PROPERTIES TIMEOUT 300 LABELS apps ENVIRONMENT "${minx_MPI_ENVIRONMENT}")
if(minx_CUDA)
  set_tests_properties(tealeaf_cg_end PROPERTIES LABELS "apps;cuda")
endif()

add_test(NAME tealeaf_output_files COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/output_files.py
  $<TARGET_FILE:tealeaf> $<TARGET_FILE:minx-verify> ${PROJECT_SOURCE_DIR}/inputs/tealeaf/crooked_pipe_10.in ${minx_MPIEXEC})
set_tests_properties(tealeaf_output_files PROPERTIES TIMEOUT 900 LABELS apps PROCESSORS 2
  ENVIRONMENT "${minx_MPI_ENVIRONMENT}")

add_test(NAME tealeaf_last_message COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/last_message.py
  $<TARGET_FILE:tealeaf> ${PROJECT_SOURCE_DIR}/inputs/tealeaf/crooked_pipe_10.in ${minx_MPIEXEC})
set_tests_properties(tealeaf_last_message PROPERTIES TIMEOUT 900 LABELS apps PROCESSORS 2
  ENVIRONMENT "${minx_MPI_ENVIRONMENT}")

foreach(ranks 1 2)
  add_test(NAME tealeaf_restart_${ranks} COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/tealeaf_restart.py
    --tealeaf $<TARGET_FILE:tealeaf> --verify $<TARGET_FILE:minx-verify> --ranks ${ranks} --mpiexec ${minx_MPIEXEC})
  set_tests_properties(tealeaf_restart_${ranks} PROPERTIES TIMEOUT 900 LABELS apps PROCESSORS 2
    ENVIRONMENT "${minx_MPI_ENVIRONMENT}")
  set(launcher)
  if(ranks GREATER 1)
    set(launcher ${minx_MPIEXEC} -n ${ranks})
  endif()
  add_test(NAME tealeaf_bad_input_${ranks} COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/tealeaf_bad_input.py
    $<TARGET_FILE:tealeaf> ${ranks} ${launcher})
  set_tests_properties(tealeaf_bad_input_${ranks} PROPERTIES TIMEOUT 900 LABELS apps
    ENVIRONMENT "${minx_MPI_ENVIRONMENT}")
  add_test(NAME tealeaf_shapes_${ranks} COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/tealeaf_shapes.py
    ${PROJECT_SOURCE_DIR}/docs/tealeaf-deck.md $<TARGET_FILE:tealeaf> ${launcher})
  set_tests_properties(tealeaf_shapes_${ranks} PROPERTIES TIMEOUT 300 LABELS apps PROCESSORS ${ranks}
    ENVIRONMENT "${minx_MPI_ENVIRONMENT}")
endforeach()

# No leaks of ours in a whole run: by the address sanitizer in builds with it, else by valgrind, which needs kernels that are
# not tuned for a CPU newer than it is. What MPI itself leaves behind is suppressed by committed lists.
function(tealeaf_leak name)
  if(MINX_SANITIZE MATCHES address)
    set(tool)
    set(environment "ASAN_OPTIONS=fast_unwind_on_malloc=0:detect_leaks=1"
      "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/scripts/lib/lsan.supp:print_suppressions=0")
  else()
    find_program(MINX_VALGRIND valgrind)
    set(why)
    if(NOT MINX_VALGRIND)
      set(why "valgrind is not installed")
    elseif(NOT MINX_TUNE STREQUAL generic)
      set(why "kernels tuned for ${MINX_TUNE}: configure with -DMINX_TUNE=generic or -DMINX_SANITIZE=address")
    endif()
    if(why)
      add_test(NAME leak_tealeaf_${name} COMMAND ${CMAKE_COMMAND} -E echo "skipped: ${why}")
      set_tests_properties(leak_tealeaf_${name} PROPERTIES SKIP_REGULAR_EXPRESSION "^skipped" LABELS leak)
      return()
    endif()
    set(tool ${MINX_VALGRIND} --quiet --leak-check=full --show-leak-kinds=definite,indirect
      --errors-for-leak-kinds=definite,indirect --error-exitcode=9 --suppressions=${PROJECT_SOURCE_DIR}/tests/valgrind.supp)
    set(environment)
  endif()
  add_test(NAME leak_tealeaf_${name} COMMAND ${ARGN} ${tool} $<TARGET_FILE:tealeaf>
    ${PROJECT_SOURCE_DIR}/inputs/tealeaf/crooked_pipe_10.in --backend=openmp --threads=2 --output=leak_${name}.h5)
  set_tests_properties(leak_tealeaf_${name} PROPERTIES TIMEOUT 600 LABELS "leak;unit"
    ENVIRONMENT "${minx_MPI_ENVIRONMENT};${environment}")
endfunction()
tealeaf_leak(1)
tealeaf_leak(2 ${minx_MPIEXEC} -n 2)

app_deck_doc(tealeaf tealeaf-deck.md 2)
app_check_against(tealeaf)
app_memory(tealeaf)
app_file_roles(tealeaf)
app_summary(tealeaf $<TARGET_FILE:tealeaf> ${PROJECT_SOURCE_DIR}/inputs/tealeaf/crooked_pipe_10.in)
app_originals(tealeaf $<TARGET_FILE:tealeaf> ${PROJECT_SOURCE_DIR}/inputs/tealeaf/crooked_pipe_10.in)
app_verify_columns(tealeaf)
app_restarts(tealeaf ${PROJECT_SOURCE_DIR}/inputs/tealeaf/crooked_pipe_10.in)
add_test(NAME tealeaf_uniform COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/tealeaf_uniform.py $<TARGET_FILE:tealeaf>
  $<TARGET_FILE:minx-verify>)
set_tests_properties(tealeaf_uniform PROPERTIES TIMEOUT 900 LABELS apps ENVIRONMENT "${minx_MPI_ENVIRONMENT}")

app_label(once tealeaf_bm_2 tealeaf_bm_3 tealeaf_bm_5e_1_4 tealeaf_multigrid tealeaf_solvers tealeaf_solvers_3d tealeaf_analytic_1
  tealeaf_analytic_3 tealeaf_bad_input_1 tealeaf_cg_end tealeaf_uniform tealeaf_sweeps
  app_tealeaf_crooked_pipe_250 app_tealeaf_crooked_pipe_long)
