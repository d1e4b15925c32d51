/* -Laplace u on a square, and the transpose of u. lesson05 [BACKEND [measure]] */
#include <minx/kernel.h>

#include "course.h"

MX_ARGS(grid_args,
    (mx_cf64_2, u)
    (mx_f64_2, f), /* -Laplace u, in the interior */
    double h;      /* distance of two points */
);
MX_DECLARE_FOR(2D, grid_laplace, grid_args)

MX_ARGS(grid_turn_args, (mx_cf64_2, u) (mx_f64_2, t));
MX_DECLARE_FOR(2D, grid_turn, grid_turn_args)

MX_BODY void grid_laplace_body(const grid_args *a, int j, int k)
{
    /* GAP 1: f(j, k) = (4 u(j, k) - its four neighbours) / h^2 */
    (void)a, (void)j, (void)k;
    /* END 1 */
}
MX_FOR(2D, grid_laplace)

MX_BODY void grid_turn_body(const grid_turn_args *a, int j, int k)
{
    MX_AT(a->t, k, j) = MX_AT(a->u, j, k);
}
MX_FOR(2D, grid_turn)

#ifdef MX_DRIVER
typedef struct grid {
    mx_ctx ctx;
    int n; /* points along each edge, those on the boundary included */
    int tile[2];
    double *host; /* n * n, in C order */
    mx_view u, f, t;
    grid_args laplace;
    grid_turn_args turn;
} grid;

static double wave(const grid *g, int j, int k)
{
    return sin(MX_PI * j / (g->n - 1)) * sin(2 * MX_PI * k / (g->n - 1));
}

static mx_err create(grid *g)
{
    MX_TRY(mx_view_create_2d(g->ctx, "u", MX_F64, g->n, g->n, &g->u));
    MX_TRY(mx_view_create_2d(g->ctx, "f", MX_F64, g->n, g->n, &g->f));
    MX_TRY(mx_view_create_2d(g->ctx, "t", MX_F64, g->n, g->n, &g->t));
    MX_TRY(mx_bind(g->ctx, g->u, &g->laplace.u));
    MX_TRY(mx_bind(g->ctx, g->f, &g->laplace.f));
    MX_TRY(mx_bind(g->ctx, g->u, &g->turn.u));
    MX_TRY(mx_bind(g->ctx, g->t, &g->turn.t));
    g->laplace.h = 1.0 / (g->n - 1);
    for (int j = 0; j < g->n; j++)
        for (int k = 0; k < g->n; k++) g->host[j * g->n + k] = wave(g, j, k);
    return mx_import(g->ctx, g->u, g->host, NULL);
}

static mx_err laplace(grid *g)
{
    /* GAP 2: launch grid_laplace over the interior, which are the points 1 to n - 2 */
    /* END 2 */
    return mx_export(g->ctx, g->f, g->host, NULL);
}

static mx_err turn(void *data)
{
    grid *g = data;
    /* GAP 3: all points, in tiles of g->tile[0] times g->tile[1] */
    const mx_range_2 all = mx_range_2d(g->ctx, 0, 0, 0, 0);
    /* END 3 */
    MX_TRY(course_expect("gap 3: the rows of a tile", (double)all.tile[0], g->tile[0], 0));
    MX_TRY(course_expect("gap 3: the columns of a tile", (double)all.tile[1], g->tile[1], 0));
    return grid_turn(all, &g->turn);
}

/* u is an eigenvector of the difference formula: f = (4 / h^2) (sin^2(pi h / 2) + sin^2(pi h)) u */
static mx_err check(const grid *g, double *eigenvalue)
{
    const double h = g->laplace.h, s1 = sin(MX_PI * h / 2), s2 = sin(MX_PI * h);
    const int j = (g->n - 1) / 2, k = (g->n - 1) / 4; /* where u is 1 */
    *eigenvalue = 4 / (h * h) * (s1 * s1 + s2 * s2);
    /* an error of 1e-16 in u becomes one of 8e-16 / h^2 */
    MX_TRY(course_expect("gaps 1 and 2: -Laplace u", g->host[j * g->n + k], *eigenvalue,
                         1e-15 / (h * h)));
    for (int p = 0; p < g->n * g->n; p++) {
        const int row = p / g->n, column = p % g->n;
        const bool inside = row % (g->n - 1) != 0 && column % (g->n - 1) != 0;
        MX_TRY(course_expect(
            inside ? "gaps 1 and 2: a point inside" : "gap 2: a point on the boundary", g->host[p],
            inside ? *eigenvalue * wave(g, row, column) : 0, inside ? 4e-15 / (h * h) : 0));
    }
    return MX_OK;
}

static mx_err check_turn(const course *c, grid *g)
{
    const int tiles[][2] = {{0, 0}, {1, 4096}, {16, 16}, {64, 64}};
    MX_TRY(mx_fill(g->ctx, g->t, -1.0)); /* what nobody writes is found */
    for (int n = 0; n < 4; n++) {
        char what[64];
        snprintf(what, sizeof what, "transpose, tiles of %d x %d", tiles[n][0], tiles[n][1]);
        g->tile[0] = tiles[n][0];
        g->tile[1] = tiles[n][1];
        MX_TRY(course_time(c, n == 0 ? "transpose, tiles by minx" : what, turn, g));
    }
    MX_TRY(mx_export(g->ctx, g->t, g->host, NULL));
    for (int p = 0; p < g->n * g->n; p++)
        MX_TRY(
            course_expect("gap 3: the transpose", g->host[p], wave(g, p % g->n, p / g->n), 1e-15));
    return MX_OK;
}

static mx_err compute(const course *c, grid *g)
{
    double eigenvalue;
    MX_TRY(create(g));
    MX_TRY(laplace(g));
    MX_TRY(laplace(g)); /* a second time: the result must not depend on what was in f */
    MX_TRY(check(g, &eigenvalue));
    MX_TRY(check_turn(c, g));
    printf("%d x %d points: -Laplace u = %.4f u, and 5 pi^2 = %.4f\n", g->n, g->n, eigenvalue,
           5 * MX_PI * MX_PI);
    MX_TRY(mx_view_destroy(&g->u));
    MX_TRY(mx_view_destroy(&g->f));
    return mx_view_destroy(&g->t);
}

static mx_err run(const course *c)
{
    grid g = {.ctx = c->ctx, .n = c->measure ? 4097 : 65};
    g.host = malloc(sizeof(double) * (size_t)g.n * (size_t)g.n);
    MX_REQUIRE(g.host != NULL, MX_ERR_MEMORY, "no memory for %d x %d points", g.n, g.n);
    const mx_err err = compute(c, &g);
    free(g.host);
    return err;
}
COURSE(lesson05, run)
#endif
