/* Unique tokens: numbers that no two items have at the same time, used to index memory that belongs to one item at a time.
 *
 *     driver   mx_tokens_create(ctx, "workers", &tokens);  mx_bind(ctx, tokens, &args.tokens);           mx_i32_1 tokens;
 *     body     const int id = mx_token_acquire(&a->tokens);     ... MX_AT(a->own, id, k) ...     mx_token_release(&a->tokens, id);
 *
 * On hosts a token is the thread's number. On cuda and simt it is the first free one, found by compare-and-swap; each item starts
 * its search elsewhere. There are as many tokens as threads fit on the device, so no item waits for a release. An item has one
 * token at a time and must release it on every path. The next item with this token sees what the last one wrote. Which item gets
 * which token depends on timing, so launches that take tokens cannot be checked against another backend (MX_ERR_ARG). */
#pragma once
#include "minx/atomic.h"

#ifdef __cplusplus
extern "C" {
#endif
/* Creates the tokens of a context, all free: a view of rank 1. Ids are 0 to its extent - 1. For kernels on ctx only. */
mx_err mx_tokens_create(mx_ctx ctx, const char *label, mx_view *tokens);
#define mx_tokens_create(...) MX_AT_SOURCE_LINE_(mx_tokens_create(__VA_ARGS__))
#ifdef __cplusplus
}
#endif

#ifdef __CUDACC__
enum { MX_WORKERS_MEET_ = 1 }; /* items that run at once may have one number */
#define MX_WORKER_                                                                                \
    (((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x * blockDim.y + \
     threadIdx.y * blockDim.x + threadIdx.x)
#define MX_ITEM_BARRIER_() __threadfence()
#define MX_TOKEN_TRADE_(p, v) atomicExch((p), (v))
#else
extern __thread int mx_thread_; /* kernel_host.h */
/* Ends the program with a message: the tokens are of a context with fewer threads than the one that runs. */
void mx_token_stop_(unsigned worker, unsigned count) __attribute__((cold, noreturn));
/* A const function, so that a loop over items calls it once. */
static __attribute__((const, noinline, unused)) unsigned mx_worker_(void)
{
    return (unsigned)mx_thread_;
}
#define MX_WORKER_ mx_worker_()
#ifdef MX_INSTANCE_SIMT_
enum { MX_WORKERS_MEET_ = 1 };
#else
enum { MX_WORKERS_MEET_ = 0 };
#endif
#define MX_ITEM_BARRIER_() __atomic_signal_fence(__ATOMIC_SEQ_CST) /* `omp simd` would join items */
/* it orders by itself: a fence behind a relaxed one would do, but ThreadSanitizer sees no fences */
#define MX_TOKEN_TRADE_(p, v) __atomic_exchange_n((p), (v), __ATOMIC_ACQ_REL)
#endif

MX_INLINE int mx_token_acquire(const mx_i32_1 *tokens)
{
    const unsigned count = (unsigned)MX_EXTENT(*tokens, 0);
    unsigned id = MX_WORKERS_MEET_ ? MX_WORKER_ % count : MX_WORKER_;
#ifndef __CUDACC__
    if (!MX_WORKERS_MEET_ && id >= count) mx_token_stop_(id, count);
#endif
    while (MX_WORKERS_MEET_ && MX_TOKEN_TRADE_(&MX_AT(*tokens, id), 1) != 0)
        id = id + 1 < count ? id + 1 : 0;
    MX_ITEM_BARRIER_();
    return (int)id;
}
MX_INLINE void mx_token_release(const mx_i32_1 *tokens, int id)
{
    MX_ITEM_BARRIER_();
    if (MX_WORKERS_MEET_) MX_TOKEN_TRADE_(&MX_AT(*tokens, id), 0);
}
