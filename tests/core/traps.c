/* What was silently wrong, or had to be written by hand, when programs were ported: views that are
 * swapped, rows, searches and locations, errors from bodies, fills by a number, printed views. */
#include "traps.h"
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

enum { N = 100 };

static double element(mx_ctx ctx, mx_view view, int64_t i)
{
    double got = -1;
    MUST(mx_read_element(ctx, view, i, &got));
    return got;
}

/* With a swap by hand the second step would read the first field again, and give 1. */
static void test_swap(mx_ctx ctx)
{
    traps_views v;
    traps_step_args args;
    mx_view part, mine;
    const mx_range_1 all = mx_range_1d(ctx, 0, N);
    MUST(mx_view_create_1d(ctx, "a", MX_F64, N, &v.old));
    MUST(mx_view_create_1d(ctx, "b", MX_F64, N, &v.fresh));
    const mx_view a = v.old, b = v.fresh;
    MUST(mx_subview(v.old, MX_SLICES(mx_span(2, 5)), &part));
    MUST(traps_step_args_bind(ctx, &v, &args));
    CHECK_OK(traps_step(all, &args));
    CHECK_OK(mx_view_swap(&v.old, &v.fresh));
    CHECK_I64(v.old.slot, b.slot);
    CHECK_I64(v.fresh.slot, a.slot);
    CHECK_FAILS(
        traps_step(all, &args), MX_ERR_STALE,
        "kernel traps_step: accessor 'old' was bound to view 'a' before mx_view_swap: bind it "
        "again behind each swap");
    MUST(mx_bind(ctx, v.old, &args.old)); /* one is not enough */
    CHECK_FAILS(traps_step(all, &args), MX_ERR_STALE, "accessor 'fresh' was bound to view 'b'");
    for (int step = 1; step < 5; step++) {
        MUST(traps_step_args_bind(ctx, &v, &args));
        CHECK_OK(traps_step(all, &args));
        CHECK_OK(mx_view_swap(&v.old, &v.fresh));
    }
    CHECK_F64(element(ctx, v.old, 7), 5, 0);
    CHECK_F64(element(ctx, b, 7), 5, 0); /* copies of handles stay valid */
    CHECK_F64(element(ctx, part, 0), 4, 0);
    CHECK_OK(mx_view_swap(&v.old, &v.old));
    CHECK_FAILS(mx_view_swap(&v.old, NULL), MX_ERR_ARG, "NULL");
    MUST(mx_view_create_1d(ctx, "numbers", MX_I32, N, &mine));
    CHECK_FAILS(mx_view_swap(&v.old, &mine), MX_ERR_TYPE, "'b' (f64, rank 1) and view 'numbers'");
    MUST(mx_view_destroy(&mine));
    MUST(mx_view_destroy(&part));
    MUST(mx_view_destroy(&v.old));
    CHECK_FAILS(traps_step(all, &args), MX_ERR_STALE, "accessor");
    CHECK_FAILS(mx_view_swap(&v.old, &v.fresh), MX_ERR_STALE, "any more");
    MUST(mx_view_destroy(&v.fresh));
    /* slots that had swapped views are used again: no stamp of before fits */
    for (int n = 0; n < 3000; n++) {
        MUST(mx_view_create_1d(ctx, "c", MX_F64, N, &mine));
        CHECK_FAILS(traps_step(all, &args), MX_ERR_STALE, "traps_step");
        MUST(mx_view_destroy(&mine));
    }
}

