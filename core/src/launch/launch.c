/* The entry of a launch: checks all arguments. Then the launch runs, becomes a node of a graph that
 * records, or is checked against another backend. */
#include "launches.h"
#include "view/memory.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Dimensions in loop order: the contiguous one of the context's layout last. */
static mx_err order_axes(mx_launch *l, mx_layout layout, const int64_t *begin, const int64_t *end,
                         const int64_t *tile)
{
    double items = 1;
    for (int n = 0; n < l->dims; n++) {
        const int d = layout == MX_LAYOUT_LEFT ? l->dims - 1 - n : n;
        MX_REQUIRE(tile[d] >= 0, MX_ERR_ARG, "kernel %s: tile %d: got %lld, expected 0 or more",
                   l->kernel->name, d, (long long)tile[d]);
        const int64_t first = l->kernel->index_64 ? -MX_INDEX_END_64 : INT32_MIN,
                      last = l->kernel->index_64 ? MX_INDEX_END_64 : MX_INDEX_END;
        MX_REQUIRE(begin[d] >= first && end[d] <= last, MX_ERR_EXTENT,
                   "kernel %s: range %lld to %lld is beyond its %s", l->kernel->name,
                   (long long)begin[d], (long long)end[d],
                   l->kernel->index_64 ? "indices"
                                       : "int indices: declare and define the kernel over the "
                                         "index space with _64");
        l->axis[n] = (mx_axis){begin[d], end[d] > begin[d] ? end[d] : begin[d], tile[d], 0};
        items *= end[d] > begin[d] ? (double)end[d] - (double)begin[d] : 1;
    }
    MX_REQUIRE(items * (double)(l->kernel->value_size + 1) < 0x1p62, MX_ERR_EXTENT,
               "kernel %s: a range of %g items is too large", l->kernel->name, items);
    return MX_OK;
}

static mx_err check_teams(const char *kernel, const mx_team_shape *team)
{
    MX_REQUIRE(team->size >= 1 || team->size == MX_AUTO, MX_ERR_ARG,
               "kernel %s: teams of %d threads: expected 1 or more, or MX_AUTO", kernel,
               team->size);
    MX_REQUIRE(team->lanes == MX_AUTO || (team->lanes >= 1 && team->lanes <= 64 &&
                                          (team->lanes & (team->lanes - 1)) == 0),
               MX_ERR_ARG,
               "kernel %s: teams with %d lanes: expected a power of two up to 64, or MX_AUTO",
               kernel, team->lanes);
    const size_t all =
        team->team_bytes[0] | team->team_bytes[1] | team->thread_bytes[0] | team->thread_bytes[1];
    MX_REQUIRE(all >> 36 == 0, MX_ERR_ARG,
               "kernel %s: teams with up to %zu bytes of scratch: expected less than 64 GiB",
               kernel, all);
    return MX_OK;
}

static mx_err make_plan(mx_ctx ctx, const mx_kernel *kernel, bool teams, mx_plan *plan)
{
    const int64_t *range = plan->range;
    const int dims = kernel->dims;
    mx_launch *l = &plan->launch;
    MX_REQUIRE(mx_instance_of(ctx, kernel) != NULL || ctx->unwatched == NULL, MX_ERR_BACKEND,
               "kernel %s: check=races: its file was not compiled for it: use minx_add_kernels, "
               "and no sanitizer",
               kernel->name);
    MX_REQUIRE(mx_instance_of(ctx, kernel) != NULL, MX_ERR_BACKEND,
               "kernel %s: this build has no instance of it for %s with layout %s; configure with "
               "that backend, and with -DMINX_LAYOUTS=all for both layouts",
               kernel->name, ctx->backend->info.name, mx_layout_name(ctx->layout));
    /* 8 TiB: there may be 64 chunks with partial results for each of the 1024 members of a team */
    const int64_t max_length = (PTRDIFF_MAX >> 20) / (int64_t)(kernel->value_size + 1);
    MX_REQUIRE(plan->length >= 0 && plan->length <= max_length, MX_ERR_ARG,
               "kernel %s: length of its result: got %lld, expected 0 to %lld", kernel->name,
               (long long)plan->length, (long long)max_length);
    l->ctx = ctx;
    l->overflow = ctx->overflow;
    l->kernel = kernel;
    l->dims = dims;
    l->length = plan->length;
    l->dynamic = plan->dynamic;
    l->team = plan->team;
    if (teams) MX_TRY(check_teams(kernel->name, &l->team));
    MX_TRY(order_axes(l, ctx->layout, range, range + dims, range + 2 * dims));
    return MX_PASS(ctx->backend->launch.plan(ctx, l));
}

