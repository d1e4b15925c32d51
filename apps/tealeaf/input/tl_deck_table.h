/* The rows of the deck, for its parser. Private to it. */
#pragma once
#include "input/keys.h"
#include "tl_deck.h"

/* Sets of dialects. */
enum {
    TL_2D = 1 << TL_DIALECT_REFERENCE,
    TL_3D = 1 << TL_DIALECT_REFERENCE_3D,
    TL_REFERENCE = TL_2D | TL_3D,
    TL_PORT = 1 << TL_DIALECT_PORT,
    TL_ALL = TL_REFERENCE | TL_PORT
};

/* Sets of shapes, and what they are for a key of a state, as flags of its row: the shapes that need
 * it; further ones where it may stand; and those where it may in port decks (the port demands xmax
 * and ymax whatever the shape). */
enum {
    TL_FOR_BACKGROUND = 1 << TL_BACKGROUND,
    TL_FOR_RECTANGLE = 1 << TL_RECTANGLE,
    TL_FOR_CIRCLE = 1 << TL_CIRCLE,
    TL_FOR_POINT = 1 << TL_POINT,
    TL_FOR_ALL = TL_FOR_BACKGROUND | TL_FOR_RECTANGLE | TL_FOR_CIRCLE | TL_FOR_POINT
};
#define TL_NEEDED_BY(shapes) ((unsigned)(shapes))
#define TL_ALLOWED_FOR(shapes) ((unsigned)(shapes) << 4)
#define TL_IGNORED_FOR(shapes) ((unsigned)(shapes) << 8)

/* The row of a key that older versions of the originals had. */
enum { TL_KEY_IS_OLD = 1 << 12 };

/* Is this the row of a key of states? */
static inline bool tl_is_state_key(const app_key *row) { return row->sources == APP_KEY_RECORD; }

/* deck.c: what tl_input is made of, besides the rows (deck_keys.c). */
mx_err tl_deck_read(app_keys *keys, const char *text, size_t length);
mx_err tl_deck_check(app_keys *keys);
