/* pthreads: a host backend in one file, the example of docs/add-a-backend.md. A context keeps its threads; they sleep between
 * launches. The calling thread is number 0 and works as well.
 *
 * Invariants: the fields of a job are written by the calling thread while all others wait, under the lock; a thread takes up a
 * job when `turn` is not the one it did last; the job is over when `busy` is 0. */
#include "backend.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct pool pool;
typedef struct worker {
    pool *of;
    int number;
    pthread_t thread;
} worker;

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t go, done;
    int threads, started, busy;
    unsigned turn;
    bool stop;
    /* the job */
    const mx_launch *launch;
    mx_run_fn run;
    int64_t chunks,
        next;          /* next: the first chunk nobody has yet, where chunks go to whom is free */
    bool every_thread; /* every thread calls run(launch, its number, threads) */
    worker *workers;   /* those beside the calling thread */
};

/* What thread `number` has to do of the job. */
static void work(pool *p, int number)
{
    mx_thread_ = number;
    if (p->every_thread) {
        p->run(p->launch, number, p->threads);
    } else if (p->launch->dynamic) {
        int64_t chunk;
        while ((chunk = __atomic_fetch_add(&p->next, 1, __ATOMIC_RELAXED)) < p->chunks)
            p->run(p->launch, chunk, chunk + 1);
    } else {
        const int64_t first = p->chunks * number / p->threads,
                      last = p->chunks * (number + 1) / p->threads;
        if (first < last) p->run(p->launch, first, last);
    }
}

static void *live(void *argument)
{
    worker *w = argument;
    pool *p = w->of;
    unsigned did = 0;
    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (p->turn == did && !p->stop) pthread_cond_wait(&p->go, &p->lock);
        if (p->stop) break;
        did = p->turn;
        pthread_mutex_unlock(&p->lock);
        work(p, w->number);
        pthread_mutex_lock(&p->lock);
        if (--p->busy == 0) pthread_cond_signal(&p->done);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static void do_job(pool *p, const mx_launch *launch, mx_run_fn run, int64_t chunks,
                   bool every_thread)
{
    pthread_mutex_lock(&p->lock);
    p->launch = launch;
    p->run = run;
    p->chunks = chunks;
    p->next = 0;
    p->every_thread = every_thread;
    p->busy = p->threads - 1;
    p->turn++;
    pthread_cond_broadcast(&p->go);
    pthread_mutex_unlock(&p->lock);
    work(p, 0);
    pthread_mutex_lock(&p->lock);
    while (p->busy > 0) pthread_cond_wait(&p->done, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

static void pthreads_run(mx_ctx ctx, const mx_launch *launch, mx_run_fn run, int64_t chunks)
{
    pool *p = ctx->state;
    if (chunks != 1 && p->threads != 1) {
        do_job(p, launch, run, chunks, false);
        return;
    }
    mx_thread_ = 0; /* it may have been another one in a launch of another context */
    run(launch, 0, chunks);
}

/* Teams of several threads: all at once, as many as the context has or fewer. */
static bool pthreads_run_team_members(mx_ctx ctx, const mx_launch *launch, mx_run_fn run,
                                      int threads)
{
    pool *p = ctx->state;
    const int all = p->threads;
    if (threads > all) return false;
    if (threads < all) return mx_host_run_team_members(ctx, launch, run, threads);
    do_job(p, launch, run, 0, true);
    return true;
}

static void pthreads_close(mx_ctx ctx)
{
    pool *p = ctx->state;
    if (p == NULL) return;
    pthread_mutex_lock(&p->lock);
    p->stop = true;
    pthread_cond_broadcast(&p->go);
    pthread_mutex_unlock(&p->lock);
    for (int w = 0; w < p->started; w++) pthread_join(p->workers[w].thread, NULL);
    pthread_cond_destroy(&p->go);
    pthread_cond_destroy(&p->done);
    pthread_mutex_destroy(&p->lock);
    free(p->workers);
    free(p);
    ctx->state = NULL;
}

static mx_err pthreads_open(mx_ctx ctx)
{
    if (ctx->threads == 0) ctx->threads = mx_host_cores();
    ctx->device = -1;
    pool *p = calloc(1, sizeof *p);
    worker *workers = calloc((size_t)ctx->threads, sizeof *workers);
    if (p == NULL || workers == NULL) {
        free(p);
        free(workers);
        return MX_FAIL(MX_ERR_MEMORY, "%s: no memory for %d threads", ctx->name, ctx->threads);
    }
    *p = (pool){.lock = PTHREAD_MUTEX_INITIALIZER,
                .go = PTHREAD_COND_INITIALIZER,
                .done = PTHREAD_COND_INITIALIZER,
                .threads = ctx->threads,
                .workers = workers};
    ctx->state = p; /* pthreads_close ends what has been started */
    for (int w = 0; w < ctx->threads - 1; w++) {
        workers[w] = (worker){.of = p, .number = w + 1};
        MX_REQUIRE(pthread_create(&workers[w].thread, NULL, live, &workers[w]) == 0, MX_ERR_DEVICE,
                   "%s: could not start thread %d of %d", ctx->name, w + 2, ctx->threads);
        p->started++;
    }
    return MX_OK;
}

const mx_backend mx_backend_pthreads = {
    .info = {.name = "pthreads",
             .instance = MX_INSTANCE_HOST,
             .layout = MX_LAYOUT_RIGHT,
             .tool_type = MX_TOOL_TYPE_UNKNOWN,
             .many_threads = true,
             .open = pthreads_open,
             .close = pthreads_close},
    .memory = MX_HOST_MEMORY,
    .launch = MX_HOST_LAUNCH,
    .host = {.run = pthreads_run, .run_team_members = pthreads_run_team_members},
};
