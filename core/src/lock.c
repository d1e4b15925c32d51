/* The locks behind MX_ATOMIC_UPDATE on hosts: one table for the whole program, since kernels of several contexts may update
 * the same struct. Which lock is a hash of the address; two structs may share one, which costs time and nothing else. */
#include "minx/atomic.h"

#include <sched.h>

enum { LOCK_BITS = 9, TRIES = 100 };

static struct lock {
    _Alignas(64) int taken; /* a cache line each: waiting for one does not slow its neighbours */
} locks[1 << LOCK_BITS];

static int *lock_of(const void *p)
{
    return &locks[((uint64_t)(uintptr_t)p >> 3) * 0x9e3779b97f4a7c15u >> (64 - LOCK_BITS)].taken;
}

bool mx_lock_(const void *p)
{
    int *taken = lock_of(p);
    for (int tries = 1; __atomic_exchange_n(taken, 1, __ATOMIC_ACQUIRE) != 0; tries++)
        if (tries % TRIES == 0) sched_yield(); /* its holder may wait for this core */
    return true;
}

void mx_unlock_(const void *p) { __atomic_store_n(lock_of(p), 0, __ATOMIC_RELEASE); }
