/* Products with half of a symmetric matrix, which is stored by packs (fe_storage.h), on hosts.
 *
 * The coefficient of row i and of a column behind it belongs to two sums: that of row i, and that
 * of the column's row. Line after line, a row gets the terms of its own coefficients, and those of
 * the four lines in front, which are at most one plane behind in memory, so that they are in cache.
 * Nothing is added to rows of other lines: the bits of a sum do not depend on threads.
 *
 * A coefficient of a line in front is beside that of the row at the same place i along x. It
 * belongs to row i - 1, i or i + 1. So each coefficient is multiplied by the element of x of its
 * own node, and the products of all lines are added in three sums:
 *
 *     y(i) = middle(i) + low(i + 1) + high(i - 1)
 *
 * Thus packs are loaded whole, and only the three sums are read at shifted places. As a pack
 * follows the other, the matrix is one stream of memory.
 *
 * Where a line in front does not exist, its coefficients are those of a line of zeros. Rows beside a
 * ghost along x, whose number does not follow those of the line, are summed one by one; so are all
 * rows of lines near both ends of x, around which there would be no element to load.
 *
 * Rejected: the slots of a line or a plane together, with loads at shifted places. Such a
 * product is slower, because loads cross cache lines, and the matrix is 14 streams. Blocks of
 * lines whose planes stay in the second cache: no faster. */
#include "minx/kernel.h"
#include "minx/kit/simd_parts.h"
#include "minx/team.h"

#include "fe_symmetric.h"

enum { FRONT_LINES = 4, PACK_VALUES = FE_PACK * FE_HALF_SLOTS };

/* A line of rows, and those around it in the order of z, y: their places in fe_lines_args.line, and
 * the local indices of their nodes at the first row's place. Instead of a line that does not exist
 * there is the line itself. */
typedef struct pack_line {
    int line[9], start[9];
    int64_t centre;             /* where the coefficients of its first node are, */
    int64_t front[FRONT_LINES]; /* and those of line 3 - k, or of a line of zeros */
    int rows, nodes;            /* nodes: with ghosts */
    int ghosts;                 /* in front of the first row: 0 or 1 */
} pack_line;

MX_BODY pack_line pack_line_at(const fe_lines_args *a, int number)
{
    const fe_mesh *const m = &a->mesh;
    const int plane = number / m->count[1], line = number - plane * m->count[1];
    const int z = plane + m->first[0] - m->low[0], y = line + m->first[1] - m->low[1];
    const int around = m->extent[1] + 2, h = (z + 1) * around + y + 1;
    const int64_t values = (int64_t)FE_HALF_SLOTS * a->width;
    const bool exists_z[] = {z > 0, true, z + 1 < m->extent[0]},
               exists_y[] = {y > 0, true, y + 1 < m->extent[1]};
    pack_line r;
    r.rows = m->count[2];
    r.nodes = m->extent[2];
    r.ghosts = m->first[2] - m->low[2];
    r.centre = (1 + (int64_t)z * m->extent[1] + y) * values;
    MX_UNROLL(9)
    for (int k = 0; k < 9; k++) {
        const int dz = k / 3 - 1, dy = k % 3 - 1;
        const bool exists = exists_z[dz + 1] && exists_y[dy + 1];
        const int64_t distance = (int64_t)dz * m->extent[1] + dy;
        r.line[k] = exists ? h + dz * around + dy : h;
        r.start[k] = MX_AT(a->line, 0, r.line[k]);
        if (k < FRONT_LINES) r.front[3 - k] = exists ? r.centre + distance * values : 0;
    }
    return r;
}

/* ---- one row ---- */

/* The element of x at place i from the first row of line k. */
MX_BODY double element_at(const fe_lines_args *a, const pack_line *r, int k, int i)
{
    const int end = i < 0 ? 1 : 2;
    const bool inside = i >= 0 && i < r->rows;
    return MX_AT(a->x, inside ? r->start[k] + i : MX_AT(a->line, end, r->line[k]));
}

MX_BODY double row_of_packs(const fe_lines_args *a, const pack_line *r, int i, bool is_f32)
{
    const int node = r->ghosts + i;
    double sum = FE_VALUE(a, r->centre + fe_in_packs(node, FE_DIAGONAL_SLOT), is_f32) *
                 element_at(a, r, 4, i);
    for (int slot = FE_DIAGONAL_SLOT + 1; slot < FE_SLOTS; slot++) {
        const int k = slot / 3, dx = slot % 3 - 1, other = node - dx;
        const int64_t line = k == 4 ? r->centre : r->front[k - 5];
        sum +=
            FE_VALUE(a, r->centre + fe_in_packs(node, slot), is_f32) * element_at(a, r, k, i + dx);
        if (other >= 0 && other < r->nodes)
            sum += FE_VALUE(a, line + fe_in_packs(other, slot), is_f32) *
                   element_at(a, r, 8 - k, i - dx);
    }
    return sum;
}

