#include "fe_line_table.h"

mx_err fe_make_line_table(fe_level *level)
{
    const mx_ctx ctx = level->base->ctx;
    const int y = level->mesh.extent[1] + 2, z = level->mesh.extent[0] + 2;
    fe_structure_args a;
    MX_TRY(mx_view_create_2d(ctx, "lines", MX_I32, 3, (int64_t)y * z, &level->views.line));
    MX_TRY(fe_bind_structure(level, &a));
    MX_TRY(mx_bind(ctx, level->views.line, &a.line));
    return fe_line_starts(mx_range_2d(ctx, 0, z, 0, y), &a);
}

void fe_choose_pitch(fe_storage *s, int nodes, int lines)
{
    enum { VECTOR = 8 };
    s->width = fe_round_up(nodes, VECTOR);
    s->pitch = ((int64_t)lines * s->width / VECTOR | 1) * VECTOR;
}

mx_range_3 fe_range_of_rows(const fe_level *level, fe_part part)
{
    const int *const n = level->mesh.count;
    const fe_part planes = fe_planes_of(level, part);
    return fe_box_range(level, (int[]){planes.first, 0, 0}, (int[]){planes.end, n[1], n[2]});
}

mx_teams fe_teams_of_lines(const fe_level *level, fe_part part, int lines_per_team)
{
    const fe_part planes = fe_planes_of(level, part);
    const int64_t lines = (int64_t)(planes.end - planes.first) * level->mesh.count[1];
    return mx_league(level->base->ctx, (lines + lines_per_team - 1) / lines_per_team, 1, 1);
}

mx_err fe_bind_lines(const fe_level *level, const fe_product *p, fe_lines_args *a)
{
    const mx_ctx ctx = level->base->ctx;
    const fe_part planes = fe_planes_of(level, p->part);
    a->mesh = level->mesh;
    a->pitch = level->storage.pitch;
    a->width = level->storage.width;
    for (int d = 0; d < 3; d++) a->low[d] = level->storage.low[d];
    a->lines_per_team = FE_LINES_PER_TEAM;
    a->first = planes.first * level->mesh.count[1];
    a->end = planes.end * level->mesh.count[1];
    MX_TRY(fe_bind_values(level, &a->value, &a->f32value));
    MX_TRY(mx_bind(ctx, level->views.line, &a->line));
    MX_TRY(mx_bind(ctx, p->x, &a->x));
    return mx_bind(ctx, p->y, &a->y);
}
