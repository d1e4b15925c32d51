/* Messages, by every path that this machine has and by the fake one, on every backend: random
 * programs of several sets whose exchanges overlap, with several messages between the same two
 * ranks, messages to the rank itself, and empty ones; lists and lengths change from exchange to
 * exchange. Every rank knows all lists (they are drawn from the same numbers), so it knows each
 * byte that it must receive. */
#include "comm/messages.h"
#include "check.h"
#include "fake_path.h"
#include "paths.h"
#include "random.h"

#include <stdlib.h>

enum { PROGRAMS = 25, MAX_SETS = 3, ROUNDS = 4, MAX_LINKS = 3, MAX_BYTES = 700 };

/* A set, and views by which its buffers are written and read in the order of kernels. */
typedef struct set {
    app_messages messages;
    app_message list[FAKE_MESSAGES];
    int count;
    mx_view packed, unpacked;
    unsigned char *sent, *received; /* on the host */
    int64_t send_room, receive_room;
} set;

static unsigned char byte_of(uint64_t key, int from, int tag, size_t at)
{
    uint64_t state = key + (uint64_t)from * 1000003 + (uint64_t)tag * 10007 + at * 257;
    return (unsigned char)random_next(&state);
}

/* ---- lists ---- */

/* Messages between two ranks, a <= b, as one of them has them in its list. Message l from a to b
 * has the tag 2l, that from b to a 2l+1. */
static void link_ranks(set *s, uint64_t *random, int a, int b, int self)
{
    const int links = random_int(random, 0, MAX_LINKS);
    for (int l = 0; l < links; l++) {
        const size_t there = (size_t)random_int(random, -50, MAX_BYTES),
                     back = (size_t)random_int(random, -50, MAX_BYTES);
        const size_t to = there > MAX_BYTES ? 0 : there, from = back > MAX_BYTES ? 0 : back;
        if (self == a)
            s->list[s->count++] = (app_message){.rank = b,
                                                .send_tag = 2 * l,
                                                .receive_tag = 2 * l + 1,
                                                .send_bytes = to,
                                                .receive_bytes = from};
        if (self == b)
            s->list[s->count++] = (app_message){.rank = a,
                                                .send_tag = 2 * l + 1,
                                                .receive_tag = 2 * l,
                                                .send_bytes = from,
                                                .receive_bytes = to};
    }
}

static void shuffle(set *s, uint64_t *random)
{
    for (int i = s->count - 1; i > 0; i--) {
        const int j = random_int(random, 0, i);
        const app_message other = s->list[i];
        s->list[i] = s->list[j];
        s->list[j] = other;
    }
}

/* The list of this rank, in an order of its own, with gaps of its own between the messages in the
 * buffers. */
static void draw_list(app_comm comm, set *s, uint64_t key)
{
    uint64_t random = key, own = key + 77 + (uint64_t)app_rank(comm);
    size_t send = 0, receive = 0;
    s->count = 0;
    for (int a = 0; a < app_size(comm); a++)
        for (int b = a; b < app_size(comm); b++) link_ranks(s, &random, a, b, app_rank(comm));
    shuffle(s, &own);
    for (int i = 0; i < s->count; i++) {
        app_message *one = &s->list[i];
        one->send_offset = send + (size_t)random_int(&own, 0, 20);
        one->receive_offset = receive + (size_t)random_int(&own, 0, 20);
        send = one->send_offset + one->send_bytes;
        receive = one->receive_offset + one->receive_bytes;
    }
    s->send_room = (int64_t)send;
    s->receive_room = (int64_t)receive;
}

/* ---- buffers ---- */

static mx_err free_views(set *s)
{
    free(s->sent);
    free(s->received);
    s->sent = s->received = NULL;
    MX_TRY(mx_view_destroy(&s->packed));
    return mx_view_destroy(&s->unpacked);
}

