/* Geometric multigrid: one V-cycle for A x = b, from x = 0.
 *
 *     level 0, the finest    smooth, residual                  correct, smooth
 *     level 1                     smooth, residual        correct, smooth
 *     ...                              ...              ...
 *     the coarsest                          solve by the inverse
 *
 * The same smoother before and after the correction, and restriction as the transpose of
 * prolongation, make the cycle symmetric.
 *
 * Coarsening: an element is a box of the unit cube, and its shape decides which neighbours are
 * strongly coupled. So a dimension is coarsened, to half of its elements, rounded up, if it has
 * more than half as many elements as the longest one: flat elements become cubes first. The
 * coarsest level has at most 4 elements along each dimension. Operators are discretised anew on
 * each level, with the nodes of that level; on nested uniform meshes that is the Galerkin product.
 *
 * Where the operator stores a matrix, the finest level has half of it, in floats, and so have the
 * coarser levels, but of equal elements these have the stencil (fe_half.h). Vectors are doubles.
 *
 * Ranks: a coarse node belongs to the rank with the fine node at its place (fe_coarse.h), so a
 * transfer costs one exchange of coarse ghosts, and ranks may have no nodes at all on coarse
 * levels. On the coarsest level every rank has all of the right-hand side, by one sum over ranks,
 * and multiplies it by its rows of the inverse. */
#include "fe_multigrid_kernels.h"
#include "preconditioners/chebyshev/fe_smoother.h"
#include "preconditioners/fe_preconditioner.h"

#include <math.h>
#include <stdlib.h>

/* elements along a dimension: fe_quotient can divide the product of those of two levels */
enum { MAX_GRIDS = 32, BOTTOM_ELEMENTS = 4, MAX_ELEMENTS = 90000000 };

/* The smoother damps errors whose eigenvalues are above high / RATIO: those that the coarser mesh
 * does not have. */
static const double RATIO = 4;

typedef struct grid {
    fe_level coarse; /* all but the finest: the level */
    fe_level *level;
    mx_view b, x;
    fe_smoother smoother;         /* all but the coarsest */
    fe_restrict_args restriction; /* from here to the next coarser grid, */
    fe_prolong_args prolongation; /* and back */
} grid;

typedef struct multigrid {
    int count;
    grid grids[MAX_GRIDS];
    mx_view all, inverse; /* the coarsest level: see fe_bottom_args */
    fe_bottom_args bottom;
} multigrid;

/* ---- the cycle ---- */

static mx_err smooth_and_restrict(multigrid *m, int n)
{
    grid *const fine = &m->grids[n], *const coarse = &m->grids[n + 1];
    const int *held = coarse->level->mesh.extent;
    MX_TRY(fe_smooth(&fine->smoother, FE_FROM_ZERO));
    MX_TRY(fe_smoother_product(&fine->smoother));
    MX_TRY(fe_restrict(fe_box_range(coarse->level, NULL, held), &fine->restriction));
    if (app_size(fine->level->base->comm) == 1) return MX_OK;
    return app_reverse(coarse->level->ghosts, 1, &coarse->b);
}

/* The lines of a prolongation: on devices neighbouring lanes have neighbouring nodes. */
static mx_teams teams_of_lines(grid *fine)
{
    enum { LINES = 8, LANES = 32 };
    const fe_level *level = fine->level;
    const int lines = level->mesh.count[0] * level->mesh.count[1];
    const int league = (lines + LINES - 1) / LINES;
    fine->prolongation.lines_per_team = LINES;
    return fe_on_device(level) ? mx_league(level->base->ctx, league, LINES, LANES)
                               : mx_league(level->base->ctx, league, 1, 1);
}

static mx_err prolong_and_smooth(multigrid *m, int n)
{
    grid *const fine = &m->grids[n], *const coarse = &m->grids[n + 1];
    if (n + 2 < m->count) MX_TRY(fe_exchange(coarse->level, coarse->x)); /* the coarsest has them */
    MX_TRY(fe_prolong(teams_of_lines(fine), &fine->prolongation));
    return fe_smooth(&fine->smoother, FE_FROM_X);
}

static mx_err solve_bottom(multigrid *m)
{
    const fe_level *level = m->grids[m->count - 1].level;
    const int *held = level->mesh.extent;
    const mx_ctx ctx = level->base->ctx;
    const int64_t nodes = level->all_rows;
    MX_TRY(fe_bottom_collect(mx_range_1d(ctx, 0, nodes), &m->bottom));
    MX_TRY(app_sum_view(level->base->transport, m->all, 0, nodes));
    return fe_bottom_solve(fe_box_range(level, NULL, held), &m->bottom);
}

static mx_err cycle(void *state)
{
    multigrid *const m = state;
    for (int n = 0; n + 1 < m->count; n++) MX_TRY(smooth_and_restrict(m, n));
    MX_TRY(solve_bottom(m));
    for (int n = m->count - 2; n >= 0; n--) MX_TRY(prolong_and_smooth(m, n));
    return MX_OK;
}

