#include "transport.h"

#include "minx/extend.h"
#include "transport_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const app_path app_path_none = {.name = "none (one rank)"};

/* ---- the choice ---- */

/* Can every rank do this? Collective. */
static mx_err all_can(app_comm comm, bool mine, bool *all)
{
    double able = mine ? 1 : 0;
    MX_TRY(app_min_f64(comm, &able, 1));
    *all = able > 0;
    return MX_OK;
}

enum { REASON = sizeof((app_transport)0)->reason };

/* By MPI, on the device's memory where it can. refused: why not NCCL. Collective. */
static mx_err choose_mpi(app_comm comm, app_gpu_mpi wanted, const char *refused,
                         const app_path **path, char *reason)
{
    bool able = false;
    MX_TRY(all_can(comm, app_comm_device_aware(comm), &able));
    MX_REQUIRE(wanted != APP_GPU_MPI_ON || able, MX_ERR_INPUT,
               "--gpu-mpi=on: %s does not take device memory; use auto, direct, nccl or off",
               app_comm_version(comm));
    *path = able && wanted != APP_GPU_MPI_OFF ? &app_path_device : &app_path_staged;
    if (wanted == APP_GPU_MPI_ON || wanted == APP_GPU_MPI_OFF)
        snprintf(reason, REASON, "--gpu-mpi=%s", wanted == APP_GPU_MPI_ON ? "on" : "off");
    else
        snprintf(reason, REASON, "%.60s %s device memory; no NCCL: %.100s", app_comm_version(comm),
                 able ? "takes" : "does not take", refused);
    return MX_OK;
}

/* How messages go that are not direct ones. refused: NCCL cannot be used, and why. Collective. */
static mx_err choose_between(app_comm comm, mx_ctx ctx, app_gpu_mpi wanted, const app_path **path,
                             char *reason, char *refused)
{
    char nccl[REASON] = "";
    if (wanted == APP_GPU_MPI_ON || wanted == APP_GPU_MPI_OFF)
        return choose_mpi(comm, wanted, refused, path, reason);
    if (refused[0] == '\0' && app_nccl_check(comm, ctx, nccl, sizeof nccl) == MX_OK) {
        *path = &app_path_nccl;
        snprintf(reason, REASON, "%.200s, a GPU for each rank", nccl);
        return MX_OK;
    }
    if (refused[0] == '\0') snprintf(refused, REASON, "%s", mx_err_message());
    MX_REQUIRE(wanted != APP_GPU_MPI_NCCL, MX_ERR_INPUT, "--gpu-mpi=nccl: %s", refused);
    mx_err_clear();
    return choose_mpi(comm, wanted, refused, path, reason);
}

static const app_path *direct_with(const app_path *between)
{
    return between == &app_path_nccl     ? &app_path_direct_nccl
           : between == &app_path_device ? &app_path_direct_device
                                         : &app_path_direct_staged;
}

/* Has a host several ranks, and are there several hosts? Collective; agreed. */
static mx_err count_hosts(app_comm comm, bool *neighbours, bool *hosts)
{
    int64_t most[] = {app_local_size(comm), -app_local_size(comm)};
    MX_TRY(app_max_i64(comm, most, 2));
    *neighbours = most[0] > 1;
    *hosts = -most[1] < app_size(comm);
    return MX_OK;
}

/* Does the user want NCCL for large messages? reason: that it is there, or why not. Collective. */
static mx_err choose_large(app_comm comm, mx_ctx ctx, const app_path **path, char *reason)
{
    uint64_t bytes;
    MX_TRY(app_direct_nccl_bytes(comm, &bytes));
    if (bytes == UINT64_MAX) return MX_OK;
    if (app_nccl_check(comm, ctx, reason, REASON) == MX_OK) {
        *path = &app_path_direct_large;
        return MX_OK;
    }
    snprintf(reason, REASON, "no NCCL: %.140s", mx_err_message());
    mx_err_clear();
    return MX_OK;
}

