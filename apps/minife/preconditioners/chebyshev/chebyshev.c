/* Chebyshev iterations (Saad, Iterative Methods for Sparse Linear Systems, algorithm 12.1), for the
 * matrix D^-1 A, where D is the diagonal of A. After m steps the error is p(D^-1 A) times the first
 * one, where p is the polynomial of degree m with p(0) = 1 that is smallest between the bounds low
 * and high. Started at x = 0, x is a fixed symmetric matrix times b; so the iteration can
 * precondition conjugate gradients, and smooth in a symmetric cycle. A step costs a product and an
 * exchange of ghosts, the first from x = 0 neither, and it needs no sum over ranks.
 *
 * The bound `high` must not be below the largest eigenvalue by much, or M is not positive definite.
 * A and D are sums over elements, so no eigenvalue of D^-1 A is above the largest one of an element's
 * own matrices. On a mesh of equal boxes that is a formula. On other meshes a few Lanczos iterations
 * give the largest eigenvalue from below, to some percent. They are conjugate gradients with the
 * diagonal as preconditioner, whose coefficients make up the tridiagonal matrix of the Lanczos
 * process (Saad, section 6.7.3). Their start depends on the nodes only, and sums have one order, so
 * all numbers of threads give the same bits. */
#include "fe_smoother.h"
#include "preconditioners/fe_preconditioner.h"

#include <math.h>
#include <stdlib.h>

/* Ten iterations find the largest eigenvalue to 3 percent here; the bound is 5 percent above. */
enum { LANCZOS = 10 };
static const double SAFETY = 1.05;

static mx_range_1 rows(const fe_smoother *s)
{
    return mx_range_1d(s->level->base->ctx, 0, fe_rows(&s->level->mesh));
}

mx_err fe_smoother_product(fe_smoother *s) { return fe_multiply(s->level, s->views.x, s->views.w); }

/* Step number `step`; the factors are set. */
static mx_err take_step(fe_smoother *s, fe_from from, int step)
{
    const mx_range_1 all = rows(s);
    const bool has_d = step > (from == FE_FROM_ZERO ? 1 : 0);
    fe_smooth_args *const a = &s->args;
    if (from == FE_FROM_ZERO && step == 0) return fe_smooth_from_zero(all, a);
    MX_TRY(fe_smoother_product(s));
    MX_TRY(mx_bind(s->level->base->ctx, has_d ? s->views.d : s->views.x, &a->before));
    return step + 1 == s->degree ? fe_smooth_last(all, a) : fe_smooth_step(all, a);
}

mx_err fe_smooth(fe_smoother *s, fe_from from)
{
    const double middle = (s->high + s->low) / 2, half = (s->high - s->low) / 2;
    double rho = half / middle, before = 0;
    for (int step = 0; step < s->degree; step++) {
        /* x += new, where new = rho (next one) (old new) + (2 / half) (next one) residual /
         * diagonal; d is new without its factor */
        const double next = step > 0 ? 1 / (2 * middle / half - rho) : rho;
        s->args.add = step > 0 ? 2 * next / half : 1 / middle;
        s->args.keep = step > 0 ? next * rho * before / s->args.add : 0;
        if (from == FE_FROM_ZERO && step == 1) s->args.keep /= before; /* of x */
        before = s->args.add;
        rho = next;
        MX_TRY(take_step(s, from, step));
    }
    return MX_OK;
}

/* A step with a product reads b, w, the diagonal and x, and writes x (40 bytes a row, 6 flops); of
 * these each but the last writes d, and each but the first reads it. The first step from 0 reads b
 * and the diagonal, and writes x (24 bytes, 2 flops). */
fe_work fe_work_of_smoother(const fe_smoother *s, fe_from from)
{
    const fe_work product = fe_work_of_product(s->level);
    const double n = fe_rows(&s->level->mesh), steps = s->degree - (from == FE_FROM_ZERO);
    const double between = steps > 1 ? steps - 1 : 0;
    fe_work work = {steps * (product.bytes + 40 * n) + between * 16 * n,
                    steps * (product.flops + 6 * n)};
    if (from == FE_FROM_ZERO) {
        work.bytes += 24 * n;
        work.flops += 2 * n;
    }
    return work;
}

/* ---- the largest eigenvalue ---- */

