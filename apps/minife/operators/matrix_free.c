/* Products without a stored matrix. */
#include "level/fe_operator.h"

/* As fe_hex8.h has it. */
static const double GAUSS_POINT = 0.577350269;

static mx_err bind_args(fe_level *level, mx_view x, mx_view y, bool raw)
{
    const mx_ctx ctx = level->base->ctx;
    const bool uniform = level->input->operator== FE_OPERATOR_UNIFORM;
    fe_free_args *const a = &level->free;
    a->mesh = level->mesh;
    a->raw = raw;
    for (int d = 0; d < 3; d++) {
        a->from[d] = level->from[d];
        a->to[d] = level->to[d];
    }
    mx_bind_none(&a->line);
    mx_bind_none(&a->coordinates);
    if (uniform)
        MX_TRY(mx_bind(ctx, level->views.line, &a->line));
    else
        MX_TRY(mx_bind(ctx, level->views.coordinates, &a->coordinates));
    MX_TRY(mx_bind(ctx, x, &a->x));
    return mx_bind(ctx, y, &a->y);
}

/* ---- by elements ---- */

/* Hosts: lines of elements in 4 colours. Devices: elements in 8. */
static mx_err add_colours(const fe_level *level, fe_free_args *a)
{
    const mx_ctx ctx = level->base->ctx;
    const bool host = !fe_on_device(level);
    for (int colour = 0; colour < (host ? 4 : 8); colour++) {
        int end[3];
        for (int d = 0; d < 3; d++) {
            a->low[d] = level->from[d] + (colour >> d & 1);
            end[d] = a->low[d] < level->to[d] ? (level->to[d] - a->low[d] + 1) / 2 : 0;
        }
        MX_TRY(host ? fe_elements_line(mx_range_2d(ctx, 0, end[0], 0, end[1]), a)
                    : fe_elements_one(fe_box_range(level, NULL, end), a));
    }
    return MX_OK;
}

static mx_err apply_elements(const fe_level *level, fe_free_args *a, const fe_dot_product *dot)
{
    const mx_range_1 rows = mx_range_1d(level->base->ctx, 0, fe_rows(&level->mesh));
    MX_TRY(fe_elements_begin(rows, a));
    MX_TRY(add_colours(level, a));
    return dot == NULL ? MX_OK : fe_elements_dot_into(rows, a, dot->view, dot->at);
}

/* ---- by nodes ---- */

/* Divides planes `first` to `end` - 1 into blocks. */
static int64_t divide_planes(const fe_level *level, fe_free_args *a, const int *largest)
{
    const fe_mesh *const m = &level->mesh;
    const int low[] = {m->first[0] + a->first, m->first[1], m->first[2]},
              count[] = {a->end - a->first, m->count[1], m->count[2]};
    return fe_divide_rows(&a->blocks, low, count, largest);
}

static mx_err apply_blocks(const fe_level *level, fe_free_args *a, const fe_dot_product *dot)
{
    static const int largest[] = {16, 16, 128};
    const int64_t blocks = divide_planes(level, a, largest);
    const size_t scratch =
        (size_t)(4 * a->blocks.size[1] + 4) * (size_t)a->blocks.pitch * sizeof(double);
    const mx_teams teams =
        mx_with_scratch(mx_league(level->base->ctx, blocks, 1, 1), 1, scratch, 0);
    return dot == NULL ? fe_nodes_block(teams, a)
                       : fe_nodes_block_dot_into(teams, a, dot->view, dot->at);
}

/* On cuda a plane of a tile has 256 elements, one more than rows along y and x: an element for each
 * lane. */
static mx_err apply_tiles(const fe_level *level, fe_free_args *a, const fe_dot_product *dot)
{
    static const int largest[] = {50, 7, 31};
    const int64_t tiles = divide_planes(level, a, largest);
    const int y = a->blocks.size[1], x = a->blocks.size[2];
    const size_t scratch = (size_t)(8 * (y + 1) * (x + 1) + y * x) * sizeof(double);
    const mx_teams teams =
        mx_with_scratch(mx_league(level->base->ctx, tiles, MX_AUTO, MX_AUTO), 0, scratch, 0);
    return dot == NULL ? fe_nodes_tile(teams, a)
                       : fe_nodes_tile_dot_into(teams, a, dot->view, dot->at);
}

static mx_err apply_nodes(const fe_level *level, fe_free_args *a, const fe_dot_product *dot)
{
    return fe_on_device(level) ? apply_tiles(level, a, dot) : apply_blocks(level, a, dot);
}

/* ---- uniform mesh ---- */

