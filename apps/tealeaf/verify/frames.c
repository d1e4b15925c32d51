/* The frames of fields. */
#include "tl_checks.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The summary of a step has the sums of its frame. */
static void check_summaries(const tealeaf *t, const double *u)
{
    const int64_t cells = tv_count(tv_deck(t)), frames = vf_schedule_count(&t->frames);
    int64_t f = 0, astray = 0;
    for (int64_t i = 0; i < t->summaries; ++i) {
        while (f < frames && vf_schedule_step(&t->frames, f) < t->summary_step[i]) ++f;
        if (f == frames || vf_schedule_step(&t->frames, f) != t->summary_step[i]) continue;
        const tv_sums sums = tv_field_of(tv_deck(t), t->density, u + f * cells).sums;
        astray += !(tv_relative(t->summary[4][i], sums.u) <= APP_SUM_TOLERANCE &&
                    tv_relative(t->summary[3][i], sums.energy) <= APP_SUM_TOLERANCE);
    }
    vf_count(t->base.verdict, "frames: summaries with another U or energy", astray, 0);
}

/* Each frame has the energy of the deck and stays within its temperatures; that of the beginning is
 * the deck's state, to the rounding of density times energy; the last one is the field. */
static void check_frames(tealeaf *t, const double *energy, const double *u)
{
    const int64_t cells = tv_count(tv_deck(t)), frames = vf_schedule_count(&t->frames);
    const double low = t->of_u0.min, high = t->of_u0.max;
    double mismatch = 0.0, worst = t->initial.energy, beyond = 0.0, left = 0.0;
    for (int64_t s = 0, r = 0; t->residual && tv_histories_fit(t) && s < tv_deck(t)->steps; ++s) {
        r += t->iterations[s];
        left += t->residual[r++];
    }
    for (int64_t f = 0; f < frames; ++f) {
        const double *const now = u + f * cells;
        const tv_field field = tv_field_of(tv_deck(t), t->density, now);
        const double sum = field.sums.energy, min = field.min, max = field.max;
        const double off = tv_energy_mismatch(tv_deck(t), t->density, energy + f * cells, now);
        if (off > mismatch || isnan(off)) mismatch = off;
        if (!(tv_relative(sum, t->initial.energy) <= tv_relative(worst, t->initial.energy)))
            worst = sum;
        beyond = isnan(min) || isnan(max) ? (double)NAN : fmax(beyond, fmax(low - min, max - high));
    }
    vf_max(t->base.verdict, "frames: temperature / (density energy) - 1", mismatch,
           2.0 * DBL_EPSILON);
    tv_check_relative(t, "frames: worst energy", worst, t->initial.energy, tv_energy_tolerance(t));
    vf_max(t->base.verdict, "frames: temperature beyond the deck's extremes", beyond,
           left + TL_CONSERVED_TOLERANCE * fabs(high));
    if (vf_schedule_step(&t->frames, 0) == 0)
        vf_max(t->base.verdict, "first frame / initial temperature - 1",
               tv_mismatch(u, t->u0, cells), 2.0 * DBL_EPSILON);
    vf_max(t->base.verdict, "last frame / temperature - 1",
           tv_mismatch(u + (frames - 1) * cells, t->u, cells), 0.0);
}

bool tv_row_frames(void *state)
{
    tealeaf *const t = state;
    int64_t count = 0;
    double *energy = NULL, *u = NULL;
    if (tv_deck(t)->visit_frequency == 0 || vf_schedule_count(&t->frames) == 0) return true;
    if (app_reader_f64(t->base.reader, "/frames/energy/value", &count, &energy) != MX_OK ||
        app_reader_f64(t->base.reader, "/frames/temperature/value", &count, &u) != MX_OK) {
        vf_impossible(t->base.verdict, "frames", mx_err_message());
    } else {
        check_frames(t, energy, u);
        check_summaries(t, u);
    }
    free(energy);
    free(u);
    return true;
}
