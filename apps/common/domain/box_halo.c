/* See box_halo.h for the method. A neighbour is a direction v, one of -1, 0, +1 in each dimension
 * (not all 0). In each dimension, with n own cells and depth g:
 *
 *          v     cells sent        ghosts received
 *         -1     [0, g)            [-g, 0)
 *          0     [0, n)            [0, n)
 *         +1     [n-g, n)          [n, n+g)
 *
 * A message's tag is its direction as the sender sees it; the receiver's is the opposite one. So
 * messages to one rank from several directions (two ranks along a periodic dimension, or one, which
 * then sends to itself) do not mix. Two dimensions are treated as three, of which the first has one
 * cell, no ghosts and no neighbours.
 *
 * Invariants:
 *  1. segment s of the send and of the receive table have the same neighbour, and the same length on both ranks;
 *  2. the halo makes a view of each field's memory as 32-bit words, and keeps it while the field is among the last ones used. It
 *     checks that the field still exists before it uses that view. */
#include "box_halo.h"

#include "box_halo_kernels.h"
#include "comm/messages.h"
#include "minx/extend.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_NEIGHBOURS = APP_BOX_HALO_SEGMENTS, WORD = 4, KNOWN_FIELDS = 2 * APP_BOX_HALO_FIELDS };
/* A message can be in a field's memory where an element is a unit of it. Where a halo has more
 * elements, the kernels that pack and unpack have more threads than the one that sends. */
enum { PLACED_WORDS = 2, MAX_PLACED = 1 << 14 };

MX_STATIC_ASSERT((int)APP_BOX_HALO_FIELDS == (int)APP_BOX_HALO_ARRAYS,
                 "fields of an exchange, and of the kernels");

typedef struct neighbour {
    int rank;
    int direction[3];
} neighbour;

/* A field, and the view of its words. */
typedef struct known_field {
    mx_view field, words;
    int words_of_element;
    char *data; /* the field's, and the bytes between its elements in three dimensions */
    int64_t stride[3];
    mx_u32_4s accessor;
    int64_t used; /* number of the last exchange with it; 0: none */
} known_field;

struct app_box_halo {
    app_transport transport;
    app_decomp decomp;
    int width;
    int cells[3]; /* own cells, and ghost layers on each side, of three dimensions */
    int ghosts[3];
    int neighbours;
    neighbour neighbour[MAX_NEIGHBOURS];
    app_messages messages;
    known_field known[KNOWN_FIELDS];
    int64_t exchanges;
    /* the exchange that the tables are made for; depth 0: none */
    int depth, count, words;
    app_halo_corners corners;
    int elements;   /* in the buffer */
    bool placeable; /* the messages can be in the memory of a field */
    bool active, placed;
    app_box_halo_args pack, unpack;
    app_message_place send[MAX_NEIGHBOURS], receive[MAX_NEIGHBOURS];
};

/* ---- neighbours ---- */

static int tag_of(const int *direction, int sign)
{
    int tag = 0;
    for (int d = 0; d < 3; d++) tag = 3 * tag + 1 + sign * direction[d];
    return tag;
}

static int faces_crossed(const neighbour *n)
{
    return abs(n->direction[0]) + abs(n->direction[1]) + abs(n->direction[2]);
}

static void find_neighbours(app_box_halo h)
{
    const int flat = 3 - h->decomp.dims;
    for (int code = 0; code < 27; code++) {
        const int direction[3] = {code / 9 - 1, code / 3 % 3 - 1, code % 3 - 1};
        if (code == 13 || (flat > 0 && direction[0] != 0)) continue;
        const int rank = app_decomp_rank_at(&h->decomp, direction + flat);
        if (rank < 0) continue;
        neighbour *n = &h->neighbour[h->neighbours++];
        memcpy(n->direction, direction, sizeof direction);
        n->rank = rank;
    }
}

static mx_err check_cells(app_box_halo h)
{
    const app_decomp *decomp = &h->decomp;
    for (int d = 0; d < decomp->dims; d++)
        MX_REQUIRE(
            (decomp->ranks[d] == 1 && !decomp->periodic[d]) || decomp->cells[d] >= h->width,
            MX_ERR_INPUT,
            "a rank has %d cells along dimension %d, fewer than its halo of %d: use fewer ranks",
            decomp->cells[d], d, h->width);
    return app_decomp_check_halo(decomp, h->width);
}

