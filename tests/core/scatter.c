/* Scatter views, compared with plain loops: every type and reducer with many items for each bin,
 * teams, dynamic schedules, ranks 1 and 2, strided targets, checks against another backend. A
 * repeated launch on a host gives the same bits. Sums of integers are exact. Sums of fractions have
 * at most one rounding error for each term (Higham 2002, 4.2). */
#include "scatter.h"
#include "check.h"
#include "minx/extend.h"

#include <pthread.h>

enum { ATOMS = 500, START = 5 };
static const double start_value = START; /* for sums and differences with doubles */

static void model(double *sum, double *prod, double *min, double *max, int items)
{
    for (int b = 0; b < SC_BINS; b++) sum[b] = prod[b] = min[b] = max[b] = START;
    for (int i = 0; i < items; i++) {
        const int b = SC_BIN(i);
        sum[b] += 1 + i % 3;
        prod[b] *= SC_FACTOR(i);
        if ((double)SC_SPREAD(i) < min[b]) min[b] = (double)SC_SPREAD(i);
        if ((double)SC_SPREAD(i) > max[b]) max[b] = (double)SC_SPREAD(i);
    }
}

#define SC_LARGEST_f64 INFINITY
#define SC_SMALLEST_f64 (-INFINITY)
#define SC_LARGEST_f32 INFINITY
#define SC_SMALLEST_f32 (-INFINITY)
#define SC_LARGEST_i32 INT32_MAX
#define SC_SMALLEST_i32 INT32_MIN
#define SC_LARGEST_i64 (double)INT64_MAX
#define SC_SMALLEST_i64 (double)INT64_MIN
#define SC_LARGEST_u32 UINT32_MAX
#define SC_SMALLEST_u32 0
#define SC_LARGEST_u64 (double)UINT64_MAX
#define SC_SMALLEST_u64 0

