#include "minx/kit/random.h"
#include "minx/kernel.h"

#include "random.h"

MX_BODY void rn_known_body(const rn_known_args *a, int i)
{
    uint32_t counter[4], key[2], block[4];
    for (int w = 0; w < 4; w++) counter[w] = MX_AT(a->counter, 4 * i + w);
    for (int w = 0; w < 2; w++) key[w] = MX_AT(a->key, 2 * i + w);
    mx_philox4x32(counter, key, block);
    for (int w = 0; w < 4; w++) MX_AT(a->block, 4 * i + w) = block[w];
}
MX_FOR(1D, rn_known)

MX_BODY void rn_draw_body(const rn_args *a, int i)
{
    mx_random r = mx_random_at(a->seed, a->first + (uint64_t)i, a->block);
    for (int w = 0; w < RN_WORDS; w++) MX_AT(a->u32, RN_WORDS * i + w) = mx_random_u32(&r);
    MX_AT(a->u64, i) = mx_random_u64(&r);
    MX_AT(a->f64, i) = mx_random_f64(&r);
    MX_AT(a->second, i) = mx_random_f64(&r);
    MX_AT(a->f32, i) = mx_random_f32(&r);
    MX_AT(a->small, i) = mx_random_int(&r, a->low, a->high);
    MX_AT(a->wide, i) = mx_random_int(&r, 0, a->far);
    MX_AT(a->any, i) = mx_random_int(&r, INT64_MIN, INT64_MAX);
    double x, y;
    mx_random_normal(&r, &x, &y);
    MX_AT(a->normal, i) = x;
    MX_AT(a->other, i) = y;
}
MX_FOR(1D, rn_draw, MX_ITEMS_PLAIN)
