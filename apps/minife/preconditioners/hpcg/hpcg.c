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
 * The matrix is stored once more, by colours. A row has its entries before it, whose columns come
 * earlier in a forward sweep, apart from those behind it. L and U are these, D the diagonal, so
 *
 *     forward      D x1 = b - L x1 - U x0
 *     backward     D x2 = b - L x1 - U x2  =  D x1 + U x0 - U x2
 *
 * So the sweep back reads only U, if the sweep forward keeps u = U x0. From x0 = 0 it reads only L
 * and keeps nothing: both together read the matrix once, and from any x0 one and a half times. The
 * residual is needed at the coarser mesh's nodes only, an eighth of the rows.
 *
 * HPCG exchanges ghosts once before a sweep, and each rank then works on its owned rows; so more
 * ranks need more iterations (16 x 8 x 24 elements: 17 on one rank, 22 on eight). Here ghosts are
 * exchanged before each colour, and the iterations are those of one rank. */
#include "fe_hpcg_kernels.h"
#include "preconditioners/fe_preconditioner.h"

#include <stdlib.h>

enum { GRIDS = 4, COLOURS = 8, ENTRY_BYTES = sizeof(double) + sizeof(int32_t) };
static const double FACTOR = 2;

typedef struct colour_views {
    mx_view before, before_column, behind, behind_column;
} colour_views;

typedef struct grid {
    fe_level coarse; /* all but the finest: the level */
    fe_level *level;
    mx_view b, x; /* the finest: the caller's */
    mx_view diagonal;
    mx_view u; /* all but the coarsest: see fe_sweep_forward */
    colour_views colours[COLOURS];
    fe_sweep_args sweep[COLOURS];
    fe_inject_args injection; /* to the next coarser grid, and back */
} grid;

typedef struct hpcg {
    grid grids[GRIDS];
} hpcg;

/* ---- the cycle ---- */

typedef mx_err sweep_kernel(mx_range_3, const fe_sweep_args *);

static mx_err sweep_colour(grid *g, int colour, sweep_kernel *kernel)
{
    const fe_sweep_args *const a = &g->sweep[colour];
    return kernel(fe_box_range(g->level, NULL, a->colour.count), a);
}

/* Backwards colour 0 would come again at once, which changes nothing. */
static mx_err sweep(grid *g, bool from_zero)
{
    for (int colour = COLOURS - 1; colour >= 0; colour--) {
        if (colour < COLOURS - 1 || !from_zero) MX_TRY(fe_exchange(g->level, g->x));
        MX_TRY(sweep_colour(g, colour, from_zero ? fe_sweep_first : fe_sweep_forward));
    }
    for (int colour = 1; colour < COLOURS; colour++) {
        MX_TRY(fe_exchange(g->level, g->x));
        MX_TRY(sweep_colour(g, colour, from_zero ? fe_sweep_back_first : fe_sweep_back));
    }
    return MX_OK;
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
        MX_TRY(sweep(g, true));
        MX_TRY(fe_exchange(g->level, g->x));
        MX_TRY(fe_inject(rows(g + 1), &g->injection));
    }
    MX_TRY(sweep(&h->grids[GRIDS - 1], true));
    for (int n = GRIDS - 2; n >= 0; n--) {
        grid *const g = &h->grids[n];
        MX_TRY(fe_inject_back(rows(g + 1), &g->injection));
        MX_TRY(sweep(g, false));
    }
    return MX_OK;
}

/* Of an entry off the diagonal its coefficient and column. From 0 a sweep reads b, the diagonal and
 * x, and writes x, forward (32 bytes a row); backward it reads and writes x and reads the diagonal
 * (24). From any x both have u too. */
static fe_work work_of_cycle(const void *state)
{
    enum { FROM_ZERO = 32 + 24, FROM_X = 32 + 24 + 16 };
    const hpcg *const h = state;
    fe_work work = {0, 0};
    for (int n = 0; n < GRIDS; n++) {
        const fe_level *const level = h->grids[n].level;
        const bool coarsest = n + 1 == GRIDS;
        const double of_rows = fe_rows(&level->mesh), entries = (double)level->entries - of_rows;
        const double read = coarsest ? 1 : 1 + 1.5 + 1.0 / COLOURS;
        work.bytes +=
            read * entries * ENTRY_BYTES + (FROM_ZERO + (coarsest ? 0 : FROM_X)) * of_rows;
        work.flops += read * entries * 2 + (coarsest ? 4 : 9) * of_rows;
    }
    return work;
}

/* ---- the matrix by colours ---- */

static fe_colour find_colour(const fe_mesh *m, int number)
{
    fe_colour c = {.number = number};
    for (int d = 0; d < 3; d++) {
        const int parity = number >> d & 1, end = m->first[d] + m->count[d];
        c.low[d] = m->first[d] + ((m->first[d] ^ parity) & 1);
        c.count[d] = c.low[d] < end ? (end - c.low[d] + 1) / 2 : 0;
    }
    return c;
}

/* The entries before a row of a colour: along each dimension in which the colours differ there are
 * two neighbours. */
static int entries_before(int colour)
{
    int entries = 0;
    for (int other = colour + 1; other < COLOURS; other++) {
        int of_other = 1;
        for (int d = 0; d < 3; d++) of_other *= (other ^ colour) >> d & 1 ? 2 : 1;
        entries += of_other;
    }
    return entries;
}

