# The deck's parser and the published results, without MPI or the core's views: usable by tests and fuzzers alone.
set(TL_DECK_SOURCES
  ${CMAKE_CURRENT_LIST_DIR}/tl_deck.c
  ${CMAKE_CURRENT_LIST_DIR}/tl_deck_help.c
  ${CMAKE_CURRENT_LIST_DIR}/tl_deck_keys.c
  ${CMAKE_CURRENT_LIST_DIR}/tl_deck_lexer.c
  ${CMAKE_CURRENT_LIST_DIR}/tl_deck_states.c
  ${CMAKE_CURRENT_LIST_DIR}/tl_problems.c)
