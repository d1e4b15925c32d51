/* Changes of the extents of views, and copies between layouts. */
#include "check.h"

static double value_at(const int64_t *at)
{
    return (double)(1 + at[0] + 100 * at[1] + 10000 * at[2]);
}

static mx_view make(mx_ctx ctx, const char *label, const int64_t *extents, mx_layout layout,
                    bool padding)
{
    const mx_view_options options = {MX_SPACE_DEFAULT, layout, false, padding};
    mx_view view;
    MUST(mx_view_create(ctx, label, MX_F64, 3, extents, &options, &view));
    return view;
}

/* Elements say where they are. */
static void number(mx_ctx ctx, mx_view view)
{
    mx_view mirror;
    int64_t at[3] = {0};
    MUST(mx_mirror_create(view, &mirror));
    const mx_view_info info = check_info(mirror);
    if (info.count > 0) do {
            *(double *)check_at(&info, at) = value_at(at);
        } while (check_next(&info, at));
    MUST(mx_deep_copy(ctx, view, mirror));
    MUST(mx_fence(ctx));
    MUST(mx_view_destroy(&mirror));
}

/* Elements below `kept` say where they are, the others are zero. */
static void check_numbered(mx_ctx ctx, mx_view view, const int64_t *kept)
{
    mx_view mirror = check_fetch(ctx, view);
    const mx_view_info info = check_info(mirror);
    int64_t at[3] = {0};
    if (info.count > 0) do {
            const bool old = at[0] < kept[0] && at[1] < kept[1] && at[2] < kept[2];
            CHECK_F64(*(double *)check_at(&info, at), old ? value_at(at) : 0, 0);
        } while (check_next(&info, at));
    MUST(mx_view_destroy(&mirror));
}

static void test_resize(mx_ctx ctx, mx_layout layout, bool padding)
{
    static const int64_t before[] = {6, 5, 7}, none[] = {0, 0, 0},
                         after[][3] = {{9, 8, 9}, {4, 3, 2}, {9, 2, 7}, {6, 5, 7}, {0, 5, 7}};
    for (int c = 0; c < 5; c++)
        for (int keep = 0; keep < 2; keep++) {
            const int alive = mx_views_alive();
            mx_view view = make(ctx, "grown", before, layout, padding), other = view;
            int64_t kept[3];
            number(ctx, view);
            MUST(mx_view_retain(other));
            if (keep)
                CHECK_OK(mx_view_resize(ctx, &view, after[c]));
            else
                CHECK_OK(mx_view_realloc(ctx, &view, after[c]));
            const mx_view_info v = check_info(view), o = check_info(other);
            CHECK(view.slot != other.slot && v.data != o.data);
            CHECK_I64(strcmp(v.label, "grown"), 0);
            CHECK_I64(v.layout, layout);
            CHECK_I64(v.space, o.space);
            CHECK_I64(v.references, 1);
            CHECK_I64(o.references, 1);
            for (int d = 0; d < 3; d++) {
                CHECK_I64(v.extent[d], after[c][d]);
                CHECK_I64(o.extent[d], before[d]);
                kept[d] = before[d] < after[c][d] ? before[d] : after[c][d];
            }
            mx_view like = make(ctx, "like", after[c], layout, padding);
            for (int d = 0; d < 3; d++) CHECK_I64(v.stride[d], check_info(like).stride[d]);
            check_numbered(ctx, view, keep ? kept : none);
            check_numbered(ctx, other, before);
            MUST(mx_view_destroy(&like));
            MUST(mx_view_destroy(&other));
            check_numbered(ctx, view, keep ? kept : none);
            MUST(mx_view_destroy(&view));
            CHECK_I64(mx_views_alive(), alive);
        }
}

