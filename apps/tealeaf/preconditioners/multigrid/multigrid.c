/* Geometric multigrid: z = M^-1 r by one V-cycle for A z = r, from z = 0.
 *
 *     grid 0, the solver's    smooth, restrict the residual          correct, smooth
 *     grid 1                       smooth, restrict           correct, smooth
 *     ...                                ...                  ...
 *     small grids                          bottom.c
 *
 * Grids: two cells along each dimension form a coarse one (where cells are flat, along the
 * dimensions of the narrow sides only, until they are not flat any more). Each rank pairs its
 * own cells, from its first one on; the last coarse cell has three where their number is odd. So
 * a transfer needs no message but the ghosts of its input.
 *
 * Transfers: a correction is constant in a coarse cell, and the restriction is its transpose,
 * the sum over the cells. The product of Galerkin would keep the five or seven points, and make
 * the faces between coarse cells the sums of the fine ones. They are twice as strong as those of
 * the equation itself on the coarse mesh, because a step function is steep: corrections are too
 * small, and the number of iterations grows with the mesh. The cure is to divide the sums by the
 * ratio of the distances of the cells' centres (Braess, Computing 55, 1995, 379, multiplies the
 * correction by a factor to the same end; Wesseling, An Introduction to Multigrid Methods, 1992,
 * chapter 5). Jumps of the coefficients stay where they are, because faces are added and not
 * averaged over cells. Rejected: faces in series along the path between the centres (the
 * harmonic mean), and the product of Galerkin with corrections multiplied by 1.8, which need
 * more iterations for the crooked pipe; linear interpolation, which needs fewer there, but more
 * than twice as many with large time steps.
 *
 * Smoother: Chebyshev's polynomial of degree `steps` for the matrix that is scaled by its
 * diagonal. Its eigenvalues are at most 2 by Gershgorin's theorem, and those above 2 / RATIO are
 * damped. In factors (Richardson's form) a step needs no vector of the step before:
 *
 *     x = x + omega(s) weight (b - A x),   1 / omega(s) = theta + delta cos(pi (2 s + 1) / (2 steps))
 *     theta = 1 + 1 / RATIO,  delta = 1 - 1 / RATIO
 *
 * (Saad, Iterative Methods for Sparse Linear Systems, 12.1.) Smoothing before and after the
 * correction is the same polynomial, so the cycle is symmetric; it is positive definite because
 * the polynomial is below 1 in size on all eigenvalues. So it is a preconditioner of conjugate
 * gradients (Tatebe, NASA CP 3224, 1993, 621).
 *
 * The first step from 0 is omega weight b, which later steps compute where they need it. So with
 * one step a grid has two kernels, which read b, the weights and the faces; with more steps each
 * is one more kernel. Nothing waits for the host. */
#include "tl_grids.h"

#include <math.h>
#include <stdlib.h>

static const double RATIO = 4;

/* ---- the cycle ---- */

/* Step number s of a cycle, from 1 to 2 steps - 1 (number 0 is done where it is needed), writes x
 * where s is odd, else other. */
static tl_grid_args *args_of(const tl_multigrid *m, tl_grid *g, int s)
{
    tl_grid_args *const a = s % 2 == 1 ? &g->to_x : &g->to_other;
    a->omega = m->omega[s < m->steps ? s : 2 * m->steps - 1 - s];
    return a;
}

static mx_view written_by(const tl_grid *g, int s)
{
    return s % 2 == 1 ? g->views.x : g->views.other;
}

/* Computes b of the coarse grid. Where three cells form one, it uses the kernel for any number
 * of cells. */
