/* A path for tests, with buffers in the memory of kernels, as a device's. It makes every mistake show that a fast and asynchronous
 * path hides most of the time:
 *  - messages arrive at begin or only at end, by chance, and leave in random order;
 *  - the receive buffer is poisoned at begin, and the send buffer at end: data that are read too early or too late, or that were
 *    not packed again, are wrong;
 *  - the host does not wait, as far as the driver knows. */
#pragma once
#include "comm_mpi.h"
#include "minx/extend.h"
#include "random.h"
#include "transport_path.h"

#include <stdlib.h>

enum { FAKE_MESSAGES = 128 };

typedef struct fake_set {
    MPI_Comm comm;
    uint64_t random;
    bool arrived; /* the messages of this exchange, already at begin */
    int sends;
    char *store[FAKE_MESSAGES];
    MPI_Request request[FAKE_MESSAGES];
} fake_set;

static inline mx_err fake_attach(app_messages m)
{
    fake_set *set = calloc(1, sizeof *set);
    MX_REQUIRE(set != NULL, MX_ERR_MEMORY, "no memory for the fake path");
    m->state = set;
    set->random = (uint64_t)app_rank(m->transport->comm);
    APP_MPI_TRY(MPI_Comm_dup(app_comm_mpi(m->transport->comm), &set->comm));
    return MX_OK;
}

static inline void fake_detach(app_messages m)
{
    fake_set *set = m->state;
    if (set == NULL) return;
    MPI_Comm_free(&set->comm);
    free(set);
}

static inline mx_err fake_poison(app_messages m, const app_buffer *buffer)
{
    const unsigned char poison = 0xa5;
    return mx_fill(m->transport->ctx, buffer->bytes, &poison);
}

static inline mx_err fake_copy(app_messages m, void *to, const void *from, size_t bytes)
{
    MX_TRY(mx_ctx_copy(m->transport->ctx, to, from, bytes));
    return mx_fence(m->transport->ctx);
}

/* Number i of the list in its order, or from the other end. */
static inline const app_message *fake_pick(app_messages m, const int *order, int i, bool backwards)
{
    return &m->list[order[backwards ? m->count - 1 - i : i]];
}

static inline mx_err fake_send(app_messages m, fake_set *set)
{
    const bool backwards = random_int(&set->random, 0, 1) == 1;
    set->sends = 0;
    for (int i = 0; i < m->count; i++) {
        const app_message *to = fake_pick(m, m->send_order, i, backwards);
        if (to->rank == app_rank(m->transport->comm) || to->send_bytes == 0) continue;
        char *const store = malloc(to->send_bytes);
        MX_REQUIRE(store != NULL && set->sends < FAKE_MESSAGES, MX_ERR_MEMORY,
                   "no memory for the fake path");
        MX_TRY(fake_copy(m, store, m->send.data + to->send_offset, to->send_bytes));
        APP_MPI_TRY(MPI_Isend(store, (int)to->send_bytes, MPI_BYTE, to->rank, to->send_tag,
                              set->comm, &set->request[set->sends]));
        set->store[set->sends++] = store;
    }
    return MX_OK;
}

static inline mx_err fake_receive(app_messages m, fake_set *set)
{
    const bool backwards = random_int(&set->random, 0, 1) == 1;
    for (int i = 0; i < m->count; i++) {
        const app_message *from = fake_pick(m, m->receive_order, i, backwards);
        if (from->rank == app_rank(m->transport->comm) || from->receive_bytes == 0) continue;
        char *const store = malloc(from->receive_bytes);
        MX_REQUIRE(store != NULL, MX_ERR_MEMORY, "no memory for the fake path");
        APP_MPI_TRY(MPI_Recv(store, (int)from->receive_bytes, MPI_BYTE, from->rank,
                             from->receive_tag, set->comm, MPI_STATUS_IGNORE));
        MX_TRY(fake_copy(m, m->receive.data + from->receive_offset, store, from->receive_bytes));
        free(store);
    }
    return MX_OK;
}

static inline mx_err fake_start(app_messages m)
{
    fake_set *const set = m->state;
    MX_TRY(fake_poison(m, &m->receive));
    MX_TRY(fake_send(m, set));
    set->arrived = random_int(&set->random, 0, 1) == 1;
    return set->arrived ? fake_receive(m, set) : MX_OK;
}

static inline mx_err fake_finish(app_messages m)
{
    fake_set *const set = m->state;
    if (!set->arrived) MX_TRY(fake_receive(m, set));
    APP_MPI_TRY(MPI_Waitall(set->sends, set->request, MPI_STATUSES_IGNORE));
    for (int i = 0; i < set->sends; i++) free(set->store[i]);
    return fake_poison(m, &m->send);
}

static inline mx_err fake_sum(app_transport t, void *data, mx_type type, int64_t count)
{
    const size_t bytes = (size_t)count * MX_TYPE_SIZE(type);
    const MPI_Datatype numbers = type == MX_F64   ? MPI_DOUBLE
                                 : type == MX_F32 ? MPI_FLOAT
                                 : type == MX_I32 ? MPI_INT32_T
                                                  : MPI_INT64_T;
    void *const store = malloc(bytes);
    MX_REQUIRE(store != NULL, MX_ERR_MEMORY, "no memory for the fake path");
    MX_TRY(mx_ctx_copy(t->ctx, store, data, bytes));
    MX_TRY(mx_fence(t->ctx));
    APP_MPI_TRY(
        MPI_Allreduce(MPI_IN_PLACE, store, (int)count, numbers, MPI_SUM, app_comm_mpi(t->comm)));
    MX_TRY(mx_ctx_copy(t->ctx, data, store, bytes));
    MX_TRY(mx_fence(t->ctx));
    free(store);
    return MX_OK;
}

static const app_path fake_path = {.name = "fake",
                                   .attach = fake_attach,
                                   .detach = fake_detach,
                                   .start = fake_start,
                                   .finish = fake_finish,
                                   .sum = fake_sum};
