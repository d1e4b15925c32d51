/* Host arrays are copied into views and back: mx_import, mx_export, mx_remap between memory spaces,
 * staging views. Also how mx_view_wrap detects the space of memory. */
#include "check.h"

typedef struct record {
    double x;
    int32_t n[4];
} record;

/* Element number `count` in C order, of any size: no two in a row are the same in any byte but the
 * last. */
static void set_element(void *at, size_t size, int64_t count)
{
    unsigned char *bytes = at;
    for (size_t b = 0; b < size; b++)
        bytes[b] = (unsigned char)(count * 7 + (int64_t)b * 3 + count / 251);
}

static bool is_element(const void *at, size_t size, int64_t count)
{
    const unsigned char *bytes = at;
    for (size_t b = 0; b < size; b++)
        if (bytes[b] != (unsigned char)(count * 7 + (int64_t)b * 3 + count / 251)) return false;
    return true;
}

static int64_t dot(int rank, const int64_t *index, const int64_t *stride)
{
    int64_t sum = 0;
    for (int d = 0; d < rank; d++) sum += index[d] * stride[d];
    return sum;
}

/* Strides of an array: C order, Fortran order, or with gaps behind every dimension, in C order. */
enum { C_ORDER, FORTRAN, GAPS, ORDERS };
static int64_t array_strides(int rank, const int64_t *extent, int order, int64_t *stride)
{
    int64_t step = order == GAPS ? 2 : 1;
    for (int n = 0; n < rank; n++) {
        const int d = order == FORTRAN ? n : rank - 1 - n;
        stride[d] = step;
        step *= extent[d] + (order == GAPS ? 1 : 0);
    }
    return step + 1; /* elements that such an array has room for */
}

/* Fills the array, imports it, looks at the view, exports it to another array, and looks at
 * that. */
static void check_transfer(mx_ctx ctx, mx_view view, int order)
{
    const mx_view_info v = check_info(view);
    const size_t size = MX_TYPE_SIZE(v.type);
    int64_t stride[MX_MAX_RANK], index[MX_MAX_RANK] = {0}, count = 0;
    const int64_t room = array_strides(v.rank, v.extent, order, stride);
    char *in = check_memory((size_t)room * size);
    char *out = check_memory((size_t)room * size);
    memset(in, 0xee, (size_t)room * size);
    memset(out, 0xee, (size_t)room * size);
    if (v.count > 0) do {
            set_element(in + (size_t)dot(v.rank, index, stride) * size, size, count++);
        } while (check_next(&v, index));
    CHECK_OK(mx_import(ctx, view, in, order == C_ORDER ? NULL : stride));
    mx_view mirror = MX_VIEW_NULL;
    MUST(mx_mirror_create(view, &mirror));
    const mx_view_info m = check_info(mirror);
    CHECK_OK(mx_deep_copy(ctx, mirror, view));
    CHECK_OK(mx_fence(ctx));
    memset(index, 0, sizeof index);
    count = 0;
    if (v.count > 0) do {
            const size_t at = (size_t)mx_view_offset(&m, index) * size;
            CHECK(is_element((char *)m.data + at, size, count++));
        } while (check_next(&v, index) && check_failures < CHECK_PRINTED);
    CHECK_OK(mx_export(ctx, view, out, order == C_ORDER ? NULL : stride));
    CHECK(memcmp(in, out, (size_t)room * size) == 0); /* what lies between is untouched */
    MUST(mx_view_destroy(&mirror));
    free(in);
    free(out);
}

static void test_shapes(mx_ctx ctx)
{
    static const mx_type types[] = {MX_F64, MX_F32, MX_U8, MX_USER(record)};
    static const mx_layout layouts[] = {MX_LAYOUT_LEFT, MX_LAYOUT_RIGHT, MX_LAYOUT_TILED,
                                        MX_LAYOUT_TILED_LEFT, MX_LAYOUT_MORTON};
    static const int64_t extents[] = {5, 3, 9, 2, 1, 4, 2, 3};
    for (int rank = 0; rank <= MX_MAX_RANK; rank++)
        for (int l = 0; l < 5; l++)
            for (int t = 0; t < 4; t++)
                for (int padding = 0; padding < 2; padding++) {
                    const bool morton = layouts[l] == MX_LAYOUT_MORTON;
                    const bool special = layouts[l] > MX_LAYOUT_STRIDE;
                    if (special && (rank < 2 || padding == 1 || (morton && rank > 3))) continue;
                    if (rank > 5 && t > 0) continue;
                    const mx_view_options options = {.layout = layouts[l], .padding = padding == 1};
                    mx_view view;
                    MUST(mx_view_create(ctx, "view", types[t], rank, extents, &options, &view));
                    check_transfer(ctx, view, (rank + t + l) % ORDERS);
                    MUST(mx_view_destroy(&view));
                }
}

