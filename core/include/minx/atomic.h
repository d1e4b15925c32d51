/* Atomics for kernels, on elements of views: mx_atomic_add(&MX_AT(a->h, bin), 1.0). All are
 * relaxed: they order nothing but themselves. For f64 f32 i32 i64 u32 u64, the bitwise ones, shifts
 * and mod for integers; the value has the pointer's type.
 *
 *   mx_atomic_load(p)  mx_atomic_store(p, v)  mx_atomic_exchange(p, v)  mx_atomic_compare_exchange(p, expected, desired)
 *   mx_atomic_OP(p, v)        OP: add sub mul div min max mod and or xor nand lshift rshift; inc and dec take no v
 *   mx_atomic_fetch_OP(p, v)  the same, and gives the value before
 *   mx_atomic_OP_fetch(p, v)  the same, and gives the value after
 *
 * exchange and compare_exchange give the value before; the latter compares bits (so 0.0 is not
 * -0.0, and a NaN is itself). Integers wrap around, signed ones too. Shifts go by 0 to one less
 * than the width; a right shift keeps the sign. min and max ignore a value that is NaN; a NaN
 * that is already stored stays.
 *
 * MX_ATOMIC_UPDATE updates any struct of plain data, under a lock that is chosen by its address:
 *
 *     MX_ATOMIC_UPDATE(particle, &MX_AT(a->best, cell), p, {
 *         before = p;
 *         if (x > p.energy) { p.energy = x; p.id = id; }
 *     });
 *
 * The statements work on a copy named p, which is then written back. They must not leave the block
 * (no break, continue, goto or return) and must not contain another update. Any other access to the
 * same struct in the launch, plain loads too, is a race. All host threads share one table of locks.
 * On GPUs each kernel file has its own table: kernels of two files that update the same struct must
 * not run at the same time.
 *
 * Memory fences, for the loads and stores of the item that calls them:
 *     mx_load_fence()      loads before it are done before loads after it
 *     mx_store_fence()     other items see stores before it no later than stores after it
 *     mx_memory_fence()    both, and stores before it are done before loads after it */
#pragma once
#include "minx/detail/races.h"
#include "minx/math.h"

#include <string.h>

#ifdef MX_GPU_CODE_
typedef unsigned mx_bits32_;
typedef unsigned long long mx_bits64_;
#define MX_BARRIER_() ((void)0)
#define MX_ATOMIC_SEE_(B, p) (*(const volatile B *)(p))
#define MX_ATOMIC_PUT_(B, p, bits) (*(volatile B *)(p) = (bits))
#define MX_ATOMIC_TRADE_(B, p, bits) atomicExch((B *)(p), bits)
template <class B> MX_INLINE bool mx_atomic_swap_(B *p, B *seen, B desired)
{
    const B expected = *seen;
    *seen = atomicCAS(p, expected, desired);
    return *seen == expected;
}
#define MX_FENCE_(order) __threadfence()
#else
typedef uint32_t __attribute__((may_alias)) mx_bits32_;
typedef uint64_t __attribute__((may_alias)) mx_bits64_;
/* An __atomic builtin that may store is not vectorised across, though `omp simd` allows it; a load
 * or store alone may be. */
