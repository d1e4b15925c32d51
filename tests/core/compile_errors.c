/* Mistakes that must not compile. CMakeLists.txt compiles this file once for each CASE, and
 * compares the first error and the number of lines. Case 0 has no mistake, and must compile without
 * a message. Nothing runs, so there is no backend. Others are in compile_drivers.c and
 * compile_kernels.c. */
#include "minx/kernel.h"
#include "minx/minx.h"
#include "minx/team.h"

MX_ACCESSOR(block, double, 3, MX_LAYOUT_DEFAULT, MX_TRAIT_NONE, 8, 3)
MX_ACCESSOR(counts, int64_t, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_ATOMIC)
MX_ACCESSOR(table, const double, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS)

MX_ARGS(fits,
    (block, b),
    char more[MX_ARGS_MAX - sizeof(block)];
);
MX_DECLARE_FOR(1D, fits_kernel, fits)

MX_ARGS(args, (block, b) (counts, n) (table, t) (mx_f64_2, x) (mx_cf64_2, y) (mx_cf64_2r, rows));

#if CASE == 1 /* arguments that no CUDA launch takes */
MX_ARGS(too_large, ,
    char more[MX_ARGS_MAX + 1];
);
MX_DECLARE_REDUCE(1D, large_kernel, too_large, double)
#elif CASE == 2 /* a run-time dimension behind a static one */
MX_ACCESSOR(reversed, double, 2, MX_LAYOUT_DEFAULT, MX_TRAIT_NONE, 4, 0)
#elif CASE == 3 /* more static extents than dimensions */
MX_ACCESSOR(crowded, double, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_NONE, 4, 4)
#elif CASE == 4 /* an extent that the type has no room for */
MX_ACCESSOR(huge, double, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_NONE, 4096)
#elif CASE == 5
MX_ACCESSOR(five, double, 5, MX_LAYOUT_DEFAULT, MX_TRAIT_NONE, 2, 2, 2, 2, 2)
#elif CASE == 6
MX_ACCESSOR(bytes, uint8_t, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_ATOMIC)
#elif CASE == 7
MX_ACCESSOR(structs, args, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_ATOMIC)
#elif CASE == 8
MX_ACCESSOR(writable, double, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS)
#elif CASE == 17 /* elements beyond the 24 bits of their size */
typedef struct massive {
    char more[(1 << 24) + 8];
} massive;
const mx_type massive_type = MX_USER(massive);
#elif CASE == 18 /* a body that does not go with its macro */
MX_BODY void fits_kernel_body(const fits *a, int i, int j) { (void)a, (void)i, (void)j; }
MX_FOR(1D, fits_kernel)
#elif CASE == 90 /* a struct of views that lacks one */
typedef struct some_views {
    mx_view x;
} some_views;
MX_ARGS_FROM(two, some_views, (mx_f64_1, x) (mx_f64_1, y));
#endif
MX_DECLARE_REDUCE(2D, sum_kernel, args, double)
MX_DECLARE_FOR(TEAM, team_kernel, args)

MX_BODY double body(const args *a, int i)
{
#if CASE == 9 /* the wrong number of indices */
    MX_AT(a->x, i) = 1;
#elif CASE == 10 /* constness is not taken away */
    MX_AT(a->y, i, i) = 1;
#elif CASE == 11
    MX_AT(a->n, i) = 1;
#elif CASE == 12
    return (double)MX_AT(a->n, i);
#elif CASE == 13
    MX_STORE(1, a->t, i);
#elif CASE == 19 /* too many indices */
    MX_AT(a->x, i, i, i) = 1;
#elif CASE == 20
    MX_AT(i, 0) = 1;
#elif CASE == 21 /* elements are no numbers of another kind */
    const float *const p = &MX_AT(a->y, i, i);
    return (double)*p;
#elif CASE == 31 /* rows that are not contiguous on every backend */
    return MX_LOAD4(a->y, i, 0).a;
#elif CASE == 32
    const mx_double2 pair = {1, 2};
    MX_STORE2(pair, a->y, i, 0);
#endif
    MX_ADD(1, a->n, i);
    MX_STORE(MX_LOAD(a->t, i), a->x, i, i);
    return MX_AT(a->b, i, 7, 2) + MX_AT(a->y, i, i) + (double)MX_LOAD(a->n, i) +
           MX_LOAD4(a->rows, i, 0).a;
}

MX_BODY void team_body(const args *a, mx_team *t)
{
    (void)a;
    MX_TEAM_SCRATCH(t, 0, mx_f64_2, own, 4, 4);
#if CASE == 27 /* too few extents */
    MX_TEAM_SCRATCH(t, 0, mx_f64_2, other, 4);
#elif CASE == 28 /* extents that are given twice */
    MX_TEAM_SCRATCH(t, 0, block, other, 2, 8, 4);
#endif
    MX_AT(own, 0, 0) = 1;
}

double use(const args *a, mx_ctx ctx, mx_view view);
double use(const args *a, mx_ctx ctx, mx_view view)
{
    args b = *a;
    (void)mx_bind(ctx, view, &b.b);
    (void)mx_bind_origin(ctx, view, NULL, &b.x);
#if CASE == 14 /* an accessor of another type */
    b.x = b.y;
#elif CASE == 15 /* arguments of another kernel */
    (void)fits_kernel(mx_range_1d(ctx, 0, 1), a);
#elif CASE == 16 /* what is no accessor */
    (void)mx_bind(ctx, view, &b);
#elif CASE == 22 /* a range of another number of dimensions */
    (void)sum_kernel(mx_range_1d(ctx, 0, 1), a, NULL);
#elif CASE == 23 /* a result of another type */
    float sum;
    (void)sum_kernel(mx_range_2d(ctx, 0, 1, 0, 1), a, &sum);
#elif CASE == 24
    (void)team_kernel(mx_range_1d(ctx, 0, 1), a);
#elif CASE == 25 /* a fixed layout is another type */
    const mx_f64_2s strided = b.x;
    (void)strided;
#elif CASE == 26
    (void)mx_fence(view);
#elif CASE == 29 /* an error that nobody asks for */
    mx_fence(ctx);
#elif CASE == 30
    fits_kernel(mx_range_1d(ctx, 0, 1), NULL);
#endif
    return body(&b, 0);
}
