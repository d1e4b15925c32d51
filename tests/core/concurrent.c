/* Several threads of the program, each with its own context. At the same time they create and
 * destroy contexts and views, launch, reduce, copy, cause errors, and read one view that another
 * context created. A build with the thread sanitizer finds more. */
#include "concurrent.h"
#include "check.h"

#include <pthread.h>

enum { THREADS = 4, ROUNDS = 12, N = 5000, EACH = 3, MANY = 100 };

typedef struct user {
    pthread_t thread;
    int64_t number;
    mx_view shared;
    mx_err err;            /* the first that was not expected */
    int64_t wrong;         /* elements and sums */
    char message[512];     /* of the failure that this thread asked for */
    const char *was_doing; /* where err is from */
} user;

#define DO(u, call)                              \
    do {                                         \
        const mx_err did = (call);               \
        if (did != MX_OK && (u)->err == MX_OK) { \
            (u)->err = did;                      \
            (u)->was_doing = #call;              \
        }                                        \
    } while (0)

/* Elements are factor * i, what is shared being i. */
static void use_views(user *u, mx_ctx ctx, int64_t factor)
{
    static int64_t copies[THREADS][N];
    int64_t sum = 0, *const copy = copies[u->number];
    cc_args args = {.factor = factor};
    mx_view x = MX_VIEW_NULL, mirror = MX_VIEW_NULL, part = MX_VIEW_NULL;
    char label[32];
    snprintf(label, sizeof label, "x of %d", (int)u->number);
    DO(u, mx_view_create_1d(ctx, label, MX_I64, N, &x));
    DO(u, mx_bind(ctx, x, &args.x));
    DO(u, mx_bind(ctx, u->shared, &args.shared));
    DO(u, cc_scale(mx_range_1d(ctx, 0, N), &args));
    DO(u, cc_sum(mx_range_1d(ctx, 0, N), &args, &sum));
    DO(u, mx_subview(x, MX_SLICES(mx_span(1, N)), &part));
    DO(u, mx_mirror_create(x, &mirror));
    DO(u, mx_deep_copy(ctx, mirror, x));
    DO(u, mx_fence(ctx));
    if (u->err == MX_OK) memcpy(copy, check_info(mirror).data, sizeof copies[0]);
    for (int64_t i = 0; i < N; i++) u->wrong += copy[i] != factor * i;
    u->wrong += sum != factor * N * (N - 1) / 2;
    DO(u, mx_view_destroy(&part));
    DO(u, mx_view_destroy(&mirror));
    DO(u, mx_view_destroy(&x));
}

/* What is shared gets owners and loses them all the time, and is asked about meanwhile. */
static void use_parts(user *u)
{
    mx_view part = MX_VIEW_NULL, constant = MX_VIEW_NULL;
    mx_view_info info = {.references = 0};
    DO(u, mx_subview(u->shared, MX_SLICES(mx_span(u->number, N)), &part));
    DO(u, mx_view_constant(part, &constant));
    DO(u, mx_view_get_info(u->shared, &info));
    u->wrong += info.references < 3 || info.references > 1 + 2 * THREADS;
    DO(u, mx_view_destroy(&part));
    DO(u, mx_view_destroy(&constant));
}

/* All threads of a context note the same thing: no scratch. The message is this thread's own. */
static void fail(user *u, mx_ctx ctx)
{
    cc_args args = {.factor = 1};
    mx_view x = MX_VIEW_NULL;
    DO(u, mx_view_create_1d(ctx, "x", MX_I64, N, &x));
    DO(u, mx_bind(ctx, x, &args.x));
    DO(u, mx_bind(ctx, u->shared, &args.shared));
    mx_err err = cc_overflow(mx_league(ctx, 64, MX_AUTO, MX_AUTO), &args);
    if (err == MX_OK) err = mx_fence(ctx); /* cuda says it there */
    u->wrong += err != MX_ERR_MEMORY;
    snprintf(u->message, sizeof u->message, "%s", mx_err_message());
    DO(u, mx_view_destroy(&x));
}

static void *live(void *argument)
{
    user *u = argument;
    for (int round = 0; round < ROUNDS; round++) {
        mx_ctx ctx;
        DO(u, mx_ctx_create(check_resource, &ctx));
        if (ctx == NULL) break;
        for (int k = 0; k < EACH; k++) use_views(u, ctx, 1 + u->number + THREADS * k);
        for (int k = 0; k < MANY; k++) use_parts(u);
        fail(u, ctx);
        mx_ctx_destroy(&ctx);
    }
    return NULL;
}

static void test(mx_ctx ctx)
{
    int64_t values[N];
    user users[THREADS];
    mx_view shared;
    for (int i = 0; i < N; i++) values[i] = i;
    MUST(mx_view_create_1d(ctx, "shared", MX_I64, N, &shared));
    check_upload(ctx, shared, values);
    for (int t = 0; t < THREADS; t++) {
        users[t] = (user){.number = t, .shared = shared, .was_doing = ""};
        CHECK(pthread_create(&users[t].thread, NULL, live, &users[t]) == 0);
    }
    for (int t = 0; t < THREADS; t++) {
        CHECK(pthread_join(users[t].thread, NULL) == 0);
        (void)check_ok_(users[t].err, users[t].was_doing, __FILE__, __LINE__);
        CHECK_I64(users[t].wrong, 0);
        CHECK_TEXT(users[t].message, "team scratch of level 0");
    }
    MUST(mx_view_destroy(&shared));
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
