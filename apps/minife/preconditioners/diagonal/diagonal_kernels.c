#include "minx/kernel.h"

#include "fe_diagonal_kernels.h"

MX_BODY void fe_scale_body(const fe_scale_args *a, int i)
{
    MX_AT(a->z, i) = MX_AT(a->r, i) / MX_AT(a->diagonal, i);
}
MX_FOR(1D, fe_scale)
