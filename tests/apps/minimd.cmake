# miniMD: against the original's logs, on any backend and number of ranks, and without the original's bugs.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
foreach(case logs ranks lists precision memory bugs checked)
  add_test(NAME minimd_${case} COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/minimd_runs.py ${case}
    --minimd $<TARGET_FILE:minimd> --verify $<TARGET_FILE:minx-verify> --memory-tool $<TARGET_FILE:app_memory_tool>
    --max-ranks ${max_ranks} --mpiexec ${minx_MPIEXEC})
  set_tests_properties(minimd_${case} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900 LABELS apps PROCESSORS 2
    ENVIRONMENT "${minx_MPI_ENVIRONMENT}")
endforeach()
if(minx_CUDA)
  add_test(NAME minimd_cuda COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/minimd_runs.py cuda
    --minimd $<TARGET_FILE:minimd> --verify $<TARGET_FILE:minx-verify> --mpiexec ${minx_MPIEXEC})
  set_tests_properties(minimd_cuda PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900 LABELS "apps;cuda" RUN_SERIAL ON
    ENVIRONMENT "${minx_MPI_ENVIRONMENT}")
endif()

# Formulas of the lattice and the bricks, in boxes of 1e9 atoms and more, which need no memory.
add_executable(test_app_minimd_counts minimd_counts.c)
target_compile_options(test_app_minimd_counts PRIVATE ${minx_WARNINGS})
target_include_directories(test_app_minimd_counts PRIVATE ${PROJECT_SOURCE_DIR}/apps/minimd)
target_link_libraries(test_app_minimd_counts PRIVATE minx::minx m)
add_test(NAME apps_minimd_counts COMMAND test_app_minimd_counts)
set_tests_properties(apps_minimd_counts PROPERTIES TIMEOUT 900 LABELS apps)

# Lists of clusters against a sum over all pairs, with the app's own kernels.
get_target_property(minimd_kernels minimd SOURCES)
list(FILTER minimd_kernels INCLUDE REGEX TARGET_OBJECTS)
add_executable(test_app_minimd_clusters minimd_clusters.c minimd_clusters_eam.c
  ${PROJECT_SOURCE_DIR}/apps/minimd/clusters/list.c ${PROJECT_SOURCE_DIR}/apps/minimd/clusters/eam.c ${minimd_kernels})
target_compile_options(test_app_minimd_clusters PRIVATE ${minx_WARNINGS})
target_include_directories(test_app_minimd_clusters PRIVATE ${PROJECT_SOURCE_DIR}/apps/minimd)
target_link_libraries(test_app_minimd_clusters PRIVATE app_common m)
add_test(NAME apps_minimd_clusters COMMAND test_app_minimd_clusters)
set_tests_properties(apps_minimd_clusters PROPERTIES TIMEOUT 900 LABELS apps PROCESSORS 2)

include(minimd_eam.cmake)
include(minimd_input.cmake)

app_indices(minimd)
app_deck_doc(minimd minimd.md 0)
app_check_against(minimd)
app_memory(minimd)
app_file_roles(minimd)
app_summary(minimd $<TARGET_FILE:minimd> ${PROJECT_SOURCE_DIR}/inputs/minimd/lj.in)
app_originals(minimd $<TARGET_FILE:minimd> ${PROJECT_SOURCE_DIR}/inputs/minimd/lj.in)
app_verify_columns(minimd)
app_restarts(minimd ${PROJECT_SOURCE_DIR}/inputs/minimd/lj.in)

app_label(once minimd_ranks minimd_precision minimd_logs minimd_lists minimd_bad minimd_energy minimd_lammps
  minimd_potential minimd_potential_files)
