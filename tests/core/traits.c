/* Accessors with traits. The same kernel source reads, writes and adds through accessors of every
 * trait. The results must be those of plain arithmetic. Traits belong to accessors, not to views: a
 * view is bound to accessors of several traits, one after the other. */
#include "traits.h"
#include "check.h"

enum { N = 1000 };

static mx_view make(mx_ctx ctx, mx_layout layout, mx_type type, int rank, int64_t n0, int64_t n1)
{
    const mx_view_options options = {MX_SPACE_DEFAULT, layout, false, false};
    const int64_t extents[] = {n0, n1};
    mx_view view;
    MUST(mx_view_create(ctx, "v", type, rank, extents, &options, &view));
    return view;
}

/* Item i reads element 7 i mod N, and every number fits every type. */
#define TEST_TYPE(tag, T)                                                               \
    static void test_##tag(mx_ctx ctx)                                                  \
    {                                                                                   \
        static const mx_type type = (mx_type)(sizeof(T) << 8 | MX_KIND_OF_(T));         \
        static T x[N], z[N], w[N];                                                      \
        static int32_t index[N];                                                        \
        const T three = 3;                                                              \
        mx_view views[] = {make(ctx, 0, type, 1, N, 0),   make(ctx, 0, type, 2, 2, N),  \
                           make(ctx, 0, type, 1, N, 0),   make(ctx, 0, type, 1, N, 0),  \
                           make(ctx, 0, MX_I32, 1, N, 0), make(ctx, 0, type, 0, 0, 0)}; \
        traits_##tag##_args a;                                                          \
        memset(&a, 0, sizeof a);                                                        \
        for (int i = 0; i < N; i++) x[i] = (T)(i % 101), index[i] = 7 * i % N;          \
        check_upload(ctx, views[0], x);                                                 \
        check_upload(ctx, views[4], index);                                             \
        MUST(mx_fill(ctx, views[5], &three));                                           \
        MUST(mx_bind(ctx, views[0], &a.x));                                             \
        MUST(mx_bind(ctx, views[1], &a.y));                                             \
        MUST(mx_bind(ctx, views[2], &a.z));                                             \
        MUST(mx_bind(ctx, views[3], &a.w));                                             \
        MUST(mx_bind(ctx, views[4], &a.index));                                         \
        MUST(mx_bind(ctx, views[5], &a.three));                                         \
        CHECK_OK(traits_##tag(mx_range_1d(ctx, 0, N), &a));                             \
        mx_view y = check_fetch(ctx, views[1]);                                         \
        const mx_view_info info = check_info(y);                                        \
        check_download(ctx, views[2], z);                                               \
        check_download(ctx, views[3], w);                                               \
        for (int64_t i = 0; i < N; i++) {                                               \
            const int64_t expected = 7 * i % N % 101;                                   \
            CHECK_I64(*(T *)check_at(&info, (int64_t[]){1, i}), 2 * expected);          \
            CHECK_I64(*(T *)check_at(&info, (int64_t[]){0, i}), 0);                     \
            CHECK_I64(z[i], expected + 3);                                              \
            CHECK_I64(w[i], (int64_t)(T)(expected - 3));                                \
        }                                                                               \
        MUST(mx_view_destroy(&y));                                                      \
        for (int v = 0; v < 6; v++) MUST(mx_view_destroy(&views[v]));                   \
    }
TRAITS_TYPES(TEST_TYPE)

#define TEST_ATOMIC(tag, T)                                                          \
    static void test_atomic_##tag(mx_ctx ctx)                                        \
    {                                                                                \
        static const mx_type type = (mx_type)(sizeof(T) << 8 | MX_KIND_OF_(T));      \
        T bins[4], largest[2], flag[2] = {2, 0};                                     \
        mx_view views[] = {make(ctx, 0, type, 1, 4, 0), make(ctx, 0, type, 1, 2, 0), \
                           make(ctx, 0, type, 1, 2, 0)};                             \
        traits_atomic_##tag##_args a;                                                \
        memset(&a, 0, sizeof a);                                                     \
        check_upload(ctx, views[2], flag);                                           \
        MUST(mx_bind(ctx, views[0], &a.bins));                                       \
        MUST(mx_bind(ctx, views[1], &a.largest));                                    \
        MUST(mx_bind(ctx, views[2], &a.flag));                                       \
        CHECK_OK(traits_count_##tag(mx_range_1d(ctx, 0, 100 * N), &a));              \
        check_download(ctx, views[0], bins);                                         \
        check_download(ctx, views[1], largest);                                      \
        check_download(ctx, views[2], flag);                                         \
        for (int b = 0; b < 3; b++) CHECK_I64(bins[b], (100 * N + 2 - b) / 3);       \
        CHECK_I64(bins[3], 2 * 100 * N);                                             \
        CHECK_I64(largest[0], 100 * N - 2);                                          \
        CHECK_I64(largest[1], 100 * N - 1);                                          \
        CHECK_I64(flag[0] * 10 + flag[1], 25);                                       \
        for (int v = 0; v < 3; v++) MUST(mx_view_destroy(&views[v]));                \
    }
TRAITS_NUMBERS(TEST_ATOMIC)

static void test_mix(mx_ctx ctx)
{
    mx_view tiles = make(ctx, MX_LAYOUT_TILED, MX_F64, 2, 20, 40),
            points = make(ctx, 0, MX_USER(traits_point), 1, 20, 0);
    static traits_point got[20];
    traits_mix_args a;
    memset(&a, 0, sizeof a);
    MUST(mx_bind(ctx, tiles, &a.tiles));
    MUST(mx_bind(ctx, tiles, &a.out));
    MUST(mx_bind(ctx, points, &a.points));
    CHECK_OK(traits_fill(mx_range_2d(ctx, 0, 20, 0, 40), &a));
    CHECK_OK(traits_mix(mx_range_1d(ctx, 0, 20), &a));
    check_download(ctx, points, got);
    for (int i = 0; i < 20; i++) {
        CHECK_F64(got[i].x, 102.0 * i, 0);
        CHECK_F64(got[i].y, 0, 0);
        CHECK_F64(got[i].z, 103.0 * i, 0);
    }
    MUST(mx_view_destroy(&tiles));
    MUST(mx_view_destroy(&points));
}

static void test_rows(mx_ctx ctx)
{
    enum { ROWS = 21, FOURS = 5 };
    static double x[ROWS][4 * FOURS], y[ROWS][4 * FOURS];
    mx_view from = make(ctx, MX_LAYOUT_RIGHT, MX_F64, 2, ROWS, 4 * FOURS),
            to = make(ctx, MX_LAYOUT_RIGHT, MX_F64, 2, ROWS, 4 * FOURS);
    traits_rows_args a;
    memset(&a, 0, sizeof a);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < 4 * FOURS; j++) x[i][j] = 100 * i + j * j;
    check_upload(ctx, from, x);
    MUST(mx_bind(ctx, from, &a.from));
    MUST(mx_bind(ctx, to, &a.to));
    CHECK_OK(traits_by_four(mx_range_2d(ctx, 0, ROWS, 0, FOURS), &a));
    check_download(ctx, to, y);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < 4 * FOURS; j++)
            CHECK_F64(y[i][j], j % 4 < 2 ? x[i][j] + x[i][j + 2] : x[i][j - 2], 0);
    MUST(mx_view_destroy(&from));
    MUST(mx_view_destroy(&to));
}

