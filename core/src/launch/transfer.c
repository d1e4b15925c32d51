/* Copies of values and arrays between host code and views. These calls may wait for the context, so
 * they are in a layer above contexts.
 *
 * A transfer copies between a view, which kernels of the context can access, and elements in host
 * memory, which they may not be able to access. If they can access both, the transfer is one copy.
 * If not, it uses staging memory, which both kernels and host code can access. The data are then
 * copied in blocks:
 *
 *     host array, any strides  --this thread-->  block: dense, in the view's own order  --the context-->  view, any layout
 *
 * A block has at most BLOCK_BYTES: full ranges of the inner dimensions of the view, a part of one
 * dimension, one index of each outer dimension. There are two buffers: this thread fills or empties
 * one while the context copies the other. A view whose layout has no strides (tiled, morton) is
 * copied as one block, because a block inside it has no layout of its own. */
#include "base/events.h"
#include "view/memory.h"

#include <string.h>

enum { BLOCK_BYTES = 4 << 20 }; /* large enough for a device to copy at full speed */

typedef struct transfer {
    mx_ctx ctx;
    const mx_record *view;
    const mx_record *host;
    bool to_view;           /* the direction */
    int order[MX_MAX_RANK]; /* the view's dimensions, the outermost first */
    int cut;                /* order[cut] is the dimension of which a block has a part */
    int64_t rows;           /* indices of that dimension in a block */
    int64_t blocks;
    mx_space space;  /* of staging memory */
    void *memory[2]; /* the two buffers */
} transfer;

/* ---- blocks ---- */

/* The largest stride first. */
static void order_dimensions(const mx_record *r, int *order)
{
    for (int d = 0; d < r->rank; d++) {
        int at = d;
        for (; at > 0 && r->stride[order[at - 1]] < r->stride[d]; at--) order[at] = order[at - 1];
        order[at] = d;
    }
}

static void cut_into_blocks(transfer *t)
{
    const mx_record *v = t->view;
    const int64_t limit = BLOCK_BYTES / (int64_t)MX_TYPE_SIZE(v->type);
    int64_t inner = v->count; /* elements with one index of the cut dimension */
    order_dimensions(v, t->order);
    t->cut = 0;
    t->rows = v->rank > 0 ? v->extent[t->order[0]] : 1;
    t->blocks = 1;
    const bool no_strides = v->layout > MX_LAYOUT_STRIDE || t->host->layout > MX_LAYOUT_STRIDE;
    if (no_strides || v->count <= limit) return;
    for (t->cut = 0; t->cut < v->rank; t->cut++) {
        const int64_t extent = v->extent[t->order[t->cut]];
        inner /= extent;
        if (inner <= limit || t->cut + 1 == v->rank) {
            t->rows = limit / inner < extent ? limit / inner : extent;
            if (t->rows < 1) t->rows = 1;
            t->blocks *= (extent + t->rows - 1) / t->rows;
            return;
        }
        t->blocks *= extent;
    }
}

/* Block number `number` of a record (the view's or the host array's). */
static mx_record block_of(const transfer *t, const mx_record *r, int64_t number)
{
    mx_record part = *r;
    int64_t offset = 0;
    if (t->blocks == 1) return part;
    for (int n = t->cut; n >= 0; n--) {
        const int d = t->order[n];
        const int64_t rows = n == t->cut ? t->rows : 1;
        const int64_t parts = (r->extent[d] + rows - 1) / rows;
        const int64_t begin = number % parts * rows;
        number /= parts;
        part.extent[d] = r->extent[d] - begin < rows ? r->extent[d] - begin : rows;
        offset += begin * r->stride[d];
    }
    part.data = (char *)r->data + (size_t)offset * MX_TYPE_SIZE(r->type);
    return part;
}

