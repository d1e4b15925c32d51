/* Parsing a deck. Two passes over its words:
 *
 *   1. find_dialect: which dialect the keys belong to. The last key of a deck may decide it, but
 *      the first key already depends on it (its meaning, its default, the nearest valid name).
 *      All errors of the text itself are found here.
 *   2. read_words: words to values, by the table of deck_keys.c (apps/common/input/keys.h).
 *
 * Then, when the command line has been read too, the checks that need more than one key. Time is
 * linear in the text, but for the constant cost of looking a key up (about 100 comparisons). */
#include "tl_deck.h"

#include "input/steps.h"
#include "input/text.h"
#include "tl_deck_lexer.h"
#include "tl_deck_states.h"
#include "tl_deck_table.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const char *dialect_word(unsigned dialects)
{
    if (dialects == TL_3D) return "the reference's three-dimensional";
    return dialects & TL_PORT ? "the C++ port's" : "the reference's";
}

static const char *nearest_key(const app_keys *keys, unsigned dialects, const app_word *word)
{
    app_nearest nearest = APP_NEAREST_NONE;
    const char *const key = app_keys_nearest(keys, dialects, word->text, word->length);
    if (key) app_nearest_offer(&nearest, word->text, word->length, key);
    app_nearest_offer(&nearest, word->text, word->length, "state");
    return nearest.name;
}

/* ---- first pass ---- */

static mx_err pass_line(tl_lexer *lexer)
{
    app_word word;
    do {
        MX_TRY(tl_lexer_next(lexer, &word));
    } while (word.length > 0);
    return MX_OK;
}

/* What a key of other dialects is called in these; NULL: they have no such key. */
static const char *counterpart(const app_keys *keys, unsigned others, unsigned dialects,
                               const app_word *word)
{
    const app_key *const row =
        app_input_find(keys->input, others, APP_KEY_FILE, word->text, word->length);
    for (int i = 0; i < keys->input->count && row->offset != APP_KEY_NOWHERE; i++) {
        const app_key *const other = &keys->input->keys[i];
        const bool same = other->offset == row->offset && other->type == row->type &&
                          (row->type != APP_KEY_PICK || other->standard == row->standard);
        if (same && (other->dialects & dialects)) return other->name;
    }
    return NULL;
}

static mx_err fail_mixed(const tl_lexer *x, const app_word *word, unsigned mixed,
                         const app_word *first, unsigned dialect)
{
    const char *const known = counterpart(x->keys, mixed, dialect, word);
    const char *const nearest = known ? known : nearest_key(x->keys, dialect, word);
    app_shown shown;
    return app_keys_fail(
        x->keys, word, "got a key of %s dialect, expected %s%sone of %s, as %s on line %ld is",
        dialect_word(mixed), nearest ? nearest : "", nearest ? ", " : "", dialect_word(dialect),
        app_text_show(first->text, first->length, &shown), first->line);
}

/* The dialects that know all keys. Values are looked up like keys. This is safe: no word that may
 * be a value is a key. */
static mx_err find_dialect(tl_lexer lexer, unsigned *dialects)
{
    app_word first = {0};
    *dialects = TL_ALL;
    while (!lexer.finished) {
        app_word word;
        MX_TRY(tl_lexer_next(&lexer, &word));
        if (word.length == 0) continue;
        if (app_text_is(word.text, word.length, "state")) {
            MX_TRY(pass_line(&lexer));
            continue;
        }
        const unsigned known = app_keys_dialects(lexer.keys, word.text, word.length) & TL_ALL;
        if (known == 0 || known == TL_ALL) continue;
        if (!(*dialects & known)) return fail_mixed(&lexer, &word, known, &first, *dialects);
        if (*dialects == TL_ALL) first = word;
        *dialects &= known;
    }
    return MX_OK;
}

/* ---- second pass ---- */

/* A word that should be a key, but is not. After another key of the same line it may be meant as a
 * value. `known`: the dialects that the deck may be of. */
static mx_err fail_unknown(const app_keys *keys, unsigned known, const app_word *word,
                           const app_key *previous)
{
    const char *const nearest = nearest_key(keys, known, word);
    app_shown shown;
    if (previous != NULL && nearest == NULL) {
        const app_word at = {previous->name, strlen(previous->name), word->line};
        return app_keys_fail(
            keys, &at, "got %s behind %s, expected the end of the line or another key",
            app_text_show(word->text, word->length, &shown),
            app_key_has_value(previous) ? "its value" : "a key that takes no value");
    }
    return app_keys_fail(keys, word, "got an unknown key, expected %s",
                         nearest ? nearest : "one of those that --help-deck lists");
}

