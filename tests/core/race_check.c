/* check=races: 28 races in 14 kernels are found, each with kernel, view, index and both items,
 * and with the same words in each run; what is no race is not reported. Its errors in builds and
 * on backends that do not have it. */
#include "race_check.h"
#include "check.h"

enum { N = 120, ITEMS = 20, RUNS = 20 };

typedef struct set {
    mx_view f, g, y, n, total, best, count, last, edge, list, pair, tokens;
    mx_scatter sum;
    rc_args args;
} set;

static set make_set(mx_ctx ctx)
{
    set s;
    int32_t edges[ITEMS][2];
    mx_view target;
    memset(&s, 0, sizeof s);
    MUST(mx_view_create_2d(ctx, "force", MX_F64, N, 8, &s.f));
    MUST(mx_view_create_2d(ctx, "g", MX_F64, N, 8, &s.g));
    MUST(mx_view_create_1d(ctx, "y", MX_F64, N, &s.y));
    MUST(mx_view_create_1d(ctx, "n", MX_I32, N, &s.n));
    MUST(mx_view_create_0d(ctx, "total", MX_F64, &s.total));
    MUST(mx_view_create_0d(ctx, "best", MX_F64, &s.best));
    MUST(mx_view_create_0d(ctx, "count", MX_I32, &s.count));
    MUST(mx_view_create_0d(ctx, "last", MX_I32, &s.last));
    MUST(mx_view_create_2d(ctx, "edge", MX_I32, ITEMS, 2, &s.edge));
    MUST(mx_view_create_1d(ctx, "list", MX_I32, N, &s.list));
    MUST(mx_view_create_1d(ctx, "pair", MX_USER(rc_pair), N, &s.pair));
    MUST(mx_tokens_create(ctx, "tokens", &s.tokens));
    MUST(mx_view_create_1d(ctx, "sum", MX_F64, N, &target));
    MUST(mx_scatter_create(ctx, target, MX_SUM, &s.sum));
    MUST(mx_view_destroy(&target));
    for (int e = 0; e < ITEMS; e++) edges[e][0] = e, edges[e][1] = e + 1;
    MUST(mx_import(ctx, s.edge, &edges[0][0], NULL));
    MUST(mx_fill(ctx, s.y, &(double){1}));
    MUST(mx_bind_origin(ctx, s.f, ((const int64_t[]){-1, -1}), &s.args.f));
    MUST(mx_bind(ctx, s.g, &s.args.g));
    MUST(mx_bind(ctx, s.y, &s.args.y));
    MUST(mx_bind(ctx, s.n, &s.args.n));
    MUST(mx_bind(ctx, s.total, &s.args.total));
    MUST(mx_bind(ctx, s.best, &s.args.best));
    MUST(mx_bind(ctx, s.count, &s.args.count));
    MUST(mx_bind(ctx, s.last, &s.args.last));
    MUST(mx_bind(ctx, s.edge, &s.args.edge));
    MUST(mx_bind(ctx, s.list, &s.args.list));
    MUST(mx_bind(ctx, s.pair, &s.args.pair));
    MUST(mx_bind(ctx, s.tokens, &s.args.tokens));
    MUST(mx_scatter_bind(ctx, &s.sum, &s.args.sum));
    return s;
}

static void free_set(set *s)
{
    mx_view *const views[] = {&s->f,     &s->g,    &s->y,    &s->n,    &s->total, &s->best,
                              &s->count, &s->last, &s->edge, &s->list, &s->pair,  &s->tokens};
    for (size_t v = 0; v < sizeof views / sizeof *views; v++) MUST(mx_view_destroy(views[v]));
    MUST(mx_scatter_destroy(&s->sum));
}

/* ---- the launches ---- */

