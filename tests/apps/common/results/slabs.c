/* Slabs: arrays of every element type, written by boxes of all ranks and read by other boxes,
 * against a value that each index has; node fields; elements by their ids. The expected values
 * are computed from the index, never from the code under test. A third of the ranks may hold
 * nothing. */
#include "check.h"
#include "domain/id_sort.h"
#include "results/results.h"
#include "results/results_file.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const mx_type types[] = {MX_F32, MX_F64, MX_I32, MX_I64};

/* Exact in all four types: at most 2^24. */
static int64_t value_at(mx_gid number) { return number % 9999991; }

static void put_value(mx_type type, void *data, mx_gid at, int64_t value)
{
    if (type == MX_F32) ((float *)data)[at] = (float)value;
    if (type == MX_F64) ((double *)data)[at] = (double)value;
    if (type == MX_I32) ((int32_t *)data)[at] = (int32_t)value;
    if (type == MX_I64) ((int64_t *)data)[at] = value;
}

static int64_t get_value(mx_type type, const void *data, mx_gid at)
{
    if (type == MX_F32) return (int64_t)((const float *)data)[at];
    if (type == MX_F64) return (int64_t)((const double *)data)[at];
    if (type == MX_I32) return ((const int32_t *)data)[at];
    return ((const int64_t *)data)[at];
}

/* The number in the whole array of element `i` of the box. */
static mx_gid number_of(const app_slab *slab, mx_gid i)
{
    mx_gid number = 0, stride = 1;
    for (int d = slab->rank - 1; d >= 0; --d) {
        number += (slab->first[d] + i % slab->count[d]) * stride;
        i /= slab->count[d];
        stride *= slab->global[d];
    }
    return number;
}

static void *make_values(mx_type type, const app_slab *slab, bool filled)
{
    const mx_gid n = app_slab_elements(slab);
    void *const values = calloc((size_t)n + 1, MX_TYPE_SIZE(type));
    CHECK(values != NULL);
    for (mx_gid i = 0; filled && i < n; ++i)
        put_value(type, values, i, value_at(number_of(slab, i)));
    return values;
}

static void check_read(app_file *file, const char *path, mx_type type, app_slab slab)
{
    const app_array array = {.path = path, .type = type, .slab = slab};
    void *const values = make_values(type, &slab, false);
    int64_t wrong = 0;
    CHECK_OK(app_file_get(file, &array, values));
    for (mx_gid i = 0; i < app_slab_elements(&slab); ++i)
        wrong += get_value(type, values, i) != value_at(number_of(&slab, i));
    CHECK_I64(wrong, 0);
    free(values);
}

static void write_array(app_file *file, const char *path, mx_type type, app_slab slab)
{
    const app_array array = {.path = path, .type = type, .slab = slab, .unit = "1"};
    void *const values = make_values(type, &slab, true);
    CHECK_OK(app_file_put(file, &array, values));
    free(values);
}

/* The array cut along dimension d; a rank whose number is 2 modulo 3 holds nothing. */
static app_slab cut(app_comm comm, int rank, const mx_gid *global, int d)
{
    const int holders = app_size(comm) - app_size(comm) / 3,
              me = app_rank(comm) - (app_rank(comm) + 1) / 3;
    const bool none = app_rank(comm) % 3 == 2;
    app_slab slab = {.rank = rank};
    for (int k = 0; k < rank; ++k) slab.global[k] = slab.count[k] = global[k];
    slab.first[d] = none ? 0 : global[d] * me / holders;
    slab.count[d] = none ? 0 : global[d] * (me + 1) / holders - slab.first[d];
    return slab;
}

/* Every type, every dimension cut for writing and another one for reading, and read whole by
 * all. */
