#include "level/fe_operator.h"

mx_err fe_exchange(fe_level *level, mx_view x)
{
    if (app_size(level->base->comm) == 1) return MX_OK;
    return app_forward(level->ghosts, 1, &x, APP_UNSHIFTED);
}

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

/* Calls the kernel of a form that the level's precision and the caller want. */
#define LAUNCH(name, teams, args, dot)                                            \
    (!(level)->storage.is_f32                                                     \
         ? ((dot) == NULL ? name(teams, args)                                     \
                          : name##_dot_into(teams, args, (dot)->view, (dot)->at)) \
         : ((dot) == NULL ? name##_f32(teams, args)                               \
                          : name##_f32_dot_into(teams, args, (dot)->view, (dot)->at)))

static mx_err bind_values(const fe_level *level, fe_matrix_values *value,
                          fe_matrix_f32values *f32value)
{
    const mx_ctx ctx = level->base->ctx;
    mx_bind_none(value);
    mx_bind_none(f32value);
    return level->storage.is_f32 ? mx_bind(ctx, level->views.value, f32value)
                                 : mx_bind(ctx, level->views.value, value);
}

/* csr: a thread of a device has FE_CSR_LANES lanes for the entries of a row. ell, sell: its lanes
 * have a row each. */
static mx_teams teams_of_rows(const fe_level *level, fe_part part, int *rows_per_team)
{
    enum { HOST_ROWS = 512, CSR_ROWS = 64, CHUNK_ROWS = 256 };
    const mx_ctx ctx = level->base->ctx;
    const bool host = !fe_on_device(level), csr = level->storage.form == FE_FORM_CSR;
    const int rows = host ? HOST_ROWS : csr ? CSR_ROWS : CHUNK_ROWS;
    const int64_t league = ((int64_t)part.end - part.first + rows - 1) / rows;
    *rows_per_team = rows;
    if (host) return mx_league(ctx, league, 1, 1);
    return mx_league(ctx, league, MX_AUTO, csr ? FE_CSR_LANES : MX_AUTO);
}

static mx_err bind_codes(const fe_level *level, fe_codes_args *a)
{
    const mx_ctx ctx = level->base->ctx;
    const fe_level_views *const v = &level->views;
    a->has_ghosts = v->codes.ghost.generation != 0;
    mx_bind_none(&a->ghost_begin);
    mx_bind_none(&a->ghost);
    if (a->has_ghosts) {
        MX_TRY(mx_bind(ctx, v->codes.ghost_begin, &a->ghost_begin));
        MX_TRY(mx_bind(ctx, v->codes.ghost, &a->ghost));
    }
    MX_TRY(mx_bind(ctx, v->begin, &a->begin));
    MX_TRY(mx_bind(ctx, v->codes.code, &a->code));
    return mx_bind(ctx, v->codes.distance, &a->distance);
}

static mx_err apply_codes(fe_level *level, mx_view x, mx_view y, const fe_dot_product *dot,
                          fe_part part)
{
    const mx_ctx ctx = level->base->ctx;
    fe_codes_args *const a = &level->codes;
    const mx_teams teams = teams_of_rows(level, part, &a->rows_per_team);
    a->first = part.first;
    a->end = part.end;
    MX_TRY(bind_codes(level, a));
    MX_TRY(bind_values(level, &a->value, &a->f32value));
    MX_TRY(mx_bind(ctx, x, &a->x));
    MX_TRY(mx_bind(ctx, y, &a->y));
    return LAUNCH(fe_csr8, teams, a, dot);
}

static mx_err apply_rows(fe_level *level, mx_view x, mx_view y, const fe_dot_product *dot,
                         fe_part part)
{
    const mx_ctx ctx = level->base->ctx;
    const bool csr = level->storage.form == FE_FORM_CSR;
    fe_rows_args *const a = &level->rows;
    const mx_teams teams = teams_of_rows(level, part, &a->rows_per_team);
    a->first = part.first;
    a->end = part.end;
    a->chunk = level->storage.chunk;
    a->pitch = level->storage.form == FE_FORM_ELL ? level->storage.pitch : 0;
    mx_bind_none(&a->begin);
    if (a->pitch == 0) MX_TRY(mx_bind(ctx, level->views.begin, &a->begin));
    MX_TRY(mx_bind(ctx, level->views.column, &a->column));
    MX_TRY(bind_values(level, &a->value, &a->f32value));
    MX_TRY(mx_bind(ctx, x, &a->x));
    MX_TRY(mx_bind(ctx, y, &a->y));
    return csr ? LAUNCH(fe_csr, teams, a, dot) : LAUNCH(fe_chunks, teams, a, dot);
}

/* Hosts: teams with some lines each. Devices: rows. */
static mx_err apply_lines(fe_level *level, mx_view x, mx_view y, const fe_dot_product *dot,
                          fe_part part)
{
    enum { LINES_PER_TEAM = 4 };
    const mx_ctx ctx = level->base->ctx;
    const bool full = level->storage.form == FE_FORM_LINES;
    const int *const n = level->mesh.count;
    const fe_part planes = fe_planes_of(level, part);
    fe_lines_args *const a = &level->lines;
    a->mesh = level->mesh;
    a->pitch = level->storage.pitch;
    a->width = level->storage.width;
    for (int d = 0; d < 3; d++) a->low[d] = level->storage.low[d];
    a->lines_per_team = LINES_PER_TEAM;
    a->first = planes.first * n[1];
    a->end = planes.end * n[1];
    MX_TRY(bind_values(level, &a->value, &a->f32value));
    MX_TRY(mx_bind(ctx, level->views.line, &a->line));
    MX_TRY(mx_bind(ctx, x, &a->x));
    MX_TRY(mx_bind(ctx, y, &a->y));
    if (fe_on_device(level)) {
        const mx_range_3 rows =
            fe_box_range(level, (int[]){planes.first, 0, 0}, (int[]){planes.end, n[1], n[2]});
        return full ? LAUNCH(fe_lines_row, rows, a, dot) : LAUNCH(fe_half_row, rows, a, dot);
    }
    const int64_t lines = a->end - a->first;
    const mx_teams teams = mx_league(ctx, (lines + LINES_PER_TEAM - 1) / LINES_PER_TEAM, 1, 1);
    return full ? LAUNCH(fe_lines, teams, a, dot) : LAUNCH(fe_packs, teams, a, dot);
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

mx_err fe_apply_part(fe_level *level, mx_view x, mx_view y, const fe_dot_product *dot, fe_part part)
{
    if (level->input->operator== FE_OPERATOR_CSR8) return apply_codes(level, x, y, dot, part);
    switch (level->storage.form) {
    case FE_FORM_LINES:
    case FE_FORM_HALF:
    case FE_FORM_PACKS: return apply_lines(level, x, y, dot, part);
    case FE_FORM_NONE: return fe_apply_free(level, x, y, dot, part, false);
    default: return apply_rows(level, x, y, dot, part);
    }
}

mx_err fe_apply_raw(fe_level *level, mx_view x, mx_view y)
{
    return fe_apply_free(level, x, y, NULL, fe_all_rows(level), true);
}

mx_err fe_apply(fe_level *level, mx_view x, mx_view y)
{
    return fe_apply_part(level, x, y, NULL, fe_all_rows(level));
}

mx_err fe_apply_dot(fe_level *level, mx_view x, mx_view y, mx_view dot, int64_t at)
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

mx_err fe_diagonal(fe_level *level, mx_view diagonal)
{
    fe_copy_args a;
    if (level->input->operator== FE_OPERATOR_UNIFORM)
        return fe_diagonal_of_uniform(level, diagonal);
    if (level->storage.form == FE_FORM_NONE) return fe_assemble_diagonal(level, diagonal);
    MX_TRY(bind_copy(level, diagonal, &a));
    return fe_copy_diagonal(mx_range_1d(level->base->ctx, 0, fe_rows(&level->mesh)), &a);
}

mx_err fe_copy_matrix(fe_level *level, mx_view entries)
{
    fe_copy_args a;
    MX_TRY(bind_copy(level, entries, &a));
    return fe_copy_entries(mx_range_1d(level->base->ctx, 0, fe_rows(&level->mesh)), &a);
}

static double bytes_of_column(const fe_level *level)
{
    return level->input->operator== FE_OPERATOR_CSR8 ? 1 : 4;
}

/* A row has its elements of x and y. An entry has a coefficient and, in the forms with columns, the
 * number of its column; what is stored for padding, and in csr8 the lists of ghosts, does not
 * count. */
fe_work fe_work_of_product(const fe_level *level)
{
    const double entries = (double)level->entries, rows = fe_rows(&level->mesh);
    const double value = level->storage.is_f32 ? 4 : 8;
    fe_work work = {rows * 16, entries * 2};
    switch (level->storage.form) {
    case FE_FORM_CSR: work.bytes += rows * 8 + entries * (value + bytes_of_column(level)); break;
    case FE_FORM_ELL:
    case FE_FORM_SELL: work.bytes += entries * (value + 4); break;
    case FE_FORM_LINES: work.bytes += entries * value; break;
    case FE_FORM_HALF:
    case FE_FORM_PACKS: work.bytes += (entries + rows) / 2 * value; break;
    default: return fe_work_of_free_product(level);
    }
    return work;
}
