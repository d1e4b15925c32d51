/* Cases on particles: forces between pairs of them, which gather, and from half lists; cells,
 * lists; packing; sorting. */
#include "bench.h"
#include "minx/kit/sort.h"

MX_STATIC_ASSERT((int)RIVAL_NEIGHBOURS == (int)BENCH_NEIGHBOURS, "one width for all lists");

/* ---- forces ---- */

static mx_err force_setup(bench_work *w)
{
    const mx_ctx ctx = w->target->ctx;
    mx_view x, f, list, count;
    mx_view_info info;
    MX_TRY(bench_new_points(w, MX_LAYOUT_DEFAULT, &x, &f));
    MX_TRY(bench_new_lists(w, MX_LAYOUT_DEFAULT, x, &list, &count));
    MX_TRY(mx_bind(ctx, x, &w->force.x));
    MX_TRY(mx_bind(ctx, f, &w->force.f));
    MX_TRY(mx_bind(ctx, list, &w->force.list));
    MX_TRY(mx_bind(ctx, count, &w->force.count));
    w->force.cutoff2 = w->rival.cutoff2 = BENCH_CUTOFF * BENCH_CUTOFF;
    w->outputs[w->output_count++] = f;
    w->rival.x = bench_data(x);
    w->rival.f = bench_data(f);
    w->rival.list = bench_data(list);
    w->rival.count = bench_data(count);
    MX_TRY(mx_view_get_info(x, &info));
    w->rival.stride = info.stride[1];
    return MX_OK;
}

static mx_err force_core(bench_work *w) { return bench_force(w->line, &w->force); }

static bench_rival force_rival(const rival_set *set) { return set->force; }

/* ---- two dimensions, of which one has three indices ---- */

static mx_err coordinates_setup(bench_work *w)
{
    const mx_ctx ctx = w->target->ctx;
    mx_view x, f;
    mx_view_info info;
    MX_TRY(bench_new_points(w, MX_LAYOUT_DEFAULT, &x, &f));
    MX_TRY(mx_bind(ctx, x, &w->push.x));
    MX_TRY(mx_bind(ctx, f, &w->push.f));
    MX_TRY(mx_bind(ctx, x, &w->square.x));
    MX_TRY(mx_view_get_info(x, &info));
    w->push.s = w->rival.s = 0.5;
    w->rival.x = bench_data(x);
    w->rival.f = bench_data(f);
    w->rival.stride = info.stride[1];
    w->coordinates = mx_range_2d(ctx, 0, w->items, 0, 3);
    return MX_OK;
}

static mx_err push_setup(bench_work *w)
{
    MX_TRY(coordinates_setup(w));
    w->outputs[w->output_count++] = w->views[1];
    return MX_OK;
}

static mx_err square_setup(bench_work *w)
{
    MX_TRY(coordinates_setup(w));
    return bench_new_sums(w, "square", MX_F64, RIVAL_SUMS, &w->rival.sums);
}

static mx_err push_core(bench_work *w) { return bench_push(w->coordinates, &w->push); }

static mx_err square_core(bench_work *w)
{
    return bench_square_into(w->coordinates, &w->square, w->sums[0], 0);
}

static bench_rival push_rival(const rival_set *set) { return set->push; }

static bench_rival square_rival(const rival_set *set) { return set->square; }

/* ---- sorting: the same keys each time, copied from where they are not in order ---- */

static mx_err sort_setup(bench_work *w)
{
    mx_view keys, unsorted, room;
    bench_set_keys_args set;
    MX_TRY(bench_new_view(w, "keys", MX_I64, w->items, 0, MX_LAYOUT_DEFAULT, &keys));
    MX_TRY(bench_new_view(w, "unsorted", MX_I64, w->items, 0, MX_LAYOUT_DEFAULT, &unsorted));
    MX_TRY(bench_new_view(w, "room", MX_I64, w->items, 0, MX_LAYOUT_DEFAULT, &room));
    MX_TRY(mx_bind(w->target->ctx, unsorted, &set.keys));
    MX_TRY(bench_set_keys(w->line, &set));
    w->outputs[w->output_count++] = keys;
    w->rival.keys = bench_data(keys);
    w->rival.unsorted = bench_data(unsorted);
    w->rival.room = bench_data(room);
    return MX_OK;
}

static mx_err sort_core(bench_work *w)
{
    MX_TRY(mx_deep_copy(w->target->ctx, w->views[0], w->views[1]));
    return mx_sort(w->target->ctx, w->views[0]);
}

