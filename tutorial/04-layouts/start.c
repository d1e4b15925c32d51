/* The moment of inertia of a ring of n points, in three layouts. lesson04 [BACKEND [measure]] */
#include <minx/kernel.h>

#include "course.h"

/* GAP 1: an accessor ring_points of const double, rank 2, the default layout, no trait, and the
 * static extent 3 */
typedef mx_cf64_2 ring_points;
/* END 1 */

MX_ARGS(ring_right_args, (mx_cf64_2r, x));   /* always right: x, y, z of a point are neighbours */
MX_ARGS(ring_left_args, (mx_cf64_2l, x));    /* always left: all x, then all y, then all z */
MX_ARGS(ring_static_args, (ring_points, x)); /* the context's layout, 3 known to the compiler */
MX_DECLARE_REDUCE(1D, ring_right, ring_right_args, double)
MX_DECLARE_REDUCE(1D, ring_left, ring_left_args, double)
MX_DECLARE_REDUCE(1D, ring_static, ring_static_args, double)

/* Adds r^2 = x^2 + y^2 of point i, whose mass is 1. */
MX_BODY void ring_right_body(const ring_right_args *a, int i, double *sum)
{
    *sum += MX_AT(a->x, i, 0) * MX_AT(a->x, i, 0) + MX_AT(a->x, i, 1) * MX_AT(a->x, i, 1);
}
MX_REDUCE(1D, ring_right, MX_SUM)

MX_BODY void ring_left_body(const ring_left_args *a, int i, double *sum)
{
    /* GAP 2: the same lines as in ring_right_body */
    (void)a, (void)i, (void)sum;
    /* END 2 */
}
MX_REDUCE(1D, ring_left, MX_SUM)

MX_BODY void ring_static_body(const ring_static_args *a, int i, double *sum)
{
    *sum += MX_AT(a->x, i, 0) * MX_AT(a->x, i, 0) + MX_AT(a->x, i, 1) * MX_AT(a->x, i, 1);
}
MX_REDUCE(1D, ring_static, MX_SUM)

#ifdef MX_DRIVER
typedef struct ring {
    mx_ctx ctx;
    int n;
    ring_right_args right;
    ring_left_args left;
    ring_static_args fixed;
    double inertia;
} ring;

static mx_err run_right(void *data)
{
    ring *r = data;
    return ring_right(mx_range_1d(r->ctx, 0, r->n), &r->right, &r->inertia);
}

static mx_err run_left(void *data)
{
    ring *r = data;
    return ring_left(mx_range_1d(r->ctx, 0, r->n), &r->left, &r->inertia);
}

static mx_err run_static(void *data)
{
    ring *r = data;
    return ring_static(mx_range_1d(r->ctx, 0, r->n), &r->fixed, &r->inertia);
}

/* Creates the view in that layout, and copies the points, which are in C order, into it. */
static mx_err create(const ring *r, mx_layout layout, const double *points, mx_view *view)
{
    const mx_view_options options = {.layout = layout};
    const int64_t extents[] = {r->n, 3};
    MX_TRY(mx_view_create(r->ctx, "points", MX_F64, 2, extents, &options, view));
    return mx_import(r->ctx, *view, points, NULL);
}

/* `result` is for the message if it is wrong. */
static mx_err check(const course *c, ring *r, const char *what, const char *result,
                    mx_err (*work)(void *data))
{
    r->inertia = 0;
    MX_TRY(course_time(c, what, work, r));
    /* m r^2 = 4 for each point, whose cos^2 + sin^2 is right to about 1e-16 */
    MX_TRY(course_expect(result, r->inertia / r->n, 4, 1e-13));
    if (!c->measure) printf("%s: %.3f m r^2\n", what, r->inertia / r->n / 4);
    return MX_OK;
}

static mx_err compute(const course *c, ring *r, const double *points)
{
    mx_view right, left, own, read;
    const ring_static_args unbound = {0};
    MX_REQUIRE(MX_EXTENT(unbound.x, 1) != 0, MX_ERR_MISMATCH,
               "gap 1: the compiler does not know the second extent of ring_points");
    MX_TRY(course_expect("gap 1: the second extent", MX_EXTENT(unbound.x, 1), 3, 0));
    MX_TRY(create(r, MX_LAYOUT_RIGHT, points, &right));
    /* GAP 3: the view `left` has the layout left */
    MX_TRY(create(r, MX_LAYOUT_RIGHT, points, &left));
    /* END 3 */
    MX_TRY(create(r, MX_LAYOUT_DEFAULT, points, &own));
    MX_TRY(mx_view_constant(own, &read)); /* only a const accessor fits (lesson 2) */
    MX_TRY(mx_bind(r->ctx, right, &r->right.x));
    MX_TRY(course_of_gap(3, mx_bind(r->ctx, left, &r->left.x)));
    MX_TRY(course_of_gap(1, mx_bind(r->ctx, read, &r->fixed.x)));
    MX_TRY(check(c, r, "layout right", "r^2 in layout right", run_right));
    MX_TRY(check(c, r, "layout left", "gap 2: r^2 in layout left", run_left));
    MX_TRY(check(c, r, "own layout, static extent", "gap 1: r^2 with a static extent", run_static));
    MX_TRY(mx_view_destroy(&right));
    MX_TRY(mx_view_destroy(&left));
    MX_TRY(mx_view_destroy(&read));
    return mx_view_destroy(&own);
}

static mx_err run(const course *c)
{
    ring r = {.ctx = c->ctx, .n = c->measure ? 1 << 22 : 1000};
    double *points = malloc(3 * sizeof *points * (size_t)r.n);
    MX_REQUIRE(points != NULL, MX_ERR_MEMORY, "no memory for %d points", r.n);
    for (int i = 0; i < r.n; i++) {
        points[3 * i] = 2 * cos(2 * MX_PI * i / r.n);
        points[3 * i + 1] = 2 * sin(2 * MX_PI * i / r.n);
        points[3 * i + 2] = 5;
    }
    const mx_err err = compute(c, &r, points);
    free(points);
    return err;
}
COURSE(lesson04, run)
#endif
