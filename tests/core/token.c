/* Unique tokens: ids are in their range, no two items have the same id at the same time, and
 * additions without atomics to the element of an id are never lost. */
#include "token.h"
#include "check.h"

#include <omp.h>

enum { ITEMS = 40000 };

typedef struct run {
    mx_ctx ctx;
    mx_view tokens, busy, own, wrong;
    tk_args args;
} run;

static void set_up(mx_ctx ctx, run *r, mx_view tokens)
{
    const int64_t count = check_info(tokens).count;
    memset(r, 0, sizeof *r);
    r->ctx = ctx;
    r->tokens = tokens;
    MUST(mx_view_create_1d(ctx, "busy", MX_I32, count, &r->busy));
    MUST(mx_view_create_2d(ctx, "own", MX_I64, count, TK_OWN, &r->own));
    MUST(mx_view_create_1d(ctx, "wrong", MX_I64, 2, &r->wrong));
    MUST(mx_bind(ctx, r->tokens, &r->args.tokens));
    MUST(mx_bind(ctx, r->busy, &r->args.busy));
    MUST(mx_bind(ctx, r->own, &r->args.own));
    MUST(mx_bind(ctx, r->wrong, &r->args.wrong));
}

/* What was added in all; no id was wrong, all tokens are free again. */
static void check_run(run *r, int64_t expected)
{
    const size_t count = (size_t)check_info(r->tokens).count;
    const int64_t zero = 0;
    int64_t wrong[2], sum = 0;
    int32_t *taken = check_memory(count * sizeof *taken), held = 0;
    check_download(r->ctx, r->wrong, wrong);
    mx_view own = check_fetch(r->ctx, r->own);
    const int64_t *owned = check_info(own).data;
    check_download(r->ctx, r->tokens, taken);
    for (size_t k = 0; k < count * TK_OWN; k++) sum += owned[k];
    for (size_t k = 0; k < count; k++) held += taken[k];
    CHECK_I64(sum, expected);
    CHECK_I64(wrong[0], 0);
    CHECK_I64(wrong[1], 0);
    CHECK_I64(held, 0);
    MUST(mx_view_destroy(&own));
    free(taken);
    MUST(mx_fill(r->ctx, r->own, &zero));
}

static void tear_down(run *r)
{
    MUST(mx_view_destroy(&r->tokens));
    MUST(mx_view_destroy(&r->busy));
    MUST(mx_view_destroy(&r->own));
    MUST(mx_view_destroy(&r->wrong));
}

static void check_all(run *r)
{
    mx_ctx_info info;
    int64_t exclusive = 0, grid = 0, team = 0;
    MUST(mx_ctx_get_info(r->ctx, &info));
    for (int i = 0; i < ITEMS; i++) exclusive += 1 + i % 20;
    for (int i = 0; i < 300; i++)
        for (int j = 0; j < 70; j++) grid += 1 + (i + j) % 3;
    for (int i = 0; i < 50; i++) team += 1 + i % 3;
    MUST(tk_count(mx_range_1d(r->ctx, 0, ITEMS), &r->args));
    check_run(r, ITEMS + ITEMS / 2);
    MUST(tk_exclusive(mx_range_1d(r->ctx, 0, ITEMS), &r->args));
    check_run(r, exclusive);
    MUST(tk_exclusive(mx_dynamic_1d(mx_range_1d(r->ctx, 0, ITEMS)), &r->args));
    check_run(r, exclusive);
    MUST(tk_grid(mx_range_2d(r->ctx, 0, 300, 0, 70), &r->args));
    check_run(r, grid);
    MUST(tk_team(mx_league(r->ctx, 200, MX_AUTO, MX_AUTO), &r->args));
    check_run(r, 200 * team);
    if (strcmp(info.backend, "simt") != 0 && info.threads < 2) return;
    MUST(tk_team(mx_league(r->ctx, 200, 2, MX_AUTO), &r->args));
    check_run(r, 200 * team);
}

/* A thread that was number 2 of a launch is number 0 of the next one, of a context with one
 * thread. */
static void check_numbers(void)
{
    mx_ctx wide, narrow[3];
    run r, one[3];
    mx_view tokens;
    mx_err err[3];
    MUST(mx_ctx_create("openmp:threads=3", &wide));
    MUST(mx_tokens_create(wide, "wide", &tokens));
    set_up(wide, &r, tokens);
    for (int k = 0; k < 3; k++) {
        MUST(mx_ctx_create(k == 1 ? "openmp:threads=1" : "serial", &narrow[k]));
        MUST(mx_tokens_create(narrow[k], "narrow", &tokens));
        set_up(narrow[k], &one[k], tokens);
    }
    MUST(tk_exclusive(mx_range_1d(wide, 0, ITEMS), &r.args));
#pragma omp parallel num_threads(3)
    {
        const int k = omp_get_thread_num();
        err[k] = tk_exclusive(mx_range_1d(narrow[k], 0, 20), &one[k].args);
    }
    for (int k = 0; k < 3; k++) {
        CHECK_I64(err[k], MX_OK);
        check_run(&one[k], 210);
        tear_down(&one[k]);
        mx_ctx_destroy(&narrow[k]);
    }
    tear_down(&r);
    mx_ctx_destroy(&wide);
}

/* A check with other threads would give other items the tokens, or none: it is refused, and nothing
 * runs. */
static void test_check(mx_ctx ctx)
{
    run r;
    mx_view tokens;
    MUST(mx_tokens_create(ctx, "tokens", &tokens));
    set_up(ctx, &r, tokens);
    MUST(mx_ctx_check_against(ctx, "openmp:threads=7", 0));
    CHECK_FAILS(tk_exclusive(mx_range_1d(ctx, 0, ITEMS), &r.args), MX_ERR_ARG,
                "kernel tk_exclusive: view 'tokens' (tokens");
    CHECK_TEXT(mx_err_message(), "so another backend cannot repeat");
    MUST(mx_ctx_check_against(ctx, NULL, 0));
    check_run(&r, 0);
    tear_down(&r);
}

/* Tokens of one context are not for launches on another, though it has as many threads. */
static void test_other(mx_ctx ctx)
{
    run r;
    mx_ctx other;
    mx_view tokens;
    MUST(mx_tokens_create(ctx, "tokens", &tokens));
    set_up(ctx, &r, tokens);
    MUST(mx_ctx_create(check_resource, &other));
    CHECK_FAILS(tk_exclusive(mx_range_1d(other, 0, ITEMS), &r.args), MX_ERR_ARG,
                "kernel tk_exclusive: accessor 'tokens': view 'tokens'");
    CHECK_TEXT(mx_err_message(), "another context");
    mx_ctx_destroy(&other);
    check_run(&r, 0);
    tear_down(&r);
}

static void test(mx_ctx ctx)
{
    run r;
    mx_view tokens;
    MUST(mx_tokens_create(ctx, "tokens", &tokens));
    set_up(ctx, &r, tokens);
    check_all(&r);
    tear_down(&r);
    if (check_is(ctx, "simt")) { /* fewer tokens than threads: they take turns */
        MUST(mx_view_create_1d(ctx, "few", MX_I32, 2, &tokens));
        set_up(ctx, &r, tokens);
        MUST(tk_exclusive(mx_range_1d(ctx, 0, ITEMS), &r.args));
        check_run(&r, (int64_t)ITEMS * 21 / 2);
        tear_down(&r);
    }
    if (check_is(ctx, "openmp")) check_numbers();
    test_check(ctx);
    test_other(ctx);
    CHECK_FAILS(mx_tokens_create(NULL, "none", &tokens), MX_ERR_ARG, "context");
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
