/* Hidden dependences between items: the order of serial hides them, serial:order=shuffled shows
 * them. Also the properties of its order: every item runs once, each launch has another order, and
 * the same seed gives the same orders. */
#include "races.h"
#include "check.h"

enum { N = 1000 };

typedef struct set {
    mx_view y, x, order, next;
    races_args args;
} set;

static set make_set(mx_ctx ctx, int64_t n)
{
    set s;
    memset(&s, 0, sizeof s);
    MUST(mx_view_create_1d(ctx, "y", MX_I32, n, &s.y));
    MUST(mx_view_create_1d(ctx, "x", MX_I32, n, &s.x));
    MUST(mx_view_create_1d(ctx, "order", MX_I32, n, &s.order));
    MUST(mx_view_create_0d(ctx, "next", MX_I32, &s.next));
    MUST(mx_bind(ctx, s.y, &s.args.y));
    MUST(mx_bind(ctx, s.x, &s.args.x));
    MUST(mx_bind(ctx, s.order, &s.args.order));
    MUST(mx_bind(ctx, s.next, &s.args.next));
    return s;
}

static void free_set(set *s)
{
    MUST(mx_view_destroy(&s->y));
    MUST(mx_view_destroy(&s->x));
    MUST(mx_view_destroy(&s->order));
    MUST(mx_view_destroy(&s->next));
}

/* Elements in which a kernel differs from what plain C makes of it. */
static int differences(const char *resource, mx_err (*kernel)(mx_range_1, const races_args *),
                       bool carried)
{
    mx_ctx ctx;
    int32_t x[N], got[N];
    int wrong = 0;
    MUST(mx_ctx_create(resource, &ctx));
    set s = make_set(ctx, N);
    for (int i = 0; i < N; i++) x[i] = (int32_t)check_random_int(0, 1000);
    check_upload(ctx, s.x, x);
    CHECK_OK(kernel(mx_range_1d(ctx, 1, N), &s.args));
    check_download(ctx, s.y, got);
    for (int i = 1; i < N; i++) wrong += got[i] != (carried ? i : x[i - 1] + 1);
    free_set(&s);
    mx_ctx_destroy(&ctx);
    return wrong;
}

/* When each item ran: a permutation. */
static void run_order(mx_ctx ctx, int32_t *order, int64_t n)
{
    const int32_t zero = 0;
    set s = make_set(ctx, n);
    char *const seen = check_memory((size_t)n);
    MUST(mx_fill(ctx, s.next, &zero));
    CHECK_OK(races_order(mx_range_1d(ctx, 0, n), &s.args));
    check_download(ctx, s.order, order);
    for (int64_t i = 0; i < n; i++) {
        CHECK(order[i] >= 0 && order[i] < n && !seen[order[i]]);
        if (order[i] >= 0 && order[i] < n) seen[order[i]] = 1;
    }
    free(seen);
    free_set(&s);
}

static bool in_order(const int32_t *order, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (order[i] != i) return false;
    return true;
}

static void test_shuffling(void)
{
    mx_ctx serial, one, same, other;
    int32_t a[N], b[N], c[N];
    MUST(mx_ctx_create("serial", &serial));
    MUST(mx_ctx_create("serial:order=shuffled,seed=5", &one));
    MUST(mx_ctx_create("serial:order=shuffled,seed=5", &same));
    MUST(mx_ctx_create("serial:order=shuffled,seed=6", &other));
    run_order(serial, a, N);
    CHECK(in_order(a, N));
    run_order(one, a, N);
    run_order(one, b, N);
    CHECK(!in_order(a, N) && !in_order(b, N));
    CHECK(memcmp(a, b, sizeof a) != 0); /* another order at the next launch */
    run_order(same, c, N);
    CHECK(memcmp(a, c, sizeof a) == 0); /* the same seed, the same first order */
    run_order(other, c, N);
    CHECK(memcmp(a, c, sizeof a) != 0);
    for (int64_t n = 1; n < 300; n += n < 70 ? 1 : 31) run_order(one, a, n);
    mx_ctx_destroy(&serial);
    mx_ctx_destroy(&one);
    mx_ctx_destroy(&same);
    mx_ctx_destroy(&other);
}

static void test(mx_ctx ctx)
{
    int32_t order[N];
    CHECK_I64(differences("serial", races_carried, true), 0); /* the mistake is hidden */
    CHECK(differences("serial:order=shuffled", races_carried, true) > N / 4); /* and found */
    CHECK_I64(differences(check_resource, races_free, false),
              0); /* what is not one is none anywhere */
    run_order(ctx, order, N);
    test_shuffling();
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
