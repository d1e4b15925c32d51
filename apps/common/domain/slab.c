#include "slab.h"

#include "comm/comm_mpi.h"

app_slab app_slab_cells(const app_decomp *decomp)
{
    app_slab slab = {.rank = decomp->dims};
    for (int d = 0; d < decomp->dims; ++d) {
        slab.global[d] = decomp->global[d];
        slab.first[d] = decomp->first[d];
        slab.count[d] = decomp->cells[d];
    }
    return slab;
}

app_slab app_slab_nodes(const app_decomp *decomp)
{
    app_slab slab = app_slab_cells(decomp);
    for (int d = 0; d < slab.rank; ++d) {
        if (slab.first[d] + slab.count[d] == slab.global[d]) ++slab.count[d];
        ++slab.global[d];
    }
    return slab;
}

app_slab app_slab_block(app_comm comm, mx_gid total)
{
    const mx_gid size = app_size(comm), rank = app_rank(comm);
    const mx_gid rows = total / size, more = total % size;
    return (app_slab){.rank = 1,
                      .global = {total},
                      .first = {rank * rows + (rank < more ? rank : more)},
                      .count = {rows + (rank < more ? 1 : 0)}};
}

mx_err app_slab_stack(app_comm comm, mx_gid mine, app_slab *slab)
{
    mx_err err = MX_OK;
    if (mine < 0) err = MX_FAIL(MX_ERR_ARG, "a number of rows is negative: %" MX_PRI_GID, mine);
    MX_TRY(app_agree(comm, err));
    mx_gid before = 0, total = mine;
    APP_MPI_TRY(MPI_Exscan(&mine, &before, 1, APP_MPI_GID, MPI_SUM, app_comm_mpi(comm)));
    if (app_rank(comm) == 0) before = 0; /* MPI leaves it undefined there */
    MX_TRY(app_sum_i64(comm, &total, 1));
    *slab = (app_slab){.rank = 1, .global = {total}, .first = {before}, .count = {mine}};
    return MX_OK;
}

app_slab app_slab_components(app_slab slab, mx_gid components)
{
    slab.global[slab.rank] = components;
    slab.first[slab.rank] = 0;
    slab.count[slab.rank] = components;
    ++slab.rank;
    return slab;
}

app_slab app_slab_frame(const app_slab *slab, mx_gid frame, mx_gid frames)
{
    app_slab all = {.rank = slab->rank + 1, .global = {frames}, .first = {frame}, .count = {1}};
    for (int d = 0; d < slab->rank; ++d) {
        all.global[d + 1] = slab->global[d];
        all.first[d + 1] = slab->first[d];
        all.count[d + 1] = slab->count[d];
    }
    return all;
}

mx_gid app_slab_elements(const app_slab *slab)
{
    mx_gid elements = 1;
    for (int d = 0; d < slab->rank; ++d) elements *= slab->count[d];
    return elements;
}

mx_gid app_slab_elements_global(const app_slab *slab)
{
    mx_gid elements = 1;
    for (int d = 0; d < slab->rank; ++d) elements *= slab->global[d];
    return elements;
}

mx_err app_slab_check(const app_slab *slab, const char *name)
{
    MX_REQUIRE(slab->rank >= 1 && slab->rank <= APP_SLAB_MAX_RANK, MX_ERR_ARG,
               "%s: a slab has 1 to %d dimensions, got %d", name, APP_SLAB_MAX_RANK, slab->rank);
    for (int d = 0; d < slab->rank; ++d) {
        const mx_gid first = slab->first[d], count = slab->count[d], global = slab->global[d];
        MX_REQUIRE(first >= 0 && count >= 0 && first <= global && count <= global - first,
                   MX_ERR_ARG,
                   "%s: dimension %d: the slab has %" MX_PRI_GID " indices from %" MX_PRI_GID
                   " on, but the array has %" MX_PRI_GID,
                   name, d, count, first, global);
    }
    return MX_OK;
}

app_slab app_slab_piece(const app_slab *slab, mx_gid from, mx_gid max_elements)
{
    app_slab piece = *slab;
    int split = slab->rank - 1; /* the slowest dimension of which whole slices fit */
    mx_gid slice = 1;           /* elements of such a slice */
    while (split > 0 && slice * slab->count[split] <= max_elements) slice *= slab->count[split--];
    mx_gid index = from / slice;
    const mx_gid left = slab->count[split] - index % slab->count[split];
    const mx_gid fitting = max_elements / slice;
    piece.first[split] = slab->first[split] + index % slab->count[split];
    piece.count[split] = left < fitting ? left : fitting;
    for (int d = split - 1; d >= 0; --d) {
        index /= slab->count[d + 1];
        piece.first[d] = slab->first[d] + index % slab->count[d];
        piece.count[d] = 1;
    }
    return piece;
}
