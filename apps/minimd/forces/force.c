#include "md_app.h"

#include <math.h>

static bool is_eam(const md_app *app) { return app->input.force == MD_FORCE_EAM; }

mx_err md_prepare_force(md_app *app)
{
    return is_eam(app) ? md_prepare_eam(app) : md_prepare_lj(app);
}

double md_force_scale(const md_app *app)
{
    double largest = 0;
    if (is_eam(app)) return 1; /* eV / Angstrom */
    for (int i = 0; i < app->types; i++) {
        const md_coefficients c = md_pair_coefficients(app, i, i);
        largest = fmax(largest, c.epsilon / c.sigma);
    }
    return largest;
}

mx_err md_compute_force(md_app *app, bool energy)
{
    if (is_eam(app)) return md_compute_eam(app, energy);
    return app->form->lj(app, energy ? &app->energy : NULL);
}

bool md_force_has_parts(const md_app *app)
{
    /* EAM needs densities of all neighbours before forces */
    return !is_eam(app) && app->form->has_phases != NULL && app->form->has_phases(app);
}

mx_err md_compute_force_part(md_app *app, md_phase phase)
{
    return app->form->lj_phase(app, phase);
}

/* Of each pair the number of the other atom is read; positions and forces once, because neighbours
 * are in the cache. A distance takes 8 operations; the force and its sum 15 for the pairs that are
 * within the cutoff. EAM goes over the pairs twice: 16 operations for a density, 40 for a force;
 * and it writes and reads F'. */
md_work md_force_work(const md_app *app)
{
    const double pairs = (double)app->pairs, local = app->local, ghosts = app->ghosts;
    const double share = pow(app->force_cutoff / app->list_cutoff, 3);
    if (is_eam(app))
        return (md_work){.bytes = 8 * pairs + 88 * local + 56 * ghosts,
                         .flops = pairs * (16 + 56 * share)};
    return (md_work){.bytes = 4 * pairs + 48 * local + 24 * ghosts,
                     .flops = pairs * (8 + 15 * share)};
}

void md_free_force(md_app *app) { md_free_eam(app); }
