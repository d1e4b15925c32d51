/* The macros that define kernels; kernel.h explains their use. MX_FOR(S, ...) expands to
 * MX_DEFINE_FOR_(name, dimensions, index type, trait, prologue), or to MX_DEFINE_TEAM_FOR_ for
 * teams. kernel_dispatch.h, kernel_host.h and kernel_cuda.h each have a version of these. The steps
 * between:
 *
 *     1. arguments that were left out get their defaults;
 *     2. words are looked up in the tables of index_space.h;
 *     3. the definition is compared with the declaration.
 *
 * A mistake gives one static assertion wherever possible. The patterns are FOR_, REDUCE_, FIELDS_,
 * CUSTOM_, ARRAY_, SCAN_ and SCAN_CUSTOM_. The arguments that only one pattern has are between
 * trait and prologue. */
#pragma once
#include "minx/index_space.h"
#include "minx/launch.h"

#define MX_FOR(S, ...) MX_FOURTH_(__VA_ARGS__, MX_FOR3_, MX_FOR2_, MX_FOR1_, ~)(S, __VA_ARGS__)
#define MX_FOR1_(S, name) MX_DEFINE_(FOR_, S, MX_ITEMS_DEFAULT, name, MX_NO_PROLOGUE_)
#define MX_FOR2_(S, name, trait) MX_DEFINE_(FOR_, S, trait, name, MX_NO_PROLOGUE_)
#define MX_FOR3_(S, name, trait, prologue) MX_DEFINE_(FOR_, S, trait, name, prologue)

/* R: a reducer or a list of fields. */
#define MX_REDUCE(S, ...) MX_DEFINE_WITH_1_(REDUCE_, S, __VA_ARGS__)
#define MX_REDUCE_FIELDS(S, ...) MX_DEFINE_WITH_1_(FIELDS_, S, __VA_ARGS__)
#define MX_REDUCE_ARRAY(S, ...) MX_DEFINE_WITH_1_(ARRAY_, S, __VA_ARGS__)
#define MX_SCAN(S, ...) MX_DEFINE_WITH_1_(SCAN_, S, __VA_ARGS__)
#define MX_DEFINE_WITH_1_(PATTERN, S, ...) \
    MX_FIFTH_(__VA_ARGS__, MX_WITH_1_4_, MX_WITH_1_3_, MX_WITH_1_2_, ~, ~)(PATTERN, S, __VA_ARGS__)
#define MX_WITH_1_2_(PATTERN, S, name, R) \
    MX_DEFINE_##PATTERN##R_(PATTERN, S, MX_ITEMS_DEFAULT, name, R, MX_NO_PROLOGUE_)
#define MX_WITH_1_3_(PATTERN, S, name, R, trait) \
    MX_DEFINE_##PATTERN##R_(PATTERN, S, trait, name, R, MX_NO_PROLOGUE_)
#define MX_WITH_1_4_(PATTERN, S, name, R, trait, prologue) \
    MX_DEFINE_##PATTERN##R_(PATTERN, S, trait, name, R, prologue)

/* Is R a reducer? If so, R_INIT is a macro whose text begins with a parenthesis. MX_REDUCER_ in
 * front of it is then a macro call. */