/* A key, and its value where it has one. */
static mx_err read_key(app_keys *keys, tl_lexer *lexer, const app_key *row, const app_word *key)
{
    app_word value = {0};
    if (app_key_has_value(row)) MX_TRY(tl_lexer_next(lexer, &value));
    return app_keys_set(keys, row, key, value.length > 0 ? &value : NULL);
}

static mx_err read_words(app_keys *keys, unsigned known, tl_lexer *lexer, tl_state_lines *states)
{
    const app_key *previous = NULL;
    app_word word;
    for (;;) {
        MX_TRY(tl_lexer_next(lexer, &word));
        if (lexer->finished) break;
        if (word.length == 0) {
            previous = NULL;
        } else if (app_text_is(word.text, word.length, "state")) {
            MX_TRY(tl_deck_read_state(keys, lexer, &word, states));
            previous = NULL;
        } else {
            const app_key *const row = app_keys_find(keys, word.text, word.length);
            if (row == NULL) return fail_unknown(keys, known, &word, previous);
            MX_TRY(read_key(keys, lexer, row, &word));
            previous = row;
        }
    }
    keys->last_line = word.line;
    return MX_OK;
}

static tl_dialect dialect_of(unsigned known)
{
    if (known & TL_2D) return TL_DIALECT_REFERENCE;
    return known & TL_3D ? TL_DIALECT_REFERENCE_3D : TL_DIALECT_PORT;
}

mx_err tl_deck_read(app_keys *keys, const char *text, size_t length)
{
    tl_deck *const deck = keys->target;
    tl_state_lines states = {{0}};
    unsigned known = TL_ALL; /* if no key decides the dialect */
    tl_lexer lexer;
    MX_TRY(tl_lexer_open(keys, length > 0 ? text : "", length, &lexer));
    MX_TRY(find_dialect(lexer, &known));
    const tl_dialect dialect = dialect_of(known);
    deck->z_cells = 1;
    deck->zmax = 1;
    app_keys_begin(keys, (int)dialect);
    deck->dialect = dialect;
    MX_TRY(read_words(keys, known, &lexer, &states));
    return tl_deck_check_states(keys, &states);
}

/* ---- what needs more than one key ---- */

/* A key of these members, for a message: where it was set last, or else the end of the deck. */
static app_word place_of(const app_keys *keys, const char *name, size_t a, size_t b)
{
    const app_given *const one = app_keys_given(keys, a), *const two = app_keys_given(keys, b);
    const app_given *last = one ? one : two;
    if (one && two && one->source == APP_KEY_FILE &&
        (two->source == APP_KEY_COMMAND || two->key.line > one->key.line))
        last = two;
    return (app_word){name, strlen(name), last ? last->key.line : keys->last_line};
}

static app_word end_of_deck(const app_keys *keys, const char *name)
{
    return (app_word){name, strlen(name), keys->last_line};
}

/* One direction of the mesh: sides in order, and cells wide enough that their edges differ in
 * double precision. */
static mx_err check_direction(const app_keys *keys, const app_word *place, double low, double high,
                              int64_t cells, double *width)
{
    if (!(high > low)) {
        return app_keys_fail(keys, place, "got %.17g, expected more than %cmin, which is %.17g",
                             high, place->text[0], low);
    }
    *width = (high - low) / (double)cells;
    if (!isfinite(*width)) {
        return app_keys_fail(
            keys, place,
            "got a side from %g to %g, expected a length that double precision can hold", low,
            high);
    }
    if (!(low + *width > low && high - *width < high)) {
        return app_keys_fail(
            keys, place,
            "got cells %g wide between %.17g and %.17g, expected cells that double "
            "precision can tell apart",
            *width, low, high);
    }
    return MX_OK;
}

/* So that an int64_t holds their number. */
#define MAX_CELLS 0x1p62

static mx_err check_mesh(const app_keys *keys)
{
    const tl_deck *const d = keys->target;
    const app_word x = place_of(keys, "xmax", offsetof(tl_deck, xmin), offsetof(tl_deck, xmax));
    const app_word y = place_of(keys, "ymax", offsetof(tl_deck, ymin), offsetof(tl_deck, ymax));
    const app_word z = place_of(keys, "zmax", offsetof(tl_deck, zmin), offsetof(tl_deck, zmax));
    double width[3];
    MX_TRY(check_direction(keys, &x, d->xmin, d->xmax, d->x_cells, &width[0]));
    MX_TRY(check_direction(keys, &y, d->ymin, d->ymax, d->y_cells, &width[1]));
    MX_TRY(check_direction(keys, &z, d->zmin, d->zmax, d->z_cells, &width[2]));
    if (tl_cells_of(d) > MAX_CELLS) {
        const app_word place = end_of_deck(keys, "x_cells, y_cells, z_cells");
        return app_keys_fail(keys, &place, "got %g cells in all, expected at most %g",
                             tl_cells_of(d), MAX_CELLS);
    }
    for (int i = 0; i < 2 + tl_is_3d(d); i++) {
        if (isfinite(d->initial_timestep / (width[i] * width[i]))) continue;
        const size_t dt = offsetof(tl_deck, initial_timestep);
        const app_word place = place_of(keys, "initial_timestep", dt, dt);
        return app_keys_fail(keys, &place,
                             "got %g, expected a step whose ratio to the square of the cells (%g "
                             "along %c) double precision can hold",
                             d->initial_timestep, width[i], "xyz"[i]);
    }
    return MX_OK;
}

