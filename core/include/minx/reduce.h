/* Reductions: how the contributions of items are joined.
 *
 * Shapes of value:
 *   one number          MX_REDUCE(2D, name, MX_SUM)            double, float or an integer; vectorised on hosts
 *   a list of fields    MX_REDUCE_FIELDS(2D, name, MY_FIELDS)  a struct, each field with its own reducer; vectorised
 *   anything            MX_REDUCE_CUSTOM(2D, name, init, join) a struct with your functions; not vectorised
 *   and an array        MX_REDUCE_ARRAY(1D, name, MX_SUM)      of a length known at run time; not vectorised
 *
 * Reducers: MX_SUM, MX_PROD, MX_MIN, MX_MAX, MX_LAND, MX_LOR (logical), MX_BAND, MX_BOR (bitwise).
 * A reducer of your own is a NAME with two macros, each an expression in parentheses: NAME_INIT(T,
 * v) sets *v to the identity, and NAME_JOIN(T, into, v) joins *v into *into. The body adds the
 * contribution of its item to a value that may already have those of other items: `*sum += x`,
 * `*top = *top < x ? x : *top`. The result over an empty range is the identity.
 *
 * NaN: a sum or product with a NaN is NaN. MX_MIN and MX_MAX ignore NaN, and so does a body like
 * the one above. The location forms ignore NaN too, unless all values are NaN: then they give the
 * one with the lowest index. With an init and join of your own, you decide. The join must be
 * associative and commutative: its order is not specified.
 *
 * Determinism: the range is cut into blocks that depend on the range only, and partial results are
 * joined in an order that depends on the number of blocks only, so a result has the same bits for
 * any number of threads. Serial and openmp agree bit for bit. */
#pragma once
#include "minx/detail/language.h"
#include "minx/error.h"

#include <float.h>
#include <math.h>

/* A struct of fields with reducers, from a list such as
 *     #define SUMMARY(FIELD) FIELD(double, mass, MX_SUM) FIELD(double, hottest, MX_MAX)
 *     MX_VALUE(summary, SUMMARY) */
#define MX_VALUE_FIELD_(T, field, R) T field;
#define MX_VALUE(name, LIST)  \
    typedef struct name {     \
        LIST(MX_VALUE_FIELD_) \
    } name;

/* Statements on `v`, and on `into` and `v`. */
#define MX_FIELD_INIT_(T, field, R) R##_INIT(T, &v->field);
#define MX_FIELD_JOIN_(T, field, R) R##_JOIN(T, &into->field, &v->field);

#define MX_REDUCE_TYPES_(M)               \
    M(f64, double, -INFINITY, INFINITY)   \
    M(f32, float, -INFINITY, INFINITY)    \
    M(i32, int32_t, INT32_MIN, INT32_MAX) \
    M(i64, int64_t, INT64_MIN, INT64_MAX) \
    M(u8, uint8_t, 0, UINT8_MAX)          \
    M(u32, uint32_t, 0, UINT32_MAX)       \
    M(u64, uint64_t, 0, UINT64_MAX)

#ifdef MX_GPU_CODE_
#define MX_REDUCE_FN_ static __host__ __device__ __forceinline__
#elif defined(MX_CHECKS_BODIES_)
#define MX_REDUCE_FN_ MX_INLINE
#else
#define MX_REDUCE_FN_ static inline __attribute__((always_inline, unused))
#endif

