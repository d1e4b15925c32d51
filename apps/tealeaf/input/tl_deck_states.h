/* The lines `state N key=value ...` of a deck. Private to the deck's parser. */
#pragma once
#include "tl_deck.h"
#include "tl_deck_lexer.h"

typedef struct tl_state_lines {
    long line[TL_MAX_STATES]; /* where each state stands; 0: not yet */
} tl_state_lines;

/* Reads the rest of the line behind the word `state` into deck->state[N - 1]; deck->states becomes
 * the highest N. */
mx_err tl_deck_read_state(app_keys *keys, tl_lexer *lexer, const app_word *keyword,
                          tl_state_lines *lines);

/* Whether states 1 to the highest are all there. */
mx_err tl_deck_check_states(const app_keys *keys, const tl_state_lines *lines);
