/* TeaLeaf's physics, from the stored deck, fields and series.
 *
 * Where the tolerances come from (u: the unit roundoff, 1.1e-16; n: cells):
 *
 * Sums: APP_SUM_TOLERANCE.
 *
 * Conserved integrals, TL_CONSERVED_TOLERANCE. The vector of ones is an eigenvector of A (no flux
 * leaves), and the initial residual has no part along it, nor has any vector that conjugate
 * gradients make of it: the integral of u changes by rounding only, converged or not. Where the
 * solver's vectors do not sum to 0 (tl_keeps_energy), each step may change the energy by the sum
 * over cells of the residual that it leaves, at most sqrt(n) times its 2-norm.
 *
 * Residuals. b - A u takes about 10 roundings a cell, each in proportion to |b| + |A| |u|. The
 * residual that the iteration itself tracks drifts from the true one by one such rounding an
 * iteration (Greenbaum, SIAM J. Matrix Anal. Appl. 18, 1997, 535), in all
 * (10 + iterations) 2u || |b| + |A| |u| ||.
 *
 * U, 1e-5: as published with the original codes.
 *
 * Temperature, 4u: u = density * (u / density) is two roundings. */
#include "physics.h"

#include "input/tl_states.h"
#include "tl_checks.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PUBLISHED_TOLERANCE 1e-5

/* ---- fields ---- */

static double *read_field(const tealeaf *t, const char *path)
{
    int64_t count = 0;
    double *values = NULL;
    if (app_reader_f64(t->base.reader, path, &count, &values) != MX_OK)
        vf_impossible(t->base.verdict, path, mx_err_message());
    return values;
}

static bool read_fields(tealeaf *t)
{
    t->density = read_field(t, "/fields/density");
    t->energy = read_field(t, "/fields/energy");
    t->u = read_field(t, "/fields/temperature");
    t->start = read_field(t, "/fields/temperature_start");
    return t->density && t->energy && t->u && t->start;
}

static bool set_up_again(tealeaf *t)
{
    const int64_t cells = tv_count(tv_deck(t));
    t->u0 = malloc((size_t)cells * sizeof *t->u0);
    if (!t->u0) return vf_impossible(t->base.verdict, "initial temperature", "no memory");
    vf_count(t->base.verdict, "cells with another density",
             tv_initial(tv_deck(t), t->density, t->u0, &t->initial), 0);
    if (tv_deck(t)->steps <= 1)
        vf_max(t->base.verdict, "start / initial temperature - 1",
               tv_mismatch(t->start, t->u0, cells), 2.0 * DBL_EPSILON);
    if (tv_deck(t)->steps == 0)
        vf_max(t->base.verdict, "temperature / initial temperature - 1",
               tv_mismatch(t->u, t->u0, cells), 2.0 * DBL_EPSILON);
    return true;
}

static mx_err load_iterations(tealeaf *t)
{
    const app_reader reader = t->base.reader;
    free(t->iterations);
    free(t->residual);
    t->iterations = NULL;
    t->residual = NULL;
    MX_TRY(app_reader_i64(reader, "/series/cg_iterations", &t->iterations_count, &t->iterations));
    return app_reader_f64(reader, "/series/cg_residual", &t->residuals, &t->residual);
}

static void check_fields(tealeaf *t)
{
    t->of_u0 = tv_field_of(tv_deck(t), t->density, t->u0);
    t->of_start = tv_field_of(tv_deck(t), t->density, t->start);
    t->of_u = tv_field_of(tv_deck(t), t->density, t->u);
    t->final = t->of_u.sums;
    vf_max(t->base.verdict, "temperature / (density energy) - 1",
           tv_energy_mismatch(tv_deck(t), t->density, t->energy, t->u), 2.0 * DBL_EPSILON);
    tv_check_relative(t, "mass of the fields", t->final.mass, t->initial.mass, APP_SUM_TOLERANCE);
    tv_check_relative(t, "energy of the fields", t->final.energy, t->initial.energy,
                      tv_energy_tolerance(t));
    tv_check_relative(t, "energy before the last step", t->of_start.sums.energy, t->initial.energy,
                      tv_energy_tolerance(t));
}

