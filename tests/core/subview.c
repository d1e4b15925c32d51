/* Subviews, constant views, and views of the user's memory: their properties, their errors, and
 * that no other element is written. */
#include "subview.h"
#include "check.h"

enum { N0 = 6, N1 = 5, N2 = 7 };

static double value_at(int64_t i, int64_t j, int64_t k) { return (double)(100 * i + 10 * j + k); }

/* A view of N0 x N1 x N2 whose elements say where they are. */
static mx_view make(mx_ctx ctx, const char *label, mx_layout layout, bool padding)
{
    const int64_t extents[] = {N0, N1, N2};
    const mx_view_options options = {MX_SPACE_DEFAULT, layout, false, padding};
    mx_view view, mirror;
    int64_t at[3] = {0};
    MUST(mx_view_create(ctx, label, MX_F64, 3, extents, &options, &view));
    MUST(mx_mirror_create(view, &mirror));
    const mx_view_info info = check_info(mirror);
    do {
        *(double *)check_at(&info, at) = value_at(at[0], at[1], at[2]);
    } while (check_next(&info, at));
    MUST(mx_deep_copy(ctx, view, mirror));
    MUST(mx_fence(ctx));
    MUST(mx_view_destroy(&mirror));
    return view;
}

static void check_label(mx_view view, const char *expected)
{
    if (strcmp(check_info(view).label, expected) != 0) CHECK_TEXT(check_info(view).label, expected);
}

/* Elements of u outside the box begin..end are what they were; inside they are changed(value, i, j,
 * k). */
static void check_box(mx_ctx ctx, mx_view u, const int64_t *begin, const int64_t *end,
                      double (*changed)(int64_t i, int64_t j, int64_t k))
{
    mx_view mirror = check_fetch(ctx, u);
    const mx_view_info info = check_info(mirror);
    int64_t at[3] = {0};
    do {
        bool inside = true;
        for (int d = 0; d < 3; d++) inside = inside && at[d] >= begin[d] && at[d] < end[d];
        CHECK_F64(*(double *)check_at(&info, at),
                  inside ? changed(at[0], at[1], at[2]) : value_at(at[0], at[1], at[2]), 0);
    } while (check_next(&info, at));
    MUST(mx_view_destroy(&mirror));
}

/* Every combination of all, a range and an index for the three dimensions. */
static void test_shapes(mx_ctx ctx, mx_layout layout, bool padding)
{
    const int64_t extents[] = {N0, N1, N2}, begin[] = {1, 2, 3}, end[] = {5, 4, 5};
    mx_view u = make(ctx, "u", layout, padding), part;
    for (int combination = 0; combination < 27; combination++) {
        const int kinds[] = {combination % 3, combination / 3 % 3, combination / 9};
        mx_slice slices[3];
        int64_t first[3], root[3], at[3] = {0};
        int kept[3], rank = 0;
        for (int d = 0; d < 3; d++) {
            slices[d] = kinds[d] == 0   ? mx_all()
                        : kinds[d] == 1 ? mx_span(begin[d], end[d])
                                        : mx_index(begin[d]);
            first[d] = kinds[d] == 0 ? 0 : begin[d];
            if (kinds[d] < 2) kept[rank++] = d;
        }
        MUST(mx_subview(u, 3, slices, &part));
        const mx_view_info p = check_info(part);
        const int contiguous = layout == MX_LAYOUT_LEFT ? 0 : 2;
        const bool keeps = rank == 0 || kept[layout == MX_LAYOUT_LEFT ? 0 : rank - 1] == contiguous;
        CHECK_I64(p.rank, rank);
        CHECK_I64(p.layout, keeps ? layout : MX_LAYOUT_STRIDE);
        for (int d = 0; d < rank; d++)
            CHECK_I64(p.extent[d],
                      kinds[kept[d]] == 0 ? extents[kept[d]] : end[kept[d]] - begin[kept[d]]);
        for (int d = rank; d < MX_MAX_RANK; d++) CHECK(p.extent[d] == 0 && p.stride[d] == 0);
        mx_view mirror = check_fetch(ctx, part);
        const mx_view_info m = check_info(mirror);
        do {
            memcpy(root, first, sizeof root);
            for (int d = 0; d < rank; d++) root[kept[d]] += at[d];
            CHECK_F64(*(double *)check_at(&m, at), value_at(root[0], root[1], root[2]), 0);
        } while (check_next(&m, at));
        MUST(mx_view_destroy(&mirror));
        MUST(mx_view_destroy(&part));
    }
    MUST(mx_view_destroy(&u));
}

