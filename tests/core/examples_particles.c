/* Cells, neighbour lists, pair forces, packing. Positions are multiples of 1/64, so that squares of
 * distances are exact, and rounding does not decide whether a pair is within the cutoff. */
#include "examples.h"
#include "neighbours.h"
#include "pack.h"
#include "pairs.h"

enum { PARTICLES = 700, SIDE = 4, CELLS = SIDE * SIDE * SIDE };
static const double length = 8, cutoff = 2;

typedef double position[3];

/* In the cube, few of them a little outside; at distances that do not make forces huge. */
static void place(position *x, int n)
{
    for (int i = 0; i < n; i++) {
        const int cell = i * 7919 % 1000;
        for (int c = 0; c < 3; c++) {
            const int at = c == 0 ? cell % 10 : c == 1 ? cell / 10 % 10 : cell / 100;
            x[i][c] = 0.8125 * at + (double)check_random_int(-8, 8) / 64;
        }
    }
}

static int cell_of(const position x)
{
    int cell = 0;
    for (int c = 2; c >= 0; c--) {
        const int at = (int)(x[c] * ((double)SIDE / length));
        cell = cell * SIDE + (at < 0 ? 0 : at < SIDE ? at : SIDE - 1);
    }
    return cell;
}

static double distance2(const position a, const position b)
{
    double sum = 0;
    for (int c = 0; c < 3; c++) sum += (a[c] - b[c]) * (a[c] - b[c]);
    return sum;
}

/* ---- cells ---- */

static void check_order(const position *x, const int32_t *begin, const int32_t *order)
{
    int at = 0, wrong = 0;
    for (int cell = 0; cell < CELLS; cell++) {
        wrong += begin[cell] != at;
        for (int i = 0; i < PARTICLES; i++)
            if (cell_of(x[i]) == cell) wrong += order[at++] != i;
    }
    CHECK_I64(begin[CELLS], PARTICLES);
    CHECK_I64(wrong, 0);
}

void check_cells(mx_ctx ctx)
{
    position x[PARTICLES];
    int32_t begin[CELLS + 1], order[PARTICLES];
    cell_grid c;
    place(x, PARTICLES);
    MUST(cells_create(ctx, PARTICLES, SIDE, length, &c));
    mx_view vx = VIEW_2D(ctx, "x", MX_F64, PARTICLES, 3, x);
    for (int turn = 0; turn < 2; turn++) { /* the second finds what the first left */
        CHECK_OK(cells_build_sorted(&c, vx));
        array_of(ctx, c.begin, begin);
        array_of(ctx, c.order, order);
        check_order((const position *)x, begin, order);
    }
    MUST(cells_destroy(&c));
    MUST(mx_view_destroy(&vx));
}

/* ---- neighbour lists ---- */

/* Lists are in the order of cells, which this test does not repeat: each neighbour must be there
 * once. */
static void check_lists(mx_ctx ctx, const neighbour_lists *n, const position *x, bool half)
{
    int32_t *const list = check_memory(sizeof *list * (size_t)(PARTICLES * n->capacity));
    int32_t count[PARTICLES];
    int wrong = 0;
    array_of(ctx, n->list, list);
    array_of(ctx, n->count, count);
    for (int i = 0; i < PARTICLES; i++) {
        bool listed[PARTICLES] = {false};
        CHECK(count[i] <= n->capacity);
        if (count[i] < n->capacity) wrong += list[i * n->capacity + count[i]] != -1;
        for (int k = 0; k < count[i]; k++) {
            const int j = list[i * n->capacity + k];
            wrong += listed[j];
            listed[j] = true;
        }
        for (int j = 0; j < PARTICLES; j++) {
            const bool near = j != i && distance2(x[i], x[j]) <= cutoff * cutoff;
            wrong += listed[j] != (near && (!half || j > i));
        }
    }
    CHECK_I64(wrong, 0);
    free(list);
}

/* Finds all neighbours, with this capacity instead of that of the view. The longest list. */
static int find_with(mx_ctx ctx, neighbour_lists *n, int capacity)
{
    int32_t longest = 0;
    n->args.capacity = capacity;
    CHECK_OK(neighbours_find(mx_range_1d(ctx, 0, PARTICLES), &n->args, &longest));
    n->args.capacity = n->capacity;
    return longest;
}

/* Lists with a lower capacity than the view has: all neighbours are counted, and nothing is written
 * beyond it. A list that fits is complete. One that does not has the first neighbours, and -1 at
 * its end. The length of the longest list. */
