/* Atomics for kernels, on elements of views: mx_atomic_add(&MX_AT(a->h, bin), 1.0). All are relaxed: they order nothing but
 * themselves. For f64 f32 i32 i64 u32 u64; the bitwise ones for integers.
 *
 *   mx_atomic_load(p)  mx_atomic_store(p, v)  mx_atomic_exchange(p, v)  mx_atomic_compare_exchange(p, expected, desired)
 *   mx_atomic_add(p, v)  mx_atomic_fetch_{add,sub,min,max,and,or,xor}(p, v)
 *
 * fetch and exchange forms return the value before. The value has the pointer's type. */
#pragma once
#include "minx/accessor.h"

#define MX_ATOMIC_TYPES_(M)    \
    M(f64, double, uint64_t)   \
    M(f32, float, uint32_t)    \
    M(i32, int32_t, uint32_t)  \
    M(i64, int64_t, uint64_t)  \
    M(u32, uint32_t, uint32_t) \
    M(u64, uint64_t, uint64_t)
#define MX_ATOMIC_INTEGERS_(M) \
    M(i32, int32_t)            \
    M(i64, int64_t)            \
    M(u32, uint32_t)           \
    M(u64, uint64_t)

#ifdef __CUDACC__
/* ---- CUDA: overloads by pointer type. Native where the device has it, else compare-and-swap on the bits. ---- */
template <int bytes> struct mx_atomic_bits_;
template <> struct mx_atomic_bits_<4> {
    typedef unsigned type;
};
template <> struct mx_atomic_bits_<8> {
    typedef unsigned long long type;
};

template <class T>
static __device__ __forceinline__ T mx_atomic_compare_exchange(T *p, T expected, T desired)
{
    typedef typename mx_atomic_bits_<sizeof(T)>::type bits;
    bits e, d;
    memcpy(&e, &expected, sizeof(T));
    memcpy(&d, &desired, sizeof(T));
    const bits before = atomicCAS((bits *)p, e, d);
    T result;
    memcpy(&result, &before, sizeof(T));
    return result;
}
template <class T> static __device__ __forceinline__ T mx_atomic_load(const T *p)
{
    return *(const volatile T *)p;
}
template <class T> static __device__ __forceinline__ void mx_atomic_store(T *p, T v)
{
    *(volatile T *)p = v;
}
/* Applies `op` until nobody came between; T is compared by its bits, so that NaN does not loop for ever. */
template <class T, class Op> static __device__ __forceinline__ T mx_atomic_apply_(T *p, Op op)
{
    typedef typename mx_atomic_bits_<sizeof(T)>::type bits;
    bits before = *(volatile bits *)p, seen;
    do {
        seen = before;
        T old;
        memcpy(&old, &seen, sizeof(T));
        const T fresh = op(old);
        bits f;
        memcpy(&f, &fresh, sizeof(T));
        before = atomicCAS((bits *)p, seen, f);
    } while (before != seen);
    T result;
    memcpy(&result, &before, sizeof(T));
    return result;
}
template <class T> static __device__ __forceinline__ T mx_atomic_exchange(T *p, T v)
{
    typedef typename mx_atomic_bits_<sizeof(T)>::type bits;
    bits b;
    memcpy(&b, &v, sizeof(T));
    const bits before = atomicExch((bits *)p, b);
    T result;
    memcpy(&result, &before, sizeof(T));
    return result;
}
template <class T> static __device__ __forceinline__ T mx_atomic_fetch_min(T *p, T v)
{
    return mx_atomic_apply_(p, [=](T old) { return v < old ? v : old; });
}
template <class T> static __device__ __forceinline__ T mx_atomic_fetch_max(T *p, T v)
{
    return mx_atomic_apply_(p, [=](T old) { return old < v ? v : old; });
}
#define MX_ATOMIC_EXTREMES_(T, native)                                 \
    static __device__ __forceinline__ T mx_atomic_fetch_min(T *p, T v) \
    {                                                                  \
        return (T)atomicMin((native *)p, (native)v);                   \
    }                                                                  \
    static __device__ __forceinline__ T mx_atomic_fetch_max(T *p, T v) \
    {                                                                  \
        return (T)atomicMax((native *)p, (native)v);                   \
    }
