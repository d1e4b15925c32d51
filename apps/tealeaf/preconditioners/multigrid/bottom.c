/* Small grids. Where a grid has few cells, each rank gets all of them by one sum over the ranks.
 * It then does the rest of the cycle alone, down to one cell, where the solution is exact. Each rank
 * computes the same, so x needs no exchange. The host makes the matrices once.
 *
 * The cycle over the grids of at most TEAM_CELLS cells is one launch of one team. Larger ones, which
 * ranks gather because a message takes longer than all of their cells (grids.c), have a launch
 * for each part of the cycle. On devices these launches are a graph, which the first cycle records. */
#include "tl_bottom.h"

#include "minx/extend.h"

#include <stdlib.h>
#include <string.h>

static const int64_t TEAM_CELLS = 2048;

/* ---- the matrices, on the host ---- */

static double *array_of(double *data, const tl_bottom_grid *g, int array)
{
    return data + g->begin + array * g->size;
}

static int place(const tl_bottom_grid *g, bool solid, const int *at)
{
    return (solid ? at[0] * g->plane : 0) + at[1] * g->row + at[2];
}

/* Goes to the next cell; false behind the last one. Begins at {1, 1, 0}. */
static bool next_cell(const tl_bottom_grid *g, int *at)
{
    for (int d = TL_GRID_DIMS - 1; d >= 0; d--) {
        if (at[d] < g->cells[d]) {
            at[d]++;
            return true;
        }
        at[d] = 1;
    }
    return false;
}

static void make_weights(double *data, const tl_bottom_grid *g, bool solid, double *const *width)
{
    const int step[] = {1, g->row, g->plane};
    int at[] = {1, 1, 0};
    while (next_cell(g, at)) {
        const int n = place(g, solid, at);
        double sum = width[1][at[1] - 1] * width[2][at[2] - 1];
        if (solid) sum *= width[0][at[0] - 1];
        for (int d = 0; d < (solid ? 3 : 2); d++) {
            const double *const face = array_of(data, g, TL_BOTTOM_FACE_X + d);
            sum += face[n] + face[n + step[d]];
        }
        array_of(data, g, TL_BOTTOM_WEIGHT)[n] = 1 / sum;
    }
}

/* Between the centres of the cell of index `at` and the one before, doubled. */
static double distance(const double *width, int at) { return width[at - 2] + width[at - 1]; }

/* Adds each fine face that is between two coarse cells to theirs. */
static void add_faces(double *data, const tl_bottom_grid *g, bool solid, double *const *fine,
                      double *const *coarse)
{
    const tl_transfer *const t = &g->transfer;
    int at[] = {1, 1, 0};
    while (next_cell(g, at)) {
        int to[TL_GRID_DIMS];
        for (int d = 0; d < TL_GRID_DIMS; d++) to[d] = TL_COARSE_INDEX(t, d, at[d]);
        for (int d = solid ? 0 : 1; d < TL_GRID_DIMS; d++) {
            const int array = TL_BOTTOM_FACE_X + 2 - d;
            if (to[d] == 1 || at[d] != TL_FINE_BEGIN(t, d, to[d])) continue;
            array_of(data, g + 1, array)[place(g + 1, solid, to)] +=
                array_of(data, g, array)[place(g, solid, at)] * distance(fine[d], at[d]) /
                distance(coarse[d], to[d]);
        }
    }
}

/* The widths of the next grid's cells, from those of grid g. */
static mx_err add_widths(const tl_bottom_grid *g, double *const *fine, double **coarse)
{
    for (int d = 0; d < TL_GRID_DIMS; d++) {
        coarse[d] = calloc((size_t)g->cells[d], sizeof *coarse[d]);
        MX_REQUIRE(coarse[d] != NULL, MX_ERR_MEMORY, "no memory for the widths of %d cells",
                   g->cells[d]);
        for (int n = 1; n <= g->cells[d]; n++)
            coarse[d][TL_COARSE_INDEX(&g->transfer, d, n) - 1] += fine[d][n - 1];
    }
    return MX_OK;
}

