/* The paths by MPI: host, staged and device. They differ in where the buffers are, and in how a sum
 * accesses its numbers.
 *
 * Each set has a communicator of its own, so that messages of several sets cannot be mistaken for
 * each other. All receives are posted first. Sums of data that host code cannot access go through a
 * small buffer that both can: one copy each way.
 *
 * MPI libraries wait by asking again and again. On cores that other programs use, too, a rank that
 * waits so uses up its share of the processors, and has none left when the message is there. Linux
 * counts how often a thread had to leave its processor to another one: where this is often, a rank
 * sleeps between the questions of a long wait. */
#define _GNU_SOURCE /* RUSAGE_THREAD */
#include "comm_mpi.h"
#include "minx/extend.h"
#include "transport_path.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

/* seconds: a wait up to this one has no sleep; a sleep; between two looks at the system's count; for
 * how long cores count as shared behind a look that saw it */
static const double SHORT_WAIT = 100e-6, SLEEP = 50e-6, PERIOD = 0.05, SHARED = 1;
/* so many switches to another thread in a second are often */
static const double OFTEN = 20;

typedef struct mpi_set {
    MPI_Comm comm;
    int room;             /* for so many requests */
    int receives, active; /* the requests in use: receives first */
    MPI_Request *request;
    int *entry; /* of a receive, in the list */
} mpi_set;

typedef struct mpi_transport {
    mx_view staging;
    char *data;
    size_t room;
} mpi_transport;

/* ---- exchanges ---- */

static mx_err attach(app_messages m)
{
    mpi_set *set = calloc(1, sizeof *set);
    mx_err err = set != NULL ? MX_OK : MX_FAIL(MX_ERR_MEMORY, "messages '%s': no memory", m->label);
    MX_TRY(app_agree(m->transport->comm, err)); /* what follows is collective */
    set->comm = MPI_COMM_NULL;
    m->state = set;
    APP_MPI_TRY(MPI_Comm_dup(app_comm_mpi(m->transport->comm), &set->comm));
    APP_MPI_TRY(MPI_Comm_set_errhandler(set->comm, MPI_ERRORS_RETURN));
    return MX_OK;
}

static void detach(app_messages m)
{
    mpi_set *set = m->state;
    if (set == NULL) return;
    if (set->comm != MPI_COMM_NULL) MPI_Comm_free(&set->comm);
    free(set->request);
    free(set->entry);
    free(set);
    m->state = NULL;
}

static mx_err make_room(app_messages m, mpi_set *set)
{
    const int room = 2 * m->count;
    if (room <= set->room) return MX_OK;
    free(set->request);
    free(set->entry);
    set->room = 0;
    set->request = calloc((size_t)room, sizeof(MPI_Request));
    set->entry = calloc((size_t)room, sizeof(int));
    MX_REQUIRE(set->request != NULL && set->entry != NULL, MX_ERR_MEMORY,
               "messages '%s': no memory for %d requests", m->label, room);
    set->room = room;
    return MX_OK;
}

static mx_err start(app_messages m)
{
    mpi_set *const set = m->state;
    const int self = app_rank(m->transport->comm);
    set->active = 0;
    MX_TRY(make_room(m, set));
    MX_TRY(mx_fence(m->transport->ctx)); /* packing is done, and the last unpacking too */
    for (int i = 0; i < m->count; i++) {
        const app_message *from = &m->list[m->receive_order[i]];
        if (from->rank == self || from->receive_bytes == 0) continue;
        set->entry[set->active] = m->receive_order[i];
        APP_MPI_TRY(MPI_Irecv(m->receive.data + from->receive_offset, (int)from->receive_bytes,
                              MPI_BYTE, from->rank, from->receive_tag, set->comm,
                              &set->request[set->active]));
        set->active++;
    }
    set->receives = set->active;
    for (int i = 0; i < m->count; i++) {
        const app_message *to = &m->list[m->send_order[i]];
        if (to->rank == self || to->send_bytes == 0) continue;
        APP_MPI_TRY(MPI_Isend(m->send.data + to->send_offset, (int)to->send_bytes, MPI_BYTE,
                              to->rank, to->send_tag, set->comm, &set->request[set->active]));
        set->active++;
    }
    return MX_OK;
}

/* Do other programs use this thread's core? */
static bool core_is_shared(double now)
{
    static double last_look, last_shared;
    static long switches;
    struct rusage usage;
    if (now - last_look > PERIOD && getrusage(RUSAGE_THREAD, &usage) == 0) {
        const bool often = (double)(usage.ru_nivcsw - switches) > OFTEN * (now - last_look);
        if (last_look > 0 && often) last_shared = now;
        switches = usage.ru_nivcsw;
        last_look = now;
    }
    return last_shared > 0 && now - last_shared < SHARED;
}

