/* Heat flux through a wall: q = -k dT/dx. lesson02 [BACKEND] */
#include <minx/kernel.h>

#include "course.h"

MX_ARGS(flux_args,
    (mx_cf64_1, dx) /* distances of the points, in m */
    (mx_cf64_1, T) /* temperatures at the points, in K */
    /* GAP 1: an accessor for a view that is read-only */
    (mx_cf64_1, k) /* conductivity between the points, in W/(m K) */
    /* END 1 */
    (mx_f64_1, q)  /* flux between the points, in W/m^2 */
);
MX_DECLARE_FOR(1D, flux, flux_args)

MX_BODY void flux_body(const flux_args *a, int i)
{
    MX_AT(a->q, i) = -MX_AT(a->k, i) * (MX_AT(a->T, i + 1) - MX_AT(a->T, i)) / MX_AT(a->dx, i);
}
MX_FOR(1D, flux)

#ifdef MX_DRIVER
enum { POINTS = 5, CELLS = POINTS - 1 };

typedef struct wall {
    mx_view dx, T, k, q;
} wall;

static mx_err create(mx_ctx ctx, wall *w)
{
    const double brick = 0.6, width = 0.1;
    mx_view k;
    /* GAP 2: the temperatures are doubles */
    MX_TRY(mx_view_create_1d(ctx, "T", MX_F64, POINTS, &w->T));
    /* END 2 */
    /* GAP 3: the fluxes have one index */
    MX_TRY(mx_view_create_1d(ctx, "q", MX_F64, CELLS, &w->q));
    /* END 3 */
    MX_TRY(mx_view_create_1d(ctx, "dx", MX_F64, CELLS, &w->dx));
    MX_TRY(mx_fill(ctx, w->dx, width));
    MX_TRY(mx_view_create_1d(ctx, "k", MX_F64, CELLS, &k));
    MX_TRY(mx_fill(ctx, k, brick));
    MX_TRY(mx_view_constant(k, &w->k)); /* another handle of the same data, which forbids writing */
    return mx_view_destroy(&k);         /* w->k is the last owner now */
}

static mx_err compute(mx_ctx ctx, wall *w, const double *T, double *q)
{
    flux_args args = {0};
    MX_TRY(course_of_gap(1, mx_bind(ctx, w->k, &args.k)));
    MX_TRY(course_of_gap(2, mx_bind(ctx, w->T, &args.T)));
    MX_TRY(course_expect("gap 2: the number of temperatures", MX_EXTENT(args.T, 0), POINTS, 0));
    MX_TRY(mx_import(ctx, w->T, T, NULL));
    MX_TRY(course_of_gap(3, mx_bind(ctx, w->q, &args.q)));
    MX_TRY(course_expect("gap 3: the number of fluxes", MX_EXTENT(args.q, 0), CELLS, 0));
    /* GAP 4: all accessors must be bound before a launch */
    MX_TRY(mx_bind(ctx, w->dx, &args.dx));
    /* END 4 */
    /* GAP 5: a view must exist as long as kernels use it */
    /* END 5 */
    const mx_err err = flux(mx_range_1d(ctx, 0, CELLS), &args);
    MX_TRY(course_of_gap(err == MX_ERR_STALE ? 5 : 4, err));
    return mx_export(ctx, w->q, q, NULL);
}

static mx_err run(const course *c)
{
    const double T[POINTS] = {293.15, 288.15, 283.15, 278.15, 273.15};
    double q[CELLS] = {0};
    wall w;
    MX_TRY(create(c->ctx, &w));
    MX_TRY(compute(c->ctx, &w, T, q));
    /* Fourier's law for a wall of 0.4 m with 20 K between its sides: 0.6 * 20 / 0.4 = 30 */
    for (int i = 0; i < CELLS; i++) MX_TRY(course_expect("gap 4: the flux", q[i], 30, 1e-9));
    printf("%.0f W/m^2 leave the house\n", q[0]);
    MX_TRY(mx_view_destroy(&w.dx));
    MX_TRY(mx_view_destroy(&w.T));
    MX_TRY(mx_view_destroy(&w.k));
    return mx_view_destroy(&w.q);
}
COURSE(lesson02, run)
#endif
