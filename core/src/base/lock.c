/* The locks of MX_ATOMIC_UPDATE on hosts. There is one table for the whole program, because kernels
 * of several contexts may update the same struct. A hash of the address chooses the lock. Two
 * structs may have the same lock; that only costs time. */
#include "state.h"

#include <sched.h>

enum { LOCK_BITS = 9, TRIES = 100 };

static struct lock {
    _Alignas(64) int taken; /* each has a cache line, so waiting for one does not slow others */
} locks[1 << LOCK_BITS];

static int *lock_of(const void *p)
{
    return &locks[((uint64_t)(uintptr_t)p >> 3) * 0x9e3779b97f4a7c15u >> (64 - LOCK_BITS)].taken;
}

bool mx_lock_(const void *p)
{
    int *taken = lock_of(p);
    for (int tries = 1; __atomic_exchange_n(taken, 1, __ATOMIC_ACQUIRE) != 0; tries++)
        if (tries % TRIES == 0) sched_yield(); /* the thread that has it may need this core */
    return true;
}

void mx_locks_release(void)
{
    for (size_t n = 0; n < sizeof locks / sizeof locks[0]; n++) locks[n].taken = 0;
}

void mx_unlock_(const void *p) { __atomic_store_n(lock_of(p), 0, __ATOMIC_RELEASE); }