/* Transfers read b, w and the coarse correction, and read and write x: 32 bytes a fine row, 16 a
 * coarse one. Flops: a fine row takes part in 8 coarse ones, with 2 each, both ways. */
static fe_work work_of_cycle(const void *state)
{
    const multigrid *const m = state;
    const double bottom = (double)m->grids[m->count - 1].level->all_rows,
                 rows = fe_rows(&m->grids[m->count - 1].level->mesh);
    fe_work work = {8 * rows * bottom, 2 * rows * bottom};
    for (int n = 0; n + 1 < m->count; n++) {
        const grid *g = &m->grids[n];
        const fe_work before = fe_work_of_smoother(&g->smoother, FE_FROM_ZERO),
                      after = fe_work_of_smoother(&g->smoother, FE_FROM_X),
                      product = fe_work_of_product(g->smoother.level);
        const double fine = fe_rows(&g->level->mesh), coarse = fe_rows(&g[1].level->mesh);
        work.bytes += before.bytes + after.bytes + product.bytes + 32 * fine + 16 * coarse;
        work.flops += before.flops + after.flops + product.flops + 33 * fine;
    }
    return work;
}

/* ---- the coarsest level ---- */

static fe_node node_of_id(const fe_mesh *m, int id)
{
    const int *n = m->elements;
    const fe_node node = {
        {id / ((n[1] + 1) * (n[2] + 1)), id / (n[2] + 1) % (n[1] + 1), id % (n[2] + 1)}};
    return node;
}

static bool is_held(const fe_mesh *m, fe_node n)
{
    for (int d = 0; d < 3; d++)
        if (n.at[d] < m->low[d] || n.at[d] >= m->low[d] + m->extent[d]) return false;
    return true;
}

/* Fills the owned rows of column `id`, from the product of A and a unit vector. */
static mx_err make_column(grid *g, mx_view product, int id, double *x, double *y, double *matrix)
{
    const mx_ctx ctx = g->level->base->ctx;
    const fe_mesh *m = &g->level->mesh;
    const fe_node node = node_of_id(m, id);
    const bool held = is_held(m, node);
    if (held) x[fe_local(m, node)] = 1;
    MX_TRY(mx_import(ctx, g->x, x, NULL));
    MX_TRY(fe_apply(g->level, g->x, product));
    MX_TRY(mx_export(ctx, product, y, NULL));
    if (held) x[fe_local(m, node)] = 0;
    for (int row = 0; row < fe_rows(m); row++)
        matrix[fe_id(m, fe_node_of_row(m, row)) * g->level->all_rows + id] = y[row];
    return MX_OK;
}

/* Replaces a symmetric positive definite matrix by its inverse, by Gauss-Jordan elimination (which
 * needs no pivots for these). */
