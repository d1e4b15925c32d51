#include "minx/team.h"

#include "team.h"

MX_BODY void tm_yax_body(const tm_yax_args *a, mx_team *t, double *sum)
{
    const int e = t->league_rank;
    double mine = 0;
    MX_TEAM_FOR (t, n, 0, (int)MX_EXTENT(a->a, 1)) {
        double s;
        MX_VECTOR_SUM (t, m, 0, (int)MX_EXTENT(a->a, 2), s)
            s += MX_AT(a->a, e, n, m) * MX_AT(a->x, e, m);
        mine += MX_AT(a->y, e, n) * s;
    }
    const double all = mx_team_sum(t, mine);
    MX_TEAM_SINGLE (t) *sum += all;
}
MX_REDUCE(TEAM, tm_yax, MX_SUM)

MX_BODY void tm_set_scale(tm_yax_args *a) { a->scale = (double)MX_EXTENT(a->x, 1); }
MX_BODY void tm_scaled_body(const tm_yax_args *a, mx_team *t, double *sum)
{
    double mine = 0;
    tm_yax_body(a, t, &mine);
    *sum += a->scale * mine;
}
MX_REDUCE(TEAM, tm_scaled, MX_SUM, MX_ITEMS_PLAIN, tm_set_scale)

/* The same sums with more to know of them, and the row whose part of the sum is the largest. */
MX_BODY void tm_rows_body(const tm_yax_args *a, mx_team *t, tm_rows_value *v)
{
    const int e = t->league_rank;
    MX_TEAM_FOR (t, n, 0, (int)MX_EXTENT(a->a, 1)) {
        double s;
        MX_VECTOR_SUM (t, m, 0, (int)MX_EXTENT(a->a, 2), s)
            s += MX_AT(a->a, e, n, m) * MX_AT(a->x, e, m);
        s *= MX_AT(a->y, e, n);
        MX_VECTOR_SINGLE (t) {
            v->sum += s;
            v->least = s < v->least ? s : v->least;
            v->rows++;
        }
    }
}
MX_REDUCE_FIELDS(TEAM, tm_rows, TM_ROWS)

MX_BODY void tm_top_init(tm_top_value *v)
{
    v->value = -1e300;
    v->row = -1;
}
MX_BODY void tm_top_join(tm_top_value *into, const tm_top_value *v)
{
    if (v->value > into->value || (v->value == into->value && v->row < into->row)) *into = *v;
}
MX_BODY void tm_top_body(const tm_yax_args *a, mx_team *t, tm_top_value *v)
{
    const int e = t->league_rank, rows = (int)MX_EXTENT(a->a, 1);
    MX_TEAM_FOR (t, n, 0, rows) {
        double s;
        MX_VECTOR_SUM (t, m, 0, (int)MX_EXTENT(a->a, 2), s)
            s += MX_AT(a->a, e, n, m) * MX_AT(a->x, e, m);
        const tm_top_value mine = {s * MX_AT(a->y, e, n), e * rows + n};
        tm_top_join(v, &mine);
    }
}
MX_REDUCE_CUSTOM(TEAM, tm_top, tm_top_init, tm_top_join)

MX_BODY void tm_collectives_body(const tm_collectives_args *a, mx_team *t)
{
    const int64_t mine = 1000 * (t->league_rank + 1) + t->rank;
    const int64_t got[TM_RESULTS] = {
        mx_team_sum(t, mine), mx_team_min(t, mine), mx_team_max(t, mine), mx_team_scan(t, mine),
        mx_team_broadcast(t, mine, t->size - 1), mx_team_sum(t, (int32_t)t->rank),
        /* a NaN among the values is passed over, by all threads alike */
        (int64_t)mx_team_min(t, t->rank == 0 && t->size > 1 ? NAN : 7.0 + t->rank),
        (int64_t)mx_team_max(t, t->rank == 0 && t->size > 1 ? NAN : 7.0 + t->rank), t->league_size};
    const double real = mx_team_sum(t, 0.5 * t->rank) + mx_team_scan(t, 0.25);
    mx_team_barrier(t);
    MX_VECTOR_SINGLE (t) {
        for (int g = 0; g < TM_RESULTS; g++) MX_AT(a->got, t->league_rank, t->rank, g) = got[g];
        MX_AT(a->real, t->league_rank, t->rank) = real;
    }
}
MX_FOR(TEAM, tm_collectives)

MX_BODY void tm_reverse_body(const tm_scratch_args *a, mx_team *t)
{
    const int r = t->league_rank, n = a->columns;
    MX_TEAM_SCRATCH(t, a->level, mx_f64_1, row, n);
    MX_THREAD_SCRATCH(t, a->level, mx_i32_3r, own, 1, 2, 3);
    MX_TEAM_SCRATCH(t, a->level, mx_f64_1, copy, n);
    MX_VECTOR_SINGLE (t) MX_AT(own, 0, 1, 2) = t->rank;
    MX_TEAM_VECTOR_FOR(t, c, 0, n) MX_AT(row, c) = MX_AT(a->in, r, c);
    mx_team_barrier(t);
    MX_TEAM_VECTOR_FOR(t, c, 0, n) MX_AT(copy, c) = MX_AT(row, n - 1 - c);
    mx_team_barrier(t);
    MX_TEAM_SINGLE (t) {
        for (int c = 0; c < n; c++) MX_AT(a->out, r, c) = MX_AT(copy, c) + MX_AT(own, 0, 1, 2);
    }
}
MX_FOR(TEAM, tm_reverse)
