/* See migrate.h. With n elements, of which k leave and n - k stay:
 *
 *      before   | s L s s L s | s L s |     L leaves, s stays; n = 9, k = 3
 *      kept     | s . s s . s | s . s |     the first n - k = 6 places are kept
 *                     ^-------- -     moves: staying elements behind fill the holes in front
 *                   ^---------------  -
 *      after    | s s s s s s | a a ...     arrivals
 *
 * A scan lists the elements that leave, in ascending order; another one lists those behind place n
 * - k that stay. The host sorts the first list by rank: it is short, and the host needs the lengths
 * for the messages anyway. */
#include "migrate.h"

#include "comm/messages.h"
#include "comm/sparse_alltoall.h"
#include "element_kernels.h"
#include "elements.h"
#include "minx/extend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct app_migration {
    app_transport transport;
    app_comm comm;
    mx_ctx ctx;
    char label[32];
    app_messages messages;
    app_sparse sparse;
    /* on the device: elements that leave, their ranks; elements that stay; the order of packing */
    mx_view leaving, to, staying, unused, order;
};

/* What the host knows of one migration. */
typedef struct plan {
    mx_lid count, leaving, holes, kept, arriving;
    mx_lid *index, *rank; /* of those that leave, ascending by index */
    mx_lid *order;        /* the same, by rank */
    int targets;          /* ranks to which elements go */
    app_block *target;    /* `data` of each points to its number of elements, in sends */
    int32_t *sends;
    app_blocks sources; /* here `data` points to the number of elements that come */
    app_message *message;
    int messages;
} plan;

mx_err app_migration_create(app_transport transport, const char *label, app_migration *migration)
{
    *migration = NULL;
    app_migration m = calloc(1, sizeof *m);
    mx_err err = m != NULL ? MX_OK : MX_FAIL(MX_ERR_MEMORY, "no memory for migration '%s'", label);
    err = app_agree(app_transport_comm(transport), err);
    if (err != MX_OK) {
        free(m);
        return err;
    }
    m->transport = transport;
    m->comm = app_transport_comm(transport);
    m->ctx = app_transport_ctx(transport);
    snprintf(m->label, sizeof m->label, "%s", label);
    err = app_messages_create(transport, label, &m->messages);
    if (err == MX_OK) err = app_sparse_create(m->comm, &m->sparse);
    if (err != MX_OK) app_migration_destroy(&m);
    *migration = m;
    return err;
}

void app_migration_destroy(app_migration *migration)
{
    if (migration == NULL || *migration == NULL) return;
    app_migration m = *migration;
    app_messages_destroy(&m->messages);
    app_sparse_destroy(&m->sparse);
    (void)mx_view_destroy(&m->leaving);
    (void)mx_view_destroy(&m->to);
    (void)mx_view_destroy(&m->staying);
    (void)mx_view_destroy(&m->unused);
    (void)mx_view_destroy(&m->order);
    free(m);
    *migration = NULL;
}

/* ---- lists ---- */

static mx_lid with_spare_room(mx_lid count)
{
    const mx_gid room = (mx_gid)count + count / 4;
    return room < INT32_MAX ? (mx_lid)room : INT32_MAX;
}

/* A list of at least so many elements. */
static mx_err make_room(app_migration m, const char *what, mx_lid count, mx_view *list)
{
    char label[64];
    mx_view_info info;
    if (list->generation != 0) {
        MX_TRY(mx_view_get_info(*list, &info));
        if (info.count >= count) return MX_OK;
        MX_TRY(mx_view_destroy(list));
    }
    snprintf(label, sizeof label, "%s: %s", m->label, what);
    return mx_view_create_1d(m->ctx, label, MX_I32, with_spare_room(count), list);
}

