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
