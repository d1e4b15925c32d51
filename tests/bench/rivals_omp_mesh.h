/* Hand-written OpenMP in three dimensions: steps of the heat equation, assembly. Included by
 * rivals_omp.c. */
#pragma once
#include "rivals_omp.h"

#include <string.h>

/* ---- u + s (six neighbours - 6 u), on all interior cells; with the squared norm of the change,
 * where ADD adds it ---- */

#define HEAT_ROW(REDUCTION, ADD, i, j)                                                     \
    {                                                                                      \
        const int64_t row = (i)*plane + (j)*stride;                                        \
        double *restrict to = fresh + row;                                                 \
        const double *restrict at = u + row, *restrict below = at - stride;                \
        const double *restrict above = at + stride, *restrict before = at - plane;         \
        const double *restrict behind = at + plane;                                        \
        SIMD(REDUCTION)                                                                    \
        for (int k = 1; k <= side; k++) {                                                  \
            const double around =                                                          \
                (before[k] + behind[k]) + (below[k] + above[k]) + (at[k - 1] + at[k + 1]); \
            const double change = s * (around - 6.0 * at[k]);                              \
            to[k] = at[k] + change;                                                        \
            ADD;                                                                           \
        }                                                                                  \
    }
#define HEAT_ARGS(g)                                        \
    const int side = (g)->side;                             \
    const int64_t stride = (g)->stride, plane = (g)->plane; \
    const double s = (g)->s;                                \
    double *restrict fresh = (g)->w;                        \
    const double *restrict u = (g)->u

#define HEAT(name, BEGIN, REDUCTION, ADD, END)                                                     \
    static void name(const rival_args *g)                                                          \
    {                                                                                              \
        TEAM(g);                                                                                   \
        HEAT_ARGS(g);                                                                              \
        BEGIN;                                                                                     \
        PARALLEL_FOR(REDUCTION)                                                                    \
        for (int i = 1; i <= side; i++)                                                            \
            for (int j = 1; j <= side; j++) HEAT_ROW(REDUCTION, ADD, i, j)                         \
        END;                                                                                       \
    }                                                                                              \
    static void name##_tiled(const rival_args *g)                                                  \
    {                                                                                              \
        TEAM(g);                                                                                   \
        HEAT_ARGS(g);                                                                              \
        const int ti = g->tile[0], tj = g->tile[1];                                                \
        BEGIN;                                                                                     \
        PARALLEL_FOR(collapse(2) REDUCTION)                                                        \
        for (int i0 = 1; i0 <= side; i0 += ti)                                                     \
            for (int j0 = 1; j0 <= side; j0 += tj)                                                 \
                for (int i = i0; i < i0 + ti && i <= side; i++)                                    \
                    for (int j = j0; j < j0 + tj && j <= side; j++) HEAT_ROW(REDUCTION, ADD, i, j) \
        END;                                                                                       \
    }
HEAT(heat, (void)0, , (void)0, (void)0)
HEAT(heat_norm, double norm2 = 0, reduction(+ : norm2), norm2 += change *change, g->sums[0] = norm2)

/* ---- blocks of 8 x 8 into compressed rows, which are set to zero before ---- */

enum { ASSEMBLE_NODES = 8 };

/* Without branches. */
static inline int bisect(const int32_t *restrict column, int begin, int end, int wanted)
{
    int at = begin;
    for (int length = end - begin; length > 1;) {
        const int half = length / 2;
        at += column[at + half] <= wanted ? half : 0;
        length -= half;
    }
    return at;
}

static void assemble(const rival_args *g)
{
    TEAM(g);
    const int n = (int)g->n;
    const int64_t entries = g->entries;
    double *restrict value = g->value;
    const double *restrict blocks = g->block;
    const int32_t *restrict nodes = g->node, *restrict begin = g->begin;
    const int32_t *restrict column = g->column;
    PARALLEL()
    {
        const int64_t team = omp_get_num_threads(), me = omp_get_thread_num();
        const int64_t first = entries * me / team, last = entries * (me + 1) / team;
        memset(value + first, 0, (size_t)(last - first) * sizeof *value);
        BARRIER()
        SHARED_FOR(nowait)
        for (int e = 0; e < n; e++) {
            const int32_t *restrict node = nodes + (int64_t)e * ASSEMBLE_NODES;
            const double *restrict block = blocks + (int64_t)e * ASSEMBLE_NODES * ASSEMBLE_NODES;
            for (int i = 0; i < ASSEMBLE_NODES; i++) {
                const int k0 = begin[node[i]], k1 = begin[node[i] + 1];
                for (int j = 0; j < ASSEMBLE_NODES; j++) {
                    const int k = bisect(column, k0, k1, node[j]);
                    const double x = block[i * ASSEMBLE_NODES + j];
                    PRAGMA(omp atomic)
                    value[k] += x;
                }
            }
        }
    }
}
