#include "tl_coarse.h"

#include <math.h>
#include <string.h>

/* ---- the coarse cells ---- */

static void set_number(tl_coarse *c, int z, int y, int x)
{
    c->number[0] = z;
    c->number[1] = y;
    c->number[2] = x;
    c->count = z * y * x;
    c->band = z > 1 ? y * x : y > 1 ? x : 1;
}

/* The smallest side of coarse cells that gives at most 1024, and few enough: the inverse of E,
 * which devices read in each iteration, then has fewer bytes than the arrays of the mesh. */
static void choose_number(const tl_deck *deck, tl_coarse *c)
{
    const double max_cells = fmin(1024, sqrt(3 * tl_cells_of(deck)));
    for (double side = 2;; side *= 1.02) {
        double number[3], product = 1;
        for (int d = 0; d < 3; d++) {
            number[d] = fmax(1, floor((double)c->cells[d] / side));
            product *= number[d];
        }
        if (product > max_cells) continue;
        set_number(c, (int)number[0], (int)number[1], (int)number[2]);
        return;
    }
}

/* The division into `count` with the fewest faces between coarse cells; false: there is none. */
static bool divide(int count, tl_coarse *c)
{
    double fewest = INFINITY;
    for (int z = 1; z <= count && z <= c->cells[0]; z++) {
        for (int y = 1; count % z == 0 && y <= count / z && y <= c->cells[1]; y++) {
            const int x = count / z / y;
            if (count / z % y != 0 || x > c->cells[2]) continue;
            const double faces =
                z / (double)c->cells[0] + y / (double)c->cells[1] + x / (double)c->cells[2];
            if (faces >= fewest) continue;
            fewest = faces;
            set_number(c, z, y, x);
        }
    }
    return fewest < INFINITY;
}

mx_err tl_coarse_choose(const tl_deck *deck, int ranks, tl_coarse *c)
{
    const int64_t per_task = deck->tiles_per_task > 0 ? deck->tiles_per_task : 1;
    const bool by_problem = deck->tiles_per_problem > 0;
    const double tiles =
        by_problem ? (double)deck->tiles_per_problem : (double)per_task * (double)ranks;
    const double count =
        tiles * (double)(deck->sub_tiles_per_tile > 0 ? deck->sub_tiles_per_tile : 1);
    *c = (tl_coarse){.cells = {deck->z_cells, deck->y_cells, deck->x_cells}};
    if (!by_problem && deck->tiles_per_task == 0 && deck->sub_tiles_per_tile == 0) {
        choose_number(deck, c);
        return MX_OK;
    }
    MX_REQUIRE(count <= TL_MAX_COARSE_CELLS, MX_ERR_INPUT,
               "tiles_per_problem, tiles_per_task, sub_tiles_per_tile: got %.0f coarse cells, "
               "expected at most %d",
               count, TL_MAX_COARSE_CELLS);
    MX_REQUIRE(divide((int)count, c), MX_ERR_INPUT,
               "tiles_per_problem, tiles_per_task, sub_tiles_per_tile: got %.0f coarse cells, "
               "expected a number into which the mesh can be divided",
               count);
    return MX_OK;
}

/* ---- the matrix ---- */

/* E in the storage of its factor: the band left of the diagonal. */
static void set_matrix(const tl_coarse *c, const double *faces, double *matrix)
{
    const size_t width = (size_t)c->band + 1;
    memset(matrix, 0, sizeof *matrix * width * (size_t)c->count);
    for (int i = 0; i < c->count; i++) {
        double cells = 1;
        for (int d = 0; d < 3; d++) {
            const int at = i / tl_coarse_stride(c, d) % c->number[d];
            cells *= (double)(tl_coarse_begin(c, d, at + 1) - tl_coarse_begin(c, d, at));
        }
        matrix[(size_t)i * width + (size_t)c->band] += cells;
        for (int d = 0; d < 3; d++) {
            const int stride = tl_coarse_stride(c, d), next = i + stride;
            if (i / stride % c->number[d] + 1 == c->number[d]) continue;
            const double weight = faces[(size_t)d * (size_t)c->count + (size_t)i];
            matrix[(size_t)i * width + (size_t)c->band] += weight;
            matrix[(size_t)next * width + (size_t)c->band] += weight;
            matrix[(size_t)next * width + (size_t)(c->band - stride)] -= weight;
        }
    }
}

mx_err tl_coarse_factor(const tl_coarse *c, const double *faces, double *factor)
{
    const int band = c->band;
    const size_t width = (size_t)band + 1;
    set_matrix(c, faces, factor);
    for (int i = 0; i < c->count; i++) {
        const int first = i > band ? i - band : 0;
        double *const row = factor + (size_t)i * width + band - i;
        for (int j = first; j <= i; j++) {
            const double *const other = factor + (size_t)j * width + band - j;
            const int from = j - band > first ? j - band : first;
            double sum = row[j];
            for (int k = from; k < j; k++) sum -= row[k] * other[k];
            if (j < i) {
                row[j] = sum / other[j];
                continue;
            }
            MX_REQUIRE(isfinite(sum) && sum > 0, MX_ERR_INPUT,
                       "deflated CG: the coarse matrix is not positive definite in double "
                       "precision (pivot %g in row %d): use another solver",
                       sum, i + 1);
            row[i] = sqrt(sum);
        }
    }
    return MX_OK;
}
