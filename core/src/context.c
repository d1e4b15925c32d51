#include "runtime.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MX_BACKEND_IN_1(name) extern const mx_backend mx_backend_##name;
#define MX_BACKEND_IN_0(name)
#define MX_BACKEND_AT_1(name) {#name, &mx_backend_##name},
#define MX_BACKEND_AT_0(name) {#name, NULL},
#define MX_BACKEND_PASTE(prefix, in_build, name) prefix##in_build(name)
#define MX_BACKEND_EXPAND(prefix, in_build, name) MX_BACKEND_PASTE(prefix, in_build, name)

#define MX_BACKEND(name, in_build) MX_BACKEND_EXPAND(MX_BACKEND_IN_, in_build, name)
#include "../backends/backends.def"
#undef MX_BACKEND
#define MX_BACKEND(name, in_build) MX_BACKEND_EXPAND(MX_BACKEND_AT_, in_build, name)
static const struct {
    const char *name;
    const mx_backend *backend; /* NULL: not in this build */
} backends[] = {
#include "../backends/backends.def"
};
#undef MX_BACKEND

enum { BACKENDS = sizeof backends / sizeof backends[0] };

const char *mx_layout_name(mx_layout layout)
{
#define MX_LAYOUT_TEXT(NAME, name, prefix, ...) name,
    static const char *const names[] = {"default", "left", "right", "stride",
                                        MX_LAYOUTS_(MX_LAYOUT_TEXT)};
    return (unsigned)layout < MX_LAYOUT_COUNT_ ? names[layout] : "unknown";
}

const char *mx_space_name(mx_space space)
{
    static const char *const names[] = {"default", "Host", "Cuda", "CudaUVM", "CudaHostPinned"};
    return (unsigned)space <= MX_SPACE_PINNED ? names[space] : "unknown";
}

const char *mx_backend_name(int index)
{
    return index >= 0 && index < BACKENDS ? backends[index].name : NULL;
}

static int backend_index(const char *name)
{
    for (int b = 0; b < BACKENDS && name != NULL; b++)
        if (strcmp(backends[b].name, name) == 0) return b;
    return -1;
}

bool mx_backend_available(const char *name, const char **why)
{
    const char *unused;
    if (why == NULL) why = &unused;
    const int b = backend_index(name);
    *why = b < 0 ? "no such backend" : backends[b].backend == NULL ? "not in this build" : "";
    return (*why)[0] == '\0' && backends[b].backend->available(why);
}

int mx_backend_devices(const char *name)
{
    const int b = mx_backend_available(name, NULL) ? backend_index(name) : -1;
    return b >= 0 && backends[b].backend->devices != NULL ? backends[b].backend->devices() : 0;
}

/* ---- resource strings ---- */

typedef struct resource {
    char backend[32];
    int threads, device; /* 0 and -1: not given */
    int64_t seed;        /* -1: not given */
    int64_t cores[2];    /* first and last; -1: not given */
    mx_layout layout;
    bool shuffled;
    char check[256];
    unsigned given; /* the keys seen so far, a bit each */
} resource;

mx_err mx_parse_number(const char *where, const char *key, const char *value, int64_t low,
                       int64_t high, int64_t *number)
{
    char *end;
    errno = 0;
    const long long n = strtoll(value, &end, 10);
    const bool digit =
        value[0] >= '0' && value[0] <= '9'; /* strtoll would take blanks and a sign */
    MX_REQUIRE(digit && *end == '\0' && errno == 0 && n >= low && n <= high, MX_ERR_INPUT,
               "%s: %s: got '%s', expected a whole number from %lld to %lld", where, key, value,
               (long long)low, (long long)high);
    *number = n;
    return MX_OK;
}

static mx_err mark_key_given(const char *text, const char *key, resource *r)
{
    static const char *const keys[] = {"threads", "device", "layout", "order",
                                       "seed",    "cores",  "check"};
    for (unsigned k = 0; k < sizeof keys / sizeof keys[0]; k++) {
        if (strcmp(key, keys[k]) != 0) continue;
        MX_REQUIRE(!(r->given & 1u << k), MX_ERR_INPUT, "%s: %s is given twice", text, key);
        r->given |= 1u << k;
        return MX_OK;
    }
    return MX_FAIL(
        MX_ERR_INPUT,
        "%s: unknown key '%s', expected one of threads, device, layout, order, seed, cores, check",
        text, key);
}