/* The old memory goes with its last owner, a part here. */
static void test_resize_with_parts(mx_ctx ctx)
{
    const int64_t before[] = {6, 5, 7}, after[] = {3, 5, 8}, at[] = {5, 4, 6};
    const int alive = mx_views_alive();
    mx_view view = make(ctx, "u", before, MX_LAYOUT_RIGHT, false), part, scalar;
    double got = 0;
    number(ctx, view);
    const mx_view stale = view;
    MUST(mx_subview(view, MX_SLICES(mx_index(5), mx_all(), mx_all()), &part));
    MUST(mx_subview(part, MX_SLICES(mx_index(4), mx_index(6)), &scalar));
    CHECK_OK(mx_view_resize(ctx, &view, after));
    CHECK_I64(mx_views_alive(), alive + 4); /* the old one too */
    MUST(mx_view_destroy(&part));
    CHECK_OK(mx_read_element(ctx, scalar, 0, &got));
    CHECK_F64(got, value_at(at), 0);
    MUST(mx_view_destroy(&scalar));
    mx_view_info info;
    CHECK_FAILS(mx_view_get_info(stale, &info), MX_ERR_STALE, "any more");
    CHECK_I64(mx_views_alive(), alive + 1);
    /* a part is resized to a view of its own */
    const int64_t fewer[] = {2, 4};
    MUST(mx_subview(view, MX_SLICES(mx_index(1), mx_span(1, 4), mx_all()), &part));
    CHECK_OK(mx_view_resize(ctx, &part, fewer));
    CHECK_I64(check_info(view).references, 1);
    mx_view mirror = check_fetch(ctx, part);
    const mx_view_info m = check_info(mirror);
    int64_t p[2] = {0};
    do {
        const int64_t root[] = {1, 1 + p[0], p[1]};
        CHECK_F64(*(double *)check_at(&m, p), value_at(root), 0);
    } while (check_next(&m, p));
    mx_view all[] = {view, part, mirror};
    for (int v = 0; v < 3; v++) MUST(mx_view_destroy(&all[v]));
}

static void test_resize_refused(mx_ctx ctx)
{
    const int64_t extents[] = {6, 5, 7}, negative[] = {6, -1, 7}, huge[] = {1, 1, (int64_t)1 << 59};
    const int64_t row[] = {4};
    mx_view view = make(ctx, "u", extents, MX_LAYOUT_RIGHT, false), part;
    const mx_view was = view;
    number(ctx, view);
    CHECK_FAILS(mx_view_resize(ctx, &view, negative), MX_ERR_EXTENT, "extent 1: got -1");
    CHECK_FAILS(mx_view_resize(ctx, &view, huge), MX_ERR_MEMORY, "'u': no 46116860184273879");
    CHECK_FAILS(mx_view_realloc(ctx, &view, NULL), MX_ERR_ARG, "without extents");
    CHECK_FAILS(mx_view_resize(NULL, &view, extents), MX_ERR_ARG, "a view needs a context");
    CHECK(view.slot == was.slot && view.generation == was.generation);
    check_numbered(ctx, view, extents);
    MUST(mx_subview(view, MX_SLICES(mx_index(0), mx_all(), mx_index(0)), &part));
    CHECK_FAILS(mx_view_resize(ctx, &part, row), MX_ERR_LAYOUT,
                "'u[0,:,0]': layout: got 3, expected a layout of layout.h");
    if (!check_host_can_access(ctx)) {
        mx_view mirror;
        MUST(mx_mirror_create(view, &mirror));
        CHECK_FAILS(mx_view_resize(ctx, &mirror, extents), MX_ERR_SPACE, "cannot access");
        MUST(mx_view_destroy(&mirror));
    }
    MUST(mx_view_destroy(&part));
    MUST(mx_view_destroy(&view));
    view = was;
    CHECK_FAILS(mx_view_resize(ctx, &view, extents), MX_ERR_STALE, "any more");
}

/* Between every two layouts, padded or not, of sizes that fill no unit and many. */
static void test_remap(mx_ctx ctx, const int64_t *extents)
{
    mx_view views[4];
    for (int a = 0; a < 4; a++)
        views[a] = make(ctx, "v", extents, a % 2 == 0 ? MX_LAYOUT_LEFT : MX_LAYOUT_RIGHT, a > 1);
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) {
            const double zero = 0;
            if (a == b) continue;
            number(ctx, views[a]);
            MUST(mx_fill(ctx, views[b], &zero));
            CHECK_OK(mx_remap(ctx, views[b], views[a]));
            check_numbered(ctx, views[b], extents);
        }
    for (int a = 0; a < 4; a++) MUST(mx_view_destroy(&views[a]));
}

