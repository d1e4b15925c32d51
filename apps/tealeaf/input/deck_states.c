#include "tl_deck_states.h"

#include "input/text.h"
#include "tl_deck_table.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A state line while it is read. */
typedef struct state_line {
    app_keys *keys;
    tl_lexer *lexer;
    int number;
    long line;
    tl_state *state;
    app_value value[APP_MAX_KEYS]; /* by row of the table */
    bool seen[APP_MAX_KEYS];
} state_line;

/* Keys of states are named "state 2 density" in messages. */
typedef struct state_key_name {
    char text[96];
} state_key_name;

static app_word name_key(const state_line *s, const char *key, size_t length, long line,
                         state_key_name *name)
{
    snprintf(name->text, sizeof name->text, "state %d %.*s", s->number,
             length > 64 ? 64 : (int)length, key);
    return (app_word){.text = name->text, .length = strlen(name->text), .line = line};
}

static bool is_mine(const state_line *s, const app_key *row)
{
    return tl_is_state_key(row) && (!row->dialects || (row->dialects >> s->keys->dialect & 1u));
}

static bool is_geometry(const app_key *row) { return row->type == APP_KEY_CHOICE; }

static const char *shape_word(const state_line *s, tl_geometry geometry)
{
    const app_key *const rows = s->keys->input->keys;
    for (int i = 0; i < s->keys->input->count; i++)
        if (is_mine(s, &rows[i]) && is_geometry(&rows[i])) return rows[i].words[geometry];
    return "";
}

/* The value of one key. A key that is given twice must have the same value. */
static mx_err read_value(state_line *s, int index, const app_word *key)
{
    const app_key *const row = &s->keys->input->keys[index];
    app_word word;
    app_value value;
    MX_TRY(tl_lexer_next(s->lexer, &word));
    MX_TRY(app_keys_value(s->keys, row, key, word.length > 0 ? &word : NULL, &value));
    if (s->seen[index] && value.real != s->value[index].real)
        return app_keys_fail(s->keys, key, "got another value than before, expected the key once");
    s->seen[index] = true;
    s->value[index] = value;
    return app_keys_store(s->keys, row, s->number - 1, &value);
}

static mx_err fail_unknown(const state_line *s, const app_word *word)
{
    const app_key *const rows = s->keys->input->keys;
    const int count = s->keys->input->count;
    app_nearest nearest = APP_NEAREST_NONE;
    state_key_name name;
    const app_word key = name_key(s, word->text, word->length, word->line, &name);
    for (int i = 0; i < count; i++)
        if (tl_is_state_key(&rows[i]) && rows[i].dialects == TL_3D &&
            app_text_is(word->text, word->length, rows[i].name))
            return app_keys_fail(s->keys, &key,
                                 "got a key of three-dimensional states, expected z_cells in the "
                                 "deck, or no such key");
    for (int i = 0; i < count; i++)
        if (is_mine(s, &rows[i]))
            app_nearest_offer(&nearest, word->text, word->length, rows[i].name);
    return app_keys_fail(
        s->keys, &key, "got an unknown key of a state, expected %s",
        nearest.name ? nearest.name
        : s->keys->dialect == TL_DIALECT_REFERENCE_3D
            ? "density, energy, geometry, xmin, xmax, ymin, ymax, zmin, zmax or radius"
            : "density, energy, geometry, xmin, xmax, ymin, ymax or radius");
}

static mx_err read_keys(state_line *s)
{
    const app_key *const rows = s->keys->input->keys;
    const int count = s->keys->input->count;
    for (;;) {
        app_word word;
        MX_TRY(tl_lexer_next(s->lexer, &word));
        if (word.length == 0) return MX_OK;
        int i = 0;
        while (i < count &&
               !(is_mine(s, &rows[i]) && app_text_is(word.text, word.length, rows[i].name)))
            i++;
        if (i == count) return fail_unknown(s, &word);
        state_key_name name;
        const app_word key = name_key(s, word.text, word.length, word.line, &name);
        MX_TRY(read_value(s, i, &key));
    }
}

/* A state whose shape is not given yet counts as a rectangle. */
static tl_geometry shape_of(const state_line *s)
{
    if (s->number == 1) return TL_BACKGROUND;
    return s->state->geometry == TL_BACKGROUND ? TL_RECTANGLE : s->state->geometry;
}

/* Checks one key of a shape: it must be given if the shape needs it, and absent if it has no
 * meaning for the shape. */
