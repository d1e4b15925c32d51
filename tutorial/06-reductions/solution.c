/* Sums, extremes and where they are, mean and variance, each in one pass. lesson06 [BACKEND] */
#include <minx/kernel.h>

#include "course.h"

/* Several results in one pass: a struct, each field with its reducer. */
#define WAVE_SUMMARY(FIELD) FIELD(double, integral, MX_SUM) FIELD(double, highest, MX_MAX)
MX_VALUE(wave_summary, WAVE_SUMMARY)

/* A value of your own: how many numbers, their mean, and the sum of squares of differences from it. */
typedef struct moments {
    double count, mean, squares;
} moments;

MX_ARGS(wave_args,
    (mx_cf64_1, f), /* values in the middle of n cells */
    double h;       /* width of a cell */
);
MX_DECLARE_REDUCE(1D, wave_sum, wave_args, wave_summary)
MX_DECLARE_REDUCE(1D, wave_top, wave_args, mx_loc_f64)
MX_DECLARE_REDUCE(1D, wave_moments, wave_args, moments)

MX_BODY void wave_sum_body(const wave_args *a, int i, wave_summary *s)
{
    const double f = MX_AT(a->f, i);
    /* GAP 1: add h f to the integral, and update the maximum */
    s->integral += a->h * f;
    s->highest = s->highest < f ? f : s->highest;
    /* END 1 */
}
MX_REDUCE_FIELDS(1D, wave_sum, WAVE_SUMMARY)

MX_BODY void wave_top_body(const wave_args *a, int i, mx_loc_f64 *top)
{
    /* GAP 2: offer f(i) and its index */
    mx_maxloc_f64_update(top, MX_AT(a->f, i), i);
    /* END 2 */
}
MX_REDUCE(1D, wave_top, MX_MAX)

/* Chan, Golub, LeVeque (1983): joins the moments of two sets of numbers. */
MX_BODY void moments_init(moments *m) { m->count = m->mean = m->squares = 0; }

MX_BODY void moments_join(moments *into, const moments *m)
{
    const double count = into->count + m->count, apart = m->mean - into->mean;
    if (count == 0) return; /* both are empty */
    /* GAP 3: squares grow by those of m, and by apart^2 times the product of both counts divided by
     * `count`, their sum; the mean moves by apart times the share of m in `count` */
    into->squares += m->squares + apart * apart * into->count * m->count / count;
    into->mean += apart * m->count / count;
    /* END 3 */
    into->count = count;
}

MX_BODY void wave_moments_body(const wave_args *a, int i, moments *m)
{
    const moments one = {1, MX_AT(a->f, i), 0};
    moments_join(m, &one);
}
MX_REDUCE_CUSTOM(1D, wave_moments, moments_init, moments_join)

#ifdef MX_DRIVER
enum { CELLS = 30000 };

static mx_err check_sum(mx_range_1 cells, const wave_args *args)
{
    wave_summary s;
    MX_TRY(wave_sum(cells, args, &s));
    /* the rule of midpoints has this result for 1 + sin(2 pi x): all sines cancel */
    MX_TRY(course_expect("gap 1: the integral", s.integral, 1, 1e-12));
    MX_TRY(course_expect("gap 1: the maximum", s.highest, 2, 1e-7));
    printf("integral %.6f, maximum %.6f\n", s.integral, s.highest);
    return MX_OK;
}

static mx_err check_top(mx_range_1 cells, const wave_args *args, const double *f)
{
    mx_loc_f64 top;
    int highest = 0; /* x = 1/4 is the border of two cells: rounding decides between them */
    for (int i = 1; i < CELLS; i++)
        if (f[i] > f[highest]) highest = i;
    MX_TRY(wave_top(cells, args, &top));
    MX_REQUIRE(top.index >= 0, MX_ERR_MISMATCH, "gap 2: no item has offered a number");
    MX_TRY(course_expect("gap 2: the index of the maximum", (double)top.index, highest, 0));
    MX_TRY(course_expect("gap 2: the maximum", top.value, f[highest], 0));
    printf("highest near x = %.4f\n", (double)(top.index + 1) / CELLS);
    return MX_OK;
}

static mx_err check_moments(mx_range_1 cells, const wave_args *args)
{
    moments m;
    MX_TRY(wave_moments(cells, args, &m));
    MX_TRY(course_expect("the count", m.count, CELLS, 0));
    MX_TRY(course_expect("gap 3: the mean", m.mean, 1, 1e-12));
    /* the mean of sin^2 */
    MX_TRY(course_expect("gap 3: the variance", m.squares / m.count, 0.5, 1e-12));
    printf("mean %.6f, variance %.6f\n", m.mean, m.squares / m.count);
    return MX_OK;
}

static mx_err run(const course *c)
{
    const mx_range_1 cells = mx_range_1d(c->ctx, 0, CELLS);
    static double f[CELLS];
    wave_args args = {.h = 1.0 / CELLS};
    mx_view view;
    for (int i = 0; i < CELLS; i++) f[i] = 1 + sin(2 * MX_PI * (i + 0.5) / CELLS);
    MX_TRY(mx_view_create_1d(c->ctx, "f", MX_F64, CELLS, &view));
    MX_TRY(mx_import(c->ctx, view, f, NULL));
    MX_TRY(mx_bind(c->ctx, view, &args.f));
    MX_TRY(check_sum(cells, &args));
    MX_TRY(check_top(cells, &args, f));
    MX_TRY(check_moments(cells, &args));
    return mx_view_destroy(&view);
}
COURSE(lesson06, run)
#endif
