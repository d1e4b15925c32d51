/* Parsing a deck. Two passes over its words:
 *
 *   1. find_dialect: which dialect the keys belong to. The last key of a deck may decide it, but
 *      the first key already depends on it (its meaning, its default, the nearest valid name).
 *      All errors of the text itself are found here.
 *   2. read_deck: words to values, by the tables of tl_deck_keys.c. Every value is kept as a double,
 *      so that one rule finds a key, or two keys for one field, with contradicting values.
 *
 * Then the checks that need more than one key. Time is linear in the text, but for the constant
 * cost of looking a key up (about 80 comparisons); no memory is allocated. */
#include "tl_deck.h"

#include "../common/text.h"
#include "tl_deck_lexer.h"
#include "tl_deck_states.h"
#include "tl_deck_table.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_KEYS = 128 };

typedef struct parser {
    tl_lexer lexer;
    tl_deck *deck;
    unsigned known_dialects; /* TL_BOTH if no key decides the dialect */
    long line[MAX_KEYS];     /* where each row of tl_keys was given; 0: nowhere */
    double given[MAX_KEYS];  /* and with which value */
    tl_state_lines states;
    long end_line; /* of *endtea */
} parser;

static unsigned bit_of(tl_dialect dialect)
{
    return dialect == TL_DIALECT_PORT ? TL_PORT : TL_REFERENCE;
}

static const char *dialect_word(unsigned dialect)
{
    return dialect == TL_PORT ? "the C++ port's" : "the reference's";
}

static bool is_key(const tl_word *word, const tl_key *key)
{
    return app_text_is(word->text, word->length, key->name);
}

/* The dialects that know a word as a key. */
static unsigned dialects_of(const tl_word *word)
{
    unsigned dialects = 0;
    for (int i = 0; i < tl_key_count; i++) {
        if (is_key(word, &tl_keys[i])) dialects |= tl_keys[i].dialects;
    }
    return dialects;
}

static const tl_key *find_key(const tl_word *word, unsigned dialects)
{
    for (int i = 0; i < tl_key_count; i++) {
        if ((tl_keys[i].dialects & dialects) && is_key(word, &tl_keys[i])) return &tl_keys[i];
    }
    return NULL;
}

static const char *nearest_key(const tl_word *word, unsigned dialects)
{
    app_nearest nearest = APP_NEAREST_NONE;
    for (int i = 0; i < tl_key_count; i++) {
        if (tl_keys[i].dialects & dialects)
            app_nearest_offer(&nearest, word->text, word->length, tl_keys[i].name);
    }
    app_nearest_offer(&nearest, word->text, word->length, "state");
    return nearest.name;
}

/* ---- first pass ---- */

static mx_err pass_line(tl_lexer *lexer)
{
    tl_word word;
    do {
        MX_TRY(tl_lexer_next(lexer, &word));
    } while (word.length > 0);
    return MX_OK;
}

static mx_err fail_mixed(const tl_lexer *x, const tl_word *word, const tl_word *first,
                         unsigned dialect)
{
    const char *const nearest = nearest_key(word, dialect);
    app_shown shown;
    return tl_deck_fail(x->name, word->line, word->text, word->length,
                        "got a key of %s dialect, expected %s%sone of %s, as %s on line %ld is",
                        dialect_word(dialect ^ TL_BOTH), nearest ? nearest : "",
                        nearest ? ", " : "", dialect_word(dialect),
                        app_text_show(first->text, first->length, &shown), first->line);
}

/* Values are looked up like keys. This is safe: no word that may be a value is a key. */
static mx_err find_dialect(tl_lexer lexer, unsigned *dialects)
{
    tl_word first = {0};
    *dialects = TL_BOTH;
    while (!lexer.finished) {
        tl_word word;
        MX_TRY(tl_lexer_next(&lexer, &word));
        if (word.length == 0) continue;
        if (app_text_is(word.text, word.length, "state")) {
            MX_TRY(pass_line(&lexer));
            continue;
        }
        const unsigned known = dialects_of(&word);
        if (known == 0 || known == TL_BOTH) continue;
        if (*dialects == TL_BOTH) {
            first = word;
            *dialects = known;
        } else if (*dialects != known) {
            return fail_mixed(&lexer, &word, &first, *dialects);
        }
    }
    return MX_OK;
}

