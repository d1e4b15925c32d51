/* Ranges of 4 to 6 dimensions, and dynamic schedules with any number of dimensions: with any tiles,
 * every index is visited exactly once and no index outside, and a reduction adds each once. The
 * ranges are random. */
#include "ranges_many.h"
#include "check.h"

/* Forms from SUMS on are reductions. Those from FOR_64 and from SUMS_64 on have 64-bit indices. */
enum { FOR_64 = 10, SUMS = 13, SUMS_64 = 17, FORMS = 20 };
static const int dims_of[FORMS] = {1, 2, 3, 4, 5, 6, 6, 2, 3, 5, 4, 5, 6, 1, 4, 5, 6, 4, 5, 6};

typedef struct box {
    int64_t begin[6], end[6], tile[6];
} box;

/* The items that were not visited exactly once, and 1 more if there was a visit outside. */
static int64_t count_wrong(mx_ctx ctx, mx_view hits, int64_t items)
{
    int32_t *const got = check_memory((size_t)(items + 1) * sizeof *got);
    int64_t wrong = 0;
    check_download(ctx, hits, got);
    for (int64_t i = 0; i <= items; i++) wrong += got[i] != (i > 0);
    free(got);
    return wrong;
}

/* *sum: the result, if the form is a reduction. */
static void launch(mx_ctx ctx, const box *b, int form, bool dynamic, const rm_args *args,
                   int64_t *sum)
{
    mx_range_1 r1 = mx_tiled_1d(mx_range_1d(ctx, b->begin[0], b->end[0]), b->tile[0]);
    mx_range_2 r2 = mx_tiled_2d(mx_range_2d(ctx, b->begin[0], b->end[0], b->begin[1], b->end[1]),
                                b->tile[0], b->tile[1]);
    mx_range_3 r3 = mx_tiled_3d(
        mx_range_3d(ctx, b->begin[0], b->end[0], b->begin[1], b->end[1], b->begin[2], b->end[2]),
        b->tile[0], b->tile[1], b->tile[2]);
    mx_range_4 r4 = mx_tiled_4d(mx_range_4d(ctx, b->begin, b->end), b->tile);
    mx_range_5 r5 = mx_tiled_5d(mx_range_5d(ctx, b->begin, b->end), b->tile);
    mx_range_6 r6 = mx_tiled_6d(mx_range_6d(ctx, b->begin, b->end), b->tile);
    if (dynamic) {
        r1 = mx_dynamic_1d(r1);
        r2 = mx_dynamic_2d(r2);
        r3 = mx_dynamic_3d(r3);
        r4 = mx_dynamic_4d(r4);
        r5 = mx_dynamic_5d(r5);
        r6 = mx_dynamic_6d(r6);
    }
    switch (form) {
    case 0: CHECK_OK(rm_1d(r1, args)); break;
    case 1: CHECK_OK(rm_2d(r2, args)); break;
    case 2: CHECK_OK(rm_3d(r3, args)); break;
    case 3: CHECK_OK(rm_4d(r4, args)); break;
    case 4: CHECK_OK(rm_5d(r5, args)); break;
    case 5: CHECK_OK(rm_6d(r6, args)); break;
    case 6: CHECK_OK(rm_6d_nested(r6, args)); break;
    case 7: CHECK_OK(rm_2d_resident(r2, args)); break;
    case 8: CHECK_OK(rm_3d_resident(r3, args)); break;
    case 9: CHECK_OK(rm_5d_resident(r5, args)); break;
    case 10: CHECK_OK(rm_4d_64(r4, args)); break;
    case 11: CHECK_OK(rm_5d_64_resident(r5, args)); break;
    case 12: CHECK_OK(rm_6d_64_nested(r6, args)); break;
    case 13: CHECK_OK(rm_sum_1d(r1, args, sum)); break;
    case 14: CHECK_OK(rm_sum_4d(r4, args, sum)); break;
    case 15: CHECK_OK(rm_sum_5d(r5, args, sum)); break;
    case 16: CHECK_OK(rm_sum_6d(r6, args, sum)); break;
    case 17: CHECK_OK(rm_sum_4d_64(r4, args, sum)); break;
    case 18: CHECK_OK(rm_sum_5d_64(r5, args, sum)); break;
    default: CHECK_OK(rm_sum_6d_64(r6, args, sum)); break;
    }
}

