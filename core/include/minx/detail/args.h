/* Argument structs. The arguments of a kernel are a plain struct that header, driver and kernel
 * file share. One line names the accessors in it:
 *
 *     typedef struct heat_args {
 *         mx_f64_2 u;
 *         mx_cf64_2 w;
 *         double dt;
 *     } heat_args;
 *     MX_ARGS(heat_args, u, w)
 *
 * A struct without accessors has MX_NO_ACCESSORS(heat_args) instead. With neither, its kernels do
 * not compile. A launch checks each accessor. If one was never bound, or its view was destroyed,
 * the error names it. An accessor that is bound but not in the list is an error at the first launch
 * of a kernel over a range; one that is neither bound nor in the list is not found. (A list that
 * makes the members, see below, is always complete.) If some kernels with these arguments do not
 * use accessor u, mark it by mx_bind_none(&args.u) for them.
 * Accessors in an inner struct or an array are named as in C: MX_ARGS(T, inner.u, pair[0], pair[1]).
 *
 * MX_BUNDLE does the same as MX_ARGS, and also defines a function that binds all accessors. It
 * takes the views from members of the same names in a struct of views:
 *
 *     typedef struct heat_views {
 *         mx_view u, w;
 *     } heat_views;
 *     MX_BUNDLE(heat_args, heat_views, u, w)
 *
 *     mx_err heat_args_bind(mx_ctx ctx, const heat_views *views, heat_args *args);
 *
 * Call it again after views were swapped, resized or created again. On failure the accessors
 * bound so far stay bound. Several argument structs may be bound from one struct of views. Both
 * macros take at most 32 accessors.
 *
 * A list can make all of this, so that each accessor is written once and none can be forgotten:
 *
 *     #define HEAT(ACCESSOR) ACCESSOR(mx_f64_2, u) ACCESSOR(mx_cf64_2, w)
 *     typedef struct heat_args {
 *         MX_ARGS_MEMBERS(HEAT)
 *         double dt;
 *     } heat_args;
 *     typedef struct heat_views {
 *         MX_VIEW_MEMBERS(HEAT)
 *     } heat_views;
 *     MX_BUNDLE_LIST(heat_args, heat_views, HEAT)    or MX_ARGS_LIST(heat_args, HEAT)
 *
 * Use these macros at file scope, without semicolon, and once for each struct. */
#pragma once
#include "minx/accessor.h"

/* An accessor in an argument struct. */
typedef struct mx_args_accessor {
    const char *name;
    size_t offset;  /* bytes from the start of the struct */
    uint64_t shape; /* MX_SHAPE_CODE_; does not compile for a member that is no accessor */
} mx_args_accessor;

typedef struct mx_args_table {
    const char *type; /* the struct's name */
    const mx_args_accessor *accessor;
    size_t count;
} mx_args_table;

#define MX_ARGS_MEMBERS(LIST) LIST(MX_ACCESSOR_MEMBER_)
#define MX_VIEW_MEMBERS(LIST) LIST(MX_VIEW_MEMBER_)
#define MX_ACCESSOR_MEMBER_(ACCESSOR, member) ACCESSOR member;
#define MX_VIEW_MEMBER_(ACCESSOR, member) mx_view member;

#define MX_BUNDLE(T, VIEWS, ...) \
    MX_ARGS(T, __VA_ARGS__)      \
    MX_DEFINE_BIND_(T, VIEWS, MX_EACH_MEMBER_(MX_MEMBER_BIND_, T, __VA_ARGS__))
#define MX_BUNDLE_LIST(T, VIEWS, LIST) \
    MX_ARGS_LIST(T, LIST)              \
    MX_DEFINE_BIND_(T, VIEWS, LIST(MX_MEMBER_BIND_))
#define MX_DEFINE_BIND_(T, VIEWS, BIND)                        \
    static inline __attribute__((unused))                      \
    mx_err T##_bind(mx_ctx ctx, const VIEWS *views_, T *args_) \
    {                                                          \
        BIND;                                                  \
        return MX_OK;                                          \
    }
#define MX_MEMBER_BIND_(T, member) MX_TRY(mx_bind(ctx, views_->member, &args_->member));

/* Only the dispatch unit of a kernel file has the table of a struct, as a function; other units
 * just check the list. The enumerator's name is the text of the error where a struct has neither
 * list nor MX_NO_ACCESSORS. In the rows, `args_` is the struct's type. */
