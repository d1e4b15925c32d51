/* In kernel files: coefficients and columns are fetched ahead, as hardware does not fetch beyond a
 * page. */
#pragma once
#include "minx/kernel.h"

#include "fe_row_kernels.h"

enum { FE_CACHE_LINE = 64 };

MX_BODY void fe_prefetch_line(const void *address, bool once)
{
    if (once)
        MX_PREFETCH_ONCE(address);
    else
        MX_PREFETCH(address);
}

/* The entry that is `distance` behind `at`, or `at` where fewer than `entries` are left there. */
MX_BODY int64_t fe_ahead_of(const fe_rows_args *a, int64_t at, int distance, int entries)
{
    return at + distance < a->column.extent[0] - entries ? at + distance : at;
}

/* Fetches some coefficients and columns. once: the matrix is one stream, which is kept out of
 * the outer caches, so that x stays there. This helps csr and sell; ell has 27 streams, and is
 * slower with it. */
MX_BODY void fe_prefetch(const fe_rows_args *a, int64_t value, int64_t column, int entries,
                         bool once, bool is_f32)
{
    for (int e = 0; e < entries; e += FE_CACHE_LINE / 8)
        fe_prefetch_line(is_f32 ? (const void *)(&MX_AT(a->f32value, 0) + value + e)
                                : (const void *)(&MX_AT(a->value, 0) + value + e),
                         once);
    for (int e = 0; e < entries; e += FE_CACHE_LINE / 4)
        fe_prefetch_line(&MX_AT(a->column, 0) + column + e, once);
}
