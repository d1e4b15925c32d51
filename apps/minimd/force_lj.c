/* The table of Lennard-Jones parameters, and forces by the kernels of kernels/lj.c. */
#include "md_app.h"

#include <math.h>

/* The entry of a list of the input that counts for a type: one entry counts for all types, none is `otherwise`. */
static double of_type(const double *list, int entries, int type, double otherwise)
{
    if (entries == 0) return otherwise;
    return entries == 1 ? list[0] : list[type];
}

/* Mixing: epsilon geometric; sigma geometric, or arithmetic (Lorentz and Berthelot). */
static md_pair mix(const md_input *in, int i, int j)
{
    const double epsilon_i = of_type(in->epsilon, in->epsilons, i, 1),
                 epsilon_j = of_type(in->epsilon, in->epsilons, j, 1),
                 sigma_i = of_type(in->sigma, in->sigmas, i, 1),
                 sigma_j = of_type(in->sigma, in->sigmas, j, 1);
    const double epsilon = epsilon_i == epsilon_j ? epsilon_i : sqrt(epsilon_i * epsilon_j);
    double sigma =
        in->mixing == MD_MIXING_ARITHMETIC ? 0.5 * (sigma_i + sigma_j) : sqrt(sigma_i * sigma_j);
    if (sigma_i == sigma_j) sigma = sigma_i;
    md_pair p = {.epsilon = epsilon,
                 .sigma6 = pow(sigma, 6),
                 .cutoff = in->cutoff,
                 .cutoff_square = in->cutoff * in->cutoff};
    if (in->shift == MD_SHIFT_FORCE) {
        const double inverse6 = p.sigma6 / pow(in->cutoff, 6);
        p.force_shift = 48 * epsilon * inverse6 * (inverse6 - 0.5) / in->cutoff;
        p.energy_shift = 4 * epsilon * inverse6 * (inverse6 - 1);
    }
    return p;
}

static bool same(const md_pair *a, const md_pair *b)
{
    return a->epsilon == b->epsilon && a->sigma6 == b->sigma6;
}

static mx_err make_pairs(md_app *app)
{
    const int types = app->types;
    double table[MD_MAX_TYPES * MD_MAX_TYPES * MD_PAIR_NUMBERS];
    app->lj.one = mix(&app->input, 0, 0);
    app->lj.one_pair = true;
    app->lj.shifted = app->input.shift == MD_SHIFT_FORCE;
    app->lj.types = types;
    for (int i = 0; i < types; i++) {
        for (int j = 0; j < types; j++) {
            const md_pair p = mix(&app->input, i, j);
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
    app->types = in->types;
    for (int t = 0; t < app->types; t++) app->mass[t] = of_type(in->mass, in->masses, t, 1);
    app->force_cutoff = in->cutoff;
    app->list_cutoff = in->cutoff + in->skin;
    return make_pairs(app);
}

/* The list does not exist before the first one is made. */
mx_err md_bind_lj(md_app *app)
{
    if (app->list_room == 0) return MX_OK;
    return md_lj_args_bind(app->base.ctx, &app->views, &app->lj);
}

mx_err md_compute_lj(md_app *app, bool energy)
{
    return energy ? md_lj_full_energy(md_own(app), &app->lj, &app->energy)
                  : md_lj_full(md_own(app), &app->lj);
}
