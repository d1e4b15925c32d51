/* The rows of a mesh's matrix, and assembly of integers into it, so that sums are exact in any
 * order. */
#include "assemble.h"
#include "examples.h"

enum { EDGE = 5, ELEMENTS = EDGE * EDGE * EDGE, LINE = EDGE + 1, NODES = LINE * LINE * LINE };

static int node_of(int e, int n)
{
    const int x = e % EDGE + n % 2, y = e / EDGE % EDGE + n / 2 % 2, z = e / EDGE / EDGE + n / 4;
    return (z * LINE + y) * LINE + x;
}

/* A dense matrix of what the elements add, and of which nodes share one. */
static void dense(double (*sum)[NODES], bool (*shared)[NODES], const double *block)
{
    for (int e = 0; e < ELEMENTS; e++)
        for (int a = 0; a < MESH_NODES; a++)
            for (int b = 0; b < MESH_NODES; b++) {
                sum[node_of(e, a)][node_of(e, b)] += block[(e * MESH_NODES + a) * MESH_NODES + b];
                shared[node_of(e, a)][node_of(e, b)] = true;
            }
}

static void check_matrix(mx_ctx ctx, const hex_mesh *m, mx_view values, double (*sum)[NODES],
                         bool (*shared)[NODES])
{
    int32_t begin[NODES + 1], *const column = check_memory(sizeof *column * (size_t)m->entries);
    double *const value = check_memory(sizeof *value * (size_t)m->entries), wrong_sum = 0;
    int wrong = 0;
    array_of(ctx, m->begin, begin);
    array_of(ctx, m->column, column);
    array_of(ctx, values, value);
    for (int r = 0; r < NODES; r++) {
        int k = begin[r];
        for (int c = 0; c < NODES; c++) {
            if (!shared[r][c]) continue;
            wrong += k >= begin[r + 1] || column[k] != c;
            wrong_sum += fabs(value[k++] - sum[r][c]);
        }
        wrong += k != begin[r + 1];
    }
    CHECK_I64(begin[NODES], m->entries);
    CHECK_I64(wrong, 0);
    CHECK_F64(wrong_sum, 0, 0);
    free(column);
    free(value);
}

void check_assembly(mx_ctx ctx)
{
    enum { BLOCK = MESH_NODES * MESH_NODES };
    static double block[ELEMENTS * BLOCK], sum[NODES][NODES];
    static bool shared[NODES][NODES];
    const double zero = 0;
    hex_mesh m;
    mx_view values;
    assemble_args args;
    for (int b = 0; b < ELEMENTS * BLOCK; b++) block[b] = (double)check_random_int(-99, 99);
    dense(sum, shared, block);
    MUST(mesh_create(ctx, EDGE, &m));
    CHECK_I64(m.nodes, NODES);
    MUST(mx_view_create_1d(ctx, "value", MX_F64, m.entries, &values));
    mx_view blocks = view_of(ctx, "block", MX_F64, 3,
                             (const int64_t[]){ELEMENTS, MESH_NODES, MESH_NODES}, block);
    MUST(mx_bind(ctx, blocks, &args.block));
    MUST(mx_bind(ctx, m.node, &args.node));
    MUST(mx_bind(ctx, m.begin, &args.begin));
    MUST(mx_bind(ctx, m.column, &args.column));
    MUST(mx_bind(ctx, values, &args.value));
    CHECK_OK(assemble(mx_range_2d(ctx, 0, m.elements, 0, MESH_NODES), &args));
    check_matrix(ctx, &m, values, sum, shared);
    MUST(mx_fill(ctx, values, &zero));
    CHECK_OK(
        assemble_team(mx_league(ctx, assemble_teams(m.elements), MX_AUTO, ASSEMBLE_LANES), &args));
    check_matrix(ctx, &m, values, sum, shared);
    MUST(mx_view_destroy(&values));
    MUST(mx_view_destroy(&blocks));
    MUST(mesh_destroy(&m));
}