#define MX_BARRIER_() __atomic_signal_fence(__ATOMIC_SEQ_CST)
#define MX_ATOMIC_SEE_(B, p) __atomic_load_n((const B *)(p), __ATOMIC_RELAXED)
#define MX_ATOMIC_PUT_(B, p, bits) __atomic_store_n((B *)(p), bits, __ATOMIC_RELAXED)
#define MX_ATOMIC_TRADE_(B, p, bits) __atomic_exchange_n((B *)(p), bits, __ATOMIC_RELAXED)
#define mx_atomic_swap_(p, seen, desired) \
    __atomic_compare_exchange_n(p, seen, desired, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
#define MX_FENCE_(order) __atomic_thread_fence(order)
/* If the old value is not used, compilers for x86 choose `lock add` instead of `lock xadd`. Where
 * two threads add to the same cache lines, `lock add` takes longer on some processors. */
#ifdef __x86_64__
#define MX_USE_(value) __asm__ volatile("" : : "r"(value))
#else
#define MX_USE_(value) ((void)(value))
#endif
#define MX_FETCH_(OP, p, v)                                            \
    __extension__({                                                    \
        const __typeof__(v) fetched_ = OP((p), (v), __ATOMIC_RELAXED); \
        MX_USE_(fetched_);                                             \
        fetched_;                                                      \
    })
#endif

/* What each operation makes of old and v; U: the type to compute in, unsigned for integers, which
 * may wrap around. */
#define MX_OP_add_(T, U) (T)((U)old + (U)v)
#define MX_OP_sub_(T, U) (T)((U)old - (U)v)
#define MX_OP_mul_(T, U) (T)((U)old * (U)v)
/* -1 of a signed integer, by which the lowest one cannot be divided */
#define MX_MINUS_1_(T) ((T)-1 < (T)1 && (T)0.5 == (T)0 && v == (T)-1)
#define MX_OP_div_(T, U) MX_MINUS_1_(T) ? (T)((U)0 - (U)old) : (T)(old / v)
#define MX_OP_min_(T, U) v < old ? v : old
#define MX_OP_max_(T, U) old < v ? v : old
#define MX_OP_mod_(T, U) MX_MINUS_1_(T) ? (T)0 : (T)(old % v)
#define MX_OP_and__(T, U) (T)(old & v)
#define MX_OP_or__(T, U) (T)(old | v)
#define MX_OP_xor__(T, U) (T)(old ^ v)
#define MX_OP_nand_(T, U) (T) ~(old & v)
#define MX_OP_lshift_(T, U) (T)((U)old << v)
#define MX_OP_rshift_(T, U) (T)(old >> v)

/* An operation without an instruction: compare-and-swap, repeated until no other thread has changed
 * the value. It compares the bits (type B), because a NaN is never equal to itself. A value that
 * does not change is not written. */
#define MX_ATOMIC_LOOP_(op, tag, T, U, B)                                \
    MX_INLINE T MX_TYPED_(mx_atomic_##op, tag)(T * p, T v, int after)    \
    {                                                                    \
        B seen = MX_ATOMIC_SEE_(B, p), next;                             \
        T old, updated;                                                  \
        do {                                                             \
            memcpy(&old, &seen, sizeof(T));                              \
            updated = MX_OP_##op##_(T, U);                               \
            memcpy(&next, &updated, sizeof(T));                          \
        } while (next != seen && !mx_atomic_swap_((B *)p, &seen, next)); \
        return after ? updated : old;                                    \
    }
/* One that has. */
#define MX_ATOMIC_NATIVE_(op, tag, T, U, before)                      \
    MX_INLINE T MX_TYPED_(mx_atomic_##op, tag)(T * p, T v, int after) \
    {                                                                 \
        const T old = (T)(before);                                    \
        return after ? MX_OP_##op##_(T, U) : old;                     \
    }
#define MX_ATOMIC_ALL_(tag, T, U, B)                                                     \
    MX_ATOMIC_LOOP_(mul, tag, T, U, B)                                                   \
    MX_ATOMIC_LOOP_(div, tag, T, U, B)                                                   \
    MX_INLINE T MX_TYPED_(mx_atomic_load, tag)(const T *p)                               \
    {                                                                                    \
        const B bits = MX_ATOMIC_SEE_(B, p);                                             \
        T v;                                                                             \
        MX_BARRIER_();                                                                   \
        memcpy(&v, &bits, sizeof(T));                                                    \
        return v;                                                                        \
    }                                                                                    \
    MX_INLINE void MX_TYPED_(mx_atomic_store, tag)(T * p, T v)                           \
    {                                                                                    \
        B bits;                                                                          \
        memcpy(&bits, &v, sizeof(T));                                                    \
        MX_BARRIER_();                                                                   \
        MX_ATOMIC_PUT_(B, p, bits);                                                      \
    }                                                                                    \
    MX_INLINE T MX_TYPED_(mx_atomic_exchange, tag)(T * p, T v)                           \
    {                                                                                    \
        B bits;                                                                          \
        memcpy(&bits, &v, sizeof(T));                                                    \
        bits = MX_ATOMIC_TRADE_(B, p, bits);                                             \
        memcpy(&v, &bits, sizeof(T));                                                    \
        return v;                                                                        \
    }                                                                                    \
    MX_INLINE T MX_TYPED_(mx_atomic_compare_exchange, tag)(T * p, T expected, T desired) \
    {                                                                                    \
        B seen, next;                                                                    \
        memcpy(&seen, &expected, sizeof(T));                                             \
        memcpy(&next, &desired, sizeof(T));                                              \
        (void)mx_atomic_swap_((B *)p, &seen, next);                                      \
        memcpy(&expected, &seen, sizeof(T));                                             \
        return expected;                                                                 \
    }
#define MX_ATOMIC_EXTREMES_(tag, T, U, B) \
    MX_ATOMIC_LOOP_(min, tag, T, U, B)    \
    MX_ATOMIC_LOOP_(max, tag, T, U, B)
#ifdef MX_GPU_CODE_
#define MX_ATOMIC_FLOAT_(tag, T, B)                    \
    MX_ATOMIC_ALL_(tag, T, T, B)                       \
    MX_ATOMIC_EXTREMES_(tag, T, T, B)                  \
    MX_ATOMIC_NATIVE_(add, tag, T, T, atomicAdd(p, v)) \
    MX_ATOMIC_NATIVE_(sub, tag, T, T, atomicAdd(p, -v))
#define MX_ATOMIC_HARDWARE_(tag, T, U, B, N)                            \
    MX_ATOMIC_NATIVE_(add, tag, T, U, atomicAdd((B *)p, (B)v))          \
    MX_ATOMIC_NATIVE_(sub, tag, T, U, atomicAdd((B *)p, 0 - (B)v))      \
    MX_ATOMIC_NATIVE_(min, tag, T, U, MX_GPU_ATOMIC_MIN_((N *)p, (N)v)) \
    MX_ATOMIC_NATIVE_(max, tag, T, U, MX_GPU_ATOMIC_MAX_((N *)p, (N)v)) \
    MX_ATOMIC_NATIVE_(and_, tag, T, U, atomicAnd((B *)p, (B)v))         \
    MX_ATOMIC_NATIVE_(or_, tag, T, U, atomicOr((B *)p, (B)v))           \
    MX_ATOMIC_NATIVE_(xor_, tag, T, U, atomicXor((B *)p, (B)v))
#else
#define MX_ATOMIC_FLOAT_(tag, T, B)    \
    MX_ATOMIC_ALL_(tag, T, T, B)       \
    MX_ATOMIC_EXTREMES_(tag, T, T, B)  \
    MX_ATOMIC_LOOP_(add, tag, T, T, B) \
    MX_ATOMIC_LOOP_(sub, tag, T, T, B)
#define MX_ATOMIC_HARDWARE_(tag, T, U, B, N)                                       \
    MX_ATOMIC_EXTREMES_(tag, T, U, B)                                              \
    MX_ATOMIC_NATIVE_(add, tag, T, U, MX_FETCH_(__atomic_fetch_add, p, v))         \
    MX_ATOMIC_NATIVE_(sub, tag, T, U, MX_FETCH_(__atomic_fetch_sub, p, v))         \
    MX_ATOMIC_NATIVE_(and_, tag, T, U, __atomic_fetch_and(p, v, __ATOMIC_RELAXED)) \
    MX_ATOMIC_NATIVE_(or_, tag, T, U, __atomic_fetch_or(p, v, __ATOMIC_RELAXED))   \
    MX_ATOMIC_NATIVE_(xor_, tag, T, U, __atomic_fetch_xor(p, v, __ATOMIC_RELAXED))
#endif
#define MX_ATOMIC_INTEGER_(tag, T, U, B, N) \
    MX_ATOMIC_ALL_(tag, T, U, B)            \
    MX_ATOMIC_HARDWARE_(tag, T, U, B, N)    \
    MX_ATOMIC_LOOP_(mod, tag, T, U, B)      \
    MX_ATOMIC_LOOP_(nand, tag, T, U, B)     \
    MX_ATOMIC_LOOP_(lshift, tag, T, U, B)   \
    MX_ATOMIC_LOOP_(rshift, tag, T, U, B)
MX_ATOMIC_FLOAT_(f64, double, mx_bits64_)
MX_ATOMIC_FLOAT_(f32, float, mx_bits32_)
MX_ATOMIC_INTEGER_(i32, int32_t, uint32_t, mx_bits32_, int)
MX_ATOMIC_INTEGER_(u32, uint32_t, uint32_t, mx_bits32_, unsigned)
MX_ATOMIC_INTEGER_(i64, int64_t, uint64_t, mx_bits64_, long long)
MX_ATOMIC_INTEGER_(u64, uint64_t, uint64_t, mx_bits64_, unsigned long long)

#define mx_atomic_load(p) MX_PICK_NUMBER_(mx_atomic_load, *(p), )(p)
#define mx_atomic_store(p, v) MX_PICK_NUMBER_(mx_atomic_store, p, *)((p), (v))
#define mx_atomic_exchange(p, v) MX_PICK_NUMBER_(mx_atomic_exchange, p, *)((p), (v))
#define mx_atomic_compare_exchange(p, expected, desired) \
    MX_PICK_NUMBER_(mx_atomic_compare_exchange, p, *)((p), (expected), (desired))
#define MX_ATOMIC_(KIND, op, p, v, after) MX_PICK_##KIND##_(mx_atomic_##op, p, *)((p), (v), after)
#define mx_atomic_add(p, v) ((void)MX_ATOMIC_(NUMBER, add, p, v, 0))
#define mx_atomic_sub(p, v) ((void)MX_ATOMIC_(NUMBER, sub, p, v, 0))
#define mx_atomic_mul(p, v) ((void)MX_ATOMIC_(NUMBER, mul, p, v, 0))
#define mx_atomic_div(p, v) ((void)MX_ATOMIC_(NUMBER, div, p, v, 0))
#define mx_atomic_min(p, v) ((void)MX_ATOMIC_(NUMBER, min, p, v, 0))
#define mx_atomic_max(p, v) ((void)MX_ATOMIC_(NUMBER, max, p, v, 0))
#define mx_atomic_mod(p, v) ((void)MX_ATOMIC_(INTEGER, mod, p, v, 0))
#define mx_atomic_and(p, v) ((void)MX_ATOMIC_(INTEGER, and_, p, v, 0))
#define mx_atomic_or(p, v) ((void)MX_ATOMIC_(INTEGER, or_, p, v, 0))
#define mx_atomic_xor(p, v) ((void)MX_ATOMIC_(INTEGER, xor_, p, v, 0))
#define mx_atomic_nand(p, v) ((void)MX_ATOMIC_(INTEGER, nand, p, v, 0))
#define mx_atomic_lshift(p, v) ((void)MX_ATOMIC_(INTEGER, lshift, p, v, 0))
#define mx_atomic_rshift(p, v) ((void)MX_ATOMIC_(INTEGER, rshift, p, v, 0))
#define mx_atomic_inc(p) mx_atomic_add(p, 1)
#define mx_atomic_dec(p) mx_atomic_sub(p, 1)
#define mx_atomic_fetch_add(p, v) MX_ATOMIC_(NUMBER, add, p, v, 0)
#define mx_atomic_fetch_sub(p, v) MX_ATOMIC_(NUMBER, sub, p, v, 0)
#define mx_atomic_fetch_mul(p, v) MX_ATOMIC_(NUMBER, mul, p, v, 0)
#define mx_atomic_fetch_div(p, v) MX_ATOMIC_(NUMBER, div, p, v, 0)
#define mx_atomic_fetch_min(p, v) MX_ATOMIC_(NUMBER, min, p, v, 0)
#define mx_atomic_fetch_max(p, v) MX_ATOMIC_(NUMBER, max, p, v, 0)
#define mx_atomic_fetch_mod(p, v) MX_ATOMIC_(INTEGER, mod, p, v, 0)
#define mx_atomic_fetch_and(p, v) MX_ATOMIC_(INTEGER, and_, p, v, 0)
#define mx_atomic_fetch_or(p, v) MX_ATOMIC_(INTEGER, or_, p, v, 0)
#define mx_atomic_fetch_xor(p, v) MX_ATOMIC_(INTEGER, xor_, p, v, 0)
#define mx_atomic_fetch_nand(p, v) MX_ATOMIC_(INTEGER, nand, p, v, 0)
#define mx_atomic_fetch_lshift(p, v) MX_ATOMIC_(INTEGER, lshift, p, v, 0)
#define mx_atomic_fetch_rshift(p, v) MX_ATOMIC_(INTEGER, rshift, p, v, 0)
#define mx_atomic_fetch_inc(p) mx_atomic_fetch_add(p, 1)
#define mx_atomic_fetch_dec(p) mx_atomic_fetch_sub(p, 1)
#define mx_atomic_add_fetch(p, v) MX_ATOMIC_(NUMBER, add, p, v, 1)
#define mx_atomic_sub_fetch(p, v) MX_ATOMIC_(NUMBER, sub, p, v, 1)
#define mx_atomic_mul_fetch(p, v) MX_ATOMIC_(NUMBER, mul, p, v, 1)
#define mx_atomic_div_fetch(p, v) MX_ATOMIC_(NUMBER, div, p, v, 1)
#define mx_atomic_min_fetch(p, v) MX_ATOMIC_(NUMBER, min, p, v, 1)
#define mx_atomic_max_fetch(p, v) MX_ATOMIC_(NUMBER, max, p, v, 1)
#define mx_atomic_mod_fetch(p, v) MX_ATOMIC_(INTEGER, mod, p, v, 1)
#define mx_atomic_and_fetch(p, v) MX_ATOMIC_(INTEGER, and_, p, v, 1)
#define mx_atomic_or_fetch(p, v) MX_ATOMIC_(INTEGER, or_, p, v, 1)
#define mx_atomic_xor_fetch(p, v) MX_ATOMIC_(INTEGER, xor_, p, v, 1)
#define mx_atomic_nand_fetch(p, v) MX_ATOMIC_(INTEGER, nand, p, v, 1)
#define mx_atomic_lshift_fetch(p, v) MX_ATOMIC_(INTEGER, lshift, p, v, 1)
#define mx_atomic_rshift_fetch(p, v) MX_ATOMIC_(INTEGER, rshift, p, v, 1)
#define mx_atomic_inc_fetch(p) mx_atomic_add_fetch(p, 1)
#define mx_atomic_dec_fetch(p) mx_atomic_sub_fetch(p, 1)

#define mx_memory_fence() MX_FENCE_(__ATOMIC_SEQ_CST)
#define mx_load_fence() MX_FENCE_(__ATOMIC_ACQUIRE)
#define mx_store_fence() MX_FENCE_(__ATOMIC_RELEASE)

/* The lock that belongs to an address. mx_lock_: did this item get it? Hosts wait until it does; a
 * thread of a GPU must not, since the one that has it may belong to the same wave and wait for it
 * to take the other branch. For the same reason the compiler must not see which items leave the loop
 * (MX_UNSEEN_): it would move the update behind the loop, where lanes wait for all others of their
 * wave. */
#ifdef MX_GPU_CODE_
MX_INLINE int *mx_lock_of_(const void *p)
{
    static __device__ int locks[1024];
    return &locks[((unsigned long long)p >> 3) * 0x9e3779b97f4a7c15u >> 54];
}
MX_INLINE bool mx_lock_(const void *p)
{
    if (atomicExch(mx_lock_of_(p), 1) != 0) return false;
    __threadfence();
    return true;
}
MX_INLINE void mx_unlock_(const void *p)
{
    __threadfence();
    atomicExch(mx_lock_of_(p), 0);
}
#define MX_UNSEEN_(flag) mx_gpu_unseen_(flag)
#else
bool mx_lock_(const void *p);
void mx_unlock_(const void *p);
#define MX_UNSEEN_(flag) (flag)
#endif
#define MX_ATOMIC_UPDATE(T, p, copy, ...)                                       \
    do {                                                                        \
        T *const mx_shared_ = (p);                                              \
        for (bool mx_open_ = true; mx_open_; mx_open_ = MX_UNSEEN_(mx_open_)) { \
            if (!mx_lock_(mx_shared_)) continue;                                \
            mx_races_exclusive_(1);                                             \
            T copy = *mx_shared_;                                               \
            __VA_ARGS__;                                                        \
            *mx_shared_ = copy;                                                 \
            mx_races_exclusive_(-1);                                            \
            mx_unlock_(mx_shared_);                                             \
            mx_open_ = false;                                                   \
        }                                                                       \
    } while (0)
