/* See messages.h for the use and transport_path.h for what is behind it. Invariants:
 *  1. send_order and receive_order are permutations of 0..count-1, sorted so that between two ranks the n-th message sent is
 *     the n-th received: paths without tags (NCCL) match messages by this order;
 *  2. the rank's messages to itself are at the same places of both orders. */
#include "messages.h"

#include "minx/extend.h"
#include "transport_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a set ---- */

mx_err app_messages_create(app_transport transport, const char *label, app_messages *messages)
{
    *messages = NULL;
    app_messages m = calloc(1, sizeof *m);
    mx_err err = m != NULL ? MX_OK : MX_FAIL(MX_ERR_MEMORY, "no memory for messages '%s'", label);
    err = app_agree(transport->comm, err);
    if (err != MX_OK) {
        free(m);
        return err;
    }
    m->transport = transport;
    snprintf(m->label, sizeof m->label, "%s", label);
    err = transport->path->attach != NULL ? transport->path->attach(m) : MX_OK;
    if (err == MX_OK) err = app_messages_resize(m, 1, 1);
    err = app_agree(transport->comm, err);
    if (err != MX_OK) app_messages_destroy(&m);
    *messages = m;
    return err;
}

static void free_buffer(app_buffer *b)
{
    for (int t = 0; t < APP_BUFFER_TYPES; t++) (void)mx_view_destroy(&b->typed[t]);
    (void)mx_view_destroy(&b->bytes);
    *b = (app_buffer){.data = NULL};
}

void app_messages_destroy(app_messages *messages)
{
    if (messages == NULL || *messages == NULL) return;
    app_messages m = *messages;
    if (m->active) (void)app_messages_end(m);
    (void)mx_fence(m->transport->ctx); /* what still reads the buffers */
    if (m->transport->path->detach != NULL) m->transport->path->detach(m);
    free_buffer(&m->send);
    free_buffer(&m->receive);
    free(m->list);
    free(m->send_order);
    free(m->receive_order);
    free(m);
    *messages = NULL;
}

/* ---- buffers ---- */

static mx_err grow(app_messages m, app_buffer *b, const char *name, size_t bytes)
{
    char label[64];
    mx_view_info info;
    const int64_t room = (int64_t)((bytes + 15) / 16 * 16);
    const mx_view_options options = {.space = m->transport->path->host_buffers ? MX_SPACE_STAGING
                                                                               : MX_SPACE_DEFAULT,
                                     .uninitialized = true};
    if (bytes <= b->room) return MX_OK;
    MX_REQUIRE(bytes <= PTRDIFF_MAX - 15, MX_ERR_EXTENT, "messages '%s': a buffer of %zu bytes",
               m->label, bytes);
    snprintf(label, sizeof label, "%s: %s", m->label, name);
    free_buffer(b);
    MX_TRY(mx_view_create(m->transport->ctx, label, MX_U8, 1, &room, &options, &b->bytes));
    MX_TRY(mx_view_get_info(b->bytes, &info));
    b->data = info.data;
    b->room = (size_t)room;
    return MX_OK;
}

mx_err app_messages_resize(app_messages m, size_t send_bytes, size_t receive_bytes)
{
    MX_REQUIRE(!m->active, MX_ERR_ARG, "messages '%s': resized between begin and end", m->label);
    MX_TRY(grow(m, &m->send, "to send", send_bytes));
    return grow(m, &m->receive, "received", receive_bytes);
}

static mx_err typed_view(app_messages m, app_buffer *b, mx_type type, mx_view *view)
{
    mx_view_info info;
    mx_view *const typed = &b->typed[MX_TYPE_KIND(type)];
    MX_TRY(mx_view_get_info(b->bytes, &info));
    if (typed->generation == 0) {
        const int64_t count = (int64_t)(b->room / MX_TYPE_SIZE(type));
        const mx_view_options options = {.space = info.space};
        MX_TRY(mx_view_wrap(m->transport->ctx, info.label, type, 1, &count, NULL, &options, b->data,
                            typed));
    }
    *view = *typed;
    return MX_OK;
}

