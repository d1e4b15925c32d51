/* Functions for libraries that are built on minx: minx/extend.h. */
#include "minx/extend.h"

#include "base/backend.h"
#include "view/memory.h"

mx_err mx_ctx_get_details(mx_ctx ctx, mx_ctx_details *details)
{
    MX_REQUIRE(ctx != NULL && details != NULL, MX_ERR_ARG,
               "context details: the context or the output pointer is NULL");
    const mx_backend *const backend = ctx->unwatched != NULL ? ctx->unwatched : ctx->backend;
    *details = (mx_ctx_details){.id = mx_core(ctx)->id,
                                .instance = backend->info.instance,
                                .max_concurrency = ctx->max_concurrency,
                                .records = mx_core(ctx)->graph != NULL,
                                .checked = mx_core(ctx)->check != NULL,
                                .queue = ctx->queue,
                                .device_id = ctx->device_id,
                                .plans = mx_core(ctx)->plans_made};
    return MX_OK;
}

mx_err mx_ctx_scratch(mx_ctx ctx, size_t bytes, void **scratch)
{
    MX_REQUIRE(ctx != NULL && scratch != NULL, MX_ERR_ARG,
               "scratch: the context or the output pointer is NULL");
    MX_TRY(mx_ctx_idle(ctx, "mx_ctx_scratch"));
    return mx_scratch(ctx, bytes, scratch);
}

typedef struct parts {
    void (*part)(void *work, int64_t first, int64_t last);
    void *work;
} parts;

static const mx_args_table *no_accessors(void)
{
    static const mx_args_table table = {.type = "parts"};
    return &table;
}

static void run_parts(const mx_launch *launch, int64_t first, int64_t last)
{
    const parts *p = launch->args;
    p->part(p->work, first, last);
}

mx_err mx_ctx_run(mx_ctx ctx, void (*part)(void *work, int64_t first, int64_t last), void *work,
                  int64_t count)
{
    MX_REQUIRE(ctx != NULL && ctx->backend->host.run != NULL, MX_ERR_ARG,
               "run on the threads of a context: expected a context of a host backend");
    MX_TRY(mx_ctx_idle(ctx, "mx_ctx_run"));
    static const mx_kernel kernel = {.name = "mx_ctx_run", .table = no_accessors};
    const parts p = {part, work};
    const mx_launch launch = {.args = &p, .ctx = ctx, .kernel = &kernel};
    mx_ctx_begin_launch(ctx, &launch);
    ctx->backend->host.run(ctx, &launch, run_parts, count);
    return mx_ctx_end_launch(ctx, kernel.name, MX_OK);
}

mx_err mx_view_usable(mx_ctx ctx, mx_view view, bool writes, const char *what, mx_view_info *info)
{
    mx_record *r;
    MX_REQUIRE(ctx != NULL, MX_ERR_ARG, "%s: no context", what);
    MX_TRY(mx_ctx_idle(ctx, "mx_view_usable"));
    MX_TRY(mx_record_find(view, &r));
    MX_TRY(mx_record_strided(r, what));
    MX_REQUIRE(mx_ctx_can_access(ctx, r), MX_ERR_SPACE,
               "%s: got view '%s' in memory space %s, which %s cannot access", what, r->label,
               mx_space_name(r->space), ctx->name);
    MX_REQUIRE(!writes || !r->constant, MX_ERR_CONST, "%s: got view '%s', which is read-only", what,
               r->label);
    return mx_view_get_info(view, info);
}

bool mx_view_has_gaps(mx_view view)
{
    const mx_record *r = mx_record_of(view);
    return r != NULL && mx_record_has_gaps(r);
}

mx_err mx_view_reserve(mx_ctx ctx, mx_view view)
{
    mx_record *r;
    MX_TRY(mx_record_find(view, &r));
    MX_REQUIRE(ctx != NULL, MX_ERR_ARG, "reserve view '%s': no context", r->label);
    MX_TRY(mx_view_not_in_use(view, "mx_view_reserve"));
    r->reserved_for = mx_core(ctx)->id;
    return MX_OK;
}

mx_err mx_ctx_copy(mx_ctx ctx, void *destination, const void *source, size_t bytes)
{
    MX_REQUIRE(ctx != NULL, MX_ERR_ARG, "copy of %zu bytes: no context", bytes);
    MX_TRY(mx_ctx_idle(ctx, "mx_ctx_copy"));
    MX_REQUIRE(mx_core(ctx)->graph == NULL, MX_ERR_ARG, "copy of %zu bytes: %s records a graph",
               bytes, ctx->name);
    return bytes > 0 ? ctx->backend->memory.copy(ctx, destination, source, bytes) : MX_OK;
}

mx_err mx_view_gather(mx_ctx ctx, mx_view to, const mx_rows *rows, int64_t *wrong)
{
    mx_record *r;
    MX_TRY(mx_record_find(to, &r));
    MX_REQUIRE(ctx != NULL && mx_core(ctx)->graph == NULL, MX_ERR_ARG,
               "gather into view '%s': no context, or one that records a graph", r->label);
    MX_TRY(mx_ctx_idle(ctx, "mx_view_gather"));
    const mx_strided gather = {.index = rows->index,
                               .index_stride = rows->index_stride,
                               .limit = rows->limit,
                               .outside = &ctx->overflow[MX_OVERFLOW_INDEX],
                               .index_64 = rows->index_64};
    *wrong = 0;
    if (r->count == 0) return MX_OK;
    MX_TRY(mx_strided_copy(ctx, r, rows->from, rows->stride, r->extent, &gather));
    if (ctx->backend->host.run == NULL) return MX_OK;
    *wrong = ctx->overflow[MX_OVERFLOW_INDEX];
    ctx->overflow[MX_OVERFLOW_INDEX] = 0;
    return MX_OK;
}
