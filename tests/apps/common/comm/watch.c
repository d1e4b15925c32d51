/* The watch of other ranks sees that a process ends, and no end where it cannot see. Each rank has a
 * child, which it says it is: so a process can end while the rank lives on, and its launcher ends
 * nothing. */
#define _GNU_SOURCE /* fopen64, syscall, usleep */
#include "comm/watch.h"
#include "check.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ENDED = 0x200, WAIT_MS = 4000 };

static pid_t pretended;
static pid_t hidden; /* /proc has a file of it that may not be read */

/* In place of the library's. */
pid_t getpid(void) { return pretended != 0 ? pretended : (pid_t)syscall(SYS_getpid); }
FILE *fopen(const char *path, const char *mode)
{
    char name[64];
    snprintf(name, sizeof name, "/proc/%d/stat", (int)hidden);
    if (strcmp(path, name) != 0) return fopen64(path, mode);
    errno = EACCES;
    return NULL;
}

static mx_err make_child(pid_t *child)
{
    *child = fork();
    MX_REQUIRE(*child >= 0, MX_ERR_MEMORY, "no process for a test");
    if (*child > 0) return MX_OK;
    for (;;) pause();
}

static uint32_t wait_for_change(const uint32_t *state)
{
    for (int ms = 0; ms < WAIT_MS && __atomic_load_n(state, __ATOMIC_ACQUIRE) == 0; ms += 10)
        usleep(10000);
    return __atomic_load_n(state, __ATOMIC_ACQUIRE);
}

/* No file can be opened for some looks. */
static mx_err check_blind(const uint32_t *state)
{
    struct rlimit before;
    MX_REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0, MX_ERR_MEMORY, "no limit of files");
    const struct rlimit none = {.rlim_cur = 0, .rlim_max = before.rlim_max};
    MX_REQUIRE(setrlimit(RLIMIT_NOFILE, &none) == 0, MX_ERR_MEMORY, "no limit of files");
    usleep(500000);
    CHECK_I64(__atomic_load_n(state, __ATOMIC_ACQUIRE), 0);
    MX_REQUIRE(setrlimit(RLIMIT_NOFILE, &before) == 0, MX_ERR_MEMORY, "no limit of files");
    return MX_OK;
}

static void check_refused(app_comm comm, pid_t number)
{
    uint32_t state = 0;
    app_watch watch;
    pretended = number;
    CHECK_FAILS(app_watch_create(comm, &state, ENDED, &watch), MX_ERR_BACKEND, "see each other");
    CHECK(watch == NULL);
    app_watch_destroy(&watch);
    pretended = 0;
}

/* Ranks in containers, which have the same number, that of rank 0's child; and rank 0, whose file the
 * others may not read. */
static mx_err check_unseen(app_comm comm, pid_t child)
{
    pid_t first = child;
    MX_TRY(app_broadcast(comm, &first, sizeof first));
    check_refused(comm, first);
    if (app_rank(comm) > 0) hidden = first;
    check_refused(comm, child);
    hidden = 0;
    return MX_OK;
}

static mx_err run(app_comm comm)
{
    const int last = app_size(comm) - 1;
    const bool ends = app_rank(comm) == last;
    uint32_t state = 0;
    app_watch watch;
    pid_t child;
    MX_TRY(make_child(&child));
    MX_TRY(check_unseen(comm, child));
    pretended = child;
    MX_TRY(app_watch_create(comm, &state, ENDED, &watch));
    pretended = 0;
    MX_TRY(check_blind(&state));
    MX_TRY(app_barrier(comm));
    if (ends) (void)kill(child, SIGKILL); /* nobody asks for its exit code yet */
    if (!ends) CHECK_I64(wait_for_change(&state), ENDED + last);
    MX_TRY(app_barrier(comm));
    app_watch_destroy(&watch);
    app_watch_destroy(&watch); /* accepts NULL */
    (void)kill(child, SIGKILL);
    (void)waitpid(child, NULL, 0);
    return app_barrier(comm);
}

int main(int argc, char **argv)
{
    app_comm comm;
    CHECK_OK(app_comm_open(&argc, &argv, &comm));
    CHECK_OK(run(comm));
    const int code = check_exit(comm);
    app_comm_close(&comm);
    return code;
}