static void test_labels(mx_ctx ctx)
{
    mx_view u = make(ctx, "u", MX_LAYOUT_RIGHT, false), p, q, r, s, e, longest, cut;
    char label[64], expected[64];
    MUST(mx_subview(u, MX_SLICES(mx_span(1, 5), mx_all(), mx_span(2, 7)), &p));
    check_label(p, "u[1:5,:,2:7]");
    MUST(mx_subview(p, MX_SLICES(mx_index(2), mx_span(1, 3), mx_all()), &q));
    check_label(q, "u[3,1:3,2:7]"); /* in indices of u */
    MUST(mx_subview(q, MX_SLICES(mx_all(), mx_index(4)), &r));
    check_label(r, "u[3,1:3,6]");
    MUST(mx_subview(r, MX_SLICES(mx_index(1)), &s));
    check_label(s, "u[3,2,6]");
    double got = 0;
    CHECK_OK(mx_read_element(ctx, s, 0, &got));
    CHECK_F64(got, value_at(3, 2, 6), 0);
    MUST(mx_subview(u, MX_SLICES(mx_span(6, 6), mx_all(), mx_all()), &e));
    check_label(e, "u[6:6,:,:]");
    CHECK_I64(check_info(e).count, 0);
    CHECK_I64(check_info(e).bytes, 0);
    CHECK_OK(mx_fill(ctx, e, &got));
    memset(label, 'x', 63);
    label[63] = '\0';
    MUST(mx_view_create_1d(ctx, label, MX_F64, 10, &longest));
    MUST(mx_subview(longest, MX_SLICES(mx_span(2, 5)), &cut));
    snprintf(expected, sizeof expected, "%.62s]", label);
    check_label(cut, expected);
    mx_view all[] = {u, p, q, r, s, e, longest, cut};
    for (int v = 0; v < 8; v++) MUST(mx_view_destroy(&all[v]));
}

/* The data lives as long as any part of it, in whatever order they end. */
static void test_lifetime(mx_ctx ctx)
{
    const int alive = mx_views_alive();
    mx_view u = make(ctx, "u", MX_LAYOUT_LEFT, true), p, q;
    double got = 0;
    MUST(mx_subview(u, MX_SLICES(mx_all(), mx_index(1), mx_all()), &p));
    MUST(mx_subview(p, MX_SLICES(mx_index(4), mx_all()), &q));
    CHECK_I64(check_info(u).references, 3); /* parts of parts count on the root */
    CHECK_I64(check_info(p).references, 1);
    const mx_view stale = p;
    MUST(mx_view_destroy(&p));
    CHECK_FAILS(mx_subview(stale, MX_SLICES(mx_all(), mx_all()), &p), MX_ERR_STALE, "any more");
    MUST(mx_view_destroy(&u));
    CHECK_I64(mx_views_alive(), alive + 2);
    for (int64_t k = 0; k < N2; k++) {
        CHECK_OK(mx_read_element(ctx, q, k, &got));
        CHECK_F64(got, value_at(4, 1, k), 0);
    }
    MUST(mx_view_destroy(&q));
    CHECK_I64(mx_views_alive(), alive);
}