/* Direct messages; between hosts, if there are several, by another path. Collective. */
static mx_err create_direct(app_comm comm, mx_ctx ctx, app_gpu_mpi wanted, app_transport *transport)
{
    const app_path *path = &app_path_direct, *between = NULL;
    char reason[REASON] = "", refused[REASON] = "";
    bool neighbours, hosts;
    MX_TRY(count_hosts(comm, &neighbours, &hosts));
    MX_REQUIRE(neighbours, MX_ERR_BACKEND, "each rank has a host of its own");
    if (wanted == APP_GPU_MPI_AUTO) MX_TRY(app_direct_check(comm, ctx));
    if (hosts) {
        MX_TRY(choose_between(comm, ctx, wanted, &between, reason, refused));
        path = direct_with(between);
    } else {
        MX_TRY(choose_large(comm, ctx, &path, reason));
    }
    MX_TRY(app_transport_create_path(comm, ctx, path, transport));
    snprintf((*transport)->reason, REASON, "GPUs of a host write into each other's memory%s%.150s",
             reason[0] != '\0' ? "; " : "", reason);
    return MX_OK;
}

/* NCCL or MPI. Where NCCL is found but does not start, `auto` takes MPI. Collective. */
static mx_err create_between(app_comm comm, mx_ctx ctx, app_gpu_mpi wanted,
                             app_transport *transport)
{
    const app_path *path;
    char reason[REASON] = "", refused[REASON] = "";
    MX_TRY(choose_between(comm, ctx, wanted, &path, reason, refused));
    mx_err err = app_transport_create_path(comm, ctx, path, transport);
    if (err != MX_OK && path == &app_path_nccl && wanted == APP_GPU_MPI_AUTO) {
        snprintf(refused, sizeof refused, "%s", mx_err_message());
        MX_TRY(choose_between(comm, ctx, wanted, &path, reason, refused));
        err = app_transport_create_path(comm, ctx, path, transport);
    }
    MX_TRY(err);
    snprintf((*transport)->reason, REASON, "%s", reason);
    return MX_OK;
}

static mx_err create_for_device(app_comm comm, mx_ctx ctx, app_gpu_mpi wanted,
                                app_transport *transport)
{
    char why_not[REASON] = "";
    if (wanted == APP_GPU_MPI_AUTO || wanted == APP_GPU_MPI_DIRECT) {
        const mx_err err = create_direct(comm, ctx, wanted, transport);
        if (err == MX_OK || err == MX_ERR_INPUT) return MX_PASS(err);
        snprintf(why_not, sizeof why_not, "%s", mx_err_message());
        MX_REQUIRE(wanted == APP_GPU_MPI_AUTO, MX_ERR_INPUT, "--gpu-mpi=direct: %s", why_not);
        mx_err_clear();
    }
    MX_TRY(create_between(comm, ctx, wanted, transport));
    if (why_not[0] == '\0') return MX_OK;
    const size_t used = strlen((*transport)->reason);
    snprintf((*transport)->reason + used, REASON - used, "; not direct: %.120s", why_not);
    return MX_OK;
}

mx_err app_transport_create(app_comm comm, mx_ctx ctx, app_gpu_mpi wanted, app_transport *transport)
{
    mx_ctx_info info;
    bool host = true, device = false;
    *transport = NULL;
    MX_TRY(mx_ctx_get_info(ctx, &info));
    MX_TRY(all_can(comm, info.host_accessible, &host));
    MX_TRY(all_can(comm, info.device >= 0, &device));
    if (app_size(comm) == 1) return app_transport_create_path(comm, ctx, &app_path_none, transport);
    if (host) return app_transport_create_path(comm, ctx, &app_path_host, transport);
    if (device) return create_for_device(comm, ctx, wanted, transport);
    /* simt, or mixed ranks: MPI, NCCL and direct messages know no device here */
    return app_transport_create_path(comm, ctx, &app_path_staged, transport);
}

