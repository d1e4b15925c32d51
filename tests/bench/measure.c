/* Compares results and measures times. Core, rival and scalar loop run in turn, in rounds, so a
 * disturbance of the machine affects all, and has little effect on the median of the ratios of
 * rounds. Short calls are
 * repeated within a run, so that the resolution of the clock does not matter. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double SHORTEST = 4e-4, SHORTEST_CUDA = 4e-3; /* seconds that one run should take */
/* Sums are joined in different orders: a plain sum of n numbers of one sign is good to n roundings
 * (Higham 2002, 4.2). Elements inherit that through alpha and beta, and differ by what contracting
 * a product and a sum changes. */
static const double ROUNDING = 1.2e-16, TOLERANCE = 1e-12;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof values[0], ascending);
    return count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

/* ---- one run ---- */

typedef struct side {
    bench_step step; /* NULL: the rival of this set */
    const rival_set *set;
    const char *name;
} side;

static bench_rival rival_of(const bench_work *w, const rival_set *set)
{
    return set != NULL && w->which->rival != NULL ? w->which->rival(set) : NULL;
}

static mx_err call(bench_work *w, const side *s, int calls)
{
    const bench_rival rival = s->step == NULL ? rival_of(w, s->set) : NULL;
    for (int c = 0; c < calls; c++) {
        if (rival != NULL)
            rival(&w->rival);
        else
            MX_TRY(s->step(w));
        if (w->which->alternates) {
            const int before = w->rival.before;
            w->rival.before = w->rival.now;
            w->rival.now = before;
        }
    }
    return MX_OK;
}

static mx_err run(bench_work *w, const side *s, int calls, double *seconds)
{
    if (w->target->queue != NULL) {
        MX_TRY(bench_cuda_timer_start(w->target));
        MX_TRY(call(w, s, calls));
        MX_TRY(bench_cuda_timer_stop(w->target, seconds));
    } else {
        const double start = now();
        MX_TRY(call(w, s, calls));
        *seconds = now() - start;
    }
    *seconds /= calls;
    return MX_OK;
}

/* Calls that fill one run. */
static mx_err calibrate(bench_work *w, const side *s, int *calls)
{
    const double shortest = w->target->queue != NULL ? SHORTEST_CUDA : SHORTEST;
    double seconds = 0;
    MX_TRY(run(w, s, 1, &seconds));
    for (*calls = 1; *calls < 1 << 16; *calls *= 2) {
        MX_TRY(run(w, s, *calls, &seconds));
        if (seconds * *calls >= shortest) break;
    }
    return MX_OK;
}

static mx_err median_of_runs(bench_work *w, const side *s, int calls, int repeat, double *median)
{
    double times[64];
    if (repeat > 64) repeat = 64;
    for (int r = 0; r < repeat; r++) MX_TRY(run(w, s, calls, &times[r]));
    *median = bench_median(times, repeat);
    return MX_OK;
}

/* The fastest of the target's rivals. */
static mx_err pick_rival(bench_work *w, side *rival, int *calls)
{
    double best = INFINITY;
    if (w->which->other != NULL) {
        *rival = (side){w->which->other, NULL, w->other_name};
        return calibrate(w, rival, calls);
    }
    for (int r = 0; w->target->rivals[r] != NULL; r++) {
        const side s = {NULL, w->target->rivals[r], w->target->rivals[r]->name};
        double seconds = 0;
        int count;
        if (rival_of(w, s.set) == NULL) continue;
        MX_TRY(calibrate(w, &s, &count));
        if (w->target->rivals[1] != NULL) MX_TRY(median_of_runs(w, &s, count, 7, &seconds));
        if (seconds >= best) continue;
        best = seconds;
        *rival = s;
        *calls = count;
    }
    return MX_OK;
}

mx_err bench_time_rival(bench_work *w, int repeat, double *seconds, const char **name)
{
    side rival = {NULL, NULL, NULL};
    int calls = 1;
    MX_TRY(pick_rival(w, &rival, &calls));
    *name = rival.name;
    return median_of_runs(w, &rival, calls, repeat, seconds);
}

mx_err bench_time_fma(const bench_target *target, const rival_set *set, const rival_args *args,
                      double *flops, double *seconds)
{
    if (target->queue != NULL) MX_TRY(bench_cuda_timer_start(target));
    const double start = now();
    *flops = set->fma(args);
    *seconds = now() - start;
    return target->queue != NULL ? bench_cuda_timer_stop(target, seconds) : MX_OK;
}

/* The median of ratios, and the quartiles. Sorts the ratios. */
static bench_ratio ratio_of(double *ratios, int count)
{
    const double median = bench_median(ratios, count);
    return (bench_ratio){median, ratios[count / 4], ratios[count - 1 - count / 4]};
}