/* Host code, and the index in the value: each argument counts once. */
static void test_on_host(mx_ctx ctx)
{
    mx_view view = make(ctx, 0, MX_F64, 1, 10, 0), mirror = check_fetch(ctx, view);
    traits_atomic_f64 shared;
    traits_random_f64 read;
    int calls = 0;
    MUST(mx_bind(NULL, mirror, &shared));
    MUST(mx_bind(NULL, mirror, &read));
    for (int i = 0; i < 10; i++) MX_STORE(1.5 * i, shared, i);
    MX_ADD((calls++, 1.0), shared, 4);
    CHECK_I64(calls, 1);
    CHECK_F64(MX_LOAD(shared, 4), 7, 0);
    CHECK_F64(MX_LOAD(read, 9), 13.5, 0);
    CHECK_F64(MX_AT(read, 3), 4.5, 0);
    MUST(mx_view_destroy(&mirror));
    MUST(mx_view_destroy(&view));
}

#define RUN_TYPE(tag, T) test_##tag(ctx);
#define RUN_ATOMIC(tag, T) test_atomic_##tag(ctx);
static void test(mx_ctx ctx)
{
    TRAITS_TYPES(RUN_TYPE)
    TRAITS_NUMBERS(RUN_ATOMIC)
    test_mix(ctx);
    test_rows(ctx);
    test_on_host(ctx);
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
