/* The time step of a gas: three kernels, and the same fused into one. lesson12 [BACKEND [measure]] */
#include <minx/kernel.h>

#include "course.h"

MX_ARGS(gas_args,
    (mx_cf64_1, rho) (mx_cf64_1, e) /* density, kg/m^3; energy, J/kg */
    (mx_f64_1, p) (mx_f64_1, c),    /* pressure, Pa; speed of sound, m/s */
    double gamma;
    double dx; /* m */
);
MX_DECLARE_FOR(1D, gas_pressure, gas_args)
MX_DECLARE_FOR(1D, gas_sound, gas_args)
MX_DECLARE_REDUCE(1D, gas_step, gas_args, double)
MX_DECLARE_REDUCE(1D, gas_fused, gas_args, double)
MX_DECLARE_FOR(1D, gas_copy, gas_args)

/* An ideal gas. */
MX_BODY void gas_pressure_body(const gas_args *a, int i)
{
    MX_AT(a->p, i) = (a->gamma - 1) * MX_AT(a->rho, i) * MX_AT(a->e, i);
}
MX_FOR(1D, gas_pressure)

MX_BODY void gas_sound_body(const gas_args *a, int i)
{
    MX_AT(a->c, i) = sqrt(a->gamma * MX_AT(a->p, i) / MX_AT(a->rho, i));
}
MX_FOR(1D, gas_sound)

/* The largest step in which sound does not cross a cell. */
MX_BODY void gas_step_body(const gas_args *a, int i, double *dt)
{
    const double step = a->dx / MX_AT(a->c, i);
    *dt = step < *dt ? step : *dt;
}
MX_REDUCE(1D, gas_step, MX_MIN)

MX_BODY void gas_fused_body(const gas_args *a, int i, double *dt)
{
    /* GAP 1: the same from rho and e, without p and c in memory */
    (void)a, (void)i, (void)dt;
    /* END 1 */
}
MX_REDUCE(1D, gas_fused, MX_MIN)

/* What the memory can do: reads 8 bytes, writes 8. */
MX_BODY void gas_copy_body(const gas_args *a, int i) { MX_AT(a->p, i) = MX_AT(a->rho, i); }
MX_FOR(1D, gas_copy)

#ifdef MX_DRIVER
/* Bytes that the kernels move for each cell, with 8 for each number read or written. */
enum {
    BYTES_OF_THREE = 8 * (3 + 3 + 1),
    /* GAP 2: those of the fused kernel */
    BYTES_OF_ONE = 0,
    /* END 2 */
};

typedef struct gas {
    mx_ctx ctx;
    int n;
    gas_args args;
    double dt;
} gas;

static mx_err three(void *data)
{
    gas *g = data;
    const mx_range_1 cells = mx_range_1d(g->ctx, 0, g->n);
    mx_region_push("time step"); /* a name for profiling tools */
    MX_TRY(gas_pressure(cells, &g->args));
    MX_TRY(gas_sound(cells, &g->args));
    MX_TRY(gas_step(cells, &g->args, &g->dt));
    mx_region_pop();
    return MX_OK;
}

static mx_err one(void *data)
{
    gas *g = data;
    return gas_fused(mx_range_1d(g->ctx, 0, g->n), &g->args, &g->dt);
}

static mx_err copy(void *data)
{
    gas *g = data;
    return gas_copy(mx_range_1d(g->ctx, 0, g->n), &g->args);
}

static mx_err tiny(void *data)
{
    gas *g = data;
    for (int n = 0; n < 1000; n++) MX_TRY(gas_copy(mx_range_1d(g->ctx, 0, 1), &g->args));
    return MX_OK;
}

static mx_err check(const course *c, gas *g, const char *what, mx_err (*work)(void *data))
{
    mx_ctx_info before, after;
    MX_TRY(mx_ctx_get_info(g->ctx, &before));
    MX_TRY(course_time(c, what, work, g));
    MX_TRY(mx_ctx_get_info(g->ctx, &after));
    /* dry air of 20 degrees Celsius at 1 atm: sound has 343.2 m/s */
    MX_TRY(course_of_gap(1, course_expect(what, g->args.dx / g->dt, 343.2, 0.1)));
    if (!c->measure)
        printf("%s: %d launches, sound has %.1f m/s\n", what,
               (int)(after.launches - before.launches), g->args.dx / g->dt);
    return MX_OK;
}

static mx_err run(const course *c)
{
    gas g = {.ctx = c->ctx, .n = c->measure ? 1 << 22 : 1000, .args = {.gamma = 1.4, .dx = 0.01}};
    const double rho = 1.2041, e = 101325 / (0.4 * rho);
    mx_view view[4];
    const char *label[4] = {"rho", "e", "p", "c"};
    for (int v = 0; v < 4; v++) MX_TRY(mx_view_create_1d(c->ctx, label[v], MX_F64, g.n, &view[v]));
    MX_TRY(mx_fill(c->ctx, view[0], rho));
    MX_TRY(mx_fill(c->ctx, view[1], e));
    MX_TRY(mx_bind(c->ctx, view[0], &g.args.rho));
    MX_TRY(mx_bind(c->ctx, view[1], &g.args.e));
    MX_TRY(mx_bind(c->ctx, view[2], &g.args.p));
    MX_TRY(mx_bind(c->ctx, view[3], &g.args.c));
    MX_TRY(check(c, &g, "three kernels", three));
    MX_TRY(check(c, &g, "one kernel", one));
    MX_TRY(course_expect("gap 2: bytes for each cell", BYTES_OF_ONE, BYTES_OF_THREE / 3.5, 0));
    printf("bytes for each cell: %d and %d\n", BYTES_OF_THREE, BYTES_OF_ONE);
    if (c->measure) MX_TRY(course_time(c, "copy", copy, &g));
    if (c->measure) MX_TRY(course_time(c, "1000 launches over one cell", tiny, &g));
    for (int v = 0; v < 4; v++) MX_TRY(mx_view_destroy(&view[v]));
    return MX_OK;
}
COURSE(lesson12, run)
#endif
