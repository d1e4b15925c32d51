/* The matrix, for kernel files: `a` is the struct of arguments, with kx and ky. */
#pragma once

/* (A v)(j, k): see tl_kernels.h. */
#define TL_APPLY(v, j, k)                                                                      \
    ((1.0 + (MX_AT(a->kx, j, k + 1) + MX_AT(a->kx, j, k)) +                                    \
      (MX_AT(a->ky, j + 1, k) + MX_AT(a->ky, j, k))) *                                         \
         MX_AT(v, j, k) -                                                                      \
     (MX_AT(a->kx, j, k + 1) * MX_AT(v, j, k + 1) + MX_AT(a->kx, j, k) * MX_AT(v, j, k - 1)) - \
     (MX_AT(a->ky, j + 1, k) * MX_AT(v, j + 1, k) + MX_AT(a->ky, j, k) * MX_AT(v, j - 1, k)))