mx_err app_messages_buffers(app_messages m, mx_type type, mx_view *send, mx_view *receive)
{
    MX_REQUIRE(MX_TYPE_KIND(type) != 0, MX_ERR_TYPE, "messages '%s': buffers of %s, no number type",
               m->label, mx_type_name(type));
    if (send != NULL) MX_TRY(typed_view(m, &m->send, type, send));
    if (receive != NULL) MX_TRY(typed_view(m, &m->receive, type, receive));
    return MX_OK;
}

/* ---- the list ---- */

static mx_err check_message(app_messages m, const app_message *one)
{
    const int ranks = app_size(m->transport->comm);
    MX_REQUIRE(one->rank >= 0 && one->rank < ranks, MX_ERR_ARG,
               "messages '%s': rank %d, expected 0 to %d", m->label, one->rank, ranks - 1);
    MX_REQUIRE(one->send_tag >= 0 && one->send_tag <= APP_MAX_TAG && one->receive_tag >= 0 &&
                   one->receive_tag <= APP_MAX_TAG,
               MX_ERR_ARG, "messages '%s': tags %d and %d, expected 0 to %d", m->label,
               one->send_tag, one->receive_tag, APP_MAX_TAG);
    MX_REQUIRE(one->send_bytes <= INT32_MAX && one->receive_bytes <= INT32_MAX, MX_ERR_EXTENT,
               "messages '%s': %zu bytes to and %zu bytes from rank %d: a message has at most %d; "
               "use more ranks",
               m->label, one->send_bytes, one->receive_bytes, one->rank, INT32_MAX);
    return MX_OK;
}

static mx_err make_room(app_messages m, int count)
{
    if (count <= m->room) return MX_OK;
    const size_t room = (size_t)count;
    app_message *list = realloc(m->list, room * sizeof *list);
    if (list != NULL) m->list = list;
    int *send = realloc(m->send_order, room * sizeof *send);
    if (send != NULL) m->send_order = send;
    int *receive = realloc(m->receive_order, room * sizeof *receive);
    if (receive != NULL) m->receive_order = receive;
    MX_REQUIRE(list != NULL && send != NULL && receive != NULL, MX_ERR_MEMORY,
               "messages '%s': no memory for a list of %d", m->label, count);
    m->room = count;
    return MX_OK;
}

/* Is entry a before entry b? By rank, then by the tag of this direction. */
static bool before(const app_message *a, const app_message *b, bool sends)
{
    if (a->rank != b->rank) return a->rank < b->rank;
    return sends ? a->send_tag < b->send_tag : a->receive_tag < b->receive_tag;
}

/* Lists are short, and most often sorted already: insertion. */
static void sort(app_messages m, int *order, bool sends)
{
    for (int i = 0; i < m->count; i++) {
        int at = i;
        while (at > 0 && before(&m->list[i], &m->list[order[at - 1]], sends)) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = i;
    }
}

static mx_err check_order(app_messages m, const int *order, bool sends)
{
    for (int i = 1; i < m->count; i++) {
        const app_message *one = &m->list[order[i]];
        MX_REQUIRE(before(&m->list[order[i - 1]], one, sends), MX_ERR_ARG,
                   "messages '%s': two messages %s rank %d have the tag %d", m->label,
                   sends ? "to" : "from", one->rank, sends ? one->send_tag : one->receive_tag);
    }
    return MX_OK;
}

