/* Accessors declared one by one: static extents fold into offsets; origins shift indices. Offsets
 * and contents are compared with arithmetic and a plain array. */
#include "accessors.h"
#include "check.h"

static mx_view make(mx_ctx ctx, const char *label, mx_layout layout, mx_type type, int rank,
                    const int64_t *extents)
{
    const mx_view_options options = {MX_SPACE_DEFAULT, layout, false, false};
    mx_view view;
    MUST(mx_view_create(ctx, label, type, rank, extents, &options, &view));
    return view;
}

/* ---- static extents ---- */

/* The run-time strides of an accessor are overwritten with nonsense: who reads them goes astray. */
#define SPOIL_STRIDES(accessor) memset((accessor).stride, 0x55, sizeof(accessor).stride)

static void test_folding(mx_ctx ctx)
{
    enum { N = 7 * 12 };
    mx_view right = make(ctx, "right", MX_LAYOUT_RIGHT, MX_F64, 3, (int64_t[]){7, 4, 3}),
            left = make(ctx, "left", MX_LAYOUT_LEFT, MX_F64, 3, (int64_t[]){7, 4, 3}),
            pairs =
                make(ctx, "pairs", MX_LAYOUT_RIGHT, MX_USER(accessors_pair), 2, (int64_t[]){7, 5}),
            five = make(ctx, "five", MX_LAYOUT_RIGHT, MX_U8, 5, (int64_t[]){7, 1, 2, 3, 4095}),
            where = make(ctx, "where", MX_LAYOUT_RIGHT, MX_I64, 2, (int64_t[]){N, 4});
    accessors_where_args a;
    memset(&a, 0, sizeof a);
    MUST(mx_bind(ctx, right, &a.right));
    MUST(mx_bind(ctx, left, &a.left));
    MUST(mx_bind(ctx, pairs, &a.pairs));
    MUST(mx_bind(ctx, five, &a.five));
    MUST(mx_bind(ctx, where, &a.where));
    CHECK_I64(MX_EXTENT(a.right, 0) * 100 + MX_EXTENT(a.right, 1) * 10 + MX_EXTENT(a.right, 2),
              743);
    CHECK_I64(MX_EXTENT(a.five, 4), 4095);
    SPOIL_STRIDES(a.right);
    SPOIL_STRIDES(a.left);
    SPOIL_STRIDES(a.pairs);
    SPOIL_STRIDES(a.five);
    CHECK_OK(accessors_where(mx_range_1d(ctx, 0, N), &a));
    mx_view got = check_fetch(ctx, where);
    const int64_t *w = check_info(got).data;
    for (int n = 0; n < N; n++) {
        const int i = n / 12, j = n / 3 % 4, k = n % 3;
        CHECK_I64(w[4 * n], (i * 4 + j) * 3 + k);
        CHECK_I64(w[4 * n + 1], i + 7 * (j + 4 * k));
        CHECK_I64(w[4 * n + 2], i * 5 + j + 1);
        CHECK_I64(w[4 * n + 3], ((i * 2 + j % 2) * 3 + k) * 4095 + 4000 + n);
    }
    mx_view all[] = {right, left, pairs, five, where, got};
    for (int v = 0; v < 6; v++) MUST(mx_view_destroy(&all[v]));
}

/* double*[3] and double** are one view: each accessor may be bound to what the other one was made
 * for. */
static void test_static_and_not(mx_ctx ctx)
{
    mx_view view = make(ctx, "v", MX_LAYOUT_RIGHT, MX_F64, 3, (int64_t[]){9, 4, 3}),
            other = make(ctx, "w", MX_LAYOUT_RIGHT, MX_F64, 3, (int64_t[]){9, 3, 4});
    accessors_right fixed;
    mx_cf64_3r any;
    CHECK_OK(mx_bind(ctx, view, &fixed));
    CHECK_OK(mx_bind(ctx, view, &any));
    CHECK_OK(mx_bind(ctx, other, &any));
    CHECK_FAILS(mx_bind(ctx, other, &fixed), MX_ERR_EXTENT,
                "bind &fixed to view 'w': extent 1 of the view is 3, the accessor's is always 4");
    MUST(mx_view_destroy(&view));
    MUST(mx_view_destroy(&other));
}

/* ---- origins ---- */

enum { ROWS = 9, COLUMNS = 13 }; /* without the halo */

