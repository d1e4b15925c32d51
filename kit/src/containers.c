/* Tokens and maps: what drivers call. */
#include "containers.h"
#include "minx/team.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

mx_err mx_expect(bool holds, mx_err err, const mx_view_info *v, const char *what,
                 const char *expected)
{
    MX_REQUIRE(holds, err, "%s: got view '%s', %s of rank %d, first extent %lld, expected %s", what,
               v->label, mx_type_name(v->type), v->rank, (long long)v->extent[0], expected);
    return MX_OK;
}

mx_err mx_no_graph(mx_ctx ctx, const mx_view_info *v, const char *what)
{
    mx_ctx_details details;
    MX_TRY(mx_ctx_get_details(ctx, &details));
    return mx_expect(!details.records, MX_ERR_ARG, v, what, "a context that records no graph");
}

/* Sets the handle null, before it is created. */
static mx_err set_null(mx_view *view, const char *what)
{
    MX_REQUIRE(view != NULL, MX_ERR_ARG, "%s: the pointer to it is NULL", what);
    *view = MX_VIEW_NULL;
    return MX_OK;
}

/* ---- tokens ---- */

mx_err(mx_tokens_create)(mx_ctx ctx, const char *label, mx_view *tokens)
{
    mx_ctx_details details;
    mx_ctx_info info;
    MX_TRY(set_null(tokens, "tokens"));
    MX_REQUIRE(ctx != NULL, MX_ERR_ARG, "tokens need a context");
    MX_TRY(mx_ctx_get_details(ctx, &details));
    MX_TRY(mx_ctx_get_info(ctx, &info));
    /* simt: a team may have more members than the context has threads */
    const int64_t team = details.instance == MX_INSTANCE_SIMT ? MX_TEAM_MAX : 0;
    const int64_t count = team + details.max_concurrency + info.threads;
    MX_TRY((mx_view_create)(ctx, label, MX_I32, 1, &count, NULL, tokens));
    return mx_view_reserve(ctx, *tokens);
}

void mx_token_stop_(unsigned thread, unsigned count)
{
    fprintf(
        stderr,
        "minx: mx_token_acquire: thread %u got a view with tokens for %u threads: it was created "
        "for another context\n",
        thread, count);
    abort();
}

/* ---- maps ---- */

mx_err(mx_map_create)(mx_ctx ctx, const char *label, int64_t keys, mx_view *map)
{
    int64_t slots = 2;
    MX_TRY(set_null(map, "map"));
    MX_REQUIRE(keys >= 1 && keys <= (int64_t)1 << 29, MX_ERR_ARG,
               "map '%s': got %lld keys, expected 1 to 2^29", label, (long long)keys);
    while (slots < keys + (keys + 2) / 3) slots *= 2;
    slots += 2;
    return (mx_view_create)(ctx, label, MX_U64, 1, &slots, NULL, map);
}

/* Gives the properties of a map. MX_ERR_TYPE: the view is not a map. */
static mx_err map_info(mx_view map, mx_view_info *info)
{
    MX_TRY(mx_view_get_info(map, info));
    const int64_t slots = info->extent[0] - 2;
    return mx_expect(info->type == MX_U64 && info->rank == 1 && slots >= 2 &&
                         (slots & (slots - 1)) == 0,
                     MX_ERR_TYPE, info, "map", "a view from mx_map_create");
}

mx_err mx_map_capacity(mx_view map, int64_t *capacity)
{
    mx_view_info info;
    MX_TRY(map_info(map, &info));
    MX_TRY(mx_expect(capacity != NULL, MX_ERR_ARG, &info, "map", "an output pointer, not NULL"));
    *capacity = info.extent[0] - 1;
    return MX_OK;
}

mx_err mx_map_size(mx_ctx ctx, mx_view map, int64_t *size, bool *failed)
{
    mx_map_args args = {0};
    mx_view_info info;
    uint64_t insert_failed = 0;
    MX_TRY(map_info(map, &info));
    MX_TRY(mx_expect(ctx != NULL && size != NULL && failed != NULL, MX_ERR_ARG, &info, "map: size",
                     "a context and two output pointers, not NULL"));
    const int64_t capacity = info.extent[0] - 1;
    MX_TRY(mx_bind(ctx, map, &args.map));
    mx_bind_none(&args.old);
    mx_bind_none(&args.origin);
    MX_TRY(mx_map_count(mx_range_1d(ctx, 0, capacity), &args, size));
    MX_TRY(mx_read_element(ctx, map, capacity, &insert_failed));
    *failed = insert_failed != 0;
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
    mx_view_info old_info, new_info;
    int64_t size;
    bool failed = false;
    MX_TRY(map_info(old, &old_info));
    MX_TRY(mx_expect(ctx != NULL, MX_ERR_ARG, &old_info, "map: rehash", "a context"));
    MX_TRY(mx_no_graph(ctx, &old_info, "map: rehash"));
    MX_TRY((mx_map_create)(ctx, old_info.label, keys, map));
    MX_TRY(map_info(*map, &new_info));
    const int64_t old_capacity = old_info.extent[0] - 1, capacity = new_info.extent[0] - 1;
    MX_TRY((mx_view_create)(ctx, "origin", MX_I32, 1, &capacity, NULL, origin));
    MX_TRY(mx_bind(ctx, old, &args.old));
    MX_TRY(mx_bind(ctx, *map, &args.map));
    MX_TRY(mx_bind(ctx, *origin, &args.origin));
    MX_TRY(mx_map_insert_all(mx_range_1d(ctx, 0, old_capacity), &args));
    MX_TRY(mx_map_size(ctx, *map, &size, &failed));
    return mx_expect(!failed, MX_ERR_EXTENT, &new_info, "map: rehash", "enough slots for its keys");
}

mx_err(mx_map_rehash)(mx_ctx ctx, mx_view *map, int64_t keys, mx_view *origin)
{
    MX_REQUIRE(map != NULL, MX_ERR_ARG, "map: rehash: no map");
    MX_TRY(set_null(origin, "map: rehash"));
    mx_view new_map = MX_VIEW_NULL;
    mx_view old_map = *map;
    const mx_err err = rehash(ctx, old_map, keys, &new_map, origin);
    if (err != MX_OK) (void)mx_view_destroy(origin);
    *map = err == MX_OK ? new_map : old_map;
    (void)mx_view_destroy(err == MX_OK ? &old_map : &new_map);
    return err;
}
