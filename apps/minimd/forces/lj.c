/* The table of Lennard-Jones parameters. */
#include "md_app.h"

#include <float.h>
#include <math.h>

static md_pair make_pair(const md_app *app, int i, int j)
{
    const md_coefficients c = md_pair_coefficients(app, i, j);
    const double sigma6 = pow(c.sigma, 6), inverse6 = sigma6 / pow(c.cutoff, 6);
    return (md_pair){.epsilon = c.epsilon,
                     .sigma6 = sigma6,
                     .cutoff = c.cutoff,
                     .cutoff_square = c.cutoff * c.cutoff,
                     .force_shift = 48 * c.epsilon * inverse6 * (inverse6 - 0.5) / c.cutoff,
                     .energy_shift = 4 * c.epsilon * inverse6 * (inverse6 - 1)};
}

static bool same(const md_pair *a, const md_pair *b)
{
    return a->epsilon == b->epsilon && a->sigma6 == b->sigma6 && a->cutoff == b->cutoff;
}

/* Powers of sigma up to the 14th are intermediate results, and factors of the unit of fixed point
 * (md_clusters.h), which is at least 2^-28 of the cutoff. */
static bool fits_float(const md_pair *p)
{
    const double sigma14 = pow(p->sigma6, 14.0 / 6), unit = ldexp(p->cutoff, -28);
    const double c6 = p->epsilon > 0 ? 4 * p->epsilon * p->sigma6 : 1,
                 c12 = p->epsilon > 0 ? 48 * p->epsilon * p->sigma6 * p->sigma6 : 1;
    const double numbers[] = {sigma14, 1 / sigma14, p->cutoff_square, unit * unit,
                              c6,      c12,         c6 * unit,        c12 * unit};
    for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++)
        if (!(numbers[n] >= FLT_MIN && numbers[n] <= FLT_MAX)) return false;
    return true;
}

/* Can pairs be computed in single precision? A distance in fixed point has an error of 2^-28 of the
 * lists' cutoff, which is to be small for the force of two atoms that touch. */
static mx_err check_mixed(const md_app *app, const md_pair *p, int i, int j)
{
    enum { MAX_SIGMAS = 128 };
    MX_REQUIRE(
        fits_float(p), MX_ERR_INPUT,
        "precision=mixed: epsilon, sigma or cutoff of types %d and %d, or powers of them, are "
        "no numbers of single precision; expected precision=double",
        i + 1, j + 1);
    MX_REQUIRE(app->list_cutoff <= MAX_SIGMAS * cbrt(sqrt(p->sigma6)), MX_ERR_INPUT,
               "precision=mixed: got cutoff and skin of %g together, expected at most %d sigma of "
               "types %d and %d, or precision=double",
               app->list_cutoff, MAX_SIGMAS, i + 1, j + 1);
    return MX_OK;
}

static mx_err make_pairs(md_app *app)
{
    const int types = app->types;
    double table[MD_MAX_TYPES * MD_MAX_TYPES * MD_PAIR_NUMBERS];
    app->lj.one = make_pair(app, 0, 0);
    app->lj.one_pair = true;
    app->lj.shifted = app->input.shift == MD_SHIFT_FORCE;
    app->lj.types = types;
    for (int i = 0; i < types; i++) {
        for (int j = 0; j < types; j++) {
            const md_pair p = make_pair(app, i, j);
            if (app->input.precision == MD_PRECISION_MIXED) MX_TRY(check_mixed(app, &p, i, j));
            const double row[] = {p.epsilon, p.sigma6,      p.cutoff_square,
                                  p.cutoff,  p.force_shift, p.energy_shift};
            for (int n = 0; n < MD_PAIR_NUMBERS; n++)
                table[(i * types + j) * MD_PAIR_NUMBERS + n] = row[n];
            if (!same(&p, &app->lj.one)) app->lj.one_pair = false;
        }
    }
    MX_TRY(mx_view_create_2d(app->base.ctx, "pairs", MX_F64, types * types, MD_PAIR_NUMBERS,
                             &app->views.pair));
    return mx_import(app->base.ctx, app->views.pair, table, NULL);
}

mx_err md_prepare_lj(md_app *app)
{
    const md_input *const in = &app->input;
    for (int t = 0; t < app->types; t++)
        app->mass[t] = in->masses == 0 ? 1 : in->masses == 1 ? in->mass[0] : in->mass[t];
    app->force_cutoff = in->cutoff;
    app->list_cutoff = in->cutoff + in->skin;
    return make_pairs(app);
}
