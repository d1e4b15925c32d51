/* Cases on grids: a stencil, TeaLeaf's conjugate gradients, a summary of five fields. */
#include "bench.h"

#include <string.h>

/* ---- five points ---- */

static mx_err stencil_setup(bench_work *w)
{
    mx_view in, out;
    MX_TRY(bench_new_grid(w, "in", 1, &in, &w->rival.u));
    MX_TRY(bench_new_grid(w, "out", 2, &out, &w->rival.w));
    MX_TRY(mx_bind(w->target->ctx, in, &w->stencil.in));
    MX_TRY(mx_bind(w->target->ctx, out, &w->stencil.out));
    w->outputs[w->output_count++] = out;
    w->items = (int64_t)w->rival.rows * w->rival.columns;
    return MX_OK;
}

static mx_err stencil_core(bench_work *w) { return bench_stencil(w->cells, &w->stencil); }

static bench_rival stencil_rival(const rival_set *set) { return set->stencil; }

/* ---- conjugate gradients: u, r, p, w, v, and the scalars rr and pw, which stay with them ---- */

enum { U, R, P, W, V, RR, PW, GRIDS = 5 };

static mx_err cg_bind(bench_work *w)
{
    const mx_ctx ctx = w->target->ctx;
    const mx_view *v = w->views;
    const tl_views views = {.u = v[U],
                            .u_start = v[W],
                            .v = v[V],
                            .p = v[P],
                            .r = v[R],
                            .w = v[W],
                            .rr = v[RR],
                            .pw = v[PW]};
    MX_TRY(tl_residual_args_bind(ctx, &views, &w->residual));
    MX_TRY(tl_cg_matvec_args_bind(ctx, &views, &w->matvec));
    MX_TRY(tl_cg_update_args_bind(ctx, &views, &w->update));
    return tl_cg_direction_args_bind(ctx, &views, &w->direction);
}

static mx_err cg_setup(bench_work *w)
{
    mx_view view;
    double **const data[GRIDS] = {&w->rival.u, &w->rival.r, &w->rival.p, &w->rival.w, &w->rival.v};
    static const char *const labels[GRIDS] = {"u", "r", "p", "w", "v"};
    for (int g = 0; g < GRIDS; g++) MX_TRY(bench_new_grid(w, labels[g], g, &view, data[g]));
    MX_TRY(bench_new_sums(w, "rr", MX_F64, RIVAL_SUMS, &w->rival.sums));
    MX_TRY(bench_new_sums(w, "pw", MX_F64, 1, &w->rival.pw));
    MX_TRY(cg_bind(w));
    for (int g = U; g <= W; g++) w->outputs[w->output_count++] = w->views[g];
    w->items = (int64_t)w->rival.rows * w->rival.columns;
    w->rival.s = 0.5;
    w->residual.mesh = w->matvec.mesh = (tl_mesh){.rx = 0.5, .ry = 0.5};
    /* far above rounding: a solved system would stand still, and no number gets too small for full
     * speed */
    w->rival.tolerance = w->update.tolerance = w->direction.tolerance = 1e-12;
    return MX_OK;
}

static mx_err cg_reset(bench_work *w)
{
    const double rr[RIVAL_SUMS] = {1e-3, 5e-4}, pw = 1;
    for (int g = U; g <= W; g++) {
        bench_set_2d_args set = {.seed = g};
        MX_TRY(mx_bind(w->target->ctx, w->views[g], &set.x));
        MX_TRY(bench_set_2d(
            mx_range_2d(w->target->ctx, 0, w->rival.rows + 2, 0, w->rival.columns + 2), &set));
    }
    for (int s = 0; s < RIVAL_SUMS; s++)
        MX_TRY(mx_write_element(w->target->ctx, w->views[RR], s, &rr[s]));
    MX_TRY(mx_write_element(w->target->ctx, w->views[PW], 0, &pw));
    w->rival.before = 0;
    w->rival.now = 1;
    return MX_OK;
}

/* The start of a true iteration, of A u = w: it converges, and then stands still. */
static mx_err iteration_reset(bench_work *w)
{
    const double zero = 0; /* ghosts */
    MX_TRY(cg_reset(w));
    MX_TRY(mx_fill(w->target->ctx, w->views[R], &zero));
    MX_TRY(tl_residual_into(w->cells, &w->residual, w->views[RR], 0));
    return mx_deep_copy(w->target->ctx, w->views[P], w->views[R]);
}

/* An iteration in one pass, against the three kernels: u, r and p are the same after each. */
static mx_err pass_setup(bench_work *w)
{
    MX_TRY(cg_setup(w));
    const mx_view *v = w->views;
    const tl_views views = {.u = v[U], .r = v[R], .p = v[P], .w = v[W], .v = v[V]};
    w->output_count = 3;
    w->sum_count = 0; /* the three sums of a pass are elsewhere */
    const int cells[] = {w->rival.rows, w->rival.columns};
    return tl_passes_create(w->target->ctx, &views, 2, cells, 1, false, &w->matvec.mesh,
                            &w->passes);
}

