/* Open contexts: their list, and whether a call may use one now. It may not
 *
 *   - while a launch runs on the context: the call comes from the body of a kernel, or from another
 *     thread. The call is an error, and so is the launch, as some calls cannot return one;
 *   - in a child process after fork(). A fork copies the calling thread only, so the child does not
 *     have the other threads of a context, and waiting for them would not end. The child cannot use
 *     the parent's devices. A launch that another thread ran does not end in the child.
 *
 * The context's `running` marks all these cases. So a launch tests one pointer. */
#include "state.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Recursive, because a tool may request a fence when it gets the event of another fence. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static mx_ctx first;
static uint32_t created_contexts; /* the number of contexts that were created */

bool mx_started_;

__thread mx_ctx mx_body_ctx_;
__thread bool mx_body_again_;

/* ---- fork ---- */

const mx_kernel mx_kernel_of_parent_, mx_kernel_of_other_thread_;
bool mx_threads_lost;
static bool started_threads; /* has any context had several threads? */
static pthread_once_t forks_watched = PTHREAD_ONCE_INIT;

/* Teams of backends that run items one by one are several threads, even if the context has one. */
static bool has_threads(mx_ctx ctx)
{
    const mx_backend_host *const host = &ctx->backend->host;
    return host->run != NULL && (ctx->threads > 1 || host->chunks_are_items);
}

/* Does a launch on this context wait for the body that this thread runs? */
static bool is_in_body_of(mx_ctx ctx)
{
    mx_ctx at = mx_body_ctx_;
    while (at != NULL && at != ctx) at = mx_core(at)->outer;
    return at != NULL;
}

static void in_child(void)
{
    lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    mx_threads_lost = mx_threads_lost || started_threads;
    mx_locks_release();
    for (mx_ctx ctx = first; ctx != NULL; ctx = mx_core(ctx)->next) {
        if (has_threads(ctx) || ctx->backend->host.run == NULL)
            mx_core(ctx)->running = &mx_kernel_of_parent_;
        else if (mx_core(ctx)->running != NULL && !is_in_body_of(ctx))
            mx_core(ctx)->running = &mx_kernel_of_other_thread_;
    }
}

static void watch_forks(void) { mx_fork_holds(MX_FORK_CONTEXTS, &lock, in_child); }

/* ---- the list ---- */

void mx_ctx_list(mx_ctx ctx)
{
    pthread_once(&forks_watched, watch_forks);
    pthread_mutex_lock(&lock);
    mx_ctx *at = &first;
    while (*at != NULL) at = &mx_core(*at)->next;
    *at = ctx;
    mx_core(ctx)->number = ++created_contexts;
    started_threads = started_threads || has_threads(ctx);
    pthread_mutex_unlock(&lock);
}

void mx_ctx_unlist(mx_ctx ctx)
{
    pthread_mutex_lock(&lock);
    mx_ctx *at = &first;
    while (*at != NULL && *at != ctx) at = &mx_core(*at)->next;
    if (*at != NULL) *at = mx_core(ctx)->next;
    pthread_mutex_unlock(&lock);
}

void mx_ctx_restart_numbers(void) { created_contexts = 0; }

mx_err mx_ctx_each(mx_err (*call)(mx_ctx ctx, const char *name), const char *name)
{
    mx_err failed = MX_OK;
    pthread_mutex_lock(&lock);
    for (mx_ctx ctx = first; ctx != NULL; ctx = mx_core(ctx)->next) {
        const mx_err err = call(ctx, name);
        if (err != MX_OK) failed = err;
    }
    pthread_mutex_unlock(&lock);
    return failed;
}

/* ---- calls that come while a context is in use ---- */

static const char *rule(bool is_kernel)
{
    return is_kernel ? "a body must not launch, nor another thread on this context"
                     : "neither its body nor another thread may do this";
}

mx_err mx_ctx_refuse_(mx_ctx ctx, const mx_kernel *running, const char *call, bool is_kernel)
{
    const char *const kernel = is_kernel ? "kernel " : "";
    MX_REQUIRE(running != &mx_kernel_of_parent_, MX_ERR_ARG,
               "%s%s: %s was created before fork(), and this is the child process, which has "
               "neither its threads nor its device: fork first, or use serial",
               kernel, call, ctx->name);
    MX_REQUIRE(running != &mx_kernel_of_other_thread_, MX_ERR_ARG,
               "%s%s: another thread ran a launch on %s at fork(), and this is the child process, "
               "where that launch does not end: use a new context",
               kernel, call, ctx->name);
    __atomic_store_n(&mx_core(ctx)->nested_is_kernel, is_kernel, __ATOMIC_RELAXED);
    __atomic_store_n(&mx_core(ctx)->nested, call, __ATOMIC_RELAXED);
    return MX_FAIL(MX_ERR_ARG, "%s%s: %s while kernel %s runs on %s: %s", kernel, call,
                   is_kernel ? "launched" : "called", running->name, ctx->name, rule(is_kernel));
}