static mx_err scatter(mx_ctx ctx, const rc_args *a)
{
    return rc_scatter(mx_range_1d(ctx, 0, ITEMS), a);
}
static mx_err stencil(mx_ctx ctx, const rc_args *a)
{
    return rc_stencil(mx_range_2d(ctx, 1, 6, 1, 5), a);
}
static mx_err list(mx_ctx ctx, const rc_args *a) { return rc_list(mx_range_1d(ctx, 0, ITEMS), a); }
static mx_teams league(mx_ctx ctx)
{
    return mx_with_scratch(mx_league(ctx, 5, MX_AUTO, MX_AUTO), 0, 8 * sizeof(double), 0);
}
static mx_err team(mx_ctx ctx, const rc_args *a) { return rc_team(league(ctx), a); }
static mx_err sum(mx_ctx ctx, const rc_args *a)
{
    double result;
    return rc_sum(mx_range_1d(ctx, 10, ITEMS), a, &result);
}
static mx_err half_list(mx_ctx ctx, const rc_args *a)
{
    return rc_half_list(mx_range_1d(ctx, 0, ITEMS), a);
}
static mx_err same_value(mx_ctx ctx, const rc_args *a)
{
    return rc_same_value(mx_range_1d(ctx, 0, ITEMS), a);
}
static mx_err pointer(mx_ctx ctx, const rc_args *a)
{
    return rc_pointer(mx_range_1d(ctx, 0, ITEMS), a);
}
static mx_err mixed(mx_ctx ctx, const rc_args *a)
{
    return rc_mixed(mx_range_1d(ctx, 0, ITEMS), a);
}
static mx_err scan(mx_ctx ctx, const rc_args *a)
{
    double total;
    return rc_scan(mx_range_1d(ctx, 0, ITEMS), a, &total);
}
static mx_err bins(mx_ctx ctx, const rc_args *a)
{
    double result[4];
    return rc_bins(mx_range_1d(ctx, 0, ITEMS), a, 4, result);
}
static mx_err lanes(mx_ctx ctx, const rc_args *a) { return rc_lanes(league(ctx), a); }
static mx_err token(mx_ctx ctx, const rc_args *a) { return rc_token(league(ctx), a); }
static mx_err library(mx_ctx ctx, const rc_args *a)
{
    return rc_library(mx_range_1d(ctx, 0, ITEMS), a);
}
static mx_err clean(mx_ctx ctx, const rc_args *a)
{
    return rc_clean(mx_range_1d(ctx, 0, ITEMS), a);
}
static mx_err clean_team(mx_ctx ctx, const rc_args *a) { return rc_clean_team(league(ctx), a); }
static mx_err clean_scan(mx_ctx ctx, const rc_args *a)
{
    double total;
    return rc_clean_scan(mx_range_1d(ctx, 0, ITEMS), a, &total);
}

/* Where an item reads and then writes an element, a compiler may leave out the call for the
 * read. */
static const struct row {
    const char *kernel;
    mx_err (*launch)(mx_ctx ctx, const rc_args *a);
    const char *race[2]; /* the words between "..." */
} planted[] = {
    {"rc_scatter",
     scatter,
     {"element (1, 0) of view 'force': item 0 writes it, item 1 reads it",
      "element 1 of view 'n': item 0 writes it, item 1"}},
    {"rc_stencil",
     stencil,
     {"element (1, 1) of view 'force': item (1, 1) writes it, item (2, 1) reads it",
      "element (1, 2) of view 'g': item (1, 1) reads it, item (1, 2) writes it"}},
    {"rc_list",
     list,
     {"on view 'count': item 1 writes it, item 4",
      "on view 'last': item 1 writes it, item 4 writes it"}},
    {"rc_team",
     team,
     {"byte 8 of the scratch of a team: thread 0...of team 0 reads it, thread 1...of team 0 "
      "writes it",
      "element (0, 1) of view 'force': thread 0...of team 0 reads it, thread 1...of team 0 "
      "writes it"}},
    {"rc_sum",
     sum,
     {"on view 'total': item 10 writes it, item 11",
      "on view 'best': item 10 writes it, item 11 reads it"}},
    {"rc_half_list",
     half_list,
     {"element (1, 1) of view 'force': item 0 writes it, item 1",
      "element 2 of view 'y': item 0 writes it, item 1 reads it"}},
    {"rc_same_value",
     same_value,
     {"on view 'last': item 4 writes it, item 5 writes it",
      "element 0 of view 'y': item 0 writes it, item 1 writes it"}},
    {"rc_pointer",
     pointer,
     {"element 0 of view 'y': item 0 writes it, item 1 writes it",
      "element 1 of view 'n': item 0 writes it, item 1 reads it"}},
    {"rc_mixed",
     mixed,
     {"element 0 of view 'n': item 0 atomically changes it, item 1 reads it",
      "on view 'total': item 5 writes it, item 7 atomically"}},
    {"rc_scan",
     scan,
     {"element 1 of view 'y': item 1 reads it, item 0 writes it",
      "element (0, 0) of view 'force': item 0 writes it, item 1 writes it"}},
    {"rc_bins",
     bins,
     {"element 0 of view 'n': item 0 writes it, item 4",
      "element (0, 0) of view 'force': item 0 writes it, item 2 writes it"}},
    {"rc_lanes",
     lanes,
     {"element (0, 0) of view 'force': thread ...writes it",
      "element 0 of view 'n': thread ...atomically changes it"}},
    {"rc_token",
     token,
     {"element (0, 0) of view 'force': thread ...writes it",
      "element 0 of view 'y': thread ...writes it"}},
    {"rc_library",
     library,
     {"element 0 of view 'y': item 0 writes it, item 1 writes it",
      "element 1 of view 'n': item 0 writes it, item 1 writes it"}},
};

