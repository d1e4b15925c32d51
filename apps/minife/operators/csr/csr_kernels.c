/* Products with a matrix in csr form. */
#include "minx/kernel.h"
#include "minx/kit/simd_rows.h"
#include "minx/team.h"

#include "fe_csr.h"
#include "operators/shared/fe_row_prefetch.h"

/* How many entries ahead coefficients and columns are fetched: both the same number of bytes. */
enum { CSR_VALUES_AHEAD = 1024, CSR_COLUMNS_AHEAD = 2048 };

/* The columns of a node inside the mesh: three planes of three runs of three nodes, which have
 * consecutive numbers. */
enum { RUN = 3, PLANE = 3 * RUN };

/* Are the columns from `at` on nine runs of three consecutive numbers, with another element of x
 * behind each run? Lane k of `steps`: in all planes, column k + 1 is the next number after column k.
 */
MX_BODY bool has_runs(const fe_rows_args *a, int64_t at)
{
    enum { STEPS_OF_RUNS = 1 << 0 | 1 << 1 | 1 << 3 | 1 << 4 | 1 << 6 | 1 << 7 };
    const int end = (int)a->x.extent[0] - RUN;
    mx_mask_i32 steps = mx_mask_of_bits_i32(STEPS_OF_RUNS);
    for (int64_t e = at; e < at + FE_SLOTS; e += PLANE) {
        const mx_pack_i32 column = mx_pack_load(&MX_AT(a->column, e));
        const mx_pack_i32 next = mx_pack_load(&MX_AT(a->column, e + 1));
        steps = steps & (next - column == 1) & (column < end);
    }
    return mx_mask_bits(steps) == STEPS_OF_RUNS;
}

/* The products of a run. The fourth one belongs to other entries. */
MX_BODY mx_row_f64 terms_of_run(const fe_rows_args *a, int64_t at, bool is_f32)
{
    const mx_row_f64 x = mx_row_load(&MX_AT(a->x, MX_LOAD(a->column, at)));
    return is_f32 ? mx_row_load_f32(&MX_AT(a->f32value, at)) * x
                  : mx_row_load(&MX_AT(a->value, at)) * x;
}

MX_BODY double sum_of_runs(const fe_rows_args *a, int64_t begin, bool is_f32)
{
    mx_row_f64 s0 = mx_row_set(0), s1 = s0, s2 = s0;
    for (int64_t e = begin; e < begin + FE_SLOTS; e += PLANE) {
        s0 += terms_of_run(a, e, is_f32);
        s1 += terms_of_run(a, e + RUN, is_f32);
        s2 += terms_of_run(a, e + 2 * RUN, is_f32);
    }
    const mx_row_f64 sum = s0 + s1 + s2;
    return sum[0] + sum[1] + sum[2];
}

/* Four sums, so that no addition waits for the one before it; vectors would have to gather x, which
 * takes longer. */
MX_BODY double sum_of_entries(const fe_rows_args *a, int64_t begin, int64_t end, bool is_f32)
{
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int64_t e = begin;
    for (; e + 3 < end; e += 4) {
        s0 += FE_VALUE(a, e, is_f32) * MX_AT(a->x, MX_LOAD(a->column, e));
        s1 += FE_VALUE(a, e + 1, is_f32) * MX_AT(a->x, MX_LOAD(a->column, e + 1));
        s2 += FE_VALUE(a, e + 2, is_f32) * MX_AT(a->x, MX_LOAD(a->column, e + 2));
        s3 += FE_VALUE(a, e + 3, is_f32) * MX_AT(a->x, MX_LOAD(a->column, e + 3));
    }
    for (; e < end; e++) s0 += FE_VALUE(a, e, is_f32) * MX_AT(a->x, MX_LOAD(a->column, e));
    return (s0 + s1) + (s2 + s3);
}

/* A row by one lane. With a load for each number, the loads of a row take as long as its memory
 * traffic. So most rows load three elements of x at once, after a check that their columns follow
 * each other. Not the last row of the matrix, behind which there is no coefficient. */
MX_BODY double row_by_one(const fe_rows_args *a, int row, int64_t begin, int64_t end, bool is_f32)
{
    enum { FETCHED = 32 };
    (void)row;
    fe_prefetch(a, fe_ahead_of(a, begin, CSR_VALUES_AHEAD, FETCHED),
                fe_ahead_of(a, begin, CSR_COLUMNS_AHEAD, FETCHED), FETCHED, true, is_f32);
    if (MX_ROW_IS_REGISTER && end - begin == FE_SLOTS && end < a->column.extent[0] &&
        has_runs(a, begin))
        return sum_of_runs(a, begin, is_f32);
    return sum_of_entries(a, begin, end, is_f32);
}

/* Every FE_CSR_LANES-th entry from `at` on, of the `entries` that are left of the row. All are
 * loaded before the first one is needed. */
MX_BODY double part_of_row(const fe_rows_args *a, int row, int64_t at, int entries, bool is_f32)
{
    enum { MAX_PART = (FE_SLOTS + FE_CSR_LANES - 1) / FE_CSR_LANES };
    double value[MAX_PART], sum = 0;
    int column[MAX_PART];
    for (int k = 0; k < MAX_PART; k++) {
        const bool exists = k * FE_CSR_LANES < entries;
        value[k] = exists ? FE_VALUE(a, at + k * FE_CSR_LANES, is_f32) : 0;
        column[k] = exists ? MX_LOAD(a->column, at + k * FE_CSR_LANES) : row;
    }
    for (int k = 0; k < MAX_PART; k++) sum += value[k] * MX_AT(a->x, column[k]);
    return sum;
}

FE_DEFINE_ROWS(csr_rows, fe_rows_args, row_by_one, part_of_row)
FE_DEFINE_PRODUCTS(fe_csr, fe_rows_args, csr_rows)
