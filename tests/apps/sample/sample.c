/* The smallest app with all that an app can have: explicit steps of heat on a periodic square. */
#include "minx/kernel.h"
#include "minx/minx.h"

typedef struct sample_views {
    mx_view next, u;
} sample_views;
MX_ARGS_FROM(sample_args, sample_views, (mx_f64_2, next) (mx_cf64_2, u));
MX_DECLARE_REDUCE(2D, sample_step, sample_args, double)
MX_BODY void sample_step_body(const sample_args *a, int j, int k, double *sum)
{
    const double x = MX_AT(a->u, j, k - 1) + MX_AT(a->u, j, k + 1) - 2 * MX_AT(a->u, j, k);
    const double y = MX_AT(a->u, j - 1, k) + MX_AT(a->u, j + 1, k) - 2 * MX_AT(a->u, j, k);
    MX_AT(a->next, j, k) = MX_AT(a->u, j, k) + 0.2 * (x + y);
    *sum += MX_AT(a->next, j, k);
}
MX_REDUCE(2D, sample_step, MX_SUM)

#ifdef MX_DRIVER
#include "domain/box_halo.h"
#include "run/app.h"
#include "sample.h"

typedef struct sample {
    app_base base;
    sample_input input;
    app_decomp decomp;
    app_box_halo halo;
    sample_views views;
    app_series sum; /* of all cells, after each step */
} sample;

static mx_err make_state(sample *s)
{
    const app_base *const b = &s->base;
    const mx_gid cells[] = {s->input.cells, s->input.cells};
    mx_view first; /* cell of this rank */
    app_print_place(&s->base);
    app_solves(&s->base, &(app_problem){.name = "heat 2-D",
                                        .size = s->input.cells * s->input.cells,
                                        .merit = "cell step rate",
                                        .unit = "cell steps/s"});
    MX_TRY(app_agree(b->comm, app_decomp_create(b->comm, 2, cells, &s->decomp)));
    app_decomp_make_periodic(&s->decomp, (const bool[]){true, true});
    const int rows = s->decomp.cells[0] + 2, columns = s->decomp.cells[1] + 2; /* with ghosts */
    MX_TRY(mx_view_create_2d(b->ctx, "u", MX_F64, rows, columns, &s->views.u));
    MX_TRY(mx_view_create_2d(b->ctx, "next", MX_F64, rows, columns, &s->views.next));
    MX_TRY(mx_subview(s->views.u, MX_SLICES(mx_span(1, 2), mx_span(1, 2)), &first));
    if (app_rank(b->comm) == 0) MX_TRY(mx_fill(b->ctx, first, &(double){1}));
    MX_TRY(mx_view_destroy(&first));
    return app_box_halo_create(b->transport, &s->decomp, 1, &s->halo);
}

static mx_err set_up(sample *s) { return app_end_stage(&s->base, make_state(s)); }

static mx_err keep(sample *s)
{
    const app_keep_box cells = {s->base.ctx, 1, app_slab_cells(&s->decomp)};
    MX_TRY(app_keep_series(s->base.checkpoint, "sum", &s->sum, app_keep_finite()));
    return app_keep_view(s->base.checkpoint, "u", &s->views.u, &cells, app_keep_finite());
}

static mx_err restart(sample *s)
{
    if (s->base.checkpoint == NULL) return MX_OK;
    MX_TRY(app_end_stage(&s->base, keep(s)));
    MX_TRY(app_restore(&s->base));
    return app_end_restart(&s->base, MX_OK);
}

static mx_err do_steps(sample *s)
{
    app_base *const b = &s->base;
    const int rows = s->decomp.cells[0], columns = s->decomp.cells[1];
    b->first_step = s->sum.count;
    while (s->sum.count < s->input.steps && !b->stopped) {
        const sample_views v = s->views;
        sample_args args;
        double sum = 0;
        MX_TRY(app_box_halo_exchange(s->halo, 1, &v.u, 1, APP_HALO_FACES));
        MX_TRY(sample_args_bind(b->ctx, &v, &args));
        MX_TRY(sample_step(mx_range_2d(b->ctx, 1, rows + 1, 1, columns + 1), &args, &sum));
        MX_TRY(app_sum_f64(b->comm, &sum, 1));
        MX_TRY(app_series_add(&s->sum, sum));
        MX_TRY(mx_deep_copy(b->ctx, v.u, v.next)); /* no swap: the checkpoint keeps u */
        b->iterations++;
        MX_TRY(app_step_end(b, s->sum.count));
    }
    return MX_OK;
}

static mx_err run(sample *s) { return app_end_run(&s->base, do_steps(s)); }

static mx_err verify(sample *s) /* heat is conserved */
{
    const double last = s->sum.values[s->sum.count - 1];
    return app_end_stage(
        &s->base, app_check(&s->base, "sum", last, (app_expect){1, 1e-12, APP_RELATIVE(1e-12)}));
}

static mx_err output(sample *s)
{
    const app_array sum = {
        .path = "/series/sum", .unit = "1", .compare = APP_RELATIVE(1e-12), .type = MX_F64};
    const app_array u = {.path = "/fields/u",
                         .unit = "1",
                         .compare = APP_RELATIVE(1e-12),
                         .type = MX_F64,
                         .slab = app_slab_cells(&s->decomp),
                         .place = &(app_place){0}};
    MX_TRY(app_history(&s->base, &sum, &s->sum));
    return app_field(&s->base, &u, (app_cells){s->views.u, 1});
}

static mx_err write_results(sample *s) { return app_end_stage(&s->base, output(s)); }

static void clean_up(sample *s)
{
    (void)mx_view_destroy(&s->views.u);
    (void)mx_view_destroy(&s->views.next);
    app_box_halo_destroy(&s->halo);
    app_series_free(&s->sum);
}

static mx_err run_stages(sample *s)
{
    MX_TRY(app_open(&s->base));
    MX_TRY(set_up(s));
    MX_TRY(restart(s));
    MX_TRY(run(s));
    if (s->base.stopped) return app_stop(&s->base);
    MX_TRY(verify(s));
    MX_TRY(write_results(s));
    return app_publish(&s->base);
}

static const app_program program = {.name = "sample",
                                    .summary = "heat on a periodic square",
                                    .deck = "DECK",
                                    .input = &sample_keys,
                                    .checkpoints = true,
                                    .free_at_restart = "steps"};

int main(int argc, char **argv)
{
    sample s = {0};
    mx_err err = app_begin(&s.base, &program, argc, argv, &s.input);
    if (err == MX_OK && !s.base.answered) err = run_stages(&s);
    const int code = app_finish(&s.base, err);
    clean_up(&s);
    app_close(&s.base);
    return code;
}
#endif