static void test_bad_slices(mx_ctx ctx)
{
    mx_view u = make(ctx, "u", MX_LAYOUT_RIGHT, false), p = {7, 7};
    const mx_slice all = mx_all();
    CHECK_FAILS(mx_subview(u, MX_SLICES(all, all), &p), MX_ERR_RANK,
                "subview of 'u': got 2 slices, expected 3");
    CHECK(p.slot == 0 && p.generation == 0);
    CHECK_FAILS(mx_subview(u, MX_SLICES(all, all, all, all), &p), MX_ERR_RANK, "got 4 slices");
    CHECK_FAILS(mx_subview(u, 3, NULL, &p), MX_ERR_RANK, "got 0 slices");
    CHECK_FAILS(mx_subview(u, MX_SLICES(all, mx_index(5), all), &p), MX_ERR_BOUNDS,
                "subview of 'u': index 1: got 5 to 5, its extent is 5");
    CHECK_FAILS(mx_subview(u, MX_SLICES(all, mx_index(-1), all), &p), MX_ERR_BOUNDS, "got -1");
    CHECK_FAILS(mx_subview(u, MX_SLICES(all, all, mx_index(INT64_MAX)), &p), MX_ERR_BOUNDS,
                "index 2");
    CHECK_FAILS(mx_subview(u, MX_SLICES(mx_span(2, 7), all, all), &p), MX_ERR_BOUNDS,
                "range 0: got 2 to 7, its extent is 6");
    CHECK_FAILS(mx_subview(u, MX_SLICES(mx_span(3, 2), all, all), &p), MX_ERR_BOUNDS, "3 to 2");
    CHECK_FAILS(mx_subview(u, MX_SLICES(mx_span(-1, 2), all, all), &p), MX_ERR_BOUNDS, "-1 to 2");
    CHECK_FAILS(mx_subview(u, MX_SLICES(mx_span(7, 6), all, all), &p), MX_ERR_BOUNDS, "7 to 6");
    CHECK_FAILS(mx_subview(MX_VIEW_NULL, MX_SLICES(all), &p), MX_ERR_STALE, "any more");
    CHECK_I64(check_info(u).references, 1);
    MUST(mx_view_destroy(&u));
}

static double filled(int64_t i, int64_t j, int64_t k)
{
    (void)i, (void)j, (void)k;
    return -1.5;
}

/* Fills and copies stay inside. */
static void test_stays_inside(mx_ctx ctx, mx_layout layout)
{
    const double value = -1.5;
    const int64_t none[3] = {0}, boxes[][2][3] = {{{2, 0, 0}, {3, N1, N2}},
                                                  {{0, 2, 0}, {N0, 3, N2}},
                                                  {{0, 0, 4}, {N0, N1, 5}},
                                                  {{1, 2, 3}, {5, 4, 6}}};
    for (int b = 0; b < 4; b++)
        for (int copies = 0; copies < 2; copies++) {
            const int64_t *begin = boxes[b][0], *end = boxes[b][1];
            mx_view u = make(ctx, "u", layout, b % 2 == 1), part, from, v;
            mx_slice s[3];
            for (int d = 0; d < 3; d++) s[d] = mx_span(begin[d], end[d]);
            MUST(mx_subview(u, 3, s, &part));
            v = make(ctx, "v", layout, b % 2 == 1);
            MUST(mx_subview(v, 3, s, &from));
            if (copies == 0)
                CHECK_OK(mx_fill(ctx, part, &value));
            else {
                MUST(mx_fill(ctx, v, &value));
                CHECK_OK(mx_deep_copy(ctx, part, from));
            }
            check_box(ctx, u, begin, end, filled);
            if (copies == 0) check_box(ctx, v, none, none, filled);
            mx_view all[] = {u, part, from, v};
            for (int k = 0; k < 4; k++) MUST(mx_view_destroy(&all[k]));
        }
}

/* Whether two views share elements; exact for parts of one view. */
static void test_overlaps(mx_ctx ctx)
{
    mx_view u = make(ctx, "u", MX_LAYOUT_RIGHT, false), a, b, c, d, same;
    MUST(mx_subview(u, MX_SLICES(mx_all(), mx_all(), mx_index(1)), &a));
    MUST(mx_subview(u, MX_SLICES(mx_all(), mx_all(), mx_index(4)), &b)); /* interleaved with a */
    MUST(mx_subview(u, MX_SLICES(mx_span(0, 4), mx_all(), mx_all()), &c));
    MUST(mx_subview(u, MX_SLICES(mx_span(2, 6), mx_all(), mx_all()), &d));
    CHECK_OK(mx_deep_copy(ctx, a, b));
    mx_view mirror = check_fetch(ctx, u);
    const mx_view_info info = check_info(mirror);
    int64_t at[3] = {0};
    do {
        CHECK_F64(*(double *)check_at(&info, at), value_at(at[0], at[1], at[2] == 1 ? 4 : at[2]),
                  0);
    } while (check_next(&info, at));
    CHECK_FAILS(mx_deep_copy(ctx, c, d), MX_ERR_ARG,
                "copy 'u[0:4,:,:]' from 'u[2:6,:,:]': the views overlap");
    CHECK_FAILS(mx_remap(ctx, d, c), MX_ERR_ARG, "the views overlap");
    MUST(mx_view_constant(u, &same));
    CHECK_OK(mx_deep_copy(ctx, u, same)); /* the same elements: nothing to do */
    CHECK_OK(mx_remap(ctx, u, same));
    mx_view all[] = {u, a, b, c, d, same, mirror};
    for (int v = 0; v < 7; v++) MUST(mx_view_destroy(&all[v]));
}

