/* A histogram of hits, by atomics and by a scatter view. lesson08 [BACKEND [measure]] */
#include <minx/kernel.h>
#include <minx/kit/scatter.h>

#include "course.h"

enum { HIT_BINS = 16 };

/* Hit i goes to channel 40503 i modulo n. n is a power of two, and 40503 is odd: so the hits of 0 to
 * n - 1 go to n different channels, in an order without pattern (Knuth's multiplicative hashing). */
MX_BODY int hit_bin(int i, int n)
{
    const unsigned channel = ((unsigned)i * 40503u) & (unsigned)(n - 1);
    return (int)(channel / ((unsigned)n / HIT_BINS));
}

MX_ARGS(hit_args,
    (mx_i32_1, count), /* hits in each bin */
    int n;
);
MX_DECLARE_FOR(1D, hit_count, hit_args)

MX_ARGS(hit_scatter_args,
    (MX_SCATTER_OF(mx_f64_1, MX_SUM), energy, MX_SCATTER_ACCESSOR), /* of each bin, in keV */
    int n;
);
MX_DECLARE_FOR(1D, hit_energy, hit_scatter_args)

MX_BODY void hit_count_body(const hit_args *a, int i)
{
    const int bin = hit_bin(i, a->n);
    /* GAP 1: this is a race: use an atomic */
    mx_atomic_add(&MX_AT(a->count, bin), 1);
    /* END 1 */
}
MX_FOR(1D, hit_count)

MX_BODY void hit_energy_body(const hit_scatter_args *a, int i)
{
    const int bin = hit_bin(i, a->n);
    /* GAP 2: add 0.5 to the bin of the scatter view */
    MX_SCATTER(a->energy, 0.5, bin);
    /* END 2 */
}
MX_FOR(1D, hit_energy)

#ifdef MX_DRIVER
typedef struct detector {
    mx_ctx ctx;
    mx_view count, energy;
    mx_scatter scatter;
    hit_args args;
    hit_scatter_args scatter_args;
} detector;

static mx_err count(void *data)
{
    detector *d = data;
    MX_TRY(mx_fill(d->ctx, d->count, 0));
    return course_of_gap(1, hit_count(mx_range_1d(d->ctx, 0, d->args.n), &d->args));
}

static mx_err add_energy(void *data)
{
    detector *d = data;
    MX_TRY(mx_fill(d->ctx, d->energy, 0));
    MX_TRY(hit_energy(mx_range_1d(d->ctx, 0, d->args.n), &d->scatter_args));
    /* GAP 3: add the contributions in the scatter view to d->energy */
    MX_TRY(mx_scatter_contribute(d->ctx, &d->scatter, d->energy));
    /* END 3 */
    return MX_OK;
}

static mx_err create(detector *d, int n)
{
    MX_TRY(mx_view_create_1d(d->ctx, "count", MX_I32, HIT_BINS, &d->count));
    MX_TRY(mx_view_create_1d(d->ctx, "energy", MX_F64, HIT_BINS, &d->energy));
    MX_TRY(mx_scatter_create(d->ctx, d->energy, MX_SUM, &d->scatter));
    MX_TRY(mx_bind(d->ctx, d->count, &d->args.count));
    MX_TRY(mx_scatter_bind(d->ctx, &d->scatter, &d->scatter_args.energy));
    d->args.n = d->scatter_args.n = n;
    return MX_OK;
}

static mx_err check(const detector *d)
{
    int32_t hits[HIT_BINS];
    double energy[HIT_BINS];
    MX_TRY(mx_export(d->ctx, d->count, hits, NULL));
    MX_TRY(mx_export(d->ctx, d->energy, energy, NULL));
    for (int b = 0; b < HIT_BINS; b++) {
        MX_TRY(course_expect("gaps 2 and 3: the energy of a bin", energy[b],
                             0.5 * d->args.n / HIT_BINS, 0));
        MX_TRY(course_expect("gap 1: the hits in a bin", hits[b], d->args.n / HIT_BINS, 0));
    }
    printf("%d bins of %d hits and %g keV\n", HIT_BINS, hits[0], energy[0]);
    return MX_OK;
}

static mx_err run(const course *c)
{
    detector d = {.ctx = c->ctx};
    MX_TRY(create(&d, c->measure ? 1 << 22 : 1 << 16));
    MX_TRY(course_time(c, "atomics", count, &d));
    MX_TRY(course_time(c, "scatter view", add_energy, &d));
    MX_TRY(check(&d));
    MX_TRY(mx_view_destroy(&d.count));
    MX_TRY(mx_view_destroy(&d.energy));
    return mx_scatter_destroy(&d.scatter);
}
COURSE(lesson08, run)
#endif
