/* Faults that kernels record for the host: scratch that was too small, an index outside of the
 * source of a gather, a reduction that waited too long and, in builds with MINX_BOUNDS_CHECK, the
 * first index out of bounds. Kernels and host code can both access the records. */
#include "services.h"
#include "view/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The mx_fault_ follows the numbers of ctx->overflow. */
MX_STATIC_ASSERT((int)MX_FAULT_AT_ == (int)MX_OVERFLOWS, "mx_launch_fault_ looks elsewhere");
enum { RECORD_BYTES = MX_OVERFLOWS * sizeof(int64_t) + sizeof(mx_fault_) };

mx_err mx_faults_create(mx_ctx ctx)
{
    const mx_backend_memory *memory = &ctx->backend->memory;
    void *records = NULL;
    MX_TRY(memory->allocate(ctx, memory->fault_space, RECORD_BYTES, &records));
    memset(records, 0, RECORD_BYTES);
    ctx->overflow = records;
#ifdef MINX_BOUNDS_CHECK
    mx_core(ctx)->fault = (mx_fault_ *)(ctx->overflow + MX_OVERFLOWS);
#endif
    return MX_OK;
}

void mx_faults_destroy(mx_ctx ctx)
{
    const mx_backend_memory *memory = &ctx->backend->memory;
    if (ctx->overflow != NULL) memory->release(memory->fault_space, ctx->overflow);
    ctx->overflow = NULL;
    mx_core(ctx)->fault = NULL;
}

void mx_recent_kernels(mx_ctx ctx, char *text, size_t size)
{
    const int64_t count =
        mx_core(ctx)->unfenced < MX_RECENT_KERNELS ? mx_core(ctx)->unfenced : MX_RECENT_KERNELS;
    size_t used = 0;
    snprintf(text, size, "none");
    for (int64_t k = mx_core(ctx)->unfenced - count; k < mx_core(ctx)->unfenced && used < size; k++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "",
                                 mx_core(ctx)->recent[k % MX_RECENT_KERNELS]);
}

/* The label of the view that an accessor was bound to, by its stamp. */
static const char *label_of(uint64_t word)
{
    mx_stamp stamp;
    if (!mx_stamp_read(&word, &stamp)) return "?";
    const mx_record *record = mx_record_of_stamp(&stamp);
    if (record == NULL) record = mx_record_swapped(&stamp); /* since the launch */
    return record != NULL ? record->label : "?";
}

enum { EXPECTED_BYTES = 64 };

/* Which indices a dimension has. */
static void say_expected(char *text, int64_t origin, int64_t extent)
{
    if (extent > 0)
        snprintf(text, EXPECTED_BYTES, "%lld to %lld", (long long)origin,
                 (long long)(origin + extent - 1));
    else
        snprintf(text, EXPECTED_BYTES, "none: its extent is 0");
}

/* On hosts each launch checks its own faults. A device's may be those of several launches. */
mx_err mx_fault_check(mx_ctx ctx)
{
    if (mx_core(ctx)->fault == NULL || mx_core(ctx)->fault->count == 0) return MX_OK;
    const mx_fault_ fault = *mx_core(ctx)->fault;
    const mx_kernel *const running = ctx->backend->host.run != NULL ? mx_ctx_running(ctx) : NULL;
    char recent[256], kernel[80] = "", others[320] = "", item[MX_ITEM_TEXT];
    mx_recent_kernels(ctx, recent, sizeof recent);
    if (running != NULL)
        snprintf(kernel, sizeof kernel, "kernel %s: ", running->name);
    else
        snprintf(others, sizeof others, ", in one of the kernels since the last fence: %s", recent);
    memset(mx_core(ctx)->fault, 0, sizeof *mx_core(ctx)->fault);
    mx_core(ctx)->unfenced = 0;
    mx_say_item(fault.item_dims, fault.item, item);
    if (fault.dimension == MX_FAULT_BIN_)
        return MX_FAIL(MX_ERR_BOUNDS,
                       "%s%s:%d: bin %lld of a reduction into an array of length %lld%s (%lld such "
                       "accesses%s)",
                       kernel, fault.file, (int)fault.line, (long long)fault.index,
                       (long long)fault.extent, item, (long long)fault.count, others);
    if (fault.dimension < 0)
        return MX_FAIL(MX_ERR_BOUNDS, "%s%s:%d: %s%s (%lld such faults%s)", kernel, fault.file,
                       (int)fault.line, fault.expression, item, (long long)fault.count, others);
    char expected[EXPECTED_BYTES];
    say_expected(expected, fault.origin, fault.extent);
    return MX_FAIL(
        MX_ERR_BOUNDS,
        "%s%s:%d: MX_AT(%s, ...): the index of dimension %d of view '%s' is %lld, expected "
        "%s%s (%lld such accesses%s)",
        kernel, fault.file, (int)fault.line, fault.expression, (int)fault.dimension,
        label_of(fault.stamp), (long long)fault.index, expected, item, (long long)fault.count,
        others);
}

