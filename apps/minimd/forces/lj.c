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

/* Powers of sigma up to the 14th are intermediate results. */
static bool fits_float(const md_pair *p)
{
    const double sigma14 = pow(p->sigma6, 14.0 / 6);
    const double numbers[] = {sigma14, 1 / sigma14, p->cutoff_square,
                              p->epsilon > 0 ? 4 * p->epsilon * p->sigma6 : 1,
                              p->epsilon > 0 ? 48 * p->epsilon * p->sigma6 * p->sigma6 : 1};
    for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++)
        if (!(numbers[n] >= FLT_MIN && numbers[n] <= FLT_MAX)) return false;
    return true;
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
            MX_REQUIRE(app->input.precision == MD_PRECISION_DOUBLE || fits_float(&p), MX_ERR_INPUT,
                       "precision=mixed: epsilon, sigma or cutoff of types %d and %d, or powers of "
                       "them, are no numbers of single precision; expected precision=double",
                       i + 1, j + 1);
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