static bench_rival sort_rival(const rival_set *set) { return set->sort; }

/* ---- cells: count, scan, fill ---- */

static mx_err cells_setup(bench_work *w)
{
    const double length = bench_cells_a_side(w) * BENCH_CELL;
    const int side = (int)(length / BENCH_LIST_CUTOFF);
    cell_grid *const grid = &w->grid;
    mx_view f;
    mx_view_info info;
    MX_TRY(bench_new_points(w, MX_LAYOUT_DEFAULT, &w->points, &f));
    MX_TRY(cells_create(w->target->ctx, (int)w->items, side < 1 ? 1 : side, length, grid));
    MX_TRY(mx_view_get_info(w->points, &info));
    w->outputs[w->output_count++] = grid->begin;
    w->outputs[w->output_count++] = grid->order;
    w->rival.side = grid->side;
    w->rival.per_length = grid->count_args.per_length;
    w->rival.x = info.data;
    w->rival.f = bench_data(f);
    w->rival.stride = info.stride[1];
    w->rival.cell = bench_data(grid->cell);
    w->rival.slot = bench_data(grid->slot);
    w->rival.counts = bench_data(grid->counts);
    w->rival.begin = bench_data(grid->begin);
    w->rival.order = bench_data(grid->order);
    return MX_OK;
}

static mx_err cells_core(bench_work *w) { return cells_build(&w->grid, w->points); }

/* Within a cell each side has an order of its own. */
static mx_err cells_finish(bench_work *w)
{
    return cells_sort(mx_range_1d(w->target->ctx, 0, w->grid.count), &w->grid.sort_args);
}

static bench_rival cells_rival(const rival_set *set) { return set->cells; }

/* ---- lists of neighbours from cells ---- */

static mx_err lists_setup(bench_work *w, bool half)
{
    neighbour_lists *const lists = &w->lists;
    MX_TRY(cells_setup(w));
    w->output_count = 0;
    MX_TRY(cells_build_sorted(&w->grid, w->points));
    MX_TRY(neighbours_create(w->target->ctx, (int)w->items, half ? 64 : BENCH_NEIGHBOURS, lists));
    MX_TRY(neighbours_build(lists, &w->grid, w->points, BENCH_LIST_CUTOFF, half));
    w->rival.list = bench_data(lists->list);
    w->rival.count = bench_data(lists->count);
    w->rival.capacity = lists->capacity;
    w->rival.half = half;
    return MX_OK;
}

static mx_err neighbours_setup(bench_work *w)
{
    mx_view longest;
    MX_TRY(lists_setup(w, false));
    MX_TRY(bench_new_view(w, "longest", MX_I32, 1, 0, MX_LAYOUT_DEFAULT, &longest));
    w->rival.longest = bench_data(longest);
    w->rival.cutoff2 = BENCH_LIST_CUTOFF * BENCH_LIST_CUTOFF;
    w->outputs[w->output_count++] = longest;
    w->outputs[w->output_count++] = w->lists.list;
    w->outputs[w->output_count++] = w->lists.count;
    return MX_OK;
}

static mx_err neighbours_core(bench_work *w)
{
    return neighbours_find_into(w->line, &w->lists.args, w->outputs[0], 0);
}

static bench_rival neighbours_rival(const rival_set *set) { return set->neighbours; }

/* ---- forces from half lists: by atomics, by a scatter view ---- */

static mx_err pairs_setup(bench_work *w)
{
    const mx_ctx ctx = w->target->ctx;
    MX_TRY(lists_setup(w, true));
    const mx_view f = w->views[1];
    w->rival.cutoff2 = BENCH_CUTOFF * BENCH_CUTOFF;
    w->outputs[w->output_count++] = f;
    w->pairs_atomic.cutoff2 = w->pairs_scatter.cutoff2 = w->rival.cutoff2;
    MX_TRY(mx_bind(ctx, w->points, &w->pairs_atomic.x));
    MX_TRY(mx_bind(ctx, w->lists.list, &w->pairs_atomic.list));
    MX_TRY(mx_bind(ctx, w->lists.count, &w->pairs_atomic.count));
    return mx_bind(ctx, f, &w->pairs_atomic.f);
}

static mx_err pairs_atomic_core(bench_work *w)
{
    const double zero = 0;
    MX_TRY(mx_fill(w->target->ctx, w->outputs[0], &zero));
    return pairs_atomic(w->line, &w->pairs_atomic);
}

static mx_teams pairs_league(const bench_work *w)
{
    return mx_league(w->target->ctx, pairs_teams(w->items), MX_AUTO, PAIRS_LANES);
}

