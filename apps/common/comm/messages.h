/* Messages of bytes between a rank and its neighbours: the basis of halo exchange, index exchange
 * and migration.
 *
 * A set of messages has a send buffer and a receive buffer in memory that kernels can access, and a
 * list of messages. Each message is a part of the send buffer that goes to a rank, and a part of
 * the receive buffer that is filled from it:
 *
 *     MX_TRY(app_messages_create(transport, "halo", &m));
 *     MX_TRY(app_messages_resize(m, send_bytes, receive_bytes));      again where more is needed
 *     MX_TRY(app_messages_buffers(m, MX_F64, &send, &receive));       again after a resize; bind them to kernels
 *     MX_TRY(app_messages_set(m, list, count));                       again where neighbours or lengths change
 *     for (...) {
 *         MX_TRY(pack(range, &pack_args));                            a kernel on the context, into `send`
 *         MX_TRY(app_messages_begin(m));
 *         ... kernels that need no message ...
 *         MX_TRY(app_messages_end(m));
 *         MX_TRY(unpack(range, &unpack_args));                        out of `receive`
 *     }
 *
 * Rules:
 *  1. begin is ordered behind the kernels launched before it; kernels launched after end find the messages received;
 *  2. between begin and end neither buffer may be accessed. After end, the contents of the send buffer are undefined. The
 *     receive buffer keeps the messages until the next begin;
 *  3. every set has messages of its own: several sets can be between begin and end at the same time. All ranks of the transport
 *     begin and end the same sets in the same order, those without messages too;
 *  4. a message to the rank itself is a copy. Messages of 0 bytes are not sent. */
#pragma once
#include "transport.h"

typedef struct app_messages *app_messages;

/* A message to and a message from one rank; either may have 0 bytes. The lengths must be those that
 * the other rank has for the opposite direction. Offsets and lengths are in bytes. */
typedef struct app_message {
    int rank;
    /* tell several messages between the same two ranks apart: the receiver's receive_tag is the
     * sender's send_tag. From 0 to APP_MAX_TAG; no two entries of one rank have the same send_tag,
     * nor the same receive_tag */
    int send_tag, receive_tag;
    size_t send_offset, send_bytes;
    size_t receive_offset, receive_bytes;
} app_message;

enum { APP_MAX_TAG = 32767 };

/* Makes a set without messages and without room. label: for error messages and the buffers' names.
 * Collective; what it returns is agreed. */
mx_err app_messages_create(app_transport transport, const char *label, app_messages *messages);

/* Collective. Ends an exchange that has begun. Accepts NULL; sets *messages = NULL. */
void app_messages_destroy(app_messages *messages);

/* Gives the buffers room for at least so many bytes; they never get smaller. Where a buffer grows
 * its contents are lost, and views from app_messages_buffers are destroyed. Not collective.
 * MX_ERR_ARG between begin and end. */
mx_err app_messages_resize(app_messages messages, size_t send_bytes, size_t receive_bytes);

/* Views of rank 1 of the whole buffers, as elements of `type` (any number type). They belong to the
 * set: bind them, do not destroy them; they exist until the next resize that makes a buffer grow.
 * Either pointer may be NULL. */
mx_err app_messages_buffers(app_messages messages, mx_type type, mx_view *send, mx_view *receive);

/* Replaces the list, which is copied. Not collective. Errors: MX_ERR_ARG (a rank or tag out of
 * range, a tag twice, lengths of messages to the rank itself that differ), MX_ERR_EXTENT (a message
 * of more than 2^31-1 bytes). */
mx_err app_messages_set(app_messages messages, const app_message *list, int count);

/* Starts the exchange. Collective. MX_ERR_ARG if a message is outside of its buffer, the last
 * exchange has not ended, or the context records a graph. */
mx_err app_messages_begin(app_messages messages);

/* Where a message is in the memory of views, instead of a buffer: number u of its units of 8 bytes
 * is at data + u / length * across + u % length * along. Distances are in bytes. */
typedef struct app_message_place {
    char *data;
    int length;
    int64_t along, across;
} app_message_place;

/* Can the messages of the list be in the memory of views? No kernel then has to pack or unpack
 * them. Not collective, and ranks may differ: the other one of two ranks cannot tell. */
bool app_messages_take_places(app_messages messages);

/* app_messages_begin of messages in the memory of views, where they can be; their bytes are a
 * multiple of 8. Message n of the list is sent from send[n] and received at receive[n]; both arrays
 * exist until the end of the exchange, as the views do. Until then kernels may read what is sent, but
 * not write it. */
mx_err app_messages_begin_places(app_messages messages, const app_message_place *send,
                                 const app_message_place *receive);

/* Completes it. MX_ERR_COMM if a message has another length than expected. Collective. */
mx_err app_messages_end(app_messages messages);
