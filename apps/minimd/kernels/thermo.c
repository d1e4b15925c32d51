#include "minx/kernel.h"

#include "md_kernels.h"

MX_BODY void md_sum_motion_body(const md_motion_args *a, int i, md_motion *sum)
{
    const double mass = MX_AT(a->mass, MX_AT(a->type, i));
    const double x = MX_AT(a->velocity, i, 0), y = MX_AT(a->velocity, i, 1),
                 z = MX_AT(a->velocity, i, 2);
    sum->mvv += mass * (x * x + y * y + z * z);
    sum->mass += mass;
    sum->up_x += mass * mx_max(x, 0.0);
    sum->up_y += mass * mx_max(y, 0.0);
    sum->up_z += mass * mx_max(z, 0.0);
    sum->down_x += mass * mx_max(-x, 0.0);
    sum->down_y += mass * mx_max(-y, 0.0);
    sum->down_z += mass * mx_max(-z, 0.0);
}
MX_REDUCE_FIELDS(1D, md_sum_motion, MD_MOTION)
