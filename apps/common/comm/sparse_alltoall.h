/* A sparse all-to-all: each rank sends blocks of bytes to a few ranks, and does not know from which
 * ranks it will receive. So ranks can find out who their neighbours are.
 *
 * Each rank passes the blocks that it sends. It gets those that others send to it, whose number and
 * lengths it does not know. MPI_Alltoall of the lengths would take memory and time in proportion to
 * the number of ranks, for each rank. Here both are in proportion to the number of blocks:
 * "nonblocking consensus" of Hoefler, Siebert and Lumsdaine (2010), Scalable communication
 * protocols for dynamic sparse data exchange. */
#pragma once
#include "comm.h"

/* The state that keeps the messages of consecutive exchanges apart. */
typedef struct app_sparse *app_sparse;

/* A block of bytes to a rank, or from a rank. */
typedef struct app_block {
    int rank;
    size_t bytes; /* at most 2^31-1; may be 0 */
    void *data;   /* in host memory */
} app_block;

/* The blocks that this rank received, by rank; those of one rank in the order in which it listed
 * them. */
typedef struct app_blocks {
    int count;
    app_block *block;
} app_blocks;

/* Collective, agreed. On failure *sparse is NULL. */
mx_err app_sparse_create(app_comm comm, app_sparse *sparse);

/* Collective. Accepts NULL; sets *sparse = NULL. */
void app_sparse_destroy(app_sparse *sparse);

/* Sends `count` blocks, and receives those for this rank; a rank may send to itself. *received is
 * to be freed by app_blocks_free, also after a failure. Collective, blocking, agreed. Errors:
 * MX_ERR_ARG (a rank out of range), MX_ERR_EXTENT, MX_ERR_MEMORY. The error of a rank that could
 * not complete the exchange is not agreed: MX_ERR_COMM, or no memory even for one block. */
mx_err app_sparse_alltoall(app_sparse sparse, const app_block *blocks, int count,
                           app_blocks *received);

/* Accepts an empty list; empties it. */
void app_blocks_free(app_blocks *blocks);
