#include "tl_app.h"
#include "tl_states.h"

#include <stdlib.h>

mx_range_2 tl_cells(const tl_app *app)
{
    return mx_range_2d(app->base.ctx, app->ghosts, app->ghosts + app->rows, app->ghosts,
                       app->ghosts + app->columns);
}

static mx_err decompose(tl_app *app)
{
    const tl_deck *deck = &app->deck;
    const mx_gid cells[] = {deck->y_cells, deck->x_cells};
    MX_TRY(app_decomp_create(app->base.comm, 2, cells, &app->decomp));
    app->rows = app->decomp.cells[0];
    app->columns = app->decomp.cells[1];
    app->dx = (deck->xmax - deck->xmin) / (double)deck->x_cells;
    app->dy = (deck->ymax - deck->ymin) / (double)deck->y_cells;
    app->ghosts =
        deck->solver == TL_SOLVER_PPCG && app_size(app->base.comm) > 1 ? deck->halo_depth : 1;
    app->inner_steps = tl_inner_steps(deck);
    return MX_OK;
}

/* What only some solvers and preconditioners use. */
static bool uses_z(const tl_deck *d)
{
    return d->solver == TL_SOLVER_PPCG || d->preconditioner != TL_PRECONDITIONER_NONE;
}

static bool uses_diagonal(const tl_deck *d)
{
    return d->solver == TL_SOLVER_JACOBI || d->preconditioner == TL_PRECONDITIONER_DIAGONAL;
}

static bool uses_steps(const tl_deck *d) { return d->solver != TL_SOLVER_CG; }

static mx_err make_views(tl_app *app)
{
    const tl_deck *const d = &app->deck;
    const struct {
        const char *label;
        mx_view *view;
        bool needed;
    } fields[] = {
        {"density", &app->views.density, true},
        {"energy", &app->views.energy, true},
        {"temperature", &app->views.u, true},
        {"temperature at start", &app->views.u_start, true},
        {"kx", &app->views.kx, true},
        {"ky", &app->views.ky, true},
        {"cg p", &app->views.p, true},
        {"cg r", &app->views.r, true},
        {"cg w", &app->views.w, true},
        {"cg z", &app->views.z, uses_z(d)},
        {"1 / diagonal", &app->views.diagonal, uses_diagonal(d)},
        {"next", &app->views.next, uses_steps(d)},
        {"step", &app->views.step, uses_steps(d)},
    };
    for (size_t f = 0; f < sizeof fields / sizeof fields[0]; f++) {
        if (!fields[f].needed) continue;
        MX_TRY(mx_view_create_2d(app->base.ctx, fields[f].label, MX_F64,
                                 app->rows + 2 * app->ghosts, app->columns + 2 * app->ghosts,
                                 fields[f].view));
    }
    MX_TRY(
        mx_view_create_1d(app->base.ctx, "cg r.r", MX_F64, TL_RING * TL_SCALARS, &app->views.rr));
    MX_TRY(mx_view_create_1d(app->base.ctx, "cg p.w", MX_F64, TL_RING, &app->views.pw));
    MX_TRY(mx_mirror_view_create(app->views.rr, &app->rr_host));
    return mx_mirror_view_create(app->views.pw, &app->pw_host);
}

/* The two sets of arguments of a step: from `u` to next, and back. */
static mx_err bind_steps(tl_app *app, mx_view b, mx_view u, tl_polynomial_args pair[2])
{
    const tl_views *const v = &app->views;
    tl_polynomial_views views = {.step = v->step,
                                 .next = v->next,
                                 .b = b,
                                 .u = u,
                                 .kx = v->kx,
                                 .ky = v->ky,
                                 /* kx: not read */
                                 .diagonal = uses_diagonal(&app->deck) ? v->diagonal : v->kx};
    MX_TRY(tl_polynomial_args_bind(app->base.ctx, &views, &pair[0]));
    views.next = u;
    views.u = v->next;
    return tl_polynomial_args_bind(app->base.ctx, &views, &pair[1]);
}

