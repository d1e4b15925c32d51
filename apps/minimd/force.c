#include "md_app.h"

#include <math.h>

mx_err md_prepare_force(md_app *app) { return md_prepare_lj(app); }

mx_err md_bind_force(md_app *app) { return md_bind_lj(app); }

mx_err md_compute_force(md_app *app, bool energy) { return md_compute_lj(app, energy); }

/* Of each pair the number of the other atom is read; positions and forces once, because neighbours are in the cache. A distance
 * takes 8 operations; the force and its sum 15 for the pairs that are within the cutoff. */
md_work md_force_work(const md_app *app)
{
    const double pairs = (double)app->pairs, own = app->own, ghosts = app->ghosts;
    const double share = pow(app->force_cutoff / app->list_cutoff, 3);
    return (md_work){.bytes = 4 * pairs + 48 * own + 24 * ghosts,
                     .flops = pairs * (8 + 15 * share)};
}

void md_free_force(md_app *app) { (void)app; }
