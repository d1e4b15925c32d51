/* What the programs with the solvers of other libraries share: the linear systems of miniFE and
 * of a step of TeaLeaf, made from their formulas and without any code of minx, and a main
 * (main.c) that solves one of them, checks the solution and says how long it took.
 *
 *     hypre METHOD minife NX NY NZ TOLERANCE SOLUTION
 *     hypre METHOD tealeaf NX NY RX RY TOLERANCE SOLUTION STATE
 *
 * Rows are numbered by x, then y, then z. Each rank has whole planes, in 2-D whole lines. The
 * start vector is 0 for the system A e = b - A x0: x0 is 0 in miniFE, and in TeaLeaf the
 * temperature at the start of the step. */
#pragma once

#include <stdint.h>

enum { RIVAL_WIDTH = 27 }; /* entries that a row has at most */

typedef struct rival_system {
    int dims;         /* 3: miniFE, 2: TeaLeaf */
    int n[3];         /* nodes or cells along x, y, z */
    int width;        /* entries that a row has at most */
    int first, end;   /* this rank's rows */
    double tolerance; /* share of ||b - A x0|| */

    /* miniFE: entry of the row of a node inside for the neighbour at (dx, dy, dz), and its
     * right-hand side */
    double coupling[27], load;

    /* TeaLeaf: time step over the square of a cell's side; of all cells density or its inverse,
     * and the temperature */
    double share[2], *weight, *initial;

    /* This rank's rows: row r has the entries start[r - first] to start[r - first + 1]. */
    int64_t *start;
    int *columns;
    double *values, *b;
} rival_system;

/* Seconds on this rank: matrix into the library, preconditioner, iterations. */
typedef struct rival_result {
    double assembly, set_up, solve;
    int iterations;
} rival_result;

/* Each library has one of these: solves by METHOD; e: this rank's part of the solution. Returns
 * what went wrong; NULL: nothing. */
const char *rival_solve(const rival_system *system, const char *method, double *e,
                        rival_result *result);
/* Around main: their own set-up and end. */
void rival_begin(void);
void rival_end(void);

/* Seconds, after all ranks have come here. */
double rival_now(void);
/* Memory for count doubles or integers; ends the program where there is none. */
void *rival_memory(int64_t count, int64_t size);