static int check_capacity(mx_ctx ctx, neighbour_lists *n, int places)
{
    const int32_t mark = -7;
    const int capacity = n->capacity;
    int32_t *const list = check_memory(sizeof *list * (size_t)(PARTICLES * capacity));
    int32_t *const full = check_memory(sizeof *full * (size_t)(PARTICLES * capacity));
    int32_t before[PARTICLES], count[PARTICLES], largest = 0;
    int touched = 0, wrong = 0;
    array_of(ctx, n->count, before);
    array_of(ctx, n->list, full);
    MUST(mx_fill(ctx, n->list, &mark));
    const int longest = find_with(ctx, n, places);
    array_of(ctx, n->list, list);
    array_of(ctx, n->count, count);
    for (int i = 0; i < PARTICLES; i++) {
        const int32_t *const got = &list[i * capacity], *const expected = &full[i * capacity];
        const int kept = count[i] <= places ? count[i] : places - 1;
        CHECK_I64(count[i], before[i]);
        if (largest < count[i]) largest = count[i];
        for (int k = 0; k < kept; k++) wrong += got[k] != expected[k];
        if (kept < places) wrong += got[kept] != -1;
        for (int k = places; k < capacity; k++) touched += got[k] != mark;
    }
    CHECK_I64(longest, largest);
    CHECK_I64(touched, 0);
    CHECK_I64(wrong, 0);
    find_with(ctx, n, capacity); /* the lists as before */
    free(list);
    free(full);
    return longest;
}

/* Hosts and devices fill lists in different ways, and store the same: in lists that have room, that
 * are full, and that are too long. */
static void check_on_another(mx_ctx ctx, neighbour_lists *n, int longest)
{
    MUST(mx_ctx_check_against(ctx, check_runs_device_code(ctx) ? "serial" : "simt", 0));
    find_with(ctx, n, 3);
    find_with(ctx, n, longest);
    find_with(ctx, n, n->capacity);
    MUST(mx_ctx_check_against(ctx, NULL, 0));
}

void check_neighbours(mx_ctx ctx)
{
    position x[PARTICLES];
    cell_grid c;
    neighbour_lists n;
    place(x, PARTICLES);
    mx_view vx = VIEW_2D(ctx, "x", MX_F64, PARTICLES, 3, x);
    MUST(cells_create(ctx, PARTICLES, SIDE, length, &c));
    MUST(cells_build_sorted(&c, vx));
    MUST(neighbours_create(ctx, PARTICLES, 0, &n)); /* counts as 1, too small: each has some 30 */
    CHECK_OK(neighbours_build(&n, &c, vx, cutoff, false));
    CHECK_I64(n.growths, 1);
    check_lists(ctx, &n, (const position *)x, false);
    int longest = check_capacity(ctx, &n, 3);
    check_capacity(ctx, &n, longest);
    check_on_another(ctx, &n, longest);
    CHECK_OK(neighbours_build(&n, &c, vx, cutoff, true)); /* fits */
    CHECK_I64(n.growths, 1);
    check_lists(ctx, &n, (const position *)x, true);
    longest = check_capacity(ctx, &n, 3);
    check_on_another(ctx, &n, longest);
    MUST(neighbours_destroy(&n));
    MUST(cells_destroy(&c));
    MUST(mx_view_destroy(&vx));
}

/* ---- forces ---- */

/* By all pairs; how large the parts of a force are altogether, which is what rounding is relative
 * to. */
static double plain_forces(const position *x, position *f, double cutoff2)
{
    double largest = 0;
    memset(f, 0, PARTICLES * sizeof *f);
    for (int i = 0; i < PARTICLES; i++) {
        double parts = 0;
        for (int j = 0; j < PARTICLES; j++) {
            const double r2 = distance2(x[i], x[j]);
            if (j == i || r2 >= cutoff2) continue;
            const double s2 = 1 / r2, s6 = s2 * s2 * s2, pull = 48 * s6 * (s6 - 0.5) * s2;
            for (int c = 0; c < 3; c++) f[i][c] += (x[i][c] - x[j][c]) * pull;
            parts += fabs(pull) * sqrt(r2);
        }
        largest = fmax(largest, parts);
    }
    return largest;
}

/* Some 30 parts of about ten roundings each, in any order. */
static void check_forces(mx_ctx ctx, mx_view view, const position *expected, double parts)
{
    position f[PARTICLES];
    double wrong = 0;
    array_of(ctx, view, f);
    for (int i = 0; i < PARTICLES; i++)
        for (int c = 0; c < 3; c++) wrong = fmax(wrong, fabs(f[i][c] - expected[i][c]));
    CHECK_F64(wrong, 0, 1e-13 * parts);
}