/* "FIRST-LAST", or the number of one. */
static mx_err parse_cores(const char *text, const char *value, int64_t *cores)
{
    char first[32];
    const char *const dash = strchr(value, '-');
    if (dash == NULL) {
        MX_TRY(mx_parse_number(text, "cores", value, 0, INT32_MAX, &cores[0]));
        cores[1] = cores[0];
        return MX_OK;
    }
    snprintf(first, sizeof first, "%.*s", dash - value < 31 ? (int)(dash - value) : 0, value);
    MX_TRY(mx_parse_number(text, "cores", first, 0, INT32_MAX, &cores[0]));
    return mx_parse_number(text, "cores", dash + 1, cores[0], INT32_MAX, &cores[1]);
}

static mx_err parse_option(const char *text, const char *key, const char *value, resource *r)
{
    int64_t number = 0;
    MX_TRY(mark_key_given(text, key, r));
    if (strcmp(key, "threads") == 0) {
        MX_TRY(mx_parse_number(text, key, value, 1, 4096, &number));
        r->threads = (int)number;
    } else if (strcmp(key, "device") == 0) {
        MX_TRY(mx_parse_number(text, key, value, 0, 1023, &number));
        r->device = (int)number;
    } else if (strcmp(key, "seed") == 0) {
        MX_TRY(mx_parse_number(text, key, value, 0, INT64_MAX, &r->seed));
    } else if (strcmp(key, "cores") == 0) {
        MX_TRY(parse_cores(text, value, r->cores));
    } else if (strcmp(key, "layout") == 0) {
        MX_REQUIRE(strcmp(value, "left") == 0 || strcmp(value, "right") == 0, MX_ERR_INPUT,
                   "%s: layout: got '%s', expected left or right", text, value);
        r->layout = value[0] == 'l' ? MX_LAYOUT_LEFT : MX_LAYOUT_RIGHT;
    } else if (strcmp(key, "order") == 0) {
        MX_REQUIRE(strcmp(value, "shuffled") == 0, MX_ERR_INPUT,
                   "%s: order: got '%s', expected shuffled", text, value);
        r->shuffled = true;
    } else { /* check */
        MX_REQUIRE(value[0] != '\0', MX_ERR_INPUT, "%s: check: got '', expected a resource", text);
        snprintf(r->check, sizeof r->check, "%s", value);
    }
    return MX_OK;
}

static mx_err parse_resource(const char *text, resource *r)
{
    char copy[256];
    memset(r, 0, sizeof *r);
    r->device = -1, r->seed = r->cores[0] = -1;
    MX_REQUIRE(text != NULL && text[0] != '\0', MX_ERR_INPUT,
               "the resource of a context is empty: name a backend");
    MX_REQUIRE(strlen(text) < sizeof copy, MX_ERR_INPUT,
               "resource '%.40s...' is longer than %zu characters", text, sizeof copy - 1);
    strcpy(copy, text);
    char *options = strchr(copy, ':');
    if (options != NULL) *options++ = '\0';
    snprintf(r->backend, sizeof r->backend, "%.31s", copy);
    while (options != NULL) {
        const char *key = strsep(&options, ",");
        char *value = strchr(key, '=');
        MX_REQUIRE(value != NULL, MX_ERR_INPUT, "%s: got '%s', expected key=value", text, key);
        *value++ = '\0';
        MX_TRY(parse_option(text, key, value, r));
    }
    return MX_OK;
}

/* The names of what this build has, for messages: "serial, openmp, simt". */
static void list_backends(char *text, size_t size)
{
    text[0] = '\0';
    for (int b = 0; b < BACKENDS; b++)
        if (backends[b].backend != NULL) {
            const size_t used = strlen(text);
            snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", backends[b].name);
        }
}

