/* Sorting: keys become bits that sort alike; bits and indices are sorted together; rows are taken by index. The sort proper is
 * the backend's. Hosts go digit by digit from the lowest (LSD radix sort; Knuth, vol. 3, 5.2.5): each of some parts counts
 * its digits; what comes before a part's digit, over all digits and parts, is where the part's first item with it goes. That is
 * stable whatever the number of parts. */
#include "containers.h"

#include <string.h>

enum { DIGITS = 256, DIGIT_BITS = 8 };

typedef struct radix {
    const mx_pairs *pairs;
    int parts, shift;
    bool moves; /* after counting */
    int64_t (*at)[DIGITS];
} radix;

static void run_parts(const mx_launch *l, int64_t first, int64_t last)
{
    const radix *r = l->args;
    const mx_pairs *p = r->pairs;
    const uint64_t *bits = p->bits[p->now];
    for (int64_t part = first; part < last; part++) {
        int64_t *const at = r->at[part], end = p->count * (part + 1) / r->parts;
        if (!r->moves) memset(at, 0, sizeof r->at[part]);
        for (int64_t i = p->count * part / r->parts; i < end; i++) {
            const int64_t to = at[(bits[i] >> r->shift) % DIGITS]++;
            if (!r->moves) continue;
            p->bits[!p->now][to] = bits[i];
            p->index[!p->now][to] = p->index[p->now][i];
        }
    }
}

/* Counts become places. false: all items have one digit, and stay. */
static bool place(const radix *r)
{
    int64_t sum = 0;
    for (int d = 0; d < DIGITS; d++) {
        const int64_t before = sum;
        for (int part = 0; part < r->parts; part++) {
            const int64_t count = r->at[part][d];
            r->at[part][d] = sum;
            sum += count;
        }
        if (sum - before == r->pairs->count) return false;
    }
    return true;
}

static mx_err host_sort(mx_ctx ctx, mx_pairs *p, int bits)
{
    radix r = {.pairs = p, .parts = ctx->threads, .at = p->work};
    const mx_launch l = {.args = &r, .ctx = ctx};
    p->work_bytes = (size_t)r.parts * sizeof *r.at;
    for (; p->work != NULL && r.shift < bits; r.shift += DIGIT_BITS) {
        r.moves = false;
        ctx->backend->run(ctx, &l, run_parts, r.parts);
        if (!place(&r)) continue;
        r.moves = true;
        ctx->backend->run(ctx, &l, run_parts, r.parts);
        p->now = !p->now;
    }
    return MX_OK;
}

static mx_err sort_pairs(mx_ctx ctx, mx_pairs *p, int bits)
{
    return ctx->backend->sort != NULL ? ctx->backend->sort(ctx, p, bits) : host_sort(ctx, p, bits);
}

/* The order of keys as p->index[p->now], in the context's scratch, with so many bytes more at *spare. */
static mx_err find_order(mx_ctx ctx, const mx_record *keys, size_t spare_bytes, mx_pairs *p,
                         void **spare)
{
    const int64_t n = keys->extent[0];
    const size_t room = ((size_t)n + 63) & ~(size_t)63, size = MX_TYPE_SIZE(keys->type);
    const unsigned kind = MX_TYPE_KIND(keys->type);
    const int bits = keys->type == MX_F32 ? 64 : (int)size * 8; /* as a double */
    void *memory = NULL;
    MX_TRY(mx_expect(ctx->graph == NULL, MX_ERR_ARG, keys, "sort", "a graph not to record it"));
    MX_TRY(mx_expect(keys->rank == 1 && kind != 0 && n <= MX_INDEX_END, MX_ERR_TYPE, keys, "sort",
                     "numbers, rank 1, MX_INDEX_END of them at most"));
    *p = (mx_pairs){.count = n};
    MX_TRY(sort_pairs(ctx, p, bits)); /* how much memory does it need? */
    p->work_bytes = (p->work_bytes + 63) & ~(size_t)63;
    MX_TRY(mx_scratch(ctx, room * 24 + p->work_bytes + spare_bytes + 1, &memory));
    for (size_t s = 0; s < 2; s++) {
        p->bits[s] = (uint64_t *)memory + s * room;
        p->index[s] = (int32_t *)((uint64_t *)memory + 2 * room) + s * room;
    }
    p->work = (char *)memory + room * 24;
    *spare = (char *)p->work + p->work_bytes;
    const int64_t key_bytes = keys->stride[0] * (int64_t)size;
    const mx_sort_args args = {keys->data, key_bytes, n, 0, kind, p->bits[0], p->index[0], NULL};
    MX_TRY(mx_sort_encode(mx_range_1d(ctx, 0, n), &args));
    return n > 0 ? sort_pairs(ctx, p, bits) : MX_OK;
}