mx_err app_transport_create_path(app_comm comm, mx_ctx ctx, const app_path *path,
                                 app_transport *transport)
{
    *transport = NULL;
    app_transport t = calloc(1, sizeof *t);
    mx_err err =
        app_agree(comm, t != NULL ? MX_OK : MX_FAIL(MX_ERR_MEMORY, "no memory for a transport"));
    if (err == MX_OK) {
        *t = (struct app_transport){.comm = comm, .ctx = ctx, .path = path};
        err = path->open != NULL ? app_agree(comm, path->open(t)) : MX_OK;
        if (err != MX_OK) app_transport_destroy(&t);
    }
    if (err != MX_OK) free(t);
    *transport = err == MX_OK ? t : NULL;
    return err;
}

void app_transport_destroy(app_transport *transport)
{
    if (transport == NULL || *transport == NULL) return;
    if ((*transport)->path->close != NULL) (*transport)->path->close(*transport);
    free(*transport);
    *transport = NULL;
}

const char *app_transport_path(app_transport transport) { return transport->path->name; }

const char *app_transport_reason(app_transport transport) { return transport->reason; }

bool app_transport_waits(app_transport transport) { return transport->path->waits; }

mx_err app_transport_fence(app_transport t)
{
    MX_TRY(mx_fence(t->ctx));
    return t->path->check != NULL ? t->path->check(t) : MX_OK;
}

app_comm app_transport_comm(app_transport transport) { return transport->comm; }

mx_ctx app_transport_ctx(app_transport transport) { return transport->ctx; }

/* ---- sums ---- */

mx_err app_transport_check(app_transport t, const char *what)
{
    mx_ctx_details details;
    MX_TRY(mx_ctx_get_details(t->ctx, &details));
    MX_REQUIRE(!details.records, MX_ERR_ARG, "%s while the context records a graph", what);
    return MX_OK;
}

bool app_transport_joins(app_transport transport) { return transport->joins; }

mx_err app_sum_view(app_transport t, mx_view view, int64_t first, int64_t count)
{
    return app_sum_partials(t, view, first, count, NULL);
}

static mx_err check_joined(app_transport t, const mx_view_info *v, int64_t count)
{
    MX_REQUIRE(t->joins, MX_ERR_ARG,
               "sum over ranks: view '%s': messages %s join no partial results", v->label,
               t->path->name);
    MX_REQUIRE(
        v->type == MX_F64 && count <= APP_MAX_JOINED, MX_ERR_ARG,
        "sum over ranks: %lld numbers %s of view '%s' are joined, expected at most %d of f64",
        (long long)count, mx_type_name(v->type), v->label, APP_MAX_JOINED);
    return MX_OK;
}

mx_err app_sum_partials(app_transport t, mx_view view, int64_t first, int64_t count,
                        const mx_partials *partials)
{
    mx_view_info v;
    MX_TRY(app_transport_check(t, "a sum over ranks"));
    MX_TRY(mx_view_usable(t->ctx, view, true, "sum over ranks", &v));
    MX_REQUIRE(v.rank <= 1, MX_ERR_RANK, "sum over ranks: view '%s' has rank %d, expected 0 or 1",
               v.label, v.rank);
    MX_REQUIRE(v.rank == 0 || v.extent[0] <= 1 || v.stride[0] == 1, MX_ERR_LAYOUT,
               "sum over ranks: view '%s' has gaps between its elements", v.label);
    MX_REQUIRE(v.type == MX_F64 || v.type == MX_F32 || v.type == MX_I32 || v.type == MX_I64,
               MX_ERR_TYPE,
               "sum over ranks: view '%s' has elements %s, expected f64, f32, i32 or i64", v.label,
               mx_type_name(v.type));
    MX_REQUIRE(first >= 0 && count >= 0 && count <= v.count && first <= v.count - count &&
                   count <= INT32_MAX,
               MX_ERR_BOUNDS,
               "sum over ranks: %lld elements from %lld on, of view '%s' with %lld elements",
               (long long)count, (long long)first, v.label, (long long)v.count);
    if (count == 0) return MX_OK;
    void *const data = (char *)v.data + (size_t)first * MX_TYPE_SIZE(v.type);
    if (partials != NULL && partials->count > 0) {
        MX_TRY(check_joined(t, &v, count));
        return t->path->join(t, partials, data, count);
    }
    if (t->path->sum == NULL) return MX_OK;
    return t->path->sum(t, data, v.type, count);
}
