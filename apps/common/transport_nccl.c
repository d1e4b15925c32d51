/* The path by NCCL: messages and sums go from device to device, on the stream of the context. The host queues them and waits for
 * nothing, so a driver can queue many iterations.
 *
 * NCCL has no tags: between two ranks, messages match in the order of the calls. All ranks begin their sets in the same order,
 * and the orders of a set are the same on both sides (messages.c), so that is enough.
 *
 * An exchange that has begun is held back until something needs it: its own end, or a sum. A sum and the exchanges before it then
 * go in one group of NCCL, which is one kernel on the device: in a CG iteration the halo costs hardly more than the sum alone.
 * This changes no result: on one stream, what is launched between begin and end has to run before or after the exchange anyway.
 *
 * The library is looked for when a program starts to use it: the one that MINX_NCCL_LIBRARY names, else libnccl.so.2 where the
 * loader finds it, else the one that belongs to the header of the build. So the program also runs where there is none.
 *
 * Invariants:
 *  1. `pending` has the sets that have begun and were not passed to NCCL yet, in the order of begin;
 *  2. all calls come from one thread, the context's. */
#include "minx/extend.h"
#include "transport_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef APP_NCCL

#include <dlfcn.h>
#include <nccl.h>

enum { DEVICE_ID = 64 };

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
    cudaStream_t stream;
    int pending_count, pending_room;
    app_messages *pending;
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
    const char *const names[] = {"libnccl.so.2", APP_NCCL_LIBRARY};
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

#define NCCL_TRY(own, call) MX_TRY(check(&(own)->nccl, (own)->nccl.call, #call))

/* ---- can it be used? ---- */

static mx_err check_alone(mx_ctx ctx, nccl_functions *nccl, int *version, mx_ctx_details *details)
{
    MX_TRY(mx_ctx_get_details(ctx, details));
    MX_REQUIRE(details->queue != NULL && details->device_id[0] != '\0', MX_ERR_BACKEND,
               "the context has no CUDA stream");
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

static mx_err check_together(app_comm comm, mx_ctx ctx, nccl_functions *nccl)
{
    mx_ctx_details details;
    int version = 0;
    MX_TRY(app_agree(comm, check_alone(ctx, nccl, &version, &details)));
    MX_TRY(check_versions(comm, version));
    return check_devices(comm, &details);
}

mx_err app_nccl_check(app_comm comm, mx_ctx ctx, char *words, size_t size)
{
    nccl_functions nccl;
    int version = 0;
    MX_TRY(check_together(comm, ctx, &nccl));
    (void)nccl.ncclGetVersion(&version);
    snprintf(words, size, "NCCL %d.%d.%d", version / 10000, version / 100 % 100, version % 100);
    return MX_OK;
}

/* ---- a transport ---- */

static mx_err join(app_transport t, nccl_transport *own)
{
    ncclUniqueId id;
    mx_ctx_details details;
    mx_err err = MX_OK;
    memset(&id, 0, sizeof id);
    if (app_rank(t->comm) == 0)
        err = check(&own->nccl, own->nccl.ncclGetUniqueId(&id), "ncclGetUniqueId");
    MX_TRY(app_agree(t->comm, err));
    MX_TRY(app_broadcast(t->comm, &id, sizeof id));
    MX_TRY(mx_ctx_get_details(t->ctx, &details));
    own->stream = (cudaStream_t)details.queue;
    MX_TRY(mx_fence(t->ctx)); /* makes the context's device the current one */
    NCCL_TRY(own, ncclCommInitRank(&own->comm, app_size(t->comm), id, app_rank(t->comm)));
    return MX_OK;
}

static mx_err open_nccl(app_transport t)
{
    nccl_transport *const own = calloc(1, sizeof *own);
    MX_TRY(app_agree(t->comm, own != NULL ? MX_OK : MX_FAIL(MX_ERR_MEMORY, "no memory for NCCL")));
    t->state = own;
    MX_TRY(check_together(t->comm, t->ctx, &own->nccl));
    return join(t, own);
}

static void close_nccl(app_transport t)
{
    nccl_transport *const own = t->state;
    if (own == NULL) return;
    (void)mx_fence(t->ctx);
    if (own->comm != NULL) (void)own->nccl.ncclCommDestroy(own->comm);
    free((void *)own->pending);
    free(own);
}

/* ---- groups ---- */

static mx_err send_and_receive(nccl_transport *own, app_messages m)
{
    const int self = app_rank(m->transport->comm);
    for (int i = 0; i < m->count; i++) {
        const app_message *from = &m->list[m->receive_order[i]], *to = &m->list[m->send_order[i]];
        if (from->rank != self && from->receive_bytes > 0)
            NCCL_TRY(own, ncclRecv(m->receive.data + from->receive_offset, from->receive_bytes,
                                   ncclUint8, from->rank, own->comm, own->stream));
        if (to->rank != self && to->send_bytes > 0)
            NCCL_TRY(own, ncclSend(m->send.data + to->send_offset, to->send_bytes, ncclUint8,
                                   to->rank, own->comm, own->stream));
    }
    return MX_OK;
}

/* A sum to do with the messages; data NULL: none. */
typedef struct sum_request {
    void *data;
    ncclDataType_t type;
    size_t count;
} sum_request;

static mx_err queue_group(nccl_transport *own, const sum_request *sum)
{
    for (int p = 0; p < own->pending_count; p++) MX_TRY(send_and_receive(own, own->pending[p]));
    if (sum->data != NULL)
        NCCL_TRY(own, ncclAllReduce(sum->data, sum->data, sum->count, sum->type, ncclSum, own->comm,
                                    own->stream));
    return MX_OK;
}

/* Passes what is pending, and the sum, to NCCL. First asks for errors of what was passed before. */
static mx_err flush(nccl_transport *own, const sum_request *sum)
{
    ncclResult_t before = ncclSuccess;
    if (own->pending_count == 0 && sum->data == NULL) return MX_OK;
    NCCL_TRY(own, ncclCommGetAsyncError(own->comm, &before));
    MX_TRY(check(&own->nccl, before, "an earlier operation"));
    NCCL_TRY(own, ncclGroupStart());
    const mx_err err = queue_group(own, sum);
    const ncclResult_t ended = own->nccl.ncclGroupEnd();
    own->pending_count = 0;
    MX_TRY(err);
    return check(&own->nccl, ended, "ncclGroupEnd");
}

static mx_err start(app_messages m)
{
    nccl_transport *const own = m->transport->state;
    if (own->pending_count == own->pending_room) {
        const int room = own->pending_room + 8;
        app_messages *pending = realloc((void *)own->pending, (size_t)room * sizeof(app_messages));
        MX_REQUIRE(pending != NULL, MX_ERR_MEMORY, "messages '%s': no memory", m->label);
        own->pending = pending;
        own->pending_room = room;
    }
    own->pending[own->pending_count++] = m;
    return MX_OK;
}

static mx_err finish(app_messages m)
{
    const sum_request none = {.data = NULL};
    return flush(m->transport->state, &none);
}

static mx_err sum(app_transport t, void *data, mx_type type, int64_t count)
{
    const sum_request one = {.data = data,
                             .type = type == MX_F64   ? ncclFloat64
                                     : type == MX_F32 ? ncclFloat32
                                     : type == MX_I32 ? ncclInt32
                                                      : ncclInt64,
                             .count = (size_t)count};
    return flush(t->state, &one);
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