static mx_err put_in_order(mx_ctx ctx, const mx_record *r, const int32_t *order, void *spare)
{
    const mx_strided by = {.index = order, .index_stride = 1};
    if (r->count == 0) return MX_OK;
    MX_TRY(ctx->backend->copy(ctx, spare, r->data, (size_t)r->span * MX_TYPE_SIZE(r->type)));
    return mx_strided_copy(ctx, r, spare, r->stride, r->extent, &by);
}

mx_err mx_sort_by_key(mx_ctx ctx, mx_view keys, mx_view values)
{
    mx_record *k, *v;
    mx_pairs p;
    void *spare;
    const bool alone = values.generation == 0;
    MX_TRY(mx_reached(ctx, keys, true, "sort", &k));
    MX_TRY(mx_reached(ctx, alone ? keys : values, true, "sort values", &v));
    MX_TRY(mx_expect(v->rank > 0 && v->extent[0] == k->extent[0] &&
                         (alone || !mx_views_overlap(keys, values)),
                     MX_ERR_EXTENT, v, "sort values", "as many as keys, in other memory"));
    const size_t own = (size_t)k->span * MX_TYPE_SIZE(k->type),
                 other = (size_t)v->span * MX_TYPE_SIZE(v->type);
    MX_TRY(find_order(ctx, k, own > other ? own : other, &p, &spare));
    MX_TRY(put_in_order(ctx, k, p.index[p.now], spare));
    return alone ? MX_OK : put_in_order(ctx, v, p.index[p.now], spare);
}

mx_err mx_bin_sort(mx_ctx ctx, mx_view bins, mx_view offsets, mx_view order)
{
    mx_record *k, *to, *at;
    mx_pairs p;
    void *spare;
    const bool ordered = offsets.generation == 0;
    MX_TRY(mx_reached(ctx, bins, false, "sort", &k));
    MX_TRY(mx_reached(ctx, order, true, "sort order", &to));
    MX_TRY(mx_reached(ctx, ordered ? order : offsets, true, "sort offsets", &at));
    MX_TRY(mx_expect(to->rank == 1 && to->type == MX_I32 && to->extent[0] == k->extent[0] &&
                         to->span == to->count,
                     MX_ERR_EXTENT, to, "sort order", "contiguous i32, as many as keys"));
    MX_TRY(mx_expect(ordered || (at->rank == 1 && at->type == MX_I32 && k->type == MX_I32),
                     MX_ERR_TYPE, at, "sort offsets", "i32 of rank 1, and bins of i32"));
    MX_TRY(find_order(ctx, k, 0, &p, &spare));
    const mx_sort_args args = {NULL, 0, p.count, at->stride[0], 0, p.bits[p.now], NULL, at->data};
    if (!ordered) MX_TRY(mx_bin_offsets(mx_range_1d(ctx, 0, at->extent[0]), &args));
    if (p.count == 0) return MX_OK;
    return ctx->backend->copy(ctx, to->data, p.index[p.now], (size_t)p.count * sizeof(int32_t));
}

mx_err mx_permute(mx_ctx ctx, mx_view destination, mx_view source, mx_view index)
{
    mx_record *to, *from, *by;
    MX_TRY(mx_reached(ctx, destination, true, "permute", &to));
    MX_TRY(mx_reached(ctx, source, false, "permute from", &from));
    MX_TRY(mx_reached(ctx, index, false, "permute by", &by));
    MX_TRY(mx_expect(by->rank == 1 && (by->type == MX_I32 || by->type == MX_I64), MX_ERR_TYPE, by,
                     "permute by", "i32 or i64 of rank 1"));
    MX_TRY(mx_expect(to->rank > 0 && to->rank == from->rank && to->type == from->type &&
                         !mx_views_overlap(destination, source),
                     MX_ERR_TYPE, to, "permute", "the source's type and rank, other memory"));
    for (int d = 0; d < to->rank; d++)
        MX_TRY(mx_expect(to->extent[d] == (d == 0 ? by : from)->extent[d], MX_ERR_EXTENT, to,
                         "permute", "as many as indices, else the source's extents"));
    const mx_strided rows = {
        .index = by->data, .index_stride = by->stride[0], .wide = by->type == MX_I64};
    return mx_strided_copy(ctx, to, from->data, from->stride, to->extent, &rows);
}
