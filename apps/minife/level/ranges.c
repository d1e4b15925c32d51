#include "fe_level.h"

bool fe_on_device(const fe_level *level)
{
    mx_ctx_info info;
    return mx_ctx_get_info(level->base->ctx, &info) == MX_OK && !info.host_accessible;
}

mx_range_3 fe_box_range(const fe_level *level, const int *low, const int *end)
{
    static const int zero[3];
    const int *const l = low != NULL ? low : zero;
    const mx_ctx ctx = level->base->ctx;
    return level->mesh.x_first ? mx_range_3d(ctx, l[2], end[2], l[1], end[1], l[0], end[0])
                               : mx_range_3d(ctx, l[0], end[0], l[1], end[1], l[2], end[2]);
}

fe_part fe_all_rows(const fe_level *level)
{
    const fe_part all = {0, fe_rows(&level->mesh)};
    return all;
}

fe_part fe_planes_of(const fe_level *level, fe_part rows)
{
    const int plane = level->mesh.count[1] * level->mesh.count[2];
    const fe_part planes = {plane > 0 ? rows.first / plane : 0, plane > 0 ? rows.end / plane : 0};
    return planes;
}
