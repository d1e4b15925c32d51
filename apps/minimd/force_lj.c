/* The table of Lennard-Jones parameters, and forces by the kernels of kernels/lj.c. */
#include "md_app.h"

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

/* The list does not exist before the first one is made. */
mx_err md_bind_lj(md_app *app)
{
    if (app->list_room == 0) return md_bind_list(app);
    return md_lj_args_bind(app->base.ctx, &app->views, &app->lj);
}

static mx_err compute_clusters(md_app *app, md_energy *energy)
{
    MX_TRY(md_clusters_lj_own(app->base.ctx, &app->clusters, &app->lj, energy));
    return md_clusters_lj_ghosts(app->base.ctx, &app->clusters, energy);
}

static mx_err compute_flat(md_app *app, md_energy *energy)
{
    MX_TRY(md_flat_lj(app->base.ctx, &app->views, &app->lj, &app->flat, energy));
    return app->ghost_newton ? app_reverse(app->halo, 1, &app->views.force) : MX_OK;
}

mx_err md_compute_lj(md_app *app, bool energy)
{
    if (app->is_flat) return compute_flat(app, energy ? &app->energy : NULL);
    if (app->list == MD_LIST_CLUSTERS) return compute_clusters(app, energy ? &app->energy : NULL);
    return energy ? md_lj_full_energy(md_own(app), &app->lj, &app->energy)
                  : md_lj_full(md_own(app), &app->lj);
}

/* In rows, atoms without ghosts as neighbours come first. */
mx_err md_compute_lj_part(md_app *app, md_phase phase)
{
    const mx_ctx ctx = app->base.ctx;
    if (app->list == MD_LIST_CLUSTERS)
        return phase == MD_WITHOUT_GHOSTS ? md_clusters_lj_own(ctx, &app->clusters, &app->lj, NULL)
                                          : md_clusters_lj_ghosts(ctx, &app->clusters, NULL);
    return md_lj_full(phase == MD_WITHOUT_GHOSTS ? mx_range_1d(ctx, 0, app->interior)
                                                 : mx_range_1d(ctx, app->interior, app->own),
                      &app->lj);
}
