/* Every rank meets its end alone, in the middle of writing: run by abort.py. */
#define _POSIX_C_SOURCE 200809L /* nanosleep, pause */
#include "results/results.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

/* In place of the library's. Ranks above 0 wait for seconds in app_abort, in which rank 0 ends
 * them. On a loaded machine that may take longer: here they wait until it has. */
int nanosleep(const struct timespec *time, struct timespec *rest)
{
    while (time->tv_sec >= 1) pause();
    const int error = clock_nanosleep(CLOCK_MONOTONIC, 0, time, rest);
    if (error != 0) errno = error;
    return error != 0 ? -1 : 0;
}

int main(int argc, char **argv)
{
    app_comm comm = NULL;
    app_results results = NULL;
    app_results_start();
    if (app_comm_open(&argc, &argv, &comm) != MX_OK) return 1;
    if (app_results_create(comm, "abort.h5", &(app_origin){.app = "test"}, &results) != MX_OK)
        return 1;
    (void)MX_FAIL(MX_ERR_MEMORY, "no memory for the test");
    app_abort(comm, "abort");
    return 0; /* not reached */
}