/* More than fits into one box, cut along the first, the second and the last dimension in memory. */
static void test_large(mx_ctx ctx)
{
    static const int64_t shapes[][3] = {{13, 150, 300}, {2, 3, 180001}, {700001, 1, 1}};
    for (int s = 0; s < 3; s++)
        for (int l = MX_LAYOUT_LEFT; l <= MX_LAYOUT_RIGHT; l++) {
            const mx_view_options options = {.layout = (mx_layout)l, .uninitialized = true};
            mx_view view;
            MUST(mx_view_create(ctx, "large", MX_F64, 3, shapes[s], &options, &view));
            check_transfer(ctx, view, l == MX_LAYOUT_LEFT ? C_ORDER : FORTRAN);
            MUST(mx_view_destroy(&view));
        }
}

static void test_empty(mx_ctx ctx)
{
    const int64_t extents[] = {4, 0, 3};
    mx_view view;
    MUST(mx_view_create(ctx, "empty", MX_F64, 3, extents, NULL, &view));
    CHECK_OK(mx_import(ctx, view, (const double *)NULL, NULL));
    CHECK_OK(mx_export(ctx, view, (double *)NULL, NULL));
    MUST(mx_view_destroy(&view));
}

/* A part of a view: what lies around it stays as it is. */
static void test_parts(mx_ctx ctx)
{
    enum { ROWS = 9, COLUMNS = 11 };
    static double all[ROWS][COLUMNS], back[ROWS][COLUMNS];
    const int64_t strides[] = {COLUMNS, 1};
    for (int l = MX_LAYOUT_LEFT; l <= MX_LAYOUT_RIGHT; l++) {
        const mx_view_options options = {.layout = (mx_layout)l};
        const double minus = -1;
        mx_view view, part, column;
        MUST(
            mx_view_create(ctx, "u", MX_F64, 2, (const int64_t[]){ROWS, COLUMNS}, &options, &view));
        MUST(mx_fill(ctx, view, &minus));
        MUST(mx_subview(view, MX_SLICES(mx_span(2, 7), mx_span(3, 8)), &part));
        MUST(mx_subview(view, MX_SLICES(mx_all(), mx_index(10)), &column));
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLUMNS; j++) all[i][j] = 100 * i + j;
        CHECK_OK(mx_import(ctx, part, &all[2][3], strides)); /* the same part of the array */
        CHECK_OK(mx_import(ctx, column, &all[0][10], strides));
        CHECK_OK(mx_export(ctx, view, back, NULL));
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLUMNS; j++) {
                const bool imported = (i >= 2 && i < 7 && j >= 3 && j < 8) || j == 10;
                CHECK_F64(back[i][j], imported ? all[i][j] : -1, 0);
            }
        memset(back, 0, sizeof back);
        CHECK_OK(mx_export(ctx, part, &back[2][3], strides));
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLUMNS; j++) {
                const bool inside = i >= 2 && i < 7 && j >= 3 && j < 8;
                CHECK_F64(back[i][j], inside ? all[i][j] : 0, 0);
            }
        MUST(mx_view_destroy(&column));
        MUST(mx_view_destroy(&part));
        MUST(mx_view_destroy(&view));
    }
}

/* Import repeats an element where a stride is 0. */
static void test_repeated(mx_ctx ctx)
{
    static const int32_t row[] = {4, 5, 6};
    static const int64_t strides[] = {0, 1};
    int32_t back[5][3];
    mx_view view;
    MUST(mx_view_create_2d(ctx, "rows", MX_I32, 5, 3, &view));
    CHECK_OK(mx_import(ctx, view, row, strides));
    CHECK_OK(mx_export(ctx, view, back, NULL));
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 3; j++) CHECK_I64(back[i][j], row[j]);
    MUST(mx_view_destroy(&view));
}

