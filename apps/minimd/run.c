/* The time loop: velocity Verlet. Lists last for `every` steps, in which ghosts get the positions of their atoms; then atoms migrate,
 * are sorted, and get new borders and lists. With neigh_check a list lasts until an atom has moved half the skin, so
 * that two atoms cannot have come within the cutoff that are not in each other's list.
 *
 * The end of a step and the start of the next are one kernel where nothing looks at the velocities in between. Then the host waits for
 * nothing but new lists and lines of output. */
#include "md_app.h"

/* ---- lists ---- */

static bool sort_is_due(const md_app *app)
{
    const int sort = app->input.sort;
    return sort < 0 || (sort > 0 && app->step % sort == 0);
}

mx_err md_reneighbour(md_app *app)
{
    app_region_begin(app->borders_time);
    MX_TRY(md_migrate(app));
    if (sort_is_due(app)) MX_TRY(md_sort_atoms(app));
    MX_TRY(md_make_borders(app));
    app_region_end(app->borders_time, 0, 0, 4);
    app_region_begin(app->list_time);
    MX_TRY(app_agree(app->base.comm, md_make_list(app)));
    if (app->input.neigh_check)
        MX_TRY(mx_deep_copy(app->base.ctx, app->views.built_position, app->views.position));
    app_region_end(app->list_time, 0, 0, 2);
    return MX_OK;
}

/* Does step number `step` begin with a new list? */
static mx_err list_is_due(md_app *app, int64_t step, bool *due)
{
    double square;
    *due = step % app->input.every == 0;
    if (!app->input.neigh_check) return MX_OK;
    MX_TRY(md_moved(md_own(app), &app->moved, &square));
    MX_TRY(app_max_f64(app->base.comm, &square, 1));
    *due = !(4 * square <= app->input.skin * app->input.skin);
    return MX_OK;
}

/* ---- steps ---- */

static mx_err compute_force(md_app *app, bool energy)
{
    app_region_begin(app->force_time);
    MX_TRY(md_compute_force(app, energy));
    app_region_end(app->force_time, 0, 0, energy);
    return MX_OK;
}

static bool line_is_due(const md_app *app, int64_t step)
{
    const int64_t interval = app->input.thermo;
    return step == app->input.steps || (interval > 0 && step % interval == 0);
}

static mx_err step(md_app *app)
{
    const int64_t step = app->step + 1;
    const bool prints = line_is_due(app, step);
    bool list_due;
    MX_TRY(app->kicked ? md_between_steps(md_own(app), &app->move)
                       : md_begin_step(md_own(app), &app->move));
    MX_TRY(list_is_due(app, step, &list_due));
    app->step = step;
    if (list_due) {
        MX_TRY(md_reneighbour(app));
        app->builds++;
    } else {
        app_region_begin(app->comm_time);
        MX_TRY(md_update_ghosts(app));
        app_region_end(app->comm_time, 0, 0, 0);
    }
    MX_TRY(compute_force(app, prints));
    /* a checkpoint has whole velocities */
    app->kicked = !prints && app->base.checkpoint == NULL;
    if (!app->kicked) MX_TRY(md_end_step(md_own(app), &app->move));
    return prints ? md_print_state(app) : MX_OK;
}

static mx_err begin(md_app *app)
{
    app->first_step = app->step;
    app_print(app->base.report, "# Starting dynamics ...\n# Timestep T U P Time\n");
    MX_TRY(md_reneighbour(app));
    MX_TRY(compute_force(app, true));
    MX_TRY(md_print_state(app));
    app->first = app->last;
    return mx_fence(app->base.ctx);
}

mx_err md_run(void *data)
{
    md_app *const app = data;
    MX_TRY(begin(app));
    app->started = app_now();
    app_region_begin(app->whole_time);
    while (app->step < app->input.steps) {
        MX_TRY(step(app));
        app_progress(app->base.report, "step", app->step, app->input.steps);
        MX_TRY(app_step_end(&app->base, app->step));
        if (app->base.stopped) return MX_OK;
    }
    MX_TRY(mx_fence(app->base.ctx));
    app_progress_end(app->base.report);
    app_region_end(app->whole_time, 0, 0, 0);
    app->seconds = app_now() - app->started;
    return MX_OK;
}
