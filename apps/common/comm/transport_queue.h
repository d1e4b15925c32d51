/* Exchanges and sums that a library queues on a device, as NCCL does: the host waits for none of
 * them. For such paths and for tests; apps never include this.
 *
 * An exchange that has begun is held back until something needs it: its own end, or a sum over
 * ranks. What waits then goes to the library as one group:
 *
 *     ended by       goes                                        because
 *     a sum          with the sum, on the transport's context    one group is one kernel of the library: in an iteration of CG
 *                                                                the halo costs hardly more than the sum alone
 *     its end, no    on the transport's context                  no kernel could overlap with the group
 *     kernels yet
 *     its end,       on a context of its own, of high priority   the kernels launched since begin need no message, and run at
 *     after kernels                                              the same time
 *
 * In the last case the other context must wait for the kernels that pack the messages, but not for
 * the kernels launched after begin. So begin makes it wait for an event on the device, which costs
 * time. A set does so only if its last exchange had kernels between begin and end, because drivers
 * repeat the same pattern. So the first exchange of a set does not overlap.
 *
 * Invariants:
 *  1. all ranks queue the same groups in the same order, because all begin and end the same sets and sums in the same order.
 *     On which context a group goes is a rank's own choice;
 *  2. groups of a rank run one after another: when begin prepares the other context, that context waits for all work of the
 *     transport's context; between begin and the group of a set there is no other group;
 *  3. all calls come from one thread, the context's. */
#pragma once
#include "transport_path.h"

/* A sum to do; data NULL: none. partials.count 0: the numbers are there. */
typedef struct app_sum_request {
    void *data;
    mx_type type;
    int64_t count;
    mx_partials partials;
} app_sum_request;

/* Queues the messages of `count` sets and the sum on ctx, as one group. */
typedef mx_err (*app_queue_group)(app_transport transport, mx_ctx ctx, const app_messages *sets,
                                  int count, const app_sum_request *sum);

typedef struct app_queue {
    app_queue_group group;
    mx_ctx beside; /* of the same device as the transport's context */
    /* sets that have begun and were not passed on, in the order of begin */
    int pending_count, pending_room;
    app_messages *pending;
    /* groups so far: all; those with a sum and messages; those that ran beside kernels */
    int64_t groups, joined, overlapped;
} app_queue;

/* Not collective. close accepts a queue whose open failed. */
mx_err app_queue_open(app_transport transport, app_queue_group group, app_queue *queue);
void app_queue_close(app_queue *queue);

/* What a path's start, finish and sum call. */
mx_err app_queue_start(app_queue *queue, app_messages messages);
mx_err app_queue_finish(app_queue *queue, app_messages messages);
mx_err app_queue_sum(app_queue *queue, app_transport transport, const app_sum_request *sum);
