/* Contexts: opening and closing them. */
#include "context.h"
#include "base/events.h"
#include "services/services.h"
#include "view/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static mx_ctx_defaults defaults = {
    .threads = 0, .device = -1, .device_by_number = -1, .reduction_wait = MX_REDUCTION_WAIT};

/* Several threads may create contexts at the same time. */
static uint64_t last_id;

void mx_ctx_set_defaults(const mx_ctx_defaults *from_settings) { defaults = *from_settings; }

mx_err mx_default_threads(int *threads, const char **origin)
{
    MX_REQUIRE(threads != NULL && origin != NULL, MX_ERR_ARG,
               "default threads: an output pointer is NULL");
    if (defaults.threads == 0) return mx_cores_openmp_threads(threads, origin);
    *threads = defaults.threads;
    *origin = defaults.threads_origin;
    return MX_OK;
}

/* Applies the settings to keys that the resource string, `text`, does not have. */
static mx_err apply_defaults(const char *text, mx_resource *r, const mx_backend *named)
{
    const bool has_devices = named->info.devices != NULL;
    const bool by_default = r->threads == 0 && r->cores[0] < 0 && named->info.many_threads;
    if (by_default) r->threads = defaults.threads;
    /* the OpenMP run time ends the program when it cannot start a thread */
    MX_REQUIRE(r->threads <= mx_cores_max_threads(), MX_ERR_INPUT,
               "%s: threads: got %d, expected at most %d, %d for each core of this process",
               by_default ? defaults.threads_origin : text, r->threads, mx_cores_max_threads(),
               mx_cores_max_threads() / mx_host_cores());
    if (r->device >= 0 || !has_devices) return MX_OK;
    r->device = defaults.device;
    if (r->device < 0 && defaults.device_by_number >= 0)
        r->device = (int)(defaults.device_by_number % named->info.devices());
    return MX_OK;
}

static mx_err check_resource(const char *text, const mx_resource *r, const mx_ctx ctx)
{
    MX_REQUIRE(mx_backend_has_layout(ctx->backend, ctx->layout), MX_ERR_BACKEND,
               "%s: no kernels of layout %s for %s in this build; configure with "
               "-DMINX_LAYOUTS=all to build both layouts",
               text, mx_layout_name(ctx->layout), r->backend);
    return MX_OK;
}

/* Begins or ends the race check. */
static mx_err watch(mx_ctx ctx, bool on)
{
    if (on == (ctx->unwatched != NULL)) return MX_OK;
#ifdef MINX_RACE_CHECK
    MX_REQUIRE(!on || ctx->backend->host.run != NULL, MX_ERR_INPUT,
               "%s: check=races: expected a backend that runs on the host", ctx->name);
    mx_core_ctx *const core = mx_core(ctx);
    if (on) {
        MX_TRY(mx_races_create(ctx));
        core->watched = mx_watched_backend(ctx->backend);
        ctx->unwatched = ctx->backend;
        ctx->backend = &core->watched;
    } else {
        ctx->backend = ctx->unwatched;
        ctx->unwatched = NULL;
        mx_races_destroy(ctx);
    }
    mx_plans_clear(ctx); /* teams have other shapes */
    return MX_OK;
#else
    return MX_FAIL(MX_ERR_BACKEND,
                   "%s: check=races: this build does not watch what kernels access: configure minx "
                   "with -DMINX_BOUNDS_CHECK=ON, without MINX_SANITIZE and MINX_RACE_CHECK=OFF",
                   ctx->name);
#endif
}

static mx_err open_context(const char *text, const mx_resource *r, mx_ctx ctx)
{
    snprintf(ctx->name, sizeof ctx->name, "%.63s", text);
    ctx->layout = r->layout == MX_LAYOUT_DEFAULT ? ctx->backend->info.layout : r->layout;
    ctx->threads = r->shuffled ? 1 : r->threads;
    ctx->device = r->device;
    ctx->auto_lanes = r->lanes;
    ctx->shuffled = r->shuffled;
    ctx->high_priority = r->high_priority;
    ctx->reduction_wait = defaults.reduction_wait;
    ctx->seed = r->seed < 0 ? 1 : (uint64_t)r->seed;
    MX_TRY(check_resource(text, r, ctx));
    if (r->cores[0] >= 0) MX_TRY(mx_cores_reserve(ctx, r->cores[0], r->cores[1]));
    MX_TRY(mx_cores_open(ctx));
    mx_memory_add_backend(ctx->backend);
    MX_TRY(mx_faults_create(ctx));
    mx_ctx_list(ctx);
    const bool by_setting = r->check[0] == '\0' && defaults.races && ctx->backend->host.run != NULL;
    const char *const check = by_setting ? MX_CHECK_RACES : r->check;
    return check[0] != '\0' ? mx_ctx_check_against(ctx, check, 1e-9) : MX_OK;
}

/* Can a context of this resource run on a stream of the caller's? */
static mx_err check_stream(const char *text, const mx_resource *r, const mx_backend *runs)
{
    MX_REQUIRE(runs->launch.wait_queue != NULL, MX_ERR_INPUT,
               "%s: a context on a stream: %s has no streams", text, runs->info.name);
    MX_REQUIRE(!r->high_priority, MX_ERR_INPUT,
               "%s: priority: got high, but the stream has a priority already", text);
    return MX_OK;
}

