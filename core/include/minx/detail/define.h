/* The macros that define kernels; kernel.h explains their use. The steps of MX_REDUCE(2D, name,
 * MX_SUM):
 *
 *     MX_REDUCE            appends the defaults of what was left out
 *     MX_DEFINE_           looks the index space up
 *     MX_OVER_2D_          gives its number of dimensions and its index type
 *     MX_DEFINE_AS_        compares declaration, definition and body; looks the kind of items up
 *     MX_WITH_SIMD_        gives the form of that kind
 *     MX_DEFINE_RANGE_REDUCE_(name, dimensions, index type, items, reducer, prologue)
 *
 * host/kernel.h and device/kernel.h each have a version of the last one, and so have team.h and
 * scan.h. dispatch.h has one with TABLE_ behind its name. A mistake gives one static assertion
 * wherever possible.
 *
 * The patterns are FOR_, REDUCE_, FIELDS_, CUSTOM_, ARRAY_, SCAN_ and SCAN_CUSTOM_. `what` is the
 * reducer, the list of fields, or (init, join). */
#pragma once
#include "minx/detail/index_space.h"
#include "minx/detail/races.h"
#include "minx/launch.h"

#define MX_FOR(S, ...) MX_FOR_(S, __VA_ARGS__, MX_DEFAULT_, MX_DEFAULT_, ~)
#define MX_FOR_(S, name, items, prologue, ...) \
    MX_DEFINE_(FOR_, S, name, ~, items, prologue, __VA_ARGS__)
#define MX_REDUCE(S, name, ...) \
    MX_DEFINE_(REDUCE_, S, name, __VA_ARGS__, MX_DEFAULT_, MX_DEFAULT_, ~)
#define MX_REDUCE_FIELDS(S, name, ...) \
    MX_DEFINE_(FIELDS_, S, name, __VA_ARGS__, MX_DEFAULT_, MX_DEFAULT_, ~)
#define MX_REDUCE_ARRAY(S, name, ...) \
    MX_DEFINE_(ARRAY_, S, name, __VA_ARGS__, MX_DEFAULT_, MX_DEFAULT_, ~)
#define MX_REDUCE_CUSTOM(S, name, init, ...) \
    MX_DEFINE_CUSTOM_(CUSTOM_, S, name, init, __VA_ARGS__, MX_DEFAULT_, MX_DEFAULT_, ~)
#define MX_DEFINE_CUSTOM_(PATTERN, S, name, init, join, items, prologue, ...) \
    MX_DEFINE_(PATTERN, S, name, (init, join), items, prologue, __VA_ARGS__)
/* The default kind of items is that of the index space; the default prologue does nothing. */
#define MX_DEFAULT_(args_) ((void)(args_))
#define MX_INIT_OF_(init, join) init
#define MX_JOIN_OF_(init, join) join
#define MX_HAS_BOTH_(init, join) (sizeof #init > 1 && sizeof #join > 1)

