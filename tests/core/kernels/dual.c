#include "minx/kernel.h"

#include "dual.h"

MX_BODY void dual_twice_body(const dual_twice_args *a, int i) { MX_AT(a->x, i) *= 2; }
MX_FOR(1D, dual_twice)
