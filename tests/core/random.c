/* Random streams: published test vectors, a second implementation of the generator, and
 * statistics. */
#include "random.h"
#include "check.h"
#include "minx/kit/random.h"

enum { ITEMS = 100000, BINS = 128 };

/* Known answers for philox4x32-10: the file kat_vectors of Random123 1.14 (D. E. Shaw Research),
 * which comes with Salmon et al., SC'11: all zeros, all ones, digits of pi. */
static const uint32_t known_counter[12] = {0,          0,          0,          0,
                                           0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff,
                                           0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344};
static const uint32_t known_key[6] = {0, 0, 0xffffffff, 0xffffffff, 0xa4093822, 0x299f31d0};
static const uint32_t known_block[12] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8,
                                         0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd,
                                         0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1};

static void test_known(mx_ctx ctx)
{
    uint32_t block[12];
    mx_view counters, keys, blocks;
    rn_known_args a;
    memset(&a, 0, sizeof a);
    MUST(mx_view_create_1d(ctx, "counters", MX_U32, 12, &counters));
    MUST(mx_view_create_1d(ctx, "keys", MX_U32, 6, &keys));
    MUST(mx_view_create_1d(ctx, "blocks", MX_U32, 12, &blocks));
    MUST(mx_bind(ctx, counters, &a.counter));
    MUST(mx_bind(ctx, keys, &a.key));
    MUST(mx_bind(ctx, blocks, &a.block));
    check_upload(ctx, counters, known_counter);
    check_upload(ctx, keys, known_key);
    CHECK_OK(rn_known(mx_range_1d(ctx, 0, 3), &a));
    check_download(ctx, blocks, block);
    for (int w = 0; w < 12; w++) CHECK_I64(block[w], known_block[w]);
    for (int v = 0; v < 3; v++) { /* and in a driver */
        mx_philox4x32(known_counter + 4 * v, known_key + 2 * v, block);
        for (int w = 0; w < 4; w++) CHECK_I64(block[w], known_block[4 * v + w]);
    }
    MUST(mx_view_destroy(&counters));
    MUST(mx_view_destroy(&keys));
    MUST(mx_view_destroy(&blocks));
}

/* ---- the model: a stream as words by number, from the paper's figure, with 128-bit counters
 * ---- */
typedef unsigned __int128 uint128;
typedef struct model {
    uint64_t seed, stream, block, taken;
} model;

static uint32_t model_u32(model *m)
{
    const uint128 counter = ((uint128)m->stream << 64) + m->block + m->taken / 4;
    uint64_t left[2] = {(uint32_t)counter, (uint32_t)(counter >> 64)};
    uint64_t right[2] = {(uint32_t)(counter >> 32), (uint32_t)(counter >> 96)};
    const uint64_t multiplier[2] = {0xd2511f53, 0xcd9e8d57}, weyl[2] = {0x9e3779b9, 0xbb67ae85};
    for (uint64_t round = 0; round < 10; round++) {
        uint64_t fresh[2];
        for (int s = 0; s < 2; s++) {
            const uint64_t key = ((m->seed >> 32 * s) + round * weyl[s]) & 0xffffffff;
            fresh[s] = (multiplier[1 - s] * left[1 - s] >> 32) ^ right[s] ^ key;
        }
        for (int s = 0; s < 2; s++) right[s] = multiplier[1 - s] * left[1 - s] & 0xffffffff;
        left[0] = fresh[0], left[1] = fresh[1];
    }
    const uint64_t words[4] = {left[0], right[0], left[1], right[1]};
    return (uint32_t)words[m->taken++ % 4];
}

static uint64_t model_u64(model *m)
{
    const uint64_t low = model_u32(m);
    return low + ((uint64_t)model_u32(m) << 32);
}

/* Numbers 0 to choices - 1; draws whose product falls into the incomplete part of 2^64 do not
 * count. */
static uint64_t model_choice(model *m, uint128 choices)
{
    const uint128 all = (uint128)1 << 64;
    for (;;) {
        const uint128 product = (uint128)model_u64(m) * choices;
        if (product % all >= all % choices) return (uint64_t)(product / all);
    }
}

