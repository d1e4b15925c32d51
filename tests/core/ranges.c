/* Ranges: every index is visited exactly once, and no index outside. For every number of
 * dimensions, index type and tiling, and for ranges that are empty, inverted, shifted, long and
 * thin, or at the limits of their integer types. Visits are counted by atomics in an array that is
 * larger than the range by one index on each side. */
#include "ranges.h"
#include "check.h"

enum { FOR, WIDE, NESTED, WIDE_NESTED, COUNT, COUNT_WIDE, FORMS };

typedef struct box {
    int dims;
    int64_t begin[3], end[3], tile[3];
} box;

static mx_err launch(mx_ctx ctx, const box *b, int form, const ranges_args *args, int64_t *count)
{
    const mx_range_1 r1 = mx_tiled_1d(mx_range_1d(ctx, b->begin[0], b->end[0]), b->tile[0]);
    const mx_range_2 r2 = mx_tiled_2d(
        mx_range_2d(ctx, b->begin[0], b->end[0], b->begin[1], b->end[1]), b->tile[0], b->tile[1]);
    const mx_range_3 r3 = mx_tiled_3d(
        mx_range_3d(ctx, b->begin[0], b->end[0], b->begin[1], b->end[1], b->begin[2], b->end[2]),
        b->tile[0], b->tile[1], b->tile[2]);
    switch (4 * form + b->dims) {
    case 4 * FOR + 1: return ranges_1d(r1, args);
    case 4 * FOR + 2: return ranges_2d(r2, args);
    case 4 * FOR + 3: return ranges_3d(r3, args);
    case 4 * WIDE + 1: return ranges_1d_64(r1, args);
    case 4 * WIDE + 2: return ranges_2d_64(r2, args);
    case 4 * WIDE + 3: return ranges_3d_64(r3, args);
    case 4 * NESTED + 1: return ranges_1d_nested(r1, args);
    case 4 * NESTED + 2: return ranges_2d_nested(r2, args);
    case 4 * NESTED + 3: return ranges_3d_nested(r3, args);
    case 4 * WIDE_NESTED + 1: return ranges_1d_64_nested(r1, args);
    case 4 * WIDE_NESTED + 2: return ranges_2d_64_nested(r2, args);
    case 4 * WIDE_NESTED + 3: return ranges_3d_64_nested(r3, args);
    case 4 * COUNT + 1: return ranges_count_1d(r1, args, count);
    case 4 * COUNT + 2: return ranges_count_2d(r2, args, count);
    case 4 * COUNT + 3: return ranges_count_3d(r3, args, count);
    case 4 * COUNT_WIDE + 1: return ranges_count_1d_64(r1, args, count);
    case 4 * COUNT_WIDE + 2: return ranges_count_2d_64(r2, args, count);
    default: return ranges_count_3d_64(r3, args, count);
    }
}

static void describe(const box *b, int form)
{
    fprintf(stderr, "  form %d:", form);
    for (int d = 0; d < b->dims; d++)
        fprintf(stderr, " [%" PRId64 ", %" PRId64 ") tile %" PRId64, b->begin[d], b->end[d],
                b->tile[d]);
    fprintf(stderr, "\n");
}

/* Runs one form over one box; true if all was well. */
static void visit_once(mx_ctx ctx, const box *b, int form)
{
    ranges_args args;
    int64_t size = 1, items = 1, inside[3] = {1, 1, 1}, wrong = 0, count = -1;
    memset(&args, 0, sizeof args);
    for (int d = 0; d < 3; d++) {
        args.extent[d] = 1;
        if (d >= b->dims) continue;
        inside[d] = b->end[d] > b->begin[d] ? b->end[d] - b->begin[d] : 0;
        args.origin[d] = b->begin[d] - 1;
        args.extent[d] = inside[d] + 2;
        size *= args.extent[d];
        items *= inside[d];
    }
    mx_view hits;
    MUST(mx_view_create_1d(ctx, "hits", MX_I32, 1 + size, &hits));
    MUST(mx_bind(ctx, hits, &args.hits));
    const int failures = check_failures;
    CHECK_OK(launch(ctx, b, form, &args, &count));
    int32_t *const got = check_memory((size_t)(1 + size) * sizeof *got);
    check_download(ctx, hits, got);
    for (int64_t x = 0; x < args.extent[0]; x++)
        for (int64_t y = 0; y < args.extent[1]; y++)
            for (int64_t z = 0; z < args.extent[2]; z++) {
                const bool in = x > 0 && x <= inside[0] &&
                                (b->dims < 2 || (y > 0 && y <= inside[1])) &&
                                (b->dims < 3 || (z > 0 && z <= inside[2]));
                wrong += got[1 + (x * args.extent[1] + y) * args.extent[2] + z] != (in ? 1 : 0);
            }
    CHECK_I64(wrong, 0);
    CHECK_I64(got[0], 0); /* visits beyond the box */
    if (form >= COUNT) CHECK_I64(count, items);
    if (check_failures > failures && failures < CHECK_PRINTED) describe(b, form);
    free(got);
    MUST(mx_view_destroy(&hits));
}

