/* Wrong bindings and launches: each mistake gives its error, which names the view and what does not
 * match. */
#include "bind.h"
#include "check.h"

static mx_view make(mx_ctx ctx, const char *label, mx_type type, int rank, mx_layout layout)
{
    const int64_t extents[] = {6, 5, 4};
    const mx_view_options options = {MX_SPACE_DEFAULT, layout, false, false};
    mx_view view;
    MUST(mx_view_create(ctx, label, type, rank, extents, &options, &view));
    return view;
}

static mx_layout layout_of(mx_ctx ctx)
{
    mx_ctx_info info;
    MUST(mx_ctx_get_info(ctx, &info));
    return info.layout;
}

static mx_layout other_layout(mx_layout layout)
{
    return layout == MX_LAYOUT_LEFT ? MX_LAYOUT_RIGHT : MX_LAYOUT_LEFT;
}

typedef struct pair {
    double x, y;
} pair;
typedef struct other_pair {
    float x, y, z, w;
} other_pair;
typedef struct three {
    double x, y, z;
} three;
MX_ACCESSORS(pair, pair)
MX_ACCESSORS(other_pair, other_pair)
MX_ACCESSORS(three, three)

static void test_types(mx_ctx ctx)
{
    mx_view v = make(ctx, "v", MX_F64, 2, MX_LAYOUT_DEFAULT),
            u = make(ctx, "u", MX_USER(pair), 2, MX_LAYOUT_DEFAULT);
    mx_f64_2 f64;
    mx_cf64_2 cf64;
    mx_f32_2 f32;
    mx_i32_2 i32;
    mx_i64_2 i64;
    mx_u8_2 u8;
    mx_u64_2 u64;
    mx_pair_2 p;
    mx_cpair_2 cp;
    mx_other_pair_2 q;
    mx_three_2 t;
    CHECK_OK(mx_bind(ctx, v, &f64));
    CHECK_OK(mx_bind(ctx, v, &cf64)); /* constness may be added */
    CHECK_FAILS(mx_bind(ctx, v, &f32), MX_ERR_TYPE,
                "bind &f32 to view 'v': the view has elements f64, the accessor f32");
    CHECK_FAILS(mx_bind(ctx, v, &i32), MX_ERR_TYPE, "the accessor i32");
    CHECK_FAILS(mx_bind(ctx, v, &i64), MX_ERR_TYPE, "the accessor i64"); /* the same size */
    CHECK_FAILS(mx_bind(ctx, v, &u64), MX_ERR_TYPE, "the accessor u64");
    CHECK_FAILS(mx_bind(ctx, v, &u8), MX_ERR_TYPE, "the accessor u8");
    CHECK_FAILS(mx_bind(ctx, v, &p), MX_ERR_TYPE, "the accessor user[16]");
    CHECK_OK(mx_bind(ctx, u, &p));
    CHECK_OK(mx_bind(ctx, u, &cp));
    CHECK_OK(mx_bind(ctx, u, &q)); /* structs of one size are one type, as documented */
    CHECK_FAILS(mx_bind(ctx, u, &t), MX_ERR_TYPE, "user[24]");
    CHECK_FAILS(mx_bind(ctx, u, &f64), MX_ERR_TYPE, "elements user[16], the accessor f64");
    CHECK_TEXT(mx_err_trace(), "bind.c"); /* the trace names the caller's line */
    MUST(mx_view_destroy(&v));
    MUST(mx_view_destroy(&u));
}

static void test_ranks(mx_ctx ctx)
{
    mx_view v = make(ctx, "v", MX_F64, 2, MX_LAYOUT_DEFAULT), s;
    mx_f64_0 r0;
    mx_f64_1 r1;
    mx_f64_3 r3;
    mx_cf64_8 r8;
    CHECK_FAILS(mx_bind(ctx, v, &r0), MX_ERR_RANK,
                "bind &r0 to view 'v': the view has rank 2, the accessor 0");
    CHECK_FAILS(mx_bind(ctx, v, &r1), MX_ERR_RANK, "the accessor 1");
    CHECK_FAILS(mx_bind(ctx, v, &r3), MX_ERR_RANK, "the accessor 3");
    CHECK_FAILS(mx_bind(ctx, v, &r8), MX_ERR_RANK, "the accessor 8");
    MUST(mx_view_create_0d(ctx, "s", MX_F64, &s));
    CHECK_OK(mx_bind(ctx, s, &r0));
    CHECK_FAILS(mx_bind(ctx, s, &r1), MX_ERR_RANK, "the view has rank 0");
    MUST(mx_view_destroy(&s));
    MUST(mx_view_destroy(&v));
}