static mx_err find_backend(const resource *r, const mx_backend **backend)
{
    char have[128];
    const char *why;
    list_backends(have, sizeof have);
    const int named = backend_index(r->backend);
    MX_REQUIRE(named >= 0, MX_ERR_INPUT, "backend: got '%s', expected one of %s", r->backend, have);
    MX_REQUIRE(
        backends[named].backend != NULL, MX_ERR_BACKEND,
        "backend '%s' is not in this build, which has %s; configure with -DMINX_%s=ON to build it",
        r->backend, have, strcmp(r->backend, "cuda") == 0 ? "CUDA" : r->backend);
    /* a random order is run item by item, which is what the simt instance does */
    const int index = r->shuffled ? backend_index("simt") : named;
    MX_REQUIRE(!r->shuffled || strcmp(r->backend, "serial") == 0, MX_ERR_INPUT,
               "order=shuffled: got backend %s, expected serial", r->backend);
    MX_REQUIRE(!r->shuffled || r->threads <= 1, MX_ERR_INPUT,
               "threads: got %d, expected 1: serial has one thread", r->threads);
    MX_REQUIRE(r->shuffled || r->seed < 0, MX_ERR_INPUT,
               "seed: got %lld without order=shuffled, which it is for", (long long)r->seed);
    MX_REQUIRE(r->device < 0 || backends[named].backend->devices != NULL, MX_ERR_INPUT,
               "device: got %d, %s has no devices", r->device, r->backend);
    MX_REQUIRE(r->cores[0] < 0 || strcmp(r->backend, "openmp") == 0, MX_ERR_INPUT,
               "cores: got backend %s, expected openmp", r->backend);
    *backend = backends[index].backend;
    MX_REQUIRE((*backend)->available(&why), MX_ERR_BACKEND,
               "backend '%s' is not available here: %s", r->backend, why);
    return MX_OK;
}

/* Have kernels been built for this layout? MINX_INSTANCES_BUILT: "host:right simt:left". */
static bool layout_built(const mx_backend *backend, mx_layout layout)
{
    static const char *const kinds[] = {"host", "simt", "cuda"};
    char instance[32];
    snprintf(instance, sizeof instance, "%s:%s", kinds[backend->instance], mx_layout_name(layout));
    return strstr(MINX_INSTANCES_BUILT, instance) != NULL;
}

static mx_err check_resource(const char *text, const resource *r, const mx_ctx ctx)
{
    const int max_count = 8 * mx_host_cores();
    MX_REQUIRE(
        layout_built(ctx->backend, ctx->layout), MX_ERR_BACKEND,
        "%s: no kernels of layout %s for %s in this build; configure with -DMINX_LAYOUTS=all to build both layouts",
        text, mx_layout_name(ctx->layout), r->backend);
    /* the OpenMP run time ends the program when it cannot start a thread */
    MX_REQUIRE(r->threads <= max_count, MX_ERR_INPUT,
               "%s: threads: got %d, expected at most %d, 8 for each core of this process", text,
               r->threads, max_count);
    return MX_OK;
}

/* What kernels note for the host, which both reach: ctx->overflow, then a fault. */
enum { NOTES_BYTES = 3 * sizeof(int64_t) + sizeof(mx_fault) };
static mx_space notes_space(mx_ctx ctx)
{
    return (ctx->backend->allocates_in & MX_SPACE_BIT(MX_SPACE_PINNED)) ? MX_SPACE_PINNED
                                                                        : MX_SPACE_HOST;
}

/* Recursive: a tool may ask for a fence when it hears of one. */
static pthread_mutex_t contexts_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

/* Puts a context at the end of the list of open ones; takes it out if it is there. */
static void list_context(mx_ctx ctx, bool open)
{
    pthread_mutex_lock(&contexts_lock);
    mx_ctx *at = &mx_rt.contexts;
    while (*at != NULL && *at != ctx) at = &(*at)->next;
    if (open) ctx->tool_device = mx_tool_device(ctx, ++mx_rt.made);
    if (open || *at != NULL) *at = open ? ctx : ctx->next;
    pthread_mutex_unlock(&contexts_lock);
}

static mx_err open_context(const char *text, const resource *r, mx_ctx ctx)
{
    snprintf(ctx->name, sizeof ctx->name, "%.63s", text);
    ctx->layout = r->layout == MX_LAYOUT_DEFAULT ? ctx->backend->layout : r->layout;
    ctx->threads = r->shuffled ? 1 : r->threads;
    ctx->device = r->device, ctx->shuffled = r->shuffled;
    ctx->seed = r->seed < 0 ? 1 : (uint64_t)r->seed;
    MX_TRY(check_resource(text, r, ctx));
    if (r->cores[0] >= 0) MX_TRY(mx_cores_reserve(ctx, r->cores[0], r->cores[1]));
    mx_cores_bind_thread(ctx, 0, 0); /* threads that a backend starts begin where this one is */
    MX_TRY(ctx->backend->open(ctx));
    void *notes = NULL;
    MX_TRY(ctx->backend->allocate(ctx, notes_space(ctx), NOTES_BYTES, &notes));
    memset(notes, 0, NOTES_BYTES);
    ctx->overflow = notes;
#ifdef MINX_BOUNDS_CHECK
    ctx->fault = (mx_fault *)(ctx->overflow + 3);
#endif
    list_context(ctx, true);
    if (r->check[0] != '\0') MX_TRY(mx_ctx_check_against(ctx, r->check, 1e-9));
    return MX_OK;
}

