/* Sorting. Keys are turned into bits that have the same order; bits and indices are sorted
 * together; rows are then gathered by index. Integers without values need no index: their bits are
 * sorted and turned back into keys. Contiguous integers of 8 bytes are sorted in place. radix.c
 * sorts on hosts, the vendor's library on GPUs. */
#include "containers.h"

static mx_err sort_pairs(mx_ctx ctx, mx_pairs *p, int bits)
{
    mx_ctx_details details;
    MX_TRY(mx_ctx_get_details(ctx, &details));
    return MINX_HAVE_CUDA && details.instance == MX_INSTANCE_CUDA ? mx_sort_on_cuda(ctx, p, bits)
           : MINX_HAVE_HIP && details.instance == MX_INSTANCE_HIP ? mx_sort_on_hip(ctx, p, bits)
                                                                  : mx_sort_on_host(ctx, p, bits);
}

/* Checks a view that is sorted or gathered. */
static mx_err usable(mx_ctx ctx, mx_view view, bool writes, const char *what, mx_view_info *info)
{
    MX_TRY(mx_view_usable(ctx, view, writes, what, info));
    return mx_no_graph(ctx, info, what);
}

static mx_sort_args sort_args(const mx_view_info *keys, const mx_pairs *p)
{
    /* the stride of a single key may be any number */
    const int64_t stride = keys->extent[0] > 1 ? keys->stride[0] : 1;
    return (mx_sort_args){.keys = keys->data,
                          .key_bytes = stride * (int64_t)MX_TYPE_SIZE(keys->type),
                          .type = keys->type,
                          .bits = p->bits[p->current],
                          .index = p->index[p->current]};
}

/* Sets the arrays of p to scratch memory of the context, for p->count pairs, and *spare to
 * spare_bytes more. in_place: keys that need no conversion to bits, else NULL. */
static mx_err allocate_pairs(mx_ctx ctx, mx_pairs *p, int bits, void *in_place, size_t spare_bytes,
                             void **spare)
{
    const size_t padded_count = ((size_t)p->count + 63) & ~(size_t)63;
    const size_t bits_bytes = padded_count * sizeof(uint64_t);
    const size_t index_bytes = p->keys_only ? 0 : padded_count * sizeof(int32_t);
    const size_t pairs_bytes = 2 * (bits_bytes + index_bytes);
    void *memory = NULL;
    MX_TRY(sort_pairs(ctx, p, bits)); /* sets p->work_bytes */
    p->work_bytes = (p->work_bytes + 63) & ~(size_t)63;
    MX_TRY(mx_ctx_scratch(ctx, pairs_bytes + p->work_bytes + spare_bytes + 1, &memory));
    char *at = memory;
    for (int s = 0; s < 2; s++) {
        p->bits[s] = s == 0 && in_place != NULL ? in_place : at + s * bits_bytes;
        p->index[s] = p->keys_only ? NULL : (int32_t *)(at + 2 * bits_bytes + s * index_bytes);
    }
    p->work = at + pairs_bytes;
    *spare = (char *)p->work + p->work_bytes;
    return MX_OK;
}

/* Sorts the bits of keys, with their indices unless keys_only. p->index[p->current] is then the
 * order. */
static mx_err sort_bits(mx_ctx ctx, const mx_view_info *keys, bool keys_only, size_t spare_bytes,
                        mx_pairs *p, void **spare)
{
    const int64_t n = keys->extent[0];
    const unsigned kind = MX_TYPE_KIND(keys->type);
    /* an f32 is sorted as the double of its value */
    const int bits = keys->type == MX_F32 ? 64 : (int)MX_TYPE_SIZE(keys->type) * 8;
    const bool in_place = keys_only && bits == 64 && keys->stride[0] == 1;
    MX_TRY(mx_expect(keys->rank == 1 && kind != 0 && n <= MX_INDEX_END, MX_ERR_TYPE, keys, "sort",
                     "numbers, rank 1, MX_INDEX_END of them at most"));
    *p = (mx_pairs){
        .count = n, .keys_only = keys_only, .signed_keys = in_place && keys->type == MX_I64};
    MX_TRY(allocate_pairs(ctx, p, bits, in_place ? keys->data : NULL, spare_bytes, spare));
    if (n == 0) return MX_OK;
    const mx_sort_args args = sort_args(keys, p);
    if (!in_place) MX_TRY(mx_sort_encode(mx_range_1d(ctx, 0, n), &args));
    MX_TRY(sort_pairs(ctx, p, bits));
    if (!in_place || p->current == 0) return MX_OK;
    return mx_ctx_copy(ctx, keys->data, p->bits[1], (size_t)n * sizeof(uint64_t));
}

/* Moves the rows of a view into this order. `spare` has memory for a copy of the view. */
static mx_err reorder(mx_ctx ctx, mx_view view, const mx_view_info *v, const int32_t *order,
                      void *spare)
{
    const mx_rows rows = {.from = spare, .stride = v->stride, .index = order, .index_stride = 1};
    int64_t wrong;
    if (v->count == 0) return MX_OK;
    MX_TRY(mx_ctx_copy(ctx, spare, v->data, v->bytes));
    return mx_view_gather(ctx, view, &rows, &wrong);
}

