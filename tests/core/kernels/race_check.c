#include "minx/scan.h"
#include "minx/team.h"

#include "race_check.h"

#include <string.h>

/* edges add to their nodes without atomics */
MX_BODY void rc_scatter_body(const rc_args *a, int i)
{
    for (int e = 0; e < 2; e++) {
        const int node = MX_AT(a->edge, i, e);
        MX_AT(a->f, node, 0) += 0.5 * i;
        MX_AT(a->n, node)++;
    }
}
MX_FOR(1D, rc_scatter, MX_ITEMS_PLAIN)

/* in place */
MX_BODY void rc_stencil_body(const rc_args *a, int j, int k)
{
    MX_AT(a->f, j, k) = 0.5 * (MX_AT(a->f, j - 1, k) + MX_AT(a->f, j, k));
    MX_AT(a->g, j, k) = MX_AT(a->g, j, k + 1);
}
MX_FOR(2D, rc_stencil)

MX_BODY void rc_list_body(const rc_args *a, int i)
{
    if (i % 3 != 1) return;
    MX_AT(a->list, MX_AT(a->count)++) = i;
    MX_AT(a->last) = i;
}
MX_FOR(1D, rc_list, MX_ITEMS_PLAIN)

/* no barrier */
MX_BODY void rc_team_body(const rc_args *a, mx_team *t)
{
    MX_TEAM_SCRATCH(t, 0, mx_f64_1, part, 8);
    const int next = (t->rank + 1) % t->size;
    double sum = 0;
    MX_VECTOR_SINGLE (t) {
        MX_AT(part, t->rank) = t->rank;
        MX_AT(a->f, t->league_rank, t->rank) = t->rank;
        sum = MX_AT(part, next) + MX_AT(a->f, t->league_rank, next);
        MX_AT(a->g, t->league_rank, t->rank) = sum;
    }
}
MX_FOR(TEAM, rc_team)

/* sums and maxima in views */
MX_BODY void rc_sum_body(const rc_args *a, int i, double *sum)
{
    *sum += MX_AT(a->y, i);
    MX_AT(a->total) += MX_AT(a->y, i);
    if (MX_AT(a->best) < MX_AT(a->y, i)) MX_AT(a->best) = MX_AT(a->y, i);
}
MX_REDUCE(1D, rc_sum, MX_SUM, MX_ITEMS_PLAIN)

/* the reaction on the other atom */
MX_BODY void rc_half_list_body(const rc_args *a, int i)
{
    for (int j = i + 1; j < i + 3; j++) {
        const double force = 1.0 / (i - j);
        MX_AT(a->f, i, 1) += force;
        MX_AT(a->f, j, 1) -= force;
        MX_AT(a->y, j) += 0.5 * force;
    }
}
MX_FOR(1D, rc_half_list, MX_ITEMS_PLAIN)

/* what is there already */
MX_BODY void rc_same_value_body(const rc_args *a, int i)
{
    if (i > 3) MX_AT(a->last) = 0;
    MX_AT(a->y, i / 2) = 1;
}
MX_FOR(1D, rc_same_value, MX_ITEMS_PLAIN)

MX_BODY void rc_pointer_body(const rc_args *a, int i)
{
    double *const y = &MX_AT(a->y, 0);
    int32_t *const n = &MX_AT(a->n, i);
    y[i / 3] = i;
    n[1] = n[0] + 1;
}
MX_FOR(1D, rc_pointer, MX_ITEMS_PLAIN)

/* atomics beside plain accesses */
MX_BODY void rc_mixed_body(const rc_args *a, int64_t i)
{
    mx_atomic_add(&MX_AT(a->n, i % 4), 1);
    if (MX_AT(a->n, (i + 3) % 4) > 100) MX_AT(a->y, i) = 0;
    if (i == 5) MX_AT(a->total) = 0;
    if (i == 7) mx_atomic_add(&MX_AT(a->total), 1.0);
}
MX_FOR(1D_64, rc_mixed, MX_ITEMS_PLAIN)

/* item i stores where item i + 1 reads */
MX_BODY void rc_scan_body(const rc_args *a, int i, double *sum, bool final)
{
    *sum += MX_AT(a->y, i);
    if (final) MX_AT(a->y, i + 1) = *sum;
    if (final) MX_AT(a->f, i / 2, 0) = *sum;
}
MX_SCAN(1D, rc_scan, MX_SUM)

MX_BODY void rc_bins_body(const rc_args *a, int i, rc_bins_array bins)
{
    mx_array_add(bins, i % 4, 1.0);
    MX_AT(a->n, i % 4) += 1;
    MX_AT(a->f, 0, i % 2) = i;
}
MX_REDUCE_ARRAY(1D, rc_bins, MX_SUM)