static void check_box(mx_ctx ctx, const box *b, int form, bool dynamic)
{
    const int dims = dims_of[form];
    rm_args args;
    int64_t items = 1, sum = -1;
    mx_view hits;
    memset(&args, 0, sizeof args);
    for (int d = 0; d < dims; d++) {
        args.begin[d] = b->begin[d];
        args.extent[d] = b->end[d] > b->begin[d] ? b->end[d] - b->begin[d] : 0;
        items *= args.extent[d];
    }
    MUST(mx_view_create_1d(ctx, "hits", MX_I32, items + 1, &hits));
    MUST(mx_bind(ctx, hits, &args.hits));
    launch(ctx, b, form, dynamic, &args, &sum);
    if (form >= SUMS) CHECK_I64(sum, items * (items - 1) / 2);
    const int64_t wrong = count_wrong(ctx, hits, items);
    if (wrong != 0) {
        fprintf(stderr, "form %d%s:", form, dynamic ? ", dynamic" : "");
        for (int d = 0; d < dims; d++)
            fprintf(stderr, " [%" PRId64 ", %" PRId64 ") tile %" PRId64, b->begin[d], b->end[d],
                    b->tile[d]);
        fprintf(stderr, "\n");
    }
    CHECK_I64(wrong, 0);
    MUST(mx_view_destroy(&hits));
}

/* Rows are along the last index (layout right) or the first (left). Some have whole vectors. Some
 * begin at 0 and have 2 to 4 items: with MX_ITEMS_SIMD many such rows are one loop of the core. */
static void set_rows(box *b, int dims, int turn)
{
    const int row = turn / 6 % 2 == 0 ? dims - 1 : 0, next = row == 0 ? 1 : row - 1;
    switch (turn / 2 % 3) {
    case 0: return;
    case 1:
        b->end[row] = b->begin[row] + check_random_int(8, 40);
        b->tile[row] = 0;
        return;
    default:
        b->begin[row] = 0;
        b->end[row] = 2 + turn / 12 % 3;
        b->end[next] = b->begin[next] + check_random_int(8, 40);
        b->tile[row] = b->tile[next] = 0;
    }
}

static void test(mx_ctx ctx)
{
    for (int round = 0; round < 36 * FORMS; round++) {
        box b;
        const int form = round % FORMS, turn = round / FORMS;
        const int dims = dims_of[form];
        const int64_t max_extent = dims <= 3 ? 40 : 7;
        for (int d = 0; d < 6; d++) {
            b.begin[d] = check_random_int(-20, 20);
            b.end[d] =
                b.begin[d] + (check_random_int(0, 30) == 0 ? 0 : check_random_int(1, max_extent));
            b.tile[d] = check_random_int(0, 2) == 0 ? check_random_int(1, 9) : 0;
        }
        if (dims > 3) set_rows(&b, dims, turn);
        const bool index_64 = form >= SUMS_64 || (form >= FOR_64 && form < SUMS);
        /* indices beyond 32 bits, in half of the ranges; their rows do not begin at 0 */
        const int64_t shift = index_64 && check_random_int(0, 1) == 1 ? (int64_t)1 << 40 : 0;
        for (int d = 0; d < 6; d++) {
            b.begin[d] += shift;
            b.end[d] += shift;
        }
        if (dims == 1) b.end[0] = b.begin[0] + check_random_int(0, 60000);
        check_box(ctx, &b, form, turn % 2 == 1);
    }
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