static mx_err make_colour_views(const grid *g, const fe_colour *c, colour_views *v)
{
    const mx_ctx ctx = g->level->base->ctx;
    const mx_view_options options = {.uninitialized = true};
    const int64_t of_colour = (int64_t)c->count[0] * c->count[1] * c->count[2];
    const int64_t before[] = {of_colour, entries_before(c->number)},
                  behind[] = {of_colour, FE_SLOTS - 1 - before[1]};
    MX_TRY(mx_view_create(ctx, "hpcg before", MX_F64, 2, before, &options, &v->before));
    MX_TRY(
        mx_view_create(ctx, "hpcg columns before", MX_I32, 2, before, &options, &v->before_column));
    MX_TRY(mx_view_create(ctx, "hpcg behind", MX_F64, 2, behind, &options, &v->behind));
    return mx_view_create(ctx, "hpcg columns behind", MX_I32, 2, behind, &options,
                          &v->behind_column);
}

static mx_err fill_colour(const grid *g, const fe_colour *c, const colour_views *v)
{
    const mx_ctx ctx = g->level->base->ctx;
    const fe_level_views *const matrix = &g->level->views;
    fe_colour_args a = {.mesh = g->level->mesh, .colour = *c};
    MX_TRY(mx_bind(ctx, matrix->begin, &a.begin));
    MX_TRY(mx_bind(ctx, matrix->column, &a.column));
    MX_TRY(mx_bind(ctx, matrix->value, &a.value));
    MX_TRY(mx_bind(ctx, v->before, &a.before));
    MX_TRY(mx_bind(ctx, v->before_column, &a.before_column));
    MX_TRY(mx_bind(ctx, v->behind, &a.behind));
    MX_TRY(mx_bind(ctx, v->behind_column, &a.behind_column));
    return fe_colour_rows(fe_box_range(g->level, NULL, c->count), &a);
}

static mx_err bind_sweep(const grid *g, const colour_views *v, fe_sweep_args *a)
{
    const mx_ctx ctx = g->level->base->ctx;
    MX_TRY(mx_bind(ctx, v->before, &a->before));
    MX_TRY(mx_bind(ctx, v->before_column, &a->before_column));
    MX_TRY(mx_bind(ctx, v->behind, &a->behind));
    MX_TRY(mx_bind(ctx, v->behind_column, &a->behind_column));
    MX_TRY(mx_bind(ctx, g->diagonal, &a->diagonal));
    MX_TRY(mx_bind(ctx, g->b, &a->b));
    mx_bind_none(&a->u);
    if (g->u.generation != 0) MX_TRY(mx_bind(ctx, g->u, &a->u));
    return mx_bind(ctx, g->x, &a->x);
}

static mx_err make_colours(grid *g)
{
    MX_TRY(mx_view_create_1d(g->level->base->ctx, "hpcg diagonal", MX_F64, fe_rows(&g->level->mesh),
                             &g->diagonal));
    MX_TRY(fe_diagonal(g->level, g->diagonal));
    for (int n = 0; n < COLOURS; n++) {
        fe_sweep_args *const a = &g->sweep[n];
        a->mesh = g->level->mesh;
        a->colour = find_colour(&a->mesh, n);
        MX_TRY(make_colour_views(g, &a->colour, &g->colours[n]));
        MX_TRY(fill_colour(g, &a->colour, &g->colours[n]));
        MX_TRY(bind_sweep(g, &g->colours[n], a));
    }
    return MX_OK;
}

/* ---- the levels ---- */

static mx_err bind_injection(grid *g)
{
    const mx_ctx ctx = g->level->base->ctx;
    const fe_pair pair = {g->level->mesh, g[1].level->mesh};
    g->injection.pair = pair;
    g->injection.factor = FACTOR;
    MX_TRY(mx_bind(ctx, g->colours[0].before, &g->injection.before));
    MX_TRY(mx_bind(ctx, g->colours[0].before_column, &g->injection.before_column));
    MX_TRY(mx_bind(ctx, g->diagonal, &g->injection.diagonal));
    MX_TRY(mx_bind(ctx, g->b, &g->injection.b));
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
        MX_TRY(mx_view_create_1d(finest->base->ctx, "hpcg u", MX_F64, fe_rows(&finer->level->mesh),
                                 &finer->u));
    }
    for (int n = 0; n < GRIDS; n++) MX_TRY(make_colours(&h->grids[n]));
    for (int n = 0; n + 1 < GRIDS; n++) MX_TRY(bind_injection(&h->grids[n]));
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
        (void)mx_view_destroy(&g->u);
        (void)mx_view_destroy(&g->diagonal);
        for (int c = 0; c < COLOURS; c++) {
            colour_views *const v = &g->colours[c];
            (void)mx_view_destroy(&v->before);
            (void)mx_view_destroy(&v->before_column);
            (void)mx_view_destroy(&v->behind);
            (void)mx_view_destroy(&v->behind_column);
        }
        if (n == 0) continue; /* the caller's */
        (void)mx_view_destroy(&g->b);
        (void)mx_view_destroy(&g->x);
        fe_level_destroy(&g->coarse);
    }
    free(h);
}

const fe_preconditioner_form fe_preconditioner_hpcg = {.vectors = 2,
                                                       .matrix_bytes = FE_SLOTS * ENTRY_BYTES,
                                                       .many_kernels = true,
                                                       .create = create,
                                                       .destroy = destroy,
                                                       .apply = cycle,
                                                       .work = work_of_cycle};
