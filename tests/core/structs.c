/* Structs of MX_VALUE that host and device exchange: as elements of views, as arguments by value,
 * as results on the host and in a view. Layout and padding must be the same on host and device. */
#include "structs.h"
#include "check.h"

enum { N = 3001 };

static void check_same(const sx_particle *got, const sx_particle *expected)
{
    CHECK_F64(got->energy, expected->energy, 0);
    CHECK_F64(got->speed, expected->speed, 0);
    CHECK_I64(got->alive, expected->alive);
    CHECK_I64(got->id, expected->id);
    CHECK_I64(got->kind, expected->kind);
}

static void fill(sx_particle *p)
{
    for (int i = 0; i < N; i++) {
        p[i].energy = 0.25 * (double)check_random_int(-1000, 1000);
        p[i].speed = 0.5f * (float)check_random_int(-1000, 1000);
        p[i].alive = (uint8_t)(i % 3 == 0);
        p[i].id = (int64_t)i * 10000000000;
        p[i].kind = (int32_t)check_random_int(-1000000, 1000000);
    }
}

static void test_move(mx_ctx ctx, const sx_args *args, const sx_particle *p, mx_view own)
{
    sx_particle *const got = check_memory(N * sizeof *got);
    CHECK_OK(sx_move(mx_range_1d(ctx, 0, N), args));
    check_download(ctx, own, got);
    for (int i = 0; i < N; i++) {
        const sx_particle expected = {2 * (p[i].energy + 1.5), p[i].speed * 3, p[i].alive ^ 1,
                                      -p[i].id, 77 - p[i].kind};
        check_same(&got[i], &expected);
    }
    free(got);
}

static void test_gather(mx_ctx ctx, const sx_args *args, const sx_particle *p)
{
    sx_particle got, expected = {0, -INFINITY, 0, INT64_MIN, INT32_MAX};
    mx_view into;
    for (int i = 0; i < N; i++) {
        expected.energy += p[i].energy;
        expected.speed = fmaxf(expected.speed, p[i].speed);
        expected.alive = expected.alive || p[i].alive;
        expected.id = p[i].id > expected.id ? p[i].id : expected.id;
        expected.kind = p[i].kind < expected.kind ? p[i].kind : expected.kind;
    }
    CHECK_OK(sx_gather(mx_range_1d(ctx, 0, N), args, &got));
    check_same(&got, &expected);
    MUST(mx_view_create_0d(ctx, "into", MX_USER(sx_particle), &into));
    CHECK_OK(sx_gather_into(mx_range_1d(ctx, 0, N), args, into, 0));
    memset(&got, 0, sizeof got);
    MUST(mx_read_element(ctx, into, 0, &got));
    check_same(&got, &expected);
    MUST(mx_write_element(ctx, into, 0, &p[5]));
    MUST(mx_read_element(ctx, into, 0, &got));
    check_same(&got, &p[5]);
    MUST(mx_view_destroy(&into));
}

static void test(mx_ctx ctx)
{
    sx_particle *const p = check_memory(N * sizeof *p), *const back =
                                                            check_memory(N * sizeof *back);
    mx_view own, other;
    sx_args args;
    memset(&args, 0, sizeof args);
    args.shift = (sx_particle){1.5, 3, 1, 0, 77};
    fill(p);
    MUST(mx_view_create_1d(ctx, "own", MX_USER(sx_particle), N, &own));
    MUST(mx_view_create_1d(ctx, "other", MX_USER(sx_particle), N, &other));
    MUST(mx_bind(ctx, own, &args.own));
    MUST(mx_bind(ctx, other, &args.other));
    check_upload(ctx, other, p);
    check_download(ctx, other, back);
    for (int i = 0; i < N; i++) check_same(&back[i], &p[i]);
    test_move(ctx, &args, p, own);
    test_gather(ctx, &args, p);
    MUST(mx_view_destroy(&own));
    MUST(mx_view_destroy(&other));
    free(p);
    free(back);
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