static mx_err pairs_atomic_team_core(bench_work *w)
{
    const double zero = 0;
    MX_TRY(mx_fill(w->target->ctx, w->outputs[0], &zero));
    return pairs_atomic_team(pairs_league(w), &w->pairs_atomic);
}

static mx_err pairs_scatter_setup(bench_work *w)
{
    const mx_ctx ctx = w->target->ctx;
    mx_view copies;
    MX_TRY(pairs_setup(w));
    MX_TRY(bench_new_view(w, "copies", MX_F64, w->items * 3, w->target->info.threads,
                          MX_LAYOUT_LEFT, &copies));
    w->rival.copies = bench_data(copies);
    MX_TRY(mx_scatter_create(ctx, w->outputs[0], MX_SUM, &w->copies));
    MX_TRY(mx_bind(ctx, w->points, &w->pairs_scatter.x));
    MX_TRY(mx_bind(ctx, w->lists.list, &w->pairs_scatter.list));
    MX_TRY(mx_bind(ctx, w->lists.count, &w->pairs_scatter.count));
    return mx_scatter_bind(ctx, &w->copies, &w->pairs_scatter.f);
}

/* The forces are overwritten, and the copies are then empty again: nothing needs to be set to zero
 * before. */
static mx_err pairs_scatter_core(bench_work *w)
{
    MX_TRY(pairs_scatter(w->line, &w->pairs_scatter));
    return mx_scatter_overwrite(w->target->ctx, &w->copies, w->outputs[0]);
}

static mx_err pairs_scatter_team_core(bench_work *w)
{
    MX_TRY(pairs_scatter_team(pairs_league(w), &w->pairs_scatter));
    return mx_scatter_overwrite(w->target->ctx, &w->copies, w->outputs[0]);
}

static bench_rival pairs_atomic_rival(const rival_set *set) { return set->pairs_atomic; }

static bench_rival pairs_scatter_rival(const rival_set *set) { return set->pairs_copies; }

/* ---- every second position or so into a buffer, and back: an item is a component, or a position
 * ---- */

static mx_err pack_setup(bench_work *w)
{
    const mx_ctx ctx = w->target->ctx;
    mx_view x, buffer, index;
    mx_view_info info;
    bench_set_2d_args set = {.seed = 1};
    bench_set_halves_args halves;
    MX_TRY(bench_new_view(w, "x", MX_F64, 2 * w->items, 3, MX_LAYOUT_DEFAULT, &x));
    MX_TRY(bench_new_view(w, "buffer", MX_F64, w->items, 3, MX_LAYOUT_DEFAULT, &buffer));
    MX_TRY(bench_new_view(w, "index", MX_I32, w->items, 0, MX_LAYOUT_DEFAULT, &index));
    MX_TRY(mx_bind(ctx, x, &set.x));
    MX_TRY(bench_set_2d(mx_range_2d(ctx, 0, 2 * w->items, 0, 3), &set));
    MX_TRY(mx_bind(ctx, buffer, &set.x));
    MX_TRY(bench_set_2d(mx_range_2d(ctx, 0, w->items, 0, 3), &set));
    MX_TRY(mx_bind(ctx, index, &halves.index));
    MX_TRY(bench_set_halves(w->line, &halves));
    MX_TRY(mx_bind(ctx, x, &w->pack.x));
    MX_TRY(mx_bind(ctx, buffer, &w->pack.buffer));
    MX_TRY(mx_bind(ctx, index, &w->pack.index));
    MX_TRY(mx_bind(ctx, x, &w->unpack.x));
    MX_TRY(mx_bind(ctx, buffer, &w->unpack.buffer));
    MX_TRY(mx_bind(ctx, index, &w->unpack.index));
    MX_TRY(mx_view_get_info(x, &info));
    w->rival.x = info.data;
    w->rival.stride = info.stride[1];
    w->rival.buffer = bench_data(buffer);
    w->rival.index = bench_data(index);
    w->outputs[w->output_count++] = buffer;
    return MX_OK;
}

static mx_err unpack_setup(bench_work *w)
{
    MX_TRY(pack_setup(w));
    w->outputs[0] = w->views[0];
    return MX_OK;
}

static mx_range_2 components(const bench_work *w)
{
    return mx_range_2d(w->target->ctx, 0, w->items, 0, 3);
}

static mx_err pack_core(bench_work *w) { return pack_components(components(w), &w->pack); }

static mx_err pack_items_core(bench_work *w) { return pack_particles(w->line, &w->pack); }

