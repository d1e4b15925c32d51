#include "fe_level.h"

mx_err fe_exchange(fe_level *level, mx_view x)
{
    if (app_size(level->base->comm) == 1) return MX_OK;
    return app_forward(level->ghosts, 1, &x, APP_UNSHIFTED);
}

/* Hosts: a team is one thread, with many rows. Devices: a thread has some lanes for the entries of a row. */
static mx_err bind_csr(fe_level *level, mx_view x, mx_view y, mx_teams *teams)
{
    enum { HOST_ROWS = 512, THREADS = 64, LANES = 4 };
    const mx_ctx ctx = level->base->ctx;
    fe_csr_args *const a = &level->csr;
    mx_ctx_info info;
    MX_TRY(mx_ctx_get_info(ctx, &info));
    const bool host = info.device < 0;
    a->rows = fe_rows(&level->mesh);
    a->rows_per_team = host ? HOST_ROWS : THREADS;
    const int64_t league = ((int64_t)a->rows + a->rows_per_team - 1) / a->rows_per_team;
    *teams = host ? mx_league(ctx, league, 1, 1) : mx_league(ctx, league, THREADS, LANES);
    MX_TRY(mx_bind(ctx, level->views.begin, &a->begin));
    MX_TRY(mx_bind(ctx, level->views.column, &a->column));
    MX_TRY(mx_bind(ctx, level->views.value, &a->value));
    MX_TRY(mx_bind(ctx, x, &a->x));
    return mx_bind(ctx, y, &a->y);
}

mx_err fe_apply(fe_level *level, mx_view x, mx_view y)
{
    mx_teams teams;
    MX_TRY(bind_csr(level, x, y, &teams));
    return fe_csr(teams, &level->csr);
}

mx_err fe_apply_dot(fe_level *level, mx_view x, mx_view y, mx_view dot, int64_t at)
{
    mx_teams teams;
    MX_TRY(bind_csr(level, x, y, &teams));
    return fe_csr_dot_into(teams, &level->csr, dot, at);
}

mx_err fe_diagonal(fe_level *level, mx_view diagonal)
{
    const mx_ctx ctx = level->base->ctx;
    fe_diagonal_args a = {.mesh = level->mesh};
    MX_TRY(mx_bind(ctx, level->views.begin, &a.begin));
    MX_TRY(mx_bind(ctx, level->views.value, &a.value));
    MX_TRY(mx_bind(ctx, diagonal, &a.diagonal));
    return fe_diagonal_of_csr(mx_range_1d(ctx, 0, fe_rows(&level->mesh)), &a);
}

/* An entry has a value and a column; a row its begin, and its elements of x and y. */
fe_work fe_work_of_product(const fe_level *level)
{
    enum { BYTES_OF_ENTRY = 12, BYTES_OF_ROW = 8 + 16 };
    const double entries = (double)level->entries, rows = fe_rows(&level->mesh);
    const fe_work work = {entries * BYTES_OF_ENTRY + rows * BYTES_OF_ROW, entries * 2};
    return work;
}
