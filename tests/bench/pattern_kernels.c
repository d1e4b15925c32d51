#include "minx/scan.h"

#include "pattern_kernels.h"

MX_BODY void bench_scan_body(const bench_scan_args *a, int i, double *sum, bool final)
{
    *sum += MX_LOAD(a->x, i);
    if (final) MX_AT(a->y, i) = *sum;
}
MX_SCAN(1D, bench_scan, MX_SUM)

MX_BODY int bench_column(int r, int n, int rows, int s)
{
    const int x = r % s + n % 3 - 1, y = r / s % s + n / 3 % 3 - 1, z = r / s / s + n / 9 - 1;
    const int cx = x < 0 ? 0 : x < s ? x : s - 1, cy = y < 0 ? 0 : y < s ? y : s - 1;
    const int cz = z < 0 ? 0 : z < s ? z : s - 1, column = (cz * s + cy) * s + cx;
    return column < rows ? column : rows - 1;
}

MX_BODY double bench_entry(int r, int n) { return 0.5 + (double)((r * 7 + n * 13) % 101) / 101.0; }

MX_BODY void bench_set_matrix_body(const bench_set_matrix_args *a, int r)
{
    MX_AT(a->begin, r) = r * BENCH_ROW;
    if (r == a->rows - 1) MX_AT(a->begin, a->rows) = a->rows * BENCH_ROW;
    for (int n = 0; n < BENCH_ROW; n++) {
        MX_AT(a->column, r * BENCH_ROW + n) = bench_column(r, n, a->rows, a->side);
        MX_AT(a->value, r * BENCH_ROW + n) = bench_entry(r, n);
    }
}
MX_FOR(1D, bench_set_matrix, MX_ITEMS_PLAIN)

MX_BODY void bench_set_columns_body(const bench_set_columns_args *a, int r)
{
    for (int n = 0; n < BENCH_ROW; n++) {
        MX_AT(a->column, r, n) = bench_column(r, n, a->rows, a->side);
        MX_AT(a->value, r, n) = bench_entry(r, n);
    }
}
MX_FOR(1D, bench_set_columns, MX_ITEMS_PLAIN)

MX_BODY void bench_array_body(const bench_array_args *a, int i, bench_array_array array)
{
    mx_array_add(array, MX_AT(a->index, i), MX_AT(a->x, i));
}
MX_REDUCE_ARRAY(1D, bench_array, MX_SUM)
