#include "fe_level.h"

mx_err fe_make_coarse_level(const fe_level *finer, const mx_gid *elements, bool is_f32,
                            fe_level *coarse)
{
    coarse->storage.is_f32 = is_f32;
    coarse->base = finer->base;
    coarse->input = finer->input;
    coarse->op = finer->op;
    MX_TRY(fe_make_coarse_mesh(coarse, elements, &finer->mesh));
    MX_TRY(fe_make_structure(coarse));
    MX_TRY(fe_assemble(coarse));
    return fe_impose_boundary(coarse);
}

mx_err fe_round_level(const fe_level *level, fe_level *rounded)
{
    const mx_ctx ctx = level->base->ctx;
    const mx_view_options options = {.uninitialized = true};
    mx_view_info info;
    fe_round_args a;
    if (level->storage.kind == FE_STORAGE_NONE || level->storage.is_f32) return MX_OK;
    *rounded = *level;
    rounded->views.value = MX_VIEW_NULL;
    rounded->storage.is_f32 = true;
    MX_TRY(mx_view_get_info(level->views.value, &info));
    MX_TRY(mx_view_create(ctx, "matrix of floats", MX_F32, 1, info.extent, &options,
                          &rounded->views.value));
    MX_TRY(mx_bind(ctx, level->views.value, &a.from));
    MX_TRY(mx_bind(ctx, rounded->views.value, &a.to));
    return fe_round(mx_range_1d(ctx, 0, info.extent[0]), &a);
}

void fe_level_destroy(fe_level *level)
{
    fe_level_views *const v = &level->views;
    mx_view *const all[] = {&v->coordinates, &v->begin, &v->column, &v->value, &v->line, &v->b};
    fe_overlap_destroy(level);
    app_index_exchange_destroy(&level->ghosts);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) (void)mx_view_destroy(all[i]);
    for (int i = 0; i < FE_OPERATOR_VIEWS; i++) (void)mx_view_destroy(&v->of_operator[i]);
}