/* Are the parts of `pattern` between "..." in the text, in this order? */
static bool matches(const char *text, const char *pattern)
{
    char copy[256];
    snprintf(copy, sizeof copy, "%s", pattern);
    for (char *part = copy, *next; part != NULL; part = next) {
        next = strstr(part, "...");
        if (next != NULL) {
            *next = '\0';
            next += 3;
        }
        text = strstr(text, part);
        if (text == NULL) return false;
    }
    return true;
}

static void test_planted(mx_ctx ctx, const struct row *p)
{
    char first[1024] = "", kernel[64];
    snprintf(kernel, sizeof kernel, "kernel %s: race on ", p->kernel);
    for (int run = 0; run < RUNS; run++) {
        set s = make_set(ctx);
        CHECK_FAILS(p->launch(ctx, &s.args), MX_ERR_MISMATCH, kernel);
        if (run == 0) {
            snprintf(first, sizeof first, "%s", mx_err_message());
            for (int r = 0; r < 2; r++)
                if (!matches(first, p->race[r])) CHECK_TEXT(first, p->race[r]);
            CHECK_TEXT(first, "kernels/race_check.c:");
        }
        CHECK(strcmp(first, mx_err_message()) == 0);
        free_set(&s);
    }
}

static void test_clean(mx_ctx ctx)
{
    int32_t count = 0;
    set s = make_set(ctx);
    CHECK_OK(clean(ctx, &s.args));
    CHECK_OK(clean_team(ctx, &s.args));
    CHECK_OK(clean_scan(ctx, &s.args));
    MUST(mx_read_element(ctx, s.count, 0, &count));
    CHECK_I64(count, ITEMS); /* the items ran once */
    free_set(&s);
}

/* A bounds error of a team names the item of its thread, whichever thread ran before. */
static void test_outside(mx_ctx ctx)
{
    set s = make_set(ctx);
    CHECK_FAILS(rc_outside(league(ctx), &s.args), MX_ERR_BOUNDS,
                "is 1000, expected 0 to 119 in item 0 (");
    free_set(&s);
}

/* "RESOURCE,check=races" */
static const char *checked(char *text, size_t size)
{
    snprintf(text, size, "%s%ccheck=races", check_resource,
             strchr(check_resource, ':') == NULL ? ':' : ',');
    return text;
}

static void test(mx_ctx plain)
{
    char resource[96];
    mx_ctx ctx;
    (void)plain;
    checked(resource, sizeof resource);
    if (check_gpu() != NULL) {
#ifdef MINX_RACE_CHECK
        CHECK_FAILS(mx_ctx_create(resource, &ctx), MX_ERR_INPUT,
                    "expected a backend that runs on the host");
#endif
        return;
    }
#ifdef MINX_RACE_CHECK
    CHECK(mx_resource_built(resource));
    MUST(mx_ctx_create(resource, &ctx));
    for (size_t p = 0; p < sizeof planted / sizeof *planted; p++) test_planted(ctx, &planted[p]);
    test_clean(ctx);
    test_outside(ctx);
    /* off, and on again */
    set s = make_set(ctx);
    CHECK_OK(mx_ctx_check_against(ctx, NULL, 0));
    CHECK_OK(scatter(ctx, &s.args));
    CHECK_OK(mx_ctx_check_against(ctx, "races", 0));
    CHECK_FAILS(scatter(ctx, &s.args), MX_ERR_MISMATCH, "kernel rc_scatter: race on ");
    free_set(&s);
    mx_ctx_destroy(&ctx);
#else
    (void)planted;
    (void)matches;
    (void)test_planted;
    (void)test_clean;
    (void)test_outside;
    CHECK(!mx_resource_built(resource));
    CHECK_FAILS(mx_ctx_create(resource, &ctx), MX_ERR_BACKEND, "-DMINX_BOUNDS_CHECK=ON");
    CHECK_OK(mx_ctx_check_against(plain, NULL, 0));
#endif
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