static void test_layouts(mx_ctx ctx)
{
    const mx_layout own = layout_of(ctx), other = other_layout(own);
    mx_view same = make(ctx, "same", MX_F64, 2, own),
            turned = make(ctx, "turned", MX_F64, 2, other);
    mx_view left = make(ctx, "left", MX_F64, 3, MX_LAYOUT_LEFT),
            right = make(ctx, "right", MX_F64, 3, MX_LAYOUT_RIGHT);
    mx_view row = make(ctx, "row", MX_F64, 1, other);
    mx_f64_2 d;
    mx_cf64_2s s;
    mx_f64_3l l;
    mx_cf64_3r r;
    mx_f64_1 one;
    char words[80];
    CHECK_OK(mx_bind(ctx, same, &d));
    CHECK_OK(mx_bind(ctx, same, &s));
    CHECK_OK(mx_bind(ctx, turned, &s)); /* strided takes any */
    snprintf(words, sizeof words,
             "'turned': the view has layout %s, the accessor %s (the context's)",
             mx_layout_name(other), mx_layout_name(own));
    CHECK_FAILS(mx_bind(ctx, turned, &d), MX_ERR_LAYOUT, words);
    CHECK_OK(mx_bind(ctx, left, &l));
    CHECK_OK(mx_bind(ctx, right, &r));
    CHECK_FAILS(mx_bind(ctx, right, &l), MX_ERR_LAYOUT,
                "the view has layout right, the accessor left");
    CHECK_FAILS(mx_bind(ctx, left, &r), MX_ERR_LAYOUT,
                "the view has layout left, the accessor right");
    CHECK_OK(mx_bind(ctx, row, &one)); /* of rank 1, all layouts are one */
    mx_view all[] = {same, turned, left, right, row};
    for (int v = 0; v < 5; v++) MUST(mx_view_destroy(&all[v]));
}

/* A strided view goes with every layout that its strides follow. */
static void test_strided(mx_ctx ctx)
{
    const mx_layout own = layout_of(ctx), other = other_layout(own);
    const int64_t extents[] = {6, 5}, turned[2][2] = {{5, 1}, {1, 6}}, wide[] = {10, 2};
    mx_view memory, follows, gaps;
    mx_f64_2 d;
    mx_f64_2l l;
    mx_f64_2r r;
    mx_f64_2s s;
    MUST(mx_view_create_1d(ctx, "memory", MX_F64, 60, &memory));
    void *const data = check_info(memory).data;
    MUST(mx_view_wrap(ctx, "follows", MX_F64, 2, extents, turned[other == MX_LAYOUT_LEFT], NULL,
                      data, &follows));
    MUST(mx_view_wrap(ctx, "gaps", MX_F64, 2, extents, wide, NULL, data, &gaps));
    CHECK_I64(check_info(follows).layout, MX_LAYOUT_STRIDE);
    CHECK_OK(other == MX_LAYOUT_LEFT ? mx_bind(ctx, follows, &l) : mx_bind(ctx, follows, &r));
    CHECK_OK(mx_bind(ctx, follows, &s));
    CHECK_OK(mx_bind(ctx, gaps, &s));
    CHECK_FAILS(other == MX_LAYOUT_LEFT ? mx_bind(ctx, follows, &r) : mx_bind(ctx, follows, &l),
                MX_ERR_LAYOUT, "'follows': the view has layout stride, the accessor");
    CHECK_FAILS(mx_bind(ctx, follows, &d), MX_ERR_LAYOUT, "(the context's)");
    CHECK_FAILS(mx_bind(ctx, gaps, &l), MX_ERR_LAYOUT,
                "the view has layout stride, the accessor left");
    CHECK_FAILS(mx_bind(ctx, gaps, &r), MX_ERR_LAYOUT,
                "the view has layout stride, the accessor right");
    mx_view all[] = {follows, gaps, memory};
    for (int v = 0; v < 3; v++) MUST(mx_view_destroy(&all[v]));
}

