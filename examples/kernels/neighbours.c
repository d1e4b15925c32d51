#include "neighbours.h"
#include "minx/kernel.h"
#include "minx/math.h"

/* Three neighbouring cells along x are contiguous in `order`. So the 27 cells around a particle are
 * nine parts of `order`.
 *
 * Hosts store each candidate (not the particle itself, in half lists only higher ones) at index
 * `count`, and advance `count` only if it is within the cutoff. With a branch instead, which would
 * be mispredicted for most neighbours, they needed twice as long.
 *
 * On a GPU (an H200) the branch takes less time than the stores, which took 2.6 times as long. A
 * neighbour that does not fit overwrites the last place: with a branch for that too, lists in cache
 * took 1.5 times as long. The positions are loaded before the first branch: else 1.2 to 1.4 times. */
MX_BODY void neighbours_find_body(const neighbours_args *a, int i, int32_t *longest)
{
    const double x = MX_LOAD(a->x, i, 0), y = MX_LOAD(a->x, i, 1), z = MX_LOAD(a->x, i, 2);
    const int side = a->side, cell = MX_LOAD(a->cell, i);
    const int cx = cell % side, cy = cell / side % side, cz = cell / side / side;
    const int x0 = cx > 0 ? cx - 1 : 0, x1 = cx < side - 1 ? cx + 1 : cx;
    const int y0 = cy > 0 ? cy - 1 : 0, y1 = cy < side - 1 ? cy + 1 : cy;
    const int z0 = cz > 0 ? cz - 1 : 0, z1 = cz < side - 1 ? cz + 1 : cz;
    const int lower = a->half ? i : -1; /* a half list has no particle up to this one */
    const int64_t last = a->capacity - 1;
    int64_t count = 0; /* 32-bit indices would have to be extended for each store */
    for (int rz = z0; rz <= z1; rz++) {
        for (int ry = y0; ry <= y1; ry++) {
            const int row = (rz * side + ry) * side;
            const int begin = MX_LOAD(a->begin, row + x0), end = MX_LOAD(a->begin, row + x1 + 1);
            for (int k = begin; k < end; k++) {
                const int j = MX_LOAD(a->order, k);
                const bool other = j != i && j > lower;
                if (!MX_ON_DEVICE && !other) continue;
                const double dx = x - MX_LOAD(a->x, j, 0), dy = y - MX_LOAD(a->x, j, 1);
                const double dz = z - MX_LOAD(a->x, j, 2), r2 = dx * dx + dy * dy + dz * dz;
                if (MX_ON_DEVICE) {
                    if (!(r2 <= a->cutoff2) || !other) continue;
                    MX_AT(a->list, i, mx_min(count, last)) = j;
                } else if (count < a->capacity) {
                    MX_AT(a->list, i, count) = j;
                }
                count += r2 <= a->cutoff2;
            }
        }
    }
    if (count != a->capacity) MX_AT(a->list, i, mx_min(count, last)) = -1;
    MX_AT(a->count, i) = (int32_t)count;
    *longest = mx_max(*longest, (int32_t)count);
}
MX_REDUCE(1D, neighbours_find, MX_MAX, MX_ITEMS_RESIDENT_4)