mx_err mx_ctx_create(const char *text, mx_ctx *ctx)
{
    resource r;
    const mx_backend *backend;
    MX_REQUIRE(ctx != NULL, MX_ERR_ARG, "a context, and nowhere to put it");
    *ctx = NULL;
    MX_TRY(parse_resource(text, &r));
    MX_TRY(find_backend(&r, &backend));
    if (r.cores[0] < 0) mx_settings_apply(backend, &r.threads, &r.device);
    mx_ctx made = aligned_alloc(_Alignof(struct mx_ctx_s), sizeof *made);
    MX_REQUIRE(made != NULL, MX_ERR_MEMORY, "no memory for a context");
    memset(made, 0, sizeof *made);
    made->backend = backend;
    const mx_err err = open_context(text, &r, made);
    if (err != MX_OK) {
        mx_ctx_destroy(&made);
        return err;
    }
    *ctx = made;
    return MX_OK;
}

void mx_ctx_destroy(mx_ctx *ctx)
{
    if (ctx == NULL || *ctx == NULL) return;
    mx_ctx gone = *ctx;
    *ctx = NULL;
    list_context(gone, false);
    mx_ctx_destroy(&gone->check);
    if (mx_ctx_wait(gone, "minx::Context::destruction", false) == MX_OK && gone->scratch != NULL)
        gone->backend->release(gone->backend->space, gone->scratch);
    if (gone->overflow != NULL) gone->backend->release(notes_space(gone), gone->overflow);
    if (gone->backend->close != NULL) gone->backend->close(gone);
    for (int p = 0; p < MX_PLANS; p++) free(gone->plans[p].launch.args_copy);
    gone->cores = 0;
    mx_cores_bind_thread(gone, 0, 0); /* this thread is not left on a core of the context */
    free(gone->core);
    free(gone);
}

mx_err mx_ctx_check_against(mx_ctx ctx, const char *text, double tolerance)
{
    MX_REQUIRE(ctx != NULL, MX_ERR_ARG, "check against '%s': no context",
               text != NULL ? text : "nothing");
    MX_REQUIRE(ctx->graph == NULL, MX_ERR_ARG, "check: %s records a graph", ctx->name);
    MX_REQUIRE(text == NULL || tolerance >= 0, MX_ERR_ARG, "check: tolerance: got %g", tolerance);
    mx_ctx other = NULL;
    if (text != NULL) MX_TRY(mx_ctx_create(text, &other));
    const bool fits =
        other == NULL || (other->backend->accessible & MX_SPACE_BIT(MX_SPACE_HOST)) != 0;
    if (!fits) mx_ctx_destroy(&other);
    MX_REQUIRE(fits, MX_ERR_INPUT, "check against '%s': expected a backend that runs on the host",
               text);
    mx_ctx_destroy(&ctx->check);
    ctx->check = other;
    ctx->check_tolerance = tolerance;
    return MX_OK;
}

void mx_recent_kernels(mx_ctx ctx, char *text, size_t size)
{
    const int64_t count = ctx->unfenced < MX_RECENT_KERNELS ? ctx->unfenced : MX_RECENT_KERNELS;
    text[0] = '\0';
    for (int64_t k = ctx->unfenced - count; k < ctx->unfenced; k++) {
        const size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "",
                 ctx->recent[k % MX_RECENT_KERNELS]);
    }
    if (count == 0) snprintf(text, size, "none");
}

mx_err mx_fault_check(mx_ctx ctx)
{
    if (ctx->fault == NULL || ctx->fault->count == 0) return MX_OK;
    const mx_fault fault = *ctx->fault;
    mx_stamp stamp;
    const mx_record *record =
        mx_stamp_read(&fault.stamp, &stamp) ? mx_record_of_stamp(&stamp) : NULL;
    char recent[256];
    mx_recent_kernels(ctx, recent, sizeof recent);
    memset(ctx->fault, 0, sizeof *ctx->fault);
    ctx->unfenced = 0;
    return MX_FAIL(
        MX_ERR_BOUNDS,
        "%s:%d: MX_AT(%s, ...): index %d of view '%s' is %lld, its extent is %lld from %lld (%d such "
        "accesses, kernels: %s)",
        fault.file, (int)fault.line, fault.expression, (int)fault.dimension,
        record != NULL ? record->label : "?", (long long)fault.index, (long long)fault.extent,
        (long long)fault.origin, (int)fault.count, recent);
}