static mx_err bind_others(tl_app *app)
{
    const mx_ctx ctx = app->base.ctx;
    const tl_deck *const d = &app->deck;
    tl_views views = app->views;
    if (uses_diagonal(d)) MX_TRY(tl_diagonal_args_bind(ctx, &views, &app->diagonal));
    if (uses_steps(d)) MX_TRY(bind_steps(app, views.u_start, views.u, app->on_u));
    if (!uses_z(d)) return MX_OK;
    if (uses_steps(d)) MX_TRY(bind_steps(app, views.r, views.z, app->on_z));
    MX_TRY(tl_dot_args_bind(ctx, &views, &app->dot));
    if (!uses_diagonal(d)) views.diagonal = views.kx; /* not read */
    MX_TRY(tl_precondition_args_bind(ctx, &views, &app->precondition));
    views.r = views.z;
    return tl_cg_direction_args_bind(ctx, &views, &app->direction_of_z);
}

static mx_err bind_kernels(tl_app *app)
{
    const mx_ctx ctx = app->base.ctx;
    const tl_views *const views = &app->views;
    MX_TRY(tl_faces_args_bind(ctx, views, &app->faces));
    MX_TRY(tl_start_args_bind(ctx, views, &app->start));
    MX_TRY(tl_finish_args_bind(ctx, views, &app->finish));
    MX_TRY(tl_summary_args_bind(ctx, views, &app->summary));
    MX_TRY(tl_residual_args_bind(ctx, views, &app->residual));
    MX_TRY(tl_error_args_bind(ctx, views, &app->error));
    MX_TRY(tl_cg_matvec_args_bind(ctx, views, &app->matvec));
    MX_TRY(tl_cg_update_args_bind(ctx, views, &app->update));
    MX_TRY(tl_cg_direction_args_bind(ctx, views, &app->direction));
    return bind_others(app);
}

/* What a state fills of this rank's row j, as columns of this rank. */
static void fill_columns(const tl_app *app, const tl_state *state, int j, int32_t *columns)
{
    const int64_t begin = app->decomp.first[1], end = begin + app->columns;
    int64_t first, last;
    tl_state_columns(&app->deck, state, app->decomp.first[0] + j, &first, &last);
    first = first > begin ? first : begin;
    last = last < end ? last : end;
    columns[0] = (int32_t)(first - begin);
    columns[1] = (int32_t)(last - begin);
}

/* The deck's states as views. */
static mx_err make_states(tl_app *app)
{
    const tl_deck *const deck = &app->deck;
    const size_t rows = (size_t)app->rows, states = (size_t)deck->states;
    MX_TRY(
        mx_view_create_2d(app->base.ctx, "states", MX_F64, deck->states, 2, &app->views.materials));
    MX_TRY(mx_view_create_3d(app->base.ctx, "filled columns", MX_I32, deck->states, app->rows, 2,
                             &app->views.filled));
    double(*const materials)[2] = malloc(states * sizeof *materials);
    int32_t(*const filled)[2] = calloc(states * rows, sizeof *filled);
    mx_err err = materials && filled
                     ? MX_OK
                     : MX_FAIL(MX_ERR_MEMORY, "no memory for %d states", deck->states);
    for (size_t s = 0; err == MX_OK && s < states; s++) {
        materials[s][0] = deck->state[s].density;
        materials[s][1] = deck->state[s].energy;
        for (int j = 0; s > 0 && j < app->rows; j++)
            fill_columns(app, &deck->state[s], j, filled[s * rows + (size_t)j]);
    }
    if (err == MX_OK) err = mx_import(app->base.ctx, app->views.materials, &materials[0][0], NULL);
    if (err == MX_OK) err = mx_import(app->base.ctx, app->views.filled, &filled[0][0], NULL);
    free(materials);
    free(filled);
    return err;
}

/* Density and energy of this rank's cells, and the sums with which verify.c compares the summaries. */
static mx_err fill_states(tl_app *app)
{
    tl_filled_sums sums;
    MX_TRY(make_states(app));
    MX_TRY(tl_fill_args_bind(app->base.ctx, &app->views, &app->fill));
    app->fill.states = app->deck.states;
    app->fill.ghosts = app->ghosts;
    app->fill.volume = app->dx * app->dy;
    MX_TRY(tl_fill(tl_cells(app), &app->fill, &sums));
    app->deck_summary.mass = sums.mass;
    app->deck_summary.energy = sums.energy;
    return MX_OK;
}

/* The conductivity of faces, and 1 / diagonal: the density never changes, so they do not either. Also in the ghosts, where kernels
 * compute cells of other ranks. */
