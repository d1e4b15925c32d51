#include "neighbours.h"
#include "minx/kernel.h"

/* Three neighbouring cells along x are contiguous in `order`. So the 27 cells around a particle are
 * nine parts of `order`. Each particle that does not fit overwrites the last place of the list.
 * With a branch for that instead, a GPU loaded one particle at a time, or clang needed 1.1 times as
 * long. */
MX_BODY void neighbours_find_body(const neighbours_args *a, int i, int32_t *longest)
{
    const double x = MX_LOAD(a->x, i, 0), y = MX_LOAD(a->x, i, 1), z = MX_LOAD(a->x, i, 2);
    const int side = a->side, cell = MX_LOAD(a->cell, i);
    const int cx = cell % side, cy = cell / side % side, cz = cell / side / side;
    const int x0 = cx > 0 ? cx - 1 : 0, x1 = cx < side - 1 ? cx + 1 : cx;
    const int y0 = cy > 0 ? cy - 1 : 0, y1 = cy < side - 1 ? cy + 1 : cy;
    const int z0 = cz > 0 ? cz - 1 : 0, z1 = cz < side - 1 ? cz + 1 : cz;
    const int lower = a->half ? i : -1; /* a half list has no particle up to this one */
    const int last = a->capacity - 1;
    int count = 0;
    for (int rz = z0; rz <= z1; rz++) {
        for (int ry = y0; ry <= y1; ry++) {
            const int row = (rz * side + ry) * side;
            const int begin = MX_LOAD(a->begin, row + x0), end = MX_LOAD(a->begin, row + x1 + 1);
            for (int k = begin; k < end; k++) {
                const int j = MX_LOAD(a->order, k);
                const double dx = x - MX_LOAD(a->x, j, 0), dy = y - MX_LOAD(a->x, j, 1);
                const double dz = z - MX_LOAD(a->x, j, 2);
                const bool near = dx * dx + dy * dy + dz * dz <= a->cutoff2 && j != i && j > lower;
                if (!near) continue;
                MX_AT(a->list, i, count < last ? count : last) = j;
                count++;
            }
        }
    }
    MX_AT(a->count, i) = count;
    *longest = *longest < count ? count : *longest;
}
MX_REDUCE(1D, neighbours_find, MX_MAX, MX_ITEMS_GATHER)
