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
#include "tl_multigrid.h"

#include "mesh/tl_arrays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_GRIDS = 32 };

static const double RATIO = 4;

/* A grid of at most so many cells is the first of the small ones. Ranks gather a coarse grid of more
 * cells, because its exchanges, four for two smoothing steps, would take longer than all of its cells
 * do: on a device each is a message, with up to three launches. */
static const double BOTTOM_CELLS = 2048, GATHERED_CELLS = 8192, GATHERED_ON_DEVICE = 262144;

/* A grid that the ranks share. Its arrays are `views`; kernels bind `bound`. */
typedef struct grid {
    app_decomp decomp; /* that of the solver, but for the cells */
    app_box_halo halo;
    int cells[TL_GRID_DIMS];    /* of this rank */
    int halvings[TL_GRID_DIMS]; /* from the solver's mesh */
    double spacing[TL_GRID_DIMS];
    tl_grid_widths widths;
    tl_grid_shape shape;
    tl_grid_views views, bound;
    tl_grid_args to_x, to_other, restriction;
} grid;

struct tl_multigrid {
    const app_base *base;
    bool solid;    /* 3-D */
    bool by_pairs; /* hosts: see kernels/grid.c */
    int steps;
    double omega[TL_BOTTOM_STEPS];
    int count;
    grid grids[MAX_GRIDS];
    tl_bottom bottom;
    tl_dot_args dot; /* of a solver's mesh that is small */
};

/* ---- launches ---- */

/* Indices of cells. */
typedef struct box {
    int begin[TL_GRID_DIMS], end[TL_GRID_DIMS];
} box;

/* The cells of the grid, and `more` layers of ghosts behind them. */
static box cells_of(const grid *g, int more)
{
    box cells;
    for (int d = 0; d < TL_GRID_DIMS; d++) {
        cells.begin[d] = 1;
        cells.end[d] = g->cells[d] + 1 + more;
    }
    return cells;
}

static mx_range_2 range_2d(const tl_multigrid *m, box b)
{
    return mx_range_2d(m->base->ctx, b.begin[1], b.end[1], b.begin[2], b.end[2]);
}

static mx_range_3 range_3d(const tl_multigrid *m, box b)
{
    return mx_range_3d(m->base->ctx, b.begin[0], b.end[0], b.begin[1], b.end[1], b.begin[2],
                       b.end[2]);
}