static void test_rows(mx_ctx ctx)
{
    static double x[6][5], y[6][2][7], b[6][4][3];
    mx_view vx, vy, vb, sum;
    traps_rows_args args;
    for (int e = 0; e < 30; e++) x[e / 5][e % 5] = e;
    for (int e = 0; e < 84; e++) y[e / 14][e / 7 % 2][e % 7] = e * e;
    for (int e = 0; e < 72; e++) b[e / 12][e / 3 % 4][e % 3] = e / 8.0;
    MUST(mx_view_create_2d(ctx, "x", MX_F64, 6, 5, &vx));
    MUST(mx_view_create_3d(ctx, "y", MX_F64, 6, 2, 7, &vy));
    MUST(mx_view_create_3d(ctx, "b", MX_F64, 6, 4, 3, &vb));
    MUST(mx_view_create_1d(ctx, "sum", MX_F64, 6, &sum));
    MUST(mx_import(ctx, vx, &x[0][0], NULL));
    MUST(mx_import(ctx, vy, &y[0][0][0], NULL));
    MUST(mx_import(ctx, vb, &b[0][0][0], NULL));
    MUST(mx_bind(ctx, vx, &args.x));
    MUST(mx_bind(ctx, vb, &args.b));
    MUST(mx_bind(ctx, sum, &args.sum));
    MUST(mx_bind_origin(ctx, vy, ((const int64_t[]){0, 0, 0}), &args.y));
    CHECK_OK(traps_rows(mx_range_1d(ctx, 0, 6), &args));
    MUST(mx_export(ctx, vx, &x[0][0], NULL));
    for (int i = 0; i < 6; i++) {
        double expected = 0;
        for (int k = 0; k < 5; k++) expected += x[i][k];
        for (int k = 0; k < 3; k++) expected += b[i][3][k];
        for (int k = 0; k < 7; k++) expected += y[i][1][k];
        CHECK_F64(x[i][2], 1000 * i, 0);
        CHECK_F64(element(ctx, sum, i), expected, 0); /* multiples of 1/8: exact */
    }
    if (check_host_can_access(ctx)) { /* in drivers, with an origin */
        mx_f64_2 host;
        MUST(mx_fence(ctx));
        MUST(mx_bind_origin(NULL, vx, ((const int64_t[]){-1, -2}), &host));
        const mx_f64_1s row = MX_ROW(host, 3);
        CHECK_F64(MX_AT(row, 2), x[4][4], 0);
        CHECK_F64(MX_AT(row, -2), x[4][0], 0);
        CHECK_I64(MX_EXTENT(row, 0), 5);
    }
    MUST(mx_view_destroy(&vx));
    MUST(mx_view_destroy(&vy));
    MUST(mx_view_destroy(&vb));
    MUST(mx_view_destroy(&sum));
}

/* Two lowest, two highest, and many ranges whose parts have nothing. */
static void test_searches(mx_ctx ctx)
{
    enum { MANY = 100000 };
    static double x[MANY];
    mx_view view;
    traps_search_args args = {.below = -1};
    int first = 0;
    int64_t first_64 = 0;
    mx_loc_f64 low;
    mx_loc_f32 high;
    traps_found found;
    for (int i = 0; i < MANY; i++) x[i] = i % 1000;
    x[70001] = x[80001] = -5;
    x[60001] = x[90001] = 4000;
    MUST(mx_view_create_1d(ctx, "x", MX_F64, MANY, &view));
    MUST(mx_import(ctx, view, x, NULL));
    MUST(mx_bind(ctx, view, &args.x));
    for (int check = 0; check < 2; check++) {
        const mx_range_1 all = mx_range_1d(ctx, 0, MANY);
        if (check == 1) MUST(mx_ctx_check_against(ctx, "serial", 1e-9));
        CHECK_OK(traps_first(all, &args, &first));
        CHECK_I64(first, 70001);
        CHECK_OK(traps_first_64(all, &args, &first_64));
        CHECK_I64(first_64, 70001);
        CHECK_OK(traps_first(mx_range_1d(ctx, 0, 70001), &args, &first));
        CHECK_I64(first, -1);
        CHECK_OK(traps_first(mx_range_1d(ctx, 5, 5), &args, &first));
        CHECK_I64(first, -1);
        CHECK_OK(traps_lowest(all, &args, &low));
        CHECK_F64(low.value, -5, 0);
        CHECK_I64(low.index, 70001);
        CHECK_OK(traps_highest(all, &args, &high));
        CHECK_F64(high.value, 4000, 0);
        CHECK_I64(high.index, 60001);
        CHECK_OK(traps_fields(all, &args, &found));
        CHECK_F64(found.count, MANY, 0);
        CHECK_F64(found.low.value, -5, 0);
        CHECK_I64(found.low.index, 70001);
        CHECK_I64(found.high.value, 4000);
        CHECK_I64(found.high.index, 60001);
    }
    MUST(mx_ctx_check_against(ctx, NULL, 0));
    MUST(mx_view_destroy(&view));
}

