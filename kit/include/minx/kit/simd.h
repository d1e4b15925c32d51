/* Packs: vectors of eight numbers, for kernel files (which include minx/kernel.h first) whose items
 * are groups of eight elements:
 *
 *     MX_BODY void scale_body(const scale_args *a, int group)
 *     {
 *         const int first = group * MX_PACK_WIDTH;
 *         const mx_mask_f64 inside = mx_mask_first_f64(a->n - first);      in the last group some lanes are off
 *         mx_pack_f64 x = mx_pack_load_masked(&MX_AT(a->x, first), inside, mx_pack_set_f64(0.0));
 *         x = mx_pack_select(x < a->top, x * x, x);
 *         mx_pack_store_masked(&MX_AT(a->x, first), inside, x);
 *     }
 *     MX_FOR(1D, scale, MX_ITEMS_PLAIN)                   over (n + MX_PACK_WIDTH - 1) / MX_PACK_WIDTH groups
 *
 * The types are mx_pack_f64, mx_pack_f32, mx_pack_i32, mx_pack_i64, and their masks mx_mask_f64 and
 * so on. A mask is an integer pack with lanes of the same size; a lane is -1 (on) or 0 (off). f64 and i64 have the same
 * mask type, and so have f32 and i32. All backends have the same width, so a range is the same for
 * all, and results agree. On hosts a pack is a vector type of the compiler. On cuda it is a struct
 * in the registers of one thread. Most loops need no packs, because items are vectorised anyway.
 * Packs are for loops that exchange, gather or mask lanes in a way that the compiler cannot
 * vectorise. The elements of a pack are neighbours in memory, so use them along a contiguous index
 * only.
 *
 *   + - * /  < <= > >= == != (these six give masks)  and for integers % & | ^ << >> ~ : for two packs, or a pack and a number
 *       of its type; also unary -, and += and similar with a pack. pack[l] is one lane
 *   mx_pack_set_f64(x)  all lanes x            mx_mask_first_f64(n)  the lanes below n (f32, i32, i64 likewise)
 *   mx_pack_load(p)  mx_pack_store(p, a)       p[0] to p[7]; p need not be aligned
 *   mx_pack_load_masked(p, mask, otherwise)  mx_pack_store_masked(p, mask, a)    access only the elements of lanes that are on
 *   mx_pack_gather(p, index)  mx_pack_scatter(p, index, a)   p[index[l]]; index is an i32 pack (scatter: all indices differ)
 *   mx_pack_min(a, b)  mx_pack_max(a, b)       as mx_min and mx_max      mx_pack_abs(a)
 *   mx_pack_fma(a, b, c)  mx_pack_sqrt(a)      f64 and f32; fma rounds once
 *   mx_pack_select(mask, a, b)                 a where the mask is on, else b
 *   mx_pack_sum(a)  mx_pack_lowest(a)  mx_pack_highest(a)    over the lanes; the order of additions is the same on every backend
 *   mx_pack_widen(a)                           an f32 pack as f64
 *   mx_mask_any(mask)  mx_mask_all(mask)  mx_mask_count(mask)
 *   mx_mask_bits(mask)  mx_mask_of_bits_f64(bits)            bit l of an unsigned number is lane l (f32, i32, i64 likewise) */
#pragma once
#include "minx/math.h"

enum { MX_PACK_WIDTH = 8 };

#ifdef MX_GPU_CODE_
#define MX_PACK_LANES_ _Pragma("unroll") for (int l = 0; l < MX_PACK_WIDTH; l++)
#define MX_METHOD_ __device__ __forceinline__
template <int size> struct mx_mask_lane_ {
    typedef int32_t type;
};
template <> struct mx_mask_lane_<8> {
    typedef int64_t type;
};
#define MX_PACK_OPERATOR_(op, R, expression)                          \
    friend MX_METHOD_ mx_pack_<R> operator op(mx_pack_ a, mx_pack_ b) \
    {                                                                 \
        mx_pack_<R> r;                                                \
        MX_PACK_LANES_ r[l] = (R)(expression);                        \
        return r;                                                     \
    }