static void visit_all(mx_ctx ctx, box b)
{
    for (int form = 0; form < FORMS; form++) visit_once(ctx, &b, form);
}

static void test_simple(mx_ctx ctx)
{
    for (int64_t n = 0; n <= 5000; n = n < 50 ? n + 1 : 3 * n - 7)
        visit_all(ctx, (box){1, {0}, {n}, {0}});
    visit_all(ctx, (box){1, {-50}, {70}, {0}});
    visit_all(ctx, (box){2, {0, 0}, {33, 65}, {0}});
    visit_all(ctx, (box){2, {-3, 1000}, {40, 1100}, {0}});
    visit_all(ctx, (box){3, {0, 0, 0}, {9, 17, 33}, {0}});
    visit_all(ctx, (box){3, {-5, 7, -100}, {3, 20, -61}, {0}});
}

/* Rows of 2 to 5 items, in either layout. Rows of 2, 3 and 4 items that begin at 0 have a form of
 * their own, in reductions across many rows. */
static void test_short_rows(mx_ctx ctx, int64_t m)
{
    for (int64_t n = 1; n <= 1000; n = n < 20 ? n + 1 : 3 * n - 7) {
        visit_all(ctx, (box){2, {0, 0}, {n, m}, {0}});
        visit_all(ctx, (box){2, {0, 0}, {m, n}, {0}});
    }
    visit_all(ctx, (box){2, {-7, 0}, {30, m}, {0}});
    visit_all(ctx, (box){2, {0, -7}, {m, 30}, {0}});
    visit_all(ctx, (box){3, {-4, -2, 0}, {5, 17, m}, {0}});
    visit_all(ctx, (box){3, {0, -2, -4}, {m, 17, 5}, {0}});
    /* tiles of so many items, and rows that begin elsewhere */
    visit_all(ctx, (box){2, {-7, 5}, {30, 5 + m}, {0}});
    visit_all(ctx, (box){2, {5, -7}, {8, 30}, {10, m}});
    visit_all(ctx, (box){3, {0, -2, 4}, {5, 17, 4 + m}, {0}});
    visit_all(ctx, (box){3, {4, -2, 0}, {4 + m, 17, 5}, {0}});
    visit_all(ctx, (box){2, {0, 0}, {40, 9}, {8, m}});
    visit_all(ctx, (box){3, {0, 0, 0}, {6, 21, 8}, {2, 7, m}});
}

/* The other tests count visits by atomics, which hosts do not vectorise. The items of this stencil
 * only load and store. There are n0 x 2 x n2 of them, and each index begins at 1 - shift. The
 * elements around the range keep their values. */
static void test_neighbours(mx_ctx ctx, int64_t n0, int64_t n2, int shift)
{
    enum { N1 = 2 };
    const int64_t e0 = n0 + 2, e1 = N1 + 2, e2 = n2 + 2, begin = 1 - shift;
    ranges_number_args number;
    ranges_neighbours_args args = {.shift = shift};
    mx_view from, to;
    int64_t wrong = 0;
    MUST(mx_view_create_3d(ctx, "from", MX_I32, e0, e1, e2, &from));
    MUST(mx_view_create_3d(ctx, "to", MX_I32, e0, e1, e2, &to));
    MUST(mx_bind(ctx, from, &number.numbers));
    MUST(mx_bind(ctx, from, &args.from));
    MUST(mx_bind(ctx, to, &args.to));
    CHECK_OK(ranges_number(mx_range_3d(ctx, 0, e0, 0, e1, 0, e2), &number));
    CHECK_OK(ranges_neighbours(
        mx_range_3d(ctx, begin, begin + n0, begin, begin + N1, begin, begin + n2), &args));
    mx_view mirror = check_fetch(ctx, to);
    const mx_view_info info = check_info(mirror);
    for (int64_t i = 0; i < e0; i++)
        for (int64_t j = 0; j < e1; j++)
            for (int64_t k = 0; k < e2; k++) {
                const bool inside = i > 0 && i <= n0 && j > 0 && j <= N1 && k > 0 && k <= n2;
                const int64_t expected = inside ? 6 * (10000 * i + 100 * j + k) : 0;
                wrong += *(const int32_t *)check_at(&info, (int64_t[]){i, j, k}) != expected;
            }
    CHECK_I64(wrong, 0);
    MUST(mx_view_destroy(&mirror));
    MUST(mx_view_destroy(&from));
    MUST(mx_view_destroy(&to));
}

