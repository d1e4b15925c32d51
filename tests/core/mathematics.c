/* Mathematics in kernels. Every function is compared with that of the C library in long double; the
 * difference is measured in units in the last place. Constants, limits, bits and comparisons are
 * compared with their definitions. */
#include "mathematics.h"
#include "check.h"

enum { N = 4000, ORDERED = 12 };

/* ---- functions ---- */
#define MM_TEXT(fn, low, high, ulps64, ulps32) #fn,
#define MM_BOUND(fn, low, high, ulps64, ulps32) {low, high, ulps64, ulps32},
#define MM_TRY1(fn, low, high, ulps64, ulps32) \
    if (function == MM_##fn) return fn##l(x);
#define MM_TRY2(fn, low, high, ulps64, ulps32) \
    if (function == MM_##fn) return fn##l(x, y);
static const char *const names[] = {MM_UNARY(MM_TEXT) MM_BINARY(MM_TEXT) "fma", "mx_hypot3",
                                    "mx_rsqrt", "mx_recip"};
typedef struct bound {
    double low, high, ulps64, ulps32;
} bound;
static const bound bounds[MM_FUNCTIONS] = {
    MM_UNARY(MM_BOUND) MM_BINARY(MM_BOUND)
    /* fma; hypot3: CUDA's norm3d 2 and 3, here hypot twice; rsqrt: CUDA 1 and 2, here a quotient;
     * recip: see math.h */
    {-9, 9, 0, 0},
    {-9, 9, 2, 3},
    {1e-20, 1e20, 1, 2},
    {1e-30, 1e30, 1, 1}};

static long double reference(int function, long double x, long double y, long double z)
{
    MM_UNARY(MM_TRY1)
    MM_BINARY(MM_TRY2)
    if (function == MM_fma) return fmal(x, y, z);
    if (function == MM_recip) return 1 / x;
    return function == MM_hypot3 ? sqrtl(x * x + y * y + z * z) : 1 / sqrtl(x);
}

/* Spread over the range: evenly, but by orders of magnitude where the range has many. */
static double sample(int f)
{
    const double low = bounds[f].low, high = bounds[f].high;
    const double u = (double)check_random_int(0, 1 << 30) / (1 << 30);
    return low > 0 && high / low > 1e6 ? low * pow(high / low, u) : low + (high - low) * u;
}

/* One unit in the last place of a float with that many digits, at x. */
static long double unit(long double x, int digits, int lowest)
{
    int exponent;
    frexpl(x, &exponent);
    return ldexpl(1, exponent - digits > lowest ? exponent - digits : lowest);
}

#define MM_FUNCTION_TEST(tag, T, TYPE, ULPS, DIGITS, LOWEST)                                       \
    static void functions_##tag(mx_ctx ctx)                                                        \
    {                                                                                              \
        static T x[3][MM_FUNCTIONS * N], result[MM_FUNCTIONS * N];                                 \
        mx_view views[4];                                                                          \
        mm_##tag##_args a;                                                                         \
        memset(&a, 0, sizeof a);                                                                   \
        a.n = N;                                                                                   \
        mx_bind_none(&a.rules);                                                                    \
        for (int w = 0; w < 4; w++) {                                                              \
            MUST(mx_view_create_1d(ctx, #tag, TYPE, MM_FUNCTIONS *N, &views[w]));                  \
            for (int i = 0; w < 3 && i < MM_FUNCTIONS * N; i++) x[w][i] = (T)sample(i / N);        \
            if (w < 3) check_upload(ctx, views[w], x[w]);                                          \
        }                                                                                          \
        MUST(mx_bind(ctx, views[0], &a.x));                                                        \
        MUST(mx_bind(ctx, views[1], &a.y));                                                        \
        MUST(mx_bind(ctx, views[2], &a.z));                                                        \
        MUST(mx_bind(ctx, views[3], &a.result));                                                   \
        CHECK_OK(mm_functions_##tag(mx_range_1d(ctx, 0, N), &a));                                  \
        check_download(ctx, views[3], result);                                                     \
        for (int f = 0; f < MM_FUNCTIONS; f++) {                                                   \
            long double worst = 0;                                                                 \
            int where = f * N;                                                                     \
            for (int i = f * N; i < (f + 1) * N; i++) {                                            \
                const long double right = reference(f, x[0][i], x[1][i], x[2][i]);                 \
                const long double off = fabsl(result[i] - right) / unit(right, DIGITS, LOWEST);    \
                if (!(off <= worst)) worst = off, where = i;                                       \
            }                                                                                      \
            /* a bound counts from the correctly rounded result, which is half a unit off */       \
            if (!(worst <= bounds[f].ULPS + 0.5L) && check_contains_(__FILE__, __LINE__))          \
                fprintf(stderr,                                                                    \
                        "%s " #tag " of %.17g, %.17g: got %.17g, off by %.2Lf ulps, at most %g\n", \
                        names[f], (double)x[0][where], (double)x[1][where], (double)result[where], \
                        worst, bounds[f].ULPS);                                                    \
        }                                                                                          \
        for (int w = 0; w < 4; w++) MUST(mx_view_destroy(&views[w]));                              \
    }
MM_FUNCTION_TEST(f64, double, MX_F64, ulps64, 53, -1074)
MM_FUNCTION_TEST(f32, float, MX_F32, ulps32, 24, -149)

/* ---- rules of floats ---- */

#define MM_RULE_TEST(tag, T, TYPE, s)                                                            \
    static void rules_##tag(mx_ctx ctx)                                                          \
    {                                                                                            \
        T rules[MM_RULES], zero = 0;                                                             \
        mx_view views[2];                                                                        \
        mm_##tag##_args a;                                                                       \
        memset(&a, 0, sizeof a);                                                                 \
        MUST(mx_view_create_1d(ctx, "zero", TYPE, 1, &views[0]));                                \
        MUST(mx_view_create_1d(ctx, "rules", TYPE, MM_RULES, &views[1]));                        \
        check_upload(ctx, views[0], &zero);                                                      \
        MUST(mx_bind(ctx, views[0], &a.x));                                                      \
        MUST(mx_bind(ctx, views[1], &a.rules));                                                  \
        mx_bind_none(&a.y);                                                                      \
        mx_bind_none(&a.z);                                                                      \
        mx_bind_none(&a.result);                                                                 \
        CHECK_OK(mm_rules_##tag(mx_range_1d(ctx, 0, 1), &a));                                    \
        check_download(ctx, views[1], rules);                                                    \
        const T big = nextafter##s((T)INFINITY, 0);                                              \
        const double expected[] = {                                                              \
            1,           0, 1,     0,  1,     0, 1,  1,       0, 1,                              \
            (double)big, 1, -0.75, -3, 0.625, 7, 24, 0.09375, 0, (double)(T)(big * sqrt(0.375)), \
            1,           7, 3};                                                                  \
        for (size_t r = 0; r < sizeof expected / sizeof expected[0]; r++) {                      \
            /* only hypot3 rounds */                                                             \
            const double allowed =                                                               \
                r == 19 ? 4 * expected[r] * (sizeof(T) == 8 ? DBL_EPSILON : FLT_EPSILON) : 0;    \
            if (!(fabs((double)rules[r] - expected[r]) <= allowed) &&                            \
                check_contains_(__FILE__, __LINE__))                                             \
                fprintf(stderr, #tag " rule %zu: got %g, expected %g\n", r, (double)rules[r],    \
                        expected[r]);                                                            \
        }                                                                                        \
        for (int w = 0; w < 2; w++) MUST(mx_view_destroy(&views[w]));                            \
    }
MM_RULE_TEST(f64, double, MX_F64, )
MM_RULE_TEST(f32, float, MX_F32, f)

static void test_constants(mx_ctx ctx)
{
    double got[MM_CONSTANTS];
    mx_view view;
    mm_constant_args a;
    memset(&a, 0, sizeof a);
    MUST(mx_view_create_1d(ctx, "constants", MX_F64, MM_CONSTANTS, &view));
    MUST(mx_bind(ctx, view, &a.to));
    CHECK_OK(mm_constants(mx_range_1d(ctx, 0, MM_CONSTANTS), &a));
    check_download(ctx, view, got);
    MUST(mx_view_destroy(&view));
    const long double pi = acosl(-1), n = 1000;
    long double harmonic =
        0; /* Euler's number gamma: sum of 1/k minus log n, by the Euler-Maclaurin formula */
    for (long double k = n; k >= 1; k--) harmonic += 1 / k;
    const long double gamma =
        harmonic - logl(n) - 1 / (2 * n) + 1 / (12 * n * n) - 1 / (120 * n * n * n * n);
    const long double right[MM_CONSTANTS] = {
        expl(1),  1 / logl(2), 1 / logl(10), pi,           1 / pi, 1 / sqrtl(pi),     logl(2),
        logl(10), sqrtl(2),    sqrtl(3),     1 / sqrtl(3), gamma,  (1 + sqrtl(5)) / 2};
    for (int c = 0; c < MM_CONSTANTS; c++) CHECK_F64(got[c], (double)right[c], 0);
}

/* ---- bits, one by one ---- */
static uint64_t model_bits(int f, uint64_t x, int64_t places, int width)
{
    int ones = 0, left[2] = {0, 0}, right[2] = {0, 0}, highest = -1;
    uint64_t turned = 0, swapped = 0;
    for (int b = 0; b < width; b++) {
        const int bit = x >> b & 1, to = (int)((b + places) % width + width) % width;
        ones += bit;
        if (bit) highest = b;
        turned |= (uint64_t)bit << to;
        swapped |= (uint64_t)bit << (width - 8 - b / 8 * 8 + b % 8);
    }
    for (int want = 0; want < 2; want++) {
        while (left[want] < width && (int)(x >> (width - 1 - left[want]) & 1) == want) left[want]++;
        while (right[want] < width && (int)(x >> right[want] & 1) == want) right[want]++;
    }
    switch (f) {
    case MM_POPCOUNT: return (uint64_t)ones;
    case MM_COUNTL_ZERO: return (uint64_t)left[0];
    case MM_COUNTL_ONE: return (uint64_t)left[1];
    case MM_COUNTR_ZERO: return (uint64_t)right[0];
    case MM_COUNTR_ONE: return (uint64_t)right[1];
    case MM_BIT_WIDTH: return (uint64_t)highest + 1;
    case MM_BIT_FLOOR: return highest < 0 ? 0 : (uint64_t)1 << highest;
    case MM_BIT_CEIL: return highest < 0 ? 1 : (uint64_t)(ones > 1 ? 2 : 1) << highest;
    case MM_SINGLE_BIT: return ones == 1;
    case MM_ROTL: return turned;
    case MM_ROTR: return model_bits(MM_ROTL, x, -places, width);
    default: return swapped;
    }
}

#define MM_BIT_TEST(tag, T, TYPE, W)                                                               \
    static void bits_##tag(mx_ctx ctx)                                                             \
    {                                                                                              \
        static T x[N], to[N * MM_BITS];                                                            \
        static int32_t places[N];                                                                  \
        mx_view views[3];                                                                          \
        mm_##tag##_args a;                                                                         \
        memset(&a, 0, sizeof a);                                                                   \
        for (int i = 0; i < N; i++) {                                                              \
            x[i] = i <= W       ? (i == W ? 0 : (T)1 << i)                                         \
                   : i <= 2 * W ? (T) ~(T)0 >> (i - W - 1)                                         \
                                : (T)check_random();                                               \
            places[i] = i == 3 * W       ? INT32_MIN /* whose negative is none */                  \
                        : i == 3 * W + 1 ? INT32_MAX                                               \
                                         : (int32_t)check_random_int(-2 * W, 2 * W);               \
        }                                                                                          \
        MUST(mx_view_create_1d(ctx, "x", TYPE, N, &views[0]));                                     \
        MUST(mx_view_create_1d(ctx, "places", MX_I32, N, &views[1]));                              \
        MUST(mx_view_create_1d(ctx, "to", TYPE, N *MM_BITS, &views[2]));                           \
        MUST(mx_bind(ctx, views[0], &a.x));                                                        \
        MUST(mx_bind(ctx, views[1], &a.places));                                                   \
        MUST(mx_bind(ctx, views[2], &a.to));                                                       \
        check_upload(ctx, views[0], x);                                                            \
        check_upload(ctx, views[1], places);                                                       \
        CHECK_OK(mm_bits_##tag(mx_range_1d(ctx, 0, N), &a));                                       \
        check_download(ctx, views[2], to);                                                         \
        for (int i = 0; i < N; i++)                                                                \
            for (int f = 0; f < MM_BITS; f++) {                                                    \
                const T right =                                                                    \
                    (T)model_bits(f, f == MM_BIT_CEIL ? x[i] >> 1 : x[i], places[i], W);           \
                if (to[i * MM_BITS + f] != right && check_contains_(__FILE__, __LINE__))           \
                    fprintf(stderr,                                                                \
                            #tag " function %d of %" PRIx64 ": got %" PRIx64 ", expected %" PRIx64 \
                                 "\n",                                                             \
                            f, (uint64_t)x[i], (uint64_t)to[i * MM_BITS + f], (uint64_t)right);    \
            }                                                                                      \
        for (int w = 0; w < 3; w++) MUST(mx_view_destroy(&views[w]));                              \
    }
MM_BIT_TEST(u32, uint32_t, MX_U32, 32)
MM_BIT_TEST(u64, uint64_t, MX_U64, 64)

/* ---- order: all pairs of some numbers ---- */
#define MM_ORDER_TEST(tag, T, TYPE, LOW, HIGH)                                            \
    static void order_##tag(mx_ctx ctx)                                                   \
    {                                                                                     \
        const T some[ORDERED] = {0, 1, 2, 3, 4, 9, 10, 11, 100, (T)-5, LOW, HIGH};        \
        T x[ORDERED * ORDERED], y[ORDERED * ORDERED], to[ORDERED * ORDERED * MM_ORDERS];  \
        mx_view views[3];                                                                 \
        mm_order_##tag##_args a;                                                          \
        memset(&a, 0, sizeof a);                                                          \
        for (int i = 0; i < ORDERED * ORDERED; i++)                                       \
            x[i] = some[i / ORDERED], y[i] = some[i % ORDERED];                           \
        MUST(mx_view_create_1d(ctx, "x", TYPE, ORDERED *ORDERED, &views[0]));             \
        MUST(mx_view_create_1d(ctx, "y", TYPE, ORDERED *ORDERED, &views[1]));             \
        MUST(mx_view_create_1d(ctx, "to", TYPE, ORDERED *ORDERED *MM_ORDERS, &views[2])); \
        MUST(mx_bind(ctx, views[0], &a.x));                                               \
        MUST(mx_bind(ctx, views[1], &a.y));                                               \
        MUST(mx_bind(ctx, views[2], &a.to));                                              \
        check_upload(ctx, views[0], x);                                                   \
        check_upload(ctx, views[1], y);                                                   \
        CHECK_OK(mm_order_##tag(mx_range_1d(ctx, 0, ORDERED *ORDERED), &a));              \
        check_download(ctx, views[2], to);                                                \
        for (int i = 0; i < ORDERED * ORDERED; i++) {                                     \
            const T *got = &to[i * MM_ORDERS];                                            \
            CHECK(got[0] == (x[i] < y[i] ? x[i] : y[i]));                                 \
            CHECK(got[1] == (x[i] > y[i] ? x[i] : y[i]));                                 \
            CHECK(got[2] == (x[i] > 10 ? 10 : x[i] > 3 ? x[i] : 3));                      \
        }                                                                                 \
        for (int w = 0; w < 3; w++) MUST(mx_view_destroy(&views[w]));                     \
    }
MM_ORDER_TEST(f64, double, MX_F64, -DBL_MAX, DBL_MAX)
MM_ORDER_TEST(f32, float, MX_F32, -FLT_MAX, FLT_MAX)
MM_ORDER_TEST(i32, int32_t, MX_I32, INT32_MIN, INT32_MAX)
MM_ORDER_TEST(i64, int64_t, MX_I64, INT64_MIN, INT64_MAX)
MM_ORDER_TEST(u32, uint32_t, MX_U32, 0, UINT32_MAX)
MM_ORDER_TEST(u64, uint64_t, MX_U64, 0, UINT64_MAX)

static void test(mx_ctx ctx)
{
    functions_f64(ctx);
    functions_f32(ctx);
    rules_f64(ctx);
    rules_f32(ctx);
    test_constants(ctx);
    bits_u32(ctx);
    bits_u64(ctx);
#define MM_RUN_ORDER(tag, T) order_##tag(ctx);
    MM_NUMBERS(MM_RUN_ORDER)
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