/* A symmetric tridiagonal matrix. */
typedef struct tridiagonal {
    int size;
    double diagonal[LANCZOS];
    double next[LANCZOS]; /* next[j]: row j, column j + 1 */
} tridiagonal;

/* Are all eigenvalues below `value`? So it is if all pivots of T - value are negative. */
static bool all_below(const tridiagonal *t, double value)
{
    double pivot = t->diagonal[0] - value;
    for (int j = 1; j < t->size && pivot < 0; j++)
        pivot = t->diagonal[j] - value - t->next[j - 1] * t->next[j - 1] / pivot;
    return pivot < 0;
}

static double largest_eigenvalue(const tridiagonal *t)
{
    double low = 0, high = 0;
    for (int j = 0; j < t->size; j++) { /* Gershgorin's bound */
        const double bound =
            t->diagonal[j] + (j > 0 ? t->next[j - 1] : 0) + (j + 1 < t->size ? t->next[j] : 0);
        high = bound > high ? bound : high;
    }
    for (int i = 0; i < 40; i++) {
        const double middle = (low + high) / 2;
        if (all_below(t, middle))
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* rz: r . r / diagonal, after each iteration; pw: p . A p of each. The process ends early where the
 * start has few eigenvectors. */
static void make_tridiagonal(const double *rz, const double *pw, tridiagonal *t)
{
    double alpha_before = 0, beta_before = 0;
    t->size = 0;
    for (int j = 0; j < LANCZOS; j++) {
        if (!(rz[j] > 1e-20 * rz[0]) || !(pw[j + 1] > 0)) break;
        const double alpha = rz[j] / pw[j + 1], beta = rz[j + 1] / rz[j];
        t->diagonal[j] = 1 / alpha + (j > 0 ? beta_before / alpha_before : 0);
        t->next[j] = sqrt(beta) / alpha;
        t->size = j + 1;
        alpha_before = alpha;
        beta_before = beta;
    }
}

/* Iterations 1..LANCZOS; rz and pw have their scalars. */
static mx_err iterate(fe_smoother *s, fe_lanczos_args *a, mx_view rz, mx_view pw)
{
    const app_transport transport = s->level->base->transport;
    const fe_smoother_views *v = &s->views;
    MX_TRY(fe_lanczos_start_into(rows(s), a, rz, 0));
    MX_TRY(app_sum_view(transport, rz, 0, 1));
    for (int k = 1; k <= LANCZOS; k++) {
        a->now = k;
        MX_TRY(fe_exchange(s->level, v->x));
        MX_TRY(fe_apply_dot(s->level, v->x, v->w, pw, k));
        MX_TRY(app_sum_view(transport, pw, k, 1));
        MX_TRY(fe_lanczos_update_into(rows(s), a, rz, k));
        MX_TRY(app_sum_view(transport, rz, k, 1));
        MX_TRY(fe_lanczos_direction(rows(s), a));
    }
    return MX_OK;
}

static mx_err estimate(fe_smoother *s, mx_view rz, mx_view pw)
{
    const mx_ctx ctx = s->level->base->ctx;
    fe_lanczos_args a = {.mesh = s->level->mesh};
    double host_rz[LANCZOS + 1], host_pw[LANCZOS + 1];
    tridiagonal t;
    MX_TRY(mx_bind(ctx, s->views.diagonal, &a.diagonal));
    MX_TRY(mx_bind(ctx, s->views.w, &a.w));
    MX_TRY(mx_bind(ctx, s->views.x, &a.x));
    MX_TRY(mx_bind(ctx, s->views.d, &a.d));
    MX_TRY(mx_bind(ctx, rz, &a.rz));
    MX_TRY(mx_bind(ctx, pw, &a.pw));
    MX_TRY(iterate(s, &a, rz, pw));
    MX_TRY(mx_export(ctx, rz, host_rz, NULL));
    MX_TRY(mx_export(ctx, pw, host_pw, NULL));
    make_tridiagonal(host_rz, host_pw, &t);
    /* without free nodes, A is the identity */
    s->high = t.size > 0 ? SAFETY * largest_eigenvalue(&t) : 1;
    return MX_OK;
}

/* Of the matrix of a box, scaled by its diagonal. Its eigenvectors are products of (1, 1) or (1, -1)
 * along each dimension. Along an element of length h, the first has the eigenvalues 0 of the
 * stiffness and h / 2 of the mass, the second 2 / h and h / 6. The diagonals are 1 / h and h / 3. The
 * volume cancels out. */
static double largest_of_box(const fe_mesh *m)
{
    double highest = 0, diagonal = 0;
    for (int d = 0; d < 3; d++) diagonal += (double)m->elements[d] * m->elements[d] / 9;
    for (int mode = 1; mode < 8; mode++) {
        double sum = 0;
        for (int d = 0; d < 3; d++) {
            double term = 2.0 * m->elements[d] * m->elements[d] * (mode >> d & 1);
            for (int e = 0; e < 3; e++)
                if (e != d) term /= mode >> e & 1 ? 6 : 2;
            sum += term;
        }
        highest = sum > highest ? sum : highest;
    }
    return highest / diagonal;
}

static mx_err lanczos(fe_smoother *s)
{
    const mx_ctx ctx = s->level->base->ctx;
    mx_view rz = MX_VIEW_NULL, pw = MX_VIEW_NULL;
    mx_err err = mx_view_create_1d(ctx, "lanczos r.z", MX_F64, LANCZOS + 1, &rz);
    if (err == MX_OK) err = mx_view_create_1d(ctx, "lanczos p.w", MX_F64, LANCZOS + 1, &pw);
    if (err == MX_OK) err = estimate(s, rz, pw);
    (void)mx_view_destroy(&rz);
    (void)mx_view_destroy(&pw);
    return err;
}

static mx_err bound_eigenvalues(fe_smoother *s, double ratio)
{
    s->high = largest_of_box(&s->level->mesh);
    if (s->level->input->mesh == FE_MESH_DISTORTED) MX_TRY(lanczos(s));
    s->low = s->high / ratio;
    return MX_OK;
}

/* ---- create, destroy ---- */

mx_err fe_smoother_create(fe_level *level, mx_view b, mx_view x, int degree, double ratio,
                          fe_smoother *s)
{
    const mx_ctx ctx = level->base->ctx;
    const int count = fe_rows(&level->mesh);
    MX_TRY(fe_half_create(level, &s->half));
    s->level = s->half.base != NULL ? &s->half : level;
    s->degree = degree;
    s->views.b = b;
    s->views.x = x;
    MX_TRY(mx_view_create_1d(ctx, "diagonal", MX_F64, count, &s->views.diagonal));
    MX_TRY(mx_view_create_1d(ctx, "smoother w", MX_F64, count, &s->views.w));
    MX_TRY(mx_view_create_1d(ctx, "smoother d", MX_F64, count, &s->views.d));
    s->views.before = s->views.d;
    MX_TRY(fe_smooth_args_bind(ctx, &s->views, &s->args));
    MX_TRY(fe_diagonal(level, s->views.diagonal));
    return bound_eigenvalues(s, ratio);
}

void fe_smoother_destroy(fe_smoother *s)
{
    fe_half_destroy(&s->half);
    (void)mx_view_destroy(&s->views.diagonal);
    (void)mx_view_destroy(&s->views.w);
    (void)mx_view_destroy(&s->views.d);
}

/* ---- the preconditioner ---- */

/* As a preconditioner alone, the polynomial is to damp all but the lowest eigenvalues, which
 * conjugate gradients find. */
static const double RATIO = 30;

static mx_err create(fe_level *level, mx_view r, mx_view z, void **state)
{
    fe_smoother *const s = *state = calloc(1, sizeof *s);
    MX_REQUIRE(s != NULL, MX_ERR_MEMORY, "no memory for a preconditioner");
    return fe_smoother_create(level, r, z, (int)level->input->chebyshev_degree, RATIO, s);
}

static void destroy(void *state)
{
    fe_smoother_destroy(state);
    free(state);
}

static mx_err apply(void *state) { return fe_smooth(state, FE_FROM_ZERO); }

static fe_work work(const void *state) { return fe_work_of_smoother(state, FE_FROM_ZERO); }

const fe_preconditioner_form fe_preconditioner_chebyshev = {.vectors = 3,
                                                            .matrix_bytes = FE_HALF_ROW_BYTES,
                                                            .create = create,
                                                            .destroy = destroy,
                                                            .apply = apply,
                                                            .work = work};