static bool holds(double value) { return isnormal(value); }

/* What summaries add up: volumes (in 2-D areas), masses, energies. 0 is the energy of a cold
 * state. */
static bool sums_hold(const tl_state *s, double cell, double volume)
{
    const double mass = s->density * cell, all = s->density * volume;
    const bool warm = s->energy > 0;
    return holds(mass) && holds(all) &&
           (!warm || (holds(mass * s->energy) && holds(all * s->energy))) &&
           (!warm ||
            (holds(mass * s->density * s->energy) && holds(all * s->density * s->energy))) &&
           holds(s->density * s->density) && holds(1.0 / s->density / s->density);
}

static mx_err check_sums(const app_keys *keys)
{
    const tl_deck *const d = keys->target;
    const char *const what = tl_is_3d(d) ? "volume" : "area";
    const double cell = tl_cell_volume(d), volume = tl_volume(d);
    if (!holds(volume) || !holds(cell)) {
        const app_word place = place_of(
            keys, tl_is_3d(d) ? "xmin, xmax, ymin, ymax, zmin, zmax" : "xmin, xmax, ymin, ymax",
            offsetof(tl_deck, xmax), offsetof(tl_deck, ymax));
        return app_keys_fail(keys, &place,
                             "got a domain whose %s is %g, expected one whose %s, and that of a "
                             "cell, double precision can hold",
                             what, volume, what);
    }
    for (int i = 0; i < d->states; i++) {
        if (sums_hold(&d->state[i], cell, volume)) continue;
        const app_word place = end_of_deck(keys, "density, energy");
        return app_keys_fail(
            keys, &place,
            "got %g and %g in state %d on a domain of %s %g, expected values whose "
            "squares, and sums over the domain, double precision can hold",
            d->state[i].density, d->state[i].energy, i + 1, what, volume);
    }
    return MX_OK;
}

/* The solver compares squares, eps^2 r.r: those of a residual of rounding errors must still be
 * numbers of full precision, or a step would end before it has begun. */
static mx_err check_scale(const app_keys *keys)
{
    const tl_deck *const d = keys->target;
    double max = 0.0;
    for (int i = 0; i < d->states; i++) max = fmax(max, d->state[i].density * d->state[i].energy);
    if (max == 0.0 || d->eps * (DBL_EPSILON * max) >= sqrt(DBL_MIN)) return MX_OK;
    const app_word place = end_of_deck(keys, "density, energy, eps");
    return app_keys_fail(keys, &place,
                         "got temperatures up to %g and eps %g, too small for the squares that the "
                         "solver compares, expected larger ones: rescale the units, or raise eps",
                         max, d->eps);
}

static const app_given *given(const app_keys *keys, const char *name)
{
    const app_key *const row = app_input_find(keys->input, ~0u, APP_KEY_FILE, name, strlen(name));
    const app_given *const at = &keys->given[row - keys->input->keys];
    return at->source ? at : NULL;
}

/* Steps that grow by a factor up to a largest one, as older versions had them, must be those of
 * this version: all equal to the first. */
static mx_err check_old_steps(const app_keys *keys)
{
    const double step = ((const tl_deck *)keys->target)->initial_timestep;
    const app_given *const rise = given(keys, "timestep_rise");
    const app_given *const max = given(keys, "max_timestep");
    const bool constant = rise && rise->value.real == 1;
    if (max && max->value.real != step && !(constant && max->value.real > step))
        return app_keys_fail(keys, &max->key,
                             "got %.17g, a key of older versions, and steps of %.17g, expected the "
                             "same, or no such key: steps are constant in this version",
                             max->value.real, step);
    if (rise && !constant && !max)
        return app_keys_fail(
            keys, &rise->key,
            "got %.17g, a key of older versions, expected 1, or no such key: steps "
            "are constant in this version",
            rise->value.real);
    return MX_OK;
}

static bool is_behind(const app_given *one, const app_given *other)
{
    return one->key.line > other->key.line || (one->key.line == other->key.line && one > other);
}

const app_given *tl_deck_old_key(const app_keys *keys, const app_given *after)
{
    const app_given *next = NULL;
    for (int k = 0; k < keys->input->count; k++) {
        const app_given *const at = &keys->given[k];
        const bool old = (keys->input->keys[k].flags & TL_KEY_IS_OLD) && at->source;
        if (old && (!after || is_behind(at, after)) && (!next || is_behind(next, at))) next = at;
    }
    return next;
}

