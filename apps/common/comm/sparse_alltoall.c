/* See sparse_alltoall.h. Each rank starts a synchronous send of every block, which completes only
 * when its receiver has begun to receive it. Meanwhile it receives whatever arrives. When all its
 * sends are complete, it enters a nonblocking barrier; when that is complete, all blocks of all
 * ranks have been received.
 *
 * A rank may start the next exchange while another still waits for the barrier of this one. So two
 * tags take turns; a rank is never two exchanges ahead.
 *
 * Where memory runs out a rank still receives all blocks and enters the barrier, so that no rank
 * waits for it; it drops what it cannot keep. Where a call of MPI fails it returns at once: the
 * others are still in the exchange, so it cannot agree with them. */
#include "sparse_alltoall.h"

#include "comm_mpi.h"

#include <stdlib.h>

struct app_sparse {
    app_comm comm;
    MPI_Comm mpi;
    int turn; /* 0 or 1: the tag */
};

typedef struct arrivals {
    app_blocks blocks;
    int room;
    mx_err err;
} arrivals;

mx_err app_sparse_create(app_comm comm, app_sparse *sparse)
{
    *sparse = NULL;
    app_sparse s = calloc(1, sizeof *s);
    mx_err err = s != NULL ? MX_OK : MX_FAIL(MX_ERR_MEMORY, "no memory to find neighbours");
    err = app_agree(comm, err); /* what follows is collective */
    if (err != MX_OK) {
        free(s);
        return err;
    }
    s->comm = comm;
    err = app_mpi_check(MPI_Comm_dup(app_comm_mpi(comm), &s->mpi), "MPI_Comm_dup");
    if (err != MX_OK) s->mpi = MPI_COMM_NULL;
    if (err == MX_OK)
        err = app_mpi_check(MPI_Comm_set_errhandler(s->mpi, MPI_ERRORS_RETURN),
                            "MPI_Comm_set_errhandler");
    err = app_agree(comm, err);
    if (err != MX_OK) app_sparse_destroy(&s);
    *sparse = s;
    return err;
}

void app_sparse_destroy(app_sparse *sparse)
{
    if (sparse == NULL || *sparse == NULL) return;
    if ((*sparse)->mpi != MPI_COMM_NULL) MPI_Comm_free(&(*sparse)->mpi);
    free(*sparse);
    *sparse = NULL;
}

void app_blocks_free(app_blocks *blocks)
{
    for (int b = 0; b < blocks->count; b++) free(blocks->block[b].data);
    free(blocks->block);
    *blocks = (app_blocks){0, NULL};
}

static mx_err check(app_sparse s, const app_block *blocks, int count)
{
    MX_REQUIRE(count >= 0, MX_ERR_ARG, "%d blocks to send", count);
    for (int b = 0; b < count; b++) {
        MX_REQUIRE(blocks[b].rank >= 0 && blocks[b].rank < app_size(s->comm), MX_ERR_ARG,
                   "a block for rank %d, expected 0 to %d", blocks[b].rank, app_size(s->comm) - 1);
        MX_REQUIRE(blocks[b].bytes <= INT32_MAX, MX_ERR_EXTENT,
                   "%zu bytes for rank %d: at most %d; use more ranks", blocks[b].bytes,
                   blocks[b].rank, INT32_MAX);
    }
    return MX_OK;
}

/* ---- receiving ---- */

/* Where a block of so many bytes is to be received; NULL after a failure. */
static void *add_block(arrivals *in, int rank, size_t bytes)
{
    app_blocks *const all = &in->blocks;
    if (in->err != MX_OK) return NULL;
    if (all->count == in->room) {
        const int room = in->room > 0 ? 2 * in->room : 8;
        app_block *const block = realloc(all->block, (size_t)room * sizeof *block);
        if (block != NULL) all->block = block;
        if (block != NULL) in->room = room;
    }
    void *const data = malloc(bytes > 0 ? bytes : 1);
    if (data == NULL || all->count == in->room) {
        free(data);
        in->err = MX_FAIL(MX_ERR_MEMORY, "no memory for %zu bytes from rank %d", bytes, rank);
        return NULL;
    }
    all->block[all->count++] = (app_block){rank, bytes, data};
    return data;
}

/* Receives one block if one has arrived. */
static mx_err receive_one(app_sparse s, arrivals *in)
{
    MPI_Message message;
    MPI_Status status;
    int arrived = 0, bytes = 0;
    APP_MPI_TRY(MPI_Improbe(MPI_ANY_SOURCE, s->turn, s->mpi, &arrived, &message, &status));
    if (!arrived) return MX_OK;
    APP_MPI_TRY(MPI_Get_count(&status, MPI_BYTE, &bytes));
    void *const kept = add_block(in, status.MPI_SOURCE, (size_t)bytes);
    void *const data = kept != NULL ? kept : malloc(bytes > 0 ? (size_t)bytes : 1);
    MX_REQUIRE(data != NULL, MX_ERR_MEMORY, "no memory for %d bytes from rank %d", bytes,
               status.MPI_SOURCE);
    const mx_err err =
        app_mpi_check(MPI_Mrecv(data, bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE), "MPI_Mrecv");
    if (kept == NULL) free(data);
    return err;
}

/* By rank. Blocks of one rank arrive in the order of their sends; an insertion keeps it. */
static void sort_by_rank(app_blocks *all)
{
    for (int b = 1; b < all->count; b++) {
        const app_block one = all->block[b];
        int at = b;
        for (; at > 0 && all->block[at - 1].rank > one.rank; at--)
            all->block[at] = all->block[at - 1];
        all->block[at] = one;
    }
}

/* ---- an exchange ---- */

static mx_err exchange(app_sparse s, const app_block *blocks, int count, MPI_Request *sends,
                       arrivals *in)
{
    MPI_Request barrier = MPI_REQUEST_NULL;
    bool entered = false;
    int done = 0;
    for (int b = 0; b < count; b++)
        APP_MPI_TRY(MPI_Issend(blocks[b].data, (int)blocks[b].bytes, MPI_BYTE, blocks[b].rank,
                               s->turn, s->mpi, &sends[b]));
    while (!done) {
        MX_TRY(receive_one(s, in));
        if (entered) {
            APP_MPI_TRY(MPI_Test(&barrier, &done, MPI_STATUS_IGNORE));
            continue;
        }
        int sent = 0;
        APP_MPI_TRY(MPI_Testall(count, sends, &sent, MPI_STATUSES_IGNORE));
        if (sent) APP_MPI_TRY(MPI_Ibarrier(s->mpi, &barrier));
        entered = sent != 0;
    }
    s->turn = 1 - s->turn;
    return MX_OK;
}

mx_err app_sparse_alltoall(app_sparse s, const app_block *blocks, int count, app_blocks *received)
{
    arrivals in = {.err = MX_OK};
    MPI_Request *sends = NULL;
    *received = (app_blocks){0, NULL};
    mx_err err = check(s, blocks, count);
    if (err == MX_OK) {
        sends = calloc(count > 0 ? (size_t)count : 1, sizeof *sends);
        if (sends == NULL) err = MX_FAIL(MX_ERR_MEMORY, "no memory for %d blocks", count);
    }
    err = app_agree(s->comm, err);
    if (err == MX_OK) {
        err = exchange(s, blocks, count, sends, &in);
        if (err == MX_OK) err = app_agree(s->comm, in.err);
    }
    free(sends);
    sort_by_rank(&in.blocks);
    *received = in.blocks;
    return err;
}
