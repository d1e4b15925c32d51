/* How partial results of reductions are joined: few of them and many, small values and large ones,
 * and one reduction after another. The numbers are integers, so results must be exact. */
#include "reduce_joins.h"
#include "check.h"

#include "minx/device/launch.h"

enum { N = 50021, SUMS = 200, ROW = 64 };

/* The sum of 0 to n - 1. */
static int64_t sum_below(int64_t n) { return n * (n - 1) / 2; }

static bool is_left(mx_ctx ctx)
{
    mx_ctx_info info;
    MUST(mx_ctx_get_info(ctx, &info));
    return info.layout == MX_LAYOUT_LEFT;
}

/* Rows of ROW items along the contiguous index. */
static mx_range_2 range_of_rows(mx_ctx ctx, int64_t rows)
{
    return is_left(ctx) ? mx_range_2d(ctx, 0, ROW, 0, rows) : mx_range_2d(ctx, 0, rows, 0, ROW);
}

/* The sum of factor * i + j over a range that begins at 0. */
static int64_t sum_over(const mx_range_2 *range, int64_t factor)
{
    const int64_t ni = range->end[0], nj = range->end[1];
    return factor * nj * sum_below(ni) + ni * sum_below(nj);
}

/* The number of blocks on cuda decides how their results are joined: in the kernel itself, by a
 * second kernel, or by a third. Ranges with as many blocks as each of them takes, and with more.
 * In a block there are 64 items along the contiguous index and 16 rows for numbers, 4 if an item
 * has a loop, 32 for structs; test cuda_blocks checks these numbers. (Threads step through 4 or 8
 * rows of items with loops.) Each sum has its own factor, so a partial result of another sum
 * would be noticed. */
static void test_large(mx_ctx ctx)
{
    static const int64_t blocks[] = {1, 2, MX_GPU_SLOTS_, MX_GPU_LONG_JOIN_};
    static const int rows_of_block[] = {16, 4, 32};
    const int sizes = check_is_gpu(ctx) ? 4 : 2;
    for (int form = 0; form < 3 * 2 * sizes; form++) {
        const int kind = form % 3;
        const rj_no_args args = {.factor = form + 1};
        const int64_t rows = blocks[form / 6] * rows_of_block[kind] + form / 3 % 2;
        const mx_range_2 range = range_of_rows(ctx, rows);
        const int64_t expected = sum_over(&range, args.factor);
        int64_t sum = -1;
        rj_fields fields;
        if (kind == 2) {
            CHECK_OK(rj_large_fields(range, &args, &fields));
            CHECK_I64(fields.sum, expected);
            CHECK_F64(fields.count, (double)(range.end[0] * range.end[1]), 0);
            CHECK_I64(fields.top, range.end[0] - 1);
        } else {
            CHECK_OK((kind == 0 ? rj_large : rj_looping)(range, &args, &sum));
            CHECK_I64(sum, expected);
        }
    }
}

/* The result from what a launch has left, if it has left something. */
static rj_fields join(mx_ctx ctx, mx_view result, const mx_partials *partials)
{
    mx_view left = result;
    const int64_t count = partials->count > 0 ? partials->count : 1;
    const mx_view_options options = {.space = check_info(result).space};
    rj_fields *const fields = check_memory((size_t)count * sizeof *fields),
                     joined = {0, 0, INT32_MIN};
    if (partials->count > 0)
        MUST(mx_view_wrap(ctx, "left", MX_USER(rj_fields), 1, &count, NULL, &options,
                          (void *)(uintptr_t)partials->values, &left));
    check_download(ctx, left, fields);
    for (int64_t p = 0; p < count; p++) {
        joined.sum += fields[p].sum;
        joined.count += fields[p].count;
        if (fields[p].top > joined.top) joined.top = fields[p].top;
    }
    if (partials->count > 0) MUST(mx_view_destroy(&left));
    free(fields);
    return joined;
}

/* The last join is left to the caller only if he asks for that, on GPUs, for values that have no
 * slots, and not where the launch is recorded. */
