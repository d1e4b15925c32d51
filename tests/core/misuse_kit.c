/* Misuse of the kit: scatter views, tokens, maps, sorting. */
#include "minx/graph.h"
#include "minx/kit/map.h"
#include "minx/kit/scatter.h"
#include "minx/kit/sort.h"
#include "misuse.h"

static mx_view line(mu_world *w, mx_type type, int64_t n)
{
    mx_view view = MX_VIEW_NULL;
    return mx_view_create_1d(w->ctx, "v", type, n, &view) == MX_OK ? view : MX_VIEW_NULL;
}

/* Ends what a case has made, and passes its error on. */
static mx_err ended(mx_err err, mx_view *a, mx_view *b)
{
    MX_TRY(mx_view_destroy(a));
    MX_TRY(mx_view_destroy(b));
    return err;
}

/* ---- scatter views ---- */

static mx_err scatter_of(mu_world *w, mx_view target)
{
    mx_scatter s = {{7, 7}, {7, 7}, {7, 7}, 7, 7, 7, 7};
    const mx_err err = mx_scatter_create(w->ctx, target, MX_SUM, &s);
    return s.copies.generation == 0 && s.count == 0 ? err : MX_OK;
}

static mx_err scatter_of_tiles(mu_world *w) { return scatter_of(w, w->tiled); }
static mx_err scatter_of_stale(mu_world *w) { return scatter_of(w, w->gone); }
static mx_err scatter_into_null(mu_world *w)
{
    return mx_scatter_create(w->ctx, w->row, MX_SUM, (mx_scatter *)NULL);
}

static mx_err scatter_of_bytes(mu_world *w)
{
    mx_view bytes = line(w, MX_U8, 4);
    return ended(scatter_of(w, bytes), &bytes, NULL);
}

static mx_err scatter_other_reducer(mu_world *w)
{
    MX_SCATTER_OF(mx_f64_1, MX_MAX) largest;
    mx_scatter s;
    MX_TRY(mx_scatter_create(w->ctx, w->row, MX_SUM, &s));
    const mx_err err = mx_scatter_bind(w->ctx, &s, &largest);
    MX_TRY(mx_scatter_destroy(&s));
    return err;
}

static mx_err contribute(mu_world *w, mx_view to)
{
    mx_scatter s;
    MX_TRY(mx_scatter_create(w->ctx, w->row, MX_SUM, &s));
    const mx_err err = mx_scatter_contribute(w->ctx, &s, to);
    MX_TRY(mx_scatter_destroy(&s));
    return err;
}

static mx_err contribute_to_grid(mu_world *w) { return contribute(w, w->grid); }
static mx_err contribute_to_ints(mu_world *w) { return contribute(w, w->ints); }
static mx_err contribute_to_constant(mu_world *w) { return contribute(w, w->fixed); }
static mx_err contribute_to_stale(mu_world *w) { return contribute(w, w->gone); }

static mx_err contribute_nothing(mu_world *w)
{
    const mx_err err = mx_scatter_reset(w->ctx, NULL);
    return err == MX_ERR_ARG ? mx_scatter_contribute(w->ctx, NULL, w->row) : MX_OK;
}

static mx_err contribute_ended(mu_world *w)
{
    mx_scatter s;
    memset(&s, 0, sizeof s);
    MX_TRY(mx_scatter_destroy(&s));
    MX_TRY(mx_scatter_destroy(NULL));
    return mx_scatter_contribute(w->ctx, &s, w->row);
}

/* ---- tokens and maps ---- */

static mx_err tokens_without_context(mu_world *w)
{
    return mx_tokens_create(NULL, "tokens", &w->out);
}
static mx_err tokens_into_null(mu_world *w) { return mx_tokens_create(w->ctx, "tokens", NULL); }
static mx_err map_for_none(mu_world *w) { return mx_map_create(w->ctx, "map", 0, &w->out); }
static mx_err map_without_context(mu_world *w) { return mx_map_create(NULL, "map", 9, &w->out); }
static mx_err map_into_null(mu_world *w) { return mx_map_create(w->ctx, "map", 9, NULL); }

