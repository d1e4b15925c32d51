/* How MX_ARGS and MX_ARGS_FROM (minx/launch.h explains them) define the argument structs of kernels,
 * and the tables of their accessors. */
#pragma once
#include "minx/accessor.h"
#include "minx/detail/index_space.h"

/* An accessor in an argument struct. */
typedef struct mx_args_accessor {
    uint64_t shape; /* MX_SHAPE_CODE_; does not compile for a member that is no accessor */
    const char *name;
    size_t offset; /* bytes from the start of the struct */
} mx_args_accessor;

typedef struct mx_args_table {
    const char *type; /* the struct's name */
    const mx_args_accessor *accessor;
    size_t count;
} mx_args_table;

#define MX_ARGS(T, ...)                                                \
    MX_DEFINE_ARGS_(T, MX_LIST_(__VA_ARGS__), MX_OTHERS_(__VA_ARGS__)) \
    MX_DEFINE_TABLE_(T, MX_LIST_(__VA_ARGS__))                         \
    MX_LISTED_(T)
#define MX_ARGS_FROM(T, VIEWS, ...)                                    \
    MX_DEFINE_ARGS_(T, MX_LIST_(__VA_ARGS__), MX_OTHERS_(__VA_ARGS__)) \
    MX_DEFINE_TABLE_(T, MX_LIST_(__VA_ARGS__))                         \
    MX_DEFINE_BIND_(T, VIEWS, MX_LIST_(__VA_ARGS__))                   \
    MX_LISTED_(T)

/* The list, and the other members. There are none of these if the () behind the arguments is the
 * second one. */
#define MX_LIST_(...) MX_FIRST_(__VA_ARGS__, )
#define MX_OTHERS_(...) \
    MX_LOOK_UP_(MX_NO_OTHERS_ MX_SECOND_(__VA_ARGS__, (), ~), MX_BEHIND_LIST_)(__VA_ARGS__)
#define MX_NO_OTHERS_() ~, MX_NOTHING_
#define MX_NOTHING_(...)
#define MX_BEHIND_LIST_(LIST, ...) __VA_ARGS__

/* The enumerator's name is the text of the error where a kernel's arguments are another struct. */
#define MX_LISTED_(T) enum { T##_needs_MX_ARGS = 1 }
#define MX_REQUIRE_LISTED_(name, T) enum { name##__args_are_listed = T##_needs_MX_ARGS };

#define MX_DEFINE_ARGS_(T, LIST, ...)                         \
    typedef struct T {                                        \
        MX_END_OF_LIST_(MX_NO_COMMA_BEHIND_ACCESSORS_A_ LIST) \
        __VA_ARGS__                                           \
    } T;
#define MX_DEFINE_BIND_(T, VIEWS, LIST)                        \
    static inline __attribute__((unused))                      \
    mx_err T##_bind(mx_ctx ctx, const VIEWS *views_, T *args_) \
    {                                                          \
        MX_END_OF_LIST_(MX_BIND_A_ LIST)                       \
        return MX_OK;                                          \
    }

/* Only the dispatch unit of a kernel file has the table of a struct, as a function. In the rows,
 * `args_` is the struct's type. */
#ifdef MX_DISPATCH
#define MX_DEFINE_TABLE_(T, LIST)                                                             \
    static inline __attribute__((unused)) const mx_args_table *T##__table(void)               \
    {                                                                                         \
        typedef T args_ __attribute__((unused));                                              \
        static const mx_args_accessor rows[] = {MX_END_OF_LIST_(MX_ROW_A_ LIST){0, NULL, 0}}; \
        static const mx_args_table table = {#T, rows, sizeof rows / sizeof rows[0] - 1};      \
        return &table;                                                                        \
    }
#define MX_ARGS_OF_KERNEL_(name, T) \
    MX_REQUIRE_LISTED_(name, T)     \
    static inline const mx_args_table *name##__table(void) { return T##__table(); }
#else
#define MX_DEFINE_TABLE_(T, LIST)
#define MX_ARGS_OF_KERNEL_(name, T) MX_REQUIRE_LISTED_(name, T)
#endif

/* MX_END_OF_LIST_(M_A_ LIST) calls M for each entry of a list. M_A_ takes the first one and leaves
 * M_B_ in front of the others, and so on. What remains, M_A_ or M_B_, gets a suffix and is then
 * empty. Where the comma behind the list is missing, it does not get it: so the names of the members'
 * M say what is wrong. */
#define MX_END_OF_LIST_(...) MX_ADD_SUFFIX_(__VA_ARGS__)
#define MX_ADD_SUFFIX_(...) __VA_ARGS__##END_

#define MX_MEMBER_(type, member, ...) type member;
#define MX_NO_COMMA_BEHIND_ACCESSORS_A_(...) \
    MX_MEMBER_(__VA_ARGS__, ~) MX_NO_COMMA_BEHIND_ACCESSORS_B_
#define MX_NO_COMMA_BEHIND_ACCESSORS_B_(...) \
    MX_MEMBER_(__VA_ARGS__, ~) MX_NO_COMMA_BEHIND_ACCESSORS_A_
#define MX_NO_COMMA_BEHIND_ACCESSORS_A_END_
#define MX_NO_COMMA_BEHIND_ACCESSORS_B_END_

/* An entry of two words is bound; one with a third word is left to the caller. */
#define MX_BIND_MEMBER_(type, member) MX_TRY(mx_bind(ctx, views_->member, &args_->member));
#define MX_BIND_BY_CALLER_(...)
#define MX_BIND_HOW_(type, member, third, fourth, ...) fourth
#define MX_BIND_A_(...) \
    MX_BIND_HOW_(__VA_ARGS__, MX_BIND_BY_CALLER_, MX_BIND_MEMBER_, ~)(__VA_ARGS__) MX_BIND_B_
#define MX_BIND_B_(...) \
    MX_BIND_HOW_(__VA_ARGS__, MX_BIND_BY_CALLER_, MX_BIND_MEMBER_, ~)(__VA_ARGS__) MX_BIND_A_
#define MX_BIND_A_END_
#define MX_BIND_B_END_

#define MX_ROW_(accessor) \
    {sizeof(((args_ *)0)->accessor.shape->code) - 1, #accessor, offsetof(args_, accessor)},
#define MX_ROWS_(type, member, EACH, ...) EACH(MX_ROW_, member)
#define MX_ITSELF_(ACCESSOR, member) ACCESSOR(member)
#define MX_ROW_A_(...) MX_ROWS_(__VA_ARGS__, MX_ITSELF_, ~) MX_ROW_B_
#define MX_ROW_B_(...) MX_ROWS_(__VA_ARGS__, MX_ITSELF_, ~) MX_ROW_A_
#define MX_ROW_A_END_
#define MX_ROW_B_END_
