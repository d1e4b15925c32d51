#include "minx/team.h"

#include "scatter.h"

#define SC_KERNELS(tag, T)                                                        \
    MX_BODY void sc_sum_##tag##_body(const sc_##tag##_args *a, int i)             \
    {                                                                             \
        MX_SCATTER(a->sum, (T)(1 + i % 3), SC_BIN(i));                            \
    }                                                                             \
    MX_FOR(1D, sc_sum_##tag)                                                      \
    /* also to one bin that all items add to */                                   \
    MX_BODY void sc_first_##tag##_body(const sc_##tag##_args *a, int i)           \
    {                                                                             \
        MX_SCATTER(a->sum, (T)1, 0);                                              \
        MX_SCATTER(a->sum, (T)(1 + i % 3), SC_BIN(i));                            \
    }                                                                             \
    MX_FOR(1D, sc_first_##tag)                                                    \
    /* neighbours in both dimensions add to the same bin, and all items to one */ \
    MX_BODY void sc_rows_##tag##_body(const sc_##tag##_args *a, int i, int j)     \
    {                                                                             \
        MX_SCATTER(a->sum, (T)1, 0);                                              \
        MX_SCATTER(a->sum, (T)2, SC_BIN(i + j));                                  \
    }                                                                             \
    MX_FOR(2D, sc_rows_##tag)                                                     \
    MX_BODY void sc_all_##tag##_body(const sc_##tag##_args *a, int i)             \
    {                                                                             \
        MX_SCATTER(a->sum, (T)(1 + i % 3), SC_BIN(i));                            \
        MX_SCATTER(a->prod, (T)SC_FACTOR(i), SC_BIN(i));                          \
        MX_SCATTER(a->min, (T)SC_SPREAD(i), SC_BIN(i));                           \
        MX_SCATTER(a->max, (T)SC_SPREAD(i), SC_BIN(i));                           \
    }                                                                             \
    MX_FOR(1D, sc_all_##tag)                                                      \
    MX_BODY void sc_team_##tag##_body(const sc_##tag##_args *a, mx_team *t)       \
    {                                                                             \
        MX_TEAM_FOR (t, i, 100 * t->league_rank, 100 * t->league_rank + 100)      \
            MX_VECTOR_SINGLE (t) MX_SCATTER(a->sum, (T)(1 + i % 3), SC_BIN(i));   \
    }                                                                             \
    MX_FOR(TEAM, sc_team_##tag)
SC_TYPES(SC_KERNELS)

/* Each atom pushes itself and its next four, with forces that are no whole numbers. */
MX_BODY void sc_forces_body(const sc_forces_args *a, int i)
{
    for (int n = 0; n < 5; n++) {
        const int j = (i + n) % a->atoms;
        for (int d = 0; d < 3; d++) MX_SCATTER(a->force, 1.0 / (1 + i % 97 + n + d), j, d);
        MX_SCATTER(a->column, 0.1f, j);
    }
}
MX_FOR(1D, sc_forces, MX_ITEMS_PLAIN)

MX_BODY void sc_pairs_body(const sc_forces_args *a, int i, int j)
{
    MX_SCATTER(a->force, 1, (i + j) % a->atoms, j % 3);
}
MX_FOR(2D, sc_pairs)
