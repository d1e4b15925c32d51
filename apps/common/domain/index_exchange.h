/* Exchange by lists of indices: elements of fields that have copies (ghosts) on other ranks.
 *
 *     forward      the ghosts get the values of their elements
 *     reverse      the values of the ghosts are added to their elements
 *
 * A rank has a list of local indices for each neighbour: the elements that it sends, in the order
 * in which the neighbour has their ghosts. The lists come from global ids (app_index_match:
 * unstructured meshes), or from the caller, who made them on the device (app_index_lists: particles
 * near the faces of a sub-domain).
 *
 *     MX_TRY(app_forward_begin(x, 1, &p, APP_UNSHIFTED));      packs, sends
 *     ... kernels that need no ghosts ...
 *     MX_TRY(app_forward_end(x));                              waits, unpacks
 *
 * A field is a view of f64, f32, i32 or i64, of rank 1, or of rank 2 with an element in each row,
 * in memory that kernels can access. Several fields travel in one message to each neighbour.
 * Packing and unpacking are kernels.
 *
 * Sums of a reverse exchange have the same bits for any number of threads: neighbours are added one
 * after another, in the order of the list. */
#pragma once
#include "comm/transport.h"

typedef struct app_index_exchange *app_index_exchange;

/* Makes an exchange without lists. label: for error messages. Collective, agreed. */
mx_err app_index_exchange_create(app_transport transport, const char *label, app_index_exchange *x);

/* Collective. Accepts NULL; sets *x = NULL. */
void app_index_exchange_destroy(app_index_exchange *x);

/* ---- lists ---- */

/* Elements with global ids. Host arrays. */
typedef struct app_ids {
    mx_lid count;
    const mx_gid *id;    /* 0 to INT64_MAX - 1, in any order and with gaps */
    const mx_lid *index; /* the local index of each; NULL: first, first + 1, ... */
    mx_lid first;
} app_ids;

/* Makes the lists from global ids. `owned`: the elements of this rank; it is enough to give those
 * that may be ghosts on other ranks. `ghosts`: the rank's ghosts. Each id has exactly one owner. No
 * two ghosts of a rank have the same id. A rank may have ghosts of its own elements. The arrays are
 * not kept. A rank finds the owners by a directory that is spread over all ranks, so that no rank
 * needs to know all ids. Memory and messages are in proportion to the elements given and to the
 * number of neighbours. Collective, agreed. Errors: MX_ERR_ARG (an id below 0, with two owners,
 * without owner, of two ghosts, or whose local index is not from 0 to 2^31-2: the message names
 * it), MX_ERR_EXTENT, MX_ERR_MEMORY, MX_ERR_COMM. On failure there are no lists. */
mx_err app_index_match(app_index_exchange x, const app_ids *owned, const app_ids *ghosts);

/* A neighbour in app_index_lists: how many elements go to it, how many ghosts come from it. Several
 * entries may have the same rank, also this one, if their tags differ: the receiver's receive_tag
 * is the sender's send_tag. */
typedef struct app_index_neighbour {
    int rank;
    int send_tag, receive_tag; /* 0 to APP_MAX_TAG */
    mx_lid sends, receives;
} app_index_neighbour;

/* Takes the lists from the caller. `send` (i32, rank 1) has the local indices for all neighbours,
 * one after another in the order of the list. The ghosts from all neighbours are, in that order,
 * the local elements first_ghost, first_ghost + 1, ... The indices for one neighbour differ from
 * each other. The neighbour has the opposite numbers of elements in its list. x keeps `send`, which
 * must not change while x uses it. Not collective. Errors: MX_ERR_ARG, MX_ERR_TYPE, MX_ERR_RANK,
 * MX_ERR_BOUNDS (send has fewer elements), MX_ERR_EXTENT. */
mx_err app_index_lists(app_index_exchange x, const app_index_neighbour *neighbours, int count,
                       mx_view send, mx_lid first_ghost);

/* Shifts for periodic images: in a forward exchange with APP_SHIFTED, shift[n * columns + c] is
 * added to number c of the first field's elements that go to neighbour n. As many rows as
 * neighbours, in the order of app_index_lists; copied. New lists have no shifts. Not collective. */
mx_err app_index_shifts(app_index_exchange x, const double *shift, int columns);

/* Joins the messages of entries that follow each other in the list and have the same rank: they
 * travel as one. Both tags of such entries ascend (MX_ERR_ARG if not), so that both ranks have the
 * parts of a message in the same order, and the neighbour has the opposite entries behind each
 * other too, and joins them. New lists are not joined. Not collective. */
mx_err app_index_join(app_index_exchange x);

/* How many elements are sent. */
mx_gid app_index_sends(app_index_exchange x);

/* ---- exchanges ---- */

typedef enum app_shifting { APP_UNSHIFTED, APP_SHIFTED } app_shifting;

/* Starts and completes an exchange of `count` fields (1 to 16). Between begin and end the ghosts
 * must not be accessed, and another exchange of x must not begin. Ordered on the transport's
 * context as kernels are. Collective. Errors: MX_ERR_ARG, MX_ERR_TYPE, MX_ERR_RANK, MX_ERR_BOUNDS
 * (a field that ends before the last ghost), MX_ERR_COMM. */
mx_err app_forward_begin(app_index_exchange x, int count, const mx_view *fields,
                         app_shifting shifting);
mx_err app_forward_end(app_index_exchange x);
mx_err app_reverse_begin(app_index_exchange x, int count, const mx_view *fields);
mx_err app_reverse_end(app_index_exchange x);

/* Begin and end in one call. */
mx_err app_forward(app_index_exchange x, int count, const mx_view *fields, app_shifting shifting);
mx_err app_reverse(app_index_exchange x, int count, const mx_view *fields);
