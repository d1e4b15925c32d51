/* Words of a deck's section *tea ... *endtea, with the line that each stands on. Private to the
 * deck's parser.
 *
 * Blanks are space, tab, '=' and ','; '!', ';' and '#' begin a comment; '\' at the end of a line
 * joins the next one to it. Lines end by LF, CR LF or CR. There is no limit on lines. Bytes that
 * are no text are an error inside the section (beyond ASCII they may stand in comments); what
 * lies outside of it is ignored. */
#pragma once
#include "input/keys.h"

typedef struct tl_lexer {
    const app_keys *keys; /* for messages */
    const char *at, *end;
    long line;
    bool joined;     /* the last line end was hidden by '\' */
    bool line_start; /* no word of this line was given out yet */
    bool finished;   /* *endtea or a second *tea was read */
} tl_lexer;

/* Goes to the start of the section. */
mx_err tl_lexer_open(const app_keys *keys, const char *text, size_t length, tl_lexer *lexer);

/* The next word, or length 0 at the end of a line. At the end of the deck: length 0 and
 * lexer->finished, with the line of its *endtea. */
mx_err tl_lexer_next(tl_lexer *lexer, app_word *word);
