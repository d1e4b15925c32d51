#include "share.h"

#include "minx/context.h"

#include <pthread.h>
#include <stdatomic.h>

enum { MAX_THREADS = 64, STACK_BYTES = 256 << 10 };

typedef struct sharing {
    app_part *part;
    void *work;
    int64_t parts;
    atomic_int_fast64_t next; /* the first part that no thread has taken */
} sharing;

static void *take_parts(void *data)
{
    sharing *const s = data;
    for (int64_t n = atomic_fetch_add(&s->next, 1); n < s->parts; n = atomic_fetch_add(&s->next, 1))
        s->part(s->work, n);
    return NULL;
}

/* Starts threads beside the calling one, and returns how many. Where no more can be started, those
 * that are there do all. */
static int start(sharing *s, int wanted, pthread_t *thread)
{
    pthread_attr_t attributes;
    int started = 0;
    if (wanted <= 0 || pthread_attr_init(&attributes) != 0) return 0;
    if (pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0)
        while (started < wanted &&
               pthread_create(&thread[started], &attributes, take_parts, s) == 0)
            started++;
    pthread_attr_destroy(&attributes);
    return started;
}

void app_share(int64_t parts, app_part *part, void *work)
{
    pthread_t thread[MAX_THREADS];
    sharing s = {.part = part, .work = work, .parts = parts};
    int64_t threads = mx_host_cores();
    if (threads > parts) threads = parts;
    if (threads > MAX_THREADS) threads = MAX_THREADS;
    const int started = start(&s, (int)threads - 1, thread);
    (void)take_parts(&s);
    for (int i = 0; i < started; i++) pthread_join(thread[i], NULL);
}
