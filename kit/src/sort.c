/* Sorting: keys become bits that sort alike; bits and indices are sorted together; rows are taken by index. Integers without
 * values need no index: their bits are sorted alone and become keys again, and contiguous ones of 8 bytes are bits already. The
 * sort proper is that of radix.c on hosts, CUB's on cuda. */
#include "containers.h"

static mx_err sort_pairs(mx_ctx ctx, mx_pairs *p, int bits)
{
    return MINX_HAVE_CUDA && ctx->backend->info.instance == MX_INSTANCE_CUDA
               ? mx_sort_on_cuda(ctx, p, bits)
               : mx_sort_on_host(ctx, p, bits);
}

static mx_sort_args sort_args(const mx_record *keys, const mx_pairs *p)
{
    return (mx_sort_args){.keys = keys->data,
                          .key_bytes = keys->stride[0] * (int64_t)MX_TYPE_SIZE(keys->type),
                          .type = keys->type,
                          .bits = p->bits[p->current],
                          .index = p->index[p->current]};
}

/* Memory for so many pairs in the context's scratch, and so many bytes more at *spare. in_place: keys that are bits already. */
static mx_err make_room(mx_ctx ctx, mx_pairs *p, int bits, void *in_place, size_t spare_bytes,
                        void **spare)
{
    const size_t room = ((size_t)p->count + 63) & ~(size_t)63;
    const size_t bits_bytes = room * sizeof(uint64_t),
                 index_bytes = p->keys_only ? 0 : room * sizeof(int32_t);
    void *memory = NULL;
    MX_TRY(sort_pairs(ctx, p, bits)); /* how much does it need? */
    p->work_bytes = (p->work_bytes + 63) & ~(size_t)63;
    MX_TRY(
        mx_scratch(ctx, 2 * (bits_bytes + index_bytes) + p->work_bytes + spare_bytes + 1, &memory));
    char *at = memory;
    for (int s = 0; s < 2; s++) {
        p->bits[s] = s == 0 && in_place != NULL ? in_place : at + s * bits_bytes;
        p->index[s] = p->keys_only ? NULL : (int32_t *)(at + 2 * bits_bytes + s * index_bytes);
    }
    p->work = at + 2 * (bits_bytes + index_bytes);
    *spare = (char *)p->work + p->work_bytes;
    return MX_OK;
}

/* Sorts the bits of keys, with their indices unless `alone`; an order is p->index[p->now] then. */
static mx_err sort_bits(mx_ctx ctx, const mx_record *keys, bool keys_only, size_t spare_bytes,
                        mx_pairs *p, void **spare)
{
    const int64_t n = keys->extent[0];
    const unsigned kind = MX_TYPE_KIND(keys->type);
    const int bits =
        keys->type == MX_F32 ? 64 : (int)MX_TYPE_SIZE(keys->type) * 8; /* as a double */
    const bool in_place = keys_only && bits == 64 && keys->stride[0] == 1;
    MX_TRY(mx_expect(keys->rank == 1 && kind != 0 && n <= MX_INDEX_END, MX_ERR_TYPE, keys, "sort",
                     "numbers, rank 1, MX_INDEX_END of them at most"));
    *p = (mx_pairs){
        .count = n, .keys_only = keys_only, .signed_keys = in_place && keys->type == MX_I64};
    MX_TRY(make_room(ctx, p, bits, in_place ? keys->data : NULL, spare_bytes, spare));
    if (n == 0) return MX_OK;
    const mx_sort_args args = sort_args(keys, p);
    if (!in_place) MX_TRY(mx_sort_encode(mx_range_1d(ctx, 0, n), &args));
    MX_TRY(sort_pairs(ctx, p, bits));
    if (!in_place || p->current == 0) return MX_OK;
    return ctx->backend->memory.copy(ctx, keys->data, p->bits[1], (size_t)n * sizeof(uint64_t));
}

static mx_err put_in_order(mx_ctx ctx, const mx_record *r, const int32_t *order, void *spare)
{
    const mx_strided gather = {.index = order, .index_stride = 1};
    if (r->count == 0) return MX_OK;
    MX_TRY(ctx->backend->memory.copy(ctx, spare, r->data, (size_t)r->span * MX_TYPE_SIZE(r->type)));
    return mx_strided_copy(ctx, r, spare, r->stride, r->extent, &gather);
}