/* Views without elements, and memory whose strides are odd only where there is nothing to step
 * to. */
static void test_thin(mx_ctx ctx)
{
    static double memory[4];
    mx_view view;
    mx_f64_2 x;
    mx_f64_2l left;
    for (int empty = 0; empty < 2; empty++) {
        MUST(
            mx_view_create_2d(ctx, "empty", MX_F64, empty == 0 ? 0 : 5, empty == 1 ? 0 : 5, &view));
        CHECK_OK(mx_bind(ctx, view, &x));
        MUST(mx_view_destroy(&view));
    }
    mx_ctx host; /* the memory is its */
    const mx_view_options options = {.space = MX_SPACE_HOST, .layout = MX_LAYOUT_LEFT};
    const int64_t extents[] = {4, 1}, strides[] = {1, 100};
    MUST(mx_ctx_create("serial", &host));
    MUST(mx_view_wrap(host, "column", MX_F64, 2, extents, strides, &options, memory, &view));
    CHECK_OK(mx_bind(NULL, view, &left));
    MX_AT(left, 3, 0) = 7;
    CHECK_F64(memory[3], 7, 0);
    MUST(mx_view_destroy(&view));
    mx_ctx_destroy(&host);
}

static void test_spaces(mx_ctx ctx)
{
    mx_view view = make(ctx, "far", MX_F64, 2, layout_of(ctx)), mirror;
    mx_f64_2 x;
    MUST(mx_mirror_create(view, &mirror));
    if (!check_host_can_access(ctx)) {
        CHECK_FAILS(mx_bind(ctx, mirror, &x), MX_ERR_SPACE,
                    "'far': it is in memory space Host, which ");
        CHECK_FAILS(mx_bind(NULL, view, &x), MX_ERR_SPACE, "which the host cannot access");
    } else {
        CHECK_OK(mx_bind(ctx, mirror, &x));
        CHECK_OK(mx_bind(NULL, view, &x));
    }
    MUST(mx_view_destroy(&mirror));
    MUST(mx_view_destroy(&view));
}

static void test_stale(mx_ctx ctx)
{
    mx_view view = make(ctx, "gone", MX_F64, 2, MX_LAYOUT_DEFAULT);
    const mx_view stale = view;
    mx_f64_2 x;
    MUST(mx_view_destroy(&view));
    CHECK_FAILS(mx_bind(ctx, stale, &x), MX_ERR_STALE,
                "bind &x: the view does not exist (any more)");
    CHECK_FAILS(mx_bind(ctx, MX_VIEW_NULL, &x), MX_ERR_STALE,
                "bind &x: the view does not exist (any more): the handle is empty.");
}

MX_ACCESSOR(four_by_three, double, 2, MX_LAYOUT_DEFAULT, MX_TRAIT_NONE, 4, 3)

/* Host code takes every view by its strides, kernels know those between static extents: what is
 * bound without a context may go to either. */
static void test_static_extents(mx_ctx ctx)
{
    const int64_t extents[] = {4, 3};
    mx_view_options options = {.space = MX_SPACE_STAGING}; /* accessible to both */
    mx_view plain, padded;
    four_by_three fixed;
    mx_f64_2 any;
    MUST(mx_view_create(ctx, "plain", MX_F64, 2, extents, &options, &plain));
    options.padding = true;
    MUST(mx_view_create(ctx, "padded", MX_F64, 2, extents, &options, &padded));
    CHECK_FAILS(mx_bind(ctx, padded, &fixed), MX_ERR_LAYOUT, "padding between static extents");
    CHECK_FAILS(mx_bind(NULL, padded, &fixed), MX_ERR_LAYOUT,
                "bind &fixed to view 'padded': the view has padding between static extents");
    CHECK_OK(mx_bind(NULL, padded, &any));
    CHECK_OK(mx_bind(NULL, plain, &fixed));
    MUST(mx_view_destroy(&plain));
    MUST(mx_view_destroy(&padded));
}