static mx_err map_for_too_many(mu_world *w)
{
    return mx_map_create(w->ctx, "map", (int64_t)1 << 40, &w->out);
}

static mx_err capacity_of_no_map(mu_world *w)
{
    int64_t capacity;
    return mx_map_capacity(w->row, &capacity);
}

static mx_err clear_no_map(mu_world *w) { return mx_map_clear(w->ctx, w->ints); }

static mx_err size_of_numbers(mu_world *w)
{
    mx_view numbers = line(w, MX_U64, 9); /* the right type, but not so many slots */
    int64_t size;
    bool failed;
    return ended(mx_map_size(w->ctx, numbers, &size, &failed), &numbers, NULL);
}

static mx_err size_into_null(mu_world *w)
{
    mx_view map;
    MX_TRY(mx_map_create(w->ctx, "map", 9, &map));
    return ended(mx_map_size(w->ctx, map, NULL, NULL), &map, NULL);
}

static mx_err rehash_stale(mu_world *w)
{
    mx_view map = w->gone;
    return mx_map_rehash(w->ctx, &map, 10, &w->out);
}

static mx_err rehash_nothing(mu_world *w) { return mx_map_rehash(w->ctx, NULL, 10, &w->out); }

static mx_err rehash_for_none(mu_world *w)
{
    mx_view map;
    MX_TRY(mx_map_create(w->ctx, "map", 9, &map));
    const mx_view before = map;
    const mx_err err = mx_map_rehash(w->ctx, &map, 0, &w->out);
    return ended(map.slot == before.slot ? err : MX_OK, &map, NULL);
}

/* ---- sorting ---- */

static mx_err sort_without_context(mu_world *w) { return mx_sort(NULL, w->row); }
static mx_err sort_grid(mu_world *w) { return mx_sort(w->ctx, w->grid); }
static mx_err sort_constant(mu_world *w) { return mx_sort(w->ctx, w->fixed); }
static mx_err sort_stale(mu_world *w) { return mx_sort(w->ctx, w->gone); }
static mx_err sort_one(mu_world *w) { return mx_sort(w->ctx, w->number); }
static mx_err sort_with_itself(mu_world *w) { return mx_sort_by_key(w->ctx, w->row, w->row); }
static mx_err sort_with_fewer(mu_world *w) { return mx_sort_by_key(w->ctx, w->row, w->grid); }
static mx_err order_into_numbers(mu_world *w) { return mx_sort_order(w->ctx, w->row, w->to); }
static mx_err bins_of_numbers(mu_world *w)
{
    mx_view order = line(w, MX_I32, MU_N), offsets = line(w, MX_I32, 3);
    return ended(mx_bin_sort(w->ctx, w->row, offsets, order), &order, &offsets);
}

static mx_err offsets_in_order(mu_world *w)
{
    mx_view order = line(w, MX_I32, MU_N), offsets;
    MX_TRY(mx_subview(order, MX_SLICES(mx_span(0, 3)), &offsets));
    return ended(mx_bin_sort(w->ctx, w->ints, offsets, order), &order, &offsets);
}

static mx_err permute(mu_world *w, mx_view to, mx_view from, mx_view index)
{
    const mx_err err = mx_permute(w->ctx, to, from, index), later = mx_fence(w->ctx);
    return err != MX_OK ? err : later;
}

/* By the indices 0 to MU_N - 1, one of which is wrong. */
static mx_err permute_wrong(mu_world *w, int32_t wrong)
{
    mx_view index = line(w, MX_I32, MU_N), to = line(w, MX_F64, MU_N);
    MX_TRY(mx_deep_copy(w->ctx, index, w->ints));
    MX_TRY(mx_write_element(w->ctx, index, 4, &wrong));
    return ended(permute(w, to, w->row, index), &index, &to);
}

