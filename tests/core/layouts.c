/* Tiled and Morton layouts. The offsets that kernels compute are compared with a second formula,
 * which is written here from the pictures in the headers. Offsets must be distinct and inside the
 * view. Also properties, copies, checks and errors of such views. */
#include "layouts.h"
#include "check.h"

static mx_view make(mx_ctx ctx, const char *label, mx_layout layout, mx_type type, int rank,
                    const int64_t *extents)
{
    const mx_view_options options = {MX_SPACE_DEFAULT, layout, false, false};
    mx_view view;
    MUST(mx_view_create(ctx, label, type, rank, extents, &options, &view));
    return view;
}

/* ---- the second formulas: an element's number by counting, not by strides ---- */

static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

/* Number of a cell in a box, the last index (or the first) fastest. */
static int64_t number(int rank, const int64_t *box, const int64_t *cell, bool left)
{
    int64_t n = 0;
    for (int k = 0; k < rank; k++) {
        const int d = left ? rank - 1 - k : k;
        n = n * box[d] + cell[d];
    }
    return n;
}

static int64_t tiled_offset(int rank, const int64_t *extent, const int64_t *index, bool left)
{
    int64_t tiles[3], tile[3], within[3], side[3], size = 1;
    for (int d = 0; d < rank; d++) {
        side[d] = left ? (d < 2 ? 8 : 1) : (d >= rank - 2 ? 8 : 1);
        tiles[d] = ceil_div(extent[d], side[d]);
        tile[d] = index[d] / side[d];
        within[d] = index[d] % side[d];
        size *= side[d];
    }
    return number(rank, tiles, tile, left) * size + number(rank, side, within, left);
}

static int64_t morton_offset(int rank, const int64_t *extent, const int64_t *index, bool left)
{
    int64_t smallest = extent[0], side = 1, cubes[3], cube[3], size = 1, inside = 0;
    int bits = 0;
    (void)left;
    for (int d = 1; d < rank; d++)
        if (extent[d] < smallest) smallest = extent[d];
    while (side < smallest) side *= 2, bits++;
    for (int d = 0; d < rank; d++) {
        cubes[d] = ceil_div(extent[d], side);
        cube[d] = index[d] / side;
        size *= side;
    }
    for (int b = bits - 1; b >= 0; b--) /* from the top, the first index's bit comes first */
        for (int d = 0; d < rank; d++) inside = inside * 2 + (index[d] % side >> b & 1);
    return number(rank, cubes, cube, false) * size + inside;
}

/* ---- what every layout must do ---- */

typedef int64_t (*offset_fn)(int rank, const int64_t *extent, const int64_t *index, bool left);

static int64_t code_of(int rank, const int64_t *i)
{
    return rank == 2 ? 10000 * i[0] + i[1] : 1000000 * i[0] + 1000 * i[1] + i[2];
}

/* x: what the kernel wrote; offsets: where it says that each element is. Returns the sum of all
 * elements. */
static int64_t check_elements(mx_ctx ctx, mx_view x, mx_view offsets, offset_fn expected, bool left)
{
    mx_view values = check_fetch(ctx, x), where = check_fetch(ctx, offsets);
    const mx_view_info info = check_info(values), at = check_info(where);
    const int64_t span = (int64_t)(info.bytes / sizeof(int32_t));
    char *seen = check_memory((size_t)span);
    int64_t index[MX_MAX_RANK] = {0}, sum = 0;
    CHECK_I64(info.layout, check_info(x).layout);
    do {
        const int64_t offset = *(int64_t *)check_at(&at, index);
        CHECK_I64(offset, expected(info.rank, info.extent, index, left));
        CHECK_I64(mx_view_offset(&info, index), offset);
        CHECK(offset >= 0 && offset < span);
        if (offset < 0 || offset >= span) continue;
        CHECK_I64(seen[offset]++, 0);
        CHECK_I64(((int32_t *)info.data)[offset], code_of(info.rank, index));
        sum += code_of(info.rank, index);
    } while (check_next(&info, index));
    free(seen);
    MUST(mx_view_destroy(&values));
    MUST(mx_view_destroy(&where));
    return sum;
}

#define RANGE_2(ctx, e) mx_range_2d(ctx, 0, (e)[0], 0, (e)[1])
#define RANGE_3(ctx, e) mx_range_3d(ctx, 0, (e)[0], 0, (e)[1], 0, (e)[2])

