/* Sums over ranks of elements of views, by every path and on every backend: each number type, parts
 * of a view, and in order with the kernels before and after; the choice of a path by --gpu-mpi; what
 * direct messages refuse. */
#define _POSIX_C_SOURCE 200809L /* mkstemp, setenv */
#include "comm/transport.h"
#include "check.h"
#include "paths.h"

enum { ELEMENTS = 12, FIRST = 3, COUNT = 5 };

/* Rank r has (r + 1) (i + 1) in element i: all sums are exact. */
#define CHECK_SUMS(name, T, TYPE)                                                             \
    static mx_err sum_##name(app_transport transport)                                         \
    {                                                                                         \
        const mx_ctx ctx = app_transport_ctx(transport);                                      \
        const int rank = app_rank(app_transport_comm(transport));                             \
        const int size = app_size(app_transport_comm(transport));                             \
        T values[ELEMENTS];                                                                   \
        mx_view view, other;                                                                  \
        MX_TRY(mx_view_create_1d(ctx, "sums", TYPE, ELEMENTS, &view));                        \
        MX_TRY(mx_view_create_1d(ctx, "other", TYPE, ELEMENTS, &other));                      \
        for (int i = 0; i < ELEMENTS; i++) values[i] = (T)((rank + 1) * (i + 1));             \
        MX_TRY(mx_import(ctx, other, values, NULL));                                          \
        MX_TRY(mx_deep_copy(ctx, view, other)); /* as a kernel: the sum is behind it */       \
        MX_TRY(app_sum_view(transport, view, FIRST, COUNT));                                  \
        MX_TRY(app_sum_view(transport, view, 0, 0));                                          \
        MX_TRY(mx_deep_copy(ctx, other, view)); /* behind the sum */                          \
        MX_TRY(mx_export(ctx, other, values, NULL));                                          \
        for (int i = 0; i < ELEMENTS; i++) {                                                  \
            const bool summed = i >= FIRST && i < FIRST + COUNT;                              \
            const int ranks = size * (size + 1) / 2;                                          \
            CHECK_F64((double)values[i], (double)((summed ? ranks : rank + 1) * (i + 1)), 0); \
        }                                                                                     \
        MX_TRY(mx_view_destroy(&other));                                                      \
        return mx_view_destroy(&view);                                                        \
    }
CHECK_SUMS(f64, double, MX_F64)
CHECK_SUMS(f32, float, MX_F32)
CHECK_SUMS(i32, int32_t, MX_I32)
CHECK_SUMS(i64, int64_t, MX_I64)

/* A scalar that is summed again and again, as CG does, without a wait of the driver's own. */
static mx_err sum_many(app_transport transport)
{
    const mx_ctx ctx = app_transport_ctx(transport);
    const int size = app_size(app_transport_comm(transport));
    mx_view view;
    int64_t value = 1, expected = 1;
    MX_TRY(mx_view_create_0d(ctx, "scalar", MX_I64, &view));
    MX_TRY(mx_fill(ctx, view, &value));
    for (int i = 0; i < 10; i++) {
        MX_TRY(app_sum_view(transport, view, 0, 1));
        expected *= size;
    }
    MX_TRY(mx_read_element(ctx, view, 0, &value));
    CHECK_I64(value, expected);
    return mx_view_destroy(&view);
}

/* Sums of many numbers, as multigrid has them, and of few. */
static mx_err sum_long(app_transport transport)
{
    enum { NUMBERS = 300 };
    const mx_ctx ctx = app_transport_ctx(transport);
    const int size = app_size(app_transport_comm(transport));
    const int64_t counts[] = {NUMBERS, 3, 0, 37, NUMBERS - 1};
    int64_t values[NUMBERS], expected[NUMBERS];
    mx_view view;
    MX_TRY(mx_view_create_1d(ctx, "sums", MX_I64, NUMBERS, &view));
    for (int i = 0; i < NUMBERS; i++) values[i] = expected[i] = i - 5;
    MX_TRY(mx_import(ctx, view, values, NULL));
    for (size_t n = 0; n < sizeof counts / sizeof counts[0]; n++) {
        MX_TRY(app_sum_view(transport, view, 0, counts[n]));
        for (int i = 0; i < counts[n]; i++) expected[i] *= size;
    }
    MX_TRY(mx_export(ctx, view, values, NULL));
    for (int i = 0; i < NUMBERS; i++) CHECK_I64(values[i], expected[i]);
    return mx_view_destroy(&view);
}

