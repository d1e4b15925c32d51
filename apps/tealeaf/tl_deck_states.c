#include "tl_deck_states.h"

#include "../common/text.h"
#include "tl_deck_table.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A state line while it is read. */
typedef struct state_line {
    tl_lexer *lexer;
    tl_dialect dialect;
    int number;
    long line;
    tl_state state;
    unsigned seen; /* bit i: tl_state_keys[i] was given */
} state_line;

/* Keys of states are named "state 2 density" in messages. */
typedef struct state_key_name {
    char text[96];
} state_key_name;

static tl_word name_key(const state_line *s, const char *key, size_t length, long line,
                        state_key_name *name)
{
    snprintf(name->text, sizeof name->text, "state %d %.*s", s->number,
             length > 64 ? 64 : (int)length, key);
    return (tl_word){.text = name->text, .length = strlen(name->text), .line = line};
}

static mx_err read_geometry(state_line *s, const tl_word *key)
{
    static const tl_geometry all[] = {TL_RECTANGLE, TL_CIRCLE, TL_POINT};
    char expected[64];
    tl_word word;
    snprintf(expected, sizeof expected, "rectangle, %s or point",
             tl_geometry_word(s->dialect, TL_CIRCLE));
    MX_TRY(tl_lexer_value(s->lexer, key, expected, &word));
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (app_text_is(word.text, word.length, tl_geometry_word(s->dialect, all[i]))) {
            s->state.geometry = all[i];
            return MX_OK;
        }
    }
    return tl_deck_fail_value(s->lexer->name, key, &word, expected);
}

static double *field_of(tl_state *state, const tl_state_key *row)
{
    return (double *)(void *)((char *)state + row->field);
}

static bool is_geometry(const tl_state_key *row) { return strcmp(row->name, "geometry") == 0; }

/* The value of one key. A key that stands twice must say the same twice. */
static mx_err read_value(state_line *s, int index, const tl_word *key)
{
    const tl_state_key *const row = &tl_state_keys[index];
    const tl_state before = s->state;
    bool same;
    if (is_geometry(row)) {
        MX_TRY(read_geometry(s, key));
        same = s->state.geometry == before.geometry;
    } else {
        tl_expected expected;
        tl_state old = before;
        double *const field = field_of(&s->state, row);
        MX_TRY(tl_lexer_real(s->lexer, key, row->low, DBL_MAX,
                             tl_real_expected(row->low, &expected), field));
        same = *field == *field_of(&old, row);
    }
    if ((s->seen >> index & 1u) && !same) {
        return tl_deck_fail(s->lexer->name, key->line, key->text, key->length,
                            "got another value than before, expected the key once");
    }
    s->seen |= 1u << index;
    return MX_OK;
}

static mx_err fail_unknown(const state_line *s, const tl_word *word)
{
    app_nearest nearest = APP_NEAREST_NONE;
    state_key_name name;
    const tl_word key = name_key(s, word->text, word->length, word->line, &name);
    for (int i = 0; i < tl_state_key_count; i++) {
        app_nearest_offer(&nearest, word->text, word->length, tl_state_keys[i].name);
    }
    return tl_deck_fail(s->lexer->name, key.line, key.text, key.length,
                        "got an unknown key of a state, expected %s",
                        nearest.name
                            ? nearest.name
                            : "density, energy, geometry, xmin, xmax, ymin, ymax or radius");
}

static mx_err read_keys(state_line *s)
{
    for (;;) {
        tl_word word;
        MX_TRY(tl_lexer_next(s->lexer, &word));
        if (word.length == 0) return MX_OK;
        int i = 0;
        while (i < tl_state_key_count &&
               !app_text_is(word.text, word.length, tl_state_keys[i].name))
            i++;
        if (i == tl_state_key_count) return fail_unknown(s, &word);
        state_key_name name;
        const tl_word key = name_key(s, word.text, word.length, word.line, &name);
        MX_TRY(read_value(s, i, &key));
    }
}

static unsigned shape_of(const state_line *s)
{
    if (s->number == 1) return TL_FOR_BACKGROUND;
    switch (s->state.geometry) {
    case TL_RECTANGLE: return TL_FOR_RECTANGLE;
    case TL_CIRCLE: return TL_FOR_CIRCLE;
    case TL_POINT: return TL_FOR_POINT;
    }
    return 0;
}