static mx_layout other_layout(mx_ctx ctx)
{
    mx_ctx_info info;
    MUST(mx_ctx_get_info(ctx, &info));
    return info.layout == MX_LAYOUT_LEFT ? MX_LAYOUT_RIGHT : MX_LAYOUT_LEFT;
}

static void check_codes(mx_ctx ctx, mx_view view, int64_t i0, int64_t j0, int64_t more)
{
    mx_view mirror = check_fetch(ctx, view);
    const mx_view_info info = check_info(mirror);
    int64_t at[MX_MAX_RANK] = {0};
    do
        CHECK_I64(*(int64_t *)check_at(&info, at),
                  info.rank == 1 ? at[0] + j0 : 1000 * (at[0] + i0) + at[1] + j0 + more);
    while (check_next(&info, at));
    MUST(mx_view_destroy(&mirror));
}

static void test_halo(mx_ctx ctx)
{
    const int64_t whole[] = {ROWS + 2, COLUMNS + 2}, inner[] = {ROWS, COLUMNS}, halo[] = {-1, -1},
                  line[] = {COLUMNS + 2}, first[] = {-1};
    const mx_layout other = other_layout(ctx);
    const mx_layout layouts[] = {MX_LAYOUT_DEFAULT, other, MX_LAYOUT_LEFT, MX_LAYOUT_RIGHT};
    mx_view views[4], row = make(ctx, "row", MX_LAYOUT_DEFAULT, MX_I64, 1, line),
                      sums = make(ctx, "sums", MX_LAYOUT_DEFAULT, MX_I64, 2, inner);
    accessors_halo_args a;
    memset(&a, 0, sizeof a);
    for (int v = 0; v < 4; v++) views[v] = make(ctx, "field", layouts[v], MX_I64, 2, whole);
    MUST(mx_bind_origin(ctx, views[0], halo, &a.own));
    MUST(mx_bind_origin(ctx, views[1], halo, &a.strided));
    MUST(mx_bind_origin(ctx, views[2], halo, &a.left));
    MUST(mx_bind_origin(ctx, views[3], halo, &a.right));
    MUST(mx_bind_origin(ctx, row, first, &a.line));
    MUST(mx_bind_origin(ctx, views[0], halo, &a.field));
    MUST(mx_bind(ctx, sums, &a.sums));
    CHECK_I64(MX_EXTENT(a.own, 0), ROWS + 2); /* an extent counts, whatever the origin */
    CHECK_OK(accessors_halo(mx_range_2d(ctx, -1, ROWS + 1, -1, COLUMNS + 1), &a));
    for (int v = 0; v < 4; v++) check_codes(ctx, views[v], -1, -1, v);
    check_codes(ctx, row, 0, -1, 0);
    CHECK_OK(accessors_sums(mx_range_2d(ctx, 0, ROWS, 0, COLUMNS), &a));
    mx_view mirror = check_fetch(ctx, sums);
    const mx_view_info info = check_info(mirror);
    int64_t at[MX_MAX_RANK] = {0};
    do CHECK_I64(*(int64_t *)check_at(&info, at), 4 * (1000 * at[0] + at[1]));
    while (check_next(&info, at));
    MUST(mx_view_destroy(&mirror));
    for (int v = 0; v < 4; v++) MUST(mx_view_destroy(&views[v]));
    MUST(mx_view_destroy(&row));
    MUST(mx_view_destroy(&sums));
}

/* Any origin, far ones too, with static extents; and host code. */
static void test_far_origins(mx_ctx ctx)
{
    const int64_t extents[] = {5, 6, 4}, far[] = {INT32_MAX - 10, INT32_MIN, 7},
                  beyond[] = {0, (int64_t)INT32_MAX + 1, 0}, near[] = {-2, 3, 10};
    mx_view view = make(ctx, "far", MX_LAYOUT_DEFAULT, MX_I64, 3, extents);
    accessors_block_args a;
    mx_i64_3s host;
    CHECK_OK(mx_bind_origin(ctx, view, far, &a.block));
    CHECK_FAILS(mx_bind_origin(ctx, view, beyond, &a.block), MX_ERR_EXTENT,
                "bind &a.block to view 'far': origin 1, 2147483648, is beyond 32 bits");
    MUST(mx_bind_origin(ctx, view, near, &a.block));
    CHECK_OK(accessors_fill(mx_range_3d(ctx, -2, 3, 3, 9, 10, 14), &a));
    mx_view mirror = check_fetch(ctx, view);
    MUST(mx_bind_origin(NULL, mirror, far, &host));
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 6; j++)
            for (int k = 0; k < 4; k++)
                CHECK_I64(MX_AT(host, far[0] + i, far[1] + j, far[2] + k),
                          10000 * (i - 2) + 100 * (j + 3) + k + 10);
    MUST(mx_view_destroy(&mirror));
    MUST(mx_view_destroy(&view));
}

