/* The setting reduction-wait: sums have the same bits whether the blocks of a GPU wait for each
 * other or a second kernel joins; a reduction that waits too long is an error. Only cuda uses it, so
 * on the others the sums are all that there is to test. */
#include "reduction_wait.h"
#include "check.h"

#include <time.h>

enum { ITEMS = 100000 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double sum(mx_ctx ctx, int64_t steps)
{
    const rw_args args = {.steps = steps};
    double result = -1;
    MUST(rw_sum(mx_range_1d(ctx, 0, ITEMS), &args, &result));
    return result;
}

/* Restarts the run time, so that it reads the setting. NULL: not set. */
static void start(const char *wait, mx_ctx *ctx)
{
    mx_finalize();
    if (wait == NULL)
        unsetenv("MINX_REDUCTION_WAIT");
    else
        setenv("MINX_REDUCTION_WAIT", wait, 1);
    MUST(mx_init());
    MUST(mx_ctx_create(check_resource, ctx));
}

static void test_bits(void)
{
    static const char *const waits[] = {"0", "1", "3600"};
    mx_ctx ctx;
    start(NULL, &ctx);
    const double expected = sum(ctx, 1);
    mx_ctx_destroy(&ctx);
    for (int w = 0; w < 3; w++) {
        start(waits[w], &ctx);
        for (int n = 0; n < 3; n++) CHECK_F64(sum(ctx, 1), expected, 0);
        mx_ctx_destroy(&ctx);
    }
}

/* Steps that take item 0 about so many seconds. */
static int64_t steps_for(mx_ctx ctx, double seconds)
{
    int64_t steps = 1000;
    for (;; steps *= 4) {
        const double begin = now();
        (void)sum(ctx, steps);
        const double taken = now() - begin;
        if (taken > 0.1) return (int64_t)((double)steps * seconds / taken);
    }
}

/* Item 0 takes longer than the last block may wait for it. Without a limit, or with a second kernel,
 * the same launch gives a result. */
static void test_limit(void)
{
    mx_ctx ctx;
    mx_view view;
    double got;
    start(NULL, &ctx);
    const double quick = sum(ctx, 1);
    const rw_args args = {.steps = steps_for(ctx, 4)};
    const double expected = sum(ctx, args.steps);
    mx_ctx_destroy(&ctx);
    start("0", &ctx);
    CHECK_F64(sum(ctx, args.steps), expected, 0);
    mx_ctx_destroy(&ctx);

    /* an error of the launch, or of the fence. Then a second kernel joins, without a limit */
    for (int into = 0; into < 2; into++) {
        start("1", &ctx);
        const mx_range_1 range = mx_range_1d(ctx, 0, ITEMS);
        MUST(mx_view_create_1d(ctx, "sum", MX_F64, 1, &view));
        CHECK_F64(sum(ctx, 1), quick, 0);
        if (into) CHECK_OK(rw_sum_into(range, &args, view, 0));
        CHECK_FAILS(into ? mx_fence(ctx) : rw_sum(range, &args, &got), MX_ERR_DEVICE,
                    "has waited for 1 s for its other blocks");
        CHECK_TEXT(mx_err_message(), "--mx-reduction-wait=0");
        CHECK_TEXT(mx_err_message(), "rw_sum");
        CHECK_OK(mx_fence(ctx));
        CHECK_F64(sum(ctx, 1), quick, 0);
        CHECK_F64(sum(ctx, args.steps), expected, 0);
        MUST(mx_view_destroy(&view));
        mx_ctx_destroy(&ctx);
    }
}

int main(int argc, char **argv)
{
    const int code = check_begin(argc, argv);
    if (code != 0) return code;
    test_bits();
    if (check_gpu() != NULL) test_limit();
    mx_finalize();
    return check_failures > 0;
}
