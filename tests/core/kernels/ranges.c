#include "minx/kernel.h"

#include "ranges.h"

MX_BODY void visit(const ranges_args *a, int64_t i, int64_t j, int64_t k)
{
    const int64_t x = i - a->origin[0], y = j - a->origin[1], z = k - a->origin[2];
    const bool inside =
        x >= 0 && x < a->extent[0] && y >= 0 && y < a->extent[1] && z >= 0 && z < a->extent[2];
    mx_atomic_add(&MX_AT(a->hits, inside ? 1 + (x * a->extent[1] + y) * a->extent[2] + z : 0), 1);
}

#define RANGES_KERNELS(suffix, I)                                                                \
    MX_BODY void ranges_1d##suffix##_body(const ranges_args *a, I i) { visit(a, i, 0, 0); }      \
    MX_BODY void ranges_2d##suffix##_body(const ranges_args *a, I i, I j) { visit(a, i, j, 0); } \
    MX_BODY void ranges_3d##suffix##_body(const ranges_args *a, I i, I j, I k)                   \
    {                                                                                            \
        visit(a, i, j, k);                                                                       \
    }
#define RANGES_COUNTS(suffix, I)                                                                \
    MX_BODY void ranges_count_1d##suffix##_body(const ranges_args *a, I i, int64_t *count)      \
    {                                                                                           \
        visit(a, i, 0, 0);                                                                      \
        *count += 1;                                                                            \
    }                                                                                           \
    MX_BODY void ranges_count_2d##suffix##_body(const ranges_args *a, I i, I j, int64_t *count) \
    {                                                                                           \
        visit(a, i, j, 0);                                                                      \
        *count += 1;                                                                            \
    }                                                                                           \
    MX_BODY void ranges_count_3d##suffix##_body(const ranges_args *a, I i, I j, I k,            \
                                                int64_t *count)                                 \
    {                                                                                           \
        visit(a, i, j, k);                                                                      \
        *count += 1;                                                                            \
    }
RANGES_KERNELS(, int)
RANGES_KERNELS(_64, int64_t)
RANGES_KERNELS(_nested, int)
RANGES_KERNELS(_64_nested, int64_t)
RANGES_COUNTS(, int)
RANGES_COUNTS(_64, int64_t)

MX_FOR(1D, ranges_1d)
MX_FOR(2D, ranges_2d)
MX_FOR(3D, ranges_3d)
MX_FOR(1D_64, ranges_1d_64)
MX_FOR(2D_64, ranges_2d_64)
MX_FOR(3D_64, ranges_3d_64)
MX_FOR(1D, ranges_1d_nested, MX_ITEMS_PLAIN)
MX_FOR(2D, ranges_2d_nested, MX_ITEMS_PLAIN)
MX_FOR(3D, ranges_3d_nested, MX_ITEMS_PLAIN)
MX_FOR(1D_64, ranges_1d_64_nested, MX_ITEMS_PLAIN)
MX_FOR(2D_64, ranges_2d_64_nested, MX_ITEMS_RESIDENT_2)
MX_FOR(3D_64, ranges_3d_64_nested)
MX_REDUCE(1D, ranges_count_1d, MX_SUM)
MX_REDUCE(2D, ranges_count_2d, MX_SUM)
MX_REDUCE(3D, ranges_count_3d, MX_SUM)
MX_REDUCE(1D_64, ranges_count_1d_64, MX_SUM)
MX_REDUCE(2D_64, ranges_count_2d_64, MX_SUM)
MX_REDUCE(3D_64, ranges_count_3d_64, MX_SUM)

MX_BODY void ranges_neighbours_body(const ranges_neighbours_args *a, int i, int j, int k)
{
    const int x = i + a->shift, y = j + a->shift, z = k + a->shift;
    MX_AT(a->to, x, y, z) = MX_AT(a->from, x - 1, y, z) + MX_AT(a->from, x + 1, y, z) +
                            MX_AT(a->from, x, y - 1, z) + MX_AT(a->from, x, y + 1, z) +
                            MX_AT(a->from, x, y, z - 1) + MX_AT(a->from, x, y, z + 1);
}
MX_FOR(3D, ranges_neighbours)

MX_BODY void ranges_number_body(const ranges_number_args *a, int i, int j, int k)
{
    MX_AT(a->numbers, i, j, k) = 10000 * i + 100 * j + k;
}
MX_FOR(3D, ranges_number)