static void check_pairs_with(mx_ctx ctx, const neighbour_lists *n, mx_view x, mx_view f,
                             const position *expected, double parts, double cutoff2)
{
    const mx_range_1 range = mx_range_1d(ctx, 0, PARTICLES);
    const mx_teams teams = mx_league(ctx, pairs_teams(PARTICLES), MX_AUTO, PAIRS_LANES);
    const double zero = 0;
    pairs_atomic_args atomic = {.cutoff2 = cutoff2};
    pairs_scatter_args scatter = {.cutoff2 = cutoff2};
    mx_scatter copies;
    MUST(mx_bind(ctx, x, &atomic.x));
    MUST(mx_bind(ctx, n->list, &atomic.list));
    MUST(mx_bind(ctx, n->count, &atomic.count));
    MUST(mx_bind(ctx, f, &atomic.f));
    MUST(mx_fill(ctx, f, &zero));
    CHECK_OK(pairs_atomic(range, &atomic));
    check_forces(ctx, f, expected, parts);
    MUST(mx_fill(ctx, f, &zero));
    CHECK_OK(pairs_atomic_team(teams, &atomic));
    check_forces(ctx, f, expected, parts);
    MUST(mx_scatter_create(ctx, f, MX_SUM, &copies));
    MUST(mx_bind(ctx, x, &scatter.x));
    MUST(mx_bind(ctx, n->list, &scatter.list));
    MUST(mx_bind(ctx, n->count, &scatter.count));
    MUST(mx_scatter_bind(ctx, &copies, &scatter.f));
    MUST(mx_fill(ctx, f, &zero));
    CHECK_OK(pairs_scatter(range, &scatter));
    CHECK_OK(mx_scatter_contribute(ctx, &copies, f));
    check_forces(ctx, f, expected, parts);
    CHECK_OK(pairs_scatter_team(teams, &scatter));
    CHECK_OK(mx_scatter_overwrite(ctx, &copies, f));
    check_forces(ctx, f, expected, parts);
    MUST(mx_scatter_destroy(&copies));
}

void check_pairs(mx_ctx ctx)
{
    position x[PARTICLES], f[PARTICLES];
    cell_grid c;
    neighbour_lists n;
    const double shorter = 1.75;
    place(x, PARTICLES);
    const double parts = plain_forces((const position *)x, f, shorter * shorter);
    mx_view vx = VIEW_2D(ctx, "x", MX_F64, PARTICLES, 3, x);
    mx_view vf = VIEW_2D(ctx, "f", MX_F64, PARTICLES, 3, f);
    MUST(cells_create(ctx, PARTICLES, SIDE, length, &c));
    MUST(cells_build(&c, vx)); /* in whatever order */
    MUST(neighbours_create(ctx, PARTICLES, 64, &n));
    MUST(neighbours_build(&n, &c, vx, cutoff, true));
    check_pairs_with(ctx, &n, vx, vf, (const position *)f, parts, shorter * shorter);
    MUST(neighbours_destroy(&n));
    MUST(cells_destroy(&c));
    MUST(mx_view_destroy(&vf));
    MUST(mx_view_destroy(&vx));
}

/* ---- packing ---- */

enum { PACKED = 333 };

/* A pack of some positions, then an unpack of them to where others were. */
static void check_pack_with(mx_ctx ctx, const pack_args *out, const unpack_args *in, bool by_item,
                            mx_view buffer, mx_view to)
{
    const mx_range_2 components = mx_range_2d(ctx, 0, PACKED, 0, 3);
    const mx_range_1 particles = mx_range_1d(ctx, 0, PACKED);
    const double wrong_value = -7777;
    MUST(mx_fill(ctx, buffer, &wrong_value));
    MUST(mx_fill(ctx, to, &wrong_value));
    if (by_item) {
        CHECK_OK(pack_particles(particles, out));
        CHECK_OK(unpack_particles(particles, in));
    } else {
        CHECK_OK(pack_components(components, out));
        CHECK_OK(unpack_components(components, in));
    }
}

void check_pack(mx_ctx ctx)
{
    position x[PARTICLES], buffer[PACKED], to[PARTICLES];
    int32_t index[PACKED];
    pack_args out;
    unpack_args in;
    place(x, PARTICLES);
    for (int k = 0; k < PACKED; k++) index[k] = k * 11 % PARTICLES;
    mx_view vx = VIEW_2D(ctx, "x", MX_F64, PARTICLES, 3, x);
    mx_view vt = VIEW_2D(ctx, "to", MX_F64, PARTICLES, 3, x);
    mx_view vb = VIEW_2D(ctx, "buffer", MX_F64, PACKED, 3, x);
    mx_view vi = VIEW_1D(ctx, "index", MX_I32, PACKED, index);
    MUST(mx_bind(ctx, vx, &out.x));
    MUST(mx_bind(ctx, vb, &out.buffer));
    MUST(mx_bind(ctx, vi, &out.index));
    MUST(mx_bind(ctx, vt, &in.x));
    MUST(mx_bind(ctx, vb, &in.buffer));
    MUST(mx_bind(ctx, vi, &in.index));
    for (int by_item = 0; by_item < 2; by_item++) {
        int wrong = 0;
        check_pack_with(ctx, &out, &in, by_item, vb, vt);
        array_of(ctx, vb, buffer);
        array_of(ctx, vt, to);
        for (int k = 0; k < PACKED; k++) {
            wrong += memcmp(buffer[k], x[index[k]], sizeof buffer[k]) != 0;
            wrong += memcmp(to[index[k]], x[index[k]], sizeof buffer[k]) != 0;
            to[index[k]][0] = -7777;
        }
        for (int i = 0; i < PARTICLES; i++) wrong += to[i][0] != -7777; /* the others */
        CHECK_I64(wrong, 0);
    }
    MUST(mx_view_destroy(&vx));
    MUST(mx_view_destroy(&vt));
    MUST(mx_view_destroy(&vb));
    MUST(mx_view_destroy(&vi));
}
