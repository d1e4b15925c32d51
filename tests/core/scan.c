/* Scans, compared with a plain loop: exclusive and inclusive, totals, empty and shifted ranges,
 * maxima, joins that are not commutative. On hosts also that the bits are the same for any number
 * of threads, and how many items fail. */
#include "scan.h"
#include "check.h"

enum { MAX_COUNT = 300001 };

typedef struct data {
    mx_view count, before, after, real, maps, factor;
    int64_t *host; /* the counts */
} data;

static void set_up(mx_ctx ctx, data *d, sc_args *args)
{
    d->host = check_memory(MAX_COUNT * sizeof *d->host);
    for (int i = 0; i < MAX_COUNT; i++) d->host[i] = check_random_int(0, 9);
    MUST(mx_view_create_1d(ctx, "count", MX_I64, MAX_COUNT, &d->count));
    MUST(mx_view_create_1d(ctx, "before", MX_I64, MAX_COUNT, &d->before));
    MUST(mx_view_create_1d(ctx, "after", MX_I64, MAX_COUNT, &d->after));
    MUST(mx_view_create_1d(ctx, "real", MX_F64, MAX_COUNT, &d->real));
    MUST(mx_view_create_1d(ctx, "maps", MX_USER(sc_map), MAX_COUNT, &d->maps));
    MUST(mx_view_create_0d(ctx, "factor", MX_I64, &d->factor));
    check_upload(ctx, d->count, d->host);
    MUST(mx_fill(ctx, d->factor, &(int64_t){3}));
    memset(args, 0, sizeof *args);
    MUST(mx_bind(ctx, d->count, &args->count));
    MUST(mx_bind(ctx, d->before, &args->before));
    MUST(mx_bind(ctx, d->after, &args->after));
    MUST(mx_bind(ctx, d->real, &args->real));
    MUST(mx_bind(ctx, d->maps, &args->maps));
    MUST(mx_bind(ctx, d->factor, &args->factor));
}

static void tear_down(data *d)
{
    MUST(mx_view_destroy(&d->count));
    MUST(mx_view_destroy(&d->before));
    MUST(mx_view_destroy(&d->after));
    MUST(mx_view_destroy(&d->real));
    MUST(mx_view_destroy(&d->maps));
    MUST(mx_view_destroy(&d->factor));
    free(d->host);
}

static void check_sums(mx_ctx ctx, const data *d, const sc_args *bound, int64_t n, int64_t begin,
                       bool is_64)
{
    int64_t total = -1, sum = 0, wrong = 0;
    sc_args args = *bound;
    args.origin = begin;
    const mx_range_1 range = mx_range_1d(ctx, begin, begin + n);
    CHECK_OK(is_64 ? sc_both_64(range, &args, &total) : sc_both(range, &args, &total));
    int64_t *const before = check_memory(MAX_COUNT * sizeof *before), *const after = check_memory(
                                                                          MAX_COUNT *
                                                                          sizeof *after);
    check_download(ctx, d->before, before);
    check_download(ctx, d->after, after);
    for (int64_t i = 0; i < n; i++) {
        wrong += before[i] != sum;
        sum += d->host[i];
        wrong += after[i] != sum;
    }
    CHECK_I64(wrong, 0);
    CHECK_I64(total, sum);
    free(before);
    free(after);
}

static void check_totals(mx_ctx ctx, const sc_args *args, const data *d)
{
    mx_view into;
    int64_t got = -1, expected = 0;
    for (int i = 0; i < 1000; i++) expected += d->host[i];
    MUST(mx_view_create_1d(ctx, "totals", MX_I64, 3, &into));
    CHECK_OK(sc_both(mx_range_1d(ctx, 0, 1000), args, NULL));
    CHECK_OK(sc_both_into(mx_range_1d(ctx, 0, 1000), args, into, 2));
    MUST(mx_read_element(ctx, into, 2, &got));
    CHECK_I64(got, expected);
    CHECK_OK(sc_both_into(mx_range_1d(ctx, 5, 5), args, into, 2));
    MUST(mx_read_element(ctx, into, 2, &got));
    CHECK_I64(got, 0);
    CHECK_FAILS(sc_both_into(mx_range_1d(ctx, 0, 9), args, into, 3), MX_ERR_BOUNDS, "totals");
    MUST(mx_view_destroy(&into));
}

static void check_highest(mx_ctx ctx, const sc_args *args, const data *d, int64_t n)
{
    int64_t top = INT64_MIN, total = 0, wrong = 0;
    int64_t *const after = check_memory(MAX_COUNT * sizeof *after);
    CHECK_OK(sc_highest(mx_range_1d(ctx, 0, n), args, &total));
    check_download(ctx, d->after, after);
    for (int64_t i = 0; i < n; i++) {
        if (d->host[i] > top) top = d->host[i];
        wrong += after[i] != top;
    }
    CHECK_I64(wrong, 0);
    CHECK_I64(total, top);
    free(after);
}

