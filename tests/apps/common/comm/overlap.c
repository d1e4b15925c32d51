/* Exchanges with kernels between begin and end, with a sum, and with neither, by every path and on
 * every backend: each rank adds what its left neighbour has, again and again, without a fence. The
 * result is that of a serial model, so no path may unpack too early, nor send what was not packed
 * yet or what was packed later. By the fake queue also: which exchanges went beside kernels, and
 * which with a sum. Sums that begin with the join of partial results have the same bits. */
#include "overlap.h"
#include "check.h"
#include "comm/messages.h"
#include "paths.h"

#include <stdlib.h>

enum { ROUNDS = 12, WORKS = 4, MAX_ITEMS = 100000 };

/* What is between begin and end. */
typedef enum between { NOTHING, KERNELS, A_SUM, BETWEENS } between;

typedef struct ring {
    mx_ctx ctx;
    int rank, size, items;
    app_messages messages;
    mx_view x, other, sum;
    ov_args pack, unpack, work;
} ring;

static mx_err make_ring(app_transport t, ring *r)
{
    const mx_ctx ctx = app_transport_ctx(t);
    mx_ctx_info info;
    mx_view send, receive;
    MX_TRY(mx_ctx_get_info(ctx, &info));
    *r = (ring){.ctx = ctx,
                .rank = app_rank(app_transport_comm(t)),
                .size = app_size(app_transport_comm(t)),
                .items = info.device >= 0 ? MAX_ITEMS : 1000}; /* a device is fast */
    const size_t bytes = (size_t)r->items * sizeof(int64_t);
    const app_message list[] = {
        {.rank = (r->rank + 1) % r->size, .send_bytes = bytes, .send_tag = 1},
        {.rank = (r->rank + r->size - 1) % r->size, .receive_bytes = bytes, .receive_tag = 1}};
    const app_message own = {.rank = r->rank,
                             .send_bytes = bytes,
                             .receive_bytes = bytes,
                             .send_tag = 1,
                             .receive_tag = 1};
    MX_TRY(app_messages_create(t, "ring", &r->messages));
    MX_TRY(app_messages_resize(r->messages, bytes, bytes));
    MX_TRY(app_messages_set(r->messages, r->size > 1 ? list : &own, r->size > 1 ? 2 : 1));
    MX_TRY(app_messages_buffers(r->messages, MX_I64, &send, &receive));
    MX_TRY(mx_view_create_1d(ctx, "x", MX_I64, r->items, &r->x));
    MX_TRY(mx_view_create_1d(ctx, "other", MX_I64, r->items, &r->other));
    MX_TRY(mx_view_create_1d(ctx, "sum", MX_I64, 1, &r->sum));
    MX_TRY(mx_bind(ctx, r->x, &r->pack.x));
    MX_TRY(mx_bind(ctx, send, &r->pack.buffer));
    MX_TRY(mx_bind(ctx, r->x, &r->unpack.x));
    MX_TRY(mx_bind(ctx, receive, &r->unpack.buffer));
    MX_TRY(mx_bind(ctx, r->other, &r->work.x));
    return mx_bind(ctx, r->other, &r->work.buffer);
}

static mx_err destroy_ring(ring *r)
{
    app_messages_destroy(&r->messages);
    MX_TRY(mx_view_destroy(&r->x));
    MX_TRY(mx_view_destroy(&r->other));
    return mx_view_destroy(&r->sum);
}

static mx_err one_round(app_transport t, ring *r, between what, int round)
{
    const mx_range_1 all = mx_range_1d(r->ctx, 0, r->items);
    r->unpack.add = round;
    MX_TRY(ov_pack(all, &r->pack));
    MX_TRY(app_messages_begin(r->messages));
    for (int w = 0; w < WORKS && what == KERNELS; w++) {
        r->work.add = w;
        MX_TRY(ov_work(all, &r->work));
    }
    if (what == A_SUM) MX_TRY(app_sum_view(t, r->sum, 0, 1));
    MX_TRY(app_messages_end(r->messages));
    return ov_unpack(all, &r->unpack);
}

