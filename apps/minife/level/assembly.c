/* Adds the elements to A and b: by blocks of rows (kernels/assemble_blocks.c), by colours or with
 * atomics (kernels/assemble.c). */
#include "fe_level.h"

fe_assembly fe_assembly_of(const fe_level *level)
{
    if (level->input->assembly != FE_ASSEMBLY_AUTO) return (fe_assembly)level->input->assembly;
    return fe_on_device(level) ? FE_ASSEMBLY_COLOURS : FE_ASSEMBLY_BLOCKS;
}

static mx_err assemble_by_colours(const fe_level *level, fe_assemble_args *a)
{
    for (int colour = 0; colour < 8; colour++) {
        int end[3];
        for (int d = 0; d < 3; d++) {
            a->low[d] = level->from[d] + (colour >> d & 1);
            end[d] = a->low[d] < level->to[d] ? (level->to[d] - a->low[d] + 1) / 2 : 0;
        }
        MX_TRY(fe_assemble_colour(fe_box_range(level, NULL, end), a));
    }
    return MX_OK;
}

int64_t fe_divide_rows(fe_blocks *b, const int *low, const int *count, const int *largest)
{
    enum { VECTOR = 8 };
    int64_t blocks = 1;
    for (int d = 0; d < 3; d++) {
        b->low[d] = low[d];
        b->count[d] = count[d];
        b->blocks[d] = (count[d] + largest[d] - 1) / largest[d];
        b->size[d] = b->blocks[d] > 0 ? (count[d] + b->blocks[d] - 1) / b->blocks[d] : 0;
        blocks *= b->blocks[d];
    }
    b->pitch = fe_round_up(b->size[2] + VECTOR + 2, VECTOR);
    return blocks;
}

/* A block's sums are to stay in the second cache: about 400 KiB. */
static mx_err assemble_by_blocks(const fe_level *level, fe_assemble_args *a)
{
    enum { PLANES = 16, LINES = 8, NODES = 128, SUMS = FE_SLOTS + 1 };
    const int largest[] = {PLANES, LINES, NODES};
    fe_blocks *const b = &a->blocks;
    int low[3], count[3];
    fe_box_of_rows(level, &a->matrix, low, count);
    const int64_t blocks = fe_divide_rows(b, low, count, largest);
    const size_t scratch =
        (size_t)2 * (size_t)b->size[1] * SUMS * (size_t)b->pitch * sizeof(double);
    const mx_teams teams = mx_league(level->base->ctx, blocks, 1, 1);
    return fe_assemble_block(mx_with_scratch(teams, 1, scratch, 0), a);
}

static mx_err assemble(const fe_level *level, fe_assemble_args *a)
{
    switch (fe_assembly_of(level)) {
    case FE_ASSEMBLY_COLOURS: return assemble_by_colours(level, a);
    case FE_ASSEMBLY_ATOMICS:
        return fe_assemble_atomic(fe_box_range(level, level->from, level->to), a);
    default: return assemble_by_blocks(level, a);
    }
}

static mx_err make_coordinates(fe_level *level)
{
    const mx_ctx ctx = level->base->ctx;
    const fe_mesh *m = &level->mesh;
    fe_coordinates_args *const a = &level->coordinates;
    a->mesh = *m;
    a->distorted = level->input->mesh == FE_MESH_DISTORTED;
    MX_TRY(mx_view_create_2d(ctx, "coordinates", MX_F64, 3, fe_held(m), &level->views.coordinates));
    MX_TRY(mx_bind(ctx, level->views.coordinates, &a->coordinates));
    return fe_coordinates(fe_box_range(level, NULL, m->extent), a);
}

mx_err fe_assemble(fe_level *level)
{
    const mx_ctx ctx = level->base->ctx;
    fe_assemble_args *const a = &level->assemble;
    a->mesh = level->mesh;
    a->manufactured = level->input->problem == FE_PROBLEM_MANUFACTURED;
    for (int d = 0; d < 3; d++) {
        a->from[d] = level->from[d];
        a->to[d] = level->to[d];
    }
    MX_TRY(make_coordinates(level));
    MX_TRY(mx_view_create_1d(ctx, "b", MX_F64, fe_rows(&level->mesh), &level->views.b));
    MX_TRY(fe_bind_storage(level, &a->matrix));
    MX_TRY(mx_bind(ctx, level->views.b, &a->b));
    MX_TRY(mx_bind(ctx, level->views.coordinates, &a->coordinates));
    MX_TRY(assemble(level, a));
    return mx_fence(ctx);
}

mx_err fe_assemble_diagonal(const fe_level *level, mx_view diagonal)
{
    const mx_ctx ctx = level->base->ctx;
    const fe_mesh *m = &level->mesh;
    fe_assemble_args a = level->assemble;
    fe_boundary_args boundary = {.mesh = *m};
    for (int d = 0; d < 3; d++) boundary.rows_low[d] = m->first[d];
    a.without_source = true;
    a.matrix.kind = FE_STORAGE_DIAGONAL;
    a.matrix.is_f32 = false;
    mx_bind_none(&a.b);
    mx_bind_none(&boundary.b);
    mx_bind_none(&boundary.coordinates);
    MX_TRY(mx_bind(ctx, diagonal, &a.matrix.value));
    MX_TRY(mx_bind(ctx, level->views.coordinates, &a.coordinates));
    MX_TRY(mx_fill(ctx, diagonal, &(double){0}));
    MX_TRY(assemble(level, &a));
    boundary.matrix = a.matrix;
    return fe_boundary_matrix(fe_box_range(level, NULL, m->count), &boundary);
}
