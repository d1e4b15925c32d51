/* What several checks need; checks.c says where the tolerances come from. */
#include "tl_checks.h"

#include <math.h>

double tv_relative(double value, double expected)
{
    const double difference = fabs(value - expected);
    return expected != 0.0 ? difference / fabs(expected) : difference;
}

bool tv_check_relative(const tealeaf *t, const char *name, double got, double expected,
                       double tolerance)
{
    return vf_number(t->base.verdict, name, got, expected,
                     tolerance * (expected != 0.0 ? fabs(expected) : 1.0));
}

bool tv_histories_fit(const tealeaf *t)
{
    int64_t entries = tv_deck(t)->steps;
    if (!t->iterations || !t->residual || t->iterations_count != tv_deck(t)->steps) return false;
    for (int64_t s = 0; s < tv_deck(t)->steps; ++s) {
        if (t->iterations[s] < 0 || t->iterations[s] > tv_deck(t)->max_iters) return false;
        entries += t->iterations[s];
    }
    return entries == t->residuals;
}

double tv_energy_tolerance(const tealeaf *t)
{
    const double cells = tl_cells_of(tv_deck(t));
    const double *r = t->residual;
    double left = 0;
    if (tl_keeps_energy(tv_deck(t)) || !(t->initial.energy > 0) || !tv_histories_fit(t))
        return TL_CONSERVED_TOLERANCE;
    for (int64_t s = 0; s < tv_deck(t)->steps; ++s) {
        const double allowed = tv_deck(t)->eps * r[0]; /* what a step may leave that converged */
        r += t->iterations[s];
        left += fmax(*r++, allowed);
    }
    return TL_CONSERVED_TOLERANCE +
           left * sqrt(cells) * t->initial.volume / cells / t->initial.energy;
}
