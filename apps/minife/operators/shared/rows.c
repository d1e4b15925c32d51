#include "fe_rows.h"

mx_err fe_make_row_begins(fe_level *level)
{
    const mx_ctx ctx = level->base->ctx;
    const mx_view_options options = {.uninitialized = true};
    const int64_t begins = (int64_t)fe_rows(&level->mesh) + 1;
    fe_structure_args a;
    MX_TRY(mx_view_create(ctx, "begins", MX_I64, 1, &begins, &options, &level->views.begin));
    MX_TRY(fe_bind_structure(level, &a));
    return fe_row_begins(mx_range_1d(ctx, 0, begins), &a);
}

mx_err fe_make_columns(fe_level *level, int rows, int64_t values)
{
    const mx_ctx ctx = level->base->ctx;
    const mx_view_options options = {.uninitialized = true};
    fe_structure_args a;
    MX_TRY(mx_view_create(ctx, "columns", MX_I32, 1, &values, &options, &level->views.column));
    MX_TRY(fe_bind_structure(level, &a));
    MX_TRY(mx_bind(ctx, level->views.column, &a.column));
    return fe_columns(mx_range_1d(ctx, 0, rows), &a);
}

mx_teams fe_teams_of_rows(const fe_level *level, fe_part part, int device_rows, int device_lanes,
                          int *rows_per_team)
{
    enum { HOST_ROWS = 512 };
    const mx_ctx ctx = level->base->ctx;
    const bool host = !fe_on_device(level);
    const int rows = host ? HOST_ROWS : device_rows;
    const int64_t league = ((int64_t)part.end - part.first + rows - 1) / rows;
    *rows_per_team = rows;
    return host ? mx_league(ctx, league, 1, 1) : mx_league(ctx, league, MX_AUTO, device_lanes);
}

mx_err fe_bind_rows(const fe_level *level, const fe_product *p, fe_rows_args *a)
{
    const mx_ctx ctx = level->base->ctx;
    a->first = p->part.first;
    a->end = p->part.end;
    mx_bind_none(&a->begin);
    if (level->views.begin.generation != 0) MX_TRY(mx_bind(ctx, level->views.begin, &a->begin));
    MX_TRY(mx_bind(ctx, level->views.column, &a->column));
    MX_TRY(fe_bind_values(level, &a->value, &a->f32value));
    MX_TRY(mx_bind(ctx, p->x, &a->x));
    return mx_bind(ctx, p->y, &a->y);
}
