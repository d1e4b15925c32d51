/* Lets waiting ranks of Open MPI sleep. They yield their core again and again, and each time costs as much as a change of the
   process. This library is loaded before Open MPI (LD_PRELOAD) and has a function of the name that it calls: while a rank
   waits, each call sleeps longer than the one before, up to a third of a millisecond. Calls from elsewhere yield as ever. For tests
   only: it makes messages slower where each rank has a core. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_SLEEP = 10000, LONGEST_SLEEP = 200000, PAUSE = 50000 }; /* nanoseconds */

static bool is_open_mpi(const void *caller)
{
    static _Thread_local const void *known;
    static _Thread_local bool is;
    if (caller != known) {
        Dl_info info;
        is = dladdr(caller, &info) != 0 && info.dli_fname && strstr(info.dli_fname, "libopen-pal");
        known = caller;
    }
    return is;
}

static long now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

/* A rank that has worked since its last call begins anew. */
int sched_yield(void)
{
    static _Thread_local long last, wait;
    if (!is_open_mpi(__builtin_return_address(0))) return (int)syscall(SYS_sched_yield);
    if (now() - last > PAUSE) {
        (void)syscall(SYS_sched_yield);
        wait = FIRST_SLEEP;
    } else {
        (void)nanosleep(&(struct timespec){.tv_nsec = wait}, NULL);
        if (wait < LONGEST_SLEEP) wait *= 2;
    }
    last = now();
    return 0;
}
