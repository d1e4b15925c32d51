/* An MPI call fails on the last rank in the middle of a sparse exchange, in which the other
 * ranks wait for it: the rank returns the error, which is not agreed, and ends the run. Run by
 * abort.py. */
#include "comm/sparse_alltoall.h"

#include <mpi.h>

/* In place of the library's. */
int MPI_Mrecv(void *data, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status)
{
    int rank = 0, size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return rank == size - 1 ? MPI_ERR_OTHER : PMPI_Mrecv(data, count, type, message, status);
}

int main(int argc, char **argv)
{
    app_comm comm = NULL;
    app_sparse sparse = NULL;
    app_blocks received;
    if (app_comm_open(&argc, &argv, &comm) != MX_OK) return 1;
    if (app_sparse_create(comm, &sparse) != MX_OK) return 1;
    app_block block = {(app_rank(comm) + 1) % app_size(comm), sizeof argc, &argc};
    const mx_err err = app_sparse_alltoall(sparse, &block, 1, &received);
    if (err == MX_ERR_COMM && !app_is_agreed(comm, err)) app_abort(comm, "abort");
    return 0; /* not reached */
}