/* Elements of any size, from a strided part to another layout. */
static void test_remap_sizes(mx_ctx ctx)
{
    enum { LARGEST = 2000 };
    static const unsigned sizes[] = {1, 2, 3, 4, 8, 12, 16, 24, 40, 48, LARGEST};
    static unsigned char element[LARGEST];
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        const mx_type type = MX_TYPE_(0u, sizes[s]);
        const mx_view_options left = {MX_SPACE_DEFAULT, MX_LAYOUT_LEFT, false, false},
                              right = {MX_SPACE_DEFAULT, MX_LAYOUT_RIGHT, false, false};
        const int64_t extents[] = {7, 2, 9}, flat[] = {7, 9};
        mx_view from, part, to, mirror;
        int64_t at[3] = {0};
        MUST(mx_view_create(ctx, "from", type, 3, extents, &left, &from));
        MUST(mx_view_create(ctx, "to", type, 2, flat, &right, &to));
        MUST(mx_mirror_create(from, &mirror));
        const mx_view_info m = check_info(mirror);
        do {
            unsigned char *e = check_at(&m, at);
            for (unsigned b = 0; b < sizes[s]; b++)
                e[b] = (unsigned char)(at[0] + 16 * at[1] + 32 * at[2] + 7 * b);
        } while (check_next(&m, at));
        MUST(mx_deep_copy(ctx, from, mirror));
        MUST(mx_subview(from, MX_SLICES(mx_all(), mx_index(1), mx_all()), &part));
        CHECK_OK(mx_remap(ctx, to, part));
        mx_view got = check_fetch(ctx, to);
        for (int64_t i = 0; i < 7; i++)
            for (int64_t j = 0; j < 9; j++) {
                const unsigned char *e =
                    (unsigned char *)check_info(got).data + (size_t)(9 * i + j) * sizes[s];
                for (unsigned b = 0; b < sizes[s]; b++)
                    CHECK_I64(e[b], (unsigned char)(i + 16 + 32 * j + 7 * b));
            }
        /* and a fill of the part, with an element that no kernel could take as an argument */
        for (unsigned b = 0; b < sizes[s]; b++) element[b] = (unsigned char)(b * 5 + 1);
        CHECK_OK(mx_fill(ctx, part, element));
        mx_view filled = check_fetch(ctx, from);
        const mx_view_info f = check_info(filled);
        memset(at, 0, sizeof at);
        do {
            const unsigned char *e = check_at(&f, at);
            const bool inside = at[1] == 1;
            for (unsigned b = 0; b < sizes[s]; b++)
                CHECK_I64(e[b], inside ? element[b]
                                       : (unsigned char)(at[0] + 16 * at[1] + 32 * at[2] + 7 * b));
        } while (check_next(&f, at));
        mx_view all[] = {from, part, to, mirror, got, filled};
        for (int v = 0; v < 6; v++) MUST(mx_view_destroy(&all[v]));
    }
}

static void test_remap_refused(mx_ctx ctx)
{
    const int64_t extents[] = {6, 5, 7}, other[] = {6, 5, 8}, count = 210;
    mx_view a = make(ctx, "a", extents, MX_LAYOUT_LEFT, false);
    mx_view b = make(ctx, "b", extents, MX_LAYOUT_RIGHT, false),
            longer = make(ctx, "c", other, MX_LAYOUT_LEFT, false), flat, ints;
    MUST(mx_view_create(ctx, "i", MX_I64, 3, extents, NULL, &ints));
    MUST(mx_view_create_1d(ctx, "flat", MX_F64, count, &flat));
    CHECK_FAILS(mx_deep_copy(ctx, a, b), MX_ERR_LAYOUT, "mx_remap copies between them");
    CHECK_FAILS(mx_remap(ctx, a, ints), MX_ERR_TYPE, "element types differ: f64 and i64");
    CHECK_FAILS(mx_remap(ctx, a, flat), MX_ERR_RANK, "ranks differ: 3 and 1");
    CHECK_FAILS(mx_remap(ctx, a, longer), MX_ERR_EXTENT, "extent 2 differs: 7 and 8");
    CHECK_FAILS(mx_remap(NULL, a, b), MX_ERR_ARG, "view 'a': a copy needs a context");
    CHECK_FAILS(mx_remap(ctx, a, MX_VIEW_NULL), MX_ERR_STALE, "any more");
    CHECK_OK(mx_remap(ctx, a, a));
    mx_view all[] = {a, b, longer, flat, ints};
    for (int v = 0; v < 5; v++) MUST(mx_view_destroy(&all[v]));
}

static void test(mx_ctx ctx)
{
    static const int64_t sizes[][3] = {{1, 1, 1}, {3, 1, 4}, {6, 5, 7}, {0, 4, 5}, {31, 33, 40}};
    for (int layout = MX_LAYOUT_LEFT; layout <= MX_LAYOUT_RIGHT; layout++)
        for (int padding = 0; padding < 2; padding++)
            test_resize(ctx, (mx_layout)layout, padding > 0);
    test_resize_with_parts(ctx);
    test_resize_refused(ctx);
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) test_remap(ctx, sizes[s]);
    test_remap_sizes(ctx);
    test_remap_refused(ctx);
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