static mx_err permute_negative(mu_world *w) { return permute_wrong(w, -1); }
static mx_err permute_beyond(mu_world *w) { return permute_wrong(w, MU_N); }
static mx_err permute_far_beyond(mu_world *w) { return permute_wrong(w, INT32_MAX); }
static mx_err permute_itself(mu_world *w) { return permute(w, w->row, w->row, w->ints); }
static mx_err permute_the_index(mu_world *w)
{
    mx_view from = line(w, MX_I32, MU_N);
    return ended(permute(w, w->ints, from, w->ints), &from, NULL);
}
static mx_err permute_by_numbers(mu_world *w) { return permute(w, w->to, w->row, w->row); }
static mx_err permute_other_type(mu_world *w) { return permute(w, w->to, w->ints, w->ints); }
static mx_err permute_other_rank(mu_world *w) { return permute(w, w->to, w->grid, w->ints); }
static mx_err permute_to_constant(mu_world *w) { return permute(w, w->fixed, w->to, w->ints); }

static mx_err permute_from_nothing(mu_world *w)
{
    mx_view nothing = line(w, MX_F64, 0), to = line(w, MX_F64, MU_N);
    return ended(permute(w, to, nothing, w->ints), &nothing, &to);
}

static mx_err permute_to_fewer(mu_world *w)
{
    mx_view to = line(w, MX_F64, MU_N - 1);
    return ended(permute(w, to, w->row, w->ints), &to, NULL);
}

static mx_err while_recording(mu_world *w, bool sorts)
{
    mx_graph graph;
    MX_TRY(mx_graph_create(w->ctx, &graph));
    const mx_err err = sorts ? mx_sort(w->ctx, w->row) : mx_permute(w->ctx, w->to, w->row, w->ints);
    mx_graph_destroy(&graph);
    return err;
}

static mx_err graph_sort(mu_world *w) { return while_recording(w, true); }
static mx_err graph_permute(mu_world *w) { return while_recording(w, false); }

