/* The path by NCCL: messages and sums go from device to device, on streams. The host queues them
 * and waits for nothing, so a driver can queue many iterations. transport_queue.h says what goes
 * together, and on which stream.
 *
 * NCCL has no tags: between two ranks, messages match in the order of the calls. All ranks queue
 * the same groups in the same order, and the orders of a set are the same on both sides
 * (messages.c), so that is enough.
 *
 * NCCL connects two ranks, and loads its kernels, when they are first used. That takes tenths of a
 * second, in which the first iterations of a solver would wait. So all ranks exchange and sum a
 * number when the transport is made; with more than CONNECTED ranks only sum, because connections
 * need memory, and most of them would not be used.
 *
 * The library is looked for when a program starts to use it: the one that MINX_NCCL_LIBRARY names,
 * else libnccl.so.2 where the loader finds it, else the one that belongs to the header of the
 * build. So the program also runs where there is none. For hip it is RCCL, librccl.so.1, which has
 * the same functions under the same names. */
#include "minx/extend.h"
#include "transport_queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef APP_NCCL

#include APP_NCCL_HEADER
#include <dlfcn.h>

typedef APP_NCCL_STREAM app_stream; /* cudaStream_t or, for RCCL, hipStream_t */

enum { DEVICE_ID = 64, CONNECTED = 32 };

#define FUNCTIONS(F)         \
    F(ncclGetVersion)        \
    F(ncclGetErrorString)    \
    F(ncclGetUniqueId)       \
    F(ncclCommInitRank)      \
    F(ncclCommDestroy)       \
    F(ncclCommGetAsyncError) \
    F(ncclGroupStart)        \
    F(ncclGroupEnd)          \
    F(ncclSend)              \
    F(ncclRecv)              \
    F(ncclAllReduce)

#define MEMBER(name) __typeof__(&(name)) name;
typedef struct nccl_functions {
    FUNCTIONS(MEMBER)
} nccl_functions;

typedef struct nccl_transport {
    nccl_functions nccl;
    ncclComm_t comm;
    app_queue queue;
} nccl_transport;

/* ---- the library ---- */

