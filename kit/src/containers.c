/* Scatter views, tokens, maps: what drivers call. */
#include "containers.h"
#include "minx/team.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

mx_err mx_expect(bool holds, mx_err err, const mx_record *r, const char *what, const char *expected)
{
    MX_REQUIRE(holds, err, "%s: got view '%s', %s of rank %d, first extent %lld, expected %s", what,
               r->label, mx_type_name(r->type), r->rank, (long long)r->extent[0], expected);
    return MX_OK;
}

mx_err mx_accessible_record(mx_ctx ctx, mx_view view, bool writes, const char *what,
                            mx_record **record)
{
    MX_REQUIRE(ctx != NULL, MX_ERR_ARG, "%s: no context", what);
    MX_TRY(mx_record_find(view, record));
    MX_TRY(mx_record_strided(*record, what));
    MX_TRY(mx_expect(ctx->graph == NULL, MX_ERR_ARG, *record, what, "a graph not to record it"));
    MX_TRY(mx_expect(mx_ctx_can_access(ctx, *record), MX_ERR_SPACE, *record, what,
                     "memory that the context reaches"));
    return mx_expect(!writes || !(*record)->constant, MX_ERR_CONST, *record, what,
                     "one that is not only to be read");
}

/* ---- scatter views ---- */

mx_err mx_scatter_create_(mx_ctx ctx, mx_view target, int op, mx_scatter *s)
{
    mx_record *t;
    MX_REQUIRE(s != NULL, MX_ERR_ARG, "a scatter view, and nowhere to put it");
    memset(s, 0, sizeof *s);
    MX_TRY(mx_accessible_record(ctx, target, false, "scatter view", &t));
    MX_TRY(mx_expect(MX_TYPE_KIND(t->type) != 0 && t->type != MX_U8, MX_ERR_TYPE, t, "scatter view",
                     "elements f64 f32 i32 i64 u32 or u64"));
    MX_TRY(mx_expect(t->rank > 0, MX_ERR_RANK, t, "scatter view", "rank 1 or more"));
    s->ctx = ctx;
    s->op = op;
    s->count = ctx->backend->info.instance == MX_INSTANCE_HOST ? ctx->threads : 1;
    s->step = (t->span + 64) & ~(int64_t)63; /* threads share no cache line */
    const int64_t all = s->count * s->step;
    const mx_view_options options = {.uninitialized = true};
    MX_TRY((mx_view_create)(ctx, t->label, t->type, 1, &all, &options, &s->copies));
    mx_record *r = mx_record_of(s->copies); /* accessors see the first copy */
    r->rank = t->rank;
    r->layout = t->layout;
    r->count = t->count;
    memcpy(r->extent, t->extent, sizeof r->extent);
    memcpy(r->stride, t->stride, sizeof r->stride);
    const mx_err err = mx_scatter_reset(ctx, s);
    if (err != MX_OK) mx_scatter_destroy(s);
    return err;
}

mx_err mx_scatter_bind_(mx_ctx ctx, const mx_scatter *s, mx_err bound, size_t op, int64_t *step)
{
    static const char *const names[] = {"MX_SUM", "MX_PROD", "MX_MIN", "MX_MAX"};
    if (bound != MX_OK) return MX_PASS(bound);
    MX_TRY(
        mx_expect((int)op == s->op, MX_ERR_TYPE, mx_record_of(s->copies), names[op], names[s->op]));
    const bool own = ctx == s->ctx && ctx != NULL && ctx->threads <= s->count;
    *step = own && ctx->check == NULL ? s->step : -1;
    return MX_OK;
}