/* ---- packs ---- */

/* The sums of some packs: those of node `from` + i of the line are at 2 + i. In front of them are
 * those of the last two nodes before. */
enum { PIECE = 16, PIECE_NODES = PIECE * FE_PACK };
typedef struct piece {
    double middle[PIECE_NODES + 3], high[PIECE_NODES + 3], low[PIECE_NODES + 3];
    int from, nodes;
} piece;

/* The same for a part of a pack. */
typedef struct part_sums {
    mx_part_f64 middle[2], high, low;
} part_sums;

/* Where a part of floats is longer than one of doubles, elements behind it are loaded too: the
 * storage has some behind its end. */
MX_BODY mx_part_f64 part_at(const fe_lines_args *a, int64_t at, bool is_f32)
{
    return is_f32 ? mx_part_widen(mx_part_load_f32(&MX_AT(a->f32value, at)), 0)
                  : mx_part_load_f64(&MX_AT(a->value, at));
}

/* Adds the terms of three slots, from `slot` on. The coefficients at `centre` belong to the line
 * itself, and are multiplied by elements of the line behind it, the middle one of which is at `x`.
 * Those at `front` belong to the line in front, and are multiplied by its own elements, `front_x`. */
MX_BODY void add_lines(const fe_lines_args *a, int64_t centre, const double *x, int64_t front,
                       const double *front_x, int slot, bool is_f32, part_sums *sums)
{
    const int64_t first = fe_in_packs(0, slot), step = FE_PACK;
    const mx_part_f64 f = mx_part_load_f64(front_x);
    mx_part_f64 *const middle = &sums->middle[slot / 3 & 1];
    *middle += part_at(a, centre + first, is_f32) * mx_part_load_f64(x - 1);
    *middle += part_at(a, centre + first + step, is_f32) * mx_part_load_f64(x);
    *middle += part_at(a, centre + first + 2 * step, is_f32) * mx_part_load_f64(x + 1);
    sums->low += part_at(a, front + first, is_f32) * f;
    *middle += part_at(a, front + first + step, is_f32) * f;
    sums->high += part_at(a, front + first + 2 * step, is_f32) * f;
}

/* The part at `at` of its line's coefficients, and at node `node` of the line. x: the elements of
 * the lines around at their first nodes. */
MX_BODY part_sums sums_of_part(const fe_lines_args *a, const pack_line *r, const double *const *x,
                               int64_t at, int node, bool is_f32)
{
    const mx_part_f64 zero = mx_part_set_f64(0.0), x_centre = mx_part_load_f64(x[4] + node);
    const mx_part_f64 next = part_at(a, r->centre + at + FE_PACK, is_f32);
    part_sums sums = {{zero, zero}, next * x_centre, zero};
    sums.middle[0] =
        part_at(a, r->centre + at, is_f32) * x_centre + next * mx_part_load_f64(x[4] + node + 1);
    MX_UNROLL(4)
    for (int k = 0; k < FRONT_LINES; k++)
        add_lines(a, r->centre + at, x[5 + k] + node, r->front[k] + at, x[3 - k] + node,
                  FE_DIAGONAL_SLOT + 2 + 3 * k, is_f32, &sums);
    return sums;
}

/* Fetches the coefficients of a pack that is some packs ahead. They are one stream, so that hardware
 * fetches them too, but not beyond a page. */
MX_BODY void fetch(const fe_lines_args *a, int64_t pack, bool is_f32)
{
    enum { AHEAD = 8 * PACK_VALUES, LINE = 64 };
    for (int e = 0; e < PACK_VALUES; e += is_f32 ? LINE / 4 : LINE / 8) {
        if (is_f32)
            MX_PREFETCH_ONCE(&MX_AT(a->f32value, 0) + pack + AHEAD + e);
        else
            MX_PREFETCH_ONCE(&MX_AT(a->value, 0) + pack + AHEAD + e);
    }
}

MX_BODY void sum_piece(const fe_lines_args *a, const pack_line *r, const double *const *x,
                       bool is_f32, piece *p)
{
    for (int i = 0; i < p->nodes; i += FE_PACK) {
        const int64_t at = (int64_t)(p->from + i) * FE_HALF_SLOTS;
        fetch(a, r->centre + at, is_f32);
        for (int part = 0; part < FE_PACK; part += MX_PART_WIDTH_F64) {
            const part_sums s = sums_of_part(a, r, x, at + part, p->from + i + part, is_f32);
            mx_part_store_f64(&p->middle[2 + i + part], s.middle[0] + s.middle[1]);
            mx_part_store_f64(&p->high[2 + i + part], s.high);
            mx_part_store_f64(&p->low[2 + i + part], s.low);
        }
    }
}