static mx_team_shape shape_of(const mx_teams *teams)
{
    mx_team_shape shape = {0};
    if (teams == NULL) return shape;
    shape.size = teams->size;
    shape.lanes = teams->lanes;
    memcpy(shape.team_bytes, teams->team_bytes, sizeof shape.team_bytes);
    memcpy(shape.thread_bytes, teams->thread_bytes, sizeof shape.thread_bytes);
    return shape;
}

static bool same_teams(const mx_team_shape *planned, const mx_teams *teams)
{
    const mx_team_shape range = shape_of(teams);
    return memcmp(planned, &range, sizeof range) == 0;
}

/* Is this the plan for this kernel, policy and length of result? */
static bool plan_fits(const mx_plan *plan, const mx_kernel *kernel, const mx_policy *policy,
                      int64_t length)
{
    const int dims = kernel->dims;
    if (plan->launch.kernel != kernel || plan->length != length || plan->dynamic != policy->dynamic)
        return false;
    for (int d = 0; d < dims; d++)
        if (plan->range[d] != policy->begin[d] || plan->range[dims + d] != policy->end[d] ||
            plan->range[2 * dims + d] != policy->tile[d])
            return false;
    return policy->teams == NULL || same_teams(&plan->team, policy->teams);
}

/* ---- the plans of a context ----
 *
 * A hash table with open addressing. The hash gives the slot where a search begins; a plan is stored
 * in the first empty slot from there on (linear probing). At least half of the slots are empty, so a
 * search soon ends. The table doubles when it has no room. At MAX_SLOTS it forgets all plans instead,
 * so that a program whose ranges change all the time needs no more memory; those that are still used
 * are made again. Only mx_launch_ looks for plans, one launch after the other: a context belongs to
 * one thread at a time, and a tool's hooks must not launch. So plans may move. */

enum { MIN_SLOTS = 64, MAX_SLOTS = 4096 };

/* The highest bits depend on kernel, range and length. (Multiplicative hashing: Knuth, The Art of
 * Computer Programming 3, section 6.4.) Plans that differ only in tiles,
 * schedule or teams have the same hash, and are searched one by one. */
static uint64_t hash_of(const mx_kernel *kernel, const int64_t *begin, const int64_t *end,
                        int64_t length)
{
    uint64_t hash = ((uint64_t)(uintptr_t)kernel >> 4) + (uint64_t)length;
    for (int d = 0; d < kernel->dims; d++)
        hash = (hash + (uint64_t)end[d] - ((uint64_t)begin[d] << 20)) * 0x9e3779b97f4a7c15u;
    return hash;
}

/* The first empty slot for a hash. There must be one. */
static mx_plan *empty_slot(const mx_core_ctx *core, uint64_t hash)
{
    uint64_t s = hash >> core->plan_shift;
    while (core->plans[s].launch.kernel != NULL) s = (s + 1) & (core->plan_slots - 1);
    return &core->plans[s];
}