const char *tl_solver_name(const tl_deck *deck)
{
    switch (deck->solver) {
    case TL_SOLVER_CG: return "CG";
    case TL_SOLVER_JACOBI: return "Jacobi";
    case TL_SOLVER_CHEBYSHEV: return "Chebyshev";
    case TL_SOLVER_PPCG: return "PPCG";
    case TL_SOLVER_DPCG: return "DPCG";
    }
    return "";
}

/* What a solver cannot do with another key. */
static mx_err check_solver(const app_keys *keys)
{
    const tl_deck *const d = keys->target;
    const bool block = d->preconditioner == TL_PRECONDITIONER_BLOCK;
    const bool port = d->dialect == TL_DIALECT_PORT;
    const size_t set_at = offsetof(tl_deck, preconditioner);
    const app_word place =
        place_of(keys, port ? "preconditioner_type" : "tl_preconditioner_type", set_at, set_at);
    if (d->solver == TL_SOLVER_JACOBI && d->preconditioner != TL_PRECONDITIONER_NONE)
        return app_keys_fail(keys, &place, "got a preconditioner of Jacobi, expected none");
    if (d->solver != TL_SOLVER_CG && d->preconditioner == TL_PRECONDITIONER_MULTIGRID)
        return app_keys_fail(keys, &place,
                             "got multigrid with %s, expected none%s jac_diag%s: multigrid is for "
                             "%s",
                             tl_solver_name(d), d->solver == TL_SOLVER_DPCG ? "," : " or",
                             d->solver == TL_SOLVER_DPCG ? " or jac_block" : "",
                             port ? "use_cg" : "tl_use_cg");
    if (d->preconditioner != TL_PRECONDITIONER_MULTIGRID &&
        app_keys_given(keys, offsetof(tl_deck, smoothing_steps))) {
        const size_t at = offsetof(tl_deck, smoothing_steps);
        const app_word steps = place_of(
            keys, port ? "multigrid_smoothing_steps" : "tl_multigrid_smoothing_steps", at, at);
        return app_keys_fail(keys, &steps, "got it without multigrid, expected %s multigrid",
                             port ? "preconditioner_type" : "tl_preconditioner_type");
    }
    if (d->solver != TL_SOLVER_CG && d->solver != TL_SOLVER_DPCG && block)
        return app_keys_fail(keys, &place,
                             "got jac_block with %s, expected none or jac_diag: blocks are for %s",
                             tl_solver_name(d), port ? "use_cg" : "tl_use_cg and tl_use_dpcg");
    return MX_OK;
}

double tl_cells_of(const tl_deck *deck)
{
    return (double)deck->x_cells * (double)deck->y_cells * (double)deck->z_cells;
}

double tl_volume(const tl_deck *deck)
{
    return (deck->xmax - deck->xmin) * (deck->ymax - deck->ymin) * (deck->zmax - deck->zmin);
}

double tl_cell_volume(const tl_deck *deck)
{
    return (deck->xmax - deck->xmin) / (double)deck->x_cells *
           ((deck->ymax - deck->ymin) / (double)deck->y_cells) *
           ((deck->zmax - deck->zmin) / (double)deck->z_cells);
}

int64_t tl_inner_steps(const tl_deck *deck)
{
    const double root = sqrt(sqrt(tl_cells_of(deck)));
    if (deck->inner_steps >= 0) return deck->inner_steps;
    return 4 * (int64_t)(tl_is_3d(deck) ? sqrt(root) : root);
}

bool tl_keeps_energy(const tl_deck *deck)
{
    if (deck->solver == TL_SOLVER_DPCG) return true;
    return deck->solver != TL_SOLVER_JACOBI && deck->preconditioner == TL_PRECONDITIONER_NONE;
}

double tl_rounding_limit(const tl_deck *deck, double magnitude)
{
    const bool computed = deck->solver == TL_SOLVER_JACOBI || deck->solver == TL_SOLVER_CHEBYSHEV;
    return computed ? 4 * DBL_EPSILON * magnitude : 0;
}

mx_err tl_deck_check(app_keys *keys)
{
    tl_deck *const deck = keys->target;
    MX_TRY(check_mesh(keys));
    MX_TRY(check_sums(keys));
    MX_TRY(check_scale(keys));
    MX_TRY(check_old_steps(keys));
    /* the default of the reference */
    if (deck->dialect != TL_DIALECT_PORT && !app_keys_given(keys, offsetof(tl_deck, solver)))
        deck->solver = TL_SOLVER_JACOBI;
    MX_TRY(check_solver(keys));
    deck->steps = app_steps(deck->initial_timestep, deck->end_time, deck->end_step);
    return MX_OK;
}