static void check_maps(mx_ctx ctx, const sc_args *args, const data *d, int64_t n)
{
    sc_map all = {1, 0}, total = {0, 0};
    int64_t wrong = 0;
    sc_map *const maps = check_memory(MAX_COUNT * sizeof *maps);
    CHECK_OK(sc_maps(mx_range_1d(ctx, 0, n), args, &total));
    check_download(ctx, d->maps, maps);
    for (int64_t i = 0; i < n; i++) {
        const uint32_t a = (uint32_t)(2 * d->host[i] + 1), b = (uint32_t)(i + 3);
        all.b = a * all.b + b;
        all.a *= a;
        wrong += maps[i].a != all.a || maps[i].b != all.b;
    }
    CHECK_I64(wrong, 0);
    CHECK(total.a == all.a && total.b == all.b);
    free(maps);
}

/* With a prologue, which reads 3 from a view. */
static void check_prologues(mx_ctx ctx, const sc_args *args, const data *d, int64_t n)
{
    int64_t sum = 0, total = -1, wrong = 0;
    sc_map all = {1, 0}, map = {0, 0};
    int64_t *const after = check_memory(MAX_COUNT * sizeof *after);
    CHECK_OK(sc_scaled(mx_range_1d(ctx, 0, n), args, &total));
    CHECK_OK(sc_scaled_maps(mx_range_1d(ctx, 0, n), args, &map));
    check_download(ctx, d->after, after);
    for (int64_t i = 0; i < n; i++) {
        const uint32_t a = (uint32_t)(2 * d->host[i] + 1);
        sum += 3 * d->host[i];
        wrong += after[i] != sum;
        all.b = a * all.b + (uint32_t)(3 * i);
        all.a *= a;
    }
    CHECK_I64(wrong, 0);
    CHECK_I64(total, sum);
    CHECK(map.a == all.a && map.b == all.b);
    free(after);
}

/* A sum of n numbers of one sign is good to n roundings (Higham 2002, 4.2). */
static void check_real(mx_ctx ctx, const sc_args *args, const data *d, int64_t n)
{
    double sum = 0, total = 0, worst = 0;
    double *const real = check_memory(MAX_COUNT * sizeof *real);
    CHECK_OK(sc_real(mx_range_1d(ctx, 0, n), args, &total));
    check_download(ctx, d->real, real);
    for (int64_t i = 0; i < n; i++) {
        sum += 1.0 / (double)(1 + d->host[i]);
        worst = fmax(worst, fabs(real[i] - sum) / sum);
    }
    CHECK_F64(worst, 0, (double)n * 1.2e-16);
    CHECK_F64(total, sum, sum * (double)n * 1.2e-16);
    mx_ctx_info info;
    MUST(mx_ctx_get_info(ctx, &info));
    const char *const others[] = {"serial", "openmp:threads=2", "openmp:threads=5"};
    const bool alike = strcmp(info.backend, "simt") != 0 && strchr(info.backend, ':') == NULL &&
                       info.host_accessible;
    for (int o = 0; alike && info.layout == MX_LAYOUT_RIGHT && o < 3; o++) {
        mx_ctx other;
        double again;
        MUST(mx_ctx_create(others[o], &other));
        MUST(sc_real(mx_range_1d(other, 0, n), args, &again));
        double *const now = check_memory(MAX_COUNT * sizeof *now);
        check_download(ctx, d->real, now);
        CHECK(memcmp(real, now, (size_t)n * sizeof *now) == 0);
        CHECK(memcmp(&total, &again, sizeof total) == 0);
        free(now);
        mx_ctx_destroy(&other);
    }
    free(real);
}

/* Items run twice, and those that fail count once. */
static void check_failed_items(mx_ctx ctx, sc_args *args, const data *d)
{
    enum { ITEMS = 20000 };
    int64_t large = 0;
    char expected[64];
    if (check_is_gpu(ctx)) return; /* where it ends the use of the device */
    for (int64_t i = 0; i < ITEMS; i++) large += d->host[i] > 8;
    snprintf(expected, sizeof expected, " (%lld such items)", (long long)large);
    for (int once = 0; once < 2; once++) {
        args->once = once == 1;
        args->limit = 9;
        CHECK_OK(sc_limited(mx_range_1d(ctx, 0, ITEMS), args, NULL));
        args->limit = 8;
        CHECK_FAILS(sc_limited(mx_range_1d(ctx, 0, ITEMS), args, NULL), MX_ERR_BODY, expected);
    }
}

static void test(mx_ctx ctx)
{
    static const int64_t sizes[] = {0, 1, 7, 8, 9, 255, 8191, 8192, 8193, 100000, MAX_COUNT};
    data d;
    sc_args args;
    set_up(ctx, &d, &args);
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        check_sums(ctx, &d, &args, sizes[s], 0, false);
        check_sums(ctx, &d, &args, sizes[s], -17, false);
        check_sums(ctx, &d, &args, sizes[s], 5000000000, true);
        check_maps(ctx, &args, &d, sizes[s]);
        check_prologues(ctx, &args, &d, sizes[s]);
    }
    check_totals(ctx, &args, &d);
    check_failed_items(ctx, &args, &d);
    check_highest(ctx, &args, &d, MAX_COUNT);
    check_real(ctx, &args, &d, MAX_COUNT);
    check_real(ctx, &args, &d, 20000);
    MUST(mx_ctx_check_against(ctx, "serial", 1e-12));
    check_sums(ctx, &d, &args, 10000, 0, false);
    check_maps(ctx, &args, &d, 10000);
    CHECK_OK(sc_real(mx_range_1d(ctx, 0, 10000), &args, NULL));
    MUST(mx_ctx_check_against(ctx, NULL, 0));
    tear_down(&d);
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
