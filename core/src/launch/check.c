/* Checking one backend against another. Every launch is run twice from the same state:
 *
 *   1. Each view in the arguments gets a shadow: a host view with the same contents. It has the layout of the other context, unless
 *      all accessors of the view work with any layout. A view that the kernel only reads, in memory and layout of the other context
 *      too, is its own shadow.
 *   2. The launch runs on its own context.
 *   3. It runs on the other context, with a copy of the arguments whose accessors point to the shadows.
 *   4. Views and results are compared element by element (compare.c). The first difference ends the launch with
 *      MX_ERR_MISMATCH. Views that are marked by mx_view_set_unchecked are not compared.
 *
 * Each launch makes new shadows. So a launch is checked correctly even if the backends rightly gave
 * different results before. Cost: each view that the kernel may write is copied, and compared; if
 * host code cannot access it, it is copied three times. */
#include "compare.h"
#include "launches.h"
#include "services/services.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SHADOWS = 64 };

typedef struct shadow {
    size_t offset; /* of the accessor in the arguments */
    mx_layout needs;
    bool reads;     /* the accessor is a const one */
    mx_view view;   /* the original */
    mx_view mirror; /* its contents in host memory, same layout: the original, if it is there */
    mx_view copy;   /* the shadow */
} shadow;

typedef struct shadows {
    mx_ctx ctx, other;
    const mx_launch *launch;
    int count;
    shadow list[MAX_SHADOWS];
} shadows;

/* ---- shadows ---- */

/* Finds the accessors in the arguments. */
static mx_err find_accessors(shadows *s, const char *args, size_t size)
{
    const mx_args_table *const table = s->launch->kernel->table();
    for (size_t at = MX_STAMP_OFFSET; at + sizeof(uint64_t) <= size; at += sizeof(uint64_t)) {
        mx_stamp stamp;
        if (!mx_stamp_read(args + at, &stamp)) continue;
        MX_REQUIRE(s->count < MAX_SHADOWS, MX_ERR_ARG,
                   "kernel %s: more than %d views in its arguments", s->launch->kernel->name,
                   MAX_SHADOWS);
        const mx_view view = mx_view_of_stamp(&stamp);
        MX_REQUIRE(
            mx_record_of(view)->reserved_for == 0, MX_ERR_ARG,
            "kernel %s: view '%s' (tokens, or a scatter view that was bound before the check began) "
            "depends on the threads of its context, so another backend cannot repeat the launch",
            s->launch->kernel->name, mx_record_of(view)->label);
        const size_t offset = at - MX_STAMP_OFFSET;
        s->list[s->count++] = (shadow){.offset = offset,
                                       .needs = stamp.needs,
                                       .reads = mx_accessor_is_const(table, offset),
                                       .view = view};
    }
    return MX_OK;
}

/* The layout of a view's shadow. If an accessor of the view has the layout of its instance, the
 * shadow has the layout of the other context; strided accessors work with that too. An accessor of
 * a fixed layout (needs is STRIDE) requires the view's layout. */
static mx_err shadow_layout(const shadows *s, const mx_view_info *original, const shadow *one,
                            mx_layout *layout)
{
    bool instance = false, fixed = false;
    for (int k = 0; k < s->count; k++) {
        if (s->list[k].view.slot != one->view.slot) continue;
        fixed = fixed || s->list[k].needs == MX_LAYOUT_STRIDE;
        instance =
            instance || s->list[k].needs == MX_LAYOUT_LEFT || s->list[k].needs == MX_LAYOUT_RIGHT;
    }
    *layout =
        instance || original->layout == MX_LAYOUT_STRIDE ? s->other->layout : original->layout;
    MX_REQUIRE(
        !fixed || *layout == original->layout, MX_ERR_LAYOUT,
        "kernel %s: view '%s' has one accessor of fixed layout %s and one of the context's layout, "
        "which is %s on %s: check it against a context of layout %s",
        s->launch->kernel->name, original->label, mx_layout_name(original->layout),
        mx_layout_name(s->other->layout), s->other->name, mx_layout_name(original->layout));
    return MX_OK;
}

/* May both contexts use the view itself? Only if neither changes it: result, if any, is not in
 * it. */