/* A stride beyond 32 bits: memory is asked for, never touched. */
static void test_long_stride(mx_ctx ctx)
{
    const int64_t extents[] = {2, ((int64_t)1 << 30) + 8, 2};
    const mx_view_options options = {MX_SPACE_DEFAULT, MX_LAYOUT_DEFAULT, true, false};
    mx_view view;
    mx_u8_3 x;
    if (mx_view_create(ctx, "long", MX_U8, 3, extents, &options, &view) != MX_OK) {
        CHECK_TEXT(mx_err_message(), "'long': no 4294967328 bytes");
        return;
    }
    CHECK_FAILS(mx_bind(ctx, view, &x), MX_ERR_EXTENT, "elements, is beyond 32 bits");
    MUST(mx_view_destroy(&view));
}

/* ---- launches ---- */

typedef struct bound {
    mx_view x, y, row;
    bind_args args;
} bound;

static bound bind_all(mx_ctx ctx)
{
    bound b;
    const double one = 1, two = 2;
    memset(&b, 0, sizeof b);
    b.x = make(ctx, "x", MX_F64, 2, MX_LAYOUT_DEFAULT);
    b.y = make(ctx, "y", MX_F64, 2, MX_LAYOUT_DEFAULT);
    b.row = make(ctx, "row", MX_F64, 1, MX_LAYOUT_DEFAULT);
    MUST(mx_fill(ctx, b.y, &one));
    MUST(mx_fill(ctx, b.row, &two));
    MUST(mx_bind(ctx, b.x, &b.args.x));
    MUST(mx_bind(ctx, b.y, &b.args.y));
    MUST(mx_bind(ctx, b.row, &b.args.row));
    b.args.shift = 100;
    b.args.factor = 3;
    return b;
}

static void free_all(bound *b)
{
    MUST(mx_view_destroy(&b->x));
    MUST(mx_view_destroy(&b->y));
    MUST(mx_view_destroy(&b->row));
}

static void test_launch(mx_ctx ctx)
{
    bound b = bind_all(ctx);
    double sum = -1, got[6];
    mx_ctx_info before, after;
    MUST(mx_ctx_get_info(ctx, &before));
    CHECK_OK(bind_scale(mx_range_2d(ctx, 0, 6, 0, 5), &b.args));
    CHECK_OK(bind_sum(mx_range_1d(ctx, 0, 6), &b.args, &sum));
    CHECK_F64(sum, 12, 0);
    MUST(mx_ctx_get_info(ctx, &after));
    CHECK_I64(after.launches - before.launches, 2);
    mx_view mirror = check_fetch(ctx, b.x);
    CHECK_F64(*(double *)check_info(mirror).data, 105, 0);
    MUST(mx_view_destroy(&mirror));

    CHECK_FAILS(bind_scale(mx_range_2d(NULL, 0, 6, 0, 5), &b.args), MX_ERR_ARG,
                "bind_scale: launched without a context");
    CHECK_FAILS(bind_scale(mx_range_2d(ctx, 0, 6, 0, 5), NULL), MX_ERR_ARG,
                "bind_scale: launched without arguments");
    CHECK_FAILS(bind_scale(mx_tiled_2d(mx_range_2d(ctx, 0, 6, 0, 5), 2, -1), &b.args), MX_ERR_ARG,
                "tile 1: got -1");
    CHECK_FAILS(bind_scale(mx_range_2d(ctx, 0, 6, 0, (int64_t)1 << 31), &b.args), MX_ERR_EXTENT,
                "range 0 to 2147483648 is beyond its int indices");
    CHECK_FAILS(bind_bins(mx_range_1d(ctx, 0, 6), &b.args, -1, got), MX_ERR_ARG,
                "length of its result: got -1");
    CHECK_OK(bind_bins(mx_range_1d(ctx, 0, 6), &b.args, 1, got));
    CHECK_F64(got[0], 12, 0);
    free_all(&b);
}

/* Arguments on the stack, where stamps of earlier ones stood: binding overwrites the padding of an
 * accessor too. The first launch of bind_sum: later ones look at listed accessors only. */
