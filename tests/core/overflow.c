/* Extents, strides, origins and lengths whose sums or products do not fit 64 bits: each is an error
 * that changes nothing, or has no effect where there is nothing to compute. A build with the
 * undefined-behaviour sanitizer watches this test too. */
#include "check.h"
#include "minx/kit/scatter.h"
#include "minx/kit/sort.h"

enum { ROWS = 3, COLUMNS = 4 };
static const int64_t far = (int64_t)1 << 40;

/* ---- host arrays ---- */

typedef struct far_strides {
    int64_t stride[2];
    mx_err in, out; /* what import and export return */
} far_strides;

/* Elements of 8 bytes: at most 2^60 - 1 of them fit the address space. */
static const far_strides wrong[] = {
    {{INT64_MAX, 1}, MX_ERR_EXTENT, MX_ERR_EXTENT},
    {{1, INT64_MAX}, MX_ERR_EXTENT, MX_ERR_EXTENT},
    {{INT64_MAX, INT64_MAX}, MX_ERR_EXTENT, MX_ERR_EXTENT},
    {{INT64_MAX / 2 + 1, 1}, MX_ERR_EXTENT, MX_ERR_EXTENT}, /* 2 of them are 2^63 */
    {{INT64_MAX / ROWS, 1}, MX_ERR_EXTENT, MX_ERR_EXTENT},
    {{((int64_t)1 << 61) + 1, 1}, MX_ERR_EXTENT, MX_ERR_EXTENT}, /* in bytes it is 8 */
    {{((int64_t)1 << 60) / ROWS + 1, 1}, MX_ERR_EXTENT, MX_ERR_EXTENT},
    /* each one alone fits, both together do not */
    {{(int64_t)5 << 56, (int64_t)3 << 56}, MX_ERR_EXTENT, MX_ERR_EXTENT},
    {{INT64_MIN, 1}, MX_ERR_LAYOUT, MX_ERR_LAYOUT},
    {{1, INT64_MIN}, MX_ERR_LAYOUT, MX_ERR_LAYOUT},
    {{-1, INT64_MAX}, MX_ERR_LAYOUT, MX_ERR_LAYOUT},
    {{-COLUMNS, 1}, MX_ERR_LAYOUT, MX_ERR_LAYOUT},
};

static void test_arrays(mx_ctx ctx)
{
    static double array[ROWS][COLUMNS];
    double back[ROWS][COLUMNS];
    mx_view view;
    for (int i = 0; i < ROWS * COLUMNS; i++) (&array[0][0])[i] = i + 0.5;
    MUST(mx_view_create_2d(ctx, "v", MX_F64, ROWS, COLUMNS, &view));
    MUST(mx_import(ctx, view, &array[0][0], NULL));
    for (size_t n = 0; n < sizeof wrong / sizeof wrong[0]; n++) {
        const char *const words = wrong[n].in == MX_ERR_EXTENT ? "address space" : "expected 0 or";
        CHECK_FAILS(mx_import(ctx, view, &array[0][0], wrong[n].stride), wrong[n].in, words);
        CHECK_FAILS(mx_export(ctx, view, &back[0][0], wrong[n].stride), wrong[n].out, words);
    }
    CHECK_OK(mx_export(ctx, view, &back[0][0], NULL));
    CHECK(memcmp(array, back, sizeof array) == 0);
    MUST(mx_view_destroy(&view));
}

/* Along a dimension with one element the stride has no effect. */
static void test_single_rows(mx_ctx ctx)
{
    const int64_t strides[] = {INT64_MAX, 1};
    const double array[COLUMNS] = {1, 2, 3, 4};
    double back[COLUMNS] = {0};
    mx_view view;
    MUST(mx_view_create_2d(ctx, "row", MX_F64, 1, COLUMNS, &view));
    CHECK_OK(mx_import(ctx, view, array, strides));
    CHECK_OK(mx_export(ctx, view, back, strides));
    CHECK(memcmp(array, back, sizeof array) == 0);
    MUST(mx_view_destroy(&view));
}

