/* Particles: keep some (scan), sort them, and list pairs in a list that grows. lesson11 [BACKEND] */
#include <minx/atomic.h>
#include <minx/kernel.h>
#include <minx/kit/sort.h>
#include <minx/scan.h>

#include "course.h"

/* Positions are on a line. Those with 0 <= x < 1 are kept, in their order. */
MX_ARGS(line_keep_args,
    (mx_cf64_1, x)
    (mx_f64_1, kept)
);
MX_DECLARE_SCAN(1D, line_keep, line_keep_args, int)

/* Pairs of neighbours in the sorted line that are at most `reach` apart. */
MX_ARGS(line_pairs_args,
    (mx_cf64_1, x)
    (mx_i32_2, pair)  /* (capacity, 2) */
    (mx_i32_1, count), /* one element: pairs found, also those without a place */
    double reach;
    int n;
);
MX_DECLARE_FOR(1D, line_pairs, line_pairs_args)

MX_BODY void line_keep_body(const line_keep_args *a, int i, int *before, bool final)
{
    const double x = MX_AT(a->x, i);
    const int keep = x >= 0 && x < 1;
    /* GAP 1: where final, a particle that is kept goes to the place *before; then add keep to it */
    (void)a, (void)before, (void)keep, (void)(final);
    /* END 1 */
}
MX_SCAN(1D, line_keep, MX_SUM)

MX_BODY void line_pairs_body(const line_pairs_args *a, int i)
{
    for (int j = i + 1; j < a->n && MX_AT(a->x, j) - MX_AT(a->x, i) <= a->reach; j++) {
        /* GAP 2: take the next place by an atomic; store i and j if the list has that place */
        continue;
        /* END 2 */
    }
}
MX_FOR(1D, line_pairs, MX_ITEMS_PLAIN)

#ifdef MX_DRIVER
enum { PARTICLES = 400, KEPT = 200 };

static mx_err keep(mx_ctx ctx, const double *x, mx_view *kept)
{
    line_keep_args args;
    mx_view all;
    int n = 0;
    const int64_t extents[] = {KEPT};
    MX_TRY(mx_view_create_1d(ctx, "all", MX_F64, PARTICLES, &all));
    MX_TRY(mx_view_create_1d(ctx, "kept", MX_F64, PARTICLES, kept));
    MX_TRY(mx_import(ctx, all, x, NULL));
    MX_TRY(mx_bind(ctx, all, &args.x));
    MX_TRY(mx_bind(ctx, *kept, &args.kept));
    MX_TRY(line_keep(mx_range_1d(ctx, 0, PARTICLES), &args, &n));
    MX_TRY(course_expect("gap 1: the particles that are kept", n, KEPT, 0));
    MX_TRY(mx_view_resize(ctx, kept, extents));
    return mx_view_destroy(&all);
}

/* Lists all pairs; makes the list longer, and counts again, if it was too short. */
static mx_err list_pairs(mx_ctx ctx, mx_view x, mx_view *pairs, int *found)
{
    line_pairs_args args = {.reach = 2.5 / KEPT, .n = KEPT};
    mx_view count;
    int capacity = 16;
    MX_TRY(mx_view_create_1d(ctx, "count", MX_I32, 1, &count));
    MX_TRY(mx_view_create_2d(ctx, "pairs", MX_I32, capacity, 2, pairs));
    MX_TRY(mx_bind(ctx, x, &args.x));
    MX_TRY(mx_bind(ctx, count, &args.count));
    for (;;) {
        MX_TRY(mx_bind(ctx, *pairs, &args.pair));
        MX_TRY(mx_fill(ctx, count, 0));
        MX_TRY(line_pairs(mx_range_1d(ctx, 0, KEPT), &args));
        MX_TRY(mx_read_element(ctx, count, 0, found));
        printf("room for %3d pairs, found %d\n", capacity, *found);
        if (*found <= capacity) break;
        capacity = *found;
        /* GAP 3: the list becomes a new one of capacity times 2 elements, without its old content */
        return MX_FAIL(MX_ERR_EXTENT, "gap 3: the list is too short");
        /* END 3 */
        MX_REQUIRE(capacity < PARTICLES * 4, MX_ERR_EXTENT, "more pairs than there can be");
    }
    return mx_view_destroy(&count);
}

static mx_err check(mx_ctx ctx, mx_view x, mx_view pairs, int found)
{
    double at[KEPT];
    mx_view_info info;
    MX_TRY(mx_export(ctx, x, at, NULL));
    /* the sorted line is (k + 1/2) / 200, exact to one rounding */
    for (int k = 0; k < KEPT; k++)
        MX_TRY(course_expect("a sorted position", at[k], (k + 0.5) / KEPT, 1e-15));
    /* within 2.5 distances each has two neighbours behind it, but the last two */
    MX_TRY(course_expect("gap 2: the number of pairs", found, 2 * KEPT - 3, 0));
    MX_TRY(mx_view_get_info(pairs, &info));
    return course_expect("gap 3: the places of the list", (double)info.extent[0], found, 0);
}

static mx_err run(const course *c)
{
    double x[PARTICLES];
    mx_view kept, pairs;
    int found = 0;
    /* 400 places on [-1/2, 3/2), in an order without pattern, as 171 and 400 have no common divisor */
    for (int i = 0; i < PARTICLES; i++) x[i] = (i * 171 % PARTICLES + 0.5) / KEPT - 0.5;
    MX_TRY(keep(c->ctx, x, &kept));
    MX_TRY(mx_sort(c->ctx, kept));
    MX_TRY(list_pairs(c->ctx, kept, &pairs, &found));
    MX_TRY(check(c->ctx, kept, pairs, found));
    printf("%d of %d particles kept, %d pairs\n", KEPT, PARTICLES, found);
    MX_TRY(mx_view_destroy(&kept));
    return mx_view_destroy(&pairs);
}
COURSE(lesson11, run)
#endif
