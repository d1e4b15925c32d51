/* The time loop: velocity Verlet. Lists last for `every` steps, in which ghosts get the positions
 * of their atoms; then atoms migrate, are sorted, and get new borders and lists. With neigh_check,
 * after every `every` steps a list is kept unless an atom has moved half the skin. With every=1 two
 * atoms cannot have come within the cutoff that are not in each other's list; with longer intervals
 * they can, if an atom moves farther than half the skin between two checks.
 *
 * The end of a step and the start of the next are one kernel where nothing looks at the velocities
 * in between. Then the host waits only for messages of other ranks, for new lists, for the check of
 * neigh_check, and for lines of output. */
#include "md_app.h"

/* ---- lists ---- */

static bool sort_is_due(const md_app *app)
{
    const int sort = app->input.sort;
    return sort < 0 || (sort > 0 && app->step % sort == 0);
}

/* The positions, velocities, types and ids of local atoms are read and written twice, by migration
 * and by sorting; each ghost is packed and unpacked. */
static md_work borders_work(const md_app *app)
{
    const double local = app->local, ghosts = app->ghosts;
    return (md_work){.bytes = 2 * 2 * 60 * local + 2 * 2 * 28 * ghosts};
}

static md_work ghosts_work(const md_app *app)
{
    return (md_work){.bytes = 2 * 2 * 24.0 * app->ghosts};
}

/* Positions are read to find bins, and again with the atoms' order. Some five times as many pairs
 * as are in the list are tried. */
static md_work list_work(const md_app *app)
{
    const double atoms = (double)app->local + app->ghosts, pairs = (double)app->pairs;
    return (md_work){.bytes = (2 * 24 + 3 * 4) * atoms + 4 * pairs, .flops = 5 * 8 * pairs};
}

static md_work motion_work(const md_app *app)
{
    return (md_work){.bytes = 5 * 24.0 * app->local, .flops = 15.0 * app->local};
}

mx_err md_reneighbour(md_app *app)
{
    MX_TRY(md_part_begin(app, MD_PART_BORDERS));
    MX_TRY(md_migrate(app));
    app->interior = 0;
    if (sort_is_due(app)) MX_TRY(md_sort_atoms(app));
    MX_TRY(md_make_borders(app));
    MX_TRY(md_part_end(app, MD_PART_BORDERS, borders_work(app)));
    MX_TRY(md_part_begin(app, MD_PART_LIST));
    MX_TRY(app_agree(app->base.comm, app->form->build(app)));
    if (md_keeps_built(app))
        MX_TRY(mx_deep_copy(app->base.ctx, app->views.built_position, app->views.position));
    return md_part_end(app, MD_PART_LIST, list_work(app));
}

/* Does step number `step` begin with a new list? */
static mx_err list_is_due(md_app *app, int64_t step, bool *due)
{
    double square;
    *due = step % app->input.every == 0;
    if (!*due || !app->input.neigh_check) return MX_OK;
    MX_TRY(md_moved(md_local_range(app), &app->moved, &square));
    MX_TRY(app_max_f64(app->base.comm, &square, 1));
    *due = !(4 * square <= app->input.skin * app->input.skin);
    return MX_OK;
}

/* ---- steps ---- */

static mx_err compute_force(md_app *app, bool energy)
{
    MX_TRY(md_part_begin(app, MD_PART_FORCE));
    MX_TRY(md_compute_force(app, energy));
    return md_part_end(app, MD_PART_FORCE, md_force_work(app));
}

/* The motion to the positions of the next step. */
static mx_err drift(md_app *app)
{
    MX_TRY(md_part_begin(app, MD_PART_MOTION));
    MX_TRY(app->kicked ? md_between_steps(md_local_range(app), &app->move)
                       : md_begin_step(md_local_range(app), &app->move));
    return md_part_end(app, MD_PART_MOTION, motion_work(app));
}

static mx_err update_ghosts(md_app *app)
{
    MX_TRY(md_part_begin(app, MD_PART_GHOSTS));
    MX_TRY(md_update_ghosts(app));
    return md_part_end(app, MD_PART_GHOSTS, ghosts_work(app));
}

/* The phases of forces: the first one while ghosts are on their way. */
static mx_err compute_with_overlap(md_app *app)
{
    const md_work none = {0};
    MX_TRY(md_part_begin(app, MD_PART_GHOSTS));
    MX_TRY(md_update_ghosts_begin(app));
    MX_TRY(md_part_end(app, MD_PART_GHOSTS, none));
    MX_TRY(md_part_begin(app, MD_PART_FORCE));
    MX_TRY(md_compute_force_part(app, MD_WITHOUT_GHOSTS));
    MX_TRY(md_part_end(app, MD_PART_FORCE, none));
    MX_TRY(md_part_begin(app, MD_PART_GHOSTS));
    MX_TRY(md_update_ghosts_end(app));
    MX_TRY(md_part_end(app, MD_PART_GHOSTS, ghosts_work(app)));
    MX_TRY(md_part_begin(app, MD_PART_FORCE));
    MX_TRY(md_compute_force_part(app, MD_WITH_GHOSTS));
    return md_part_end(app, MD_PART_FORCE, md_force_work(app));
}

static bool overlaps(const md_app *app) { return app->input.overlap && md_force_has_parts(app); }

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
    MX_TRY(drift(app));
    MX_TRY(list_is_due(app, step, &list_due));
    app->step = step;
    if (list_due) {
        MX_TRY(md_reneighbour(app));
        app->builds++;
    }
    if (!list_due && !prints && overlaps(app)) {
        MX_TRY(compute_with_overlap(app));
    } else {
        if (!list_due) MX_TRY(update_ghosts(app));
        MX_TRY(compute_force(app, prints));
    }
    /* a checkpoint has whole velocities */
    app->kicked = !prints && app->base.checkpoint == NULL;
    if (!app->kicked) MX_TRY(md_end_step(md_local_range(app), &app->move));
    if (prints) MX_TRY(md_print_state(app));
    return md_add_frame(app);
}

/* Lists and forces, which a checkpoint does not have. After a restart the state is in the history
 * already, unless the run before was to go on: then its line was not due. Frames are those of the
 * steps after the restart. */
static mx_err begin(md_app *app)
{
    MX_TRY(md_begin_frames(app));
    MX_TRY(app->base.restarted ? md_resume(app) : md_reneighbour(app));
    md_print_settings(app);
    app_print(app->base.report, "# Starting dynamics ...\n# Timestep T U P Time\n");
    /* after a restart by the same kernel as before: another may round otherwise */
    const bool energy = !app->base.restarted || line_is_due(app, app->step);
    MX_TRY(compute_force(app, energy));
    MX_TRY(md_check_first_force(app, energy));
    if (app->base.restarted && app->step < app->input.steps) return MX_OK;
    MX_TRY(md_print_state(app));
    return app->base.restarted ? MX_OK : md_add_frame(app);
}

static mx_err run(md_app *app)
{
    MX_TRY(begin(app));
    MX_TRY(md_loop_begin(app));
    while (app->step < app->input.steps && !app->base.stopped) {
        MX_TRY(step(app));
        app_progress(app->base.report, "step", app->step, app->input.steps);
        MX_TRY(app_step_end(&app->base, app->step));
    }
    MX_TRY(md_loop_end(app));
    app_progress_end(app->base.report);
    return MX_OK;
}

mx_err md_run(md_app *app) { return app_end_run(&app->base, run(app)); }
