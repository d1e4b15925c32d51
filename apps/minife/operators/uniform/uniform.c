/* uniform: the constant stencil of a mesh of equal boxes. */
#include "fe_uniform.h"
#include "operators/shared/fe_line_table.h"

/* As mesh/fe_hex8.h has it. */
static const double GAUSS_POINT = 0.577350269;

static mx_err set_up(fe_level *level, int64_t *values)
{
    (void)values;
    return fe_make_line_table(level);
}

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

static mx_err bind(const fe_level *level, const fe_product *p, fe_uniform_args *a)
{
    const mx_ctx ctx = level->base->ctx;
    const fe_part planes = fe_planes_of(level, p->part);
    a->mesh = level->mesh;
    a->raw = p->raw;
    a->first = planes.first;
    a->end = planes.end;
    for (int k = 0; k < 9; k++)
        for (int side = 0; side < 2; side++)
            a->stencil[k][side] = coefficient(&level->mesh, k / 3 - 1, k % 3 - 1, side);
    MX_TRY(mx_bind(ctx, level->views.line, &a->line));
    MX_TRY(mx_bind(ctx, p->x, &a->x));
    return mx_bind(ctx, p->y, &a->y);
}

/* Hosts: teams with some lines each. Devices: columns along z. */
static mx_err apply(const fe_level *level, const fe_product *p)
{
    enum { LINES_PER_TEAM = 8, PLANES = 16 };
    const int *const n = level->mesh.count;
    const fe_dot_product *const dot = p->dot;
    fe_uniform_args a = {.lines_per_team = LINES_PER_TEAM, .planes = PLANES};
    MX_TRY(bind(level, p, &a));
    if (fe_on_device(level)) {
        const int columns[] = {(a.end - a.first + PLANES - 1) / PLANES, n[1], n[2]};
        const mx_range_3 range = fe_box_range(level, NULL, columns);
        return dot == NULL ? fe_uniform_column(range, &a)
                           : fe_uniform_column_dot_into(range, &a, dot->view, dot->at);
    }
    const mx_teams teams = fe_teams_of_lines(level, p->part, LINES_PER_TEAM);
    return dot == NULL ? fe_uniform(teams, &a) : fe_uniform_dot_into(teams, &a, dot->view, dot->at);
}

static mx_err diagonal(const fe_level *level, mx_view view)
{
    const mx_ctx ctx = level->base->ctx;
    fe_uniform_diagonal_args a = {.mesh = level->mesh,
                                  .centre = coefficient(&level->mesh, 0, 0, 0)};
    MX_TRY(mx_bind(ctx, view, &a.diagonal));
    return fe_uniform_diagonal(mx_range_1d(ctx, 0, fe_rows(&level->mesh)), &a);
}

/* A row of the stencil has 9 lines of 5 operations. */
static fe_work work(const fe_level *level)
{
    enum { OF_ROW = 9 * 5 };
    const double rows = fe_rows(&level->mesh);
    const fe_work of_stencil = {rows * 16, rows * OF_ROW};
    return of_stencil;
}

const fe_operator_form fe_operator_uniform = {
    .has_parts = true, .set_up = set_up, .apply = apply, .diagonal = diagonal, .work = work};
