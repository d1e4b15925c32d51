#include "minx/kernel.h"

#include "ranges_many.h"

/* Notes the visit; the number of the index. */
MX_BODY int64_t rm_visit(const rm_args *a, const int64_t *index, int dims)
{
    int64_t at = 0;
    bool inside = true;
    for (int d = 0; d < dims; d++) {
        const int64_t x = index[d] - a->begin[d];
        inside = inside && x >= 0 && x < a->extent[d];
        at = at * a->extent[d] + x;
    }
    mx_atomic_add(&MX_AT(a->hits, inside ? 1 + at : 0), 1);
    return at;
}

/* I is the type of the indices. */
#define RM_KERNEL(name, I, dims, ...)                                             \
    MX_BODY void name##_body(const rm_args *a, RM_INDICES_##dims(I, __VA_ARGS__)) \
    {                                                                             \
        const int64_t index[] = {__VA_ARGS__};                                    \
        (void)rm_visit(a, index, dims);                                           \
    }
#define RM_SUM(name, I, dims, ...)                                                              \
    MX_BODY void name##_body(const rm_args *a, RM_INDICES_##dims(I, __VA_ARGS__), int64_t *sum) \
    {                                                                                           \
        const int64_t index[] = {__VA_ARGS__};                                                  \
        *sum += rm_visit(a, index, dims);                                                       \
    }
#define RM_INDICES_1(I, i) I i
#define RM_INDICES_2(I, i, j) I i, I j
#define RM_INDICES_3(I, i, j, k) I i, I j, I k
#define RM_INDICES_4(I, i, j, k, l) I i, I j, I k, I l
#define RM_INDICES_5(I, i, j, k, l, m) I i, I j, I k, I l, I m
#define RM_INDICES_6(I, i, j, k, l, m, n) I i, I j, I k, I l, I m, I n

RM_KERNEL(rm_1d, int, 1, i)
RM_KERNEL(rm_2d, int, 2, i, j)
RM_KERNEL(rm_3d, int, 3, i, j, k)
RM_KERNEL(rm_4d, int, 4, i, j, k, l)
RM_KERNEL(rm_5d, int, 5, i, j, k, l, m)
RM_KERNEL(rm_6d, int, 6, i, j, k, l, m, n)
RM_KERNEL(rm_6d_nested, int, 6, i, j, k, l, m, n)
RM_KERNEL(rm_2d_resident, int, 2, i, j)
RM_KERNEL(rm_3d_resident, int, 3, i, j, k)
RM_KERNEL(rm_5d_resident, int, 5, i, j, k, l, m)
RM_KERNEL(rm_4d_64, int64_t, 4, i, j, k, l)
RM_KERNEL(rm_5d_64_resident, int64_t, 5, i, j, k, l, m)
RM_KERNEL(rm_6d_64_nested, int64_t, 6, i, j, k, l, m, n)
MX_FOR(1D, rm_1d)
MX_FOR(2D, rm_2d)
MX_FOR(3D, rm_3d)
MX_FOR(4D, rm_4d)
MX_FOR(5D, rm_5d)
MX_FOR(6D, rm_6d)
MX_FOR(6D, rm_6d_nested, MX_ITEMS_PLAIN)
MX_FOR(2D, rm_2d_resident, MX_ITEMS_RESIDENT_2)
MX_FOR(3D, rm_3d_resident, MX_ITEMS_RESIDENT_2)
MX_FOR(5D, rm_5d_resident, MX_ITEMS_RESIDENT_2)
MX_FOR(4D_64, rm_4d_64)
MX_FOR(5D_64, rm_5d_64_resident, MX_ITEMS_RESIDENT_2)
MX_FOR(6D_64, rm_6d_64_nested, MX_ITEMS_PLAIN)
RM_SUM(rm_sum_1d, int, 1, i)
RM_SUM(rm_sum_4d, int, 4, i, j, k, l)
RM_SUM(rm_sum_5d, int, 5, i, j, k, l, m)
RM_SUM(rm_sum_6d, int, 6, i, j, k, l, m, n)
RM_SUM(rm_sum_4d_64, int64_t, 4, i, j, k, l)
RM_SUM(rm_sum_5d_64, int64_t, 5, i, j, k, l, m)
RM_SUM(rm_sum_6d_64, int64_t, 6, i, j, k, l, m, n)
MX_REDUCE(1D, rm_sum_1d, MX_SUM)
MX_REDUCE(4D, rm_sum_4d, MX_SUM)
MX_REDUCE(5D, rm_sum_5d, MX_SUM)
MX_REDUCE(6D, rm_sum_6d, MX_SUM)
MX_REDUCE(4D_64, rm_sum_4d_64, MX_SUM)
MX_REDUCE(5D_64, rm_sum_5d_64, MX_SUM)
MX_REDUCE(6D_64, rm_sum_6d_64, MX_SUM)
