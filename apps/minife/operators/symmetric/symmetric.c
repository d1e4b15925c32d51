/* symmetric: half of the matrix, by lines along x; no numbers of columns. On hosts in packs of
 * eight nodes. */
#include "fe_symmetric.h"
#include "operators/shared/fe_line_table.h"

static double bytes(const fe_level *level) { return fe_bytes_of_entries(level, 0) / 2; }

static void choose_packs(const fe_mesh *m, fe_storage *s, int64_t *values)
{
    s->kind = FE_STORAGE_PACKS;
    s->width = fe_round_up(m->extent[2], FE_PACK);
    *values = (1 + (int64_t)m->extent[0] * m->extent[1]) * FE_HALF_SLOTS * s->width + FE_PACK;
}

/* One plane, line and node more than those held. */
static void choose_half(const fe_mesh *m, fe_storage *s, int64_t *values)
{
    s->kind = FE_STORAGE_HALF;
    for (int d = 0; d < 3; d++) s->low[d] = m->low[d] - 1;
    fe_choose_pitch(s, m->extent[2] + 2, m->extent[1] + 1);
    *values = ((int64_t)m->extent[0] + 1) * FE_HALF_SLOTS * s->pitch;
}

static mx_err set_up(fe_level *level, int64_t *values)
{
    if (fe_on_device(level))
        choose_half(&level->mesh, &level->storage, values);
    else
        choose_packs(&level->mesh, &level->storage, values);
    return fe_make_line_table(level);
}

static mx_err apply(const fe_level *level, const fe_product *p)
{
    fe_lines_args a = {0};
    MX_TRY(fe_bind_lines(level, p, &a));
    if (fe_on_device(level))
        return FE_LAUNCH(level, fe_half_row, fe_range_of_rows(level, p->part), &a, p->dot);
    const mx_teams teams = fe_teams_of_lines(level, p->part, a.lines_per_team);
    return FE_LAUNCH(level, fe_packs, teams, &a, p->dot);
}

static fe_work work(const fe_level *level)
{
    const double entries = (double)level->entries, rows = fe_rows(&level->mesh);
    return fe_work_of_stored(level, (entries + rows) / 2, 0);
}

const fe_operator_form fe_operator_symmetric = {
    .has_parts = true, .bytes = bytes, .set_up = set_up, .apply = apply, .work = work};