mx_err mx_sort_by_key(mx_ctx ctx, mx_view keys, mx_view values)
{
    mx_view_info k, v;
    mx_pairs p;
    void *spare;
    const bool keys_only = values.generation == 0;
    MX_TRY(usable(ctx, keys, true, "sort", &k));
    MX_TRY(usable(ctx, keys_only ? keys : values, true, "sort values", &v));
    MX_TRY(mx_expect(v.rank > 0 && v.extent[0] == k.extent[0] &&
                         (keys_only || !mx_views_overlap(keys, values)),
                     MX_ERR_EXTENT, &v, "sort values", "as many as keys, in other memory"));
    /* floating-point keys are moved, not converted back: their bits do not have the sign of zero */
    const bool real = k.type == MX_F64 || k.type == MX_F32;
    const size_t for_keys = real ? k.bytes : 0;
    const size_t for_values = keys_only ? 0 : v.bytes;
    MX_TRY(sort_bits(ctx, &k, keys_only && !real, for_keys > for_values ? for_keys : for_values, &p,
                     &spare));
    const mx_sort_args args = sort_args(&k, &p);
    if (real)
        MX_TRY(reorder(ctx, keys, &k, p.index[p.current], spare));
    else if (p.bits[0] != k.data)
        MX_TRY(mx_sort_decode(mx_range_1d(ctx, 0, p.count), &args));
    return keys_only ? MX_OK : reorder(ctx, values, &v, p.index[p.current], spare);
}

/* Sets where each bin begins in the sorted bits. Small parts keep a device busy, and cost a host
 * more bisections. */
static mx_err bin_offsets(mx_ctx ctx, mx_sort_args *args, const mx_pairs *p,
                          const mx_view_info *offsets)
{
    mx_ctx_info info;
    MX_TRY(mx_ctx_get_info(ctx, &info));
    args->steps = info.device >= 0 ? 16 : 512;
    args->count = p->count;
    args->offsets = offsets->data;
    args->offset_stride = offsets->stride[0];
    args->offset_count = offsets->extent[0];
    const int64_t all_steps = args->count + args->offset_count;
    return mx_bin_offsets(mx_range_1d(ctx, 0, (all_steps + args->steps - 1) / args->steps), args);
}

mx_err mx_bin_sort(mx_ctx ctx, mx_view bins, mx_view offsets, mx_view order)
{
    mx_view_info k, to, at;
    mx_pairs p;
    void *spare;
    const bool order_only = offsets.generation == 0;
    MX_TRY(usable(ctx, bins, false, "sort", &k));
    MX_TRY(usable(ctx, order, true, "sort order", &to));
    MX_TRY(usable(ctx, order_only ? order : offsets, true, "sort offsets", &at));
    MX_TRY(mx_expect(to.rank == 1 && to.type == MX_I32 && to.extent[0] == k.extent[0] &&
                         to.bytes == (size_t)to.count * sizeof(int32_t),
                     MX_ERR_EXTENT, &to, "sort order", "contiguous i32, as many as keys"));
    MX_TRY(mx_expect(order_only || (at.rank == 1 && at.type == MX_I32 && k.type == MX_I32),
                     MX_ERR_TYPE, &at, "sort offsets", "i32 of rank 1, and bins of i32"));
    MX_TRY(mx_expect(order_only || !mx_views_overlap(offsets, order), MX_ERR_ARG, &at,
                     "sort offsets", "other memory than the order's"));
    MX_TRY(sort_bits(ctx, &k, false, 0, &p, &spare));
    mx_sort_args args = sort_args(&k, &p);
    if (!order_only) MX_TRY(bin_offsets(ctx, &args, &p, &at));
    return mx_ctx_copy(ctx, to.data, p.index[p.current], (size_t)p.count * sizeof(int32_t));
}

mx_err mx_permute(mx_ctx ctx, mx_view destination, mx_view source, mx_view index)
{
    mx_view_info to, from, positions;
    int64_t wrong;
    MX_TRY(usable(ctx, destination, true, "permute", &to));
    MX_TRY(usable(ctx, source, false, "permute from", &from));
    MX_TRY(usable(ctx, index, false, "permute by", &positions));
    MX_TRY(mx_expect(positions.rank == 1 && (positions.type == MX_I32 || positions.type == MX_I64),
                     MX_ERR_TYPE, &positions, "permute by", "i32 or i64 of rank 1"));
    MX_TRY(mx_expect(!mx_views_overlap(destination, index), MX_ERR_ARG, &positions, "permute by",
                     "other memory than the destination's"));
    MX_TRY(mx_expect(to.rank > 0 && to.rank == from.rank && to.type == from.type &&
                         !mx_views_overlap(destination, source),
                     MX_ERR_TYPE, &to, "permute", "the source's type and rank, other memory"));
    for (int d = 0; d < to.rank; d++)
        MX_TRY(mx_expect(to.extent[d] == (d == 0 ? &positions : &from)->extent[d], MX_ERR_EXTENT,
                         &to, "permute", "as many as indices, else the source's extents"));
    if (to.count == 0) return MX_OK;
    MX_TRY(mx_expect(from.extent[0] > 0, MX_ERR_BOUNDS, &from, "permute from", "elements to take"));
    const mx_rows rows = {.from = from.data,
                          .stride = from.stride,
                          .index = positions.data,
                          .index_stride = positions.stride[0],
                          .limit = from.extent[0],
                          .index_64 = positions.type == MX_I64};
    MX_TRY(mx_view_gather(ctx, destination, &rows, &wrong));
    MX_REQUIRE(wrong == 0, MX_ERR_BOUNDS,
               "permute '%s' from '%s': an index in '%s' is %lld, expected 0 to %lld", to.label,
               from.label, positions.label, (long long)wrong, (long long)from.extent[0] - 1);
    return MX_OK;
}
