/* A force step with half lists, recorded once and run many times. Besides launches the graph has
 * copies, fills, remaps, and the reset, contribute and overwrite of a scatter view. The same steps
 * without a graph, and a plain loop, must give the same numbers. */
#include "minx/graph.h"

#include "check.h"
#include "graph_step.h"

enum { PARTICLES = 3000, STEPS = 40 };

typedef struct particles {
    mx_view x, f, old, moves;
    mx_view table; /* column 1: forces; column 2: a value; others are not touched */
    mx_view forces_in_table, value_in_table;
    mx_scatter scatter;
    gs_force_args force;
    gs_move_args move;
} particles;

static void set_up(mx_ctx ctx, particles *p)
{
    const int64_t never = -99;
    memset(p, 0, sizeof *p);
    MUST(mx_view_create_1d(ctx, "x", MX_I64, PARTICLES, &p->x));
    MUST(mx_view_create_1d(ctx, "f", MX_I64, PARTICLES, &p->f));
    MUST(mx_view_create_1d(ctx, "old", MX_I64, PARTICLES, &p->old));
    MUST(mx_view_create_0d(ctx, "moves", MX_I64, &p->moves));
    MUST(mx_view_create_2d(ctx, "table", MX_I64, PARTICLES, 4, &p->table));
    MUST(mx_fill(ctx, p->table, &never));
    MUST(mx_subview(p->table, MX_SLICES(mx_all(), mx_index(1)), &p->forces_in_table));
    MUST(mx_subview(p->table, MX_SLICES(mx_all(), mx_index(2)), &p->value_in_table));
    MUST(mx_scatter_create(ctx, p->f, MX_SUM, &p->scatter));
    MUST(mx_scatter_bind(ctx, &p->scatter, &p->force.f));
    MUST(mx_bind(ctx, p->x, &p->force.x));
    p->force.particles = PARTICLES;
    MUST(mx_bind(ctx, p->x, &p->move.x));
    MUST(mx_bind(ctx, p->f, &p->move.f));
    MUST(mx_bind(ctx, p->moves, &p->move.moves));
}

static void tear_down(particles *p)
{
    mx_view *const views[] = {
        &p->x, &p->f, &p->old, &p->moves, &p->forces_in_table, &p->value_in_table, &p->table};
    MUST(mx_scatter_destroy(&p->scatter));
    for (int v = 0; v < 7; v++) MUST(mx_view_destroy(views[v]));
}

static void start(mx_ctx ctx, const particles *p)
{
    int64_t x[PARTICLES];
    for (int i = 0; i < PARTICLES; i++) x[i] = (int64_t)i * 7919 % GS_WIDTH;
    check_upload(ctx, p->x, x);
}

/* overwrite: the forces replace the old ones; else they are added to zeros. */
static mx_err step(mx_ctx ctx, const particles *p, bool overwrite)
{
    const mx_range_1 all = mx_range_1d(ctx, 0, PARTICLES);
    int64_t number = 0; /* a graph keeps the value, not its address */
    MX_TRY(mx_deep_copy(ctx, p->old, p->x));
    MX_TRY(mx_fill(ctx, p->moves, &number));
    MX_TRY(mx_scatter_reset(ctx, &p->scatter));
    MX_TRY(gs_force(all, &p->force));
    if (overwrite) {
        MX_TRY(mx_scatter_overwrite(ctx, &p->scatter, p->f));
    } else {
        MX_TRY(mx_fill(ctx, p->f, &number));
        MX_TRY(mx_scatter_contribute(ctx, &p->scatter, p->f));
    }
    number = 77;
    MX_TRY(mx_remap(ctx, p->forces_in_table, p->f));
    MX_TRY(mx_fill(ctx, p->value_in_table, &number));
    number = 78;
    return gs_move(all, &p->move);
}

/* One step of a plain loop. */
static int64_t plain_step(int64_t *x, int64_t *f, int64_t *old)
{
    int64_t moves = 0;
    memset(f, 0, PARTICLES * sizeof *f);
    memcpy(old, x, PARTICLES * sizeof *x);
    for (int i = 0; i < PARTICLES; i++)
        for (int n = 1; n <= GS_NEIGHBOURS; n++) {
            const int j = (i + n) % PARTICLES;
            const int64_t force = (x[i] * n - x[j]) % 7;
            f[i] += force;
            f[j] -= force;
        }
    for (int i = 0; i < PARTICLES; i++) {
        x[i] = (x[i] + f[i] + GS_WIDTH) % GS_WIDTH;
        moves += f[i] != 0;
    }
    return moves;
}

static void check_particles(mx_ctx ctx, const particles *p)
{
    static int64_t x[PARTICLES], f[PARTICLES], old[PARTICLES], got[PARTICLES];
    int64_t moves = 0, got_moves;
    for (int i = 0; i < PARTICLES; i++) x[i] = (int64_t)i * 7919 % GS_WIDTH;
    for (int s = 0; s < STEPS; s++) moves = plain_step(x, f, old);
    check_download(ctx, p->x, got);
    CHECK(memcmp(got, x, sizeof x) == 0);
    check_download(ctx, p->f, got);
    CHECK(memcmp(got, f, sizeof f) == 0);
    check_download(ctx, p->old, got);
    CHECK(memcmp(got, old, sizeof old) == 0);
    MUST(mx_read_element(ctx, p->moves, 0, &got_moves));
    CHECK_I64(got_moves, moves);
    CHECK(moves > PARTICLES / 2); /* something happens */
    mx_view table = check_fetch(ctx, p->table);
    const mx_view_info info = check_info(table);
    for (int64_t at[2] = {0, 0}; at[0] < PARTICLES; at[0]++)
        for (at[1] = 0; at[1] < 4; at[1]++)
            CHECK_I64(*(int64_t *)check_at(&info, at), at[1] == 1   ? f[at[0]]
                                                       : at[1] == 2 ? 77
                                                                    : -99);
    MUST(mx_view_destroy(&table));
}

static void check_steps(mx_ctx ctx, bool overwrite)
{
    particles p;
    mx_graph graph;
    int64_t before[PARTICLES], got[PARTICLES];
    set_up(ctx, &p);
    start(ctx, &p);
    for (int s = 0; s < STEPS; s++) CHECK_OK(step(ctx, &p, overwrite));
    check_particles(ctx, &p);
    start(ctx, &p);
    check_download(ctx, p.x, before);
    MUST(mx_graph_create(ctx, &graph));
    CHECK_OK(step(ctx, &p, overwrite));
    CHECK_I64(mx_graph_last(graph), overwrite ? 7 : 8); /* each call is a node */
    MUST(mx_graph_finish(graph));
    check_download(ctx, p.x, got);
    CHECK(memcmp(got, before, sizeof got) == 0); /* recording ran nothing */
    for (int s = 0; s < STEPS; s++) CHECK_OK(mx_graph_run(graph));
    MUST(mx_fence(ctx));
    check_particles(ctx, &p);
    /* the copies of the scatter view are gone: no node runs */
    check_download(ctx, p.x, before);
    MUST(mx_scatter_destroy(&p.scatter));
    CHECK_FAILS(mx_graph_run(graph), MX_ERR_STALE, "");
    check_download(ctx, p.x, got);
    CHECK(memcmp(got, before, sizeof got) == 0);
    mx_graph_destroy(&graph);
    tear_down(&p);
}

static void test(mx_ctx ctx)
{
    check_steps(ctx, false);
    check_steps(ctx, true);
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
