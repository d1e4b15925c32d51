/* Makes multigrid's grids: the arrays of the divided ones, their matrices and the arguments of a
 * cycle, down to the small grids, which each rank has whole (bottom.c). multigrid.c has the method. */
#include "mesh/tl_arrays.h"
#include "tl_grids.h"

#include <stdlib.h>

/* A grid of at most so many cells is the first of the small ones. Ranks gather a coarse grid of more
 * cells, because its exchanges, four for two smoothing steps, would take longer than all of its cells
 * do: on a device each is a message, with up to three launches. */
static const double BOTTOM_CELLS = 2048, GATHERED_CELLS = 8192, GATHERED_ON_DEVICE = 262144;

/* ---- grids ---- */

static mx_err make_field(const tl_multigrid *m, tl_grid *g, const char *label, int number,
                         mx_view *view, mx_view *bound)
{
    const int64_t extents[] = {g->cells[0] + 2, g->cells[1] + 2, g->cells[2] + 2};
    MX_TRY(tl_make_array(m->base->ctx, label, m->solid ? 3 : 2, m->solid ? extents : extents + 1, 1,
                         number, view));
    *bound = *view;
    return m->solid ? tl_make_rows(m->base->ctx, *view, &g->shape.plane, &g->shape.row, bound)
                    : MX_OK;
}

/* The arrays that are not there yet. */
static mx_err make_fields(const tl_multigrid *m, tl_grid *g)
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
            MX_TRY(make_field(m, g, fields[f].label, (int)f, fields[f].view, fields[f].bound));
    if (!m->solid) b->face_z = b->face_x; /* not read */
    if (m->steps == 1) b->other = b->x;   /* not read */
    return MX_OK;
}

/* The grid's own arrays. */
static tl_grid_bindings bindings_of(const tl_grid *g)
{
    const tl_grid_views *const b = &g->bound;
    return (tl_grid_bindings){.face_x = b->face_x,
                              .face_y = b->face_y,
                              .face_z = b->face_z,
                              .weight = b->weight,
                              .b = b->b,
                              .x = b->x};
}

static mx_err make_weights(tl_multigrid *m, tl_grid *g)
{
    const tl_grid_bindings arrays = bindings_of(g);
    tl_grid_weight_args weight;
    MX_TRY(tl_grid_weight_args_bind(m->base->ctx, &arrays, &weight));
    weight.widths = g->widths;
    weight.shape = g->shape;
    MX_TRY(TL_LAUNCH(tl_grid_weight, m, tl_cells_of(g, 0), &weight));
    return tl_grid_exchange(g, g->views.weight);
}

/* Makes the solver's mesh the finest grid, with its r as b and its z as x. */
static mx_err set_finest(tl_multigrid *m, const tl_multigrid_of *of)
{
    tl_grid *const g = &m->grids[0];
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
    tl_grid *const g = &m->grids[0];
    tl_grid_fine_args fine;
    MX_TRY(set_finest(m, of));
    tl_grid_bindings arrays = bindings_of(g);
    arrays.v = of->bound->v;
    MX_TRY(tl_grid_fine_args_bind(m->base->ctx, &arrays, &fine));
    fine.rx = of->mesh->rx;
    fine.ry = of->mesh->ry;
    fine.rz = of->mesh->rz;
    fine.shape = g->shape;
    MX_TRY(TL_LAUNCH(tl_grid_fine, m, tl_cells_of(g, 1), &fine));
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
static double count_cells(const tl_grid *g, int64_t *fewest)
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
static void halve(const tl_grid *fine, const int *shift, tl_grid *coarse)
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

static tl_transfer transfer_between(const tl_grid *fine, const tl_grid *coarse)
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

static mx_err make_coarse_matrix(tl_multigrid *m, const tl_grid *fine, tl_grid *g)
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
    MX_TRY(TL_LAUNCH(tl_grid_coarse, m, tl_cells_of(g, 0), &coarse));
    const mx_view faces[] = {g->views.face_x, g->views.face_y, g->views.face_z};
    MX_TRY(app_box_halo_exchange(g->halo, 1, faces, m->solid ? 3 : 2, APP_HALO_FACES));
    return make_weights(m, g);
}

/* The arguments of a cycle on a grid and the next one. */
static mx_err bind_cycle(tl_multigrid *m, tl_grid *g, const tl_grid *coarse)
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
        tl_grid *const fine = &m->grids[m->count - 1], *const g = fine + 1;
        int64_t fewest[TL_GRID_DIMS];
        int shift[TL_GRID_DIMS];
        if (count_cells(fine, fewest) <= small_cells(m) || m->count == TL_MAX_GRIDS ||
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
static int fill_widths(const tl_grid *g, int d, double *widths)
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

static int cells_before(const tl_grid *g, int d)
{
    const int flat = TL_GRID_DIMS - g->decomp.dims;
    int n = 0;
    for (int c = 0; d >= flat && c < g->decomp.coord[d - flat]; c++)
        n += cells_at(&g->decomp, d - flat, c, g->halvings[d]);
    return n;
}

static mx_err make_bottom(tl_multigrid *m)
{
    const tl_grid *const g = &m->grids[m->count - 1];
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

/* ---- all of them ---- */

mx_err tl_grids_create(tl_multigrid *m, const tl_multigrid_of *of)
{
    m->count = 1;
    MX_TRY(make_finest(m, of));
    MX_TRY(make_coarse_grids(m));
    return make_bottom(m);
}

static void destroy_views(tl_grid_views *v)
{
    mx_view *const all[] = {&v->face_x, &v->face_y, &v->face_z, &v->weight,
                            &v->b,      &v->x,      &v->other};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) (void)mx_view_destroy(all[i]);
}

void tl_grids_destroy(tl_multigrid *m)
{
    for (int n = 0; n < m->count; n++) {
        tl_grid *const g = &m->grids[n];
        if (m->solid && m->steps == 1) g->bound.other = MX_VIEW_NULL; /* that of x */
        if (m->solid) destroy_views(&g->bound);
        destroy_views(&g->views);
        if (n > 0) app_box_halo_destroy(&g->halo);
    }
    tl_bottom_destroy(&m->bottom);
}
