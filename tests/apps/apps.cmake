# Every app that is registered (cmake/MinxApps.cmake), whichever it is: each of its decks runs on every backend on 1, 2 and 4 ranks.
# What else an app has to show is in NAME.cmake here.
add_subdirectory(sample)

file(GLOB sample_deck ${CMAKE_CURRENT_SOURCE_DIR}/sample/*.in)
add_test(NAME apps_skeleton COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/skeleton.py
  $<TARGET_FILE:sample> ${sample_deck} ${minx_MPIEXEC})
set_tests_properties(apps_skeleton PROPERTIES TIMEOUT 120 LABELS apps ENVIRONMENT "${minx_MPI_ENVIRONMENT}")

get_property(apps GLOBAL PROPERTY minx_APPS)
foreach(app IN LISTS apps)
  get_property(folder GLOBAL PROPERTY minx_DECKS_${app})
  file(GLOB decks CONFIGURE_DEPENDS ${folder}/*.in)
  foreach(deck IN LISTS decks)
    get_filename_component(name ${deck} NAME_WE)
    add_test(NAME app_${app}_${name} COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/app_decks.py
      $<TARGET_FILE:${app}> $<TARGET_FILE:minx-verify> ${deck} ${minx_MPIEXEC})
    set_tests_properties(app_${app}_${name} PROPERTIES TIMEOUT 300 LABELS apps PROCESSORS 2
      ENVIRONMENT "${minx_MPI_ENVIRONMENT}")
  endforeach()
  include(${app}.cmake OPTIONAL)
endforeach()