/* Numbers that are joined from partial results, between other sums. All are exact. */
static mx_err sum_partials(app_transport transport)
{
    enum { PARTIALS = 1500 };
    const mx_ctx ctx = app_transport_ctx(transport);
    const int rank = app_rank(app_transport_comm(transport));
    const int size = app_size(app_transport_comm(transport));
    double values[APP_MAX_JOINED * PARTIALS], got[ELEMENTS];
    mx_view left, sums;
    mx_view_info info;
    MX_TRY(mx_view_create_1d(ctx, "left", MX_F64, APP_MAX_JOINED * PARTIALS, &left));
    MX_TRY(mx_view_create_1d(ctx, "sums", MX_F64, ELEMENTS, &sums));
    MX_TRY(mx_view_get_info(left, &info));
    for (int v = 0; v < APP_MAX_JOINED * PARTIALS; v++) values[v] = (rank + 1.0) * v;
    MX_TRY(mx_import(ctx, left, values, NULL));
    for (int count = 1; count <= APP_MAX_JOINED && app_transport_joins(transport); count++) {
        const int64_t partials = count == 2 ? 1 : PARTIALS - count;
        const mx_partials joined = {info.data, partials};
        MX_TRY(app_sum_view(transport, sums, 0, FIRST));
        MX_TRY(app_sum_partials(transport, sums, FIRST, count, &joined));
        MX_TRY(mx_export(ctx, sums, got, NULL));
        for (int i = 0; i < ELEMENTS; i++) {
            const bool summed = i >= FIRST && i < FIRST + count;
            const double of_rank_0 =
                (double)partials * (i - FIRST) + count * (double)(partials * (partials - 1) / 2);
            CHECK_F64(got[i], summed ? size * (size + 1) / 2 * of_rank_0 : 0, 0);
        }
    }
    const mx_partials five = {info.data, 5}, none = {NULL, 0};
    MX_TRY(app_sum_partials(transport, sums, 0, 1, &none));
    CHECK_FAILS(app_sum_partials(transport, sums, 0, APP_MAX_JOINED + 1, &five), MX_ERR_ARG,
                app_transport_joins(transport) ? "5 numbers f64" : "join no partial results");
    MX_TRY(mx_view_destroy(&sums));
    return mx_view_destroy(&left);
}

static mx_err check_errors(app_transport transport)
{
    const mx_ctx ctx = app_transport_ctx(transport);
    mx_view flat, bytes, column, part;
    MX_TRY(mx_view_create_2d(ctx, "flat", MX_F64, 3, 4, &flat));
    MX_TRY(mx_view_create_1d(ctx, "bytes", MX_U8, 4, &bytes));
    MX_TRY(mx_view_create_1d(ctx, "column", MX_F64, 4, &column));
    MX_TRY(mx_subview(flat, MX_SLICES(mx_index(1), mx_all()), &part));
    mx_view_info info;
    MX_TRY(mx_view_get_info(part, &info));
    CHECK_FAILS(app_sum_view(transport, flat, 0, 1), MX_ERR_RANK, "rank 2");
    CHECK_FAILS(app_sum_view(transport, bytes, 0, 1), MX_ERR_TYPE, "elements u8");
    CHECK_FAILS(app_sum_view(transport, column, 2, 3), MX_ERR_BOUNDS, "3 elements from 2 on");
    CHECK_FAILS(app_sum_view(transport, column, -1, 1), MX_ERR_BOUNDS, "from -1 on");
    if (info.stride[0] != 1)
        CHECK_FAILS(app_sum_view(transport, part, 0, 1), MX_ERR_LAYOUT, "gaps");
    mx_graph graph;
    MX_TRY(mx_graph_create(ctx, &graph));
    CHECK_FAILS(app_sum_view(transport, column, 0, 1), MX_ERR_ARG, "records a graph");
    mx_graph_destroy(&graph);
    MX_TRY(mx_view_destroy(&part));
    MX_TRY(mx_view_destroy(&flat));
    MX_TRY(mx_view_destroy(&bytes));
    MX_TRY(mx_view_destroy(&column));
    CHECK_FAILS(app_sum_view(transport, column, 0, 1), MX_ERR_STALE, "");
    return MX_OK;
}

static const char *word_of(app_gpu_mpi wanted)
{
    static const char *const words[] = {"auto", "on", "off", "nccl", "direct"};
    return words[wanted];
}

/* What is chosen for this context, and that a way that is not possible is refused on all ranks,
 * with the reason. */
