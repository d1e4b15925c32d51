/* Neighbour lists in one array, and Lennard-Jones forces from them: see md_strided.h. */
#include "minx/kernel.h"
#include "minx/scan.h"
#include "minx/team.h"
#include "strided/md_strided.h"

MX_BODY void md_strided_begins_body(const md_begin_args *a, int i, int64_t *sum, bool final)
{
    if (final) MX_AT(a->begin, i) = a->stride > 0 ? i * a->stride : *sum;
    if (i < a->local) *sum += MX_AT(a->count, i);
}
MX_SCAN(1D, md_strided_begins, MX_SUM, MX_ITEMS_PLAIN)

/* Is a pair with atom j, at distances dx, dy, dz from atom i, in the list of atom i? */
MX_BODY bool md_listed(const md_search_args *a, int i, int j, double dx, double dy, double dz)
{
    if (!a->half) return j != i;
    if (j < a->local) return j > i;
    return !a->ghost_newton || dz > 0 || (dz == 0 && (dy > 0 || (dy == 0 && dx > 0)));
}

/* As in md_list_full, hosts store every candidate at index `found`, and advance `found` only if it is
 * a neighbour. */
MX_BODY void md_strided_search_body(const md_search_args *a, int i, md_list_size *size)
{
    const md_bins *const b = &a->bins;
    const int64_t begin = MX_LOAD(a->begin, i);
    const int room = a->room < 0 ? MX_AT(a->count, i) : a->room;
    double x[3];
    int first[3], last[3], found = 0;
    for (int d = 0; d < 3; d++) {
        x[d] = MX_LOAD(a->position, i, d);
        const int at = md_bin_along(b, d, x[d]);
        first[d] = mx_max(at - b->cutoff_bins[d], 0);
        last[d] = mx_min(at + b->cutoff_bins[d], b->bins[d] - 1);
    }
    for (int bz = first[2]; bz <= last[2]; bz++) {
        for (int by = first[1]; by <= last[1]; by++) {
            const int row = (bz * b->bins[1] + by) * b->bins[0];
            const int end = MX_AT(a->bin_begin, row + last[0] + 1);
            for (int n = MX_AT(a->bin_begin, row + first[0]); n < end; n++) {
                const int j = MX_AT(a->bin_atom, n);
                const double dx = MX_LOAD(a->position, j, 0) - x[0],
                             dy = MX_LOAD(a->position, j, 1) - x[1],
                             dz = MX_LOAD(a->position, j, 2) - x[2];
                /* a distance that is not a number counts as near, so that the energy shows it */
                const bool within = !(dx * dx + dy * dy + dz * dz > a->cutoff_square);
                if (MX_ON_DEVICE && !within) continue;
                const bool near = within & md_listed(a, i, j, dx, dy, dz);
                if (MX_ON_DEVICE && !near) continue;
                if (found < room) MX_AT(a->entry, begin + found * a->step) = j;
                found += near;
            }
        }
    }
    if (found < room) MX_AT(a->entry, begin + found * a->step) = -1;
    MX_AT(a->count, i) = found;
    size->pairs += found;
    size->longest = mx_max(size->longest, (int64_t)found);
}
MX_REDUCE_FIELDS(1D, md_strided_search, MD_LIST_SIZE, MX_ITEMS_PLAIN)

/* ---- forces ---- */

/* A pair of atoms: the force on the first one, and what the pair adds to energy and virial; all 0
 * beyond the cutoff. */
typedef struct md_strided_pair {
    double fx, fy, fz;
    double potential, virial, at_cutoff;
} md_strided_pair;

MX_BODY md_pair md_strided_parameters(const md_strided_args *a, int i, int j)
{
    if (a->lj.one_pair) return a->lj.one;
    return md_pair_of_row(&a->pair, MX_LOAD(a->type, i) * a->lj.types + MX_LOAD(a->type, j));
}

MX_BODY md_strided_pair md_strided_interact(const md_strided_args *a, int i, int j, bool energy)
{
    md_strided_pair result = {0, 0, 0, 0, 0, 0};
    const double dx = MX_LOAD(a->position, i, 0) - MX_LOAD(a->position, j, 0),
                 dy = MX_LOAD(a->position, i, 1) - MX_LOAD(a->position, j, 1),
                 dz = MX_LOAD(a->position, i, 2) - MX_LOAD(a->position, j, 2);
    const md_pair p = md_strided_parameters(a, i, j);
    const double square = dx * dx + dy * dy + dz * dz, s2 = 1 / square;
    const double s6 = s2 * s2 * s2 * p.sigma6;
    const bool inside = square < p.cutoff_square;
    double force = 48 * s6 * (s6 - 0.5) * s2 * p.epsilon, shift = 0;
    if (a->lj.shifted) {
        const double r = sqrt(square);
        force -= p.force_shift / r;
        shift = (r - p.cutoff) * p.force_shift - p.energy_shift;
    }
    force = inside ? force : 0;
    result.fx = dx * force;
    result.fy = dy * force;
    result.fz = dz * force;
    if (!energy) return result;
    result.potential = inside ? 4 * p.epsilon * s6 * (s6 - 1) + shift : 0;
    result.virial = square * force;
    result.at_cutoff = inside && !a->lj.shifted ? p.energy_shift : 0;
    return result;
}

/* How much of a pair belongs to this list: a half, if the other atom has it too. */
MX_BODY double md_strided_share(const md_strided_args *a, int j, bool half)
{
    return half && (j < a->local || a->ghost_newton) ? 1 : 0.5;
}

