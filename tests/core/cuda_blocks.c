/* The blocks of a reduction on a GPU, over teams (minx/device/launch.h) and over ranges
 * (core/backends/device/device_grid.h). It needs no GPU. */
#include "check.h"

enum { MX_GPU_WAVE_ = 32 }; /* as on NVIDIA's GPUs */
#define MX_GPU_MAX_BLOCKS_(threads) INT32_MAX
#include "../../core/backends/device/device_grid.h"

/* An H200 runs 8 blocks of 256 threads on each of its 132 multiprocessors at a time. */
enum { RESIDENT = 132 * 8, TINY_AT_A_TIME = RESIDENT * 256, MANY = 2000000000 };

static int64_t blocks(int64_t teams, int64_t at_a_time, bool has_scratch, size_t value_bytes)
{
    return mx_gpu_team_blocks_(teams, at_a_time, RESIDENT, has_scratch, value_bytes);
}

static int one_at_a_time(void) { return 1; }
static int six_at_a_time(void) { return 6; }

/* Whatever the device, one block along a row covers the row, as mx_gpu_strided_share_ assumes, and
 * a large range has about as many blocks as run at a time. */
static void test_strides(int64_t rows, int64_t columns, int64_t processors, int (*at_a_time)(void))
{
    const mx_kernel kernel = {.name = "strides", .pattern = MX_PATTERN_REDUCE, .index_64 = true};
    const mx_instance instance = {.per_thread = 2, .threads = 512, .at_a_time = at_a_time};
    mx_launch launch = {.kernel = &kernel, .dims = 2};
    launch.axis[0].end = rows;
    launch.axis[1].end = columns;
    CHECK(!plan_planes(&launch, &instance, 8 * processors));
    CHECK_OK(plan_grid(&launch, &instance, processors, 8 * processors));
    const mx_gpu_launch_ *plan = mx_gpu_planned_(&launch);
    const int64_t limit = processors * at_a_time(), items = rows * columns;
    const bool one_covers = plan->grid[0] > 1 || columns <= plan->block[0];
    const bool enough = items < 256 * limit || plan->blocks >= limit / 2;
    if (!plan->strides || !one_covers || !enough || plan->blocks > (limit > 2 ? limit : 2))
        printf("%lld x %lld, %lld multiprocessors with %d blocks: a grid of %u x %u\n",
               (long long)rows, (long long)columns, (long long)processors, at_a_time(),
               plan->grid[0], plan->grid[1]);
    CHECK(plan->strides && one_covers && enough);
    CHECK(plan->blocks <= (limit > 2 ? limit : 2));
}

/* The numbers of blocks that test reduce_joins assumes, for rows of 64 items. */
static void test_blocks_of(int dims, int per_thread, int threads, int64_t rows, int64_t expected)
{
    const mx_kernel kernel = {.name = "rows", .pattern = MX_PATTERN_REDUCE};
    const mx_instance instance = {
        .per_thread = per_thread, .threads = threads, .at_a_time = one_at_a_time};
    mx_launch launch = {.kernel = &kernel, .dims = dims};
    launch.axis[0].end = rows;
    for (int d = 1; d < dims; d++) launch.axis[d].end = 64;
    const bool planes = plan_planes(&launch, &instance, RESIDENT);
    CHECK(planes == (dims == 3));
    if (!planes) CHECK_OK(plan_grid(&launch, &instance, 132, RESIDENT));
    CHECK_I64(mx_gpu_planned_(&launch)->blocks, expected);
}

/* A random reduction. Its blocks have whole warps and at most the threads of the instance, or 256
 * where threads step through rows. They cover the range, unless threads step through it. */
