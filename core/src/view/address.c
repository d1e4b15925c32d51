/* The memory space of an address. Each backend that has opened a context is asked. If none knows
 * the address, it is host memory. */
#include "memory.h"

#include <pthread.h>

enum { MAX_BACKENDS = 32 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const mx_backend *registered[MAX_BACKENDS];
/* Read without the lock. Entries below the count never change. */
static int count;

static void in_child(void) { lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER; }
static void watch_forks(void) { mx_fork_holds(MX_FORK_ADDRESSES, &lock, in_child); }

void mx_memory_add_backend(const mx_backend *backend)
{
    static pthread_once_t forks_watched = PTHREAD_ONCE_INIT;
    bool known = backend->memory.identify == NULL;
    pthread_once(&forks_watched, watch_forks);
    pthread_mutex_lock(&lock);
    for (int b = 0; b < count; b++) known = known || registered[b] == backend;
    if (!known && count < MAX_BACKENDS) {
        registered[count] = backend;
        __atomic_store_n(&count, count + 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
}

mx_space mx_memory_space(const void *address, int *device)
{
    const int backends = __atomic_load_n(&count, __ATOMIC_ACQUIRE);
    mx_space space = MX_SPACE_HOST;
    *device = -1;
    for (int b = 0; b < backends; b++)
        if (registered[b]->memory.identify(address, &space, device)) return space;
    return MX_SPACE_HOST;
}

void mx_memory_leave(const void *data, size_t bytes, bool freed)
{
    const int backends = __atomic_load_n(&count, __ATOMIC_ACQUIRE);
    for (int b = 0; b < backends; b++)
        if (registered[b]->memory.leave != NULL) registered[b]->memory.leave(data, bytes, freed);
}
