/* A mesh and the next coarser one, for multigrid. For drivers and kernels.
 *
 * Both meshes fill the same box, so a node's place along a dimension is its number divided by the
 * elements. Fine node i of n is at i c / n in the numbers of the coarse nodes, where c is the
 * number of coarse elements. It lies between two of them, and linear interpolation gives it their
 * values:
 *
 *     coarse       0        1        2         coarse     0           1           2
 *     n = 4        +---+----+---+----+         n = 3      +-------+---|---+-------+
 *     fine         0   1    2   3    4         fine       0       1       2       3
 *
 * So meshes with odd n, which are not nested, need no rule of their own. A transfer in three
 * dimensions is the product of those along each dimension. Nodes with given values have no
 * corrections, so the transfers leave them out, on both meshes.
 *
 * Coarse node j belongs to the rank that owns the fine node at floor(j n / c). A rank holds the
 * coarse nodes around its own ones, and those between which its fine nodes lie. Some ranks own no
 * coarse node. */
#pragma once
#include "fe_mesh.h"

typedef struct fe_pair {
    fe_mesh fine, coarse;
} fe_pair;

/* The coarse nodes `low` and `low + 1`, between which fine node i lies, along one dimension. */
typedef struct fe_between {
    int low;
    double weight[2];
} fe_between;

/* floor(n / d) of integers, n from 0 to 2^52. Faster than a division of integers, and hosts have
 * vectors of it: n + 1/2 is so far from all multiples of d that rounding does not matter. */
MX_INLINE int fe_quotient(double n, int d) { return (int)((n + 0.5) / d); }

MX_INLINE fe_between fe_between_coarse(int i, int fine, int coarse)
{
    fe_between b;
    const double at = (double)i * coarse;
    const int low = fe_quotient(at, fine);
    b.low = low < coarse ? low : coarse - 1;
    b.weight[1] = (at - (double)b.low * fine) / fine;
    b.weight[0] = 1 - b.weight[1];
    return b;
}

/* The fine nodes, of those from `first` to before `end`, that get a share of coarse node j. */
typedef struct fe_shared {
    int first, end;
} fe_shared;

MX_INLINE fe_shared fe_shared_fine(int j, int fine, int coarse, int first, int end)
{
    /* those with |i coarse - j fine| < fine */
    const int low = j > 0 ? fe_quotient((double)(j - 1) * fine, coarse) + 1 : 0;
    const int high = fe_quotient((double)(j + 1) * fine - 1, coarse) + 1;
    fe_shared s;
    s.first = low > first ? low : first;
    s.end = high < end ? high : end;
    return s;
}

/* The share of coarse node j in fine node i. */
MX_INLINE double fe_weight(int i, int j, int fine, int coarse)
{
    const int64_t away = (int64_t)i * coarse - (int64_t)j * fine;
    return 1 - (double)(away < 0 ? -away : away) / fine;
}

/* The local indices of the nodes of a line that a rank holds: that of node x is x + owned, or
 * another sum for ghosts in front of the owned nodes and behind them. */
typedef struct fe_line {
    int first, end; /* the owned nodes */
    int before, owned, behind;
} fe_line;

MX_INLINE fe_line fe_line_of(const fe_mesh *m, int z, int y)
{
    fe_line l = {m->first[2], m->first[2] + m->count[2], 0, 0, 0};
    const int low = m->low[2], last = low + m->extent[2] - 1;
    const fe_node at_low = {{z, y, low}}, at_first = {{z, y, l.first}}, at_last = {{z, y, last}};
    l.before = fe_local(m, at_low) - low;
    l.owned = m->count[2] > 0 ? fe_local(m, at_first) - l.first : l.before;
    l.behind = fe_local(m, at_last) - last;
    return l;
}

MX_INLINE int fe_on_line(const fe_line *l, int x)
{
    return x + (x < l->first ? l->before : x < l->end ? l->owned : l->behind);
}
