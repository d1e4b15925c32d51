/* The path by direct messages: GPUs of one host write into each other's memory (direct.h). The host
 * queues a kernel and waits for nothing. transport_queue.h says what goes together, and on which
 * stream: a group of messages and a sum is one kernel.
 *
 * Another path, the outer one, has
 *
 *     the messages of ranks of other hosts, and all sums if there are several hosts
 *     where it is NCCL, also all messages and sums of at least so many bytes as MINX_NCCL_BYTES says
 *
 * Both ranks of a message know its bytes, and all ranks those of a sum, so all choose the same way.
 * For each set the outer path has a shadow: a set with the same buffers and its messages only, if
 * there are any. On every rank the direct part of an exchange comes before the outer one, and both
 * paths have the groups of all sets, the empty ones too: so no circle of ranks waits for each other.
 *
 * A process that ends is seen by the others' watch (watch.h). A rank that lives and does not come is
 * waited for as long as MINX_MESSAGE_SECONDS says, 600 by default. In both cases the kernels that
 * wait end, what they received is undefined, and the next call of this path is MX_ERR_COMM. */
#include "transport_direct.h"
#include "minx/extend.h"
#include "transport_queue.h"
#include "watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SECONDS = 600,     /* to wait for a rank that lives */
    TRIAL_SECONDS = 10 /* the same for the first sum, which says if words arrive: no rank is late */
};

MX_STATIC_ASSERT((int)APP_DIRECT_JOINED == (int)APP_MAX_JOINED, "numbers of a sum that are joined");

typedef struct direct_transport {
    const app_direct_device *device;
    void *opened;
    app_watch watch;
    app_queue queue;
    int rank_of[APP_DIRECT_RANKS];   /* in the run */
    uint64_t sent[APP_DIRECT_RANKS]; /* the number of the next chunk, to each rank */
    uint64_t received[APP_DIRECT_RANKS];
    app_direct_group group; /* what all groups have in common, and the sums' numbers */
    app_direct_part *parts;
    int room;                   /* of parts */
    struct app_transport outer; /* without a path: there is none */
    bool hosts;                 /* there are several */
    uint64_t outer_bytes;       /* messages and sums of at least so many go by the outer path */
    uint64_t patience;
} direct_transport;

/* The number of a rank on this host; -1: it is on another one. */
static int place_of(const direct_transport *s, int rank)
{
    for (int r = 0; r < s->group.ranks; r++)
        if (s->rank_of[r] == rank) return r;
    return -1;
}

/* A message that has bytes. */
static bool goes_outside(const direct_transport *s, int rank, uint64_t bytes)
{
    return bytes >= s->outer_bytes || place_of(s, rank) < 0;
}

/* ---- groups ---- */

static mx_err check_state(const direct_transport *s)
{
    const uint32_t state = __atomic_load_n(s->group.state, __ATOMIC_ACQUIRE);
    if (state == 0) return MX_OK;
    const int rank = s->rank_of[state % APP_DIRECT_LATE];
    MX_REQUIRE(state >= APP_DIRECT_ENDED, MX_ERR_COMM,
               "direct messages: nothing came from rank %d within %.0f s (MINX_MESSAGE_SECONDS "
               "allows more)",
               rank, 1e-9 * (double)s->group.patience);
    return MX_FAIL(MX_ERR_COMM, "direct messages: the process of rank %d has ended", rank);
}

static mx_err make_room(direct_transport *s, const app_messages *sets, int count)
{
    int parts = 0;
    for (int m = 0; m < count; m++) parts += 2 * sets[m]->count;
    if (parts <= s->room) return MX_OK;
    app_direct_part *const more = realloc(s->parts, (size_t)parts * sizeof *more);
    MX_REQUIRE(more != NULL, MX_ERR_MEMORY, "no memory for a list of %d messages", parts);
    s->parts = more;
    s->room = parts;
    return MX_OK;
}