mx_err app_box_halo_create(app_transport transport, const app_decomp *decomp, int width,
                           app_box_halo *halo)
{
    const int flat = 3 - decomp->dims;
    *halo = NULL;
    MX_REQUIRE(width >= 1, MX_ERR_ARG, "a halo of width %d, expected at least 1", width);
    app_box_halo h = calloc(1, sizeof *h);
    mx_err err = h != NULL ? MX_OK : MX_FAIL(MX_ERR_MEMORY, "no memory for a halo");
    if (err == MX_OK) {
        h->transport = transport;
        h->decomp = *decomp;
        h->width = width;
        h->cells[0] = 1;
        for (int d = 0; d < decomp->dims; d++) {
            h->cells[d + flat] = decomp->cells[d];
            h->ghosts[d + flat] = width;
        }
        err = check_cells(h);
    }
    err = app_agree(app_transport_comm(transport), err);
    if (err == MX_OK) {
        find_neighbours(h);
        err = app_messages_create(transport, "halo", &h->messages);
    }
    if (err != MX_OK) app_box_halo_destroy(&h);
    *halo = h;
    return err;
}

void app_box_halo_destroy(app_box_halo *halo)
{
    if (halo == NULL || *halo == NULL) return;
    for (int k = 0; k < KNOWN_FIELDS; k++) (void)mx_view_destroy(&(*halo)->known[k].words);
    app_messages_destroy(&(*halo)->messages);
    free(*halo);
    *halo = NULL;
}

/* ---- fields ---- */

static mx_err check_field(app_box_halo h, const mx_view_info *f)
{
    const size_t size = MX_TYPE_SIZE(f->type);
    MX_REQUIRE(f->rank == h->decomp.dims, MX_ERR_RANK, "halo: view '%s' has rank %d, expected %d",
               f->label, f->rank, h->decomp.dims);
    for (int d = 0; d < f->rank; d++)
        MX_REQUIRE(f->extent[d] == h->decomp.cells[d] + 2 * (int64_t)h->width, MX_ERR_EXTENT,
                   "halo: extent %d of view '%s' is %lld, expected %d cells and %d ghosts on each "
                   "side",
                   d, f->label, (long long)f->extent[d], h->decomp.cells[d], h->width);
    MX_REQUIRE(size > 0 && size % WORD == 0, MX_ERR_TYPE,
               "halo: view '%s' has elements of %zu bytes, expected a multiple of %d", f->label,
               size, WORD);
    return MX_OK;
}

/* The entry whose last use is longest ago: never one of this exchange, which has fewer fields than
 * there are entries. */
static known_field *least_used(app_box_halo h)
{
    known_field *least = &h->known[0];
    for (int k = 1; k < KNOWN_FIELDS; k++)
        if (h->known[k].used < least->used) least = &h->known[k];
    return least;
}

/* Makes the view of the field's words. */
static mx_err add_field(app_box_halo h, mx_view field, const mx_view_info *f, known_field **made)
{
    const int flat = 3 - f->rank, words = (int)(MX_TYPE_SIZE(f->type) / WORD);
    const mx_view_options options = {.space = f->space};
    int64_t extent[4] = {1, 1, 1, words}, stride[4] = {f->count * words, 1, 1, 1};
    known_field *k = least_used(h);
    MX_TRY(check_field(h, f));
    for (int d = 0; d < f->rank; d++) {
        extent[d + flat] = f->extent[d];
        stride[d + flat] = f->stride[d] * words;
    }
    k->data = f->data;
    for (int d = 0; d < 3; d++) k->stride[d] = stride[d] * WORD;
    k->field = MX_VIEW_NULL;
    MX_TRY(mx_view_destroy(&k->words));
    MX_TRY(mx_view_wrap(app_transport_ctx(h->transport), f->label, MX_U32, 4, extent, stride,
                        &options, f->data, &k->words));
    MX_TRY(mx_bind(app_transport_ctx(h->transport), k->words, &k->accessor));
    k->field = field;
    k->words_of_element = words;
    *made = k;
    return MX_OK;
}

