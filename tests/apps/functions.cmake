# How the folders here register their tests. Each test has the label `apps`, ends within TIMEOUT seconds, and may exit with 77: a skip.

# app_label(LABEL tests...): those of the tests that this folder has
function(app_label label)
  foreach(test IN LISTS ARGN)
    if(TEST ${test})
      set_property(TEST ${test} APPEND PROPERTY LABELS ${label})
    endif()
  endforeach()
endfunction()

# app_long(tests...): of the tests that this folder has, those that take longest. They start behind those that compile and before all
# others: none of them is left to run alone at the end.
function(app_long)
  foreach(test IN LISTS ARGN)
    if(TEST ${test})
      set_tests_properties(${test} PROPERTIES COST 50)
    endif()
  endforeach()
endfunction()

# app_command(NAME PROCESSORS [FOLDER folder] COMMAND words...): runs a command, in a folder of its own or in that of the build
function(app_command name processors)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "FOLDER" "COMMAND")
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${arg_FOLDER})
  file(MAKE_DIRECTORY ${folder})
  add_test(NAME ${name} WORKING_DIRECTORY ${folder} COMMAND ${arg_COMMAND})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900 PROCESSORS ${processors} LABELS apps
    ENVIRONMENT "${minx_MPI_ENVIRONMENT}")
endfunction()

# app_script(NAME PROCESSORS SCRIPT arguments...): a Python program
# app_h5py_script(NAME PROCESSORS SCRIPT arguments...): one that skips without h5py, MDAnalysis or the like
function(app_script name processors script)
  get_filename_component(script ${script} ABSOLUTE)
  app_command(${name} ${processors} COMMAND Python3::Interpreter ${script} ${ARGN})
endfunction()

function(app_h5py_script name processors script)
  get_filename_component(script ${script} ABSOLUTE)
  app_command(${name} ${processors} COMMAND ${app_test_PYTHON} ${script} ${ARGN})
endfunction()

# app_expect(NAME CODE PATTERN COMMAND...): a command that ends with this exit code, and prints what the pattern matches
function(app_expect name code pattern)
  app_script(${name} 1 ${app_test_SUPPORT}/expect.py ${code} ${pattern} ${ARGN})
endfunction()

