/* The ranks of a run, and all communication between them except messages and results files. Only
 * this file, transport_mpi.c and the results files call MPI; apps do not.
 *
 * Failures: app_agree at the end of a phase tells all ranks of an error on one of them, so that all
 * return it together. An error after which a rank cannot communicate (an MPI call failed, memory
 * ran out inside an exchange) ends the run by app_abort. */
#pragma once
#include "minx/error.h"

#include <inttypes.h>
#include <stdio.h>

typedef int32_t mx_lid; /* local index: fits the memory of one rank */
typedef int64_t mx_gid; /* global index or count */
#define MX_PRI_GID PRId64
#define MX_PRI_LID PRId32

typedef struct app_comm *app_comm;

/* Exit codes of every app. */
enum {
    APP_EXIT_OK = 0,
    APP_EXIT_FAILED = 1,
    APP_EXIT_INPUT = 2,
    APP_EXIT_RUNTIME = 3,
    APP_EXIT_NOT_CONVERGED = 4,
    APP_EXIT_STOPPED = 5 /* by a signal, after a checkpoint */
};

/* How device data go to other ranks, as the user wants it: --gpu-mpi. See transport.h. */
typedef enum app_gpu_mpi {
    APP_GPU_MPI_AUTO,
    APP_GPU_MPI_ON,
    APP_GPU_MPI_OFF,
    APP_GPU_MPI_NCCL,
    APP_GPU_MPI_DIRECT
} app_gpu_mpi;

/* Starts MPI (funneled threads) over all ranks. Collective, first call of main. Works for one
 * process without mpirun. MX_ERR_COMM; on several ranks a failure ends all of them (app_abort). */
mx_err app_comm_open(int *argc, char ***argv, app_comm *comm);

/* MX_ERR_COMM if MPI has one rank although a launcher started several: the launcher of another MPI
 * library, or srun without the right PMI. Each of them would write the same files. Not
 * collective. */
mx_err app_comm_check_launcher(app_comm comm);

/* Ends MPI. Collective; accepts NULL; sets *comm = NULL. */
void app_comm_close(app_comm *comm);

/* This rank's number, 0 to the number of ranks - 1. Of the four functions none is collective. */
int app_rank(app_comm comm);
int app_size(app_comm comm);       /* the number of ranks */
int app_local_rank(app_comm comm); /* this rank's number among the ranks of its host */
int app_local_size(app_comm comm); /* the number of ranks of its host */

/* The name and version of the MPI library, one line ("Open MPI v4.1.4"). Valid while `comm` is
 * open. */
const char *app_comm_version(app_comm comm);

/* Can the library send from and receive into accelerator memory (MPIX_Query_cuda_support)? */
bool app_comm_device_aware(app_comm comm);

/* Reductions of n values over all ranks, in place: afterwards `values` has the result on every
 * rank. Host memory. Sums of doubles are added in an order that depends on the number of ranks. A
 * NaN counts as infinity in a maximum. Collective, blocking. MX_ERR_ARG for a negative n,
 * MX_ERR_COMM. */
mx_err app_sum_f64(app_comm comm, double *values, int n);
mx_err app_min_f64(app_comm comm, double *values, int n);
mx_err app_max_f64(app_comm comm, double *values, int n);
mx_err app_sum_i64(app_comm comm, int64_t *values, int n);
mx_err app_max_i64(app_comm comm, int64_t *values, int n);

/* Exclusive prefix sums of n values, in place: on rank r the sums over ranks 0 to r-1, on rank 0
 * zeros. Host memory. Collective, blocking. Errors as for reductions. */
mx_err app_exscan_i64(app_comm comm, int64_t *values, int n);

/* Gathers `bytes` bytes of every rank: afterwards `all` (bytes * app_size bytes) has them in the
 * order of the ranks, on every rank. Host memory. `bytes` is the same on all ranks. Collective,
 * blocking. MX_ERR_EXTENT for more than 2^31-1 bytes, MX_ERR_COMM. */
mx_err app_allgather(app_comm comm, const void *mine, size_t bytes, void *all);

/* The same among the ranks of this host, in the order of app_local_rank: `all` has
 * bytes * app_local_size bytes. */
mx_err app_local_allgather(app_comm comm, const void *mine, size_t bytes, void *all);

/* Copies `bytes` bytes of host memory from rank 0 to all ranks. `bytes` is the same on all ranks.
 * Collective, blocking. MX_ERR_COMM. */
mx_err app_broadcast(app_comm comm, void *data, size_t bytes);

/* The result of all ranks: MX_OK if every rank passes MX_OK, else the error of the lowest rank that
 * failed. Then mx_err_message and mx_err_trace of every rank are those of that rank. Collective,
 * blocking. */
mx_err app_agree(app_comm comm, mx_err mine);

/* Is `err` the failure that the last app_agree returned to all ranks? Not collective. */
bool app_is_agreed(app_comm comm, mx_err err);

/* Waits for all ranks. Collective, blocking. MX_ERR_COMM. */
mx_err app_barrier(app_comm comm);

/* Seconds since some fixed moment, monotonic. */
double app_now(void);

/* Prints "PROGRAM: error: MESSAGE" once (from rank 0, so call it after app_agree) on stderr. Not
 * collective. */
void app_print_error(app_comm comm, const char *program);

/* Writes out what this rank has printed on stdout or stderr. Where a launcher reads them, and
 * apart, it waits until the launcher has got it: so that what is printed next on the other one
 * comes behind it, and nothing is lost when the launcher ends the ranks. It waits for at most some
 * seconds, which begin with the first call and are for both streams together. Not collective. */
void app_print_through(app_comm comm, FILE *stream);

/* The exit code for an error: INPUT -> 2, all else -> 3. */
int app_exit_code(mx_err err);

/* For errors after which the ranks cannot agree: removes temporary files, prints this rank's
 * message and ends all ranks with exit code 3. Ranks other than 0 wait for 2 to 5 seconds
 * first, so that an error of all ranks is printed once. */
void app_abort(app_comm comm, const char *program);
