/* The barrier of a team's threads. */
#include "base/backend.h"
#include "minx/team.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#ifdef MINX_RACE_CHECK
__thread void (*mx_members_turn)(void);
#endif

/* How often a waiting thread reads the phase before it yields its core. */
enum { SPINS = 2000 };

static void pause_core(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* Threads of simt sleep: a team has more of them than there are cores. Threads that yield would run
 * again and again, and wait for other programs each time. Where the system cannot wait for a change
 * of an integer, they do that. */
static void sleep_until_changed(const int *from, int old)
{
#ifdef __linux__
    (void)syscall(SYS_futex, from, FUTEX_WAIT_PRIVATE, old, NULL);
#else
    (void)from;
    (void)old;
    sched_yield();
#endif
}

static void wake_all(const int *of)
{
#ifdef __linux__
    (void)syscall(SYS_futex, of, FUTEX_WAKE_PRIVATE, INT_MAX);
#else
    (void)of;
#endif
}

static void end_program(const mx_team *t)
{
    const char *const kernel = t->shared->kernel, *const failure = mx_body_failure();
    fprintf(stderr,
            "minx: kernel %s: only some threads came to a barrier of the team or to the end of "
            "a vector loop: the control flow diverges, and a GPU would hang\n",
            kernel);
    if (failure != NULL)
        fprintf(stderr, "minx: kernel %s: MX_BODY_REQUIRE ended an item: %s\n", kernel, failure);
    abort();
}

/* Ends the program if every thread of the team either waits or has ended: then no thread can
 * complete the barrier. Each thread calls this when it begins to wait and when it ends. The count
 * of waiting threads is never too high: a thread adds itself after it has arrived, and the last
 * thread subtracts the others before it releases them. */
static void check_deadlock(const mx_team *t, int idle)
{
    const int waiting = idle % MX_TEAM_DONE_ - MX_TEAM_MAX, ended = idle / MX_TEAM_DONE_;
    if (waiting <= 0 || waiting + ended < t->size * t->lanes) return;
    end_program(t);
}

/* The same for threads that do not count themselves while they wait. A thread that has ended came
 * to all barriers of its team: if this one is not complete then, it never will be. The order of the
 * two loads matters. */
static void check_ended(const mx_team *t, const mx_barrier_ *barrier, int next)
{
    if (t != NULL && __atomic_load_n(&t->shared->idle, __ATOMIC_ACQUIRE) >= MX_TEAM_DONE_ &&
        __atomic_load_n(&barrier->phase, __ATOMIC_ACQUIRE) != next)
        end_program(t);
}

void mx_barrier_wait_(mx_team *t, mx_barrier_ *barrier, int *phase, int count,
                      bool detects_deadlock)
{
    const int next = *phase ^= 1;
    const bool in_turn = mx_members_turn != NULL, of_lanes = in_turn && barrier != &t->shared->team;
    detects_deadlock = detects_deadlock || in_turn;
    if (__atomic_fetch_sub(&barrier->missing, 1, __ATOMIC_ACQ_REL) == 1) {
        if (detects_deadlock) __atomic_fetch_sub(&t->shared->idle, count - 1, __ATOMIC_RELAXED);
        __atomic_store_n(&barrier->missing, count, __ATOMIC_RELAXED);
        __atomic_store_n(&barrier->phase, next, __ATOMIC_RELEASE);
        if (in_turn)
            mx_races_barrier(of_lanes);
        else if (detects_deadlock)
            wake_all(&barrier->phase);
        return;
    }
    if (detects_deadlock)
        check_deadlock(t, __atomic_add_fetch(&t->shared->idle, 1, __ATOMIC_RELAXED));
    for (long turn = 0; __atomic_load_n(&barrier->phase, __ATOMIC_ACQUIRE) != next; turn++) {
        if (in_turn) {
            mx_members_turn();
        } else if (detects_deadlock) {
            sleep_until_changed(&barrier->phase, next ^ 1);
        } else if (turn < SPINS) {
            pause_core();
        } else {
            sched_yield();
            check_ended(t, barrier, next);
        }
    }
    if (in_turn) mx_races_barrier(of_lanes);
}

void mx_team_ended_(mx_team *t)
{
    check_deadlock(t, __atomic_add_fetch(&t->shared->idle, MX_TEAM_DONE_, __ATOMIC_ACQ_REL));
}