/* Message number i of a set, as it is sent or received. */
static app_direct_part part_of(app_messages set, int i, bool sends, int peer)
{
    const app_message *const one = &set->list[i];
    const app_message_place *const places = sends ? set->send_places : set->receive_places;
    app_direct_part part = {.data = sends ? set->send.data + one->send_offset
                                          : set->receive.data + one->receive_offset,
                            .bytes = sends ? one->send_bytes : one->receive_bytes,
                            .peer = peer};
    if (places == NULL) return part;
    part.data = places[i].data;
    part.length = places[i].length;
    part.along = places[i].along;
    part.across = places[i].across;
    return part;
}

/* Adds a message to a list that has `chunks` chunks. next: the number of the next chunk between the
 * two ranks. */
static void count_chunks(const direct_transport *s, app_direct_part *part, int64_t *chunks,
                         uint64_t *next)
{
    const uint64_t chunk = s->group.units * 8;
    const int64_t mine = (int64_t)((part->bytes + chunk - 1) / chunk);
    part->first = *next;
    part->before = *chunks;
    *next += (uint64_t)mine;
    *chunks += mine;
}

/* The messages of the sets that go one way, by rank: the order of blocks (direct_words.h). Returns
 * their number. */
static int list_parts(direct_transport *s, const app_messages *sets, int count, bool sends,
                      app_direct_part *parts, int64_t *chunks)
{
    int n = 0;
    *chunks = 0;
    for (int peer = 0; peer < s->group.ranks; peer++) {
        if (peer == s->group.self) continue;
        for (int m = 0; m < count; m++) {
            const app_messages set = sets[m];
            for (int i = 0; i < set->count; i++) {
                const int number = sends ? set->send_order[i] : set->receive_order[i];
                if (set->list[number].rank != s->rank_of[peer]) continue;
                parts[n] = part_of(set, number, sends, peer);
                if (parts[n].bytes == 0 || parts[n].bytes >= s->outer_bytes) continue;
                count_chunks(s, &parts[n], chunks, sends ? &s->sent[peer] : &s->received[peer]);
                n++;
            }
        }
    }
    return n;
}

static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

static app_direct_type type_of(mx_type type)
{
    return type == MX_F64   ? APP_DIRECT_F64
           : type == MX_F32 ? APP_DIRECT_F32
           : type == MX_I32 ? APP_DIRECT_I32
                            : APP_DIRECT_I64;
}

static void set_sum(app_direct_group *g, const app_sum_request *sum)
{
    const int64_t chunks = ceil_div(sum->count, g->sum_chunk);
    g->sum = sum->data;
    g->sum_type = type_of(sum->type);
    g->sum_count = sum->count;
    g->partials = sum->partials;
    g->sum_blocks = chunks < g->max_blocks ? (int)chunks : g->max_blocks;
}

/* After a group: the numbers of the next chunks. */
static void count_sum(app_direct_group *g)
{
    const int64_t chunks = ceil_div(g->sum_count, g->sum_chunk);
    for (int b = 0; b < g->sum_blocks; b++)
        g->sum_first[b] += (uint64_t)ceil_div(chunks - b, g->sum_blocks);
}

static mx_err group(app_transport t, mx_ctx ctx, const app_messages *sets, int count,
                    const app_sum_request *sum)
{
    direct_transport *const s = t->state;
    app_direct_group *const g = &s->group;
    MX_TRY(check_state(s));
    MX_TRY(make_room(s, sets, count));
    g->sends = list_parts(s, sets, count, true, s->parts, &g->send_chunks);
    g->receives = list_parts(s, sets, count, false, s->parts + g->sends, &g->receive_chunks);
    g->sum = NULL;
    if (sum->data != NULL) set_sum(g, sum);
    if (g->sends + g->receives == 0 && g->sum == NULL) return MX_OK;
    MX_TRY(s->device->run(s->opened, ctx, g, s->parts));
    if (g->sum != NULL) count_sum(g);
    return MX_OK;
}

/* ---- the outer path ---- */

static bool has_outer(const direct_transport *s) { return s->outer.path != NULL; }

