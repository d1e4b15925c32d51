/* Fences, and the list of open contexts. */
#include "context.h"
#include "events.h"

#include <pthread.h>
#include <stdio.h>

/* Recursive, because a tool may request a fence when it gets the event of another fence. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static mx_ctx first;
static uint32_t created_contexts; /* contexts so far */

void mx_ctx_list(mx_ctx ctx)
{
    pthread_mutex_lock(&lock);
    mx_ctx *at = &first;
    while (*at != NULL) at = &mx_core(*at)->next;
    *at = ctx;
    mx_core(ctx)->number = ++created_contexts;
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

mx_err mx_fence(mx_ctx ctx)
{
    MX_REQUIRE(ctx != NULL, MX_ERR_ARG, "fence: no context");
    MX_TRY(mx_fence_event(ctx, "minx::fence", false));
    MX_TRY(mx_overflow_check(ctx));
    MX_TRY(mx_fault_check(ctx));
    mx_core(ctx)->unfenced = 0;
    return MX_OK;
}

static mx_err check_wait(mx_ctx ctx)
{
    MX_REQUIRE(ctx != NULL, MX_ERR_ARG, "wait of a context for another: no context");
    MX_REQUIRE(mx_core(ctx)->graph == NULL, MX_ERR_ARG,
               "wait of a context for another: %s records a graph", ctx->name);
    return MX_OK;
}

mx_err mx_ctx_wait(mx_ctx ctx, mx_ctx other)
{
    MX_TRY(check_wait(ctx));
    MX_TRY(check_wait(other));
    const bool done = other->backend->host.run != NULL; /* launches of hosts are done on return */
    if (done || ctx == other) return MX_OK;
    if (ctx->backend != other->backend || other->backend->launch.wait == NULL)
        return mx_fence(other);
    return other->backend->launch.wait(ctx, other);
}

mx_err mx_fence_all(void)
{
    mx_err failed = MX_OK;
    pthread_mutex_lock(&lock);
    for (mx_ctx ctx = first; ctx != NULL; ctx = mx_core(ctx)->next) {
        const mx_err err = mx_fence(ctx);
        if (err != MX_OK) failed = err;
    }
    pthread_mutex_unlock(&lock);
    return failed;
}

void mx_fence_for_tool(const char *name)
{
    pthread_mutex_lock(&lock);
    for (mx_ctx ctx = first; ctx != NULL; ctx = mx_core(ctx)->next)
        if (mx_core(ctx)->graph == NULL) /* another thread may be recording a graph on it now */
            (void)mx_fence_event(ctx, name, true);
    pthread_mutex_unlock(&lock);
}
