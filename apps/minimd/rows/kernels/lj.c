/* The Lennard-Jones potential, cut off at r_c: E(r) = 4 epsilon ((sigma/r)^12 - (sigma/r)^6), and
 * the force times 1/r, so that it multiplies the vector between the atoms. With shift=force the
 * force at the cutoff is subtracted from all forces, and the energy follows: F_s(r) = F(r) -
 * F(r_c), E_s(r) = E(r) - E(r_c) + (r - r_c) F(r_c). Both are 0 at the cutoff (Stoddard and Ford
 * 1973), so that atoms that cross it do not change the energy. */
#include "minx/kernel.h"

#include "kernels/md_precision.h"
#include "rows/md_rows.h"

/* one: all pairs have the same parameters, which stay in registers. p is copied before the branch:
 * without that gcc does not vectorize the loop over neighbours. */
MX_BODY md_pair pair_of(const md_lj_args *a, int i, int j, bool one)
{
    md_pair p = a->lj.one;
    if (one) return p;
    p = md_pair_of_row(&a->pair, MX_LOAD(a->type, i) * a->lj.types + MX_LOAD(a->type, j));
    return p;
}

typedef struct interaction {
    md_real force;  /* over r */
    md_real energy; /* of the pair */
} interaction;

/* The products of parameters are the same for all pairs of two types, so that the compiler computes
 * them once where it knows them. */
MX_BODY interaction interact(const md_pair *p, md_real square, bool shifted, bool energy)
{
    interaction result = {0, 0};
    const md_real sigma6 = (md_real)p->sigma6, well = (md_real)(4 * p->epsilon * p->sigma6);
    const md_real attraction = (md_real)(24 * p->epsilon * p->sigma6);
    const md_real repulsion = 2 * attraction * sigma6;
    const md_real inverse2 = mx_recip(square);
    const md_real inverse6 = inverse2 * inverse2 * inverse2;
    result.force = (repulsion * inverse6 - attraction) * (inverse6 * inverse2);
    if (energy) result.energy = well * inverse6 * (sigma6 * inverse6 - 1);
    if (shifted) {
        const md_real r = (md_real)sqrt(square), at = (md_real)p->force_shift;
        result.force -= at / r;
        if (energy) result.energy += (r - (md_real)p->cutoff) * at - (md_real)p->energy_shift;
    }
    return result;
}

/* The force on atom i, and half of what its pairs add to energy and virial. one, shifted: as in
 * the arguments. Constants make a loop without those branches, which are slow on a GPU. */
MX_BODY void force_on(const md_lj_args *a, int i, bool one, bool shifted, bool energy,
                      md_energy *sum)
{
    const double x = MX_LOAD(a->position, i, 0), y = MX_LOAD(a->position, i, 1),
                 z = MX_LOAD(a->position, i, 2);
    const int neighbours = MX_AT(a->neighbour_count, i);
    double fx = 0, fy = 0, fz = 0, potential = 0, virial = 0, at_cutoff = 0;
    MX_UNROLL(4)
    MX_SIMD_SUM(fx, fy, fz, potential, virial, at_cutoff)
    for (int n = 0; n < neighbours; n++) {
        const int j = MX_AT(a->neighbour, i, n);
        const md_real dx = (md_real)(x - MX_LOAD(a->position, j, 0)),
                      dy = (md_real)(y - MX_LOAD(a->position, j, 1)),
                      dz = (md_real)(z - MX_LOAD(a->position, j, 2));
        const md_real square = dx * dx + dy * dy + dz * dz;
        const md_pair p = pair_of(a, i, j, one);
        const interaction pair = interact(&p, square, shifted, energy);
        const bool inside = square < (md_real)p.cutoff_square;
        const md_real force = inside ? pair.force : 0;
        fx += dx * force;
        fy += dy * force;
        fz += dz * force;
        if (energy) {
            potential += inside ? 0.5 * (double)pair.energy : 0;
            virial += 0.5 * (double)(square * force);
            at_cutoff += inside && !shifted ? 0.5 * p.energy_shift : 0;
        }
    }
    MX_AT(a->force, i, 0) = fx;
    MX_AT(a->force, i, 1) = fy;
    MX_AT(a->force, i, 2) = fz;
    sum->potential += potential;
    sum->virial += virial;
    sum->at_cutoff += at_cutoff;
}

MX_BODY void any_force_on(const md_lj_args *a, int i, bool energy, md_energy *sum)
{
    if (a->lj.one_pair && !a->lj.shifted)
        force_on(a, i, true, false, energy, sum);
    else
        force_on(a, i, a->lj.one_pair, a->lj.shifted, energy, sum);
}

/* md_lj_full and md_lj_full_energy, in the precision of this file. */
#define KERNELS(name) NAMED_KERNELS(name) /* expands MD_FORM */
#define NAMED_KERNELS(name)                                                     \
    MX_BODY void name##_body(const md_lj_args *a, int i)                        \
    {                                                                           \
        md_energy none = {0, 0, 0};                                             \
        any_force_on(a, i, false, &none);                                       \
    }                                                                           \
    MX_FOR(1D, name, MX_ITEMS_RESIDENT_4)                                       \
    MX_BODY void name##_energy_body(const md_lj_args *a, int i, md_energy *sum) \
    {                                                                           \
        any_force_on(a, i, true, sum);                                          \
    }                                                                           \
    MX_REDUCE_FIELDS(1D, name##_energy, MD_ENERGY, MX_ITEMS_PLAIN)
KERNELS(MD_FORM(md_lj_full))
