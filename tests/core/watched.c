/* What the thread sanitizer must report, and what it must not. This shows that a build with it
 * finds races, and that it understands the synchronisation of the core and of the OpenMP run time.
 *
 *     test_core_watched RESOURCE clean | race | barrier | without_archer
 *
 * clean: correct kernels with every kind of synchronisation; no message, exit code 0. race,
 * barrier: the kernel has a race, which the sanitizer must report. without_archer: the correct
 * kernels with OMP_TOOL=disabled. Then the sanitizer does not see that threads join, and must
 * report races; otherwise `clean` would prove nothing. */
#include "watched.h"
#include "check.h"

enum { N = 20000, TEAMS = 50, MEMBERS = 3 };

static const char *wanted = "clean";

static void check_clean(mx_ctx ctx, const wt_args *args, mx_view total)
{
    const int64_t expected = (int64_t)N * (N - 1) / 2;
    int64_t sum = 0;
    CHECK_OK(wt_write(mx_range_1d(ctx, 0, N), args));
    CHECK_OK(wt_reverse(mx_range_1d(ctx, 0, N), args));
    CHECK_OK(wt_reverse(mx_dynamic_1d(mx_tiled_1d(mx_range_1d(ctx, 0, N), 16)), args));
    CHECK_OK(wt_write(mx_dynamic_1d(mx_tiled_1d(mx_range_1d(ctx, 0, N), 16)), args));
    CHECK_OK(wt_sum(mx_range_1d(ctx, 0, N), args, &sum));
    CHECK_I64(sum, expected);
    CHECK_OK(wt_atomic(mx_range_1d(ctx, 0, N), args));
    CHECK_OK(wt_update(mx_range_1d(ctx, 0, N), args));
    CHECK_OK(wt_collective(mx_league(ctx, TEAMS, MEMBERS, MX_AUTO), args));
    int64_t totals[2];
    check_download(ctx, total, totals);
    CHECK_I64(totals[0], expected + N + TEAMS * MEMBERS);
    CHECK_I64(totals[1], expected);
}

static void test(mx_ctx ctx)
{
    mx_view x, y, total;
    wt_args args;
    MUST(mx_view_create_1d(ctx, "x", MX_I64, N, &x));
    MUST(mx_view_create_1d(ctx, "y", MX_I64, N, &y));
    MUST(mx_view_create_1d(ctx, "total", MX_I64, 2, &total));
    MUST(mx_bind(ctx, x, &args.x));
    MUST(mx_bind(ctx, y, &args.y));
    MUST(mx_bind(ctx, total, &args.total));
    if (strcmp(wanted, "race") == 0)
        CHECK_OK(wt_race(mx_range_1d(ctx, 0, N), &args));
    else if (strcmp(wanted, "barrier") == 0)
        CHECK_OK(wt_too_early(mx_league(ctx, TEAMS, MEMBERS, MX_AUTO), &args));
    else
        check_clean(ctx, &args, total);
    MUST(mx_view_destroy(&x));
    MUST(mx_view_destroy(&y));
    MUST(mx_view_destroy(&total));
}

int main(int argc, char **argv)
{
    if (argc > 2) wanted = argv[2];
    return check_main(argc, argv, test);
}
