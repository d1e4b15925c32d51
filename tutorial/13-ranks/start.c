/* Heat on a periodic square that ranks share. mpirun -n RANKS lesson13 [BACKEND] */
#include <minx/kernel.h>

#include "course.h"

typedef struct ripple_views {
    mx_view old, next; /* own cells from 1 on, with a layer of ghost cells on every side */
} ripple_views;

MX_ARGS_FROM(ripple_args, ripple_views,
    (mx_cf64_2, old)
    (mx_f64_2, next),
    int first[2]; /* the global indices of this rank's first cell */
    int n;        /* cells along each side of the square */
    double r;     /* alpha dt / h^2, at most 1/4 */
);
MX_DECLARE_FOR(2D, ripple_begin, ripple_args)
MX_DECLARE_FOR(2D, ripple_step, ripple_args)
MX_DECLARE_REDUCE(2D, ripple_energy, ripple_args, double)

MX_BODY void ripple_begin_body(const ripple_args *a, int j, int k)
{
    const double y = (double)(a->first[0] + j - 1) / a->n, x = (double)(a->first[1] + k - 1) / a->n;
    MX_AT(a->next, j, k) = sin(2 * MX_PI * y) * cos(2 * MX_PI * x);
}
MX_FOR(2D, ripple_begin)

MX_BODY void ripple_step_body(const ripple_args *a, int j, int k)
{
    const double at = MX_AT(a->old, j, k);
    const double around = MX_AT(a->old, j - 1, k) + MX_AT(a->old, j + 1, k) +
                          MX_AT(a->old, j, k - 1) + MX_AT(a->old, j, k + 1);
    MX_AT(a->next, j, k) = at + a->r * (around - 4 * at);
}
MX_FOR(2D, ripple_step)

MX_BODY void ripple_energy_body(const ripple_args *a, int j, int k, double *sum)
{
    *sum += MX_AT(a->old, j, k) * MX_AT(a->old, j, k);
}
MX_REDUCE(2D, ripple_energy, MX_SUM)

#ifdef MX_DRIVER
#include "domain/box_halo.h"

enum { SIDE = 48, STEPS = 100 };

typedef struct ripple {
    app_comm comm;
    mx_ctx ctx;
    app_transport transport; /* how data go from rank to rank */
    app_decomp decomp;       /* which rank has which cells */
    app_box_halo halo;       /* fills ghost cells */
    ripple_views views;
    ripple_args args;
} ripple;

static mx_range_2 own_cells(const ripple *r)
{
    return mx_range_2d(r->ctx, 1, r->decomp.cells[0] + 1, 1, r->decomp.cells[1] + 1);
}

static mx_err create(ripple *r)
{
    const mx_gid cells[] = {SIDE, SIDE};
    MX_TRY(app_transport_create(r->comm, r->ctx, APP_GPU_MPI_AUTO, &r->transport));
    MX_TRY(app_decomp_create(r->comm, 2, cells, &r->decomp));
    app_decomp_make_periodic(&r->decomp, (const bool[]){true, true});
    MX_TRY(app_box_halo_create(r->transport, &r->decomp, 1, &r->halo));
    const int rows = r->decomp.cells[0] + 2, columns = r->decomp.cells[1] + 2;
    MX_TRY(mx_view_create_2d(r->ctx, "old", MX_F64, rows, columns, &r->views.old));
    MX_TRY(mx_view_create_2d(r->ctx, "next", MX_F64, rows, columns, &r->views.next));
    r->args = (ripple_args){.n = SIDE, .r = 0.2};
    /* GAP 1: args.first from the decomposition */
    /* END 1 */
    return ripple_args_bind(r->ctx, &r->views, &r->args);
}

static mx_err swap(ripple *r)
{
    MX_TRY(mx_view_swap(&r->views.old, &r->views.next));
    return ripple_args_bind(r->ctx, &r->views, &r->args);
}

static mx_err run_steps(ripple *r)
{
    MX_TRY(ripple_begin(own_cells(r), &r->args));
    MX_TRY(swap(r));
    for (int n = 0; n < STEPS; n++) {
        /* GAP 2: fill the ghost cells of views.old, one layer, faces only */
        /* END 2 */
        MX_TRY(ripple_step(own_cells(r), &r->args));
        MX_TRY(swap(r));
    }
    return MX_OK;
}

/* The mean of sin^2 cos^2 is 1/4; a step multiplies the wave by 1 - 8 r sin^2(pi / n). */
static mx_err check(ripple *r)
{
    const double s = sin(MX_PI / SIDE), factor = 1 - 8 * r->args.r * s * s;
    double energy;
    MX_TRY(ripple_energy(own_cells(r), &r->args, &energy));
    /* GAP 3: the sum over all ranks */
    /* END 3 */
    const double theory = 0.25 * pow(factor, 2 * STEPS);
    /* sums of 2304 terms in another order on each number of ranks */
    MX_TRY(course_expect("gaps 1, 2 and 3: the mean of u^2", energy / SIDE / SIDE, theory, 1e-14));
    if (app_rank(r->comm) == 0) printf("the mean of u^2 is %.12f\n", energy / SIDE / SIDE);
    return MX_OK;
}

static mx_err run(ripple *r)
{
    MX_TRY(create(r));
    MX_TRY(run_steps(r));
    MX_TRY(check(r));
    MX_TRY(mx_view_destroy(&r->views.old));
    return mx_view_destroy(&r->views.next);
}

int main(int argc, char **argv)
{
    ripple r = {0};
    mx_err err = app_comm_open(&argc, &argv, &r.comm);
    if (err != MX_OK) return 1;
    err = mx_init();
    if (err == MX_OK) err = mx_ctx_create(argc > 1 ? argv[1] : "serial", &r.ctx);
    if (err == MX_OK) err = run(&r);
    err = app_agree(r.comm, err);
    if (err != MX_OK && app_rank(r.comm) == 0) fprintf(stderr, "%s\n", mx_err_message());
    app_box_halo_destroy(&r.halo);
    app_transport_destroy(&r.transport);
    mx_ctx_destroy(&r.ctx);
    if (err == MX_OK) mx_finalize(); /* a failure leaves views behind */
    app_comm_close(&r.comm);
    return err != MX_OK;
}
#endif
