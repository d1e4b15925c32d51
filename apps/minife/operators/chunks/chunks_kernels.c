/* Rows in chunks: structure and products. */
#include "minx/kernel.h"
#include "minx/scan.h"
#include "minx/team.h"

#include "fe_chunks.h"
#include "operators/shared/fe_row_prefetch.h"

/* ---- structure ---- */

MX_BODY int entries_of_row(const fe_mesh *m, int row)
{
    const fe_stencil s = fe_stencil_of(m, fe_node_of_row(m, row));
    return fe_stencil_size(&s);
}

MX_BODY void fe_chunk_begins_body(const fe_structure_args *a, int chunk, int64_t *sum, bool final)
{
    const int rows = fe_rows(&a->mesh), first = chunk * a->matrix.chunk;
    int width = 0;
    if (final) MX_AT(a->matrix.begin, chunk) = *sum;
    for (int row = first; row < first + a->matrix.chunk && row < rows; row++) {
        const int entries = entries_of_row(&a->mesh, row);
        if (entries > width) width = entries;
    }
    *sum += (int64_t)width * a->matrix.chunk;
}
MX_SCAN(1D, fe_chunk_begins, MX_SUM)

/* ---- products ---- */

/* How many entries ahead the coefficients and columns are fetched. */
enum { CHUNKS_AHEAD = 512 };

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
        const int64_t next = fe_ahead_of(a, at, CHUNKS_AHEAD, HOST_CHUNK);
        fe_prefetch(a, next, next, HOST_CHUNK, a->pitch == 0, is_f32);
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

FE_DEFINE_PRODUCTS(fe_chunks, fe_rows_args, chunk_rows)
