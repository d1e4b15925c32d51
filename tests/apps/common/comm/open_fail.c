/* An MPI call fails on the last rank while app_comm_open sets up, and the other ranks wait for it:
 * all of them end. Run by abort.py. */
#include "comm/comm.h"

#include <mpi.h>

/* In place of the library's. */
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made)
{
    int rank = 0, size = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    return rank == size - 1 ? MPI_ERR_OTHER : PMPI_Comm_split_type(comm, type, key, info, made);
}

int main(int argc, char **argv)
{
    app_comm comm = NULL;
    const mx_err err = app_comm_open(&argc, &argv, &comm);
    app_print_error(comm, "open_fail"); /* a run on one rank comes here */
    return app_exit_code(err);
}