/* The x of all ranks, the other array and the sum after all rounds. */
static void check_model(ring *r, between what, const int64_t *x, int64_t other, int64_t sum)
{
    int64_t model[8] = {0}, before[8] = {0}, work = 1, power = 1;
    for (int rank = 0; rank < r->size; rank++) model[rank] = rank + 1;
    for (int round = 0; round < ROUNDS; round++) {
        memcpy(before, model, sizeof before);
        for (int rank = 0; rank < r->size; rank++)
            model[rank] += before[(rank + r->size - 1) % r->size] + round;
        for (int w = 0; w < WORKS && what == KERNELS; w++) work = (work * 3 + w) % 1000003;
        if (what == A_SUM) power *= r->size;
    }
    int64_t wrong = 0;
    for (int i = 0; i < r->items; i++) wrong += x[i] != model[r->rank];
    CHECK_I64(wrong, 0);
    CHECK_I64(other, work);
    CHECK_I64(sum, power);
}

static mx_err run_rounds(app_transport t, ring *r, between what)
{
    const int64_t own = r->rank + 1, one = 1;
    int64_t other, sum, *const x = malloc((size_t)r->items * sizeof *x);
    MX_REQUIRE(x != NULL, MX_ERR_MEMORY, "no memory for a test");
    MX_TRY(mx_fill(r->ctx, r->x, &own));
    MX_TRY(mx_fill(r->ctx, r->other, &one));
    MX_TRY(mx_fill(r->ctx, r->sum, &one));
    for (int round = 0; round < ROUNDS; round++) MX_TRY(one_round(t, r, what, round));
    MX_TRY(mx_export(r->ctx, r->x, x, NULL));
    MX_TRY(mx_read_element(r->ctx, r->other, r->items - 1, &other));
    MX_TRY(mx_read_element(r->ctx, r->sum, 0, &sum));
    check_model(r, what, x, other, sum);
    free(x);
    return MX_OK;
}

/* The sums of a kernel that leaves its join to the sum over ranks have the same bits as those of one
 * that does not, with a message or without. */
static mx_err check_joins(app_transport t, ring *r)
{
    enum { RESULTS = 3 };
    const mx_range_1 all = mx_range_1d(r->ctx, 0, r->items);
    const int64_t count = RESULTS * OV_NUMBERS;
    double got[RESULTS][OV_NUMBERS];
    mx_view results, numbers;
    mx_view_info info;
    MX_TRY(mx_view_create_1d(r->ctx, "results", MX_USER(ov_sums), RESULTS, &results));
    MX_TRY(mx_view_get_info(results, &info));
    MX_TRY(mx_view_wrap(r->ctx, "numbers", MX_F64, 1, &count, NULL,
                        &(mx_view_options){.space = info.space}, info.data, &numbers));
    MX_TRY(mx_view_set_unchecked(results));
    for (int n = 0; n < RESULTS; n++) {
        mx_partials partials = {NULL, 0};
        const bool may = n > 0 && app_transport_joins(t);
        MX_TRY(ov_add_up_partials(all, &r->pack, results, n, may ? &partials : NULL));
        if (n == 2) MX_TRY(ov_pack(all, &r->pack));
        if (n == 2) MX_TRY(app_messages_begin(r->messages));
        MX_TRY(app_sum_partials(t, numbers, n * OV_NUMBERS, OV_NUMBERS, &partials));
        if (n == 2) MX_TRY(app_messages_end(r->messages));
    }
    MX_TRY(mx_export(r->ctx, numbers, got, NULL));
    for (int n = 1; n < RESULTS; n++) CHECK(memcmp(got[n], got[0], sizeof got[0]) == 0);
    CHECK(got[0][0] > 0 && got[0][1] > 0 && got[0][2] < 0);
    MX_TRY(mx_view_destroy(&numbers));
    return mx_view_destroy(&results);
}

static mx_err try_path(app_comm comm, mx_ctx ctx, const app_path *path)
{
    app_transport t;
    ring r;
    MX_TRY(app_transport_create_path(comm, ctx, path, &t));
    MX_TRY(make_ring(t, &r));
    for (int what = NOTHING; what < BETWEENS; what++) {
        app_queue before = {.groups = 0};
        const app_queue *const queue = path == &fake_queue ? t->state : &before;
        before = *queue;
        MX_TRY(run_rounds(t, &r, (between)what));
        if (path != &fake_queue) continue;
        CHECK_I64(queue->groups - before.groups, ROUNDS);
        CHECK_I64(queue->joined - before.joined, what == A_SUM ? ROUNDS : 0);
        /* the first exchange with kernels is not ready for them */
        CHECK_I64(queue->overlapped - before.overlapped, what == KERNELS ? ROUNDS - 1 : 0);
    }
    MX_TRY(check_joins(t, &r));
    MX_TRY(destroy_ring(&r));
    app_transport_destroy(&t);
    return MX_OK;
}

int main(int argc, char **argv) { return paths_main(argc, argv, try_path); }
