/* The drivers of the kernels in C: each launches its kernel `times` times, waits, and gives the
 * seconds. */
#define _POSIX_C_SOURCE 199309L
#include "native_kernels.h"

#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Runs LAUNCH `times` times; its arguments are bound before. */
#define TIMED(ctx, times, seconds, LAUNCH)                   \
    do {                                                     \
        const double start_ = now();                         \
        for (int n_ = 0; n_ < (times); n_++) MX_TRY(LAUNCH); \
        MX_TRY(mx_fence(ctx));                               \
        *(seconds) = now() - start_;                         \
    } while (0)

mx_err native_run_axpy(mx_ctx ctx, mx_view y, mx_view x, double alpha, int times, double *seconds)
{
    native_axpy_args args = {.alpha = alpha};
    MX_TRY(mx_bind(ctx, y, &args.y));
    MX_TRY(mx_bind(ctx, x, &args.x));
    const mx_range_1 range = mx_range_1d(ctx, 0, MX_EXTENT(args.y, 0));
    TIMED(ctx, times, seconds, native_axpy(range, &args));
    return MX_OK;
}

mx_err native_run_triad(mx_ctx ctx, mx_view a, mx_view b, mx_view c, double s, int times,
                        double *seconds)
{
    native_triad_args args = {.s = s};
    MX_TRY(mx_bind(ctx, a, &args.a));
    MX_TRY(mx_bind(ctx, b, &args.b));
    MX_TRY(mx_bind(ctx, c, &args.c));
    const mx_range_1 range = mx_range_1d(ctx, 0, MX_EXTENT(args.a, 0));
    TIMED(ctx, times, seconds, native_triad(range, &args));
    return MX_OK;
}

mx_err native_run_stencil(mx_ctx ctx, mx_view out, mx_view u, double c, int times, double *seconds)
{
    native_stencil_args args = {.c = c};
    MX_TRY(mx_bind(ctx, out, &args.out));
    MX_TRY(mx_bind(ctx, u, &args.u));
    const mx_range_3 range = mx_range_3d(ctx, 1, MX_EXTENT(args.u, 0) - 1, 1,
                                         MX_EXTENT(args.u, 1) - 1, 1, MX_EXTENT(args.u, 2) - 1);
    TIMED(ctx, times, seconds, native_stencil(range, &args));
    return MX_OK;
}

mx_err native_run_yax(mx_ctx ctx, mx_view y, mx_view matrix, mx_view x, int times, double *seconds,
                      double *result)
{
    native_yax_args args = {.unused = 0};
    MX_TRY(mx_bind(ctx, y, &args.y));
    MX_TRY(mx_bind(ctx, matrix, &args.matrix));
    MX_TRY(mx_bind(ctx, x, &args.x));
    const mx_teams teams = mx_league(ctx, MX_EXTENT(args.y, 0), MX_AUTO, MX_AUTO);
    TIMED(ctx, times, seconds, native_yax(teams, &args, result));
    return MX_OK;
}

mx_err native_run_lj(mx_ctx ctx, mx_view f, mx_view x, mx_view count, mx_view neighbours,
                     double cutoff2, double lj1, double lj2, int times, double *seconds)
{
    native_lj_args args = {.cutoff2 = cutoff2, .lj1 = lj1, .lj2 = lj2};
    MX_TRY(mx_bind(ctx, f, &args.f));
    MX_TRY(mx_bind(ctx, x, &args.x));
    MX_TRY(mx_bind(ctx, count, &args.count));
    MX_TRY(mx_bind(ctx, neighbours, &args.neighbours));
    const mx_range_1 range = mx_range_1d(ctx, 0, MX_EXTENT(args.count, 0));
    TIMED(ctx, times, seconds, native_lj(range, &args));
    return MX_OK;
}
