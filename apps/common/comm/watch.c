#define _GNU_SOURCE /* pthread_condattr_setclock */
#include "watch.h"

#include "signals.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    LOOK_MS = 200,       /* from look to look */
    GRACE_MS = 5 * 1000, /* for this process, to find that another one has ended */
};

/* A process; its number may be given again, but not at the same time. */
typedef struct process {
    int64_t pid;
    uint64_t began;
} process;

struct app_watch {
    uint32_t *state, ended;
    int count, self;
    process *all; /* by rank on the host */
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t wakes;
    bool has_thread, stop;
};

enum { UNKNOWN = 1 }; /* no process of a user begins with the machine */

/* When did the process begin? 0: there is none, or it has ended and nobody has asked for its exit
 * code. UNKNOWN: this process cannot see it now, as where it has too many files open. */
static uint64_t began_at(int64_t pid)
{
    char path[64], text[1024], state = 'X';
    uint64_t began = 0;
    snprintf(path, sizeof path, "/proc/%" PRId64 "/stat", pid);
    FILE *const file = fopen(path, "r");
    if (file == NULL) return errno == ENOENT || errno == ESRCH ? 0 : UNKNOWN;
    const size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    const char *at = strrchr(text, ')'); /* behind the name, which may have any characters */
    if (at == NULL || at[1] == '\0') return 0;
    state = at[2];
    for (int field = 2; field < 22 && at != NULL; field++) at = strchr(at + 1, ' ');
    if (at != NULL) began = strtoull(at, NULL, 10);
    return state == 'Z' || state == 'X' ? 0 : began;
}

/* The rank whose process has ended, or -1. */
static int find_ended(const app_watch w)
{
    for (int r = 0; r < w->count; r++) {
        if (r == w->self) continue;
        const uint64_t began = began_at(w->all[r].pid);
        if (began != w->all[r].began && began != UNKNOWN) return r;
    }
    return -1;
}

/* Does this process see those of all ranks, by their numbers? In two containers the numbers of two ranks
 * can be the same. */
static bool sees_all(const app_watch w)
{
    for (int r = 0; r < w->count; r++) {
        const uint64_t began = began_at(w->all[r].pid);
        if (began <= UNKNOWN || began != w->all[r].began) return false;
        if (r != w->self && w->all[r].pid == w->all[w->self].pid) return false;
    }
    return true;
}

/* False: the watch stops. */
static bool sleep_ms(app_watch w, int ms)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += ms / 1000;
    until.tv_nsec += (long)(ms % 1000) * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    int woken = 0;
    pthread_mutex_lock(&w->mutex);
    while (!w->stop && woken == 0) woken = pthread_cond_timedwait(&w->wakes, &w->mutex, &until);
    const bool stop = w->stop;
    pthread_mutex_unlock(&w->mutex);
    return !stop;
}

static void *run(void *watch)
{
    const app_watch w = watch;
    int ended = -1;
    while (ended < 0) {
        if (!sleep_ms(w, LOOK_MS)) return NULL;
        ended = find_ended(w);
    }
    __atomic_store_n(w->state, w->ended + (uint32_t)ended, __ATOMIC_RELEASE);
    if (!sleep_ms(w, GRACE_MS)) return NULL;
    fprintf(stderr, "error: process %" PRId64 ", a rank of this run, has ended\n",
            w->all[ended].pid);
    app_signals_remove_files();
    _exit(APP_EXIT_RUNTIME);
}

static mx_err start_thread(app_watch w)
{
    sigset_t all, before;
    pthread_condattr_t clock;
    pthread_mutex_init(&w->mutex, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&w->wakes, &clock);
    pthread_condattr_destroy(&clock);
    sigfillset(&all); /* signals are for the other threads */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    w->has_thread = pthread_create(&w->thread, NULL, run, w) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    MX_REQUIRE(w->has_thread, MX_ERR_MEMORY, "no thread to watch other ranks");
    return MX_OK;
}

static mx_err begin(app_comm comm, app_watch w)
{
    const process mine = {.pid = getpid(), .began = began_at(getpid())};
    MX_TRY(app_local_allgather(comm, &mine, sizeof mine, w->all));
    MX_REQUIRE(sees_all(w), MX_ERR_BACKEND,
               "the processes of this host cannot see each other in /proc");
    return start_thread(w);
}

mx_err app_watch_create(app_comm comm, uint32_t *state, uint32_t ended, app_watch *watch)
{
    const int count = app_local_size(comm);
    app_watch w = calloc(1, sizeof *w);
    process *const all = calloc((size_t)count, sizeof *all);
    mx_err err =
        w != NULL && all != NULL ? MX_OK : MX_FAIL(MX_ERR_MEMORY, "no memory to watch other ranks");
    *watch = NULL;
    err = app_agree(comm, err);
    if (err != MX_OK) {
        free(w);
        free(all);
        return err;
    }
    *w = (struct app_watch){
        .state = state, .ended = ended, .count = count, .self = app_local_rank(comm), .all = all};
    err = app_agree(comm, begin(comm, w));
    if (err != MX_OK) app_watch_destroy(&w);
    *watch = w;
    return err;
}

void app_watch_destroy(app_watch *watch)
{
    if (watch == NULL || *watch == NULL) return;
    const app_watch w = *watch;
    if (w->has_thread) {
        pthread_mutex_lock(&w->mutex);
        w->stop = true;
        pthread_cond_signal(&w->wakes);
        pthread_mutex_unlock(&w->mutex);
        pthread_join(w->thread, NULL);
    }
    free(w->all);
    free(w);
    *watch = NULL;
}