/* From the faces of the first grid. */
static mx_err make_matrices(const tl_bottom_of *of, const tl_bottom_args *c, double *data)
{
    make_weights(data, &c->grid[0], of->solid, of->width);
    for (int n = 0; n + 1 < c->grids; n++) {
        const tl_bottom_grid *const g = &c->grid[n];
        double *coarse[TL_GRID_DIMS] = {NULL};
        const mx_err err = add_widths(g, of->width, coarse);
        if (err == MX_OK) {
            add_faces(data, g, of->solid, of->width, coarse);
            make_weights(data, g + 1, of->solid, coarse);
        }
        for (int d = 0; d < TL_GRID_DIMS; d++) {
            if (err == MX_OK)
                memcpy(of->width[d], coarse[d], (size_t)g[1].cells[d] * sizeof *coarse[d]);
            free(coarse[d]);
        }
        MX_TRY(err);
    }
    return MX_OK;
}

/* ---- arguments ---- */

static mx_err collect(const app_base *base, tl_bottom *bottom, int array)
{
    const tl_bottom_grid *const g = &bottom->collect.grid;
    bottom->collect.array = array;
    MX_TRY(tl_bottom_collect(mx_range_1d(base->ctx, 0, g->size), &bottom->collect));
    return app_sum_view(base->transport, bottom->data, g->begin + array * g->size, g->size);
}

static mx_err bind_copy(const app_base *base, const tl_bottom_of *of, const tl_bottom *bottom,
                        mx_view local, tl_bottom_copy_args *args)
{
    MX_TRY(mx_bind(base->ctx, local, &args->local));
    MX_TRY(mx_bind(base->ctx, bottom->data, &args->data));
    args->grid = bottom->cycle.grid[0];
    args->solid = of->solid;
    args->shape = of->shape;
    memcpy(args->from, of->first, sizeof args->from);
    memcpy(args->cells, of->cells, sizeof args->cells);
    return MX_OK;
}

static mx_err collect_faces(const app_base *base, const tl_bottom_of *of, tl_bottom *bottom)
{
    const mx_view faces[] = {of->views->face_x, of->views->face_y, of->views->face_z};
    for (int d = 0; d < (of->solid ? 3 : 2); d++) {
        MX_TRY(bind_copy(base, of, bottom, faces[d], &bottom->collect));
        MX_TRY(collect(base, bottom, TL_BOTTOM_FACE_X + d));
    }
    return MX_OK;
}

/* A device runs one large team, and the launches on larger grids as a graph. On simt, which stands for
 * a device, the team is small, because its lanes are threads of the host. */
static mx_err choose_launches(const app_base *base, tl_bottom *bottom)
{
    enum { LANES = 32 };
    tl_bottom_args *const c = &bottom->cycle;
    mx_ctx_info info;
    mx_ctx_details details;
    MX_TRY(mx_ctx_get_info(base->ctx, &info));
    MX_TRY(mx_ctx_get_details(base->ctx, &details));
    bottom->team = info.device >= 0 ? mx_league(base->ctx, 1, MX_TEAM_MAX / LANES, LANES)
                                    : mx_league(base->ctx, 1, MX_AUTO, MX_AUTO);
    for (c->team = 0; c->team + 1 < c->grids; c->team++) {
        const int *const cells = c->grid[c->team].cells;
        if ((int64_t)cells[0] * cells[1] * cells[2] <= TEAM_CELLS) break;
    }
    bottom->replays = c->team > 0 && !details.checked && !info.host_accessible;
    return MX_OK;
}

mx_err tl_bottom_create(const app_base *base, const tl_bottom_of *of, tl_bottom *bottom)
{
    tl_bottom_args *const c = &bottom->cycle;
    c->solid = of->solid;
    int count;
    MX_TRY(tl_bottom_make_grids(of->global, of->spacing, c, &count));
    MX_TRY(mx_view_create_1d(base->ctx, "multigrid, small grids", MX_F64, count, &bottom->data));
    MX_TRY(mx_bind(base->ctx, bottom->data, &c->data));
    c->steps = of->steps;
    memcpy(c->omega, of->omega, (size_t)of->steps * sizeof c->omega[0]);
    MX_TRY(collect_faces(base, of, bottom));
    double *const data = calloc((size_t)count, sizeof *data);
    MX_REQUIRE(data != NULL, MX_ERR_MEMORY, "no memory for %d numbers of small grids", count);
    mx_err err = mx_export(base->ctx, bottom->data, data, NULL);
    if (err == MX_OK) err = make_matrices(of, c, data);
    if (err == MX_OK) err = mx_import(base->ctx, bottom->data, data, NULL);
    free(data);
    MX_TRY(err);
    MX_TRY(bind_copy(base, of, bottom, of->views->b, &bottom->collect));
    MX_TRY(bind_copy(base, of, bottom, of->views->x, &bottom->spread));
    bottom->spread.array = TL_BOTTOM_X;
    return choose_launches(base, bottom);
}

