/* MX_AT: a kernel stores in every element a number that depends on its indices. The host reads it
 * by the strides that the view reports. Every rank, layout, number of dimensions of a kernel, and
 * element type; static extents. */
#include "at.h"
#include "check.h"

static const int64_t extents[MX_MAX_RANK] = {5, 3, 4, 2, 3, 2, 3, 4};

static mx_view make(mx_ctx ctx, const char *label, mx_type type, int rank, const int64_t *shape,
                    mx_layout layout)
{
    const mx_view_options options = {MX_SPACE_DEFAULT, layout, false,
                                     rank % 2 == 0}; /* even ranks: padded */
    mx_view view;
    MUST(mx_view_create(ctx, label, type, rank, shape, &options, &view));
    return view;
}

/* The number that the kernel makes of an index. */
static int64_t code_of(int rank, const int64_t *index)
{
    int64_t code = 1;
    for (int d = 0; d < rank; d++) code += index[d] << 4 * (d + 1);
    return code;
}

static void check_codes(mx_ctx ctx, mx_view view, int64_t factor)
{
    mx_view mirror = check_fetch(ctx, view);
    const mx_view_info info = check_info(mirror);
    int64_t index[MX_MAX_RANK] = {0};
    do CHECK_I64(*(int64_t *)check_at(&info, index), factor * code_of(info.rank, index));
    while (check_next(&info, index));
    MUST(mx_view_destroy(&mirror));
}

/* The read-only accessor sees what the kernel before wrote: differences are zero. */
static void check_zeros(mx_ctx ctx, mx_view view)
{
    mx_view mirror = check_fetch(ctx, view);
    const mx_view_info info = check_info(mirror);
    for (int64_t e = 0; e < info.count; e++) CHECK_I64(((int64_t *)info.data)[e], 0);
    MUST(mx_view_destroy(&mirror));
}

