#include "seeds.h"
#include "minx/kernel.h"

MX_BODY void seeds_axpy_body(const seeds_axpy_args *a, int i)
{
    MX_AT(a->y, i) += a->a * MX_AT(a->x, i);
}
MX_FOR(1D, seeds_axpy)

MX_BODY void seeds_dot_body(const seeds_dot_args *a, int i, double *sum)
{
    *sum += MX_AT(a->x, i) * MX_AT(a->y, i);
}
MX_REDUCE(1D, seeds_dot, MX_SUM)

MX_BODY void seeds_squares_body(const seeds_dot_args *a, int i, double *sum)
{
    *sum += MX_AT(a->x, i) * MX_AT(a->x, i);
}
MX_REDUCE(1D, seeds_squares, MX_SUM)

MX_BODY void seeds_no_top(seeds_top *v)
{
    v->value = -INFINITY;
    v->count = 0;
}
MX_BODY void seeds_join_tops(seeds_top *into, const seeds_top *v)
{
    if (v->value > into->value)
        *into = *v;
    else if (v->value == into->value)
        into->count += v->count;
}
MX_BODY void seeds_max_plus_body(const seeds_dot_args *a, int i, seeds_top *top)
{
    const seeds_top item = {MX_AT(a->x, i) + MX_AT(a->y, i), 1};
    seeds_join_tops(top, &item);
}
MX_REDUCE_CUSTOM(1D, seeds_max_plus, seeds_no_top, seeds_join_tops)
