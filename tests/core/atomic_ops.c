/* Every atomic operation in every form. First each item has an element of its own; results are
 * compared with plain arithmetic in 128 bits or in the type itself. Then many items update one
 * element, with operations whose result does not depend on their order. All results must be
 * exact. */
#include "atomic_ops.h"
#include "check.h"

enum { ITEMS = 30000, TALLY_ITEMS = ITEMS / AO_TALLIES + 1, PAIRS = 2000 };

/* ---- the model: integers as 128-bit ones, cut to the type at the end ---- */
typedef __int128 int128;

static int128 model_integer(int op, int128 old, int128 v)
{
    switch (op) {
    case AO_add: return old + v;
    case AO_sub: return old - v;
    case AO_mul: return (int128)((unsigned __int128)old * (unsigned __int128)v);
    case AO_div: return old / v;
    case AO_min: return v < old ? v : old;
    case AO_max: return v > old ? v : old;
    case AO_inc: return old + 1;
    case AO_dec: return old - 1;
    case AO_mod: return old - old / v * v;
    case AO_and: return old & v;
    case AO_or: return old | v;
    case AO_xor: return (old | v) - (old & v);
    case AO_nand: return -1 - (old & v);
    case AO_lshift: return (int128)((unsigned __int128)old * ((unsigned __int128)1 << (int)v));
    default: { /* rounds down, not towards zero */
        const int128 power = (int128)1 << (int)v, rest = (old % power + power) % power;
        return (old - rest) / power;
    }
    }
}

static double model_f64(int op, double old, double v)
{
    switch (op) {
    case AO_add: return old + v;
    case AO_sub: return old - v;
    case AO_mul: return old * v;
    case AO_div: return old / v;
    case AO_min: return isnan(old) || isnan(v) || v >= old ? old : v;
    case AO_max: return isnan(old) || isnan(v) || v <= old ? old : v;
    case AO_inc: return old + 1;
    default: return old - 1;
    }
}

/* f32 by way of f64: rounding a sum, product or quotient of floats twice gives the same float. */
static float model_f32(int op, float old, float v) { return (float)model_f64(op, old, v); }

/* ---- the pairs of old value and operand: all pairs of these ---- */
enum { KINDS = 12, CASES = KINDS * KINDS };

static double kind_f64(int k)
{
    static const double kinds[KINDS] = {0,      -0.0, 1,        2.5,       -3.75, 1e30,
                                        -1e-30, NAN,  INFINITY, -INFINITY, 7,     1.0 / 3};
    return kinds[k];
}

/* low, high: the type's ends. An operand that the operation does not take becomes one that it
 * does. */
static int128 kind_integer(int k, int128 low, int128 high)
{
    const int128 kinds[KINDS] = {0,
                                 1,
                                 2,
                                 3,
                                 7,
                                 low,
                                 low + 1,
                                 high,
                                 high - 1,
                                 high / 3,
                                 low == 0 ? 12345 : -1,
                                 low == 0 ? 60 : -5};
    return kinds[k];
}
static int128 operand(int op, int128 v, int128 high)
{
    const int width = high == UINT32_MAX || high == INT32_MAX ? 32 : 64;
    if (op == AO_lshift || op == AO_rshift) return (v % width + width) % width;
    if ((op == AO_div || op == AO_mod) && v == 0) return 3;
    return v;
}

static bool same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }
#define AO_FLOAT_VALUE(tag, T)                                       \
    static void case_##tag(int op, int c, T *old, T *v, T *expected) \
    {                                                                \
        *old = (T)kind_f64(c / KINDS);                               \
        *v = (T)kind_f64(c % KINDS);                                 \
        *expected = model_##tag(op, *old, *v);                       \
    }                                                                \
    static bool same_##tag(T a, T b) { return same(a, b); }
