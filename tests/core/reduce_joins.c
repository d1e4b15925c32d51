/* How partial results of reductions are joined: few of them and many, small values and large ones,
 * and one reduction after another. The numbers are integers, so results must be exact. */
#include "reduce_joins.h"
#include "check.h"

#include "minx/launch_cuda.h"

enum { N = 50021, SUMS = 200, ROW = 64 };

/* The number of blocks on cuda decides how their results are joined: the last block does it, or a
 * second kernel, or a third. Ranges with as many blocks as each of them takes, and with more. In a
 * block there are 64 items along the contiguous index, and 16 rows for numbers, 32 for structs. */
static void test_large(mx_ctx ctx)
{
    static const int64_t blocks[] = {1, 2, MX_CUDA_SLOTS, MX_CUDA_LONG_JOIN};
    const rj_no_args args = {.factor = 3};
    mx_ctx_info info;
    MUST(mx_ctx_get_info(ctx, &info));
    const bool left = info.layout == MX_LAYOUT_LEFT;
    const int sizes = strcmp(info.backend, "cuda") == 0 ? 4 : 2;
    for (int form = 0; form < 2 * 2 * sizes; form++) {
        const bool is_struct = form % 2 == 1;
        const int64_t rows = blocks[form / 4] * (is_struct ? 32 : 16) + form / 2 % 2;
        const int64_t ni = left ? ROW : rows, nj = left ? rows : ROW;
        const int64_t expected = nj * (3 * ni * (ni - 1) / 2) + ni * (nj * (nj - 1) / 2);
        const mx_range_2 range = mx_range_2d(ctx, 0, ni, 0, nj);
        int64_t sum = -1;
        rj_fields fields;
        if (is_struct) {
            CHECK_OK(rj_large_fields(range, &args, &fields));
            CHECK_I64(fields.sum, expected);
            CHECK_F64(fields.count, (double)(ni * nj), 0);
            CHECK_I64(fields.top, ni - 1);
        } else {
            CHECK_OK(rj_large(range, &args, &sum));
            CHECK_I64(sum, expected);
        }
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
    test_small_structs(ctx, &args, x);
    test_many_sums(ctx, &args, x);
    MUST(mx_view_destroy(&view));
    free(x);
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