const char *mx_body_kernel(void)
{
    const mx_kernel *const running = mx_body_ctx_ != NULL ? mx_ctx_running(mx_body_ctx_) : NULL;
    return running != NULL ? running->name : NULL;
}

mx_err mx_not_in_body(const char *call)
{
    const mx_ctx ctx = mx_body_ctx_;
    return ctx == NULL ? MX_OK : mx_ctx_idle(ctx, call);
}

/* ---- bodies that fail: as with such a call, `nested` tells the launch ---- */

static const char body_failed[] = "MX_BODY_REQUIRE";

#ifdef MINX_BOUNDS_CHECK
__thread mx_item_ mx_item_now_;
#endif

/* " in item 3" for the calling thread, in builds that note it. */
static void say_item_now(char text[MX_ITEM_TEXT])
{
#ifdef MINX_BOUNDS_CHECK
    mx_say_item(mx_item_now_.dims, mx_item_now_.index, text);
#else
    text[0] = '\0';
#endif
}

void mx_body_fail_(const char *file, int line, const char *format, ...)
{
    char text[sizeof((mx_core_ctx *)NULL)->failure], item[MX_ITEM_TEXT];
    const mx_ctx ctx = mx_body_ctx_;
    va_list args;
    const int used = snprintf(text, sizeof text, "%s:%d: ", file, line);
    va_start(args, format);
    if (used < (int)sizeof text) vsnprintf(text + used, sizeof text - (size_t)used, format, args);
    va_end(args);
    say_item_now(item);
    const size_t most = sizeof text - 1 - strlen(item), length = strlen(text);
    strcpy(text + (length < most ? length : most), item);
    if (ctx == NULL) { /* not called by a launch */
        fprintf(stderr, "minx: %s\n", text);
        abort();
    }
    if (mx_body_again_) __atomic_fetch_add(&mx_core(ctx)->failed_again, 1, __ATOMIC_RELAXED);
    if (__atomic_fetch_add(&mx_core(ctx)->failed_items, 1, __ATOMIC_RELAXED) == 0)
        memcpy(mx_core(ctx)->failure, text, sizeof text);
    __atomic_store_n(&mx_core(ctx)->nested, body_failed, __ATOMIC_RELAXED);
}

const char *mx_body_failure(void)
{
    const mx_ctx ctx = mx_body_ctx_;
    const bool failed =
        ctx != NULL && __atomic_load_n(&mx_core(ctx)->failed_items, __ATOMIC_RELAXED) > 0;
    return failed ? mx_core(ctx)->failure : NULL;
}

mx_err mx_ctx_fail_nested_(mx_ctx ctx, const char *kernel)
{
    const char *const nested = __atomic_exchange_n(&mx_core(ctx)->nested, NULL, __ATOMIC_RELAXED);
    const int64_t again = mx_core(ctx)->failed_again, once = mx_core(ctx)->failed_items - again;
    const int64_t fails = again > once ? again : once; /* most fail both times */
    const mx_team_shape *const team = &mx_core(ctx)->launch->team;
    const int members = team->size > 0 ? team->size * team->lanes : 1; /* all fail together */
    const int64_t items = (fails + members - 1) / members;
    mx_core(ctx)->failed_items = mx_core(ctx)->failed_again = 0;
    if (nested == body_failed)
        return MX_FAIL(MX_ERR_BODY, "kernel %s: %s (%lld such item%s)", kernel,
                       mx_core(ctx)->failure, (long long)items, items > 1 ? "s" : "");
    const bool is_kernel = __atomic_load_n(&mx_core(ctx)->nested_is_kernel, __ATOMIC_RELAXED);
    return MX_FAIL(MX_ERR_ARG, "kernel %s: %s%s was %s while it ran: %s", kernel,
                   is_kernel ? "kernel " : "", nested, is_kernel ? "launched" : "called",
                   rule(is_kernel));
}