static void check_published(const tealeaf *t)
{
    double expected = 0.0;
    const char *source = NULL;
    if (tl_deck_expected(tv_deck(t), &expected, &source)) {
        tv_check_relative(t, "U as published", t->final.u, expected, PUBLISHED_TOLERANCE);
        vf_info(t->base.verdict, "U as published", source);
    } else {
        vf_info(t->base.verdict, "U as published", "no value is known for this deck");
    }
}

/* ---- series ---- */

static bool read_summaries(tealeaf *t)
{
    static const char *const paths[SUMMARY_SERIES] = {"/series/time", "/series/volume",
                                                      "/series/mass", "/series/internal_energy",
                                                      "/series/temperature_total"};
    if (app_reader_i64(t->base.reader, "/series/step", &t->summaries, &t->summary_step) != MX_OK) {
        return vf_impossible(t->base.verdict, "/series/step", mx_err_message());
    }
    for (int s = 0; s < SUMMARY_SERIES; ++s) {
        int64_t count = 0;
        if (app_reader_f64(t->base.reader, paths[s], &count, &t->summary[s]) != MX_OK)
            return vf_impossible(t->base.verdict, paths[s], mx_err_message());
    }
    return true;
}

static void check_schedule(const tealeaf *t)
{
    int64_t astray = 0;
    for (int64_t i = 0; i < t->summaries; ++i)
        astray += t->summary_step[i] != vf_schedule_step(&t->schedule, i);
    vf_count(t->base.verdict, "summaries at other steps", astray, 0);
}

/* Time is a sum of equal steps: each addition rounds once. */
static void check_times(const tealeaf *t)
{
    double worst = 0.0;
    for (int64_t i = 0; i < t->summaries; ++i) {
        const double gap = tv_relative(t->summary[0][i],
                                       (double)t->summary_step[i] * tv_deck(t)->initial_timestep);
        if (gap > worst || isnan(gap)) worst = gap;
    }
    vf_max(t->base.verdict, "time / (step dt) - 1", worst,
           (double)(tv_deck(t)->steps + 1) * DBL_EPSILON);
}

static void check_constant(const tealeaf *t, const char *name, const double *values,
                           double expected, double tolerance)
{
    double worst = expected;
    for (int64_t i = 0; i < t->summaries; ++i) {
        if (tv_relative(values[i], expected) > tv_relative(worst, expected) || isnan(values[i]))
            worst = values[i];
    }
    tv_check_relative(t, name, worst, expected, tolerance);
}

static void check_summaries(const tealeaf *t)
{
    const int64_t last = t->summaries - 1;
    check_schedule(t);
    check_times(t);
    check_constant(t, "volume, worst summary", t->summary[1], t->initial.volume,
                   TL_CONSERVED_TOLERANCE);
    check_constant(t, "mass, worst summary", t->summary[2], t->initial.mass,
                   TL_CONSERVED_TOLERANCE);
    check_constant(t, "energy, worst summary", t->summary[3], t->initial.energy,
                   tv_energy_tolerance(t));
    tv_check_relative(t, "mass, last summary", t->summary[2][last], t->final.mass,
                      APP_SUM_TOLERANCE);
    tv_check_relative(t, "energy, last summary", t->summary[3][last], t->final.energy,
                      APP_SUM_TOLERANCE);
    tv_check_relative(t, "U, last summary", t->summary[4][last], t->final.u, APP_SUM_TOLERANCE);
    tv_check_relative(t, "U, first summary", t->summary[4][0], t->initial.u, APP_SUM_TOLERANCE);
    for (int64_t i = 0; i < t->summaries; ++i) {
        if (t->summary_step[i] != tv_deck(t)->steps - 1) continue;
        tv_check_relative(t, "U, summary before the last step", t->summary[4][i],
                          t->of_start.sums.u, APP_SUM_TOLERANCE);
    }
}

static bool read_iterations(tealeaf *t)
{
    int64_t entries = tv_deck(t)->steps;
    if ((!t->iterations || !t->residual) && load_iterations(t) != MX_OK)
        return vf_impossible(t->base.verdict, "/series/cg_iterations", mx_err_message());
    for (int64_t s = 0; s < tv_deck(t)->steps; ++s) entries += t->iterations[s];
    return vf_count(t->base.verdict, "entries of cg_residual", t->residuals, entries);
}

