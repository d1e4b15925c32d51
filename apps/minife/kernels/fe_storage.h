/* Where the coefficients of a matrix are. For drivers and kernels.
 *
 * A coefficient belongs to two nodes: its row's and its column's. A row has those of the nodes
 * around its own, at most 27. They have two numbers: `entry` counts those that exist, in the order
 * of z, y, x, from 0; `slot` is 9 (dz + 1) + 3 (dy + 1) + dx + 1, the same for all rows, from 0 to
 * 26; the diagonal has slot 13.
 *
 *   csr       entry after entry, row after row (csr8 too: fe_csr8.h)   begin(row) + entry
 *   ell       27 entries for each row; entry e of all rows together    entry * pitch + row
 *   sell      chunks of C rows, each as wide as its longest row        begin(row / C) + entry * C + row % C
 *   lines     plane after plane, of each one the 27 slots; the lines of a slot along x together: no column numbers
 *                                                                      (z * 27 + slot) * pitch + y * width + x
 *   half      the same with slots 13 to 26: the matrix is symmetric, so that the others are found in the rows of their columns.
 *             Ghosts are stored too, and one plane, line or node of zeros in front of them along each dimension
 *                                                                      (z * 14 + slot - 13) * pitch + y * width + x
 *   packs     half too, for hosts: eight nodes of a line, from the first one that the rank holds, have their 14 slots together. A
 *             line of zeros is in front of all lines, and 8 more zeros are behind them, as loads may be longer than what is needed
 *                                                                      (1 + line) * 14 * width + x / 8 * 112 + (slot - 13) * 8 + x % 8
 *   diagonal  slot 13 of each row                                      row
 *
 * Padding is 0, so that products may read it.
 *
 * lines, half: a slot of a plane is a stream of some ten pages, which hardware fetches ahead.
 * With the slots of a line together a stream would be shorter than a page, and products slower. */
#pragma once
#include "mesh/fe_mesh.h"
#include "minx/minx.h"

typedef enum fe_storage_kind {
    FE_STORAGE_NONE,
    FE_STORAGE_CSR,
    FE_STORAGE_ELL,
    FE_STORAGE_SELL,
    FE_STORAGE_LINES,
    FE_STORAGE_HALF,
    FE_STORAGE_PACKS,
    FE_STORAGE_DIAGONAL
} fe_storage_kind;

enum { FE_SLOTS = 27, FE_DIAGONAL_SLOT = 13, FE_HALF_SLOTS = 14, FE_PACK = 8 };

typedef struct fe_storage {
    mx_i64_1 begin;    /* csr, sell */
    mx_f64_1 value;    /* the coefficients, */
    mx_f32_1 f32value; /* or these, if is_f32 */
    bool is_f32;
    int kind;      /* fe_storage_kind */
    int chunk;     /* sell: C */
    int64_t pitch; /* ell, lines, half */
    int low[3];    /* lines, half: the first node along each dimension, */
    int width;     /* and from a line to the next one; packs: the nodes of a line, padded */
} fe_storage;
/* The accessors in a member `m` of an argument struct, for MX_ARGS. */
#define FE_STORAGE_ACCESSORS(ACCESSOR, m) ACCESSOR(m.begin) ACCESSOR(m.value) ACCESSOR(m.f32value)

/* Entry or slot number n of a row is at first + n * step. */
typedef struct fe_row_place {
    int64_t first, step;
} fe_row_place;

/* Is a coefficient stored in one of its two rows only? */
MX_INLINE bool fe_is_half(const fe_storage *s)
{
    return s->kind == FE_STORAGE_HALF || s->kind == FE_STORAGE_PACKS;
}

MX_INLINE bool fe_has_slots(const fe_storage *s)
{
    return s->kind == FE_STORAGE_LINES || fe_is_half(s) || s->kind == FE_STORAGE_DIAGONAL;
}

/* packs: where a node's slot is in its line. */
MX_INLINE int64_t fe_in_packs(int x, int slot)
{
    const int64_t packs = x / FE_PACK;
    return (packs * FE_HALF_SLOTS + slot - FE_DIAGONAL_SLOT) * FE_PACK + x % FE_PACK;
}

