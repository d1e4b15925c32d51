/* The multigrid cycle of the benchmark HPCG 3.0, for comparison with it: four levels, each of half
 * the elements along each dimension; one symmetric Gauss-Seidel sweep before the coarser level and
 * one after it, and one on the coarsest; residuals and corrections are injected, so a coarse node
 * takes part in that of its own place only.
 *
 * HPCG's matrix has the same coefficients on all levels. Those of finite elements double from a
 * level to the next coarser one, as the element's size does. So the injected residual is doubled
 * too, which makes the corrections those of HPCG.
 *
 * A sweep goes through the nodes by colours, as HPCG's rules allow: a colour has the nodes of one
 * parity along each dimension, so no two of them are in one row, and all are done in parallel.
 * Backwards the colours come in the opposite order, which makes the sweep symmetric. Colour 0 has
 * the nodes that the coarser mesh has too. It must be neither the first nor the last of a sweep: a
 * sweep replaces the values of its first colour whatever they are, and leaves no residual at its
 * last.
 *
 * HPCG exchanges ghosts once before a sweep, and each rank then works on its owned rows; so more
 * ranks need more iterations (16 x 8 x 24 elements: 17 on one rank, 22 on eight). Here ghosts are
 * exchanged before each colour, and the iterations are those of one rank. */
#include "fe_hpcg_kernels.h"
#include "preconditioners/fe_preconditioner.h"

#include <stdlib.h>

enum { GRIDS = 4, COLOURS = 8 };
static const double FACTOR = 2;

typedef struct grid {
    fe_level coarse; /* all but the finest: the level */
    fe_level *level;
    mx_view b, x; /* the finest: the caller's */
    mx_view w;    /* all but the coarsest: A x */
    fe_sweep_args sweep;
    fe_inject_args injection; /* to the next coarser grid, and back */
} grid;

typedef struct hpcg {
    grid grids[GRIDS];
} hpcg;

/* ---- the cycle ---- */

static mx_err sweep_colour(grid *g, int colour)
{
    const fe_mesh *m = &g->level->mesh;
    int count[3];
    for (int d = 0; d < 3; d++) {
        const int parity = colour >> d & 1, end = m->first[d] + m->count[d];
        g->sweep.low[d] = m->first[d] + ((m->first[d] ^ parity) & 1);
        count[d] = g->sweep.low[d] < end ? (end - g->sweep.low[d] + 1) / 2 : 0;
    }
    return fe_sweep(fe_box_range(g->level, NULL, count), &g->sweep);
}

/* Backwards colour 0 would come again at once, which changes nothing. */
static mx_err sweep(grid *g, bool from_zero)
{
    for (int n = 0; n < 2 * COLOURS - 1; n++) {
        const int colour = n < COLOURS ? COLOURS - 1 - n : n - COLOURS + 1;
        if (n > 0 || !from_zero) MX_TRY(fe_exchange(g->level, g->x));
        MX_TRY(sweep_colour(g, colour));
    }
    return MX_OK;
}

static mx_err smooth_from_zero(grid *g)
{
    const double zero = 0;
    MX_TRY(mx_fill(g->level->base->ctx, g->x, &zero));
    return sweep(g, true);
}

static mx_range_1 rows(const grid *g)
{
    return mx_range_1d(g->level->base->ctx, 0, fe_rows(&g->level->mesh));
}

static mx_err cycle(void *state)
{
    hpcg *const h = state;
    for (int n = 0; n + 1 < GRIDS; n++) {
        grid *const g = &h->grids[n];
        MX_TRY(smooth_from_zero(g));
        MX_TRY(fe_multiply(g->level, g->x, g->w));
        MX_TRY(fe_inject(rows(g + 1), &g->injection));
    }
    MX_TRY(smooth_from_zero(&h->grids[GRIDS - 1]));
    for (int n = GRIDS - 2; n >= 0; n--) {
        grid *const g = &h->grids[n];
        MX_TRY(fe_inject_back(rows(g + 1), &g->injection));
        MX_TRY(sweep(g, false));
    }
    return MX_OK;
}

