#include "minx/kernel.h"

#include "layouts.h"

#define LAYOUTS_INDICES_2 int i, int j
#define LAYOUTS_INDICES_3 int i, int j, int k
#define LAYOUTS_INDEX_2 i, j
#define LAYOUTS_INDEX_3 i, j, k
#define LAYOUTS_CODE_2 10000 * i + j
#define LAYOUTS_CODE_3 1000000 * i + 1000 * j + k
#define LAYOUTS_KERNELS(name, LAYOUT, R)                                                        \
    MX_BODY void layouts_##name##_body(const layouts_##name##_args *a, LAYOUTS_INDICES_##R)     \
    {                                                                                           \
        MX_AT(a->x, LAYOUTS_INDEX_##R) = LAYOUTS_CODE_##R;                                      \
        MX_AT(a->offset, LAYOUTS_INDEX_##R) = &MX_AT(a->y, LAYOUTS_INDEX_##R) - a->y.data;      \
    }                                                                                           \
    MX_FOR(R##D, layouts_##name)                                                                \
    MX_BODY void layouts_sum_##name##_body(const layouts_##name##_args *a, LAYOUTS_INDICES_##R, \
                                           int64_t *sum)                                        \
    {                                                                                           \
        *sum += MX_AT(a->y, LAYOUTS_INDEX_##R);                                                 \
    }                                                                                           \
    MX_REDUCE(R##D, layouts_sum_##name, MX_SUM)
LAYOUTS_EACH(LAYOUTS_KERNELS)

MX_BODY void layouts_fixed_fill_body(const layouts_fixed_args *a, int i, int j, int k)
{
    MX_AT(a->x, i, j, k) = LAYOUTS_CODE_3;
}
MX_FOR(3D, layouts_fixed_fill)