/* The first slot that is stored. */
MX_INLINE int fe_first_slot(const fe_storage *s)
{
    return s->kind == FE_STORAGE_LINES ? 0 : FE_DIAGONAL_SLOT;
}

/* Does the form have this row? */
MX_INLINE bool fe_has_row(const fe_storage *s, const fe_mesh *m, fe_node n)
{
    return fe_is_half(s) || fe_is_owned(m, n);
}

MX_INLINE fe_row_place fe_place_of_row(const fe_storage *s, const fe_mesh *m, fe_node n)
{
    fe_row_place p = {0, 1};
    if (s->kind == FE_STORAGE_LINES || s->kind == FE_STORAGE_HALF) {
        const int first = fe_first_slot(s);
        const int64_t plane = n.at[0] - s->low[0], line = n.at[1] - s->low[1];
        p.first = (plane * (FE_SLOTS - first) - first) * s->pitch + line * s->width +
                  (n.at[2] - s->low[2]);
        p.step = s->pitch;
        return p;
    }
    if (s->kind == FE_STORAGE_PACKS) {
        const int64_t line =
            1 + (int64_t)(n.at[0] - m->low[0]) * m->extent[1] + n.at[1] - m->low[1];
        p.first = line * FE_HALF_SLOTS * s->width + fe_in_packs(n.at[2] - m->low[2], 0);
        p.step = FE_PACK;
        return p;
    }
    const int row = fe_local(m, n);
    if (s->kind == FE_STORAGE_CSR) {
        p.first = MX_AT(s->begin, row);
    } else if (s->kind == FE_STORAGE_SELL) {
        p.first = MX_AT(s->begin, row / s->chunk) + row % s->chunk;
        p.step = s->chunk;
    } else if (s->kind == FE_STORAGE_ELL) {
        p.first = row;
        p.step = s->pitch;
    } else {
        p.first = row - FE_DIAGONAL_SLOT;
    }
    return p;
}

/* The slot of column n in the row of node `row`. */
MX_INLINE int fe_slot_of(fe_node row, fe_node n)
{
    return 9 * (n.at[0] - row.at[0]) + 3 * (n.at[1] - row.at[1]) + n.at[2] - row.at[2] +
           FE_DIAGONAL_SLOT;
}

/* Is the coefficient stored in this row? If not, its symmetric one is. */
MX_INLINE bool fe_has_column(const fe_storage *s, fe_node row, fe_node n)
{
    if (s->kind == FE_STORAGE_DIAGONAL) return fe_slot_of(row, n) == FE_DIAGONAL_SLOT;
    return !fe_is_half(s) || fe_slot_of(row, n) >= FE_DIAGONAL_SLOT;
}

/* Where the coefficient of a row and a column is that are stored. */
MX_INLINE int64_t fe_place_of(const fe_storage *s, const fe_mesh *m, fe_node row, fe_node n)
{
    const fe_row_place p = fe_place_of_row(s, m, row);
    const fe_stencil around = fe_stencil_of(m, row);
    const int number = fe_has_slots(s) ? fe_slot_of(row, n) : fe_entry_of(&around, n);
    return p.first + number * p.step;
}

MX_INLINE double fe_get(const fe_storage *s, int64_t place)
{
    return s->is_f32 ? (double)MX_AT(s->f32value, place) : MX_AT(s->value, place);
}

MX_INLINE void fe_put(const fe_storage *s, int64_t place, double x)
{
    if (s->is_f32)
        MX_AT(s->f32value, place) = (float)x;
    else
        MX_AT(s->value, place) = x;
}

/* The coefficient of any two nodes that the rank holds, one of which is its own. */
MX_INLINE double fe_coefficient(const fe_storage *s, const fe_mesh *m, fe_node row, fe_node n)
{
    return fe_has_column(s, row, n) ? fe_get(s, fe_place_of(s, m, row, n))
                                    : fe_get(s, fe_place_of(s, m, n, row));
}