#define MX_LISTED_(T) enum { T##_needs_MX_ARGS_or_MX_NO_ACCESSORS = 1 };
#define MX_REQUIRE_LISTED_(name, T) \
    enum { name##__args_are_listed = T##_needs_MX_ARGS_or_MX_NO_ACCESSORS };
#ifdef MX_DISPATCH
#define MX_ARGS(T, ...)                                           \
    static_assert(MX_FEW_MEMBERS_(__VA_ARGS__), MX_FEW_TEXT_(T)); \
    MX_DEFINE_ARGS_TABLE_(T, MX_EACH_MEMBER_(MX_ARGS_ROW_, T, __VA_ARGS__))
#define MX_ARGS_LIST(T, LIST) MX_DEFINE_ARGS_TABLE_(T, LIST(MX_ARGS_ROW_))
#define MX_ARGS_ROW_(T, member) \
    {#member, offsetof(args_, member), sizeof(((args_ *)0)->member.shape->code) - 1},
#define MX_DEFINE_ARGS_TABLE_(T, ROWS)                                                   \
    MX_LISTED_(T)                                                                        \
    static inline __attribute__((unused)) const mx_args_table *T##__table(void)          \
    {                                                                                    \
        typedef T args_ __attribute__((unused));                                         \
        static const mx_args_accessor rows[] = {ROWS{NULL, 0, 0}};                       \
        static const mx_args_table table = {#T, rows, sizeof rows / sizeof rows[0] - 1}; \
        return &table;                                                                   \
    }
#define MX_NO_ACCESSORS(T) MX_DEFINE_ARGS_TABLE_(T, )
#define MX_ARGS_OF_KERNEL_(name, T) \
    MX_REQUIRE_LISTED_(name, T)     \
    static inline const mx_args_table *name##__table(void) { return T##__table(); }
#else
#define MX_ARGS(T, ...)                                           \
    static_assert(MX_FEW_MEMBERS_(__VA_ARGS__), MX_FEW_TEXT_(T)); \
    MX_LISTED_(T)                                                 \
    MX_EACH_MEMBER_(MX_ARGS_CHECK_, T, __VA_ARGS__)
/* The same type each time. A static assertion would be a second error, after that of the member. */
#define MX_ARGS_CHECK_(T, member) \
    typedef char mx_args_check_[sizeof(((T *)0)->member.shape->code) > 0 ? 1 : 2];
#define MX_ARGS_LIST(T, LIST) MX_LISTED_(T)
#define MX_NO_ACCESSORS(T) MX_LISTED_(T)
#define MX_ARGS_OF_KERNEL_(name, T) MX_REQUIRE_LISTED_(name, T)
#endif

/* MX_EACH_MEMBER_(M, T, a, b): M(T, a) M(T, b) */
#define MX_MEMBERS_1_(M, T, a) M(T, a)
#define MX_MEMBERS_2_(M, T, a, ...) M(T, a) MX_MEMBERS_1_(M, T, __VA_ARGS__)
#define MX_MEMBERS_3_(M, T, a, ...) M(T, a) MX_MEMBERS_2_(M, T, __VA_ARGS__)
#define MX_MEMBERS_4_(M, T, a, ...) M(T, a) MX_MEMBERS_3_(M, T, __VA_ARGS__)
#define MX_MEMBERS_5_(M, T, a, ...) M(T, a) MX_MEMBERS_4_(M, T, __VA_ARGS__)
#define MX_MEMBERS_6_(M, T, a, ...) M(T, a) MX_MEMBERS_5_(M, T, __VA_ARGS__)
#define MX_MEMBERS_7_(M, T, a, ...) M(T, a) MX_MEMBERS_6_(M, T, __VA_ARGS__)
#define MX_MEMBERS_8_(M, T, a, ...) M(T, a) MX_MEMBERS_7_(M, T, __VA_ARGS__)
#define MX_MEMBERS_9_(M, T, a, ...) M(T, a) MX_MEMBERS_8_(M, T, __VA_ARGS__)
#define MX_MEMBERS_10_(M, T, a, ...) M(T, a) MX_MEMBERS_9_(M, T, __VA_ARGS__)
#define MX_MEMBERS_11_(M, T, a, ...) M(T, a) MX_MEMBERS_10_(M, T, __VA_ARGS__)
#define MX_MEMBERS_12_(M, T, a, ...) M(T, a) MX_MEMBERS_11_(M, T, __VA_ARGS__)
#define MX_MEMBERS_13_(M, T, a, ...) M(T, a) MX_MEMBERS_12_(M, T, __VA_ARGS__)
#define MX_MEMBERS_14_(M, T, a, ...) M(T, a) MX_MEMBERS_13_(M, T, __VA_ARGS__)
#define MX_MEMBERS_15_(M, T, a, ...) M(T, a) MX_MEMBERS_14_(M, T, __VA_ARGS__)
#define MX_MEMBERS_16_(M, T, a, ...) M(T, a) MX_MEMBERS_15_(M, T, __VA_ARGS__)
#define MX_MEMBERS_17_(M, T, a, ...) M(T, a) MX_MEMBERS_16_(M, T, __VA_ARGS__)
#define MX_MEMBERS_18_(M, T, a, ...) M(T, a) MX_MEMBERS_17_(M, T, __VA_ARGS__)
#define MX_MEMBERS_19_(M, T, a, ...) M(T, a) MX_MEMBERS_18_(M, T, __VA_ARGS__)
#define MX_MEMBERS_20_(M, T, a, ...) M(T, a) MX_MEMBERS_19_(M, T, __VA_ARGS__)
#define MX_MEMBERS_21_(M, T, a, ...) M(T, a) MX_MEMBERS_20_(M, T, __VA_ARGS__)
#define MX_MEMBERS_22_(M, T, a, ...) M(T, a) MX_MEMBERS_21_(M, T, __VA_ARGS__)
#define MX_MEMBERS_23_(M, T, a, ...) M(T, a) MX_MEMBERS_22_(M, T, __VA_ARGS__)
#define MX_MEMBERS_24_(M, T, a, ...) M(T, a) MX_MEMBERS_23_(M, T, __VA_ARGS__)
#define MX_MEMBERS_25_(M, T, a, ...) M(T, a) MX_MEMBERS_24_(M, T, __VA_ARGS__)
#define MX_MEMBERS_26_(M, T, a, ...) M(T, a) MX_MEMBERS_25_(M, T, __VA_ARGS__)
#define MX_MEMBERS_27_(M, T, a, ...) M(T, a) MX_MEMBERS_26_(M, T, __VA_ARGS__)
#define MX_MEMBERS_28_(M, T, a, ...) M(T, a) MX_MEMBERS_27_(M, T, __VA_ARGS__)
#define MX_MEMBERS_29_(M, T, a, ...) M(T, a) MX_MEMBERS_28_(M, T, __VA_ARGS__)
#define MX_MEMBERS_30_(M, T, a, ...) M(T, a) MX_MEMBERS_29_(M, T, __VA_ARGS__)
#define MX_MEMBERS_31_(M, T, a, ...) M(T, a) MX_MEMBERS_30_(M, T, __VA_ARGS__)
#define MX_MEMBERS_32_(M, T, a, ...) M(T, a) MX_MEMBERS_31_(M, T, __VA_ARGS__)
/* Too many, up to 64: MX_ARGS says so. */
#define MX_MEMBERS_33_(M, T, a, ...) M(T, a)
#define MX_PICK_MEMBERS_(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, \
                         _17, _18, _19, _20, _21, _22, _23, _24, _25, _26, _27, _28, _29, _30,  \
                         _31, _32, _33, _34, _35, _36, _37, _38, _39, _40, _41, _42, _43, _44,  \
                         _45, _46, _47, _48, _49, _50, _51, _52, _53, _54, _55, _56, _57, _58,  \
                         _59, _60, _61, _62, _63, _64, count, ...)                              \
    count
#define MX_COUNT_MEMBERS_(...)                                                                    \
    MX_PICK_MEMBERS_(__VA_ARGS__, 33, 33, 33, 33, 33, 33, 33, 33, 33, 33, 33, 33, 33, 33, 33, 33, \
                     33, 33, 33, 33, 33, 33, 33, 33, 33, 33, 33, 33, 33, 33, 33, 33, 32, 31, 30,  \
                     29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11,  \
                     10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define MX_FEW_MEMBERS_(...) (32 >= MX_COUNT_MEMBERS_(__VA_ARGS__) ? 1 : 0)
#define MX_FEW_TEXT_(T) #T ": at most 32 accessors in a list"
#define MX_MEMBERS_N_(count) MX_MEMBERS_OF_(count)
#define MX_MEMBERS_OF_(count) MX_MEMBERS_##count##_
#define MX_EACH_MEMBER_(M, T, ...) MX_MEMBERS_N_(MX_COUNT_MEMBERS_(__VA_ARGS__))(M, T, __VA_ARGS__)