#define AO_INTEGER_VALUE(tag, T)                                          \
    static void case_##tag(int op, int c, T *old, T *v, T *expected)      \
    {                                                                     \
        const int bits = 8 * (int)sizeof(T);                              \
        const int128 low = (T)-1 < (T)1 ? -((int128)1 << (bits - 1)) : 0; \
        const int128 high = low + ((int128)1 << bits) - 1;                \
        *old = (T)kind_integer(c / KINDS, low, high);                     \
        *v = (T)operand(op, kind_integer(c % KINDS, low, high), high);    \
        *expected = (T)model_integer(op, *old, *v);                       \
    }                                                                     \
    static bool same_##tag(T a, T b) { return a == b; }
AO_FLOATS(AO_FLOAT_VALUE)
AO_INTEGERS(AO_INTEGER_VALUE)

#define AO_VALUES_TEST(tag, T, TYPE, OPS)                                                          \
    static void values_##tag(mx_ctx ctx)                                                           \
    {                                                                                              \
        enum { N = (OPS)*CASES };                                                                  \
        static T old[N], v[N], expected[N], got[6][N];                                             \
        mx_view views[6];                                                                          \
        ao_##tag##_args a;                                                                         \
        memset(&a, 0, sizeof a);                                                                   \
        a.cases = CASES;                                                                           \
        for (int i = 0; i < N; i++)                                                                \
            case_##tag(i / CASES, i % CASES, &old[i], &v[i], &expected[i]);                        \
        for (int w = 0; w < 6; w++) {                                                              \
            MUST(mx_view_create_1d(ctx, #tag, TYPE, N, &views[w]));                                \
            check_upload(ctx, views[w], w < 5 ? old : v);                                          \
        }                                                                                          \
        MUST(mx_bind(ctx, views[0], &a.plain));                                                    \
        MUST(mx_bind(ctx, views[1], &a.fetched));                                                  \
        MUST(mx_bind(ctx, views[2], &a.updated));                                                  \
        MUST(mx_bind(ctx, views[3], &a.before));                                                   \
        MUST(mx_bind(ctx, views[4], &a.after));                                                    \
        MUST(mx_bind(ctx, views[5], &a.v));                                                        \
        CHECK_OK(ao_values_##tag(mx_range_1d(ctx, 0, CASES), &a));                                 \
        for (int w = 0; w < 6; w++) {                                                              \
            check_download(ctx, views[w], got[w]);                                                 \
            MUST(mx_view_destroy(&views[w]));                                                      \
        }                                                                                          \
        for (int i = 0; i < N; i++)                                                                \
            for (int w = 0; w < 5; w++) {                                                          \
                const T right = w == 3 ? old[i] : expected[i];                                     \
                if (!same_##tag(got[w][i], right) && check_contains_(__FILE__, __LINE__))          \
                    fprintf(stderr, #tag " operation %d form %d of %g, %g: got %g, expected %g\n", \
                            i / CASES, w, (double)old[i], (double)v[i], (double)got[w][i],         \
                            (double)right);                                                        \
            }                                                                                      \
    }

/* ---- many items on one element ---- */
#define AO_CROWD_TEST(tag, T, TYPE, SLOTS)                                                      \
    static void crowd_##tag(mx_ctx ctx)                                                         \
    {                                                                                           \
        static int32_t hits[AO_COUNTERS * ITEMS], wrong[ITEMS];                                 \
        T slot[AO_SLOTS] = {0};                                                                 \
        mx_view slots, hit, bad;                                                                \
        ao_##tag##_crowd_args a;                                                                \
        memset(&a, 0, sizeof a);                                                                \
        a.items = ITEMS;                                                                        \
        for (int s = AO_FETCH_SUB; s <= AO_DEC_FETCH; s++) slot[s] = (T)ITEMS;                  \
        slot[AO_MUL] = (T)1, slot[AO_DIV] = (T)(1 << 21), slot[AO_MIN] = (T)1000000;            \
        slot[AO_MOD] = (T)1234567, slot[AO_NAND] = (T)90, slot[AO_LSHIFT] = (T)3;               \
        slot[AO_RSHIFT] = (T)(0 - (T)(1 << 22));                                                \
        const T shifted = slot[AO_RSHIFT];                                                      \
        MUST(mx_view_create_1d(ctx, #tag, TYPE, AO_SLOTS, &slots));                             \
        MUST(mx_view_create_1d(ctx, "hits", MX_I32, AO_COUNTERS *ITEMS, &hit));                 \
        MUST(mx_view_create_1d(ctx, "wrong", MX_I32, ITEMS, &bad));                             \
        MUST(mx_bind(ctx, slots, &a.slot));                                                     \
        MUST(mx_bind(ctx, hit, &a.hits));                                                       \
        MUST(mx_bind(ctx, bad, &a.wrong));                                                      \
        check_upload(ctx, slots, slot);                                                         \
        CHECK_OK(ao_crowd_##tag(mx_range_1d(ctx, 0, ITEMS), &a));                               \
        check_download(ctx, slots, slot);                                                       \
        check_download(ctx, hit, hits);                                                         \
        check_download(ctx, bad, wrong);                                                        \
        for (int i = 0; i < AO_COUNTERS * ITEMS; i++) CHECK_I64(hits[i], 1);                    \
        for (int i = 0; i < ITEMS; i++) CHECK_I64(wrong[i], 0);                                 \
        for (int s = 0; s < AO_COUNTERS; s++) CHECK_I64(slot[s], s < AO_FETCH_SUB ? ITEMS : 0); \
        CHECK_I64(slot[AO_MUL], 1 << 20); /* and ITEMS - 20 times -1 */                         \
        CHECK_I64(slot[AO_DIV], 2);                                                             \
        CHECK_I64(slot[AO_MIN], 5); /* 7919 and ITEMS have no common factor */                  \
        CHECK_I64(slot[AO_MAX], ITEMS + 4);                                                     \
        if (SLOTS == AO_SLOTS) {                                                                \
            CHECK_I64(slot[AO_MOD], 1234567 % 12);                                              \
            CHECK_I64(slot[AO_NAND], 90); /* flipped an even number of times */                 \
            CHECK_I64(slot[AO_LSHIFT], 3 << 20);                                                \
            CHECK_I64(slot[AO_RSHIFT], (int64_t)(shifted / (T)(1 << 20)));                      \
        }                                                                                       \
        MUST(mx_view_destroy(&slots));                                                          \
        MUST(mx_view_destroy(&hit));                                                            \
        MUST(mx_view_destroy(&bad));                                                            \
    }
#define AO_FLOAT_TESTS(tag, T)                     \
    AO_VALUES_TEST(tag, T, TYPE_##tag, AO_dec + 1) \
    AO_CROWD_TEST(tag, T, TYPE_##tag, AO_MOD)
#define AO_INTEGER_TESTS(tag, T)               \
    AO_VALUES_TEST(tag, T, TYPE_##tag, AO_OPS) \
    AO_CROWD_TEST(tag, T, TYPE_##tag, AO_SLOTS)
#define TYPE_f64 MX_F64
#define TYPE_f32 MX_F32
#define TYPE_i32 MX_I32
#define TYPE_i64 MX_I64
#define TYPE_u32 MX_U32
#define TYPE_u64 MX_U64
AO_FLOATS(AO_FLOAT_TESTS)
AO_INTEGERS(AO_INTEGER_TESTS)

/* Slot 0 holds a NaN and is asked for one; slot 1 holds 0.0 and is asked for -0.0. */
static void test_bits(mx_ctx ctx)
{
    double d[2] = {NAN, 0}, d_got[2];
    float f[2] = {NAN, 0}, f_got[2];
    const mx_type types[4] = {MX_F64, MX_F64, MX_F32, MX_F32};
    mx_view views[4];
    ao_bits_args a;
    memset(&a, 0, sizeof a);
    for (int w = 0; w < 4; w++) MUST(mx_view_create_1d(ctx, "bits", types[w], 2, &views[w]));
    MUST(mx_bind(ctx, views[0], &a.d));
    MUST(mx_bind(ctx, views[1], &a.d_got));
    MUST(mx_bind(ctx, views[2], &a.f));
    MUST(mx_bind(ctx, views[3], &a.f_got));
    check_upload(ctx, views[0], d);
    check_upload(ctx, views[2], f);
    CHECK_OK(ao_bits(mx_range_1d(ctx, 0, 2), &a));
    check_download(ctx, views[0], d);
    check_download(ctx, views[1], d_got);
    check_download(ctx, views[2], f);
    check_download(ctx, views[3], f_got);
    CHECK(d[0] == 3 && isnan(d_got[0]) && f[0] == 3 && isnan(f_got[0]));
    CHECK(d[1] == 0 && d_got[1] == 0 && !signbit(d_got[1]));
    CHECK(f[1] == 0 && f_got[1] == 0 && !signbit(f_got[1]));
    for (int w = 0; w < 4; w++) MUST(mx_view_destroy(&views[w]));
}

static void test_struct(mx_ctx ctx)
{
    static int32_t hits[AO_TALLIES * TALLY_ITEMS];
    ao_tally tally[AO_TALLIES];
    mx_view tallies, hit;
    ao_struct_args a;
    memset(&a, 0, sizeof a);
    a.items = TALLY_ITEMS;
    MUST(mx_view_create_1d(ctx, "tally", MX_USER(ao_tally), AO_TALLIES, &tallies));
    MUST(mx_view_create_1d(ctx, "hits", MX_I32, AO_TALLIES * TALLY_ITEMS, &hit));
    MUST(mx_bind(ctx, tallies, &a.tally));
    MUST(mx_bind(ctx, hit, &a.hits));
    CHECK_OK(ao_struct(mx_range_1d(ctx, 0, ITEMS), &a));
    check_download(ctx, tallies, tally);
    check_download(ctx, hit, hits);
    for (int w = 0; w < AO_TALLIES; w++) {
        int64_t count = 0, sum = 0, highest = 0;
        for (int i = w; i < ITEMS; i += AO_TALLIES) count++, sum += i, highest = i;
        CHECK_I64(tally[w].count, count);
        CHECK_F64(tally[w].sum, (double)sum, 0);
        CHECK_I64(tally[w].highest, highest);
        for (int n = 0; n < TALLY_ITEMS; n++) CHECK_I64(hits[w * TALLY_ITEMS + n], n < count);
    }
    MUST(mx_view_destroy(&tallies));
    MUST(mx_view_destroy(&hit));
}

/* Of two items that each store and then look at what the other one stores, one at least sees it;
 * and who sees the flag sees the data that were stored before. */
static void test_fences(mx_ctx ctx)
{
    int32_t got[8][PAIRS];
    mx_view views[8];
    ao_fence_args a;
    memset(&a, 0, sizeof a);
    a.pairs = PAIRS;
    for (int w = 0; w < 8; w++) MUST(mx_view_create_1d(ctx, "fence", MX_I32, PAIRS, &views[w]));
    MUST(mx_bind(ctx, views[0], &a.x));
    MUST(mx_bind(ctx, views[1], &a.y));
    MUST(mx_bind(ctx, views[2], &a.saw_x));
    MUST(mx_bind(ctx, views[3], &a.saw_y));
    MUST(mx_bind(ctx, views[4], &a.data));
    MUST(mx_bind(ctx, views[5], &a.flag));
    MUST(mx_bind(ctx, views[6], &a.wrong));
    MUST(mx_bind(ctx, views[7], &a.arrived));
    CHECK_OK(ao_fence(mx_range_1d(ctx, 0, 2 * PAIRS), &a));
    for (int w = 0; w < 8; w++) {
        check_download(ctx, views[w], got[w]);
        MUST(mx_view_destroy(&views[w]));
    }
    for (int p = 0; p < PAIRS; p++) {
        CHECK(got[2][p] == 1 || got[3][p] == 1);
        CHECK_I64(got[4][p] + got[5][p], 43);
        CHECK_I64(got[6][p], 0);
    }
}

static void test(mx_ctx ctx)
{
#define AO_RUN(tag, T) \
    values_##tag(ctx); \
    crowd_##tag(ctx);
    AO_FLOATS(AO_RUN)
    AO_INTEGERS(AO_RUN)
    test_bits(ctx);
    for (int again = 0; again < 5; again++) {
        test_struct(ctx);
        test_fences(ctx);
    }
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