mx_err mx_scatter_contribute(mx_ctx ctx, const mx_scatter *s, mx_view target)
{
    mx_record *to, *from;
    MX_REQUIRE(s != NULL, MX_ERR_ARG, "scatter: contribute: no scatter view");
    MX_TRY(mx_accessible_record(ctx, target, true, "scatter: contribute", &to));
    MX_TRY(mx_accessible_record(ctx, s->copies, false, "scatter: contribute", &from));
    MX_TRY(mx_expect(to->type == from->type && to->rank == from->rank &&
                         memcmp(to->extent, from->extent, sizeof to->extent) == 0 &&
                         memcmp(to->stride, from->stride, sizeof to->stride) == 0,
                     MX_ERR_EXTENT, to, "scatter: contribute", "what it was created for"));
    const bool gaps = mx_record_has_gaps(to); /* others have what is there */
    mx_join_args args = {.to = to->data,
                         .from = from->data,
                         .step = s->step,
                         .copies = s->count,
                         .op = s->op,
                         .rank = gaps ? to->rank : 0};
    memcpy(args.extent, to->extent, sizeof args.extent);
    memcpy(args.stride, to->stride, sizeof args.stride);
    const mx_range_1 all = mx_range_1d(ctx, 0, gaps || to->count == 0 ? to->count : to->span);
    switch (to->type) {
    case MX_F64: return mx_scatter_join_f64(all, &args);
    case MX_F32: return mx_scatter_join_f32(all, &args);
    case MX_I32: return mx_scatter_join_i32(all, &args);
    case MX_I64: return mx_scatter_join_i64(all, &args);
    case MX_U32: return mx_scatter_join_u32(all, &args);
    default: return mx_scatter_join_u64(all, &args);
    }
}

mx_err mx_scatter_reset(mx_ctx ctx, const mx_scatter *s)
{
    static const uint64_t identity[][4] = {
        /* by kind, of sum, prod, min and max */
        {0},
        {0, 0x3ff0000000000000, 0x7ff0000000000000, 0xfff0000000000000},
        {0, 0x3f800000, 0x7f800000, 0xff800000},
        {0, 1, INT32_MAX, (uint32_t)INT32_MIN},
        {0, 1, INT64_MAX, (uint64_t)INT64_MIN},
        {0},
        {0, 1, UINT32_MAX, 0},
        {0, 1, UINT64_MAX, 0}};
    mx_record *r;
    MX_REQUIRE(s != NULL, MX_ERR_ARG, "scatter: reset: no scatter view");
    MX_TRY(mx_accessible_record(ctx, s->copies, true, "scatter: reset", &r));
    return mx_fill(ctx, s->copies, &identity[MX_TYPE_KIND(r->type)][s->op]); /* little-endian */
}

mx_err mx_scatter_destroy(mx_scatter *s) { return s != NULL ? mx_view_destroy(&s->copies) : MX_OK; }

/* ---- tokens ---- */

mx_err(mx_tokens_create)(mx_ctx ctx, const char *label, mx_view *tokens)
{
    MX_TRY(mx_view_set_null(tokens));
    MX_REQUIRE(ctx != NULL, MX_ERR_ARG, "tokens need a context");
    const int64_t simt =
                      ctx->backend->host.chunks_are_items ? MX_TEAM_MAX : 0, /* a team's, at once */
        count = simt + ctx->max_concurrency + ctx->threads;
    MX_TRY((mx_view_create)(ctx, label, MX_I32, 1, &count, NULL, tokens));
    mx_record_of(*tokens)->tokens = true;
    return MX_OK;
}

void mx_token_stop_(unsigned worker, unsigned count)
{
    fprintf(
        stderr,
        "minx: mx_token_acquire: thread %u, and tokens for %u: they were made for another context\n",
        worker, count);
    abort();
}

/* ---- maps ---- */

mx_err(mx_map_create)(mx_ctx ctx, const char *label, int64_t keys, mx_view *map)
{
    int64_t slots = 2;
    MX_TRY(mx_view_set_null(map));
    MX_REQUIRE(keys >= 1 && keys <= (int64_t)1 << 29, MX_ERR_ARG,
               "map '%s': got %lld keys, expected 1 to 2^29", label, (long long)keys);
    while (slots < keys + (keys + 2) / 3) slots *= 2;
    slots += 2;
    return (mx_view_create)(ctx, label, MX_U64, 1, &slots, NULL, map);
}