/* Lanes read and use atomics, then one of them writes and reads, without a barrier of the team. */
MX_BODY void rc_lanes_body(const rc_args *a, mx_team *t)
{
    const int league = t->league_rank;
    double sum = 0;
    mx_atomic_add(&MX_AT(a->n, league), 1);
    MX_VECTOR_SUM (t, i, 0, 64, sum) sum += MX_AT(a->f, league, 0) + i;
    MX_TEAM_SINGLE (t) {
        MX_AT(a->f, league, 0) = sum;
        MX_AT(a->y, league) = MX_AT(a->n, league);
    }
}
MX_FOR(TEAM, rc_lanes)

/* One thread has a token across a barrier, the others have none. They have begun before. */
MX_BODY void rc_token_body(const rc_args *a, mx_team *t)
{
    int token = 0;
    mx_team_barrier(t);
    MX_TEAM_SINGLE (t) token = mx_token_acquire(&a->tokens);
    mx_team_barrier(t);
    MX_VECTOR_SINGLE (t) {
        MX_AT(a->f, t->league_rank, 0) = t->rank;
        MX_AT(a->y, t->league_rank) = t->rank;
    }
    mx_team_barrier(t);
    MX_TEAM_SINGLE (t) mx_token_release(&a->tokens, token);
}
MX_FOR(TEAM, rc_token)

/* by functions of C */
MX_BODY void rc_library_body(const rc_args *a, int i)
{
    const size_t count = (size_t)MX_EXTENT(a->edge, 1);
    memset(&MX_AT(a->y, 0), 0, count * sizeof(double));
    memcpy(&MX_AT(a->n, i), &MX_AT(a->n, i + 2), count * sizeof(int32_t));
}
MX_FOR(1D, rc_library, MX_ITEMS_PLAIN)

/* ---- no races ---- */

MX_BODY void rc_clean_body(const rc_args *a, int i)
{
    const int token = mx_token_acquire(&a->tokens);
    MX_AT(a->g, token, 0) = i;
    MX_AT(a->f, i, 0) = MX_AT(a->g, token, 0);
    mx_token_release(&a->tokens, token);
    MX_AT(a->f, i, 1) = MX_AT(a->f, i, 0) + MX_AT(a->edge, 0, 0);
    MX_AT(a->list, mx_atomic_fetch_add(&MX_AT(a->count), 1)) = i;
    mx_atomic_max(&MX_AT(a->best), (double)i);
    MX_SCATTER(a->sum, 1.0, i % 3);
    if (i % 2 == 0)
        MX_AT(a->pair, i / 2).left = i;
    else
        MX_AT(a->pair, i / 2).right = i;
    memset(&MX_AT(a->f, -1, -1), 0, (size_t)MX_EXTENT(a->edge, 1) - 2); /* 0 bytes */
    MX_ATOMIC_UPDATE(rc_pair, &MX_AT(a->pair, 100), p, {
        p.key += i;
        p.left = p.left > i ? p.left : i;
    });
}
MX_FOR(1D, rc_clean, MX_ITEMS_PLAIN)

MX_BODY void rc_clean_team_body(const rc_args *a, mx_team *t)
{
    MX_TEAM_SCRATCH(t, 0, mx_f64_1, part, 8);
    const int next = (t->rank + 1) % t->size;
    for (int turn = 0; turn < 3; turn++) {
        MX_VECTOR_SINGLE (t) {
            MX_AT(part, t->rank) = t->rank;
            MX_AT(a->f, t->league_rank, t->rank) = t->rank;
        }
        mx_team_barrier(t);
        MX_VECTOR_SINGLE (t)
            MX_AT(a->g, t->league_rank, t->rank) =
                MX_AT(part, next) + MX_AT(a->f, t->league_rank, next);
        mx_team_barrier(t);
    }
}
MX_FOR(TEAM, rc_clean_team)

MX_BODY void rc_clean_scan_body(const rc_args *a, int i, double *sum, bool final)
{
    *sum += MX_AT(a->y, i);
    if (final) MX_AT(a->y, i) = *sum;
}
MX_SCAN(1D, rc_clean_scan, MX_SUM)

/* Behind a barrier, one thread is outside of a view. */
MX_BODY void rc_outside_body(const rc_args *a, mx_team *t)
{
    double value = 0;
    mx_team_barrier(t);
    MX_TEAM_SINGLE (t) value = MX_AT(a->y, t->league_rank + 1000);
    MX_TEAM_SINGLE (t) MX_AT(a->f, t->league_rank, 0) = value;
}
MX_FOR(TEAM, rc_outside)
