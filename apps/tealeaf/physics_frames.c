/* The frames of fields. */
#include "physics_private.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* One at the beginning, one after every visit_frequency steps, one at the end; after a restart
 * those of the steps since then. */

/* Are they at the steps where they should be? *from_start: the first one is of the beginning. */
static bool check_frame_steps(const tealeaf *t, const char *path, bool *from_start)
{
    const int64_t every = t->deck.visit_frequency;
    int64_t count = 0, times = 0, astray = 0, *steps = NULL;
    double *time = NULL;
    char part[64];
    snprintf(part, sizeof part, "%s/step", path);
    mx_err err = app_reader_i64(t->base.reader, part, &count, &steps);
    snprintf(part, sizeof part, "%s/time", path);
    if (err == MX_OK) err = app_reader_f64(t->base.reader, part, &times, &time);
    for (int64_t i = 0; err == MX_OK && i < count && i < times; ++i) {
        const bool due = steps[i] % every == 0 || steps[i] == t->deck.steps;
        const int64_t next = i + 1 < count ? steps[i + 1] : t->deck.steps;
        const bool follows =
            next == steps[i] + every || (next == t->deck.steps && next - steps[i] < every);
        const double gap = tv_relative(time[i], (double)steps[i] * t->deck.initial_timestep);
        astray += !(due && follows && gap <= DBL_EPSILON);
    }
    *from_start = err == MX_OK && count > 0 && steps[0] == 0;
    free(steps);
    free(time);
    if (err != MX_OK) return vf_impossible(t->base.verdict, path, mx_err_message());
    return vf_count(t->base.verdict, part, times, count) &&
           vf_count(t->base.verdict, "frames at other steps or times", astray, 0);
}

/* The values of all frames, or NULL. */
static double *read_frames(const tealeaf *t, const char *path, int64_t *frames)
{
    const int64_t cells = tv_count(&t->deck);
    int64_t count = 0;
    double *values = NULL;
    if (app_reader_f64(t->base.reader, path, &count, &values) != MX_OK) {
        vf_impossible(t->base.verdict, path, mx_err_message());
        return NULL;
    }
    *frames = count / cells;
    if (vf_count(t->base.verdict, path, count, *frames * cells) && *frames > 0) return values;
    free(values);
    return NULL;
}

/* Each frame has the energy of the deck and stays within its temperatures; that of the beginning is
 * the deck's state, to the rounding of density times energy; the last one is the field. */
static void check_frames(tealeaf *t, const double *energy, const double *u, int64_t frames,
                         bool from_start)
{
    const int64_t cells = tv_count(&t->deck);
    double low, high, mismatch = 0.0, worst = t->initial.energy, beyond = 0.0, left = 0.0;
    tv_extremes(t->u0, cells, &low, &high);
    for (int64_t s = 0, r = 0; t->residual && tv_histories_fit(t) && s < t->deck.steps; ++s) {
        r += t->iterations[s];
        left += t->residual[r++];
    }
    for (int64_t f = 0; f < frames; ++f) {
        const double *const now = u + f * cells;
        const double sum = tv_field_sums(&t->deck, t->density, now).energy;
        const double off = tv_energy_mismatch(&t->deck, t->density, energy + f * cells, now);
        double min, max;
        tv_extremes(now, cells, &min, &max);
        if (off > mismatch || isnan(off)) mismatch = off;
        if (!(tv_relative(sum, t->initial.energy) <= tv_relative(worst, t->initial.energy)))
            worst = sum;
        beyond = isnan(min) || isnan(max) ? (double)NAN : fmax(beyond, fmax(low - min, max - high));
    }
    vf_max(t->base.verdict, "frames: temperature / (density energy) - 1", mismatch,
           2.0 * DBL_EPSILON);
    tv_check_relative(t, "frames: worst energy", worst, t->initial.energy, tv_energy_tolerance(t));
    vf_max(t->base.verdict, "frames: temperature beyond the deck's extremes", beyond,
           left + CONSERVED_TOLERANCE * fabs(high));
    if (from_start)
        vf_max(t->base.verdict, "first frame / initial temperature - 1",
               tv_mismatch(u, t->u0, cells), 2.0 * DBL_EPSILON);
    vf_max(t->base.verdict, "last frame / temperature - 1",
           tv_mismatch(u + (frames - 1) * cells, t->u, cells), 0.0);
}

bool tv_row_frames(void *state)
{
    tealeaf *const t = state;
    int64_t frames = 0, others = 0;
    if (t->deck.visit_frequency == 0) return true;
    bool from_start = false, energy_from_start = false;
    if (!check_frame_steps(t, "/frames/energy", &energy_from_start) ||
        !check_frame_steps(t, "/frames/temperature", &from_start))
        return true;
    double *const energy = read_frames(t, "/frames/energy/value", &frames);
    double *const u = read_frames(t, "/frames/temperature/value", &others);
    if (energy && u && vf_count(t->base.verdict, "frames of the energy", frames, others))
        check_frames(t, energy, u, frames, from_start || energy_from_start);
    free(energy);
    free(u);
    return true;
}
