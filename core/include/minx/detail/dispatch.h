/* The dispatch unit of a kernel file: each kernel becomes a descriptor with a table of its
 * instances. The build defines MX_DISPATCH(ROW, name) as one ROW(name, kind, layout, suffix) for
 * each instance that is linked. If the build also defines MX_INSTANCE_SUFFIX, the unit is an
 * instance for hosts, too. Else bodies and prologues are parsed here but not used. */
#pragma once

#define MX_EXTERN_ROW_(name, kind, layout, suffix) extern const mx_instance name##__##suffix;
#define MX_TABLE_ROW_(name, kind, layout, suffix) [kind][layout] = &name##__##suffix,

#ifdef MX_NOT_CHECKED
#define MX_NOT_CHECKED_ true
#else
#define MX_NOT_CHECKED_ false
#endif
#define MX_DEFINE_KERNEL_(name, D, I, block, pattern, value_size, count, fields) \
    MX_DISPATCH(MX_EXTERN_ROW_, name)                                            \
    MX_DEFINE_CLEAR_(name)                                                       \
    const mx_kernel name##__kernel = {#name,                                     \
                                      pattern,                                   \
                                      D,                                         \
                                      sizeof(I) == 8,                            \
                                      block,                                     \
                                      sizeof(name##__args),                      \
                                      value_size,                                \
                                      count,                                     \
                                      fields,                                    \
                                      MX_NOT_CHECKED_,                           \
                                      name##__table,                             \
                                      {MX_DISPATCH(MX_TABLE_ROW_, name)},        \
                                      MX_CLEAR_OF_(value_size, name)};
/* Sets the padding of a value zero, so that two values can be compared. Some compilers cannot do
 * it. (The value of a kernel without result is an int.) */
#if defined(__has_builtin)
#if __has_builtin(__builtin_clear_padding)
#define MX_CLEAR_OF_(value_size, name) (value_size) > 0 ? name##__clear : NULL
#define MX_DEFINE_CLEAR_(name) \
    static void name##__clear(void *value_) { __builtin_clear_padding((name##__value *)value_); }
#endif
#endif
#ifndef MX_CLEAR_OF_
#define MX_CLEAR_OF_(value_size, name) NULL
#define MX_DEFINE_CLEAR_(name)
#endif

/* The minimum number of items for a chunk with a partial result. It is small for bodies with a
 * loop. CUSTOM: for values that are joined one by one. */
#define MX_ITEMS_SIMD_BLOCK_ 8192
#define MX_ITEMS_PLAIN_BLOCK_ 256
#define MX_ITEMS_SIMD_CUSTOM_BLOCK_ 2048
#define MX_ITEMS_PLAIN_CUSTOM_BLOCK_ 256

#define MX_TYPE_OF_(T) \
    _Generic((T *)0, double *: MX_F64, float *: MX_F32, int32_t *: MX_I32, int64_t *: MX_I64, \
             uint8_t *: MX_U8, uint32_t *: MX_U32, uint64_t *: MX_U64, default: MX_USER(T))
#define MX_LOCATION_OF_(T)                \
    _Generic((T *)0, mx_loc_f64 *         \
             : MX_F64, mx_loc_f32 *       \
             : MX_F32, mx_loc_i32 *       \
             : MX_I32, mx_loc_i64 *       \
             : MX_I64, mx_minmaxloc_f64 * \
             : MX_F64, mx_minmaxloc_f32 * \
             : MX_F32, mx_minmaxloc_i32 * \
             : MX_I32, mx_minmaxloc_i64 * \
             : MX_I64, default            \
             : (mx_type)0)
#define MX_DEFINE_RANGE_FOR_TABLE_(name, D, I, S, what, prologue) \
    MX_DEFINE_KERNEL_(name, D, I, S##_BLOCK_, MX_PATTERN_FOR, 0, 0, NULL)
#define MX_DEFINE_NUMBER_(name, D, I, block, pattern)                                 \
    static const mx_field name##__fields[] = {MX_FIELD_OF_(name##__value, "result")}; \
    MX_DEFINE_KERNEL_(name, D, I, block, pattern, sizeof(name##__value), 1, name##__fields)
#define MX_DEFINE_RANGE_REDUCE_TABLE_(name, D, I, S, R, prologue) \
    MX_DEFINE_NUMBER_(name, D, I, S##_BLOCK_, MX_PATTERN_REDUCE)
#define MX_DEFINE_RANGE_ARRAY_TABLE_(name, D, I, S, R, prologue) \
    MX_DEFINE_NUMBER_(name, D, I, S##_CUSTOM_BLOCK_, MX_PATTERN_REDUCE_ARRAY)
#define MX_FIELD_OF_(T, name)                                 \
    {                                                         \
        name, MX_TYPE_OF_(T), _Alignof(T), MX_LOCATION_OF_(T) \
    }
#define MX_FIELD_ROW_(T, field, R) MX_FIELD_OF_(T, #field),
#define MX_DEFINE_LIST_(name, D, I, block, LIST)                                   \
    static const mx_field name##__fields[] = {LIST(MX_FIELD_ROW_)};                \
    MX_DEFINE_KERNEL_(name, D, I, block, MX_PATTERN_REDUCE, sizeof(name##__value), \
                      sizeof name##__fields / sizeof name##__fields[0], name##__fields)
#define MX_DEFINE_RANGE_FIELDS_TABLE_(name, D, I, S, LIST, prologue) \
    MX_DEFINE_LIST_(name, D, I, S##_BLOCK_, LIST)
#define MX_DEFINE_RANGE_CUSTOM_TABLE_(name, D, I, S, functions, prologue) \
    MX_DEFINE_NUMBER_(name, D, I, S##_CUSTOM_BLOCK_, MX_PATTERN_REDUCE)
/* The instances have these errors. */
#define MX_MISSING_REDUCER_TABLE_(...)
#define MX_NO_REDUCER_TABLE_(...)