static mx_err attach(app_messages m)
{
    direct_transport *const s = m->transport->state;
    if (!has_outer(s)) return MX_OK;
    app_messages shadow = calloc(1, sizeof *shadow);
    const mx_err err =
        shadow != NULL ? MX_OK : MX_FAIL(MX_ERR_MEMORY, "messages '%s': no memory", m->label);
    m->state = shadow;
    MX_TRY(app_agree(m->transport->comm, err)); /* what follows is collective */
    shadow->transport = &s->outer;
    memcpy(shadow->label, m->label, sizeof shadow->label);
    return s->outer.path->attach != NULL ? s->outer.path->attach(shadow) : MX_OK;
}

static void detach(app_messages m)
{
    const direct_transport *const s = m->transport->state;
    const app_messages shadow = m->state;
    if (shadow == NULL) return;
    if (shadow->transport != NULL && s->outer.path->detach != NULL) s->outer.path->detach(shadow);
    free(shadow->list);
    free(shadow->send_order);
    free(shadow->receive_order);
    free(shadow);
    m->state = NULL;
}

static mx_err make_shadow_room(app_messages shadow, int count)
{
    if (count <= shadow->room) return MX_OK;
    free(shadow->list);
    free(shadow->send_order);
    free(shadow->receive_order);
    shadow->room = 0;
    shadow->list = calloc((size_t)count, sizeof *shadow->list);
    shadow->send_order = calloc((size_t)count, sizeof(int));
    shadow->receive_order = calloc((size_t)count, sizeof(int));
    MX_REQUIRE(shadow->list != NULL && shadow->send_order != NULL && shadow->receive_order != NULL,
               MX_ERR_MEMORY, "messages '%s': no memory for a list", shadow->label);
    shadow->room = count;
    return MX_OK;
}

/* The messages of the outer path in the order of sending, and their order of receiving. */
static mx_err start_outer(const direct_transport *s, app_messages m)
{
    const app_messages shadow = m->state;
    int received = 0;
    MX_TRY(make_shadow_room(shadow, m->count));
    shadow->send = m->send;
    shadow->receive = m->receive;
    shadow->count = 0;
    for (int i = 0; i < m->count; i++) {
        app_message one = m->list[m->send_order[i]];
        if (!goes_outside(s, one.rank, one.send_bytes)) one.send_bytes = 0;
        if (!goes_outside(s, one.rank, one.receive_bytes)) one.receive_bytes = 0;
        if (one.send_bytes + one.receive_bytes == 0) continue;
        shadow->send_order[shadow->count] = shadow->count;
        shadow->list[shadow->count++] = one;
    }
    for (int i = 0; i < m->count; i++) {
        const app_message *const one = &m->list[m->receive_order[i]];
        for (int n = 0; n < shadow->count; n++)
            if (shadow->list[n].rank == one->rank &&
                shadow->list[n].receive_tag == one->receive_tag)
                shadow->receive_order[received++] = n;
    }
    return s->outer.path->start(shadow);
}

static mx_err start(app_messages m)
{
    direct_transport *const s = m->transport->state;
    if (has_outer(s)) MX_TRY(start_outer(s, m));
    return app_queue_start(&s->queue, m);
}

static mx_err finish(app_messages m)
{
    direct_transport *const s = m->transport->state;
    MX_TRY(app_queue_finish(&s->queue, m));
    return has_outer(s) ? s->outer.path->finish(m->state) : MX_OK;
}

static mx_err sum(app_transport t, void *data, mx_type type, int64_t count)
{
    direct_transport *const s = t->state;
    const app_sum_request one = {.data = data, .type = type, .count = count}, none = {.data = NULL};
    const bool small = (uint64_t)count * MX_TYPE_SIZE(type) < s->outer_bytes;
    if (!s->hosts && small) return app_queue_sum(&s->queue, t, &one);
    MX_TRY(app_queue_sum(&s->queue, t, &none));
    return s->outer.path->sum(&s->outer, data, type, count);
}

/* Only where there is no outer path. */
static mx_err join(app_transport t, const mx_partials *partials, double *data, int64_t count)
{
    direct_transport *const s = t->state;
    const app_sum_request one = {
        .data = data, .type = MX_F64, .count = count, .partials = *partials};
    return app_queue_sum(&s->queue, t, &one);
}

