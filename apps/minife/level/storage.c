#include "fe_level.h"

mx_err fe_bind_storage(const fe_level *level, fe_storage *s)
{
    const mx_ctx ctx = level->base->ctx;
    const fe_level_views *v = &level->views;
    *s = level->storage;
    mx_bind_none(&s->begin);
    mx_bind_none(&s->value);
    mx_bind_none(&s->f32value);
    if (v->begin.generation != 0) MX_TRY(mx_bind(ctx, v->begin, &s->begin));
    if (v->value.generation == 0) return MX_OK;
    return s->is_f32 ? mx_bind(ctx, v->value, &s->f32value) : mx_bind(ctx, v->value, &s->value);
}

mx_err fe_bind_structure(const fe_level *level, fe_structure_args *a)
{
    a->mesh = level->mesh;
    mx_bind_none(&a->column);
    mx_bind_none(&a->line);
    return fe_bind_storage(level, &a->matrix);
}

void fe_box_of_rows(const fe_level *level, const fe_storage *s, int *low, int *count)
{
    const fe_mesh *m = &level->mesh;
    for (int d = 0; d < 3; d++) {
        low[d] = fe_is_half(s) ? m->low[d] : m->first[d];
        count[d] = fe_is_half(s) ? m->extent[d] : m->count[d];
    }
    if (fe_rows(m) == 0) count[0] = 0;
}
