/* Replaces cuda.cu in builds without nvcc, which have no contexts on devices. */
#include "bench.h"

mx_err bench_cuda_open(bench_target *target)
{
    return MX_FAIL(MX_ERR_BACKEND, "%s: no rivals for it in this build", target->info.backend);
}

void bench_cuda_close(bench_target *target) { (void)target; }

mx_err bench_cuda_timer_start(const bench_target *target)
{
    return bench_cuda_open((bench_target *)target);
}

mx_err bench_cuda_timer_stop(const bench_target *target, double *seconds)
{
    *seconds = 0;
    return bench_cuda_timer_start(target);
}