/* Makes room for one more plan. */
static mx_err make_room(mx_ctx ctx)
{
    mx_core_ctx *const core = mx_core(ctx);
    mx_plan *const old = core->plans;
    const uint64_t old_slots = core->plan_slots, slots = old_slots > 0 ? 2 * old_slots : MIN_SLOTS;
    if (2 * (core->plan_count + 1) <= old_slots) return MX_OK;
    mx_plan *const plans =
        slots <= MAX_SLOTS ? aligned_alloc(_Alignof(mx_plan), slots * sizeof *plans) : NULL;
    MX_REQUIRE(plans != NULL || old_slots > 0, MX_ERR_MEMORY, "%s: no memory for plans of launches",
               ctx->name);
    if (plans == NULL) {
        mx_plans_clear(ctx);
        return MX_OK;
    }
    memset(plans, 0, slots * sizeof *plans);
    core->plans = plans;
    core->plan_slots = slots;
    core->plan_shift = __builtin_clzll(slots - 1);
    for (uint64_t s = 0; s < old_slots; s++) {
        const mx_kernel *const kernel = old[s].launch.kernel;
        const int64_t *const range = old[s].range;
        if (kernel == NULL) continue;
        *empty_slot(core, hash_of(kernel, range, range + kernel->dims, old[s].length)) = old[s];
    }
    free(old);
    return MX_OK;
}

/* Makes a plan, and puts it into the table. */
static mx_err add_plan(const mx_kernel *kernel, const mx_policy *policy, const void *args,
                       int64_t length, mx_plan **added)
{
    const int dims = kernel->dims;
    mx_core_ctx *const core = mx_core(policy->ctx);
    MX_TRY(mx_accessors_check_table(kernel->name, kernel->table(), args, kernel->args_size));
    MX_TRY(make_room(policy->ctx));
    mx_plan *const plan = *added =
        empty_slot(core, hash_of(kernel, policy->begin, policy->end, length));
    for (int d = 0; d < dims; d++) {
        plan->range[d] = policy->begin[d];
        plan->range[dims + d] = policy->end[d];
        plan->range[2 * dims + d] = policy->tile[d];
    }
    plan->length = length;
    plan->dynamic = policy->dynamic;
    plan->team = shape_of(policy->teams);
    const mx_err err = make_plan(policy->ctx, kernel, policy->teams != NULL, plan);
    if (err != MX_OK) {
        free(plan->launch.args_copy);
        memset(plan, 0, sizeof *plan);
        return MX_PASS(err);
    }
    core->plan_count++;
    core->plans_made++;
    return MX_OK;
}

/* Finds the plan for this kernel, policy and length of result, or makes one. */
static mx_err find_plan(const mx_kernel *kernel, const mx_policy *policy, const void *args,
                        int64_t length, mx_plan **found)
{
    const mx_core_ctx *const core = mx_core(policy->ctx);
    uint64_t s = hash_of(kernel, policy->begin, policy->end, length) >> core->plan_shift;
    if (core->plans == NULL) return MX_PASS(add_plan(kernel, policy, args, length, found));
    for (; core->plans[s].launch.kernel != NULL; s = (s + 1) & (core->plan_slots - 1)) {
        *found = &core->plans[s];
        if (plan_fits(*found, kernel, policy, length)) return MX_OK;
    }
    return MX_PASS(add_plan(kernel, policy, args, length, found));
}

static bool is_empty(const mx_launch *l)
{
    for (int d = 0; d < l->dims; d++)
        if (l->axis[d].begin == l->axis[d].end) return true;
    return false;
}

/* A launch for debugging: with a copy of the arguments whose accessors record faults in this
 * context, and, if launches are checked, repeated on the other backend. */
static mx_err launch_with_checks(mx_ctx ctx, mx_plan *plan, const void *args,
                                 const mx_result *result)
{
    mx_launch *l = &plan->launch;
    const size_t size = l->kernel->args_size;
    MX_TRY(mx_accessors_check_table(l->kernel->name, l->kernel->table(), args, size));
    void *copy = malloc(size);
    MX_REQUIRE(copy != NULL, MX_ERR_MEMORY, "kernel %s: no memory for a copy of its arguments",
               l->kernel->name);
    memcpy(copy, args, size);
#ifdef MINX_BOUNDS_CHECK
    mx_accessors_adopt(ctx, copy, size);
#endif
    mx_err err;
    if (mx_core(ctx)->graph != NULL)
        err = mx_graph_record(mx_core(ctx)->graph, l, copy, result);
    else if (mx_core(ctx)->check != NULL && !l->kernel->not_checked)
        err = mx_launch_checked(ctx, plan, copy, result);
    else
        err = mx_launch_execute(ctx, l, copy, result);
    free(copy);
    return err;
}

