/* Checking one backend by another. Every launch is run twice from the same state:
 *
 *   1. each view in the arguments gets a shadow: a host view with its contents, in the other context's layout unless every accessor
 *      of it works in any layout;
 *   2. the launch runs on its own context;
 *   3. it runs on the other one, with a copy of the arguments whose accessors point to the shadows;
 *   4. views and results are compared element by element; the first difference ends the launch with MX_ERR_MISMATCH.
 *
 * Numbers agree if they differ by at most the tolerance (of f32: 1e-5 at least) times the largest magnitude in that view:
 * sums may be taken in another order. Elements of user types are compared by their bytes, results of user types not at all. Cost: two copies
 * of every view a launch. */
#include "launches.h"
#include "memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SHADOWS = 64 };

typedef struct shadow {
    size_t offset; /* of the accessor in the arguments */
    mx_layout needs;
    mx_view view;   /* the original */
    mx_view mirror; /* its contents in host memory, same layout */
    mx_view copy;   /* the shadow */
} shadow;

typedef struct shadows {
    mx_ctx ctx, other;
    const mx_launch *launch;
    int count;
    shadow list[MAX_SHADOWS];
} shadows;

/* ---- elements of views of any layout ---- */

static size_t offset_of(const mx_view_info *v, const int64_t *index)
{
    return (size_t)mx_view_offset(v, index) * MX_TYPE_SIZE(v->type);
}

/* Steps to the next index, the last dimension fastest; false behind the end. */
static bool next_index(const mx_view_info *v, int64_t *index)
{
    for (int d = v->rank - 1; d >= 0; d--) {
        if (++index[d] < v->extent[d]) return true;
        index[d] = 0;
    }
    return false;
}

static void copy_elements(const mx_view_info *to, const mx_view_info *from)
{
    int64_t index[MX_MAX_RANK] = {0};
    const size_t size = MX_TYPE_SIZE(to->type);
    if (to->count == 0) return;
    do {
        memcpy((char *)to->data + offset_of(to, index),
               (const char *)from->data + offset_of(from, index), size);
    } while (next_index(to, index));
}

static double number_at(mx_type type, const void *at)
{
    double f64;
    float f32;
    int32_t i32;
    int64_t i64;
    uint32_t u32;
    uint64_t u64;
#define MX_NUMBER(variable) (memcpy(&(variable), at, sizeof(variable)), (double)(variable))
    switch (type) {
    case MX_F64: return MX_NUMBER(f64);
    case MX_F32: return MX_NUMBER(f32);
    case MX_I32: return MX_NUMBER(i32);
    case MX_I64: return MX_NUMBER(i64);
    case MX_U8: return (double)*(const uint8_t *)at;
    case MX_U32: return MX_NUMBER(u32);
    case MX_U64: return MX_NUMBER(u64);
    default: return 0;
    }
#undef MX_NUMBER
}

static bool same_number(mx_type type, const void *a, const void *b, double scale, double tolerance)
{
    if (memcmp(a, b, MX_TYPE_SIZE(type)) == 0) return true;
    const double x = number_at(type, a), y = number_at(type, b);
    if (type != MX_F64 && type != MX_F32) return false;
    return (isnan(x) && isnan(y)) || x == y ||
           fabs(x - y) <= (type == MX_F32 ? fmax(tolerance, 1e-5) : tolerance) * scale;
}

static double magnitude(const mx_view_info *v)
{
    int64_t index[MX_MAX_RANK] = {0};
    double largest = 0;
    if (v->count == 0) return 0;
    do {
        const double x = fabs(number_at(v->type, (const char *)v->data + offset_of(v, index)));
        if (x > largest && isfinite(x)) largest = x;
    } while (next_index(v, index));
    return largest;
}

static mx_err compare_views(const shadows *s, const mx_view_info *original,
                            const mx_view_info *other)
{
    int64_t index[MX_MAX_RANK] = {0};
    const double scale = magnitude(other);
    if (original->count == 0) return MX_OK;
    do {
        const char *a = (const char *)original->data + offset_of(original, index),
                   *b = (const char *)other->data + offset_of(other, index);
        if (!same_number(original->type, a, b, scale, s->ctx->check_tolerance)) {
            char where[128] = "";
            for (int d = 0; d < original->rank; d++) {
                const size_t used = strlen(where);
                snprintf(where + used, sizeof where - used, "%s%lld", d > 0 ? ", " : "",
                         (long long)index[d]);
            }
            return MX_FAIL(
                MX_ERR_MISMATCH, "kernel %s: view '%s' at (%s): %s gives %.17g, %s gives %.17g",
                s->launch->kernel->name, original->label, where, s->ctx->name,
                number_at(original->type, a), s->other->name, number_at(original->type, b));
        }
    } while (next_index(original, index));
    return MX_OK;
}