static void test_partials(mx_ctx ctx)
{
    static const int64_t blocks[] = {1, MX_GPU_SLOTS_, MX_GPU_LONG_JOIN_ + 1};
    mx_view result, number;
    mx_graph graph;
    MUST(mx_view_create_1d(ctx, "result", MX_USER(rj_fields), 1, &result));
    MUST(mx_view_create_1d(ctx, "number", MX_I64, 1, &number));
    for (int n = 0; n < (check_is_gpu(ctx) ? 3 : 1); n++) {
        const rj_no_args args = {.factor = n + 1};
        const mx_range_2 range = range_of_rows(ctx, blocks[n] * 32);
        mx_partials partials = {&args, -1};
        CHECK_OK(rj_large_fields_partials(range, &args, result, 0, &partials));
        CHECK(strstr(check_resource, "check=") != NULL ||
              check_is_gpu(ctx) == (partials.count > 0));
        CHECK(partials.count >= 0 && partials.count <= MX_GPU_LONG_JOIN_);
        const rj_fields fields = join(ctx, result, &partials);
        CHECK_I64(fields.sum, sum_over(&range, args.factor));
        CHECK_F64(fields.count, (double)(range.end[0] * range.end[1]), 0);
        CHECK_I64(fields.top, range.end[0] - 1);
        CHECK_OK(rj_large_fields_partials(range, &args, result, 0, NULL));
        CHECK_I64(join(ctx, result, &(mx_partials){NULL, 0}).sum, fields.sum);
    }
    const rj_no_args args = {.factor = 7};
    const mx_range_2 few = range_of_rows(ctx, 40);
    mx_partials partials = {&args, -1};
    int64_t sum = -1;
    CHECK_OK(rj_large_partials(few, &args, number, 0, &partials));
    CHECK_I64(partials.count, 0);
    CHECK_OK(mx_read_element(ctx, number, 0, &sum));
    CHECK_I64(sum, sum_over(&few, args.factor));
    MUST(mx_graph_create(ctx, &graph));
    CHECK_OK(rj_large_fields_partials(few, &args, result, 0, &partials));
    CHECK_I64(partials.count, 0);
    MUST(mx_graph_finish(graph));
    CHECK_OK(mx_graph_run(graph));
    CHECK_I64(join(ctx, result, &partials).sum, sum_over(&few, args.factor));
    mx_graph_destroy(&graph);
    MUST(mx_view_destroy(&number));
    MUST(mx_view_destroy(&result));
}

/* Planes of 64 x 64. On cuda a block has 8 rows of 4 planes, so there are as many blocks as slots,
 * and more. With one row a plane is smaller than the largest block. */
static void test_planes(mx_ctx ctx)
{
    const rj_no_args args = {.factor = 3};
    const bool left = is_left(ctx);
    const int64_t planes = check_is_gpu(ctx) ? MX_GPU_SLOTS_ / (ROW / 8) * 4 : 8;
    for (int form = 0; form < 4; form++) {
        const int64_t outer = planes + form / 2, nj = form % 2 == 0 ? ROW : 1;
        const int64_t ni = left ? ROW : outer, nk = left ? outer : ROW;
        int64_t sum = -1;
        CHECK_OK(rj_planes(mx_range_3d(ctx, 0, ni, 0, nj, 0, nk), &args, &sum));
        CHECK_I64(sum, args.factor * nj * nk * sum_below(ni) + ni * nk * sum_below(nj) +
                           ni * nj * sum_below(nk));
    }
}

/* One dimension. On cuda the threads step through the longer range. */
static void test_line(mx_ctx ctx)
{
    static const int64_t sizes[] = {1000, 3000001};
    const rj_no_args args = {.factor = 3};
    for (int s = 0; s < 2; s++) {
        int64_t sum = -1;
        CHECK_OK(rj_line(mx_range_1d(ctx, 0, sizes[s]), &args, &sum));
        CHECK_I64(sum, args.factor * sum_below(sizes[s]));
    }
}

/* Sums of several contexts in turn, without a fence: they may run at the same time. Each has a
 * factor of its own. */