static mx_err unpack_core(bench_work *w) { return unpack_components(components(w), &w->unpack); }

static mx_err unpack_items_core(bench_work *w) { return unpack_particles(w->line, &w->unpack); }

static bench_rival pack_rival(const rival_set *set) { return set->pack; }

static bench_rival unpack_rival(const rival_set *set) { return set->unpack; }

const bench_case bench_particle_cases[] = {
    {.name = "force",
     .text = "Lennard-Jones particles, some 75 neighbours each, half of them within the cutoff",
     .doubles = 46,
     .bytes_per_item = BENCH_FORCE_BYTES,
     .share = 0.05,
     .setup = force_setup,
     .core = force_core,
     .rival = force_rival},
    {.name = "push",
     .text = "f += s x over (n, 3), against loops with an inner one",
     .doubles = 6,
     .bytes_per_item = 72,
     .share = 1.0 / 3,
     .setup = push_setup,
     .core = push_core,
     .rival = push_rival},
    {.name = "square",
     .text = "the sum of x^2 over (n, 3), likewise",
     .doubles = 3,
     .bytes_per_item = 24,
     .share = 1.0 / 3,
     .setup = square_setup,
     .core = square_core,
     .rival = square_rival},
    {.name = "sort",
     .text = "keys of 64 bits, copied and sorted in place",
     .doubles = 3,
     .bytes_per_item = 32,
     .setup = sort_setup,
     .core = sort_core,
     .rival = sort_rival},
    {.name = "cells",
     .text = "particles into cells: count by atomics, scan, fill",
     .doubles = 6,
     .bytes_per_item = 44,
     .share = 0.25,
     .setup = cells_setup,
     .core = cells_core,
     .finish = cells_finish,
     .rival = cells_rival},
    {.name = "neighbours",
     .text = "lists of some 75 neighbours from cells, and the longest count",
     .doubles = 50,
     .bytes_per_item = BENCH_FORCE_BYTES,
     .share = 0.01,
     .setup = neighbours_setup,
     .core = neighbours_core,
     .rival = neighbours_rival},
    {.name = "pairs-atomic",
     .text = "the forces from half lists, by atomics",
     .doubles = 25,
     .bytes_per_item = BENCH_FORCE_BYTES / 2,
     .share = 0.02,
     .setup = pairs_setup,
     .core = pairs_atomic_core,
     .rival = pairs_atomic_rival},
    {.name = "pairs-atomic-team",
     .text = "the same by teams: lanes share a list",
     .doubles = 25,
     .bytes_per_item = BENCH_FORCE_BYTES / 2,
     .share = 0.02,
     .setup = pairs_setup,
     .core = pairs_atomic_team_core,
     .rival = pairs_atomic_rival},
    {.name = "pairs-scatter",
     .text =
         "the forces by a scatter view: a copy for each host thread, one copy and atomics on a GPU",
     .doubles = 31,
     .bytes_per_item = BENCH_FORCE_BYTES / 2,
     .share = 0.02,
     .setup = pairs_scatter_setup,
     .core = pairs_scatter_core,
     .rival = pairs_scatter_rival},
    {.name = "pairs-scatter-team",
     .text = "the same by teams: lanes share a list",
     .doubles = 31,
     .bytes_per_item = BENCH_FORCE_BYTES / 2,
     .share = 0.02,
     .setup = pairs_scatter_setup,
     .core = pairs_scatter_team_core,
     .rival = pairs_scatter_rival},
    {.name = "pack",
     .text = "positions (n, 3) into a buffer, a component an item",
     .doubles = 10,
     .bytes_per_item = 52,
     .share = 0.25,
     .setup = pack_setup,
     .core = pack_core,
     .rival = pack_rival},
    {.name = "pack-items",
     .text = "the same, a position an item",
     .doubles = 10,
     .bytes_per_item = 52,
     .share = 0.25,
     .setup = pack_setup,
     .core = pack_items_core,
     .rival = pack_rival},
    {.name = "unpack",
     .text = "positions (n, 3) out of a buffer, a component an item",
     .doubles = 10,
     .bytes_per_item = 52,
     .share = 0.25,
     .setup = unpack_setup,
     .core = unpack_core,
     .rival = unpack_rival},
    {.name = "unpack-items",
     .text = "the same, a position an item",
     .doubles = 10,
     .bytes_per_item = 52,
     .share = 0.25,
     .setup = unpack_setup,
     .core = unpack_items_core,
     .rival = unpack_rival},
    {0},
};