/* Stores y of the rows from `first` to `end` - 1 whose sums are complete: not the last node of the
 * piece, unless it is the line's last one. Adds to the parts of x . y, and returns the rest of it. */
MX_BODY double store_rows(const fe_lines_args *a, const pack_line *r, piece *p, int first, int end,
                          mx_part_f64 *dot)
{
    const bool last = p->from + p->nodes >= a->width;
    const int offset = 2 + r->ghosts - p->from, complete = p->nodes + (last ? 2 : 1) - offset;
    double *const y = &MX_AT(a->y, r->start[4]);
    const double *const x = &MX_AT(a->x, r->start[4]);
    if (last) p->low[p->nodes + 2] = 0;
    int i = first < 1 - offset ? 1 - offset : first;
    double rest = 0;
    if (end > complete) end = complete;
    for (; i + MX_PART_WIDTH_F64 <= end; i += MX_PART_WIDTH_F64) {
        const int at = i + offset;
        const mx_part_f64 sum =
            mx_part_load_f64(&p->middle[at]) +
            (mx_part_load_f64(&p->low[at + 1]) + mx_part_load_f64(&p->high[at - 1]));
        mx_part_store_f64(y + i, sum);
        *dot += mx_part_load_f64(x + i) * sum;
    }
    for (; i < end; i++) {
        const int at = i + offset;
        y[i] = p->middle[at] + (p->low[at + 1] + p->high[at - 1]);
        rest += x[i] * y[i];
    }
    for (int k = 0; k < 2; k++) {
        p->middle[k] = p->middle[p->nodes + k];
        p->high[k] = p->high[p->nodes + k];
    }
    return rest;
}

/* The rows from `first` to `end` - 1 of a line. Adds to the parts of x . y, and returns the rest of
 * it. */
MX_BODY double rows_by_packs(const fe_lines_args *a, const pack_line *r, int first, int end,
                             bool is_f32, mx_part_f64 *dot)
{
    const double *x[9];
    double rest = 0;
    piece p;
    MX_UNROLL(9)
    for (int k = 0; k < 9; k++) x[k] = &MX_AT(a->x, r->start[k] - r->ghosts);
    for (int i = 0; i < 2; i++) p.middle[i] = p.high[i] = 0;
    for (p.from = 0; p.from < a->width; p.from += p.nodes) {
        p.nodes = a->width - p.from < PIECE_NODES ? a->width - p.from : PIECE_NODES;
        sum_piece(a, r, x, is_f32, &p);
        rest += store_rows(a, r, &p, first, end, dot);
    }
    return rest;
}

/* Are there elements of x at all places that packs load? */
MX_BODY bool has_packs(const fe_lines_args *a, const pack_line *r)
{
    bool has = true;
    for (int k = 0; k < 9; k++) {
        const int first = r->start[k] - r->ghosts;
        has = has && first > 0 && first + a->width < a->x.extent[0];
    }
    return has;
}

/* The rows from `first` on, one by one, each `step`-th one. Returns x . y. */
MX_BODY double rows_by_one(const fe_lines_args *a, const pack_line *r, int first, int end, int step,
                           bool is_f32)
{
    double dot = 0;
    for (int i = first; i < end; i += step) {
        const double y = row_of_packs(a, r, i, is_f32);
        MX_AT(a->y, r->start[4] + i) = y;
        dot += MX_AT(a->x, r->start[4] + i) * y;
    }
    return dot;
}

MX_BODY double pack_lines(const fe_lines_args *a, mx_team *t, bool is_f32)
{
    const int first = a->first + t->league_rank * a->lines_per_team;
    const int last = first + a->lines_per_team < a->end ? first + a->lines_per_team : a->end;
    mx_part_f64 by_parts = mx_part_set_f64(0.0);
    double dot = 0;
    MX_TEAM_FOR (t, number, first, last) {
        const pack_line r = pack_line_at(a, number);
        if (t->lanes > 1 || !has_packs(a, &r)) {
            dot += rows_by_one(a, &r, t->lane, r.rows, t->lanes, is_f32);
            continue;
        }
        const int end = r.rows - (r.nodes > r.ghosts + r.rows ? 1 : 0);
        dot += rows_by_packs(a, &r, r.ghosts, end, is_f32, &by_parts);
        dot += rows_by_one(a, &r, 0, r.ghosts, 1, is_f32);
        dot += rows_by_one(a, &r, end > r.ghosts ? end : r.ghosts, r.rows, 1, is_f32);
    }
    return dot + mx_part_sum_f64(by_parts);
}
FE_DEFINE_PRODUCTS(fe_packs, fe_lines_args, pack_lines)
