#include "minx/kernel.h"
#include "smoke.h"
MX_BODY void smoke_fill_body(const smoke_args *a, int j, int k) { MX_AT(a->x, j, k) = 1e-3*((j * 7 + k)%101); MX_AT(a->y, j, k) = a->f + 1e-3*k; }
MX_FOR_2D(smoke_fill)
MX_BODY void smoke_dot_body(const smoke_args *a, int j, int k, double *s) { *s += (MX_AT(a->x, j, k+1)+MX_AT(a->x,j-1,k)) * MX_AT(a->y, j, k); }
MX_REDUCE_2D(smoke_dot, MX_SUM)