/* ---- views ---- */

/* Views without elements, where the other extents have no product: in each order. */
static void test_empty(mx_ctx ctx)
{
    for (int zero = 0; zero < 3; zero++)
        for (int l = MX_LAYOUT_LEFT; l <= MX_LAYOUT_RIGHT; l++) {
            const mx_view_options options = {.layout = (mx_layout)l};
            int64_t extents[] = {far, far, far}, more[] = {far, far, far};
            mx_view a, b, part;
            extents[zero] = more[zero] = 0;
            more[(zero + 1) % 3] = far / 2;
            const mx_err err = mx_view_create(ctx, "a", MX_F64, 3, extents, &options, &a);
            if (err == MX_ERR_EXTENT) continue; /* its strides have no product */
            MUST(err);
            MUST(mx_view_create(ctx, "b", MX_F64, 3, extents, &options, &b));
            CHECK_I64(check_info(a).count, 0);
            CHECK_OK(mx_deep_copy(ctx, a, b));
            CHECK_OK(mx_remap(ctx, a, b));
            if (l == MX_LAYOUT_RIGHT) { /* the order of the array too */
                CHECK_OK(mx_import(ctx, a, (const double *)NULL, NULL));
                CHECK_OK(mx_export(ctx, a, (double *)NULL, NULL));
            }
            CHECK_OK(mx_subview(a, MX_SLICES(mx_all(), mx_all(), mx_all()), &part));
            CHECK_I64(check_info(part).count, 0);
            MUST(mx_view_destroy(&part));
            CHECK_OK(mx_view_resize(ctx, &a, more));
            CHECK_I64(check_info(a).count, 0);
            MUST(mx_view_destroy(&b));
            MUST(mx_view_wrap(ctx, "b", MX_F64, 3, more, NULL, &options, check_info(a).data, &b));
            CHECK_I64(check_info(b).count, 0);
            MUST(mx_view_destroy(&b));
            MUST(mx_view_destroy(&a));
        }
}

static mx_err wrap(mx_ctx ctx, mx_view memory, mx_type type, int rank, const int64_t *extents,
                   const int64_t *strides, mx_view *view)
{
    return mx_view_wrap(ctx, "w", type, rank, extents, strides, NULL, check_info(memory).data,
                        view);
}

/* Nothing here is read or written: there is no such memory. */
static void test_wrapping(mx_ctx ctx, mx_view memory)
{
    const int64_t wide[] = {2, (int64_t)1 << 59}, half[] = {2, 2}, one[] = {1, 8};
    const int64_t inner[] = {far, far / 2}, far_inner[] = {2, far};
    const int64_t largest[] = {INT64_MAX / 4, 1}, any[] = {INT64_MIN, 1}, some[] = {INT64_MAX, 1};
    mx_view view, part;
    /* the span of the dimensions with smaller strides */
    CHECK_FAILS(wrap(ctx, memory, MX_U8, 2, wide, inner, &view), MX_ERR_EXTENT, "address space");
    CHECK_FAILS(wrap(ctx, memory, MX_U8, 2, wide, far_inner, &view), MX_ERR_EXTENT,
                "address space");
    CHECK_FAILS(wrap(ctx, memory, MX_F64, 2, half, largest, &view), MX_ERR_EXTENT, "address space");
    MUST(wrap(ctx, memory, MX_U8, 2, half, largest, &view)); /* the same in bytes */
    CHECK_I64(check_info(view).bytes, INT64_MAX / 4 + 2);
    MUST(mx_view_destroy(&view));
    for (int n = 0; n < 2; n++) {
        MUST(wrap(ctx, memory, MX_F64, 2, one, n == 0 ? any : some, &view));
        CHECK_I64(check_info(view).bytes, 8 * sizeof(double));
        CHECK_OK(mx_subview(view, MX_SLICES(mx_span(1, 1), mx_span(3, 8)), &part));
        CHECK_I64(check_info(part).count, 0);
        MUST(mx_view_destroy(&part));
        CHECK_OK(mx_subview(view, MX_SLICES(mx_index(0), mx_span(3, 8)), &part));
        CHECK((char *)check_info(part).data == (char *)check_info(memory).data + 24);
        MUST(mx_view_destroy(&part));
        MUST(mx_view_destroy(&view));
    }
}