static mx_err find_field(app_box_halo h, mx_view field, known_field **found)
{
    mx_view_info info;
    MX_TRY(mx_view_usable(app_transport_ctx(h->transport), field, true, "halo", &info));
    for (int k = 0; k < KNOWN_FIELDS; k++) {
        *found = &h->known[k];
        if ((*found)->field.slot == field.slot && (*found)->field.generation == field.generation &&
            (*found)->words.generation != 0)
            return MX_OK;
    }
    return add_field(h, field, &info, found);
}

/* Accessors behind the last field are bound to the first one: they are not used, but a launch requires
 * that all are bound. */
static mx_err bind_fields(app_box_halo h, const mx_view *fields, int count, int *words,
                          const known_field **first)
{
    h->exchanges++;
    for (int f = 0; f < count; f++) {
        known_field *k;
        MX_TRY(find_field(h, fields[f], &k));
        k->used = h->exchanges;
        if (f == 0) *first = k;
        MX_REQUIRE(f == 0 || k->words_of_element == *words, MX_ERR_TYPE,
                   "halo: fields with elements of %d and of %d bytes in one exchange",
                   *words * WORD, k->words_of_element * WORD);
        *words = k->words_of_element;
        h->pack.field[f] = h->unpack.field[f] = k->accessor;
    }
    for (int f = count; f < APP_BOX_HALO_FIELDS; f++)
        h->pack.field[f] = h->unpack.field[f] = h->pack.field[0];
    return MX_OK;
}

/* ---- tables ---- */

/* Cells sent to, or ghosts received from, a neighbour. */
static app_box_halo_segment segment_of(app_box_halo h, const neighbour *n, int depth, bool ghosts,
                                       int start)
{
    app_box_halo_segment s = {start, {0, 0, 0}, {1, 1, 1}};
    for (int d = 0; d < 3; d++) {
        const int v = n->direction[d];
        s.extent[d] = v == 0 ? h->cells[d] : depth;
        s.begin[d] = h->ghosts[d] + (v > 0 ? h->cells[d] : 0);
        if (v > 0 && !ghosts) s.begin[d] -= depth;
        if (v < 0 && ghosts) s.begin[d] -= depth;
    }
    return s;
}

static mx_err bind_buffers(app_box_halo h, size_t bytes)
{
    const mx_ctx ctx = app_transport_ctx(h->transport);
    mx_view send, receive;
    MX_TRY(app_messages_resize(h->messages, bytes, bytes));
    MX_TRY(app_messages_buffers(h->messages, MX_U32, &send, &receive));
    MX_TRY(mx_bind(ctx, send, &h->pack.buffer));
    return mx_bind(ctx, receive, &h->unpack.buffer);
}

/* Fills the tables of both directions, and the list of messages. */
static mx_err plan(app_box_halo h, int depth, int count, int words, app_halo_corners corners)
{
    app_message list[MAX_NEIGHBOURS];
    const size_t element = (size_t)words * WORD;
    int64_t total = 0;
    int segments = 0;
    h->depth = 0;
    for (int n = 0; n < h->neighbours; n++) {
        const neighbour *to = &h->neighbour[n];
        if (corners == APP_HALO_FACES && faces_crossed(to) > 1) continue;
        const app_box_halo_segment s = segment_of(h, to, depth, false, (int)total);
        const int64_t elements = (int64_t)s.extent[0] * s.extent[1] * s.extent[2] * count;
        h->pack.segment[segments] = s;
        h->unpack.segment[segments] = segment_of(h, to, depth, true, (int)total);
        list[segments++] = (app_message){.rank = to->rank,
                                         .send_tag = tag_of(to->direction, +1),
                                         .receive_tag = tag_of(to->direction, -1),
                                         .send_offset = (size_t)total * element,
                                         .send_bytes = (size_t)elements * element,
                                         .receive_offset = (size_t)total * element,
                                         .receive_bytes = (size_t)elements * element};
        total += elements;
        MX_REQUIRE(total <= MX_INDEX_END, MX_ERR_EXTENT,
                   "a halo of %lld elements is too large for one rank: use more ranks",
                   (long long)total);
    }
    MX_TRY(bind_buffers(h, (size_t)total * element));
    MX_TRY(app_messages_set(h->messages, list, segments));
    h->pack.segments = h->unpack.segments = segments;
    h->pack.words = h->unpack.words = words;
    h->placeable = count == 1 && words == PLACED_WORDS && (depth == 1 || h->cells[0] == 1) &&
                   total <= MAX_PLACED && app_messages_take_places(h->messages);
    h->elements = (int)total;
    h->depth = depth;
    h->count = count;
    h->words = words;
    h->corners = corners;
    return MX_OK;
}

