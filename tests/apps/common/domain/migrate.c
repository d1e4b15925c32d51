/* Migration against a serial model, by every path and on every backend. An element is known by its
 * id, from which all of its fields follow, and so does the rank to which it must go in a round. So
 * each rank can tell of each element whether it is right, and all ranks together whether one was
 * lost or doubled. */
#include "domain/migrate.h"
#include "check.h"
#include "paths.h"
#include "random.h"

#include <stdlib.h>

enum { PROGRAMS = 15, ROUNDS = 3, MAX_ELEMENTS = 60, COLUMNS = 3, FIELDS = 4 };

typedef struct elements {
    mx_ctx ctx;
    mx_lid count, room;
    mx_view id, x, v, kind, rank;
    int64_t *ids; /* on the host, as long as the views */
    double *xs;
    float *vs;
    int32_t *kinds, *ranks;
} elements;

static double x_of(int64_t id, int c) { return (double)id * 0.25 + c; }
static float v_of(int64_t id) { return (float)(id % 4096) * 0.5f; }
static int32_t kind_of(int64_t id) { return (int32_t)(id % 17); }

/* The rank of an element after a round. Every third program keeps most elements where they are;
 * every fourth sends all to the last rank. */
static int target_of(int64_t id, uint64_t seed, int ranks, int self)
{
    uint64_t random = seed * 1000003 + (uint64_t)id;
    const int somewhere = random_int(&random, 0, ranks - 1);
    if (seed % 4 == 3) return ranks - 1;
    if (seed % 3 == 0 && random_int(&random, 0, 9) > 0) return self;
    return somewhere;
}

static mx_err make_host(elements *e)
{
    mx_view_info info;
    MX_TRY(mx_view_get_info(e->id, &info));
    e->room = (mx_lid)info.count;
    const size_t n = (size_t)e->room + 1;
    free(e->ids);
    free(e->xs);
    free(e->vs);
    free(e->kinds);
    free(e->ranks);
    e->ids = calloc(n, sizeof *e->ids);
    e->xs = calloc(n * COLUMNS, sizeof *e->xs);
    e->vs = calloc(n, sizeof *e->vs);
    e->kinds = calloc(n, sizeof *e->kinds);
    e->ranks = calloc(n, sizeof *e->ranks);
    MX_REQUIRE(e->ids != NULL && e->xs != NULL && e->vs != NULL && e->kinds != NULL &&
                   e->ranks != NULL,
               MX_ERR_MEMORY, "no memory for a test");
    return MX_OK;
}

static mx_err start(elements *e, app_comm comm, mx_ctx ctx, uint64_t seed)
{
    uint64_t random = seed * 31 + (uint64_t)app_rank(comm);
    *e = (elements){.ctx = ctx, .count = random_int(&random, 0, MAX_ELEMENTS)};
    const mx_lid room = e->count + random_int(&random, 0, 20);
    const mx_view_options options = {.layout = seed % 2 == 0 ? MX_LAYOUT_RIGHT : MX_LAYOUT_LEFT,
                                     .padding = seed % 5 < 2};
    MX_TRY(mx_view_create_1d(ctx, "id", MX_I64, room, &e->id));
    MX_TRY(mx_view_create(ctx, "x", MX_F64, 2, (const int64_t[]){room, COLUMNS}, &options, &e->x));
    MX_TRY(mx_view_create_1d(ctx, "v", MX_F32, room, &e->v));
    MX_TRY(mx_view_create_1d(ctx, "kind", MX_I32, room, &e->kind));
    MX_TRY(make_host(e));
    for (mx_lid i = 0; i < e->count; i++) {
        const int64_t id = (int64_t)app_rank(comm) * MAX_ELEMENTS + i;
        e->ids[i] = id;
        e->vs[i] = v_of(id);
        e->kinds[i] = kind_of(id);
        for (int c = 0; c < COLUMNS; c++) e->xs[i * COLUMNS + c] = x_of(id, c);
    }
    MX_TRY(mx_import(ctx, e->id, e->ids, NULL));
    MX_TRY(mx_import(ctx, e->x, e->xs, NULL));
    MX_TRY(mx_import(ctx, e->v, e->vs, NULL));
    return mx_import(ctx, e->kind, e->kinds, NULL);
}

