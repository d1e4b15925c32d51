/* fork(): a child process has a copy of the calling thread only. A lock that another thread held
 * then would stay locked there, and what it guards half changed. So fork() first takes the locks of
 * minx, in the order in which threads take them. */
#include "backend.h"

static struct {
    pthread_mutex_t *lock; /* NULL: nothing needs it yet */
    void (*in_child)(void);
} holds[MX_FORK_LOCKS];
static pthread_mutex_t forking = PTHREAD_MUTEX_INITIALIZER; /* guards the table */
static pthread_once_t watched = PTHREAD_ONCE_INIT;

static void before(void)
{
    pthread_mutex_lock(&forking);
    for (int n = 0; n < MX_FORK_LOCKS; n++)
        if (holds[n].lock != NULL) pthread_mutex_lock(holds[n].lock);
}

static void in_parent(void)
{
    for (int n = MX_FORK_LOCKS - 1; n >= 0; n--)
        if (holds[n].lock != NULL) pthread_mutex_unlock(holds[n].lock);
    pthread_mutex_unlock(&forking);
}

static void in_child(void)
{
    for (int n = 0; n < MX_FORK_LOCKS; n++)
        if (holds[n].lock != NULL) holds[n].in_child();
    forking = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

static void watch(void) { pthread_atfork(before, in_parent, in_child); }

void mx_fork_holds(mx_fork_lock number, pthread_mutex_t *lock, void (*child)(void))
{
    pthread_once(&watched, watch);
    pthread_mutex_lock(&forking);
    holds[number].lock = lock;
    holds[number].in_child = child;
    pthread_mutex_unlock(&forking);
}