static void check_types(app_comm comm)
{
    static const mx_gid global[] = {7, 13, 5, 6, 3};
    app_file file;
    char path[64];
    CHECK_OK(app_file_open(&file, comm, "slabs.h5", APP_FILE_CREATE));
    for (int rank = 1; rank <= APP_SLAB_MAX_RANK; ++rank) {
        for (int t = 0; t < 4; ++t) {
            snprintf(path, sizeof path, "/a%d%d", rank, t);
            write_array(&file, path, types[t], cut(comm, rank, global, rank / 2));
        }
    }
    CHECK_OK(app_file_close(&file));
    CHECK_OK(app_barrier(comm));
    CHECK_OK(app_file_open(&file, comm, "slabs.h5", APP_FILE_READ));
    for (int rank = 1; rank <= APP_SLAB_MAX_RANK; ++rank) {
        for (int t = 0; t < 4; ++t) {
            app_slab whole = {.rank = rank};
            for (int d = 0; d < rank; ++d) whole.global[d] = whole.count[d] = global[d];
            snprintf(path, sizeof path, "/a%d%d", rank, t);
            check_read(&file, path, types[t], whole);
            check_read(&file, path, types[t], cut(comm, rank, global, rank - 1));
        }
    }
    CHECK_OK(app_file_close(&file));
}

/* A file that is opened again: only room behind its end is reserved. (Where the file system cannot
 * reserve, each block before it would be read.) */
static void check_addition(app_comm comm)
{
    static const mx_gid global[] = {11, 3};
    app_file file;
    struct stat info;
    CHECK(stat("slabs.h5", &info) == 0);
    CHECK_OK(app_file_open(&file, comm, "slabs.h5", APP_FILE_WRITE));
    if (app_rank(comm) == 0) CHECK_I64((int64_t)file.reserved, (int64_t)info.st_size);
    write_array(&file, "/added", MX_I64, cut(comm, 2, global, 0));
    CHECK_OK(app_file_close(&file));
    CHECK_OK(app_barrier(comm));
    CHECK_OK(app_file_open(&file, comm, "slabs.h5", APP_FILE_READ));
    check_read(&file, "/added", MX_I64, cut(comm, 2, global, 1));
    check_read(&file, "/a10", MX_F32, cut(comm, 1, (mx_gid[]){7}, 0));
    CHECK_OK(app_file_close(&file));
}

/* More than a piece of 16 MiB for one rank, so that a serial library passes several; rows longer
 * than a piece as well. */
static void check_large(app_comm comm)
{
    app_file file;
    const mx_gid tall[] = {3000, 1000}, wide[] = {2, 3, 500000};
    const app_slab a = cut(comm, 2, tall, 0), b = cut(comm, 3, wide, 2);
    CHECK_OK(app_file_open(&file, comm, "large.h5", APP_FILE_CREATE));
    write_array(&file, "/tall", MX_F64, a);
    write_array(&file, "/wide", MX_F64, b);
    CHECK_OK(app_file_close(&file));
    CHECK_OK(app_barrier(comm));
    CHECK_OK(app_file_open(&file, comm, "large.h5", APP_FILE_READ));
    check_read(&file, "/tall", MX_F64, cut(comm, 2, tall, 1));
    check_read(&file, "/wide", MX_F64, cut(comm, 3, wide, 1));
    CHECK_OK(app_file_close(&file));
    CHECK_OK(app_barrier(comm));
    if (app_rank(comm) == 0) CHECK(unlink("large.h5") == 0);
}

static void check_pieces(void)
{
    const app_slab slab = {.rank = 3, .global = {9, 9, 9}, .first = {1, 2, 3}, .count = {2, 3, 4}};
    for (mx_gid max = 1; max <= 25; ++max) {
        mx_gid from = 0;
        while (from < 24) {
            const app_slab piece = app_slab_piece(&slab, from, max);
            const mx_gid n = app_slab_elements(&piece);
            CHECK(n >= 1 && n <= max && app_slab_check(&piece, "piece") == MX_OK);
            CHECK_I64(number_of(&piece, 0), number_of(&slab, from));
            CHECK_I64(number_of(&piece, n - 1), number_of(&slab, from + n - 1));
            from += n > 0 ? n : 24;
        }
        CHECK_I64(from, 24);
    }
}

