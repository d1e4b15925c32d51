/* Polynomials in the matrix, scaled by its diagonal: see chebyshev.c.
 *
 * No sum here has two products. Of a b + c d a compiler may round either product before the sum,
 * and gcc chooses one in its vector loops and the other in what it leaves for the end of a loop,
 * which depends on the number of threads. */
#include "minx/kernel.h"

#include "fe_smoother_kernels.h"

MX_BODY void fe_smooth_from_zero_body(const fe_smooth_args *a, int i)
{
    MX_AT(a->x, i) = a->add * (MX_AT(a->b, i) / MX_AT(a->diagonal, i));
}
MX_FOR(1D, fe_smooth_from_zero)

MX_BODY void smooth(const fe_smooth_args *a, int i, bool is_last)
{
    const double residual = MX_AT(a->b, i) - MX_AT(a->w, i);
    const double d = a->keep * MX_AT(a->before, i) + residual / MX_AT(a->diagonal, i);
    if (!is_last) MX_AT(a->d, i) = d;
    MX_AT(a->x, i) += a->add * d;
}

MX_BODY void fe_smooth_step_body(const fe_smooth_args *a, int i) { smooth(a, i, false); }
MX_FOR(1D, fe_smooth_step)

MX_BODY void fe_smooth_last_body(const fe_smooth_args *a, int i) { smooth(a, i, true); }
MX_FOR(1D, fe_smooth_last)

/* The last step of splitmix64 (Steele, Lea and Flood 2014): numbers without order. */
MX_BODY double number_of(uint64_t id)
{
    uint64_t h = (id + 1) * 0x9e3779b97f4a7c15u;
    h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
    h = (h ^ h >> 27) * 0x94d049bb133111ebu;
    h ^= h >> 31;
    return (double)(h >> 11) * 0x1p-52 - 1;
}

MX_BODY void fe_lanczos_start_body(const fe_lanczos_args *a, int row, double *rz)
{
    const fe_node node = fe_node_of_row(&a->mesh, row);
    const double d = fe_fixed(&a->mesh, node) != 0 ? 0 : number_of((uint64_t)fe_id(&a->mesh, node));
    const double z = d / MX_AT(a->diagonal, row);
    MX_AT(a->d, row) = d;
    MX_AT(a->x, row) = z;
    *rz += d * z;
}
MX_REDUCE(1D, fe_lanczos_start, MX_SUM, MX_ITEMS_PLAIN)

MX_BODY void fe_lanczos_alpha(fe_lanczos_args *a)
{
    const double pw = MX_AT(a->pw, a->now);
    a->alpha = pw > 0 ? MX_AT(a->rz, a->now - 1) / pw : 0;
}

MX_BODY void fe_lanczos_update_body(const fe_lanczos_args *a, int i, double *rz)
{
    const double d = MX_AT(a->d, i) - a->alpha * MX_AT(a->w, i);
    MX_AT(a->d, i) = d;
    *rz += d * (d / MX_AT(a->diagonal, i));
}
MX_REDUCE(1D, fe_lanczos_update, MX_SUM, MX_ITEMS_SIMD, fe_lanczos_alpha)

MX_BODY void fe_lanczos_beta(fe_lanczos_args *a)
{
    const double before = MX_AT(a->rz, a->now - 1);
    a->beta = before > 0 ? MX_AT(a->rz, a->now) / before : 0;
}

MX_BODY void fe_lanczos_direction_body(const fe_lanczos_args *a, int i)
{
    MX_AT(a->x, i) = MX_AT(a->d, i) / MX_AT(a->diagonal, i) + a->beta * MX_AT(a->x, i);
}
MX_FOR(1D, fe_lanczos_direction, MX_ITEMS_SIMD, fe_lanczos_beta)
