#include "minx/kit/token.h"
#include "minx/scan.h"
#include "minx/team.h"

#include "misuse.h"

MX_BODY void mu_double_body(const mu_args *a, int i) { MX_AT(a->to, i) = 2 * MX_AT(a->from, i); }
MX_FOR(1D, mu_double)

MX_BODY void mu_grid_body(const mu_args *a, int i, int j) { MX_AT(a->grid, i, j) += 0; }
MX_FOR(2D, mu_grid)

MX_BODY void mu_wide_body(const mu_args *a, int64_t i, int64_t j, int64_t k)
{
    (void)a, (void)i, (void)j, (void)k;
}
MX_FOR(3D_64, mu_wide)

MX_BODY void mu_far_body(const mu_args *a, int64_t i, int64_t j, double *sum)
{
    (void)a, (void)i, (void)j, (void)sum;
}
MX_REDUCE(2D_64, mu_far, MX_SUM)

MX_BODY void mu_sum_body(const mu_args *a, int i, double *sum) { *sum += MX_AT(a->from, i); }
MX_REDUCE(1D, mu_sum, MX_SUM)

MX_BODY void mu_scan_body(const mu_args *a, int i, double *sum, bool final)
{
    *sum += MX_AT(a->from, i);
    if (final) MX_AT(a->to, i) = *sum;
}
MX_SCAN(1D, mu_scan, MX_SUM)

MX_BODY void mu_bins_body(const mu_args *a, int i, mu_bins_array bins)
{
    mx_array_add(bins, i % 2, MX_AT(a->from, i));
}
MX_REDUCE_ARRAY(1D, mu_bins, MX_SUM)

MX_BODY void mu_scratch_body(const mu_args *a, mx_team *t)
{
    MX_TEAM_SCRATCH(t, a->level, mx_f64_1, own, a->count);
    MX_TEAM_FOR (t, i, 0, a->count) {
        MX_VECTOR_SINGLE (t) MX_AT(own, i) = i;
    }
}
MX_FOR(TEAM, mu_scratch)

MX_BODY void mu_nested_body(const mu_args *a, int i)
{
#if defined(MX_GPU_CODE_) || \
    defined(MX_CHECKS_BODIES_) /* which do not compile a launch from a body */
    (void)a, (void)i;
#else
    if (i == 3) (void)mu_double(mx_range_1d(a->ctx, 0, MU_N), a);
#endif
}
MX_FOR(1D, mu_nested, MX_ITEMS_PLAIN)

MX_BODY void mu_no_single_body(const mu_args *a, mx_team *t)
{
    MX_TEAM_FOR (t, i, t->league_rank, t->league_rank + 1) {
        MX_AT(a->to, i) += MX_AT(a->from, i);
    }
}
MX_FOR(TEAM, mu_no_single)

MX_BODY void mu_no_team_single_body(const mu_args *a, mx_team *t)
{
    MX_VECTOR_SINGLE (t) MX_AT(a->to, t->league_rank) += 1;
}
MX_FOR(TEAM, mu_no_team_single)

MX_BODY void mu_barrier_body(const mu_args *a, mx_team *t)
{
    (void)a;
    if (t->rank == 0) mx_team_barrier(t);
}
MX_FOR(TEAM, mu_barrier)

MX_BODY void mu_require_body(const mu_args *a, mx_team *t)
{
    (void)a;
    MX_BODY_REQUIRE(t->rank != 0, "no work for thread %d", t->rank);
    mx_team_barrier(t);
}
MX_FOR(TEAM, mu_require)

MX_BODY void mu_collective_body(const mu_args *a, mx_team *t)
{
    double sum = 0;
    if (t->rank == 0) sum = mx_team_sum(t, 1.0);
    MX_TEAM_SINGLE (t) MX_AT(a->to, 0) = sum;
}
MX_FOR(TEAM, mu_collective)

MX_BODY void mu_lanes_body(const mu_args *a, mx_team *t)
{
    double sum = 0;
    if (t->lane != 1) {
        MX_VECTOR_SUM (t, i, 0, MU_N, sum) sum += MX_AT(a->from, i);
    }
    MX_TEAM_SINGLE (t) MX_AT(a->to, 0) = sum;
}
MX_FOR(TEAM, mu_lanes)

MX_BODY void mu_token_body(const mu_args *a, int i)
{
    const int id = mx_token_acquire(&a->tokens);
    if (i < MU_N) MX_AT(a->to, i) = id;
    mx_token_release(&a->tokens, id);
}
MX_FOR(1D, mu_token, MX_ITEMS_PLAIN)

MX_BODY void mu_level_body(const mu_count_args *a, int i, double *sum) { *sum += a->count + i; }
MX_REDUCE(1D, mu_level, MX_SUM)
#define mu_count_body mu_level_body
MX_REDUCE(1D, mu_count, MX_SUM)
#define mu_height_body mu_level_body
MX_REDUCE(1D, mu_height, MX_SUM)
MX_BODY void mu_unlisted_body(const mu_unlisted_args *a, int i) { MX_AT(a->first, i) += 0; }
MX_FOR(1D, mu_unlisted)