static void test_random_plan(void)
{
    const int failures = check_failures;
    static const int64_t extents[] = {0,  1,  2,   3,   8,   9,   31,  32,
                                      33, 64, 100, 255, 256, 257, 513, 1000};
    static const int64_t processors[] = {1, 14, 132};
    const int per_thread = (int[]){1, 2, 8}[check_random_int(0, 2)];
    const mx_kernel kernel = {.name = "random", .pattern = MX_PATTERN_REDUCE, .index_64 = true};
    const mx_instance instance = {.per_thread = per_thread,
                                  .threads = per_thread == 2 ? 512 : 256,
                                  .at_a_time = six_at_a_time};
    mx_launch launch = {.kernel = &kernel, .dims = (int)check_random_int(1, 6)};
    const int last = launch.dims - 1;
    int64_t rows = 1;
    for (int d = 0; d <= last; d++) {
        mx_axis *axis = &launch.axis[d];
        axis->begin = check_random_int(-5, 5);
        axis->end = axis->begin + (launch.dims > 3 && d < last ? check_random_int(0, 9)
                                                               : extents[check_random_int(0, 15)]);
        axis->tile = check_random_int(0, 2) == 0 ? check_random_int(1, 40) : 0;
        if (d < last) rows *= axis->end - axis->begin;
    }
    const int64_t p = processors[check_random_int(0, 2)];
    const bool planes = plan_planes(&launch, &instance, 8 * p);
    if (!planes) CHECK_OK(plan_grid(&launch, &instance, p, 8 * p));
    const mx_gpu_launch_ *plan = mx_gpu_planned_(&launch);
    const int64_t contiguous = launch.axis[last].end - launch.axis[last].begin;
    const int64_t threads = (int64_t)plan->block[0] * plan->block[1];
    CHECK(threads > 0 && threads % 32 == 0);
    CHECK(threads <= (plan->strides ? 256 : instance.threads));
    CHECK_I64(plan->blocks, (int64_t)plan->grid[0] * plan->grid[1] * plan->grid[2]);
    CHECK((plan->blocks > 0) == (rows * contiguous > 0));
    if (launch.dims == 1) CHECK(plan->blocks <= (instance.threads > 256 ? 6 : 16) * p);
    if (planes && plan->blocks > 0) {
        const int64_t next = launch.axis[last - 1].end - launch.axis[last - 1].begin;
        CHECK((int64_t)plan->grid[0] * plan->block[0] >= contiguous);
        CHECK((int64_t)plan->grid[1] * plan->block[1] >= next);
        CHECK((int64_t)plan->grid[2] * plan->per_thread >= rows / next);
        CHECK(threads <= 256 || next * ceil_div(contiguous, 32) * 32 > 256);
    }
    if (plan->blocks > 0 && !planes && !plan->strides && launch.dims > 1) {
        CHECK_I64(plan->per_thread, per_thread);
        CHECK((int64_t)plan->grid[0] * plan->block[0] >= contiguous);
        CHECK((int64_t)plan->grid[1] * plan->grid[2] * plan->block[1] * per_thread >= rows);
    }
    if (check_failures == failures) return;
    printf("%d multiprocessors, %d per thread:", (int)p, per_thread);
    for (int d = 0; d <= last; d++)
        printf(" [%d, %d) tile %d", (int)launch.axis[d].begin, (int)launch.axis[d].end,
               (int)launch.axis[d].tile);
    printf("\n");
}

int main(void)
{
    static const int64_t few[] = {1, 2, 3, 8}, many[] = {1, 31, 256, 257, 5000, 10000000};
    static const int64_t processors[] = {1, 2, 14, 16, 20, 108, 132};
    for (int c = 0; c < 4 * 6 * 7; c++) {
        const int64_t short_side = few[c % 4], long_side = many[c / 4 % 6], p = processors[c / 24];
        test_strides(short_side, long_side, p, one_at_a_time);
        test_strides(short_side, long_side, p, six_at_a_time);
        test_strides(long_side, short_side, p, one_at_a_time);
        test_strides(long_side, short_side, p, six_at_a_time);
    }

    test_blocks_of(2, 2, 512, 16 * MX_GPU_SLOTS_, MX_GPU_SLOTS_);
    test_blocks_of(2, 2, 512, 16 * MX_GPU_LONG_JOIN_, MX_GPU_LONG_JOIN_);
    test_blocks_of(2, 1, 256, 4 * MX_GPU_SLOTS_, MX_GPU_SLOTS_);
    test_blocks_of(2, 8, 256, 32 * MX_GPU_LONG_JOIN_, MX_GPU_LONG_JOIN_);
    test_blocks_of(3, 2, 512, 4 * MX_GPU_SLOTS_ / 8, MX_GPU_SLOTS_);
    for (int n = 0; n < 100000; n++) test_random_plan();

    /* no more blocks than teams */
    CHECK_I64(blocks(0, RESIDENT, false, sizeof(double)), 0);
    CHECK_I64(blocks(1000, RESIDENT, false, sizeof(double)), 1000);
    /* 64 rounds of teams of 256 threads, and one with scratch */
    CHECK_I64(blocks(MANY, RESIDENT, false, sizeof(double)), 64 * RESIDENT);
    CHECK_I64(blocks(MANY, RESIDENT, true, sizeof(double)), RESIDENT);
    CHECK_I64(blocks(MANY, TINY_AT_A_TIME, true, 0), TINY_AT_A_TIME);
    /* teams of one thread: partial results of 64 MiB (without the limit 138 MB, and 66 GiB) */
    CHECK_I64(blocks(MANY, TINY_AT_A_TIME, false, sizeof(double)), (64 << 20) / 8);
    CHECK_I64(blocks(MANY, TINY_AT_A_TIME, false, 4096), (64 << 20) / 4096);
    CHECK_I64(blocks(MANY, TINY_AT_A_TIME, true, 4096), (64 << 20) / 4096);
    /* as many as the device has room for in any case */
    CHECK_I64(blocks(MANY, TINY_AT_A_TIME, false, 200000), RESIDENT);
    CHECK_I64(blocks(RESIDENT / 2, TINY_AT_A_TIME, false, 200000), RESIDENT / 2);
    /* teams of 1024 threads with scratch: never more than the device runs at a time */
    CHECK_I64(blocks(MANY, RESIDENT / 4, true, 400000), RESIDENT / 4);
    return check_failures > 0;
}
