#include "minx/scan.h"

#include "scan.h"

#define SC_BOTH(name, I)                                                      \
    MX_BODY void name##_body(const sc_args *a, I i, int64_t *sum, bool final) \
    {                                                                         \
        const int64_t at = (int64_t)i - a->origin;                            \
        if (final) MX_AT(a->before, at) = *sum;                               \
        *sum += MX_AT(a->count, at);                                          \
        if (final) MX_AT(a->after, at) = *sum;                                \
    }
SC_BOTH(sc_both, int)
MX_SCAN(1D, sc_both, MX_SUM)
SC_BOTH(sc_both_64, int64_t)
MX_SCAN(1D_64, sc_both_64, MX_SUM)

MX_BODY void sc_real_body(const sc_args *a, int i, double *sum, bool final)
{
    *sum += 1.0 / (double)(1 + MX_AT(a->count, i));
    if (final) MX_AT(a->real, i) = *sum;
}
MX_SCAN(1D, sc_real, MX_SUM)

MX_BODY void sc_highest_body(const sc_args *a, int i, int64_t *top, bool final)
{
    *top = MX_AT(a->count, i) > *top ? MX_AT(a->count, i) : *top;
    if (final) MX_AT(a->after, i) = *top;
}
MX_SCAN(1D, sc_highest, MX_MAX)

MX_BODY void sc_identity(sc_map *v)
{
    v->a = 1;
    v->b = 0;
}
/* first `into`, then `v` */
MX_BODY void sc_compose(sc_map *into, const sc_map *v)
{
    into->b = v->a * into->b + v->b;
    into->a = v->a * into->a;
}
MX_BODY void sc_maps_body(const sc_args *a, int i, sc_map *v, bool final)
{
    const sc_map mine = {(uint32_t)(2 * MX_AT(a->count, i) + 1), (uint32_t)(i + 3)};
    sc_compose(v, &mine);
    if (final) MX_AT(a->maps, i) = *v;
}
MX_SCAN_CUSTOM(1D, sc_maps, sc_identity, sc_compose)

MX_BODY void sc_limited_body(const sc_args *a, int i, int64_t *sum, bool final)
{
    MX_BODY_REQUIRE(MX_AT(a->count, i) <= a->limit || (a->once && !final), "large");
    if (final) MX_AT(a->before, i) = *sum;
    *sum += MX_AT(a->count, i);
}
MX_SCAN(1D, sc_limited, MX_SUM)

MX_BODY void sc_read_factor(sc_args *a) { a->times = MX_AT(a->factor); }
MX_BODY void sc_scaled_body(const sc_args *a, int64_t i, int64_t *sum, bool final)
{
    *sum += a->times * MX_AT(a->count, i);
    if (final) MX_AT(a->after, i) = *sum;
}
MX_SCAN(1D_64, sc_scaled, MX_SUM, MX_ITEMS_PLAIN, sc_read_factor)
MX_BODY void sc_scaled_maps_body(const sc_args *a, int i, sc_map *v, bool final)
{
    const sc_map mine = {(uint32_t)(2 * MX_AT(a->count, i) + 1), (uint32_t)(a->times * i)};
    sc_compose(v, &mine);
    if (final) MX_AT(a->maps, i) = *v;
}
MX_SCAN_CUSTOM(1D, sc_scaled_maps, sc_identity, sc_compose, MX_ITEMS_SIMD, sc_read_factor)
