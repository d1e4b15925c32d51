/* How long a rank waits for readers of what it has printed: of pipes that nobody drains. A single
 * rank that no launcher started does not wait; under a launcher, both streams have two seconds
 * together. */
#define _POSIX_C_SOURCE 200809L /* clock_nanosleep, dup2 */
#include "check.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double asked; /* seconds; a sleep is never shorter */

/* In place of the library's. */
int nanosleep(const struct timespec *time, struct timespec *rest)
{
    asked += (double)time->tv_sec + 1e-9 * (double)time->tv_nsec;
    const int error = clock_nanosleep(CLOCK_MONOTONIC, 0, time, rest);
    if (error != 0) errno = error;
    return error != 0 ? -1 : 0;
}

/* Prints a line to a pipe; the seconds that its way out asked for. */
static double wait_of(app_comm comm, FILE *stream)
{
    int ends[2];
    const int kept = dup(fileno(stream));
    const double before = asked;
    CHECK(pipe(ends) == 0 && kept >= 0);
    fflush(stream);
    CHECK(dup2(ends[1], fileno(stream)) >= 0);
    fputs("a line\n", stream);
    app_print_through(comm, stream);
    CHECK(dup2(kept, fileno(stream)) >= 0);
    close(kept);
    close(ends[0]);
    close(ends[1]);
    return asked - before;
}

int main(int argc, char **argv)
{
    app_comm comm = NULL;
    const bool launched = argc > 1 && strcmp(argv[1], "launched") == 0;
    CHECK_OK(app_comm_open(&argc, &argv, &comm));
    if (!comm) return 1;
    const double first = wait_of(comm, stdout), all = first + wait_of(comm, stderr);
    if (launched)
        CHECK(first > 0 && all <= 2.1);
    else
        CHECK_F64(all, 0, 0);
    const int code = check_exit(comm);
    app_comm_close(&comm);
    return code;
}