#define MX_PACK_ARITHMETIC_(op)            \
    MX_PACK_OPERATOR_(op, T, a[l] op b[l]) \
    friend MX_METHOD_ mx_pack_ &operator op##=(mx_pack_ &a, mx_pack_ b) { return a = a op b; }
#define MX_PACK_COMPARISON_(op) MX_PACK_OPERATOR_(op, mask_lane, a[l] op b[l] ? -1 : 0)
template <class T> struct mx_pack_ {
    typedef typename mx_mask_lane_<sizeof(T)>::type mask_lane;
    T lane[MX_PACK_WIDTH];
    mx_pack_() = default;
    MX_METHOD_ mx_pack_(T x) { MX_PACK_LANES_ lane[l] = x; }
    MX_METHOD_ T &operator[](int l) { return lane[l]; }
    MX_METHOD_ T operator[](int l) const { return lane[l]; }
    MX_PACK_ARITHMETIC_(+)
    MX_PACK_ARITHMETIC_(-)
    MX_PACK_ARITHMETIC_(*)
    MX_PACK_ARITHMETIC_(/)
    MX_PACK_ARITHMETIC_(%)
    MX_PACK_ARITHMETIC_(&)
    MX_PACK_ARITHMETIC_(|)
    MX_PACK_ARITHMETIC_(^)
    MX_PACK_ARITHMETIC_(<<)
    MX_PACK_ARITHMETIC_(>>)
    MX_PACK_COMPARISON_(<)
    MX_PACK_COMPARISON_(<=)
    MX_PACK_COMPARISON_(>)
    MX_PACK_COMPARISON_(>=)
    MX_PACK_COMPARISON_(==)
    MX_PACK_COMPARISON_(!=)
    friend MX_METHOD_ mx_pack_ operator-(mx_pack_ a) { return a * mx_pack_(-1); }
    friend MX_METHOD_ mx_pack_ operator~(mx_pack_ a) { return a ^ mx_pack_(-1); }
};
typedef mx_pack_<double> mx_pack_f64;
typedef mx_pack_<float> mx_pack_f32;
typedef mx_pack_<int32_t> mx_pack_i32;
typedef mx_pack_<int64_t> mx_pack_i64;
#define MX_PACK_SELECT_(tag, P, M) MX_PACK_FN_(select, tag, (M m, P a, P b), m[l] ? a[l] : b[l])
#define MX_PACK_PLAIN_(tag, T, P, M)                                 \
    MX_LANE_FN_(mx_pack_set_##tag, P, (T x), x)                      \
    MX_LANE_FN_(mx_mask_first_##tag, M, (int64_t n), l < n ? -1 : 0) \
    MX_PACK_FN_(load, tag, (const T *p), p[l])                       \
    MX_LANE_DO_(store, tag, (T * p, P a), p[l] = a[l])               \
    MX_PACK_FN_(min, tag, (P a, P b), b[l] < a[l] ? b[l] : a[l])     \
    MX_PACK_FN_(max, tag, (P a, P b), a[l] < b[l] ? b[l] : a[l])
#define MX_PICK_PACK_(f, value) f##_
#define MX_PICK_FLOAT_PACK_(f, value) f##_
#define MX_PICK_MASK_(f, value) f##_
#define MX_PICK_LANE_(f, value) f##_
#else
#define MX_PACK_LANES_ for (int l = 0; l < MX_PACK_WIDTH; l++)
typedef double mx_pack_f64 __attribute__((vector_size(8 * MX_PACK_WIDTH)));
typedef float mx_pack_f32 __attribute__((vector_size(4 * MX_PACK_WIDTH)));
typedef int32_t mx_pack_i32 __attribute__((vector_size(4 * MX_PACK_WIDTH)));
typedef int64_t mx_pack_i64 __attribute__((vector_size(8 * MX_PACK_WIDTH)));
#define MX_PACK_SELECT_(tag, P, M) \
    MX_FN_(mx_pack_select, tag, P, (M m, P a, P b), ((M)a & m) | ((M)b & ~m))
/* The same as lane by lane, by operations on whole vectors. */
#define MX_PACK_PLAIN_(tag, T, P, M)                                                     \
    typedef P mx_pack_##tag##_memory_ __attribute__((aligned(sizeof(T)), may_alias));    \
    MX_INLINE P mx_pack_set_##tag(T x) { return x - (P){0}; }                            \
    MX_INLINE M mx_mask_first_##tag(int64_t n)                                           \
    {                                                                                    \
        const int first = n < 0 ? 0 : n < MX_PACK_WIDTH ? (int)n : (int)MX_PACK_WIDTH;   \
        M each = {0};                                                                    \
        MX_PACK_LANES_ each[l] = l;                                                      \
        return (M)(each < first);                                                        \
    }                                                                                    \
    MX_FN_(mx_pack_load, tag, P, (const T *p), *(const mx_pack_##tag##_memory_ *)p)      \
    MX_INLINE void MX_TYPED_(mx_pack_store, tag)(T * p, P a)                             \
    {                                                                                    \
        *(mx_pack_##tag##_memory_ *)p = a;                                               \
    }                                                                                    \
    MX_FN_(mx_pack_min, tag, P, (P a, P b), MX_TYPED_(mx_pack_select, tag)(b < a, b, a)) \
    MX_FN_(mx_pack_max, tag, P, (P a, P b), MX_TYPED_(mx_pack_select, tag)(a < b, b, a))
#define MX_PICK_FLOAT_PACK_(f, value) \
    _Generic((value), mx_pack_f64 : f##_f64_, mx_pack_f32 : f##_f32_)
#define MX_PICK_MASK_(                                                                   \
    f, value) /* comparisons of doubles have lanes of long (gcc) or long long (clang) */ \
    _Generic((value)[0], int : f##_i32_, long : f##_i64_, long long : f##_i64_)
#define MX_PICK_PACK_(f, value)      \
    _Generic((value), mx_pack_f64    \
             : f##_f64_, mx_pack_f32 \
             : f##_f32_, mx_pack_i32 \
             : f##_i32_, mx_pack_i64 \
             : f##_i64_)
#define MX_PICK_LANE_(f, value) \
    _Generic((value), double : f##_f64_, float : f##_f32_, int32_t : f##_i32_, int64_t : f##_i64_)
#endif
/* The sum of all lanes: halves are added until one lane is left, by vector operations where the
 * compiler can split a vector. */
#if !defined(MX_GPU_CODE_) && defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define MX_PACK_SUM_(T, a)                                                                         \
    __extension__({                                                                                \
        typedef T half_ __attribute__((vector_size(4 * sizeof(T))));                               \
        typedef T quarter_ __attribute__((vector_size(2 * sizeof(T))));                            \
        const half_ h_ =                                                                           \
            __builtin_shufflevector(a, a, 0, 1, 2, 3) + __builtin_shufflevector(a, a, 4, 5, 6, 7); \
        const quarter_ q_ =                                                                        \
            __builtin_shufflevector(h_, h_, 0, 1) + __builtin_shufflevector(h_, h_, 2, 3);         \
        q_[0] + q_[1];                                                                             \
    })
#endif
#endif
#ifndef MX_PACK_SUM_
#define MX_PACK_SUM_(T, a) (((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7])))
#endif
/* The bits of a mask, in one instruction where there is one. */
#if !defined(MX_GPU_CODE_) && defined(__AVX512DQ__) && defined(__AVX512VL__)
typedef long long mx_mask_vector64_ __attribute__((vector_size(8 * MX_PACK_WIDTH)));
typedef int mx_mask_vector32_ __attribute__((vector_size(4 * MX_PACK_WIDTH)));
#define MX_MASK_BITS_i64_(m) __builtin_ia32_cvtq2mask512((mx_mask_vector64_)m)
#define MX_MASK_BITS_i32_(m) __builtin_ia32_cvtd2mask256((mx_mask_vector32_)m)
#else
#define MX_MASK_BITS_(m)                                                                         \
    ((unsigned)(m[0] & 1) | (unsigned)(m[1] & 2) | (unsigned)(m[2] & 4) | (unsigned)(m[3] & 8) | \
     (unsigned)(m[4] & 16) | (unsigned)(m[5] & 32) | (unsigned)(m[6] & 64) |                     \
     (unsigned)(m[7] & 128))
#define MX_MASK_BITS_i64_ MX_MASK_BITS_
#define MX_MASK_BITS_i32_ MX_MASK_BITS_
#endif
typedef mx_pack_i64 mx_mask_f64, mx_mask_i64;
typedef mx_pack_i32 mx_mask_f32, mx_mask_i32;

/* A function that computes its result lane by lane. (gcc 13 warns of lanes that are set in a loop,
 * if they are not initialised.) */
#define MX_LANE_FN_(name, R, parameters, expression) \
    MX_INLINE R name parameters                      \
    {                                                \
        R r = {0};                                   \
        MX_PACK_LANES_ r[l] = (expression);          \
        return r;                                    \
    }
#define MX_PACK_FN_(f, tag, parameters, expression) \
    MX_LANE_FN_(MX_TYPED_(mx_pack_##f, tag), mx_pack_##tag, parameters, expression)
/* A function that executes a statement for every lane. */
#define MX_LANE_DO_(f, tag, parameters, statement) \
    MX_INLINE void MX_TYPED_(mx_pack_##f, tag) parameters { MX_PACK_LANES_ statement; }
/* A function that joins all lanes. */
#define MX_LANE_JOIN_(name, R, parameters, first, statement) \
    MX_INLINE R name parameters                              \
    {                                                        \
        R r = first;                                         \
        MX_PACK_LANES_ statement;                            \
        return r;                                            \
    }
#define MX_PACK_ALL_(tag, T, P, M)                                                            \
    MX_PACK_SELECT_(tag, P, M)                                                                \
    MX_PACK_PLAIN_(tag, T, P, M)                                                              \
    MX_INLINE M mx_mask_of_bits_##tag(unsigned bits)                                          \
    {                                                                                         \
        M each = {0};                                                                         \
        MX_PACK_LANES_ each[l] = 1 << l;                                                      \
        return (M)((each & (int)bits) == each);                                               \
    }                                                                                         \
    MX_PACK_FN_(load_masked, tag, (const T *p, M m, P otherwise), m[l] ? p[l] : otherwise[l]) \
    MX_PACK_FN_(gather, tag, (const T *p, mx_pack_i32 index), p[index[l]])                    \
    MX_LANE_DO_(store_masked, tag, (T * p, M m, P a), if (m[l]) p[l] = a[l])                  \
    MX_LANE_DO_(scatter, tag, (T * p, mx_pack_i32 index, P a), p[index[l]] = a[l])            \
    MX_FN_(mx_pack_sum, tag, T, (P a), MX_PACK_SUM_(T, a))                                    \
    MX_LANE_JOIN_(MX_TYPED_(mx_pack_lowest, tag), T, (P a), a[0], r = a[l] < r ? a[l] : r)    \
    MX_LANE_JOIN_(MX_TYPED_(mx_pack_highest, tag), T, (P a), a[0], r = r < a[l] ? a[l] : r)
#define MX_PACK_FLOAT_(tag, T, P, M, s)          \
    MX_PACK_ALL_(tag, T, P, M)                   \
    MX_PACK_FN_(abs, tag, (P a), fabs##s(a[l]))  \
    MX_PACK_FN_(sqrt, tag, (P a), sqrt##s(a[l])) \
    MX_PACK_FN_(fma, tag, (P a, P b, P c), fma##s(a[l], b[l], c[l]))
#define MX_PACK_INTEGER_(tag, T, P)                                                \
    MX_PACK_ALL_(tag, T, P, P)                                                     \
    MX_PACK_FN_(abs, tag, (P a), a[l] < 0 ? -a[l] : a[l])                          \
    MX_LANE_JOIN_(MX_TYPED_(mx_mask_any, tag), bool, (P m), false, r |= m[l] != 0) \
    MX_LANE_JOIN_(MX_TYPED_(mx_mask_all, tag), bool, (P m), true, r &= m[l] != 0)  \
    MX_FN_(mx_mask_bits, tag, unsigned, (P m), MX_MASK_BITS_##tag##_(m))           \
    MX_LANE_JOIN_(MX_TYPED_(mx_mask_count, tag), int, (P m), 0, r += m[l] != 0)
MX_PACK_INTEGER_(i32, int32_t, mx_pack_i32)
MX_PACK_INTEGER_(i64, int64_t, mx_pack_i64)
MX_PACK_FLOAT_(f64, double, mx_pack_f64, mx_mask_f64, )
MX_PACK_FLOAT_(f32, float, mx_pack_f32, mx_mask_f32, f)
#ifdef MX_GPU_CODE_
MX_LANE_FN_(mx_pack_widen, mx_pack_f64, (mx_pack_f32 a), a[l])
#else
MX_INLINE mx_pack_f64 mx_pack_widen(mx_pack_f32 a)
{
#if defined(__AVX512F__) && !defined(__clang__) /* gcc splits the conversion into parts */
    return __builtin_ia32_cvtps2pd512_mask(a, (mx_pack_f64){0}, 255, 4);
#else
    return __builtin_convertvector(a, mx_pack_f64);
#endif
}
#endif

#define mx_pack_load(p) MX_PICK_LANE_(mx_pack_load, *(p))(p)
#define mx_pack_load_masked(p, mask, otherwise) \
    MX_PICK_LANE_(mx_pack_load_masked, *(p))(p, mask, otherwise)
#define mx_pack_gather(p, index) MX_PICK_LANE_(mx_pack_gather, *(p))(p, index)
#define mx_pack_store(p, a) MX_PICK_LANE_(mx_pack_store, *(p))(p, a)
#define mx_pack_store_masked(p, mask, a) MX_PICK_LANE_(mx_pack_store_masked, *(p))(p, mask, a)
#define mx_pack_scatter(p, index, a) MX_PICK_LANE_(mx_pack_scatter, *(p))(p, index, a)
#define mx_pack_min(a, b) MX_PICK_PACK_(mx_pack_min, a)(a, b)
#define mx_pack_max(a, b) MX_PICK_PACK_(mx_pack_max, a)(a, b)
#define mx_pack_abs(a) MX_PICK_PACK_(mx_pack_abs, a)(a)
#define mx_pack_select(mask, a, b) MX_PICK_PACK_(mx_pack_select, a)(mask, a, b)
#define mx_pack_sum(a) MX_PICK_PACK_(mx_pack_sum, a)(a)
#define mx_pack_lowest(a) MX_PICK_PACK_(mx_pack_lowest, a)(a)
#define mx_pack_highest(a) MX_PICK_PACK_(mx_pack_highest, a)(a)
#define mx_pack_sqrt(a) MX_PICK_FLOAT_PACK_(mx_pack_sqrt, a)(a)
#define mx_pack_fma(a, b, c) MX_PICK_FLOAT_PACK_(mx_pack_fma, a)(a, b, c)
#define mx_mask_any(mask) MX_PICK_MASK_(mx_mask_any, mask)(mask)
#define mx_mask_all(mask) MX_PICK_MASK_(mx_mask_all, mask)(mask)
#define mx_mask_bits(mask) MX_PICK_MASK_(mx_mask_bits, mask)(mask)
#define mx_mask_count(mask) MX_PICK_MASK_(mx_mask_count, mask)(mask)
