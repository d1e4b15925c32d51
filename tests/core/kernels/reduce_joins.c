#include "minx/kernel.h"

#include "reduce_joins.h"

MX_BODY void rj_sum_body(const rj_args *a, int i, int64_t *sum) { *sum += MX_AT(a->x, i); }
MX_REDUCE(1D, rj_sum, MX_SUM)

MX_BODY void rj_padded_init(rj_padded *v)
{
    v->sum = 0;
    v->top = 0;
}
MX_BODY void rj_padded_join(rj_padded *into, const rj_padded *v)
{
    into->sum += v->sum;
    into->top = into->top > v->top ? into->top : v->top;
}
MX_BODY void rj_small_body(const rj_args *a, int i, rj_padded *v)
{
    const int x = MX_AT(a->x, i), top = x % 100;
    v->sum += x;
    v->top = top > v->top ? (int8_t)top : v->top;
}
MX_REDUCE_CUSTOM(1D, rj_small, rj_padded_init, rj_padded_join)

MX_BODY void rj_bytes_init(rj_bytes *v) { v->x[0] = v->x[1] = v->x[2] = 0; }
MX_BODY void rj_bytes_join(rj_bytes *into, const rj_bytes *v)
{
    for (int b = 0; b < 3; b++) into->x[b] ^= v->x[b];
}
MX_BODY void rj_smallest_body(const rj_args *a, int i, rj_bytes *v)
{
    v->x[i % 3] ^= (uint8_t)MX_AT(a->x, i);
}
MX_REDUCE_CUSTOM(1D, rj_smallest, rj_bytes_init, rj_bytes_join)

MX_BODY void rj_large_body(const rj_no_args *a, int i, int j, int64_t *sum)
{
    *sum += a->factor * i + j;
}
MX_REDUCE(2D, rj_large, MX_SUM)
MX_BODY void rj_line_body(const rj_no_args *a, int i, int64_t *sum)
{
    *sum += (int64_t)a->factor * i;
}
MX_REDUCE(1D, rj_line, MX_SUM)
MX_BODY void rj_double_factor(rj_no_args *a) { a->factor *= 2; }
MX_BODY void rj_doubled_body(const rj_no_args *a, int i, int64_t *sum)
{
    *sum += (int64_t)a->factor * i;
}
MX_REDUCE(1D, rj_doubled, MX_SUM, MX_ITEMS_SIMD, rj_double_factor)
MX_BODY void rj_looping_body(const rj_no_args *a, int i, int j, int64_t *sum)
{
    for (int n = 0; n < a->factor; n++) *sum += i;
    *sum += j;
}
MX_REDUCE(2D, rj_looping, MX_SUM, MX_ITEMS_PLAIN)
MX_BODY void rj_planes_body(const rj_no_args *a, int i, int j, int k, int64_t *sum)
{
    *sum += a->factor * i + j + k;
}
MX_REDUCE(3D, rj_planes, MX_SUM)
MX_BODY void rj_large_fields_body(const rj_no_args *a, int i, int j, rj_fields *v)
{
    v->sum += a->factor * i + j;
    v->count += 1;
    v->top = i > v->top ? i : v->top;
}
MX_REDUCE_FIELDS(2D, rj_large_fields, RJ_FIELDS)
