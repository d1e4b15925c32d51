/* A path for tests, with buffers in the memory of kernels, as a device's. It makes every mistake
 * show that a fast and asynchronous path hides most of the time:
 *  - messages arrive at begin or only at end, by chance, and leave in random order;
 *  - the receive buffer is poisoned at begin, and the send buffer at end: data that are read too early or too late, or that were
 *    not packed again, are wrong;
 *  - the host does not wait, as far as the driver knows.
 *
 * A second one, fake_queue, holds exchanges back, joins them with sums and overlaps them with
 * kernels as NCCL's path does. */
#pragma once
#include "comm/comm_mpi.h"
#include "comm/transport_queue.h"
#include "minx/extend.h"
#include "random.h"

#include <stdlib.h>

enum { FAKE_MESSAGES = 128 };

typedef struct fake_set {
    MPI_Comm comm;
    uint64_t random;
    mx_ctx ctx;   /* copies for it */
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
    set->ctx = m->transport->ctx;
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
    const fake_set *const set = m->state;
    MX_TRY(mx_ctx_copy(set->ctx, to, from, bytes));
    return mx_fence(set->ctx);
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

/* Sums by copies that are ordered on ctx. */
static inline mx_err fake_sum_on(app_transport t, mx_ctx ctx, void *data, mx_type type,
                                 int64_t count)
{
    const size_t bytes = (size_t)count * MX_TYPE_SIZE(type);
    const MPI_Datatype numbers = type == MX_F64   ? MPI_DOUBLE
                                 : type == MX_F32 ? MPI_FLOAT
                                 : type == MX_I32 ? MPI_INT32_T
                                                  : MPI_INT64_T;
    void *const store = malloc(bytes);
    MX_REQUIRE(store != NULL, MX_ERR_MEMORY, "no memory for the fake path");
    MX_TRY(mx_ctx_copy(ctx, store, data, bytes));
    MX_TRY(mx_fence(ctx));
    APP_MPI_TRY(
        MPI_Allreduce(MPI_IN_PLACE, store, (int)count, numbers, MPI_SUM, app_comm_mpi(t->comm)));
    MX_TRY(mx_ctx_copy(ctx, data, store, bytes));
    MX_TRY(mx_fence(ctx));
    free(store);
    return MX_OK;
}

static inline mx_err fake_sum(app_transport t, void *data, mx_type type, int64_t count)
{
    return fake_sum_on(t, t->ctx, data, type, count);
}

static const app_path fake_path = {.name = "fake",
                                   .attach = fake_attach,
                                   .detach = fake_detach,
                                   .start = fake_start,
                                   .finish = fake_finish,
                                   .sum = fake_sum};

/* ---- the path with a queue ---- */

static inline mx_err fake_group(app_transport t, mx_ctx ctx, const app_messages *sets, int count,
                                const app_sum_request *sum)
{
    for (int s = 0; s < count; s++) {
        fake_set *const set = sets[s]->state;
        set->ctx = ctx;
        MX_TRY(fake_send(sets[s], set));
    }
    for (int s = 0; s < count; s++) MX_TRY(fake_receive(sets[s], sets[s]->state));
    return sum->data != NULL ? fake_sum_on(t, ctx, sum->data, sum->type, sum->count) : MX_OK;
}

static inline mx_err fake_queue_open(app_transport t)
{
    app_queue *const queue = calloc(1, sizeof *queue);
    MX_REQUIRE(queue != NULL, MX_ERR_MEMORY, "no memory for the fake path");
    t->state = queue;
    return app_queue_open(t, fake_group, queue);
}

static inline void fake_queue_close(app_transport t)
{
    if (t->state != NULL) app_queue_close(t->state);
    free(t->state);
}

static inline mx_err fake_queue_start(app_messages m)
{
    MX_TRY(fake_poison(m, &m->receive));
    return app_queue_start(m->transport->state, m);
}

static inline mx_err fake_queue_finish(app_messages m)
{
    fake_set *const set = m->state;
    MX_TRY(app_queue_finish(m->transport->state, m));
    APP_MPI_TRY(MPI_Waitall(set->sends, set->request, MPI_STATUSES_IGNORE));
    for (int i = 0; i < set->sends; i++) free(set->store[i]);
    return fake_poison(m, &m->send);
}

static inline mx_err fake_queue_sum(app_transport t, void *data, mx_type type, int64_t count)
{
    const app_sum_request one = {.data = data, .type = type, .count = count};
    return app_queue_sum(t->state, t, &one);
}

static const app_path fake_queue = {.name = "fake queue",
                                    .open = fake_queue_open,
                                    .close = fake_queue_close,
                                    .attach = fake_attach,
                                    .detach = fake_detach,
                                    .start = fake_queue_start,
                                    .finish = fake_queue_finish,
                                    .sum = fake_queue_sum};