/* The same block in staging memory: dense, in the order of the view's strides. */
static mx_record staged_block(const transfer *t, const mx_record *block, int64_t number)
{
    mx_record dense = *block;
    int64_t step = 1;
    dense.data = t->memory[number % 2];
    dense.layout = MX_LAYOUT_STRIDE;
    for (int n = block->rank - 1; n >= 0; n--) {
        dense.stride[t->order[n]] = step;
        step *= block->extent[t->order[n]];
    }
    return dense;
}

/* The calling thread copies. Both are memory that it can access. */
static void copy_on_this_thread(const mx_record *to, const mx_record *from)
{
    mx_strided c;
    if (mx_strided_describe(&c, to, from)) mx_strided_run(&c, 0, c.count);
}

/* ---- staged transfers ---- */

static mx_err copy_to_view(const transfer *t)
{
    for (int64_t n = 0; n < t->blocks; n++) {
        const mx_record block = block_of(t, t->view, n);
        const mx_record array = block_of(t, t->host, n);
        const mx_record staged = staged_block(t, &block, n);
        copy_on_this_thread(&staged, &array); /* meanwhile the context copies block n-1 */
        /* block n+1 will use the buffer of block n-1 */
        if (n > 0) MX_TRY(mx_fence_event(t->ctx, "minx::import", false));
        MX_TRY(mx_record_copy(t->ctx, &block, &staged));
    }
    return mx_fence(t->ctx);
}

static mx_err start_copy_from_view(const transfer *t, int64_t n)
{
    const mx_record block = block_of(t, t->view, n);
    const mx_record staged = staged_block(t, &block, n);
    return mx_record_copy(t->ctx, &staged, &block);
}

static mx_err copy_from_view(const transfer *t)
{
    MX_TRY(start_copy_from_view(t, 0));
    for (int64_t n = 0; n < t->blocks; n++) {
        const mx_record block = block_of(t, t->view, n);
        const mx_record array = block_of(t, t->host, n);
        const mx_record staged = staged_block(t, &block, n);
        MX_TRY(n == 0 ? mx_fence(t->ctx) : mx_fence_event(t->ctx, "minx::export", false));
        if (n + 1 < t->blocks) MX_TRY(start_copy_from_view(t, n + 1));
        copy_on_this_thread(&array, &staged); /* meanwhile the context copies block n+1 */
    }
    return MX_OK;
}

static void free_staging(transfer *t)
{
    for (int m = 0; m < 2; m++)
        if (t->memory[m] != NULL) t->ctx->backend->memory.release(t->space, t->memory[m]);
}

static mx_err staged_transfer(transfer *t)
{
    mx_err err = MX_OK;
    cut_into_blocks(t);
    const mx_record largest = block_of(t, t->view, 0);
    size_t bytes = MX_TYPE_SIZE(largest.type);
    for (int d = 0; d < largest.rank; d++) bytes *= (size_t)largest.extent[d];
    t->space = mx_staging_space(t->ctx);
    MX_REQUIRE(t->ctx->backend->memory.accessible & MX_SPACE_BIT(t->space), MX_ERR_SPACE,
               "view '%s': %s has no staging memory: the backend allocates none that both its "
               "kernels and host code can access",
               t->view->label, t->ctx->name);
    for (int m = 0; m < 2 && m < t->blocks && err == MX_OK; m++)
        err = t->ctx->backend->memory.allocate(t->ctx, t->space, bytes, &t->memory[m]);
    if (err == MX_OK) err = t->to_view ? copy_to_view(t) : copy_from_view(t);
    const mx_err waited = err == MX_OK ? MX_OK : mx_fence_event(t->ctx, "minx::transfer", false);
    free_staging(t);
    return err != MX_OK ? err : waited;
}

/* Reports a copy to a profiling tool. */
static void report_copy(const mx_record *to, const mx_record *from)
{
    const size_t bytes = (size_t)to->count * MX_TYPE_SIZE(to->type);
    mx_tool_copy(to, to->data, from, from->data, bytes);
}

