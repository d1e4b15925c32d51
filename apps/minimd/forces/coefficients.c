/* Coefficients of Lennard-Jones of two types: those that a data file gives for them, or mixed of
 * those of each type. */
#include "md_app.h"

#include <math.h>

/* Geometric or arithmetic (Lorentz and Berthelot), as the input says. */
static double mix_lengths(const md_input *in, double a, double b)
{
    if (a == b) return a; /* exactly */
    return in->mixing == MD_MIXING_ARITHMETIC ? 0.5 * (a + b) : sqrt(a * b);
}

static md_coefficients mix(const md_input *in, const md_coefficients *a, const md_coefficients *b)
{
    return (md_coefficients){.epsilon = a->epsilon == b->epsilon ? a->epsilon
                                                                 : sqrt(a->epsilon * b->epsilon),
                             .sigma = mix_lengths(in, a->sigma, b->sigma),
                             .cutoff = mix_lengths(in, a->cutoff, b->cutoff)};
}

/* The entry of a list of the input that counts for a type: one entry counts for all types, none is
 * 1. */
static double of_type(const double *list, int entries, int type)
{
    return entries == 0 ? 1 : entries == 1 ? list[0] : list[type];
}

static md_coefficients of_data(const md_app *app, int i, int j)
{
    const md_data_pair *const p = &app->data.pair[i][j];
    return (md_coefficients){.epsilon = p->epsilon,
                             .sigma = p->sigma,
                             .cutoff = p->cutoff > 0 ? p->cutoff : app->input.cutoff};
}

static md_coefficients of_input(const md_app *app, int type)
{
    const md_input *const in = &app->input;
    return (md_coefficients){.epsilon = of_type(in->epsilon, in->epsilons, type),
                             .sigma = of_type(in->sigma, in->sigmas, type),
                             .cutoff = in->cutoff};
}

md_coefficients md_pair_coefficients(const md_app *app, int i, int j)
{
    const bool of_file = app->data.has_pairs;
    const int low = i < j ? i : j, high = i < j ? j : i;
    if (of_file && (app->data.each_pair || i == j)) return of_data(app, low, high);
    const md_coefficients a = of_file ? of_data(app, low, low) : of_input(app, low);
    const md_coefficients b = of_file ? of_data(app, high, high) : of_input(app, high);
    return mix(&app->input, &a, &b);
}