/* ---- shadows ---- */

/* Finds the accessors in the arguments. */
static mx_err find_accessors(shadows *s, const char *args, size_t size)
{
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
            "goes by the threads of its context, which a check cannot follow",
            s->launch->kernel->name, mx_record_of(view)->label);
        s->list[s->count++] =
            (shadow){.offset = at - MX_STAMP_OFFSET, .needs = stamp.needs, .view = view};
    }
    return MX_OK;
}

/* The layout of a view's shadow: the other context's if any accessor of the view has the layout of its instance; strided
 * ones take that too. An accessor of a fixed layout (needs is STRIDE) keeps the view's own. */
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
        "kernel %s: view '%s' has an accessor of layout %s always, and one of the context's, which is %s on %s: check "
        "it against a context of layout %s",
        s->launch->kernel->name, original->label, mx_layout_name(original->layout),
        mx_layout_name(s->other->layout), s->other->name, mx_layout_name(original->layout));
    return MX_OK;
}

static mx_err make_shadow(shadows *s, shadow *one)
{
    mx_view_info original, copy;
    mx_view_options options = {MX_SPACE_STAGING, MX_LAYOUT_DEFAULT, true, false};
    MX_TRY(mx_mirror_create(one->view, &one->mirror));
    MX_TRY(mx_deep_copy(s->ctx, one->mirror, one->view));
    MX_TRY(s->ctx->backend->launch.fence(s->ctx));
    MX_TRY(mx_view_get_info(one->mirror, &original));
    MX_TRY(shadow_layout(s, &original, one, &options.layout));
    MX_TRY(mx_view_create(s->other, original.label, original.type, original.rank, original.extent,
                          &options, &one->copy));
    MX_TRY(mx_view_get_info(one->copy, &copy));
    copy_elements(&copy, &original);
    return MX_OK;
}

/* Shadows are apart: what is written to one view must not show in another. */
static mx_err check_apart(const shadows *s, mx_view a, mx_view b)
{
    MX_REQUIRE(a.slot == b.slot || !mx_views_overlap(a, b), MX_ERR_ARG,
               "kernel %s: views '%s' and '%s' share memory, which a check cannot follow",
               s->launch->kernel->name, mx_record_of(a)->label, mx_record_of(b)->label);
    return MX_OK;
}

/* Two accessors of one view share a shadow. */
static mx_err make_shadows(shadows *s, char *args, size_t size, const mx_result *result)
{
    MX_TRY(find_accessors(s, args, size));
    for (int k = 0; k < s->count; k++) {
        shadow *one = &s->list[k];
        if (result != NULL && result->host == NULL) MX_TRY(check_apart(s, one->view, result->view));
        for (int before = 0; before < k; before++) {
            MX_TRY(check_apart(s, one->view, s->list[before].view));
            if (s->list[before].view.slot == one->view.slot) one->copy = s->list[before].copy;
        }
        if (one->copy.generation == 0)
            MX_TRY(make_shadow(s, one));
        else
            MX_TRY(mx_view_retain(one->copy));
        const bool any = one->needs == MX_LAYOUT_DEFAULT || one->needs == MX_LAYOUT_STRIDE;
        MX_TRY(mx_accessor_move(args + one->offset, s->other, mx_record_of(one->view),
                                mx_record_of(one->copy), one->copy,
                                any ? one->needs : s->other->layout));
    }
    return MX_OK;
}

static void free_shadows(shadows *s)
{
    for (int k = 0; k < s->count; k++) {
        mx_view_destroy(&s->list[k].mirror);
        mx_view_destroy(&s->list[k].copy);
    }
}

static mx_err compare_shadows(shadows *s)
{
    for (int k = 0; k < s->count; k++) {
        mx_view_info original, copy;
        if (s->list[k].mirror.generation == 0) continue; /* shared, compared already */
        MX_TRY(mx_deep_copy(s->ctx, s->list[k].mirror, s->list[k].view));
        MX_TRY(mx_fence(s->ctx));
        MX_TRY(mx_view_get_info(s->list[k].mirror, &original));
        MX_TRY(mx_view_get_info(s->list[k].copy, &copy));
        MX_TRY(compare_views(s, &original, &copy));
    }
    return MX_OK;
}