static bool can_share(const shadows *s, const shadow *one, const mx_result *result)
{
    if (s->ctx->layout != s->other->layout || !mx_ctx_can_access(s->other, mx_record_of(one->view)))
        return false;
    if (result != NULL && result->host == NULL && result->view.slot == one->view.slot) return false;
    for (int k = 0; k < s->count; k++)
        if (s->list[k].view.slot == one->view.slot && !s->list[k].reads) return false;
    return true;
}

/* The view itself may be its mirror or its shadow. Then the shadow is no further owner of it: a body
 * that destroys it is refused as without a check. */
static bool is_itself(const shadow *one, mx_view view) { return view.slot == one->view.slot; }

static void release(const shadow *one, mx_view *view)
{
    if (!is_itself(one, *view)) (void)mx_view_destroy(view);
}

/* The contents of the view are in the mirror, when the context has no work left. */
static mx_err update_mirror(const shadows *s, const shadow *one)
{
    if (!is_itself(one, one->mirror)) MX_TRY(mx_deep_copy(s->ctx, one->mirror, one->view));
    return MX_PASS(s->ctx->backend->launch.fence(s->ctx));
}

/* The threads that a context has for copies in host memory, and for comparisons. */
static int host_threads(mx_ctx ctx)
{
    const mx_backend_host *const host = &ctx->backend->host;
    return host->run == NULL || host->chunks_are_items ? 0 : ctx->threads;
}

static mx_ctx host_of(const shadows *s)
{
    return host_threads(s->ctx) > host_threads(s->other) ? s->ctx : s->other;
}

static mx_err make_shadow(shadows *s, shadow *one)
{
    mx_view_info original;
    mx_view_options options = {MX_SPACE_STAGING, MX_LAYOUT_DEFAULT, true, false};
    void *data;
    if ((MX_HOST_ACCESSIBLE & MX_SPACE_BIT(mx_record_of(one->view)->space)) != 0)
        one->mirror = one->view;
    else
        MX_TRY(mx_mirror_create(one->view, &one->mirror));
    MX_TRY(update_mirror(s, one));
    MX_TRY(mx_view_get_info(one->mirror, &original));
    MX_TRY(shadow_layout(s, &original, one, &options.layout));
    /* tiles have elements beyond the extents */
    const int64_t span = mx_record_of(one->mirror)->span,
                  elements = span > original.count ? span : original.count;
    MX_TRY(mx_kept_take(s->other, (size_t)elements * MX_TYPE_SIZE(original.type) + 1, &data));
    MX_TRY(mx_view_wrap(s->other, original.label, original.type, original.rank, original.extent,
                        NULL, &options, data, &one->copy));
    return MX_PASS(mx_record_copy(host_of(s), mx_record_of(one->copy), mx_record_of(one->mirror)));
}

/* Each shadow has memory of its own, so views that share elements cannot be checked. */
static mx_err check_no_overlap(const shadows *s, mx_view a, mx_view b)
{
    MX_REQUIRE(a.slot == b.slot || !mx_views_overlap(a, b), MX_ERR_ARG,
               "kernel %s: views '%s' and '%s' share memory, so another backend cannot repeat the "
               "launch with copies of them",
               s->launch->kernel->name, mx_record_of(a)->label, mx_record_of(b)->label);
    return MX_OK;
}

/* The result of the other backend goes to host memory of its own, not into the shadow of a view. If
 * the program's result were in a view, the two would differ. */
static mx_err check_result_apart(const shadows *s, mx_view view, const mx_result *result)
{
    const mx_launch *const l = s->launch;
    if (result->host == NULL) return check_no_overlap(s, view, result->view);
    MX_REQUIRE(
        !mx_record_overlaps_memory(mx_record_of(view), result->host,
                                   (size_t)l->length * l->kernel->value_size),
        MX_ERR_ARG,
        "kernel %s: the pointer to its result is between the first and the last element of view "
        "'%s', so another backend cannot repeat the launch with a copy of the view: store the "
        "result elsewhere",
        l->kernel->name, mx_record_of(view)->label);
    return MX_OK;
}