MX_ATOMIC_EXTREMES_(int32_t, int)
MX_ATOMIC_EXTREMES_(uint32_t, unsigned)
MX_ATOMIC_EXTREMES_(int64_t, long long)
MX_ATOMIC_EXTREMES_(uint64_t, unsigned long long)
#define MX_ATOMIC_NATIVE_(tag, T, B)                                   \
    static __device__ __forceinline__ T mx_atomic_fetch_add(T *p, T v) \
    {                                                                  \
        return (T)MX_ATOMIC_ADD_##tag##_(p, v);                        \
    }                                                                  \
    static __device__ __forceinline__ T mx_atomic_fetch_sub(T *p, T v) \
    {                                                                  \
        return mx_atomic_fetch_add(p, (T)(-v));                        \
    }                                                                  \
    static __device__ __forceinline__ void mx_atomic_add(T *p, T v)    \
    {                                                                  \
        (void)mx_atomic_fetch_add(p, v);                               \
    }
#define MX_ATOMIC_ADD_f64_(p, v) atomicAdd(p, v)
#define MX_ATOMIC_ADD_f32_(p, v) atomicAdd(p, v)
#define MX_ATOMIC_ADD_i32_(p, v) atomicAdd(p, v)
#define MX_ATOMIC_ADD_u32_(p, v) atomicAdd(p, v)
#define MX_ATOMIC_ADD_i64_(p, v) atomicAdd((unsigned long long *)(p), (unsigned long long)(v))
#define MX_ATOMIC_ADD_u64_(p, v) atomicAdd((unsigned long long *)(p), (unsigned long long)(v))
MX_ATOMIC_TYPES_(MX_ATOMIC_NATIVE_)
#define MX_ATOMIC_BITWISE_(tag, T)                                     \
    static __device__ __forceinline__ T mx_atomic_fetch_and(T *p, T v) \
    {                                                                  \
        typedef mx_atomic_bits_<sizeof(T)>::type bits;                 \
        return (T)atomicAnd((bits *)p, (bits)v);                       \
    }                                                                  \
    static __device__ __forceinline__ T mx_atomic_fetch_or(T *p, T v)  \
    {                                                                  \
        typedef mx_atomic_bits_<sizeof(T)>::type bits;                 \
        return (T)atomicOr((bits *)p, (bits)v);                        \
    }                                                                  \
    static __device__ __forceinline__ T mx_atomic_fetch_xor(T *p, T v) \
    {                                                                  \
        typedef mx_atomic_bits_<sizeof(T)>::type bits;                 \
        return (T)atomicXor((bits *)p, (bits)v);                       \
    }
MX_ATOMIC_INTEGERS_(MX_ATOMIC_BITWISE_)

#else
/* ---- hosts: one function a type and operation, picked by the pointer's type. An __atomic builtin also keeps the compiler
 * from vectorising across it, which `omp simd` would otherwise allow. ---- */
#define MX_ATOMIC_APPLY_(tag, T, B, op, expression)                                      \
    MX_INLINE T mx_atomic_fetch_##op##_##tag##_(T *p, T v)                               \
    {                                                                                    \
        B seen = __atomic_load_n((B *)p, __ATOMIC_RELAXED), fresh;                       \
        T old, result;                                                                   \
        do {                                                                             \
            __builtin_memcpy(&old, &seen, sizeof(T));                                    \
            result = (T)(expression);                                                    \
            __builtin_memcpy(&fresh, &result, sizeof(T));                                \
        } while (!__atomic_compare_exchange_n((B *)p, &seen, fresh, 0, __ATOMIC_RELAXED, \
                                              __ATOMIC_RELAXED));                        \
        return old;                                                                      \
    }
