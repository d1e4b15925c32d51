/* Radioactive decay, with host code that writes and reads a view. lesson03 [BACKEND] */
#include <minx/kernel.h>

#include "course.h"

MX_ARGS(decay_args,
    (mx_f64_1, n), /* nuclei in each sample */
    double lambda; /* decay constant in 1/day */
    double t;      /* days */
);
MX_DECLARE_FOR(1D, decay, decay_args)

MX_BODY void decay_body(const decay_args *a, int i) { MX_AT(a->n, i) *= exp(-a->lambda * a->t); }
MX_FOR(1D, decay)

#ifdef MX_DRIVER
enum { SAMPLES = 1000 };

/* Sample i gets i + 1 nuclei. Host code writes, so it needs host memory. */
static mx_err set(mx_ctx ctx, mx_view n)
{
    mx_view host;
    mx_f64_1s at;
    /* GAP 1: host is a mirror of n where host code cannot access n */
    MX_TRY(mx_mirror_if_needed(n, &host));
    /* END 1 */
    MX_TRY(course_of_gap(1, mx_bind(NULL, host, &at)));
    for (int i = 0; i < SAMPLES; i++) MX_AT(at, i) = i + 1;
    /* GAP 2: copy the mirror into n */
    MX_TRY(mx_deep_copy(ctx, n, host));
    /* END 2 */
    return mx_view_destroy(&host);
}

static mx_err total(mx_ctx ctx, mx_view n, double *sum)
{
    mx_view host;
    mx_cf64_1s at;
    /* GAP 3: a mirror again; copy n into it, and wait */
    MX_TRY(mx_mirror_if_needed(n, &host));
    MX_TRY(mx_deep_copy(ctx, host, n));
    MX_TRY(mx_fence(ctx));
    /* END 3 */
    MX_TRY(course_of_gap(3, mx_bind(NULL, host, &at)));
    *sum = 0;
    for (int i = 0; i < SAMPLES; i++) *sum += MX_AT(at, i);
    return mx_view_destroy(&host);
}

static mx_err run(const course *c)
{
    const double half_life = 8.0252; /* days: iodine-131 */
    decay_args args = {.lambda = log(2) / half_life, .t = half_life};
    double before, after;
    mx_view n;
    MX_TRY(mx_view_create_1d(c->ctx, "nuclei", MX_F64, SAMPLES, &n));
    MX_TRY(set(c->ctx, n));
    MX_TRY(total(c->ctx, n, &before));
    MX_TRY(course_expect("gaps 2 and 3: the number of nuclei", before, SAMPLES * (SAMPLES + 1) / 2,
                         0));
    MX_TRY(mx_bind(c->ctx, n, &args.n));
    MX_TRY(decay(mx_range_1d(c->ctx, 0, SAMPLES), &args));
    MX_TRY(total(c->ctx, n, &after));
    /* after one half-life; the exponential function and the sum round in the last digits */
    MX_TRY(course_expect("the number that is left", after, before / 2, 1e-7));
    printf("%.0f nuclei of iodine-131, after %.4f days %.0f\n", before, half_life, after);
    return mx_view_destroy(&n);
}
COURSE(lesson03, run)
#endif