/* Three dimensions with rows longer than a warp, which a GPU goes through by planes: few planes,
 * more than it takes at a time and more than a grid has. On hosts, which know no planes, many
 * planes only are many rows, and so are some hundred. */
static void test_planes(mx_ctx ctx)
{
    const bool cuda = check_is_gpu(ctx);
    const int64_t many = cuda ? 17004 : 504, max_extent = cuda ? 70001 : 701;
    visit_all(ctx, (box){3, {0, 0, 0}, {64, 8, 64}, {0}});
    visit_all(ctx, (box){3, {-40, 7, -100}, {57, 28, -27}, {0}});
    visit_all(ctx, (box){3, {3, 0, 3}, {303, 1, 303}, {0}});
    visit_all(ctx, (box){3, {1, -2, 1}, {34, 3, many}, {0}});
    visit_all(ctx, (box){3, {1, -2, 1}, {many, 3, 34}, {0}});
    visit_all(ctx, (box){3, {0, 0, 0}, {33, 2, max_extent}, {0}});
}

static void test_empty(mx_ctx ctx)
{
    visit_all(ctx, (box){1, {5}, {5}, {0}});
    visit_all(ctx, (box){1, {5}, {-5}, {0}});
    visit_all(ctx, (box){1, {5}, {5}, {3}});
    visit_all(ctx, (box){2, {0, 3}, {10, 3}, {0}});
    visit_all(ctx, (box){2, {7, 0}, {-7, 10}, {4, 4}});
    visit_all(ctx, (box){2, {9, 9}, {-9, -9}, {0}});
    for (int d = 0; d < 3; d++) {
        box b = {3, {0, 0, 0}, {4, 5, 6}, {2, 0, 2}};
        b.end[d] = 0;
        visit_all(ctx, b);
        b.end[d] = -8;
        visit_all(ctx, b);
    }
}

static void test_tiles(mx_ctx ctx)
{
    static const int64_t tiles[] = {1, 2, 3, 7, 16, 64, 1000, (int64_t)1 << 40};
    enum { TILES = sizeof tiles / sizeof tiles[0] };
    for (int t = 0; t < TILES; t++) {
        visit_all(ctx, (box){1, {-11}, {300}, {tiles[t]}});
        for (int u = 0; u < TILES; u++) {
            visit_all(ctx, (box){2, {2, -3}, {23, 40}, {tiles[t], tiles[u]}});
            visit_all(
                ctx,
                (box){3, {1, 2, 3}, {8, 13, 25}, {tiles[t], tiles[u], tiles[(t + u) % TILES]}});
        }
        visit_all(ctx, (box){2, {0, 0}, {20, 30}, {0, tiles[t]}});
        visit_all(ctx, (box){3, {0, 0, 0}, {10, 11, 12}, {0, tiles[t], 0}});
    }
}

/* Long ranges. A GPU has limits on the number of blocks along each dimension; hosts have none, so
 * shorter ranges do there. */
static void test_thin(mx_ctx ctx)
{
    const bool cuda = check_is_gpu(ctx);
    const int64_t longest = cuda ? 30011 : 3011, rows = cuda ? 300000 : 7000;
    const int64_t tiled_rows = cuda ? 70001 : 4001;
    visit_all(ctx, (box){1, {0}, {cuda ? 1000003 : 60013}, {0}});
    for (int64_t n = 1; n <= 3; n += 2)
        for (int d = 0; d < 3; d++) {
            box b = {2, {0, 0, 0}, {n, n, n}, {0, 0, 0}};
            b.end[d] = longest;
            if (d < 2) visit_all(ctx, b);
            b.dims = 3;
            visit_all(ctx, b);
            b.tile[d] = 100;
            visit_all(ctx, b);
        }
    /* more rows than a GPU has blocks along its second dimension */
    visit_all(ctx, (box){2, {0, 0}, {rows, 1}, {0}});
    visit_all(ctx, (box){2, {0, 0}, {1, rows}, {0}});
    visit_all(ctx, (box){2, {0, 0}, {tiled_rows, 3}, {1, 256}});
    visit_all(ctx, (box){2, {0, 0}, {3, tiled_rows}, {256, 1}});
}

