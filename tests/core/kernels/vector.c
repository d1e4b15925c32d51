#include "minx/team.h"

#include "vector.h"

#define VE_KERNEL(tag, T)                                                             \
    MX_BODY void ve_rows_##tag##_body(const ve_##tag##_args *a, mx_team *t)           \
    {                                                                                 \
        const int r0 = t->league_rank * VE_ROWS_PER_TEAM, r1 = r0 + VE_ROWS_PER_TEAM; \
        MX_TEAM_FOR (t, r, r0, r1 < a->rows ? r1 : a->rows) {                         \
            const int b = MX_AT(a->begin, r), e = MX_AT(a->begin, r + 1);             \
            T least, least_y, largest, sum, total, all;                               \
            MX_VECTOR_MIN (t, k, b, e, least, least_y) {                              \
                least = MX_AT(a->x, k) < least ? MX_AT(a->x, k) : least;              \
                least_y = MX_AT(a->y, k) < least_y ? MX_AT(a->y, k) : least_y;        \
            }                                                                         \
            MX_VECTOR_MAX (t, k, b, e, largest)                                       \
                largest = largest < MX_AT(a->x, k) ? MX_AT(a->x, k) : largest;        \
            MX_VECTOR_SUM (t, k, b, e, sum) sum += MX_AT(a->y, k);                    \
            MX_VECTOR_SCAN(t, k, b, e, total, MX_AT(a->y, k))                         \
            {                                                                         \
                if (MX_AT(a->y, k) == 0) continue;                                    \
                MX_AT(a->before, k) = total;                                          \
            }                                                                         \
            MX_VECTOR_SCAN_INCLUSIVE(t, k, b, e, all, MX_AT(a->y, k))                 \
            MX_AT(a->behind, k) = all;                                                \
            MX_VECTOR_FOR (t, l, 0, VE_LANES) {                                       \
                MX_AT(a->least, r *VE_LANES + l) = least;                             \
                MX_AT(a->least_y, r *VE_LANES + l) = least_y;                         \
                MX_AT(a->largest, r *VE_LANES + l) = largest;                         \
                MX_AT(a->sum, r *VE_LANES + l) = sum;                                 \
                MX_AT(a->total, r *VE_LANES + l) = total;                             \
                MX_AT(a->all, r *VE_LANES + l) = all;                                 \
            }                                                                         \
        }                                                                             \
    }                                                                                 \
    MX_FOR(TEAM, ve_rows_##tag)
VE_TYPES(VE_KERNEL)

MX_BODY void ve_locations_body(const ve_loc_args *a, mx_team *t)
{
    const int r0 = t->league_rank * VE_ROWS_PER_TEAM, r1 = r0 + VE_ROWS_PER_TEAM;
    MX_TEAM_FOR (t, r, r0, r1 < a->rows ? r1 : a->rows) {
        const int b = MX_AT(a->begin, r), e = MX_AT(a->begin, r + 1);
        mx_loc_f64 top;
        mx_minmaxloc_f64 both;
        MX_VECTOR_REDUCE(t, k, b, e, top, mx_maxloc_f64_init, mx_maxloc_f64_join)
        mx_maxloc_f64_update(&top, MX_AT(a->x, k), k);
        MX_VECTOR_REDUCE(t, k, b, e, both, mx_minmaxloc_f64_init, mx_minmaxloc_f64_join)
        mx_minmaxloc_f64_update(&both, MX_AT(a->x, k), k);
        MX_VECTOR_FOR (t, l, 0, VE_LANES) {
            MX_AT(a->value, r * VE_LANES + l) = l % 2 == 0 ? top.value : both.max.value;
            MX_AT(a->index, r * VE_LANES + l) = l % 2 == 0 ? top.index : both.max.index;
            MX_AT(a->least, r * VE_LANES + l) = both.min.value;
            MX_AT(a->least_index, r * VE_LANES + l) = both.min.index;
        }
    }
}
MX_FOR(TEAM, ve_locations)