/* What one kernel drew, on the host. */
typedef struct drawn {
    uint32_t u32[ITEMS * RN_WORDS];
    uint64_t u64[ITEMS];
    double f64[ITEMS], second[ITEMS], normal[ITEMS], other[ITEMS];
    float f32[ITEMS];
    int64_t small[ITEMS], wide[ITEMS], any[ITEMS];
} drawn;

static void draw(mx_ctx ctx, rn_args *a, drawn *d)
{
    void *const to[10] = {d->u32,   d->u64, d->f64,   d->second, d->normal,
                          d->other, d->f32, d->small, d->wide,   d->any};
    const mx_type types[10] = {MX_U32, MX_U64, MX_F64, MX_F64, MX_F64,
                               MX_F64, MX_F32, MX_I64, MX_I64, MX_I64};
    mx_view v[10];
    for (int w = 0; w < 10; w++)
        MUST(mx_view_create_1d(ctx, "drawn", types[w], w == 0 ? ITEMS * RN_WORDS : ITEMS, &v[w]));
    MUST(mx_bind(ctx, v[0], &a->u32));
    MUST(mx_bind(ctx, v[1], &a->u64));
    MUST(mx_bind(ctx, v[2], &a->f64));
    MUST(mx_bind(ctx, v[3], &a->second));
    MUST(mx_bind(ctx, v[4], &a->normal));
    MUST(mx_bind(ctx, v[5], &a->other));
    MUST(mx_bind(ctx, v[6], &a->f32));
    MUST(mx_bind(ctx, v[7], &a->small));
    MUST(mx_bind(ctx, v[8], &a->wide));
    MUST(mx_bind(ctx, v[9], &a->any));
    CHECK_OK(rn_draw(mx_range_1d(ctx, 0, ITEMS), a));
    for (int w = 0; w < 10; w++) {
        check_download(ctx, v[w], to[w]);
        MUST(mx_view_destroy(&v[w]));
    }
}

static void check_model(const rn_args *a, const drawn *d)
{
    for (int i = 0; i < ITEMS; i++) {
        model m = {a->seed, a->first + (uint64_t)i, a->block, 0};
        for (int w = 0; w < RN_WORDS; w++) CHECK_I64(d->u32[i * RN_WORDS + w], model_u32(&m));
        CHECK_I64(d->u64[i], model_u64(&m));
        CHECK_F64(d->f64[i], ldexp((double)(model_u64(&m) / 2048), -53), 0);
        CHECK_F64(d->second[i], ldexp((double)(model_u64(&m) / 2048), -53), 0);
        CHECK_F64(d->f32[i], ldexp((double)(model_u32(&m) / 256), -24), 0);
        CHECK_I64(d->small[i], a->low + (int64_t)model_choice(&m, (uint128)(a->high - a->low) + 1));
        CHECK_I64(d->wide[i], model_choice(&m, (uint128)a->far + 1));
        CHECK_I64(d->any[i], model_u64(&m)); /* all 2^64 */
        const double u = 1 - ldexp((double)(model_u64(&m) / 2048), -53);
        const double turn = ldexp((double)(model_u64(&m) / 2048), -53);
        /* log and sqrt err by 1 ulp at most, sin and cos by 2, the angle by 2 more of up to 2 pi:
         * below 1e-14 together */
        const long double radius = sqrtl(-2 * logl(u)),
                          angle = 2 * 3.14159265358979323846264L * turn;
        CHECK_F64(d->normal[i], (double)(radius * cosl(angle)), 1e-14);
        CHECK_F64(d->other[i], (double)(radius * sinl(angle)), 1e-14);
    }
}

/* ---- statistics. All numbers are fixed by the seed, so a check holds always or never; bounds of
 * five standard errors would be exceeded by one good generator in a million. ---- */

static void check_mean(const double *x, double mean, double deviation)
{
    double sum = 0;
    for (int i = 0; i < ITEMS; i++) sum += x[i];
    CHECK_F64(sum / (double)ITEMS, mean, 5 * deviation / sqrt(ITEMS));
}

