/* The decomposition: every cell belongs to exactly one rank, neighbours know each other, pieces are
 * even, the surface is least. Properties are checked for many random sizes; the shapes of a few
 * splits are known beforehand. */
#include "check.h"
#include "domain/bisection.h"

enum { RANDOM_SIZES = 200, MAX_CELLS = 40 * 50 };

/* A small generator, so that every rank draws the same sizes (constants of Numerical Recipes). */
static uint32_t state = 12345;
static mx_gid draw(mx_gid max)
{
    state = state * 1664525u + 1013904223u;
    return 1 + (mx_gid)(state >> 8) % max;
}

/* Each cell's number is added once over all ranks: count, sum and sum of squares match those of
 * 0..n-1 only if each is owned once (up to coincidences that random boxes do not produce). */
static void check_ownership(app_comm comm, const app_decomp *d)
{
    const mx_gid n2 = d->dims == 3 ? d->global[2] : 1, cells2 = d->dims == 3 ? d->cells[2] : 1;
    const mx_gid first2 = d->dims == 3 ? d->first[2] : 0;
    int64_t sums[3] = {0, 0, 0};
    for (mx_gid i = 0; i < d->cells[0]; ++i) {
        for (mx_gid j = 0; j < d->cells[1]; ++j) {
            for (mx_gid k = 0; k < cells2; ++k) {
                const mx_gid id =
                    ((d->first[0] + i) * d->global[1] + d->first[1] + j) * n2 + first2 + k;
                ++sums[0];
                sums[1] += id;
                sums[2] += id * id;
            }
        }
    }
    CHECK_OK(app_sum_i64(comm, sums, 3));
    const int64_t n = d->global[0] * d->global[1] * n2;
    CHECK_I64(sums[0], n);
    CHECK_I64(sums[1], n * (n - 1) / 2);
    CHECK_I64(sums[2], (n - 1) * n * (2 * n - 1) / 6);
}

/* A table of all ranks' boxes, through a sum: entry r is rank r's. */
enum { MAX_RANKS = 16, ENTRIES = 5 * APP_MAX_DIMS };

static void check_neighbours(app_comm comm, const app_decomp *d)
{
    const int rank = app_rank(comm), size = app_size(comm);
    int64_t table[MAX_RANKS][ENTRIES] = {{0}};
    for (int e = 0; e < d->dims; ++e) {
        table[rank][5 * e] = d->first[e];
        table[rank][5 * e + 1] = d->cells[e];
        table[rank][5 * e + 2] = d->neighbour[e][0];
        table[rank][5 * e + 3] = d->neighbour[e][1];
    }
    CHECK_OK(app_sum_i64(comm, &table[0][0], size * ENTRIES));
    for (int e = 0; e < d->dims; ++e) {
        const int before = d->neighbour[e][0], after = d->neighbour[e][1];
        CHECK((before == -1) == (d->first[e] == 0));
        CHECK((after == -1) == (d->first[e] + d->cells[e] == d->global[e]));
        if (before >= 0) {
            CHECK_I64(table[before][5 * e + 3], rank);
            CHECK_I64(table[before][5 * e] + table[before][5 * e + 1], d->first[e]);
        }
        if (after >= 0) CHECK_I64(table[after][5 * e + 2], rank);
        for (int f = 0; f < d->dims; ++f) {
            if (f == e || after < 0) continue; /* neighbours share the whole face */
            CHECK_I64(table[after][5 * f], d->first[f]);
            CHECK_I64(table[after][5 * f + 1], d->cells[f]);
        }
        CHECK(d->cells[e] - d->global[e] / d->ranks[e] <= 1);
    }
}

static void check_size(app_comm comm, int dims, const mx_gid *global)
{
    app_decomp d;
    const mx_err err = app_decomp_create(comm, dims, global, &d);
    if (err != MX_OK) {
        CHECK_FAILS(err, MX_ERR_INPUT, "is possible");
        return;
    }
    check_ownership(comm, &d);
    check_neighbours(comm, &d);
}

