/* Mistakes in kernel files. CMakeLists.txt compiles this file with each of the macros below, by
 * gcc, clang and nvcc if they are installed. It compares the first error and the number of lines
 * with the expected ones. Without any macro the file compiles without a message. Nothing runs, so
 * there is no backend. */
#include "minx/kernel.h"
#include "minx/minx.h"
#ifndef TEAM_WITHOUT_HEADER
#include "minx/team.h"
#endif
#if (!defined(MX_GPU_CODE_) || defined(NONE) || defined(NO_JOIN_OF_A_SCAN)) && \
    !defined(SCAN_WITHOUT_HEADER) && !defined(CUSTOM_SCAN_WITHOUT_HEADER)
#include "minx/scan.h" /* for nvcc it brings CUB, which takes three times as long as all else */
#endif

#ifdef ARGUMENTS_WITHOUT_LIST
typedef struct args {
    mx_f64_1 x;
} args;
#else
MX_ARGS(args, (mx_f64_1, x) (mx_f64_2, y));
#endif
#ifdef NO_COMMA_BEHIND_ONE
MX_ARGS(no_comma, (mx_f64_1, x) double alpha;);
#elif defined(NO_COMMA_BEHIND_TWO)
MX_ARGS(no_comma, (mx_f64_1, x) (mx_f64_2, y) double alpha; int n;);
#endif
typedef struct other_args {
    mx_f64_1 x;
} other_args;
#define SUMMARY(FIELD) FIELD(double, mass, MX_SUM) FIELD(int, count, MX_SUM)
MX_VALUE(summary, SUMMARY)

