#include "minx/kernel.h"

#include "reduce.h"

#define RD_SUMS(suffix, I)                                                               \
    MX_BODY void rd_sum_1d##suffix##_body(const rd_args *a, I i, int64_t *sum)           \
    {                                                                                    \
        *sum += MX_AT(a->x, i);                                                          \
    }                                                                                    \
    MX_BODY void rd_sum_2d##suffix##_body(const rd_args *a, I i, I j, int64_t *sum)      \
    {                                                                                    \
        *sum += MX_AT(a->box, 0, i, j);                                                  \
    }                                                                                    \
    MX_BODY void rd_sum_3d##suffix##_body(const rd_args *a, I i, I j, I k, int64_t *sum) \
    {                                                                                    \
        *sum += MX_AT(a->box, i, j, k);                                                  \
    }
RD_SUMS(, int)
RD_SUMS(_64, int64_t)
MX_REDUCE(1D, rd_sum_1d, MX_SUM)
MX_REDUCE(2D, rd_sum_2d, MX_SUM)
MX_REDUCE(3D, rd_sum_3d, MX_SUM)
MX_REDUCE(1D_64, rd_sum_1d_64, MX_SUM)
MX_REDUCE(2D_64, rd_sum_2d_64, MX_SUM)
MX_REDUCE(3D_64, rd_sum_3d_64, MX_SUM)

/* Sums, of bodies that could loop. */
#define rd_nested_1d_64_body rd_sum_1d_64_body
#define rd_nested_2d_64_body rd_sum_2d_64_body
#define rd_nested_3d_64_body rd_sum_3d_64_body
MX_REDUCE(1D_64, rd_nested_1d_64, MX_SUM, MX_ITEMS_PLAIN)
MX_REDUCE(2D_64, rd_nested_2d_64, MX_SUM, MX_ITEMS_PLAIN)
MX_REDUCE(3D_64, rd_nested_3d_64, MX_SUM, MX_ITEMS_PLAIN)

/* Bodies that loop: over the box's last extents. */
MX_BODY double row_sum(const rd_args *a, int i, int j)
{
    double s = 0;
    MX_SIMD_SUM(s)
    for (int k = 0; k < (int)MX_EXTENT(a->box, 2); k++) s += MX_AT(a->box, i, j, k);
    return s;
}
MX_BODY void rd_nested_1d_body(const rd_args *a, int i, double *sum)
{
    for (int j = 0; j < (int)MX_EXTENT(a->box, 1); j++) *sum += row_sum(a, i, j);
}
MX_REDUCE(1D, rd_nested_1d, MX_SUM, MX_ITEMS_PLAIN)
MX_BODY void rd_nested_2d_body(const rd_args *a, int i, int j, double *sum)
{
    *sum += row_sum(a, i, j);
}
MX_REDUCE(2D, rd_nested_2d, MX_SUM, MX_ITEMS_PLAIN)
MX_BODY void rd_nested_3d_body(const rd_args *a, int i, int j, int k, double *sum)
{
    for (int n = 0; n < 3; n++) *sum += MX_AT(a->box, i, j, k);
}
MX_REDUCE(3D, rd_nested_3d, MX_SUM, MX_ITEMS_PLAIN)

MX_BODY void add_to_summary(rd_summary *v, int x)
{
    v->mass += 0.5 * x;
    v->lowest = (float)x < v->lowest ? (float)x : v->lowest;
    v->count += 1;
    v->highest = x > v->highest ? x : v->highest;
    v->all = (uint8_t)(v->all && x != 0);
    v->bits |= 1u << (x & 31);
    v->parity ^= (uint32_t)x;
}
MX_BODY void rd_xor_body(const rd_args *a, int i, uint32_t *v) { *v ^= (uint32_t)MX_AT(a->x, i); }
MX_REDUCE(1D, rd_xor, RD_XOR)