/* A copy between memories writes whole ranges: into gaps that others own it is refused. */
static void test_far_gaps(mx_ctx ctx)
{
    mx_view u = make(ctx, "u", MX_LAYOUT_RIGHT, false), part, mirror;
    if (check_host_can_access(ctx)) {
        MUST(mx_view_destroy(&u));
        return;
    }
    MUST(mx_subview(u, MX_SLICES(mx_all(), mx_all(), mx_index(1)), &part));
    MUST(mx_mirror_create(part, &mirror));
    CHECK_OK(mx_deep_copy(ctx, mirror, part)); /* the mirror owns its gaps */
    CHECK_FAILS(mx_deep_copy(ctx, part, mirror), MX_ERR_SPACE, "cannot access both");
    CHECK_OK(mx_remap(ctx, part, mirror)); /* by way of staging memory */
    mx_view all[] = {u, part, mirror};
    for (int v = 0; v < 3; v++) MUST(mx_view_destroy(&all[v]));
}

/* ---- kernels ---- */

static double added(int64_t i, int64_t j, int64_t k)
{
    return value_at(i, j, k) + 2 * value_at(5, j, 6); /* the row u[5,:,6] */
}

static double stamped(int64_t i, int64_t j, int64_t k)
{
    (void)i;
    return (double)(1000 + 10 * (j - 1) + (k - 2));
}

static void test_kernels(mx_ctx ctx, mx_layout layout)
{
    const int64_t begin[] = {1, 0, 3}, end[] = {5, N1, 4};
    mx_view u = make(ctx, "u", layout, true), part, row, v = make(ctx, "v", layout, false);
    subview_add_args add = {.factor = 2};
    MUST(mx_subview(u, MX_SLICES(mx_span(1, 5), mx_all(), mx_index(3)), &part));
    MUST(mx_subview(v, MX_SLICES(mx_index(5), mx_all(), mx_index(6)), &row));
    MUST(mx_bind(ctx, part, &add.part));
    MUST(mx_bind(ctx, row, &add.row));
    CHECK_OK(subview_add(mx_range_2d(ctx, 0, 4, 0, N1), &add));
    check_box(ctx, u, begin, end, added);
    /* a reduction over a strided row, and its result into one element of a part */
    subview_sum_args sum = {0};
    double total = 0, expected = 0;
    for (int64_t j = 0; j < N1; j++) expected += value_at(5, j, 6);
    MUST(mx_bind(ctx, row, &sum.row));
    CHECK_OK(subview_sum(mx_range_1d(ctx, 0, N1), &sum, &total));
    CHECK_F64(total, expected, 0); /* small whole numbers: exact */
    mx_view element;
    MUST(mx_subview(u, MX_SLICES(mx_index(0), mx_index(0), mx_span(1, 3)), &element));
    CHECK_OK(subview_sum_into(mx_range_1d(ctx, 0, N1), &sum, element, 1));
    CHECK_OK(mx_read_element(ctx, element, 1, &total));
    CHECK_F64(total, expected, 0);
    CHECK_OK(mx_read_element(ctx, element, 0, &total));
    CHECK_F64(total, value_at(0, 0, 1), 0);
    /* the part is gone: the launch says so */
    MUST(mx_view_destroy(&part));
    CHECK_FAILS(subview_add(mx_range_2d(ctx, 0, 4, 0, N1), &add), MX_ERR_STALE, "is destroyed");
    mx_view all[] = {u, row, v, element};
    for (int k = 0; k < 4; k++) MUST(mx_view_destroy(&all[k]));
}