/* Did a step follow the stopping rule? It goes on while ||r|| > eps ||r0||, up to max_iters;
 * Chebyshev and Jacobi look at r after every ten iterations only, and end where rounding does not
 * let r be smaller. The comparison is made with squares on one side and roots on the other: 4
 * roundings. */
static bool stopped_by_rule(const tealeaf *t, const double *r, int64_t n, double rounding,
                            bool *converged)
{
    const double limit = tv_deck(t)->eps * r[0], slack = 1.0 + 4.0 * DBL_EPSILON;
    const int64_t late = rounding > 0.0 ? TL_STEPS_BETWEEN_CHECKS : 1;
    for (int64_t i = 0; i <= n; ++i) {
        if (!(r[i] >= 0.0 && isfinite(r[i]))) return false;
        if (i <= n - late && r[i] * slack < limit) return false;
    }
    *converged = r[n] <= fmax(limit, rounding) * slack;
    return *converged || n == tv_deck(t)->max_iters;
}

static void check_iterations(tealeaf *t)
{
    int64_t astray = 0, unconverged = 0;
    const double *r = t->residual;
    const double rounding = tl_rounding_limit(tv_deck(t), (1.0 + t->row_bound) * t->of_u0.norm);
    for (int64_t s = 0; s < tv_deck(t)->steps; ++s) {
        bool converged = true;
        astray += !stopped_by_rule(t, r, t->iterations[s], rounding, &converged);
        unconverged += !converged;
        r += t->iterations[s] + 1;
    }
    vf_count(t->base.verdict, "steps against the stopping rule", astray, 0);
    t->base.outcome = unconverged > 0 ? "iteration limit" : "passed";
}

/* ---- all steps ----
 *
 * Step s solves A u_s = u_(s-1) up to a residual. A is symmetric; A^-1 has no negative element, its
 * rows and columns sum to 1, and its eigenvalues are in (0, 1]. So for the exact solution:
 *
 *   - every cell stays within the extremes of the deck's initial temperature;
 *   - the 2-norm does not grow;
 *   - the initial residual of a step, m_s = ||A u_s - u_s||, does not grow either, and it is log-convex:
 *     m_s^2 <= m_(s-1) m_(s+1) (Cauchy and Schwarz; m_s^2 is a sum of powers mu^(2s) with positive weights);
 *   - the temperature times the density, U, is between the extremes times the mass.
 *
 * The computed one differs by at most the sum of the residuals that the steps left, in the 2-norm
 * and in the maximum norm, for A^-1 enlarges neither. Roundings add (10 + iterations) 2u ||A||
 * ||u|| a step, as above. */

/* A bound of the difference between the computed and the exact solution, before the first step. */
static double initial_error(const tealeaf *t, double magnitude)
{
    return 10.0 * DBL_EPSILON * magnitude + APP_SUM_TOLERANCE * t->residual[0];
}

/* What step s adds to it; r: the residuals of the step. */
static double added_error(const tealeaf *t, int64_t s, const double *r, double magnitude)
{
    const double n = (double)t->iterations[s];
    return r[t->iterations[s]] + (10.0 + n) * DBL_EPSILON * magnitude;
}

/* Returns the error at the end. */
static double check_initial_residuals(const tealeaf *t, double magnitude)
{
    int64_t growing = 0, bent = 0;
    const double *r = t->residual;
    double before = 0.0, now = 0.0, error = initial_error(t, magnitude);
    for (int64_t s = 0; s < tv_deck(t)->steps; ++s) {
        const double next = r[0];
        if (s > 0) growing += !(next <= now + 2.0 * error);
        if (s > 1 && now > error)
            bent += !((now - error) * (now - error) <= (before + error) * (next + error));
        before = now;
        now = next;
        error += added_error(t, s, r, magnitude);
        r += t->iterations[s] + 1;
    }
    vf_count(t->base.verdict, "initial residuals that grow", growing, 0);
    vf_count(t->base.verdict, "initial residuals that fall too fast", bent, 0);
    return error;
}