#define RD_BODIES(kind, suffix, I, T, add)                                            \
    MX_BODY void rd_##kind##_1d##suffix##_body(const rd_args *a, I i, T *v)           \
    {                                                                                 \
        add(v, MX_AT(a->x, i));                                                       \
    }                                                                                 \
    MX_BODY void rd_##kind##_2d##suffix##_body(const rd_args *a, I i, I j, T *v)      \
    {                                                                                 \
        add(v, MX_AT(a->box, 0, i, j));                                               \
    }                                                                                 \
    MX_BODY void rd_##kind##_3d##suffix##_body(const rd_args *a, I i, I j, I k, T *v) \
    {                                                                                 \
        add(v, MX_AT(a->box, i, j, k));                                               \
    }
RD_BODIES(fields, , int, rd_summary, add_to_summary)
RD_BODIES(fields, _64, int64_t, rd_summary, add_to_summary)
RD_BODIES(fields, _nested, int, rd_summary, add_to_summary)
MX_REDUCE_FIELDS(1D, rd_fields_1d, RD_FIELDS)
MX_REDUCE_FIELDS(2D, rd_fields_2d, RD_FIELDS)
MX_REDUCE_FIELDS(3D, rd_fields_3d, RD_FIELDS)
MX_REDUCE_FIELDS(1D_64, rd_fields_1d_64, RD_FIELDS)
MX_REDUCE_FIELDS(2D_64, rd_fields_2d_64, RD_FIELDS)
MX_REDUCE_FIELDS(3D_64, rd_fields_3d_64, RD_FIELDS)
MX_REDUCE_FIELDS(1D, rd_fields_1d_nested, RD_FIELDS, MX_ITEMS_PLAIN)
MX_REDUCE_FIELDS(2D, rd_fields_2d_nested, RD_FIELDS, MX_ITEMS_PLAIN)
MX_REDUCE_FIELDS(3D, rd_fields_3d_nested, RD_FIELDS, MX_ITEMS_PLAIN)

MX_BODY void rd_digits_init(rd_digits *v)
{
    for (int d = 0; d < 10; d++) v->of[d] = 0;
    v->low = 1e300;
    v->high = -1e300;
}
MX_BODY void rd_digits_join(rd_digits *into, const rd_digits *v)
{
    for (int d = 0; d < 10; d++) into->of[d] += v->of[d];
    into->low = v->low < into->low ? v->low : into->low;
    into->high = v->high > into->high ? v->high : into->high;
}
MX_BODY void add_to_digits(rd_digits *v, int x)
{
    v->of[(x % 10 + 10) % 10] += 1;
    v->low = x < v->low ? x : v->low;
    v->high = x > v->high ? x : v->high;
}
RD_BODIES(custom, , int, rd_digits, add_to_digits)
RD_BODIES(custom, _64, int64_t, rd_digits, add_to_digits)
MX_REDUCE_CUSTOM(1D, rd_custom_1d, rd_digits_init, rd_digits_join)
MX_REDUCE_CUSTOM(2D, rd_custom_2d, rd_digits_init, rd_digits_join)
MX_REDUCE_CUSTOM(3D, rd_custom_3d, rd_digits_init, rd_digits_join)
MX_REDUCE_CUSTOM(1D_64, rd_custom_1d_64, rd_digits_init, rd_digits_join)
MX_REDUCE_CUSTOM(2D_64, rd_custom_2d_64, rd_digits_init, rd_digits_join)
MX_REDUCE_CUSTOM(3D_64, rd_custom_3d_64, rd_digits_init, rd_digits_join)

MX_BODY void rd_minloc_body(const rd_args *a, int i, mx_loc_i32 *v)
{
    mx_minloc_i32_update(v, MX_AT(a->x, i), i);
}
MX_REDUCE_CUSTOM(1D, rd_minloc, mx_minloc_i32_init, mx_minloc_i32_join)
MX_BODY void rd_maxloc_body(const rd_args *a, int i, mx_loc_f64 *v)
{
    mx_maxloc_f64_update(v, 0.5 * MX_AT(a->x, i), i);
}
MX_REDUCE_CUSTOM(1D, rd_maxloc, mx_maxloc_f64_init, mx_maxloc_f64_join)
MX_BODY void rd_maxloc_f32_body(const rd_args *a, int i, mx_loc_f32 *v)
{
    mx_maxloc_f32_update(v, (float)MX_AT(a->x, i), i);
}
MX_REDUCE_CUSTOM(1D, rd_maxloc_f32, mx_maxloc_f32_init, mx_maxloc_f32_join)
MX_BODY void rd_minmaxloc_body(const rd_args *a, int i, mx_minmaxloc_i64 *v)
{
    mx_minmaxloc_i64_update(v, MX_AT(a->x, i), i);
}
MX_REDUCE_CUSTOM(1D, rd_minmaxloc, mx_minmaxloc_i64_init, mx_minmaxloc_i64_join)