/* The kernel is compiled in another file than the launch. An empty struct has size 0 in C and 1 in
 * C++. */
static mx_err check_declaration(const mx_kernel *kernel, size_t args_size, const mx_result *result)
{
    MX_REQUIRE(args_size == kernel->args_size || (args_size == 1 && kernel->args_size == 0),
               MX_ERR_ARG,
               "kernel %s: its arguments have %zu bytes where it is launched, %zu where it is "
               "defined: expected one declaration, in a header that both files include, and for "
               "both the same MINX_BOUNDS_CHECK",
               kernel->name, args_size, kernel->args_size);
    MX_REQUIRE(result == NULL || result->value_size == kernel->value_size, MX_ERR_ARG,
               "kernel %s: its value has %zu bytes where it is launched, %zu where it is defined: "
               "expected one declaration, in a header that both files include",
               kernel->name, result->value_size, kernel->value_size);
    if (result == NULL || kernel->field_count != 1) return MX_OK;
    const mx_type defined = kernel->fields[0].type, launched = result->value_type;
    MX_REQUIRE(MX_TYPE_KIND(launched) == 0 || MX_TYPE_KIND(defined) == 0 || launched == defined,
               MX_ERR_ARG,
               "kernel %s: its value is %s where it is launched, %s where it is defined: expected "
               "one declaration, in a header that both files include",
               kernel->name, mx_type_name(launched), mx_type_name(defined));
    return MX_OK;
}

mx_err mx_result_fits_(const char *kernel, size_t bytes, int64_t length, size_t value_size)
{
    MX_REQUIRE(bytes == (size_t)-1 || length < 0 || (uint64_t)length <= bytes / value_size,
               MX_ERR_EXTENT,
               "kernel %s: its result has %lld values, the array that it goes to has room for %zu",
               kernel, (long long)length, bytes / value_size);
    return MX_OK;
}

mx_err mx_launch_(const mx_kernel *kernel, mx_policy policy, const void *args, size_t args_size,
                  const mx_result *result)
{
    const mx_ctx ctx = policy.ctx;
    mx_plan *plan;
    mx_result joined;
    if (result != NULL && result->partials != NULL) *result->partials = (mx_partials){NULL, 0};
    MX_REQUIRE(ctx != NULL, MX_ERR_ARG, "kernel %s: launched without a context", kernel->name);
    MX_REQUIRE(args != NULL, MX_ERR_ARG, "kernel %s: launched without arguments", kernel->name);
    MX_TRY(check_declaration(kernel, args_size, result));
    MX_TRY(mx_ctx_idle_for(ctx, kernel->name, true));
    MX_TRY(find_plan(kernel, &policy, args, result != NULL ? result->length : 1, &plan));
    mx_launch *l = &plan->launch;
    MX_TRY(mx_launch_set_result(ctx, l, result));
    MX_TRY(mx_accessors_check(ctx, kernel->name, kernel->table(), args, false));
    if (kernel->pattern == MX_PATTERN_FOR && is_empty(l)) return MX_OK;
    if (result != NULL && (mx_core(ctx)->check != NULL || mx_core(ctx)->graph != NULL)) {
        joined = *result;
        joined.partials = NULL;
        result = &joined;
    }
    if (mx_core(ctx)->check != NULL || mx_core(ctx)->fault != NULL)
        return launch_with_checks(ctx, plan, args, result);
    if (mx_core(ctx)->graph != NULL) return mx_graph_record(mx_core(ctx)->graph, l, args, result);
    return mx_launch_execute(ctx, l, args, result);
}
