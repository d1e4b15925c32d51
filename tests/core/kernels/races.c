#include "minx/kernel.h"

#include "races.h"

MX_BODY void races_carried_body(const races_args *a, int i)
{
    MX_AT(a->y, i) = MX_AT(a->y, i - 1) + 1;
}
MX_FOR(1D, races_carried, MX_ITEMS_PLAIN)

MX_BODY void races_free_body(const races_args *a, int i)
{
    MX_AT(a->y, i) = MX_AT(a->x, i - 1) + 1;
}
MX_FOR(1D, races_free)

MX_BODY void races_order_body(const races_args *a, int i)
{
    MX_AT(a->order, i) = mx_atomic_fetch_add(&MX_AT(a->next), 1);
}
MX_FOR(1D, races_order, MX_ITEMS_PLAIN)