/* A part behind the end of several long dimensions. */
static void test_parts(mx_ctx ctx, mx_view memory)
{
    const int64_t extents[] = {1, 1, (int64_t)1 << 62};
    mx_view view, part;
    MUST(wrap(ctx, memory, MX_U8, 3, extents, NULL, &view));
    CHECK_OK(
        mx_subview(view, MX_SLICES(mx_span(1, 1), mx_span(1, 1), mx_span(5, extents[2])), &part));
    CHECK_I64(check_info(part).count, 0);
    MUST(mx_view_destroy(&part));
    MUST(mx_view_destroy(&view));
}

static void test_origins(mx_ctx ctx, mx_view memory)
{
    const int64_t extents[] = {2, 2}, strides[] = {INT32_MAX, 1};
    const int64_t low[] = {INT32_MIN, 0}, high[] = {INT32_MAX, 0}, near[] = {-1, -1};
    mx_f64_2s accessor;
    mx_view view;
    MUST(wrap(ctx, memory, MX_F64, 2, extents, strides, &view));
    CHECK_FAILS(mx_bind_origin(ctx, view, low, &accessor), MX_ERR_EXTENT, "address space");
    CHECK_FAILS(mx_bind_origin(ctx, view, high, &accessor), MX_ERR_EXTENT, "address space");
    CHECK_OK(mx_bind_origin(ctx, view, near, &accessor));
    MUST(mx_view_destroy(&view));
}

/* ---- scratch and the kit ---- */

static void test_scratch(mx_ctx ctx)
{
    static const size_t wrong_bytes[] = {SIZE_MAX, SIZE_MAX / 3 * 2 + 1, PTRDIFF_MAX};
    void *scratch;
    for (int n = 0; n < 3; n++)
        CHECK_FAILS(mx_ctx_scratch(ctx, wrong_bytes[n], &scratch), MX_ERR_MEMORY, "no ");
    MUST(mx_ctx_scratch(ctx, 100, &scratch));
}

/* The stride of a single key has no effect. */
static void test_sort(mx_ctx ctx, mx_view memory)
{
    static const int64_t strides[] = {INT64_MAX, INT64_MIN, 0};
    const int64_t one = 1;
    const double key = 2.5;
    double got = 0;
    mx_view view;
    for (int n = 0; n < 3; n++) {
        MUST(wrap(ctx, memory, MX_F64, 1, &one, &strides[n], &view));
        MUST(mx_fill(ctx, view, &key));
        CHECK_OK(mx_sort(ctx, view));
        MUST(mx_read_element(ctx, view, 0, &got));
        CHECK_F64(got, key, 0);
        MUST(mx_view_destroy(&view));
    }
}

/* A view that fits the address space, and copies of it that do not. */
static void test_scatter(mx_ctx ctx, mx_view memory)
{
    const int64_t two = 2, stride = INT64_MAX / 16;
    mx_scatter scatter;
    mx_view view;
    MUST(wrap(ctx, memory, MX_I32, 1, &two, &stride, &view));
    const mx_err err = mx_scatter_create(ctx, view, MX_SUM, &scatter);
    CHECK(err == MX_ERR_EXTENT || err == MX_ERR_MEMORY);
    MUST(mx_view_destroy(&view));
}

static void test(mx_ctx ctx)
{
    mx_view memory; /* what views wrap */
    MUST(mx_view_create_1d(ctx, "memory", MX_F64, 64, &memory));
    test_arrays(ctx);
    test_single_rows(ctx);
    test_empty(ctx);
    test_wrapping(ctx, memory);
    test_parts(ctx, memory);
    test_origins(ctx, memory);
    test_scratch(ctx);
    test_sort(ctx, memory);
    test_scatter(ctx, memory);
    MUST(mx_view_destroy(&memory));
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
