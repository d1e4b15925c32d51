/* check=races: the backend of a context, but all items of a launch run in order on the calling
 * thread, and the members of a team run in turn on it: a member runs to its next barrier.
 * services/races.c watches what they access. */
#include "base/backend.h"
#include "minx/team.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { STACK = 1 << 20, TEAM_SIZE = 4 };

/* The members that run in turn. */
static __thread struct members {
    mx_ctx ctx;
    const mx_launch *launch;
    mx_run_fn run;
    int count, running, left; /* left: members that have not ended */
    bool *ended;
    char *stacks;
    ucontext_t *member, all;
} * now;

static void next_turn(void)
{
    struct members *const m = now;
    const short thread = mx_thread_;
    const mx_ctx body = mx_body_ctx_;
    const mx_item_ item = mx_item_now_;
    const int from = m->running;
    do {
        m->running = (m->running + 1) % m->count;
    } while (m->ended[m->running]);
    if (m->running == from) return;
    mx_races_member(m->running);
    (void)swapcontext(&m->member[from], &m->member[m->running]);
    mx_thread_ = thread;
    mx_body_ctx_ = body;
    mx_item_now_ = item;
}

static void run_member(void)
{
    struct members *const m = now;
    const int number = m->running;
    /* the context's memory for threads (tokens, copies of scatter views) is for these numbers */
    mx_host_run_part(m->ctx, m->launch, m->run, number % m->ctx->threads, number, m->count);
    m->ended[number] = true;
    if (--m->left > 0) next_turn(); /* it does not return */
}

/* The first page of each stack cannot be accessed: stacks grow down. NULL: no memory. */
static char *make_stacks(size_t count)
{
    char *const stacks =
        mmap(NULL, count * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stacks == MAP_FAILED) return NULL;
    for (size_t t = 0; t < count; t++)
        (void)mprotect(stacks + t * STACK, (size_t)sysconf(_SC_PAGESIZE), PROT_NONE);
    return stacks;
}

static bool watched_members(mx_ctx ctx, const mx_launch *launch, mx_run_fn run, int threads)
{
    const size_t count = (size_t)threads;
    struct members m = {ctx, launch, run, threads, 0, threads, NULL, NULL, NULL, {0}};
    struct members *const outer = now;
    void (*const outer_turn)(void) = mx_members_turn;
    const short thread = mx_thread_;
    const mx_ctx body = mx_body_ctx_;
    m.ended = calloc(count, sizeof *m.ended);
    m.member = calloc(count, sizeof *m.member);
    m.stacks = make_stacks(count);
    const bool enough = m.ended != NULL && m.member != NULL && m.stacks != NULL &&
                        mx_races_members(launch, threads, sizeof(mx_team_shared_)) == MX_OK;
    for (int t = 0; enough && t < threads; t++) {
        (void)getcontext(&m.member[t]);
        m.member[t].uc_stack.ss_sp = m.stacks + (size_t)t * STACK;
        m.member[t].uc_stack.ss_size = STACK;
        m.member[t].uc_link = &m.all;
        makecontext(&m.member[t], run_member, 0);
    }
    now = &m;
    mx_members_turn = next_turn;
    mx_races_member(0);
    if (enough) (void)swapcontext(&m.all, &m.member[0]);
    mx_races_no_item();
    now = outer;
    mx_members_turn = outer_turn;
    mx_thread_ = thread;
    mx_body_ctx_ = body;
    free(m.ended);
    free(m.member);
    if (m.stacks != NULL) (void)munmap(m.stacks, count * STACK);
    return enough;
}

static void watched_run(mx_ctx ctx, const mx_launch *launch, mx_run_fn run, int64_t chunks)
{
    if (!mx_races_watches(ctx)) { /* a copy, or mx_ctx_run */
        ctx->unwatched->host.run(ctx, launch, run, chunks);
        return;
    }
    mx_host_run_part(ctx, launch, run, 0, 0, chunks);
    mx_races_no_item();
}

static mx_err watched_launch(mx_ctx ctx, mx_launch *launch, const void *args,
                             const mx_result *result)
{
    MX_TRY(mx_races_begin(ctx, launch, args));
    return mx_races_end(ctx, ctx->unwatched->launch.run(ctx, launch, args, result));
}

mx_backend mx_watched_backend(const mx_backend *backend)
{
    mx_backend watched = *backend;
    watched.info.instance = backend->info.instance == MX_INSTANCE_SIMT ? MX_INSTANCE_SIMT_RACES
                                                                       : MX_INSTANCE_HOST_RACES;
    watched.launch.run = watched_launch;
    watched.host.run = watched_run;
    watched.host.run_team_members = watched_members;
    watched.host.watched = true;
    if (watched.host.auto_team_size == 0) { /* several, so that a missing barrier shows */
        watched.host.auto_team_size = TEAM_SIZE;
        watched.host.auto_team_lanes = 1;
    }
    return watched;
}
