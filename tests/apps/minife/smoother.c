/* The smoother's steps against the Chebyshev iteration in its form with three vectors (Golub and
 * Varga 1961), which has neither d nor special first steps:
 *
 *     x(k+1) = omega (x(k) + z / middle - x(k-1)) + x(k-1)        z = (b - A x(k)) / diagonal
 *
 * where omega is 1 in the first step, 1 / (1 - mu^2 / 2) in the second one, and then 1 / (1 - mu^2
 * omega / 4), and mu = half / middle. From 0 and from any x, for each number of steps up to one that
 * has all kinds of steps; on every backend. From 0, x and d are not numbers before. */
#include "backends.h"
#include "level/fe_level.h"
#include "operators/fe_operators.h"
#include "preconditioners/chebyshev/fe_smoother.h"
#include "random.h"

#include <float.h>
#include <stdlib.h>

enum { STEPS = 4, ROWS_MAX = 400 };
static const double RATIO = 4;
/* Some roundings of each step, of numbers that are at most about the largest one of x */
static const double TOLERANCE = 20 * STEPS * DBL_EPSILON;

/* On the host: x of all nodes held, the others of rows. */
typedef struct vectors {
    double x[ROWS_MAX], before[ROWS_MAX], b[ROWS_MAX], w[ROWS_MAX], diagonal[ROWS_MAX];
} vectors;

static void fill(double *values, int count, uint64_t state)
{
    for (int i = 0; i < count; i++) values[i] = (double)(random_next(&state) >> 11) * 0x1p-52 - 1;
}

/* v->x after the smoother's steps, by the other form. */
static mx_err iterate(fe_smoother *s, vectors *v)
{
    const mx_ctx ctx = s->level->base->ctx;
    const double middle = (s->high + s->low) / 2, mu = (s->high - s->low) / 2 / middle;
    double omega = 1;
    for (int step = 0; step < s->degree; step++) {
        MX_TRY(mx_import(ctx, s->views.x, v->x, NULL));
        MX_TRY(fe_smoother_product(s));
        MX_TRY(mx_export(ctx, s->views.w, v->w, NULL));
        if (step > 0) omega = 1 / (1 - mu * mu * (step == 1 ? 2 : omega) / 4);
        for (int i = 0; i < fe_rows(&s->level->mesh); i++) {
            const double x = v->x[i], old = step > 0 ? v->before[i] : 0;
            const double z = (v->b[i] - v->w[i]) / v->diagonal[i];
            v->x[i] = step > 0 ? omega * (x + z / middle - old) + old : x + z / middle;
            v->before[i] = x;
        }
    }
    return MX_OK;
}

static mx_err compare(fe_smoother *s, fe_from from, vectors *v)
{
    const mx_ctx ctx = s->level->base->ctx;
    const int rows = fe_rows(&s->level->mesh), held = fe_held(&s->level->mesh);
    double got[ROWS_MAX], largest = 0;
    fill(v->x, held, 1 + (uint64_t)app_rank(s->level->base->comm));
    MX_TRY(mx_import(ctx, s->views.x, v->x, NULL));
    if (from == FE_FROM_ZERO) MX_TRY(mx_fill(ctx, s->views.x, &(double){NAN}));
    MX_TRY(mx_fill(ctx, s->views.d, &(double){NAN}));
    MX_TRY(fe_smooth(s, from));
    MX_TRY(mx_export(ctx, s->views.x, got, NULL));
    for (int i = 0; from == FE_FROM_ZERO && i < held; i++) v->x[i] = 0;
    MX_TRY(iterate(s, v));
    for (int i = 0; i < rows; i++) largest = fmax(largest, fabs(v->x[i]));
    for (int i = 0; i < rows; i++) CHECK_F64(got[i], v->x[i], TOLERANCE * largest);
    return MX_OK;
}

static mx_err use_smoother(fe_level *level, mx_view b, mx_view x, int degree)
{
    static vectors v;
    fe_smoother s = {.level = NULL};
    MX_TRY(fe_smoother_create(level, b, x, degree, RATIO, &s));
    fill(v.b, fe_rows(&level->mesh), 9 + (uint64_t)app_rank(level->base->comm));
    MX_TRY(mx_import(level->base->ctx, b, v.b, NULL));
    MX_TRY(mx_export(level->base->ctx, s.views.diagonal, v.diagonal, NULL));
    MX_TRY(compare(&s, FE_FROM_ZERO, &v));
    MX_TRY(compare(&s, FE_FROM_X, &v));
    fe_smoother_destroy(&s);
    return MX_OK;
}

static mx_err use_level(fe_level *level)
{
    const mx_ctx ctx = level->base->ctx;
    const mx_gid elements[] = {5, 4, 6};
    mx_view b, x;
    MX_TRY(fe_make_mesh(level, elements));
    MX_REQUIRE(fe_held(&level->mesh) <= ROWS_MAX, MX_ERR_ARG, "too many nodes");
    MX_TRY(fe_make_structure(level));
    MX_TRY(fe_assemble(level));
    MX_TRY(fe_impose_boundary(level));
    MX_TRY(mx_view_create_1d(ctx, "b", MX_F64, fe_rows(&level->mesh), &b));
    MX_TRY(mx_view_create_1d(ctx, "x", MX_F64, fe_held(&level->mesh), &x));
    for (int degree = 1; degree <= STEPS; degree++) MX_TRY(use_smoother(level, b, x, degree));
    MX_TRY(mx_view_destroy(&b));
    return mx_view_destroy(&x);
}

static mx_err check_backend(app_comm comm, const char *backend)
{
    const fe_input in = {.mesh = FE_MESH_DISTORTED};
    app_base base = {.comm = comm};
    fe_level level = {.base = &base, .input = &in, .op = fe_operator_forms[in.operator_kind]};
    MX_TRY(mx_ctx_create(backend, &base.ctx));
    MX_TRY(app_transport_create(comm, base.ctx, APP_GPU_MPI_AUTO, &base.transport));
    CHECK_OK(use_level(&level));
    fe_level_destroy(&level);
    app_transport_destroy(&base.transport);
    mx_ctx_destroy(&base.ctx);
    CHECK_I64(mx_views_alive(), 0);
    return MX_OK;
}

int main(int argc, char **argv) { return check_on_backends(argc, argv, check_backend); }