/* Copies between a view that ctx can access and elements in host memory. Done on return. */
static mx_err transfer_elements(mx_ctx ctx, const mx_record *view, const mx_record *host,
                                bool to_view)
{
    transfer t = {.ctx = ctx, .view = view, .host = host, .to_view = to_view};
    const mx_record *to = to_view ? view : host;
    const mx_record *from = to_view ? host : view;
    if (view->count == 0) return MX_OK;
    report_copy(to, from);
    if (!mx_ctx_can_access(ctx, host)) return mx_tool_copied(staged_transfer(&t));
    MX_TRY(mx_tool_copied(mx_record_copy(ctx, to, from)));
    return mx_fence(ctx);
}

/* ---- views of other layouts and spaces ---- */

mx_err mx_remap(mx_ctx ctx, mx_view destination, mx_view source)
{
    mx_record *to, *from;
    MX_TRY(mx_record_find(destination, &to));
    MX_TRY(mx_record_find(source, &from));
    MX_TRY(mx_records_check_shapes(to, from));
    MX_TRY(mx_record_recordable(ctx, to));
    MX_TRY(mx_record_recordable(ctx, from));
    if (mx_records_identical(to, from)) return MX_OK;
    MX_REQUIRE(!mx_views_overlap(destination, source), MX_ERR_ARG,
               "copy '%s' from '%s': the views overlap", to->label, from->label);
    const bool to_accessible = mx_ctx_can_access(ctx, to);
    const bool from_accessible = mx_ctx_can_access(ctx, from);
    if (mx_core(ctx)->graph != NULL && to->count > 0) {
        const mx_move move = {.to = destination, .from = source, .plain = false};
        return mx_core(ctx)->record_move(mx_core(ctx)->graph, &move);
    }
    if (to_accessible && from_accessible) {
        report_copy(to, from);
        return mx_tool_copied(mx_record_copy(ctx, to, from));
    }
    MX_REQUIRE(to_accessible || from_accessible, MX_ERR_SPACE,
               "remap '%s' from '%s': both are in memory that %s cannot access", to->label,
               from->label, ctx->name);
    return transfer_elements(ctx, to_accessible ? to : from, to_accessible ? from : to,
                             to_accessible);
}

/* ---- host arrays ---- */

/* Describes a host array that has the shape of the view. strides NULL: C order. */
static mx_err describe_array(const mx_record *view, const char *what, const void *array,
                             const int64_t *strides, bool written, mx_record *r)
{
    int device;
    *r = (mx_record){.type = view->type, .rank = view->rank, .layout = MX_LAYOUT_RIGHT};
    memcpy(r->extent, view->extent, sizeof r->extent);
    strcpy(r->label, "host array");
    r->space = mx_memory_space(array, &device);
    r->device = -1;
    MX_TRY(mx_record_lay_out(r));
    for (int d = 0; strides != NULL && d < view->rank; d++)
        MX_REQUIRE(strides[d] >= 0, MX_ERR_LAYOUT,
                   "%s '%s': stride %d of the array: got %lld, expected 0 or more", what,
                   view->label, d, (long long)strides[d]);
    if (strides != NULL && written) {
        MX_TRY(mx_record_set_strides(r, strides, MX_LAYOUT_DEFAULT));
    } else if (strides != NULL) {
        MX_TRY(mx_record_check_strides(r, strides));
        memcpy(r->stride, strides, (size_t)view->rank * sizeof *strides);
    }
    if (strides != NULL) r->layout = MX_LAYOUT_STRIDE;
    mx_record_measure(r);
    MX_REQUIRE(array != NULL || r->count == 0, MX_ERR_ARG, "%s '%s': no array", what, view->label);
    /* removes the const; an export writes to the array, an import only reads it */
    memcpy(&r->data, &array, sizeof array);
    MX_REQUIRE(
        MX_HOST_ACCESSIBLE & MX_SPACE_BIT(r->space), MX_ERR_SPACE,
        "%s '%s': the array at %p is in memory space %s, expected one that the host can access; "
        "mx_remap and mx_deep_copy copy between views",
        what, view->label, array, mx_space_name(r->space));
    return MX_OK;
}

