#include "minx/kernel.h"

#include "graph_step.h"

/* A half list: each pair once, its force on both particles. */
MX_BODY void gs_force_body(const gs_force_args *a, int i)
{
    for (int n = 1; n <= GS_NEIGHBOURS; n++) {
        const int j = (i + n) % a->particles;
        const int64_t force = (MX_AT(a->x, i) * n - MX_AT(a->x, j)) % 7;
        MX_SCATTER(a->f, force, i);
        MX_SCATTER(a->f, -force, j);
    }
}
MX_FOR(1D, gs_force, MX_ITEMS_PLAIN)

MX_BODY void gs_move_body(const gs_move_args *a, int i)
{
    MX_AT(a->x, i) = (MX_AT(a->x, i) + MX_AT(a->f, i) + GS_WIDTH) % GS_WIDTH;
    if (MX_AT(a->f, i) != 0) mx_atomic_add(&MX_AT(a->moves), (int64_t)1);
}
MX_FOR(1D, gs_move, MX_ITEMS_PLAIN)
