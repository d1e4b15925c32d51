/* The keys of decks as tables: what parser, help and messages are made from. Private to the deck's
 * parser. */
#pragma once
#include "tl_deck.h"

enum { TL_REFERENCE = 1, TL_PORT = 2, TL_BOTH = TL_REFERENCE | TL_PORT }; /* a set of dialects */

typedef enum tl_key_kind {
    TL_KEY_REAL,   /* a number follows */
    TL_KEY_COUNT,  /* a whole number follows */
    TL_KEY_SWITCH, /* nothing follows */
    TL_KEY_WORD    /* one of `words` follows; its value is its index */
} tl_key_kind;

/* How a value is stored. Every value passes as a double, which holds all counts allowed here
 * exactly. */
typedef enum tl_key_store {
    TL_STORE_NONE, /* the key changes nothing */
    TL_STORE_F64,
    TL_STORE_I64,
    TL_STORE_INT,
    TL_STORE_SOLVER,
    TL_STORE_COEFFICIENT
} tl_key_store;

typedef struct tl_key {
    const char *name;
    unsigned dialects;
    tl_key_kind kind;
    tl_key_store store;
    size_t field;     /* offset in tl_deck */
    double low, high; /* values that make sense, both included */
    double value;     /* a switch: what it stores; all else: the default */
    const char *unit; /* "1": none */
    const char *help;
    /* Not NULL: a key of the originals that this version does not support; the text says what to
     * write instead. Values up to `value`, the default that needs no support, are accepted; a switch
     * never is. */
    const char *instead;
    const char *const *words; /* TL_KEY_WORD, ends with NULL */
} tl_key;

extern const tl_key tl_keys[];
extern const int tl_key_count;

/* One key of a state, with the shapes that need and that allow it, as sets of the bits below. */
enum {
    TL_FOR_BACKGROUND = 1,
    TL_FOR_RECTANGLE = 2,
    TL_FOR_CIRCLE = 4,
    TL_FOR_POINT = 8,
    TL_FOR_ALL = 15
};
typedef struct tl_state_key {
    const char *name;
    size_t field;     /* offset in tl_state of a double; unused by geometry */
    unsigned needed;  /* shapes that need it */
    unsigned allowed; /* further shapes where it may stand, in both dialects */
    unsigned ignored; /* and in port decks: the port demands xmax and ymax whatever the shape */
    double low;
    const char *unit;
    const char *help;
} tl_state_key;

extern const tl_state_key tl_state_keys[];
extern const int tl_state_key_count;

/* The word for a shape in a dialect ("circle" or "circular"). */
const char *tl_geometry_word(tl_dialect dialect, tl_geometry geometry);

/* What a key's value must be, for messages: "a whole number from 1 to 10". Returns text. */
typedef struct tl_expected {
    char text[128];
} tl_expected;
const char *tl_key_expected(const tl_key *key, tl_expected *expected);
const char *tl_real_expected(double low, tl_expected *expected);
