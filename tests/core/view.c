/* Views: creating them, the properties that they report, destroying them. */
#include "check.h"

#include <unistd.h>

typedef struct particle {
    double x[3];
    int32_t id, kind;
} particle;

static const mx_type types[] = {MX_F64, MX_F32, MX_I32, MX_I64,
                                MX_U8,  MX_U32, MX_U64, MX_USER(particle)};
static const size_t sizes[] = {8, 4, 4, 8, 1, 4, 8, sizeof(particle)};
static const char *const names[] = {"f64", "f32", "i32", "i64", "u8", "u32", "u64", "user[32]"};
enum { TYPES = sizeof types / sizeof types[0] };

static mx_layout layout_of(mx_ctx ctx)
{
    mx_ctx_info info;
    MUST(mx_ctx_get_info(ctx, &info));
    return info.layout;
}

/* Strides by the definition: right, the product of the extents behind; left, of those in front. */
static void check_strides(const mx_view_info *v)
{
    for (int d = 0; d < v->rank; d++) {
        int64_t expected = 1;
        for (int e = 0; e < v->rank; e++)
            if (v->layout == MX_LAYOUT_LEFT ? e < d : e > d) expected *= v->extent[e];
        CHECK_I64(v->stride[d], expected);
    }
}

static void test_rank_and_type(mx_ctx ctx, int rank, int t, mx_layout layout)
{
    static const int64_t extents[MX_MAX_RANK] = {3, 2, 4, 1, 2, 3, 2, 5};
    const mx_view_options options = {MX_SPACE_DEFAULT, layout, false, false};
    mx_view view;
    int64_t count = 1;
    for (int d = 0; d < rank; d++) count *= extents[d];
    MUST(mx_view_create(ctx, "v", types[t], rank, extents, &options, &view));
    mx_view mirror = check_fetch(ctx, view);
    const mx_view_info info = check_info(view), host = check_info(mirror);
    CHECK_I64(strcmp(info.label, "v"), 0);
    CHECK_I64(info.type, types[t]);
    CHECK_I64(info.rank, rank);
    CHECK_I64(info.layout, layout == MX_LAYOUT_DEFAULT ? layout_of(ctx) : layout);
    CHECK_I64(info.count, count);
    CHECK_I64(info.bytes, (size_t)count * sizes[t]);
    CHECK_I64(info.references, 1);
    CHECK_I64((uintptr_t)info.data % 64, 0);
    for (int d = 0; d < rank; d++) CHECK_I64(info.extent[d], extents[d]);
    check_strides(&info);
    CHECK_I64(strcmp(mx_type_name(types[t]), names[t]), 0);
    for (size_t b = 0; b < host.bytes; b++)
        CHECK_I64(((unsigned char *)host.data)[b], 0); /* zero at first */
    MUST(mx_view_destroy(&mirror));
    CHECK_OK(mx_view_destroy(&view));
    CHECK_I64(view.generation, 0);
}

static void test_large_is_zero(mx_ctx ctx)
{
    mx_view view;
    MUST(mx_view_create_3d(ctx, "large", MX_F64, 30, 41, 97, &view));
    mx_view mirror = check_fetch(ctx, view);
    const mx_view_info host = check_info(mirror);
    double sum = 0;
    for (int64_t e = 0; e < host.count; e++) sum += fabs(((double *)host.data)[e]);
    CHECK_F64(sum, 0, 0);
    MUST(mx_view_destroy(&mirror));
    MUST(mx_view_destroy(&view));
}

/* Padding: rows (columns) start at multiples of 64 bytes, and the extents stay. */
static void test_padding(mx_ctx ctx)
{
    const mx_view_options options = {MX_SPACE_DEFAULT, MX_LAYOUT_DEFAULT, false, true};
    for (int t = 0; t < TYPES; t++)
        for (int64_t n = 1; n < 20; n += 3) {
            const int64_t extents[] = {n, 5, n};
            mx_view view;
            MUST(mx_view_create(ctx, "padded", types[t], 3, extents, &options, &view));
            const mx_view_info info = check_info(view);
            const bool left = info.layout == MX_LAYOUT_LEFT;
            const int64_t row = (int64_t)sizes[t] * info.stride[1],
                          least = (n * (int64_t)sizes[t] + 63) / 64 * 64;
            CHECK_I64(info.extent[0], n);
            CHECK_I64(info.count, 5 * n * n);
            CHECK_I64(info.stride[left ? 0 : 2], 1);
            CHECK_I64(row, least);
            CHECK_I64(info.stride[left ? 2 : 0], 5 * info.stride[1]);
            CHECK_I64(info.bytes, (size_t)(row * 5 * n));
            MUST(mx_view_destroy(&view));
        }
}

static void test_uninitialized(mx_ctx ctx)
{
    const mx_view_options options = {MX_SPACE_DEFAULT, MX_LAYOUT_DEFAULT, true, false};
    const int64_t extents[] = {1000};
    mx_view view;
    int32_t seven = 7, got[1000] = {0};
    MUST(mx_view_create(ctx, "raw", MX_I32, 1, extents, &options, &view));
    MUST(mx_fill(ctx, view, &seven));
    check_download(ctx, view, got);
    for (int i = 0; i < 1000; i++) CHECK_I64(got[i], 7);
    MUST(mx_view_destroy(&view));
}