/* Memory of so many elements in the space of ctx, all -9; where they are. */
static mx_view make_memory(mx_ctx ctx, int64_t count, char **data)
{
    const int64_t nothing = -9;
    mx_view memory = make(ctx, "memory", MX_LAYOUT_DEFAULT, MX_I64, 1, &count);
    MUST(mx_fill(ctx, memory, &nothing));
    *data = check_info(memory).data;
    return memory;
}

/* Of `count` elements, those numbered first, first + step, ... are values[0] to values[n - 1], the
 * others -9. Ends the view. */
static void check_memory_of(mx_ctx ctx, mx_view memory, int first, int step, int n,
                            const int64_t *values)
{
    mx_view mirror = check_fetch(ctx, memory);
    const mx_view_info info = check_info(mirror);
    for (int e = 0; e < (int)info.count; e++) {
        const int k = (e - first) / step;
        const bool written = e >= first && (e - first) % step == 0 && k < n;
        CHECK_I64(((int64_t *)info.data)[e], written ? values[k] : -9);
    }
    MUST(mx_view_destroy(&mirror));
    MUST(mx_view_destroy(&memory));
}

/* Dimensions of extent 1 may have any stride, and MX_AT may take another one; an origin there moves
 * nothing. */
static void test_thin(mx_ctx ctx)
{
    const bool left = other_layout(ctx) == MX_LAYOUT_RIGHT;
    const int64_t rows[] = {4, 1}, columns[] = {1, 4}, by_rows[] = {7, 3}, by_columns[] = {3, 7},
                  far_rows[] = {1, 3000000000}, far_columns[] = {3000000000, 1},
                  values[] = {1049, 1059, 1069, 1079, 2049, 2059, 2069, 2079},
                  turned[] = {986, 987, 988, 989, 1986, 1987, 1988, 1989};
    const int64_t origin[] = {left ? -2 : 5, left ? 6 : -1};
    const int64_t *const expected = left ? turned : values, *const extents = left ? columns : rows;
    accessors_thin_args a;
    char *data[3];
    mx_view memory[3], line, wide, sheet;
    memset(&a, 0, sizeof a);
    for (int m = 0; m < 3; m++) memory[m] = make_memory(ctx, 40, &data[m]);
    MUST(mx_view_wrap(ctx, "line", MX_I64, 2, extents, left ? by_columns : by_rows, NULL, data[0],
                      &line));
    MUST(mx_view_wrap(ctx, "wide", MX_I64, 2, extents, left ? far_columns : far_rows, NULL, data[1],
                      &wide));
    CHECK_I64(check_info(line).layout, left ? MX_LAYOUT_LEFT : MX_LAYOUT_RIGHT);
    MUST(mx_bind_origin(ctx, line, origin, &a.line));
    MUST(mx_bind_origin(ctx, wide, origin, &a.wide));
    mx_bind_none(&a.sheet);
    CHECK_OK(accessors_lines(
        mx_range_2d(ctx, origin[0], origin[0] + extents[0], origin[1], origin[1] + extents[1]),
        &a));
    check_memory_of(ctx, memory[0], 0, 7, 4, expected);
    check_memory_of(ctx, memory[1], 0, 1, 4, expected + 4);
    /* by static extents: rows of 3 that are 5 apart, one of them, and a table of one row */
    const int64_t one[] = {1, 1, 3}, apart[] = {20, 5, 1}, pages[] = {1, 4, 8}, at[] = {-2, -1, 0};
    const int64_t cells[] = {-210, -209, -208};
    MUST(mx_view_wrap(ctx, "sheet", MX_I64, 3, one, left ? pages : apart, NULL, data[2], &sheet));
    memset(&a, 0, sizeof a);
    MUST(mx_bind_origin(ctx, sheet, at, &a.sheet));
    mx_bind_none(&a.line);
    mx_bind_none(&a.wide);
    CHECK_OK(accessors_sheets(mx_range_3d(ctx, -2, -1, -1, 0, 0, 3), &a));
    MUST(mx_ctx_check_against(ctx, left ? "simt" : "serial", 0));
    CHECK_OK(left ? MX_OK : accessors_sheets(mx_range_3d(ctx, -2, -1, -1, 0, 0, 3), &a));
    MUST(mx_ctx_check_against(ctx, NULL, 0));
    check_memory_of(ctx, memory[2], 0, left ? 8 : 1, 3, cells);
    MUST(mx_view_destroy(&line));
    MUST(mx_view_destroy(&wide));
    MUST(mx_view_destroy(&sheet));
}

