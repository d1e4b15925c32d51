/* Words of a deck's section *tea ... *endtea, with the line that each stands on. Private to the
 * deck's parser.
 *
 * Blanks are space, tab, '=' and ','; '!' and ';' begin a comment; '\' at the end of a line joins
 * the next one to it. Lines end by LF, CR LF or CR. There is no limit on lines. Bytes that are no
 * text are an error inside the section (beyond ASCII they may stand in comments); what lies outside
 * of it is not looked at. */
#pragma once
#include "minx/error.h"

typedef struct tl_word {
    const char *text; /* into the deck, not NUL-terminated */
    size_t length;    /* 0: no word, the (joined) line ended */
    long line;
} tl_word;

typedef struct tl_lexer {
    const char *name; /* of the deck, for messages */
    const char *at, *end;
    long line;
    bool joined;     /* the last line end was hidden by '\' */
    bool line_start; /* no word of this line was given out yet */
    bool finished;   /* *endtea or a second *tea was read */
} tl_lexer;

/* Goes to the start of the section. */
mx_err tl_lexer_open(const char *name, const char *text, size_t length, tl_lexer *lexer);

/* The next word, or length 0 at the end of a line. At the end of the deck: length 0 and
 * lexer->finished, with the line of its *endtea. */
mx_err tl_lexer_next(tl_lexer *lexer, tl_word *word);

/* The word that has to follow `key` on its line; `expected` says what it should be, should there be
 * none. */
mx_err tl_lexer_value(tl_lexer *lexer, const tl_word *key, const char *expected, tl_word *value);

/* A number from low to high, both included, that has to follow `key`. */
mx_err tl_lexer_real(tl_lexer *lexer, const tl_word *key, double low, double high,
                     const char *expected, double *value);

/* The failure of a key with a value that was not `expected`. */
mx_err tl_deck_fail_value(const char *name, const tl_word *key, const tl_word *value,
                          const char *expected);

/* Records and returns MX_ERR_INPUT: "NAME:LINE: KEY: " and the formatted text. `key` is a word of
 * the deck, made safe for printing here. */
mx_err tl_deck_fail(const char *name, long line, const char *key, size_t key_length,
                    const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 5, 6)))
#endif
    ;