static void test_launch_uninitialized(mx_ctx ctx)
{
    bound b = bind_all(ctx);
    double sum = -1;
    for (size_t at = sizeof b.args.row - sizeof(uint64_t); at < sizeof b.args.row; at++)
        ((char *)&b.args.row)[at] = ((char *)&b.args.x.stamp)[at % sizeof(uint64_t)];
    MUST(mx_bind(ctx, b.row, &b.args.row));
    CHECK_OK(bind_sum(mx_range_1d(ctx, 0, 6), &b.args, &sum));
    CHECK_F64(sum, 12, 0);
    free_all(&b);
}

/* The padding behind a number of the user keeps what stood there: half of a stamp. That is no
 * accessor, whatever the number. The range changes with the number, so that each launch is the
 * first one of its plan. */
static void test_launch_padded(mx_ctx ctx)
{
    static const int32_t counts[] = {0, 1, 7, 1000, -1, -1000, INT32_MAX, INT32_MIN};
    bound b = bind_all(ctx);
    for (int c = 0; c < (int)(sizeof counts / sizeof counts[0]); c++) {
        bind_padded_args args;
        double sum = -1;
        for (size_t at = 0; at < sizeof args; at++)
            ((char *)&args)[at] = ((char *)&b.args.x.stamp)[at % sizeof(uint64_t)];
        args.count = counts[c];
        MUST(mx_bind(ctx, b.row, &args.row));
        const int first = c / 4, items = 1 + c % 4;
        CHECK_OK(bind_padded(mx_range_1d(ctx, first, first + items), &args, &sum));
        CHECK_F64(sum, 2.0 * counts[c] * items, 0);
    }
    free_all(&b);
}

/* Every accessor of the arguments is looked at, wherever it stands. */
static void test_launch_stale(mx_ctx ctx)
{
    for (int which = 0; which < 3; which++) {
        bound b = bind_all(ctx);
        mx_view *const views[] = {&b.x, &b.y, &b.row};
        double sum;
        MUST(mx_view_destroy(views[which]));
        CHECK_FAILS(bind_scale(mx_range_2d(ctx, 0, 6, 0, 5), &b.args), MX_ERR_STALE,
                    "kernel bind_scale: accessor '");
        CHECK_FAILS(bind_sum(mx_range_1d(ctx, 0, 6), &b.args, &sum), MX_ERR_STALE,
                    "is destroyed; bind it again");
        /* the slot belongs to another view now: still stale */
        mx_view next = make(ctx, "next", MX_F64, 2, MX_LAYOUT_DEFAULT);
        CHECK_FAILS(bind_scale(mx_range_2d(ctx, 0, 6, 0, 5), &b.args), MX_ERR_STALE,
                    "bind it again");
        MUST(mx_view_destroy(&next));
        free_all(&b);
    }
}

