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

MX_INLINE fe_between fe_between_coarse(int i, int fine, int coarse)
{
    fe_between b;
    const int64_t at = (int64_t)i * coarse;
    const int low = (int)(at / fine);
    b.low = low < coarse ? low : coarse - 1;
    b.weight[1] = (double)(at - (int64_t)b.low * fine) / fine;
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
    const int low = j > 0 ? (int)((int64_t)(j - 1) * fine / coarse) + 1 : 0;
    const int high = (int)(((int64_t)(j + 1) * fine + coarse - 1) / coarse);
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
