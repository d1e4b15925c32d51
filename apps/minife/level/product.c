/* Products with A, its diagonal and its coefficients, whatever its form is. */
#include "fe_level.h"

mx_err fe_apply_part(const fe_level *level, mx_view x, mx_view y, const fe_dot_product *dot,
                     fe_part part)
{
    const fe_product p = {.x = x, .y = y, .dot = dot, .part = part};
    return level->op->apply(level, &p);
}

mx_err fe_apply_raw(const fe_level *level, mx_view x, mx_view y)
{
    const fe_product p = {.x = x, .y = y, .part = fe_all_rows(level), .raw = true};
    return level->op->apply(level, &p);
}

mx_err fe_apply(const fe_level *level, mx_view x, mx_view y)
{
    return fe_apply_part(level, x, y, NULL, fe_all_rows(level));
}

mx_err fe_apply_dot(const fe_level *level, mx_view x, mx_view y, mx_view dot, int64_t at)
{
    const fe_dot_product d = {dot, at};
    return fe_apply_part(level, x, y, &d, fe_all_rows(level));
}

static mx_err bind_copy(const fe_level *level, mx_view to, fe_copy_args *a)
{
    a->mesh = level->mesh;
    MX_TRY(fe_bind_storage(level, &a->matrix));
    return mx_bind(level->base->ctx, to, &a->to);
}

mx_err fe_diagonal(const fe_level *level, mx_view diagonal)
{
    fe_copy_args a;
    if (level->op->diagonal != NULL) return level->op->diagonal(level, diagonal);
    MX_TRY(bind_copy(level, diagonal, &a));
    return fe_copy_diagonal(mx_range_1d(level->base->ctx, 0, fe_rows(&level->mesh)), &a);
}

mx_err fe_copy_matrix(const fe_level *level, mx_view entries)
{
    fe_copy_args a;
    MX_TRY(bind_copy(level, entries, &a));
    return fe_copy_entries(mx_range_1d(level->base->ctx, 0, fe_rows(&level->mesh)), &a);
}

fe_work fe_work_of_product(const fe_level *level) { return level->op->work(level); }