/* Text of a call that writes to a file. */
static void printed(mx_ctx ctx, mx_view view, int64_t max_count, char *text, size_t size)
{
    FILE *file = tmpfile();
    CHECK(file != NULL);
    CHECK_OK(mx_view_print(ctx, view, max_count, file));
    rewind(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

static void test_fill_and_print(mx_ctx ctx)
{
    mx_view x, i, scalar, tiled;
    mx_ctx_info info;
    char text[1024], expected[1024];
    const mx_view_options options = {MX_SPACE_DEFAULT, MX_LAYOUT_TILED, false, false};
    MUST(mx_ctx_get_info(ctx, &info));
    const char *const layout = info.layout == MX_LAYOUT_LEFT ? "left" : "right",
                      *const space = mx_space_name(info.space);
    MUST(mx_view_create_2d(ctx, "x", MX_F64, 3, 4, &x));
    MUST(mx_view_create_1d(ctx, "i", MX_I64, 3, &i));
    MUST(mx_view_create_0d(ctx, "s", MX_U8, &scalar));
    MUST(mx_view_create(ctx, "t", MX_F32, 2, (const int64_t[]){2, 2}, &options, &tiled));
    CHECK_OK(mx_fill(ctx, x, 1));
    CHECK_OK(mx_fill(ctx, x, 0.1));
    CHECK_OK(mx_fill(ctx, i, INT64_MIN));
    CHECK_OK(mx_fill(ctx, scalar, 255u));
    CHECK_OK(mx_fill(ctx, tiled, 2.5f));
    CHECK_FAILS(mx_fill(ctx, i, 1.5), MX_ERR_TYPE, "fill 'i': 1.5 is no element of type i64");
    CHECK_FAILS(mx_fill(ctx, i, UINT64_MAX), MX_ERR_TYPE, "is no element of type i64");
    CHECK_FAILS(mx_fill(ctx, scalar, -1), MX_ERR_TYPE, "fill 's': -1 is no element of type u8");
    CHECK_FAILS(mx_fill(ctx, scalar, 256), MX_ERR_TYPE, "256 is no element of type u8");
    CHECK_FAILS(mx_fill(ctx, scalar, (double)NAN), MX_ERR_TYPE, "nan is no element");
    CHECK_FAILS(mx_fill(ctx, x, &(int32_t){1}), MX_ERR_TYPE, "f64");
    printed(ctx, x, 6, text, sizeof text);
    snprintf(
        expected, sizeof expected,
        "view 'x': f64, 3 x 4, layout %s, in %s\n"
        "  0: 0.10000000000000001 0.10000000000000001 0.10000000000000001 0.10000000000000001\n"
        "  1: 0.10000000000000001 0.10000000000000001\n"
        "  ... 6 of 12 elements\n",
        layout, space);
    CHECK_TEXT(text, expected);
    printed(ctx, i, 10, text, sizeof text);
    CHECK_TEXT(text, " -9223372036854775808 -9223372036854775808 -9223372036854775808\n");
    CHECK(strstr(text, "...") == NULL);
    printed(ctx, scalar, 1, text, sizeof text);
    CHECK_TEXT(text, "view 's': u8, layout");
    CHECK_TEXT(text, "\n  255\n");
    printed(ctx, tiled, 3, text, sizeof text);
    CHECK_TEXT(text, "layout tiled");
    CHECK_TEXT(text, "\n  0: 2.5 2.5\n  1: 2.5\n  ... 3 of 4 elements\n");
    printed(ctx, x, 0, text, sizeof text);
    CHECK_TEXT(text, "view 'x'");
    CHECK(strstr(text, "0:") == NULL);
    CHECK_FAILS(mx_view_print(ctx, x, 1, NULL), MX_ERR_ARG, "no file");
    MUST(mx_view_destroy(&x));
    MUST(mx_view_destroy(&i));
    MUST(mx_view_destroy(&scalar));
    MUST(mx_view_destroy(&tiled));
}

#ifdef MINX_BOUNDS_CHECK
#define IN_ITEM(indices) " in item " indices
#else
#define IN_ITEM(indices) ""
#endif

/* Launches that hold. Then one value is wrong, in item (17, 23). */
static double density[20][30];
static mx_range_2 require_begin(mx_ctx ctx, mx_view *vx, mx_view *vy, traps_require_args *args)
{
    double sum = 0;
    const mx_range_2 all = mx_range_2d(ctx, 0, 20, 0, 30);
    for (int e = 0; e < 600; e++) density[e / 30][e % 30] = 4;
    MUST(mx_view_create_2d(ctx, "x", MX_F64, 20, 30, vx));
    MUST(mx_view_create_2d(ctx, "y", MX_F64, 20, 30, vy));
    MUST(mx_import(ctx, *vx, &density[0][0], NULL));
    MUST(mx_bind(ctx, *vx, &args->x));
    MUST(mx_bind(ctx, *vy, &args->y));
    CHECK_OK(traps_require(all, args));
    CHECK_OK(traps_require_sum(all, args, &sum));
    CHECK_F64(sum, 1200, 0);
    density[17][23] = -0.5;
    MUST(mx_import(ctx, *vx, &density[0][0], NULL));
    return all;
}

static void test_require(mx_ctx ctx)
{
    mx_view vx, vy;
    traps_require_args args;
    double sum = 0;
    if (check_is_gpu(ctx)) return; /* see require_on_cuda */
    const mx_range_2 all = require_begin(ctx, &vx, &vy, &args);
    CHECK_FAILS(traps_require(all, &args), MX_ERR_BODY, "kernel traps_require: ");
    CHECK_TEXT(mx_err_message(), "kernels/traps.c:");
    CHECK_TEXT(mx_err_message(),
               ": density -0.5 in cell (17, 23)" IN_ITEM("(17, 23)") " (1 such item)");
    CHECK_FAILS(traps_require_sum(all, &args, &sum), MX_ERR_BODY,
                ": negative" IN_ITEM("(17, 23)") " (1 such item)");
    for (int j = 0; j < 30; j++) density[3][j] = -1;
    MUST(mx_import(ctx, vx, &density[0][0], NULL));
    CHECK_FAILS(traps_require(all, &args), MX_ERR_BODY, "(31 such items)");
    CHECK_OK(traps_require(mx_range_2d(ctx, 4, 10, 0, 30), &args));
    density[19][0] = -2; /* a team counts once, however many members it has */
    MUST(mx_import(ctx, vx, &density[0][0], NULL));
    CHECK_FAILS(traps_require_team(mx_league(ctx, 20, MX_AUTO, MX_AUTO), &args), MX_ERR_BODY,
                "(2 such items)");
    MUST(mx_view_destroy(&vx));
    MUST(mx_view_destroy(&vy));
}

static void test_seconds(void)
{
    const double before = mx_seconds();
    usleep(20000);
    const double took = mx_seconds() - before;
    CHECK(took >= 0.019 && took < 60);
}

/* Before mx_init and behind mx_finalize there is no context. */
static void test_without_init(mx_ctx ctx)
{
    mx_ctx other = ctx;
    mx_finalize();
    CHECK_FAILS(mx_ctx_create("serial", &other), MX_ERR_ARG,
                "context 'serial': mx_init, or mx_init_args, must be called before");
    CHECK(other == NULL);
    MUST(mx_init());
}

static void test(mx_ctx ctx)
{
    test_swap(ctx);
    test_rows(ctx);
    test_searches(ctx);
    test_fill_and_print(ctx);
    test_require(ctx);
    test_seconds();
    test_without_init(ctx);
}

/* The whole program, since the device cannot be used behind such an error: `sums` says by which of
 * two kernels. The message goes to stdout. */
static int require_on_cuda(bool sums)
{
    mx_ctx ctx;
    mx_view vx, vy;
    traps_require_args args;
    double sum = 0;
    char text[512] = "";
    FILE *const file = tmpfile();
    MUST(mx_ctx_create(check_resource, &ctx));
    const mx_range_2 all = require_begin(ctx, &vx, &vy, &args);
    CHECK(file != NULL && dup2(fileno(file), STDOUT_FILENO) == STDOUT_FILENO);
    const mx_err launched = sums ? traps_require_sum(all, &args, &sum) : traps_require(all, &args);
    CHECK_FAILS(launched != MX_OK ? launched : mx_fence(ctx), MX_ERR_DEVICE,
                sums ? "traps_require_sum" : "traps_require");
    fflush(stdout);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    CHECK_TEXT(text, "kernels/traps.c:");
    CHECK_TEXT(text, sums ? ": negative\n" : ": density -0.5 in cell (17, 23)\n");
    CHECK(traps_require(mx_range_2d(ctx, 4, 10, 0, 30), &args) != MX_OK || mx_fence(ctx) != MX_OK);
    return check_failures > 0;
}

/* RESOURCE [require | require_sum] */
int main(int argc, char **argv)
{
    if (argc < 3) return check_main(argc, argv, test);
    const int code = check_begin(argc, argv);
    return code != 0 ? code : require_on_cuda(strcmp(argv[2], "require_sum") == 0);
}
