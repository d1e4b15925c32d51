#include "minx/team.h"

#include "watched.h"

MX_BODY void wt_race_body(const wt_args *a, int i) { MX_AT(a->total, 0) += i; }
MX_FOR(1D, wt_race, MX_ITEMS_PLAIN)

MX_BODY void wt_atomic_body(const wt_args *a, int i)
{
    mx_atomic_add(&MX_AT(a->total, 0), (int64_t)i);
}
MX_FOR(1D, wt_atomic)

/* The two elements of total, as one struct. */
MX_BODY void wt_update_body(const wt_args *a, int i)
{
    MX_ATOMIC_UPDATE(wt_pair, (wt_pair *)&MX_AT(a->total, 0), pair, {
        pair.count++;
        pair.sum += i;
    });
}
MX_FOR(1D, wt_update, MX_ITEMS_PLAIN)

MX_BODY void wt_sum_body(const wt_args *a, int i, int64_t *sum) { *sum += MX_AT(a->x, i); }
MX_REDUCE(1D, wt_sum, MX_SUM)

MX_BODY void wt_write_body(const wt_args *a, int i) { MX_AT(a->x, i) = i; }
MX_FOR(1D, wt_write)

MX_BODY void wt_reverse_body(const wt_args *a, int i)
{
    MX_AT(a->y, i) = MX_AT(a->x, (int)MX_EXTENT(a->x, 0) - 1 - i);
}
MX_FOR(1D, wt_reverse)

/* Each thread of a team reads what its neighbour wrote. */
MX_BODY void wt_neighbour(const wt_args *a, mx_team *t, int wait)
{
    const int base = t->league_rank * t->size;
    MX_VECTOR_SINGLE (t) MX_AT(a->x, base + t->rank) = t->rank;
    if (wait) mx_team_barrier(t);
    MX_VECTOR_SINGLE (t) MX_AT(a->y, base + t->rank) = MX_AT(a->x, base + (t->rank + 1) % t->size);
}
MX_BODY void wt_collective_body(const wt_args *a, mx_team *t)
{
    wt_neighbour(a, t, 1);
    const int64_t all = mx_team_sum(t, (int64_t)1);
    MX_TEAM_SINGLE (t) mx_atomic_add(&MX_AT(a->total, 0), all);
}
MX_FOR(TEAM, wt_collective)
MX_BODY void wt_too_early_body(const wt_args *a, mx_team *t) { wt_neighbour(a, t, 0); }
MX_FOR(TEAM, wt_too_early)
