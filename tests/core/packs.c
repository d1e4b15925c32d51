/* Packs: every operation is compared lane by lane with plain numbers. The last group has lanes that
 * are off. The numbers are multiples of 1/4, so all results are exact except quotients and roots.
 * Those are rounded correctly by IEEE 754, so all must be equal. */
#include "packs.h"
#include "check.h"

/* GUARD: elements behind the end that nothing may touch. */
enum { N = 8 * 50 + 5, GROUPS = (N + 7) / 8, WHOLE = N / 8 * 8, GUARD = 8 };

/* What is left to a type: sqrt and fma, or what integers do with bits. */
static double model_float(int op, double x, double y, double d, bool f32)
{
    (void)y;
    if (op == PK_FMA) return f32 ? fmaf((float)d, (float)d, -1) : fma(d, d, -1);
    return f32 ? sqrtf(fabsf((float)x)) : sqrt(fabs(x));
}
static double model_integer(int op, double x, double y, double d, bool f32)
{
    const int64_t a = (int64_t)x, b = (int64_t)y, power = (int64_t)1 << llabs(a) % 8;
    (void)d, (void)f32;
    switch (op) {
    case PK_MOD: return (double)(a - a / b * b);
    case PK_AND: return (double)(a & b);
    case PK_OR: return (double)(a | b);
    case PK_XOR: return (double)((a | b) - (a & b));
    case PK_NOT: return (double)(-1 - a);
    case PK_LSHIFT: return (double)(llabs(b) * power);
    default: return floor(y / (double)power);
    }
}