static double beyond_extremes(const tv_field *field, const tv_field *limits)
{
    const double beyond = fmax(0.0, fmax(limits->min - field->min, field->max - limits->max));
    const double sum = field->min + field->max + limits->min + limits->max;
    return isnan(sum) ? sum : beyond;
}

static void check_extremes(const tealeaf *t, const char *name, const tv_field *field, double error)
{
    vf_max(t->base.verdict, name, beyond_extremes(field, &t->of_u0),
           error + APP_SUM_TOLERANCE * fabs(t->of_u0.max));
}

/* U of the summaries that no field is stored of. */
static void check_u_extremes(const tealeaf *t, double error)
{
    const double low = (t->of_u0.min - error) * t->initial.mass;
    const double high = (t->of_u0.max + error) * t->initial.mass;
    double beyond = 0.0;
    for (int64_t i = 0; i < t->summaries; ++i) {
        const double u = t->summary[4][i];
        beyond = isnan(u) ? u : fmax(beyond, fmax(low - u, u - high));
        if (isnan(beyond)) break;
    }
    vf_max(t->base.verdict, "U beyond the deck's extremes", beyond, APP_SUM_TOLERANCE * high);
}

static void check_all_steps(const tealeaf *t)
{
    const tv_residual first = t->first_step;
    const double norm0 = t->of_u0.norm, norm1 = t->of_start.norm;
    const double magnitude = (1.0 + t->row_bound) * norm0;
    vf_number(t->base.verdict, "initial residual, first step", t->residual[0], first.norm,
              10.0 * DBL_EPSILON * first.magnitude + APP_SUM_TOLERANCE * first.norm);
    const double error = check_initial_residuals(t, magnitude);
    check_extremes(t, "start beyond the deck's extremes", &t->of_start, error);
    check_extremes(t, "temperature beyond the deck's extremes", &t->of_u, error);
    check_u_extremes(t, error);
    vf_max(t->base.verdict, "growth of the norm until the start", fmax(0.0, norm1 - norm0),
           error + APP_SUM_TOLERANCE * norm0);
    vf_max(t->base.verdict, "growth of the norm, last step", fmax(0.0, t->of_u.norm - norm1),
           error + APP_SUM_TOLERANCE * norm0);
}

/* ---- the last step ---- */

/* Each new temperature is a weighted mean of the old ones: A^-1 is positive, and its rows sum to 1.
 * So u stays within the minimum and maximum of the start, up to the remaining error of the
 * solution, which is at most the norm of the residual. */
static void check_maximum_principle(const tealeaf *t, double residual)
{
    vf_max(t->base.verdict, "temperature beyond its bounds",
           beyond_extremes(&t->of_u, &t->of_start),
           residual + APP_SUM_TOLERANCE * fabs(t->of_start.max));
}

/* The app's own check of the residual: relative to the first one that the solver saw. What the
 * app computes and what is computed here differ by the roundings of A u, and by sums in another
 * order. */
static void add_residual_check(tealeaf *t, const double *history, int64_t iterations,
                               tv_residual first, tv_residual last)
{
    const double scale = history[0] > 0.0 ? history[0] : 1.0;
    const double magnitude = fmax(first.magnitude, last.magnitude);
    const double drift = (10.0 + (double)iterations) * DBL_EPSILON * magnitude;
    const double rounding = 10.0 * DBL_EPSILON * first.magnitude;
    const double tolerance =
        fmax(tv_deck(t)->eps, history[iterations] / scale) + (drift + rounding) / scale;
    vf_recompute(&t->base,
                 (vf_recomputed){.name = "residual",
                                 .value = last.norm / scale,
                                 .value_tolerance = 10.0 * DBL_EPSILON * last.magnitude / scale +
                                                    APP_SUM_TOLERANCE * last.norm / scale,
                                 .tolerance = tolerance,
                                 .tolerance_tolerance = APP_SUM_TOLERANCE * tolerance,
                                 .compare = APP_ROUNDING});
}