/* The elements from `begin` to before `end` that leave, or that stay, in ascending order. */
static mx_err list_elements(app_migration m, mx_view rank, mx_lid begin, mx_lid end, bool staying,
                            mx_lid *count)
{
    app_leaving_args args = {.self = app_rank(m->comm), .staying = staying};
    int32_t total = 0;
    MX_TRY(mx_bind(m->ctx, rank, &args.rank));
    MX_TRY(mx_bind(m->ctx, staying ? m->staying : m->leaving, &args.list));
    MX_TRY(mx_bind(m->ctx, staying ? m->unused : m->to, &args.to));
    MX_TRY(app_leaving(mx_range_1d(m->ctx, begin, end), &args, &total));
    *count = total;
    return MX_OK;
}

static mx_err copy_list(app_migration m, mx_view list, mx_lid count, mx_lid *values)
{
    mx_view part;
    if (count == 0) return MX_OK;
    MX_TRY(mx_subview(list, MX_SLICES(mx_span(0, count)), &part));
    const mx_err err = mx_export(m->ctx, part, values, NULL);
    MX_TRY(mx_view_destroy(&part));
    return err;
}

static mx_err find_leaving(app_migration m, mx_view rank, plan *p)
{
    MX_TRY(make_room(m, "leaving", p->count, &m->leaving));
    MX_TRY(make_room(m, "ranks", p->count, &m->to));
    MX_TRY(list_elements(m, rank, 0, p->count, false, &p->leaving));
    const size_t room = p->leaving > 0 ? (size_t)p->leaving : 1;
    p->index = malloc(room * sizeof(mx_lid));
    p->rank = malloc(room * sizeof(mx_lid));
    p->order = malloc(room * sizeof(mx_lid));
    MX_REQUIRE(p->index != NULL && p->rank != NULL && p->order != NULL, MX_ERR_MEMORY,
               "migration '%s': no memory for %d elements that leave", m->label, p->leaving);
    MX_TRY(copy_list(m, m->leaving, p->leaving, p->index));
    MX_TRY(copy_list(m, m->to, p->leaving, p->rank));
    p->kept = p->count - p->leaving;
    while (p->holes < p->leaving && p->index[p->holes] < p->kept) p->holes++;
    return MX_OK;
}

/* Sorts those that leave by rank, and counts those of each. Counting sort: stable, and one pass
 * over them. */
static mx_err sort_by_rank(app_migration m, plan *p)
{
    const int ranks = app_size(m->comm);
    mx_lid *const end = calloc((size_t)ranks + 1, sizeof *end);
    p->target = calloc((size_t)ranks, sizeof *p->target);
    p->sends = calloc((size_t)ranks, sizeof *p->sends);
    mx_err err = end != NULL && p->target != NULL && p->sends != NULL
                     ? MX_OK
                     : MX_FAIL(MX_ERR_MEMORY, "migration '%s': no memory", m->label);
    for (mx_lid i = 0; err == MX_OK && i < p->leaving; i++) {
        if (p->rank[i] < 0 || p->rank[i] >= ranks)
            err =
                MX_FAIL(MX_ERR_ARG, "migration '%s': element %d goes to rank %d, expected 0 to %d",
                        m->label, p->index[i], p->rank[i], ranks - 1);
        else
            end[p->rank[i] + 1]++;
    }
    for (int r = 0; err == MX_OK && r < ranks; r++) {
        p->sends[p->targets] = end[r + 1];
        if (end[r + 1] > 0) {
            p->target[p->targets] = (app_block){r, sizeof *p->sends, &p->sends[p->targets]};
            p->targets++;
        }
        end[r + 1] += end[r];
    }
    for (mx_lid i = 0; err == MX_OK && i < p->leaving; i++)
        p->order[end[p->rank[i]]++] = p->index[i];
    free(end);
    return err;
}

static mx_lid number_of(const app_block *block) { return *(const int32_t *)block->data; }

