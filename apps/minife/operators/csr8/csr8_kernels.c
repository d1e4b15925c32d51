/* csr whose column numbers are codes: see fe_csr8.h. */
#include "minx/kernel.h"
#include "minx/scan.h"
#include "minx/team.h"

#include "fe_csr8.h"

/* ---- structure ---- */

MX_BODY void fe_ghost_begins_body(const fe_csr8_columns_args *a, int row, int64_t *ghosts,
                                  bool final)
{
    if (final) MX_AT(a->ghost_begin, row) = *ghosts;
    if (row < fe_rows(&a->mesh))
        *ghosts += fe_ghosts_around(&a->mesh, fe_node_of_row(&a->mesh, row));
}
MX_SCAN(1D, fe_ghost_begins, MX_SUM)

MX_BODY void fe_codes_body(const fe_csr8_columns_args *a, int row)
{
    const fe_mesh *const m = &a->mesh;
    const fe_node node = fe_node_of_row(m, row);
    const fe_stencil around = fe_stencil_of(m, node);
    int64_t at = MX_AT(a->begin, row);
    int ghosts = 0;
    for (int z = 0; z < around.count[0]; z++)
        for (int y = 0; y < around.count[1]; y++)
            for (int x = 0; x < around.count[2]; x++) {
                const fe_node n = {
                    {around.low.at[0] + z, around.low.at[1] + y, around.low.at[2] + x}};
                int code = fe_slot_of(node, n);
                if (!fe_is_owned(m, n)) {
                    MX_AT(a->ghost, MX_AT(a->ghost_begin, row) + ghosts) = fe_local(m, n);
                    code = FE_SLOTS + ghosts;
                    ghosts++;
                }
                MX_AT(a->code, at) = (uint8_t)code;
                at++;
            }
}
MX_FOR(1D, fe_codes, MX_ITEMS_PLAIN)

/* ---- products ---- */

/* How many entries ahead coefficients and codes are fetched: see fe_row_prefetch.h. */
enum { CODES_AHEAD = 512, CODES_LINE = 64, CODES_FETCHED = 24 };

/* Near the end there are addresses behind the last entry, which are fetched without harm. */
MX_BODY void fetch(const fe_csr8_args *a, int64_t at, bool is_f32)
{
    const int64_t ahead =
        at + CODES_AHEAD < a->code.extent[0] - CODES_FETCHED ? at + CODES_AHEAD : at;
    for (int e = 0; e < CODES_FETCHED; e += CODES_LINE / 8) {
        if (is_f32)
            MX_PREFETCH_ONCE(&MX_AT(a->f32value, 0) + ahead + e);
        else
            MX_PREFETCH_ONCE(&MX_AT(a->value, 0) + ahead + e);
    }
    MX_PREFETCH_ONCE(&MX_AT(a->code, 0) + ahead);
}

/* Entry `at` times its element of x; its column is no ghost. */
MX_BODY double near_term(const fe_csr8_args *a, int row, int64_t at, bool is_f32)
{
    const int64_t column = row + (int64_t)MX_AT(a->distance, MX_LOAD(a->code, at));
    return FE_VALUE(a, at, is_f32) * MX_AT(a->x, column);
}

/* ghosts: where those of the row begin */
MX_BODY int column_at(const fe_csr8_args *a, int row, int64_t ghosts, int64_t at)
{
    const int code = MX_LOAD(a->code, at);
    return code < FE_SLOTS ? row + MX_AT(a->distance, code)
                           : MX_AT(a->ghost, ghosts + code - FE_SLOTS);
}

/* A row without ghosts; four sums, as in csr_kernels.c. */
MX_BODY double row_without_ghosts(const fe_csr8_args *a, int row, int64_t begin, int64_t end,
                                  bool is_f32)
{
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int64_t e = begin;
    fetch(a, begin, is_f32);
    for (; e + 3 < end; e += 4) {
        s0 += near_term(a, row, e, is_f32);
        s1 += near_term(a, row, e + 1, is_f32);
        s2 += near_term(a, row, e + 2, is_f32);
        s3 += near_term(a, row, e + 3, is_f32);
    }
    for (; e < end; e++) s0 += near_term(a, row, e, is_f32);
    return (s0 + s1) + (s2 + s3);
}

MX_BODY double row_with_ghosts(const fe_csr8_args *a, int row, int64_t begin, int64_t end,
                               bool is_f32)
{
    const int64_t ghosts = MX_AT(a->ghost_begin, row);
    double sum = 0;
    for (int64_t e = begin; e < end; e++)
        sum += FE_VALUE(a, e, is_f32) * MX_AT(a->x, column_at(a, row, ghosts, e));
    return sum;
}

MX_BODY bool has_ghosts(const fe_csr8_args *a, int row)
{
    return a->has_ghosts && MX_AT(a->ghost_begin, row) < MX_AT(a->ghost_begin, row + 1);
}

/* A row by one lane. */
MX_BODY double row_by_one(const fe_csr8_args *a, int row, int64_t begin, int64_t end, bool is_f32)
{
    return has_ghosts(a, row) ? row_with_ghosts(a, row, begin, end, is_f32)
                              : row_without_ghosts(a, row, begin, end, is_f32);
}

/* Every FE_CSR_LANES-th entry from `at` on, of the `entries` that are left of the row. */
MX_BODY double part_of_row(const fe_csr8_args *a, int row, int64_t at, int entries, bool is_f32)
{
    enum { MAX_PART = (FE_SLOTS + FE_CSR_LANES - 1) / FE_CSR_LANES };
    const int64_t ghosts = a->has_ghosts ? MX_AT(a->ghost_begin, row) : 0;
    double value[MAX_PART], sum = 0;
    int column[MAX_PART];
    for (int k = 0; k < MAX_PART; k++) {
        const bool exists = k * FE_CSR_LANES < entries;
        value[k] = exists ? FE_VALUE(a, at + k * FE_CSR_LANES, is_f32) : 0;
        column[k] = exists ? column_at(a, row, ghosts, at + k * FE_CSR_LANES) : row;
    }
    for (int k = 0; k < MAX_PART; k++) sum += value[k] * MX_AT(a->x, column[k]);
    return sum;
}

FE_DEFINE_ROWS(csr8_rows, fe_csr8_args, row_by_one, part_of_row)
FE_DEFINE_PRODUCTS(fe_csr8, fe_csr8_args, csr8_rows)
