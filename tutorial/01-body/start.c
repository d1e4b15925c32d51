/* Stones fall from towers: v = sqrt(2 g h). lesson01 [BACKEND] */
#include <minx/kernel.h>

#include "course.h"

MX_ARGS(fall_args,
    (mx_cf64_1, h)  /* heights in m, only read */
    (mx_f64_1, v),  /* speeds on the ground in m/s */
    double g;       /* m/s^2 */
);
MX_DECLARE_FOR(1D, fall, fall_args)

MX_BODY void fall_body(const fall_args *a, int i)
{
    /* GAP 1: the inside of the loop */
    (void)a, (void)i;
    /* END 1 */
}
MX_FOR(1D, fall)

#ifdef MX_DRIVER
enum { STONES = 4 };

static mx_err compute(mx_ctx ctx, mx_view h, mx_view v)
{
    fall_args args = {.g = 9.80665};
    MX_TRY(mx_bind(ctx, h, &args.h));
    /* GAP 2: bind v too, and launch the kernel */
    (void)v;
    /* END 2 */
    return MX_OK;
}

static mx_err check(const double *height, const double *speed)
{
    for (int i = 0; i < STONES; i++) {
        MX_REQUIRE(speed[i] >= 0, MX_ERR_MISMATCH, "gap 3: nothing has come out of the view");
        MX_REQUIRE(speed[i] > 0, MX_ERR_MISMATCH,
                   "gaps 1 and 2: no speed was computed for stone %d: the view has its zero", i);
        /* on the ground all energy is that of the motion: v^2 / 2 = g h, for 1 kg */
        MX_TRY(course_expect("gap 1: v^2 / 2 in J", speed[i] * speed[i] / 2, 9.80665 * height[i],
                             1e-9));
        printf("from %5.1f m: %6.3f m/s\n", height[i], speed[i]);
    }
    return MX_OK;
}

static mx_err run(const course *c)
{
    const double height[STONES] = {1, 10, 55.86, 828};
    double speed[STONES] = {-1, -1, -1, -1};
    mx_view h, v;
    MX_TRY(mx_view_create_1d(c->ctx, "h", MX_F64, STONES, &h));
    MX_TRY(mx_view_create_1d(c->ctx, "v", MX_F64, STONES, &v)); /* zeros */
    MX_TRY(mx_import(c->ctx, h, height, NULL));
    MX_TRY(compute(c->ctx, h, v));
    /* GAP 3: export v into the array speed */
    /* END 3 */
    MX_TRY(check(height, speed));
    MX_TRY(mx_view_destroy(&h));
    return mx_view_destroy(&v);
}
COURSE(lesson01, run)
#endif