static mx_err restrict_residual(tl_multigrid *m, tl_grid *g, const tl_grid *coarse)
{
    const tl_grid_args *const a = &g->restriction;
    const tl_transfer *const t = &a->transfer;
    const tl_box all = tl_cells_of(coarse, 0);
    const bool first = m->steps == 1;
    tl_box even = all;
    bool halved = true;
    for (int d = m->solid ? 0 : 1; d < TL_GRID_DIMS; d++) {
        halved = halved && t->shift[d] == 1;
        if (t->odd[d] >= 0) even.end[d]--;
    }
    if (!halved)
        return first ? TL_LAUNCH(tl_grid_restrict_first, m, all, a)
                     : TL_LAUNCH(tl_grid_restrict, m, all, a);
    MX_TRY(first ? TL_LAUNCH(tl_grid_restrict_first_even, m, even, a)
                 : TL_LAUNCH(tl_grid_restrict_even, m, even, a));
    for (int d = m->solid ? 0 : 1; d < TL_GRID_DIMS; d++) {
        if (t->odd[d] < 0) continue;
        tl_box last = all;
        last.begin[d] = all.end[d] - 1;
        MX_TRY(first ? TL_LAUNCH(tl_grid_restrict_first, m, last, a)
                     : TL_LAUNCH(tl_grid_restrict, m, last, a));
    }
    return MX_OK;
}

static mx_err smooth_and_restrict(tl_multigrid *m, int n)
{
    tl_grid *const g = &m->grids[n];
    const tl_box cells = tl_cells_of(g, 0);
    MX_TRY(tl_grid_exchange(g, g->views.b));
    for (int s = 1; s < m->steps; s++) {
        tl_grid_args *const a = args_of(m, g, s);
        MX_TRY(s == 1 ? TL_LAUNCH(tl_grid_second, m, cells, a)
                      : TL_LAUNCH(tl_grid_step, m, cells, a));
        MX_TRY(tl_grid_exchange(g, written_by(g, s)));
    }
    return restrict_residual(m, g, &m->grids[n + 1]);
}

/* The step with the correction. Hosts go by pairs of cells, but for the last three where their
 * number is odd: these are one coarse cell. */
static mx_err correct(tl_multigrid *m, tl_grid *g, const tl_grid_args *a)
{
    const tl_box cells = tl_cells_of(g, 0);
    const bool first = m->steps == 1;
    tl_box pairs = cells, left = cells;
    if (!m->by_pairs || a->transfer.shift[2] == 0)
        return first ? TL_LAUNCH(tl_grid_correct_first, m, cells, a)
                     : TL_LAUNCH(tl_grid_correct, m, cells, a);
    const bool odd = a->transfer.odd[2] >= 0;
    pairs.end[2] = g->cells[2] / 2 + (odd ? 0 : 1);
    left.begin[2] = cells.end[2] - 3;
    MX_TRY(first ? TL_LAUNCH(tl_grid_correct_first_pairs, m, pairs, a)
                 : TL_LAUNCH(tl_grid_correct_pairs, m, pairs, a));
    if (!odd) return MX_OK;
    return first ? TL_LAUNCH(tl_grid_correct_first, m, left, a)
                 : TL_LAUNCH(tl_grid_correct, m, left, a);
}

/* The last step of a cycle, with the sum of r z: a single launch. */
static mx_err end_cycle(tl_multigrid *m, tl_grid *g, const tl_grid_args *a, mx_view sums,
                        int64_t at)
{
    tl_box cells = tl_cells_of(g, 0);
    if (m->steps > 1) return TL_LAUNCH_INTO(tl_grid_last, m, cells, a, sums, at);
    if (!m->by_pairs || a->transfer.shift[2] == 0 || a->transfer.odd[2] >= 0)
        return TL_LAUNCH_INTO(tl_grid_last_first, m, cells, a, sums, at);
    cells.end[2] = g->cells[2] / 2 + 1;
    return TL_LAUNCH_INTO(tl_grid_last_first_pairs, m, cells, a, sums, at);
}

static mx_err prolong_and_smooth(tl_multigrid *m, int n, mx_view sums, int64_t at)
{
    tl_grid *const g = &m->grids[n], *const coarse = &m->grids[n + 1];
    const int end = 2 * m->steps;
    /* small grids fill ghosts too */
    if (n + 2 < m->count) MX_TRY(tl_grid_exchange(coarse, coarse->views.x));
    for (int s = m->steps; s < end; s++) {
        tl_grid_args *const a = args_of(m, g, s);
        if (s > m->steps) MX_TRY(tl_grid_exchange(g, written_by(g, s - 1)));
        if (n == 0 && s + 1 == end)
            MX_TRY(end_cycle(m, g, a, sums, at));
        else if (s == m->steps)
            MX_TRY(correct(m, g, a));
        else
            MX_TRY(TL_LAUNCH(tl_grid_step, m, tl_cells_of(g, 0), a));
    }
    return MX_OK;
}

