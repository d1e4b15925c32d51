/* The barrier of a team's threads. */
#include "backend.h"
#include "minx/team.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

/* How often a waiting thread reads the phase before it yields its core. Threads of simt, which
 * detects deadlocks, yield at once: a team has more of them than there are cores, and the barrier
 * waits for one that has none. */
enum { SPINS = 2000 };

static void pause_core(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* Ends the program if every thread of the team either waits or has ended: then no thread can
 * complete the barrier. The count of waiting threads is never too high: a thread adds itself after
 * it has arrived, and the last thread subtracts the others before it releases them. */
static void check_deadlock(const mx_team *t)
{
    const int idle = __atomic_load_n(&t->shared->idle, __ATOMIC_RELAXED);
    if (idle % MX_TEAM_DONE_ - MX_TEAM_MAX + idle / MX_TEAM_DONE_ < t->size * t->lanes) return;
    fprintf(
        stderr,
        "minx: simt: kernel %s: only some threads came to a barrier of the team or to the end of "
        "a vector loop: the control flow diverges, and a GPU would hang\n",
        t->shared->kernel);
    abort();
}

void mx_barrier_wait_(mx_team *t, mx_barrier_ *barrier, int *phase, int count,
                      bool detects_deadlock)
{
    const int next = *phase ^= 1;
    if (__atomic_fetch_sub(&barrier->missing, 1, __ATOMIC_ACQ_REL) == 1) {
        if (detects_deadlock) __atomic_fetch_sub(&t->shared->idle, count - 1, __ATOMIC_RELAXED);
        __atomic_store_n(&barrier->missing, count, __ATOMIC_RELAXED);
        __atomic_store_n(&barrier->phase, next, __ATOMIC_RELEASE);
        return;
    }
    if (detects_deadlock) __atomic_fetch_add(&t->shared->idle, 1, __ATOMIC_RELAXED);
    for (long turn = 0; __atomic_load_n(&barrier->phase, __ATOMIC_ACQUIRE) != next; turn++) {
        if (!detects_deadlock && turn < SPINS) {
            pause_core();
            continue;
        }
        sched_yield();
        if (detects_deadlock) check_deadlock(t);
    }
}