/* A part that keeps the context's layout takes its accessors; a strided one is refused by them. */
static void test_kept_layout(mx_ctx ctx)
{
    mx_ctx_info info;
    MUST(mx_ctx_get_info(ctx, &info));
    const bool left = info.layout == MX_LAYOUT_LEFT;
    const int64_t begin[] = {left ? 0 : 2, 1, 2}, end[] = {left ? N0 : 3, 4, 6};
    mx_view u = make(ctx, "u", info.layout, false), part, strided;
    subview_same_args args;
    if (left)
        MUST(mx_subview(u, MX_SLICES(mx_all(), mx_span(1, 4), mx_index(2)), &part));
    else
        MUST(mx_subview(u, MX_SLICES(mx_index(2), mx_span(1, 4), mx_span(2, 6)), &part));
    MUST(mx_bind(ctx, part, &args.part));
    CHECK_OK(
        subview_same(left ? mx_range_2d(ctx, 0, N0, 0, 3) : mx_range_2d(ctx, 0, 3, 0, 4), &args));
    if (left) {
        mx_view mirror = check_fetch(ctx, part);
        const mx_view_info m = check_info(mirror);
        int64_t at[2] = {0};
        do {
            CHECK_F64(*(double *)check_at(&m, at), (double)(1000 + 10 * at[0] + at[1]), 0);
        } while (check_next(&m, at));
        MUST(mx_view_destroy(&mirror));
    } else {
        check_box(ctx, u, begin, end, stamped);
    }
    MUST(mx_subview(u, MX_SLICES(mx_all(), mx_index(1), mx_all()), &strided));
    CHECK_OK(mx_bind(ctx, strided, &args.part)); /* contiguous along both ends: any layout's */
    MUST(mx_view_destroy(&strided));
    if (left)
        MUST(mx_subview(u, MX_SLICES(mx_index(1), mx_all(), mx_all()), &strided));
    else
        MUST(mx_subview(u, MX_SLICES(mx_all(), mx_all(), mx_index(1)), &strided));
    CHECK_FAILS(mx_bind(ctx, strided, &args.part), MX_ERR_LAYOUT, "the view has layout stride");
    mx_view all[] = {u, part, strided};
    for (int v = 0; v < 3; v++) MUST(mx_view_destroy(&all[v]));
}

/* A launch on a part is checked like any other; what shares memory cannot be. */
static void test_checked(mx_ctx ctx)
{
    const int64_t begin[] = {1, 0, 3}, end[] = {5, N1, 4};
    mx_view u = make(ctx, "u", MX_LAYOUT_RIGHT, false), v = make(ctx, "v", MX_LAYOUT_RIGHT, false);
    mx_view part, row, crossing;
    subview_add_args add = {.factor = 2};
    MUST(mx_subview(u, MX_SLICES(mx_span(1, 5), mx_all(), mx_index(3)), &part));
    MUST(mx_subview(v, MX_SLICES(mx_index(5), mx_all(), mx_index(6)), &row));
    MUST(mx_subview(u, MX_SLICES(mx_index(2), mx_all(), mx_index(3)), &crossing));
    MUST(mx_bind(ctx, part, &add.part));
    MUST(mx_bind(ctx, row, &add.row));
    MUST(mx_ctx_check_against(ctx, "serial", 1e-12));
    CHECK_OK(subview_add(mx_range_2d(ctx, 0, 4, 0, N1), &add));
    check_box(ctx, u, begin, end, added);
    MUST(mx_bind(ctx, crossing, &add.row));
    CHECK_FAILS(subview_add(mx_range_2d(ctx, 0, 4, 0, N1), &add), MX_ERR_ARG,
                "views 'u[2,:,3]' and 'u[1:5,:,3]' share memory");
    MUST(mx_ctx_check_against(ctx, NULL, 0));
    mx_view all[] = {u, v, part, row, crossing};
    for (int k = 0; k < 5; k++) MUST(mx_view_destroy(&all[k]));
}

/* ---- constant views ---- */

