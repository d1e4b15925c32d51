#include "input/tl_states.h"
#include "run/host_limits.h"
#include "tl_app.h"

#include <stdlib.h>

/* Ghost cells come from the next rank only. The smallest boxes are at the highest coordinates. */
static mx_err check_depth(const tl_app *app)
{
    const app_decomp *const decomp = &app->decomp;
    for (int d = 0; d < decomp->dims; d++) {
        const mx_gid fewest = decomp->global[d] / decomp->ranks[d];
        MX_REQUIRE(decomp->ranks[d] == 1 || fewest >= app->ghosts, MX_ERR_INPUT,
                   "%s: halo_depth: got %d, expected at most %" MX_PRI_GID
                   ": some of the %d ranks along %c have so few cells; use fewer ranks",
                   app->base.options.deck, app->ghosts, fewest, decomp->ranks[d],
                   "zyx"[3 - decomp->dims + d]);
    }
    return app_decomp_check_halo(decomp, app->ghosts);
}

/* Chooses how the system is solved, by the deck and by where the arrays are. */
static mx_err choose_forms(tl_app *app)
{
    mx_ctx_info info;
    MX_TRY(mx_ctx_get_info(app->base.ctx, &info));
    app->other_layout = info.check_layout != info.layout;
    app->on_device = !info.host_accessible;
    return tl_choose_forms(app);
}

static mx_err decompose(tl_app *app)
{
    const tl_deck *deck = &app->deck;
    const mx_gid cells[] = {deck->z_cells, deck->y_cells, deck->x_cells};
    const int flat = tl_is_3d(deck) ? 0 : 1;
    app->ghosts = app->solver->ghosts != NULL ? app->solver->ghosts(app) : 1;
    MX_TRY(app_decomp_create(app->base.comm, 3 - flat, cells + flat, &app->decomp));
    MX_TRY(check_depth(app));
    app->planes = flat ? 1 : app->decomp.cells[0];
    app->rows = app->decomp.cells[1 - flat];
    app->columns = app->decomp.cells[2 - flat];
    app->dx = (deck->xmax - deck->xmin) / (double)deck->x_cells;
    app->dy = (deck->ymax - deck->ymin) / (double)deck->y_cells;
    app->dz = (deck->zmax - deck->zmin) / (double)deck->z_cells;
    return MX_OK;
}

/* What a state fills of row `row` of this rank, counted over all planes, as columns of this
 * rank. */
static void fill_columns(const tl_app *app, const tl_state *state, int row, int32_t *columns)
{
    const bool solid = tl_is_3d(&app->deck);
    const mx_gid *const from = app->decomp.first + (solid ? 1 : 0); /* row, column */
    const int64_t plane = solid ? app->decomp.first[0] + row / app->rows : 0;
    const int64_t begin = from[1], end = begin + app->columns;
    int64_t first, last;
    tl_state_columns(&app->deck, state, plane, from[0] + row % app->rows, &first, &last);
    first = first > begin ? first : begin;
    last = last < end ? last : end;
    columns[0] = (int32_t)(first - begin);
    columns[1] = (int32_t)(last - begin);
}

/* The deck's states as views. */
static mx_err make_states(tl_app *app)
{
    const tl_deck *const deck = &app->deck;
    const int all = app->planes * app->rows; /* tl_make_views has found that an int holds it */
    const size_t rows = (size_t)all, states = (size_t)deck->states;
    MX_TRY(
        mx_view_create_2d(app->base.ctx, "states", MX_F64, deck->states, 2, &app->views.materials));
    MX_TRY(mx_view_create_3d(app->base.ctx, "filled columns", MX_I32, deck->states, all, 2,
                             &app->views.filled));
    double(*const materials)[2] = malloc(states * sizeof *materials);
    int32_t(*const filled)[2] = calloc(states * rows, sizeof *filled);
    mx_err err = materials && filled
                     ? MX_OK
                     : MX_FAIL(MX_ERR_MEMORY, "no memory for %d states", deck->states);
    for (size_t s = 0; err == MX_OK && s < states; s++) {
        materials[s][0] = deck->state[s].density;
        materials[s][1] = deck->state[s].energy;
        for (int j = 0; s > 0 && j < all; j++)
            fill_columns(app, &deck->state[s], j, filled[s * rows + (size_t)j]);
    }
    if (err == MX_OK) err = mx_import(app->base.ctx, app->views.materials, &materials[0][0], NULL);
    if (err == MX_OK) err = mx_import(app->base.ctx, app->views.filled, &filled[0][0], NULL);
    free(materials);
    free(filled);
    return err;
}

/* Density and energy of this rank's cells, and the sums with which verify.c compares the
 * summaries. */
static mx_err fill_states(tl_app *app)
{
    tl_filled_sums sums;
    MX_TRY(make_states(app));
    app->bound.materials = app->views.materials;
    app->bound.filled = app->views.filled;
    MX_TRY(tl_fill_args_bind(app->base.ctx, &app->bound, &app->fill));
    app->fill.mesh = app->mesh;
    app->fill.states = app->deck.states;
    app->fill.ghosts = app->ghosts;
    app->fill.rows = app->rows;
    app->fill.volume = app->dx * app->dy * app->dz;
    MX_TRY(TL_LAUNCH(tl_fill, app, 0, &app->fill, &sums));
    app->deck_summary.mass = sums.mass;
    app->deck_summary.energy = sums.energy;
    return MX_OK;
}