#define MX_REDUCER_(...) ~, MX_DEFINE_, ~
#define MX_DEFINE_REDUCER_(PATTERN, S, trait, name, R, prologue)     \
    MX_LOOK_UP_(MX_REDUCER_ R##_INIT(int, v), MX_DEFINE_NO_REDUCER_) \
    (PATTERN, S, trait, name, R, prologue)
#define MX_DEFINE_NO_REDUCER_(PATTERN, S, trait, name, R, prologue) \
    MX_STATIC_ASSERT(false, #name ": " #R " is not a reducer: see minx/reduce.h");
#define MX_DEFINE_REDUCE_R_ MX_DEFINE_REDUCER_
#define MX_DEFINE_ARRAY_R_ MX_DEFINE_REDUCER_
#define MX_DEFINE_SCAN_R_ MX_DEFINE_REDUCER_
#define MX_DEFINE_FIELDS_R_ MX_DEFINE_

#define MX_REDUCE_CUSTOM(S, ...) MX_DEFINE_WITH_2_(CUSTOM_, S, __VA_ARGS__)
#define MX_SCAN_CUSTOM(S, ...) MX_DEFINE_WITH_2_(SCAN_CUSTOM_, S, __VA_ARGS__)
#define MX_DEFINE_WITH_2_(PATTERN, S, ...)                                    \
    MX_SIXTH_(__VA_ARGS__, MX_WITH_2_5_, MX_WITH_2_4_, MX_WITH_2_3_, ~, ~, ~) \
    (PATTERN, S, __VA_ARGS__)
#define MX_WITH_2_3_(PATTERN, S, name, init, join) \
    MX_DEFINE_(PATTERN, S, MX_ITEMS_DEFAULT, name, init, join, MX_NO_PROLOGUE_)
#define MX_WITH_2_4_(PATTERN, S, name, init, join, trait) \
    MX_DEFINE_(PATTERN, S, trait, name, init, join, MX_NO_PROLOGUE_)
#define MX_WITH_2_5_(PATTERN, S, name, init, join, trait, prologue) \
    MX_DEFINE_(PATTERN, S, trait, name, init, join, prologue)

/* Looks up the kind of S, and then whether this kind has the pattern and the trait. */
#define MX_DEFINE_(PATTERN, S, trait, ...) \
    MX_DEFINE_KIND_(MX_INDEX_KIND_(S), PATTERN, S, trait, __VA_ARGS__)
#define MX_DEFINE_KIND_(...) MX_DEFINE_OF_KIND_(__VA_ARGS__)
#define MX_DEFINE_OF_KIND_(kind, PATTERN, S, trait, ...)                                        \
    MX_DEFINE_FOUND_(MX_LOOK_UP_(MX_OVER_##kind##PATTERN, NO_PATTERN_),                         \
                     MX_LOOK_UP_(MX_ITEMS_OVER_##kind##trait##_, NO_TRAIT_), PATTERN, S, trait, \
                     __VA_ARGS__)
#define MX_DEFINE_FOUND_(...) MX_DEFINE_FOUND_THESE_(__VA_ARGS__)
#define MX_DEFINE_FOUND_THESE_(found, items, PATTERN, S, trait, ...) \
    MX_DEFINE_##found(items, PATTERN, S, trait, __VA_ARGS__)

#define MX_DEFINE_NO_SPACE_(items, PATTERN, S, trait, name, ...) \
    MX_STATIC_ASSERT(false, #name ": " MX_NO_SPACE_TEXT_(S));
#define MX_DEFINE_NO_PATTERN_(items, PATTERN, S, trait, name, ...)   \
    MX_STATIC_ASSERT(false, #name ": there is no " MX_TEXT_##PATTERN \
                     "(" #S ", ...); for "                           \
                     "TEAM include minx/team.h, for scans minx/scan.h");
#define MX_DEFINE_RANGE_(items, PATTERN, S, trait, ...) \
    MX_DEFINE_RANGE_##items(MX_DEFINE_##PATTERN, PATTERN, S, trait, __VA_ARGS__)
#define MX_DEFINE_TEAM_(items, PATTERN, S, trait, ...) \
    MX_DEFINE_TEAM_##items(MX_DEFINE_TEAM_##PATTERN, PATTERN, S, trait, __VA_ARGS__)

#define MX_DEFINE_RANGE_NO_TRAIT_(DEFINITION, PATTERN, S, trait, name, ...)                     \
    MX_STATIC_ASSERT(false, #name                                                               \
                     ": " #S " has no trait " #trait ", but MX_ITEMS_SIMD, "                    \
                     "MX_ITEMS_PLAIN, in 1D MX_ITEMS_GATHER and, from 2D on, MX_ITEMS_STENCIL " \
                     "and MX_ITEMS_COLUMN");
#define MX_DEFINE_TEAM_NO_TRAIT_(DEFINITION, PATTERN, S, trait, name, ...)                  \
    MX_STATIC_ASSERT(false, #name ": TEAM has no trait " #trait ", but MX_ITEMS_PLAIN and " \
                                  "MX_ITEMS_SIMD");
#define MX_DEFINE_RANGE_MX_ITEMS_SIMD(DEFINITION, PATTERN, S, trait, ...) \
    MX_DEFINE_FITS_(RANGE_, DEFINITION, PATTERN, S, MX_ITEMS_SIMD, __VA_ARGS__)
#define MX_DEFINE_RANGE_MX_ITEMS_PLAIN(DEFINITION, PATTERN, S, trait, ...) \
    MX_DEFINE_FITS_(RANGE_, DEFINITION, PATTERN, S, MX_ITEMS_PLAIN, __VA_ARGS__)
#define MX_DEFINE_RANGE_MX_ITEMS_GATHER(DEFINITION, PATTERN, S, trait, ...) \
    MX_DEFINE_FITS_(RANGE_, DEFINITION, PATTERN, S, MX_ITEMS_GATHER, __VA_ARGS__)
#define MX_DEFINE_RANGE_MX_ITEMS_STENCIL(DEFINITION, PATTERN, S, trait, ...) \
    MX_DEFINE_FITS_(RANGE_, DEFINITION, PATTERN, S, MX_ITEMS_STENCIL, __VA_ARGS__)
#define MX_DEFINE_RANGE_MX_ITEMS_COLUMN(DEFINITION, PATTERN, S, trait, ...) \
    MX_DEFINE_FITS_(RANGE_, DEFINITION, PATTERN, S, MX_ITEMS_COLUMN, __VA_ARGS__)
#define MX_DEFINE_TEAM_MX_ITEMS_SIMD(DEFINITION, PATTERN, S, trait, ...) \
    MX_DEFINE_FITS_(TEAM_, DEFINITION, PATTERN, S, MX_ITEMS_SIMD, __VA_ARGS__)
#define MX_DEFINE_TEAM_MX_ITEMS_PLAIN(DEFINITION, PATTERN, S, trait, ...) \
    MX_DEFINE_FITS_(TEAM_, DEFINITION, PATTERN, S, MX_ITEMS_PLAIN, __VA_ARGS__)

/* Is the kernel declared, and in the way in which it is defined? An array without a length is
 * compatible with arrays of any length, so a kernel whose arrays have two lengths at the same time
 * was not declared. */
#ifdef __cplusplus
template <class T> struct mx_length_of_ {
    enum { value = 0 };
};
template <size_t n> struct mx_length_of_<const char[n]> {
    enum { value = n };
};
#define MX_LENGTH_IS_(array, n) \
    (mx_length_of_<decltype(array)>::value == 0 || mx_length_of_<decltype(array)>::value == (n))
#else
#define MX_LENGTH_IS_(array, n) __builtin_types_compatible_p(__typeof__(array), const char[n])
#endif
#define MX_DECLARED_OVER_(name, declared, S)                                         \
    MX_STATIC_ASSERT(!MX_LENGTH_IS_(name##__space, MX_INDEX_NUMBER_##declared##_) || \
                         MX_LENGTH_IS_(name##__space, MX_INDEX_NUMBER_##S##_),       \
                     #name ": declared for " #declared ", defined for " #S);
#define MX_DECLARED_BY_(name, declared, text, PATTERN)                                \
    MX_STATIC_ASSERT(!MX_LENGTH_IS_(name##__pattern, MX_PATTERN_NUMBER_##declared) || \
                         MX_LENGTH_IS_(name##__pattern, MX_PATTERN_NUMBER_##PATTERN), \
                     #name ": declared by " text ", defined by " MX_TEXT_##PATTERN);
#define MX_IS_DECLARED_AS_(name, S, PATTERN)                 \
    (MX_LENGTH_IS_(name##__space, MX_INDEX_NUMBER_##S##_) && \
     MX_LENGTH_IS_(name##__pattern, MX_PATTERN_NUMBER_##PATTERN))
#define MX_DECLARED_AS_(name, S, PATTERN)                                                  \
    extern const char name##__space[], name##__pattern[];                                  \
    MX_STATIC_ASSERT(!MX_LENGTH_IS_(name##__space, 1) || !MX_LENGTH_IS_(name##__space, 2), \
                     #name ": defined but not declared: see minx/launch.h");               \
    MX_DECLARED_OVER_(name, 1D, S)                                                         \
    MX_DECLARED_OVER_(name, 2D, S)                                                         \
    MX_DECLARED_OVER_(name, 3D, S)                                                         \
    MX_DECLARED_OVER_(name, 4D, S)                                                         \
    MX_DECLARED_OVER_(name, 5D, S)                                                         \
    MX_DECLARED_OVER_(name, 6D, S)                                                         \
    MX_DECLARED_OVER_(name, 1D_64, S)                                                      \
    MX_DECLARED_OVER_(name, 2D_64, S)                                                      \
    MX_DECLARED_OVER_(name, 3D_64, S)                                                      \
    MX_DECLARED_OVER_(name, 4D_64, S)                                                      \
    MX_DECLARED_OVER_(name, 5D_64, S)                                                      \
    MX_DECLARED_OVER_(name, 6D_64, S)                                                      \
    MX_DECLARED_OVER_(name, TEAM, S)                                                       \
    MX_DECLARED_BY_(name, FOR_, "MX_DECLARE_FOR", PATTERN)                                 \
    MX_DECLARED_BY_(name, REDUCE_, "MX_DECLARE_REDUCE", PATTERN)                           \
    MX_DECLARED_BY_(name, ARRAY_, "MX_DECLARE_REDUCE_ARRAY", PATTERN)                      \
    MX_DECLARED_BY_(name, SCAN_, "MX_DECLARE_SCAN", PATTERN)

/* The parameters of a body: first the indices (or the team), then those of the pattern (TAIL). */
#define MX_PARAMETERS_RANGE_(D, I) MX_PARAMETERS_##D##_(I)
#define MX_PARAMETERS_TEAM_(D, I) mx_team *t
#define MX_PARAMETERS_1_(I) I i0
#define MX_PARAMETERS_2_(I) I i0, I i1
#define MX_PARAMETERS_3_(I) I i0, I i1, I i2
#define MX_PARAMETERS_4_(I) I i0, I i1, I i2, I i3
#define MX_PARAMETERS_5_(I) I i0, I i1, I i2, I i3, I i4
#define MX_PARAMETERS_6_(I) I i0, I i1, I i2, I i3, I i4, I i5
#define MX_NAMES_RANGE_(D) MX_NAMES_##D##_
#define MX_NAMES_TEAM_(D) t
#define MX_NAMES_1_ i0
#define MX_NAMES_2_ i0, i1
#define MX_NAMES_3_ i0, i1, i2
#define MX_NAMES_4_ i0, i1, i2, i3
#define MX_NAMES_5_ i0, i1, i2, i3, i4
#define MX_NAMES_6_ i0, i1, i2, i3, i4, i5
#define MX_TAIL_FOR_(name)
#define MX_TAIL_REDUCE_(name) , name##__value *v
#define MX_TAIL_FIELDS_(name) , name##__value *v
#define MX_TAIL_CUSTOM_(name) , name##__value *v
#define MX_TAIL_ARRAY_(name) , name##__array v
#define MX_TAIL_SCAN_(name) , name##__value *v, bool final
#define MX_TAIL_SCAN_CUSTOM_(name) , name##__value *v, bool final
#define MX_TAIL_NAMES_FOR_
#define MX_TAIL_NAMES_REDUCE_ , v
#define MX_TAIL_NAMES_FIELDS_ , v
#define MX_TAIL_NAMES_CUSTOM_ , v
#define MX_TAIL_NAMES_ARRAY_ , v
#define MX_TAIL_NAMES_SCAN_ , v, final
#define MX_TAIL_NAMES_SCAN_CUSTOM_ , v, final
#define MX_TAIL_TEXT_FOR_(name) ""
#define MX_TAIL_TEXT_REDUCE_(name) ", T *v"
#define MX_TAIL_TEXT_FIELDS_(name) ", T *v"
#define MX_TAIL_TEXT_CUSTOM_(name) ", T *v"
#define MX_TAIL_TEXT_ARRAY_(name) ", " #name "_array v"
#define MX_TAIL_TEXT_SCAN_(name) ", T *v, bool final"
#define MX_TAIL_TEXT_SCAN_CUSTOM_(name) ", T *v, bool final"

/* The functions of an instance call NAME__item, which calls the body. If the body does not have the
 * parameters of the declaration, one assertion says so. NAME__item then calls a function that is
 * declared only, so that there are no further errors. */
#ifdef __cplusplus
template <class A, class B> struct mx_same_type_ {
    enum { value = false };
};
template <class A> struct mx_same_type_<A, A> {
    enum { value = true };
};
#define MX_IS_FUNCTION_(f, ...) (mx_same_type_<decltype(&f), void (*)(__VA_ARGS__)>::value)
#define MX_IF_FUNCTION_(is, f, other) f
#else
#define MX_IS_FUNCTION_(f, ...) _Generic(&f, void (*)(__VA_ARGS__) : true, default : false)
#define MX_IF_FUNCTION_(is, f, other) __builtin_choose_expr(is, f, other)
#endif
#define MX_UNWRAP_(...) __VA_ARGS__
#define MX_TEXT_OF_(...) MX_STRING_(__VA_ARGS__)
#define MX_BODY_FITS_(name, PARAMETERS, TAIL) \
    MX_IS_FUNCTION_(name##_body, const name##__args *a, MX_UNWRAP_ PARAMETERS MX_UNWRAP_ TAIL)
#define MX_DEFINE_ITEM_(name, right, PARAMETERS, NAMES, TAIL, TAIL_NAMES, TAIL_TEXT)            \
    MX_STATIC_ASSERT(!(right) || MX_BODY_FITS_(name, PARAMETERS, TAIL),                         \
                     #name ": the body must be void " #name                                     \
                           "_body(const ARGS *a, " MX_TEXT_OF_(MX_UNWRAP_ PARAMETERS) TAIL_TEXT \
                     "), with ARGS and T of its declaration");                                  \
    extern void name##__no_body(const name##__args *a, MX_UNWRAP_ PARAMETERS MX_UNWRAP_ TAIL);  \
    MX_INLINE void name##__item(const name##__args *a, MX_UNWRAP_ PARAMETERS MX_UNWRAP_ TAIL)   \
    {                                                                                           \
        MX_IF_FUNCTION_(MX_BODY_FITS_(name, PARAMETERS, TAIL), name##_body, name##__no_body)    \
        (a, MX_UNWRAP_ NAMES MX_UNWRAP_ TAIL_NAMES);                                            \
    }

/* Checks that the fields of a LIST are those of T, and that their reducers exist. */
#define MX_IS_REDUCER_(...) ~, true, ~
#define MX_IS_FIELD_(T, field) _Generic(&v->field, const T * : true, default : false)
#define MX_FIELD_CHECK_(T, field, R)                                         \
    MX_STATIC_ASSERT(MX_LOOK_UP_(MX_IS_REDUCER_ R##_INIT(int, v), false),    \
                     #field ": " #R " is not a reducer: see minx/reduce.h"); \
    MX_STATIC_ASSERT(MX_IS_FIELD_(T, field),                                 \
                     #field ": its type in the struct is not its type in the list: see MX_VALUE");
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
#define MX_CHECK_FOR_(name, ...)
#define MX_CHECK_REDUCE_(name, ...)
#define MX_CHECK_CUSTOM_(name, ...)
#define MX_CHECK_ARRAY_(name, ...)
#define MX_CHECK_SCAN_(name, ...)
#define MX_CHECK_SCAN_CUSTOM_(name, ...)
#define MX_CHECK_FIELDS_(name, LIST, prologue)                                               \
    struct name##__list {                                                                    \
        LIST(MX_VALUE_FIELD_)                                                                \
    };                                                                                       \
    MX_STATIC_ASSERT(sizeof(struct name##__list) == sizeof(name##__value),                   \
                     #name ": T of its declaration is not the struct with the fields " #LIST \
                           ": see MX_VALUE");                                                \
    MX_CHECK_LIST_(name, LIST)

#define MX_DEFINE_FITS_(KIND, DEFINITION, PATTERN, S, items, name, ...)                         \
    MX_DECLARED_AS_(name, S, PATTERN)                                                           \
    MX_INDEX_WITH_##S##_(MX_DEFINE_AS_, MX_IS_DECLARED_AS_(name, S, PATTERN), KIND, DEFINITION, \
                         PATTERN, items, name, __VA_ARGS__)
#define MX_DEFINE_AS_(D, I, P, OF, right, KIND, DEFINITION, PATTERN, items, name, ...) \
    MX_DEFINE_ITEM_(name, right, (MX_PARAMETERS_##KIND(D, I)), (MX_NAMES_##KIND(D)),   \
                    (MX_TAIL_##PATTERN(name)), (MX_TAIL_NAMES_##PATTERN),              \
                    MX_TAIL_TEXT_##PATTERN(name))                                      \
    MX_CHECK_##PATTERN(name, __VA_ARGS__) DEFINITION(name, D, I, items, __VA_ARGS__)