/* Checked against another backend: with the same strides always; with others only where accessors
 * know their origin. */
static void test_checked(mx_ctx ctx)
{
    const int64_t extents[] = {5, 6, 4}, origin[] = {-1, -1, -1};
    const mx_layout other = other_layout(ctx);
    mx_view view = make(ctx, "checked", MX_LAYOUT_DEFAULT, MX_I64, 3, extents);
    accessors_block_args a;
    MUST(mx_bind_origin(ctx, view, origin, &a.block));
    MUST(mx_ctx_check_against(ctx, other == MX_LAYOUT_LEFT ? "serial" : "simt", 0));
    CHECK_OK(accessors_fill(mx_range_3d(ctx, -1, 4, -1, 5, -1, 3), &a));
    MUST(mx_ctx_check_against(ctx, other == MX_LAYOUT_LEFT ? "simt" : "serial", 0));
#ifdef MINX_BOUNDS_CHECK
    CHECK_OK(accessors_fill(mx_range_3d(ctx, -1, 4, -1, 5, -1, 3), &a));
#else
    CHECK_FAILS(
        accessors_fill(mx_range_3d(ctx, -1, 4, -1, 5, -1, 3), &a), MX_ERR_LAYOUT,
        "view 'checked' has an accessor with an origin: a check needs a context with the same layout");
#endif
    MUST(mx_ctx_check_against(ctx, NULL, 0));
    MUST(mx_view_destroy(&view));
}

/* Builds that check indices know where a view begins. */
static void test_bounds(mx_ctx ctx)
{
#ifdef MINX_BOUNDS_CHECK
    const int64_t extents[] = {5, 6, 4}, origin[] = {-1, 3, 0};
    mx_view view = make(ctx, "halo", MX_LAYOUT_DEFAULT, MX_I64, 3, extents);
    accessors_block_args a;
    MUST(mx_bind_origin(ctx, view, origin, &a.block));
    CHECK_OK(accessors_fill(mx_range_3d(ctx, -1, 4, 3, 9, 0, 4), &a));
    CHECK_OK(mx_fence(ctx));
    const struct {
        mx_range_3 range;
        const char *words;
    } outside[] = {
        {mx_range_3d(ctx, -2, 4, 3, 4, 0, 1),
         "dimension 0 of view 'halo' is -2, expected -1 to 3 in item (-2, 3, 0) (1"},
        {mx_range_3d(ctx, -1, 5, 3, 4, 0, 1),
         "dimension 0 of view 'halo' is 4, expected -1 to 3 in item (4, 3, 0) (1"},
        {mx_range_3d(ctx, 0, 1, 2, 9, 0, 1),
         "dimension 1 of view 'halo' is 2, expected 3 to 8 in item (0, 2, 0) (1"},
        {mx_range_3d(ctx, 0, 1, 3, 4, 0, 5),
         "dimension 2 of view 'halo' is 4, expected 0 to 3 in item (0, 3, 4) (1"},
    };
    for (int r = 0; r < 4; r++) {
        const mx_err err = accessors_fill(outside[r].range, &a);
        CHECK_FAILS(err != MX_OK ? err : mx_fence(ctx), MX_ERR_BOUNDS, outside[r].words);
    }
    MUST(mx_view_destroy(&view));
#else
    (void)ctx;
#endif
}

static void test(mx_ctx ctx)
{
    test_folding(ctx);
    test_static_and_not(ctx);
    test_halo(ctx);
    test_far_origins(ctx);
    test_thin(ctx);
    test_checked(ctx);
    test_bounds(ctx);
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
