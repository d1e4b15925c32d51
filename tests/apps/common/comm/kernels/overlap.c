#include "minx/kernel.h"

#include "overlap.h"

MX_BODY void ov_pack_body(const ov_args *a, int i) { MX_AT(a->buffer, i) = MX_AT(a->x, i); }
MX_FOR(1D, ov_pack)

MX_BODY void ov_unpack_body(const ov_args *a, int i)
{
    MX_AT(a->x, i) += MX_AT(a->buffer, i) + a->add;
}
MX_FOR(1D, ov_unpack)

/* Work that needs no message. */
MX_BODY void ov_work_body(const ov_args *a, int i)
{
    MX_AT(a->x, i) = (MX_AT(a->x, i) * 3 + a->add) % 1000003;
}
MX_FOR(1D, ov_work)

/* Sums that are rounded. */
MX_BODY void ov_add_up_body(const ov_args *a, int i, ov_sums *s)
{
    const double x = (double)MX_AT(a->x, i) + i;
    s->a += x / 3;
    s->b += 1 / (x + 7);
    s->c -= x * x / 11;
}
MX_REDUCE_FIELDS(1D, ov_add_up, OV_SUMS)
