/* The watch of other ranks sees that a process ends, and no end where it cannot see. Each rank has a
 * child, which it says it is: so a process can end while the rank lives on, and its launcher ends
 * nothing. */
#define _DEFAULT_SOURCE /* syscall, usleep */
#include "comm/watch.h"
#include "check.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ENDED = 0x200, WAIT_MS = 4000 };

static pid_t pretended;

/* In place of the library's. */
pid_t getpid(void) { return pretended != 0 ? pretended : (pid_t)syscall(SYS_getpid); }

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

/* Ranks in containers: they have the same number, that of rank 0's child. */
static mx_err check_same(app_comm comm, pid_t child)
{
    uint32_t state = 0;
    app_watch watch;
    MX_TRY(app_broadcast(comm, &child, sizeof child));
    pretended = child;
    CHECK_FAILS(app_watch_create(comm, &state, ENDED, &watch), MX_ERR_BACKEND, "see each other");
    CHECK(watch == NULL);
    pretended = 0;
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
    MX_TRY(check_same(comm, child));
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