/* ---- messages in the memory of a field ---- */

/* The cells in the order of the buffers, so the other rank may pack. A segment has at most two
 * dimensions with several cells. */
static app_message_place place_of(const known_field *field, const app_box_halo_segment *s)
{
    app_message_place place = {.data = field->data, .length = 1};
    bool in_row = false;
    for (int d = 2; d >= 0; d--) {
        place.data += s->begin[d] * field->stride[d];
        if (s->extent[d] == 1) continue;
        if (in_row) place.across = field->stride[d];
        if (in_row) continue;
        place.length = s->extent[d];
        place.along = field->stride[d];
        in_row = true;
    }
    return place;
}

static mx_err begin_placed(app_box_halo h, const known_field *field)
{
    for (int s = 0; s < h->pack.segments; s++) {
        h->send[s] = place_of(field, &h->pack.segment[s]);
        h->receive[s] = place_of(field, &h->unpack.segment[s]);
    }
    return app_messages_begin_places(h->messages, h->send, h->receive);
}

/* ---- exchanges ---- */

static mx_err pack_and_begin(app_box_halo h)
{
    MX_TRY(
        app_box_halo_pack(mx_range_1d(app_transport_ctx(h->transport), 0, h->elements), &h->pack));
    return app_messages_begin(h->messages);
}

/* at_once: nothing changes the fields before the end. */
static mx_err begin(app_box_halo h, int depth, const mx_view *fields, int count,
                    app_halo_corners corners, bool at_once)
{
    const known_field *field = NULL;
    int words = 0;
    MX_REQUIRE(depth >= 1 && depth <= h->width && count >= 1 && count <= APP_BOX_HALO_FIELDS,
               MX_ERR_ARG, "an exchange of %d fields at depth %d, expected 1 to %d and 1 to %d",
               count, depth, APP_BOX_HALO_FIELDS, h->width);
    MX_REQUIRE(!h->active, MX_ERR_ARG, "a halo exchange begins before the last one has ended");
    MX_TRY(bind_fields(h, fields, count, &words, &field));
    if (h->neighbours == 0) return MX_OK;
    if (h->depth != depth || h->count != count || h->words != words || h->corners != corners)
        MX_TRY(plan(h, depth, count, words, corners));
    h->placed = at_once && h->placeable;
    MX_TRY(h->placed ? begin_placed(h, field) : pack_and_begin(h));
    h->active = true;
    return MX_OK;
}

mx_err app_box_halo_begin(app_box_halo h, int depth, const mx_view *fields, int count,
                          app_halo_corners corners)
{
    return begin(h, depth, fields, count, corners, false);
}

mx_err app_box_halo_end(app_box_halo h)
{
    if (!h->active) return MX_OK;
    h->active = false;
    MX_TRY(app_messages_end(h->messages));
    if (h->placed) return MX_OK;
    return app_box_halo_unpack(mx_range_1d(app_transport_ctx(h->transport), 0, h->elements),
                               &h->unpack);
}

mx_err app_box_halo_exchange(app_box_halo h, int depth, const mx_view *fields, int count,
                             app_halo_corners corners)
{
    MX_TRY(begin(h, depth, fields, count, corners, true));
    return app_box_halo_end(h);
}

mx_err app_box_halo_exchange_and_sum(app_box_halo h, int depth, const mx_view *fields, int count,
                                     app_halo_corners corners, mx_view sums, int64_t first,
                                     int64_t numbers, const mx_partials *partials)
{
    MX_TRY(begin(h, depth, fields, count, corners, true));
    const mx_err sum = app_sum_partials(h->transport, sums, first, numbers, partials);
    /* also after an error: the fields may be destroyed before the halo is */
    const mx_err end = app_box_halo_end(h);
    return sum != MX_OK ? sum : end;
}