#define PK_TEST(tag, T, TYPE, KIND, OPS)                                                         \
    static double model_##tag(int op, const T *x, const T *y, const T *d, const int32_t *index,  \
                              int i)                                                             \
    {                                                                                            \
        const T a = x[i], b = y[i];                                                              \
        const int mirrored = i / 8 * 8 + 7 - i % 8;                                              \
        switch (op) {                                                                            \
        case PK_ADD: return (double)(a + b);                                                     \
        case PK_SUB: return (double)(a - b);                                                     \
        case PK_MUL: return (double)(a * b);                                                     \
        case PK_DIV: return (double)(a / b);                                                     \
        case PK_NEGATE: return (double)(-a);                                                     \
        case PK_PLUS_NUMBER: return (double)(a + 3);                                             \
        case PK_NUMBER_MINUS: return (double)(3 - a);                                            \
        case PK_COMPOUND: return (double)((a + b) * b - a);                                      \
        case PK_MIN: return (double)(a < b ? a : b);                                             \
        case PK_MAX: return (double)(a > b ? a : b);                                             \
        case PK_ABS: return (double)(a < 0 ? -a : a);                                            \
        case PK_SELECT: return (double)(a < b ? a : b);                                          \
        case PK_LT: return (double)(a < b);                                                      \
        case PK_LE: return (double)(a <= b);                                                     \
        case PK_GT: return (double)(a > b);                                                      \
        case PK_GE: return (double)(a >= b);                                                     \
        case PK_EQ: return (double)(a == b);                                                     \
        case PK_NE: return (double)(a != 4);                                                     \
        case PK_MASKS: return (double)((a < b && a > 0) || a == b);                              \
        case PK_GATHER: return (double)(x[index[i]]);                                            \
        case PK_SCATTER: /* the index is its own inverse; groups with a tail scatter nothing */  \
            return (double)(index[i] < WHOLE ? x[index[i]] : 0);                                 \
        case PK_REVERSE: return (double)(mirrored < N ? x[mirrored] : 1);                        \
        default: return KIND(op, (double)a, (double)b, (double)d[i], sizeof(T) == 4);            \
        }                                                                                        \
    }                                                                                            \
    static void check_joins_##tag(const T *x, const T *y, const T *joined)                       \
    {                                                                                            \
        for (int g = 0; g < GROUPS; g++) {                                                       \
            double sum = 0, lowest = 1e9, highest = -1e9, any = 0, all = 1, count = 0, bits = 0; \
            for (int i = 8 * g; i < 8 * g + 8; i++) { /* lanes outside hold 1 and 1 */           \
                const double a = (double)(i < N ? x[i] : 1), b = (double)(i < N ? y[i] : 1);     \
                sum += a;                                                                        \
                lowest = fmin(lowest, a);                                                        \
                highest = fmax(highest, a);                                                      \
                if (a < b) any = 1;                                                              \
                if (a > b) all = 0;                                                              \
                count += a < b;                                                                  \
                bits += a < b ? 1 << (i - 8 * g) : 0;                                            \
            }                                                                                    \
            CHECK_F64((double)joined[PK_SUM * GROUPS + g], sum, 0);                              \
            CHECK_F64((double)joined[PK_LOWEST * GROUPS + g], lowest, 0);                        \
            CHECK_F64((double)joined[PK_HIGHEST * GROUPS + g], highest, 0);                      \
            CHECK_F64((double)joined[PK_ANY * GROUPS + g], any, 0);                              \
            CHECK_F64((double)joined[PK_ALL * GROUPS + g], all, 0);                              \
            CHECK_F64((double)joined[PK_COUNT * GROUPS + g], count, 0);                          \
            CHECK_F64((double)joined[PK_BITS * GROUPS + g], bits, 0);                            \
            CHECK_F64((double)joined[PK_BACK * GROUPS + g], 1, 0);                               \
        }                                                                                        \
    }                                                                                            \
    static void test_##tag(mx_ctx ctx)                                                           \
    {                                                                                            \
        enum { SIZE = (OPS)*N + GUARD };                                                         \
        static T x[N], y[N], d[N], to[SIZE], joined[PK_JOINS * GROUPS], whole[N];                \
        static int32_t index[8 * GROUPS];                                                        \
        const T quarter = (T)0.25 == 0 ? (T)1 : (T)0.25;                                         \
        mx_view v[7];                                                                            \
        pk_##tag##_args a;                                                                       \
        memset(&a, 0, sizeof a);                                                                 \
        a.n = N, a.groups = GROUPS;                                                              \
        for (int i = 0; i < N; i++) {                                                            \
            x[i] = (T)check_random_int(-50, 50) * quarter;                                       \
            y[i] = (T)check_random_int(1, 50);                                                   \
            if (i / 8 % 5 == 0) y[i] = x[i] + quarter; /* a group of nothing but less */         \
            if (i / 8 % 5 == 1) y[i] = (T)-60;         /* and one of none */                     \
            if (i / 8 % 5 > 1 && i % 4 == 0) y[i] = x[i];                                        \
            if (y[i] == 0) y[i] = 1;                                                             \
            d[i] = (T)(1 + (i + 1) * (sizeof(T) == 8 ? 0x1p-40 : 0x1p-20));                      \
        }                                                                                        \
        for (int i = 0; i < SIZE; i++) to[i] = i < (OPS)*N ? (T)0 : (T)77;                       \
        /* pairs change places; lanes of the tail that are off point into the view */            \
        for (int i = 0; i < 8 * GROUPS; i++) index[i] = i < N ? N - 1 - i : 0;                   \
        MUST(mx_view_create_1d(ctx, "x", TYPE, N, &v[0]));                                       \
        MUST(mx_view_create_1d(ctx, "y", TYPE, N, &v[1]));                                       \
        MUST(mx_view_create_1d(ctx, "d", TYPE, N, &v[2]));                                       \
        MUST(mx_view_create_1d(ctx, "index", MX_I32, 8 * GROUPS, &v[3]));                        \
        MUST(mx_view_create_1d(ctx, "to", TYPE, SIZE, &v[4]));                                   \
        MUST(mx_view_create_1d(ctx, "joined", TYPE, PK_JOINS *GROUPS, &v[5]));                   \
        MUST(mx_view_create_1d(ctx, "whole", TYPE, N, &v[6]));                                   \
        MUST(mx_bind(ctx, v[0], &a.x));                                                          \
        MUST(mx_bind(ctx, v[1], &a.y));                                                          \
        MUST(mx_bind(ctx, v[2], &a.d));                                                          \
        MUST(mx_bind(ctx, v[3], &a.index));                                                      \
        MUST(mx_bind(ctx, v[4], &a.to));                                                         \
        MUST(mx_bind(ctx, v[5], &a.joined));                                                     \
        MUST(mx_bind(ctx, v[6], &a.whole));                                                      \
        check_upload(ctx, v[0], x);                                                              \
        check_upload(ctx, v[1], y);                                                              \
        check_upload(ctx, v[2], d);                                                              \
        check_upload(ctx, v[3], index);                                                          \
        check_upload(ctx, v[4], to);                                                             \
        CHECK_OK(pk_##tag(mx_range_1d(ctx, 0, GROUPS), &a));                                     \
        check_download(ctx, v[4], to);                                                           \
        check_download(ctx, v[5], joined);                                                       \
        check_download(ctx, v[6], whole);                                                        \
        for (int op = 0; op < (OPS); op++)                                                       \
            for (int i = 0; i < N; i++) {                                                        \
                const double right = model_##tag(op, x, y, d, index, i);                         \
                if ((double)to[op * N + i] != right && check_contains_(__FILE__, __LINE__))      \
                    fprintf(stderr, #tag " operation %d of %g, %g: got %.17g, expected %.17g\n", \
                            op, (double)x[i], (double)y[i], (double)to[op * N + i], right);      \
            }                                                                                    \
        for (int i = 0; i < GUARD; i++) CHECK_F64((double)to[(OPS)*N + i], 77, 0);               \
        check_joins_##tag(x, y, joined);                                                         \
        for (int i = 0; i < N; i++)                                                              \
            CHECK_F64((double)whole[i], i >= 1 && i <= WHOLE ? (double)x[i - 1] : 0, 0);         \
        for (int w = 0; w < 7; w++) MUST(mx_view_destroy(&v[w]));                                \
    }
PK_TEST(f64, double, MX_F64, model_float, PK_FMA + 1)
PK_TEST(f32, float, MX_F32, model_float, PK_FMA + 1)
PK_TEST(i32, int32_t, MX_I32, model_integer, PK_OPS)
PK_TEST(i64, int64_t, MX_I64, model_integer, PK_OPS)

/* ---- simd_parts.h ---- */

enum { PARTS = 256, PART_LANES = 8 * PARTS }; /* a group for each mask of eight bits */

typedef struct parts_data {
    double x[PART_LANES], y[PART_LANES], chosen[PART_LANES], sum[PARTS], widened[PART_LANES];
    float x32[PART_LANES], y32[PART_LANES], chosen32[PART_LANES], sum32[PARTS];
    int32_t less[PARTS], less32[PARTS];
} parts_data;

static void check_parts(const parts_data *p)
{
    for (int g = 0; g < PARTS; g++) {
        double sum = 0; /* multiples of 1/4: exact in every order */
        int less = 0;
        for (int l = 0, i = 8 * g; l < 8; l++, i++) {
            const double chosen = g >> l & 1 ? p->x[i] : p->y[i];
            CHECK_F64(p->chosen[i], chosen, 0);
            CHECK_F64((double)p->chosen32[i], chosen, 0);
            CHECK_F64(p->widened[i], p->x[i], 0);
            sum += p->x[i];
            less |= (p->x[i] < p->y[i]) << l;
        }
        CHECK_F64(p->sum[g], sum, 0);
        CHECK_F64((double)p->sum32[g], sum, 0);
        CHECK_I64(p->less[g], less);
        CHECK_I64(p->less32[g], less);
    }
}

static void test_parts(mx_ctx ctx)
{
    static parts_data p;
    pk_parts_views v;
    pk_parts_args a;
    memset(&a, 0, sizeof a);
    const struct {
        mx_view *view;
        mx_type type;
        int count;
        void *data;
    } arrays[] = {{&v.x, MX_F64, PART_LANES, p.x},
                  {&v.y, MX_F64, PART_LANES, p.y},
                  {&v.chosen, MX_F64, PART_LANES, p.chosen},
                  {&v.sum, MX_F64, PARTS, p.sum},
                  {&v.widened, MX_F64, PART_LANES, p.widened},
                  {&v.x32, MX_F32, PART_LANES, p.x32},
                  {&v.y32, MX_F32, PART_LANES, p.y32},
                  {&v.chosen32, MX_F32, PART_LANES, p.chosen32},
                  {&v.sum32, MX_F32, PARTS, p.sum32},
                  {&v.less, MX_I32, PARTS, p.less},
                  {&v.less32, MX_I32, PARTS, p.less32}};
    enum { ARRAYS = sizeof arrays / sizeof *arrays };
    for (int i = 0; i < PART_LANES; i++) {
        p.x[i] = 0.25 * (double)check_random_int(-9, 9);
        p.y[i] = 0.25 * (double)check_random_int(-9, 9);
        p.x32[i] = (float)p.x[i];
        p.y32[i] = (float)p.y[i];
    }
    for (int w = 0; w < ARRAYS; w++) {
        MUST(mx_view_create_1d(ctx, "parts", arrays[w].type, arrays[w].count, arrays[w].view));
        check_upload(ctx, *arrays[w].view, arrays[w].data);
    }
    MUST(pk_parts_args_bind(ctx, &v, &a));
    CHECK_OK(pk_parts(mx_range_1d(ctx, 0, PARTS), &a));
    for (int w = 0; w < ARRAYS; w++) check_download(ctx, *arrays[w].view, arrays[w].data);
    check_parts(&p);
    for (int w = 0; w < ARRAYS; w++) MUST(mx_view_destroy(arrays[w].view));
}

/* ---- rows by themselves ---- */

static void test_row(mx_ctx ctx)
{
    enum { ITEMS = 30, NUMBERS = ITEMS + 4 };
    double from[NUMBERS], to[4 * ITEMS];
    float less[NUMBERS];
    pk_row_args a;
    mx_view v[3];
    for (int k = 0; k < NUMBERS; k++) {
        from[k] = 0.25 * (double)check_random_int(-400, 400);
        less[k] = 0.5F * (float)check_random_int(-400, 400);
    }
    MUST(mx_view_create_1d(ctx, "from", MX_F64, NUMBERS, &v[0]));
    MUST(mx_view_create_1d(ctx, "less", MX_F32, NUMBERS, &v[1]));
    MUST(mx_view_create_1d(ctx, "to", MX_F64, 4 * ITEMS, &v[2]));
    check_upload(ctx, v[0], from);
    check_upload(ctx, v[1], less);
    MUST(mx_bind(ctx, v[0], &a.from));
    MUST(mx_bind(ctx, v[1], &a.less));
    MUST(mx_bind(ctx, v[2], &a.to));
    CHECK_OK(pk_row(mx_range_1d(ctx, 0, ITEMS), &a));
    check_download(ctx, v[2], to);
    for (int i = 0; i < ITEMS; i++)
        for (int d = 0; d < 4; d++)
            CHECK_F64(to[4 * i + d], 4 * from[i + d] - less[i + d] * from[i + d + 1], 0);
    for (int w = 0; w < 3; w++) MUST(mx_view_destroy(&v[w]));
}

static void test(mx_ctx ctx)
{
    test_parts(ctx);
    test_row(ctx);
    test_f64(ctx);
    test_f32(ctx);
    test_i32(ctx);
    test_i64(ctx);
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