static mx_err count_arrivals(app_migration m, plan *p)
{
    mx_gid arriving = 0;
    MX_TRY(app_sparse_alltoall(m->sparse, p->target, p->targets, &p->sources));
    for (int s = 0; s < p->sources.count; s++) arriving += number_of(&p->sources.block[s]);
    mx_err err = MX_OK;
    if (p->kept + arriving > INT32_MAX)
        err = MX_FAIL(MX_ERR_EXTENT,
                      "migration '%s': rank %d would have %" MX_PRI_GID
                      " elements, at most %d: use more ranks",
                      m->label, app_rank(m->comm), p->kept + arriving, INT32_MAX);
    p->arriving = err == MX_OK ? (mx_lid)arriving : 0;
    return app_agree(m->comm, err);
}

/* ---- room ---- */

static mx_err check_fields(app_migration m, mx_view rank, mx_lid count, mx_view *const *fields,
                           int fields_count, app_record *record)
{
    mx_view views[APP_MAX_FIELDS];
    mx_view_info info;
    MX_REQUIRE(fields_count >= 1 && fields_count <= APP_MAX_FIELDS, MX_ERR_ARG,
               "migration '%s': %d fields, expected 1 to %d", m->label, fields_count,
               APP_MAX_FIELDS);
    MX_REQUIRE(count >= 0, MX_ERR_ARG, "migration '%s': %d elements", m->label, count);
    for (int f = 0; f <= fields_count; f++) {
        const mx_view view = f < fields_count ? *fields[f] : rank;
        MX_TRY(mx_view_usable(m->ctx, view, f < fields_count, m->label, &info));
        MX_REQUIRE(info.rank >= 1 && info.extent[0] >= count, MX_ERR_BOUNDS,
                   "migration '%s': '%s' has fewer than %d elements", m->label, info.label, count);
        if (f < fields_count) views[f] = view;
    }
    return app_record_of(m->label, views, fields_count, record);
}

/* Makes the fields and buffers long enough for what arrives. The record follows the fields. */
static mx_err grow(app_migration m, const plan *p, mx_view *const *fields, app_record *record,
                   bool *grown)
{
    const mx_lid needed = p->kept + p->arriving;
    mx_view_info info;
    for (int f = 0; f < record->fields; f++) {
        MX_TRY(mx_view_get_info(*fields[f], &info));
        if (info.extent[0] >= needed) continue;
        const int64_t extents[] = {with_spare_room(needed), info.rank == 2 ? info.extent[1] : 0};
        MX_TRY(mx_view_resize(m->ctx, fields[f], extents));
        *grown = true;
    }
    for (int f = 0; f < record->fields; f++) record->field[f] = *fields[f];
    MX_TRY(make_room(m, "order", p->leaving, &m->order));
    MX_TRY(make_room(m, "staying", p->leaving, &m->staying));
    MX_TRY(make_room(m, "unused", p->leaving, &m->unused));
    return app_messages_resize(m->messages, (size_t)p->leaving * record->bytes,
                               (size_t)p->arriving * record->bytes);
}

/* A message to each target and one from each source: one entry for both where they are the same
 * rank. */
static mx_err make_messages(app_migration m, plan *p, size_t record)
{
    size_t sent = 0, received = 0;
    p->message = calloc((size_t)(p->targets + p->sources.count) + 1, sizeof *p->message);
    MX_REQUIRE(p->message != NULL, MX_ERR_MEMORY, "migration '%s': no memory", m->label);
    for (int t = 0, s = 0; t < p->targets || s < p->sources.count; p->messages++) {
        const int target = t < p->targets ? p->target[t].rank : INT32_MAX;
        const int source = s < p->sources.count ? p->sources.block[s].rank : INT32_MAX;
        app_message *const one = &p->message[p->messages];
        one->rank = target < source ? target : source;
        one->send_offset = sent;
        one->receive_offset = received;
        if (target == one->rank) one->send_bytes = (size_t)number_of(&p->target[t++]) * record;
        if (source == one->rank)
            one->receive_bytes = (size_t)number_of(&p->sources.block[s++]) * record;
        sent += one->send_bytes;
        received += one->receive_bytes;
    }
    return app_messages_set(m->messages, p->message, p->messages);
}

/* ---- the move ---- */