void tl_bottom_destroy(tl_bottom *bottom)
{
    mx_graph_destroy(&bottom->graph);
    (void)mx_view_destroy(&bottom->data);
}

/* ---- the cycle ---- */

/* A team for each row of grid n. */
static mx_teams rows_of(const tl_bottom *bottom, int n)
{
    const int *const cells = bottom->cycle.grid[n].cells;
    return mx_league(bottom->team.ctx, (int64_t)cells[0] * cells[1], MX_AUTO, MX_AUTO);
}

/* Step number s of a cycle on grid n. */
static mx_err step(tl_bottom *bottom, int n, int s)
{
    tl_bottom_args *const c = &bottom->cycle;
    c->part = (tl_bottom_part){.grid = n,
                               .from = TL_BOTTOM_AFTER(s),
                               .to = TL_BOTTOM_AFTER(s + 1),
                               .omega = c->omega[s < c->steps ? s : 2 * c->steps - 1 - s]};
    return s == 0 ? tl_bottom_first(rows_of(bottom, n), c) : tl_bottom_step(rows_of(bottom, n), c);
}

static mx_err smooth_and_restrict(tl_bottom *bottom, int n)
{
    tl_bottom_args *const c = &bottom->cycle;
    for (int s = 0; s < c->steps; s++) MX_TRY(step(bottom, n, s));
    c->part = (tl_bottom_part){.grid = n, .from = TL_BOTTOM_AFTER(c->steps)};
    return tl_bottom_restrict(rows_of(bottom, n + 1), c);
}

static mx_err correct_and_smooth(tl_bottom *bottom, int n)
{
    tl_bottom_args *const c = &bottom->cycle;
    c->part = (tl_bottom_part){.grid = n, .to = TL_BOTTOM_AFTER(c->steps)};
    MX_TRY(tl_bottom_correct(rows_of(bottom, n), c));
    for (int s = c->steps; s < 2 * c->steps; s++) MX_TRY(step(bottom, n, s));
    return MX_OK;
}

/* What follows `collect`: launches, which need no message. */
static mx_err solve_collected(const app_base *base, tl_bottom *bottom)
{
    const int *const n = bottom->spread.cells, larger = bottom->cycle.team;
    for (int g = 0; g < larger; g++) MX_TRY(smooth_and_restrict(bottom, g));
    MX_TRY(tl_bottom_cycle(bottom->team, &bottom->cycle));
    for (int g = larger - 1; g >= 0; g--) MX_TRY(correct_and_smooth(bottom, g));
    return bottom->spread.solid
               ? tl_bottom_spread_3d(mx_range_3d(base->ctx, 0, n[0] + 2, 0, n[1] + 2, 0, n[2] + 2),
                                     &bottom->spread)
               : tl_bottom_spread(mx_range_2d(base->ctx, 0, n[1] + 2, 0, n[2] + 2),
                                  &bottom->spread);
}

static mx_err record(const app_base *base, tl_bottom *bottom)
{
    MX_TRY(mx_graph_create(base->ctx, &bottom->graph));
    mx_err err = solve_collected(base, bottom);
    if (err == MX_OK) err = mx_graph_finish(bottom->graph);
    if (err != MX_OK) mx_graph_destroy(&bottom->graph);
    return err;
}

mx_err tl_bottom_solve(const app_base *base, tl_bottom *bottom)
{
    MX_TRY(collect(base, bottom, TL_BOTTOM_B));
    if (!bottom->replays) return solve_collected(base, bottom);
    if (bottom->graph == NULL) MX_TRY(record(base, bottom));
    return mx_graph_run(bottom->graph);
}
