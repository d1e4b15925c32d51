/* The Lennard-Jones potential, cut off at r_c: E(r) = 4 epsilon ((sigma/r)^12 - (sigma/r)^6), and the force times 1/r, so that it
 * multiplies the vector between the atoms. With shift=force the force at the cutoff is subtracted from all forces, and the
 * energy follows: F_s(r) = F(r) - F(r_c), E_s(r) = E(r) - E(r_c) + (r - r_c) F(r_c). Both are 0 at the cutoff (Stoddard and Ford
 * 1973), so that atoms that cross it do not change the energy. */
#include "minx/kernel.h"

#include "md_kernels.h"

/* one: all pairs have the same parameters, which stay in registers. */
MX_BODY md_pair pair_of(const md_lj_args *a, int i, int j, bool one)
{
    md_pair p = a->one;
    if (one) return p;
    const int row = MX_LOAD(a->type, i) * a->types + MX_LOAD(a->type, j);
    p.epsilon = MX_AT(a->pair, row, 0);
    p.sigma6 = MX_AT(a->pair, row, 1);
    p.cutoff_square = MX_AT(a->pair, row, 2);
    p.cutoff = MX_AT(a->pair, row, 3);
    p.force_shift = MX_AT(a->pair, row, 4);
    p.energy_shift = MX_AT(a->pair, row, 5);
    return p;
}

typedef struct interaction {
    double force;  /* over r */
    double energy; /* of the pair */
} interaction;

/* The products of parameters are the same for all pairs of two types, so that the compiler computes them once where it knows them. */
MX_BODY interaction interact(const md_pair *p, double square, bool shifted, bool energy)
{
    interaction result = {0, 0};
    const double attraction = 24 * p->epsilon * p->sigma6, repulsion = 2 * attraction * p->sigma6;
    const double inverse2 = mx_recip(square);
    const double inverse6 = inverse2 * inverse2 * inverse2;
    result.force = (repulsion * inverse6 - attraction) * (inverse6 * inverse2);
    if (energy)
        result.energy = (4 * p->epsilon * p->sigma6) * inverse6 * (p->sigma6 * inverse6 - 1);
    if (shifted) {
        const double r = sqrt(square);
        result.force -= p->force_shift / r;
        if (energy) result.energy += (r - p->cutoff) * p->force_shift - p->energy_shift;
    }
    return result;
}

/* The force on atom i, and half of what its pairs add to energy and virial. one, shifted: as in the arguments. A constant makes a
 * loop without those branches: with them cuda took 1.4 times as long. */
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
        const double dx = x - MX_LOAD(a->position, j, 0), dy = y - MX_LOAD(a->position, j, 1),
                     dz = z - MX_LOAD(a->position, j, 2);
        const double square = dx * dx + dy * dy + dz * dz;
        const md_pair p = pair_of(a, i, j, one);
        const interaction pair = interact(&p, square, shifted, energy);
        const bool inside = square < p.cutoff_square;
        const double force = inside ? pair.force : 0;
        fx += dx * force;
        fy += dy * force;
        fz += dz * force;
        if (energy) {
            potential += inside ? 0.5 * pair.energy : 0;
            virial += 0.5 * square * force;
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
    if (a->one_pair && !a->shifted)
        force_on(a, i, true, false, energy, sum);
    else
        force_on(a, i, a->one_pair, a->shifted, energy, sum);
}

MX_BODY void md_lj_full_body(const md_lj_args *a, int i)
{
    md_energy none = {0, 0, 0};
    any_force_on(a, i, false, &none);
}
MX_FOR(1D, md_lj_full, MX_ITEMS_GATHER)

MX_BODY void md_lj_full_energy_body(const md_lj_args *a, int i, md_energy *sum)
{
    any_force_on(a, i, true, sum);
}
MX_REDUCE_FIELDS(1D, md_lj_full_energy, MD_ENERGY, MX_ITEMS_PLAIN)
