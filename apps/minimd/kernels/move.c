/* Velocity Verlet: half a kick, a drift, new forces, half a kick (Swope, Andersen, Berens and
 * Wilson 1982). */
#include "minx/kernel.h"

#include "md_kernels.h"

#include <float.h>

/* dt / 2 over the mass of atom i. */
MX_BODY double half_kick(const md_move_args *a, int i)
{
    return a->one_mass ? a->factor : a->factor / MX_AT(a->mass, MX_AT(a->type, i));
}

/* The velocity after half a kick. All kernels call it, so that a compiler makes the same
 * instructions of it (a fused multiply-add or two), and a restart gives the same bits. */
MX_BODY double kicked(double velocity, double half, double force)
{
    return velocity + half * force;
}

MX_BODY void md_begin_step_body(const md_move_args *a, int i)
{
    const double half = half_kick(a, i);
    for (int d = 0; d < 3; d++) {
        const double v = kicked(MX_AT(a->velocity, i, d), half, MX_AT(a->force, i, d));
        MX_AT(a->velocity, i, d) = v;
        MX_AT(a->position, i, d) += a->dt * v;
    }
}
MX_FOR(1D, md_begin_step)

MX_BODY void md_end_step_body(const md_move_args *a, int i)
{
    const double half = half_kick(a, i);
    for (int d = 0; d < 3; d++)
        MX_AT(a->velocity, i, d) = kicked(MX_AT(a->velocity, i, d), half, MX_AT(a->force, i, d));
}
MX_FOR(1D, md_end_step)

MX_BODY void md_between_steps_body(const md_move_args *a, int i)
{
    const double half = half_kick(a, i);
    for (int d = 0; d < 3; d++) {
        const double force = MX_AT(a->force, i, d);
        const double v = kicked(kicked(MX_AT(a->velocity, i, d), half, force), half, force);
        MX_AT(a->velocity, i, d) = v;
        MX_AT(a->position, i, d) += a->dt * v;
    }
}
MX_FOR(1D, md_between_steps)

/* A position that is no number counts as moved without limit: the new list then finds the lost
 * atom. A maximum ignores NaN. */
MX_BODY void md_moved_body(const md_moved_args *a, int i, double *largest)
{
    double square = 0;
    for (int d = 0; d < 3; d++) {
        const double moved = MX_AT(a->position, i, d) - MX_AT(a->built_position, i, d);
        square += moved * moved;
    }
    *largest = mx_max(*largest, square <= DBL_MAX ? square : DBL_MAX);
}
MX_REDUCE(1D, md_moved, MX_MAX)
