/* A test's main: runs it on every backend that is here, by every path that the backend can take,
 * and by the fake ones. The argument, if there is one, is the number of random programs of each:
 * mpirun -n 5 test_app_box_halo 100 */
#pragma once
#include "check.h"
#include "fake_direct.h"
#include "fake_path.h"
#include "minx/minx.h"

static int paths_argument; /* 0: none */

/* How many random programs to run, where CI runs `standard`. */
static inline int paths_programs(int standard)
{
    return paths_argument > 0 ? paths_argument : standard;
}

typedef mx_err (*paths_test)(app_comm comm, mx_ctx ctx, const app_path *path);

static inline mx_err paths_of_context(app_comm comm, mx_ctx ctx, paths_test test)
{
    mx_ctx_info info;
    MX_TRY(mx_ctx_get_info(ctx, &info));
    const bool device_mpi = info.device >= 0 && app_comm_device_aware(comm);
    char words[64];
    const bool nccl = info.device >= 0 && app_size(comm) > 1 &&
                      app_nccl_check(comm, ctx, words, sizeof words) == MX_OK;
    const bool shares = app_size(comm) > 1 && app_size(comm) <= APP_DIRECT_RANKS;
    const bool neighbours = info.device >= 0 && shares && app_local_size(comm) == app_size(comm);
    const app_path direct = fake_direct(), large = fake_direct_large();
    const struct {
        const app_path *path;
        bool possible;
    } paths[] = {
        {&app_path_none, app_size(comm) == 1},
        {&app_path_host, info.host_accessible},
        {&app_path_staged, true},
        {&app_path_device, device_mpi},
        {&app_path_nccl, nccl},
        {&app_path_direct, neighbours},
        {&app_path_direct_large, neighbours && nccl && getenv("MINX_NCCL_BYTES") != NULL},
        {&direct, info.host_accessible && shares},
        {&large, info.host_accessible && shares},
        {&fake_path, true},
        {&fake_queue, true},
    };
    for (size_t p = 0; p < sizeof paths / sizeof paths[0]; p++)
        if (paths[p].possible) MX_TRY(test(comm, ctx, paths[p].path));
    return MX_OK;
}

static inline mx_err paths_of_backend(app_comm comm, const char *backend, paths_test test)
{
    char resource[64];
    mx_ctx ctx;
    const int devices = mx_backend_devices(backend);
    if (devices > 0)
        snprintf(resource, sizeof resource, "%s:device=%d", backend,
                 app_local_rank(comm) % devices);
    else /* ranks share the cores of the test machine */
        snprintf(resource, sizeof resource, "%s%s", backend,
                 strcmp(backend, "serial") != 0 ? ":threads=2" : "");
    MX_TRY(mx_ctx_create(resource, &ctx));
    MX_TRY(paths_of_context(comm, ctx, test));
    mx_ctx_destroy(&ctx);
    CHECK_I64(mx_views_alive(), 0);
    return MX_OK;
}

static inline int paths_main(int argc, char **argv, paths_test test)
{
    app_comm comm;
    CHECK_OK(app_comm_open(&argc, &argv, &comm));
    if (argc > 1) paths_argument = atoi(argv[1]);
    CHECK_OK(mx_init());
    for (int b = 0; mx_backend_name(b) != NULL; b++)
        if (mx_backend_available(mx_backend_name(b), NULL))
            CHECK_OK(paths_of_backend(comm, mx_backend_name(b), test));
    mx_finalize();
    const int code = check_exit(comm);
    app_comm_close(&comm);
    return code;
}
