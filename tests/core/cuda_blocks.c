/* The number of blocks of a reduction over teams on cuda (minx/launch_cuda.h). It needs no GPU. */
#include "check.h"
#include "minx/launch_cuda.h"

/* An H200 runs 8 blocks of 256 threads on each of its 132 multiprocessors at a time. */
enum { RESIDENT = 132 * 8, TINY_AT_A_TIME = RESIDENT * 256, MANY = 2000000000 };

static int64_t blocks(int64_t teams, int64_t at_a_time, bool has_scratch, size_t value_bytes)
{
    return mx_cuda_team_blocks(teams, at_a_time, RESIDENT, has_scratch, value_bytes);
}

int main(void)
{
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