# app_program(NAME SOURCES... [LIBRARIES libraries...]): builds test_app_NAME
function(app_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES")
  add_executable(test_app_${name} ${arg_UNPARSED_ARGUMENTS})
  target_include_directories(test_app_${name} PRIVATE ${app_test_SUPPORT})
  target_link_libraries(test_app_${name} PRIVATE ${arg_LIBRARIES} m)
  target_compile_options(test_app_${name} PRIVATE ${minx_WARNINGS})
endfunction()

# app_test(NAME SOURCES... RANKS numbers... [LIBRARIES libraries...] [ARGUMENTS args...]): builds it, and runs it on each number of
# ranks as apps_NAME_N. Each run has a folder of its own to write to, NAME_N.
function(app_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "RANKS;LIBRARIES;ARGUMENTS")
  app_program(${name} ${arg_UNPARSED_ARGUMENTS} LIBRARIES app_common ${arg_LIBRARIES})
  foreach(ranks IN LISTS arg_RANKS)
    app_command(apps_${name}_${ranks} ${ranks} FOLDER ${name}_${ranks} COMMAND ${minx_MPIEXEC} ${MPIEXEC_NUMPROC_FLAG} ${ranks}
      $<TARGET_FILE:test_app_${name}> ${MPIEXEC_POSTFLAGS} ${arg_ARGUMENTS})
  endforeach()
endfunction()

# app_shared_tests(APP DECK DOCUMENT COLUMNS): what common/ has for every app. The keys of --help-deck are those of docs/DOCUMENT
# (deck_doc.py explains COLUMNS).
function(app_shared_tests app deck document columns)
  set(common ${PROJECT_SOURCE_DIR}/tests/apps/common)
  set(program $<TARGET_FILE:${app}>)
  set(inputs ${PROJECT_SOURCE_DIR}/inputs/${app})
  app_script(${app}_deck_doc 1 ${common}/input/deck_doc.py ${program} ${PROJECT_SOURCE_DIR}/docs/${document} ${columns})
  app_script(${app}_check_against 2 ${common}/run/check_against.py ${app} ${program} ${inputs} ${MINX_LAYOUTS} ${minx_MPIEXEC})
  app_script(${app}_file_roles 2 ${common}/run/file_roles.py ${app} ${program} ${inputs} ${minx_MPIEXEC})
  foreach(test restart_end restart_auto)
    app_script(${app}_${test} 2 ${common}/run/${test}.py ${app} ${program} $<TARGET_FILE:minx-verify> ${deck} ${minx_MPIEXEC})
  endforeach()
  app_h5py_script(${app}_restart_values 2 ${common}/results/restart_values.py ${app} ${program} ${deck} ${minx_MPIEXEC})
  app_script(${app}_verify_columns 2 ${PROJECT_SOURCE_DIR}/tests/apps/verify/columns.py ${app} ${program} $<TARGET_FILE:minx-verify>
    ${inputs})
  app_label(results ${app}_verify_columns)
  app_label(once ${app}_verify_columns)
  if(NOT MINX_SANITIZE) # sanitizers need memory of their own
    app_script(${app}_memory_limits 2 ${common}/run/memory.py ${app} ${program} ${inputs} ${minx_MPIEXEC} ${MPIEXEC_NUMPROC_FLAG})
    app_label(once ${app}_memory_limits)
  endif()
endfunction()

# app_summary(APP DECK): the summary of a run
function(app_summary app deck)
  app_h5py_script(${app}_summary 2 ${PROJECT_SOURCE_DIR}/tests/apps/common/run/summary.py ${app} $<TARGET_FILE:${app}>
    $<TARGET_FILE:minx-verify> ${deck} ${minx_MPIEXEC})
  app_label(results ${app}_summary)
endfunction()

# app_originals(APP DECK): the names, options and lines of the original programs
function(app_originals app deck)
  app_script(${app}_originals 2 ${PROJECT_SOURCE_DIR}/tests/apps/common/run/originals.py ${app} $<TARGET_FILE:${app}> ${deck}
    ${minx_MPIEXEC})
endfunction()

# app_indices(APP): where every index is checked, short runs that call the app's kernels
function(app_indices app)
  if(MINX_BOUNDS_CHECK)
    app_script(${app}_indices 2 ${PROJECT_SOURCE_DIR}/tests/apps/common/run/indices.py ${app} $<TARGET_FILE:${app}>
      ${PROJECT_SOURCE_DIR}/inputs/minimd ${minx_MPIEXEC})
  endif()
endfunction()

# app_races(APP): where it can be seen, short runs in which no item of a kernel writes what another one uses
function(app_races app)
  if(minx_RACE_CHECK)
    app_script(${app}_races 1 ${PROJECT_SOURCE_DIR}/tests/apps/common/run/races.py ${app} $<TARGET_FILE:${app}> ${PROJECT_SOURCE_DIR}/inputs)
  endif()
endfunction()

# app_environment(): at the end of each folder with tests, what all of its tests have in their environment
function(app_environment)
  # Open MPI keeps a folder for each host and user under TMPDIR, and two mpiruns that begin and end at the same time trip over
  # it: each test has a TMPDIR of its own. Sockets in it allow about 100 characters, so a long build path moves it to /tmp.
  set(folders ${PROJECT_BINARY_DIR}/tests/apps/tmp)
  string(LENGTH ${folders} length)
  if(length GREATER 50)
    string(MD5 hash ${folders})
    string(SUBSTRING ${hash} 0 8 hash)
    set(folders /tmp/minx-${hash})
  endif()
  get_property(number GLOBAL PROPERTY app_tests)
  get_property(tests DIRECTORY PROPERTY TESTS)
  foreach(test IN LISTS tests)
    math(EXPR number "${number} + 1")
    file(MAKE_DIRECTORY ${folders}/${number})
    set(own TMPDIR=${folders}/${number})
    # hwloc, which MPI starts, loads libraries of displays and GPUs, and each rank reads the configuration of the PCI bus, which a
    # virtual machine emulates: together half of the time of a short program
    list(APPEND own HWLOC_PLUGINS_PATH=${folders}/none HWLOC_COMPONENTS=-linux:pci)
    # ranks and tests share cores: threads and ranks that wait must not spin
    list(APPEND own OMP_WAIT_POLICY=passive)
    # Each of these starts mpirun many times, with input that all ranks refuse or where a rank runs out of memory. When a rank has
    # failed, Open MPI's waits for a second, for ranks that ignore SIGTERM: none does here.
    if(test MATCHES "^(tealeaf_bad_input_2|minimd_bad_2|minife_input_3|minife_no_memory|apps_skeleton|[a-z]+_file_roles|tealeaf_last_message)$")
      list(APPEND own OMPI_MCA_odls_base_sigkill_timeout=0)
    endif()
    # Leaks are looked for by tests named so, in runs of the app. To do that everywhere, the sanitizer would record a full call stack
    # at each allocation, of which HDF5 makes many.
    if(MINX_SANITIZE MATCHES address AND NOT test MATCHES "^leak_")
      list(APPEND own ASAN_OPTIONS=detect_leaks=0)
    endif()
    if(app_test_YIELD)
      # all ranks are on this machine; by TCP, MPI_Finalize of MPICH 4.0 sometimes waits for ever
      list(APPEND own LD_PRELOAD=$<TARGET_FILE:mpich_yield> UCX_TLS=self,sm)
      # In MPI_Init and MPI_Finalize, ranks of one host wait for each other in a loop, and mpich_yield cannot change it. It takes a
      # seventh of the processor time. With this setting each rank counts as a host of its own: there is no such loop, but also no
      # ranks that share cores or a device. The tests apps_* keep MPICH's default, so that they cover what ranks of one host share; those of
      # exchanges between many ranks, which would take ten times as long, do so on two.
      if(NOT test MATCHES "^apps_" OR test MATCHES "^apps_(box_halo|index_exchange|migrate)_[468]$")
        list(APPEND own MPIR_CVAR_NOLOCAL=1)
      endif()
    endif()
    # These look at how ranks wait, or whether memory is left.
    if(TARGET openmpi_yield AND NOT test MATCHES "^(apps_(busy|patience|watch|direct_late)|leak_)")
      list(APPEND own LD_PRELOAD=$<TARGET_FILE:openmpi_yield> OMPI_MCA_mpi_yield_when_idle=1)
    endif()
    set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT ${own})
  endforeach()
  set_property(GLOBAL PROPERTY app_tests ${number})
  minx_hide_settings()
endfunction()
