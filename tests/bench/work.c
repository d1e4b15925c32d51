/* Sets up a case at one size. The threads that use the memory touch it first, because contexts set
 * their views to zero. */
#include "bench.h"

#include "mesh/tl_arrays.h"

#include <math.h>
#include <string.h>

static mx_err has_room(const bench_work *w, const char *label)
{
    MX_REQUIRE(w->view_count < BENCH_VIEWS, MX_ERR_MEMORY, "%s: more than %d views", label,
               BENCH_VIEWS);
    return MX_OK;
}

mx_err bench_new_view(bench_work *w, const char *label, mx_type type, int64_t rows, int64_t columns,
                      mx_layout layout, mx_view *view)
{
    const int64_t extents[2] = {rows, columns};
    const mx_view_options options = {.layout = layout};
    MX_TRY(has_room(w, label));
    MX_TRY(
        mx_view_create(w->target->ctx, label, type, columns > 0 ? 2 : 1, extents, &options, view));
    w->views[w->view_count++] = *view;
    return MX_OK;
}

void *bench_data(mx_view view)
{
    mx_view_info info;
    return mx_view_get_info(view, &info) == MX_OK ? info.data : NULL;
}

mx_err bench_new_vector(bench_work *w, const char *label, double seed, mx_view *view, double **data)
{
    bench_set_1d_args set = {.seed = seed};
    MX_TRY(bench_new_view(w, label, MX_F64, w->items, 0, MX_LAYOUT_DEFAULT, view));
    MX_TRY(mx_bind(w->target->ctx, *view, &set.x));
    MX_TRY(bench_set_1d(mx_range_1d(w->target->ctx, 0, w->items), &set));
    *data = bench_data(*view);
    return MX_OK;
}

mx_err bench_new_index(bench_work *w, int length, mx_ci32_1 *index)
{
    mx_view view;
    bench_set_index_args set = {.bins = length};
    MX_TRY(bench_new_view(w, "index", MX_I32, w->items, 0, MX_LAYOUT_DEFAULT, &view));
    MX_TRY(mx_bind(w->target->ctx, view, &set.index));
    MX_TRY(bench_set_index(w->line, &set));
    w->rival.index = bench_data(view);
    w->rival.bin_count = length;
    return mx_bind(w->target->ctx, view, index);
}

mx_err bench_new_grid(bench_work *w, const char *label, double seed, mx_view *view, double **data)
{
    mx_view_info info;
    bench_set_2d_args set = {.seed = seed};
    const int64_t rows = w->rival.rows + 2, columns = w->rival.columns + 2;
    const int64_t extents[] = {rows, columns};
    MX_TRY(has_room(w, label));
    MX_TRY(tl_make_array(w->target->ctx, label, 2, extents, 1, (int)seed, view));
    w->views[w->view_count++] = *view;
    MX_TRY(mx_bind(w->target->ctx, *view, &set.x));
    MX_TRY(bench_set_2d(mx_range_2d(w->target->ctx, 0, rows, 0, columns), &set));
    MX_TRY(mx_view_get_info(*view, &info));
    const bool right = w->target->info.layout == MX_LAYOUT_RIGHT;
    w->rival.stride = info.stride[right ? 0 : 1];
    *data = info.data;
    return MX_OK;
}

int bench_cells_a_side(const bench_work *w) { return (int)ceil(cbrt((double)w->items / 4)); }

mx_err bench_new_points(bench_work *w, mx_layout layout, mx_view *x, mx_view *f)
{
    bench_set_points_args set = {.side = bench_cells_a_side(w)};
    MX_TRY(bench_new_view(w, "x", MX_F64, w->items, 3, layout, x));
    MX_TRY(bench_new_view(w, "f", MX_F64, w->items, 3, layout, f));
    MX_TRY(mx_bind(w->target->ctx, *x, &set.x));
    return bench_set_points(w->line, &set);
}

mx_err bench_new_lists(bench_work *w, mx_layout layout, mx_view x, mx_view *list, mx_view *count)
{
    const mx_ctx ctx = w->target->ctx;
    bench_set_lists_args set = {.particles = (int)w->items, .side = bench_cells_a_side(w)};
    MX_TRY(bench_new_view(w, "list", MX_I32, w->items, BENCH_NEIGHBOURS, layout, list));
    MX_TRY(bench_new_view(w, "count", MX_I32, w->items, 0, MX_LAYOUT_DEFAULT, count));
    MX_TRY(mx_bind(ctx, x, &set.x));
    MX_TRY(mx_bind(ctx, *list, &set.list));
    MX_TRY(mx_bind(ctx, *count, &set.count));
    return bench_set_lists(w->line, &set);
}

mx_err bench_new_sums(bench_work *w, const char *label, mx_type type, int64_t n, double **data)
{
    mx_view view;
    MX_TRY(bench_new_view(w, label, type, n, 0, MX_LAYOUT_DEFAULT, &view));
    w->sums[w->sum_count++] = view;
    *data = bench_data(view);
    return MX_OK;
}

size_t bench_array_bytes(const bench_target *target)
{
    const size_t fits = target->available / 2 / 12;
    return target->out_of_cache < fits ? target->out_of_cache : fits;
}

/* The number of items. In cache: all that a call accesses fits into the cache. */
static double wanted_items(const bench_target *target, const bench_case *which, bool cached,
                           double size_factor)
{
    const double given = cached ? which->share_cached : which->share, share = given > 0 ? given : 1;
    if (cached) return (double)target->in_cache / (8 * which->doubles) * share * size_factor;
    return (double)bench_array_bytes(target) / 8 * share * size_factor;
}

mx_err bench_work_create(const bench_target *target, const bench_case *which, bool cached,
                         double size_factor, bench_work *work)
{
    memset(work, 0, sizeof *work);
    work->target = target;
    work->which = which;
    work->other_name = which->other_name;
    work->cached = cached;
    work->rival.threads = target->info.threads;
    work->rival.queue = target->queue;
    work->rival.partials = target->partials;
    work->rival.now = 1;
    const double items = wanted_items(target, which, cached, size_factor);
    work->items = items < 64 ? 64 : items > 2e9 ? 2000000000 : (int64_t)items & ~(int64_t)63;
    /* a grid of multiples of 32 cells; square, so that both layouts have rows of one length */
    const int side = (int)sqrt((double)work->items) / 32 * 32;
    work->rival.n = work->items;
    work->rival.rows = work->rival.columns = side < 8 ? 8 : side;
    work->line = mx_range_1d(target->ctx, 0, work->items);
    work->cells = mx_range_2d(target->ctx, 1, work->rival.rows + 1, 1, work->rival.columns + 1);
    mx_err err = which->setup(work);
    if (err == MX_OK) err = mx_fence(target->ctx);
    if (err != MX_OK) bench_work_destroy(work);
    work->bytes = (double)which->bytes_per_item * (double)work->items;
    return err;
}

void bench_work_destroy(bench_work *work)
{
    mx_graph_destroy(&work->graph);
    (void)bench_cusparse_destroy(work);
    (void)mx_scatter_destroy(&work->copies);
    (void)neighbours_destroy(&work->lists);
    (void)cells_destroy(&work->grid);
    (void)mesh_destroy(&work->mesh);
    tl_passes_destroy(&work->passes);
    for (int v = 0; v < work->view_count; v++) (void)mx_view_destroy(&work->views[v]);
    work->view_count = 0;
}
