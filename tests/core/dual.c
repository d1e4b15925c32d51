/* Dual views: host code and kernels write alternately. A missing mx_dual_modify is detected. */
#include "dual.h"
#include "check.h"

enum { N = 1000 };

static double *host_of(const mx_dual *x)
{
    void *data;
    MUST(mx_view_host_data(x->host, &data));
    return data;
}

static void test_turns(mx_ctx ctx)
{
    const int64_t n = N;
    mx_ctx_info info;
    mx_dual x;
    dual_twice_args args;
    MUST(mx_ctx_get_info(ctx, &info));
    MUST(mx_dual_create(ctx, "x", MX_F64, 1, &n, NULL, &x));
    CHECK_I64(check_info(x.host).data == check_info(x.device).data, info.host_accessible);
    CHECK(!mx_dual_need_sync(&x, MX_SIDE_HOST) && !mx_dual_need_sync(&x, MX_SIDE_DEVICE));
    MUST(mx_bind(ctx, x.device, &args.x));
    double *host = host_of(&x);
    for (int i = 0; i < N; i++) host[i] = i;
    for (int turn = 1; turn <= 3; turn++) {
        mx_dual_modify(&x, MX_SIDE_HOST);
        CHECK(mx_dual_need_sync(&x, MX_SIDE_DEVICE) && !mx_dual_need_sync(&x, MX_SIDE_HOST));
        CHECK_OK(mx_dual_sync(ctx, &x, MX_SIDE_HOST)); /* nothing newer there */
        CHECK(mx_dual_need_sync(&x, MX_SIDE_DEVICE));
        CHECK_OK(mx_dual_sync(ctx, &x, MX_SIDE_DEVICE));
        CHECK(!mx_dual_need_sync(&x, MX_SIDE_DEVICE));
        CHECK_OK(dual_twice(mx_range_1d(ctx, 0, N), &args));
        mx_dual_modify(&x, MX_SIDE_DEVICE);
        CHECK(mx_dual_need_sync(&x, MX_SIDE_HOST) && !mx_dual_need_sync(&x, MX_SIDE_DEVICE));
        CHECK_OK(mx_dual_sync(ctx, &x, MX_SIDE_HOST)); /* waits: no fence here */
        for (int i = 0; i < N; i++) {
            CHECK_F64(host[i], 2 * (i + turn - 1), 0);
            host[i] = i + turn;
        }
    }
    CHECK_OK(mx_dual_destroy(&x));
    CHECK(x.host.generation == 0 && x.device.generation == 0);
    CHECK_OK(mx_dual_destroy(&x));
    CHECK_OK(mx_dual_destroy(NULL));
}

static void test_conflict(mx_ctx ctx)
{
    const int64_t n = 3;
    mx_dual x;
    MUST(mx_dual_create(ctx, "torn", MX_F64, 1, &n, NULL, &x));
    mx_dual_modify(&x, MX_SIDE_HOST);
    mx_dual_modify(&x, MX_SIDE_DEVICE);
    CHECK(mx_dual_need_sync(&x, MX_SIDE_HOST) && mx_dual_need_sync(&x, MX_SIDE_DEVICE));
    CHECK_FAILS(mx_dual_sync(ctx, &x, MX_SIDE_HOST), MX_ERR_ARG,
                "sync of dual view 'torn': both sides were modified");
    CHECK_FAILS(mx_dual_sync(ctx, &x, MX_SIDE_DEVICE), MX_ERR_ARG, "both sides were modified");
    mx_dual_clear(&x);
    CHECK(!mx_dual_need_sync(&x, MX_SIDE_HOST) && !mx_dual_need_sync(&x, MX_SIDE_DEVICE));
    CHECK_OK(mx_dual_sync(ctx, &x, MX_SIDE_HOST));
    mx_dual_modify(&x, MX_SIDE_DEVICE);
    CHECK_FAILS(mx_dual_sync(NULL, &x, MX_SIDE_HOST), MX_ERR_ARG, "a copy needs a context");
    MUST(mx_dual_destroy(&x));
    CHECK_FAILS(mx_dual_sync(ctx, &x, MX_SIDE_HOST), MX_ERR_STALE, "any more");
}

/* Any rank and layout; a failed create leaves nothing. */
static void test_shapes(mx_ctx ctx)
{
    const int64_t extents[] = {5, 6}, negative[] = {5, -6};
    const mx_view_options padded = {MX_SPACE_DEFAULT, MX_LAYOUT_LEFT, false, true};
    mx_dual x;
    MUST(mx_dual_create(ctx, "grid", MX_I32, 2, extents, &padded, &x));
    const mx_view_info h = check_info(x.host), d = check_info(x.device);
    CHECK(h.stride[0] == d.stride[0] && h.stride[1] == d.stride[1] && h.stride[1] == 16);
    int64_t at[2] = {0};
    do {
        *(int32_t *)check_at(&h, at) = (int32_t)(10 * at[0] + at[1]);
    } while (check_next(&h, at));
    mx_dual_modify(&x, MX_SIDE_HOST);
    CHECK_OK(mx_dual_sync(ctx, &x, MX_SIDE_DEVICE));
    mx_view mirror = check_fetch(ctx, x.device);
    const mx_view_info m = check_info(mirror);
    do {
        CHECK_I64(*(int32_t *)check_at(&m, at), 10 * at[0] + at[1]);
    } while (check_next(&m, at));
    MUST(mx_view_destroy(&mirror));
    MUST(mx_dual_destroy(&x));
    CHECK_FAILS(mx_dual_create(ctx, "grid", MX_I32, 2, negative, NULL, &x), MX_ERR_EXTENT,
                "extent 1: got -6");
    CHECK(x.host.generation == 0 && x.device.generation == 0);
}

static void test(mx_ctx ctx)
{
    test_turns(ctx);
    test_conflict(ctx);
    test_shapes(ctx);
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
