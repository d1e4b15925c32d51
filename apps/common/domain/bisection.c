#include "bisection.h"

/* Some ranks and the box that they share; `axis` is split next. */
typedef struct part {
    int first_rank;
    int ranks;
    int axis;
    app_box box;
} part;

static part whole(const app_bisection *b)
{
    part p = {.ranks = b->ranks};
    for (int d = 0; d < b->dims; d++) p.box.cells[d] = b->global[d];
    return p;
}

/* n ranks / ranks, rounded down, without overflow. */
static mx_gid share(mx_gid n, int upper, int ranks)
{
    return n / ranks * upper + n % ranks * upper / ranks;
}

/* The lower or the upper half of a part. */
static part half(const app_bisection *b, part p, bool upper)
{
    const int ranks = p.ranks / 2, d = p.axis;
    const mx_gid cells = p.box.cells[d] - share(p.box.cells[d], p.ranks - ranks, p.ranks);
    p.axis = (p.axis + 1) % b->dims;
    if (upper) {
        p.first_rank += ranks;
        p.ranks -= ranks;
        p.box.first[d] += cells;
        p.box.cells[d] -= cells;
    } else {
        p.ranks = ranks;
        p.box.cells[d] = cells;
    }
    return p;
}

app_box app_bisection_box(const app_bisection *b, int rank)
{
    part p = whole(b);
    while (p.ranks > 1) p = half(b, p, rank >= p.first_rank + p.ranks / 2);
    return p.box;
}

static mx_err check_box(const app_bisection *b, int rank)
{
    const app_box box = app_bisection_box(b, rank);
    double cells = 1.0;
    for (int d = 0; d < b->dims; d++) cells *= (double)box.cells[d];
    MX_REQUIRE(cells >= 1.0, MX_ERR_INPUT,
               "the mesh is too small for %d ranks: rank %d would have no cell; use fewer ranks",
               b->ranks, rank);
    MX_REQUIRE(cells <= (double)INT32_MAX, MX_ERR_EXTENT,
               "a piece of %.0f cells is too large for one rank (limit %d): use more ranks", cells,
               INT32_MAX);
    return MX_OK;
}

mx_err app_bisection_create(int ranks, int dims, const mx_gid *global, app_bisection *bisection)
{
    MX_REQUIRE(dims == 2 || dims == 3, MX_ERR_ARG, "a bisection has 2 or 3 dimensions, got %d",
               dims);
    MX_REQUIRE(ranks >= 1, MX_ERR_ARG, "a bisection for %d ranks", ranks);
    *bisection = (app_bisection){.dims = dims, .ranks = ranks};
    for (int d = 0; d < dims; d++) {
        MX_REQUIRE(global[d] >= 1, MX_ERR_ARG,
                   "cells along dimension %d must be positive, got %" MX_PRI_GID, d, global[d]);
        bisection->global[d] = global[d];
    }
    for (int rank = 0; rank < ranks; rank++) MX_TRY(check_box(bisection, rank));
    return MX_OK;
}
