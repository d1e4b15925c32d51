/* The coarse space of deflated CG: how the mesh is divided, and the factor of the coarse matrix,
 * against a matrix that is set up here cell by cell from its definition. Nothing runs in parallel.
 */
#include "deflation/tl_coarse.h"

#include "random.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

/* ---- how many ---- */

typedef struct division {
    int64_t cells[3]; /* x, y, z */
    int64_t tiles_per_problem, tiles_per_task, sub_tiles_per_tile;
    int ranks;
    int x, y, z; /* expected; x = 0: an error */
} division;

static const division divisions[] = {
    {{100, 100, 1}, 64, 0, 0, 1, 8, 8, 1},
    {{100, 100, 1}, 16, 0, 4, 1, 8, 8, 1},
    /* tiles of a task are multiplied by the tasks, those of the problem are not */
    {{100, 100, 1}, 0, 4, 4, 4, 8, 8, 1},
    {{100, 100, 1}, 64, 4, 0, 4, 8, 8, 1},
    {{100, 100, 1}, 0, 0, 9, 1, 3, 3, 1},
    /* the shape follows the mesh */
    {{400, 100, 1}, 64, 0, 0, 1, 16, 4, 1},
    {{100, 400, 1}, 64, 0, 0, 1, 4, 16, 1},
    {{7, 3, 1}, 7, 0, 0, 1, 7, 1, 1},
    {{40, 40, 40}, 64, 0, 0, 1, 4, 4, 4},
    {{40, 40, 10}, 16, 0, 0, 1, 4, 4, 1},
    {{10, 10, 1}, 100, 0, 0, 1, 10, 10, 1},
    /* a prime number beyond the sides; more than the mesh has; too many */
    {{10, 10, 1}, 13, 0, 0, 1, 0, 0, 0},
    {{2, 2, 1}, 8, 0, 0, 1, 0, 0, 0},
    {{1000, 1000, 1}, 4097, 0, 0, 1, 0, 0, 0},
    {{1000, 1000, 1}, 2147483647, 0, 2147483647, 1, 0, 0, 0},
    /* chosen: at most 1024, and at most the root of 3 times the cells */
    {{4000, 4000, 1}, 0, 0, 0, 1, 32, 32, 1},
    {{4000, 4000, 1}, 0, 0, 0, 64, 32, 32, 1},
    {{250, 250, 1}, 0, 0, 0, 1, 20, 20, 1},
    {{1, 1, 1}, 0, 0, 0, 1, 1, 1, 1},
    /* the sides that are tried grow by 2 % */
    {{2147483646, 1, 1}, 0, 0, 0, 1, 1005, 1, 1},
    {{250, 250, 250}, 0, 0, 0, 1, 10, 10, 10},
};

static void test_divisions(void)
{
    for (size_t i = 0; i < sizeof divisions / sizeof divisions[0]; i++) {
        const division *const d = &divisions[i];
        tl_coarse c;
        const tl_deck deck = {.x_cells = d->cells[0],
                              .y_cells = d->cells[1],
                              .z_cells = d->cells[2],
                              .tiles_per_problem = d->tiles_per_problem,
                              .tiles_per_task = d->tiles_per_task,
                              .sub_tiles_per_tile = d->sub_tiles_per_tile};
        const mx_err err = tl_coarse_choose(&deck, d->ranks, &c);
        const bool good = d->x == 0
                              ? err == MX_ERR_INPUT && strstr(mx_err_message(), "tiles_per_problem")
                              : err == MX_OK && c.number[2] == d->x && c.number[1] == d->y &&
                                    c.number[0] == d->z && c.count == d->x * d->y * d->z;
        if (good) continue;
        failures++;
        fprintf(stderr, "division %zu: got %s, %d x %d x %d, expected %d x %d x %d\n", i,
                mx_err_name(err), c.number[2], c.number[1], c.number[0], d->x, d->y, d->z);
    }
}

/* ---- the factor ---- */

enum { LARGEST = 12, MAX_CELLS = LARGEST * LARGEST * LARGEST };

/* The coarse cell of a cell. */
static int cell_of(const tl_coarse *c, const int64_t at[3])
{
    int number = 0;
    for (int d = 0; d < 3; d++) {
        int of = 0;
        while (tl_coarse_begin(c, d, of + 1) <= at[d]) of++;
        number += of * tl_coarse_stride(c, d);
    }
    return number;
}