/* How forces are added, for atom `at`. */
#define STORE(at, fx, fy, fz)          \
    {                                  \
        MX_AT(a->force, at, 0) = (fx); \
        MX_AT(a->force, at, 1) = (fy); \
        MX_AT(a->force, at, 2) = (fz); \
    }
#define SCATTER(at, fx, fy, fz)           \
    {                                     \
        MX_SCATTER(a->push, (fx), at, 0); \
        MX_SCATTER(a->push, (fy), at, 1); \
        MX_SCATTER(a->push, (fz), at, 2); \
    }
#define ATOMIC(at, fx, fy, fz)                      \
    {                                               \
        mx_atomic_add(&MX_AT(a->force, at, 0), fx); \
        mx_atomic_add(&MX_AT(a->force, at, 1), fy); \
        mx_atomic_add(&MX_AT(a->force, at, 2), fz); \
    }

/* One neighbour: adds to the sums of atom i, and with a half list to the other atom. */
#define ONE_NEIGHBOUR(HALF, ADD, ENERGY)                            \
    const int j = MX_LOAD(a->entry, begin + n * a->step);           \
    const md_strided_pair p = md_strided_interact(a, i, j, ENERGY); \
    const double share = md_strided_share(a, j, HALF);              \
    fx += p.fx;                                                     \
    fy += p.fy;                                                     \
    fz += p.fz;                                                     \
    if (ENERGY) {                                                   \
        potential += share * p.potential;                           \
        virial += share * p.virial;                                 \
        at_cutoff += share * p.at_cutoff;                           \
    }                                                               \
    if (HALF && share == 1) ADD(j, -p.fx, -p.fy, -p.fz)

#define ADD_ENERGY                   \
    {                                \
        sum->potential += potential; \
        sum->virial += virial;       \
        sum->at_cutoff += at_cutoff; \
    }

/* An atom. Full lists are vectorised over neighbours; atoms of half lists are added to one after
 * the other. */
#define DO_ATOM(HALF, SIMD, ADD, ENERGY)                                     \
    const int count = MX_LOAD(a->count, i);                                  \
    const int64_t begin = MX_LOAD(a->begin, i);                              \
    double fx = 0, fy = 0, fz = 0, potential = 0, virial = 0, at_cutoff = 0; \
    SIMD for (int n = 0; n < count;                                          \
              n++){ONE_NEIGHBOUR(HALF, ADD, ENERGY)} ADD(i, fx, fy, fz) if (ENERGY) ADD_ENERGY

/* The atoms of a team; the lanes of a thread share a list. */
#define DO_TEAM(HALF, ADD, ENERGY)                                            \
    const int i0 = t->league_rank * MD_TEAM_ATOMS;                            \
    const int i1 = mx_min(i0 + (int)MD_TEAM_ATOMS, a->local);                 \
    MX_TEAM_FOR (t, i, i0, i1) {                                              \
        const int count = MX_LOAD(a->count, i);                               \
        const int64_t begin = MX_LOAD(a->begin, i);                           \
        double fx, fy, fz, potential = 0, virial = 0, at_cutoff = 0;          \
        MX_VECTOR_SUM (t, n, 0, count, fx, fy, fz) {                          \
            ONE_NEIGHBOUR(HALF, ADD, false)                                   \
        }                                                                     \
        MX_VECTOR_SINGLE (t) ADD(i, fx, fy, fz)                               \
        if (ENERGY) {                                                         \
            MX_VECTOR_SUM (t, n, 0, count, potential, virial, at_cutoff) {    \
                const int j = MX_LOAD(a->entry, begin + n * a->step);         \
                const md_strided_pair p = md_strided_interact(a, i, j, true); \
                const double share = md_strided_share(a, j, HALF);            \
                potential += share * p.potential;                             \
                virial += share * p.virial;                                   \
                at_cutoff += share * p.at_cutoff;                             \
            }                                                                 \
            MX_VECTOR_SINGLE (t) ADD_ENERGY                                   \
        }                                                                     \
    }

#define STRIDED_KERNELS(name, HALF, SIMD, ADD)                                                  \
    MX_BODY void name##_body(const md_strided_args *a, int i)                                   \
    {                                                                                           \
        md_energy none = {0, 0, 0}, *const sum = &none;                                         \
        DO_ATOM(HALF, SIMD, ADD, false)                                                         \
    }                                                                                           \
    MX_FOR(1D, name, MX_ITEMS_PLAIN)                                                            \
    MX_BODY void name##_energy_body(const md_strided_args *a, int i, md_energy *sum){DO_ATOM(   \
        HALF, SIMD, ADD, true)} MX_REDUCE_FIELDS(1D, name##_energy, MD_ENERGY, MX_ITEMS_PLAIN)  \
        MX_BODY void name##_team_body(const md_strided_args *a, mx_team *t)                     \
    {                                                                                           \
        md_energy none = {0, 0, 0}, *const sum = &none;                                         \
        DO_TEAM(HALF, ADD, false)                                                               \
    }                                                                                           \
    MX_FOR(TEAM, name##_team)                                                                   \
    MX_BODY void name##_team_energy_body(const md_strided_args *a, mx_team *t, md_energy *sum){ \
        DO_TEAM(HALF, ADD, true)} MX_REDUCE_FIELDS(TEAM, name##_team_energy, MD_ENERGY)
STRIDED_KERNELS(md_strided_full, false, MX_SIMD_SUM(fx, fy, fz, potential, virial, at_cutoff),
                STORE)
STRIDED_KERNELS(md_strided_scatter, true, , SCATTER)
STRIDED_KERNELS(md_strided_atomic, true, , ATOMIC)