/* Bound for one context, launched on another. */
static void test_launch_elsewhere(mx_ctx ctx)
{
    mx_ctx other;
    bound b = bind_all(ctx);
    const bool device = !check_host_can_access(ctx);
    const char *resource = layout_of(ctx) == MX_LAYOUT_LEFT ? "serial" : "serial:order=shuffled";
    MUST(mx_ctx_create(resource, &other));
    if (device)
        CHECK_FAILS(bind_scale(mx_range_2d(other, 0, 6, 0, 5), &b.args), MX_ERR_SPACE,
                    "view 'x' is in memory space ");
    else if (layout_of(ctx) != layout_of(other))
        CHECK_FAILS(bind_scale(mx_range_2d(other, 0, 6, 0, 5), &b.args), MX_ERR_LAYOUT,
                    "kernel bind_scale: accessor 'x' of view 'x' was bound for layout");
    mx_view far = make(other, "far", MX_F64, 2, MX_LAYOUT_DEFAULT);
    const mx_f64_2 was = b.args.x;
    if (device) {
        MUST(mx_bind(other, far, &b.args.x));
        CHECK_FAILS(bind_scale(mx_range_2d(ctx, 0, 6, 0, 5), &b.args), MX_ERR_SPACE,
                    "'far' is in memory space Host");
    } else if (layout_of(ctx) != layout_of(other)) {
        /* bound for host code, which reads strides: no good to a kernel that knows its layout */
        MUST(mx_bind(NULL, far, &b.args.x));
        CHECK_FAILS(bind_scale(mx_range_2d(ctx, 0, 6, 0, 5), &b.args), MX_ERR_LAYOUT,
                    "view 'far' was bound for layout");
    }
    b.args.x = was;
    if (!device) {
        /* host code takes a column by its stride, a kernel cannot */
        const bool left = layout_of(ctx) == MX_LAYOUT_LEFT;
        mx_view column;
        double sum;
        MUST(mx_subview(
            b.x, 2, left ? MX_SLICES_(mx_index(0), mx_all()) : MX_SLICES_(mx_all(), mx_index(0)),
            &column));
        const mx_f64_1 row = b.args.row;
        MUST(mx_bind(NULL, column, &b.args.row));
        CHECK_FAILS(bind_sum(mx_range_1d(ctx, 0, 5), &b.args, &sum), MX_ERR_LAYOUT,
                    "or for host code");
        b.args.row = row;
        MUST(mx_view_destroy(&column));
    }
    CHECK_OK(bind_scale(mx_range_2d(ctx, 0, 6, 0, 5), &b.args));
    /* another context of the same kind runs it */
    mx_ctx_destroy(&other);
    MUST(mx_fence(ctx));
    MUST(mx_ctx_create(check_resource, &other));
    CHECK_OK(bind_scale(mx_range_2d(other, 0, 6, 0, 5), &b.args));
    CHECK_OK(mx_fence(other));
    MUST(mx_view_destroy(&far));
    mx_ctx_destroy(&other);
    free_all(&b);
}

static void test_result_views(mx_ctx ctx)
{
    bound b = bind_all(ctx);
    const mx_range_1 range = mx_range_1d(ctx, 0, 6);
    mx_view row = make(ctx, "row", MX_F64, 1, MX_LAYOUT_DEFAULT),
            grid = make(ctx, "grid", MX_F64, 2, MX_LAYOUT_DEFAULT);
    mx_view narrow = make(ctx, "narrow", MX_F32, 1, MX_LAYOUT_DEFAULT),
            ints = make(ctx, "ints", MX_I64, 1, MX_LAYOUT_DEFAULT);
    CHECK_OK(bind_sum_into(range, &b.args, row, 5));
    CHECK_FAILS(bind_sum_into(range, &b.args, row, 6), MX_ERR_BOUNDS,
                "into view 'row': index 6, its extent is 6");
    CHECK_FAILS(bind_sum_into(range, &b.args, row, -1), MX_ERR_BOUNDS, "index -1");
    CHECK_FAILS(bind_sum_into(range, &b.args, grid, 0), MX_ERR_RANK,
                "'grid': got rank 2, expected 0 or 1");
    CHECK_FAILS(bind_sum_into(range, &b.args, narrow, 0), MX_ERR_TYPE, "'narrow'");
    CHECK_FAILS(bind_sum_into(range, &b.args, ints, 0), MX_ERR_TYPE,
                "'ints'"); /* the same size, another type */
    CHECK_FAILS(bind_sum_into(range, &b.args, MX_VIEW_NULL, 0), MX_ERR_STALE, "any more");
    if (!check_host_can_access(ctx)) {
        mx_view mirror;
        MUST(mx_mirror_create(row, &mirror));
        CHECK_FAILS(bind_sum_into(range, &b.args, mirror, 0), MX_ERR_SPACE,
                    "memory space Host, which ");
        MUST(mx_view_destroy(&mirror));
    }
    mx_view all[] = {row, grid, narrow, ints};
    for (int v = 0; v < 4; v++) MUST(mx_view_destroy(&all[v]));
    free_all(&b);
}

/* The sum of a 2-D view's elements. */
static double sum_of(mx_ctx ctx, mx_view view, int64_t count)
{
    double element[64], sum = 0;
    CHECK(count <= 64);
    MUST(mx_export(ctx, view, element, NULL));
    for (int64_t e = 0; e < count; e++) sum += element[e];
    return sum;
}

