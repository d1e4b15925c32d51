/* Vectors, a stencil, a sparse matrix. */
#include "examples.h"
#include "heat.h"
#include "spmv.h"
#include "stream.h"

/* ---- vectors of small whole numbers, so that every result is exact ---- */

enum { N = 10007 };

typedef mx_err (*stream_loop)(mx_range_1 range, const stream_args *args);

static void check_loop(mx_ctx ctx, stream_loop loop, mx_view a, const stream_args *args,
                       const double *expected)
{
    const double wrong_value = -7777;
    static double got[N];
    double wrong = 0;
    MUST(mx_fill(ctx, a, &wrong_value));
    CHECK_OK(loop(mx_range_1d(ctx, 0, N), args));
    array_of(ctx, a, got);
    for (int i = 0; i < N; i++) wrong += fabs(got[i] - expected[i]);
    CHECK_F64(wrong, 0, 0);
}

void check_stream(mx_ctx ctx)
{
    static double b[N], c[N], mul[N], add[N], triad[N];
    double dot = 0, sum = -1;
    stream_args args;
    args.s = 3;
    for (int i = 0; i < N; i++) {
        b[i] = (double)check_random_int(-100, 100);
        c[i] = (double)check_random_int(-100, 100);
        mul[i] = 3 * b[i];
        add[i] = b[i] + c[i];
        triad[i] = b[i] + 3 * c[i];
        dot += b[i] * c[i];
    }
    mx_view va = VIEW_1D(ctx, "a", MX_F64, N, b), vb = VIEW_1D(ctx, "b", MX_F64, N, b);
    mx_view vc = VIEW_1D(ctx, "c", MX_F64, N, c);
    MUST(mx_bind(ctx, va, &args.a));
    MUST(mx_bind(ctx, vb, &args.b));
    MUST(mx_bind(ctx, vc, &args.c));
    check_loop(ctx, stream_copy, va, &args, b);
    check_loop(ctx, stream_mul, va, &args, mul);
    check_loop(ctx, stream_add, va, &args, add);
    check_loop(ctx, stream_triad, va, &args, triad);
    CHECK_OK(stream_dot(mx_range_1d(ctx, 0, N), &args, &sum));
    CHECK_F64(sum, dot, 0);
    MUST(mx_view_destroy(&va));
    MUST(mx_view_destroy(&vb));
    MUST(mx_view_destroy(&vc));
}

/* ---- a grid of unequal sides, with ghosts ---- */

enum { NI = 13, NJ = 21, NK = 35 };

typedef double heat_grid[NI + 2][NJ + 2][NK + 2];

/* One step on the interior; ghosts stay. The squared norm of the change. */
static double step(heat_grid fresh, heat_grid u, double k)
{
    double norm2 = 0;
    for (int i = 1; i <= NI; i++)
        for (int j = 1; j <= NJ; j++)
            for (int l = 1; l <= NK; l++) {
                const double around = u[i - 1][j][l] + u[i + 1][j][l] + u[i][j - 1][l] +
                                      u[i][j + 1][l] + u[i][j][l - 1] + u[i][j][l + 1];
                const double change = k * (around - 6 * u[i][j][l]);
                fresh[i][j][l] = u[i][j][l] + change;
                norm2 += change * change;
            }
    return norm2;
}

/* Values are of magnitude 1: a cell has seven roundings of at most 1e-16 of some 6; the norm, of
 * 9555 squares, one more each. */
static void check_grid(mx_ctx ctx, mx_view view, heat_grid expected)
{
    static heat_grid got;
    double wrong = 0;
    array_of(ctx, view, got);
    for (int i = 0; i < NI + 2; i++)
        for (int j = 0; j < NJ + 2; j++)
            for (int l = 0; l < NK + 2; l++)
                wrong = fmax(wrong, fabs(got[i][j][l] - expected[i][j][l]));
    CHECK_F64(wrong, 0, 5e-15);
}

/* Five steps: the result is in the view that was the fresh one. */
static void check_heat_run(mx_ctx ctx, heat_grid u, double k, heat_views *views)
{
    static heat_grid fields[2];
    const mx_view second = views->fresh;
    memset(fields, 0, sizeof fields);
    memcpy(fields[0], u, sizeof fields[0]);
    MUST(mx_deep_copy(ctx, views->fresh, views->u)); /* the ghost cells */
    memcpy(fields[1], u, sizeof fields[1]);
    for (int s = 0; s < 5; s++) (void)step(fields[(s + 1) % 2], fields[s % 2], k);
    CHECK_OK(heat_run(mx_range_3d(ctx, 1, NI + 1, 1, NJ + 1, 1, NK + 1), views, k, 5));
    CHECK_I64(views->u.slot, second.slot);
    check_grid(ctx, views->u, fields[1]);
}