/* On boxes the matrix of an element is a sum of products along the dimensions: stiffness along one,
 * masses along the others. So are the coefficients of a row. Assembled along one dimension with
 * elements of length h and Gauss points at -g and g, row i has the stiffnesses 2 / h (i) and -1 / h
 * (i - 1, i + 1), and the masses h (1 + g^2) / 2 and h (1 - g^2) / 4. */
static double coefficient(const fe_mesh *m, int dz, int dy, int dx)
{
    const int at[] = {dz, dy, dx};
    const double g2 = GAUSS_POINT * GAUSS_POINT;
    double stiffness[3], mass[3];
    for (int d = 0; d < 3; d++) {
        const double h = 1.0 / m->elements[d];
        stiffness[d] = at[d] == 0 ? 2 / h : -1 / h;
        mass[d] = at[d] == 0 ? h * (1 + g2) / 2 : h * (1 - g2) / 4;
    }
    return stiffness[0] * mass[1] * mass[2] + mass[0] * stiffness[1] * mass[2] +
           mass[0] * mass[1] * stiffness[2];
}

/* Hosts: teams with some lines each. Devices: columns along z. */
static mx_err apply_uniform(const fe_level *level, fe_free_args *a, const fe_dot_product *dot)
{
    enum { LINES_PER_TEAM = 8, PLANES = 16 };
    const mx_ctx ctx = level->base->ctx;
    const int *const n = level->mesh.count;
    for (int k = 0; k < 9; k++)
        for (int side = 0; side < 2; side++)
            a->stencil[k][side] = coefficient(&level->mesh, k / 3 - 1, k % 3 - 1, side);
    a->lines_per_team = LINES_PER_TEAM;
    a->planes = PLANES;
    if (fe_on_device(level)) {
        const int columns[] = {(a->end - a->first + PLANES - 1) / PLANES, n[1], n[2]};
        const mx_range_3 range = fe_box_range(level, NULL, columns);
        return dot == NULL ? fe_uniform_column(range, a)
                           : fe_uniform_column_dot_into(range, a, dot->view, dot->at);
    }
    const int64_t lines = (int64_t)(a->end - a->first) * n[1];
    const mx_teams teams = mx_league(ctx, (lines + LINES_PER_TEAM - 1) / LINES_PER_TEAM, 1, 1);
    return dot == NULL ? fe_uniform(teams, a) : fe_uniform_dot_into(teams, a, dot->view, dot->at);
}

mx_err fe_diagonal_of_uniform(const fe_level *level, mx_view diagonal)
{
    const mx_ctx ctx = level->base->ctx;
    fe_uniform_diagonal_args a = {.mesh = level->mesh,
                                  .centre = coefficient(&level->mesh, 0, 0, 0)};
    MX_TRY(mx_bind(ctx, diagonal, &a.diagonal));
    return fe_uniform_diagonal(mx_range_1d(ctx, 0, fe_rows(&level->mesh)), &a);
}

/* ---- all ---- */

mx_err fe_apply_free(fe_level *level, mx_view x, mx_view y, const fe_dot_product *dot, fe_part part,
                     bool raw)
{
    fe_free_args *const a = &level->free;
    const fe_part planes = fe_planes_of(level, part);
    a->first = planes.first;
    a->end = planes.end;
    MX_TRY(bind_args(level, x, y, raw));
    switch (level->input->operator) {
    case FE_OPERATOR_ELEMENTS: return apply_elements(level, a, dot);
    case FE_OPERATOR_NODES: return apply_nodes(level, a, dot);
    default: return apply_uniform(level, a, dot);
    }
}

/* Bytes: x, y, and for elements and nodes the coordinates, once each. Operations for an element,
 * with one for each addition or multiplication: to and from modes 5 fields of 24 of either; at each
 * of 8 points 9 derivatives of coordinates and 3 of u of 6, the adjugate and |J| 32, the reciprocal
 * 1, gradients and fluxes 33, and 22 to add them. A row of the stencil has 9 lines of 5. */
fe_work fe_work_of_free_product(const fe_level *level)
{
    enum { OF_ELEMENT = 5 * 24 * 2 + 8 * (12 * 6 + 32 + 1 + 33 + 22), OF_ROW = 9 * 5 };
    const double rows = fe_rows(&level->mesh);
    fe_work work = {rows * 16, rows * OF_ROW};
    if (level->input->operator== FE_OPERATOR_UNIFORM) return work;
    double elements = 1;
    for (int d = 0; d < 3; d++) elements *= level->to[d] - level->from[d];
    work.bytes += (double)fe_held(&level->mesh) * 24;
    work.flops = elements * OF_ELEMENT;
    return work;
}