static mx_err make_views(mx_ctx ctx, set *s)
{
    mx_view send, receive;
    mx_view_info info;
    MX_TRY(free_views(s));
    MX_TRY(app_messages_resize(s->messages, (size_t)s->send_room, (size_t)s->receive_room));
    MX_TRY(app_messages_buffers(s->messages, MX_U8, &send, &receive));
    MX_TRY(mx_view_get_info(send, &info));
    s->send_room = info.count;
    MX_TRY(mx_view_create_1d(ctx, "packed", MX_U8, s->send_room, &s->packed));
    MX_TRY(mx_view_get_info(receive, &info));
    s->receive_room = info.count;
    MX_TRY(mx_view_create_1d(ctx, "unpacked", MX_U8, s->receive_room, &s->unpacked));
    s->sent = calloc((size_t)s->send_room, 1);
    s->received = calloc((size_t)s->receive_room, 1);
    MX_REQUIRE(s->sent != NULL && s->received != NULL, MX_ERR_MEMORY, "no memory for a test");
    return MX_OK;
}

/* ---- an exchange ---- */

static mx_err begin(app_comm comm, mx_ctx ctx, set *s, uint64_t key)
{
    mx_view send;
    draw_list(comm, s, key);
    MX_TRY(make_views(ctx, s));
    MX_TRY(app_messages_set(s->messages, s->list, s->count));
    for (int i = 0; i < s->count; i++)
        for (size_t at = 0; at < s->list[i].send_bytes; at++)
            s->sent[s->list[i].send_offset + at] =
                byte_of(key, app_rank(comm), s->list[i].send_tag, at);
    MX_TRY(mx_import(ctx, s->packed, s->sent, NULL));
    MX_TRY(app_messages_buffers(s->messages, MX_U8, &send, NULL));
    MX_TRY(mx_deep_copy(ctx, send, s->packed)); /* packs: in the order of kernels */
    return app_messages_begin(s->messages);
}

static mx_err end(mx_ctx ctx, set *s, uint64_t key)
{
    mx_view receive;
    int wrong = 0;
    MX_TRY(app_messages_end(s->messages));
    MX_TRY(app_messages_buffers(s->messages, MX_U8, NULL, &receive));
    MX_TRY(mx_deep_copy(ctx, s->unpacked, receive));
    MX_TRY(mx_export(ctx, s->unpacked, s->received, NULL));
    for (int i = 0; i < s->count; i++)
        for (size_t at = 0; at < s->list[i].receive_bytes; at++)
            wrong += s->received[s->list[i].receive_offset + at] !=
                     byte_of(key, s->list[i].rank, s->list[i].receive_tag, at);
    CHECK_I64(wrong, 0);
    return MX_OK;
}

/* Several sets: each begins and ends ROUNDS times, in a random order in which exchanges overlap. */
static mx_err run_program(app_transport transport, uint64_t seed)
{
    const app_comm comm = app_transport_comm(transport);
    const mx_ctx ctx = app_transport_ctx(transport);
    uint64_t random = seed;
    const int sets = random_int(&random, 1, MAX_SETS);
    set *all = calloc((size_t)sets, sizeof *all);
    uint64_t key[MAX_SETS] = {0};
    bool active[MAX_SETS] = {false};
    MX_REQUIRE(all != NULL, MX_ERR_MEMORY, "no memory for a test");
    for (int i = 0; i < sets; i++) MX_TRY(app_messages_create(transport, "test", &all[i].messages));
    for (int step = 0; step < 2 * ROUNDS * sets; step++) {
        const int i = random_int(&random, 0, sets - 1);
        if (active[i]) {
            MX_TRY(end(ctx, &all[i], key[i]));
        } else {
            key[i] = random_next(&random);
            MX_TRY(begin(comm, ctx, &all[i], key[i]));
        }
        active[i] = !active[i];
    }
    for (int i = 0; i < sets; i++) { /* some have not ended: destroy ends them */
        app_messages_destroy(&all[i].messages);
        MX_TRY(free_views(&all[i]));
    }
    free(all);
    return MX_OK;
}

/* ---- errors ---- */

