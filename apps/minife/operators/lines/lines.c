/* lines: all 27 slots of the rows of a plane, by lines along x; no numbers of columns. */
#include "fe_lines.h"
#include "operators/shared/fe_line_table.h"

static double bytes(const fe_level *level) { return fe_bytes_of_entries(level, 0); }

static mx_err set_up(fe_level *level, int64_t *values)
{
    const fe_mesh *const m = &level->mesh;
    fe_storage *const s = &level->storage;
    s->kind = FE_STORAGE_LINES;
    for (int d = 0; d < 3; d++) s->low[d] = m->first[d];
    fe_choose_pitch(s, m->count[2], m->count[1]);
    *values = (int64_t)m->count[0] * FE_SLOTS * s->pitch;
    return fe_make_line_table(level);
}

static mx_err apply(const fe_level *level, const fe_product *p)
{
    fe_lines_args a = {0};
    MX_TRY(fe_bind_lines(level, p, &a));
    if (fe_on_device(level))
        return FE_LAUNCH(level, fe_lines_row, fe_range_of_rows(level, p->part), &a, p->dot);
    const mx_teams teams = fe_teams_of_lines(level, p->part, a.lines_per_team);
    return FE_LAUNCH(level, fe_lines, teams, &a, p->dot);
}

static fe_work work(const fe_level *level)
{
    return fe_work_of_stored(level, (double)level->entries, 0);
}

const fe_operator_form fe_operator_lines = {
    .has_parts = true, .bytes = bytes, .set_up = set_up, .apply = apply, .work = work};