static mx_err invert(double *a, int n)
{
    for (int k = 0; k < n; k++) {
        const double pivot = a[k * n + k];
        MX_REQUIRE(pivot > 0, MX_ERR_ARG,
                   "the matrix of the coarsest level is not positive definite");
        a[k * n + k] = 1;
        for (int j = 0; j < n; j++) a[k * n + j] /= pivot;
        for (int i = 0; i < n; i++) {
            if (i == k) continue;
            const double factor = a[i * n + k];
            a[i * n + k] = 0;
            for (int j = 0; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
        }
    }
    for (int i = 0; i < n; i++) /* symmetric to the last bit */
        for (int j = 0; j < i; j++) a[i * n + j] = a[j * n + i];
    return MX_OK;
}

/* memory: of the whole matrix, and of two vectors behind it */
static mx_err make_columns(grid *g, double *memory)
{
    const int nodes = (int)g->level->all_rows;
    double *const x = memory + nodes * nodes, *const y = x + nodes;
    mx_view product;
    MX_TRY(mx_view_create_1d(g->level->base->ctx, "product of a column", MX_F64,
                             fe_rows(&g->level->mesh), &product));
    mx_err err = MX_OK;
    for (int id = 0; id < nodes && err == MX_OK; id++)
        err = make_column(g, product, id, x, y, memory);
    (void)mx_view_destroy(&product);
    return err;
}

static mx_err fill_bottom(multigrid *m, double *memory)
{
    grid *const g = &m->grids[m->count - 1];
    const int nodes = (int)g->level->all_rows;
    MX_TRY(app_agree(g->level->base->comm, make_columns(g, memory)));
    MX_TRY(app_sum_f64(g->level->base->comm, memory, nodes * nodes));
    MX_TRY(invert(memory, nodes));
    return mx_import(g->level->base->ctx, m->inverse, memory, NULL);
}

static mx_err make_bottom(multigrid *m)
{
    grid *const g = &m->grids[m->count - 1];
    const mx_ctx ctx = g->level->base->ctx;
    const size_t nodes = (size_t)g->level->all_rows;
    fe_bottom_args *const a = &m->bottom;
    MX_TRY(mx_view_create_1d(ctx, "coarsest b", MX_F64, nodes, &m->all));
    MX_TRY(mx_view_create_2d(ctx, "coarsest inverse", MX_F64, nodes, nodes, &m->inverse));
    a->mesh = g->level->mesh;
    MX_TRY(mx_bind(ctx, g->b, &a->b));
    MX_TRY(mx_bind(ctx, g->x, &a->x));
    MX_TRY(mx_bind(ctx, m->all, &a->all));
    MX_TRY(mx_bind(ctx, m->inverse, &a->inverse));
    double *const memory = calloc(nodes * nodes + 2 * nodes, sizeof *memory);
    mx_err err = memory != NULL ? MX_OK : MX_FAIL(MX_ERR_MEMORY, "no memory for %zu nodes", nodes);
    err = app_agree(g->level->base->comm, err);
    if (err == MX_OK) err = fill_bottom(m, memory);
    free(memory);
    return err;
}

/* ---- the levels ---- */

/* *coarser: the elements of the next coarser level; false: there is none. */
static bool coarsen(const int *elements, mx_gid *coarser)
{
    int longest = 0;
    for (int d = 0; d < 3; d++) longest = elements[d] > longest ? elements[d] : longest;
    for (int d = 0; d < 3; d++)
        coarser[d] = 2 * elements[d] > longest ? (elements[d] + 1) / 2 : elements[d];
    return longest > BOTTOM_ELEMENTS;
}

static mx_err make_grid(const grid *finer, const mx_gid *elements, grid *g)
{
    const mx_ctx ctx = finer->level->base->ctx;
    g->level = &g->coarse;
    MX_TRY(fe_half_coarse(finer->level, elements, g->level));
    MX_TRY(mx_view_create_1d(ctx, "multigrid b", MX_F64, fe_held(&g->level->mesh), &g->b));
    return mx_view_create_1d(ctx, "multigrid x", MX_F64, fe_held(&g->level->mesh), &g->x);
}

static mx_err bind_transfers(grid *fine, const grid *coarse)
{
    const mx_ctx ctx = fine->level->base->ctx;
    const fe_smoother_views *v = &fine->smoother.views;
    const fe_pair pair = {fine->level->mesh, coarse->level->mesh};
    fine->restriction.pair = fine->prolongation.pair = pair;
    MX_TRY(mx_bind(ctx, v->b, &fine->restriction.b));
    MX_TRY(mx_bind(ctx, v->w, &fine->restriction.w));
    MX_TRY(mx_bind(ctx, coarse->b, &fine->restriction.coarse));
    MX_TRY(mx_bind(ctx, v->x, &fine->prolongation.x));
    return mx_bind(ctx, coarse->x, &fine->prolongation.coarse);
}

static mx_err make_grids(multigrid *m, fe_level *finest, mx_view b, mx_view x)
{
    const int degree = (int)finest->input->chebyshev_degree;
    mx_gid coarser[3];
    for (int d = 0; d < 3; d++)
        MX_REQUIRE(
            finest->mesh.elements[d] <= MAX_ELEMENTS, MX_ERR_INPUT,
            "preconditioner=multigrid: got %d elements along a dimension, expected at most %d",
            finest->mesh.elements[d], MAX_ELEMENTS);
    m->count = 1;
    m->grids[0].level = finest;
    MX_TRY(mx_view_retain(m->grids[0].b = b));
    MX_TRY(mx_view_retain(m->grids[0].x = x));
    while (coarsen(m->grids[m->count - 1].level->mesh.elements, coarser)) {
        grid *const fine = &m->grids[m->count - 1], *const g = &m->grids[m->count];
        m->count++;
        MX_TRY(fe_smoother_create(fine->level, fine->b, fine->x, degree, RATIO, &fine->smoother));
        MX_TRY(make_grid(fine, coarser, g));
        MX_TRY(bind_transfers(fine, g));
    }
    return make_bottom(m);
}

static mx_err create(fe_level *finest, mx_view b, mx_view x, void **state)
{
    multigrid *const m = *state = calloc(1, sizeof *m);
    MX_REQUIRE(m != NULL, MX_ERR_MEMORY, "no memory for the levels of multigrid");
    return make_grids(m, finest, b, x);
}

static void destroy(void *state)
{
    multigrid *const m = state;
    for (int n = 0; n < m->count; n++) {
        grid *const g = &m->grids[n];
        fe_smoother_destroy(&g->smoother);
        (void)mx_view_destroy(&g->b);
        (void)mx_view_destroy(&g->x);
        if (n > 0) fe_level_destroy(&g->coarse);
    }
    (void)mx_view_destroy(&m->all);
    (void)mx_view_destroy(&m->inverse);
    free(m);
}

const fe_preconditioner_form fe_preconditioner_multigrid = {.vectors = 3,
                                                            .matrix_bytes = FE_HALF_ROW_BYTES,
                                                            .many_kernels = true,
                                                            .create = create,
                                                            .destroy = destroy,
                                                            .apply = cycle,
                                                            .work = work_of_cycle};