/* Two accessors of one view share a shadow. */
static mx_err make_shadows(shadows *s, char *args, size_t size, const mx_result *result)
{
    MX_TRY(find_accessors(s, args, size));
    for (int k = 0; k < s->count; k++) {
        shadow *one = &s->list[k];
        if (result != NULL) MX_TRY(check_result_apart(s, one->view, result));
        for (int before = 0; before < k; before++) {
            MX_TRY(check_no_overlap(s, one->view, s->list[before].view));
            if (s->list[before].view.slot == one->view.slot) one->copy = s->list[before].copy;
        }
        const bool first = one->copy.generation == 0, shared = first && can_share(s, one, result);
        if (shared) one->copy = one->view;
        if (first && !shared)
            MX_TRY(make_shadow(s, one));
        else if (!is_itself(one, one->copy))
            MX_TRY(mx_view_retain(one->copy));
        const bool keeps = one->needs == MX_LAYOUT_DEFAULT || one->needs == MX_LAYOUT_STRIDE;
        MX_TRY(mx_accessor_move(args + one->offset, s->other, mx_record_of(one->view),
                                mx_record_of(one->copy), one->copy,
                                keeps ? one->needs : s->other->layout));
    }
    return MX_OK;
}

static void free_shadows(shadows *s)
{
    for (int k = 0; k < s->count; k++) {
        release(&s->list[k], &s->list[k].mirror);
        release(&s->list[k], &s->list[k].copy);
    }
    mx_kept_return(s->other);
}

static mx_comparison comparison_of(const shadows *s)
{
    return (mx_comparison){.kernel = s->launch->kernel->name,
                           .ctx = host_of(s),
                           .name = {s->ctx->name, s->other->name},
                           .tolerance = mx_core(s->ctx)->check_tolerance};
}

static bool is_unchecked(mx_view view)
{
    const mx_record *record = mx_record_of(view);
    return record->unchecked || mx_record_of(mx_record_root(view, record))->unchecked;
}

static double scale_of(mx_view view)
{
    const mx_record *record = mx_record_of(view);
    return fmax(record->check_scale, mx_record_of(mx_record_root(view, record))->check_scale);
}

static mx_err compare_shadows(shadows *s)
{
    mx_comparison comparison = comparison_of(s);
    for (int k = 0; k < s->count; k++) {
        mx_view_info original, copy;
        if (s->list[k].mirror.generation == 0) continue; /* it has no shadow of its own */
        if (is_unchecked(s->list[k].view)) continue;
        MX_TRY(update_mirror(s, &s->list[k]));
        MX_TRY(mx_view_get_info(s->list[k].mirror, &original));
        MX_TRY(mx_view_get_info(s->list[k].copy, &copy));
        comparison.scale = scale_of(s->list[k].view);
        MX_TRY(mx_compare_views(&comparison, &original, &copy));
    }
    return MX_OK;
}

/* original, other: the values; their padding becomes zero. */
static mx_err compare_results(const shadows *s, const mx_result *result, char *original,
                              char *other)
{
    const mx_kernel *k = s->launch->kernel;
    mx_comparison comparison = comparison_of(s);
    if (result->host == NULL) comparison.scale = scale_of(result->view);
    for (int64_t v = 0; v < s->launch->length; v++) {
        size_t at = (size_t)v * k->value_size;
        if (k->clear_padding != NULL) {
            k->clear_padding(original + at);
            k->clear_padding(other + at);
        }
        for (int f = 0; f < k->field_count; f++) {
            const mx_field *const field = &k->fields[f];
            at = (at + field->alignment - 1) / field->alignment * field->alignment;
            if (MX_TYPE_KIND(field->type) != 0)
                MX_TRY(mx_compare_numbers(&comparison, field->name, v, field->type, original + at,
                                          other + at));
            else if (field->location != 0)
                MX_TRY(mx_compare_locations(&comparison, field->name, v, field->location,
                                            MX_TYPE_SIZE(field->type), original + at, other + at));
            else if (k->clear_padding != NULL)
                MX_TRY(mx_compare_structs(&comparison, field->name, MX_TYPE_SIZE(field->type),
                                          original + at, other + at));
            at += MX_TYPE_SIZE(field->type);
        }
    }
    return MX_OK;
}

/* Stores the result in the shadow of its view, if the view is an argument too. */
static mx_err store_in_shadow(const shadows *s, const mx_result *result, const void *value)
{
    for (int k = 0; k < s->count; k++)
        if (s->list[k].mirror.generation != 0 && s->list[k].view.slot == result->view.slot)
            for (int64_t v = 0; v < s->launch->length; v++)
                MX_TRY(mx_write_element(s->other, s->list[k].copy, result->index + v,
                                        (const char *)value +
                                            (size_t)v * s->launch->kernel->value_size));
    return MX_OK;
}