static void test_contexts(mx_ctx ctx)
{
    enum { CONTEXTS = 8, ROUNDS = 50 };
    const int64_t rows = check_is_gpu(ctx) ? (int64_t)MX_GPU_SLOTS_ * 16 : 64;
    int64_t got[ROUNDS];
    mx_ctx other[CONTEXTS];
    mx_view sums[CONTEXTS];
    for (int c = 0; c < CONTEXTS; c++) {
        MUST(mx_ctx_create(check_resource, &other[c]));
        MUST(mx_view_create_1d(other[c], "sums", MX_I64, ROUNDS, &sums[c]));
    }
    for (int n = 0; n < CONTEXTS * ROUNDS; n++) {
        const mx_ctx its = other[n % CONTEXTS];
        const rj_no_args args = {.factor = n + 1};
        CHECK_OK(rj_large_into(range_of_rows(its, rows), &args, sums[n % CONTEXTS], n / CONTEXTS));
    }
    for (int c = 0; c < CONTEXTS; c++) {
        const mx_range_2 range = range_of_rows(other[c], rows);
        check_download(other[c], sums[c], got);
        for (int r = 0; r < ROUNDS; r++) CHECK_I64(got[r], sum_over(&range, r * CONTEXTS + c + 1));
        MUST(mx_view_destroy(&sums[c]));
        mx_ctx_destroy(&other[c]);
    }
}

/* Small structs, with and without padding: on cuda values are passed on in words of 4 bytes. */
static void test_small_structs(mx_ctx ctx, const rj_args *args, const int32_t *x)
{
    static const int64_t sizes[] = {0, 1, 512, 513, N}; /* on cuda 512 items are one block */
    for (int s = 0; s < 5; s++) {
        const mx_range_1 range = mx_range_1d(ctx, 0, sizes[s]);
        rj_padded padded = {-1, -1}, expected = {0, 0};
        rj_bytes bytes = {{1, 1, 1}}, expected_bytes = {{0, 0, 0}};
        CHECK_OK(rj_small(range, args, &padded));
        CHECK_OK(rj_smallest(range, args, &bytes));
        for (int64_t i = 0; i < sizes[s]; i++) {
            expected.sum += x[i];
            if (x[i] % 100 > expected.top) expected.top = (int8_t)(x[i] % 100);
            expected_bytes.x[i % 3] ^= (uint8_t)x[i];
        }
        CHECK_I64(padded.sum, expected.sum);
        CHECK_I64(padded.top, expected.top);
        for (int b = 0; b < 3; b++) CHECK_I64(bytes.x[b], expected_bytes.x[b]);
    }
}

/* Range s of many. */
static mx_range_1 range_of(mx_ctx ctx, int s)
{
    return mx_range_1d(ctx, s, s + (s * 7919) % (N - SUMS));
}

/* Sums of many ranges, one launch after another. The host waits only after the last one. */
static void test_many_sums(mx_ctx ctx, const rj_args *args, const int32_t *x)
{
    int64_t got[SUMS];
    mx_view sums;
    MUST(mx_view_create_1d(ctx, "sums", MX_I64, SUMS, &sums));
    for (int s = 0; s < SUMS; s++) CHECK_OK(rj_sum_into(range_of(ctx, s), args, sums, s));
    check_download(ctx, sums, got);
    for (int s = 0; s < SUMS; s++) {
        const mx_range_1 range = range_of(ctx, s);
        int64_t expected = 0;
        for (int64_t i = range.begin[0]; i < range.end[0]; i++) expected += x[i];
        CHECK_I64(got[s], expected);
    }
    MUST(mx_view_destroy(&sums));
}

static void test(mx_ctx ctx)
{
    int32_t *const x = check_memory(N * sizeof *x);
    mx_view view;
    rj_args args;
    memset(&args, 0, sizeof args);
    for (int i = 0; i < N; i++) x[i] = (int32_t)check_random_int(-1000, 1000);
    MUST(mx_view_create_1d(ctx, "x", MX_I32, N, &view));
    check_upload(ctx, view, x);
    MUST(mx_bind(ctx, view, &args.x));
    test_large(ctx);
    test_partials(ctx);
    test_planes(ctx);
    test_line(ctx);
    test_contexts(ctx);
    test_small_structs(ctx, &args, x);
    test_many_sums(ctx, &args, x);
    MUST(mx_view_destroy(&view));
    free(x);
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
