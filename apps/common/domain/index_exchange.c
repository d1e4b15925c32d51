/* See index_exchange.h. The buffers hold records (elements.h), neighbour by neighbour:
 *
 *     elements:  | for neighbour 0 | for neighbour 1 | ...     record j is element send(j)
 *     ghosts:    | from neighbour 0 | from neighbour 1 | ...   record j is ghost(j), or element first_ghost + j
 *
 * A forward exchange packs elements and unpacks ghosts; a reverse one packs ghosts and adds to
 * elements. An element may be in the lists of several neighbours. So one launch adds the records of
 * one neighbour: no two of its items are the same element, and the order of the sums is fixed. */
#include "index_exchange.h"

#include "comm/messages.h"
#include "elements.h"
#include "index_exchange_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum direction { NOTHING, FORWARD, REVERSE } direction;

struct app_index_exchange {
    app_transport transport;
    mx_ctx ctx;
    char label[32];
    app_messages messages;
    app_sparse sparse;

    int neighbours;
    app_index_neighbour *neighbour;
    mx_lid *begin; /* of a neighbour's elements; neighbours + 1 entries */
    mx_lid ghosts;
    mx_lid last; /* fields have at least so many elements */
    app_element_list send, ghost;
    app_record_shift shift;
    int shift_columns;
    bool joined; /* app_index_join */

    /* the list that the messages have, and the exchange between begin and end */
    app_message *message;
    direction set, active;
    size_t set_bytes; /* of a record */
    app_record record;
};

/* ---- an exchange ---- */

mx_err app_index_exchange_create(app_transport transport, const char *label, app_index_exchange *x)
{
    *x = NULL;
    app_index_exchange e = calloc(1, sizeof *e);
    mx_err err = e != NULL ? MX_OK : MX_FAIL(MX_ERR_MEMORY, "no memory for exchange '%s'", label);
    err = app_agree(app_transport_comm(transport), err);
    if (err != MX_OK) {
        free(e);
        return err;
    }
    e->transport = transport;
    e->ctx = app_transport_ctx(transport);
    snprintf(e->label, sizeof e->label, "%s", label);
    err = app_messages_create(transport, label, &e->messages);
    if (err == MX_OK) err = app_sparse_create(app_transport_comm(transport), &e->sparse);
    if (err != MX_OK) app_index_exchange_destroy(&e);
    *x = e;
    return err;
}

static void free_lists(app_index_exchange x)
{
    (void)mx_view_destroy(&x->send.index);
    (void)mx_view_destroy(&x->ghost.index);
    (void)mx_view_destroy(&x->shift.row);
    (void)mx_view_destroy(&x->shift.shift);
    free(x->neighbour);
    free(x->begin);
    free(x->message);
    x->neighbour = NULL;
    x->begin = NULL;
    x->message = NULL;
    x->neighbours = 0;
    x->joined = false;
    x->ghosts = x->last = x->ghost.first = 0;
    x->set = NOTHING;
}

void app_index_exchange_destroy(app_index_exchange *x)
{
    if (x == NULL || *x == NULL) return;
    app_messages_destroy(&(*x)->messages);
    app_sparse_destroy(&(*x)->sparse);
    free_lists(*x);
    free(*x);
    *x = NULL;
}

app_sparse app_index_sparse(app_index_exchange x) { return x->sparse; }
app_transport app_index_transport(app_index_exchange x) { return x->transport; }
const char *app_index_label(app_index_exchange x) { return x->label; }
mx_gid app_index_sends(app_index_exchange x)
{
    return x->neighbours > 0 ? x->begin[x->neighbours] : 0;
}

/* ---- lists ---- */

static mx_err check_neighbours(app_index_exchange x, const app_index_neighbour *list, int count)
{
    mx_gid sends = 0, receives = 0;
    MX_REQUIRE(count >= 0, MX_ERR_ARG, "exchange '%s': %d neighbours", x->label, count);
    for (int n = 0; n < count; n++) {
        MX_REQUIRE(list[n].sends >= 0 && list[n].receives >= 0, MX_ERR_ARG,
                   "exchange '%s': %d elements to and %d from rank %d, expected at least 0",
                   x->label, list[n].sends, list[n].receives, list[n].rank);
        sends += list[n].sends;
        receives += list[n].receives;
    }
    MX_REQUIRE(sends <= INT32_MAX && receives <= INT32_MAX, MX_ERR_EXTENT,
               "exchange '%s': %" MX_PRI_GID " elements to and %" MX_PRI_GID
               " from neighbours: use more ranks",
               x->label, sends, receives);
    return MX_OK;
}