/* Writes, copies to a second view, sums that one. */
#define LAYOUTS_TEST(name, LAYOUT, R)                                                             \
    static void test_##name(mx_ctx ctx, const int64_t *extents, int64_t span, offset_fn expected) \
    {                                                                                             \
        mx_view x = make(ctx, #name, MX_LAYOUT_##LAYOUT, MX_I32, R, extents),                     \
                copy = make(ctx, "copy", MX_LAYOUT_##LAYOUT, MX_I32, R, extents),                 \
                offset = make(ctx, "offset", MX_LAYOUT_DEFAULT, MX_I64, R, extents);              \
        const mx_view_info info = check_info(x);                                                  \
        int64_t sum = -1, count = 1;                                                              \
        layouts_##name##_args a;                                                                  \
        memset(&a, 0, sizeof a);                                                                  \
        for (int d = 0; d < R; d++) count *= extents[d];                                          \
        CHECK_I64(info.count, count);                                                             \
        CHECK_I64(info.bytes, span * 4);                                                          \
        MUST(mx_bind(ctx, x, &a.x));                                                              \
        MUST(mx_bind(ctx, x, &a.y));                                                              \
        MUST(mx_bind(ctx, offset, &a.offset));                                                    \
        CHECK_OK(layouts_##name(RANGE_##R(ctx, extents), &a));                                    \
        CHECK_OK(mx_deep_copy(ctx, copy, x));                                                     \
        MUST(mx_bind(ctx, copy, &a.y));                                                           \
        CHECK_OK(layouts_sum_##name(RANGE_##R(ctx, extents), &a, &sum));                          \
        CHECK_I64(sum, check_elements(ctx, x, offset, expected,                                   \
                                      MX_LAYOUT_##LAYOUT == MX_LAYOUT_TILED_LEFT));               \
        mx_view all[] = {x, copy, offset};                                                        \
        for (int v = 0; v < 3; v++) MUST(mx_view_destroy(&all[v]));                               \
    }
LAYOUTS_EACH(LAYOUTS_TEST)

static void test_offsets(mx_ctx ctx)
{
    /* exact tiles and cubes; one more and one less; long ones; a single row */
    test_tiled2(ctx, (int64_t[]){16, 24}, 16 * 24, tiled_offset);
    test_tiled2(ctx, (int64_t[]){17, 31}, 24 * 32, tiled_offset);
    test_tiled2(ctx, (int64_t[]){1, 100}, 8 * 104, tiled_offset);
    test_tiled3(ctx, (int64_t[]){5, 9, 20}, 5 * 16 * 24, tiled_offset);
    test_left2(ctx, (int64_t[]){17, 31}, 24 * 32, tiled_offset);
    test_left3(ctx, (int64_t[]){9, 20, 5}, 16 * 24 * 5, tiled_offset);
    test_morton2(ctx, (int64_t[]){32, 32}, 32 * 32, morton_offset);
    test_morton2(ctx, (int64_t[]){33, 50}, 64 * 64, morton_offset);
    test_morton2(ctx, (int64_t[]){5, 100}, 8 * 104, morton_offset);
    test_morton2(ctx, (int64_t[]){70, 1}, 70, morton_offset);
    test_morton3(ctx, (int64_t[]){8, 8, 8}, 512, morton_offset);
    test_morton3(ctx, (int64_t[]){3, 17, 9}, 4 * 20 * 12, morton_offset);
    test_morton3(ctx, (int64_t[]){17, 18, 31}, 32 * 32 * 32, morton_offset);
}

/* The pictures in the headers, digit by digit. */
static void test_picture(mx_ctx ctx)
{
    static const int64_t morton[4][4] = {
        {0, 1, 4, 5}, {2, 3, 6, 7}, {8, 9, 12, 13}, {10, 11, 14, 15}};
    static const int64_t tiled[4][5] = {
        {0, 1, 2, 6, 7}, {3, 4, 5, 9, 10}, {12, 13, 14, 18, 19}, {15, 16, 17, 21, 22}};
    uint64_t extent[] = {4, 5}, stride[2];
    mx_view view = make(ctx, "z", MX_LAYOUT_MORTON, MX_F64, 2, (int64_t[]){4, 4});
    const mx_view_info info = check_info(view);
    CHECK(mx_tiled_strides_(2, extent, stride, false, 2, 3));
    CHECK_I64(extent[0] * 10 + extent[1], 46);
    for (int64_t i = 0; i < 4; i++) {
        for (int64_t j = 0; j < 4; j++)
            CHECK_I64(mx_view_offset(&info, (int64_t[]){i, j}), morton[i][j]);
        for (int64_t j = 0; j < 5; j++)
            CHECK_I64(mx_tiled_term_(2, 0, i, (int64_t)stride[0], false, 2, 3) +
                          mx_tiled_term_(2, 1, j, (int64_t)stride[1], false, 2, 3),
                      tiled[i][j]);
    }
    MUST(mx_view_destroy(&view));
}

/* Static extents on top; and the same launch on another backend, element by element. */
static void test_checked(mx_ctx ctx)
{
    const int64_t extents[] = {4, 9, 20}, wrong[] = {4, 9, 21};
    mx_view x = make(ctx, "x", MX_LAYOUT_TILED, MX_I32, 3, extents),
            y = make(ctx, "y", MX_LAYOUT_TILED, MX_I32, 3, wrong);
    layouts_fixed_args a;
    MUST(mx_bind(ctx, x, &a.x));
    CHECK_FAILS(mx_bind(ctx, y, &a.x), MX_ERR_EXTENT,
                "extent 2 of the view is 21, the accessor's is always 20");
    MUST(mx_ctx_check_against(ctx, "serial", 0));
    CHECK_OK(layouts_fixed_fill(RANGE_3(ctx, extents), &a));
    MUST(mx_ctx_check_against(ctx, NULL, 0));
    mx_view values = check_fetch(ctx, x);
    const mx_view_info info = check_info(values);
    int64_t i[MX_MAX_RANK] = {0};
    do CHECK_I64(((int32_t *)info.data)[tiled_offset(3, extents, i, false)], code_of(3, i));
    while (check_next(&info, i));
    mx_view all[] = {x, y, values};
    for (int v = 0; v < 3; v++) MUST(mx_view_destroy(&all[v]));
}

/* Views of the same memory: read-only, and somebody else's. Their padding goes with the copies. */
static void test_shared(mx_ctx ctx)
{
    const int64_t extents[] = {9, 10};
    const mx_view_options as_tiled = {MX_SPACE_DEFAULT, MX_LAYOUT_TILED, true, false};
    const int32_t seven = 7;
    mx_view all[4];
    tiled2 x;
    ctiled2 y;
    all[0] = make(ctx, "x", MX_LAYOUT_TILED, MX_I32, 2, extents);
    all[1] = make(ctx, "copy", MX_LAYOUT_TILED, MX_I32, 2, extents);
    MUST(mx_view_constant(all[0], &all[2]));
    MUST(mx_view_wrap(ctx, "wrapped", MX_I32, 2, extents, NULL, &as_tiled, check_info(all[0]).data,
                      &all[3]));
    CHECK_I64(check_info(all[2]).bytes, 16 * 16 * 4);
    CHECK_I64(check_info(all[3]).bytes, 16 * 16 * 4);
    CHECK_FAILS(mx_bind(ctx, all[2], &x), MX_ERR_CONST, "bind it to a const accessor");
    CHECK_OK(mx_bind(ctx, all[2], &y));
    CHECK_OK(mx_fill(ctx, all[3], &seven));
    CHECK_OK(mx_deep_copy(ctx, all[1], all[2]));
    mx_view mirror = check_fetch(ctx, all[1]);
    const mx_view_info info = check_info(mirror);
    for (int e = 0; e < 16 * 16; e++) CHECK_I64(((int32_t *)info.data)[e], 7);
    MUST(mx_view_destroy(&mirror));
    MUST(mx_view_realloc(ctx, &all[1], ((int64_t[]){17, 8})));
    CHECK_I64(check_info(all[1]).bytes, 24 * 8 * 4);
    for (int v = 3; v >= 0; v--) MUST(mx_view_destroy(&all[v]));
}

static void test_refused(mx_ctx ctx)
{
    const int64_t extents[] = {5, 6, 7, 8}, too_large[] = {(int64_t)1 << 30, (int64_t)1 << 34},
                  none[] = {0, INT64_MAX / 16};
    const mx_view_options as_tiled = {MX_SPACE_DEFAULT, MX_LAYOUT_TILED, true, false},
                          as_morton = {MX_SPACE_DEFAULT, MX_LAYOUT_MORTON, true, false};
    mx_view tiled = make(ctx, "tiled", MX_LAYOUT_TILED, MX_I32, 2, extents),
            morton = make(ctx, "morton", MX_LAYOUT_MORTON, MX_I32, 2, extents),
            plain = make(ctx, "plain", MX_LAYOUT_DEFAULT, MX_I32, 2, extents),
            row = make(ctx, "row", MX_LAYOUT_DEFAULT, MX_I32, 1, extents), none_such;
    tiled2 t;
    left2 l;
    morton2 m;
    mx_i32_2 d;
    mx_i32_2s s;
    mx_i32_2r r;
    CHECK_OK(mx_bind(ctx, tiled, &t));
    CHECK_FAILS(mx_bind(ctx, tiled, &l), MX_ERR_LAYOUT,
                "'tiled': the view has layout tiled, the accessor tiled_left");
    CHECK_FAILS(mx_bind(ctx, tiled, &m), MX_ERR_LAYOUT, "layout tiled, the accessor morton");
    CHECK_FAILS(mx_bind(ctx, tiled, &d), MX_ERR_LAYOUT, "(the context's)");
    CHECK_FAILS(mx_bind(ctx, tiled, &s), MX_ERR_LAYOUT, "layout tiled, the accessor stride");
    CHECK_FAILS(mx_bind(ctx, tiled, &r), MX_ERR_LAYOUT, "layout tiled, the accessor right");
    CHECK_FAILS(mx_bind(ctx, plain, &t), MX_ERR_LAYOUT, "the accessor tiled");
    CHECK_FAILS(mx_bind_origin(ctx, tiled, ((int64_t[]){-1, -1}), &t), MX_ERR_LAYOUT,
                "an origin needs layout left, right or stride, the view has tiled");
    CHECK_FAILS(mx_deep_copy(ctx, plain, tiled), MX_ERR_LAYOUT, "layouts differ");
    CHECK_OK(mx_remap(ctx, plain, tiled));
    CHECK_OK(mx_remap(ctx, morton, plain));
    CHECK_FAILS(mx_subview(tiled, MX_SLICES(mx_all(), mx_index(0)), &none_such), MX_ERR_LAYOUT,
                "subview of 'tiled': its layout is tiled, expected left, right or stride");
    CHECK_FAILS(mx_view_resize(ctx, &morton, extents), MX_ERR_LAYOUT, "resize of 'morton'");
    CHECK_FAILS(mx_view_wrap(ctx, "w", MX_I32, 2, extents, (int64_t[]){6, 1}, &as_tiled,
                             check_info(tiled).data, &none_such),
                MX_ERR_LAYOUT, "strides of 'w': its layout is tiled");
    CHECK_FAILS(mx_deep_copy(ctx, morton, tiled), MX_ERR_LAYOUT,
                "layouts differ: morton and tiled");
    CHECK_FAILS(mx_view_create(ctx, "v", MX_F64, 1, extents, &as_tiled, &none_such), MX_ERR_RANK,
                "'v': layout tiled is not for rank 1");
    CHECK_FAILS(mx_view_create(ctx, "v", MX_F64, 4, extents, &as_morton, &none_such), MX_ERR_RANK,
                "'v': layout morton is not for rank 4");
    CHECK_FAILS(mx_view_create(ctx, "v", MX_F64, 2, too_large, &as_tiled, &none_such),
                MX_ERR_EXTENT, "address space");
    CHECK_FAILS(mx_view_create(ctx, "v", MX_F64, 2, too_large, &as_morton, &none_such),
                MX_ERR_EXTENT, "address space");
    CHECK_FAILS(mx_view_create(ctx, "v", MX_F64, 2, none, &as_tiled, &none_such), MX_ERR_EXTENT,
                "address space");
    mx_view all[] = {tiled, morton, plain, row};
    for (int v = 0; v < 4; v++) MUST(mx_view_destroy(&all[v]));
}

static void test(mx_ctx ctx)
{
    test_offsets(ctx);
    test_picture(ctx);
    test_checked(ctx);
    test_shared(ctx);
    test_refused(ctx);
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