/* One type. `adds`: how many times what was added has been contributed. */
#define SC_TEST(tag, T)                                                                            \
    static void check_bins_##tag(mx_ctx ctx, mx_view view, const double *expected, int adds)       \
    {                                                                                              \
        T got[SC_BINS];                                                                            \
        check_download(ctx, view, got);                                                            \
        for (int b = 0; b < SC_BINS; b++)                                                          \
            CHECK_F64((double)got[b], start_value + adds * (expected[b] - start_value), 0);        \
    }                                                                                              \
    /* What was in the target is gone; what nothing was added to is the identity. */               \
    static void check_overwrite_##tag(mx_ctx ctx, mx_type type, const mx_scatter *s,               \
                                      sc_##tag##_args *args)                                       \
    {                                                                                              \
        static const double none[] = {0, 1, SC_LARGEST_##tag, SC_SMALLEST_##tag};                  \
        const T start = START;                                                                     \
        double sum[SC_BINS], prod[SC_BINS], min[SC_BINS], max[SC_BINS];                            \
        T got[SC_BINS];                                                                            \
        mx_view to;                                                                                \
        model(sum, prod, min, max, SC_ITEMS);                                                      \
        MUST(mx_view_create_1d(ctx, "overwritten", type, SC_BINS, &to));                           \
        for (int round = 0; round < 2; round++)                                                    \
            for (int k = 0; k < 4; k++) {                                                          \
                if (k == 0 && round == 0) MUST(sc_sum_##tag(mx_range_1d(ctx, 0, SC_ITEMS), args)); \
                MUST(mx_fill(ctx, to, &start));                                                    \
                CHECK_OK(mx_scatter_overwrite(ctx, &s[k], to));                                    \
                check_download(ctx, to, got);                                                      \
                for (int b = 0; b < SC_BINS; b++)                                                  \
                    CHECK_F64((double)got[b],                                                      \
                              k == 0 && round == 0 ? sum[b] - start_value : none[k], 0);           \
            }                                                                                      \
        MUST(mx_view_destroy(&to));                                                                \
    }                                                                                              \
    /* All items add to the first bin too, in the same loop as to others. */                       \
    static void check_first_##tag(mx_ctx ctx, mx_type type, const mx_scatter *s,                   \
                                  sc_##tag##_args *args)                                           \
    {                                                                                              \
        double sum[SC_BINS], prod[SC_BINS], min[SC_BINS], max[SC_BINS];                            \
        T got[SC_BINS];                                                                            \
        mx_view to;                                                                                \
        model(sum, prod, min, max, SC_ITEMS);                                                      \
        MUST(mx_view_create_1d(ctx, "first", type, SC_BINS, &to));                                 \
        MUST(sc_first_##tag(mx_range_1d(ctx, 0, SC_ITEMS), args));                                 \
        CHECK_OK(mx_scatter_overwrite(ctx, s, to));                                                \
        check_download(ctx, to, got);                                                              \
        for (int b = 0; b < SC_BINS; b++)                                                          \
            CHECK_F64((double)got[b], sum[b] - start_value + (b == 0 ? SC_ITEMS : 0), 0);          \
        MUST(mx_view_destroy(&to));                                                                \
    }                                                                                              \
    /* Rows of all lengths up to several vectors, by either index. */                              \
    static void check_rows_##tag(mx_ctx ctx, mx_type type, const mx_scatter *s,                    \
                                 sc_##tag##_args *args)                                            \
    {                                                                                              \
        enum { MAX_LENGTH = 80 };                                                                  \
        double sum[SC_BINS] = {0};                                                                 \
        T got[SC_BINS];                                                                            \
        mx_view to;                                                                                \
        MUST(mx_view_create_1d(ctx, "rows", type, SC_BINS, &to));                                  \
        for (int length = 0; length <= MAX_LENGTH; length++) {                                     \
            MUST(sc_rows_##tag(mx_range_2d(ctx, 0, 3, 0, length), args));                          \
            MUST(sc_rows_##tag(mx_range_2d(ctx, 0, length, 0, 3), args));                          \
            for (int n = 0; n < 3 * length; n++) {                                                 \
                sum[0] += 2;                                                                       \
                sum[SC_BIN(n / 3 + n % 3)] += 4;                                                   \
            }                                                                                      \
        }                                                                                          \
        CHECK_OK(mx_scatter_overwrite(ctx, s, to));                                                \
        check_download(ctx, to, got);                                                              \
        for (int b = 0; b < SC_BINS; b++) CHECK_F64((double)got[b], sum[b], 0);                    \
        MUST(mx_view_destroy(&to));                                                                \
    }                                                                                              \
    static void test_##tag(mx_ctx ctx, mx_type type)                                               \
    {                                                                                              \
        const T start = START;                                                                     \
        double sum[SC_BINS], prod[SC_BINS], min[SC_BINS], max[SC_BINS];                            \
        mx_view to[4];                                                                             \
        mx_scatter s[4];                                                                           \
        sc_##tag##_args args;                                                                      \
        mx_ctx_info info;                                                                          \
        MUST(mx_ctx_get_info(ctx, &info));                                                         \
        memset(&args, 0, sizeof args);                                                             \
        for (int k = 0; k < 4; k++) {                                                              \
            MUST(mx_view_create_1d(ctx, #tag, type, SC_BINS, &to[k]));                             \
            MUST(mx_fill(ctx, to[k], &start));                                                     \
        }                                                                                          \
        MUST(mx_scatter_create(ctx, to[0], MX_SUM, &s[0]));                                        \
        MUST(mx_scatter_create(ctx, to[1], MX_PROD, &s[1]));                                       \
        MUST(mx_scatter_create(ctx, to[2], MX_MIN, &s[2]));                                        \
        MUST(mx_scatter_create(ctx, to[3], MX_MAX, &s[3]));                                        \
        MUST(mx_scatter_bind(ctx, &s[0], &args.sum));                                              \
        MUST(mx_scatter_bind(ctx, &s[1], &args.prod));                                             \
        MUST(mx_scatter_bind(ctx, &s[2], &args.min));                                              \
        MUST(mx_scatter_bind(ctx, &s[3], &args.max));                                              \
        MUST(sc_all_##tag(mx_range_1d(ctx, 0, SC_ITEMS), &args));                                  \
        for (int k = 0; k < 4; k++) CHECK_OK(mx_scatter_contribute(ctx, &s[k], to[k]));            \
        model(sum, prod, min, max, SC_ITEMS);                                                      \
        check_bins_##tag(ctx, to[0], sum, 1);                                                      \
        check_bins_##tag(ctx, to[1], prod, 1);                                                     \
        check_bins_##tag(ctx, to[2], min, 1);                                                      \
        check_bins_##tag(ctx, to[3], max, 1);                                                      \
        for (int k = 0; k < 4; k++) /* it is empty now: nothing changes */                         \
            CHECK_OK(mx_scatter_contribute(ctx, &s[k], to[k]));                                    \
        check_bins_##tag(ctx, to[0], sum, 1);                                                      \
        check_bins_##tag(ctx, to[1], prod, 1);                                                     \
        check_bins_##tag(ctx, to[2], min, 1);                                                      \
        check_bins_##tag(ctx, to[3], max, 1);                                                      \
        check_overwrite_##tag(ctx, type, s, &args);                                                \
        check_first_##tag(ctx, type, &s[0], &args);                                                \
        check_rows_##tag(ctx, type, &s[0], &args);                                                 \
        const mx_range_1 range = mx_range_1d(ctx, 0, SC_ITEMS);                                    \
        MUST(sc_sum_##tag(range, &args));                                                          \
        CHECK_OK(mx_scatter_reset(ctx, &s[0])); /* that is thrown away */                          \
        MUST(sc_sum_##tag(range, &args));                                                          \
        MUST(sc_sum_##tag(mx_dynamic_1d(mx_tiled_1d(range, 64)), &args));                          \
        MUST(sc_team_##tag(mx_league(ctx, SC_ITEMS / 100, MX_AUTO, MX_AUTO), &args));              \
        const bool teams = strcmp(info.backend, "openmp") == 0 && info.threads >= 2;               \
        MUST(sc_team_##tag(mx_league(ctx, SC_ITEMS / 100, teams ? 2 : MX_AUTO, 1), &args));        \
        CHECK_OK(mx_scatter_contribute(ctx, &s[0], to[0]));                                        \
        check_bins_##tag(ctx, to[0], sum, 5);                                                      \
        MUST(mx_ctx_check_against(ctx, "openmp:threads=2", 1e-12));                                \
        CHECK_FAILS(sc_sum_##tag(range, &args), MX_ERR_ARG, "before the check began");             \
        MUST(mx_scatter_bind(ctx, &s[0], &args.sum));                                              \
        MUST(mx_scatter_bind(ctx, &s[1], &args.prod));                                             \
        MUST(mx_scatter_bind(ctx, &s[2], &args.min));                                              \
        MUST(mx_scatter_bind(ctx, &s[3], &args.max));                                              \
        CHECK_OK(sc_sum_##tag(range, &args));                                                      \
        CHECK_OK(mx_scatter_contribute(ctx, &s[0], to[0]));                                        \
        MUST(mx_ctx_check_against(ctx, NULL, 0));                                                  \
        check_bins_##tag(ctx, to[0], sum, 6);                                                      \
        for (int k = 0; k < 4; k++) {                                                              \
            MUST(mx_scatter_destroy(&s[k]));                                                       \
            MUST(mx_view_destroy(&to[k]));                                                         \
        }                                                                                          \
    }
SC_TYPES(SC_TEST)

/* ---- rank 2, and a column of another view ---- */

static void run_forces(mx_ctx ctx, const mx_scatter *s, sc_forces_args *args, const mx_view *to)
{
    const double zero = 0;
    for (int k = 0; k < 2; k++) {
        MUST(mx_fill(ctx, to[k], &zero));
        MUST(mx_scatter_reset(ctx, &s[k]));
    }
    MUST(sc_forces(mx_range_1d(ctx, 0, 40 * ATOMS), args));
    for (int k = 0; k < 2; k++) MUST(mx_scatter_contribute(ctx, &s[k], to[k]));
}

static void check_forces(mx_ctx ctx, mx_view force, mx_view table)
{
    static double expected[ATOMS][3], column[ATOMS];
    memset(expected, 0, sizeof expected);
    memset(column, 0, sizeof column);
    for (int i = 0; i < 40 * ATOMS; i++)
        for (int n = 0; n < 5; n++) {
            for (int d = 0; d < 3; d++) expected[(i + n) % ATOMS][d] += 1.0 / (1 + i % 97 + n + d);
            column[(i + n) % ATOMS] += 0.1f;
        }
    mx_view got = check_fetch(ctx, force), other = check_fetch(ctx, table);
    const mx_view_info info = check_info(got), all = check_info(other);
    const double neighbour = -0.0;
    for (int64_t at[2] = {0, 0}; at[0] < ATOMS; at[0]++) {
        for (at[1] = 0; at[1] < 3; at[1]++) {
            const double want = expected[at[0]][at[1]], sum = column[at[0]];
            const double *const there = check_at(&all, at);
            CHECK_F64(*(double *)check_at(&info, at), want, 200 * 1.2e-16 * want);
            if (at[1] == 1)
                CHECK_F64(*there, sum, 200 * 1.2e-16 * sum);
            else
                CHECK(memcmp(there, &neighbour, sizeof neighbour) == 0); /* not even + 0.0 */
        }
    }
    MUST(mx_view_destroy(&got));
    MUST(mx_view_destroy(&other));
}

static void check_repeats(mx_ctx ctx, const mx_scatter *s, sc_forces_args *args, const mx_view *to)
{
    mx_view once = check_fetch(ctx, to[0]);
    run_forces(ctx, s, args, to);
    mx_view again = check_fetch(ctx, to[0]);
    const mx_view_info a = check_info(once), b = check_info(again);
    CHECK(memcmp(a.data, b.data, a.bytes) == 0);
    MUST(mx_view_destroy(&once));
    MUST(mx_view_destroy(&again));
}

static void test_forces(mx_ctx ctx)
{
    const double neighbour = -0.0;
    mx_view to[2], table;
    mx_scatter s[2], least;
    sc_forces_args args;
    memset(&args, 0, sizeof args);
    args.atoms = ATOMS;
    MUST(mx_view_create_2d(ctx, "force", MX_F64, ATOMS, 3, &to[0]));
    MUST(mx_view_create_2d(ctx, "table", MX_F64, ATOMS, 3, &table));
    MUST(mx_fill(ctx, table, &neighbour));
    MUST(mx_subview(table, MX_SLICES(mx_all(), mx_index(1)), &to[1]));
    for (int k = 0; k < 2; k++) MUST(mx_scatter_create(ctx, to[k], MX_SUM, &s[k]));
    MUST(mx_scatter_bind(ctx, &s[0], &args.force));
    MUST(mx_scatter_bind(ctx, &s[1], &args.column));
    run_forces(ctx, s, &args, to);
    check_forces(ctx, to[0], table);
    if (check_is(ctx, "serial") || check_is(ctx, "openmp")) check_repeats(ctx, s, &args, to);
    MUST(mx_scatter_reset(ctx, &s[0]));
    MUST(sc_pairs(mx_range_2d(ctx, 0, 60, 0, 300), &args));
    MUST(mx_scatter_contribute(ctx, &s[0], to[0]));
    mx_view got = check_fetch(ctx, to[0]);
    double sum = 0;
    const mx_view_info info = check_info(got);
    for (int64_t e = 0; e < ATOMS * 3; e++) sum += ((double *)info.data)[e];
    for (int i = 0; i < 40 * ATOMS; i++)
        for (int n = 0; n < 15; n++) sum -= 1.0 / (1 + i % 97 + n % 5 + n / 5);
    CHECK_F64(sum, 60 * 300,
              1e-8); /* 300000 terms of at most 1 each, of which the sum is about 3e4 */
    MUST(mx_view_destroy(&got));
    CHECK_OK(mx_scatter_contribute(ctx, &s[0], table));
    CHECK_FAILS(mx_scatter_contribute(ctx, &s[0], to[1]), MX_ERR_EXTENT, "table");
    MUST(mx_scatter_create(ctx, to[0], MX_MIN, &least));
    CHECK_FAILS(mx_scatter_bind(ctx, &least, &args.force), MX_ERR_TYPE, "expected MX_MIN");
    CHECK_FAILS(mx_scatter_bind(ctx, &least, &args.column), MX_ERR_RANK, "force");
    for (int k = 0; k < 2; k++) {
        MUST(mx_scatter_destroy(&s[k]));
        MUST(mx_view_destroy(&to[k]));
    }
    MUST(mx_scatter_destroy(&least));
    CHECK_OK(mx_scatter_destroy(&least));
    MUST(mx_view_destroy(&table));
    CHECK_FAILS(sc_forces(mx_range_1d(ctx, 0, 1), &args), MX_ERR_STALE, "sc_forces");
}

/* ---- one histogram of SC_BINS doubles ---- */

/* Adds what sc_sum_f64 adds, `times` times; expects it in the target. */
static void check_sum(mx_ctx ctx, const mx_scatter *s, mx_view target, int times)
{
    double sum[SC_BINS], unused[SC_BINS];
    model(sum, unused, unused, unused, SC_ITEMS);
    CHECK_OK(mx_scatter_contribute(ctx, s, target));
    mx_view mirror = check_fetch(ctx, target);
    const mx_view_info info = check_info(mirror);
    for (int64_t b = 0; b < SC_BINS; b++)
        CHECK_F64(*(double *)check_at(&info, &b), times * (sum[b] - start_value), 0);
    MUST(mx_view_destroy(&mirror));
}

/* Arguments of which a kernel uses the sum alone. */
static sc_f64_args only_a_sum(void)
{
    sc_f64_args args;
    memset(&args, 0, sizeof args);
    mx_bind_none(&args.prod.view);
    mx_bind_none(&args.min.view);
    mx_bind_none(&args.max.view);
    return args;
}

/* Made for a view, contributed into a row of another one; and for memory of a space that the
 * context reaches but does not own. */
static void test_other_targets(mx_ctx ctx)
{
    const mx_view_options options = {.space = MX_SPACE_PINNED};
    mx_ctx owner = NULL; /* of pinned memory */
    mx_view flat, table, row, memory, far, scalar;
    mx_scatter s;
    sc_f64_args args = only_a_sum();
    MUST(mx_view_create_1d(ctx, "flat", MX_F64, SC_BINS, &flat));
    MUST(mx_view_create_2d(ctx, "table", MX_F64, SC_BINS, SC_BINS, &table));
    MUST(check_info(table).layout == MX_LAYOUT_RIGHT
             ? mx_subview(table, MX_SLICES(mx_index(1), mx_all()), &row)
             : mx_subview(table, MX_SLICES(mx_all(), mx_index(1)), &row));
    MUST(mx_scatter_create(ctx, flat, MX_SUM, &s));
    MUST(mx_scatter_bind(ctx, &s, &args.sum));
    MUST(sc_sum_f64(mx_range_1d(ctx, 0, SC_ITEMS), &args));
    check_sum(ctx, &s, row, 1);
    MUST(mx_scatter_destroy(&s));
    MUST(mx_ctx_create(check_host_can_access(ctx) ? "simt" : check_resource, &owner));
    MUST(mx_view_create(owner, "memory", MX_F64, 1, &(int64_t){SC_BINS}, &options, &memory));
    MUST(mx_view_wrap(ctx, "far", MX_F64, 1, &(int64_t){SC_BINS}, NULL, &options,
                      check_info(memory).data, &far));
    CHECK_OK(mx_scatter_create(ctx, far, MX_SUM, &s));
    if (s.count > 0) {
        MUST(mx_scatter_bind(ctx, &s, &args.sum));
        MUST(sc_sum_f64(mx_range_1d(ctx, 0, SC_ITEMS), &args));
        check_sum(ctx, &s, far, 1);
    }
    MUST(mx_scatter_destroy(&s));
    MUST(mx_view_create_0d(ctx, "scalar", MX_F64, &scalar));
    CHECK_FAILS(mx_scatter_create(ctx, scalar, MX_SUM, &s), MX_ERR_RANK, "scalar");
    mx_view all[] = {flat, table, row, memory, far, scalar};
    for (int v = 0; v < 6; v++) MUST(mx_view_destroy(&all[v]));
    mx_ctx_destroy(&owner);
}

/* The fewer elements a target has, the more copies have threads that add by atomics. All copies are
 * joined, and are empty then. */
static void test_copies(mx_ctx ctx)
{
    const struct {
        int64_t elements;
        int copies;
    } cases[] = {{SC_BINS, 32}, {2048, 32}, {2049, 16}, {32768, 2}, {32769, 1}};
    mx_ctx_details details;
    mx_ctx_info info;
    MUST(mx_ctx_get_info(ctx, &info));
    MUST(mx_ctx_get_details(ctx, &details));
    for (int c = 0; c < 5; c++) {
        mx_view target;
        mx_scatter s;
        double last = 1;
        sc_f64_args args = only_a_sum();
        MUST(mx_view_create_1d(ctx, "target", MX_F64, cases[c].elements, &target));
        MUST(mx_scatter_create(ctx, target, MX_SUM, &s));
        CHECK_I64(s.count, details.instance == MX_INSTANCE_HOST ? info.threads : cases[c].copies);
        MUST(mx_scatter_bind(ctx, &s, &args.sum));
        for (int times = 1; times <= 2; times++) {
            MUST(sc_sum_f64(mx_range_1d(ctx, 0, SC_ITEMS), &args));
            check_sum(ctx, &s, target, times);
        }
        MUST(mx_read_element(ctx, target, cases[c].elements - 1, &last));
        if (cases[c].elements > SC_BINS) CHECK_F64(last, 0, 0);
        MUST(mx_scatter_destroy(&s));
        MUST(mx_view_destroy(&target));
    }
    mx_view empty;
    mx_scatter s;
    MUST(mx_view_create_1d(ctx, "empty", MX_F64, 0, &empty));
    CHECK_OK(mx_scatter_create(ctx, empty, MX_SUM, &s));
    CHECK_OK(mx_scatter_contribute(ctx, &s, empty));
    MUST(mx_scatter_destroy(&s));
    MUST(mx_view_destroy(&empty));
}

typedef struct adder {
    mx_ctx ctx;
    sc_f64_args args;
    mx_err err;
} adder;

static void *add_often(void *argument)
{
    adder *a = argument;
    for (int n = 0; n < 200 && a->err == MX_OK; n++)
        a->err = sc_sum_f64(mx_range_1d(a->ctx, 0, SC_ITEMS), &a->args);
    return NULL;
}

/* Bound on the context that made it and launched on another one: its threads have no copies. Bound
 * again, they add. */
static void test_wrong_context(mx_ctx ctx, const char *resource)
{
    mx_ctx other;
    mx_view flat;
    mx_scatter s;
    sc_f64_args args = only_a_sum();
    const mx_range_1 here = mx_range_1d(ctx, 0, SC_ITEMS);
    MUST(mx_ctx_create(resource, &other));
    const mx_range_1 there = mx_range_1d(other, 0, SC_ITEMS);
    MUST(mx_view_create_1d(ctx, "flat", MX_F64, SC_BINS, &flat));
    MUST(mx_scatter_create(ctx, flat, MX_SUM, &s));
    MUST(mx_scatter_bind(ctx, &s, &args.sum));
    MUST(sc_sum_f64(here, &args));
    CHECK_FAILS(sc_sum_f64(there, &args), MX_ERR_ARG, "kernel sc_sum_f64");
    CHECK_TEXT(mx_err_message(), "'flat'");
    CHECK_TEXT(mx_err_message(), "another context");
    MUST(mx_fence(ctx));
    MUST(mx_scatter_bind(other, &s, &args.sum));
    CHECK_OK(sc_sum_f64(there, &args));
    MUST(mx_fence(other));
    CHECK_OK(sc_sum_f64(here, &args)); /* by atomics here, too */
    check_sum(ctx, &s, flat, 3);
    MUST(mx_scatter_destroy(&s));
    /* a context that is made where the maker was is another one */
    MUST(mx_scatter_create(other, flat, MX_SUM, &s));
    MUST(mx_scatter_bind(other, &s, &args.sum));
    MUST(mx_fence(other));
    mx_ctx_destroy(&other);
    MUST(mx_ctx_create(resource, &other));
    CHECK_FAILS(sc_sum_f64(mx_range_1d(other, 0, 1), &args), MX_ERR_ARG, "another context");
    mx_ctx_destroy(&other);
    MUST(mx_scatter_destroy(&s));
    MUST(mx_view_destroy(&flat));
}

/* Two contexts of this kind add at once to what a third one made. */
static void test_contexts(mx_ctx ctx)
{
    adder adders[2];
    pthread_t threads[2];
    mx_view flat;
    mx_scatter s;
    MUST(mx_view_create_1d(ctx, "flat", MX_F64, SC_BINS, &flat));
    MUST(mx_scatter_create(ctx, flat, MX_SUM, &s));
    MUST(mx_fence(ctx));
    memset(adders, 0, sizeof adders);
    for (int k = 0; k < 2; k++) {
        adders[k].args = only_a_sum();
        MUST(mx_ctx_create(check_resource, &adders[k].ctx));
        MUST(mx_scatter_bind(adders[k].ctx, &s, &adders[k].args.sum));
    }
    for (int k = 0; k < 2; k++) MUST(pthread_create(&threads[k], NULL, add_often, &adders[k]));
    for (int k = 0; k < 2; k++) {
        pthread_join(threads[k], NULL);
        CHECK_I64(adders[k].err, MX_OK);
        MUST(mx_fence(adders[k].ctx));
        mx_ctx_destroy(&adders[k].ctx);
    }
    check_sum(ctx, &s, flat, 400);
    MUST(mx_scatter_destroy(&s));
    MUST(mx_view_destroy(&flat));
}

static void test(mx_ctx ctx)
{
    mx_view bytes;
    mx_scatter s;
    test_f64(ctx, MX_F64);
    test_f32(ctx, MX_F32);
    test_i32(ctx, MX_I32);
    test_i64(ctx, MX_I64);
    test_u32(ctx, MX_U32);
    test_u64(ctx, MX_U64);
    test_forces(ctx);
    test_other_targets(ctx);
    test_copies(ctx);
    test_contexts(ctx);
    test_wrong_context(ctx, check_resource);
    if (check_is(ctx, "serial") || check_is(ctx, "openmp"))
        test_wrong_context(ctx, "openmp:threads=4");
    MUST(mx_view_create_1d(ctx, "bytes", MX_U8, 3, &bytes));
    CHECK_FAILS(mx_scatter_create(ctx, bytes, MX_SUM, &s), MX_ERR_TYPE, "bytes");
    CHECK_OK(mx_scatter_destroy(&s));
    MUST(mx_view_destroy(&bytes));
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