static mx_err open_outer(app_transport t, direct_transport *s, const app_path *path)
{
    if (path == NULL) return MX_OK;
    s->outer = (struct app_transport){.comm = t->comm, .ctx = t->ctx, .path = path};
    return path->open != NULL ? app_agree(t->comm, path->open(&s->outer)) : MX_OK;
}

/* ---- a transport ---- */

static uint64_t words_of(const app_direct_group *g)
{
    const uint64_t ring = g->slots * g->units * 2;
    const uint64_t sums = (uint64_t)APP_DIRECT_BLOCKS * 2 * (uint64_t)g->sum_chunk * 2;
    return (uint64_t)g->ranks * (ring + sums + g->slots);
}

static mx_err read_patience(direct_transport *s)
{
    const char *const text = getenv("MINX_MESSAGE_SECONDS");
    char *end = NULL;
    const double seconds = text != NULL ? strtod(text, &end) : SECONDS;
    MX_REQUIRE((text == NULL || *end == '\0') && seconds > 0 && seconds < 1e9, MX_ERR_INPUT,
               "MINX_MESSAGE_SECONDS: got '%s', expected seconds, more than 0", text);
    s->patience = (uint64_t)(1e9 * seconds);
    return MX_OK;
}

/* The ranks of a host whose context has a device of the same name; without one, this rank alone. */
static mx_err count_sharers(app_comm comm, mx_ctx ctx, int *sharers)
{
    enum { DEVICE_ID = 64 };
    char mine[DEVICE_ID] = "", all[APP_DIRECT_RANKS][DEVICE_ID];
    mx_ctx_details details;
    MX_TRY(mx_ctx_get_details(ctx, &details));
    snprintf(mine, sizeof mine, "%s", details.device_id);
    MX_TRY(app_local_allgather(comm, mine, sizeof mine, all));
    *sharers = mine[0] == '\0' ? 1 : 0;
    for (int r = 0; r < app_local_size(comm) && mine[0] != '\0'; r++)
        *sharers += strcmp(all[r], mine) == 0;
    return MX_OK;
}

static mx_err make_mailbox(app_transport t, direct_transport *s, char handle[APP_DIRECT_HANDLE],
                           int *blocks)
{
    app_direct_group *const g = &s->group;
    MX_TRY(s->device->open(t->ctx, words_of(g) * sizeof(uint64_t), &s->opened, &g->box[g->self],
                           &g->state, blocks));
    MX_TRY(s->device->share(s->opened, handle));
    MX_TRY(read_patience(s));
    return app_queue_open(t, group, &s->queue);
}

/* The same number on all ranks, as numbers of a sum belong to blocks. */
static mx_err choose_blocks(app_transport t, direct_transport *s, int blocks)
{
    enum { KINDS = 3 };
    int sharers = 1;
    MX_TRY(app_agree(t->comm, count_sharers(t->comm, t->ctx, &sharers)));
    int64_t fewest = -(int64_t)(blocks / sharers / KINDS);
    MX_TRY(app_max_i64(t->comm, &fewest, 1));
    MX_REQUIRE(fewest < 0, MX_ERR_BACKEND,
               "direct messages: %d ranks share a device that runs %d blocks at a time", sharers,
               blocks);
    s->group.shared = sharers > 1;
    s->group.max_blocks = -fewest < APP_DIRECT_BLOCKS ? (int)-fewest : APP_DIRECT_BLOCKS;
    return MX_OK;
}

static mx_err map_mailboxes(direct_transport *s, const char *handles)
{
    app_direct_group *const g = &s->group;
    for (int r = 0; r < g->ranks; r++)
        if (r != g->self)
            MX_TRY(s->device->map(s->opened, handles + (size_t)r * APP_DIRECT_HANDLE, &g->box[r]));
    return MX_OK;
}