/* Each node of a mesh has one owner. */
static void check_nodes(app_comm comm)
{
    app_decomp decomp;
    app_file file;
    CHECK_OK(app_decomp_create(comm, 3, (mx_gid[]){4, 5, 6}, &decomp));
    const app_slab nodes = app_slab_nodes(&decomp);
    int64_t count = app_slab_elements(&nodes);
    CHECK_OK(app_sum_i64(comm, &count, 1));
    CHECK_I64(count, 5 * 6 * 7);
    CHECK_I64(app_slab_elements_global(&nodes), 5 * 6 * 7);
    CHECK_OK(app_file_open(&file, comm, "nodes.h5", APP_FILE_CREATE));
    write_array(&file, "/nodes", MX_F32, app_slab_components(nodes, 3));
    CHECK_OK(app_file_close(&file));
    CHECK_OK(app_barrier(comm));
    CHECK_OK(app_file_open(&file, comm, "nodes.h5", APP_FILE_READ));
    app_array found = {.path = "/nodes", .type = MX_F32};
    CHECK_OK(app_file_extents(&file, &found));
    CHECK(found.slab.rank == 4 && found.slab.global[0] == 5 && found.slab.global[3] == 3);
    check_read(&file, "/nodes", MX_F32, app_slab_components(nodes, 3));
    CHECK_OK(app_file_close(&file));
}

static void check_rows(app_comm comm)
{
    const mx_gid mine = app_rank(comm) % 2 == 0 ? 5 + app_rank(comm) : 0;
    app_slab stack = {0};
    mx_gid before = 0, total = 0;
    for (int r = 0; r < app_size(comm); ++r) {
        if (r < app_rank(comm)) before += r % 2 == 0 ? 5 + r : 0;
        total += r % 2 == 0 ? 5 + r : 0;
    }
    CHECK_OK(app_slab_stack(comm, mine, &stack));
    CHECK_I64(stack.first[0], before);
    CHECK_I64(stack.count[0], mine);
    CHECK_I64(stack.global[0], total);
    CHECK_FAILS(app_slab_stack(comm, app_rank(comm) == 0 ? -1 : 3, &stack), MX_ERR_ARG, "negative");
}

/* Ids dealt out by a linear congruence, so that every rank holds ids of every block. */
enum { TOTAL = 1013 };
static mx_gid dealt(mx_gid i) { return i * 389 % TOTAL; }

/* An id at this place among ids with gaps: most of them close to each other, a few far away. */
static mx_gid gapped(mx_gid place)
{
    return place < TOTAL - 20 ? 3 * place + place / 100 : ((mx_gid)1 << 52) * (place - TOTAL + 21);
}

/* The same elements, with ids that have gaps, come in the same order. */
static void check_gaps(app_comm comm, const mx_gid *places, mx_lid n)
{
    mx_gid ids[TOTAL + 1], sorted[TOTAL], extra[TOTAL + 1];
    app_id_sort id_sort = NULL;
    for (mx_lid i = 0; i < n; ++i) ids[i] = gapped(places[i]);
    CHECK_OK(app_id_sort_create(comm, TOTAL, ids, n, &id_sort));
    if (!id_sort) return;
    const app_slab slab = app_id_sort_slab(id_sort);
    CHECK_OK(app_id_sort_values(id_sort, sizeof *ids, ids, sorted));
    for (mx_gid k = 0; k < slab.count[0]; ++k) CHECK_I64(sorted[k], gapped(slab.first[0] + k));
    app_id_sort_destroy(&id_sort);

    /* all elements of the last rank, and none of the others */
    for (mx_gid i = 0; i < TOTAL; ++i) extra[i] = gapped(TOTAL - 1 - i);
    const bool last = app_rank(comm) == app_size(comm) - 1;
    CHECK_OK(app_id_sort_create(comm, TOTAL, extra, last ? TOTAL : 0, &id_sort));
    CHECK_OK(app_id_sort_values(id_sort, sizeof *ids, extra, sorted));
    for (mx_gid k = 0; k < slab.count[0]; ++k) CHECK_I64(sorted[k], gapped(slab.first[0] + k));
    app_id_sort_destroy(&id_sort);

    extra[3] = extra[TOTAL - 3];
    CHECK_FAILS(app_id_sort_create(comm, TOTAL, extra, last ? TOTAL : 0, &id_sort), MX_ERR_ARG,
                "two elements have the id 6");
    CHECK_FAILS(app_id_sort_create(comm, TOTAL - 1, ids, n, &id_sort), MX_ERR_ARG,
                "1013 elements have ids, expected 1012");
    CHECK(id_sort == NULL);
}