/* What declares the kernel `k`, its index space, its body's parameters, and what defines it. */
#if defined(DECLARED_2D_DEFINED_3D)
MX_DECLARE_FOR(2D, k, args)
MX_BODY void k_body(const args *a, int i, int j) { MX_AT(a->y, i, j) = 1; }
MX_FOR(3D, k)
#elif defined(DECLARED_1D_DEFINED_1D_64)
MX_DECLARE_FOR(1D, k, args)
MX_BODY void k_body(const args *a, int64_t i) { MX_AT(a->x, i) = 1; }
MX_FOR(1D_64, k)
#elif defined(DECLARED_2D_64_DEFINED_2D)
MX_DECLARE_REDUCE(2D_64, k, args, double)
MX_BODY void k_body(const args *a, int i, int j, double *sum) { *sum += MX_AT(a->y, i, j); }
MX_REDUCE(2D, k, MX_SUM)
#elif defined(DECLARED_TEAM_DEFINED_1D)
MX_DECLARE_FOR(TEAM, k, args)
MX_BODY void k_body(const args *a, int i) { MX_AT(a->x, i) = 1; }
MX_FOR(1D, k)
#elif defined(DECLARED_1D_DEFINED_TEAM)
MX_DECLARE_FOR(1D, k, args)
MX_BODY void k_body(const args *a, mx_team *t) { MX_AT(a->x, t->league_rank) = 1; }
MX_FOR(TEAM, k)
#elif defined(DECLARED_REDUCE_DEFINED_FOR)
MX_DECLARE_REDUCE(1D, k, args, double)
MX_BODY void k_body(const args *a, int i) { MX_AT(a->x, i) = 1; }
MX_FOR(1D, k)
#elif defined(DECLARED_FOR_DEFINED_REDUCE)
MX_DECLARE_FOR(1D, k, args)
MX_BODY void k_body(const args *a, int i, double *sum) { *sum += MX_AT(a->x, i); }
MX_REDUCE(1D, k, MX_SUM)
#elif defined(DECLARED_SCAN_DEFINED_REDUCE)
MX_DECLARE_SCAN(1D, k, args, double)
MX_BODY void k_body(const args *a, int i, double *sum) { *sum += MX_AT(a->x, i); }
MX_REDUCE(1D, k, MX_SUM)
#elif defined(DECLARED_REDUCE_DEFINED_SCAN)
MX_DECLARE_REDUCE(1D, k, args, double)
MX_BODY void k_body(const args *a, int i, double *sum, bool final)
{
    if (final) MX_AT(a->x, i) = *sum;
    *sum += 1;
}
MX_SCAN(1D, k, MX_SUM)
#elif defined(DECLARED_ARRAY_DEFINED_REDUCE)
MX_DECLARE_REDUCE_ARRAY(1D, k, args, double)
MX_BODY void k_body(const args *a, int i, double *sum) { *sum += MX_AT(a->x, i); }
MX_REDUCE(1D, k, MX_SUM)
#elif defined(DECLARED_REDUCE_DEFINED_ARRAY)
MX_DECLARE_REDUCE(1D, k, args, double)
MX_BODY void k_body(const args *a, int i, double *sum) { *sum += MX_AT(a->x, i); }
MX_REDUCE_ARRAY(1D, k, MX_SUM)
#elif defined(DECLARED_FOR_DEFINED_CUSTOM)
MX_DECLARE_FOR(1D, k, args)
MX_BODY void k_body(const args *a, int i, double *sum) { *sum += MX_AT(a->x, i); }
MX_BODY void begin(double *v) { *v = 0; }
MX_BODY void join(double *into, const double *v) { *into += *v; }
MX_REDUCE_CUSTOM(1D, k, begin, join)
#elif defined(NOT_DECLARED)
MX_BODY void k_body(const args *a, int i, double *sum) { *sum += MX_AT(a->x, i); }
MX_REDUCE(1D, k, MX_SUM)
#elif defined(ARGUMENTS_WITHOUT_LIST)
MX_DECLARE_FOR(1D, k, args)
MX_BODY void k_body(const args *a, int i) { MX_AT(a->x, i) = 1; }
MX_FOR(1D, k)
#elif defined(OTHER_VALUE_TYPE)
MX_DECLARE_REDUCE(1D, k, args, float)
MX_BODY void k_body(const args *a, int i, double *sum) { *sum += MX_AT(a->x, i); }
MX_REDUCE(1D, k, MX_SUM)
#elif defined(OTHER_ARGUMENTS)
MX_DECLARE_FOR(1D, k, args)
MX_BODY void k_body(const other_args *a, int i) { MX_AT(a->x, i) = 1; }
MX_FOR(1D, k)
#elif defined(OTHER_INDEX_TYPE)
MX_DECLARE_FOR(1D, k, args)
MX_BODY void k_body(const args *a, int64_t i) { MX_AT(a->x, i) = 1; }
MX_FOR(1D, k)
#elif defined(TOO_FEW_INDICES)
MX_DECLARE_FOR(2D, k, args)
MX_BODY void k_body(const args *a, int i) { MX_AT(a->x, i) = 1; }
MX_FOR(2D, k)
#elif defined(BODY_WITH_OTHER_NAME)
MX_DECLARE_FOR(1D, k, args)
MX_BODY void kk_body(const args *a, int i) { MX_AT(a->x, i) = 1; }
MX_FOR(1D, k)
#elif defined(PROLOGUE_WITH_OTHER_NAME)
MX_DECLARE_FOR(1D, k, args)
MX_BODY void k_body(const args *a, int i) { MX_AT(a->x, i) = 1; }
MX_FOR(1D, k, MX_ITEMS_SIMD, k_prologue)
#elif defined(NO_SUCH_REDUCER)
MX_DECLARE_REDUCE(1D, k, args, double)
MX_BODY void k_body(const args *a, int i, double *sum) { *sum += MX_AT(a->x, i); }
MX_REDUCE(1D, k, MX_SMU)
#elif defined(SUM_OF_LOCATIONS)
MX_DECLARE_REDUCE(1D, k, args, mx_loc_f64)
MX_BODY void k_body(const args *a, int i, mx_loc_f64 *v) { v->value += MX_AT(a->x, i); }
MX_REDUCE(1D, k, MX_SUM)
#elif defined(NO_REDUCER)
MX_DECLARE_REDUCE(2D, k, args, double)
MX_BODY void k_body(const args *a, int i, int j, double *sum) { *sum += MX_AT(a->y, i, j); }
MX_REDUCE(2D, k)
#elif defined(NO_REDUCER_OF_A_SCAN)
MX_DECLARE_SCAN(1D, k, args, double)
MX_BODY void k_body(const args *a, int i, double *sum, bool final)
{
    if (final) MX_AT(a->x, i) = *sum;
    *sum += 1;
}
MX_SCAN(1D, k)
#elif defined(NO_JOIN) || defined(NO_INIT)
MX_DECLARE_REDUCE(1D, k, args, double)
MX_BODY void k_body(const args *a, int i, double *sum) { *sum += MX_AT(a->x, i); }
#ifdef NO_JOIN
MX_BODY void begin(double *v) { *v = 0; }
MX_REDUCE_CUSTOM(1D, k, begin)
#else
MX_BODY void join(double *into, const double *v) { *into += *v; }
MX_REDUCE_CUSTOM(1D, k, , join)
#endif
#elif defined(NO_JOIN_OF_A_SCAN)
MX_DECLARE_SCAN(1D, k, args, double)
MX_BODY void k_body(const args *a, int i, double *sum, bool final)
{
    if (final) MX_AT(a->x, i) = *sum;
    *sum += 1;
}
MX_BODY void begin(double *v) { *v = 0; }
MX_SCAN_CUSTOM(1D, k, begin)
#elif defined(SURPLUS_ARGUMENT) || defined(SURPLUS_ARGUMENTS)
MX_BODY void k_prologue(args *a) { (void)a; }
MX_DECLARE_FOR(2D, k, args)
MX_BODY void k_body(const args *a, int i, int j) { MX_AT(a->y, i, j) = 1; }
#ifdef SURPLUS_ARGUMENT
MX_FOR(2D, k, MX_ITEMS_SIMD, k_prologue, 1)
#else
MX_FOR(2D, k, MX_ITEMS_SIMD, k_prologue, 1, 2, 3, 4)
#endif
#elif defined(SURPLUS_IN_REDUCTION)
MX_DECLARE_REDUCE(1D, k, args, double)
MX_BODY void k_body(const args *a, int i, double *sum) { *sum += MX_AT(a->x, i); }
MX_BODY void k_prologue(args *a) { (void)a; }
MX_REDUCE(1D, k, MX_SUM, MX_ITEMS_SIMD, k_prologue, 1)
#elif defined(SURPLUS_IN_CUSTOM)
MX_DECLARE_REDUCE(1D, k, args, double)
MX_BODY void k_body(const args *a, int i, double *sum) { *sum += MX_AT(a->x, i); }
MX_BODY void begin(double *v) { *v = 0; }
MX_BODY void join(double *into, const double *v) { *into += *v; }
MX_BODY void k_prologue(args *a) { (void)a; }
MX_REDUCE_CUSTOM(1D, k, begin, join, MX_ITEMS_SIMD, k_prologue, 1)
#elif defined(NO_SUCH_REDUCER_OF_A_FIELD)
#define LIST(FIELD) FIELD(double, mass, MX_SMU) FIELD(int, count, MX_SUM)
MX_DECLARE_REDUCE(1D, k, args, summary)
MX_BODY void k_body(const args *a, int i, summary *v) { v->mass += MX_AT(a->x, i); }
MX_REDUCE_FIELDS(1D, k, LIST)
#elif defined(OTHER_FIELDS)
MX_DECLARE_REDUCE(1D, k, args, double)
MX_BODY void k_body(const args *a, int i, double *v) { *v += MX_AT(a->x, i); }
MX_REDUCE_FIELDS(1D, k, SUMMARY)
#elif defined(OTHER_FIELD_TYPE)
#define LIST(FIELD) FIELD(double, mass, MX_SUM) FIELD(float, count, MX_SUM)
MX_DECLARE_REDUCE(1D, k, args, summary)
MX_BODY void k_body(const args *a, int i, summary *v) { v->mass += MX_AT(a->x, i); }
MX_REDUCE_FIELDS(1D, k, LIST)
#elif defined(NO_INDEX_SPACE)
MX_DECLARE_FOR(1D, k, args)
MX_BODY void k_body(const args *a, int i) { MX_AT(a->x, i) = 1; }
MX_FOR(7D, k)
#elif defined(NO_INDEX_SPACE_IN_DECLARATION)
MX_DECLARE_FOR(1D64, k, args)
#elif defined(SCAN_OVER_2D)
MX_DECLARE_SCAN(2D, k, args, double)
#elif defined(ARRAY_OF_TEAMS)
MX_DECLARE_REDUCE_ARRAY(TEAM, k, args, double)
#elif defined(NO_SUCH_ITEMS)
MX_DECLARE_FOR(2D, k, args)
MX_BODY void k_body(const args *a, int i, int j) { MX_AT(a->y, i, j) = 1; }
MX_FOR(2D, k, MX_ITEMS_SMID)
#elif defined(RESIDENT_TEAMS)
MX_DECLARE_FOR(TEAM, k, args)
MX_BODY void k_body(const args *a, mx_team *t) { MX_AT(a->x, t->league_rank) = 1; }
MX_FOR(TEAM, k, MX_ITEMS_RESIDENT_2)
#elif defined(TEAM_WITHOUT_HEADER)
MX_DECLARE_FOR(TEAM, k, args)
MX_BODY void k_body(const args *a, mx_team *t) { MX_AT(a->x, t->league_rank) = 1; }
MX_FOR(TEAM, k)
#elif defined(SCAN_WITHOUT_HEADER) || defined(CUSTOM_SCAN_WITHOUT_HEADER)
MX_DECLARE_SCAN(1D, k, args, double)
MX_BODY void k_body(const args *a, int i, double *sum, bool final)
{
    if (final) MX_AT(a->x, i) = *sum;
    *sum += 1;
}
#ifdef SCAN_WITHOUT_HEADER
MX_SCAN(1D, k, MX_SUM)
#else
MX_BODY void begin(double *v) { *v = 0; }
MX_BODY void join(double *into, const double *v) { *into += *v; }
MX_SCAN_CUSTOM(1D, k, begin, join)
#endif
#elif defined(POINTER_TO_ACCESSOR)
MX_DECLARE_FOR(1D, k, args)
MX_BODY void k_body(const args *a, int i)
{
    const mx_f64_1 *x = &a->x;
    MX_AT(x, i) = MX_AT(x, i) + 1;
}
MX_FOR(1D, k)
#elif defined(TYPING_ERROR)
MX_DECLARE_FOR(1D, k, args)
MX_BODY void k_body(const args *a, int i) { MX_AT(a->x, ii) = 1; }
MX_FOR(1D, k)
#elif defined(FLOATING_INDEX)
MX_DECLARE_FOR(1D, k, args)
MX_BODY void k_body(const args *a, int i) { MX_AT(a->x, 0.5 * i) = 1; }
MX_FOR(1D, k)
#elif defined(UNKNOWN_FUNCTION)
MX_DECLARE_FOR(1D, k, args)
MX_BODY void k_body(const args *a, int i) { MX_AT(a->x, i) = squareroot(i); }
MX_FOR(1D, k)
#elif defined(VARIABLE_LENGTH_ARRAY)
MX_DECLARE_FOR(1D, k, args)
MX_BODY void k_body(const args *a, int i)
{
    double own[i];
    own[0] = 1;
    MX_AT(a->x, i) = own[0];
}
MX_FOR(1D, k)
#elif defined(CONVERSION_FROM_VOID_POINTER)
MX_DECLARE_FOR(1D, k, args)
MX_BODY void k_body(const args *a, int i)
{
    const void *at = &MX_AT(a->x, i);
    const double *x = at;
    MX_AT(a->x, i) = *x;
}
MX_FOR(1D, k)
#elif defined(NAME_THAT_IS_A_WORD_OF_CXX)
MX_DECLARE_FOR(1D, k, args)
MX_BODY void k_body(const args *a, int i)
{
    const double new = 1;
    MX_AT(a->x, i) = new;
}
MX_FOR(1D, k)
#elif defined(VARIABLE_OF_THE_FILE)
static double offset = 1;
MX_DECLARE_FOR(1D, k, args)
MX_BODY void k_body(const args *a, int i) { MX_AT(a->x, i) = offset; }
MX_FOR(1D, k)
#elif defined(TABLE_OF_THE_FILE)
static const double table[3] = {1, 4, 1};
MX_DECLARE_FOR(1D, k, args)
MX_BODY void k_body(const args *a, int i) { MX_AT(a->x, i) = table[i % 3]; }
MX_FOR(1D, k)
#elif defined(PLAIN_FUNCTION)
static double twice(double x) { return 2 * x; }
MX_DECLARE_FOR(1D, k, args)
MX_BODY void k_body(const args *a, int i) { MX_AT(a->x, i) = twice(i); }
MX_FOR(1D, k)
#elif defined(CONST_ACCESSOR) || defined(CONST_ACCESSOR_ADD)
MX_ARGS(const_args, (mx_cf64_2, y));
MX_DECLARE_FOR(1D, k, const_args)
#ifdef CONST_ACCESSOR
MX_BODY void k_body(const const_args *a, int i) { MX_AT(a->y, i, 0) = i; }
#else
MX_BODY void k_body(const const_args *a, int i) { MX_AT(a->y, i, 0) += i; }
#endif
MX_FOR(1D, k)
#elif defined(ONE_INDEX_OF_TWO)
MX_DECLARE_FOR(1D, k, args)
MX_BODY void k_body(const args *a, int i) { MX_AT(a->y, i) = i; }
MX_FOR(1D, k)
#elif defined(ROW_OF_ONE_DIMENSION)
MX_DECLARE_FOR(1D, k, args)
MX_BODY void k_body(const args *a, int i)
{
    const mx_f64_1s row = MX_ROW(a->x, i);
    MX_AT(row, 0) = i;
}
MX_FOR(1D, k)
#elif defined(NAMED_AS_IN_LIBC)
MX_DECLARE_FOR(1D, index, args)
MX_BODY void index_body(const args *a, int i) { MX_AT(a->x, i) = i; }
MX_FOR(1D, index)
#else
/* one of each */
MX_DECLARE_FOR(1D, k, args)
MX_BODY void k_body(const args *a, int i) { MX_AT(a->x, i) = 1; }
MX_FOR(1D, k)
MX_DECLARE_FOR(2D_64, wide, args)
MX_BODY void wide_body(const args *a, int64_t i, int64_t j) { MX_AT(a->y, i, j) = 1; }
MX_FOR(2D_64, wide, MX_ITEMS_RESIDENT_4)
MX_DECLARE_REDUCE(2D, sum, args, double)
MX_BODY void sum_body(const args *a, int i, int j, double *v) { *v += MX_AT(a->y, i, j); }
MX_REDUCE(2D, sum, MX_SUM)
MX_DECLARE_REDUCE(1D, fields, args, summary)
MX_BODY void fields_body(const args *a, int i, summary *v) { v->mass += MX_AT(a->x, i); }
MX_REDUCE_FIELDS(1D, fields, SUMMARY, MX_ITEMS_PLAIN)
MX_DECLARE_REDUCE_ARRAY(2D, array, args, double)
MX_BODY void array_body(const args *a, int i, int j, array_array v)
{
    mx_array_add(v, 0, MX_AT(a->y, i, j));
}
MX_REDUCE_ARRAY(2D, array, MX_SUM)
MX_DECLARE_SCAN(1D, scan, args, double)
MX_BODY void scan_body(const args *a, int i, double *v, bool final)
{
    if (final) MX_AT(a->x, i) = *v;
    *v += 1;
}
MX_SCAN(1D, scan, MX_SUM)
MX_DECLARE_FOR(TEAM, team, args)
MX_BODY void team_body(const args *a, mx_team *t) { MX_AT(a->x, t->league_rank) = 1; }
MX_FOR(TEAM, team)
MX_DECLARE_REDUCE(1D, custom, args, double)
MX_BODY void custom_body(const args *a, int i, double *v) { *v += MX_AT(a->x, i); }
MX_BODY void custom_init(double *v) { *v = 0; }
MX_BODY void custom_join(double *into, const double *v) { *into += *v; }
MX_BODY void prepare(args *a) { (void)a; }
MX_REDUCE_CUSTOM(1D, custom, custom_init, custom_join, MX_ITEMS_PLAIN, prepare)
#endif
