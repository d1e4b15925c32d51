/* Unique tokens: numbers that no two items have at the same time. An item uses its token as an
 * index into memory that it then has for itself.
 *
 *     driver   mx_tokens_create(ctx, "tokens", &tokens);  mx_bind(ctx, tokens, &args.tokens);            mx_i32_1 tokens;
 *     body     const int id = mx_token_acquire(&a->tokens);     ... MX_AT(a->work, id, k) ...    mx_token_release(&a->tokens, id);
 *
 * On hosts a token is the thread's number. On cuda and simt it is the first free token that the
 * item finds by atomic exchanges; each thread starts its search at another token. There are as many
 * tokens as threads fit on the device, so no item waits for a release. An item has at most one
 * token at a time, and must release it on every path. The next item with the token sees what the
 * last one wrote. Which item gets which token depends on timing, so launches that acquire tokens
 * cannot be checked against another backend (MX_ERR_ARG). */
#pragma once
#include "minx/atomic.h"

#ifdef __cplusplus
extern "C" {
#endif
/* Creates the tokens of a context, all free: a view of rank 1. Ids are 0 to its extent - 1. For
 * kernels on ctx only. */
mx_err mx_tokens_create(mx_ctx ctx, const char *label, mx_view *tokens);
#define mx_tokens_create(...) MX_AT_SOURCE_LINE_(mx_tokens_create(__VA_ARGS__))
#ifdef __cplusplus
}
#endif

/* 1: items that run at the same time may have the same thread number. */
enum { MX_NUMBERS_SHARED_ = MX_ON_DEVICE };
#ifdef MX_GPU_CODE_
#define MX_THREAD_NUMBER_                                                                         \
    (((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x * blockDim.y + \
     threadIdx.y * blockDim.x + threadIdx.x)
#define MX_ITEM_BARRIER_() __threadfence()
#define MX_TOKEN_EXCHANGE_(p, v) atomicExch((p), (v))
#else
extern __thread short mx_thread_; /* minx/host/kernel.h */
/* Ends the program with a message: the tokens were created for a context with fewer threads than
 * the one that runs. */
void mx_token_stop_(unsigned thread, unsigned count) __attribute__((cold, noreturn));
#define MX_THREAD_NUMBER_ ((unsigned)mx_thread_)
#define MX_ITEM_BARRIER_() __atomic_signal_fence(__ATOMIC_SEQ_CST) /* `omp simd` would join items */
/* Acquire and release order the exchange. A fence after a relaxed exchange would be enough, but
 * ThreadSanitizer does not see fences. */
#define MX_TOKEN_EXCHANGE_(p, v) __atomic_exchange_n((p), (v), __ATOMIC_ACQ_REL)
#endif

MX_INLINE int mx_token_acquire(const mx_i32_1 *tokens)
{
    const unsigned count = (unsigned)MX_EXTENT(*tokens, 0);
    unsigned id = MX_NUMBERS_SHARED_ ? MX_THREAD_NUMBER_ % count : MX_THREAD_NUMBER_;
#ifndef MX_GPU_CODE_
    if (!MX_NUMBERS_SHARED_ && id >= count) mx_token_stop_(id, count);
#endif
    while (MX_NUMBERS_SHARED_ && MX_TOKEN_EXCHANGE_(&MX_AT(*tokens, id), 1) != 0)
        id = id + 1 < count ? id + 1 : 0;
    MX_ITEM_BARRIER_();
    mx_races_exclusive_(1);
    return (int)id;
}
MX_INLINE void mx_token_release(const mx_i32_1 *tokens, int id)
{
    MX_ITEM_BARRIER_();
    mx_races_exclusive_(-1);
    if (MX_NUMBERS_SHARED_) MX_TOKEN_EXCHANGE_(&MX_AT(*tokens, id), 0);
}