static mx_err check_self(app_messages m)
{
    for (int i = 0; i < m->count; i++) {
        const app_message *to = &m->list[m->send_order[i]], *from = &m->list[m->receive_order[i]];
        if (to->rank != app_rank(m->transport->comm)) continue;
        MX_REQUIRE(to->send_tag == from->receive_tag && to->send_bytes == from->receive_bytes,
                   MX_ERR_ARG,
                   "messages '%s': %zu bytes with tag %d from rank %d to itself, which expects %zu "
                   "bytes with tag %d",
                   m->label, to->send_bytes, to->send_tag, to->rank, from->receive_bytes,
                   from->receive_tag);
    }
    return MX_OK;
}

mx_err app_messages_set(app_messages m, const app_message *list, int count)
{
    MX_REQUIRE(!m->active, MX_ERR_ARG, "messages '%s': a new list between begin and end", m->label);
    MX_REQUIRE(count >= 0, MX_ERR_ARG, "messages '%s': a list of %d", m->label, count);
    m->count = 0;
    for (int i = 0; i < count; i++) MX_TRY(check_message(m, &list[i]));
    MX_TRY(make_room(m, count));
    if (count > 0) memcpy(m->list, list, (size_t)count * sizeof *list);
    m->count = count;
    sort(m, m->send_order, true);
    sort(m, m->receive_order, false);
    mx_err err = check_order(m, m->send_order, true);
    if (err == MX_OK) err = check_order(m, m->receive_order, false);
    if (err == MX_OK) err = check_self(m);
    if (err != MX_OK) m->count = 0;
    return err;
}

/* ---- exchanges ---- */

static mx_err check_places(app_messages m)
{
    for (int i = 0; i < m->count; i++) {
        const app_message *one = &m->list[i];
        MX_REQUIRE(one->send_bytes <= m->send.room &&
                       one->send_offset <= m->send.room - one->send_bytes &&
                       one->receive_bytes <= m->receive.room &&
                       one->receive_offset <= m->receive.room - one->receive_bytes,
                   MX_ERR_ARG,
                   "messages '%s': a message with rank %d is outside of the buffers (%zu and %zu "
                   "bytes): resize them before",
                   m->label, one->rank, m->send.room, m->receive.room);
    }
    return MX_OK;
}

static mx_err copy_self(app_messages m)
{
    for (int i = 0; i < m->count; i++) {
        const app_message *to = &m->list[m->send_order[i]], *from = &m->list[m->receive_order[i]];
        if (to->rank != app_rank(m->transport->comm) || to->send_bytes == 0) continue;
        MX_TRY(mx_ctx_copy(m->transport->ctx, m->receive.data + from->receive_offset,
                           m->send.data + to->send_offset, to->send_bytes));
    }
    return MX_OK;
}

static mx_err begin(app_messages m, const app_message_place *send, const app_message_place *receive)
{
    MX_REQUIRE(!m->active, MX_ERR_ARG, "messages '%s': begun before the last exchange has ended",
               m->label);
    MX_TRY(app_transport_check(m->transport, "messages"));
    MX_TRY(check_places(m));
    m->send_places = send;
    m->receive_places = receive;
    if (m->transport->path->start != NULL) MX_TRY(m->transport->path->start(m));
    m->active = true;
    return copy_self(m);
}

bool app_messages_take_places(app_messages m)
{
    bool others = m->transport->takes_places;
    for (int i = 0; i < m->count; i++)
        others = others && m->list[i].rank != app_rank(m->transport->comm);
    return others;
}

mx_err app_messages_begin_places(app_messages m, const app_message_place *send,
                                 const app_message_place *receive)
{
    MX_REQUIRE(app_messages_take_places(m), MX_ERR_ARG,
               "messages '%s': they cannot be in the memory of views here", m->label);
    return begin(m, send, receive);
}

mx_err app_messages_begin(app_messages m) { return begin(m, NULL, NULL); }

mx_err app_messages_end(app_messages m)
{
    MX_REQUIRE(m->active, MX_ERR_ARG, "messages '%s': ended before an exchange has begun",
               m->label);
    m->active = false;
    return m->transport->path->finish != NULL ? m->transport->path->finish(m) : MX_OK;
}