/* ---- second pass ---- */

static void store(tl_deck *deck, const tl_key *key, double value)
{
    void *const field = (char *)deck + key->field;
    switch (key->store) {
    case TL_STORE_NONE: break;
    case TL_STORE_F64: *(double *)field = value; break;
    case TL_STORE_I64: *(int64_t *)field = (int64_t)value; break;
    case TL_STORE_INT: *(int *)field = (int)value; break;
    case TL_STORE_SOLVER: deck->solver = (tl_solver)value; break;
    case TL_STORE_COEFFICIENT: deck->coefficient = (tl_coefficient)value; break;
    }
}

static void store_defaults(tl_deck *deck)
{
    for (int i = 0; i < tl_key_count; i++) {
        const tl_key *const key = &tl_keys[i];
        if ((key->dialects & bit_of(deck->dialect)) && key->kind != TL_KEY_SWITCH)
            store(deck, key, key->value);
    }
}

static mx_err read_count(parser *p, const tl_key *key, const tl_word *word, double *value)
{
    tl_expected expected;
    tl_word text;
    int64_t count;
    tl_key_expected(key, &expected);
    MX_TRY(tl_lexer_value(&p->lexer, word, expected.text, &text));
    if (app_text_whole(text.text, text.length, &count) != APP_NUMBER_OK ||
        (double)count < key->low || (double)count > key->high) {
        return tl_deck_fail_value(p->lexer.name, word, &text, expected.text);
    }
    *value = (double)count;
    return MX_OK;
}

static mx_err read_choice(parser *p, const tl_key *key, const tl_word *word, double *value)
{
    tl_expected expected;
    tl_word text;
    tl_key_expected(key, &expected);
    MX_TRY(tl_lexer_value(&p->lexer, word, expected.text, &text));
    for (int i = 0; key->words[i] != NULL; i++) {
        if (app_text_is(text.text, text.length, key->words[i])) {
            *value = i;
            return MX_OK;
        }
    }
    return tl_deck_fail_value(p->lexer.name, word, &text, expected.text);
}

static mx_err read_value(parser *p, const tl_key *key, const tl_word *word, double *value)
{
    tl_expected expected;
    switch (key->kind) {
    case TL_KEY_REAL:
        return tl_lexer_real(&p->lexer, word, key->low, key->high, tl_key_expected(key, &expected),
                             value);
    case TL_KEY_COUNT: return read_count(p, key, word, value);
    case TL_KEY_WORD: return read_choice(p, key, word, value);
    case TL_KEY_SWITCH: *value = key->value; break;
    }
    return MX_OK;
}

/* Two rows are about one thing if they are the same row or store to the same field. */
static bool same_thing(const tl_key *a, const tl_key *b)
{
    return a == b ||
           (a->store != TL_STORE_NONE && b->store != TL_STORE_NONE && a->field == b->field);
}

static mx_err check_repeated(const parser *p, const tl_key *key, const tl_word *word, double value)
{
    for (int i = 0; i < tl_key_count; i++) {
        if (p->line[i] == 0 || p->given[i] == value || !same_thing(key, &tl_keys[i])) continue;
        return tl_deck_fail(p->lexer.name, word->line, word->text, word->length,
                            "got another value than %s on line %ld, expected it once",
                            tl_keys[i].name, p->line[i]);
    }
    return MX_OK;
}

static mx_err check_supported(const parser *p, const tl_key *key, const tl_word *word, double value)
{
    if (key->instead == NULL) return MX_OK;
    if (key->kind != TL_KEY_SWITCH && value <= key->value) return MX_OK;
    return tl_deck_fail(p->lexer.name, word->line, word->text, word->length,
                        "got a key or value that this version does not have (%s), expected %s",
                        key->help, key->instead);
}

static mx_err read_key(parser *p, const tl_key *key, const tl_word *word)
{
    double value;
    MX_TRY(read_value(p, key, word, &value));
    MX_TRY(check_supported(p, key, word, value));
    MX_TRY(check_repeated(p, key, word, value));
    p->line[key - tl_keys] = word->line;
    p->given[key - tl_keys] = value;
    store(p->deck, key, value);
    return MX_OK;
}