static void check_lists(app_transport transport)
{
    const int self = app_rank(app_transport_comm(transport)),
              size = app_size(app_transport_comm(transport));
    const app_message nowhere = {.rank = size}, tag = {.rank = self, .send_tag = APP_MAX_TAG + 1},
                      twice[] = {{.rank = self, .receive_tag = 3}, {.rank = self}},
                      unlike = {.rank = self, .send_bytes = 4, .receive_bytes = 5},
                      large = {.rank = self, .send_bytes = (size_t)INT32_MAX + 1},
                      outside = {.rank = self, .send_bytes = 100, .receive_bytes = 100};
    app_messages m;
    CHECK_OK(app_messages_create(transport, "wrong", &m));
    CHECK_FAILS(app_messages_set(m, &nowhere, 1), MX_ERR_ARG, "expected 0 to");
    CHECK_FAILS(app_messages_set(m, &tag, 1), MX_ERR_ARG, "tags 32768 and 0");
    CHECK_FAILS(app_messages_set(m, twice, 2), MX_ERR_ARG, "have the tag 0");
    CHECK_FAILS(app_messages_set(m, &unlike, 1), MX_ERR_ARG, "which expects 5 bytes");
    CHECK_FAILS(app_messages_set(m, &large, 1), MX_ERR_EXTENT, "use more ranks");
    CHECK_OK(app_messages_set(m, &outside, 1));
    CHECK_FAILS(app_messages_begin(m), MX_ERR_ARG, "resize them before");
    CHECK_FAILS(app_messages_end(m), MX_ERR_ARG, "before an exchange has begun");
    CHECK_OK(app_messages_resize(m, 100, 100));
    CHECK_OK(app_messages_begin(m));
    CHECK_FAILS(app_messages_begin(m), MX_ERR_ARG, "before the last exchange has ended");
    CHECK_FAILS(app_messages_resize(m, 200, 0), MX_ERR_ARG, "between begin and end");
    CHECK_FAILS(app_messages_set(m, NULL, 0), MX_ERR_ARG, "between begin and end");
    CHECK_OK(app_messages_end(m));
    CHECK_FAILS(app_messages_buffers(m, MX_USER(set), NULL, NULL), MX_ERR_TYPE, "no number type");
    app_messages_destroy(&m);
    app_messages_destroy(&m); /* accepts NULL */
}

/* Rank 0 sends less, or more, than rank 1 expects: rank 1 says so. By MPI, which knows the
 * lengths. */
static mx_err check_lengths(app_transport transport, size_t expected)
{
    const int self = app_rank(app_transport_comm(transport));
    const app_message to = {.rank = 1, .send_bytes = 8},
                      from = {.rank = 0, .receive_bytes = expected};
    app_messages m;
    MX_TRY(app_messages_create(transport, "unequal", &m));
    MX_TRY(app_messages_resize(m, 64, 64));
    MX_TRY(app_messages_set(m, self == 0 ? &to : &from, self < 2 ? 1 : 0));
    MX_TRY(app_messages_begin(m));
    if (self == 1)
        CHECK_FAILS(app_messages_end(m), MX_ERR_COMM,
                    expected > 8 ? "rank 0 sent 8 bytes, expected 64"
                                 : "rank 0 sent more than the 4 bytes");
    else
        MX_TRY(app_messages_end(m));
    app_messages_destroy(&m);
    return MX_OK;
}

static mx_err try_path(app_comm comm, mx_ctx ctx, const app_path *path)
{
    app_transport transport;
    MX_TRY(app_transport_create_path(comm, ctx, path, &transport));
    for (int p = 0; p < paths_programs(PROGRAMS); p++) MX_TRY(run_program(transport, (uint64_t)p));
    check_lists(transport);
    if (path == &app_path_host && app_size(comm) > 1) {
        MX_TRY(check_lengths(transport, 64));
        MX_TRY(check_lengths(transport, 4));
    }
    app_transport_destroy(&transport);
    return MX_OK;
}

int main(int argc, char **argv) { return paths_main(argc, argv, try_path); }