/* The identities of min and max. */
#ifdef __cplusplus
#define MX_OF_TAG_(f, tag) f##_
#else
#define MX_OF_TAG_(f, tag) f##_##tag##_
#define MX_GENERIC_(f, v) \
    _Generic((v), double *: f##_f64_, float *: f##_f32_, int32_t *: f##_i32_, int64_t *: f##_i64_, \
             uint8_t *: f##_u8_, uint32_t *: f##_u32_, uint64_t *: f##_u64_,                      \
             mx_loc_f64 *: f##_loc_f64_, mx_loc_f32 *: f##_loc_f32_,                              \
             mx_loc_i32 *: f##_loc_i32_, mx_loc_i64 *: f##_loc_i64_)
#define mx_set_lowest_(v) MX_GENERIC_(mx_set_lowest, v)(v)
#define mx_set_highest_(v) MX_GENERIC_(mx_set_highest, v)(v)
#define mx_join_lowest_(into, v) MX_GENERIC_(mx_join_lowest, into)(into, v)
#define mx_join_highest_(into, v) MX_GENERIC_(mx_join_highest, into)(into, v)
#endif
#define MX_LIMITS_(tag, T, low, high)                                             \
    MX_REDUCE_FN_ void MX_OF_TAG_(mx_set_lowest, tag)(T * v) { *v = (T)(low); }   \
    MX_REDUCE_FN_ void MX_OF_TAG_(mx_set_highest, tag)(T * v) { *v = (T)(high); } \
    MX_REDUCE_FN_ void MX_OF_TAG_(mx_join_lowest, tag)(T * into, const T *v)      \
    {                                                                             \
        *into = *v < *into ? *v : *into;                                          \
    }                                                                             \
    MX_REDUCE_FN_ void MX_OF_TAG_(mx_join_highest, tag)(T * into, const T *v)     \
    {                                                                             \
        *into = *into < *v ? *v : *into;                                          \
    }
MX_REDUCE_TYPES_(MX_LIMITS_)

#define MX_SUM_INIT(T, v) (*(v) = (T)0)
#define MX_SUM_JOIN(T, into, v) (*(into) = (T)(*(into) + *(v)))
#define MX_PROD_INIT(T, v) (*(v) = (T)1)
#define MX_PROD_JOIN(T, into, v) (*(into) = (T)(*(into) * *(v)))
#define MX_MIN_INIT(T, v) (mx_set_highest_(v))
#define MX_MIN_JOIN(T, into, v) (mx_join_lowest_(into, v))
#define MX_MAX_INIT(T, v) (mx_set_lowest_(v))
#define MX_MAX_JOIN(T, into, v) (mx_join_highest_(into, v))
#define MX_LAND_INIT(T, v) (*(v) = (T)1)
#define MX_LAND_JOIN(T, into, v) (*(into) = (T)(*(into) && *(v)))
#define MX_LOR_INIT(T, v) (*(v) = (T)0)
#define MX_LOR_JOIN(T, into, v) (*(into) = (T)(*(into) || *(v)))
#define MX_BAND_INIT(T, v) (*(v) = (T) ~(T)0)
#define MX_BAND_JOIN(T, into, v) (*(into) = (T)(*(into) & *(v)))
#define MX_BOR_INIT(T, v) (*(v) = (T)0)
#define MX_BOR_JOIN(T, into, v) (*(into) = (T)(*(into) | *(v)))

/* MX_FIRST: the first index of a range that has some property; -1 if there is none. The range
 * begins at 0 or later. The value is an int or an int64_t:
 *     MX_BODY void find_body(const find_args *a, int i, int *first)
 *     {
 *         if (MX_AT(a->x, i) < 0) mx_first(first, i);
 *     }
 *     MX_REDUCE(1D, find, MX_FIRST) */
#define MX_FIRST_INIT(T, v) (*(v) = (T)-1)
#define MX_FIRST_JOIN(T, into, v) \
    (*(into) = *(v) >= 0 && (*(into) < 0 || *(v) < *(into)) ? *(v) : *(into))
#define mx_first(first, i) ((void)(*(first) = *(first) < 0 || (i) < *(first) ? (i) : *(first)))

/* Locations: an extreme value and the index it was found at (the lowest one of several equal; -1 if
 * the range was empty). The body passes this item's number and index:
 *     mx_maxloc_f64_update(v, MX_AT(a->u, i), i);
 *     MX_REDUCE(1D, hottest, MX_MAX)                            with value type mx_loc_f64
 *     FIELD(mx_loc_f64, hottest, MX_MAX)                        in a list of fields
 *     MX_REDUCE_CUSTOM(1D, extremes, mx_minmaxloc_f64_init, mx_minmaxloc_f64_join)    with mx_minmaxloc_f64 */
/* Of any number; an integer never is. As x != x, compilers would warn of it for integers. */
#define MX_NOT_A_NUMBER_(x) isnan((double)(x))
/* Does `v` come before `into`? A number before a NaN, then by value, then by index. */
#define MX_LOCATION_WINS_(v, into, less)                                                         \
    ((v)->index >= 0 &&                                                                          \
     ((into)->index < 0 || (MX_NOT_A_NUMBER_((into)->value) && !MX_NOT_A_NUMBER_((v)->value)) || \
      (v)->value less(into)->value ||                                                            \
      (((v)->value == (into)->value ||                                                           \
        (MX_NOT_A_NUMBER_((v)->value) && MX_NOT_A_NUMBER_((into)->value))) &&                    \
       (v)->index < (into)->index)))
#define MX_EXTREME_(tag, T, which, worst, less)                                                   \
    MX_REDUCE_FN_ void mx_##which##loc_##tag##_init(mx_loc_##tag *v)                              \
    {                                                                                             \
        v->value = (T)(worst);                                                                    \
        v->index = -1;                                                                            \
    }                                                                                             \
    MX_REDUCE_FN_ void mx_##which##loc_##tag##_join(mx_loc_##tag *into, const mx_loc_##tag *v)    \
    {                                                                                             \
        if (MX_LOCATION_WINS_(v, into, less)) *into = *v;                                         \
    }                                                                                             \
    MX_REDUCE_FN_ void mx_##which##loc_##tag##_update(mx_loc_##tag *into, T value, int64_t index) \
    {                                                                                             \
        const mx_loc_##tag v = {value, index};                                                    \
        mx_##which##loc_##tag##_join(into, &v);                                                   \
    }
#define MX_LOCATION_(tag, T, low, high)                                               \
    typedef struct mx_loc_##tag {                                                     \
        T value;                                                                      \
        int64_t index;                                                                \
    } mx_loc_##tag;                                                                   \
    typedef struct mx_minmaxloc_##tag {                                               \
        mx_loc_##tag min, max;                                                        \
    } mx_minmaxloc_##tag;                                                             \
    MX_EXTREME_(tag, T, min, high, <)                                                 \
    MX_EXTREME_(tag, T, max, low, >)                                                  \
    MX_REDUCE_FN_ void mx_minmaxloc_##tag##_init(mx_minmaxloc_##tag *v)               \
    {                                                                                 \
        mx_minloc_##tag##_init(&v->min);                                              \
        mx_maxloc_##tag##_init(&v->max);                                              \
    }                                                                                 \
    MX_REDUCE_FN_ void mx_minmaxloc_##tag##_join(mx_minmaxloc_##tag *into,            \
                                                 const mx_minmaxloc_##tag *v)         \
    {                                                                                 \
        mx_minloc_##tag##_join(&into->min, &v->min);                                  \
        mx_maxloc_##tag##_join(&into->max, &v->max);                                  \
    }                                                                                 \
    MX_REDUCE_FN_ void mx_minmaxloc_##tag##_update(mx_minmaxloc_##tag *into, T value, \
                                                   int64_t index)                     \
    {                                                                                 \
        mx_minloc_##tag##_update(&into->min, value, index);                           \
        mx_maxloc_##tag##_update(&into->max, value, index);                           \
    }                                                                                 \
    MX_LOCATION_REDUCER_(tag, min, highest)                                           \
    MX_LOCATION_REDUCER_(tag, max, lowest)                                            \
    MX_LOCATION_JOIN_(tag, min, lowest)                                               \
    MX_LOCATION_JOIN_(tag, max, highest)

/* What MX_MIN and MX_MAX do with locations. */
#define MX_LOCATION_REDUCER_(tag, which, limit)                                \
    MX_REDUCE_FN_ void MX_OF_TAG_(mx_set_##limit, loc_##tag)(mx_loc_##tag * v) \
    {                                                                          \
        mx_##which##loc_##tag##_init(v);                                       \
    }
#define MX_LOCATION_JOIN_(tag, which, limit)                                         \
    MX_REDUCE_FN_ void MX_OF_TAG_(mx_join_##limit, loc_##tag)(mx_loc_##tag * into,   \
                                                              const mx_loc_##tag *v) \
    {                                                                                \
        mx_##which##loc_##tag##_join(into, v);                                       \
    }
MX_LOCATION_(f64, double, -INFINITY, INFINITY)
MX_LOCATION_(f32, float, -INFINITY, INFINITY)
MX_LOCATION_(i32, int32_t, INT32_MIN, INT32_MAX)
MX_LOCATION_(i64, int64_t, INT64_MIN, INT64_MAX)