/* Each rank adds the square of its number, from 1 on. */
static mx_err try_sum(app_transport t, direct_transport *s, mx_view view)
{
    const int n = s->group.ranks;
    const double mine = (s->group.self + 1.0) * (s->group.self + 1.0);
    double sum = 0;
    mx_view_info info;
    MX_TRY(mx_view_get_info(view, &info));
    MX_TRY(mx_fill(t->ctx, view, &mine));
    const app_sum_request one = {.data = info.data, .type = MX_F64, .count = 1};
    s->group.patience = (uint64_t)TRIAL_SECONDS * 1000000000u;
    MX_TRY(group(t, t->ctx, NULL, 0, &one));
    MX_TRY(mx_fence(t->ctx));
    MX_TRY(check_state(s));
    MX_TRY(mx_export(t->ctx, view, &sum, NULL));
    MX_REQUIRE(sum == n * (n + 1.0) * (2 * n + 1.0) / 6, MX_ERR_DEVICE,
               "direct messages: a sum over %d ranks is %g", n, sum);
    s->group.patience = s->patience;
    return MX_OK;
}

static mx_err try_words(app_transport t, direct_transport *s)
{
    mx_view view = MX_VIEW_NULL;
    mx_err err = app_agree(t->comm, mx_view_create_1d(t->ctx, "first sum", MX_F64, 1, &view));
    if (err == MX_OK) err = try_sum(t, s, view);
    const mx_err destroyed = mx_view_destroy(&view);
    return app_agree(t->comm, err != MX_OK ? err : destroyed);
}

static mx_err open_mailboxes(app_transport t, direct_transport *s)
{
    char mine[APP_DIRECT_HANDLE] = "", all[APP_DIRECT_RANKS * APP_DIRECT_HANDLE];
    app_direct_group *const g = &s->group;
    int blocks = 0;
    MX_TRY(app_agree(t->comm, make_mailbox(t, s, mine, &blocks)));
    MX_TRY(choose_blocks(t, s, blocks));
    MX_TRY(app_local_allgather(t->comm, mine, sizeof mine, all));
    MX_TRY(app_agree(t->comm, map_mailboxes(s, all)));
    MX_TRY(app_watch_create(t->comm, g->state, APP_DIRECT_ENDED, &s->watch));
    return try_words(t, s);
}

static mx_err number_ranks(app_transport t, direct_transport *s)
{
    const int rank = app_rank(t->comm), ranks = app_local_size(t->comm);
    int64_t most = ranks;
    MX_TRY(app_max_i64(t->comm, &most, 1));
    MX_REQUIRE(most <= APP_DIRECT_RANKS, MX_ERR_BACKEND,
               "direct messages: %lld ranks on a host, at most %d", (long long)most,
               APP_DIRECT_RANKS);
    s->group = (app_direct_group){.ranks = ranks,
                                  .self = app_local_rank(t->comm),
                                  .slots = s->device->slots,
                                  .units = s->device->units,
                                  .sum_chunk = s->device->numbers / ranks};
    s->hosts = ranks < app_size(t->comm);
    for (int r = 0; r < ranks; r++) s->sent[r] = s->received[r] = s->group.slots * s->device->turn;
    for (int b = 0; b < APP_DIRECT_BLOCKS; b++)
        s->group.sum_first[b] = (uint64_t)2 * s->device->turn;
    return app_local_allgather(t->comm, &rank, sizeof rank, s->rank_of);
}

mx_err app_direct_open(app_transport t, const app_direct_device *device, const app_path *outer,
                       uint64_t outer_bytes)
{
    direct_transport *const s = calloc(1, sizeof *s);
    const mx_err err = app_agree(
        t->comm, s != NULL ? MX_OK : MX_FAIL(MX_ERR_MEMORY, "no memory for direct messages"));
    if (err != MX_OK) {
        free(s);
        return err;
    }
    t->state = s;
    s->device = device;
    s->outer_bytes = outer_bytes;
    MX_TRY(number_ranks(t, s));
    MX_TRY(open_outer(t, s, outer));
    t->takes_places = outer == NULL && getenv("MINX_PACKED_HALOS") == NULL;
    t->joins = outer == NULL && s->group.sum_chunk >= APP_DIRECT_JOINED &&
               getenv("MINX_SEPARATE_JOINS") == NULL;
    return open_mailboxes(t, s);
}

