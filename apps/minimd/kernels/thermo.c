#include "minx/kernel.h"

#include "md_kernels.h"

MX_BODY void md_sum_motion_body(const md_motion_args *a, int i, md_motion *sum)
{
    const double mass = MX_AT(a->mass, MX_AT(a->type, i));
    const double x = MX_AT(a->velocity, i, 0), y = MX_AT(a->velocity, i, 1),
                 z = MX_AT(a->velocity, i, 2);
    sum->mvv += mass * (x * x + y * y + z * z);
    sum->mass += mass;
    sum->momentum_x += mass * x;
    sum->momentum_y += mass * y;
    sum->momentum_z += mass * z;
}
MX_REDUCE_FIELDS(1D, md_sum_motion, MD_MOTION)