static mx_err finish(elements *e)
{
    free(e->ids);
    free(e->xs);
    free(e->vs);
    free(e->kinds);
    free(e->ranks);
    MX_TRY(mx_view_destroy(&e->id));
    MX_TRY(mx_view_destroy(&e->x));
    MX_TRY(mx_view_destroy(&e->v));
    return mx_view_destroy(&e->kind);
}

/* Are the elements complete, whole, and all at their ranks? The ids of all ranks are added up. */
static mx_err check_elements(elements *e, app_comm comm, uint64_t seed, const int64_t *before)
{
    int64_t sums[3] = {e->count, 0, 0};
    int wrong = 0;
    MX_TRY(make_host(e));
    MX_TRY(mx_export(e->ctx, e->id, e->ids, NULL));
    MX_TRY(mx_export(e->ctx, e->x, e->xs, NULL));
    MX_TRY(mx_export(e->ctx, e->v, e->vs, NULL));
    MX_TRY(mx_export(e->ctx, e->kind, e->kinds, NULL));
    for (mx_lid i = 0; i < e->count; i++) {
        const int64_t id = e->ids[i];
        wrong += target_of(id, seed, app_size(comm), app_rank(comm)) != app_rank(comm);
        wrong += e->vs[i] != v_of(id) || e->kinds[i] != kind_of(id);
        for (int c = 0; c < COLUMNS; c++) wrong += e->xs[i * COLUMNS + c] != x_of(id, c);
        sums[1] += id;
        sums[2] += id * id;
    }
    CHECK_I64(wrong, 0);
    MX_TRY(app_sum_i64(comm, sums, 3));
    for (int s = 0; s < 3; s++) CHECK_I64(sums[s], before[s]);
    return MX_OK;
}

static mx_err round_of(elements *e, app_comm comm, app_migration m, uint64_t seed)
{
    mx_view *const fields[FIELDS] = {&e->x, &e->id, &e->kind, &e->v};
    int64_t before[3] = {e->count, 0, 0};
    const mx_lid room = e->room;
    bool grown = false;
    for (mx_lid i = 0; i < e->count; i++) {
        e->ranks[i] = target_of(e->ids[i], seed, app_size(comm), app_rank(comm));
        before[1] += e->ids[i];
        before[2] += e->ids[i] * e->ids[i];
    }
    MX_TRY(app_sum_i64(comm, before, 3));
    MX_TRY(mx_view_create_1d(e->ctx, "rank", MX_I32, room, &e->rank));
    MX_TRY(mx_import(e->ctx, e->rank, e->ranks, NULL));
    MX_TRY(app_migrate(m, e->rank, &e->count, fields, FIELDS, &grown));
    CHECK(grown == (e->count > room));
    MX_TRY(mx_view_destroy(&e->rank));
    return check_elements(e, comm, seed, before);
}

static mx_err try_program(app_comm comm, mx_ctx ctx, app_migration m, uint64_t seed)
{
    elements e;
    MX_TRY(start(&e, comm, ctx, seed));
    for (int r = 0; r < ROUNDS; r++) MX_TRY(round_of(&e, comm, m, seed + (uint64_t)r));
    return finish(&e);
}