void check_heat(mx_ctx ctx)
{
    static heat_grid u, fresh;
    static const int64_t extents[3] = {NI + 2, NJ + 2, NK + 2};
    const double zero = 0;
    heat_args args;
    args.k = 0.125;
    for (int i = 0; i < NI + 2; i++)
        for (int j = 0; j < NJ + 2; j++)
            for (int l = 0; l < NK + 2; l++)
                u[i][j][l] = (double)check_random_int(0, 1 << 20) / (1 << 20);
    const double norm2 = step(fresh, u, args.k);
    mx_view vu = view_of(ctx, "u", MX_F64, 3, extents, u),
            vf = view_of(ctx, "fresh", MX_F64, 3, extents, fresh);
    MUST(mx_bind(ctx, vu, &args.u));
    MUST(mx_bind(ctx, vf, &args.fresh));
    const mx_range_3 whole = mx_range_3d(ctx, 1, NI + 1, 1, NJ + 1, 1, NK + 1);
    const mx_range_3 ranges[] = {whole, mx_tiled_3d(whole, 4, 4, 0), mx_tiled_3d(whole, 5, 7, 16)};
    for (int r = 0; r < 3; r++) {
        double got = -1;
        MUST(mx_fill(ctx, vf, &zero));
        CHECK_OK(heat_step(ranges[r], &args));
        check_grid(ctx, vf, fresh);
        MUST(mx_fill(ctx, vf, &zero));
        CHECK_OK(heat_step_norm(ranges[r], &args, &got));
        CHECK_F64(got, norm2, 1e-12 * norm2);
        check_grid(ctx, vf, fresh);
    }
    check_heat_run(ctx, u, args.k, &(heat_views){.fresh = vf, .u = vu});
    MUST(mx_view_destroy(&vu));
    MUST(mx_view_destroy(&vf));
}

/* ---- a matrix with rows of unequal lengths, some empty, of whole numbers ---- */

enum { ROWS = 601, LONGEST = 40, ROWS_PER_TEAM = 7 };

/* By a range (team 0), and by teams of one, of two, and as minx likes best. */
static void check_spmv_with(mx_ctx ctx, int team, const spmv_args *args, mx_view y,
                            const double *expected)
{
    const double wrong_value = -7777;
    const int64_t league = (ROWS + ROWS_PER_TEAM - 1) / ROWS_PER_TEAM;
    double got[ROWS], wrong = 0;
    MUST(mx_fill(ctx, y, &wrong_value));
    if (team == 0)
        CHECK_OK(spmv(mx_range_1d(ctx, 0, ROWS), args));
    else
        CHECK_OK(spmv_team(mx_league(ctx, league, team, MX_AUTO), args));
    array_of(ctx, y, got);
    for (int r = 0; r < ROWS; r++) wrong += fabs(got[r] - expected[r]);
    CHECK_F64(wrong, 0, 0);
}

/* Has a context threads for teams of two? On cuda and simt teams are of the device's own. */
static bool has_pairs(mx_ctx ctx)
{
    mx_ctx_info info;
    MUST(mx_ctx_get_info(ctx, &info));
    return info.threads > 1 || check_is(ctx, "simt") || check_is_gpu(ctx);
}

void check_spmv(mx_ctx ctx)
{
    static int32_t begin[ROWS + 1], column[ROWS * LONGEST];
    static double value[ROWS * LONGEST], x[ROWS], y[ROWS];
    spmv_args args = {.rows = ROWS, .rows_per_team = ROWS_PER_TEAM};
    for (int r = 0; r < ROWS; r++) x[r] = (double)check_random_int(-50, 50);
    for (int r = 0; r < ROWS; r++) {
        begin[r + 1] = begin[r] + (int32_t)check_random_int(0, LONGEST);
        y[r] = 0;
        for (int k = begin[r]; k < begin[r + 1]; k++) {
            column[k] = (int32_t)check_random_int(0, ROWS - 1);
            value[k] = (double)check_random_int(-50, 50);
            y[r] += value[k] * x[column[k]];
        }
    }
    mx_view views[] = {VIEW_1D(ctx, "begin", MX_I32, ROWS + 1, begin),
                       VIEW_1D(ctx, "column", MX_I32, ROWS * LONGEST, column),
                       VIEW_1D(ctx, "value", MX_F64, ROWS * LONGEST, value),
                       VIEW_1D(ctx, "x", MX_F64, ROWS, x), VIEW_1D(ctx, "y", MX_F64, ROWS, y)};
    MUST(mx_bind(ctx, views[0], &args.begin));
    MUST(mx_bind(ctx, views[1], &args.column));
    MUST(mx_bind(ctx, views[2], &args.value));
    MUST(mx_bind(ctx, views[3], &args.x));
    MUST(mx_bind(ctx, views[4], &args.y));
    check_spmv_with(ctx, 0, &args, views[4], y);
    check_spmv_with(ctx, 1, &args, views[4], y);
    if (has_pairs(ctx)) check_spmv_with(ctx, 2, &args, views[4], y);
    check_spmv_with(ctx, MX_AUTO, &args, views[4], y);
    for (int v = 0; v < 5; v++) MUST(mx_view_destroy(&views[v]));
}
