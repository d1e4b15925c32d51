/* Domain decomposition: a box of global cells is split over a grid of ranks; each rank owns one
 * box. */
#pragma once
#include "comm.h"

enum { APP_MAX_DIMS = 3 };

/* Dimension 0 is the slowest in a file (y in 2-D, z in 3-D), the last one the fastest (x).
 * Remainder cells go to the lowest coordinates, so pieces differ by at most one cell in each
 * dimension. */
typedef struct app_decomp {
    int dims;                    /* 2 or 3 */
    mx_gid global[APP_MAX_DIMS]; /* cells of the whole domain */
    int ranks[APP_MAX_DIMS]; /* ranks along each dimension; their product is the number of ranks */
    int coord[APP_MAX_DIMS]; /* this rank's place in that grid */
    mx_gid first[APP_MAX_DIMS];  /* this rank's first global cell */
    mx_lid cells[APP_MAX_DIMS];  /* this rank's number of cells */
    bool periodic[APP_MAX_DIMS]; /* the first cell follows the last one */
    /* the rank before and after along each dimension; -1 at the domain's edge, unless it is
     * periodic */
    int neighbour[APP_MAX_DIMS][2];
} app_decomp;

/* Splits `global` (dims entries, each at least 1) over all ranks of comm so that the surface
 * between ranks is minimal; ties go to the split with more ranks along dimension 0, whose faces are
 * contiguous. Not collective: every rank computes the same. MX_ERR_INPUT if no split gives each
 * rank a cell; the message names a number of ranks that is possible; MX_ERR_EXTENT if a rank's
 * piece with its halos would not fit mx_lid. */
mx_err app_decomp_create(app_comm comm, int dims, const mx_gid *global, app_decomp *decomp);

/* Makes the dimensions whose entry of `periodic` (dims entries) is true periodic, and the others
 * not. */
void app_decomp_make_periodic(app_decomp *decomp, const bool *periodic);

/* The rank in a direction, -1, 0 or +1 along each dimension; -1 beyond the domain's edge. */
int app_decomp_rank_at(const app_decomp *decomp, const int *direction);
