/* A slab: the box of a global array that one rank holds. Arrays of results files and checkpoints
 * are written and read by slabs: cell fields, node fields, particles in the order of their ids
 * (id_sort.h), and whatever else has a place in a global array. Dimension 0 is the slowest one, as in
 * the file. */
#pragma once
#include "decomp.h"
#include "minx/view.h"

enum { APP_SLAB_MAX_RANK = 5 };

typedef struct app_slab {
    int rank;                         /* 1 to APP_SLAB_MAX_RANK */
    mx_gid global[APP_SLAB_MAX_RANK]; /* extents of the whole array, the same on all ranks */
    mx_gid first[APP_SLAB_MAX_RANK];  /* this rank's first index in each dimension */
    mx_gid count[APP_SLAB_MAX_RANK];  /* its number of indices; 0: this rank holds nothing */
} app_slab;

/* The cells of this rank, of the global array of all cells. */
app_slab app_slab_cells(const app_decomp *decomp);

/* The nodes of a mesh whose cells are decomposed. A rank owns the nodes at the low corners of its
 * cells, and at the upper edge of the domain also the nodes that end it. So each node has one
 * owner. */
app_slab app_slab_nodes(const app_decomp *decomp);

/* The rows of an array of `total` rows, divided among the ranks into blocks that differ by at most
 * one row. */
app_slab app_slab_block(app_comm comm, mx_gid total);

/* The rows of an array in which rank 0 has the first `mine` rows, rank 1 the next, and so on.
 * Collective, agreed. MX_ERR_ARG if `mine` is negative. */
mx_err app_slab_stack(app_comm comm, mx_gid mine, app_slab *slab);

/* The same slab with a further dimension, the fastest one, which every rank holds whole: the
 * components of a vector. */
app_slab app_slab_components(app_slab slab, mx_gid components);

/* The same slab as number `frame` of an array of `frames` such slabs: a further dimension, the
 * slowest one. */
app_slab app_slab_frame(const app_slab *slab, mx_gid frame, mx_gid frames);

/* Elements of this rank's box, and of the whole array. */
mx_gid app_slab_elements(const app_slab *slab);
mx_gid app_slab_elements_global(const app_slab *slab);

/* MX_ERR_ARG unless the rank is in range and the box lies inside the array; `name` is for the
 * message. Not collective. */
mx_err app_slab_check(const app_slab *slab, const char *name);

/* A part of the box: the elements from number `from` on, in row-major order, as many as form a box
 * and are at most `max_elements`, at least one. So a box can go through a buffer of bounded size,
 * in pieces that are contiguous in memory. */
app_slab app_slab_piece(const app_slab *slab, mx_gid from, mx_gid max_elements);