/* A word that should be a key, but is not. After another key of the same line it may be meant as a
 * value. */
static mx_err fail_unknown(const parser *p, const tl_word *word, const tl_key *previous)
{
    const char *const nearest = nearest_key(word, p->known_dialects);
    app_shown shown;
    if (previous != NULL && nearest == NULL) {
        return tl_deck_fail(p->lexer.name, word->line, previous->name, strlen(previous->name),
                            "got %s behind %s, expected the end of the line or another key",
                            app_text_show(word->text, word->length, &shown),
                            previous->kind == TL_KEY_SWITCH ? "a key that takes no value"
                                                            : "its value");
    }
    return tl_deck_fail(p->lexer.name, word->line, word->text, word->length,
                        "got an unknown key, expected %s",
                        nearest ? nearest : "one of those that --help-deck lists");
}

static mx_err read_deck(parser *p)
{
    const tl_key *previous = NULL;
    tl_word word;
    for (;;) {
        MX_TRY(tl_lexer_next(&p->lexer, &word));
        if (p->lexer.finished) break;
        if (word.length == 0) {
            previous = NULL;
        } else if (app_text_is(word.text, word.length, "state")) {
            MX_TRY(tl_deck_read_state(&p->lexer, &word, &p->states, p->deck));
            previous = NULL;
        } else {
            const tl_key *const key = find_key(&word, bit_of(p->deck->dialect));
            if (key == NULL) return fail_unknown(p, &word, previous);
            MX_TRY(read_key(p, key, &word));
            previous = key;
        }
    }
    p->end_line = word.line;
    return MX_OK;
}

/* ---- what needs more than one key ---- */

/* The line of the last of the given keys, or of *endtea. */
static long line_of(const parser *p, const char *a, const char *b)
{
    long line = 0;
    for (int i = 0; i < tl_key_count; i++) {
        const bool named = strcmp(tl_keys[i].name, a) == 0 || strcmp(tl_keys[i].name, b) == 0;
        if (named && p->line[i] > line) line = p->line[i];
    }
    return line > 0 ? line : p->end_line;
}

/* One direction of the mesh: sides in order, and cells wide enough that their edges differ in
 * double precision. */
static mx_err check_direction(const parser *p, char axis, double low, double high, int64_t cells,
                              double *width)
{
    const char sides[2][5] = {{axis, 'm', 'i', 'n', '\0'}, {axis, 'm', 'a', 'x', '\0'}};
    const long line = line_of(p, sides[0], sides[1]);
    if (!(high > low)) {
        return tl_deck_fail(p->lexer.name, line, sides[1], 4,
                            "got %.17g, expected more than %s, which is %.17g", high, sides[0],
                            low);
    }
    *width = (high - low) / (double)cells;
    if (!isfinite(*width)) {
        return tl_deck_fail(
            p->lexer.name, line, sides[1], 4,
            "got a side from %g to %g, expected a length that double precision can hold", low,
            high);
    }
    if (!(low + *width > low && high - *width < high)) {
        return tl_deck_fail(p->lexer.name, line, sides[1], 4,
                            "got cells %g wide between %.17g and %.17g, expected cells that double "
                            "precision can tell apart",
                            *width, low, high);
    }
    return MX_OK;
}

static mx_err check_mesh(const parser *p)
{
    const tl_deck *const d = p->deck;
    double dx, dy;
    MX_TRY(check_direction(p, 'x', d->xmin, d->xmax, d->x_cells, &dx));
    MX_TRY(check_direction(p, 'y', d->ymin, d->ymax, d->y_cells, &dy));
    const double rx = d->initial_timestep / (dx * dx);
    const double ry = d->initial_timestep / (dy * dy);
    if (!isfinite(rx) || !isfinite(ry)) {
        return tl_deck_fail(
            p->lexer.name, line_of(p, "initial_timestep", ""), "initial_timestep", 16,
            "got %g, expected a step whose ratio to the square of the cells (%g by %g) "
            "double precision can hold",
            d->initial_timestep, dx, dy);
    }
    return MX_OK;
}