/* E y by its definition, W^T A W y, for A with the weights of faces in `weight`: 1 plus what flows;
 * and the sums of the faces between coarse cells. */
static void multiply(const tl_coarse *c, double (*weight)[MAX_CELLS], const double *y,
                     double *faces, double *ey)
{
    const int64_t *const n = c->cells;
    int64_t at[3];
    memset(faces, 0, sizeof *faces * 3 * (size_t)c->count);
    memset(ey, 0, sizeof *ey * (size_t)c->count);
    for (int64_t i = 0; i < n[0] * n[1] * n[2]; i++) {
        at[0] = i / (n[1] * n[2]);
        at[1] = i / n[2] % n[1];
        at[2] = i % n[2];
        const int cell = cell_of(c, at);
        ey[cell] += y[cell];
        for (int d = 0; d < 3; d++) {
            if (at[d] + 1 == n[d]) continue;
            at[d]++;
            const int next = cell_of(c, at);
            at[d]--;
            const double flow = weight[d][i] * (y[cell] - y[next]);
            ey[cell] += flow;
            ey[next] -= flow;
            if (next != cell) faces[d * c->count + cell] += weight[d][i];
        }
    }
}

/* L L^T x */
static void multiply_factor(const tl_coarse *c, const double *factor, const double *x, double *y)
{
    const int width = c->band + 1;
    for (int i = 0; i < c->count; i++) y[i] = 0;
    for (int j = 0; j < c->count; j++) {
        double sum = 0; /* of row j of L^T */
        for (int i = j; i < c->count && i <= j + c->band; i++)
            sum += factor[i * width + c->band - i + j] * x[i];
        for (int i = j; i < c->count && i <= j + c->band; i++)
            y[i] += factor[i * width + c->band - i + j] * sum;
    }
}

static void test_factors(void)
{
    static double weight[3][MAX_CELLS], faces[3 * MAX_CELLS], factor[MAX_CELLS * 150];
    static double y[MAX_CELLS], ey[MAX_CELLS], lly[MAX_CELLS];
    uint64_t random = 1;
    for (int i = 0; i < 60; i++) {
        const tl_deck deck = {.x_cells = random_int(&random, 1, LARGEST),
                              .y_cells = random_int(&random, 1, LARGEST),
                              .z_cells = random_int(&random, 0, 1) ? random_int(&random, 1, 8) : 1,
                              .tiles_per_problem = i % 2 ? random_int(&random, 1, 20) : 0};
        tl_coarse c;
        if (tl_coarse_choose(&deck, 1, &c) != MX_OK) continue;
        for (int d = 0; d < 3; d++)
            for (int k = 0; k < MAX_CELLS; k++)
                weight[d][k] = pow(10, random_int(&random, -3000, 3000) / 1000.0);
        for (int k = 0; k < c.count; k++) y[k] = random_int(&random, -1000, 1000) / 1000.0;
        multiply(&c, weight, y, faces, ey);
        if (tl_coarse_factor(&c, faces, factor) != MX_OK) {
            fprintf(stderr, "factor %d: %s\n", i, mx_err_message());
            failures++;
            continue;
        }
        multiply_factor(&c, factor, y, lly);
        double error = 0, scale = 0;
        for (int k = 0; k < c.count; k++) {
            error = fmax(error, fabs(lly[k] - ey[k]));
            scale = fmax(scale, fabs(ey[k]));
        }
        /* sums of at most MAX_CELLS weights, and products of rows of at most 150 numbers; all round */
        if (error <= 2000 * DBL_EPSILON * (scale + 6e3 * MAX_CELLS)) continue;
        fprintf(stderr, "factor %d: %g from E y, whose largest number is %g\n", i, error, scale);
        failures++;
    }
}

static void test_singular(void)
{
    const tl_deck deck = {.x_cells = 4, .y_cells = 1, .z_cells = 1, .tiles_per_problem = 2};
    const double faces[6] = {0, 0, 0, 0, -1e6, 0};
    double factor[4];
    tl_coarse c;
    if (tl_coarse_choose(&deck, 1, &c) == MX_OK &&
        tl_coarse_factor(&c, faces, factor) == MX_ERR_INPUT &&
        strstr(mx_err_message(), "not positive definite"))
        return;
    fprintf(stderr, "a negative weight: got %s\n", mx_err_message());
    failures++;
}

int main(void)
{
    test_divisions();
    test_factors();
    test_singular();
    return failures > 0;
}