#define MX_DEFINE_(PATTERN, S, name, what, items, prologue, ...) \
    MX_LOOK_UP_(MX_INDEX_##S##_, MX_NO_INDEX_)                   \
    (MX_BY_TAIL_(__VA_ARGS__), PATTERN, S, name, what, items, prologue)
/* The tail, behind the prologue, has the defaults that were not used and "~". More is a mistake. */
#define MX_BY_TAIL_(...)                                                                    \
    MX_TENTH_(__VA_ARGS__, MX_SURPLUS_, MX_SURPLUS_, MX_SURPLUS_, MX_SURPLUS_, MX_SURPLUS_, \
              MX_SURPLUS_, MX_DEFINE_AS_, MX_DEFINE_AS_, MX_DEFINE_AS_, ~)
#define MX_SURPLUS_(KIND, D, I, P, OF, PATTERN, S, name, ...) \
    MX_STATIC_ASSERT(false, #name ": " MX_TEXT_##PATTERN      \
                     "(" #S ", " #name ", ...) has arguments behind the prologue");
#define MX_DEFINE_AS_(KIND, D, I, P, OF, PATTERN, S, name, what, items, prologue)                \
    MX_DEFINE_ITEM_(name, MX_TEXT_##PATTERN "(" #S ", ...)",                                     \
                    (const name##__args *a, MX_PARAMETERS_##KIND(D, I) MX_TAIL_##PATTERN(name)), \
                    (a, MX_NAMES_##KIND(D) MX_TAIL_NAMES_##PATTERN), MX_ITEM_BEGIN_##KIND(D))    \
    MX_CHECK_##PATTERN(name, what) MX_LOOK_UP_(MX_ITEMS_OF_##KIND##items##_, MX_NO_ITEMS_)(      \
        MX_DEFINER_##PATTERN(KIND, what), name, D, I, what, prologue, S, items)

/* M##TABLE_ is the version of the dispatch unit, M that of an instance. */
#if defined(MX_DISPATCH) && defined(MX_INSTANCE_SUFFIX)
#define MX_IN_UNIT_(M, ...) M##TABLE_(__VA_ARGS__) M(__VA_ARGS__)
#elif defined(MX_DISPATCH)
#define MX_IN_UNIT_(M, ...) M##TABLE_(__VA_ARGS__)
#else
#define MX_IN_UNIT_(M, ...) M(__VA_ARGS__)
#endif

/* The kinds of items of ranges; team.h has those of teams, kernel.h explains them. */
#define MX_ITEMS_OF_RANGE_MX_DEFAULT__ ~, MX_WITH_SIMD_
#define MX_ITEMS_OF_RANGE_MX_ITEMS_SIMD_ ~, MX_WITH_SIMD_
#define MX_ITEMS_OF_RANGE_MX_ITEMS_PLAIN_ ~, MX_WITH_PLAIN_
#define MX_ITEMS_OF_RANGE_MX_ITEMS_RESIDENT_2_ ~, MX_WITH_RESIDENT_2_
#define MX_ITEMS_OF_RANGE_MX_ITEMS_RESIDENT_4_ ~, MX_WITH_RESIDENT_4_
#define MX_WITH_SIMD_(M, name, D, I, what, prologue, ...) \
    MX_IN_UNIT_(M, name, D, I, MX_ITEMS_SIMD, what, prologue)
#define MX_WITH_PLAIN_(M, name, D, I, what, prologue, ...) \
    MX_IN_UNIT_(M, name, D, I, MX_ITEMS_PLAIN, what, prologue)
#ifdef MX_GPU_CODE_
#define MX_WITH_RESIDENT_2_(M, name, D, I, what, prologue, ...) \
    MX_IN_UNIT_(M, name, D, I, MX_ITEMS_RESIDENT_2, what, prologue)
#define MX_WITH_RESIDENT_4_(M, name, D, I, what, prologue, ...) \
    MX_IN_UNIT_(M, name, D, I, MX_ITEMS_RESIDENT_4, what, prologue)
#else
#define MX_WITH_RESIDENT_2_ MX_WITH_PLAIN_
#define MX_WITH_RESIDENT_4_ MX_WITH_PLAIN_
#endif
#define MX_NO_ITEMS_(M, name, D, I, what, prologue, S, items)                                     \
    MX_STATIC_ASSERT(false, #name ": " #S " has no items of kind " #items ", but MX_ITEMS_SIMD, " \
                                  "MX_ITEMS_PLAIN and, for ranges, MX_ITEMS_RESIDENT_2 and "      \
                                  "_4");

/* The macro that defines a kernel: MX_DEFINE_RANGE_REDUCE_ or its like. R is a reducer if R_INIT is
 * a macro whose text begins with a parenthesis: MX_REDUCER_ in front of it is then a macro call.
 * MX_MISSING_ is a row of a table: it is for the empty R. */
#define MX_REDUCER_(...) ~, ~
#define MX_IF_REDUCER_(R, M) \
    MX_IF_REDUCER_ROW_(MX_REDUCER_ R##_INIT(int, v), M, MX_LOOK_UP_(MX_MISSING_##R, MX_NO_REDUCER_))
#define MX_MISSING_ ~, MX_MISSING_REDUCER_
#define MX_MISSING_REDUCER_(name, D, I, S, R, prologue) \
    MX_STATIC_ASSERT(false, #name ": the reducer is missing: see minx/reduce.h");
#define MX_IF_REDUCER_ROW_(row, M, no) MX_THIRD_OF_(row, M, no, ~)
#define MX_THIRD_OF_(...) MX_THIRD_(__VA_ARGS__)
#define MX_THIRD_(a, b, c, ...) c
#define MX_NO_REDUCER_(name, D, I, S, R, prologue) \
    MX_STATIC_ASSERT(false, #name ": " #R " is not a reducer: see minx/reduce.h");
#define MX_DEFINER_FOR_(KIND, what) MX_DEFINE_##KIND##FOR_
#define MX_DEFINER_REDUCE_(KIND, R) MX_IF_REDUCER_(R, MX_DEFINE_##KIND##REDUCE_)
#define MX_DEFINER_ARRAY_(KIND, R) MX_IF_REDUCER_(R, MX_DEFINE_##KIND##ARRAY_)
#define MX_DEFINER_SCAN_(KIND, R) MX_IF_REDUCER_(R, MX_DEFINE_##KIND##SCAN_)
#define MX_DEFINER_FIELDS_(KIND, LIST) MX_DEFINE_##KIND##FIELDS_
#define MX_DEFINER_CUSTOM_(KIND, functions) MX_DEFINE_##KIND##CUSTOM_
#define MX_DEFINER_SCAN_CUSTOM_(KIND, functions) MX_DEFINE_##KIND##SCAN_CUSTOM_

/* Builds that check indices note which item runs; outside of items it is none. */
#ifdef MINX_BOUNDS_CHECK
#define MX_ITEM_BEGIN_RANGE_(D) MX_ITEM_SET_(D, MX_NAMES_##D##_, 0, 0, 0, 0, 0, ~)
#define MX_ITEM_BEGIN_TEAM_(D) MX_ITEM_SET_(D, t->league_rank, 0, 0, 0, 0, 0, ~)
#define MX_ITEM_SET_(...) MX_ITEM_SET_SIX_(__VA_ARGS__)
#define MX_ITEM_SET_SIX_(D, a, b, c, d, e, f, ...) mx_item_set_(D, a, b, c, d, e, f);
#define MX_ITEM_NONE_() mx_item_none_()
#else
#define MX_ITEM_BEGIN_RANGE_(D)
#define MX_ITEM_BEGIN_TEAM_(D)
#define MX_ITEM_NONE_() ((void)0)
#endif
#define MX_NAMES_RANGE_(D) MX_NAMES_##D##_
#define MX_NAMES_TEAM_(D) t
#define MX_NAMES_1_ i0
#define MX_NAMES_2_ MX_NAMES_1_, i1
#define MX_NAMES_3_ MX_NAMES_2_, i2
#define MX_NAMES_4_ MX_NAMES_3_, i3
#define MX_NAMES_5_ MX_NAMES_4_, i4
#define MX_NAMES_6_ MX_NAMES_5_, i5
#define MX_TAIL_NAMES_FOR_
#define MX_TAIL_NAMES_REDUCE_ , v
#define MX_TAIL_NAMES_FIELDS_ , v
#define MX_TAIL_NAMES_CUSTOM_ , v
#define MX_TAIL_NAMES_ARRAY_ , v
#define MX_TAIL_NAMES_SCAN_ , v, final
#define MX_TAIL_NAMES_SCAN_CUSTOM_ , v, final
#define MX_TEXT_FOR_ "MX_FOR"
#define MX_TEXT_REDUCE_ "MX_REDUCE"
#define MX_TEXT_FIELDS_ "MX_REDUCE_FIELDS"
#define MX_TEXT_CUSTOM_ "MX_REDUCE_CUSTOM"
#define MX_TEXT_ARRAY_ "MX_REDUCE_ARRAY"
#define MX_TEXT_SCAN_ "MX_SCAN"
#define MX_TEXT_SCAN_CUSTOM_ "MX_SCAN_CUSTOM"

/* A declaration, a definition and a body belong together if they have one type: that of the body.
 * The declaration gives its name to the type, NAME_needs_MX_DECLARE.
 *
 * The functions of an instance call NAME__item, which calls the body. If the body does not fit, one
 * assertion says so. NAME__item then calls a function that is declared only, so that there are no
 * further errors. */
#ifdef __cplusplus
template <class A, class B> struct mx_same_type_ {
    enum { value = false };
};
template <class A> struct mx_same_type_<A, A> {
    enum { value = true };
};
#define MX_IS_TYPE_(T, ...) (mx_same_type_<T, __VA_ARGS__>::value)
#define MX_IS_FUNCTION_(f, ...) (mx_same_type_<decltype(f), __VA_ARGS__>::value)
#define MX_IF_FUNCTION_(is, f, other) f
#else
#define MX_IS_TYPE_(T, ...) __builtin_types_compatible_p(T, __VA_ARGS__)
#define MX_IS_FUNCTION_(f, ...) __builtin_types_compatible_p(__typeof__(f), __VA_ARGS__)
#define MX_IF_FUNCTION_(is, f, other) __builtin_choose_expr(is, f, other)
#endif
#define MX_DEFINE_ITEM_(name, how, PARAMETERS, NAMES, BEGIN)                        \
    MX_STATIC_ASSERT(MX_IS_TYPE_(name##_needs_MX_DECLARE, void PARAMETERS),         \
                     #name ": its declaration is not for " how);                    \
    MX_STATIC_ASSERT(!MX_IS_TYPE_(name##_needs_MX_DECLARE, void PARAMETERS) ||      \
                         MX_IS_FUNCTION_(name##_body, void PARAMETERS),             \
                     #name ": the body must be void " #name                         \
                           "_body" MX_STRING_(PARAMETERS) ", as declared");         \
    extern void name##__no_body PARAMETERS;                                         \
    MX_INLINE void name##__item PARAMETERS                                          \
    {                                                                               \
        BEGIN                                                                       \
        MX_IF_FUNCTION_(MX_IS_FUNCTION_(name##_body, void PARAMETERS), name##_body, \
                        name##__no_body)                                            \
        NAMES;                                                                      \
        MX_ITEM_NONE_();                                                            \
    }

/* Reducers for numbers, which have at most 8 bytes; locations have more. */
#define MX_NUMBERS_MX_SUM_ ~, 8
#define MX_NUMBERS_MX_PROD_ ~, 8
#define MX_NUMBERS_MX_LAND_ ~, 8
#define MX_NUMBERS_MX_LOR_ ~, 8
#define MX_NUMBERS_MX_BAND_ ~, 8
#define MX_NUMBERS_MX_BOR_ ~, 8
#define MX_CHECK_NUMBER_(what, T, R)                                    \
    MX_STATIC_ASSERT(sizeof(T) <= MX_LOOK_UP_(MX_NUMBERS_##R##_, -1ul), \
                     what ": " #R " is for numbers; locations take MX_MIN, MX_MAX");

/* Checks that the fields of a LIST are those of T, and that their reducers exist. */
#define MX_IS_REDUCER_(...) ~, true, ~
#define MX_IS_FIELD_(T, field) _Generic(&v->field, const T * : true, default : false)
#define MX_FIELD_CHECK_(T, field, R)                                                               \
    MX_STATIC_ASSERT(MX_LOOK_UP_(MX_IS_REDUCER_ R##_INIT(int, v), false),                          \
                     #field ": " #R " is not a reducer: see minx/reduce.h");                       \
    MX_STATIC_ASSERT(MX_IS_FIELD_(T, field),                                                       \
                     #field ": its type in the struct is not its type in the list: see MX_VALUE"); \
    MX_CHECK_NUMBER_(#field, T, R)
#ifdef __cplusplus
#define MX_CHECK_LIST_(name, LIST) /* the host instance, which is C, has the check */
#else
#define MX_CHECK_LIST_(name, LIST)                       \
    MX_INLINE void name##__check(const name##__value *v) \
    {                                                    \
        LIST(MX_FIELD_CHECK_)                            \
        (void)v;                                         \
    }
#endif
#define MX_CHECK_FOR_(name, what)
#define MX_CHECK_REDUCE_(name, R) MX_CHECK_NUMBER_(#name, name##__value, R)
#define MX_CHECK_CUSTOM_(name, functions) \
    MX_STATIC_ASSERT(MX_HAS_BOTH_ functions, #name ": init and join are needed");
#define MX_CHECK_ARRAY_(name, R)
#define MX_CHECK_SCAN_(name, R)
#define MX_CHECK_SCAN_CUSTOM_(name, functions) MX_CHECK_CUSTOM_(name, functions)
#define MX_CHECK_FIELDS_(name, LIST)                                                         \
    struct name##__list {                                                                    \
        LIST(MX_VALUE_FIELD_)                                                                \
    };                                                                                       \
    MX_STATIC_ASSERT(sizeof(struct name##__list) == sizeof(name##__value),                   \
                     #name ": T of its declaration is not the struct with the fields " #LIST \
                           ": see MX_VALUE");                                                \
    MX_CHECK_LIST_(name, LIST)