const mu_case mu_kit_cases[] = {
    MU_CASE(scatter_of_tiles, MU_ALL, MX_ERR_LAYOUT, "scatter view of 'tiled'", "layout is tiled"),
    MU_CASE(scatter_of_stale, MU_ALL, MX_ERR_STALE, "does not exist (any more)", ""),
    MU_CASE(scatter_of_bytes, MU_ALL, MX_ERR_TYPE, "scatter view: got view 'v', u8", "expected"),
    MU_CASE(scatter_into_null, MU_ALL, MX_ERR_ARG, "is NULL", ""),
    MU_CASE(scatter_other_reducer, MU_ALL, MX_ERR_TYPE, "MX_MAX", "'row'"),
    MU_CASE(contribute_to_grid, MU_ALL, MX_ERR_EXTENT, "contribute: got view 'grid'",
            "strides of its target"),
    MU_CASE(contribute_to_ints, MU_ALL, MX_ERR_EXTENT, "contribute: got view 'ints'",
            "strides of its target"),
    MU_CASE(contribute_to_constant, MU_ALL, MX_ERR_CONST, "contribute: got view 'row", "read-only"),
    MU_CASE(contribute_to_stale, MU_ALL, MX_ERR_STALE, "does not exist (any more)", ""),
    MU_CASE(contribute_nothing, MU_ALL, MX_ERR_ARG, "contribute: no scatter view", ""),
    MU_CASE(contribute_ended, MU_ALL, MX_ERR_STALE, "does not exist (any more)", ""),
    MU_CASE(tokens_without_context, MU_ALL, MX_ERR_ARG, "tokens need a context", ""),
    MU_CASE(tokens_into_null, MU_ALL, MX_ERR_ARG, "is NULL", ""),
    MU_CASE(map_for_none, MU_ALL, MX_ERR_ARG, "map 'map': got 0 keys", "expected 1 to 2^29"),
    MU_CASE(map_for_too_many, MU_ALL, MX_ERR_ARG, "map 'map'", "expected 1 to 2^29"),
    MU_CASE(map_without_context, MU_ALL, MX_ERR_ARG, "a view needs a context", ""),
    MU_CASE(map_into_null, MU_ALL, MX_ERR_ARG, "is NULL", ""),
    MU_CASE(capacity_of_no_map, MU_ALL, MX_ERR_TYPE, "map: got view 'row', f64", "mx_map_create"),
    MU_CASE(clear_no_map, MU_ALL, MX_ERR_TYPE, "map: got view 'ints', i32", "mx_map_create"),
    MU_CASE(size_of_numbers, MU_ALL, MX_ERR_TYPE, "map: got view 'v', u64", "mx_map_create"),
    MU_CASE(size_into_null, MU_ALL, MX_ERR_ARG, "map: size: got view 'map'", "two output pointers"),
    MU_CASE(rehash_stale, MU_ALL, MX_ERR_STALE, "does not exist (any more)", ""),
    MU_CASE(rehash_nothing, MU_ALL, MX_ERR_ARG, "map: rehash: no map", ""),
    MU_CASE(rehash_for_none, MU_ALL, MX_ERR_ARG, "map 'map': got 0 keys", ""),
    MU_CASE(sort_without_context, MU_ALL, MX_ERR_ARG, "sort: no context", ""),
    MU_CASE(sort_grid, MU_ALL, MX_ERR_TYPE, "sort: got view 'grid'", "expected numbers, rank 1"),
    MU_CASE(sort_constant, MU_ALL, MX_ERR_CONST, "sort: got view 'row", "read-only"),
    MU_CASE(sort_stale, MU_ALL, MX_ERR_STALE, "does not exist (any more)", ""),
    MU_CASE(sort_one, MU_ALL, MX_ERR_EXTENT, "got view 'number', f64 of rank 0", "expected"),
    MU_CASE(sort_with_itself, MU_ALL, MX_ERR_EXTENT, "'row'", "in other memory"),
    MU_CASE(sort_with_fewer, MU_ALL, MX_ERR_EXTENT, "'grid'", "expected as many as keys"),
    MU_CASE(order_into_numbers, MU_ALL, MX_ERR_EXTENT, "sort order: got view 'to', f64", "i32"),
    MU_CASE(bins_of_numbers, MU_ALL, MX_ERR_TYPE, "sort offsets", "bins of i32"),
    MU_CASE(offsets_in_order, MU_ALL, MX_ERR_ARG, "sort offsets: got view 'v[0:3]'", "order"),
    MU_CASE(permute_negative, MU_HOSTS, MX_ERR_BOUNDS, "permute 'v' from 'row'", "'v' is -1"),
    MU_CASE(permute_beyond, MU_HOSTS, MX_ERR_BOUNDS, "from 'row'", "is 8, expected 0 to 7"),
    MU_CASE(permute_far_beyond, MU_HOSTS, MX_ERR_BOUNDS, "from 'row'", "is 2147483647"),
    MU_CASE(permute_negative, MU_CUDA, MX_ERR_BOUNDS, "permute: index -1", ""),
    MU_CASE(permute_far_beyond, MU_CUDA, MX_ERR_BOUNDS, "permute: index 2147483647", ""),
    MU_CASE(permute_itself, MU_ALL, MX_ERR_TYPE, "permute: got view 'row'", "other memory"),
    MU_CASE(permute_the_index, MU_ALL, MX_ERR_ARG, "permute by: got view", "other memory"),
    MU_CASE(permute_by_numbers, MU_ALL, MX_ERR_TYPE, "permute by: got view 'row', f64", "i32"),
    MU_CASE(permute_other_type, MU_ALL, MX_ERR_TYPE, "permute: got view 'to'", "source's type"),
    MU_CASE(permute_other_rank, MU_ALL, MX_ERR_TYPE, "permute: got view 'to'", "type and rank"),
    MU_CASE(permute_to_constant, MU_ALL, MX_ERR_CONST, "permute: got view 'row", "read-only"),
    MU_CASE(permute_from_nothing, MU_ALL, MX_ERR_BOUNDS, "permute from: got view 'v'", "elements"),
    MU_CASE(permute_to_fewer, MU_ALL, MX_ERR_EXTENT, "permute: got view 'v'", "as many as indices"),
    MU_CASE(graph_sort, MU_ALL, MX_ERR_ARG, "sort: got view 'row'",
            "a context that records no graph"),
    MU_CASE(graph_permute, MU_ALL, MX_ERR_ARG, "permute: got view 'to'", "records no graph"),
    {NULL, NULL, 0, MX_OK, NULL, NULL},
};
