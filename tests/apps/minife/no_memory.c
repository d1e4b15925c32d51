/* The app, except that an allocation of the core fails on the last rank only: number
 * MINIFE_FAILS_AT of those of 256 bytes and more since MPI_Init; 0: none, and the last rank prints
 * how many there were. Run by no_memory.py. */
#define _POSIX_C_SOURCE 200809L /* clock_nanosleep */
#include <errno.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ALIGNMENT_OF_CORE = 64, SMALLEST = 256 };

static int allocations;

static bool on_last_rank(void)
{
    int rank, size, begun = 0, ended = 0;
    if (MPI_Initialized(&begun) != MPI_SUCCESS || !begun) return false;
    if (MPI_Finalized(&ended) != MPI_SUCCESS || ended) return false;
    if (MPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS) return false;
    if (MPI_Comm_size(MPI_COMM_WORLD, &size) != MPI_SUCCESS) return false;
    return rank == size - 1;
}

static void print_allocations(void) { printf("allocations: %d\n", allocations); }

static bool fails(void)
{
    const char *const at = getenv("MINIFE_FAILS_AT");
    const int number = at != NULL ? atoi(at) : 0;
    if (allocations == 0 && number == 0 && atexit(print_allocations) != 0) abort();
    allocations++;
    return allocations == number;
}

/* In place of the library's. */
void *aligned_alloc(size_t alignment, size_t bytes)
{
    void *data = NULL;
    if (alignment == ALIGNMENT_OF_CORE && bytes >= SMALLEST && on_last_rank() && fails()) {
        errno = ENOMEM;
        return NULL;
    }
    return posix_memalign(&data, alignment, bytes) == 0 ? data : NULL;
}

/* In place of the library's. app_abort waits for some seconds in case that a lower rank fails
 * too. Here none does. */
int nanosleep(const struct timespec *time, struct timespec *rest)
{
    if (time->tv_sec >= 1 && on_last_rank()) return 0;
    const int error = clock_nanosleep(CLOCK_MONOTONIC, 0, time, rest);
    if (error != 0) errno = error;
    return error != 0 ? -1 : 0;
}