#define LAUNCH(NAME, m, box, args) \
    ((m)->solid ? NAME##_3d(range_3d((m), (box)), (args)) : NAME(range_2d((m), (box)), (args)))
#define LAUNCH_INTO(NAME, m, box, args, sums, at)                            \
    ((m)->solid ? NAME##_3d_into(range_3d((m), (box)), (args), (sums), (at)) \
                : NAME##_into(range_2d((m), (box)), (args), (sums), (at)))

static mx_err exchange(grid *g, mx_view field)
{
    return app_box_halo_exchange(g->halo, 1, &field, 1, APP_HALO_FACES);
}

/* ---- the cycle ---- */

/* Step number s of a cycle, from 1 to 2 steps - 1 (number 0 is done where it is needed), writes x
 * where s is odd, else other. */
static tl_grid_args *args_of(const tl_multigrid *m, grid *g, int s)
{
    tl_grid_args *const a = s % 2 == 1 ? &g->to_x : &g->to_other;
    a->omega = m->omega[s < m->steps ? s : 2 * m->steps - 1 - s];
    return a;
}

static mx_view written_by(const grid *g, int s) { return s % 2 == 1 ? g->views.x : g->views.other; }

/* Computes b of the coarse grid. Where three cells form one, it uses the kernel for any number
 * of cells. */
static mx_err restrict_residual(tl_multigrid *m, grid *g, const grid *coarse)
{
    const tl_grid_args *const a = &g->restriction;
    const tl_transfer *const t = &a->transfer;
    const box all = cells_of(coarse, 0);
    const bool first = m->steps == 1;
    box even = all;
    bool halved = true;
    for (int d = m->solid ? 0 : 1; d < TL_GRID_DIMS; d++) {
        halved = halved && t->shift[d] == 1;
        if (t->odd[d] >= 0) even.end[d]--;
    }
    if (!halved)
        return first ? LAUNCH(tl_grid_restrict_first, m, all, a)
                     : LAUNCH(tl_grid_restrict, m, all, a);
    MX_TRY(first ? LAUNCH(tl_grid_restrict_first_even, m, even, a)
                 : LAUNCH(tl_grid_restrict_even, m, even, a));
    for (int d = m->solid ? 0 : 1; d < TL_GRID_DIMS; d++) {
        if (t->odd[d] < 0) continue;
        box last = all;
        last.begin[d] = all.end[d] - 1;
        MX_TRY(first ? LAUNCH(tl_grid_restrict_first, m, last, a)
                     : LAUNCH(tl_grid_restrict, m, last, a));
    }
    return MX_OK;
}

static mx_err smooth_and_restrict(tl_multigrid *m, int n)
{
    grid *const g = &m->grids[n];
    const box cells = cells_of(g, 0);
    MX_TRY(exchange(g, g->views.b));
    for (int s = 1; s < m->steps; s++) {
        tl_grid_args *const a = args_of(m, g, s);
        MX_TRY(s == 1 ? LAUNCH(tl_grid_second, m, cells, a) : LAUNCH(tl_grid_step, m, cells, a));
        MX_TRY(exchange(g, written_by(g, s)));
    }
    return restrict_residual(m, g, &m->grids[n + 1]);
}

/* The step with the correction. Hosts go by pairs of cells, but for the last three where their
 * number is odd: these are one coarse cell. */
static mx_err correct(tl_multigrid *m, grid *g, const tl_grid_args *a)
{
    const box cells = cells_of(g, 0);
    const bool first = m->steps == 1;
    box pairs = cells, left = cells;
    if (!m->by_pairs || a->transfer.shift[2] == 0)
        return first ? LAUNCH(tl_grid_correct_first, m, cells, a)
                     : LAUNCH(tl_grid_correct, m, cells, a);
    const bool odd = a->transfer.odd[2] >= 0;
    pairs.end[2] = g->cells[2] / 2 + (odd ? 0 : 1);
    left.begin[2] = cells.end[2] - 3;
    MX_TRY(first ? LAUNCH(tl_grid_correct_first_pairs, m, pairs, a)
                 : LAUNCH(tl_grid_correct_pairs, m, pairs, a));
    if (!odd) return MX_OK;
    return first ? LAUNCH(tl_grid_correct_first, m, left, a) : LAUNCH(tl_grid_correct, m, left, a);
}

/* The last step of a cycle, with the sum of r z: a single launch. */
static mx_err end_cycle(tl_multigrid *m, grid *g, const tl_grid_args *a, mx_view sums, int64_t at)
{
    box cells = cells_of(g, 0);
    if (m->steps > 1) return LAUNCH_INTO(tl_grid_last, m, cells, a, sums, at);
    if (!m->by_pairs || a->transfer.shift[2] == 0 || a->transfer.odd[2] >= 0)
        return LAUNCH_INTO(tl_grid_last_first, m, cells, a, sums, at);
    cells.end[2] = g->cells[2] / 2 + 1;
    return LAUNCH_INTO(tl_grid_last_first_pairs, m, cells, a, sums, at);
}

static mx_err prolong_and_smooth(tl_multigrid *m, int n, mx_view sums, int64_t at)
{
    grid *const g = &m->grids[n], *const coarse = &m->grids[n + 1];
    const int end = 2 * m->steps;
    /* small grids fill ghosts too */
    if (n + 2 < m->count) MX_TRY(exchange(coarse, coarse->views.x));
    for (int s = m->steps; s < end; s++) {
        tl_grid_args *const a = args_of(m, g, s);
        if (s > m->steps) MX_TRY(exchange(g, written_by(g, s - 1)));
        if (n == 0 && s + 1 == end)
            MX_TRY(end_cycle(m, g, a, sums, at));
        else if (s == m->steps)
            MX_TRY(correct(m, g, a));
        else
            MX_TRY(LAUNCH(tl_grid_step, m, cells_of(g, 0), a));
    }
    return MX_OK;
}

mx_err tl_multigrid_apply(tl_multigrid *m, mx_view sums, int64_t at)
{
    for (int n = 0; n + 1 < m->count; n++) MX_TRY(smooth_and_restrict(m, n));
    MX_TRY(tl_bottom_solve(m->base, &m->bottom));
    for (int n = m->count - 2; n >= 0; n--) MX_TRY(prolong_and_smooth(m, n, sums, at));
    if (m->count > 1) return MX_OK;
    return LAUNCH_INTO(tl_dot, m, cells_of(&m->grids[0], 0), &m->dot, sums, at);
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
    double cells[MAX_GRIDS] = {0};
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

/* ---- grids ---- */

static mx_err make_field(const tl_multigrid *m, grid *g, const char *label, mx_view *view,
                         mx_view *bound)
{
    const int64_t extents[] = {g->cells[0] + 2, g->cells[1] + 2, g->cells[2] + 2};
    MX_TRY(tl_make_array(m->base->ctx, label, m->solid ? 3 : 2, m->solid ? extents : extents + 1, 1,
                         view));
    *bound = *view;
    return m->solid ? tl_make_rows(m->base->ctx, *view, &g->shape.plane, &g->shape.row, bound)
                    : MX_OK;
}

/* The arrays that are not there yet. */
static mx_err make_fields(const tl_multigrid *m, grid *g)
{
    tl_grid_views *const v = &g->views, *const b = &g->bound;
    const struct {
        const char *label;
        mx_view *view, *bound;
        bool needed;
    } fields[] = {
        {"multigrid faces x", &v->face_x, &b->face_x, true},
        {"multigrid faces y", &v->face_y, &b->face_y, true},
        {"multigrid faces z", &v->face_z, &b->face_z, m->solid},
        {"multigrid 1 / diagonal", &v->weight, &b->weight, true},
        {"multigrid b", &v->b, &b->b, g != m->grids},
        {"multigrid x", &v->x, &b->x, g != m->grids},
        {"multigrid other x", &v->other, &b->other, m->steps > 1},
    };
    for (size_t f = 0; f < sizeof fields / sizeof fields[0]; f++)
        if (fields[f].needed)
            MX_TRY(make_field(m, g, fields[f].label, fields[f].view, fields[f].bound));
    if (!m->solid) b->face_z = b->face_x; /* not read */
    if (m->steps == 1) b->other = b->x;   /* not read */
    return MX_OK;
}

/* The grid's own arrays. */
static tl_grid_bindings bindings_of(const grid *g)
{
    const tl_grid_views *const b = &g->bound;
    return (tl_grid_bindings){.face_x = b->face_x,
                              .face_y = b->face_y,
                              .face_z = b->face_z,
                              .weight = b->weight,
                              .b = b->b,
                              .x = b->x};
}

static mx_err make_weights(tl_multigrid *m, grid *g)
{
    const tl_grid_bindings arrays = bindings_of(g);
    tl_grid_weight_args weight;
    MX_TRY(tl_grid_weight_args_bind(m->base->ctx, &arrays, &weight));
    weight.widths = g->widths;
    weight.shape = g->shape;
    MX_TRY(LAUNCH(tl_grid_weight, m, cells_of(g, 0), &weight));
    return exchange(g, g->views.weight);
}

/* Makes the solver's mesh the finest grid, with its r as b and its z as x. */
static mx_err set_finest(tl_multigrid *m, const tl_multigrid_of *of)
{
    grid *const g = &m->grids[0];
    const int flat = TL_GRID_DIMS - of->decomp->dims;
    g->decomp = *of->decomp;
    g->halo = of->halo;
    for (int d = 0; d < TL_GRID_DIMS; d++) {
        g->cells[d] = d < flat ? 1 : g->decomp.cells[d - flat];
        g->spacing[d] = of->spacing[d];
        g->widths.last[d] = g->cells[d];
        g->widths.width[d] = g->widths.last_width[d] = 1;
    }
    MX_TRY(mx_view_retain(g->views.b = of->r));
    MX_TRY(mx_view_retain(g->views.x = of->z));
    g->bound.b = of->bound->r;
    g->bound.x = of->bound->z;
    if (m->solid) {
        MX_TRY(mx_view_retain(g->bound.b));
        MX_TRY(mx_view_retain(g->bound.x));
    }
    return make_fields(m, g);
}

static mx_err make_finest(tl_multigrid *m, const tl_multigrid_of *of)
{
    grid *const g = &m->grids[0];
    tl_grid_fine_args fine;
    MX_TRY(set_finest(m, of));
    tl_grid_bindings arrays = bindings_of(g);
    arrays.v = of->bound->v;
    MX_TRY(tl_grid_fine_args_bind(m->base->ctx, &arrays, &fine));
    fine.rx = of->mesh->rx;
    fine.ry = of->mesh->ry;
    fine.rz = of->mesh->rz;
    fine.shape = g->shape;
    MX_TRY(LAUNCH(tl_grid_fine, m, cells_of(g, 1), &fine));
    return make_weights(m, g);
}

/* ---- coarser grids ---- */

/* The cells along dimension d of a rank with this coordinate, after so many halvings. */
static int cells_at(const app_decomp *decomp, int d, int coord, int halvings)
{
    const mx_gid rest = decomp->global[d] % decomp->ranks[d];
    int cells = (int)(decomp->global[d] / decomp->ranks[d]) + (coord < rest ? 1 : 0);
    for (int n = 0; n < halvings; n++) cells = tl_coarse_cells(cells);
    return cells;
}

/* The fewest cells of a rank along each dimension, and the cells of the domain. The last rank along
 * a dimension has the fewest. */
static double count_cells(const grid *g, int64_t *fewest)
{
    const app_decomp *const decomp = &g->decomp;
    const int flat = TL_GRID_DIMS - decomp->dims;
    double all = 1;
    fewest[0] = 1;
    for (int d = 0; d < decomp->dims; d++) {
        double along = 0;
        for (int c = 0; c < decomp->ranks[d]; c++)
            along += cells_at(decomp, d, c, g->halvings[d + flat]);
        fewest[d + flat] = cells_at(decomp, d, decomp->ranks[d] - 1, g->halvings[d + flat]);
        all *= along;
    }
    return all;
}

/* The geometry of the grid that is coarser along the dimensions with shift = 1. */
static void halve(const grid *fine, const int *shift, grid *coarse)
{
    const int flat = TL_GRID_DIMS - fine->decomp.dims;
    coarse->decomp = fine->decomp;
    for (int d = 0; d < TL_GRID_DIMS; d++) {
        const int cells = fine->cells[d], half = shift[d] == 1 ? tl_coarse_cells(cells) : cells;
        const tl_grid_widths *const w = &fine->widths;
        coarse->cells[d] = half;
        coarse->halvings[d] = fine->halvings[d] + shift[d];
        coarse->spacing[d] = fine->spacing[d] * (1 + shift[d]);
        coarse->widths.last[d] = half;
        coarse->widths.width[d] = w->width[d] * (1 + shift[d]);
        coarse->widths.last_width[d] = w->last_width[d];
        if (shift[d] == 1) /* behind the cells before the last one */
            coarse->widths.last_width[d] += w->width[d] * (cells - 1 - 2 * (half - 1));
        if (d >= flat) coarse->decomp.cells[d - flat] = half;
    }
}

static tl_transfer transfer_between(const grid *fine, const grid *coarse)
{
    tl_transfer t = {.plane = coarse->shape.plane, .row = coarse->shape.row};
    for (int d = 0; d < TL_GRID_DIMS; d++) {
        t.shift[d] = coarse->halvings[d] - fine->halvings[d];
        t.end[d] = fine->cells[d];
        t.last[d] = coarse->cells[d];
        t.odd[d] = t.shift[d] == 1 && fine->cells[d] % 2 == 1 ? fine->cells[d] : -1;
    }
    return t;
}

static mx_err make_coarse_matrix(tl_multigrid *m, const grid *fine, grid *g)
{
    tl_grid_bindings arrays = bindings_of(g);
    tl_grid_coarse_args coarse;
    arrays.fine_x = fine->bound.face_x;
    arrays.fine_y = fine->bound.face_y;
    arrays.fine_z = fine->bound.face_z;
    MX_TRY(tl_grid_coarse_args_bind(m->base->ctx, &arrays, &coarse));
    coarse.widths = g->widths;
    coarse.fine_widths = fine->widths;
    coarse.shape = fine->shape;
    coarse.transfer = transfer_between(fine, g);
    MX_TRY(LAUNCH(tl_grid_coarse, m, cells_of(g, 0), &coarse));
    const mx_view faces[] = {g->views.face_x, g->views.face_y, g->views.face_z};
    MX_TRY(app_box_halo_exchange(g->halo, 1, faces, m->solid ? 3 : 2, APP_HALO_FACES));
    return make_weights(m, g);
}

/* The arguments of a cycle on a grid and the next one. */
static mx_err bind_cycle(tl_multigrid *m, grid *g, const grid *coarse)
{
    const mx_ctx ctx = m->base->ctx;
    tl_grid_bindings arrays = bindings_of(g);
    const mx_view x = g->bound.x, other = g->bound.other;
    arrays.coarse = coarse->bound.x;
    arrays.next = x;
    arrays.x = other;
    MX_TRY(tl_grid_args_bind(ctx, &arrays, &g->to_x));
    arrays.next = other;
    arrays.x = x;
    MX_TRY(tl_grid_args_bind(ctx, &arrays, &g->to_other));
    arrays.next = coarse->bound.b;
    arrays.x = m->steps % 2 == 0 ? x : other;
    MX_TRY(tl_grid_args_bind(ctx, &arrays, &g->restriction));
    g->restriction.widths = g->to_x.widths = g->to_other.widths = g->widths;
    g->to_x.shape = g->shape;
    g->to_x.transfer = transfer_between(g, coarse);
    g->to_x.first = m->omega[0];
    g->to_other.shape = g->restriction.shape = g->shape;
    g->to_other.transfer = g->restriction.transfer = g->to_x.transfer;
    g->to_other.first = g->restriction.first = m->omega[0];
    return MX_OK;
}

/* The solver's mesh stays divided, unless one launch can do a cycle on it. */
static double small_cells(const tl_multigrid *m)
{
    if (m->count == 1 || app_size(m->base->comm) == 1) return BOTTOM_CELLS;
    return m->by_pairs ? GATHERED_CELLS : GATHERED_ON_DEVICE;
}

static mx_err make_coarse_grids(tl_multigrid *m)
{
    for (;;) {
        grid *const fine = &m->grids[m->count - 1], *const g = fine + 1;
        int64_t fewest[TL_GRID_DIMS];
        int shift[TL_GRID_DIMS];
        if (count_cells(fine, fewest) <= small_cells(m) || m->count == MAX_GRIDS ||
            !tl_coarsens(fewest, fine->spacing, shift))
            return MX_OK;
        m->count++;
        halve(fine, shift, g);
        MX_TRY(app_box_halo_create(m->base->transport, &g->decomp, 1, &g->halo));
        MX_TRY(make_fields(m, g));
        MX_TRY(make_coarse_matrix(m, fine, g));
        MX_TRY(bind_cycle(m, fine, g));
    }
}

/* ---- small grids ---- */

/* Fills in the widths of all cells along dimension d of the last grid. Returns their number. */
static int fill_widths(const grid *g, int d, double *widths)
{
    const app_decomp *const decomp = &g->decomp;
    const int flat = TL_GRID_DIMS - decomp->dims;
    int n = 0;
    if (d < flat) {
        if (widths != NULL) widths[0] = 1;
        return 1;
    }
    for (int c = 0; c < decomp->ranks[d - flat]; c++) {
        const int finest = cells_at(decomp, d - flat, c, 0);
        const int cells = cells_at(decomp, d - flat, c, g->halvings[d]);
        const double width = g->widths.width[d];
        for (int k = 0; widths != NULL && k < cells; k++)
            widths[n + k] = k + 1 < cells ? width : finest - (cells - 1) * width;
        n += cells;
    }
    return n;
}

static int cells_before(const grid *g, int d)
{
    const int flat = TL_GRID_DIMS - g->decomp.dims;
    int n = 0;
    for (int c = 0; d >= flat && c < g->decomp.coord[d - flat]; c++)
        n += cells_at(&g->decomp, d - flat, c, g->halvings[d]);
    return n;
}

static mx_err make_bottom(tl_multigrid *m)
{
    const grid *const g = &m->grids[m->count - 1];
    tl_bottom_of of = {.solid = m->solid,
                       .views = &g->bound,
                       .shape = g->shape,
                       .steps = m->steps,
                       .omega = m->omega};
    mx_err err = MX_OK;
    for (int d = 0; d < TL_GRID_DIMS; d++) {
        of.cells[d] = g->cells[d];
        of.first[d] = cells_before(g, d);
        of.global[d] = fill_widths(g, d, NULL);
        of.spacing[d] = g->spacing[d];
        of.width[d] = calloc((size_t)of.global[d], sizeof *of.width[d]);
        if (of.width[d] == NULL)
            err = MX_FAIL(MX_ERR_MEMORY, "no memory for the widths of %d cells", of.global[d]);
        else
            (void)fill_widths(g, d, of.width[d]);
    }
    if (err == MX_OK) err = tl_bottom_create(m->base, &of, &m->bottom);
    for (int d = 0; d < TL_GRID_DIMS; d++) free(of.width[d]);
    return err;
}

/* ---- all of it ---- */

static mx_err make_all(tl_multigrid *m, const tl_multigrid_of *of)
{
    const double theta = 1 + 1 / RATIO, delta = 1 - 1 / RATIO;
    for (int s = 0; s < m->steps; s++)
        m->omega[s] = 1 / (theta + delta * cos(acos(-1.0) * (2 * s + 1) / (2 * m->steps)));
    MX_TRY(make_finest(m, of));
    MX_TRY(make_coarse_grids(m));
    MX_TRY(make_bottom(m));
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
    m->count = 1;
    mx_ctx_info info;
    mx_err err = mx_ctx_get_info(m->base->ctx, &info);
    m->by_pairs = info.host_accessible;
    if (err == MX_OK) err = make_all(m, of);
    if (err != MX_OK) tl_multigrid_destroy(multigrid);
    return err;
}

static void destroy_views(tl_grid_views *v)
{
    mx_view *const all[] = {&v->face_x, &v->face_y, &v->face_z, &v->weight,
                            &v->b,      &v->x,      &v->other};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) (void)mx_view_destroy(all[i]);
}

void tl_multigrid_destroy(tl_multigrid **multigrid)
{
    tl_multigrid *const m = *multigrid;
    *multigrid = NULL;
    if (m == NULL) return;
    for (int n = 0; n < m->count; n++) {
        grid *const g = &m->grids[n];
        if (m->solid && m->steps == 1) g->bound.other = MX_VIEW_NULL; /* that of x */
        if (m->solid) destroy_views(&g->bound);
        destroy_views(&g->views);
        if (n > 0) app_box_halo_destroy(&g->halo);
    }
    tl_bottom_destroy(&m->bottom);
    free(m);
}
