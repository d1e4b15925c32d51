#include "minx/kernel.h"

#include "layout_kernels.h"

#define LAYOUT(s)                                                                           \
    MX_BODY void bench_stencil_##s##_body(const bench_stencil_##s##_args *a, int j, int k)  \
    {                                                                                       \
        MX_AT(a->out, j, k) =                                                               \
            0.2 * (MX_AT(a->in, j, k) + (MX_AT(a->in, j, k - 1) + MX_AT(a->in, j, k + 1)) + \
                   (MX_AT(a->in, j - 1, k) + MX_AT(a->in, j + 1, k)));                      \
    }                                                                                       \
    MX_FOR(2D, bench_stencil_##s)                                                           \
    MX_BODY void bench_columns_##s##_body(const bench_columns_##s##_args *a, int r)         \
    {                                                                                       \
        double sum = 0;                                                                     \
        for (int n = 0; n < BENCH_ROW; n++)                                                 \
            sum += MX_LOAD(a->value, r, n) * MX_LOAD(a->x, MX_LOAD(a->column, r, n));       \
        MX_AT(a->y, r) = sum;                                                               \
    }                                                                                       \
    MX_FOR(1D, bench_columns_##s, MX_ITEMS_PLAIN)
LAYOUT(l)
LAYOUT(r)
