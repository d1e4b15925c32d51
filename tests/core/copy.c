/* Copies of data: mirrors, deep copies and their errors, fills, single elements. */
#include "arrays.h"
#include "check.h"

typedef struct triple {
    double x, y;
    int32_t n, m;
} triple;

static void test_mirrors(mx_ctx ctx)
{
    const mx_view_options options = {MX_SPACE_DEFAULT, MX_LAYOUT_DEFAULT, false, true};
    const int64_t extents[] = {5, 7};
    mx_view view, mirror, same;
    void *data;
    MUST(mx_view_create(ctx, "source", MX_F32, 2, extents, &options, &view));
    MUST(mx_mirror_create(view, &mirror));
    const mx_view_info v = check_info(view), m = check_info(mirror);
    CHECK_I64(m.space, MX_SPACE_HOST);
    CHECK_I64(m.layout, v.layout);
    CHECK_I64(m.bytes, v.bytes);
    CHECK(m.data != v.data);
    for (int d = 0; d < 2; d++) {
        CHECK_I64(m.extent[d], v.extent[d]);
        CHECK_I64(m.stride[d], v.stride[d]);
    }
    CHECK_OK(mx_view_host_data(mirror, &data));
    CHECK(data == m.data);
    if (!check_host_can_access(ctx))
        CHECK_FAILS(mx_view_host_data(view, &data), MX_ERR_SPACE,
                    "cannot access: copy it by mx_export, or to a mirror");

    MUST(mx_mirror_if_needed(view, &same));
    CHECK_I64(check_info(same).data == v.data, check_host_can_access(ctx));
    CHECK_I64(check_info(view).references, check_host_can_access(ctx) ? 2 : 1);
    CHECK_OK(mx_deep_copy(ctx, same, view));
    MUST(mx_view_destroy(&same));
    MUST(mx_mirror_if_needed(mirror, &same)); /* of host memory: always the same view */
    CHECK(check_info(same).data == m.data);
    MUST(mx_view_destroy(&same));
    MUST(mx_view_destroy(&mirror));
    MUST(mx_view_destroy(&view));
}

/* There and back, through a second view of the context, in every size around the units of a
 * copy. */
static void test_round_trip(mx_ctx ctx, int64_t n)
{
    mx_view a, b, from, to;
    MUST(mx_view_create_1d(ctx, "a", MX_U8, n, &a));
    MUST(mx_view_create_1d(ctx, "b", MX_U8, n, &b));
    MUST(mx_mirror_create(a, &from));
    MUST(mx_mirror_create(a, &to));
    unsigned char *sent = check_info(from).data, *got = check_info(to).data;
    for (int64_t i = 0; i < n; i++) sent[i] = (unsigned char)check_random();
    CHECK_OK(mx_deep_copy(ctx, a, from));
    CHECK_OK(mx_deep_copy(ctx, b, a));
    CHECK_OK(mx_deep_copy(ctx, to, b));
    MUST(mx_fence(ctx));
    CHECK_I64(memcmp(sent, got, (size_t)n), 0);
    MUST(mx_view_destroy(&a));
    MUST(mx_view_destroy(&b));
    MUST(mx_view_destroy(&from));
    MUST(mx_view_destroy(&to));
}

static mx_view make(mx_ctx ctx, const char *label, mx_type type, int rank, int64_t n0, int64_t n1,
                    mx_layout layout, bool padding)
{
    const int64_t extents[] = {n0, n1};
    const mx_view_options options = {MX_SPACE_DEFAULT, layout, false, padding};
    mx_view view;
    MUST(mx_view_create(ctx, label, type, rank, extents, &options, &view));
    return view;
}