/* Replaces the neighbours; the lists of indices are still missing. */
static mx_err set_neighbours(app_index_exchange x, const app_index_neighbour *list, int count)
{
    MX_REQUIRE(x->active == NOTHING, MX_ERR_ARG, "exchange '%s': new lists between begin and end",
               x->label);
    MX_TRY(check_neighbours(x, list, count));
    free_lists(x);
    const size_t room = count > 0 ? (size_t)count : 1;
    x->neighbour = calloc(room, sizeof *x->neighbour);
    x->begin = calloc(room + 1, sizeof *x->begin);
    x->message = calloc(room, sizeof *x->message);
    if (x->neighbour == NULL || x->begin == NULL || x->message == NULL) {
        free_lists(x);
        return MX_FAIL(MX_ERR_MEMORY, "exchange '%s': no memory for %d neighbours", x->label,
                       count);
    }
    if (count > 0) memcpy(x->neighbour, list, (size_t)count * sizeof *list);
    x->neighbours = count;
    for (int n = 0; n < count; n++) {
        x->begin[n + 1] = x->begin[n] + list[n].sends;
        x->ghosts += list[n].receives;
    }
    return MX_OK;
}

static mx_err set_lists(app_index_exchange x, mx_view send, mx_lid first_ghost)
{
    mx_view_info info;
    MX_TRY(mx_view_get_info(send, &info));
    MX_REQUIRE(info.type == MX_I32, MX_ERR_TYPE, "exchange '%s': indices of %s, expected i32",
               x->label, mx_type_name(info.type));
    MX_REQUIRE(info.rank == 1, MX_ERR_RANK, "exchange '%s': indices of rank %d, expected 1",
               x->label, info.rank);
    MX_REQUIRE(info.count >= app_index_sends(x), MX_ERR_BOUNDS,
               "exchange '%s': '%s' has %" MX_PRI_GID " indices, expected %" MX_PRI_GID, x->label,
               info.label, (mx_gid)info.count, app_index_sends(x));
    MX_REQUIRE(first_ghost >= 0 && first_ghost <= INT32_MAX - x->ghosts, MX_ERR_EXTENT,
               "exchange '%s': %d ghosts from element %d on: use more ranks", x->label, x->ghosts,
               first_ghost);
    MX_TRY(mx_view_retain(send));
    x->send.index = send;
    x->ghost.first = first_ghost;
    x->last = x->ghosts > 0 ? first_ghost + x->ghosts : 0;
    return MX_OK;
}

mx_err app_index_lists(app_index_exchange x, const app_index_neighbour *neighbours, int count,
                       mx_view send, mx_lid first_ghost)
{
    MX_TRY(set_neighbours(x, neighbours, count));
    const mx_err err = set_lists(x, send, first_ghost);
    if (err != MX_OK) free_lists(x);
    return err;
}

/* A view of indices from a host array. */
static mx_err view_of(app_index_exchange x, const char *what, const mx_lid *index, mx_lid count,
                      mx_view *view)
{
    char label[64];
    snprintf(label, sizeof label, "%s: %s", x->label, what);
    MX_TRY(mx_view_create_1d(x->ctx, label, MX_I32, count, view));
    return mx_import(x->ctx, *view, index, NULL);
}

mx_err app_index_host_lists(app_index_exchange x, const app_index_neighbour *neighbours, int count,
                            const mx_lid *send, const mx_lid *ghost, mx_lid last)
{
    MX_TRY(set_neighbours(x, neighbours, count));
    mx_err err = view_of(x, "sent", send, (mx_lid)app_index_sends(x), &x->send.index);
    if (err == MX_OK) err = view_of(x, "ghosts", ghost, x->ghosts, &x->ghost.index);
    x->last = last;
    if (err != MX_OK) free_lists(x);
    return err;
}

/* The neighbour that each element goes to. */
static mx_err find_shift_rows(app_index_exchange x)
{
    char label[64];
    mx_view begin;
    snprintf(label, sizeof label, "%s: shift rows", x->label);
    MX_TRY(mx_view_create_1d(x->ctx, label, MX_I32, app_index_sends(x), &x->shift.row));
    MX_TRY(view_of(x, "neighbours", x->begin, x->neighbours + 1, &begin));
    const mx_err err = app_elements_shift_rows(x->ctx, begin, x->neighbours, x->shift.row,
                                               (mx_lid)app_index_sends(x));
    MX_TRY(mx_view_destroy(&begin));
    return err;
}

