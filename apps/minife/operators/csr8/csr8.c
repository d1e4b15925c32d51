/* csr8: csr with a byte for each column number (fe_csr8.h). */
#include "fe_csr8.h"
#include "operators/shared/fe_rows.h"

/* The views of this operator. Without ghosts there are only the first two. */
enum { CODE, DISTANCE, GHOST_BEGIN, GHOST, VIEWS };
MX_STATIC_ASSERT((int)VIEWS <= (int)FE_OPERATOR_VIEWS, "views of csr8");

static double bytes(const fe_level *level) { return fe_bytes_of_entries(level, 1); }

/* The list of ghosts, if the rank holds any. */
static mx_err make_ghost_lists(fe_level *level, fe_csr8_columns_args *a)
{
    const mx_ctx ctx = level->base->ctx;
    const int rows = fe_rows(&level->mesh);
    int64_t ghosts = 0;
    mx_bind_none(&a->ghost_begin);
    mx_bind_none(&a->ghost);
    if (fe_held(&level->mesh) == rows) return MX_OK;
    MX_TRY(mx_view_create_1d(ctx, "begins of ghosts", MX_I64, (int64_t)rows + 1,
                             &level->views.of_operator[GHOST_BEGIN]));
    MX_TRY(mx_bind(ctx, level->views.of_operator[GHOST_BEGIN], &a->ghost_begin));
    MX_TRY(fe_ghost_begins(mx_range_1d(ctx, 0, rows + 1), a, &ghosts));
    MX_TRY(mx_view_create_1d(ctx, "columns of ghosts", MX_I32, ghosts,
                             &level->views.of_operator[GHOST]));
    return mx_bind(ctx, level->views.of_operator[GHOST], &a->ghost);
}

static mx_err make_codes(fe_level *level)
{
    const mx_ctx ctx = level->base->ctx;
    const fe_mesh *const m = &level->mesh;
    fe_csr8_columns_args a = {.mesh = *m};
    int32_t distance[FE_SLOTS];
    for (int s = 0; s < FE_SLOTS; s++)
        distance[s] = ((s / 9 - 1) * m->count[1] + s / 3 % 3 - 1) * m->count[2] + s % 3 - 1;
    const mx_view_options options = {.uninitialized = true};
    MX_TRY(
        mx_view_create_1d(ctx, "distances", MX_I32, FE_SLOTS, &level->views.of_operator[DISTANCE]));
    MX_TRY(mx_import(ctx, level->views.of_operator[DISTANCE], distance, NULL));
    MX_TRY(mx_view_create(ctx, "codes of columns", MX_U8, 1, &level->entries, &options,
                          &level->views.of_operator[CODE]));
    MX_TRY(mx_bind(ctx, level->views.begin, &a.begin));
    MX_TRY(mx_bind(ctx, level->views.of_operator[CODE], &a.code));
    MX_TRY(make_ghost_lists(level, &a));
    return fe_codes(mx_range_1d(ctx, 0, fe_rows(m)), &a);
}

static mx_err set_up(fe_level *level, int64_t *values)
{
    level->storage.kind = FE_STORAGE_CSR;
    *values = level->entries;
    MX_TRY(fe_make_row_begins(level));
    return make_codes(level);
}

static mx_err bind(const fe_level *level, const fe_product *p, fe_csr8_args *a)
{
    const mx_ctx ctx = level->base->ctx;
    const mx_view *const v = level->views.of_operator;
    a->has_ghosts = v[GHOST].generation != 0;
    mx_bind_none(&a->ghost_begin);
    mx_bind_none(&a->ghost);
    if (a->has_ghosts) {
        MX_TRY(mx_bind(ctx, v[GHOST_BEGIN], &a->ghost_begin));
        MX_TRY(mx_bind(ctx, v[GHOST], &a->ghost));
    }
    MX_TRY(mx_bind(ctx, level->views.begin, &a->begin));
    MX_TRY(mx_bind(ctx, v[CODE], &a->code));
    MX_TRY(mx_bind(ctx, v[DISTANCE], &a->distance));
    MX_TRY(fe_bind_values(level, &a->value, &a->f32value));
    MX_TRY(mx_bind(ctx, p->x, &a->x));
    return mx_bind(ctx, p->y, &a->y);
}

/* Teams and lanes are those of csr. */
static mx_err apply(const fe_level *level, const fe_product *p)
{
    enum { DEVICE_ROWS = 64 };
    fe_csr8_args a = {.first = p->part.first, .end = p->part.end};
    const mx_teams teams =
        fe_teams_of_rows(level, p->part, DEVICE_ROWS, FE_CSR_LANES, &a.rows_per_team);
    MX_TRY(bind(level, p, &a));
    return FE_LAUNCH(level, fe_csr8, teams, &a, p->dot);
}

/* The lists of ghosts do not count. */
static fe_work work(const fe_level *level)
{
    fe_work of_rows = fe_work_of_stored(level, (double)level->entries, 1);
    of_rows.bytes += 8.0 * fe_rows(&level->mesh);
    return of_rows;
}

const fe_operator_form fe_operator_csr8 = {.has_parts = true,
                                           .all_written = true,
                                           .bytes = bytes,
                                           .set_up = set_up,
                                           .apply = apply,
                                           .work = work};