/* A sweep reads the matrix nearly twice, and so do x and b; x is written. */
static fe_work work_of_cycle(const void *state)
{
    const hpcg *const h = state;
    const double passes = (2.0 * COLOURS - 1) / COLOURS;
    fe_work work = {0, 0};
    for (int n = 0; n < GRIDS; n++) {
        const fe_work product = fe_work_of_product(h->grids[n].level);
        const double rows = fe_rows(&h->grids[n].level->mesh);
        const double swept = passes * (n + 1 < GRIDS ? 2 : 1), products = n + 1 < GRIDS;
        work.bytes += (swept + products) * product.bytes + swept * 8 * rows;
        work.flops += (swept + products) * product.flops + swept * 3 * rows;
    }
    return work;
}

/* ---- the levels ---- */

static mx_err bind_sweep(grid *g)
{
    const mx_ctx ctx = g->level->base->ctx;
    const fe_level_views *v = &g->level->views;
    g->sweep.mesh = g->level->mesh;
    MX_TRY(mx_bind(ctx, v->begin, &g->sweep.begin));
    MX_TRY(mx_bind(ctx, v->column, &g->sweep.column));
    MX_TRY(mx_bind(ctx, v->value, &g->sweep.value));
    MX_TRY(mx_bind(ctx, g->b, &g->sweep.b));
    return mx_bind(ctx, g->x, &g->sweep.x);
}

static mx_err bind_injection(grid *g)
{
    const mx_ctx ctx = g->level->base->ctx;
    const fe_pair pair = {g->level->mesh, g[1].level->mesh};
    g->injection.pair = pair;
    g->injection.factor = FACTOR;
    MX_TRY(mx_bind(ctx, g->b, &g->injection.b));
    MX_TRY(mx_bind(ctx, g->w, &g->injection.w));
    MX_TRY(mx_bind(ctx, g->x, &g->injection.x));
    MX_TRY(mx_bind(ctx, g[1].b, &g->injection.coarse_b));
    return mx_bind(ctx, g[1].x, &g->injection.coarse_x);
}

static mx_err make_grid(const grid *finer, grid *g)
{
    const fe_mesh *fine = &finer->level->mesh;
    const mx_ctx ctx = finer->level->base->ctx;
    const mx_gid elements[] = {fine->elements[0] / 2, fine->elements[1] / 2, fine->elements[2] / 2};
    g->level = &g->coarse;
    MX_TRY(fe_make_coarse_level(finer->level, elements, g->level));
    MX_TRY(mx_view_create_1d(ctx, "hpcg b", MX_F64, fe_rows(&g->level->mesh), &g->b));
    return mx_view_create_1d(ctx, "hpcg x", MX_F64, fe_held(&g->level->mesh), &g->x);
}

static mx_err make_grids(hpcg *h, fe_level *finest, mx_view b, mx_view x)
{
    h->grids[0].level = finest;
    h->grids[0].b = b;
    h->grids[0].x = x;
    for (int n = 0; n + 1 < GRIDS; n++) {
        grid *const finer = &h->grids[n];
        MX_TRY(make_grid(finer, finer + 1));
        MX_TRY(mx_view_create_1d(finest->base->ctx, "hpcg w", MX_F64, fe_rows(&finer->level->mesh),
                                 &finer->w));
        MX_TRY(bind_injection(finer));
    }
    for (int n = 0; n < GRIDS; n++) MX_TRY(bind_sweep(&h->grids[n]));
    return MX_OK;
}

static mx_err create(fe_level *finest, mx_view b, mx_view x, void **state)
{
    hpcg *const h = *state = calloc(1, sizeof *h);
    MX_REQUIRE(h != NULL, MX_ERR_MEMORY, "no memory for the levels of HPCG's cycle");
    return make_grids(h, finest, b, x);
}

static void destroy(void *state)
{
    hpcg *const h = state;
    for (int n = 0; n < GRIDS; n++) {
        grid *const g = &h->grids[n];
        (void)mx_view_destroy(&g->w);
        if (n == 0) continue; /* the caller's */
        (void)mx_view_destroy(&g->b);
        (void)mx_view_destroy(&g->x);
        fe_level_destroy(&g->coarse);
    }
    free(h);
}

const fe_preconditioner_form fe_preconditioner_hpcg = {.vectors = 1,
                                                       .many_kernels = true,
                                                       .create = create,
                                                       .destroy = destroy,
                                                       .apply = cycle,
                                                       .work = work_of_cycle};
