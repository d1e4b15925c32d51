/* Lesson 13 as an app: input, checkpoints, checks and results. lesson14 DECK [options]; --help lists
 * them. */
#include "domain/box_halo.h"
#include "kernels.h"
#include "ripple.h"
#include "run/app.h"

typedef struct ripple {
    app_base base; /* ranks, command line, context, report, results, checkpoint */
    ripple_input input;
    app_decomp decomp;
    app_box_halo halo;
    ripple_app_views views;
    ripple_app_args args;
    int64_t step;
} ripple;

static mx_range_2 own(const ripple *r)
{
    return mx_range_2d(r->base.ctx, 1, r->decomp.cells[0] + 1, 1, r->decomp.cells[1] + 1);
}

static mx_err set_up(ripple *r)
{
    app_base *const b = &r->base;
    const mx_gid cells[] = {r->input.cells, r->input.cells};
    app_print_place(b);
    app_solves(b, &(app_problem){.name = "heat 2-D",
                                 .size = r->input.cells * r->input.cells,
                                 .merit = "cell step rate",
                                 .unit = "cell steps/s"});
    MX_TRY(app_agree(b->comm, app_decomp_create(b->comm, 2, cells, &r->decomp)));
    app_decomp_make_periodic(&r->decomp, (const bool[]){true, true});
    MX_TRY(app_box_halo_create(b->transport, &r->decomp, 1, &r->halo));
    const int rows = r->decomp.cells[0] + 2, columns = r->decomp.cells[1] + 2;
    MX_TRY(mx_view_create_2d(b->ctx, "u", MX_F64, rows, columns, &r->views.u));
    MX_TRY(mx_view_create_2d(b->ctx, "next", MX_F64, rows, columns, &r->views.next));
    r->args.first[0] = (int)r->decomp.first[0], r->args.first[1] = (int)r->decomp.first[1];
    r->args.n = (int)r->input.cells, r->args.r = RIPPLE_R;
    MX_TRY(ripple_app_args_bind(b->ctx, &r->views, &r->args));
    return ripple_app_begin(own(r), &r->args);
}

/* What a checkpoint has; a restart reads the same. */
static mx_err keep(ripple *r)
{
    const app_keep_box cells = {r->base.ctx, 1, app_slab_cells(&r->decomp)};
    MX_TRY(app_keep_i64(r->base.checkpoint, "step", &r->step, 1, app_keep_whole(0, 1000000000)));
    /* GAP 1: keep the cells of the field u */
    /* END 1 */
    return MX_OK;
}

static mx_err run_steps(ripple *r)
{
    app_base *const b = &r->base;
    b->first_step = r->step;
    while (r->step < r->input.steps && !b->stopped) {
        MX_TRY(app_box_halo_exchange(r->halo, 1, &r->views.u, 1, APP_HALO_FACES));
        MX_TRY(ripple_app_step(own(r), &r->args));
        MX_TRY(mx_deep_copy(b->ctx, r->views.u, r->views.next)); /* the checkpoint keeps u */
        b->iterations++;
        MX_TRY(app_step_end(b, ++r->step));
    }
    return MX_OK;
}

static mx_err verify(ripple *r)
{
    const double s = sin(MX_PI / r->args.n), factor = 1 - 8 * RIPPLE_R * s * s;
    const double theory = 0.25 * pow(factor, 2 * (double)r->step);
    double energy;
    MX_TRY(ripple_app_energy(own(r), &r->args, &energy));
    MX_TRY(app_sum_f64(r->base.comm, &energy, 1));
    energy /= (double)r->args.n * r->args.n;
    const app_expect expected = {theory, RIPPLE_TOLERANCE, APP_RELATIVE(1e-11)};
    /* GAP 2: the check `energy` of the value energy */
    (void)expected;
    /* END 2 */
    return MX_OK;
}

static mx_err output(ripple *r)
{
    const app_array u = {.path = "/fields/u",
                         .unit = "1",
                         .compare = APP_RELATIVE(1e-11),
                         .type = MX_F64,
                         .slab = app_slab_cells(&r->decomp),
                         .place = &(app_place){0}};
    /* GAP 3: write the cells of u, without their layer of ghost cells */
    (void)u;
    /* END 3 */
    return MX_OK;
}

static mx_err restart(ripple *r)
{
    if (r->base.checkpoint == NULL) return MX_OK;
    MX_TRY(app_end_stage(&r->base, keep(r)));
    MX_TRY(app_restore(&r->base));
    return app_end_restart(&r->base, MX_OK);
}

static mx_err run_stages(ripple *r)
{
    MX_TRY(app_open(&r->base));
    MX_TRY(app_end_stage(&r->base, set_up(r)));
    MX_TRY(restart(r));
    MX_TRY(app_end_run(&r->base, run_steps(r)));
    if (r->base.stopped) return app_stop(&r->base);
    MX_TRY(app_end_stage(&r->base, verify(r)));
    MX_TRY(app_end_stage(&r->base, output(r)));
    return app_publish(&r->base);
}

static const app_program program = {.name = "ripple",
                                    .summary = "heat on a periodic square",
                                    .deck = "DECK",
                                    .input = &ripple_keys,
                                    .checkpoints = true,
                                    .free_at_restart = "steps"};

int main(int argc, char **argv)
{
    ripple r = {0};
    mx_err err = app_begin(&r.base, &program, argc, argv, &r.input);
    if (err == MX_OK && !r.base.answered) err = run_stages(&r);
    const int code = app_finish(&r.base, err);
    (void)mx_view_destroy(&r.views.u);
    (void)mx_view_destroy(&r.views.next);
    app_box_halo_destroy(&r.halo);
    app_close(&r.base);
    return code;
}
