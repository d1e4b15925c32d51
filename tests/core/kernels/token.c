#include "minx/team.h"

#include "token.h"

/* Nothing but the token keeps these apart. */
MX_BODY void tk_count_body(const tk_args *a, int i)
{
    const int id = mx_token_acquire(&a->tokens);
    MX_AT(a->own, id, i / 3 % TK_OWN) += 1 + i % 2;
    mx_token_release(&a->tokens, id);
}
MX_FOR(1D, tk_count)

MX_BODY void tk_hold(const tk_args *a, int work)
{
    const int id = mx_token_acquire(&a->tokens);
    if (id < 0 || id >= MX_EXTENT(a->tokens, 0)) {
        mx_atomic_add(&MX_AT(a->wrong, 0), (int64_t)1);
    } else {
        if (mx_atomic_fetch_add(&MX_AT(a->busy, id), 1) != 0)
            mx_atomic_add(&MX_AT(a->wrong, 1), (int64_t)1);
        for (int n = 0; n < work; n++) MX_AT(a->own, id, n % TK_OWN) += 1;
        mx_atomic_sub(&MX_AT(a->busy, id), 1);
    }
    mx_token_release(&a->tokens, id);
}
MX_BODY void tk_exclusive_body(const tk_args *a, int i) { tk_hold(a, 1 + i % 20); }
MX_FOR(1D, tk_exclusive, MX_ITEMS_PLAIN)

MX_BODY void tk_grid_body(const tk_args *a, int i, int j) { tk_hold(a, 1 + (i + j) % 3); }
MX_FOR(2D, tk_grid, MX_ITEMS_PLAIN)

MX_BODY void tk_team_body(const tk_args *a, mx_team *t)
{
    MX_TEAM_FOR (t, i, 0, 50)
        MX_VECTOR_SINGLE (t) tk_hold(a, 1 + i % 3);
}
MX_FOR(TEAM, tk_team)
