#include "fe_level.h"

mx_err fe_make_coarse_level(const fe_level *finer, const mx_gid *elements, fe_level *coarse)
{
    coarse->base = finer->base;
    coarse->input = finer->input;
    if (coarse->op == NULL) coarse->op = finer->op;
    MX_TRY(fe_make_coarse_mesh(coarse, elements, &finer->mesh));
    MX_TRY(fe_make_structure(coarse));
    MX_TRY(fe_assemble(coarse));
    return fe_impose_boundary(coarse);
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
