#include "minx/kernel.h"

#include "md_kernels.h"

MX_BODY void md_make_lattice_body(const md_lattice_args *a, int k, int j, int m)
{
    const md_site s = md_lattice_site(&a->lattice, k, j, m);
    if (!s.exists) return;
    const int64_t seed = md_lattice_seed(&a->lattice, &s);
    for (int d = 0; d < 3; d++) {
        MX_AT(a->position, s.index, d) = a->lattice.spacing * (double)s.at[d];
        MX_AT(a->velocity, s.index, d) = md_lattice_velocity(seed, d);
    }
    MX_AT(a->type, s.index) = md_lattice_type(s.id, a->types);
    MX_AT(a->id, s.index) = s.id;
}
MX_FOR(3D, md_make_lattice, MX_ITEMS_PLAIN)

MX_BODY void md_scale_velocities_body(const md_scale_args *a, int i)
{
    for (int d = 0; d < 3; d++)
        MX_AT(a->velocity, i, d) = (MX_AT(a->velocity, i, d) - a->mean[d]) * a->factor;
}
MX_FOR(1D, md_scale_velocities)
