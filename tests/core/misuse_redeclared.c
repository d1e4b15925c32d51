/* Wrong: declares kernels of kernels/misuse.c again, in other ways than misuse.h. Launches them, or,
 * with REDECLARED_SPACE, is a program that must not link. */
#include "minx/minx.h"

MX_ARGS(redeclared_args, ,
    double level, count;
);

#ifdef REDECLARED_SPACE

MX_DECLARE_REDUCE(2D, mu_level, redeclared_args, double)

int main(void)
{
    const redeclared_args args = {0, 0};
    double sum;
    return mu_level(mx_range_2d(NULL, 0, 1, 0, 1), &args, &sum);
}

#else

MX_DECLARE_REDUCE(1D, mu_level, redeclared_args, double)

MX_ARGS(redeclared_count_args, ,
    double count;
);
MX_DECLARE_REDUCE(1D, mu_count, redeclared_count_args, float)

MX_DECLARE_REDUCE(1D, mu_height, redeclared_count_args, int64_t)

mx_err mu_launch_with_other_args(mx_ctx ctx);
mx_err mu_launch_with_other_value(mx_ctx ctx);
mx_err mu_launch_with_other_type(mx_ctx ctx);

mx_err mu_launch_with_other_args(mx_ctx ctx)
{
    const redeclared_args args = {0, 0};
    double sum;
    return mu_level(mx_range_1d(ctx, 0, 1), &args, &sum);
}

mx_err mu_launch_with_other_value(mx_ctx ctx)
{
    const redeclared_count_args args = {0};
    float sum;
    return mu_count(mx_range_1d(ctx, 0, 1), &args, &sum);
}

mx_err mu_launch_with_other_type(mx_ctx ctx)
{
    const redeclared_count_args args = {0};
    int64_t sum;
    return mu_height(mx_range_1d(ctx, 0, 1), &args, &sum);
}

#endif