/* Each key against the shape: there if needed, absent if it means nothing. */
static mx_err check_keys(const state_line *s)
{
    const unsigned shape = shape_of(s);
    const char *const shape_word =
        s->number == 1 ? "the background" : tl_geometry_word(s->dialect, s->state.geometry);
    for (int i = 0; i < tl_state_key_count; i++) {
        const tl_state_key *const row = &tl_state_keys[i];
        const bool given = s->seen >> i & 1u;
        const unsigned may =
            row->needed | row->allowed | (s->dialect == TL_DIALECT_PORT ? row->ignored : 0u);
        state_key_name name;
        const tl_word key = name_key(s, row->name, strlen(row->name), s->line, &name);
        if (given && !(may & shape)) {
            return tl_deck_fail(s->lexer->name, key.line, key.text, key.length,
                                "got a value, expected no such key with geometry %s", shape_word);
        }
        if (!given && is_geometry(row) && (row->needed & shape)) {
            return tl_deck_fail(
                s->lexer->name, key.line, key.text, key.length,
                "got none, expected geometry=rectangle, %s or point for every state but the first",
                tl_geometry_word(s->dialect, TL_CIRCLE));
        }
        if (!given && (row->needed & shape)) {
            return tl_deck_fail(
                s->lexer->name, key.line, key.text, key.length, "got none, expected a value%s%s",
                s->number == 1 ? "" : " with geometry ", s->number == 1 ? "" : shape_word);
        }
    }
    return MX_OK;
}

static mx_err check_side(const state_line *s, const char *key, double low, double high)
{
    state_key_name name;
    const tl_word word = name_key(s, key, 4, s->line, &name);
    if (s->number == 1 || s->state.geometry != TL_RECTANGLE || high > low) return MX_OK;
    return tl_deck_fail(s->lexer->name, word.line, word.text, word.length,
                        "got %.17g, expected more than %cmin, which is %.17g", high, key[0], low);
}

static mx_err check_values(const state_line *s)
{
    state_key_name name;
    const tl_word energy = name_key(s, "energy", 6, s->line, &name);
    if (!isfinite(s->state.density * s->state.energy)) {
        return tl_deck_fail(
            s->lexer->name, energy.line, energy.text, energy.length,
            "got %g times density %g, expected a product that double precision can hold",
            s->state.energy, s->state.density);
    }
    MX_TRY(check_side(s, "xmax", s->state.xmin, s->state.xmax));
    return check_side(s, "ymax", s->state.ymin, s->state.ymax);
}

/* Fields without meaning for the shape are 0, so that equal decks make equal structs. */
static void clear_unused(tl_state *state, int number)
{
    const tl_state old = *state;
    if (number == 1) {
        *state = (tl_state){.density = old.density, .energy = old.energy};
        return;
    }
    if (old.geometry == TL_RECTANGLE) return;
    state->xmax = 0.0;
    state->ymax = 0.0;
}

static mx_err read_number(state_line *s, const tl_word *keyword)
{
    char expected[64];
    int64_t number;
    tl_word word;
    snprintf(expected, sizeof expected, "a whole number from 1 to %d", TL_MAX_STATES);
    MX_TRY(tl_lexer_value(s->lexer, keyword, expected, &word));
    if (app_text_whole(word.text, word.length, &number) != APP_NUMBER_OK || number < 1 ||
        number > TL_MAX_STATES) {
        return tl_deck_fail_value(s->lexer->name, keyword, &word, expected);
    }
    s->number = (int)number;
    return MX_OK;
}

mx_err tl_deck_read_state(tl_lexer *lexer, const tl_word *keyword, tl_state_lines *lines,
                          tl_deck *deck)
{
    state_line s = {.lexer = lexer, .dialect = deck->dialect, .line = keyword->line};
    MX_TRY(read_number(&s, keyword));
    const long before = lines->line[s.number - 1];
    if (before != 0) {
        return tl_deck_fail(lexer->name, keyword->line, keyword->text, keyword->length,
                            "got state %d again, expected it once (it stands on line %ld)",
                            s.number, before);
    }
    MX_TRY(read_keys(&s));
    MX_TRY(check_keys(&s));
    MX_TRY(check_values(&s));
    clear_unused(&s.state, s.number);
    deck->state[s.number - 1] = s.state;
    lines->line[s.number - 1] = keyword->line;
    if (s.number > deck->states) deck->states = s.number;
    return MX_OK;
}

mx_err tl_deck_check_states(const char *name, long line, const tl_state_lines *lines,
                            const tl_deck *deck)
{
    if (deck->states == 0) {
        return tl_deck_fail(name, line, "state", 5,
                            "got no states, expected state 1 (the background) at least");
    }
    for (int i = 0; i < deck->states; i++) {
        if (lines->line[i] == 0) {
            return tl_deck_fail(
                name, lines->line[deck->states - 1], "state", 5,
                "got state %d without state %d, expected states numbered without gaps",
                deck->states, i + 1);
        }
    }
    return MX_OK;
}