mx_err app_index_shifts(app_index_exchange x, const double *shift, int columns)
{
    char label[64];
    MX_REQUIRE(x->active == NOTHING, MX_ERR_ARG, "exchange '%s': new shifts between begin and end",
               x->label);
    MX_REQUIRE(columns >= 1, MX_ERR_ARG, "exchange '%s': shifts of %d columns", x->label, columns);
    MX_TRY(mx_view_destroy(&x->shift.row));
    MX_TRY(mx_view_destroy(&x->shift.shift));
    if (x->neighbours == 0) return MX_OK;
    snprintf(label, sizeof label, "%s: shifts", x->label);
    MX_TRY(find_shift_rows(x));
    MX_TRY(mx_view_create_2d(x->ctx, label, MX_F64, x->neighbours, columns, &x->shift.shift));
    MX_TRY(mx_import(x->ctx, x->shift.shift, shift, NULL));
    x->shift_columns = columns;
    return MX_OK;
}

mx_err app_index_join(app_index_exchange x)
{
    MX_REQUIRE(x->active == NOTHING, MX_ERR_ARG, "exchange '%s': joined between begin and end",
               x->label);
    for (int n = 1; n < x->neighbours; n++) {
        const app_index_neighbour *const last = &x->neighbour[n - 1], *const one = &x->neighbour[n];
        if (one->rank != last->rank) continue;
        MX_REQUIRE(
            one->send_tag > last->send_tag && one->receive_tag > last->receive_tag, MX_ERR_ARG,
            "exchange '%s': tags %d and %d of rank %d behind %d and %d, expected larger ones",
            x->label, one->send_tag, one->receive_tag, one->rank, last->send_tag,
            last->receive_tag);
    }
    x->joined = true;
    x->set = NOTHING;
    return MX_OK;
}

/* ---- exchanges ---- */

/* The message with neighbour n, whose ghosts begin with number first_ghost. */
static app_message message_of(app_index_exchange x, int n, size_t first_ghost, bool forward,
                              size_t record)
{
    const app_index_neighbour *const one = &x->neighbour[n];
    const size_t element = (size_t)x->begin[n] * record, elements = (size_t)one->sends * record,
                 ghost = first_ghost * record, ghosts = (size_t)one->receives * record;
    return (app_message){.rank = one->rank,
                         .send_tag = forward ? one->send_tag : one->receive_tag,
                         .receive_tag = forward ? one->receive_tag : one->send_tag,
                         .send_offset = forward ? element : ghost,
                         .send_bytes = forward ? elements : ghosts,
                         .receive_offset = forward ? ghost : element,
                         .receive_bytes = forward ? ghosts : elements};
}

/* Gives the messages the list of this direction, unless they have it from the last exchange. */
static mx_err set_messages(app_index_exchange x, direction to, size_t record)
{
    const bool forward = to == FORWARD;
    size_t first_ghost = 0;
    int messages = 0;
    if (x->set == to && x->set_bytes == record) return MX_OK;
    for (int n = 0; n < x->neighbours; n++) {
        const app_message one = message_of(x, n, first_ghost, forward, record);
        app_message *const last = messages > 0 ? &x->message[messages - 1] : NULL;
        first_ghost += (size_t)x->neighbour[n].receives;
        if (x->joined && last != NULL && last->rank == one.rank) {
            last->send_bytes += one.send_bytes;
            last->receive_bytes += one.receive_bytes;
        } else {
            x->message[messages++] = one;
        }
    }
    x->set = NOTHING;
    const size_t elements = (size_t)app_index_sends(x) * record;
    MX_TRY(app_messages_resize(x->messages, forward ? elements : first_ghost * record,
                               forward ? first_ghost * record : elements));
    MX_TRY(app_messages_set(x->messages, x->message, messages));
    x->set = to;
    x->set_bytes = record;
    return MX_OK;
}

static mx_err check_fields(app_index_exchange x, int count, const mx_view *fields)
{
    mx_view_info info;
    for (int f = 0; f < count; f++) {
        MX_TRY(mx_view_get_info(fields[f], &info));
        MX_REQUIRE(info.extent[0] >= x->last, MX_ERR_BOUNDS,
                   "exchange '%s': field '%s' has %" MX_PRI_GID
                   " elements, expected at least %d, with the ghosts",
                   x->label, info.label, (mx_gid)info.extent[0], x->last);
    }
    return MX_OK;
}

