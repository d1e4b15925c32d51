/* Cases on vectors. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BINS = 1021 };
MX_STATIC_ASSERT((int)BINS <= (int)RIVAL_MAX_BINS, "a rival has copies of so many bins");

/* ---- a from b and c: copy, mul, add, triad ---- */

mx_err bench_stream_setup(bench_work *w)
{
    mx_view a, b, c;
    MX_TRY(bench_new_vector(w, "a", 1, &a, &w->rival.a));
    MX_TRY(bench_new_vector(w, "b", 2, &b, &w->rival.b));
    MX_TRY(bench_new_vector(w, "c", 3, &c, &w->rival.c));
    MX_TRY(mx_bind(w->target->ctx, a, &w->stream.a));
    MX_TRY(mx_bind(w->target->ctx, b, &w->stream.b));
    MX_TRY(mx_bind(w->target->ctx, c, &w->stream.c));
    w->stream.s = w->rival.s = 3;
    w->outputs[w->output_count++] = a;
    return MX_OK;
}

static mx_err copy_core(bench_work *w) { return stream_copy(w->line, &w->stream); }

static mx_err mul_core(bench_work *w) { return stream_mul(w->line, &w->stream); }

static mx_err add_core(bench_work *w) { return stream_add(w->line, &w->stream); }

static mx_err triad_core(bench_work *w) { return stream_triad(w->line, &w->stream); }

static bench_rival copy_rival(const rival_set *set) { return set->copy; }

static bench_rival mul_rival(const rival_set *set) { return set->mul; }

static bench_rival add_rival(const rival_set *set) { return set->add; }

static bench_rival triad_rival(const rival_set *set) { return set->triad; }

/* ---- the sum of b c: the core's has the same bits for any number of threads, the rival's need not
 * ---- */

static mx_err dot_setup(bench_work *w)
{
    mx_view b, c;
    MX_TRY(bench_new_vector(w, "b", 2, &b, &w->rival.b));
    MX_TRY(bench_new_vector(w, "c", 3, &c, &w->rival.c));
    MX_TRY(mx_bind(w->target->ctx, b, &w->stream.a)); /* not used */
    MX_TRY(mx_bind(w->target->ctx, b, &w->stream.b));
    MX_TRY(mx_bind(w->target->ctx, c, &w->stream.c));
    return bench_new_sums(w, "sum", MX_F64, RIVAL_SUMS, &w->rival.sums);
}

static mx_err dot_core(bench_work *w)
{
    return stream_dot_into(w->line, &w->stream, w->sums[0], 0);
}

static bench_rival dot_rival(const rival_set *set) { return set->dot; }

/* The same bits on one thread, on seven and again. */
static mx_err dot_check(bench_work *w)
{
    const char *const others[] = {"serial", "openmp:threads=7"};
    double sum, other;
    MX_TRY(stream_dot(w->line, &w->stream, &sum));
    for (int o = 0; o < 3; o++) {
        mx_ctx ctx = NULL;
        const bool again = o == 2 || !w->target->info.host_accessible;
        if (!again) MX_TRY(mx_ctx_create(others[o], &ctx));
        const mx_range_1 line = mx_range_1d(again ? w->target->ctx : ctx, 0, w->items);
        const mx_err err = stream_dot(line, &w->stream, &other);
        mx_ctx_destroy(&ctx);
        if (err != MX_OK) return MX_PASS(err);
        MX_REQUIRE(memcmp(&sum, &other, sizeof sum) == 0, MX_ERR_MISMATCH,
                   "dot: %.17g on %s, %.17g on %s", sum, w->target->info.backend, other,
                   again ? "the same again" : others[o]);
    }
    return MX_OK;
}

/* ---- a histogram with many items a bin, neighbours too ---- */

static mx_err histogram_setup(bench_work *w)
{
    mx_view bins;
    MX_TRY(bench_new_index(w, BINS, &w->histogram.index));
    MX_TRY(bench_new_view(w, "bins", MX_I64, BINS, 0, MX_LAYOUT_DEFAULT, &bins));
    MX_TRY(mx_bind(w->target->ctx, bins, &w->histogram.bins));
    w->outputs[w->output_count++] = bins;
    w->rival.bins = bench_data(bins);
    return MX_OK;
}

static mx_err histogram_core(bench_work *w) { return bench_histogram(w->line, &w->histogram); }

