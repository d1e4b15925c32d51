/* The functions of clusters/kernels/md_part_rows.h, for part_rows.c. */
#pragma once
#include "minx/minx.h"

MX_ARGS(pr_args,
    (mx_cf64_1, from)                    /* rows of four */
    (mx_ci32_1, index) (mx_ci32_1, bits) /* of lanes, where their rows begin; of packs */
    (mx_f64_1, loaded)                   /* 4 * n: a[d][l] of element i at d * n + i */
    (mx_f64_1, less)                     /* rows of four, from which each vector subtracts its own */
    (mx_f64_1, sums)                     /* 4 for every four lanes */
    (mx_f64_1, spread)                   /* 4 * n: the row of the first one of four lanes */
    (mx_f64_1, root)
    (mx_f64_1, whole)  /* as integers */
    (mx_i32_1, kept)   /* 16 a pack */
    (mx_i32_1, counts), /* of packs */
    int n;
);
MX_DECLARE_FOR(1D, pr_rows, pr_args)