/* No rank takes its mailbox away while another one uses it, or ends while another one watches it. */
static void close_direct(app_transport t)
{
    direct_transport *const s = t->state;
    if (s == NULL) return;
    app_direct_group *const g = &s->group;
    (void)mx_fence(t->ctx);
    app_watch_destroy(&s->watch);
    (void)app_barrier(t->comm);
    for (int r = 0; r < g->ranks; r++)
        if (r != g->self && g->box[r] != NULL) s->device->unmap(s->opened, g->box[r]);
    (void)app_barrier(t->comm);
    s->device->close(s->opened);
    app_queue_close(&s->queue);
    if (has_outer(s) && s->outer.path->close != NULL) s->outer.path->close(&s->outer);
    free(s->parts);
    free(s);
    t->state = NULL;
}

static mx_err check(app_transport t) { return check_state(t->state); }

/* ---- is it the best way? ---- */

static mx_err check_devices(app_comm comm, mx_ctx ctx)
{
    int sharers;
    MX_REQUIRE(app_local_size(comm) <= APP_DIRECT_RANKS, MX_ERR_BACKEND,
               "%d ranks on a host, at most %d", app_local_size(comm), APP_DIRECT_RANKS);
    MX_TRY(count_sharers(comm, ctx, &sharers));
    MX_REQUIRE(sharers == 1, MX_ERR_BACKEND, "ranks of a host share a GPU");
    return MX_OK;
}

mx_err app_direct_check(app_comm comm, mx_ctx ctx)
{
    return app_agree(comm, check_devices(comm, ctx));
}

static mx_err read_nccl_bytes(uint64_t *bytes)
{
    const char *const text = getenv("MINX_NCCL_BYTES");
    char *end = NULL;
    *bytes = UINT64_MAX;
    if (text == NULL) return MX_OK;
    const long long number = strtoll(text, &end, 10);
    MX_REQUIRE(end != text && *end == '\0' && number > 0, MX_ERR_INPUT,
               "MINX_NCCL_BYTES: got '%s', expected a number of bytes, at least 1", text);
    *bytes = (uint64_t)number;
    return MX_OK;
}

mx_err app_direct_nccl_bytes(app_comm comm, uint64_t *bytes)
{
    MX_TRY(app_agree(comm, read_nccl_bytes(bytes)));
    return app_agree(comm, app_broadcast(comm, bytes, sizeof *bytes));
}

/* ---- the tables ---- */

#ifdef APP_DIRECT

static mx_err open_with(app_transport t, const app_path *outer, uint64_t outer_bytes)
{
    return app_direct_open(t, &app_direct_cuda, outer, outer_bytes);
}

#else

static mx_err open_with(app_transport t, const app_path *outer, uint64_t outer_bytes)
{
    (void)t, (void)outer, (void)outer_bytes;
    return MX_FAIL(MX_ERR_BACKEND, "this program was built without cuda");
}

#endif

static mx_err open_alone(app_transport t) { return open_with(t, NULL, UINT64_MAX); }
static mx_err open_device(app_transport t) { return open_with(t, &app_path_device, UINT64_MAX); }
static mx_err open_staged(app_transport t) { return open_with(t, &app_path_staged, UINT64_MAX); }

static mx_err open_nccl(app_transport t)
{
    uint64_t bytes;
    MX_TRY(app_direct_nccl_bytes(t->comm, &bytes));
    return open_with(t, &app_path_nccl, bytes);
}

#define PATH(words, opens, host, wait)                                             \
    {                                                                              \
        .name = (words), .host_buffers = (host), .waits = (wait), .open = (opens), \
        .close = close_direct, .attach = attach, .detach = detach, .start = start, \
        .finish = finish, .sum = sum, .join = join, .check = check                 \
    }

const app_path app_path_direct = PATH("direct", open_alone, false, false);
const app_path app_path_direct_large =
    PATH("direct, and NCCL for large messages", open_nccl, false, false);
const app_path app_path_direct_nccl =
    PATH("direct, and NCCL between hosts", open_nccl, false, false);
const app_path app_path_direct_device =
    PATH("direct, and device memory between hosts", open_device, false, true);
const app_path app_path_direct_staged =
    PATH("direct, and pinned host memory between hosts", open_staged, true, true);
