/* Random numbers for kernels and drivers. They are the same on every backend, and for any number of
 * threads and ranks:
 *
 *     mx_random r = mx_random_at(seed, id, step * BLOCKS);     a stream for each item, chosen by its global number
 *     const double x = mx_random_f64(&r), y = mx_random_f64(&r);
 *
 * The generator is Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy
 * as 1, 2, 3", SC'11). A block is four u32. Block number n of a stream is a function of the
 * seed, the stream and n only. So no state is stored, locked, or passed from item to item. There
 * are 2^64 seeds, each with 2^64 streams of 2^64 blocks, and no two streams overlap: the seed is
 * the key, the stream is the upper half of the counter, n the lower half. To continue a stream
 * in a later time step, start at block step * BLOCKS, where a step uses at most BLOCKS blocks
 * (two f64 are one); if it uses more, numbers repeat. The generator passes the test batteries
 * that the paper names. Do not use it for cryptography. */
#pragma once
#include "minx/math.h"

typedef struct mx_random {
    uint32_t key[2];
    uint32_t counter[4]; /* of the next block */
    uint32_t block[4];
    int left; /* how many numbers of the block were not used yet */
} mx_random;

/* The generator itself: computes the block with this counter and key. */
MX_INLINE void mx_philox4x32(const uint32_t counter[4], const uint32_t key[2], uint32_t block[4])
{
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; round++) {
        const uint64_t a = (uint64_t)0xd2511f53u * c0, b = (uint64_t)0xcd9e8d57u * c2;
        c0 = (uint32_t)(b >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)b;
        c2 = (uint32_t)(a >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)a;
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    block[0] = c0;
    block[1] = c1;
    block[2] = c2;
    block[3] = c3;
}

/* The stream with this seed and number. It starts at block number `block`. */
MX_INLINE mx_random mx_random_at(uint64_t seed, uint64_t stream, uint64_t block)
{
    const mx_random r = {
        {(uint32_t)seed, (uint32_t)(seed >> 32)},
        {(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)stream, (uint32_t)(stream >> 32)},
        {0, 0, 0, 0},
        0};
    return r;
}

/* A uniformly distributed number of 32 or 64 bits. A u64 uses two u32, the lower half first. */
MX_INLINE uint32_t mx_random_u32(mx_random *r)
{
    if (r->left == 0) {
        mx_philox4x32(r->counter, r->key, r->block);
        r->counter[1] += ++r->counter[0] == 0;
        r->left = 4;
    }
    return r->block[4 - r->left--];
}
MX_INLINE uint64_t mx_random_u64(mx_random *r)
{
    const uint64_t low = mx_random_u32(r);
    return low | (uint64_t)mx_random_u32(r) << 32;
}

/* Uniform in [0, 1): a multiple of 2^-53 (uses one u64), or of 2^-24 (uses one u32). */
MX_INLINE double mx_random_f64(mx_random *r) { return (double)(mx_random_u64(r) >> 11) * 0x1p-53; }
MX_INLINE float mx_random_f32(mx_random *r) { return (float)(mx_random_u32(r) >> 8) * 0x1p-24f; }

/* Uniform in low, low+1, ..., high, where low <= high; all values have exactly the same
 * probability. Uses one u64, rarely more. The result is the upper half of the product of the u64
 * and the number of values. The few u64 that would make some values more probable are rejected
 * (Lemire, "Fast random integer generation in an interval", ACM TOMACS 29, 2019). */
MX_INLINE int64_t mx_random_int(mx_random *r, int64_t low, int64_t high)
{
    const uint64_t values = (uint64_t)high - (uint64_t)low + 1; /* 0: all 2^64 */
    if (values == 0) return (int64_t)mx_random_u64(r);
    unsigned __int128 product;
    do {
        product = (unsigned __int128)mx_random_u64(r) * values;
    } while ((uint64_t)product < values && (uint64_t)product < (0 - values) % values);
    return (int64_t)((uint64_t)low + (uint64_t)(product >> 64));
}

/* Two independent numbers of the standard normal distribution (Box and Muller 1958). Uses two u64.
 * Results of two backends may differ by some units in the last place, as those of log, sin and cos
 * do. */
MX_INLINE void mx_random_normal(mx_random *r, double *x, double *y)
{
    const double radius = sqrt(-2 * log(1 - mx_random_f64(r)));
    const double angle = 2 * MX_PI * mx_random_f64(r);
    *x = radius * cos(angle);
    *y = radius * sin(angle);
}