static mx_err begin_exchange(app_index_exchange x, direction to, int count, const mx_view *fields)
{
    MX_REQUIRE(x->active == NOTHING, MX_ERR_ARG,
               "exchange '%s': begun before the last one has ended", x->label);
    MX_TRY(app_record_of(x->label, fields, count, &x->record));
    MX_TRY(check_fields(x, count, fields));
    return set_messages(x, to, x->record.bytes);
}

static mx_err end_exchange(app_index_exchange x, direction to)
{
    MX_REQUIRE(x->active == to, MX_ERR_ARG, "exchange '%s': ended before it has begun", x->label);
    x->active = NOTHING;
    return app_messages_end(x->messages);
}

/* The buffer as elements of field f's type. */
static mx_err buffer_of(app_index_exchange x, int f, bool sends, mx_view *buffer)
{
    mx_view_info info;
    MX_TRY(mx_view_get_info(x->record.field[f], &info));
    return app_messages_buffers(x->messages, info.type, sends ? buffer : NULL,
                                sends ? NULL : buffer);
}

static mx_err check_shift(app_index_exchange x)
{
    mx_view_info info;
    if (x->neighbours == 0) return MX_OK;
    MX_TRY(mx_view_get_info(x->record.field[0], &info));
    MX_REQUIRE(x->shift.shift.generation != 0, MX_ERR_ARG,
               "exchange '%s': its lists have no shifts", x->label);
    MX_REQUIRE(info.type == MX_F64 || info.type == MX_F32, MX_ERR_TYPE,
               "exchange '%s': shifts of field '%s', whose elements are %s", x->label, info.label,
               mx_type_name(info.type));
    const int64_t columns = info.rank == 2 ? info.extent[1] : 1;
    MX_REQUIRE(columns == x->shift_columns, MX_ERR_EXTENT,
               "exchange '%s': field '%s' has %d columns, and its shifts %d", x->label, info.label,
               (int)columns, x->shift_columns);
    return MX_OK;
}

mx_err app_forward_begin(app_index_exchange x, int count, const mx_view *fields,
                         app_shifting shifting)
{
    mx_view buffer;
    MX_TRY(begin_exchange(x, FORWARD, count, fields));
    if (shifting == APP_SHIFTED) MX_TRY(check_shift(x));
    for (int f = 0; f < count; f++) {
        MX_TRY(buffer_of(x, f, true, &buffer));
        MX_TRY(app_elements_pack(x->ctx, &x->record, f, &x->send,
                                 shifting == APP_SHIFTED && f == 0 ? &x->shift : NULL, buffer, 0,
                                 (mx_lid)app_index_sends(x)));
    }
    MX_TRY(app_messages_begin(x->messages));
    x->active = FORWARD;
    return MX_OK;
}

mx_err app_forward_end(app_index_exchange x)
{
    mx_view buffer;
    MX_TRY(end_exchange(x, FORWARD));
    for (int f = 0; f < x->record.fields; f++) {
        MX_TRY(buffer_of(x, f, false, &buffer));
        MX_TRY(app_elements_unpack(x->ctx, &x->record, f, &x->ghost, buffer, 0, x->ghosts));
    }
    return MX_OK;
}

mx_err app_reverse_begin(app_index_exchange x, int count, const mx_view *fields)
{
    mx_view buffer;
    MX_TRY(begin_exchange(x, REVERSE, count, fields));
    for (int f = 0; f < count; f++) {
        MX_TRY(buffer_of(x, f, true, &buffer));
        MX_TRY(app_elements_pack(x->ctx, &x->record, f, &x->ghost, NULL, buffer, 0, x->ghosts));
    }
    MX_TRY(app_messages_begin(x->messages));
    x->active = REVERSE;
    return MX_OK;
}

mx_err app_reverse_end(app_index_exchange x)
{
    mx_view buffer;
    MX_TRY(end_exchange(x, REVERSE));
    for (int f = 0; f < x->record.fields; f++) {
        MX_TRY(buffer_of(x, f, false, &buffer));
        for (int n = 0; n < x->neighbours; n++)
            MX_TRY(app_elements_add(x->ctx, &x->record, f, &x->send, buffer, x->begin[n],
                                    x->begin[n + 1]));
    }
    return MX_OK;
}

mx_err app_forward(app_index_exchange x, int count, const mx_view *fields, app_shifting shifting)
{
    MX_TRY(app_forward_begin(x, count, fields, shifting));
    return app_forward_end(x);
}

mx_err app_reverse(app_index_exchange x, int count, const mx_view *fields)
{
    MX_TRY(app_reverse_begin(x, count, fields));
    return app_reverse_end(x);
}