static void check_shape(app_comm comm, int size, int dims, mx_gid n0, mx_gid n1, mx_gid n2, int p0,
                        int p1, int p2)
{
    if (app_size(comm) != size) return;
    const mx_gid global[3] = {n0, n1, n2};
    app_decomp d;
    CHECK_OK(app_decomp_create(comm, dims, global, &d));
    CHECK_I64(d.ranks[0], p0);
    CHECK_I64(d.ranks[1], p1);
    if (dims == 3) CHECK_I64(d.ranks[2], p2);
}

static void check_errors(app_comm comm)
{
    app_decomp d;
    CHECK_FAILS(app_decomp_create(comm, 1, (mx_gid[]){4}, &d), MX_ERR_ARG, "2 or 3");
    CHECK_FAILS(app_decomp_create(comm, 2, (mx_gid[]){4, 0}, &d), MX_ERR_ARG, "positive");
    CHECK_FAILS(app_decomp_create(comm, 2, (mx_gid[]){(mx_gid)1 << 40, 1}, &d), MX_ERR_EXTENT,
                "use more ranks");
    CHECK_FAILS(app_decomp_create(comm, 3, (mx_gid[]){4000, 4000, 4000}, &d), MX_ERR_EXTENT,
                "use more ranks");
    if (app_size(comm) == 1) { /* 46304^2 cells fit, 46344^2 do not */
        CHECK_OK(app_decomp_create(comm, 2, (mx_gid[]){46300, 46300}, &d));
        CHECK_OK(app_decomp_check_halo(&d, 2));
        CHECK_FAILS(app_decomp_check_halo(&d, 22), MX_ERR_EXTENT, "halo of 22 is too large");
    }
    if (app_size(comm) == 4) {
        CHECK_FAILS(app_decomp_create(comm, 2, (mx_gid[]){1, 1}, &d), MX_ERR_INPUT,
                    "1 is possible");
        CHECK_FAILS(app_decomp_create(comm, 2, (mx_gid[]){3, 1}, &d), MX_ERR_INPUT,
                    "3 is possible");
    }
}

/* Along a periodic dimension the last rank is before the first; the table of neighbours and
 * app_decomp_rank_at agree. */
static void check_periodic(app_comm comm, int dims, const mx_gid *global, const bool *periodic)
{
    const int rank = app_rank(comm), size = app_size(comm);
    int64_t after_of[MAX_RANKS] = {0};
    app_decomp d;
    if (app_decomp_create(comm, dims, global, &d) != MX_OK) return; /* too small for all ranks */
    app_decomp_make_periodic(&d, periodic);
    for (int e = 0; e < dims; ++e) {
        int step[APP_MAX_DIMS] = {0};
        step[e] = 1;
        CHECK_I64(app_decomp_rank_at(&d, step), d.neighbour[e][1]);
        CHECK((d.neighbour[e][1] < 0) == (!periodic[e] && d.coord[e] == d.ranks[e] - 1));
        memset(after_of, 0, sizeof after_of);
        after_of[rank] = d.neighbour[e][1];
        CHECK_OK(app_sum_i64(comm, after_of, size));
        if (d.neighbour[e][0] >= 0) CHECK_I64(after_of[d.neighbour[e][0]], rank);
        if (periodic[e] && d.ranks[e] == 1) CHECK_I64(d.neighbour[e][0], rank);
    }
}