mx_err tl_multigrid_apply(tl_multigrid *m, mx_view sums, int64_t at)
{
    for (int n = 0; n + 1 < m->count; n++) MX_TRY(smooth_and_restrict(m, n));
    MX_TRY(tl_bottom_solve(m->base, &m->bottom));
    for (int n = m->count - 2; n >= 0; n--) MX_TRY(prolong_and_smooth(m, n, sums, at));
    if (m->count > 1) return MX_OK;
    return TL_LAUNCH_INTO(tl_dot, m, tl_cells_of(&m->grids[0], 0), &m->dot, sums, at);
}

void tl_multigrid_grids(const tl_multigrid *m, int *divided, int *replicated)
{
    *divided = m->count;
    *replicated = m->bottom.cycle.grids - 1; /* the first one is the last of the others */
}

/* Of one cell of a grid with a coarser one: b, weight and faces are read by each kernel; the first
 * one of two steps reads no x. Coarse cells are `part` of the fine ones. */
static void cost_of_cell(const tl_multigrid *m, double part, double *bytes, double *flops)
{
    const double faces = m->solid ? 3 : 2, steps = m->steps, coarse = 8 * part;
    const double read = 16 + 8 * faces;
    if (m->steps == 1)
        *bytes = read + coarse + read + coarse + 8;
    else
        *bytes = read + 8 + (2 * steps - 3) * (read + 16) + read + 8 + coarse + read + 16 + coarse;
    *flops = (4 * faces + 5) * 2 * steps;
}

void tl_multigrid_cost(const tl_multigrid *m, double *bytes, double *flops)
{
    double cells[TL_MAX_GRIDS] = {0};
    for (int n = 0; n < m->count; n++) {
        const int *const c = m->grids[n].cells;
        cells[n] = (double)c[0] * (double)c[1] * (double)c[2];
    }
    *bytes = *flops = 0;
    for (int n = 0; n + 1 < m->count; n++) {
        double of_cell, of_cell_flops;
        cost_of_cell(m, cells[n + 1] / cells[n], &of_cell, &of_cell_flops);
        *bytes += of_cell * cells[n] / cells[0];
        *flops += of_cell_flops * cells[n] / cells[0];
    }
}

/* ---- all of it ---- */

static mx_err make_all(tl_multigrid *m, const tl_multigrid_of *of)
{
    const double theta = 1 + 1 / RATIO, delta = 1 - 1 / RATIO;
    for (int s = 0; s < m->steps; s++)
        m->omega[s] = 1 / (theta + delta * cos(acos(-1.0) * (2 * s + 1) / (2 * m->steps)));
    MX_TRY(tl_grids_create(m, of));
    MX_TRY(tl_dot_args_bind(m->base->ctx, of->bound, &m->dot));
    m->dot.mesh = *of->mesh;
    return MX_OK;
}

mx_err tl_multigrid_create(const tl_multigrid_of *of, tl_multigrid **multigrid)
{
    tl_multigrid *const m = calloc(1, sizeof *m);
    *multigrid = m;
    MX_REQUIRE(m != NULL, MX_ERR_MEMORY, "no memory for the grids of multigrid");
    m->base = of->base;
    m->solid = of->decomp->dims == 3;
    m->steps = of->steps;
    mx_ctx_info info;
    mx_err err = mx_ctx_get_info(m->base->ctx, &info);
    m->by_pairs = info.host_accessible;
    if (err == MX_OK) err = make_all(m, of);
    if (err != MX_OK) tl_multigrid_destroy(multigrid);
    return err;
}

void tl_multigrid_destroy(tl_multigrid **multigrid)
{
    tl_multigrid *const m = *multigrid;
    *multigrid = NULL;
    if (m == NULL) return;
    tl_grids_destroy(m);
    free(m);
}