static bench_rival histogram_rival(const rival_set *set) { return set->histogram; }

/* Every bin exactly what a loop counts. */
static mx_err histogram_check(bench_work *w)
{
    mx_view index = MX_VIEW_NULL, bins = MX_VIEW_NULL;
    int32_t *at;
    int64_t *count, expected[BINS] = {0}, wrong = 0;
    MX_TRY(bench_clear(w));
    MX_TRY(w->which->core(w));
    MX_TRY(mx_mirror_if_needed(w->views[0], &index));
    MX_TRY(mx_mirror_if_needed(w->views[1], &bins));
    MX_TRY(mx_deep_copy(w->target->ctx, index, w->views[0]));
    MX_TRY(mx_deep_copy(w->target->ctx, bins, w->views[1]));
    MX_TRY(mx_fence(w->target->ctx));
    MX_TRY(mx_view_host_data(index, (void **)&at));
    MX_TRY(mx_view_host_data(bins, (void **)&count));
    for (int64_t i = 0; i < w->items; i++) expected[at[i]]++;
    for (int b = 0; b < BINS; b++) wrong += llabs(count[b] - expected[b]);
    MX_TRY(mx_view_destroy(&index));
    MX_TRY(mx_view_destroy(&bins));
    printf("  %s: %lld items into %d bins, %lld lost or counted twice\n", w->which->name,
           (long long)w->items, BINS, (long long)wrong);
    MX_REQUIRE(wrong == 0, MX_ERR_MISMATCH, "%s: %lld of %lld counts are wrong", w->which->name,
               (long long)wrong, (long long)w->items);
    return MX_OK;
}

/* ---- the same histogram by a scatter view, until its copies are joined and empty again ---- */

static mx_err scatter_setup(bench_work *w)
{
    const mx_ctx ctx = w->target->ctx;
    MX_TRY(histogram_setup(w));
    MX_TRY(mx_scatter_create(ctx, w->outputs[0], MX_SUM, &w->copies));
    MX_TRY(mx_scatter_bind(ctx, &w->copies, &w->scatter.bins));
    return mx_bind(ctx, w->views[0], &w->scatter.index);
}

static mx_err scatter_core(bench_work *w)
{
    MX_TRY(bench_scatter(w->line, &w->scatter));
    return mx_scatter_contribute(w->target->ctx, &w->copies, w->outputs[0]);
}

static bench_rival scatter_rival(const rival_set *set) { return set->scatter; }

const bench_case bench_vector_cases[] = {
    [BENCH_TRIAD] = {.name = "triad",
                     .text = "a = b + s c",
                     .doubles = 3,
                     .bytes_per_item = 24,
                     .setup = bench_stream_setup,
                     .core = triad_core,
                     .rival = triad_rival},
    [BENCH_DOT] = {.name = "dot",
                   .text =
                       "b.c; same bits for any number of threads, against an ordinary reduction",
                   .doubles = 2,
                   .bytes_per_item = 16,
                   .setup = dot_setup,
                   .core = dot_core,
                   .rival = dot_rival,
                   .check = dot_check},
    {.name = "copy",
     .text = "a = b",
     .doubles = 2,
     .bytes_per_item = 16,
     .setup = bench_stream_setup,
     .core = copy_core,
     .rival = copy_rival},
    {.name = "mul",
     .text = "a = s b",
     .doubles = 2,
     .bytes_per_item = 16,
     .setup = bench_stream_setup,
     .core = mul_core,
     .rival = mul_rival},
    {.name = "add",
     .text = "a = b + c",
     .doubles = 3,
     .bytes_per_item = 24,
     .setup = bench_stream_setup,
     .core = add_core,
     .rival = add_rival},
    {.name = "histogram",
     .text = "duplicate indices, by atomics",
     .doubles = 1,
     .bytes_per_item = 4,
     .only_cached = true,
     .setup = histogram_setup,
     .core = histogram_core,
     .rival = histogram_rival,
     .check = histogram_check},
    {.name = "scatter",
     .text =
         "the same by a scatter view: a copy for each thread of hosts, copies and atomics on a GPU",
     .doubles = 1,
     .bytes_per_item = 4,
     .share = 0.25,
     .setup = scatter_setup,
     .core = scatter_core,
     .rival = scatter_rival,
     .check = histogram_check},
    {0},
};
