/* One step of smoothing, the sum of a row, sums of all rows by teams, and a scan: what tests/install/debugging.cmake stops in gdb. */
#include "smooth.h"

#include <stdio.h>

enum { ROWS = 3, COLUMNS = 16 };

static mx_err run(mx_ctx ctx)
{
    const int64_t extents[2] = {ROWS, COLUMNS};
    smooth_args args = {.weight = 0.25, .columns = COLUMNS};
    mx_view old, next, length;
    double two = 2, sum = 0, total = 0;
    MX_TRY(mx_view_create(ctx, "old", MX_F64, 2, extents, NULL, &old));
    MX_TRY(mx_view_create(ctx, "next", MX_F64, 2, extents, NULL, &next));
    MX_TRY(mx_view_create(ctx, "length", MX_F64, 1, extents, NULL, &length));
    MX_TRY(mx_fill(ctx, old, &two));
    MX_TRY(mx_bind(ctx, old, &args.old));
    MX_TRY(mx_bind(ctx, next, &args.next));
    MX_TRY(mx_bind(ctx, length, &args.length));
    MX_TRY(smooth(mx_range_2d(ctx, 1, 2, 1, COLUMNS - 1), &args)); /* line: launch */
    MX_TRY(smooth_sum(mx_range_1d(ctx, 1, COLUMNS - 1), &args, &sum));
    MX_TRY(smooth_rows(mx_league(ctx, ROWS, MX_AUTO, MX_AUTO), &args));
    MX_TRY(smooth_scan(mx_range_1d(ctx, 0, COLUMNS), &args, &total));
    printf("sum %g, total %g\n", sum, total);
    MX_TRY(mx_view_destroy(&length));
    MX_TRY(mx_view_destroy(&old));
    return mx_view_destroy(&next);
}

int main(int argc, char **argv)
{
    mx_ctx ctx;
    mx_err err = mx_init();
    if (err == MX_OK) err = mx_ctx_create(argc > 1 ? argv[1] : "serial", &ctx);
    if (err == MX_OK) err = run(ctx);
    if (err != MX_OK) fprintf(stderr, "%s\n", mx_err_message());
    return err != MX_OK;
}
