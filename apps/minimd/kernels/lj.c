/* The Lennard-Jones potential, cut off at r_c: E(r) = 4 epsilon ((sigma/r)^12 - (sigma/r)^6), and the force times 1/r, so that it
 * multiplies the vector between the atoms. With shift=force the force at the cutoff is subtracted from all forces, and the
 * energy follows: F_s(r) = F(r) - F(r_c), E_s(r) = E(r) - E(r_c) + (r - r_c) F(r_c). Both are 0 at the cutoff (Stoddard and Ford
 * 1973), so that atoms that cross it do not change the energy. */
#include "minx/kernel.h"

#include "md_kernels.h"

MX_BODY md_pair pair_of(const md_lj_args *a, int i, int j)
{
    md_pair p = a->one;
    if (a->one_pair) return p;
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

MX_BODY interaction interact(const md_lj_args *a, const md_pair *p, double square, bool energy)
{
    interaction result = {0, 0};
    const double inverse2 = 1 / square;
    const double inverse6 = inverse2 * inverse2 * inverse2 * p->sigma6;
    result.force = 48 * inverse6 * (inverse6 - 0.5) * inverse2 * p->epsilon;
    if (energy) result.energy = 4 * p->epsilon * inverse6 * (inverse6 - 1);
    if (a->shifted) {
        const double r = sqrt(square);
        result.force -= p->force_shift / r;
        if (energy) result.energy += (r - p->cutoff) * p->force_shift - p->energy_shift;
    }
    return result;
}

/* The force on atom i, and half of what its pairs add to energy and virial. */
MX_BODY void force_on(const md_lj_args *a, int i, bool energy, md_energy *sum)
{
    const double x = MX_LOAD(a->position, i, 0), y = MX_LOAD(a->position, i, 1),
                 z = MX_LOAD(a->position, i, 2);
    const int neighbours = MX_AT(a->neighbour_count, i);
    double fx = 0, fy = 0, fz = 0, potential = 0, virial = 0, at_cutoff = 0;
    MX_SIMD_SUM(fx, fy, fz, potential, virial, at_cutoff)
    for (int n = 0; n < neighbours; n++) {
        const int j = MX_AT(a->neighbour, i, n);
        const double dx = x - MX_LOAD(a->position, j, 0), dy = y - MX_LOAD(a->position, j, 1),
                     dz = z - MX_LOAD(a->position, j, 2);
        const double square = dx * dx + dy * dy + dz * dz;
        const md_pair p = pair_of(a, i, j);
        const interaction pair = interact(a, &p, square, energy);
        const bool inside = square < p.cutoff_square;
        const double force = inside ? pair.force : 0;
        fx += dx * force;
        fy += dy * force;
        fz += dz * force;
        if (energy) {
            potential += inside ? 0.5 * pair.energy : 0;
            virial += 0.5 * square * force;
            at_cutoff += inside && !a->shifted ? 0.5 * p.energy_shift : 0;
        }
    }
    MX_AT(a->force, i, 0) = fx;
    MX_AT(a->force, i, 1) = fy;
    MX_AT(a->force, i, 2) = fz;
    sum->potential += potential;
    sum->virial += virial;
    sum->at_cutoff += at_cutoff;
}

MX_BODY void md_lj_full_body(const md_lj_args *a, int i)
{
    md_energy none = {0, 0, 0};
    force_on(a, i, false, &none);
}
MX_FOR(1D, md_lj_full, MX_ITEMS_PLAIN)

MX_BODY void md_lj_full_energy_body(const md_lj_args *a, int i, md_energy *sum)
{
    force_on(a, i, true, sum);
}
MX_REDUCE_FIELDS(1D, md_lj_full_energy, MD_ENERGY, MX_ITEMS_PLAIN)