static mx_err check_key(const state_line *s, const app_key *row, bool given)
{
    const unsigned shape = 1u << shape_of(s);
    const bool port = s->keys->dialect == TL_DIALECT_PORT;
    const unsigned may = row->flags | row->flags >> 4 | (port ? row->flags >> 8 : 0u);
    const char *const word = s->number == 1 ? "the background" : shape_word(s, s->state->geometry);
    state_key_name name;
    const app_word key = name_key(s, row->name, strlen(row->name), s->line, &name);
    if (given && !(may & shape))
        return app_keys_fail(s->keys, &key, "got a value, expected no such key with geometry %s",
                             word);
    if (given || !(row->flags & shape)) return MX_OK;
    if (is_geometry(row))
        return app_keys_fail(
            s->keys, &key,
            "got none, expected geometry=%s, %s or point for every state but the first",
            shape_word(s, TL_RECTANGLE), shape_word(s, TL_CIRCLE));
    return app_keys_fail(s->keys, &key, "got none, expected a value%s%s",
                         s->number == 1 ? "" : " with geometry ", s->number == 1 ? "" : word);
}

/* Checks the shape first, because the other keys depend on it. */
static mx_err check_keys(const state_line *s)
{
    const app_key *const rows = s->keys->input->keys;
    for (int geometry = 1; geometry >= 0; geometry--)
        for (int i = 0; i < s->keys->input->count; i++)
            if (is_mine(s, &rows[i]) && is_geometry(&rows[i]) == (geometry == 1))
                MX_TRY(check_key(s, &rows[i], s->seen[i]));
    return MX_OK;
}

static mx_err check_side(const state_line *s, const char *key, double low, double high)
{
    state_key_name name;
    const app_word word = name_key(s, key, 4, s->line, &name);
    if (s->number == 1 || s->state->geometry != TL_RECTANGLE || high > low) return MX_OK;
    return app_keys_fail(s->keys, &word, "got %.17g, expected more than %cmin, which is %.17g",
                         high, key[0], low);
}

static mx_err check_values(const state_line *s)
{
    state_key_name name;
    const app_word energy = name_key(s, "energy", 6, s->line, &name);
    if (!isfinite(s->state->density * s->state->energy)) {
        return app_keys_fail(
            s->keys, &energy,
            "got %g times density %g, expected a product that double precision can hold",
            s->state->energy, s->state->density);
    }
    MX_TRY(check_side(s, "xmax", s->state->xmin, s->state->xmax));
    MX_TRY(check_side(s, "ymax", s->state->ymin, s->state->ymax));
    return tl_is_3d(s->keys->target) ? check_side(s, "zmax", s->state->zmin, s->state->zmax)
                                     : MX_OK;
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
    state->zmax = 0.0;
}

static mx_err read_number(state_line *s, const app_word *keyword)
{
    /* a row of its own, for its range and messages */
    static const app_key number = {
        .name = "state", .type = APP_KEY_INT, .low = 1, .high = TL_MAX_STATES};
    app_word word;
    app_value value;
    MX_TRY(tl_lexer_next(s->lexer, &word));
    MX_TRY(app_keys_value(s->keys, &number, keyword, word.length > 0 ? &word : NULL, &value));
    s->number = (int)value.whole;
    return MX_OK;
}

mx_err tl_deck_read_state(app_keys *keys, tl_lexer *lexer, const app_word *keyword,
                          tl_state_lines *lines)
{
    tl_deck *const deck = keys->target;
    state_line s = {.keys = keys, .lexer = lexer, .line = keyword->line};
    MX_TRY(read_number(&s, keyword));
    const long before = lines->line[s.number - 1];
    if (before != 0)
        return app_keys_fail(keys, keyword,
                             "got state %d again, expected it once (it stands on line %ld)",
                             s.number, before);
    s.state = &deck->state[s.number - 1];
    MX_TRY(read_keys(&s));
    if (s.state->geometry == TL_ALIAS) s.state->geometry = TL_CIRCLE;
    MX_TRY(check_keys(&s));
    MX_TRY(check_values(&s));
    clear_unused(s.state, s.number);
    lines->line[s.number - 1] = keyword->line;
    if (s.number > deck->states) deck->states = s.number;
    return MX_OK;
}

mx_err tl_deck_check_states(const app_keys *keys, const tl_state_lines *lines)
{
    const tl_deck *const deck = keys->target;
    app_word place = {"state", 5, keys->last_line};
    if (deck->states == 0)
        return app_keys_fail(keys, &place,
                             "got no states, expected state 1 (the background) at least");
    place.line = lines->line[deck->states - 1];
    for (int i = 0; i < deck->states; i++)
        if (lines->line[i] == 0)
            return app_keys_fail(
                keys, &place,
                "got state %d without state %d, expected states numbered without gaps",
                deck->states, i + 1);
    return MX_OK;
}
