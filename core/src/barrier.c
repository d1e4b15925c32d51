/* The barrier of a team's threads. */
#include "internal.h"
#include "minx/team.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Turns of waiting without giving the core away; seconds after which it ends where a kernel is named. */
enum { SPINS = 2000, PATIENCE = 10 };

static void breathe(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

void mx_barrier_wait_(mx_barrier_ *barrier, int *phase, int count, const char *kernel)
{
    const int next = *phase ^= 1;
    const time_t begin = kernel != NULL ? time(NULL) : 0;
    if (__atomic_fetch_sub(&barrier->waiting, 1, __ATOMIC_ACQ_REL) == 1) {
        __atomic_store_n(&barrier->waiting, count, __ATOMIC_RELAXED);
        __atomic_store_n(&barrier->phase, next, __ATOMIC_RELEASE);
        return;
    }
    for (long turn = 0; __atomic_load_n(&barrier->phase, __ATOMIC_ACQUIRE) != next; turn++) {
        turn < SPINS ? breathe() : (void)sched_yield();
        if (kernel != NULL && turn % 1024 == 0 && time(NULL) - begin > PATIENCE) {
            fprintf(stderr,
                    "minx: simt: kernel %s: a barrier of the team or the end of a vector loop is "
                    "reached by some threads only: it diverges, and a GPU would hang\n",
                    kernel);
            abort();
        }
    }
}