static mx_err check_scratch(mx_ctx ctx, int level)
{
    const int64_t requested = ctx->overflow[level];
    char recent[256];
    if (requested == 0) return MX_OK;
    mx_recent_kernels(ctx, recent, sizeof recent);
    ctx->overflow[level] = 0;
    mx_core(ctx)->unfenced = 0;
    return MX_FAIL(MX_ERR_MEMORY,
                   "team scratch of level %d: a kernel requested %lld bytes, more than its policy "
                   "has (mx_with_scratch); kernels: %s",
                   level, (long long)requested, recent);
}

/* The reduction's result is wrong, and those of later ones may be: blocks may have left values after
 * it had ended. From now on reductions do not wait. */
static mx_err check_wait(mx_ctx ctx)
{
    const int64_t seconds = ctx->overflow[MX_OVERFLOW_WAITED];
    char recent[256];
    if (seconds == 0) return MX_OK;
    mx_recent_kernels(ctx, recent, sizeof recent);
    ctx->overflow[MX_OVERFLOW_WAITED] = 0;
    ctx->reduction_wait = 0;
    mx_core(ctx)->unfenced = 0;
    return MX_FAIL(
        MX_ERR_DEVICE,
        "%s: a reduction has waited for %lld s for its other blocks: they take longer, or the "
        "device does not start blocks in order. The results of the kernels since the last fence may "
        "be wrong. Use --mx-reduction-wait=0 (or MINX_REDUCTION_WAIT=0), by which a second kernel "
        "joins, or a larger number; kernels: %s",
        ctx->name, (long long)seconds, recent);
}

mx_err mx_overflow_check(mx_ctx ctx)
{
    MX_TRY(check_wait(ctx)); /* first: it changes how later launches run */
    MX_TRY(check_scratch(ctx, MX_OVERFLOW_LEVEL_0));
    MX_TRY(check_scratch(ctx, MX_OVERFLOW_LEVEL_1));
    const int64_t index = ctx->overflow[MX_OVERFLOW_INDEX];
    if (index == 0) return MX_OK;
    ctx->overflow[MX_OVERFLOW_INDEX] = 0;
    mx_core(ctx)->unfenced = 0;
    return MX_FAIL(MX_ERR_BOUNDS, "permute: index %lld is outside of the source", (long long)index);
}

#ifdef MINX_BOUNDS_CHECK
void mx_fault_stop_(uint64_t word, const char *expression, int dimension, int64_t index,
                    int64_t origin, int64_t extent, const char *file, int line)
{
    if (dimension < 0) {
        fprintf(stderr, "minx: %s:%d: %s\n", file, line, expression);
        abort();
    }
    fprintf(stderr, "minx: %s:%d: MX_AT(%s, ...): ", file, line, expression);
    if (word == 0)
        fprintf(stderr, "accessor %s was never bound\n", expression);
    else {
        char expected[EXPECTED_BYTES];
        say_expected(expected, origin, extent);
        fprintf(stderr, "the index of dimension %d of view '%s' is %lld, expected %s\n", dimension,
                label_of(word), (long long)index, expected);
    }
    abort();
}
#endif