/* stream: where the caller's is; NULL: the context gets one of its own, if its backend has streams. */
static mx_err create(const char *text, void *const *stream, mx_ctx *ctx)
{
    mx_resource r;
    const mx_backend *named, *runs;
    MX_REQUIRE(ctx != NULL, MX_ERR_ARG, "the pointer to the context is NULL");
    *ctx = NULL;
    MX_REQUIRE(mx_started_, MX_ERR_ARG,
               "context '%s': mx_init, or mx_init_args, must be called before",
               text != NULL ? text : "");
    MX_TRY(mx_resource_parse(text, &r));
    MX_TRY(mx_resource_backend(&r, &named, &runs));
    MX_TRY(apply_defaults(text, &r, named));
    if (stream != NULL) MX_TRY(check_stream(text, &r, runs));
    mx_core_ctx *const memory = aligned_alloc(_Alignof(mx_core_ctx), sizeof *memory);
    MX_REQUIRE(memory != NULL, MX_ERR_MEMORY, "no memory for a context");
    memset(memory, 0, sizeof *memory);
    mx_ctx created = &memory->base;
    created->backend = runs;
    created->callers_queue = stream != NULL;
    created->queue = stream != NULL ? *stream : NULL;
    mx_core(created)->id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
    snprintf(created->backend_name, sizeof created->backend_name, "%s%s", named->info.name,
             r.shuffled ? ":order=shuffled" : "");
    const mx_err err = open_context(text, &r, created);
    if (err != MX_OK) {
        mx_ctx_destroy(&created);
        return err;
    }
    *ctx = created;
    return MX_OK;
}

mx_err mx_ctx_create(const char *text, mx_ctx *ctx) { return create(text, NULL, ctx); }

mx_err mx_ctx_create_on_stream(const char *text, void *stream, mx_ctx *ctx)
{
    return create(text, &stream, ctx);
}

static void close_backend(mx_ctx ctx)
{
    if (mx_fence_event(ctx, "minx::Context::destruction", false) == MX_OK) mx_scratch_destroy(ctx);
    mx_faults_destroy(ctx);
    if (ctx->backend->info.close != NULL) ctx->backend->info.close(ctx);
}

void mx_ctx_destroy(mx_ctx *ctx)
{
    if (ctx == NULL || *ctx == NULL) return;
    mx_ctx closing = *ctx;
    if (!mx_ctx_is_of_parent(closing) && mx_ctx_idle(closing, "mx_ctx_destroy") != MX_OK) return;
    *ctx = NULL;
    mx_ctx_unlist(closing);
    mx_ctx_destroy(&mx_core(closing)->check);
    if (!mx_ctx_is_of_parent(closing)) close_backend(closing);
    if (closing->unwatched != NULL) (void)watch(closing, false);
    mx_plans_clear(closing);
    free(mx_core(closing)->plans);
    closing->cores = 0;
    mx_cores_bind_thread(closing, 0, 0, 1); /* this thread leaves the cores of the context */
    free(mx_core(closing)->cpus);
    free(mx_core(closing));
}

mx_err mx_ctx_check_against(mx_ctx ctx, const char *text, double tolerance)
{
    MX_REQUIRE(ctx != NULL, MX_ERR_ARG, "check against '%s': no context",
               text != NULL ? text : "nothing");
    MX_TRY(mx_ctx_idle(ctx, "mx_ctx_check_against"));
    MX_REQUIRE(mx_core(ctx)->graph == NULL, MX_ERR_ARG, "check: %s records a graph", ctx->name);
    MX_REQUIRE(text == NULL || tolerance >= 0, MX_ERR_ARG,
               "check: tolerance: got %g, expected 0 or more", tolerance);
    mx_ctx other = NULL;
    const bool races = text != NULL && strcmp(text, MX_CHECK_RACES) == 0;
    if (text != NULL && !races) MX_TRY(mx_ctx_create(text, &other));
    const bool fits = other == NULL || other->backend->host.run != NULL;
    if (!fits) mx_ctx_destroy(&other);
    MX_REQUIRE(fits, MX_ERR_INPUT,
               "check against '%s': expected a backend that runs on the host, or " MX_CHECK_RACES,
               text);
    const mx_err err = watch(ctx, races);
    if (err != MX_OK) return MX_PASS(err);
    mx_ctx_destroy(&mx_core(ctx)->check);
    if (other != NULL) mx_core(other)->checks = ctx;
    mx_core(ctx)->check = other;
    mx_core(ctx)->check_tolerance = tolerance;
    return MX_OK;
}

mx_err mx_ctx_get_info(mx_ctx ctx, mx_ctx_info *info)
{
    MX_REQUIRE(ctx != NULL && info != NULL, MX_ERR_ARG,
               "context info: the context or the output pointer is NULL");
    const mx_space space = ctx->backend->memory.space;
    info->backend = ctx->backend_name;
    info->layout = ctx->layout;
    info->space = space;
    info->threads = ctx->threads;
    info->device = ctx->device;
    info->device_name = ctx->device_name;
    info->host_accessible = (MX_HOST_ACCESSIBLE & MX_SPACE_BIT(space)) != 0;
    info->launches = mx_core(ctx)->launches;
    info->synchronisations = ctx->synchronisations;
    info->check_layout = mx_core(ctx)->check != NULL ? mx_core(ctx)->check->layout : ctx->layout;
    return MX_OK;
}
