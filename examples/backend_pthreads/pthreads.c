/* pthreads: a host backend in one file, the example of docs/add-a-backend.md. A context has a pool
 * of threads, which sleep between launches. The calling thread is number 0 and works too.
 *
 * Invariants: the calling thread writes the fields of a job under the lock, while all other threads
 * wait; a thread starts a job when `job_number` differs from that of its last job; a job has ended
 * when `busy` is 0. */
#include "base/backend.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct pool pool;
typedef struct pool_thread {
    pool *pool;
    int number;
    pthread_t thread;
} pool_thread;

struct pool {
    mx_ctx ctx;
    pthread_mutex_t lock;
    pthread_cond_t job_begins, job_ends;
    int threads;
    int started; /* threads of the pool that were created */
    int busy;    /* threads of the pool that have not ended the job */
    unsigned job_number;
    bool stop;
    /* the job */
    const mx_launch *launch;
    mx_run_fn run;
    int64_t chunks;
    int64_t next_chunk;        /* dynamic schedule: the first chunk that no thread has */
    bool every_thread;         /* every thread calls run(launch, its number, threads) */
    pool_thread *pool_threads; /* the threads other than the calling thread */
};

/* The part of the job that belongs to thread `number`. */
static void run_part(pool *p, int number)
{
    const mx_ctx ctx = p->ctx;
    if (p->every_thread) {
        mx_host_run_part(ctx, p->launch, p->run, number, number, p->threads);
    } else if (p->launch->dynamic) {
        int64_t chunk;
        while ((chunk = __atomic_fetch_add(&p->next_chunk, 1, __ATOMIC_RELAXED)) < p->chunks)
            mx_host_run_part(ctx, p->launch, p->run, number, chunk, chunk + 1);
    } else {
        /* The calling thread is number 0 and begins first. Its part is one of the longest. */
        const int64_t round_up = p->threads - 1,
                      first = (p->chunks * number + round_up) / p->threads,
                      last = (p->chunks * (number + 1) + round_up) / p->threads;
        if (first < last) mx_host_run_part(ctx, p->launch, p->run, number, first, last);
    }
}

static void *thread_main(void *argument)
{
    pool_thread *w = argument;
    pool *p = w->pool;
    unsigned last_job = 0;
    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (p->job_number == last_job && !p->stop) pthread_cond_wait(&p->job_begins, &p->lock);
        if (p->stop) break;
        last_job = p->job_number;
        pthread_mutex_unlock(&p->lock);
        run_part(p, w->number);
        pthread_mutex_lock(&p->lock);
        if (--p->busy == 0) pthread_cond_signal(&p->job_ends);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static void run_job(pool *p, const mx_launch *launch, mx_run_fn run, int64_t chunks,
                    bool every_thread)
{
    pthread_mutex_lock(&p->lock);
    p->launch = launch;
    p->run = run;
    p->chunks = chunks;
    p->next_chunk = 0;
    p->every_thread = every_thread;
    p->busy = p->threads - 1;
    p->job_number++;
    pthread_cond_broadcast(&p->job_begins);
    pthread_mutex_unlock(&p->lock);
    run_part(p, 0);
    pthread_mutex_lock(&p->lock);
    while (p->busy > 0) pthread_cond_wait(&p->job_ends, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

static void pthreads_run(mx_ctx ctx, const mx_launch *launch, mx_run_fn run, int64_t chunks)
{
    pool *p = ctx->state;
    if (chunks != 1 && p->threads != 1) {
        run_job(p, launch, run, chunks, false);
        return;
    }
    mx_host_run_part(ctx, launch, run, 0, 0, chunks);
}

/* Teams of several threads, which run at the same time. They may need fewer threads than the
 * context has. */
static bool pthreads_run_team_members(mx_ctx ctx, const mx_launch *launch, mx_run_fn run,
                                      int threads)
{
    pool *p = ctx->state;
    if (threads > p->threads) return false;
    if (threads < p->threads) return mx_host_run_team_members(ctx, launch, run, threads);
    run_job(p, launch, run, 0, true);
    return true;
}

static void pthreads_close(mx_ctx ctx)
{
    pool *p = ctx->state;
    if (p == NULL) return;
    pthread_mutex_lock(&p->lock);
    p->stop = true;
    pthread_cond_broadcast(&p->job_begins);
    pthread_mutex_unlock(&p->lock);
    for (int w = 0; w < p->started; w++) pthread_join(p->pool_threads[w].thread, NULL);
    pthread_cond_destroy(&p->job_begins);
    pthread_cond_destroy(&p->job_ends);
    pthread_mutex_destroy(&p->lock);
    free(p->pool_threads);
    free(p);
    ctx->state = NULL;
}

static mx_err pthreads_open(mx_ctx ctx)
{
    if (ctx->threads == 0) ctx->threads = mx_host_cores();
    ctx->device = -1;
    pool *p = calloc(1, sizeof *p);
    pool_thread *pool_threads = calloc((size_t)ctx->threads, sizeof *pool_threads);
    if (p == NULL || pool_threads == NULL) {
        free(p);
        free(pool_threads);
        return MX_FAIL(MX_ERR_MEMORY, "%s: no memory for %d threads", ctx->name, ctx->threads);
    }
    *p = (pool){.ctx = ctx,
                .lock = PTHREAD_MUTEX_INITIALIZER,
                .job_begins = PTHREAD_COND_INITIALIZER,
                .job_ends = PTHREAD_COND_INITIALIZER,
                .threads = ctx->threads,
                .pool_threads = pool_threads};
    ctx->state = p; /* on failure, pthreads_close ends the threads that were started */
    for (int w = 0; w < ctx->threads - 1; w++) {
        pool_threads[w] = (pool_thread){.pool = p, .number = w + 1};
        MX_REQUIRE(
            pthread_create(&pool_threads[w].thread, NULL, thread_main, &pool_threads[w]) == 0,
            MX_ERR_DEVICE, "%s: could not start thread %d of %d", ctx->name, w + 2, ctx->threads);
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