/* Between views of other layouts, in other spaces: to host memory and back. */
static void test_remap(mx_ctx ctx)
{
    static const mx_layout layouts[] = {MX_LAYOUT_LEFT, MX_LAYOUT_RIGHT, MX_LAYOUT_TILED,
                                        MX_LAYOUT_MORTON};
    const int64_t extents[] = {13, 21};
    mx_ctx host = NULL;
    MUST(mx_ctx_create("serial", &host));
    for (int from = 0; from < 4; from++)
        for (int to = 0; to < 4; to++) {
            const mx_view_options there = {.layout = layouts[from], .padding = from == 1};
            const mx_view_options here = {.layout = layouts[to], .padding = to == 0};
            int32_t array[13][21], back[13][21];
            mx_view view, own, again;
            MUST(mx_view_create(ctx, "view", MX_I32, 2, extents, &there, &view));
            MUST(mx_view_create(host, "own", MX_I32, 2, extents, &here, &own));
            MUST(mx_view_create(ctx, "again", MX_I32, 2, extents, NULL, &again));
            for (int i = 0; i < 13; i++)
                for (int j = 0; j < 21; j++) array[i][j] = 1000 * i + j;
            MUST(mx_import(ctx, view, &array[0][0], NULL));
            CHECK_OK(mx_remap(ctx, own, view));
            CHECK_OK(mx_fence(ctx));
            CHECK_OK(mx_export(host, own, &back[0][0], NULL));
            CHECK(memcmp(array, back, sizeof array) == 0);
            CHECK_OK(mx_remap(ctx, again, own));
            memset(back, 0, sizeof back);
            CHECK_OK(mx_export(ctx, again, &back[0][0], NULL));
            CHECK(memcmp(array, back, sizeof array) == 0);
            MUST(mx_remap(ctx, again, view)); /* on the context alone */
            CHECK_OK(mx_export(ctx, again, &back[0][0], NULL));
            CHECK(memcmp(array, back, sizeof array) == 0);
            MUST(mx_view_destroy(&view));
            MUST(mx_view_destroy(&own));
            MUST(mx_view_destroy(&again));
        }
    mx_ctx_destroy(&host);
}

/* Staging memory: accessible to the context and to host code. */
static void test_staging(mx_ctx ctx)
{
    const mx_view_options options = {.space = MX_SPACE_STAGING};
    const int64_t extent = 1000;
    mx_view staging, view;
    double *data;
    mx_ctx_info info;
    MUST(mx_ctx_get_info(ctx, &info));
    MUST(mx_view_create(ctx, "staging", MX_F64, 1, &extent, &options, &staging));
    MUST(mx_view_create_1d(ctx, "view", MX_F64, extent, &view));
    CHECK_I64(check_info(staging).space, info.host_accessible ? MX_SPACE_HOST : MX_SPACE_PINNED);
    MUST(mx_view_host_data(staging, (void **)&data));
    for (int i = 0; i < extent; i++) data[i] = i;
    MUST(mx_deep_copy(ctx, view, staging));
    const double zero = 0;
    MUST(mx_fill(ctx, staging, &zero));
    MUST(mx_deep_copy(ctx, staging, view));
    MUST(mx_fence(ctx));
    for (int i = 0; i < extent; i++) CHECK_F64(data[i], i, 0);
    MUST(mx_view_destroy(&view));
    MUST(mx_view_destroy(&staging));
}

