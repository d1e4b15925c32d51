/* nodes: row by row, from the elements around a node; on hosts in blocks of rows, on devices in
 * tiles. */
#include "fe_nodes.h"
#include "operators/shared/fe_matrix_free.h"

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

static mx_err apply(const fe_level *level, const fe_product *p)
{
    const fe_part planes = fe_planes_of(level, p->part);
    fe_free_args a = {.first = planes.first, .end = planes.end};
    MX_TRY(fe_bind_free(level, p, &a));
    return fe_on_device(level) ? apply_tiles(level, &a, p->dot) : apply_blocks(level, &a, p->dot);
}

const fe_operator_form fe_operator_nodes = {.needs_coordinates = true,
                                            .has_parts = true,
                                            .apply = apply,
                                            .diagonal = fe_assemble_diagonal,
                                            .work = fe_work_of_elements};
