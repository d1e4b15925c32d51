/* Cases on particles: forces between pairs of them, which gather; sorting. */
#include "bench.h"
#include "minx/sort.h"

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

const bench_case bench_particle_cases[] = {
    {.name = "force",
     .text = "Lennard-Jones particles, some 75 neighbours each, half of them within the cutoff",
     .arrays = 46,
     .bytes_per_item = BENCH_FORCE_BYTES,
     .share = 0.05,
     .setup = force_setup,
     .core = force_core,
     .rival = force_rival},
    {.name = "sort",
     .text = "keys of 64 bits, copied and sorted in place",
     .arrays = 3,
     .bytes_per_item = 32,
     .setup = sort_setup,
     .core = sort_core,
     .rival = sort_rival},
    {0},
};
