/* A path: how a transport does what it does, as a table of functions. For the paths and messages.c;
 * tests add paths of their own. Apps never include this. */
#pragma once
#include "messages.h"

typedef struct app_path {
    const char *name;
    /* buffers are in memory that host code can access too */
    bool host_buffers;
    /* the host waits in finish and sum */
    bool waits;
    /* Makes what the path needs for a transport, and for a set, in ->state. Collective. Where they
     * fail on one rank, close and detach follow on all. NULL: nothing. */
    mx_err (*open)(app_transport transport);
    void (*close)(app_transport transport);
    mx_err (*attach)(app_messages messages);
    void (*detach)(app_messages messages);
    /* Sends and receives all messages with other ranks that are not empty. start is ordered behind
     * the kernels launched before, and the kernels launched after finish find the data. */
    mx_err (*start)(app_messages messages);
    mx_err (*finish)(app_messages messages);
    /* Sums of `count` numbers over the ranks, in place, ordered on the context. */
    mx_err (*sum)(app_transport transport, void *data, mx_type type, int64_t count);
    /* The same where this rank's numbers are first to be joined from these partial results. Only
     * where the transport joins. */
    mx_err (*join)(app_transport transport, const mx_partials *partials, double *data,
                   int64_t count);
    /* After a fence: did all that was queued arrive? NULL: yes, or an earlier call said no. */
    mx_err (*check)(app_transport transport);
} app_path;

struct app_transport {
    app_comm comm;
    mx_ctx ctx;
    const app_path *path;
    void *state; /* the path's */
    /* the path sends from and receives into any memory of the context: see app_messages_begin_places.
     * Set by its open. */
    bool takes_places;
    bool joins; /* see app_transport_joins. Set by its open */
    char reason[256];
};

enum { APP_BUFFER_TYPES = 8 };

/* One of the two buffers of a set. */
typedef struct app_buffer {
    mx_view bytes;
    char *data;
    size_t room;
    mx_view typed[APP_BUFFER_TYPES]; /* by the kind of the type */
} app_buffer;

struct app_messages {
    app_transport transport;
    char label[40];
    app_buffer send, receive;
    app_message *list;
    int count, room;
    /* the numbers of the entries, by rank and then by tag: in the order `send_order` a rank sends,
     * and in `receive_order` it receives. Between two ranks both orders are the same. */
    int *send_order, *receive_order;
    /* of the exchange: by number in the list; NULL: all are in the buffers */
    const app_message_place *send_places, *receive_places;
    bool active; /* between begin and end */
    /* Of transport_queue.c. launches: kernels that were launched on the context before begin.
     * overlaps: were kernels launched between begin and end of the last exchange? prepared: is the
     * other context ready to run beside kernels? */
    int64_t launches;
    bool overlaps, prepared;
    void *state; /* the path's */
};

/* The paths. */
extern const app_path app_path_none, app_path_host, app_path_staged, app_path_device, app_path_nccl;
/* Direct messages on one host; with NCCL for large ones; and between hosts the path that the name
 * says. */
extern const app_path app_path_direct, app_path_direct_large, app_path_direct_nccl,
    app_path_direct_device, app_path_direct_staged;

/* Has each rank of a host a device of its own? Where ranks share one, a kernel that waits takes the
 * time of the kernel that it waits for. Collective; agreed; the error says why not. */
mx_err app_direct_check(app_comm comm, mx_ctx ctx);

/* Messages and sums of at least so many bytes go by NCCL where direct messages know it: the variable
 * MINX_NCCL_BYTES of rank 0; UINT64_MAX: it is not set. Collective; agreed. MX_ERR_INPUT. */
mx_err app_direct_nccl_bytes(app_comm comm, uint64_t *bytes);

/* Can all ranks use NCCL, each with a device of its own? words: "NCCL 2.28.9". Collective; agreed;
 * the error says why not. */
mx_err app_nccl_check(app_comm comm, mx_ctx ctx, char *words, size_t size);

/* MX_ERR_ARG while the context records a graph: communication is not recorded. */
mx_err app_transport_check(app_transport transport, const char *what);

/* A transport that takes this path. Collective; agreed. */
mx_err app_transport_create_path(app_comm comm, mx_ctx ctx, const app_path *path,
                                 app_transport *transport);
