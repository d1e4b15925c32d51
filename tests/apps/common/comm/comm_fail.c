/* MPI calls fail while app_comm_open sets up: it returns an error and frees the communicators that
 * it has made. On one rank: where there are several, it ends them (open_fail.c). */
#include "check.h"
#include "comm/comm.h"

#include <mpi.h>

/* The functions below are in place of the library's. */
static int calls;    /* of those that can fail */
static int failing;  /* the number of the call that fails; 0: none */
static int alive;    /* communicators that were made and not freed */
static int finished; /* times that MPI was ended */

static bool fails(void) { return ++calls == failing; }

/* MPI can start only once in a program. main starts and ends it. */
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    (void)argc;
    (void)argv;
    *provided = fails() ? MPI_THREAD_SINGLE : required;
    return MPI_SUCCESS;
}

int MPI_Finalize(void)
{
    finished++;
    return MPI_SUCCESS;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made)
{
    if (fails()) return MPI_ERR_OTHER;
    alive++;
    return PMPI_Comm_dup(comm, made);
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made)
{
    if (fails()) return MPI_ERR_OTHER;
    alive++;
    return PMPI_Comm_split_type(comm, type, key, info, made);
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made)
{
    if (fails()) return MPI_ERR_OTHER;
    alive++;
    return PMPI_Comm_split(comm, color, key, made);
}

int MPI_Comm_free(MPI_Comm *comm)
{
    alive--;
    return PMPI_Comm_free(comm);
}

int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler)
{
    return fails() ? MPI_ERR_OTHER : PMPI_Comm_set_errhandler(comm, handler);
}

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    return fails() ? MPI_ERR_OTHER : PMPI_Comm_rank(comm, rank);
}

int MPI_Comm_size(MPI_Comm comm, int *size)
{
    return fails() ? MPI_ERR_OTHER : PMPI_Comm_size(comm, size);
}

int MPI_Get_library_version(char *version, int *length)
{
    return fails() ? MPI_ERR_OTHER : PMPI_Get_library_version(version, length);
}

/* Opens with each call failing in turn, until none fails. */
int main(int argc, char **argv)
{
    app_comm comm = NULL;
    int provided = 0;
    mx_err err = MX_ERR_COMM;
    if (PMPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) return 1;
    for (failing = 1; err == MX_ERR_COMM; failing++) {
        calls = finished = 0;
        err = app_comm_open(&argc, &argv, &comm);
        CHECK_I64(err, calls >= failing ? MX_ERR_COMM : MX_OK);
        CHECK_I64(alive, err == MX_OK ? 2 : 0);
        CHECK_I64(finished, err == MX_OK ? 0 : 1);
        CHECK((comm == NULL) == (err != MX_OK));
    }
    CHECK(failing > 10); /* so many calls can fail at least */
    failing = 0;
    app_comm_close(&comm);
    CHECK_I64(alive, 0);
    CHECK_I64(finished, 1);
    PMPI_Finalize();
    return check_failures > 0;
}