mx_err mx_overflow_check(mx_ctx ctx)
{
    for (int level = 0; level < 3; level++) {
        const int64_t asked = ctx->overflow[level];
        char recent[256];
        if (asked == 0) continue;
        mx_recent_kernels(ctx, recent, sizeof recent);
        ctx->overflow[level] = ctx->unfenced = 0;
        MX_REQUIRE(level < 2, MX_ERR_BOUNDS, "permute: an index is %lld, outside of its source",
                   (long long)asked);
        return MX_FAIL(MX_ERR_MEMORY,
                       "team scratch of level %d: a kernel took %lld bytes, more than its policy "
                       "gave (mx_with_scratch); kernels: %s",
                       level, (long long)asked, recent);
    }
    return MX_OK;
}

#ifdef MINX_BOUNDS_CHECK
void mx_fault_stop_(uint64_t word, const char *expression, int dimension, int64_t index,
                    int64_t origin, int64_t extent, const char *file, int line)
{
    mx_stamp stamp;
    const mx_record *record = mx_stamp_read(&word, &stamp) ? mx_record_of_stamp(&stamp) : NULL;
    fprintf(stderr, "minx: %s:%d: MX_AT(%s, ...): ", file, line, expression);
    if (word == 0)
        fprintf(stderr, "accessor %s was never bound\n", expression);
    else
        fprintf(stderr, "index %d of view '%s' is %lld, its extent is %lld from %lld\n", dimension,
                record != NULL ? record->label : "?", (long long)index, (long long)extent,
                (long long)origin);
    abort();
}
#endif

mx_err mx_fence(mx_ctx ctx)
{
    MX_REQUIRE(ctx != NULL, MX_ERR_ARG, "fence: no context");
    MX_TRY(mx_ctx_wait(ctx, "minx::fence", false));
    MX_TRY(mx_overflow_check(ctx));
    MX_TRY(mx_fault_check(ctx));
    ctx->unfenced = 0;
    return MX_OK;
}

mx_err mx_fence_contexts(const char *name)
{
    mx_err failed = MX_OK;
    pthread_mutex_lock(&contexts_lock);
    for (mx_ctx ctx = mx_rt.contexts; ctx != NULL; ctx = ctx->next) {
        if (name != NULL && ctx->graph != NULL) continue; /* whoever records may be at it now */
        const mx_err err = name == NULL ? mx_fence(ctx) : mx_ctx_wait(ctx, name, true);
        if (err != MX_OK) failed = err;
    }
    pthread_mutex_unlock(&contexts_lock);
    return failed;
}

mx_err mx_fence_all(void) { return mx_fence_contexts(NULL); }

mx_err mx_ctx_get_info(mx_ctx ctx, mx_ctx_info *info)
{
    MX_REQUIRE(ctx != NULL && info != NULL, MX_ERR_ARG,
               "context info: no context, or nowhere to put it");
    info->backend = ctx->shuffled ? "serial:order=shuffled" : ctx->backend->name;
    info->layout = ctx->layout, info->space = ctx->backend->space, info->threads = ctx->threads;
    info->device = ctx->device, info->device_name = ctx->device_name;
    info->host_accessible = (MX_HOST_ACCESSIBLE & MX_SPACE_BIT(ctx->backend->space)) != 0;
    info->launches = ctx->launches, info->synchronisations = ctx->synchronisations;
    return MX_OK;
}

mx_err mx_scratch(mx_ctx ctx, size_t bytes, void **scratch)
{
    if (ctx->node_memory != NULL) {
        MX_TRY(ctx->backend->allocate(ctx, ctx->backend->space, bytes, ctx->node_memory));
        *scratch = *ctx->node_memory;
        return MX_OK;
    }
    if (bytes > ctx->scratch_bytes) {
        if (ctx->scratch != NULL) {
            MX_TRY(mx_ctx_wait(ctx, "minx::Context::scratch", false));
            ctx->backend->release(ctx->backend->space, ctx->scratch);
            ctx->scratch = NULL, ctx->scratch_bytes = 0;
        }
        const size_t rounded = (bytes + bytes / 2 + 0xffff) & ~(size_t)0xffff;
        MX_TRY(ctx->backend->allocate(ctx, ctx->backend->space, rounded, &ctx->scratch));
        ctx->scratch_bytes = rounded;
    }
    *scratch = ctx->scratch;
    return MX_OK;
}
