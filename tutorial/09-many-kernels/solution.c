/* Heat in a rod, step by step: two kernels, one struct of views, a swap. lesson09 [BACKEND] */
#include <minx/kernel.h>

#include "course.h"

typedef struct rod_views {
    mx_view old, next;
} rod_views;

/* Also defines rod_step_args_bind, which binds every accessor to the view of the same name. */
MX_ARGS_FROM(rod_step_args, rod_views,
    (mx_cf64_1, old)
    (mx_f64_1, next),
    double r; /* alpha dt / dx^2, at most 1/2 */
);
MX_DECLARE_FOR(1D, rod_step, rod_step_args)

MX_ARGS_FROM(rod_change_args, rod_views, (mx_cf64_1, old) (mx_cf64_1, next));
MX_DECLARE_REDUCE(1D, rod_change, rod_change_args, double)

MX_BODY void rod_step_body(const rod_step_args *a, int i)
{
    const double left = MX_AT(a->old, i - 1), at = MX_AT(a->old, i), right = MX_AT(a->old, i + 1);
    /* GAP 1: the new temperature: at + r (left - 2 at + right) */
    MX_AT(a->next, i) = at + a->r * (left - 2 * at + right);
    /* END 1 */
}
MX_FOR(1D, rod_step)

/* The largest change in a step. */
MX_BODY void rod_change_body(const rod_change_args *a, int i, double *most)
{
    const double change = fabs(MX_AT(a->next, i) - MX_AT(a->old, i));
    *most = *most < change ? change : *most;
}
MX_REDUCE(1D, rod_change, MX_MAX)

#ifdef MX_DRIVER
enum { CELLS = 64, STEPS = 1000, EVERY = 250 };

/* All that the program has: its context, its views, and the arguments of its kernels. */
typedef struct rod {
    mx_ctx ctx;
    rod_views views;
    rod_step_args step;
    rod_change_args change;
    double most; /* the largest change in the last step that was measured */
} rod;

static mx_err bind(rod *r)
{
    /* GAP 2: bind the arguments of both kernels to r->views */
    MX_TRY(rod_step_args_bind(r->ctx, &r->views, &r->step));
    MX_TRY(rod_change_args_bind(r->ctx, &r->views, &r->change));
    /* END 2 */
    return MX_OK;
}

static mx_err step(rod *r) { return rod_step(mx_range_1d(r->ctx, 1, CELLS), &r->step); }

static mx_err swap(rod *r)
{
    /* GAP 3: swap the two views, and bind again */
    MX_TRY(mx_view_swap(&r->views.old, &r->views.next));
    MX_TRY(bind(r));
    /* END 3 */
    return MX_OK;
}

/* A launch fails if its arguments were not bound, or not bound again behind a swap. */
static mx_err launched(mx_err err)
{
    return course_of_gap(err == MX_ERR_STALE ? 3 : err == MX_ERR_ARG ? 2 : 1, err);
}

static mx_err run_steps(rod *r)
{
    for (int n = 1; n <= STEPS; n++) {
        MX_TRY(launched(step(r)));
        if (n % EVERY == 0) {
            MX_TRY(launched(rod_change(mx_range_1d(r->ctx, 1, CELLS), &r->change, &r->most)));
            printf("step %4d: the largest change is %.4e K\n", n, r->most);
        }
        MX_TRY(swap(r));
    }
    return MX_OK;
}

/* A sine keeps its form: each step multiplies it by 1 - 4 r sin^2(pi dx / 2). */
static mx_err check(const rod *r)
{
    double T[CELLS + 1];
    const double s = sin(MX_PI / CELLS / 2), factor = 1 - 4 * r->step.r * s * s;
    MX_TRY(mx_export(r->ctx, r->views.old, T, NULL));
    /* 1000 steps, each rounds temperatures of at most 100 to 1.4e-14 a few times */
    MX_TRY(course_expect("gaps 1 and 3: the temperature in the middle", T[CELLS / 2],
                         100 * pow(factor, STEPS), 1e-10));
    MX_TRY(course_expect("gap 2: the largest change in the last step", r->most,
                         100 * pow(factor, STEPS - 1) * (1 - factor), 1e-10));
    printf("in the middle %.6f K\n", T[CELLS / 2]);
    return MX_OK;
}

static mx_err run(const course *c)
{
    rod r = {.ctx = c->ctx, .step.r = 0.4};
    double T[CELLS + 1];
    for (int i = 0; i <= CELLS; i++) T[i] = 100 * sin(MX_PI * i / CELLS);
    T[CELLS] = 0;
    MX_TRY(mx_view_create_1d(c->ctx, "old", MX_F64, CELLS + 1, &r.views.old));
    MX_TRY(mx_view_create_1d(c->ctx, "next", MX_F64, CELLS + 1, &r.views.next));
    MX_TRY(mx_import(c->ctx, r.views.old, T, NULL));
    MX_TRY(bind(&r));
    MX_TRY(run_steps(&r));
    MX_TRY(check(&r));
    MX_TRY(mx_view_destroy(&r.views.old));
    return mx_view_destroy(&r.views.next);
}
COURSE(lesson09, run)
#endif
