/* Products with a matrix that stores the numbers of its columns. */
#include "minx/kernel.h"
#include "minx/simd_rows.h"
#include "minx/team.h"

#include "kernels/fe_product_kernels.h"

/* How many entries ahead the coefficients and columns are fetched: hardware does not fetch beyond a
 * page. csr fetches both the same number of bytes ahead. */
enum { AHEAD = 512, CSR_VALUES_AHEAD = 1024, CSR_COLUMNS_AHEAD = 2048, LINE = 64 };

MX_BODY void fetch_line(const void *address, bool once)
{
    if (once)
        MX_PREFETCH_ONCE(address);
    else
        MX_PREFETCH(address);
}

/* The entry that is `distance` behind `at`, or `at` where fewer than `entries` are left there. */
MX_BODY int64_t ahead_of(const fe_rows_args *a, int64_t at, int distance, int entries)
{
    return at + distance < a->column.extent[0] - entries ? at + distance : at;
}

/* Fetches some coefficients and columns. once: the matrix is one stream, which is kept out of the
 * outer caches, so that x stays there: csr and sell are 1.1 times as fast. ell has 27 streams, and
 * is slower so. */
MX_BODY void fetch(const fe_rows_args *a, int64_t value, int64_t column, int entries, bool once,
                   bool is_f32)
{
    for (int e = 0; e < entries; e += LINE / 8)
        fetch_line(is_f32 ? (const void *)(&MX_AT(a->f32value, 0) + value + e)
                          : (const void *)(&MX_AT(a->value, 0) + value + e),
                   once);
    for (int e = 0; e < entries; e += LINE / 4) fetch_line(&MX_AT(a->column, 0) + column + e, once);
}

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
    fetch(a, ahead_of(a, begin, CSR_VALUES_AHEAD, FETCHED),
          ahead_of(a, begin, CSR_COLUMNS_AHEAD, FETCHED), FETCHED, true, is_f32);
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

/* The rows of chunks that one lane computes together. */
enum { HOST_CHUNK = 8 };

/* A chunk by one lane, as vectors of eight rows. */
MX_BODY double chunk_by_one(const fe_rows_args *a, int row, int64_t first, int width, int64_t step,
                            bool is_f32)
{
    double sum[HOST_CHUNK], dot = 0;
    const int rows = a->end - row < HOST_CHUNK ? a->end - row : HOST_CHUNK;
    for (int l = 0; l < HOST_CHUNK; l++) sum[l] = 0;
    for (int e = 0; e < width; e++) {
        const int64_t at = first + e * step;
        const int64_t next = ahead_of(a, at, AHEAD, HOST_CHUNK);
        fetch(a, next, next, HOST_CHUNK, a->pitch == 0, is_f32);
        MX_SIMD for (int l = 0; l < HOST_CHUNK; l++) sum[l] +=
            FE_VALUE(a, at + l, is_f32) * MX_AT(a->x, MX_LOAD(a->column, at + l));
    }
    for (int l = 0; l < rows; l++) {
        MX_AT(a->y, row + l) = sum[l];
        dot += MX_AT(a->x, row + l) * sum[l];
    }
    return dot;
}

MX_BODY double chunk_rows(const fe_rows_args *a, mx_team *t, bool is_f32)
{
    const int chunks = (a->end + a->chunk - 1) / a->chunk;
    const int chunks_per_team = a->rows_per_team / a->chunk,
              from = a->first / a->chunk + t->league_rank * chunks_per_team;
    const int to = from + chunks_per_team < chunks ? from + chunks_per_team : chunks;
    const int64_t step = a->pitch > 0 ? a->pitch : a->chunk;
    double dot = 0;
    MX_TEAM_FOR (t, c, from, to) {
        const int row = c * a->chunk;
        const int64_t first = a->pitch > 0 ? row : MX_AT(a->begin, c);
        const int width =
            a->pitch > 0 ? FE_SLOTS : (int)((MX_AT(a->begin, c + 1) - first) / a->chunk);
        if (t->lanes == 1 && a->chunk == HOST_CHUNK) {
            dot += chunk_by_one(a, row, first, width, step, is_f32);
            continue;
        }
        const int rows = a->end - row < a->chunk ? a->end - row : a->chunk;
        for (int l = t->lane; l < rows; l += t->lanes) {
            double sum = 0;
            MX_UNROLL(9)
            for (int e = 0; e < width; e++) {
                const int64_t at = first + e * step + l;
                sum += FE_VALUE(a, at, is_f32) * MX_AT(a->x, MX_LOAD(a->column, at));
            }
            MX_AT(a->y, row + l) = sum;
            dot += MX_AT(a->x, row + l) * sum;
        }
    }
    return dot;
}

FE_DEFINE_PRODUCTS(fe_csr, fe_rows_args, csr_rows)
FE_DEFINE_PRODUCTS(fe_chunks, fe_rows_args, chunk_rows)