mx_err mx_map_capacity(mx_view map, int64_t *capacity)
{
    mx_record *r;
    MX_TRY(mx_record_find(map, &r));
    const int64_t slots = r->extent[0] - 2;
    MX_TRY(mx_expect(r->type == MX_U64 && r->rank == 1 && slots >= 2 && (slots & (slots - 1)) == 0,
                     MX_ERR_TYPE, r, "map", "a view that mx_map_create made"));
    MX_TRY(mx_expect(capacity != NULL, MX_ERR_ARG, r, "map", "room for a result"));
    *capacity = slots + 1;
    return MX_OK;
}

mx_err mx_map_size(mx_ctx ctx, mx_view map, int64_t *size, bool *failed)
{
    mx_map_args args = {0};
    int64_t capacity = 0;
    uint64_t note = 0;
    MX_TRY(mx_map_capacity(map, &capacity));
    MX_TRY(mx_expect(ctx != NULL && size != NULL && failed != NULL, MX_ERR_ARG, mx_record_of(map),
                     "map: size", "a context, and room for both results"));
    MX_TRY(mx_bind(ctx, map, &args.map));
    mx_bind_none(&args.old);
    mx_bind_none(&args.origin);
    MX_TRY(mx_map_count(mx_range_1d(ctx, 0, capacity), &args, size));
    MX_TRY(mx_read_element(ctx, map, capacity, &note));
    *failed = note != 0;
    return MX_OK;
}

mx_err mx_map_clear(mx_ctx ctx, mx_view map)
{
    int64_t capacity;
    MX_TRY(mx_map_capacity(map, &capacity));
    return MX_PASS(mx_fill(ctx, map, &(uint64_t){0}));
}

static mx_err rehash(mx_ctx ctx, mx_view old, int64_t keys, mx_view *map, mx_view *origin)
{
    mx_map_args args = {0};
    int64_t old_capacity = 0, capacity = 0, size;
    bool failed = false;
    MX_TRY(mx_map_capacity(old, &old_capacity));
    MX_TRY(mx_expect(ctx != NULL && ctx->graph == NULL, MX_ERR_ARG, mx_record_of(old),
                     "map: rehash", "a context, and no graph that records it"));
    MX_TRY((mx_map_create)(ctx, mx_record_of(old)->label, keys, map));
    MX_TRY(mx_map_capacity(*map, &capacity));
    MX_TRY((mx_view_create)(ctx, "origin", MX_I32, 1, &capacity, NULL, origin));
    MX_TRY(mx_bind(ctx, old, &args.old));
    MX_TRY(mx_bind(ctx, *map, &args.map));
    MX_TRY(mx_bind(ctx, *origin, &args.origin));
    MX_TRY(mx_map_insert_all(mx_range_1d(ctx, 0, old_capacity), &args));
    MX_TRY(mx_map_size(ctx, *map, &size, &failed));
    return mx_expect(!failed, MX_ERR_EXTENT, mx_record_of(*map), "map: rehash",
                     "room for its keys");
}

mx_err(mx_map_rehash)(mx_ctx ctx, mx_view *map, int64_t keys, mx_view *origin)
{
    MX_REQUIRE(map != NULL, MX_ERR_ARG, "map: rehash: no map");
    MX_TRY(mx_view_set_null(origin));
    mx_view fresh = MX_VIEW_NULL, gone = *map;
    const mx_err err = rehash(ctx, gone, keys, &fresh, origin);
    if (err != MX_OK) mx_view_destroy(origin);
    *map = err == MX_OK ? fresh : gone;
    mx_view_destroy(err == MX_OK ? &gone : &fresh);
    return err;
}