static void test_constant(mx_ctx ctx)
{
    mx_view u = make(ctx, "u", MX_LAYOUT_RIGHT, false),
            other = make(ctx, "o", MX_LAYOUT_RIGHT, false);
    mx_view constant, row, scalar, mirror;
    mx_f64_3s writer;
    mx_cf64_3s reader;
    double value = 3, got = 0;
    const int64_t extents[] = {2, 2, 2};
    MUST(mx_view_constant(u, &constant));
    MUST(mx_subview(constant, MX_SLICES(mx_index(1), mx_index(2), mx_all()), &row));
    MUST(mx_subview(row, MX_SLICES(mx_index(0)), &scalar));
    CHECK(check_info(constant).constant && check_info(row).constant && !check_info(u).constant);
    CHECK_FAILS(mx_bind(ctx, constant, &writer), MX_ERR_CONST,
                "bind &writer to view 'u': the view is read-only: bind it to a const");
    CHECK_OK(mx_bind(ctx, constant, &reader));
    CHECK_FAILS(mx_deep_copy(ctx, constant, other), MX_ERR_CONST, "view 'u' is read-only");
    CHECK_FAILS(mx_deep_copy(ctx, constant, constant), MX_ERR_CONST, "read-only");
    CHECK_FAILS(mx_remap(ctx, constant, other), MX_ERR_CONST, "read-only");
    CHECK_FAILS(mx_fill(ctx, constant, &value), MX_ERR_CONST, "read-only");
    CHECK_FAILS(mx_fill(ctx, row, &value), MX_ERR_CONST, "'u[1,2,:]' is read-only");
    CHECK_FAILS(mx_write_element(ctx, row, 0, &value), MX_ERR_CONST, "read-only");
    CHECK_FAILS(mx_view_resize(ctx, &constant, extents), MX_ERR_CONST, "read-only");
    CHECK_FAILS(mx_view_realloc(ctx, &constant, extents), MX_ERR_CONST, "read-only");
    subview_sum_args sum;
    MUST(mx_bind(ctx, row, &sum.row));
    CHECK_FAILS(subview_sum_into(mx_range_1d(ctx, 0, N2), &sum, scalar, 0), MX_ERR_CONST,
                "result into view 'u[1,2,0]': it is read-only");
    CHECK_OK(mx_read_element(ctx, row, 4, &got));
    CHECK_F64(got, value_at(1, 2, 4), 0);
    CHECK_OK(mx_deep_copy(ctx, other, constant));
    MUST(mx_fill(ctx, u, &value)); /* others may write */
    CHECK_OK(mx_read_element(ctx, row, 4, &got));
    CHECK_F64(got, 3, 0);
    MUST(mx_mirror_create(constant, &mirror));
    CHECK(!check_info(mirror).constant);
    mx_view all[] = {u, other, constant, row, scalar, mirror};
    for (int v = 0; v < 6; v++) MUST(mx_view_destroy(&all[v]));
}

/* ---- memory of the user's ---- */

static void test_wrap(mx_ctx ctx)
{
    mx_ctx_info info;
    MUST(mx_ctx_get_info(ctx, &info));
    const int64_t extents[] = {4, 3}, rows[] = {5, 1}, columns[] = {1, 7}, both[] = {10, 2};
    mx_view memory, w;
    int32_t got[40] = {0};
    const int32_t one = 1, two = 2;
    MUST(mx_view_create_1d(ctx, "memory", MX_I32, 40, &memory));
    void *data = check_info(memory).data;
    MUST(mx_view_wrap(ctx, "w", MX_I32, 2, extents, NULL, NULL, data, &w));
    mx_view_info v = check_info(w);
    CHECK(v.data == data && v.layout == info.layout && v.space == info.space);
    CHECK_I64(v.stride[0], info.layout == MX_LAYOUT_LEFT ? 1 : 3);
    CHECK_I64(v.stride[1], info.layout == MX_LAYOUT_LEFT ? 4 : 1);
    MUST(mx_view_destroy(&w));
    const struct {
        const int64_t *strides;
        mx_layout layout;
    } cases[] = {{rows, MX_LAYOUT_RIGHT}, {columns, MX_LAYOUT_LEFT}, {both, MX_LAYOUT_STRIDE}};
    for (int c = 0; c < 3; c++) {
        const int64_t *s = cases[c].strides;
        MUST(mx_fill(ctx, memory, &one));
        MUST(mx_view_wrap(ctx, "w", MX_I32, 2, extents, s, NULL, data, &w));
        CHECK_I64(check_info(w).layout,
                  cases[c].layout == info.layout ? info.layout : MX_LAYOUT_STRIDE);
        if (cases[c].layout != MX_LAYOUT_STRIDE) {
            const mx_view_options asked = {MX_SPACE_DEFAULT, cases[c].layout, false, false};
            mx_view named;
            MUST(mx_view_wrap(ctx, "w", MX_I32, 2, extents, s, &asked, data, &named));
            CHECK_I64(check_info(named).layout, cases[c].layout);
            MUST(mx_view_destroy(&named));
        }
        CHECK_I64(check_info(w).bytes, 4 * (size_t)(1 + 3 * s[0] + 2 * s[1]));
        CHECK_OK(mx_fill(ctx, w, &two)); /* what is not an element stays */
        check_download(ctx, memory, got);
        for (int64_t e = 0; e < 40; e++) {
            bool inside = false;
            for (int64_t i = 0; i < 4; i++)
                for (int64_t j = 0; j < 3; j++) inside = inside || i * s[0] + j * s[1] == e;
            CHECK_I64(got[e], inside ? 2 : 1);
        }
        MUST(mx_view_destroy(&w));
    }
    MUST(mx_view_destroy(&memory)); /* still whole: the wrapping views freed nothing */
}

