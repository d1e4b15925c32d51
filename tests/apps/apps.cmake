# Every app that is registered (cmake/MinxApps.cmake), whichever it is: each of its decks runs on every backend on 1, 2 and 4 ranks.
# What else an app has to show is in NAME.cmake here.
add_subdirectory(sample)

file(GLOB sample_deck ${CMAKE_CURRENT_SOURCE_DIR}/sample/*.in)
add_test(NAME apps_skeleton COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/skeleton.py
  $<TARGET_FILE:sample> ${sample_deck} ${MINX_LAYOUTS} ${minx_MPIEXEC})
set_tests_properties(apps_skeleton PROPERTIES TIMEOUT 900 LABELS "apps;cuda" ENVIRONMENT "${minx_MPI_ENVIRONMENT}")

# Threads and launchers, as the environment has them.
add_test(NAME apps_environment COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/environment.py
  $<TARGET_FILE:sample> ${sample_deck} ${minx_MPIEXEC} ${MPIEXEC_NUMPROC_FLAG})
set_tests_properties(apps_environment PROPERTIES TIMEOUT 900 LABELS apps PROCESSORS 2 ENVIRONMENT "${minx_MPI_ENVIRONMENT}")

# MPICH and its relatives never give a core away while they wait: where ranks have to share cores, with each other or with
# other programs, a run takes minutes. Where app_test_YIELD (CMakeLists.txt) cannot change that, runs on more than 2 ranks are
# left out, but for those of an app's first deck, which is a short one.
cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
set(max_ranks 8)
if(cores LESS 4 AND NOT minx_MPI_FAMILY STREQUAL openmpi AND NOT app_test_YIELD)
  set(max_ranks 2)
endif()

# What follows is for NAME.cmake.

# app_indices(APP): where every index is checked, short runs that call the app's kernels.
function(app_indices app)
  if(MINX_BOUNDS_CHECK)
    add_test(NAME ${app}_indices COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/indices.py ${app}
      $<TARGET_FILE:${app}> ${PROJECT_SOURCE_DIR}/inputs/minimd ${minx_MPIEXEC})
    set_tests_properties(${app}_indices PROPERTIES TIMEOUT 900 LABELS apps PROCESSORS 2 ENVIRONMENT "${minx_MPI_ENVIRONMENT}")
  endif()
endfunction()

# app_deck_doc(APP DOCUMENT COLUMNS): the keys of --help-deck are those of docs/DOCUMENT (deck_doc.py).
function(app_deck_doc app document columns)
  add_test(NAME ${app}_deck_doc COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/deck_doc.py
    $<TARGET_FILE:${app}> ${PROJECT_SOURCE_DIR}/docs/${document} ${columns})
  set_tests_properties(${app}_deck_doc PROPERTIES TIMEOUT 900 LABELS apps ENVIRONMENT "${minx_MPI_ENVIRONMENT}")
endfunction()

# app_memory(APP): the memory that a run needs, as the app estimates it and as it is. Sanitizers need memory of their own.
function(app_memory app)
  if(NOT MINX_SANITIZE)
    add_test(NAME ${app}_memory_limits COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/memory.py ${app}
      $<TARGET_FILE:${app}> ${PROJECT_SOURCE_DIR}/inputs/${app} ${minx_MPIEXEC} ${MPIEXEC_NUMPROC_FLAG})
    set_tests_properties(${app}_memory_limits PROPERTIES TIMEOUT 900 LABELS "apps;once" PROCESSORS 2
      ENVIRONMENT "${minx_MPI_ENVIRONMENT}")
  endif()
endfunction()

# app_check_against(APP): every launch against another backend.
function(app_check_against app)
  add_test(NAME ${app}_check_against COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/check_against.py ${app}
    $<TARGET_FILE:${app}> ${PROJECT_SOURCE_DIR}/inputs/${app} ${MINX_LAYOUTS} ${minx_MPIEXEC})
  set_tests_properties(${app}_check_against PROPERTIES TIMEOUT 900 LABELS apps PROCESSORS 2
    ENVIRONMENT "${minx_MPI_ENVIRONMENT}")
endfunction()

# app_file_roles(APP): no file of a run replaces another one.
function(app_file_roles app)
  add_test(NAME ${app}_file_roles COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/file_roles.py ${app}
    $<TARGET_FILE:${app}> ${PROJECT_SOURCE_DIR}/inputs/${app} ${minx_MPIEXEC})
  set_tests_properties(${app}_file_roles PROPERTIES TIMEOUT 900 LABELS apps PROCESSORS 2
    ENVIRONMENT "${minx_MPI_ENVIRONMENT}")
endfunction()

# app_verify_columns(APP): what minx-verify prints of results.
function(app_verify_columns app)
  add_test(NAME ${app}_verify_columns COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/verify_columns.py ${app}
    $<TARGET_FILE:${app}> $<TARGET_FILE:minx-verify> ${PROJECT_SOURCE_DIR}/inputs/${app})
  set_tests_properties(${app}_verify_columns PROPERTIES TIMEOUT 900 LABELS "apps;results;once" PROCESSORS 2
    ENVIRONMENT "${minx_MPI_ENVIRONMENT}")
endfunction()

# app_restarts(APP DECK): restarts at the end of a run, by --restart=auto, and from checkpoints with numbers that cannot be.
function(app_restarts app deck)
  set(tests "")
  foreach(test restart_end restart_auto)
    add_test(NAME ${app}_${test} COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/${test}.py ${app}
      $<TARGET_FILE:${app}> $<TARGET_FILE:minx-verify> ${deck} ${minx_MPIEXEC})
    list(APPEND tests ${app}_${test})
  endforeach()
  if(app_test_PYTHON)
    add_test(NAME ${app}_restart_values COMMAND ${app_test_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/restart_values.py ${app}
      $<TARGET_FILE:${app}> ${deck} ${minx_MPIEXEC})
    list(APPEND tests ${app}_restart_values)
  endif()
  set_tests_properties(${tests} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900 LABELS apps PROCESSORS 2
    ENVIRONMENT "${minx_MPI_ENVIRONMENT}")
endfunction()

# app_summary(APP PROGRAM DECK): the summary of a run.
function(app_summary app program deck)
  if(app_test_PYTHON)
    add_test(NAME ${app}_summary COMMAND ${app_test_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/summary.py ${app} ${program}
      $<TARGET_FILE:minx-verify> ${deck} ${minx_MPIEXEC})
    set_tests_properties(${app}_summary PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900 LABELS "apps;results" PROCESSORS 2
      ENVIRONMENT "${minx_MPI_ENVIRONMENT}")
  endif()
endfunction()
app_summary(sample $<TARGET_FILE:sample> ${sample_deck})

# app_originals(APP PROGRAM DECK): the names, options and lines of the original programs.
function(app_originals app program deck)
  add_test(NAME ${app}_originals COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/originals.py ${app} ${program} ${deck}
    ${minx_MPIEXEC})
  set_tests_properties(${app}_originals PROPERTIES TIMEOUT 900 LABELS apps PROCESSORS 2 ENVIRONMENT "${minx_MPI_ENVIRONMENT}")
endfunction()

get_property(apps GLOBAL PROPERTY minx_APPS)
foreach(app IN LISTS apps)
  get_property(folder GLOBAL PROPERTY minx_DECKS_${app})
  file(GLOB decks CONFIGURE_DEPENDS ${folder}/*.in)
  set(ranks_of_deck 4)
  foreach(deck IN LISTS decks)
    get_filename_component(name ${deck} NAME_WE)
    add_test(NAME app_${app}_${name} COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/app_decks.py
      $<TARGET_FILE:${app}> $<TARGET_FILE:minx-verify> ${deck} ${ranks_of_deck} ${minx_MPIEXEC})
    set_tests_properties(app_${app}_${name} PROPERTIES TIMEOUT 900 LABELS apps PROCESSORS 2
      ENVIRONMENT "${minx_MPI_ENVIRONMENT}")
    set(ranks_of_deck ${max_ranks})
  endforeach()
  include(${app}.cmake OPTIONAL)
endforeach()