/* What memory is, its owner knows; the space named must agree. */
static void test_wrapping(mx_ctx ctx)
{
    static double mine[64];
    const int64_t extent = 64;
    mx_ctx_info info;
    mx_view view, device, pinned;
    mx_ctx host = NULL;
    MUST(mx_ctx_get_info(ctx, &info));
    MUST(mx_ctx_create("serial", &host));
    MUST(mx_view_wrap(host, "mine", MX_F64, 1, &extent, NULL, NULL, mine, &view));
    MUST(mx_view_destroy(&view));
    MUST(mx_view_create_1d(ctx, "device", MX_F64, extent, &device));
    void *const data = check_info(device).data;
    MUST(mx_view_wrap(ctx, "same", MX_F64, 1, &extent, NULL, NULL, data, &view));
    MUST(mx_view_destroy(&view));
    if (!info.host_accessible) {
        const mx_view_options options = {.space = MX_SPACE_PINNED};
        CHECK_FAILS(mx_view_wrap(ctx, "mine", MX_F64, 1, &extent, NULL, NULL, mine, &view),
                    MX_ERR_SPACE, "is ordinary host memory");
        CHECK_TEXT(mx_err_message(), "mx_import");
        CHECK_FAILS(mx_view_wrap(ctx, "mine", MX_F64, 1, &extent, NULL, &options, mine, &view),
                    MX_ERR_SPACE, "is ordinary host memory");
        CHECK_FAILS(mx_view_wrap(host, "theirs", MX_F64, 1, &extent, NULL, NULL, data, &view),
                    MX_ERR_SPACE, "wrap it with .space = MX_SPACE_");
        MUST(mx_view_create(ctx, "pinned", MX_F64, 1, &extent, &options, &pinned));
        void *const both = check_info(pinned).data;
        CHECK_FAILS(mx_view_wrap(ctx, "both", MX_F64, 1, &extent, NULL, NULL, both, &view),
                    MX_ERR_SPACE, "wrap it with .space = MX_SPACE_PINNED");
        MUST(mx_view_wrap(ctx, "both", MX_F64, 1, &extent, NULL, &options, both, &view));
        MUST(mx_view_destroy(&view));
        MUST(mx_view_wrap(host, "both", MX_F64, 1, &extent, NULL, NULL, both, &view));
        MUST(mx_view_destroy(&view));
        CHECK_OK(mx_import(ctx, device, (const double *)both, NULL)); /* without staging */
        CHECK_FAILS(mx_import(ctx, device, (const double *)data, NULL), MX_ERR_SPACE,
                    "expected one that the host can access");
        MUST(mx_view_destroy(&pinned));
    }
    MUST(mx_view_destroy(&device));
    mx_ctx_destroy(&host);
}

/* A view may wrap the array that is imported or exported. */
static void test_own_array(mx_ctx ctx)
{
    const int64_t extent = 8;
    double mine[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    mx_ctx_info info;
    mx_view view;
    MUST(mx_ctx_get_info(ctx, &info));
    if (!info.host_accessible) return;
    MUST(mx_view_wrap(ctx, "mine", MX_F64, 1, &extent, NULL, NULL, mine, &view));
    CHECK_OK(mx_import(ctx, view, mine, NULL));
    CHECK_OK(mx_export(ctx, view, mine, NULL));
    CHECK_FAILS(mx_import(ctx, view, mine + 1, NULL), MX_ERR_ARG, "overlap");
    for (int i = 0; i < 8; i++) CHECK_F64(mine[i], i + 1, 0);
    MUST(mx_view_destroy(&view));
}

/* So long that up to two threads of hosts copy it past their caches, from and to odd addresses. The
 * bytes in front of the copy and behind it do not change. */
static void test_past_caches(mx_ctx ctx)
{
    const int64_t bytes = 2 * (16 << 20) + 12345;
    mx_view view;
    unsigned char *const in = check_memory((size_t)bytes + 2);
    unsigned char *const out = check_memory((size_t)bytes + 6);
    for (int64_t b = 0; b < bytes; b++) in[1 + b] = (unsigned char)(b * 7 + b / 251);
    memset(out, 0xee, (size_t)bytes + 6);
    MUST(mx_view_create_1d(ctx, "long", MX_U8, bytes, &view));
    CHECK_OK(mx_import(ctx, view, in + 1, NULL));
    CHECK_OK(mx_export(ctx, view, out + 3, NULL));
    CHECK(memcmp(in + 1, out + 3, (size_t)bytes) == 0);
    CHECK(out[2] == 0xee && out[3 + bytes] == 0xee);
    MUST(mx_view_destroy(&view));
    free(out);
    free(in);
}

static void test(mx_ctx ctx)
{
    test_shapes(ctx);
    test_large(ctx);
    test_past_caches(ctx);
    test_empty(ctx);
    test_parts(ctx);
    test_repeated(ctx);
    test_remap(ctx);
    test_staging(ctx);
    test_wrapping(ctx);
    test_own_array(ctx);
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
