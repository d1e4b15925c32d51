# Tests of text that users write: decks, command lines; and of what is printed. Included by CMakeLists.txt.
include(${PROJECT_SOURCE_DIR}/apps/tealeaf/deck_sources.cmake)

# The parser knows no MPI: these run without mpirun. MINX_REFERENCE_DATA comes from the caller's environment.
add_executable(test_app_deck deck.c ${TL_DECK_SOURCES})
add_executable(test_app_fuzz_deck fuzz_deck.c ${TL_DECK_SOURCES})
target_compile_definitions(test_app_fuzz_deck PRIVATE MINX_FUZZ_MAIN)
foreach(test deck fuzz_deck)
  target_include_directories(test_app_${test} PRIVATE ${PROJECT_SOURCE_DIR}/apps/common)
  target_compile_options(test_app_${test} PRIVATE ${minx_WARNINGS})
  target_link_libraries(test_app_${test} PRIVATE app_files)
endforeach()
add_test(NAME apps_deck COMMAND test_app_deck ${PROJECT_SOURCE_DIR})
add_test(NAME apps_deck_without_data COMMAND ${CMAKE_COMMAND} -E env MINX_REFERENCE_DATA= MINX_REQUIRE_DATA=
  $<TARGET_FILE:test_app_deck> ${PROJECT_SOURCE_DIR})
set_tests_properties(apps_deck_without_data PROPERTIES TIMEOUT 60 LABELS apps
  PASS_REGULAR_EXPRESSION "MINX_REFERENCE_DATA is not set")
file(GLOB fuzz_seeds CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/fuzz_corpus/*)
add_test(NAME apps_fuzz_deck COMMAND test_app_fuzz_deck ${fuzz_seeds})
set_tests_properties(apps_deck apps_fuzz_deck PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 60 LABELS apps)

app_test(options 1 2 4)
app_test(report 1 2 4)
