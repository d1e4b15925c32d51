#include "minx/kernel.h"

#include "bench_kernels.h"
#include "mix.h"

MX_BODY double bench_value(int64_t i, double seed)
{
    return 0.5 + (double)((i * 7 + (int64_t)seed * 13) % 101) / 101.0;
}

MX_BODY void bench_set_1d_body(const bench_set_1d_args *a, int64_t i)
{
    MX_AT(a->x, i) = bench_value(i, a->seed);
}
MX_FOR(1D_64, bench_set_1d)

MX_BODY void bench_set_2d_body(const bench_set_2d_args *a, int j, int k)
{
    MX_AT(a->x, j, k) = bench_value((int64_t)j * 3 + k, a->seed);
}
MX_FOR(2D, bench_set_2d)

MX_BODY void bench_set_3d_body(const bench_set_3d_args *a, int i, int j, int k)
{
    MX_AT(a->x, i, j, k) = bench_value((int64_t)i * 5 + j * 3 + k, a->seed);
}
MX_FOR(3D, bench_set_3d)

MX_BODY void bench_set_index_body(const bench_set_index_args *a, int i)
{
    MX_AT(a->index, i) = (int)(bench_mix((uint64_t)i / 3) % (uint64_t)a->bins);
}
MX_FOR(1D, bench_set_index)

MX_BODY void bench_stencil_body(const bench_stencil_args *a, int j, int k)
{
    MX_AT(a->out, j, k) =
        0.2 * (MX_AT(a->in, j, k) + (MX_AT(a->in, j, k - 1) + MX_AT(a->in, j, k + 1)) +
               (MX_AT(a->in, j - 1, k) + MX_AT(a->in, j + 1, k)));
}
MX_FOR(2D, bench_stencil)

MX_BODY void bench_summarise_body(const bench_summary_args *a, int j, int k, bench_summary *s)
{
    const double mass = MX_AT(a->density, j, k) * a->volume, u = MX_AT(a->u, j, k);
    s->volume += a->volume;
    s->mass += mass;
    s->energy += mass * MX_AT(a->energy, j, k);
    s->temperature += mass * u;
    s->hottest = s->hottest < u ? u : s->hottest;
}
MX_REDUCE_FIELDS(2D, bench_summarise, BENCH_SUMMARY)

MX_BODY void bench_histogram_body(const bench_histogram_args *a, int i)
{
    mx_atomic_add(&MX_AT(a->bins, MX_AT(a->index, i)), (int64_t)1);
}
MX_FOR(1D, bench_histogram)

MX_BODY void bench_nothing_body(const bench_nothing_args *a, int i) { (void)a, (void)i; }
MX_FOR(1D, bench_nothing)