static void test_empty(mx_ctx ctx)
{
    static const int64_t cases[][3] = {{0, 4, 5}, {4, 0, 5}, {4, 5, 0}, {0, 0, 0}};
    for (size_t c = 0; c < 4; c++) {
        mx_view view, mirror;
        const double one = 1;
        MUST(mx_view_create(ctx, "empty", MX_F64, 3, cases[c], NULL, &view));
        const mx_view_info info = check_info(view);
        CHECK_I64(info.count, 0);
        CHECK(info.data != NULL);
        CHECK_OK(mx_fill(ctx, view, &one));
        MUST(mx_mirror_create(view, &mirror));
        CHECK_OK(mx_deep_copy(ctx, mirror, view));
        MUST(mx_view_destroy(&mirror));
        MUST(mx_view_destroy(&view));
    }
}

static void test_refused(mx_ctx ctx)
{
    const int64_t negative[] = {4, -1}, two_40[] = {(int64_t)1 << 40, (int64_t)1 << 40, 1 << 20};
    const int64_t nine[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, too_large[] = {2, INT64_MAX};
    const mx_view_options padded = {MX_SPACE_DEFAULT, MX_LAYOUT_RIGHT, false, true};
    const mx_view_options strided = {MX_SPACE_DEFAULT, MX_LAYOUT_STRIDE, false, false};
    char label[65];
    mx_view v = {7, 7};
    memset(label, 'x', 64);
    label[64] = '\0';
    CHECK_FAILS(mx_view_create_1d(ctx, label, MX_F64, 3, &v), MX_ERR_ARG,
                "got 64 characters, expected at most 63");
    CHECK(v.slot == 0 && v.generation == 0); /* a failed create leaves a null view */
    CHECK_FAILS(mx_view_create_1d(ctx, "", MX_F64, 3, &v), MX_ERR_ARG, "label");
    CHECK_FAILS(mx_view_create_1d(ctx, NULL, MX_F64, 3, &v), MX_ERR_ARG, "label");
    CHECK_FAILS(mx_view_create_1d(NULL, "v", MX_F64, 3, &v), MX_ERR_ARG, "context");
    CHECK_FAILS(mx_view_create(ctx, "v", MX_F64, 9, nine, NULL, &v), MX_ERR_RANK,
                "'v': rank: got 9");
    CHECK_FAILS(mx_view_create(ctx, "v", MX_F64, -1, nine, NULL, &v), MX_ERR_RANK, "got -1");
    CHECK_FAILS(mx_view_create(ctx, "v", MX_F64, 2, NULL, NULL, &v), MX_ERR_ARG, "extents");
    CHECK_FAILS(mx_view_create(ctx, "v", MX_F64, 2, negative, NULL, &v), MX_ERR_EXTENT,
                "extent 1: got -1");
    CHECK_FAILS(mx_view_create(ctx, "v", MX_F64, 3, two_40, NULL, &v), MX_ERR_EXTENT,
                "address space");
    CHECK_FAILS(mx_view_create(ctx, "v", MX_F64, 2, too_large, NULL, &v), MX_ERR_EXTENT,
                "address space");
    CHECK_FAILS(mx_view_create(ctx, "v", MX_U8, 2, too_large, &padded, &v), MX_ERR_EXTENT,
                "address space");
    CHECK_FAILS(mx_view_create_1d(ctx, "v", MX_F64, (int64_t)1 << 60, &v), MX_ERR_EXTENT,
                "address space");
    CHECK_FAILS(mx_view_create_1d(ctx, "v", MX_F64, (int64_t)1 << 59, &v), MX_ERR_MEMORY,
                "'v': no 46116860184273879");
    CHECK_FAILS(mx_view_create(ctx, "v", MX_F64, 1, nine, &strided, &v), MX_ERR_LAYOUT,
                "expected a layout of layout.h");
    CHECK_FAILS(mx_view_create_1d(ctx, "v", 0, 3, &v), MX_ERR_TYPE, "element type");
    const mx_space not_accessible = check_is_gpu(ctx) ? MX_SPACE_HOST : MX_SPACE_CUDA;
    const mx_view_options elsewhere = {not_accessible, MX_LAYOUT_DEFAULT, false, false};
    CHECK_FAILS(mx_view_create(ctx, "v", MX_F64, 1, nine, &elsewhere, &v), MX_ERR_SPACE,
                "cannot access");
    CHECK(v.slot == 0 && v.generation == 0);
    label[63] = '\0';
    MUST(mx_view_create_1d(ctx, label, MX_F64, 3, &v)); /* 63 characters are allowed */
    CHECK_I64(strlen(check_info(v).label), 63);
    MUST(mx_view_destroy(&v));
}

static void test_counting(mx_ctx ctx)
{
    mx_view view, other;
    const int before = mx_views_alive();
    MUST(mx_view_create_1d(ctx, "counted", MX_F64, 10, &view));
    CHECK_I64(mx_views_alive(), before + 1);
    const mx_view stale = view;
    mx_view second = view;
    CHECK_OK(mx_view_retain(view));
    CHECK_I64(check_info(view).references, 2);
    CHECK_OK(mx_view_destroy(&second));
    CHECK_I64(check_info(view).references, 1);
    CHECK_OK(mx_view_destroy(&view));
    CHECK_OK(mx_view_destroy(&view)); /* null now: accepted */
    CHECK_OK(mx_view_destroy(NULL));
    CHECK_I64(mx_views_alive(), before);

    mx_view_info info;
    void *data;
    double value = 1;
    second = stale;
    CHECK_FAILS(mx_view_get_info(stale, &info), MX_ERR_STALE, "does not exist (any more)");
    CHECK_FAILS(mx_view_retain(stale), MX_ERR_STALE, "any more");
    CHECK_FAILS(mx_view_destroy(&second), MX_ERR_STALE, "any more");
    CHECK_FAILS(mx_view_host_data(stale, &data), MX_ERR_STALE, "any more");
    CHECK_FAILS(mx_mirror_create(stale, &other), MX_ERR_STALE, "any more");
    CHECK_FAILS(mx_mirror_if_needed(stale, &other), MX_ERR_STALE, "any more");
    CHECK_FAILS(mx_fill(ctx, stale, &value), MX_ERR_STALE, "any more");
    CHECK_FAILS(mx_read_element(ctx, stale, 0, &value), MX_ERR_STALE, "any more");
    CHECK_FAILS(mx_deep_copy(ctx, stale, stale), MX_ERR_STALE, "any more");
    CHECK_FAILS(mx_view_get_info(MX_VIEW_NULL, &info), MX_ERR_STALE,
                "(any more): the handle is empty. Was the view created?");
    const mx_view never = {12345678, 1};
    CHECK_FAILS(mx_view_get_info(never, &info), MX_ERR_STALE, "slot 12345678");
    /* the slot is used again; the old handle stays stale */
    MUST(mx_view_create_1d(ctx, "next", MX_F64, 10, &view));
    CHECK_FAILS(mx_view_get_info(stale, &info), MX_ERR_STALE, "any more");
    MUST(mx_view_destroy(&view));
}

static void test_many(mx_ctx ctx)
{
    enum { MANY = 300 };
    mx_view views[MANY];
    for (int round = 0; round < 3; round++) {
        for (int v = 0; v < MANY; v++)
            MUST(mx_view_create_1d(ctx, "one of many", MX_I32, 1 + v, &views[v]));
        for (int v = 0; v < MANY; v++) CHECK_I64(check_info(views[v]).extent[0], 1 + v);
        for (int v = 0; v < MANY; v++) MUST(mx_view_destroy(&views[(v * 7) % MANY]));
    }
}

/* A view outlives the context that made it. */
static void test_outlives(mx_ctx ctx)
{
    mx_ctx other;
    mx_view view;
    double got[4] = {0};
    const double value = 2.5;
    MUST(mx_ctx_create(check_resource, &other));
    MUST(mx_view_create_1d(other, "survivor", MX_F64, 4, &view));
    MUST(mx_fence(other));
    mx_ctx_destroy(&other);
    MUST(mx_fill(ctx, view, &value));
    check_download(ctx, view, got);
    CHECK_F64(got[3], 2.5, 0);
    MUST(mx_view_destroy(&view));
}

/* The report at the end names what is left: label, bytes, space, owners. */
static void test_report(mx_ctx ctx)
{
    char path[] = "minx_report_XXXXXX", text[512] = "";
    mx_view view;
    MUST(mx_view_create_1d(ctx, "left behind", MX_F64, 10, &view));
    MUST(mx_view_retain(view));
    fflush(stderr);
    const int saved = dup(STDERR_FILENO), file = mkstemp(path);
    CHECK(saved >= 0 && file >= 0);
    dup2(file, STDERR_FILENO);
    mx_views_report();
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    CHECK(pread(file, text, sizeof text - 1, 0) > 0);
    close(saved);
    close(file);
    unlink(path);
    CHECK_TEXT(text, "'left behind' (80 bytes in ");
    CHECK_TEXT(text, "2 owners");
    mx_view again = view;
    MUST(mx_view_destroy(&again));
    MUST(mx_view_destroy(&view));
}

static void test(mx_ctx ctx)
{
    for (int rank = 0; rank <= MX_MAX_RANK; rank++)
        for (int t = 0; t < TYPES; t++)
            for (int l = MX_LAYOUT_DEFAULT; l <= MX_LAYOUT_RIGHT; l++)
                test_rank_and_type(ctx, rank, t, (mx_layout)l);
    test_large_is_zero(ctx);
    test_padding(ctx);
    test_uninitialized(ctx);
    test_empty(ctx);
    test_refused(ctx);
    test_counting(ctx);
    test_many(ctx);
    test_outlives(ctx);
    test_report(ctx);
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