static bool holds(double value) { return isnormal(value); }

/* What summaries add up: areas, masses, energies. 0 is the energy of a cold state. */
static bool sums_hold(const tl_state *s, double cell, double area)
{
    const double mass = s->density * cell, all = s->density * area;
    const bool warm = s->energy > 0;
    return holds(mass) && holds(all) &&
           (!warm || (holds(mass * s->energy) && holds(all * s->energy))) &&
           (!warm ||
            (holds(mass * s->density * s->energy) && holds(all * s->density * s->energy))) &&
           holds(s->density * s->density) && holds(1.0 / s->density / s->density);
}

static mx_err check_sums(const parser *p)
{
    const tl_deck *const d = p->deck;
    const double x = d->xmax - d->xmin, y = d->ymax - d->ymin;
    const double cell = x / (double)d->x_cells * (y / (double)d->y_cells);
    if (!holds(x * y) || !holds(cell)) {
        return tl_deck_fail(
            p->lexer.name, line_of(p, "xmax", "ymax"), "xmin, xmax, ymin, ymax", 22,
            "got a domain of %g by %g, expected one whose area, and that of a cell, "
            "double precision can hold",
            x, y);
    }
    for (int i = 0; i < d->states; i++) {
        if (sums_hold(&d->state[i], cell, x * y)) continue;
        return tl_deck_fail(
            p->lexer.name, p->end_line, "density, energy", 15,
            "got %g and %g in state %d on a domain of area %g, expected values whose "
            "squares, and sums over the domain, double precision can hold",
            d->state[i].density, d->state[i].energy, i + 1, x * y);
    }
    return MX_OK;
}

/* The solver compares squares, eps^2 r.r: those of a residual of rounding errors must still be
 * numbers of full precision, or a step would end before it has begun. */
static mx_err check_scale(const parser *p)
{
    const tl_deck *const d = p->deck;
    double max = 0.0;
    for (int i = 0; i < d->states; i++) max = fmax(max, d->state[i].density * d->state[i].energy);
    if (max == 0.0 || d->eps * (DBL_EPSILON * max) >= sqrt(DBL_MIN)) return MX_OK;
    return tl_deck_fail(p->lexer.name, p->end_line, "density, energy, eps", 20,
                        "got temperatures up to %g and eps %g, too small for the squares that the "
                        "solver compares, expected larger ones: rescale the units, or raise eps",
                        max, d->eps);
}

/* The reference's default solver does not exist in this version, so reference decks must name a
 * solver. */
static mx_err check_solver(const parser *p)
{
    if (p->deck->dialect == TL_DIALECT_PORT) return MX_OK;
    for (int i = 0; i < tl_key_count; i++) {
        if (tl_keys[i].store == TL_STORE_SOLVER && p->line[i] > 0) return MX_OK;
    }
    return tl_deck_fail(
        p->lexer.name, p->end_line, "solver", 6,
        "got none, which means Jacobi to the reference, expected tl_use_cg%s: this version "
        "solves with CG without preconditioner",
        p->known_dialects == TL_BOTH ? " (use_cg in a deck of the port)" : "");
}

mx_err tl_deck_parse(const char *name, const char *text, size_t length, tl_deck *deck)
{
    parser p = {.deck = deck};
    MX_REQUIRE(tl_key_count <= MAX_KEYS, MX_ERR_ARG, "%d keys, room for %d", tl_key_count,
               MAX_KEYS);
    memset(deck, 0, sizeof *deck);
    MX_TRY(tl_lexer_open(name, length > 0 ? text : "", length, &p.lexer));
    MX_TRY(find_dialect(p.lexer, &p.known_dialects));
    deck->dialect = p.known_dialects == TL_PORT ? TL_DIALECT_PORT : TL_DIALECT_REFERENCE;
    store_defaults(deck);
    MX_TRY(read_deck(&p));
    MX_TRY(tl_deck_check_states(name, p.end_line, &p.states, deck));
    MX_TRY(check_mesh(&p));
    MX_TRY(check_sums(&p));
    MX_TRY(check_scale(&p));
    return check_solver(&p);
}