static mx_err load_functions(void *library, const char *name, nccl_functions *nccl)
{
    void *symbol;
#define LOAD(function)                                                                    \
    symbol = dlsym(library, #function);                                                   \
    MX_REQUIRE(symbol != NULL, MX_ERR_BACKEND, "%s has no function %s", name, #function); \
    memcpy(&nccl->function, &symbol, sizeof symbol);
    FUNCTIONS(LOAD)
    return MX_OK;
}

/* Stays loaded until the program ends, as its threads and the device's resources need it. */
static mx_err load_library(nccl_functions *nccl)
{
    const char *const wanted = getenv("MINX_NCCL_LIBRARY");
    const char *const names[] = {APP_NCCL_NAME, APP_NCCL_LIBRARY};
    const char *name = wanted;
    void *library = wanted != NULL ? dlopen(wanted, RTLD_NOW | RTLD_LOCAL) : NULL;
    for (int n = 0; n < 2 && wanted == NULL && library == NULL; n++) {
        name = names[n];
        if (name[0] != '\0') library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
    MX_REQUIRE(library != NULL, MX_ERR_BACKEND, "there is no NCCL library %s%s",
               wanted != NULL ? wanted : names[0],
               wanted != NULL ? " (MINX_NCCL_LIBRARY)" : "; MINX_NCCL_LIBRARY can name one");
    return load_functions(library, name, nccl);
}

static mx_err check(const nccl_functions *nccl, ncclResult_t code, const char *call)
{
    MX_REQUIRE(code == ncclSuccess || code == ncclInProgress, MX_ERR_COMM, "NCCL: %s: %s", call,
               nccl->ncclGetErrorString(code));
    return MX_OK;
}

#define NCCL_TRY(state, call) MX_TRY(check(&(state)->nccl, (state)->nccl.call, #call))

/* ---- can it be used? ---- */

static mx_err check_local(mx_ctx ctx, nccl_functions *nccl, int *version, mx_ctx_details *details)
{
    MX_TRY(mx_ctx_get_details(ctx, details));
    MX_REQUIRE(details->queue != NULL && details->device_id[0] != '\0', MX_ERR_BACKEND,
               "the context has no stream of a GPU");
    MX_TRY(load_library(nccl));
    return check(nccl, nccl->ncclGetVersion(version), "ncclGetVersion");
}

/* NCCL needs a device for each rank. Collective; agreed. */
static mx_err check_devices(app_comm comm, const mx_ctx_details *details)
{
    const int size = app_size(comm), rank = app_rank(comm);
    char mine[DEVICE_ID] = "";
    mx_err err = MX_OK;
    char *const all = calloc((size_t)size, DEVICE_ID);
    MX_TRY(app_agree(comm, all != NULL ? MX_OK : MX_FAIL(MX_ERR_MEMORY, "no memory for devices")));
    snprintf(mine, sizeof mine, "%s", details->device_id);
    err = app_allgather(comm, mine, sizeof mine, all);
    for (int r = 0; r < size && err == MX_OK; r++)
        if (r != rank && strcmp(all + (size_t)r * DEVICE_ID, mine) == 0)
            err =
                MX_FAIL(MX_ERR_BACKEND, "ranks %d and %d share a GPU, and NCCL needs one for each",
                        rank < r ? rank : r, rank < r ? r : rank);
    free(all);
    return app_agree(comm, err);
}

static mx_err check_versions(app_comm comm, int version)
{
    int64_t high = version, low = -version;
    MX_TRY(app_max_i64(comm, &high, 1));
    MX_TRY(app_max_i64(comm, &low, 1));
    MX_REQUIRE(high == -low, MX_ERR_BACKEND,
               "ranks have different versions of NCCL, from %lld to %lld", (long long)-low,
               (long long)high);
    return MX_OK;
}

static mx_err check_collective(app_comm comm, mx_ctx ctx, nccl_functions *nccl)
{
    mx_ctx_details details;
    int version = 0;
    MX_TRY(app_agree(comm, check_local(ctx, nccl, &version, &details)));
    MX_TRY(check_versions(comm, version));
    return check_devices(comm, &details);
}

mx_err app_nccl_check(app_comm comm, mx_ctx ctx, char *words, size_t size)
{
    nccl_functions nccl;
    int version = 0;
    MX_TRY(check_collective(comm, ctx, &nccl));
    (void)nccl.ncclGetVersion(&version);
    snprintf(words, size, "NCCL %d.%d.%d", version / 10000, version / 100 % 100, version % 100);
    return MX_OK;
}

/* ---- a transport ---- */

static mx_err join(app_transport t, nccl_transport *state)
{
    ncclUniqueId id;
    mx_err err = MX_OK;
    memset(&id, 0, sizeof id);
    if (app_rank(t->comm) == 0)
        err = check(&state->nccl, state->nccl.ncclGetUniqueId(&id), "ncclGetUniqueId");
    MX_TRY(app_agree(t->comm, err));
    MX_TRY(app_broadcast(t->comm, &id, sizeof id));
    MX_TRY(mx_fence(t->ctx)); /* makes the context's device the current one */
    NCCL_TRY(state, ncclCommInitRank(&state->comm, app_size(t->comm), id, app_rank(t->comm)));
    return MX_OK;
}

/* ---- groups ---- */

static mx_err send_and_receive(nccl_transport *state, app_messages m, app_stream stream)
{
    const int self = app_rank(m->transport->comm);
    for (int i = 0; i < m->count; i++) {
        const app_message *from = &m->list[m->receive_order[i]], *to = &m->list[m->send_order[i]];
        if (from->rank != self && from->receive_bytes > 0)
            NCCL_TRY(state, ncclRecv(m->receive.data + from->receive_offset, from->receive_bytes,
                                     ncclUint8, from->rank, state->comm, stream));
        if (to->rank != self && to->send_bytes > 0)
            NCCL_TRY(state, ncclSend(m->send.data + to->send_offset, to->send_bytes, ncclUint8,
                                     to->rank, state->comm, stream));
    }
    return MX_OK;
}

static mx_err queue_sum(nccl_transport *state, const app_sum_request *sum, app_stream stream)
{
    const ncclDataType_t type = sum->type == MX_F64   ? ncclFloat64
                                : sum->type == MX_F32 ? ncclFloat32
                                : sum->type == MX_I32 ? ncclInt32
                                                      : ncclInt64;
    NCCL_TRY(state, ncclAllReduce(sum->data, sum->data, (size_t)sum->count, type, ncclSum,
                                  state->comm, stream));
    return MX_OK;
}

static mx_err queue_group(nccl_transport *state, app_stream stream, const app_messages *sets,
                          int count, const app_sum_request *sum)
{
    for (int s = 0; s < count; s++) MX_TRY(send_and_receive(state, sets[s], stream));
    return sum->data != NULL ? queue_sum(state, sum, stream) : MX_OK;
}

static mx_err stream_of(mx_ctx ctx, app_stream *stream)
{
    mx_ctx_details details;
    MX_TRY(mx_ctx_get_details(ctx, &details));
    *stream = (app_stream)details.queue;
    return MX_OK;
}

/* Ends a group of calls, of which the last one returned err. */
static mx_err end_group(nccl_transport *state, mx_err err)
{
    const ncclResult_t ended = state->nccl.ncclGroupEnd();
    MX_TRY(err);
    return check(&state->nccl, ended, "ncclGroupEnd");
}

static mx_err check_earlier(nccl_transport *state)
{
    ncclResult_t before = ncclSuccess;
    NCCL_TRY(state, ncclCommGetAsyncError(state->comm, &before));
    return check(&state->nccl, before, "an earlier operation");
}

static mx_err group(app_transport t, mx_ctx ctx, const app_messages *sets, int count,
                    const app_sum_request *sum)
{
    nccl_transport *const state = t->state;
    app_stream stream;
    MX_TRY(stream_of(ctx, &stream));
    MX_TRY(check_earlier(state));
    NCCL_TRY(state, ncclGroupStart());
    return end_group(state, queue_group(state, stream, sets, count, sum));
}

static mx_err start(app_messages m)
{
    return app_queue_start(&((nccl_transport *)m->transport->state)->queue, m);
}

static mx_err finish(app_messages m)
{
    return app_queue_finish(&((nccl_transport *)m->transport->state)->queue, m);
}

static mx_err sum(app_transport t, void *data, mx_type type, int64_t count)
{
    const app_sum_request one = {.data = data, .type = type, .count = count};
    return app_queue_sum(&((nccl_transport *)t->state)->queue, t, &one);
}

/* ---- connections ---- */

/* A number to and from each other rank. all: two for each rank, and one to sum. */
static mx_err meet(nccl_transport *state, app_comm comm, double *all, app_stream stream)
{
    const int size = app_size(comm);
    for (int r = 0; r < size; r++) {
        if (r == app_rank(comm)) continue;
        NCCL_TRY(state, ncclSend(all + r, 1, ncclFloat64, r, state->comm, stream));
        NCCL_TRY(state, ncclRecv(all + size + r, 1, ncclFloat64, r, state->comm, stream));
    }
    return MX_OK;
}

/* Messages alone, a sum alone, and both in one group, as drivers queue them. */
static mx_err connect_all(app_transport t, double *all)
{
    nccl_transport *const state = t->state;
    const app_sum_request one = {.data = all + 2 * app_size(t->comm), .type = MX_F64, .count = 1};
    const bool meets = app_size(t->comm) <= CONNECTED;
    app_stream stream;
    MX_TRY(stream_of(t->ctx, &stream));
    for (int kind = 0; kind < 3; kind++) {
        mx_err err = MX_OK;
        NCCL_TRY(state, ncclGroupStart());
        if (kind != 1 && meets) err = meet(state, t->comm, all, stream);
        if (kind != 0 && err == MX_OK) err = queue_sum(state, &one, stream);
        MX_TRY(end_group(state, err));
    }
    MX_TRY(mx_fence(t->ctx));
    return check_earlier(state);
}

static mx_err warm_up(app_transport t)
{
    mx_view_info info;
    mx_view all = MX_VIEW_NULL;
    mx_err err =
        mx_view_create_1d(t->ctx, "NCCL's first numbers", MX_F64, 2 * app_size(t->comm) + 1, &all);
    if (err == MX_OK) err = mx_view_get_info(all, &info);
    err = app_agree(t->comm, err); /* what follows waits on the device for all ranks */
    if (err == MX_OK) err = connect_all(t, info.data);
    const mx_err destroyed = mx_view_destroy(&all);
    return err != MX_OK ? err : destroyed;
}

static mx_err open_nccl(app_transport t)
{
    nccl_transport *const state = calloc(1, sizeof *state);
    MX_TRY(
        app_agree(t->comm, state != NULL ? MX_OK : MX_FAIL(MX_ERR_MEMORY, "no memory for NCCL")));
    t->state = state;
    MX_TRY(check_collective(t->comm, t->ctx, &state->nccl));
    MX_TRY(app_agree(t->comm, app_queue_open(t, group, &state->queue)));
    MX_TRY(app_agree(t->comm, join(t, state)));
    return warm_up(t);
}

static void close_nccl(app_transport t)
{
    nccl_transport *const state = t->state;
    if (state == NULL) return;
    (void)mx_fence(t->ctx);
    if (state->comm != NULL) (void)state->nccl.ncclCommDestroy(state->comm);
    app_queue_close(&state->queue);
    free(state);
}

const app_path app_path_nccl = {.name = "NCCL",
                                .open = open_nccl,
                                .close = close_nccl,
                                .start = start,
                                .finish = finish,
                                .sum = sum};

#else

mx_err app_nccl_check(app_comm comm, mx_ctx ctx, char *words, size_t size)
{
    (void)comm, (void)ctx, (void)words, (void)size;
    return MX_FAIL(MX_ERR_BACKEND, "this program was built without NCCL");
}

static mx_err open_nccl(app_transport t) { return app_nccl_check(t->comm, t->ctx, NULL, 0); }

const app_path app_path_nccl = {.name = "NCCL", .open = open_nccl};

#endif