#define TEST_RANK(R)                                                                           \
    static void test_rank_##R(mx_ctx ctx)                                                      \
    {                                                                                          \
        mx_view own = make(ctx, "own", MX_I64, R, extents, MX_LAYOUT_DEFAULT);                 \
        mx_view strided =                                                                      \
            make(ctx, "strided", MX_I64, R, extents,                                           \
                 check_info(own).layout == MX_LAYOUT_LEFT ? MX_LAYOUT_RIGHT : MX_LAYOUT_LEFT); \
        mx_view left = make(ctx, "left", MX_I64, R, extents, MX_LAYOUT_LEFT);                  \
        mx_view right = make(ctx, "right", MX_I64, R, extents, MX_LAYOUT_RIGHT);               \
        const int64_t count = check_info(own).count, ones = -1;                                \
        mx_view copy = make(ctx, "copy", MX_I64, 1, &count, MX_LAYOUT_DEFAULT);                \
        at_##R##_args args;                                                                    \
        memset(&args, 0, sizeof args);                                                         \
        MUST(mx_fill(ctx, copy, &ones));                                                       \
        MUST(mx_bind(ctx, own, &args.own));                                                    \
        MUST(mx_bind(ctx, strided, &args.strided));                                            \
        MUST(mx_bind(ctx, left, &args.left));                                                  \
        MUST(mx_bind(ctx, right, &args.right));                                                \
        MUST(mx_bind(ctx, own, &args.read));                                                   \
        MUST(mx_bind(ctx, copy, &args.copy));                                                  \
        CHECK_OK(at_##R(mx_range_1d(ctx, 0, count), &args));                                   \
        CHECK_OK(at_read_##R(mx_range_1d(ctx, 0, count), &args));                              \
        check_codes(ctx, own, 1);                                                              \
        check_codes(ctx, strided, 2);                                                          \
        check_codes(ctx, left, 3);                                                             \
        check_codes(ctx, right, 4);                                                            \
        check_zeros(ctx, copy);                                                                \
        mx_view all[] = {own, strided, left, right, copy};                                     \
        for (int v = 0; v < 5; v++) MUST(mx_view_destroy(&all[v]));                            \
    }
TEST_RANK(0)
TEST_RANK(1)
TEST_RANK(2)
TEST_RANK(3)
TEST_RANK(4)
TEST_RANK(5)
TEST_RANK(6)
TEST_RANK(7)
TEST_RANK(8)

static void test_grids(mx_ctx ctx)
{
    const int64_t shape[] = {19, 37, 41};
    mx_view line = make(ctx, "line", MX_I32, 1, shape, MX_LAYOUT_DEFAULT);
    mx_view plane = make(ctx, "plane", MX_I32, 2, shape, MX_LAYOUT_DEFAULT);
    mx_view box = make(ctx, "box", MX_I32, 3, shape, MX_LAYOUT_DEFAULT);
    at_grid_args args;
    memset(&args, 0, sizeof args);
    MUST(mx_bind(ctx, line, &args.line));
    MUST(mx_bind(ctx, plane, &args.plane));
    MUST(mx_bind(ctx, box, &args.box));
    CHECK_OK(at_line(mx_range_1d(ctx, 0, 19), &args));
    CHECK_OK(at_plane(mx_range_2d(ctx, 0, 19, 0, 37), &args));
    CHECK_OK(at_box(mx_range_3d(ctx, 0, 19, 0, 37, 0, 41), &args));
    mx_view views[] = {line, plane, box};
    const int64_t factors[3][3] = {{7, 0, 0}, {1000, 1, 0}, {10000, 100, 1}};
    for (int v = 0; v < 3; v++) {
        mx_view mirror = check_fetch(ctx, views[v]);
        const mx_view_info info = check_info(mirror);
        int64_t i[MX_MAX_RANK] = {0};
        do
            CHECK_I64(*(int32_t *)check_at(&info, i),
                      factors[v][0] * i[0] + factors[v][1] * i[1] + factors[v][2] * i[2] + 1);
        while (check_next(&info, i));
        MUST(mx_view_destroy(&mirror));
        MUST(mx_view_destroy(&views[v]));
    }
}

static double number_at(mx_type type, const void *at)
{
    switch (type) {
    case MX_F64: return *(const double *)at;
    case MX_F32: return *(const float *)at;
    case MX_I32: return *(const int32_t *)at;
    case MX_I64: return (double)*(const int64_t *)at;
    case MX_U8: return *(const uint8_t *)at;
    case MX_U32: return *(const uint32_t *)at;
    case MX_U64: return (double)*(const uint64_t *)at;
    default: return ((const at_point *)at)->x;
    }
}

static void test_types(mx_ctx ctx)
{
    const int64_t shape[] = {23, 31};
    const mx_type types[] = {MX_F64, MX_F32, MX_I32, MX_I64,
                             MX_U8,  MX_U32, MX_U64, MX_USER(at_point)};
    const double factor[] = {0.5, 0.25, -1, -1e10, 1, 1e7, 1e10, 1};
    const at_point start = {0, 4.5, 0};
    mx_view views[8];
    at_types_args a;
    memset(&a, 0, sizeof a);
    for (int t = 0; t < 8; t++)
        views[t] = make(ctx, "typed", types[t], 2, shape, MX_LAYOUT_DEFAULT);
    MUST(mx_fill(ctx, views[7], &start));
    MUST(mx_bind(ctx, views[0], &a.f64));
    MUST(mx_bind(ctx, views[1], &a.f32));
    MUST(mx_bind(ctx, views[2], &a.i32));
    MUST(mx_bind(ctx, views[3], &a.i64));
    MUST(mx_bind(ctx, views[4], &a.u8));
    MUST(mx_bind(ctx, views[5], &a.u32));
    MUST(mx_bind(ctx, views[6], &a.u64));
    MUST(mx_bind(ctx, views[7], &a.point));
    MUST(mx_bind(ctx, views[7], &a.cpoint));
    CHECK_OK(at_types(mx_range_2d(ctx, 0, shape[0], 0, shape[1]), &a));
    for (int t = 0; t < 8; t++) {
        mx_view mirror = check_fetch(ctx, views[t]);
        const mx_view_info info = check_info(mirror);
        int64_t i[MX_MAX_RANK] = {0};
        do { /* all values are exact in their types */
            const double code = (double)((13 * i[0] + i[1]) % 250);
            CHECK_F64(number_at(types[t], check_at(&info, i)),
                      factor[t] * code + (t == 7 ? 4.5 : 0), 0);
            if (t == 7) CHECK_F64(((at_point *)check_at(&info, i))->y, 4.5, 0);
            if (t == 7) CHECK_F64(((at_point *)check_at(&info, i))->z, (double)i[0], 0);
        } while (check_next(&info, i));
        MUST(mx_view_destroy(&mirror));
        MUST(mx_view_destroy(&views[t]));
    }
}

static void test_static(mx_ctx ctx)
{
    const int64_t n3[] = {11, 3}, all[] = {5, 3}, inner[] = {11, 3, 2, 4}, wrong[] = {11, 4},
                  factors[3][4] = {{10, 1, 0, 0}, {20, 1, 0, 0}, {1000, 100, 10, 1}};
    const mx_view_options padded = {MX_SPACE_DEFAULT, MX_LAYOUT_DEFAULT, false, true};
    mx_view views[3], other;
    at_static_args args;
    memset(&args, 0, sizeof args);
    MUST(mx_view_create(ctx, "n3", MX_F64, 2, n3, NULL, &views[0]));
    MUST(mx_view_create(ctx, "all", MX_F64, 2, all, NULL, &views[1]));
    MUST(mx_view_create(ctx, "inner", MX_F64, 4, inner, NULL, &views[2]));
    MUST(mx_bind(ctx, views[0], &args.n3));
    MUST(mx_bind(ctx, views[1], &args.all));
    MUST(mx_bind(ctx, views[2], &args.inner));
    CHECK_I64(MX_EXTENT(args.n3, 0), 11);
    CHECK_I64(MX_EXTENT(args.n3, 1), 3);
    CHECK_OK(at_static(mx_range_1d(ctx, 0, 11), &args));
    for (int v = 0; v < 3; v++) {
        mx_view mirror = check_fetch(ctx, views[v]);
        const mx_view_info info = check_info(mirror);
        int64_t i[MX_MAX_RANK] = {0};
        do {
            int64_t expected = 1;
            for (int d = 0; d < info.rank; d++) expected += factors[v][d] * i[d];
            CHECK_F64(*(double *)check_at(&info, i), (double)expected, 0);
        } while (check_next(&info, i));
        MUST(mx_view_destroy(&mirror));
        MUST(mx_view_destroy(&views[v]));
    }
    MUST(mx_view_create(ctx, "wrong", MX_F64, 2, wrong, NULL, &other));
    CHECK_FAILS(mx_bind(ctx, other, &args.n3), MX_ERR_EXTENT,
                "extent 1 of the view is 4, the accessor's is always 3");
    MUST(mx_view_destroy(&other));
    /* strides that static extents settle are not read from the view, so a padded one cannot be
     * taken */
    MUST(mx_view_create(ctx, "padded", MX_F64, 2, all, &padded, &other));
    CHECK_FAILS(mx_bind(ctx, other, &args.all), MX_ERR_LAYOUT, "padded");
    MUST(mx_view_destroy(&other));
}

/* Host code indexes host memory with MX_AT too; with strides, so in any layout. */
static void test_on_host(mx_ctx ctx)
{
    const int64_t shape[] = {6, 5};
    mx_view view = make(ctx, "source", MX_I32, 2, shape, MX_LAYOUT_DEFAULT),
            mirror = check_fetch(ctx, view);
    const mx_view_info info = check_info(mirror);
    mx_i32_2 x;
    mx_ci32_2s y;
    MUST(mx_bind(NULL, mirror, &x));
    MUST(mx_bind(NULL, mirror, &y));
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 5; j++) MX_AT(x, i, j) = 10 * i + j;
    for (int64_t i = 0; i < 6; i++)
        for (int64_t j = 0; j < 5; j++) {
            CHECK_I64(MX_AT(y, i, j), 10 * i + j);
            CHECK_I64(*(int32_t *)check_at(&info, (int64_t[]){i, j}), 10 * i + j);
        }
    MUST(mx_view_destroy(&mirror));
    MUST(mx_view_destroy(&view));
}

/* All items are on a device on cuda, and on simt, whose code serial:order=shuffled runs too. */
static void test_on_device(mx_ctx ctx)
{
    const at_none_args args = {0};
    int32_t sum = -1;
    MUST(at_on_device(mx_range_1d(ctx, 0, 100), &args, &sum));
    CHECK_I64(sum, check_runs_device_code(ctx) ? 100 : 0);
}

static void test(mx_ctx ctx)
{
    test_rank_0(ctx);
    test_rank_1(ctx);
    test_rank_2(ctx);
    test_rank_3(ctx);
    test_rank_4(ctx);
    test_rank_5(ctx);
    test_rank_6(ctx);
    test_rank_7(ctx);
    test_rank_8(ctx);
    test_grids(ctx);
    test_types(ctx);
    test_static(ctx);
    test_on_host(ctx);
    test_on_device(ctx);
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