mx_err mx_sort_by_key(mx_ctx ctx, mx_view keys, mx_view values)
{
    mx_record *k, *v;
    mx_pairs p;
    void *spare;
    const bool keys_only = values.generation == 0;
    MX_TRY(mx_accessible_record(ctx, keys, true, "sort", &k));
    MX_TRY(mx_accessible_record(ctx, keys_only ? keys : values, true, "sort values", &v));
    MX_TRY(mx_expect(v->rank > 0 && v->extent[0] == k->extent[0] &&
                         (keys_only || !mx_views_overlap(keys, values)),
                     MX_ERR_EXTENT, v, "sort values", "as many as keys, in other memory"));
    const bool real = k->type == MX_F64 || k->type == MX_F32; /* bits lose the sign of zero */
    const size_t own = real ? (size_t)k->span * MX_TYPE_SIZE(k->type) : 0,
                 other = keys_only ? 0 : (size_t)v->span * MX_TYPE_SIZE(v->type);
    MX_TRY(sort_bits(ctx, k, keys_only && !real, own > other ? own : other, &p, &spare));
    const mx_sort_args args = sort_args(k, &p);
    if (real)
        MX_TRY(put_in_order(ctx, k, p.index[p.current], spare));
    else if (p.bits[0] != k->data)
        MX_TRY(mx_sort_decode(mx_range_1d(ctx, 0, p.count), &args));
    return keys_only ? MX_OK : put_in_order(ctx, v, p.index[p.current], spare);
}

mx_err mx_bin_sort(mx_ctx ctx, mx_view bins, mx_view offsets, mx_view order)
{
    mx_record *k, *to, *at;
    mx_pairs p;
    void *spare;
    const bool ordered = offsets.generation == 0;
    MX_TRY(mx_accessible_record(ctx, bins, false, "sort", &k));
    MX_TRY(mx_accessible_record(ctx, order, true, "sort order", &to));
    MX_TRY(mx_accessible_record(ctx, ordered ? order : offsets, true, "sort offsets", &at));
    MX_TRY(mx_expect(to->rank == 1 && to->type == MX_I32 && to->extent[0] == k->extent[0] &&
                         to->span == to->count,
                     MX_ERR_EXTENT, to, "sort order", "contiguous i32, as many as keys"));
    MX_TRY(mx_expect(ordered || (at->rank == 1 && at->type == MX_I32 && k->type == MX_I32),
                     MX_ERR_TYPE, at, "sort offsets", "i32 of rank 1, and bins of i32"));
    MX_TRY(mx_expect(ordered || !mx_views_overlap(offsets, order), MX_ERR_ARG, at, "sort offsets",
                     "other memory than the order's"));
    MX_TRY(sort_bits(ctx, k, false, 0, &p, &spare));
    mx_sort_args args = sort_args(k, &p);
    args.count = p.count;
    args.offsets = at->data;
    args.offset_stride = at->stride[0];
    if (!ordered) MX_TRY(mx_bin_offsets(mx_range_1d(ctx, 0, at->extent[0]), &args));
    if (p.count == 0) return MX_OK;
    return ctx->backend->memory.copy(ctx, to->data, p.index[p.current],
                                     (size_t)p.count * sizeof(int32_t));
}

mx_err mx_permute(mx_ctx ctx, mx_view destination, mx_view source, mx_view index)
{
    mx_record *to, *from, *positions;
    MX_TRY(mx_accessible_record(ctx, destination, true, "permute", &to));
    MX_TRY(mx_accessible_record(ctx, source, false, "permute from", &from));
    MX_TRY(mx_accessible_record(ctx, index, false, "permute by", &positions));
    MX_TRY(
        mx_expect(positions->rank == 1 && (positions->type == MX_I32 || positions->type == MX_I64),
                  MX_ERR_TYPE, positions, "permute by", "i32 or i64 of rank 1"));
    MX_TRY(mx_expect(!mx_views_overlap(destination, index), MX_ERR_ARG, positions, "permute by",
                     "other memory than the destination's"));
    MX_TRY(mx_expect(to->rank > 0 && to->rank == from->rank && to->type == from->type &&
                         !mx_views_overlap(destination, source),
                     MX_ERR_TYPE, to, "permute", "the source's type and rank, other memory"));
    for (int d = 0; d < to->rank; d++)
        MX_TRY(mx_expect(to->extent[d] == (d == 0 ? positions : from)->extent[d], MX_ERR_EXTENT, to,
                         "permute", "as many as indices, else the source's extents"));
    if (to->count == 0) return MX_OK;
    MX_TRY(mx_expect(from->extent[0] > 0, MX_ERR_BOUNDS, from, "permute from", "elements to take"));
    const mx_strided rows = {.index = positions->data,
                             .index_stride = positions->stride[0],
                             .limit = from->extent[0],
                             .outside = &ctx->overflow[2],
                             .index_64 = positions->type == MX_I64};
    MX_TRY(mx_strided_copy(ctx, to, from->data, from->stride, to->extent, &rows));
    if (ctx->backend->host.run == NULL) return MX_OK; /* a device's next fence will tell */
    const int64_t wrong = ctx->overflow[2];
    ctx->overflow[2] = 0;
    MX_REQUIRE(wrong == 0, MX_ERR_BOUNDS,
               "permute '%s' from '%s': an index in '%s' is %lld, expected 0 to %lld", to->label,
               from->label, positions->label, (long long)wrong, (long long)from->extent[0] - 1);
    return MX_OK;
}
