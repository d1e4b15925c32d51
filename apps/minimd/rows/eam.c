/* The embedded-atom method on lists in rows. */
#include "md_rows.h"

#include "md_app.h"

/* Bytes of scratch that every GPU has for each of several teams. */
enum { SCRATCH_BYTES = 40 << 10 };

/* On devices the splines of one element go to the scratch of teams, if they fit. */
static bool in_teams(const md_app *app)
{
    const md_eam_tables *const t = &app->eam;
    return app->in_blocks && t->elements == 1 &&
           t->r_knots <= SCRATCH_BYTES / (MD_PAIR_SPLINES * (int)sizeof(double));
}

/* Threads of a team, one for each atom: as many as leave a team for each multiprocessor of a
 * large GPU. The larger the teams, the fewer copies of the splines a multiprocessor has in its
 * scratch, and the more of its memory is left as a cache of positions. So teams of 1024 are
 * faster than teams of 256. */
static int team_threads(const md_app *app)
{
    enum { MIN_THREADS = 128, MAX_THREADS = 1024, TEAMS = 132 };
    int threads = MIN_THREADS;
    while (threads < MAX_THREADS && app->local / (2 * threads) >= TEAMS) threads *= 2;
    return threads;
}

/* All local atoms, with scratch for so many splines of a pair. */
static mx_teams local_teams(const md_app *app, int splines)
{
    enum { LANES = 32 };
    const int threads = team_threads(app);
    const int64_t teams = ((int64_t)app->local + threads - 1) / threads;
    const size_t row_bytes = (size_t)splines * MD_SPLINE * sizeof(double);
    return mx_with_scratch(mx_league(app->base.ctx, teams, threads / LANES, LANES), 0,
                           (size_t)app->eam.r_knots * row_bytes, 0);
}

mx_err md_rows_eam_density(md_app *app, double *embedding)
{
    md_row_list *const r = app->list;
    if (!embedding && in_teams(app)) {
        r->density.local = app->local;
        r->density.team_atoms = team_threads(app);
        return md_eam_density_team(local_teams(app, 1), &r->density);
    }
    return embedding ? md_eam_density_energy(md_local_range(app), &r->density, embedding)
                     : md_eam_density(md_local_range(app), &r->density);
}

mx_err md_rows_eam_force(md_app *app, md_energy *energy)
{
    md_row_list *const r = app->list;
    if (!energy && in_teams(app)) {
        r->eam.local = app->local;
        r->eam.team_atoms = team_threads(app);
        return md_eam_force_team(local_teams(app, 2), &r->eam);
    }
    return energy ? md_eam_force_energy(md_local_range(app), &r->eam, energy)
                  : md_eam_force(md_local_range(app), &r->eam);
}
