/* csr: compressed sparse rows, with 32-bit numbers of columns. */
#include "fe_csr.h"
#include "operators/shared/fe_rows.h"

static double bytes(const fe_level *level)
{
    return fe_bytes_of_entries(level, (double)sizeof(int32_t));
}

static mx_err set_up(fe_level *level, int64_t *values)
{
    level->storage.kind = FE_STORAGE_CSR;
    *values = level->entries;
    MX_TRY(fe_make_row_begins(level));
    return fe_make_columns(level, fe_rows(&level->mesh), *values);
}

/* A thread of a device has FE_CSR_LANES lanes for the entries of a row. */
static mx_err apply(const fe_level *level, const fe_product *p)
{
    enum { DEVICE_ROWS = 64 };
    fe_rows_args a = {.first = 0};
    const mx_teams teams =
        fe_teams_of_rows(level, p->part, DEVICE_ROWS, FE_CSR_LANES, &a.rows_per_team);
    MX_TRY(fe_bind_rows(level, p, &a));
    return FE_LAUNCH(level, fe_csr, teams, &a, p->dot);
}

static fe_work work(const fe_level *level)
{
    fe_work of_rows = fe_work_of_stored(level, (double)level->entries, 4);
    of_rows.bytes += 8.0 * fe_rows(&level->mesh);
    return of_rows;
}

const fe_operator_form fe_operator_csr = {.has_parts = true,
                                          .all_written = true,
                                          .bytes = bytes,
                                          .set_up = set_up,
                                          .apply = apply,
                                          .work = work};
