/* The potential of charges on a ring, by teams that share charges in scratch. lesson10 [BACKEND [measure]] */
#include <minx/kernel.h>
#include <minx/team.h>

#include "course.h"

enum { RING_TARGETS = 64, RING_TILE = 256 }; /* targets of a team; charges in scratch at a time */

MX_ARGS(ring_potential_args,
    (mx_cf64_1, x) (mx_cf64_1, y) /* positions of the charges */
    (mx_f64_1, v),                /* potential at each: the sum of 1 / distance to all others */
    int n;
);
MX_DECLARE_FOR(TEAM, ring_potential, ring_potential_args)
MX_DECLARE_FOR(1D, ring_potential_plain, ring_potential_args)

/* 1 / r, and 0 for a charge and itself */
MX_BODY double ring_inverse(double dx, double dy)
{
    const double r2 = dx * dx + dy * dy;
    return r2 > 0 ? 1 / sqrt(r2) : 0;
}

/* For comparison: every item reads all charges from the views. */
MX_BODY void ring_potential_plain_body(const ring_potential_args *a, int i)
{
    double sum = 0;
    for (int j = 0; j < a->n; j++)
        sum += ring_inverse(MX_AT(a->x, j) - MX_AT(a->x, i), MX_AT(a->y, j) - MX_AT(a->y, i));
    MX_AT(a->v, i) = sum;
}
MX_FOR(1D, ring_potential_plain, MX_ITEMS_PLAIN)

MX_BODY void ring_potential_body(const ring_potential_args *a, mx_team *t)
{
    const int first = t->league_rank * RING_TARGETS, last = mx_min(first + RING_TARGETS, a->n);
    MX_TEAM_SCRATCH(t, 0, mx_f64_2, tile, 2, RING_TILE);
    for (int j0 = 0; j0 < a->n; j0 += RING_TILE) {
        const int here = mx_min(RING_TILE, a->n - j0);
        /* GAP 1: threads and lanes of the team copy the x and y of charges j0 + j into tile(0, j)
         * and tile(1, j), for j from 0 to here - 1; then the team waits for all of it */
        MX_TEAM_VECTOR_FOR(t, j, 0, here)
        {
            MX_AT(tile, 0, j) = MX_AT(a->x, j0 + j);
            MX_AT(tile, 1, j) = MX_AT(a->y, j0 + j);
        }
        mx_team_barrier(t);
        /* END 1 */
        MX_TEAM_FOR (t, i, first, last) {
            const double x = MX_AT(a->x, i), y = MX_AT(a->y, i);
            double sum = 0;
            /* GAP 2: the lanes of the thread share the sum over the tile */
            MX_VECTOR_SUM (t, j, 0, here, sum)
                sum += ring_inverse(MX_AT(tile, 0, j) - x, MX_AT(tile, 1, j) - y);
            /* END 2 */
            MX_VECTOR_SINGLE (t) MX_AT(a->v, i) = (j0 > 0 ? MX_AT(a->v, i) : 0) + sum;
        }
        mx_team_barrier(t); /* nobody fills the tile again while another thread reads it */
    }
}
MX_FOR(TEAM, ring_potential)

#ifdef MX_DRIVER
typedef struct ring {
    mx_ctx ctx;
    ring_potential_args args;
    mx_view x, y, v;
} ring;

static mx_err by_teams(void *data)
{
    const ring *r = data;
    const int teams = (r->args.n + RING_TARGETS - 1) / RING_TARGETS;
    mx_teams league = mx_league(r->ctx, teams, MX_AUTO, MX_AUTO);
    /* GAP 3: the league has scratch of level 0 for the tile */
    league = mx_with_scratch(league, 0, sizeof(double) * 2 * RING_TILE, 0);
    /* END 3 */
    MX_TRY(ring_potential(league, &r->args));
    return mx_fence(r->ctx);
}

static mx_err by_items(void *data)
{
    const ring *r = data;
    return ring_potential_plain(mx_range_1d(r->ctx, 0, r->args.n), &r->args);
}

static mx_err create(ring *r)
{
    const int n = r->args.n;
    double *at = malloc(sizeof *at * (size_t)n);
    MX_REQUIRE(at != NULL, MX_ERR_MEMORY, "no memory for %d charges", n);
    MX_TRY(mx_view_create_1d(r->ctx, "x", MX_F64, n, &r->x));
    MX_TRY(mx_view_create_1d(r->ctx, "y", MX_F64, n, &r->y));
    MX_TRY(mx_view_create_1d(r->ctx, "v", MX_F64, n, &r->v));
    for (int i = 0; i < n; i++) at[i] = cos(2 * MX_PI * i / n);
    MX_TRY(mx_import(r->ctx, r->x, at, NULL));
    for (int i = 0; i < n; i++) at[i] = sin(2 * MX_PI * i / n);
    MX_TRY(mx_import(r->ctx, r->y, at, NULL));
    free(at);
    MX_TRY(mx_bind(r->ctx, r->x, &r->args.x));
    MX_TRY(mx_bind(r->ctx, r->y, &r->args.y));
    return mx_bind(r->ctx, r->v, &r->args.v);
}

/* Charges i and j are 2 sin(pi (i - j) / n) apart. */
static mx_err check(const ring *r, const char *what)
{
    double theory = 0, got;
    for (int k = 1; k < r->args.n; k++) theory += 0.5 / sin(MX_PI * k / r->args.n);
    MX_TRY(mx_read_element(r->ctx, r->v, r->args.n - 1, &got));
    /* differences of neighbours, 2 pi / n, lose so many digits as n is longer than 1 */
    MX_TRY(course_expect(what, got / theory, 1, 1e-15 * r->args.n));
    printf("%d charges: the potential at each is %.6f\n", r->args.n, got);
    return MX_OK;
}

static mx_err run(const course *c)
{
    ring r = {.ctx = c->ctx, .args.n = c->measure ? 8192 : 1000};
    MX_TRY(create(&r));
    MX_TRY(course_time(c, "teams, with scratch", by_teams, &r));
    MX_TRY(check(&r, "gaps 1 and 2: the potential by teams, relative to theory"));
    MX_TRY(course_time(c, "items", by_items, &r));
    MX_TRY(check(&r, "the potential by items, relative to theory"));
    MX_TRY(mx_view_destroy(&r.x));
    MX_TRY(mx_view_destroy(&r.y));
    return mx_view_destroy(&r.v);
}
COURSE(lesson10, run)
#endif