/* Every cell is in one box. */
static void check_bisection(int ranks, int dims, const mx_gid *global)
{
    static unsigned char boxes[MAX_CELLS]; /* in how many a cell is */
    const mx_gid depth = dims == 3 ? global[2] : 1, all = global[0] * global[1] * depth;
    app_bisection b;
    mx_gid wrong = 0;
    const mx_err err = app_bisection_create(ranks, dims, global, &b);
    if (err != MX_OK) {
        CHECK_FAILS(err, MX_ERR_INPUT, "use fewer ranks");
        return;
    }
    CHECK(all <= MAX_CELLS);
    memset(boxes, 0, sizeof boxes);
    for (int r = 0; r < ranks; ++r) {
        const app_box box = app_bisection_box(&b, r);
        const mx_gid last = dims == 3 ? box.cells[2] : 1;
        for (mx_gid i = 0; i < box.cells[0] * box.cells[1] * last; ++i) {
            const mx_gid x = box.first[0] + i / (box.cells[1] * last),
                         y = box.first[1] + i / last % box.cells[1], z = box.first[2] + i % last,
                         at = (x * global[1] + y) * depth + z;
            const bool inside = x < global[0] && y < global[1] && z < depth && at < MAX_CELLS;
            if (inside) ++boxes[at];
            wrong += !inside;
        }
    }
    for (mx_gid i = 0; i < all; ++i) wrong += boxes[i] != 1;
    CHECK_I64(wrong, 0);
}

/* Boxes computed by hand: 3 ranks, 10 x 8 x 6 cells. Rank 0 has 10 - floor(10 * 2 / 3) = 4 layers
 * of z; the others halve y. */
static void check_known_bisection(void)
{
    app_bisection b;
    CHECK_OK(app_bisection_create(3, 3, (mx_gid[]){10, 8, 6}, &b));
    const mx_gid expected[3][6] = {{0, 0, 0, 4, 8, 6}, {4, 0, 0, 6, 4, 6}, {4, 4, 0, 6, 4, 6}};
    for (int r = 0; r < 3; ++r) {
        const app_box box = app_bisection_box(&b, r);
        for (int d = 0; d < 3; ++d) {
            CHECK_I64(box.first[d], expected[r][d]);
            CHECK_I64(box.cells[d], expected[r][3 + d]);
        }
    }
    CHECK_FAILS(app_bisection_create(3, 1, (mx_gid[]){4}, &b), MX_ERR_ARG, "2 or 3 dimensions");
    CHECK_FAILS(app_bisection_create(0, 2, (mx_gid[]){4, 4}, &b), MX_ERR_ARG, "0 ranks");
    CHECK_FAILS(app_bisection_create(2, 2, (mx_gid[]){4, 0}, &b), MX_ERR_ARG, "positive");
    CHECK_FAILS(app_bisection_create(1, 3, (mx_gid[]){4000, 4000, 4000}, &b), MX_ERR_EXTENT,
                "use more ranks");
}

int main(int argc, char **argv)
{
    app_comm comm = NULL;
    CHECK_OK(app_comm_open(&argc, &argv, &comm));
    if (!comm) return 1;
    for (int i = 0; i < RANDOM_SIZES; ++i) {
        const mx_gid flat[2] = {draw(40), draw(40)}, solid[3] = {draw(12), draw(12), draw(12)};
        check_size(comm, 2, flat);
        check_size(comm, 3, solid);
        const int mask = (int)draw(8) - 1;
        const bool periodic[3] = {(mask & 1) != 0, (mask & 2) != 0, (mask & 4) != 0};
        check_periodic(comm, 2, flat, periodic);
        check_periodic(comm, 3, solid, periodic);
        check_bisection((int)draw(40), 2, flat);
        check_bisection((int)draw(40), 3, solid);
    }
    check_shape(comm, 2, 2, 10, 10, 0, 2, 1, 0); /* a tie: the contiguous faces win */
    check_shape(comm, 4, 2, 10, 10, 0, 2, 2, 0);
    check_shape(comm, 4, 2, 4, 4000, 0, 1, 4, 0);
    check_shape(comm, 4, 2, 4000, 4, 0, 4, 1, 0);
    check_shape(comm, 2, 3, 8, 8, 20, 1, 1, 2);
    check_shape(comm, 4, 3, 8, 8, 8, 2, 2, 1);
    check_errors(comm);
    check_known_bisection();
    const int exit_code = check_exit(comm);
    app_comm_close(&comm);
    return exit_code;
}