#define MX_ATOMIC_ALL_(tag, T, B)                                                                 \
    MX_ATOMIC_APPLY_(tag, T, B, min, v < old ? v : old)                                           \
    MX_ATOMIC_APPLY_(tag, T, B, max, old < v ? v : old)                                           \
    MX_INLINE T mx_atomic_load_##tag##_(const T *p)                                               \
    {                                                                                             \
        T v;                                                                                      \
        __atomic_load(p, &v, __ATOMIC_RELAXED);                                                   \
        return v;                                                                                 \
    }                                                                                             \
    MX_INLINE void mx_atomic_store_##tag##_(T *p, T v)                                            \
    {                                                                                             \
        __atomic_store(p, &v, __ATOMIC_RELAXED);                                                  \
    }                                                                                             \
    MX_INLINE T mx_atomic_exchange_##tag##_(T *p, T v)                                            \
    {                                                                                             \
        T before;                                                                                 \
        __atomic_exchange(p, &v, &before, __ATOMIC_RELAXED);                                      \
        return before;                                                                            \
    }                                                                                             \
    MX_INLINE T mx_atomic_compare_exchange_##tag##_(T *p, T expected, T desired)                  \
    {                                                                                             \
        __atomic_compare_exchange(p, &expected, &desired, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
        return expected;                                                                          \
    }
MX_ATOMIC_TYPES_(MX_ATOMIC_ALL_)
#define MX_ATOMIC_FLOAT_(tag, T, B)           \
    MX_ATOMIC_APPLY_(tag, T, B, add, old + v) \
    MX_ATOMIC_APPLY_(tag, T, B, sub, old - v)
MX_ATOMIC_FLOAT_(f64, double, uint64_t)
MX_ATOMIC_FLOAT_(f32, float, uint32_t)
#define MX_ATOMIC_INTEGER_(tag, T)                         \
    MX_INLINE T mx_atomic_fetch_add_##tag##_(T *p, T v)    \
    {                                                      \
        return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); \
    }                                                      \
    MX_INLINE T mx_atomic_fetch_sub_##tag##_(T *p, T v)    \
    {                                                      \
        return __atomic_fetch_sub(p, v, __ATOMIC_RELAXED); \
    }                                                      \
    MX_INLINE T mx_atomic_fetch_and_##tag##_(T *p, T v)    \
    {                                                      \
        return __atomic_fetch_and(p, v, __ATOMIC_RELAXED); \
    }                                                      \
    MX_INLINE T mx_atomic_fetch_or_##tag##_(T *p, T v)     \
    {                                                      \
        return __atomic_fetch_or(p, v, __ATOMIC_RELAXED);  \
    }                                                      \
    MX_INLINE T mx_atomic_fetch_xor_##tag##_(T *p, T v)    \
    {                                                      \
        return __atomic_fetch_xor(p, v, __ATOMIC_RELAXED); \
    }
MX_ATOMIC_INTEGERS_(MX_ATOMIC_INTEGER_)

#define MX_ATOMIC_INTEGER_PICK_(p, f) \
    _Generic((p), int32_t *           \
             : f##_i32_, int64_t *    \
             : f##_i64_, uint32_t *   \
             : f##_u32_, uint64_t *   \
             : f##_u64_)
#define MX_ATOMIC_PICK_(p, f) \
    _Generic((p), double *: f##_f64_, float *: f##_f32_,                                               \
             int32_t *: f##_i32_, int64_t *: f##_i64_, uint32_t *: f##_u32_, uint64_t *: f##_u64_)
#define mx_atomic_load(p) \
    _Generic((p), double *: mx_atomic_load_f64_, const double *: mx_atomic_load_f64_,                           \
             float *: mx_atomic_load_f32_, const float *: mx_atomic_load_f32_,                                  \
             int32_t *: mx_atomic_load_i32_, const int32_t *: mx_atomic_load_i32_,                              \
             int64_t *: mx_atomic_load_i64_, const int64_t *: mx_atomic_load_i64_,                              \
             uint32_t *: mx_atomic_load_u32_, const uint32_t *: mx_atomic_load_u32_,                            \
             uint64_t *: mx_atomic_load_u64_, const uint64_t *: mx_atomic_load_u64_)(p)
#define mx_atomic_store(p, v) MX_ATOMIC_PICK_(p, mx_atomic_store)((p), (v))
#define mx_atomic_exchange(p, v) MX_ATOMIC_PICK_(p, mx_atomic_exchange)((p), (v))
#define mx_atomic_compare_exchange(p, e, d) \
    MX_ATOMIC_PICK_(p, mx_atomic_compare_exchange)((p), (e), (d))
#define mx_atomic_fetch_add(p, v) MX_ATOMIC_PICK_(p, mx_atomic_fetch_add)((p), (v))
#define mx_atomic_add(p, v) ((void)mx_atomic_fetch_add(p, v))
#define mx_atomic_fetch_sub(p, v) MX_ATOMIC_PICK_(p, mx_atomic_fetch_sub)((p), (v))
#define mx_atomic_fetch_min(p, v) MX_ATOMIC_PICK_(p, mx_atomic_fetch_min)((p), (v))
#define mx_atomic_fetch_max(p, v) MX_ATOMIC_PICK_(p, mx_atomic_fetch_max)((p), (v))
#define mx_atomic_fetch_and(p, v) MX_ATOMIC_INTEGER_PICK_(p, mx_atomic_fetch_and)((p), (v))
#define mx_atomic_fetch_or(p, v) MX_ATOMIC_INTEGER_PICK_(p, mx_atomic_fetch_or)((p), (v))
#define mx_atomic_fetch_xor(p, v) MX_ATOMIC_INTEGER_PICK_(p, mx_atomic_fetch_xor)((p), (v))
#endif