mx_err bench_measure(bench_work *w, int repeat, bench_times *times)
{
    const side core = {w->which->core, NULL, "core"}, scalar = {NULL, w->target->scalar, NULL};
    const bool has_scalar = rival_of(w, w->target->scalar) != NULL;
    side rival = {NULL, NULL, NULL};
    int calls = 1;
    memset(times, 0, sizeof *times);
    if (w->which->reset != NULL) MX_TRY(w->which->reset(w));
    MX_TRY(pick_rival(w, &rival, &calls));
    /* short runs are cheap: take more of them */
    const int rounds = repeat * (calls > 1 ? 5 : 1);
    double *space = calloc((size_t)rounds * 5, sizeof *space);
    MX_REQUIRE(space != NULL, MX_ERR_MEMORY, "no memory for %d times", rounds);
    double *a = space, *b = a + rounds, *c = b + rounds, *to_b = c + rounds, *to_c = to_b + rounds;
    mx_err err = call(w, &core, calls);
    for (int i = 0; i < rounds && err == MX_OK; i++) {
        err = run(w, &core, calls, &a[i]);
        if (err == MX_OK) err = run(w, &rival, calls, &b[i]);
        if (err == MX_OK && has_scalar) err = run(w, &scalar, calls, &c[i]);
        to_b[i] = a[i] / b[i];
        to_c[i] = a[i] / c[i];
    }
    times->rounds = rounds;
    times->rival_name = rival.name;
    times->core = bench_median(a, rounds);
    times->rival = bench_median(b, rounds);
    times->to_rival = ratio_of(to_b, rounds);
    if (has_scalar) {
        times->scalar = bench_median(c, rounds);
        times->to_scalar = ratio_of(to_c, rounds);
    }
    free(space);
    return MX_PASS(err);
}

/* ---- agreement ---- */

enum { OUTPUTS = 6 };

static int list_outputs(const bench_work *w, mx_view *views)
{
    int count = 0;
    for (int o = 0; o < w->output_count; o++) views[count++] = w->outputs[o];
    for (int o = 0; o < w->sum_count; o++) views[count++] = w->sums[o];
    return count;
}

mx_err bench_clear(bench_work *w)
{
    static const double zero[RIVAL_FIELDS]; /* of any type */
    mx_view views[OUTPUTS];
    const int count = list_outputs(w, views);
    for (int o = 0; o < count; o++) MX_TRY(mx_fill(w->target->ctx, views[o], (const void *)zero));
    return MX_OK;
}

/* Runs one side from the common initial values and copies its outputs to host. */
static mx_err run_and_copy(bench_work *w, const side *s, mx_view *host)
{
    mx_view views[OUTPUTS];
    const int count = list_outputs(w, views);
    MX_TRY(w->which->reset != NULL ? w->which->reset(w) : bench_clear(w));
    MX_TRY(call(w, s, 1));
    if (w->which->finish != NULL) MX_TRY(w->which->finish(w));
    for (int o = 0; o < count; o++) MX_TRY(mx_deep_copy(w->target->ctx, host[o], views[o]));
    return mx_fence(w->target->ctx);
}

mx_err bench_compare(const bench_work *w, const char *rival, mx_view a_view, mx_view b_view,
                     bool each)
{
    mx_view_info info;
    double *a, *b, largest = 0;
    MX_TRY(mx_view_get_info(a_view, &info));
    MX_TRY(mx_view_host_data(a_view, (void **)&a));
    MX_TRY(mx_view_host_data(b_view, (void **)&b));
    const int64_t count = (int64_t)(info.bytes / sizeof *a);
    if (info.type == MX_I64 || info.type == MX_I32) {
        MX_REQUIRE(memcmp(a, b, info.bytes) == 0, MX_ERR_MISMATCH,
                   "%s: %s: core and rival '%s' differ", w->which->name, info.label, rival);
        return MX_OK;
    }
    const double tolerance = TOLERANCE + ROUNDING * (double)w->items;
    for (int64_t i = 0; i < count; i++) largest = fmax(largest, fabs(b[i]));
    for (int64_t i = 0; i < count; i++) {
        const double scale = each ? fabs(b[i]) : largest;
        MX_REQUIRE(fabs(a[i] - b[i]) <= tolerance * scale, MX_ERR_MISMATCH,
                   "%s: %s[%lld]: core %.17g, rival '%s' %.17g", w->which->name, info.label,
                   (long long)i, a[i], rival, b[i]);
    }
    return MX_OK;
}

static mx_err agree(bench_work *w, mx_view *core_host, mx_view *rival_host)
{
    const side core = {w->which->core, NULL, "core"};
    mx_view views[OUTPUTS];
    const int count = list_outputs(w, views);
    for (int o = 0; o < count; o++) {
        MX_TRY(mx_mirror_create(views[o], &core_host[o]));
        MX_TRY(mx_mirror_if_needed(views[o], &rival_host[o])); /* hosts: the view itself */
    }
    MX_TRY(run_and_copy(w, &core, core_host));
    for (int r = 0; r < 5; r++) {
        const rival_set *set = r < 3 ? w->target->rivals[r] : r == 3 ? w->target->scalar : NULL;
        const side s = {r == 4 ? w->which->other : NULL, set,
                        set != NULL ? set->name : w->other_name};
        if (s.step == NULL && rival_of(w, set) == NULL) continue;
        MX_TRY(run_and_copy(w, &s, rival_host));
        for (int o = 0; o < count; o++)
            MX_TRY(bench_compare(w, s.name, core_host[o], rival_host[o], o >= w->output_count));
    }
    return MX_OK;
}

mx_err bench_agree(bench_work *w)
{
    mx_view core_host[OUTPUTS] = {{0, 0}}, rival_host[OUTPUTS] = {{0, 0}};
    const mx_err err = agree(w, core_host, rival_host);
    for (int o = 0; o < OUTPUTS; o++) {
        (void)mx_view_destroy(&core_host[o]);
        (void)mx_view_destroy(&rival_host[o]);
    }
    if (err != MX_OK) return MX_PASS(err);
    return w->which->check != NULL ? w->which->check(w) : MX_OK;
}
