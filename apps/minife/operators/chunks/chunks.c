/* ell and sell: rows in chunks, whose entries lie side by side. */
#include "fe_chunks.h"
#include "operators/shared/fe_rows.h"

static double bytes(const fe_level *level)
{
    return fe_bytes_of_entries(level, (double)sizeof(int32_t));
}

/* The rows of a chunk, and with padding. */
static int choose_chunk(const fe_level *level, int *padded)
{
    enum { HOST_CHUNK = 8, DEVICE_CHUNK = 32 };
    const int chunk = fe_on_device(level) ? DEVICE_CHUNK : HOST_CHUNK;
    *padded = fe_round_up(fe_rows(&level->mesh), chunk);
    return chunk;
}

static mx_err set_up_ell(fe_level *level, int64_t *values)
{
    fe_storage *const s = &level->storage;
    int rows;
    s->kind = FE_STORAGE_ELL;
    s->chunk = choose_chunk(level, &rows);
    s->pitch = rows;
    *values = FE_SLOTS * s->pitch;
    return fe_make_columns(level, rows, *values);
}

static mx_err set_up_sell(fe_level *level, int64_t *values)
{
    const mx_ctx ctx = level->base->ctx;
    const mx_view_options options = {.uninitialized = true};
    fe_storage *const s = &level->storage;
    fe_structure_args a;
    int rows;
    s->kind = FE_STORAGE_SELL;
    s->chunk = choose_chunk(level, &rows);
    const int64_t begins = rows / s->chunk + 1;
    MX_TRY(mx_view_create(ctx, "begins", MX_I64, 1, &begins, &options, &level->views.begin));
    MX_TRY(fe_bind_structure(level, &a));
    MX_TRY(fe_chunk_begins(mx_range_1d(ctx, 0, begins), &a, values));
    return fe_make_columns(level, rows, *values);
}

/* The lanes of a thread of a device have a row each. */
static mx_err apply(const fe_level *level, const fe_product *p)
{
    enum { DEVICE_ROWS = 256 };
    fe_rows_args a = {.chunk = level->storage.chunk, .pitch = level->storage.pitch};
    const mx_teams teams = fe_teams_of_rows(level, p->part, DEVICE_ROWS, MX_AUTO, &a.rows_per_team);
    MX_TRY(fe_bind_rows(level, p, &a));
    return FE_LAUNCH(level, fe_chunks, teams, &a, p->dot);
}

static fe_work work(const fe_level *level)
{
    return fe_work_of_stored(level, (double)level->entries, 4);
}

const fe_operator_form fe_operator_ell = {
    .has_parts = true, .bytes = bytes, .set_up = set_up_ell, .apply = apply, .work = work};

const fe_operator_form fe_operator_sell = {
    .has_parts = true, .bytes = bytes, .set_up = set_up_sell, .apply = apply, .work = work};