static mx_err transfer_array(mx_ctx ctx, mx_view view, const void *array, const int64_t *strides,
                             mx_type type, bool to_view)
{
    const char *const what = to_view ? "import" : "export";
    mx_record *r;
    mx_record host;
    MX_TRY(mx_record_find(view, &r));
    if (to_view) MX_TRY(mx_record_writable(r));
    MX_TRY(mx_record_copyable(ctx, r));
    MX_REQUIRE(mx_ctx_can_access(ctx, r), MX_ERR_SPACE, "%s '%s': %s cannot access memory space %s",
               what, r->label, ctx->name, mx_space_name(r->space));
    MX_TRY(mx_record_check_type(r, what, type));
    MX_TRY(describe_array(r, what, array, strides, !to_view, &host));
    if (mx_records_identical(r, &host)) return mx_fence(ctx);
    MX_REQUIRE(!mx_records_overlap(r, &host), MX_ERR_ARG,
               "%s '%s': the array and the view overlap (is the array as large as the view?)", what,
               r->label);
    return transfer_elements(ctx, r, &host, to_view);
}

mx_err mx_import_(mx_ctx ctx, mx_view view, const void *array, const int64_t *strides, mx_type type)
{
    return MX_PASS(transfer_array(ctx, view, array, strides, type, true));
}

mx_err mx_export_(mx_ctx ctx, mx_view view, void *array, const int64_t *strides, mx_type type)
{
    return MX_PASS(transfer_array(ctx, view, array, strides, type, false));
}

/* ---- elements ---- */

/* Checks the arguments, and finds the view's record and the address of the element. */
static mx_err find_element(mx_ctx ctx, mx_view view, int64_t index, const void *value, mx_type type,
                           mx_record **record, char **at)
{
    MX_TRY(mx_record_find(view, record));
    const mx_record *r = *record;
    MX_REQUIRE(value != NULL, MX_ERR_ARG, "element of view '%s': no value", r->label);
    MX_TRY(mx_record_check_type(r, "element of", type));
    const int64_t extent = r->rank == 0 ? 1 : r->extent[0];
    MX_REQUIRE(r->rank <= 1, MX_ERR_RANK, "element of view '%s': got rank %d, expected 0 or 1",
               r->label, r->rank);
    MX_REQUIRE(index >= 0 && index < extent, MX_ERR_BOUNDS,
               "view '%s': index %lld, its extent is %lld", r->label, (long long)index,
               (long long)extent);
    MX_TRY(mx_record_copyable(ctx, r));
    *at = (char *)r->data + (size_t)(index * r->stride[0]) * MX_TYPE_SIZE(r->type);
    return MX_OK;
}

mx_err mx_read_element_(mx_ctx ctx, mx_view view, int64_t index, void *value, mx_type type)
{
    mx_record *r;
    char *at;
    MX_TRY(find_element(ctx, view, index, value, type, &r, &at));
    mx_tool_copy(NULL, value, r, at, MX_TYPE_SIZE(r->type));
    MX_TRY(mx_tool_copied(ctx->backend->memory.copy(ctx, value, at, MX_TYPE_SIZE(r->type))));
    return mx_fence(ctx);
}

mx_err mx_write_element_(mx_ctx ctx, mx_view view, int64_t index, const void *value, mx_type type)
{
    mx_record *r;
    char *at;
    MX_TRY(find_element(ctx, view, index, value, type, &r, &at));
    MX_TRY(mx_record_writable(r));
    mx_tool_copy(r, at, NULL, value, MX_TYPE_SIZE(r->type));
    /* The backend has read `value`, which is ordinary memory, when the call returns. */
    return mx_tool_copied(ctx->backend->memory.copy(ctx, at, value, MX_TYPE_SIZE(r->type)));
}
