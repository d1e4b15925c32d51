#include "minx/kernel.h"

#include "../containers.h"

#define JOIN_COPIES(T)                                                                \
    for (int c = 0; c < a->copies; c++)                                               \
        ((T *)a->to)[e] = (T)MX_SCATTER_JOIN_(a->op, ((const T *)a->to)[e],           \
                                              ((const T *)a->from)[c * a->step + e]); \
    break
MX_BODY void mx_scatter_join_body(const mx_join_args *a, int64_t e)
{
    switch (a->kind) {
    case 1: JOIN_COPIES(double);
    case 2: JOIN_COPIES(float);
    case 3: JOIN_COPIES(int32_t);
    case 4: JOIN_COPIES(int64_t);
    case 6: JOIN_COPIES(uint32_t);
    default: JOIN_COPIES(uint64_t);
    }
}
MX_FOR_1D_64_NESTED(mx_scatter_join)

MX_BODY void mx_map_count_body(const mx_map_args *a, int i, int64_t *count)
{
    *count += MX_AT(a->map, i) != 0;
}
MX_REDUCE_1D(mx_map_count, MX_SUM)

MX_BODY void mx_map_insert_all_body(const mx_map_args *a, int i)
{
    if (!mx_map_valid(&a->old, i)) return;
    const int slot = mx_map_insert(&a->map, mx_map_key(&a->old, i)).slot;
    if (slot >= 0) MX_AT(a->origin, slot) = i;
}
MX_FOR_1D_NESTED(mx_map_insert_all)
