/* Lets the ranks of MPICH share cores. A rank of MPICH never gives its core away while it waits: with more ranks than cores, a rank
   that has work waits for the end of another's time slice, and a test of a second takes minutes. MPICH has no setting for that.
   Built on UCX, it waits in calls of ucp_worker_progress. This library is loaded before UCX (LD_PRELOAD) and has a function of that
   name: after some calls in a row that had nothing to do, it sleeps for the shortest time that the system knows. For tests only:
   it makes messages slower where each rank has a core. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CALLS_BEFORE_SLEEP = 100 };

typedef unsigned progress_function(void *worker);

unsigned ucp_worker_progress(void *worker); /* UCX's; its header need not be installed */

static progress_function *find_original(void)
{
    /* ISO C has no conversion from object pointers to function pointers; POSIX has */
    void *address = dlsym(RTLD_NEXT, "ucp_worker_progress");
    progress_function *function;
    if (!address) {
        fprintf(stderr, "mpich_yield: no ucp_worker_progress: %s\n", dlerror());
        abort();
    }
    memcpy(&function, &address, sizeof function);
    return function;
}

/* The counter is each thread's own: threads may call this at the same time. */
unsigned ucp_worker_progress(void *worker)
{
    static _Thread_local progress_function *original;
    static _Thread_local int idle_calls;
    if (!original) original = find_original();
    const unsigned events = original(worker);
    if (events) {
        idle_calls = 0;
    } else if (idle_calls < CALLS_BEFORE_SLEEP) {
        idle_calls++;
    } else {
        (void)nanosleep(&(struct timespec){.tv_nsec = 1}, NULL);
    }
    return events;
}