/* ---- the two runs ---- */

/* Cuts the launch for the other context, with teams of this shape. */
static mx_err plan_other(const shadows *s, mx_team_shape team, mx_launch *l)
{
    *l = *s->launch;
    l->ctx = s->other;
    l->args_copy = NULL;
    l->team = team;
    for (int d = 0; d < l->dims; d++) { /* loop order follows the layout; tiles are for speed */
        l->axis[d] = s->launch->axis[s->ctx->layout == s->other->layout ? d : l->dims - 1 - d];
        l->axis[d].tile = 0;
    }
    return MX_PASS(s->other->backend->launch.plan(s->other, l));
}

/* Runs on the other context; `result` gets its result (memory for all values). requested: the teams
 * of the program's policy. If the other context cannot run teams of that shape, it chooses the
 * shape. */
static mx_err run_other(shadows *s, mx_team_shape requested, const void *args, void *result)
{
    mx_launch l;
    const mx_result to = {result, {0, 0}, 0, s->launch->length, s->launch->kernel->value_size,
                          0,      NULL};
    mx_err err = plan_other(s, requested, &l);
    if (err == MX_ERR_ARG && requested.size != 0) {
        requested.size = MX_AUTO;
        requested.lanes = MX_AUTO;
        err = plan_other(s, requested, &l);
    }
    l.result = result;
    if (err == MX_OK) {
        mx_ctx_begin_launch(s->ctx, s->launch); /* it still has the views */
        err =
            mx_launch_execute(s->other, &l, args, l.kernel->pattern == MX_PATTERN_FOR ? NULL : &to);
        err = mx_ctx_end_launch(s->ctx, l.kernel->name, err);
    }
    free(l.args_copy);
    return err;
}

static mx_err run_both(shadows *s, mx_plan *plan, const void *program_args, const mx_result *result,
                       void *args, char *original, char *other)
{
    mx_launch *const launch = &plan->launch;
    const mx_kernel *k = launch->kernel;
    const size_t bytes = (size_t)launch->length * k->value_size;
    if (launch->result == NULL) result = NULL; /* a scan without a total */
    MX_TRY(make_shadows(s, args, k->args_size, result));
    MX_TRY(mx_launch_execute(s->ctx, launch, program_args, result));
    MX_TRY(mx_fence(s->ctx));
    MX_TRY(run_other(s, plan->team, args, other));
    MX_TRY(mx_fence(s->other));
    if (result != NULL) {
        if (result->host != NULL) memcpy(original, result->host, bytes);
        for (int64_t v = 0; v < launch->length && result->host == NULL; v++)
            MX_TRY(mx_read_element(s->ctx, result->view, result->index + v,
                                   original + (size_t)v * k->value_size));
        MX_TRY(compare_results(s, result, original, other));
        if (result->host == NULL) MX_TRY(store_in_shadow(s, result, other));
    }
    return compare_shadows(s);
}

mx_err mx_launch_checked(mx_ctx ctx, mx_plan *plan, const void *program_args,
                         const mx_result *result)
{
    mx_launch *const launch = &plan->launch;
    const mx_kernel *k = launch->kernel;
    MX_REQUIRE(mx_instance_of(mx_core(ctx)->check, k) != NULL, MX_ERR_BACKEND,
               "kernel %s: this build has no instance of it for %s, against which it is checked",
               k->name, mx_core(ctx)->check->name);
    MX_TRY(mx_ctx_idle_for(mx_core(ctx)->check, k->name, true));
    const size_t bytes = ((size_t)launch->length * k->value_size + 16) & ~(size_t)15; /* not 0 */
    shadows s = {.ctx = ctx, .other = mx_core(ctx)->check, .launch = launch};
    char *args = malloc(k->args_size), *values = calloc(2, bytes);
    mx_err err = MX_OK;
    if (args == NULL || values == NULL) {
        err = MX_FAIL(MX_ERR_MEMORY, "kernel %s: no memory to check it", k->name);
    } else {
        memcpy(args, program_args, k->args_size);
        err = run_both(&s, plan, program_args, result, args, values, values + bytes);
        free_shadows(&s);
    }
    free(args);
    free(values);
    return err;
}
