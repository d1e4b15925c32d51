/* What a state fills of a row, as one interval of columns, against the rule for each cell: random
 * shapes on random meshes in 2-D and 3-D, with corners and centres on cell edges, at the domain's
 * edge and outside of it. */
#include "input/tl_states.h"
#include "random.h"

#include <stdio.h>

enum { DECKS = 6000, MAX_CELLS = 24, MAX_PLANES = 6 };

/* A coordinate in the domain's neighbourhood: every other one lies on a cell edge, or in the middle
 * between two. */
static double coordinate(uint64_t *random, double low, double high, int64_t cells)
{
    const double width = (high - low) / (double)cells;
    if (random_int(random, 0, 1))
        return low + 0.5 * width * random_int(random, -4, 2 * (int)cells + 4);
    return low + (high - low) * (random_int(random, -200, 1200) / 1000.0);
}

static tl_state random_state(uint64_t *random, const tl_deck *d)
{
    tl_state s = {.density = 2, .energy = 1, .geometry = (tl_geometry)random_int(random, 1, 3)};
    s.xmin = coordinate(random, d->xmin, d->xmax, d->x_cells);
    s.ymin = coordinate(random, d->ymin, d->ymax, d->y_cells);
    s.zmin = coordinate(random, d->zmin, d->zmax, d->z_cells);
    s.xmax = s.xmin + (d->xmax - d->xmin) * (random_int(random, 1, 1000) / 900.0);
    s.ymax = s.ymin + (d->ymax - d->ymin) * (random_int(random, 1, 1000) / 900.0);
    s.zmax = s.zmin + (d->zmax - d->zmin) * (random_int(random, 1, 1000) / 900.0);
    s.radius = (d->xmax - d->xmin) * (random_int(random, 1, 1000) / 1500.0);
    return s;
}

/* Cells of the row for which the interval says another thing than the rule. */
static int wrong_cells(const tl_deck *d, int64_t i, int64_t j)
{
    int64_t first, last;
    int wrong = 0;
    tl_state_columns(d, &d->state[1], i, j, &first, &last);
    for (int64_t k = 0; k < d->x_cells; k++) {
        double density, energy;
        tl_state_at(d, i, j, k, &density, &energy);
        wrong += (density == 2) != (k >= first && k < last);
    }
    return wrong;
}

/* A mesh with one shape: every other one in 3-D. */
static void random_deck(uint64_t *random, tl_deck *d, bool solid)
{
    d->dialect = solid ? TL_DIALECT_REFERENCE_3D : TL_DIALECT_REFERENCE;
    d->x_cells = random_int(random, 1, MAX_CELLS);
    d->y_cells = random_int(random, 1, MAX_CELLS);
    d->z_cells = solid ? random_int(random, 1, MAX_PLANES) : 1;
    d->xmin = random_int(random, -30, 30) / 10.0;
    d->ymin = random_int(random, -30, 30) / 10.0;
    d->zmin = solid ? random_int(random, -30, 30) / 10.0 : 0;
    d->xmax = d->xmin + random_int(random, 1, 100) / 10.0;
    d->ymax = d->ymin + random_int(random, 1, 100) / 10.0;
    d->zmax = d->zmin + (solid ? random_int(random, 1, 100) / 10.0 : 1);
    d->states = 2;
    d->state[0] = (tl_state){.density = 1, .energy = 1};
    d->state[1] = random_state(random, d);
}

int main(void)
{
    static tl_deck d;
    uint64_t random = 7;
    int64_t filled[2] = {0, 0}; /* in 2-D, in 3-D */
    for (int n = 0; n < DECKS; n++) {
        random_deck(&random, &d, n % 2 == 1);
        for (int64_t row = 0; row < d.z_cells * d.y_cells; row++) {
            const int64_t i = row / d.y_cells, j = row % d.y_cells;
            int64_t first, last;
            if (wrong_cells(&d, i, j) > 0) {
                fprintf(stderr, "deck %d, row %lld: the columns differ from the cells\n", n,
                        (long long)row);
                return 1;
            }
            tl_state_columns(&d, &d.state[1], i, j, &first, &last);
            filled[n % 2] += last - first;
        }
    }
    const bool enough = filled[0] >= DECKS && filled[1] >= DECKS;
    if (!enough)
        fprintf(stderr, "only %lld cells were filled in 2-D, and %lld in 3-D\n",
                (long long)filled[0], (long long)filled[1]);
    return !enough;
}
