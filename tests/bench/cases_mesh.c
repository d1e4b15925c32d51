/* Cases in three dimensions: a step of the heat equation, assembly of blocks into compressed
 * rows. */
#include "bench.h"

#include <math.h>

/* ---- seven points, with a norm and without, tiled and not ---- */

enum { GHOSTS = 2, TILE = 8 };

/* A new view of (side + 2)^3 doubles among those of the work. */
static mx_err new_block(bench_work *w, const char *label, double seed, mx_view *view, double **data)
{
    const int64_t n = w->rival.side + GHOSTS, extents[3] = {n, n, n};
    const mx_ctx ctx = w->target->ctx;
    mx_view_info info;
    bench_set_3d_args set = {.seed = seed};
    MX_TRY(mx_view_create(ctx, label, MX_F64, 3, extents, NULL, view));
    w->views[w->view_count++] = *view;
    MX_TRY(mx_bind(ctx, *view, &set.x));
    MX_TRY(bench_set_3d(mx_range_3d(ctx, 0, n, 0, n, 0, n), &set));
    MX_TRY(mx_view_get_info(*view, &info));
    w->rival.stride = info.stride[1];
    w->rival.plane = info.layout == MX_LAYOUT_RIGHT ? info.stride[0] : info.stride[2];
    *data = info.data;
    return MX_OK;
}

static mx_err heat_setup(bench_work *w)
{
    const int side = (int)cbrt((double)w->items) / 8 * 8, *const tile = w->which->tile;
    mx_view u, fresh;
    w->rival.side = side < 8 ? 8 : side;
    MX_TRY(new_block(w, "u", 1, &u, &w->rival.u));
    MX_TRY(new_block(w, "fresh", 2, &fresh, &w->rival.w));
    MX_TRY(bench_new_sums(w, "norm", MX_F64, RIVAL_SUMS, &w->rival.sums));
    MX_TRY(mx_bind(w->target->ctx, u, &w->heat.u));
    MX_TRY(mx_bind(w->target->ctx, fresh, &w->heat.fresh));
    w->heat.k = w->rival.s = 0.125;
    w->outputs[w->output_count++] = fresh;
    w->items = (int64_t)w->rival.side * w->rival.side * w->rival.side;
    const int end = w->rival.side + 1;
    w->block = mx_range_3d(w->target->ctx, 1, end, 1, end, 1, end);
    /* tiles of rows, which run along the first index on backends of layout left */
    if (w->target->info.layout == MX_LAYOUT_RIGHT)
        w->block = mx_tiled_3d(w->block, tile[0], tile[1], 0);
    else
        w->block = mx_tiled_3d(w->block, 0, tile[1], tile[0]);
    w->rival.tile[0] = tile[0];
    w->rival.tile[1] = tile[1];
    return MX_OK;
}

static mx_err heat_core(bench_work *w) { return heat_step(w->block, &w->heat); }

static mx_err heat_norm_core(bench_work *w)
{
    return heat_step_norm_into(w->block, &w->heat, w->sums[0], 0);
}

static bench_rival heat_rival(const rival_set *set) { return set->heat; }

static bench_rival heat_norm_rival(const rival_set *set) { return set->heat_norm; }

static bench_rival heat_tiled_rival(const rival_set *set) { return set->heat_tiled; }

static bench_rival heat_norm_tiled_rival(const rival_set *set) { return set->heat_norm_tiled; }

/* ---- blocks of 8 x 8 into compressed rows, which are set to zero before ---- */

static mx_err assemble_setup(bench_work *w)
{
    const mx_ctx ctx = w->target->ctx;
    const int side = (int)cbrt((double)w->items);
    mx_view block, value;
    bench_set_3d_args set = {.seed = 1};
    MX_TRY(mesh_create(ctx, side < 2 ? 2 : side, &w->mesh));
    const hex_mesh *const m = &w->mesh;
    const int64_t extents[3] = {m->elements, MESH_NODES, MESH_NODES};
    MX_TRY(mx_view_create(ctx, "block", MX_F64, 3, extents, NULL, &block));
    w->views[w->view_count++] = block;
    MX_TRY(mx_bind(ctx, block, &set.x));
    MX_TRY(bench_set_3d(mx_range_3d(ctx, 0, m->elements, 0, MESH_NODES, 0, MESH_NODES), &set));
    MX_TRY(bench_new_view(w, "value", MX_F64, m->entries, 0, MX_LAYOUT_DEFAULT, &value));
    MX_TRY(mx_bind(ctx, block, &w->assemble.block));
    MX_TRY(mx_bind(ctx, m->node, &w->assemble.node));
    MX_TRY(mx_bind(ctx, m->begin, &w->assemble.begin));
    MX_TRY(mx_bind(ctx, m->column, &w->assemble.column));
    MX_TRY(mx_bind(ctx, value, &w->assemble.value));
    w->outputs[w->output_count++] = value;
    w->items = w->rival.n = m->elements;
    w->rival.entries = m->entries;
    w->rival.node = bench_data(m->node);
    w->rival.begin = bench_data(m->begin);
    w->rival.column = bench_data(m->column);
    w->rival.block = bench_data(block);
    w->rival.value = bench_data(value);
    return MX_OK;
}

static mx_err assemble_core(bench_work *w)
{
    const double zero = 0;
    MX_TRY(mx_fill(w->target->ctx, w->outputs[0], &zero));
    return assemble(mx_range_2d(w->target->ctx, 0, w->items, 0, MESH_NODES), &w->assemble);
}

static mx_err assemble_team_core(bench_work *w)
{
    const mx_ctx ctx = w->target->ctx;
    const double zero = 0;
    MX_TRY(mx_fill(ctx, w->outputs[0], &zero));
    return assemble_team(mx_league(ctx, assemble_teams(w->items), MX_AUTO, ASSEMBLE_LANES),
                         &w->assemble);
}

static bench_rival assemble_rival(const rival_set *set) { return set->assemble; }

const bench_case bench_mesh_cases[] = {
    {.name = "heat",
     .text = "a step of the heat equation, seven points",
     .doubles = 2,
     .bytes_per_item = 16,
     .setup = heat_setup,
     .core = heat_core,
     .rival = heat_rival},
    {.name = "heat-tiled",
     .text = "the same by tiles of 8 x 8 rows",
     .doubles = 2,
     .bytes_per_item = 16,
     .tile = {TILE, TILE},
     .setup = heat_setup,
     .core = heat_core,
     .rival = heat_tiled_rival},
    {.name = "heat-norm",
     .text = "the step, and the squared norm of the change",
     .doubles = 2,
     .bytes_per_item = 16,
     .setup = heat_setup,
     .core = heat_norm_core,
     .rival = heat_norm_rival},
    {.name = "heat-norm-tiled",
     .text = "the same by tiles of 8 x 8 rows",
     .doubles = 2,
     .bytes_per_item = 16,
     .tile = {TILE, TILE},
     .setup = heat_setup,
     .core = heat_norm_core,
     .rival = heat_norm_tiled_rival},
    {.name = "assemble",
     .text = "blocks of 8 x 8 into compressed rows, by atomics",
     .doubles = 109,
     .bytes_per_item = 872,
     .share = 1.0 / 64,
     .setup = assemble_setup,
     .core = assemble_core,
     .rival = assemble_rival},
    {.name = "assemble-team",
     .text = "the same by teams: lanes share a row of a block",
     .doubles = 109,
     .bytes_per_item = 872,
     .share = 1.0 / 64,
     .setup = assemble_setup,
     .core = assemble_team_core,
     .rival = assemble_rival},
    {0},
};
