/* An MPI call fails on the last rank in app_begin, and the other ranks wait for it: all of them end.
 * Run by abort.py. */
#include "run/app.h"

#include <mpi.h>

/* In place of the library's. */
int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int rank = 0, size = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    return rank == size - 1 ? MPI_ERR_OTHER : PMPI_Bcast(data, count, type, root, comm);
}

int main(int argc, char **argv)
{
    static const app_program program = {.name = "begin_fail", .summary = "a test"};
    app_base base = {0};
    const mx_err err = app_begin(&base, &program, argc, argv, NULL);
    const int code = app_finish(&base, err);
    app_close(&base);
    return code;
}