/* Pass 0 is w = A p. */
static mx_err pass_reset(bench_work *w)
{
    const double zero = 0;
    MX_TRY(iteration_reset(w));
    MX_TRY(mx_fill(w->target->ctx, w->views[W], &zero));
    tl_passes_restart(&w->passes, w->rival.tolerance);
    return tl_passes_next(w->target->ctx, &w->passes, NULL);
}

static mx_err pass_core(bench_work *w) { return tl_passes_next(w->target->ctx, &w->passes, NULL); }

static mx_err matvec_core(bench_work *w)
{
    return tl_cg_matvec_into(w->cells, &w->matvec, w->views[PW], 0);
}

static mx_err update_core(bench_work *w)
{
    w->update.norm = w->update.before = w->rival.before;
    return tl_cg_update_into(w->cells, &w->update, w->sums[0], w->rival.now);
}

static mx_err direction_core(bench_work *w)
{
    w->direction.norm = w->direction.before = w->rival.before;
    w->direction.now = w->rival.now;
    return tl_cg_direction(w->cells, &w->direction);
}

static mx_err iteration_core(bench_work *w)
{
    MX_TRY(matvec_core(w));
    MX_TRY(update_core(w));
    return direction_core(w);
}

static bench_rival matvec_rival(const rival_set *set) { return set->matvec; }

static bench_rival update_rival(const rival_set *set) { return set->update; }

static bench_rival direction_rival(const rival_set *set) { return set->direction; }

static bench_rival iteration_rival(const rival_set *set) { return set->iteration; }

/* ---- five fields in one pass ---- */

static mx_err summary_setup(bench_work *w)
{
    mx_view density, energy, u;
    MX_TRY(bench_new_grid(w, "density", 1, &density, &w->rival.v));
    MX_TRY(bench_new_grid(w, "energy", 2, &energy, &w->rival.energy));
    MX_TRY(bench_new_grid(w, "u", 3, &u, &w->rival.u));
    MX_TRY(mx_bind(w->target->ctx, density, &w->summary.density));
    MX_TRY(mx_bind(w->target->ctx, energy, &w->summary.energy));
    MX_TRY(mx_bind(w->target->ctx, u, &w->summary.u));
    w->summary.volume = w->rival.volume = 0.01;
    MX_TRY(bench_new_sums(w, "summary", MX_USER(bench_summary), 1, &w->rival.summary));
    w->items = (int64_t)w->rival.rows * w->rival.columns;
    return MX_OK;
}

static mx_err summary_core(bench_work *w)
{
    return bench_summarise_into(w->cells, &w->summary, w->sums[0], 0);
}

static bench_rival summary_rival(const rival_set *set) { return set->summary; }

const bench_case bench_grid_cases[] = {
    {.name = "stencil",
     .text = "the mean of five points",
     .doubles = 2,
     .bytes_per_item = 16,
     .setup = stencil_setup,
     .core = stencil_core,
     .rival = stencil_rival},
    {.name = "cg-matvec",
     .text = "TeaLeaf: w = A p, p.w",
     .doubles = 4,
     .bytes_per_item = TL_CG_MATVEC_BYTES,
     .setup = cg_setup,
     .reset = cg_reset,
     .core = matvec_core,
     .rival = matvec_rival},
    {.name = "cg-update",
     .text = "TeaLeaf: u += alpha p, r -= alpha w, r.r",
     .doubles = 4,
     .bytes_per_item = TL_CG_UPDATE_BYTES,
     .setup = cg_setup,
     .reset = cg_reset,
     .core = update_core,
     .rival = update_rival},
    {.name = "cg-direction",
     .text = "TeaLeaf: p = r + beta p",
     .doubles = 2,
     .bytes_per_item = TL_CG_DIRECTION_BYTES,
     .setup = cg_setup,
     .reset = cg_reset,
     .core = direction_core,
     .rival = direction_rival},
    {.name = "cg-iteration",
     .text = "the three together, alpha and beta never leaving the backend's memory",
     .doubles = 6,
     .bytes_per_item = TL_CG_BYTES,
     .alternates = true,
     .setup = cg_setup,
     .reset = iteration_reset,
     .core = iteration_core,
     .rival = iteration_rival},
    {.name = "cg-pass",
     .text = "the three in one pass over the cells; the rivals are those of cg-iteration",
     .doubles = 6,
     .bytes_per_item = TL_PASS_BYTES,
     .alternates = true,
     .setup = pass_setup,
     .reset = pass_reset,
     .core = pass_core,
     .rival = iteration_rival},
    {.name = "summary",
     .text = "five fields, one of them a maximum",
     .doubles = 3,
     .bytes_per_item = 24,
     .setup = summary_setup,
     .core = summary_core,
     .rival = summary_rival},
    {0},
};