static void test_mismatches(mx_ctx ctx)
{
    const mx_layout right = MX_LAYOUT_RIGHT, left = MX_LAYOUT_LEFT;
    mx_view source = make(ctx, "src", MX_F64, 2, 6, 5, right, false);
    struct {
        mx_view view;
        mx_err code;
        const char *words;
    } cases[] = {
        {make(ctx, "t", MX_I64, 2, 6, 5, right, false), MX_ERR_TYPE,
         "copy 't' from 'src': element types differ: i64 and f64"},
        {make(ctx, "t", MX_F32, 2, 6, 5, right, false), MX_ERR_TYPE, "f32 and f64"},
        {make(ctx, "r", MX_F64, 1, 30, 0, right, false), MX_ERR_RANK, "ranks differ: 1 and 2"},
        {make(ctx, "e", MX_F64, 2, 6, 6, right, false), MX_ERR_EXTENT, "extent 1 differs: 6 and 5"},
        {make(ctx, "e", MX_F64, 2, 5, 6, right, false), MX_ERR_EXTENT, "extent 0 differs: 5 and 6"},
        {make(ctx, "l", MX_F64, 2, 6, 5, left, false), MX_ERR_LAYOUT,
         "layouts differ: left and right"},
        {make(ctx, "p", MX_F64, 2, 6, 5, right, true), MX_ERR_LAYOUT,
         "stride 0 differs (padding): 8 and 5"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        CHECK_FAILS(mx_deep_copy(ctx, cases[c].view, source), cases[c].code, cases[c].words);
        CHECK_FAILS(mx_deep_copy(ctx, source, cases[c].view), cases[c].code, "copy 'src' from");
        MUST(mx_view_destroy(&cases[c].view));
    }
    CHECK_OK(mx_deep_copy(ctx, source, source)); /* the same view: nothing to do */
    CHECK_FAILS(mx_deep_copy(ctx, source, MX_VIEW_NULL), MX_ERR_STALE, "any more");
    CHECK_FAILS(mx_deep_copy(ctx, MX_VIEW_NULL, source), MX_ERR_STALE, "any more");
    MUST(mx_view_destroy(&source));
    /* rank 1 has one layout only, whatever it is called */
    mx_view a = make(ctx, "a", MX_F64, 1, 30, 0, right, false),
            b = make(ctx, "b", MX_F64, 1, 30, 0, left, false);
    CHECK_OK(mx_deep_copy(ctx, a, b));
    MUST(mx_view_destroy(&a));
    MUST(mx_view_destroy(&b));
}

/* Views that differ only in padding nobody can see (one row) are copied by their elements. */
static void test_one_row(mx_ctx ctx)
{
    mx_view wide = make(ctx, "wide", MX_U8, 2, 1, 3, MX_LAYOUT_RIGHT, true);
    mx_view slim = make(ctx, "slim", MX_U8, 2, 1, 3, MX_LAYOUT_RIGHT, false);
    const uint8_t nine = 9;
    MUST(mx_fill(ctx, wide, &nine));
    CHECK_OK(mx_deep_copy(ctx, slim, wide));
    mx_view mirror = check_fetch(ctx, slim);
    const uint8_t *got = check_info(mirror).data;
    CHECK(got[0] == 9 && got[1] == 9 && got[2] == 9);
    MUST(mx_view_destroy(&mirror));
    MUST(mx_view_destroy(&wide));
    MUST(mx_view_destroy(&slim));
}

/* Every element holds the value; `value` and expected bytes are the same. */
static void test_fill(mx_ctx ctx, mx_type type, const void *value, int64_t n0, int64_t n1)
{
    const size_t size = MX_TYPE_SIZE(type);
    for (int padding = 0; padding < 2; padding++) {
        mx_view view = make(ctx, "filled", type, 2, n0, n1, MX_LAYOUT_DEFAULT, padding > 0);
        CHECK_OK(mx_fill(ctx, view, value));
        mx_view mirror = check_fetch(ctx, view);
        const mx_view_info info = check_info(mirror);
        int64_t wrong = 0;
        for (size_t b = 0; b < info.bytes; b += size)
            wrong += memcmp((char *)info.data + b, value, size) != 0;
        CHECK_I64(wrong, 0);
        MUST(mx_view_destroy(&mirror));
        MUST(mx_view_destroy(&view));
    }
}

static void test_fills(mx_ctx ctx)
{
    const double f64 = -1.25e100, negative_zero = -0.0, zero = 0;
    const float f32 = 3.5f;
    const int32_t i32 = -7, all_ones = -1;
    const int64_t i64 = INT64_MIN + 5;
    const uint8_t u8 = 200;
    const uint32_t u32 = 0xdeadbeef;
    const uint64_t u64 = 0x0123456789abcdef;
    const triple user = {1.5, -2.5, 7, -8};
    uint8_t bytes[1024];
    for (int b = 0; b < 1024; b++) bytes[b] = (uint8_t)(b * 7 + b / 256);
    for (int64_t n = 1; n < 3000; n = 3 * n + 1) {
        test_fill(ctx, MX_F64, &f64, 3, n);
        test_fill(ctx, MX_F64, &negative_zero, 3, n);
        test_fill(ctx, MX_F64, &zero, 3, n);
        test_fill(ctx, MX_F32, &f32, n, 3);
        test_fill(ctx, MX_I32, &i32, 3, n);
        test_fill(ctx, MX_I32, &all_ones, 3, n);
        test_fill(ctx, MX_I64, &i64, n, 3);
        test_fill(ctx, MX_U8, &u8, 3, n);
        test_fill(ctx, MX_U32, &u32, 3, n);
        test_fill(ctx, MX_U64, &u64, n, 3);
        test_fill(ctx, MX_USER(triple), &user, 3, n);
        test_fill(ctx, MX_USER(uint8_t[3]), bytes, 3, n);
        test_fill(ctx, MX_USER(uint8_t[12]), bytes, 3, n);
        test_fill(ctx, MX_USER(uint8_t[40]), bytes, n, 3);
        test_fill(ctx, MX_USER(uint8_t[48]), bytes, 3, n);
    }
    test_fill(ctx, MX_USER(bytes), bytes, 3, 50); /* the largest that cuda takes */
}

static void test_elements(mx_ctx ctx)
{
    mx_view scalar, row, grid;
    double value = 2.5, got = 0;
    MUST(mx_view_create_0d(ctx, "scalar", MX_F64, &scalar));
    MUST(mx_view_create_1d(ctx, "row", MX_F64, 5, &row));
    MUST(mx_view_create_2d(ctx, "grid", MX_F64, 5, 5, &grid));
    CHECK_OK(mx_write_element(ctx, scalar, 0, &value));
    CHECK_OK(mx_read_element(ctx, scalar, 0, &got));
    CHECK_F64(got, 2.5, 0);
    for (int64_t i = 0; i < 5; i++) {
        value = (double)(10 * i + 1);
        CHECK_OK(mx_write_element(ctx, row, i, &value));
    }
    for (int64_t i = 4; i >= 0; i--) {
        CHECK_OK(mx_read_element(ctx, row, i, &got));
        CHECK_F64(got, (double)(10 * i + 1), 0);
    }
    CHECK_FAILS(mx_read_element(ctx, row, 5, &got), MX_ERR_BOUNDS,
                "'row': index 5, its extent is 5");
    CHECK_FAILS(mx_write_element(ctx, row, -1, &value), MX_ERR_BOUNDS, "index -1");
    CHECK_FAILS(mx_read_element(ctx, scalar, 1, &got), MX_ERR_BOUNDS, "index 1, its extent is 1");
    CHECK_FAILS(mx_read_element(ctx, grid, 0, &got), MX_ERR_RANK, "got rank 2, expected 0 or 1");
    MUST(mx_view_destroy(&scalar));
    MUST(mx_view_destroy(&row));
    MUST(mx_view_destroy(&grid));
}

/* Memory that is accessible to a device and to the host. */
static void test_shared_spaces(mx_ctx ctx)
{
    const mx_space spaces[] = {MX_SPACE_MANAGED, MX_SPACE_PINNED};
    if (check_host_can_access(ctx)) return;
    for (int s = 0; s < 2; s++) {
        const mx_view_options options = {spaces[s], MX_LAYOUT_DEFAULT, false, false};
        const int64_t extents[] = {100};
        const int32_t value = 17;
        mx_view view;
        void *data;
        MUST(mx_view_create(ctx, "shared", MX_I32, 1, extents, &options, &view));
        MUST(mx_fill(ctx, view, &value));
        MUST(mx_fence(ctx));
        MUST(mx_view_host_data(view, &data));
        for (int i = 0; i < 100; i++) CHECK_I64(((int32_t *)data)[i], 17);
        MUST(mx_view_destroy(&view));
    }
}

static bool is_late(mx_view mirror)
{
    double *data;
    MUST(mx_view_host_data(mirror, (void **)&data));
    return isnan(data[0]) && isnan(data[3]);
}

static void check_all(mx_view mirror, double expected)
{
    double *data;
    MUST(mx_view_host_data(mirror, (void **)&data));
    for (int i = 0; i < 4; i++) CHECK_F64(data[i], expected, 0);
}

/* The later of two copies to the same memory stays, whichever of the views ends first. */
static void test_overlap_of_late_copies(mx_ctx ctx, mx_ctx host)
{
    const int64_t four = 4;
    mx_view ones, twos, first, last;
    MUST(mx_view_create_1d(ctx, "ones", MX_F64, four, &ones));
    MUST(mx_view_create_1d(ctx, "twos", MX_F64, four, &twos));
    MUST(mx_fill(ctx, ones, 1));
    MUST(mx_fill(ctx, twos, 2));
    for (int ends = 0; ends < 3; ends++) {
        double own[6] = {0};
        MUST(mx_view_wrap(host, "first", MX_F64, 1, &four, NULL, NULL, own, &first));
        MUST(mx_view_wrap(host, "last", MX_F64, 1, &four, NULL, NULL, own + 2, &last));
        CHECK_OK(mx_deep_copy(ctx, first, ones));
        CHECK_OK(mx_deep_copy(ctx, last, twos));
        if (ends == 1) MUST(mx_view_destroy(&first));
        if (ends == 2) MUST(mx_view_destroy(&last));
        CHECK_OK(mx_fence(ctx));
        for (int i = 0; i < 6; i++) CHECK_F64(own[i], i < 2 ? 1 : 2, 0);
        if (ends != 1) MUST(mx_view_destroy(&first));
        if (ends != 2) MUST(mx_view_destroy(&last));
    }
    MUST(mx_view_destroy(&ones));
    MUST(mx_view_destroy(&twos));
}

/* On simt a copy to the host is done at the next fence, launch, fill or copy to simt's memory of its
 * context, or when another context waits for it. A program that reads too early finds NaN there. */
static void test_late_copies(mx_ctx ctx)
{
    mx_ctx other, host;
    mx_view view, mirror, second;
    ar_axpy_args add = {.a = 1};
    if (!check_is(ctx, "simt")) return;
    MUST(mx_ctx_create("simt", &other));
    MUST(mx_view_create_1d(ctx, "late", MX_F64, 4, &view));
    MUST(mx_mirror_create(view, &mirror));
    MUST(mx_mirror_create(view, &second));
    MUST(mx_bind(ctx, view, &add.x));
    MUST(mx_bind(ctx, view, &add.y));
    for (int way = 0; way < 5; way++) {
        MUST(mx_fill(ctx, view, way));
        CHECK_OK(mx_deep_copy(ctx, mirror, view));
        CHECK_OK(mx_deep_copy(ctx, second, view));
        CHECK(is_late(mirror) && is_late(second));
        if (way == 0) CHECK_OK(mx_fence(ctx));
        if (way == 1) CHECK_OK(mx_fill(ctx, view, -1)); /* later than the copies */
        if (way == 2) CHECK_OK(mx_ctx_wait(other, ctx));
        if (way == 3) CHECK_OK(mx_deep_copy(ctx, view, mirror));
        if (way == 4) CHECK_OK(ar_axpy(mx_range_1d(ctx, 0, 4), &add)); /* later, too */
        check_all(mirror, way);
        check_all(second, way);
    }
    CHECK_OK(mx_deep_copy(ctx, mirror, view));
    CHECK_OK(mx_fence(other));
    CHECK(is_late(mirror));
    MUST(mx_view_destroy(&mirror)); /* a copy to memory that is free is not done */
    double own[4];
    const int64_t four = 4;
    MUST(mx_ctx_create("serial", &host));
    MUST(mx_view_wrap(host, "own", MX_F64, 1, &four, NULL, NULL, own, &mirror));
    MUST(mx_fill(ctx, view, 5));
    CHECK_OK(mx_deep_copy(ctx, mirror, view));
    CHECK(isnan(own[0]));
    MUST(mx_view_destroy(&mirror)); /* one to memory of the caller is done then */
    CHECK_F64(own[3], 5, 0);
    test_overlap_of_late_copies(ctx, host);
    MUST(mx_view_destroy(&second));
    MUST(mx_view_destroy(&view));
    mx_ctx_destroy(&other);
    mx_ctx_destroy(&host);
    CHECK_OK(mx_fence(ctx));
}

static void test(mx_ctx ctx)
{
    test_mirrors(ctx);
    test_late_copies(ctx);
    for (int64_t n = 0; n < 200; n += n < 70 ? 1 : 13) test_round_trip(ctx, n);
    test_round_trip(ctx, 1000003);
    test_mismatches(ctx);
    test_one_row(ctx);
    test_fills(ctx);
    test_elements(ctx);
    test_shared_spaces(ctx);
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
