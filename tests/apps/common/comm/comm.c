/* What ranks say to each other: agreement on failures, reductions, broadcasts. */
#define _POSIX_C_SOURCE 200809L /* unsetenv */
#include "check.h"

#include <math.h>
#include <stdlib.h>

static mx_err fail_deep(int rank)
{
    return MX_FAIL(MX_ERR_INPUT, "rank %d: the deck is \"wrong\" (line: 7)", rank);
}

static mx_err fail_here(int rank)
{
    MX_TRY(fail_deep(rank));
    return MX_OK;
}

static void check_agreement(app_comm comm)
{
    const int rank = app_rank(comm), last = app_size(comm) - 1;
    CHECK_I64(app_agree(comm, MX_OK), MX_OK);

    mx_err_clear();
    const mx_err one = app_agree(comm, rank == last ? fail_here(rank) : MX_OK);
    char expected[64];
    snprintf(expected, sizeof expected, "rank %d: the deck is \"wrong\" (line: 7)", last);
    CHECK_FAILS(one, MX_ERR_INPUT, expected);
    const char *const inner = strstr(mx_err_trace(), "fail_deep"), *const outer = strstr(
                                                                       mx_err_trace(), "fail_here");
    CHECK(inner && outer &&
          inner < outer); /* the path of the failing rank, on every rank, innermost first */

    mx_err_clear();
    const mx_err all =
        app_agree(comm, rank == 0 ? fail_deep(0) : MX_FAIL(MX_ERR_IO, "another reason"));
    CHECK_FAILS(all, MX_ERR_INPUT, "rank 0"); /* the lowest failing rank's */
    mx_err_clear();
}

static void check_reductions(app_comm comm)
{
    const int rank = app_rank(comm), size = app_size(comm);
    double sum[2] = {1.0, rank}, min = -rank, max = rank, worst = rank == 0 ? NAN : 1e300;
    int64_t count[2] = {(int64_t)1 << 40, rank}, largest = rank;
    CHECK_OK(app_sum_f64(comm, sum, 2));
    CHECK_OK(app_min_f64(comm, &min, 1));
    CHECK_OK(app_max_f64(comm, &max, 1));
    CHECK_OK(app_max_f64(comm, &worst, 1));
    CHECK(isinf(worst));
    CHECK_OK(app_sum_i64(comm, count, 2));
    CHECK_OK(app_max_i64(comm, &largest, 1));
    /* small whole numbers: exact */
    CHECK_F64(sum[0], size, 0.0);
    CHECK_F64(sum[1], size * (size - 1) / 2, 0.0);
    CHECK_F64(min, 1 - size, 0.0);
    CHECK_F64(max, size - 1, 0.0);
    CHECK_I64(count[0], (int64_t)size << 40);
    CHECK_I64(count[1], size * (size - 1) / 2);
    CHECK_I64(largest, size - 1);
    CHECK_OK(app_sum_f64(comm, NULL, 0));
}

static void check_scan(app_comm comm)
{
    const int rank = app_rank(comm);
    int64_t before[2] = {1, (int64_t)rank << 40};
    CHECK_OK(app_exscan_i64(comm, before, 2));
    CHECK_I64(before[0], rank);
    CHECK_I64(before[1], (int64_t)(rank * (rank - 1) / 2) << 40);
    CHECK_OK(app_exscan_i64(comm, NULL, 0));
    CHECK_FAILS(app_exscan_i64(comm, before, -1), MX_ERR_ARG, "negative");
}

static void check_gather(app_comm comm)
{
    enum { BYTES = 5 };
    const int size = app_size(comm), local = app_local_size(comm);
    char mine[BYTES], *const all = calloc((size_t)size, BYTES);
    int wrong = 0;
    CHECK(all != NULL);
    if (!all) return;
    for (int i = 0; i < BYTES; ++i) mine[i] = (char)(app_rank(comm) * BYTES + i);
    CHECK_OK(app_allgather(comm, mine, BYTES, all));
    for (int i = 0; i < size * BYTES; ++i) wrong += all[i] != (char)i;
    for (int i = 0; i < BYTES; ++i) mine[i] = (char)(app_local_rank(comm) * BYTES + i);
    CHECK_OK(app_local_allgather(comm, mine, BYTES, all));
    for (int i = 0; i < local * BYTES; ++i) wrong += all[i] != (char)i;
    CHECK_I64(wrong, 0);
    free(all);
}

static void check_broadcast(app_comm comm)
{
    enum { BYTES = 100003 };
    char *const data = malloc(BYTES);
    CHECK(data != NULL);
    if (!data) return;
    for (int i = 0; i < BYTES; ++i) data[i] = (char)(app_rank(comm) == 0 ? i % 127 : -1);
    CHECK_OK(app_broadcast(comm, data, BYTES));
    int wrong = 0;
    for (int i = 0; i < BYTES; ++i) wrong += data[i] != (char)(i % 127);
    CHECK_I64(wrong, 0);
    free(data);
}

static void check_facts(app_comm comm)
{
    CHECK(app_rank(comm) >= 0 && app_rank(comm) < app_size(comm));
    CHECK(app_local_rank(comm) >= 0 && app_local_rank(comm) < app_local_size(comm));
    CHECK(app_local_size(comm) <= app_size(comm));
    CHECK(strlen(app_comm_version(comm)) > 0 && !strchr(app_comm_version(comm), '\n'));
    CHECK(app_now() <= app_now());
    CHECK_I64(app_exit_code(MX_OK), 0);
    CHECK_I64(app_exit_code(MX_ERR_INPUT), 2);
    CHECK_I64(app_exit_code(MX_ERR_IO), 3);
    CHECK_I64(app_exit_code(MX_ERR_MEMORY), 3);
    CHECK_OK(app_barrier(comm));
}

/* Ranks that Open MPI's mpirun has started on one host look for no networks. */
static void check_networks(app_comm comm)
{
    const char *const networks = getenv("OMPI_MCA_mtl");
    const bool by_open_mpi =
        strstr(app_comm_version(comm), "Open MPI") != NULL && getenv("OMPI_COMM_WORLD_SIZE");
    if (by_open_mpi && app_size(comm) == app_local_size(comm))
        CHECK(networks != NULL && strcmp(networks, "^ofi,psm,psm2") == 0);
}

int main(int argc, char **argv)
{
    app_comm comm = NULL;
    unsetenv("OMPI_MCA_pml"); /* what decides for Open MPI which networks it looks for */
    unsetenv("OMPI_MCA_mtl");
    CHECK_OK(app_comm_open(&argc, &argv, &comm));
    if (!comm) return 1;
    check_networks(comm);
    check_agreement(comm);
    check_reductions(comm);
    check_scan(comm);
    check_gather(comm);
    check_broadcast(comm);
    check_facts(comm);
    const int exit_code = check_exit(comm);
    app_comm_close(&comm);
    app_comm_close(&comm); /* accepts NULL */
    return exit_code;
}
