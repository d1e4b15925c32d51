/* Teams: nested loops, collectives and scratch, for teams of one and of several threads with one
 * and several lanes. Numbers are small multiples of 1/2, so that sums are exact in any order. */
#include "team.h"
#include "check.h"

enum { LEAGUE = 37, COLUMNS = 53 };

typedef struct shape {
    int size, lanes;
} shape;

static mx_teams of(mx_ctx ctx, int64_t league, shape s)
{
    return mx_league(ctx, league, s.size, s.lanes);
}

static mx_view new_numbers(mx_ctx ctx, const char *label, int rank, const int64_t *extents)
{
    mx_view view, mirror;
    int64_t index[MX_MAX_RANK] = {0};
    MUST(mx_view_create(ctx, label, MX_F64, rank, extents, NULL, &view));
    MUST(mx_mirror_create(view, &mirror));
    const mx_view_info info = check_info(mirror);
    do {
        *(double *)check_at(&info, index) = (double)check_random_int(-9, 9);
    } while (check_next(&info, index));
    MUST(mx_deep_copy(ctx, view, mirror));
    MUST(mx_fence(ctx));
    MUST(mx_view_destroy(&mirror));
    return view;
}

static double number_at(const mx_view_info *info, int64_t i, int64_t j, int64_t k)
{
    const int64_t index[] = {i, j, k};
    return *(double *)check_at(info, index);
}

static void check_yax(mx_ctx ctx, shape s)
{
    const int64_t extents[] = {LEAGUE, 11, 19};
    const int64_t x_extents[] = {LEAGUE, 19}, y_extents[] = {LEAGUE, 11};
    double sum = -1, expected = 0;
    tm_yax_args args;
    memset(&args, 0, sizeof args);
    mx_view a = new_numbers(ctx, "a", 3, extents), x = new_numbers(ctx, "x", 2, x_extents),
            y = new_numbers(ctx, "y", 2, y_extents);
    mx_view on_host[] = {check_fetch(ctx, a), check_fetch(ctx, x), check_fetch(ctx, y)};
    const mx_view_info ai = check_info(on_host[0]), xi = check_info(on_host[1]),
                       yi = check_info(on_host[2]);
    double least = INFINITY;
    tm_top_value top = {-INFINITY, -1}, got_top;
    tm_rows_value rows;
    for (int e = 0; e < LEAGUE; e++)
        for (int n = 0; n < 11; n++) {
            double row = 0;
            for (int m = 0; m < 19; m++)
                row += number_at(&yi, e, n, 0) * number_at(&ai, e, n, m) * number_at(&xi, e, m, 0);
            expected += row;
            if (row < least) least = row;
            if (row > top.value) top = (tm_top_value){row, e * 11 + n};
        }
    MUST(mx_bind(ctx, a, &args.a));
    MUST(mx_bind(ctx, x, &args.x));
    MUST(mx_bind(ctx, y, &args.y));
    CHECK_OK(tm_yax(of(ctx, LEAGUE, s), &args, &sum));
    CHECK_F64(sum, expected, 0);
    CHECK_OK(tm_scaled(of(ctx, LEAGUE, s), &args, &sum));
    CHECK_F64(sum, 19 * expected, 0);
    CHECK_OK(tm_rows(of(ctx, LEAGUE, s), &args, &rows));
    CHECK_F64(rows.sum, expected, 0);
    CHECK_F64(rows.least, least, 0);
    CHECK_I64(rows.rows, LEAGUE * 11);
    CHECK_OK(tm_top(of(ctx, LEAGUE, s), &args, &got_top));
    CHECK_F64(got_top.value, top.value, 0);
    CHECK_I64(got_top.row, top.row);
    CHECK_OK(tm_yax(of(ctx, 0, s), &args, &sum));
    CHECK_F64(sum, 0, 0);
    for (int v = 0; v < 3; v++) MUST(mx_view_destroy(&on_host[v]));
    MUST(mx_view_destroy(&a));
    MUST(mx_view_destroy(&x));
    MUST(mx_view_destroy(&y));
}

static void check_together(mx_ctx ctx, shape s)
{
    mx_view got, real;
    tm_collectives_args args;
    memset(&args, 0, sizeof args);
    MUST(mx_view_create_3d(ctx, "got", MX_I64, LEAGUE, 64, TM_RESULTS, &got));
    MUST(mx_view_create_2d(ctx, "real", MX_F64, LEAGUE, 64, &real));
    MUST(mx_bind(ctx, got, &args.got));
    MUST(mx_bind(ctx, real, &args.real));
    CHECK_OK(tm_collectives(of(ctx, LEAGUE, s), &args));
    mx_view g = check_fetch(ctx, got), f = check_fetch(ctx, real);
    const mx_view_info gi = check_info(g), fi = check_info(f);
    for (int team = 0; team < LEAGUE; team++)
        for (int rank = 0; rank < s.size; rank++) {
            const int64_t base = 1000 * (team + 1), n = s.size;
            const int64_t expected[TM_RESULTS] = {n * base + n * (n - 1) / 2,
                                                  base,
                                                  base + n - 1,
                                                  rank * base + rank * (rank - 1) / 2,
                                                  base + n - 1,
                                                  n * (n - 1) / 2,
                                                  n > 1 ? 8 : 7,
                                                  6 + n,
                                                  LEAGUE};
            for (int r = 0; r < TM_RESULTS; r++) {
                const int64_t index[] = {team, rank, r};
                CHECK_I64(*(int64_t *)check_at(&gi, index), expected[r]);
            }
            CHECK_F64(number_at(&fi, team, rank, 0), 0.25 * (double)(n * (n - 1) + rank), 0);
        }
    MUST(mx_view_destroy(&g));
    MUST(mx_view_destroy(&f));
    MUST(mx_view_destroy(&got));
    MUST(mx_view_destroy(&real));
}

