/* The barrier of a team's threads. */
#include "internal.h"
#include "minx/team.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

/* Turns of waiting: first without giving the core away; a barrier that was named gives up after the last. */
enum { SPINS = 2000, PATIENCE = 20000000 };

static void breathe(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

void mx_barrier_wait_(mx_barrier_ *barrier, int *phase, int count, const char *what)
{
    const int next = *phase ^= 1;
    if (__atomic_fetch_sub(&barrier->waiting, 1, __ATOMIC_ACQ_REL) == 1) {
        __atomic_store_n(&barrier->waiting, count, __ATOMIC_RELAXED);
        __atomic_store_n(&barrier->phase, next, __ATOMIC_RELEASE);
        return;
    }
    for (long turn = 0; __atomic_load_n(&barrier->phase, __ATOMIC_ACQUIRE) != next; turn++) {
        if (turn < SPINS)
            breathe();
        else
            sched_yield();
        if (what[0] != '\0' && turn > PATIENCE) {
            fprintf(stderr,
                    "minx: simt: %s is reached by some threads only: it diverges, and a GPU would "
                    "hang\n",
                    what);
            abort();
        }
    }
}