static void test_random(mx_ctx ctx)
{
    for (int n = 0; n < 150; n++) {
        box b = {1 + n % 3, {0}, {0}, {0}};
        for (int d = 0; d < 3; d++) {
            b.begin[d] = check_random_int(-1000, 1000);
            b.end[d] = b.begin[d] + check_random_int(-1, n % 7 == 0 ? 90 : 40);
            b.tile[d] = check_random_int(0, 3) == 0 ? 0 : check_random_int(1, 50);
        }
        visit_once(ctx, &b, n % FORMS);
    }
}

/* The ends of the integer types: nothing may wrap around. */
static void test_limits(mx_ctx ctx)
{
    const int64_t low = INT32_MIN, high = MX_INDEX_END, far = 5000000000;
    const box narrow[] = {
        {1, {high - 1000}, {high}, {0}},
        {1, {low + 1}, {low + 1000}, {0}},
        {1, {high - 3}, {high}, {2}},
        {2, {high - 30, high - 40}, {high, high}, {0}},
        {2, {low + 1, high - 40}, {low + 31, high}, {8, 8}},
        {3, {high - 5, low + 1, high - 7}, {high, low + 9, high}, {0}},
        {3, {high - 70, low + 1, high - 70}, {high, low + 9, high}, {0}},
        {1, {high}, {high}, {0}},
    };
    for (size_t b = 0; b < sizeof narrow / sizeof narrow[0]; b++) visit_all(ctx, narrow[b]);
    const box wide[] = {
        {1, {far}, {far + 5000}, {0}},
        {1, {-far}, {-far + 100}, {7}},
        {2, {far, -far}, {far + 30, -far + 70}, {0}},
        {2, {0, far}, {3, far + 1000}, {2, 300}},
        {3, {far, 0, -far}, {far + 3, 5, -far + 40}, {0}},
        {1, {far}, {0}, {0}},
        {1, {MX_INDEX_END_64 - 999}, {MX_INDEX_END_64}, {7}},
        {1, {-MX_INDEX_END_64}, {-MX_INDEX_END_64 + 5000}, {0}},
        {3,
         {MX_INDEX_END_64 - 21, -MX_INDEX_END_64, MX_INDEX_END_64 - 41},
         {MX_INDEX_END_64, -MX_INDEX_END_64 + 3, MX_INDEX_END_64},
         {0}},
    };
    for (size_t b = 0; b < sizeof wide / sizeof wide[0]; b++) {
        visit_once(ctx, &wide[b], WIDE);
        visit_once(ctx, &wide[b], WIDE_NESTED);
        visit_once(ctx, &wide[b], COUNT_WIDE);
    }
    ranges_args args;
    memset(&args, 0, sizeof args);
    int64_t count;
    CHECK_FAILS(ranges_1d(mx_range_1d(ctx, far, far + 1), &args), MX_ERR_EXTENT,
                "range 5000000000 to 5000000001 is beyond");
    CHECK_FAILS(ranges_1d_64(mx_range_1d(ctx, INT64_MAX - 9, INT64_MAX), &args), MX_ERR_EXTENT,
                "is beyond its indices");
    CHECK_FAILS(
        ranges_2d(mx_range_2d(ctx, 0, 1, -far, 1), &args), MX_ERR_EXTENT,
        "beyond its int indices: declare and define the kernel over the index space with _64");
    CHECK_FAILS(ranges_count_3d(mx_range_3d(ctx, 0, 1, 0, 1, 0, high + 1), &args, &count),
                MX_ERR_EXTENT, "beyond");
}

static void test(mx_ctx ctx)
{
    test_simple(ctx);
    for (int64_t m = 2; m <= 5; m++) {
        test_short_rows(ctx, m);
    }
    for (int n = 1; n <= 33; n++) {      /* two pairs of vectors and an item */
        const int shift = n / 2 % 2 * 4; /* with 4, rows begin at -3 */
        test_neighbours(ctx, 3, n, shift);
        test_neighbours(ctx, n, 3, shift);
    }
    test_planes(ctx);
    test_empty(ctx);
    test_tiles(ctx);
    test_thin(ctx);
    test_random(ctx);
    test_limits(ctx);
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