/* How often each of `bins` equally likely outcomes came: chi-square has bins - 1 degrees of
 * freedom, mean bins - 1 and variance 2 (bins - 1). */
static void check_even(const int *bin, int bins)
{
    double chi = 0;
    for (int b = 0; b < bins; b++) {
        const double expected = (double)ITEMS / bins;
        chi += (bin[b] - expected) * (bin[b] - expected) / expected;
    }
    CHECK_F64(chi, bins - 1, 5 * sqrt(2.0 * (bins - 1)));
}

static void check_statistics(const rn_args *a, const drawn *d)
{
    static double term[ITEMS];
    int f64[BINS] = {0}, f32[BINS] = {0}, word[BINS] = {0}, small[16] = {0}, wide3[3] = {0};
    const int choices = (int)(a->high - a->low + 1);
    for (int i = 0; i < ITEMS; i++) {
        CHECK(d->f64[i] >= 0 && d->f64[i] < 1 && d->f32[i] >= 0 && d->f32[i] < 1);
        CHECK(d->small[i] >= a->low && d->small[i] <= a->high);
        f64[(int)(d->f64[i] * (double)BINS)]++;
        f32[(int)(d->f32[i] * (float)BINS)]++;
        word[d->u32[i * RN_WORDS] % BINS]++;
        small[d->small[i] - a->low]++;
        wide3[d->wide[i] % 3]++; /* of 3 2^61 numbers: without rejection 1/2, 1/4, 1/4 */
    }
    check_even(f64, BINS);
    check_even(f32, BINS);
    check_even(word, BINS);
    check_even(small, choices);
    check_even(wide3, 3);
    check_mean(d->f64, 0.5, sqrt(1.0 / 12));
    for (int i = 0; i < ITEMS; i++) term[i] = (d->f64[i] - 0.5) * (d->f64[i] - 0.5);
    check_mean(term, 1.0 / 12, sqrt(1.0 / 180)); /* fourth moment 1/80 */
    for (int i = 0; i < ITEMS; i++) term[i] = (d->f64[i] - 0.5) * (d->second[i] - 0.5);
    check_mean(term, 0, 1.0 / 12); /* within a stream */
    for (int i = 0; i < ITEMS; i++) term[i] = (d->f64[i] - 0.5) * (d->f64[(i + 1) % ITEMS] - 0.5);
    check_mean(term, 0, 1.0 / 12); /* from stream to stream */
    check_mean(d->normal, 0, 1);
    check_mean(d->other, 0, 1);
    for (int power = 2; power <= 4; power += 2) { /* moments 1 and 3, their variances 2 and 96 */
        for (int i = 0; i < ITEMS; i++) term[i] = pow(d->normal[i], power);
        check_mean(term, power == 2 ? 1 : 3, power == 2 ? sqrt(2) : sqrt(96));
        for (int i = 0; i < ITEMS; i++) term[i] = pow(d->other[i], power);
        check_mean(term, power == 2 ? 1 : 3, power == 2 ? sqrt(2) : sqrt(96));
    }
    for (int i = 0; i < ITEMS; i++) term[i] = d->normal[i] * d->other[i];
    check_mean(term, 0, 1);
}

static void test(mx_ctx ctx)
{
    drawn *d = check_memory(sizeof *d);
    rn_args a;
    memset(&a, 0, sizeof a);
    test_known(ctx);
    a.seed = 20111112, a.low = -3, a.high = 9, a.far = ((int64_t)3 << 61) - 1;
    draw(ctx, &a, d);
    check_model(&a, d);
    check_statistics(&a, d);
    /* all 64 bits of each count, and blocks go on behind 2^32 */
    a.seed = 0xfedcba9876543210, a.first = 0xffffffffffff0000, a.block = 0xffffffff;
    a.low = 5, a.high = 5, a.far = INT64_MAX;
    draw(ctx, &a, d);
    check_model(&a, d);
    free(d);
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