/* One call binds all accessors, and binds them again after a view has grown. Where it fails, it
 * names the member, and those before it stay bound. */
static void test_bind_all(mx_ctx ctx)
{
    bind_list_views views = {make(ctx, "grid", MX_F64, 2, MX_LAYOUT_DEFAULT),
                             make(ctx, "row", MX_F64, 1, MX_LAYOUT_DEFAULT)};
    const double two = 2;
    const int64_t larger[] = {8, 6};
    bind_list_args args = {.shift = 1, .factor = 10};
    MUST(mx_fill(ctx, views.row, &two));
    CHECK_FAILS(bind_list(mx_range_2d(ctx, 0, 6, 0, 5), &args), MX_ERR_ARG,
                "bind_list: accessor 'grid' of its arguments (bind_list_args) was never bound");
    MUST(bind_list_args_bind(ctx, &views, &args));
    CHECK_OK(bind_list(mx_range_2d(ctx, 0, 6, 0, 5), &args));
    CHECK_F64(sum_of(ctx, views.grid, 30), 30 * 21, 0);

    MUST(mx_view_resize(ctx, &views.grid, larger));
    CHECK_FAILS(bind_list(mx_range_2d(ctx, 0, 8, 0, 6), &args), MX_ERR_STALE,
                "bind_list: accessor 'grid' was bound to a view that is destroyed");
    MUST(bind_list_args_bind(ctx, &views, &args));
    args.factor = 100;
    CHECK_OK(bind_list(mx_range_2d(ctx, 0, 8, 0, 6), &args));
    CHECK_F64(sum_of(ctx, views.grid, 48), 48 * 201, 0);

    bind_list_args half = {0};
    const bind_list_views wrong = {views.grid, views.grid};
    CHECK_FAILS(bind_list_args_bind(ctx, &wrong, &half), MX_ERR_RANK, "row");
    CHECK_FAILS(bind_list(mx_range_2d(ctx, 0, 8, 0, 6), &half), MX_ERR_ARG,
                "accessor 'row' of its arguments (bind_list_args) was never bound");

    MUST(mx_view_destroy(&views.grid));
    MUST(mx_view_destroy(&views.row));
}

static void test_accessors_inside(mx_ctx ctx)
{
    mx_view row = make(ctx, "row", MX_F64, 1, MX_LAYOUT_DEFAULT);
    const double two = 2;
    const bind_list_views views = {MX_VIEW_NULL, row};
    bind_inner_args args = {.rows = {.count = 2}};
    double sum = 0;
    MUST(mx_fill(ctx, row, &two));
    MUST(bind_inner_args_bind(ctx, &views, &args));
    CHECK_FAILS(bind_inner(mx_range_1d(ctx, 0, 6), &args, &sum), MX_ERR_ARG,
                "accessor 'rows.row[0]' of its arguments (bind_inner_args) was never bound: call "
                "mx_bind (for a scatter view mx_scatter_bind), or mx_bind_none");
    MUST(mx_bind(ctx, row, &args.rows.row[0]));
    CHECK_FAILS(bind_inner(mx_range_1d(ctx, 0, 6), &args, &sum), MX_ERR_ARG,
                "accessor 'rows.row[1]' of its arguments (bind_inner_args) was never bound");
    MUST(mx_bind(ctx, row, &args.rows.row[1]));
    CHECK_OK(bind_inner(mx_range_1d(ctx, 0, 6), &args, &sum));
    CHECK_F64(sum, 36, 0);
    MUST(mx_view_destroy(&row));
}

static void test(mx_ctx ctx)
{
    test_types(ctx);
    test_ranks(ctx);
    test_layouts(ctx);
    test_strided(ctx);
    test_thin(ctx);
    test_spaces(ctx);
    test_stale(ctx);
    test_static_extents(ctx);
    test_long_stride(ctx);
    test_launch_uninitialized(ctx);
    test_launch_padded(ctx);
    test_launch(ctx);
    test_launch_stale(ctx);
    test_launch_elsewhere(ctx);
    test_result_views(ctx);
    test_bind_all(ctx);
    test_accessors_inside(ctx);
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
