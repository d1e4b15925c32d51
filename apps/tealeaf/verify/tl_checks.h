/* What the files of minx-verify's checks of TeaLeaf share. */
#pragma once
#include "contents.h"
#include "tl_fields.h"

enum { SUMMARY_SERIES = 5 };

typedef struct tealeaf {
    vf_base base;
    double *density, *energy, *u, *start; /* fields; NULL where not readable */
    double *u0;                           /* the initial temperature, from the deck alone */
    vf_schedule schedule, frames;         /* when there are summaries, and frames */
    int64_t *summary_step;                /* series, one entry a summary */
    double *summary[SUMMARY_SERIES]; /* time, volume, mass, internal_energy, temperature_total */
    int64_t summaries;
    int64_t *iterations; /* one entry a step */
    int64_t iterations_count;
    double *residual; /* iterations + 1 entries a step */
    int64_t residuals;
    tv_sums initial, final;
    tv_field of_u0, of_start, of_u;
    /* of the first step and of the last one, at their beginning; of the last one at its end */
    tv_residual first_step, last_step, end;
    double row_bound; /* tv_find_residuals */
    tl_name problem;
} tealeaf;

static inline const tl_deck *tv_deck(const tealeaf *t) { return t->base.input; }

/* tolerances.c: |value - expected|, relative to |expected| where that is not 0. */
double tv_relative(double value, double expected);

/* Checks a value against an expected one, with a relative tolerance. */
bool tv_check_relative(const tealeaf *t, const char *name, double got, double expected,
                       double tolerance);

/* Are there as many residuals as the iterations of all steps say? */
bool tv_histories_fit(const tealeaf *t);

/* By how much the energy of a step may differ from that of the deck, relative. */
double tv_energy_tolerance(const tealeaf *t);

/* contents.c */
void tv_contents(void *state);

/* frames.c: a row of the checks. */
bool tv_row_frames(void *state);
