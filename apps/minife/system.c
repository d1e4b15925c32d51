#include "fe_level.h"

/* ---- the matrix ---- */

mx_err fe_make_structure(fe_level *level)
{
    const mx_ctx ctx = level->base->ctx;
    const int rows = fe_rows(&level->mesh);
    MX_TRY(mx_view_create_1d(ctx, "row begins", MX_I64, rows + 1, &level->views.begin));
    level->structure.mesh = level->mesh;
    MX_TRY(mx_bind(ctx, level->views.begin, &level->structure.begin));
    mx_bind_none(&level->structure.column);
    mx_bind_none(&level->structure.value);
    MX_TRY(fe_row_begins(mx_range_1d(ctx, 0, rows + 1), &level->structure, &level->entries));
    level->all_entries = level->entries;
    MX_TRY(app_sum_i64(level->base->comm, &level->all_entries, 1));

    const mx_view_options options = {.uninitialized = true};
    MX_TRY(
        mx_view_create(ctx, "columns", MX_I32, 1, &level->entries, &options, &level->views.column));
    MX_TRY(
        mx_view_create(ctx, "matrix", MX_F64, 1, &level->entries, &options, &level->views.value));
    MX_TRY(fe_structure_args_bind(ctx, &level->views, &level->structure));
    MX_TRY(fe_columns(mx_range_1d(ctx, 0, rows), &level->structure));
    return mx_fence(ctx);
}

/* ---- assembly ---- */

static mx_err assemble_by_colours(fe_level *level)
{
    for (int colour = 0; colour < 8; colour++) {
        int64_t begin[] = {0, 0, 0}, end[3];
        for (int d = 0; d < 3; d++) {
            const int low = level->from[d] + (colour >> d & 1);
            level->assemble.low[d] = low;
            end[d] = low < level->to[d] ? (level->to[d] - low + 1) / 2 : 0;
        }
        MX_TRY(fe_assemble_colour(
            mx_range_3d(level->base->ctx, begin[0], end[0], begin[1], end[1], begin[2], end[2]),
            &level->assemble));
    }
    return MX_OK;
}

mx_err fe_assemble(fe_level *level)
{
    const mx_ctx ctx = level->base->ctx;
    const int *low = level->from, *high = level->to;
    level->coordinates.mesh = level->assemble.mesh = level->mesh;
    level->coordinates.distorted = level->input->mesh == FE_MESH_DISTORTED;
    level->assemble.manufactured = level->input->problem == FE_PROBLEM_MANUFACTURED;
    MX_TRY(mx_view_create_1d(ctx, "b", MX_F64, fe_rows(&level->mesh), &level->views.b));
    MX_TRY(mx_view_create_2d(ctx, "coordinates", MX_F64, 3, fe_held(&level->mesh),
                             &level->views.coordinates));
    MX_TRY(fe_coordinates_args_bind(ctx, &level->views, &level->coordinates));
    MX_TRY(fe_assemble_args_bind(ctx, &level->views, &level->assemble));
    MX_TRY(fe_coordinates(mx_range_3d(ctx, 0, level->mesh.extent[0], 0, level->mesh.extent[1], 0,
                                      level->mesh.extent[2]),
                          &level->coordinates));
    if (level->input->assembly == FE_ASSEMBLY_COLOURS)
        MX_TRY(assemble_by_colours(level));
    else
        MX_TRY(fe_assemble_atomic(
            mx_range_3d(ctx, low[0], high[0], low[1], high[1], low[2], high[2]), &level->assemble));
    return mx_fence(ctx);
}

mx_err fe_impose_boundary(fe_level *level)
{
    const mx_ctx ctx = level->base->ctx;
    level->boundary.mesh = level->mesh;
    MX_TRY(fe_boundary_args_bind(ctx, &level->views, &level->boundary));
    const mx_range_1 rows = mx_range_1d(ctx, 0, fe_rows(&level->mesh));
    if (level->input->problem == FE_PROBLEM_MANUFACTURED) {
        MX_TRY(fe_boundary_exact(rows, &level->boundary));
        return mx_fence(ctx);
    }
    MX_TRY(fe_boundary(rows, &level->boundary));
    MX_TRY(mx_fence(ctx));
    return mx_view_destroy(&level->views.coordinates); /* the solver does not need them */
}

void fe_level_destroy(fe_level *level)
{
    fe_level_views *const v = &level->views;
    mx_view *const all[] = {&v->coordinates, &v->begin, &v->column, &v->value, &v->b};
    app_index_exchange_destroy(&level->ghosts);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) (void)mx_view_destroy(all[i]);
}
