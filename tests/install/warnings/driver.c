#include "kernels.h"

mx_err launch_all(mx_ctx ctx, int n, box_args *a, mx_view bins);

mx_err launch_all(mx_ctx ctx, int n, box_args *a, mx_view bins)
{
    const mx_range_1 line = mx_range_1d(ctx, 0, n);
    const mx_range_2 rows_of_three = mx_range_2d(ctx, 0, n, 0, 3);
    double sum;
    int64_t cells;
    int32_t count;
    summary all;
    moments mean;
    mx_minmaxloc_f64 hottest;
    mx_loc_i32 fullest;
    mx_loc_f64 least;
    MX_TRY(mx_fill(ctx, bins, n));
    MX_TRY(mx_fill(ctx, bins, 0.5));
    MX_TRY(find(line, a, &n));
    MX_TRY(find_least(line, a, &least));
    MX_TRY(scale(line, a));
    MX_TRY(move(rows_of_three, a));
    MX_TRY(distance(rows_of_three, a, &sum));
    MX_TRY(extremes(mx_range_3d(ctx, 0, n, 0, n, 0, 3), a, &all));
    MX_TRY(volume(mx_range_3d(ctx, 0, n, 0, n, 0, n), a, &cells));
    MX_TRY(summarise(line, a, &all));
    MX_TRY(add_moments(line, a, &mean));
    MX_TRY(find_hottest(line, a, &hottest));
    MX_TRY(find_fullest(line, a, &fullest));
    MX_TRY(histogram_into(line, a, bins));
    MX_TRY(offsets(line, a, &count));
    MX_TRY(sum_moments(line, a, &mean));
    MX_TRY(rows(mx_with_scratch(mx_league(ctx, n, MX_AUTO, MX_AUTO), 0, 64, 0), a));
    return row_total(mx_league(ctx, n, MX_AUTO, MX_AUTO), a, &sum);
}
