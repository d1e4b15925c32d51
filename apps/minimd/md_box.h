/* The periodic box, and its bricks: one for each rank, all of the same size, in a grid of ranks.
 * For drivers and kernels. Axes are 0 for x, 1 for y, 2 for z; rank (z * ranks[1] + y) * ranks[0] +
 * x has brick (x, y, z).
 *
 * Along an axis brick b of n has the positions from md_brick_low(b) to before md_brick_low(b + 1).
 * b may be any number: the box is repeated, and brick b is brick b modulo n, moved by the length of
 * the box as often as b goes around. So "the brick k away" means the same for every brick, also
 * where a cutoff is longer than several bricks, or than the box itself. */
#pragma once
#include "minx/math.h"

typedef struct md_box {
    double length[3];
    int ranks[3]; /* bricks along each axis */
    int brick[3]; /* this rank's */
} md_box;

/* Farther outside the box than this many lengths, a position has lost digits that matter, or is no
 * number at all. */
#define MD_FARTHEST 1e6

MX_INLINE double md_brick_low(const md_box *box, int d, int brick)
{
    return box->length[d] * brick / box->ranks[d];
}

/* The brick of a position in the box: the one that has it by md_brick_low, whatever the division
 * rounds to. */
MX_INLINE int md_brick_at(const md_box *box, int d, double x)
{
    int brick = (int)(x / box->length[d] * box->ranks[d]);
    if (x < md_brick_low(box, d, brick)) brick--;
    if (x >= md_brick_low(box, d, brick + 1)) brick++;
    return brick < 0 ? 0 : brick < box->ranks[d] ? brick : box->ranks[d] - 1;
}

/* The position in the box that is the same as x, which may be several lengths outside. */
MX_INLINE double md_wrap(const md_box *box, int d, double x)
{
    const double length = box->length[d];
    if (x >= 0 && x < length) return x;
    x -= length * floor(x / length);
    return x >= 0 && x < length ? x : 0; /* a rounding away from either end */
}

/* How often the box is repeated to come to a brick, below 0 on the low side. */
MX_INLINE int md_brick_turns(const md_box *box, int d, int brick)
{
    const int n = box->ranks[d];
    return brick >= 0 ? brick / n : -((n - 1 - brick) / n);
}

MX_INLINE int md_brick_rank(const md_box *box, const int *brick)
{
    int at[3];
    for (int d = 0; d < 3; d++) at[d] = brick[d] - box->ranks[d] * md_brick_turns(box, d, brick[d]);
    return (at[2] * box->ranks[1] + at[1]) * box->ranks[0] + at[0];
}

/* Atoms whose centre of mass does not move. Of any number: the original counts them in 32 bits, and
 * loses them at 715,827,883. */
MX_INLINE double md_degrees_of_freedom(int64_t atoms)
{
    return atoms > 1 ? 3 * (double)atoms - 3 : 0;
}