MX_BODY double mark_nan(const rd_args *a, int i)
{
    return i % (int)a->factor == 0 ? (double)NAN : (double)MX_AT(a->x, i);
}
MX_BODY void rd_nan_min_body(const rd_args *a, int i, mx_loc_f64 *v)
{
    mx_minloc_f64_update(v, mark_nan(a, i), i);
}
MX_REDUCE_CUSTOM(1D, rd_nan_min, mx_minloc_f64_init, mx_minloc_f64_join)
MX_BODY void rd_nan_max_body(const rd_args *a, int i, mx_loc_f64 *v)
{
    mx_maxloc_f64_update(v, mark_nan(a, i), i);
}
MX_REDUCE_CUSTOM(1D, rd_nan_max, mx_maxloc_f64_init, mx_maxloc_f64_join)
MX_BODY void rd_nan_plain_max_body(const rd_args *a, int i, double *v)
{
    const double x = mark_nan(a, i);
    *v = x > *v ? x : *v;
}
MX_REDUCE(1D, rd_nan_plain_max, MX_MAX)

/* The length of the arrays comes from the driver, by way of factor. */
MX_BODY void rd_bins_body(const rd_args *a, int i, rd_bins_array bins)
{
    mx_array_add(bins, i % (int)a->factor, (double)MX_AT(a->x, i));
}
MX_REDUCE_ARRAY(1D, rd_bins, MX_SUM)
MX_BODY void rd_tops_body(const rd_args *a, int i, rd_tops_array tops)
{
    mx_atomic_max(mx_array_at(tops, i % (int)a->factor), (int64_t)MX_AT(a->x, i));
}
MX_REDUCE_ARRAY(1D, rd_tops, MX_MAX)
MX_BODY void rd_bins_again_body(const rd_again_args *a, int i, rd_bins_again_array bins)
{
    const int e = i % a->length;
    mx_array_add(bins, e, (double)MX_AT(a->x, i) + MX_AT(a->before, e));
}
MX_REDUCE_ARRAY(1D, rd_bins_again, MX_SUM)
MX_BODY void rd_bins_of_args_body(const rd_again_args *a, int i, rd_bins_of_args_array bins)
{
    const int e = i % a->length;
    mx_array_add(bins, e, (double)MX_AT(a->x, i) + a->earlier[e]);
}
MX_REDUCE_ARRAY(1D, rd_bins_of_args, MX_SUM)
MX_BODY void rd_bins_2d_body(const rd_args *a, int i, int j, rd_bins_2d_array bins)
{
    mx_array_add(bins, (i + j) % (int)a->factor, (double)MX_AT(a->box, 0, i, j));
}
MX_REDUCE_ARRAY(2D, rd_bins_2d, MX_SUM)
MX_BODY void rd_bins_3d_body(const rd_args *a, int64_t i, int64_t j, int64_t k,
                             rd_bins_3d_array bins)
{
    mx_array_add(bins, (i + j + k) % (int64_t)a->factor, (double)MX_AT(a->box, i, j, k));
}
MX_REDUCE_ARRAY(3D_64, rd_bins_3d, MX_SUM, MX_ITEMS_PLAIN)