/* As MPI_Wait. */
static int wait_for(MPI_Request *request, MPI_Status *status)
{
    enum { QUESTIONS = 16 }; /* from one look at the clock to the next */
    const struct timespec sleep = {0, (long)(1e9 * SLEEP)};
    double begin = 0;
    int done = 0, code = MPI_Test(request, &done, status);
    for (int n = 1; code == MPI_SUCCESS && !done; n++) {
        if (n % QUESTIONS == 0) {
            const double now = mx_seconds();
            if (begin == 0) begin = now;
            if (now - begin > SHORT_WAIT && core_is_shared(now)) {
                (void)nanosleep(&sleep, NULL);
                n = -1; /* then one question */
            }
        }
        code = MPI_Test(request, &done, status);
    }
    return code;
}

/* Waits for a receive, and checks its length. */
static mx_err finish_receive(app_messages m, mpi_set *set, int i)
{
    const app_message *from = &m->list[set->entry[i]];
    MPI_Status status;
    int class = MPI_SUCCESS, bytes = 0;
    const int code = wait_for(&set->request[i], &status);
    if (code != MPI_SUCCESS) MPI_Error_class(code, &class);
    MX_REQUIRE(class != MPI_ERR_TRUNCATE, MX_ERR_COMM,
               "messages '%s': rank %d sent more than the %zu bytes expected from it", m->label,
               from->rank, from->receive_bytes);
    MX_TRY(app_mpi_check(code, "MPI_Test"));
    APP_MPI_TRY(MPI_Get_count(&status, MPI_BYTE, &bytes));
    MX_REQUIRE((size_t)bytes == from->receive_bytes, MX_ERR_COMM,
               "messages '%s': rank %d sent %d bytes, expected %zu", m->label, from->rank, bytes,
               from->receive_bytes);
    return MX_OK;
}

/* One request after the other: MPI_Waitall of Open MPI 4.1 sometimes hangs when one of several
 * requests fails. */
static mx_err finish(app_messages m)
{
    mpi_set *const set = m->state;
    mx_err first = MX_OK;
    for (int i = 0; i < set->active; i++) {
        const mx_err err =
            i < set->receives
                ? finish_receive(m, set, i)
                : app_mpi_check(wait_for(&set->request[i], MPI_STATUS_IGNORE), "MPI_Test");
        if (first == MX_OK) first = err;
    }
    return first;
}

/* ---- sums ---- */

static MPI_Datatype mpi_type_of(mx_type type)
{
    return type == MX_F64   ? MPI_DOUBLE
           : type == MX_F32 ? MPI_FLOAT
           : type == MX_I32 ? MPI_INT32_T
                            : MPI_INT64_T;
}

static mx_err sum_on_host(app_transport t, void *data, mx_type type, int64_t count)
{
    MX_TRY(mx_fence(t->ctx));
    APP_MPI_TRY(MPI_Allreduce(MPI_IN_PLACE, data, (int)count, mpi_type_of(type), MPI_SUM,
                              app_comm_mpi(t->comm)));
    return MX_OK;
}

static mx_err open_staging(app_transport t)
{
    t->state = calloc(1, sizeof(mpi_transport));
    MX_REQUIRE(t->state != NULL, MX_ERR_MEMORY, "no memory for a transport");
    return MX_OK;
}

static void close_staging(app_transport t)
{
    mpi_transport *const state = t->state;
    if (state == NULL) return;
    (void)mx_view_destroy(&state->staging);
    free(state);
}

static mx_err grow_staging(app_transport t, mpi_transport *state, size_t bytes)
{
    const int64_t room = bytes > 256 ? (int64_t)bytes : 256;
    const mx_view_options options = {.space = MX_SPACE_STAGING, .uninitialized = true};
    mx_view_info info;
    if (bytes <= state->room) return MX_OK;
    state->room = 0;
    (void)mx_view_destroy(&state->staging);
    MX_TRY(mx_view_create(t->ctx, "sums over ranks", MX_U8, 1, &room, &options, &state->staging));
    MX_TRY(mx_view_get_info(state->staging, &info));
    state->data = info.data;
    state->room = (size_t)room;
    return MX_OK;
}

static mx_err sum_by_staging(app_transport t, void *data, mx_type type, int64_t count)
{
    mpi_transport *const state = t->state;
    const size_t bytes = (size_t)count * MX_TYPE_SIZE(type);
    MX_TRY(grow_staging(t, state, bytes));
    MX_TRY(mx_ctx_copy(t->ctx, state->data, data, bytes));
    MX_TRY(sum_on_host(t, state->data, type, count));
    return mx_ctx_copy(t->ctx, data, state->data, bytes);
}

/* ---- the tables ---- */

const app_path app_path_host = {.name = "host memory",
                                .host_buffers = true,
                                .waits = true,
                                .attach = attach,
                                .detach = detach,
                                .start = start,
                                .finish = finish,
                                .sum = sum_on_host};

const app_path app_path_staged = {.name = "pinned host memory",
                                  .host_buffers = true,
                                  .waits = true,
                                  .open = open_staging,
                                  .close = close_staging,
                                  .attach = attach,
                                  .detach = detach,
                                  .start = start,
                                  .finish = finish,
                                  .sum = sum_by_staging};

const app_path app_path_device = {.name = "device memory",
                                  .waits = true,
                                  .open = open_staging,
                                  .close = close_staging,
                                  .attach = attach,
                                  .detach = detach,
                                  .start = start,
                                  .finish = finish,
                                  .sum = sum_by_staging};