static mx_err make_inverse(tl_app *app)
{
    const bool solid = tl_is_3d(&app->deck);
    const int dims = app->decomp.dims, flat = 3 - dims;
    mx_range_2 cells = tl_cells(app, app->ghosts);
    mx_range_3 cells_3d = tl_cells_3d(app, app->ghosts);
    int64_t *const begin = solid ? cells_3d.begin : cells.begin;
    int64_t *const end = solid ? cells_3d.end : cells.end;
    for (int d = 0; d < dims; d++) {
        app->inverse.first[d + flat] = (int)begin[d];
        app->inverse.last[d + flat] = (int)end[d] - 1;
        if (app->decomp.neighbour[d][0] < 0) begin[d]--;
        if (app->decomp.neighbour[d][1] < 0) end[d]++;
    }
    app->inverse.inverse = app->deck.coefficient == TL_COEFFICIENT_INVERSE_DENSITY;
    return solid ? tl_inverse_3d(cells_3d, &app->inverse) : tl_inverse(cells, &app->inverse);
}

/* The conductivity, and 1 / diagonal. They never change, because the density does not. They are
 * also needed in the ghosts, where kernels compute cells of other ranks. */
static mx_err make_matrix(tl_app *app)
{
    MX_TRY(app_box_halo_exchange(app->halo, app->ghosts, &app->views.density, 1, APP_HALO_CORNERS));
    MX_TRY(make_inverse(app));
    if (!(tl_arrays_of_forms(app) & TL_ARRAY_DIAGONAL)) return MX_OK;
    return TL_LAUNCH(tl_diagonal, app, app->ghosts - 1, &app->diagonal);
}

static mx_err set_up_local(tl_app *app)
{
    MX_TRY(tl_make_views(app));
    app->summary.volume = app->dx * app->dy * app->dz;
    return fill_states(app);
}

static void print_mesh(const tl_app *app)
{
    const tl_deck *const d = &app->deck;
    const int *const ranks = app->decomp.ranks;
    if (tl_is_3d(d))
        app_print(app->base.report, " mesh %lld x %lld x %lld, decomposed into %d by %d by %d\n",
                  (long long)d->x_cells, (long long)d->y_cells, (long long)d->z_cells, ranks[2],
                  ranks[1], ranks[0]);
    else
        app_print(app->base.report, " mesh %lld x %lld, decomposed into %d by %d\n",
                  (long long)d->x_cells, (long long)d->y_cells, ranks[1], ranks[0]);
}

static void print_banner(tl_app *app)
{
    const app_report report = app->base.report;
    app_print(
        report,
        "\n Tea (minx %s)\n\n deck %s (%s dialect; eps is relative to each step's initial residual)\n",
        mx_version(), app->base.options.deck,
        app->deck.dialect == TL_DIALECT_PORT ? "port" : "reference");
    app_print_place(&app->base);
    print_mesh(app);
    tl_print_forms(app);
}

/* The original codes accept such states, so decks with them still run. */
static void print_states_outside(tl_app *app)
{
    for (int i = 0; i < app->deck.states; i++)
        if (tl_state_is_outside(&app->deck, &app->deck.state[i]))
            app_print_note(&app->base, "state %d lies outside of the domain and fills no cell",
                           i + 1);
}

static void print_old_keys(tl_app *app)
{
    const app_keys *const keys = &app->base.keys;
    const app_given *old = NULL;
    while ((old = tl_deck_old_key(keys, old)) != NULL) {
        const app_key *const row = &keys->input->keys[old - keys->given];
        app_print_note(&app->base, "%s:%ld: %s: a key of older versions, without effect: %s",
                       app->base.options.deck, old->key.line, row->name, row->help);
    }
}

static mx_err set_up(tl_app *app)
{
    const app_base *const base = &app->base;
    const char *const out = app->deck.out;
    if (out != NULL) MX_TRY(app_path_writes(&app->base, "out", "the output file", out));
    MX_TRY(tl_deck_check_problem(base->options.deck, &app->deck));
    MX_TRY(app_agree(base->comm, choose_forms(app)));
    MX_TRY(app_agree(base->comm, decompose(app)));
    MX_TRY(app_memory_check(base->comm, base->ctx, tl_bytes_needed(app), "cells"));
    MX_TRY(app_agree(base->comm, set_up_local(app)));
    MX_TRY(app_box_halo_create(base->transport, &app->decomp, app->ghosts, &app->halo));
    MX_TRY(make_matrix(app));
    MX_TRY(tl_create_forms(app));
    MX_TRY(app_region_add(base->report, TL_SOLVE_REGION, &app->solve));
    MX_TRY(app_region_add(base->report, TL_OTHER_REGION, &app->rest));
    app_solves(&app->base, &(app_problem){.name = tl_problem_name(&app->deck, &app->problem),
                                          .size = (int64_t)tl_cells_of(&app->deck),
                                          .merit = "cell iteration rate",
                                          .unit = "cell iterations/s",
                                          .solve = app->solve});
    MX_TRY(mx_fence(base->ctx));
    /* nothing refuses the run from here on, so an older file may go */
    if (out != NULL) MX_TRY(app_report_copy_to(base->report, out));
    print_banner(app);
    print_states_outside(app);
    print_old_keys(app);
    return MX_OK;
}

mx_err tl_set_up(tl_app *app) { return app_end_stage(&app->base, set_up(app)); }

void tl_clean_up(tl_app *app)
{
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
    for (size_t s = 0; s < sizeof series / sizeof series[0]; s++) app_series_free(series[s]);
    tl_destroy_forms(app);
    app_box_halo_destroy(&app->halo);
    tl_destroy_views(app);
}