static void check_last_step(tealeaf *t)
{
    const int64_t iterations = t->iterations[tv_deck(t)->steps - 1];
    const double *const history = t->residual + t->residuals - iterations - 1;
    const tv_residual first = t->last_step, last = t->end;
    const double drift =
        (10.0 + (double)iterations) * DBL_EPSILON * fmax(first.magnitude, last.magnitude);
    const double rounding = 10.0 * DBL_EPSILON * first.magnitude + APP_SUM_TOLERANCE * first.norm;
    vf_number(t->base.verdict, "initial residual, last step", history[0], first.norm, rounding);
    vf_number(t->base.verdict, "final residual, last step", history[iterations], last.norm, drift);
    if (iterations < tv_deck(t)->max_iters && first.norm > 0.0) {
        vf_max(t->base.verdict, "final / initial residual, last step", last.norm / first.norm,
               tv_deck(t)->eps + (drift + rounding) / first.norm);
    }
    check_maximum_principle(t, last.norm + drift);
    add_residual_check(t, history, iterations, first, last);
}

/* ---- all together ---- */

/* The app's own checks of sums: values of its last summary, expected ones of the deck's states. */
static void note_sum(tealeaf *t, const char *name, double value, double expected, double tolerance)
{
    vf_recompute(&t->base, (vf_recomputed){.name = name,
                                           .value = value,
                                           .value_tolerance = APP_SUM_TOLERANCE * fabs(value),
                                           .expected = expected,
                                           .expected_tolerance = APP_SUM_TOLERANCE * fabs(expected),
                                           .tolerance = tolerance,
                                           .tolerance_tolerance = APP_SUM_TOLERANCE * tolerance,
                                           .compare = APP_SUMS});
}

static void note_sums(tealeaf *t)
{
    double published = 0.0;
    const char *source = NULL;
    note_sum(t, "volume", t->final.volume, t->initial.volume, TL_CONSERVED_TOLERANCE);
    note_sum(t, "mass", t->final.mass, t->initial.mass, TL_CONSERVED_TOLERANCE);
    note_sum(t, "energy", t->final.energy, t->initial.energy, tv_energy_tolerance(t));
    if (tl_deck_expected(tv_deck(t), &published, &source))
        note_sum(t, "U", t->final.u, published, PUBLISHED_TOLERANCE);
}

static void find_residuals(tealeaf *t)
{
    tv_system all[] = {
        {.u = t->u0, .b = t->u0}, {.u = t->start, .b = t->start}, {.u = t->u, .b = t->start}};
    t->row_bound = tv_find_residuals(tv_deck(t), t->density, all, TV_MAX_SYSTEMS);
    t->first_step = all[0].residual;
    t->last_step = all[1].residual;
    t->end = all[2].residual;
}

static bool row_fields(void *state)
{
    tealeaf *const t = state;
    if (!read_fields(t) || !set_up_again(t)) return false;
    (void)load_iterations(
        t); /* for the tolerance of energies; what is wrong with them is said where they are checked */
    check_fields(t);
    find_residuals(t);
    check_published(t);
    note_sums(t);
    return true;
}

static bool row_summaries(void *state)
{
    tealeaf *const t = state;
    if (!read_summaries(t)) return false;
    check_summaries(t);
    return true;
}

static bool row_iterations(void *state)
{
    tealeaf *const t = state;
    if (!read_iterations(t)) return false;
    check_iterations(t);
    return true;
}

static bool row_all_steps(void *state)
{
    tealeaf *const t = state;
    if (tv_deck(t)->steps > 0) check_all_steps(t);
    return true;
}

static bool row_last_step(void *state)
{
    tealeaf *const t = state;
    if (tv_deck(t)->steps > 0) check_last_step(t);
    return true;
}

static void release(void *state)
{
    tealeaf *const t = state;
    free(t->residual);
    free(t->iterations);
    for (int s = 0; s < SUMMARY_SERIES; ++s) free(t->summary[s]);
    free(t->summary_step);
    free(t->u0);
    free(t->start);
    free(t->u);
    free(t->energy);
    free(t->density);
}

static const vf_row rows[] = {
    {"fields", row_fields},       {"summaries", row_summaries}, {"iterations", row_iterations},
    {"all steps", row_all_steps}, {"last step", row_last_step}, {"frames", tv_row_frames},
};

const vf_physics vf_physics_tealeaf = {
    .app = "tealeaf",
    .input = &tl_input,
    .state_bytes = sizeof(tealeaf),
    .contents = tv_contents,
    .release = release,
    .rows = rows,
    .count = sizeof rows / sizeof rows[0],
};
