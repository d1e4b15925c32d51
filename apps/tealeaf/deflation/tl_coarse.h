/* The coarse space of deflated conjugate gradients: the mesh divided into coarse cells, and the
 * coarse matrix E = W^T A W, where column c of W is 1 in the cells of coarse cell c and 0
 * elsewhere. Knows no MPI and no views, so that it can be tested alone.
 *
 * Coarse cell (z, y, x) has number (z ny + y) nx + x. Along each direction coarse cell c of n
 * begins at cell c N / n of N, rounded down; where they are 16 cells wide or more, to a multiple of
 * 8, so that kernels have whole vectors. They do not depend on the ranks.
 *
 * A is 1 plus what flows through faces, and a flow inside of a coarse cell cancels. So
 *
 *     E(c, c) = cells of c + weights of the faces around c
 *     E(c, d) = - weights of the faces between c and d
 *
 * E is symmetric and positive definite, with a band as wide as a coarse row (in 3-D a plane) has
 * cells. */
#pragma once
#include "input/tl_deck.h"

enum { TL_MAX_COARSE_CELLS = 4096 };

typedef struct tl_coarse {
    int64_t cells[3]; /* of the mesh, along z, y and x */
    int number[3];    /* of coarse cells */
    int count;        /* of all of them */
    int band;         /* how far elements of E are from its diagonal at most */
} tl_coarse;

/* Divides the deck's mesh. The reference has a coarse cell for each sub-tile. So their number is
 * sub_tiles_per_tile times tiles_per_problem, or times tiles_per_task and the number of ranks; of
 * all divisions into so many, the one with the fewest faces between coarse cells. Where no key says
 * how many: so many that the coarse system costs less than the mesh, at most 1024. MX_ERR_INPUT if
 * the mesh has no such division, or there are more than TL_MAX_COARSE_CELLS. */
mx_err tl_coarse_choose(const tl_deck *deck, int ranks, tl_coarse *coarse);

/* Where coarse cell `number` begins along a direction (0: z, 1: y, 2: x). */
static inline int64_t tl_coarse_begin(const tl_coarse *c, int direction, int number)
{
    const int64_t cells = c->cells[direction], parts = c->number[direction];
    const int64_t begin = cells * number / parts;
    return cells / parts < 16 || number == parts ? begin : begin - begin % 8;
}

/* From a coarse cell to the next one along a direction, in their numbers. */
static inline int tl_coarse_stride(const tl_coarse *c, int direction)
{
    return direction == 2 ? 1 : direction == 1 ? c->number[2] : c->number[2] * c->number[1];
}

/* The Cholesky factor of E: E = L L^T. faces[d * count + c]: the weights of the faces between
 * coarse cell c and the next one along direction d, 0 behind the last. L(i, j) is factor[i * (band
 * + 1) + band - i + j], from j = i - band to i; elsewhere L is 0. MX_ERR_INPUT if E is not positive
 * definite in double precision. */
mx_err tl_coarse_factor(const tl_coarse *coarse, const double *faces, double *factor);
