/* Splitting a box of cells over a grid of ranks.
 *
 * Every way to write the number of ranks as a product of `dims` factors is tried; there are few (at
 * most a few thousand for any machine). The cost of a split is the surface between ranks: a cut
 * across dimension d costs the product of the other extents, and a dimension with p ranks has p - 1
 * cuts. MPI_Dims_create was rejected: it does not know the shape of the mesh, so a 4000 x 10 mesh
 * on 4 ranks would become 2 x 2.
 *
 * Ranks are numbered with the last dimension fastest: rank = (c0 * p1 + c1) * p2 + c2. */
#include "decomp.h"

/* Layers of ghost cells that every box has room for. app_decomp_check_halo checks deeper halos. */
enum { USUAL_HALO = 2 };

typedef struct split {
    int ranks[APP_MAX_DIMS];
    double surface;
} split;

/* In double: exact up to 2^53 faces, and beyond that ties do not matter. */
static double surface_of(int dims, const mx_gid *global, const int *ranks)
{
    double sum = 0.0;
    for (int d = 0; d < dims; ++d) {
        double face = 1.0;
        for (int e = 0; e < dims; ++e) {
            if (e != d) face *= (double)global[e];
        }
        sum += face * (double)(ranks[d] - 1);
    }
    return sum;
}

/* Tries all factors of `left` for dimension d and those after it. Larger factors come first, and
 * only a strictly smaller surface replaces what was found: ties go to more ranks along the earlier
 * dimension. */
static void try_splits(int dims, const mx_gid *global, int d, int left, int *ranks, split *best)
{
    if (d == dims - 1) {
        if (left > global[d]) return;
        ranks[d] = left;
        const double surface = surface_of(dims, global, ranks);
        if (best->ranks[0] != 0 && surface >= best->surface) return;
        best->surface = surface;
        for (int e = 0; e < dims; ++e) best->ranks[e] = ranks[e];
        return;
    }
    for (int p = left; p >= 1; --p) {
        if (left % p != 0 || p > global[d]) continue;
        ranks[d] = p;
        try_splits(dims, global, d + 1, left / p, ranks, best);
    }
}

/* The best split of exactly `size` ranks; false if every split leaves a rank without cells. */
static bool best_split(int dims, const mx_gid *global, int size, split *best)
{
    int ranks[APP_MAX_DIMS];
    *best = (split){.ranks = {0}};
    try_splits(dims, global, 0, size, ranks, best);
    return best->ranks[0] != 0;
}

static int max_ranks(int dims, const mx_gid *global, int size)
{
    double cells = 1.0;
    for (int d = 0; d < dims; ++d) cells *= (double)global[d];
    if (cells < (double)size) size = (int)cells;
    split found;
    while (size > 1 && !best_split(dims, global, size, &found)) --size;
    return size;
}

/* This rank's piece along dimension d: the remainder goes to the lowest coordinates. */
static mx_err cut(app_decomp *decomp, int d)
{
    const mx_gid cells = decomp->global[d] / decomp->ranks[d];
    const mx_gid rest = decomp->global[d] % decomp->ranks[d];
    const int c = decomp->coord[d];
    const mx_gid mine = cells + (c < rest ? 1 : 0);
    MX_REQUIRE(mine <= INT32_MAX - 2 * USUAL_HALO, MX_ERR_EXTENT,
               "%" MX_PRI_GID
               " cells along dimension %d are too many for one rank (limit %d): use more ranks",
               mine, d, INT32_MAX - 2 * USUAL_HALO);
    decomp->cells[d] = (mx_lid)mine;
    decomp->first[d] = cells * c + (c < rest ? c : rest);
    return MX_OK;
}

mx_err app_decomp_check_halo(const app_decomp *decomp, int width)
{
    double cells = 1.0;
    for (int d = 0; d < decomp->dims; ++d) cells *= (double)decomp->cells[d] + 2.0 * (double)width;
    MX_REQUIRE(
        cells <= (double)INT32_MAX, MX_ERR_EXTENT,
        "a piece of %.0f cells with its halo of %d is too large for one rank (limit %d): use "
        "more ranks",
        cells, width, INT32_MAX);
    return MX_OK;
}

int app_decomp_rank_at(const app_decomp *decomp, const int *direction)
{
    int rank = 0;
    for (int d = 0; d < decomp->dims; ++d) {
        const int ranks = decomp->ranks[d];
        int c = decomp->coord[d] + direction[d];
        if ((c < 0 || c >= ranks) && !decomp->periodic[d]) return -1;
        c = (c + ranks) % ranks;
        rank = rank * ranks + c;
    }
    return rank;
}

void app_decomp_make_periodic(app_decomp *decomp, const bool *periodic)
{
    for (int d = 0; d < decomp->dims; ++d) decomp->periodic[d] = periodic[d];
    for (int d = 0; d < decomp->dims; ++d) {
        for (int side = 0; side < 2; ++side) {
            int direction[APP_MAX_DIMS] = {0};
            direction[d] = 2 * side - 1;
            decomp->neighbour[d][side] = app_decomp_rank_at(decomp, direction);
        }
    }
}

mx_err app_decomp_create(app_comm comm, int dims, const mx_gid *global, app_decomp *decomp)
{
    MX_REQUIRE(dims == 2 || dims == 3, MX_ERR_ARG, "a decomposition has 2 or 3 dimensions, got %d",
               dims);
    for (int d = 0; d < dims; ++d) {
        MX_REQUIRE(global[d] >= 1, MX_ERR_ARG,
                   "cells along dimension %d must be positive, got %" MX_PRI_GID, d, global[d]);
    }
    const int size = app_size(comm);
    split best;
    MX_REQUIRE(
        best_split(dims, global, size, &best), MX_ERR_INPUT,
        "the mesh is too small for %d ranks: no decomposition gives each rank a cell, expected "
        "another number of ranks: %d is possible",
        size, max_ranks(dims, global, size));
    *decomp = (app_decomp){.dims = dims};
    int rest = app_rank(comm);
    for (int d = dims - 1; d >= 0; --d) {
        decomp->global[d] = global[d];
        decomp->ranks[d] = best.ranks[d];
        decomp->coord[d] = rest % best.ranks[d];
        rest /= best.ranks[d];
        MX_TRY(cut(decomp, d));
    }
    app_decomp_make_periodic(decomp, (const bool[APP_MAX_DIMS]){false});
    return app_decomp_check_halo(decomp, USUAL_HALO);
}
