/* Domain decomposition: a box of global cells is split over a grid of ranks; each rank owns one
 * box. */
#pragma once
#include "comm/comm.h"

enum { APP_MAX_DIMS = 3 };

/* Dimension 0 is the slowest in a file (y in 2-D, z in 3-D), the last one the fastest (x). Ranks
 * are numbered in the same order: the last dimension of the grid of ranks is the fastest. If the
 * number of cells is not a multiple of the number of ranks, the ranks at the lowest coordinates
 * have one cell more, so boxes differ by at most one cell in each dimension. */
typedef struct app_decomp {
    int dims;                    /* 2 or 3 */
    mx_gid global[APP_MAX_DIMS]; /* cells of the whole domain */
    int ranks[APP_MAX_DIMS]; /* ranks along each dimension; their product is the number of ranks */
    int coord[APP_MAX_DIMS]; /* this rank's coordinates in that grid, from 0 */
    mx_gid first[APP_MAX_DIMS];  /* this rank's first global cell */
    mx_lid cells[APP_MAX_DIMS];  /* this rank's number of cells */
    bool periodic[APP_MAX_DIMS]; /* the first cell follows the last one */
    /* the rank before and after along each dimension; -1 at the domain's edge, unless it is
     * periodic */
    int neighbour[APP_MAX_DIMS][2];
} app_decomp;

/* Splits `global` (dims entries, each at least 1) over all ranks of comm so that the surface
 * between ranks is minimal; ties go to the split with more ranks along dimension 0, whose faces are
 * contiguous. No dimension is periodic at first. Not collective: every rank computes the same
 * split. Errors: MX_ERR_INPUT if no split gives each rank a cell (the message names a number of
 * ranks that is possible); MX_ERR_EXTENT if the box of this rank with two layers of ghost cells
 * would not fit mx_lid (perhaps only on this rank: use app_agree); MX_ERR_ARG for other dims or
 * fewer cells. */
mx_err app_decomp_create(app_comm comm, int dims, const mx_gid *global, app_decomp *decomp);

/* Does the box of this rank fit mx_lid with `width` layers of ghost cells on each side?
 * MX_ERR_EXTENT if it does not (perhaps only on this rank). To be called before arrays with deeper
 * halos are made; app_box_halo_create calls it too. */
mx_err app_decomp_check_halo(const app_decomp *decomp, int width);

/* Makes the dimensions whose entry of `periodic` (dims entries) is true periodic, and the others
 * not, and finds the neighbours anew. To be called before a halo is created. */
void app_decomp_make_periodic(app_decomp *decomp, const bool *periodic);

/* The rank of the neighbour in a direction (dims entries, each -1, 0 or +1), which may be this rank
 * itself; -1 beyond the domain's edge. */
int app_decomp_rank_at(const app_decomp *decomp, const int *direction);