static mx_err buffer_of(app_migration m, const app_record *record, int f, bool sends,
                        mx_view *buffer)
{
    mx_view_info info;
    MX_TRY(mx_view_get_info(record->field[f], &info));
    return app_messages_buffers(m->messages, info.type, sends ? buffer : NULL,
                                sends ? NULL : buffer);
}

static mx_err pack(app_migration m, const plan *p, const app_record *record)
{
    const app_element_list list = {.index = m->order};
    mx_view part, buffer;
    if (p->leaving == 0) return MX_OK;
    MX_TRY(mx_subview(m->order, MX_SLICES(mx_span(0, p->leaving)), &part));
    const mx_err err = mx_import(m->ctx, part, p->order, NULL);
    MX_TRY(mx_view_destroy(&part));
    if (err != MX_OK) return err;
    for (int f = 0; f < record->fields; f++) {
        MX_TRY(buffer_of(m, record, f, true, &buffer));
        MX_TRY(app_elements_pack(m->ctx, record, f, &list, NULL, buffer, 0, p->leaving));
    }
    return MX_OK;
}

static mx_err fill_holes(app_migration m, const plan *p, mx_view rank, const app_record *record)
{
    mx_lid staying = 0;
    if (p->holes == 0) return MX_OK;
    MX_TRY(list_elements(m, rank, p->kept, p->count, true, &staying));
    MX_REQUIRE(staying == p->holes, MX_ERR_ARG,
               "migration '%s': `rank` changed during the call: %d elements for %d holes", m->label,
               staying, p->holes);
    for (int f = 0; f < record->fields; f++)
        MX_TRY(app_elements_move(m->ctx, record->field[f], m->leaving, m->staying, p->holes));
    return MX_OK;
}

static mx_err unpack(app_migration m, const plan *p, const app_record *record)
{
    const app_element_list list = {.first = p->kept};
    mx_view buffer;
    for (int f = 0; f < record->fields; f++) {
        MX_TRY(buffer_of(m, record, f, false, &buffer));
        MX_TRY(app_elements_unpack(m->ctx, record, f, &list, buffer, 0, p->arriving));
    }
    return MX_OK;
}

/* What is packed travels. A rank whose messages cannot begin cannot communicate any more: it does
 * not agree. */
static mx_err move(app_migration m, const plan *p, mx_view rank, const app_record *record)
{
    MX_TRY(app_messages_begin(m->messages));
    mx_err err = fill_holes(m, p, rank, record);
    const mx_err end = app_messages_end(m->messages);
    if (err == MX_OK) err = end;
    if (err == MX_OK) err = unpack(m, p, record);
    return app_agree(m->comm, err);
}

static mx_err migrate(app_migration m, plan *p, mx_view rank, mx_view *const *fields,
                      int fields_count, bool *grown)
{
    app_record record;
    mx_err err = check_fields(m, rank, p->count, fields, fields_count, &record);
    if (err == MX_OK) err = find_leaving(m, rank, p);
    if (err == MX_OK) err = sort_by_rank(m, p);
    MX_TRY(app_agree(m->comm, err));
    MX_TRY(count_arrivals(m, p));
    err = grow(m, p, fields, &record, grown);
    if (err == MX_OK) err = make_messages(m, p, record.bytes);
    if (err == MX_OK) err = pack(m, p, &record);
    MX_TRY(app_agree(m->comm, err));
    return move(m, p, rank, &record);
}

mx_err app_migrate(app_migration m, mx_view rank, mx_lid *count, mx_view *const *fields,
                   int fields_count, bool *grown)
{
    plan p = {.count = *count};
    bool replaced = false;
    const mx_err err = migrate(m, &p, rank, fields, fields_count, &replaced);
    if (err == MX_OK) *count = p.kept + p.arriving;
    if (grown != NULL) *grown = replaced;
    free(p.index);
    free(p.rank);
    free(p.order);
    free(p.target);
    free(p.sends);
    free(p.message);
    app_blocks_free(&p.sources);
    return err;
}
