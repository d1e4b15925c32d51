#include "minx/kernel.h"

#include "ranges_many.h"

/* Notes the visit; the number of the index. */
MX_BODY int64_t rm_visit(const rm_args *a, const int *index, int dims)
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

#define RM_KERNEL(name, dims, ...)                                          \
    MX_BODY void name##_body(const rm_args *a, RM_INTS_##dims(__VA_ARGS__)) \
    {                                                                       \
        const int index[] = {__VA_ARGS__};                                  \
        (void)rm_visit(a, index, dims);                                     \
    }
#define RM_SUM(name, dims, ...)                                                           \
    MX_BODY void name##_body(const rm_args *a, RM_INTS_##dims(__VA_ARGS__), int64_t *sum) \
    {                                                                                     \
        const int index[] = {__VA_ARGS__};                                                \
        *sum += rm_visit(a, index, dims);                                                 \
    }
#define RM_INTS_1(i) int i
#define RM_INTS_2(i, j) int i, int j
#define RM_INTS_3(i, j, k) int i, int j, int k
#define RM_INTS_4(i, j, k, l) int i, int j, int k, int l
#define RM_INTS_5(i, j, k, l, m) int i, int j, int k, int l, int m
#define RM_INTS_6(i, j, k, l, m, n) int i, int j, int k, int l, int m, int n

RM_KERNEL(rm_1d, 1, i)
RM_KERNEL(rm_2d, 2, i, j)
RM_KERNEL(rm_3d, 3, i, j, k)
RM_KERNEL(rm_4d, 4, i, j, k, l)
RM_KERNEL(rm_5d, 5, i, j, k, l, m)
RM_KERNEL(rm_6d, 6, i, j, k, l, m, n)
RM_KERNEL(rm_6d_nested, 6, i, j, k, l, m, n)
RM_KERNEL(rm_2d_stencil, 2, i, j)
RM_KERNEL(rm_3d_stencil, 3, i, j, k)
RM_KERNEL(rm_5d_stencil, 5, i, j, k, l, m)
MX_FOR(1D, rm_1d)
MX_FOR(2D, rm_2d)
MX_FOR(3D, rm_3d)
MX_FOR(4D, rm_4d)
MX_FOR(5D, rm_5d)
MX_FOR(6D, rm_6d)
MX_FOR(6D, rm_6d_nested, MX_ITEMS_PLAIN)
MX_FOR(2D, rm_2d_stencil, MX_ITEMS_STENCIL)
MX_FOR(3D, rm_3d_stencil, MX_ITEMS_STENCIL)
MX_FOR(5D, rm_5d_stencil, MX_ITEMS_STENCIL)
RM_SUM(rm_sum_1d, 1, i)
RM_SUM(rm_sum_4d, 4, i, j, k, l)
RM_SUM(rm_sum_5d, 5, i, j, k, l, m)
RM_SUM(rm_sum_6d, 6, i, j, k, l, m, n)
MX_REDUCE(1D, rm_sum_1d, MX_SUM)
MX_REDUCE(4D, rm_sum_4d, MX_SUM)
MX_REDUCE(5D, rm_sum_5d, MX_SUM)
MX_REDUCE(6D, rm_sum_6d, MX_SUM)
