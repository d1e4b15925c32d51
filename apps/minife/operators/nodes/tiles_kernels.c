/* y = A x by rows, from the coordinates of nodes: devices.
 *
 * A team has a tile of rows along x and y, and goes through its planes from low to high z. In each
 * step it computes the elements between two planes, those at the sides of the tile too, an element
 * for each lane. Their shares of the eight corners go to scratch, where each node collects four
 * shares of the plane below and four of the plane above; the latter are kept until the next step.
 * So each sum has one order, and no two teams write the same row. With 29 x 7 rows an element is
 * computed 1.2 times. */
#include "minx/kernel.h"
#include "minx/team.h"

#include "fe_nodes.h"
#include "mesh/fe_element_action.h"

typedef struct tile {
    int low[3], count[3]; /* its rows */
    double *shares;       /* [corner][element along y][element along x], from low - 1 */
    double *kept;         /* [node along y][node along x] */
} tile;

MX_BODY int elements_of(const tile *t) { return (t->count[1] + 1) * (t->count[2] + 1); }

/* scratch */
MX_BODY int64_t scratch_of(const fe_free_args *a)
{
    const int *const n = a->blocks.size;
    return 8 * (int64_t)(n[1] + 1) * (n[2] + 1) + (int64_t)n[1] * n[2];
}

MX_BODY tile tile_at(const fe_free_args *a, int number, double *scratch)
{
    const fe_blocks *const b = &a->blocks;
    tile t;
    for (int d = 2; d >= 0; d--) {
        const int begin = number % b->blocks[d] * b->size[d];
        t.low[d] = b->low[d] + begin;
        t.count[d] = b->size[d] < b->count[d] - begin ? b->size[d] : b->count[d] - begin;
        number /= b->blocks[d];
    }
    t.shares = scratch;
    t.kept = scratch + 8 * elements_of(&t);
    return t;
}

/* The shares of element `low`, at `at`. */
MX_BODY void add_element(const fe_free_args *a, const tile *t, fe_node low, int at)
{
    double x[3][8], u[8];
    bool exists = true;
    for (int d = 0; d < 3; d++) exists = exists && low.at[d] >= a->from[d] && low.at[d] < a->to[d];
    for (int m = 0; m < 8; m++) u[m] = 0;
    if (exists) {
        for (int m = 0; m < 8; m++) {
            const fe_node node = fe_corner_node(low, m);
            const int place = fe_in_box(&a->mesh, node);
            const bool given = !a->raw && fe_fixed(&a->mesh, node) != 0;
            if (!given) u[m] = MX_AT(a->x, fe_local(&a->mesh, node));
            for (int d = 0; d < 3; d++) x[d][m] = MX_AT(a->coordinates, d, place);
        }
        fe_one_action(x, u);
    }
    for (int m = 0; m < 8; m++) t->shares[m * elements_of(t) + at] = u[m];
}

/* The sum of the shares that a node gets from the four elements above its plane (first: 0) or below
 * it (4). j, i: its place in the tile. */
MX_BODY double collect(const tile *t, int j, int i, int first)
{
    const int width = t->count[2] + 1;
    const int at = (j + 1) * width + i + 1;
    const double *const s = t->shares + first * elements_of(t);
    const int corner = elements_of(t);
    return (s[at] + s[corner + at - 1]) +
           (s[2 * corner + at - width] + s[3 * corner + at - width - 1]);
}

/* Row z, low + (j, i): stores it, and returns its x . y. */
MX_BODY double store_row(const fe_free_args *a, const tile *t, int z, int j, int i)
{
    const fe_node node = {{z, t->low[1] + j, t->low[2] + i}};
    const int row = fe_owned_before(&a->mesh, node);
    const double x = MX_AT(a->x, row);
    const bool given = !a->raw && fe_fixed(&a->mesh, node) != 0;
    const double y = given ? x : t->kept[j * t->count[2] + i] + collect(t, j, i, 0);
    MX_AT(a->y, row) = y;
    return x * y;
}

/* Returns what this lane adds to x . y. */
MX_BODY double all_planes(const fe_free_args *a, mx_team *team, double *scratch)
{
    const tile t = tile_at(a, team->league_rank, scratch);
    double dot = 0;
    for (int z = t.low[0] - 1; z < t.low[0] + t.count[0]; z++) {
        MX_TEAM_FOR (team, j, 0, t.count[1] + 1) {
            MX_VECTOR_FOR (team, i, 0, t.count[2] + 1) {
                const fe_node low = {{z, t.low[1] - 1 + j, t.low[2] - 1 + i}};
                add_element(a, &t, low, j * (t.count[2] + 1) + i);
            }
        }
        mx_team_barrier(team);
        MX_TEAM_FOR (team, j, 0, t.count[1]) {
            MX_VECTOR_FOR (team, i, 0, t.count[2]) {
                if (z >= t.low[0]) dot += store_row(a, &t, z, j, i);
                t.kept[j * t.count[2] + i] = collect(&t, j, i, 4);
            }
        }
        mx_team_barrier(team);
    }
    return dot;
}

MX_BODY void fe_nodes_tile_body(const fe_free_args *a, mx_team *t)
{
    MX_TEAM_SCRATCH(t, 0, mx_f64_1, scratch, scratch_of(a));
    (void)all_planes(a, t, &MX_AT(scratch, 0));
}
MX_FOR(TEAM, fe_nodes_tile)

MX_BODY void fe_nodes_tile_dot_body(const fe_free_args *a, mx_team *t, double *dot)
{
    MX_TEAM_SCRATCH(t, 0, mx_f64_1, scratch, scratch_of(a));
    *dot += all_planes(a, t, &MX_AT(scratch, 0));
}
MX_REDUCE(TEAM, fe_nodes_tile_dot, MX_SUM)
