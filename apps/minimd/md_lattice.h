/* The face-centred cubic lattice, and the original's velocities: formulas, so that every rank makes
 * its local atoms, in parallel. For drivers and kernels.
 *
 * Sites (i, j, k) are half a unit cell apart, and those with an even i + j + k have an atom. So row
 * (j, k) has an atom at every second site, cells[0] in all, and the atoms are numbered through, x
 * fastest:
 *
 *      j   . o . o        row 1 of plane 0: atoms 2 and 3, of 2 x 2 x 2 unit cells
 *      |   o . o .        row 0 of plane 0: atoms 0 and 1
 *      +--> i
 *
 * A rank has the sites from first[d] to before first[d] + count[d]. Of its rows every second one
 * begins with an atom, and so for planes: the number of atoms in front of a row is a formula
 * too. */
#pragma once
#include "md_box.h"

typedef struct md_lattice {
    int64_t cells[3]; /* unit cells of the whole box along x, y, z */
    double spacing;   /* half the side of a unit cell */
    int64_t first[3]; /* this rank's sites */
    int count[3];
} md_lattice;

/* Atoms in a row of n sites. odd: the first site has none. */
MX_INLINE int64_t md_row_atoms(int64_t n, int odd) { return (n + 1 - odd) / 2; }

/* Atoms in the first n rows of this rank in a plane. odd: the first site of the plane has none. */
MX_INLINE int64_t md_plane_atoms(const md_lattice *l, int64_t n, int odd)
{
    return (n + 1) / 2 * md_row_atoms(l->count[0], odd) +
           n / 2 * md_row_atoms(l->count[0], 1 - odd);
}

/* Atoms in the first n planes of this rank. */
MX_INLINE int64_t md_planes_atoms(const md_lattice *l, int64_t n)
{
    const int odd = (int)((l->first[0] + l->first[1] + l->first[2]) & 1);
    return (n + 1) / 2 * md_plane_atoms(l, l->count[1], odd) +
           n / 2 * md_plane_atoms(l, l->count[1], 1 - odd);
}

MX_INLINE int64_t md_lattice_atoms(const md_lattice *l) { return md_planes_atoms(l, l->count[2]); }

/* An atom of this rank. Its id counts from 1 over the whole box. */
typedef struct md_site {
    int64_t at[3];
    int64_t id;
    int64_t index; /* on this rank */
    bool exists;   /* false: the row has fewer atoms */
} md_site;

/* Atom m of row j of plane k of this rank. */
MX_INLINE md_site md_lattice_site(const md_lattice *l, int k, int j, int m)
{
    md_site s;
    const int odd_plane = (int)((l->first[0] + l->first[1] + l->first[2] + k) & 1);
    const int odd = (odd_plane + j) & 1;
    s.at[0] = l->first[0] + odd + 2 * (int64_t)m;
    s.at[1] = l->first[1] + j;
    s.at[2] = l->first[2] + k;
    s.exists = m < md_row_atoms(l->count[0], odd);
    s.index = md_planes_atoms(l, k) + md_plane_atoms(l, j, odd_plane) + m;
    s.id = (s.at[2] * 2 * l->cells[1] + s.at[1]) * l->cells[0] + s.at[0] / 2 + 1;
    return s;
}

/* ---- velocities ---- */

/* The original numbers all sites, with and without atoms, from 1 on. The velocity of site n is
 * uniform between 0 and 1: vx is the 6th number of a generator s -> 16807 s modulo 2^31 - 1 that
 * starts at s = n, vy the 12th, vz the 18th. So it is n times a power of 16807. */
enum { MD_RANDOM_MODULUS = 2147483647 };

MX_INLINE int64_t md_lattice_seed(const md_lattice *l, const md_site *s)
{
    return (s->at[2] * 2 * l->cells[1] + s->at[1]) * 2 * l->cells[0] + s->at[0] + 1;
}

MX_INLINE double md_lattice_velocity(int64_t seed, int d)
{
    /* 16807 to the power of 6, 12 and 18 */
    const int64_t power = d == 0 ? 470211272 : d == 1 ? 1115438165 : 16531729;
    return (double)(power * (seed % MD_RANDOM_MODULUS) % MD_RANDOM_MODULUS) / MD_RANDOM_MODULUS;
}

/* The type, from 0 on, of an atom where there are several: all are equally frequent, in an order
 * without a pattern. The same for any number of ranks, so not the order of the original, which
 * depends on them and on the C library. (splitmix64 of Steele, Lea and Flood 2014.) */
MX_INLINE int md_lattice_type(int64_t id, int types)
{
    uint64_t z = (uint64_t)id * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (int)((z >> 32) * (uint64_t)types >> 32);
}