static void check_scratch(mx_ctx ctx, shape s, int level)
{
    const int64_t extents[] = {LEAGUE, COLUMNS};
    const size_t team_bytes = 2 * ((COLUMNS * sizeof(double) + 15) / 16 * 16);
    tm_scratch_args args = {.level = level, .columns = COLUMNS};
    mx_view in = new_numbers(ctx, "in", 2, extents), out;
    MUST(mx_view_create(ctx, "out", MX_F64, 2, extents, NULL, &out));
    MUST(mx_bind(ctx, in, &args.in));
    MUST(mx_bind(ctx, out, &args.out));
    CHECK_OK(tm_reverse(mx_with_scratch(of(ctx, LEAGUE, s), level, team_bytes, 32), &args));
    mx_view i = check_fetch(ctx, in), o = check_fetch(ctx, out);
    const mx_view_info ii = check_info(i), oi = check_info(o);
    for (int r = 0; r < LEAGUE; r++)
        for (int c = 0; c < COLUMNS; c++)
            CHECK_F64(number_at(&oi, r, c, 0), number_at(&ii, r, COLUMNS - 1 - c, 0), 0);
    /* eight bytes less than the kernel takes: noticed, and nothing is written outside */
    mx_err err = tm_reverse(mx_with_scratch(of(ctx, LEAGUE, s), level, team_bytes - 16, 32), &args);
    if (err == MX_OK) err = mx_fence(ctx);
    CHECK_FAILS(err, MX_ERR_MEMORY, "scratch of level");
    /* and what ran before that is not named again */
    err = tm_reverse(mx_with_scratch(of(ctx, LEAGUE, s), level, team_bytes - 16, 32), &args);
    if (err == MX_OK) err = mx_fence(ctx);
    CHECK_FAILS(err, MX_ERR_MEMORY, "(mx_with_scratch); kernels: tm_reverse");
    CHECK(strstr(mx_err_message(), "tm_reverse, tm_reverse") == NULL);
    CHECK_OK(mx_fence(ctx));
    MUST(mx_view_destroy(&i));
    MUST(mx_view_destroy(&o));
    MUST(mx_view_destroy(&in));
    MUST(mx_view_destroy(&out));
}

static void test(mx_ctx ctx)
{
    static const shape one[] = {{1, 1}}, simt[] = {{1, 1}, {3, 1}, {1, 4}, {2, 2}, {3, 4}},
                       two[] = {{1, 1}, {2, 1}}, three[] = {{1, 1}, {2, 1}, {3, 1}},
                       cuda[] = {{1, 1}, {1, 32}, {3, 1}, {8, 4}, {8, 32}, {32, 32}, {64, 2}};
    mx_ctx_info info;
    MUST(mx_ctx_get_info(ctx, &info));
    const bool is_simt = check_is(ctx, "simt"), is_cuda = check_is_gpu(ctx);
    const shape *const shapes = is_simt             ? simt
                                : is_cuda           ? cuda
                                : info.threads >= 3 ? three
                                : info.threads == 2 ? two
                                                    : one;
    const int count = is_simt ? 5 : is_cuda ? 7 : info.threads >= 3 ? 3 : info.threads;
    for (int s = 0; s < count; s++) {
        check_yax(ctx, shapes[s]);
        if (shapes[s].size <= 64) check_together(ctx, shapes[s]);
        check_scratch(ctx, shapes[s], 0);
        check_scratch(ctx, shapes[s], 1);
    }
    if (check_is(ctx, "openmp")) { /* two teams side by side */
        mx_ctx four;
        MUST(mx_ctx_create("openmp:threads=4", &four));
        check_yax(four, (shape){2, 1});
        check_together(four, (shape){2, 1});
        check_scratch(four, (shape){2, 1}, 0);
        mx_ctx_destroy(&four);
    }
    check_yax(ctx, (shape){MX_AUTO, MX_AUTO});
    MUST(mx_ctx_check_against(ctx, "serial", 1e-12));
    check_yax(ctx, shapes[count - 1]);
    MUST(mx_ctx_check_against(ctx, NULL, 0));
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