static void test_wrap_refused(mx_ctx ctx)
{
    const int64_t extents[] = {4, 3}, same[] = {1, 1}, crossing[] = {2, 3}, still[] = {0, 4},
                  back[] = {-3, 1}, rows[] = {3, 1};
    mx_view memory, w;
    MUST(mx_view_create_1d(ctx, "memory", MX_I32, 40, &memory));
    char *data = check_info(memory).data;
    const mx_space not_accessible = check_is_gpu(ctx) ? MX_SPACE_HOST : MX_SPACE_CUDA;
    const mx_view_options elsewhere = {not_accessible, MX_LAYOUT_DEFAULT, false, false};
    const mx_view_options left = {MX_SPACE_DEFAULT, MX_LAYOUT_LEFT, false, false};
    CHECK_FAILS(mx_view_wrap(ctx, "w", MX_I32, 2, extents, NULL, &elsewhere, data, &w),
                MX_ERR_SPACE, "cannot access memory space");
    CHECK_FAILS(mx_view_wrap(ctx, "w", MX_I32, 2, extents, NULL, NULL, NULL, &w), MX_ERR_ARG,
                "view 'w': memory at");
    CHECK_FAILS(mx_view_wrap(ctx, "w", MX_I32, 2, extents, NULL, NULL, data + 2, &w), MX_ERR_ARG,
                "aligned to 4 bytes");
    CHECK_FAILS(mx_view_wrap(ctx, "w", MX_I32, 2, extents, same, NULL, data, &w), MX_ERR_LAYOUT,
                "stride 1: got 1, expected 4 or more");
    CHECK_FAILS(mx_view_wrap(ctx, "w", MX_I32, 2, extents, crossing, NULL, data, &w), MX_ERR_LAYOUT,
                "stride 1: got 3, expected 7 or more");
    CHECK_FAILS(mx_view_wrap(ctx, "w", MX_I32, 2, extents, still, NULL, data, &w), MX_ERR_LAYOUT,
                "stride 0: got 0");
    CHECK_FAILS(mx_view_wrap(ctx, "w", MX_I32, 2, extents, back, NULL, data, &w), MX_ERR_LAYOUT,
                "stride 0: got -3");
    CHECK_FAILS(mx_view_wrap(ctx, "w", MX_I32, 2, extents, rows, &left, data, &w), MX_ERR_LAYOUT,
                "the strides given do not follow layout left");
    CHECK_FAILS(mx_view_wrap(ctx, "", MX_I32, 2, extents, NULL, NULL, data, &w), MX_ERR_ARG,
                "label");
    CHECK(w.slot == 0 && w.generation == 0);
    MUST(mx_view_destroy(&memory));
}

static void test(mx_ctx ctx)
{
    for (int layout = MX_LAYOUT_LEFT; layout <= MX_LAYOUT_RIGHT; layout++) {
        test_shapes(ctx, (mx_layout)layout, false);
        test_shapes(ctx, (mx_layout)layout, true);
        test_stays_inside(ctx, (mx_layout)layout);
        test_kernels(ctx, (mx_layout)layout);
    }
    test_labels(ctx);
    test_lifetime(ctx);
    test_bad_slices(ctx);
    test_overlaps(ctx);
    test_far_gaps(ctx);
    test_kept_layout(ctx);
    test_checked(ctx);
    test_constant(ctx);
    test_wrap(ctx);
    test_wrap_refused(ctx);
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