static mx_err check_choice(app_comm comm, mx_ctx ctx, app_gpu_mpi wanted)
{
    mx_ctx_info info;
    app_transport transport;
    MX_TRY(mx_ctx_get_info(ctx, &info));
    const mx_err err = app_transport_create(comm, ctx, wanted, &transport);
    if (err != MX_OK) {
        CHECK(info.device >= 0 && app_size(comm) > 1);
        CHECK_FAILS(err, MX_ERR_INPUT, word_of(wanted));
        CHECK(transport == NULL);
        return MX_OK;
    }
    if (app_size(comm) == 1)
        CHECK(strcmp(app_transport_path(transport), "none (one rank)") == 0);
    else if (info.host_accessible)
        CHECK(strcmp(app_transport_path(transport), "host memory") == 0);
    else if (info.device < 0 || wanted == APP_GPU_MPI_OFF)
        CHECK(strcmp(app_transport_path(transport), "pinned host memory") == 0);
    else
        CHECK(strlen(app_transport_reason(transport)) > 0);
    app_transport_destroy(&transport);
    app_transport_destroy(&transport); /* accepts NULL */
    return MX_OK;
}

/* ---- direct messages ---- */

static mx_err open_small_mailbox(mx_ctx ctx, size_t bytes, void **opened, uint64_t **box,
                                 uint32_t **state, int *blocks)
{
    MX_TRY(fake_mailbox_open(ctx, bytes, opened, box, state, blocks));
    *blocks = 2;
    return MX_OK;
}

static mx_err open_small(app_transport t)
{
    static app_direct_device small;
    small = fake_mailboxes;
    small.open = open_small_mailbox;
    return app_direct_open(t, &small, &app_path_host, UINT64_MAX);
}

static void check_seconds(app_comm comm, mx_ctx ctx, const app_path *path, const char *seconds)
{
    app_transport transport;
    setenv("MINX_MESSAGE_SECONDS", seconds, 1);
    CHECK_FAILS(app_transport_create_path(comm, ctx, path, &transport), MX_ERR_INPUT,
                "MINX_MESSAGE_SECONDS: got '");
    CHECK(transport == NULL);
    unsetenv("MINX_MESSAGE_SECONDS");
}

static void check_bytes(app_comm comm)
{
    const char *const set = getenv("MINX_NCCL_BYTES");
    char before[32];
    uint64_t bytes;
    snprintf(before, sizeof before, "%s", set != NULL ? set : "");
    unsetenv("MINX_NCCL_BYTES");
    CHECK_OK(app_direct_nccl_bytes(comm, &bytes));
    CHECK(bytes == UINT64_MAX);
    setenv("MINX_NCCL_BYTES", app_rank(comm) == 0 ? "4096" : "17", 1);
    CHECK_OK(app_direct_nccl_bytes(comm, &bytes));
    CHECK_I64((int64_t)bytes, 4096);
    setenv("MINX_NCCL_BYTES", "1M", 1);
    CHECK_FAILS(app_direct_nccl_bytes(comm, &bytes), MX_ERR_INPUT, "MINX_NCCL_BYTES: got '1M'");
    if (before[0] != '\0')
        setenv("MINX_NCCL_BYTES", before, 1);
    else
        unsetenv("MINX_NCCL_BYTES");
}

static void check_refusals(app_comm comm, mx_ctx ctx, const app_path *path)
{
    app_path small = *path;
    app_transport transport;
    small.open = open_small;
    CHECK_FAILS(app_transport_create_path(comm, ctx, &small, &transport), MX_ERR_BACKEND,
                "runs 2 blocks at a time");
    check_seconds(comm, ctx, path, "-1");
    check_seconds(comm, ctx, path, "ten");
    check_seconds(comm, ctx, path, "nan");
    check_seconds(comm, ctx, path, "");
    check_bytes(comm);
}

static mx_err try_path(app_comm comm, mx_ctx ctx, const app_path *path)
{
    app_transport transport;
    MX_TRY(app_transport_create_path(comm, ctx, path, &transport));
    MX_TRY(sum_f64(transport));
    MX_TRY(sum_f32(transport));
    MX_TRY(sum_i32(transport));
    MX_TRY(sum_i64(transport));
    MX_TRY(sum_many(transport));
    MX_TRY(sum_long(transport));
    MX_TRY(sum_partials(transport));
    MX_TRY(check_errors(transport));
    app_transport_destroy(&transport);
    if (strcmp(path->name, "fake direct") == 0) check_refusals(comm, ctx, path);
    for (int wanted = APP_GPU_MPI_AUTO; wanted <= APP_GPU_MPI_DIRECT; wanted++)
        MX_TRY(check_choice(comm, ctx, (app_gpu_mpi)wanted));
    return MX_OK;
}

int main(int argc, char **argv) { return paths_main(argc, argv, try_path); }