static void check_ids(app_comm comm)
{
    const int size = app_size(comm), rank = app_rank(comm);
    mx_gid ids[TOTAL];
    double values[TOTAL][2];
    mx_lid n = 0;
    for (mx_gid i = 0; i < TOTAL; ++i) {
        const mx_gid holder =
            i % 7 == 0 ? size - 1 : dealt(i) % size; /* the last rank holds more */
        if (holder == rank) ids[n++] = dealt(i);
    }
    for (mx_lid i = 0; i < n; ++i) {
        values[i][0] = (double)ids[i];
        values[i][1] = -(double)ids[i];
    }
    app_id_sort id_sort = NULL;
    CHECK_OK(app_id_sort_create(comm, TOTAL, ids, n, &id_sort));
    if (!id_sort) return;
    const app_slab slab = app_id_sort_slab(id_sort);
    double(*const sorted)[2] = calloc((size_t)slab.count[0] + 1, sizeof *sorted);
    CHECK_OK(app_id_sort_values(id_sort, sizeof *values, values, sorted));
    for (mx_gid k = 0; k < slab.count[0]; ++k) {
        CHECK_F64(sorted[k][0], (double)(slab.first[0] + k), 0);
        CHECK_F64(sorted[k][1], -(double)(slab.first[0] + k), 0);
    }
    free(sorted);
    app_id_sort_destroy(&id_sort);
    CHECK(id_sort == NULL);

    check_gaps(comm, ids, n);
    if (n > 1) ids[1] = ids[0];
    CHECK_FAILS(app_id_sort_create(comm, TOTAL, ids, n, &id_sort), MX_ERR_ARG, "id");
    if (n > 0) ids[0] = -1;
    CHECK_FAILS(app_id_sort_create(comm, TOTAL, ids, n, &id_sort), MX_ERR_ARG, "has the id -1");
    CHECK(id_sort == NULL);
}

static void check_errors(app_comm comm)
{
    app_file file;
    CHECK_OK(app_file_open(&file, comm, "slabs.h5", APP_FILE_READ));
    double values[7 * 13] = {0};
    app_array array = {
        .path = "/a21", .type = MX_F64, .slab = {.rank = 2, .global = {7, 13}, .count = {7, 13}}};
    CHECK_OK(app_file_get(&file, &array, values));
    array.path = "/none";
    CHECK_FAILS(app_file_get(&file, &array, values), MX_ERR_INPUT, "/none is missing");
    array.path = "/a20";
    CHECK_FAILS(app_file_get(&file, &array, values), MX_ERR_INPUT, "another type, expected <f8");
    array.path = "/a21";
    array.slab.global[1] = 14;
    CHECK_FAILS(app_file_get(&file, &array, values), MX_ERR_INPUT, "7 x 13, expected 7 x 14");
    array.slab.global[1] = 13;
    array.slab.first[0] = app_rank(comm) == app_size(comm) - 1 ? 1 : 0; /* of one rank only */
    CHECK_FAILS(app_file_get(&file, &array, values), MX_ERR_ARG, "has 7 indices from 1 on");
    CHECK_OK(app_file_close(&file));
}

int main(int argc, char **argv)
{
    app_comm comm = NULL;
    app_results_start();
    CHECK_OK(app_comm_open(&argc, &argv, &comm));
    if (!comm) return 1;
    check_pieces();
    check_types(comm);
    check_addition(comm);
    check_errors(comm);
    check_large(comm);
    check_nodes(comm);
    check_rows(comm);
    check_ids(comm);
    const int exit_code = check_exit(comm);
    app_comm_close(&comm);
    return exit_code;
}