static mx_err make_matrix(tl_app *app)
{
    const double dt = app->deck.initial_timestep;
    MX_TRY(app_box_halo_exchange(app->halo, app->ghosts, &app->views.density, 1, APP_HALO_CORNERS));
    app->faces.rx = dt / (app->dx * app->dx);
    app->faces.ry = dt / (app->dy * app->dy);
    app->faces.inverse = app->deck.coefficient == TL_COEFFICIENT_INVERSE_DENSITY;
    app->faces.ghosts = app->ghosts;
    app->faces.row0 = (int)app->decomp.first[0];
    app->faces.column0 = (int)app->decomp.first[1];
    app->faces.rows = (int)app->deck.y_cells;
    app->faces.columns = (int)app->deck.x_cells;
    const mx_range_2 cells = tl_cells_and_ghosts(app, app->ghosts - 1);
    mx_range_2 faces = cells;
    for (int d = 0; d < 2; d++) faces.end[d]++;
    MX_TRY(tl_faces(faces, &app->faces));
    return uses_diagonal(&app->deck) ? tl_diagonal(cells, &app->diagonal) : MX_OK;
}

static mx_err set_up_alone(tl_app *app)
{
    MX_TRY(make_views(app));
    MX_TRY(bind_kernels(app));
    app->summary.volume = app->dx * app->dy;
    return fill_states(app);
}

static void print_banner(tl_app *app)
{
    const app_report report = app->base.report;
    app_print(
        report,
        "\n Tea (minx %s)\n\n deck %s (%s dialect; eps is relative to each step's initial residual)\n",
        mx_version(), app->base.options.deck,
        app->deck.dialect == TL_DIALECT_REFERENCE ? "reference" : "port");
    app_print_place(&app->base);
    app_print(report, " mesh %lld x %lld, decomposed into %d by %d\n", (long long)app->deck.x_cells,
              (long long)app->deck.y_cells, app->decomp.ranks[1], app->decomp.ranks[0]);
}

/* The original codes accept such states, so decks with them still run. */
static void note_states_outside(tl_app *app)
{
    for (int i = 0; i < app->deck.states; i++)
        if (tl_state_is_outside(&app->deck, &app->deck.state[i]))
            app_note(&app->base, "state %d lies outside of the domain and fills no cell", i + 1);
}

static const char *const region_names[] = {
    [TL_SOLVER_CG] = "cg solve",
    [TL_SOLVER_JACOBI] = "jacobi solve",
    [TL_SOLVER_CHEBYSHEV] = "chebyshev solve",
    [TL_SOLVER_PPCG] = "ppcg solve",
};

mx_err tl_set_up(void *data)
{
    tl_app *const app = data;
    const app_base *const base = &app->base;
    MX_TRY(tl_deck_check_problem(base->options.deck, &app->deck));
    MX_TRY(app_agree(base->comm, decompose(app)));
    MX_TRY(app_agree(base->comm, set_up_alone(app)));
    MX_TRY(app_box_halo_create(base->transport, &app->decomp, app->ghosts, &app->halo));
    MX_TRY(make_matrix(app));
    MX_TRY(app_region_add(base->report, "whole run", &app->whole));
    MX_TRY(app_region_add(base->report, region_names[app->deck.solver], &app->solve));
    MX_TRY(app_region_add(base->report, "step begin and end", &app->rest));
    MX_TRY(mx_fence(base->ctx));
    print_banner(app);
    note_states_outside(app);
    return MX_OK;
}

void tl_clean_up(void *data)
{
    tl_app *const app = data;
    mx_view *views[] = {
        &app->views.density,   &app->views.energy, &app->views.u,  &app->views.u_start,
        &app->views.kx,        &app->views.ky,     &app->views.p,  &app->views.r,
        &app->views.w,         &app->views.rr,     &app->views.pw, &app->rr_host,
        &app->views.materials, &app->views.filled, &app->views.z,  &app->views.diagonal,
        &app->views.next,      &app->views.step,   &app->pw_host};
    app_series *series[] = {&app->residuals,
                            &app->rho,
                            &app->pw,
                            &app->step_iterations,
                            &app->summaries.step,
                            &app->summaries.time,
                            &app->summaries.volume,
                            &app->summaries.mass,
                            &app->summaries.energy,
                            &app->summaries.temperature};
    for (size_t v = 0; v < sizeof views / sizeof views[0]; v++) (void)mx_view_destroy(views[v]);
    for (size_t s = 0; s < sizeof series / sizeof series[0]; s++) app_series_free(series[s]);
    app_box_halo_destroy(&app->halo);
}
