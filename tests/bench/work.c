/* Setting up a case at one size. Memory is touched first by the threads that use it: views are zeroed by their context. */
#include "bench.h"

#include <math.h>
#include <string.h>

mx_err bench_new_vector(bench_work *w, const char *label, double seed, mx_view *view, double **data)
{
    mx_view_info info;
    bench_set_1d_args set = {.seed = seed};
    MX_TRY(mx_view_create_1d(w->target->ctx, label, MX_F64, w->items, view));
    w->views[w->view_count++] = *view;
    MX_TRY(mx_bind(w->target->ctx, *view, &set.x));
    MX_TRY(bench_set_1d(mx_range_1d(w->target->ctx, 0, w->items), &set));
    MX_TRY(mx_view_get_info(*view, &info));
    *data = info.data;
    return MX_OK;
}

mx_err bench_new_grid(bench_work *w, const char *label, double seed, mx_view *view, double **data)
{
    mx_view_info info;
    bench_set_2d_args set = {.seed = seed};
    const int64_t rows = w->rival.rows + 2, columns = w->rival.columns + 2;
    MX_TRY(mx_view_create_2d(w->target->ctx, label, MX_F64, rows, columns, view));
    w->views[w->view_count++] = *view;
    MX_TRY(mx_bind(w->target->ctx, *view, &set.x));
    MX_TRY(bench_set_2d(mx_range_2d(w->target->ctx, 0, rows, 0, columns), &set));
    MX_TRY(mx_view_get_info(*view, &info));
    const bool right = w->target->info.layout == MX_LAYOUT_RIGHT;
    w->rival.stride = info.stride[right ? 0 : 1];
    *data = info.data;
    return MX_OK;
}

mx_err bench_new_sums(bench_work *w, const char *label, mx_type type, int64_t n, double **data)
{
    mx_view view;
    mx_view_info info;
    MX_TRY(mx_view_create_1d(w->target->ctx, label, type, n, &view));
    w->views[w->view_count++] = w->sums[w->sum_count++] = view;
    MX_TRY(mx_view_get_info(view, &info));
    *data = info.data;
    return MX_OK;
}

/* Items of one array. Out of cache: each array is 4 times the last-level cache, or what fits: twelve of them, arrays and
 * copies to compare, in half of the memory that is available. In cache: all arrays that a call touches in the cache. */
static double wanted_items(const bench_target *target, const bench_case *which, bool cached,
                           double size_factor)
{
    const double share = which->share > 0 ? which->share : 1;
    if (cached) return (double)target->in_cache / (8 * which->arrays) * share * size_factor;
    const double fits = (double)target->available / 2 / 12, wanted = (double)target->out_of_cache;
    return (wanted < fits ? wanted : fits) / 8 * share * size_factor;
}

mx_err bench_work_create(const bench_target *target, const bench_case *which, bool cached,
                         double size_factor, bench_work *work)
{
    memset(work, 0, sizeof *work);
    work->target = target;
    work->which = which;
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
    for (int v = 0; v < work->view_count; v++) mx_view_destroy(&work->views[v]);
    work->view_count = 0;
}
