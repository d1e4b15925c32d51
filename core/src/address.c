/* Whose memory an address is. The backends that contexts were opened for are asked; what none of them knows is the host's. */
#include "memory.h"

#include <pthread.h>

enum { MAX_BACKENDS = 32 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const mx_backend *asked[MAX_BACKENDS];
static int count; /* read without the lock; what is before it never changes */

void mx_memory_ask(const mx_backend *backend)
{
    bool known = backend->memory.identify == NULL;
    pthread_mutex_lock(&lock);
    for (int b = 0; b < count; b++) known = known || asked[b] == backend;
    if (!known && count < MAX_BACKENDS) {
        asked[count] = backend;
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
        if (asked[b]->memory.identify(address, &space, device)) return space;
    return MX_SPACE_HOST;
}