#define rd_resident_2d_body rd_sum_2d_body
#define rd_resident_3d_body rd_sum_3d_64_body
#define rd_resident_fields_body rd_fields_2d_64_body
#define rd_column_sum_body rd_sum_2d_64_body
#define rd_column_fields_body rd_fields_3d_body
#define rd_resident_custom_body rd_custom_3d_body
#define rd_plain_custom_body rd_custom_2d_body
MX_REDUCE(2D, rd_resident_2d, MX_SUM, MX_ITEMS_RESIDENT_4)
MX_REDUCE(3D_64, rd_resident_3d, MX_SUM, MX_ITEMS_RESIDENT_4)
MX_REDUCE_FIELDS(2D_64, rd_resident_fields, RD_FIELDS, MX_ITEMS_RESIDENT_4)
/* functions with these names are not those of an instance */
MX_BODY void init(rd_digits *v) { rd_digits_init(v); }
MX_BODY void join(rd_digits *into, const rd_digits *v) { rd_digits_join(into, v); }
MX_REDUCE_CUSTOM(3D, rd_resident_custom, init, join, MX_ITEMS_RESIDENT_4)
MX_REDUCE_CUSTOM(2D, rd_plain_custom, rd_digits_init, rd_digits_join, MX_ITEMS_PLAIN)
MX_REDUCE(2D_64, rd_column_sum, MX_SUM, MX_ITEMS_RESIDENT_2)
MX_REDUCE_FIELDS(3D, rd_column_fields, RD_FIELDS, MX_ITEMS_RESIDENT_2)

MX_BODY void rd_double_scale(rd_args *a) { a->factor = 2 * MX_AT(a->scale); }
MX_BODY void rd_prologue_body(const rd_args *a, int i, double *sum)
{
    *sum += a->factor * MX_AT(a->x, i);
}
MX_REDUCE(1D, rd_prologue, MX_SUM, MX_ITEMS_SIMD, rd_double_scale)
MX_BODY void rd_prologue_2d_body(const rd_args *a, int i, int j, double *sum)
{
    *sum += a->factor * MX_AT(a->box, 0, i, j);
}
MX_REDUCE(2D, rd_prologue_2d, MX_SUM, MX_ITEMS_SIMD, rd_double_scale)
MX_BODY void rd_prologue_fields_body(const rd_args *a, int i, rd_summary *v)
{
    v->mass += a->factor * MX_AT(a->x, i);
    v->count += 1;
}
MX_REDUCE_FIELDS(1D, rd_prologue_fields, RD_FIELDS, MX_ITEMS_SIMD, rd_double_scale)
MX_BODY void rd_prologue_custom_body(const rd_args *a, int i, rd_digits *v)
{
    add_to_digits(v, (int)a->factor * MX_AT(a->x, i));
}
MX_REDUCE_CUSTOM(1D, rd_prologue_custom, rd_digits_init, rd_digits_join, MX_ITEMS_SIMD,
                 rd_double_scale)
MX_BODY void rd_bins_prologue_body(const rd_args *a, int64_t i, rd_bins_prologue_array bins)
{
    mx_array_add(bins, i % 5, a->factor * MX_AT(a->x, i));
}
MX_REDUCE_ARRAY(1D_64, rd_bins_prologue, MX_SUM, MX_ITEMS_SIMD, rd_double_scale)
MX_BODY void rd_store_prologue(rd_store_args *a) { a->factor = 2 * MX_AT(a->scale); }
MX_BODY void rd_prologue_for_body(const rd_store_args *a, int i) { MX_AT(a->y, i) = a->factor * i; }
MX_FOR(1D, rd_prologue_for, MX_ITEMS_SIMD, rd_store_prologue)

MX_BODY void rd_grid_prologue(rd_grid_args *a) { a->factor = 2 * MX_AT(a->scale); }
MX_BODY void rd_prologue_grid_body(const rd_grid_args *a, int i, int j)
{
    MX_AT(a->y, i, j) += a->factor * (100 * i + j);
}
MX_FOR(2D, rd_prologue_grid, MX_ITEMS_SIMD, rd_grid_prologue)
MX_BODY void rd_prologue_grid_64_body(const rd_grid_args *a, int64_t i, int64_t j)
{
    MX_AT(a->y, i, j) += a->factor * (double)(100 * i + j);
}
MX_FOR(2D_64, rd_prologue_grid_64, MX_ITEMS_SIMD, rd_grid_prologue)
