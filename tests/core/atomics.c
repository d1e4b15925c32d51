/* Atomics: many items update few elements. All values are integers that are small enough for every
 * type, so results are exact. */
#include "atomics.h"
#include "check.h"

/* MANY: enough that threads meet; the largest sum is MANY itself, exact in float (2^24) too. */
enum { ITEMS = 30000, MANY = 1000000, SLOTS = 64 };

typedef struct model {
    double to[SLOTS];
    int64_t log[SLOTS];
} model;

static void model_histogram(model *m)
{
    memset(m, 0, sizeof *m);
    for (int i = 0; i < MANY; i++) m->to[i * 7 % 13] += 1 + i % 3;
    m->to[13] = MANY;
}

static void model_extremes(model *m)
{
    for (int s = 0; s < 3; s++) {
        m->to[s] = 1e6;
        m->to[3 + s] = 0;
    }
    for (int i = 0; i < ITEMS; i++) {
        const double x = (double)((int64_t)i * 7919 % ITEMS + 5);
        m->to[i % 3] = fmin(m->to[i % 3], x);
        m->to[3 + i % 3] = fmax(m->to[3 + i % 3], x);
    }
}

/* What the test of each type is given: its type, its kernels, and how to look at its elements. */
#define AC_TEST(tag, T)                                                                            \
    typedef struct run_##tag {                                                                     \
        mx_ctx ctx;                                                                                \
        mx_view to, log;                                                                           \
        ac_##tag##_args args;                                                                      \
        T got[SLOTS];                                                                              \
        int64_t host_log[SLOTS];                                                                   \
    } run_##tag;                                                                                   \
    static void run_kernel_##tag(run_##tag *r,                                                     \
                                 mx_err (*kernel)(mx_range_1, const ac_##tag##_args *), int items) \
    {                                                                                              \
        memset(r->host_log, 0, sizeof r->host_log);                                                \
        check_upload(r->ctx, r->to, r->got);                                                       \
        check_upload(r->ctx, r->log, r->host_log);                                                 \
        CHECK_OK(kernel(mx_range_1d(r->ctx, 0, items), &r->args));                                 \
        check_download(r->ctx, r->to, r->got);                                                     \
        check_download(r->ctx, r->log, r->host_log);                                               \
    }                                                                                              \
    static void check_sums_##tag(run_##tag *r, const model *histogram, const model *extremes)      \
    {                                                                                              \
        memset(r->got, 0, sizeof r->got);                                                          \
        run_kernel_##tag(r, ac_histogram_##tag, MANY);                                             \
        for (int s = 0; s < SLOTS; s++) CHECK_F64((double)r->got[s], histogram->to[s], 0);         \
        for (int s = 0; s < SLOTS; s++) r->got[s] = (T)(ITEMS + s);                                \
        run_kernel_##tag(r, ac_subtract_##tag, ITEMS);                                             \
        for (int s = 0; s < 5; s++) {                                                              \
            /* the values before were ITEMS + s, one less, ... : each once */                      \
            const int64_t n = ITEMS / 5, top = ITEMS + s;                                          \
            CHECK_F64((double)r->got[s], (double)(top - n), 0);                                    \
            CHECK_I64(r->host_log[s], n *top - n * (n - 1) / 2);                                   \
        }                                                                                          \
        for (int s = 0; s < SLOTS; s++) r->got[s] = (T)(s < 3 ? 1000000 : 0);                      \
        run_kernel_##tag(r, ac_extremes_##tag, ITEMS);                                             \
        for (int s = 0; s < 6; s++) CHECK_F64((double)r->got[s], extremes->to[s], 0);              \
    }                                                                                              \
    static void check_exchanges_##tag(run_##tag *r)                                                \
    {                                                                                              \
        memset(r->got, 0, sizeof r->got);                                                          \
        run_kernel_##tag(r, ac_exchange_##tag, ITEMS);                                             \
        for (int s = 0; s < 4; s++) {                                                              \
            int64_t in = 0;                                                                        \
            for (int i = s; i < ITEMS; i += 4) in += i + 1;                                        \
            CHECK_I64(r->host_log[s] + (int64_t)r->got[s], in);                                    \
        }                                                                                          \
        memset(r->got, 0, sizeof r->got);                                                          \
        run_kernel_##tag(r, ac_claim_##tag, ITEMS);                                                \
        for (int s = 0; s < 50; s++) { /* one winner, and the slot holds what it wrote */          \
            CHECK_I64(r->host_log[s] / 1000000, 1);                                                \
            CHECK_I64(r->host_log[s] % 1000000 + 1, (int64_t)r->got[s]);                           \
            CHECK_I64(r->host_log[s] % 1000000 % 50, s);                                           \
        }                                                                                          \
        memset(r->got, 0, sizeof r->got);                                                          \
        run_kernel_##tag(r, ac_retry_##tag, ITEMS);                                                \
        for (int s = 0; s < 2; s++) CHECK_I64(r->got[s], ITEMS);                                   \
        for (int s = 0; s < 20; s++) CHECK_I64(r->got[2 + s], 3 * s);                              \
    }                                                                                              \
    static void test_##tag(mx_ctx ctx, mx_type type, const model *histogram,                       \
                           const model *extremes)                                                  \
    {                                                                                              \
        run_##tag r;                                                                               \
        memset(&r, 0, sizeof r);                                                                   \
        r.ctx = ctx;                                                                               \
        r.args.items = ITEMS;                                                                      \
        MUST(mx_view_create_1d(ctx, #tag, type, SLOTS, &r.to));                                    \
        MUST(mx_view_create_1d(ctx, "log", MX_I64, SLOTS, &r.log));                                \
        MUST(mx_bind(ctx, r.to, &r.args.to));                                                      \
        MUST(mx_bind(ctx, r.log, &r.args.log));                                                    \
        check_sums_##tag(&r, histogram, extremes);                                                 \
        check_exchanges_##tag(&r);                                                                 \
        check_bits_##tag(&r);                                                                      \
        MUST(mx_view_destroy(&r.to));                                                              \
        MUST(mx_view_destroy(&r.log));                                                             \
    }
/* Bits 0 to 30 are set, cleared, and flipped as often as items have them. */
#define AC_TEST_BITS(tag, T)                                                      \
    struct run_##tag;                                                             \
    static void check_bits_##tag(struct run_##tag *at);                           \
    AC_TEST(tag, T)                                                               \
    static void check_bits_##tag(struct run_##tag *r)                             \
    {                                                                             \
        const uint64_t all = 0x7fffffff;                                          \
        uint64_t flipped = 0;                                                     \
        for (int i = 0; i < ITEMS; i++) flipped ^= (uint64_t)1 << i % 31;         \
        memset(r->got, 0, sizeof r->got);                                         \
        r->got[1] = (T) ~(T)0;                                                    \
        run_kernel_##tag(r, ac_bits_##tag, ITEMS);                                \
        CHECK((T)all == r->got[0]);                                               \
        CHECK((T)(~(T)0 ^ (T)all) == r->got[1]);                                  \
        CHECK((T)flipped == r->got[2]);                                           \
        CHECK_I64(r->host_log[0], 31); /* each bit was new to exactly one item */ \
    }
#define AC_TEST_NO_BITS(tag, T)                                    \
    struct run_##tag;                                              \
    static void check_bits_##tag(struct run_##tag *r) { (void)r; } \
    AC_TEST(tag, T)
AC_FLOATS(AC_TEST_NO_BITS)
AC_INTEGERS(AC_TEST_BITS)

static void test(mx_ctx ctx)
{
    model histogram, extremes;
    model_histogram(&histogram);
    model_extremes(&extremes);
    for (int again = 0; again < 3; again++) {
        test_f64(ctx, MX_F64, &histogram, &extremes);
        test_f32(ctx, MX_F32, &histogram, &extremes);
        test_i32(ctx, MX_I32, &histogram, &extremes);
        test_i64(ctx, MX_I64, &histogram, &extremes);
        test_u32(ctx, MX_U32, &histogram, &extremes);
        test_u64(ctx, MX_U64, &histogram, &extremes);
    }
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