/* A bad rank on one rank only: an error on all, and nothing moves. */
static mx_err try_errors(app_comm comm, mx_ctx ctx, app_migration m)
{
    const int32_t bad = app_rank(comm) == app_size(comm) - 1 ? app_size(comm) : app_rank(comm);
    mx_view rank, x;
    mx_view *const fields[] = {&x};
    mx_lid count = 3;
    MX_TRY(mx_view_create_1d(ctx, "rank", MX_I32, 3, &rank));
    MX_TRY(mx_fill(ctx, rank, &bad));
    MX_TRY(mx_view_create_1d(ctx, "x", MX_F64, 3, &x));
    CHECK_FAILS(app_migrate(m, rank, &count, fields, 1, NULL), MX_ERR_ARG,
                "element 0 goes to rank");
    CHECK_I64(count, 3);
    count = 4;
    CHECK_FAILS(app_migrate(m, rank, &count, fields, 1, NULL), MX_ERR_BOUNDS, "fewer than 4");
    MX_TRY(mx_view_destroy(&rank));
    return mx_view_destroy(&x);
}

/* A field that is read-only on the last rank: an error on all ranks, of which none waits for the
 * last one's messages. */
static mx_err try_read_only(app_comm comm, mx_ctx ctx, app_migration m)
{
    const int32_t next = (app_rank(comm) + 1) % app_size(comm);
    const bool last = app_rank(comm) == app_size(comm) - 1;
    mx_view rank, x, constant;
    mx_view *const fields[] = {last ? &constant : &x};
    mx_lid count = 3;
    MX_TRY(mx_view_create_1d(ctx, "rank", MX_I32, 3, &rank));
    MX_TRY(mx_fill(ctx, rank, &next));
    MX_TRY(mx_view_create_1d(ctx, "x", MX_F64, 3, &x));
    MX_TRY(mx_view_constant(x, &constant));
    CHECK_FAILS(app_migrate(m, rank, &count, fields, 1, NULL), MX_ERR_CONST, "'x'");
    CHECK_I64(count, 3);
    MX_TRY(mx_view_destroy(&rank));
    MX_TRY(mx_view_destroy(&constant));
    return mx_view_destroy(&x);
}

/* The same field twice, on a rank where it grows. */
static mx_err try_twice(app_comm comm, mx_ctx ctx, app_migration m)
{
    const int32_t first = 0;
    const double own = app_rank(comm);
    const mx_lid everything = app_rank(comm) == 0 ? 3 * app_size(comm) : 0;
    mx_view rank, x;
    mx_view *const fields[] = {&x, &x};
    mx_lid count = 3;
    MX_TRY(mx_view_create_1d(ctx, "rank", MX_I32, 3, &rank));
    MX_TRY(mx_fill(ctx, rank, &first));
    MX_TRY(mx_view_create_1d(ctx, "x", MX_F64, 3, &x));
    MX_TRY(mx_fill(ctx, x, &own));
    MX_TRY(app_migrate(m, rank, &count, fields, 2, NULL));
    CHECK_I64(count, everything);
    for (mx_lid i = 0; i < count; i++) {
        double value = -1;
        MX_TRY(mx_read_element(ctx, x, i, &value));
        CHECK_F64(value, i / 3, 0); /* whole numbers: exact */
    }
    MX_TRY(mx_view_destroy(&rank));
    return mx_view_destroy(&x);
}

static mx_err try_path(app_comm comm, mx_ctx ctx, const app_path *path)
{
    app_transport transport;
    app_migration m;
    MX_TRY(app_transport_create_path(comm, ctx, path, &transport));
    MX_TRY(app_migration_create(transport, "test", &m));
    /* many ranks take turns */
    const int programs = paths_programs(app_size(comm) > 4 ? PROGRAMS / 3 : PROGRAMS);
    for (int p = 0; p < programs; p++) MX_TRY(try_program(comm, ctx, m, (uint64_t)p));
    MX_TRY(try_errors(comm, ctx, m));
    MX_TRY(try_read_only(comm, ctx, m));
    MX_TRY(try_twice(comm, ctx, m));
    app_migration_destroy(&m);
    app_transport_destroy(&transport);
    return MX_OK;
}

int main(int argc, char **argv) { return paths_main(argc, argv, try_path); }
