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