static mx_err compare_results(const shadows *s, const char *original, const char *other)
{
    const mx_kernel *k = s->launch->kernel;
    for (int64_t v = 0; v < s->launch->length; v++) {
        size_t at = (size_t)v * k->value_size;
        for (int f = 0; f < k->field_count; f++) {
            const size_t size = MX_TYPE_SIZE(k->fields[f].type);
            at = (at + size - 1) / size * size;
            const double a = number_at(k->fields[f].type, original + at),
                         b = number_at(k->fields[f].type, other + at);
            MX_REQUIRE(same_number(k->fields[f].type, original + at, other + at,
                                   fmax(fabs(a), fabs(b)), s->ctx->check_tolerance),
                       MX_ERR_MISMATCH, "kernel %s: %s %lld: %s gives %.17g, %s gives %.17g",
                       k->name, k->fields[f].name, (long long)v, s->ctx->name, a, s->other->name,
                       b);
            at += size;
        }
    }
    return MX_OK;
}

/* A result that goes into a view which is also an argument belongs into its shadow too. */
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

/* Runs on the other context; its own result goes to `result` (room for all values). */
static mx_err run_other(shadows *s, const void *args, void *result)
{
    mx_launch l = *s->launch;
    const mx_result to = {result, {0, 0}, 0, l.length};
    l.ctx = s->other;
    l.result = result;
    for (int d = 0; d < l.dims; d++) { /* loop order follows the layout; tiles are for speed */
        l.axis[d] = s->launch->axis[s->ctx->layout == s->other->layout ? d : l.dims - 1 - d];
        l.axis[d].tile = 0;
    }
    l.args_copy = NULL;
    if (l.team.size != 0) l.team.size = l.team.lanes = MX_AUTO; /* as many as the other can have */
    mx_err err = MX_PASS(s->other->backend->launch.plan(s->other, &l));
    if (err == MX_OK)
        err =
            mx_launch_execute(s->other, &l, args, l.kernel->pattern == MX_PATTERN_FOR ? NULL : &to);
    free(l.args_copy);
    return err;
}

static mx_err run_both(shadows *s, mx_launch *launch, const void *given, const mx_result *result,
                       void *args, char *original, char *other)
{
    const mx_kernel *k = launch->kernel;
    const size_t bytes = (size_t)launch->length * k->value_size;
    if (launch->result == NULL) result = NULL; /* the total of a scan, which nobody asked for */
    MX_TRY(make_shadows(s, args, k->args_size, result));
    MX_TRY(mx_launch_execute(s->ctx, launch, given, result));
    MX_TRY(mx_fence(s->ctx));
    MX_TRY(run_other(s, args, other));
    MX_TRY(mx_fence(s->other));
    if (result != NULL) {
        if (result->host != NULL) memcpy(original, result->host, bytes);
        for (int64_t v = 0; v < launch->length && result->host == NULL; v++)
            MX_TRY(mx_read_element(s->ctx, result->view, result->index + v,
                                   original + (size_t)v * k->value_size));
        MX_TRY(compare_results(s, original, other));
        if (result->host == NULL) MX_TRY(store_in_shadow(s, result, other));
    }
    return compare_shadows(s);
}

mx_err mx_launch_checked(mx_ctx ctx, mx_plan *plan, const void *given, const mx_result *result)
{
    mx_launch *const launch = &plan->launch;
    const mx_kernel *k = launch->kernel;
    MX_REQUIRE(mx_instance_of(ctx->check, k) != NULL, MX_ERR_BACKEND,
               "kernel %s: no instance to check it against %s", k->name, ctx->check->name);
    const size_t bytes = ((size_t)launch->length * k->value_size + 16) & ~(size_t)15; /* not 0 */
    shadows s = {.ctx = ctx, .other = ctx->check, .launch = launch};
    char *args = malloc(k->args_size), *values = calloc(2, bytes);
    mx_err err = MX_OK;
    if (args == NULL || values == NULL) {
        err = MX_FAIL(MX_ERR_MEMORY, "kernel %s: no memory to check it", k->name);
    } else {
        memcpy(args, given, k->args_size);
        err = run_both(&s, launch, given, result, args, values, values + bytes);
        free_shadows(&s);
    }
    free(args);
    free(values);
    return err;
}
