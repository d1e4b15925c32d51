#include "neighbours.h"

#include <string.h>

mx_err neighbours_create(mx_ctx ctx, int particles, int capacity, neighbour_lists *n)
{
    memset(n, 0, sizeof *n);
    n->ctx = ctx;
    n->particles = particles;
    n->capacity = capacity > 1 ? capacity : 1;
    mx_err err = mx_view_create_2d(ctx, "list", MX_I32, particles, n->capacity, &n->list);
    if (err == MX_OK) err = mx_view_create_1d(ctx, "count", MX_I32, particles, &n->count);
    if (err == MX_OK) err = mx_bind(ctx, n->count, &n->args.count);
    if (err == MX_OK) return MX_OK;
    MX_TRY(neighbours_destroy(n));
    return MX_PASS(err);
}

/* The new capacity is a quarter larger than needed now, so that the next lists may fit too. The old
 * contents are not kept. */
static mx_err grow(neighbour_lists *n, int needed)
{
    const int capacity = needed + needed / 4;
    MX_TRY(mx_view_realloc(n->ctx, &n->list, ((const int64_t[]){n->particles, capacity})));
    n->capacity = capacity;
    n->growths++;
    return MX_OK;
}

mx_err neighbours_build(neighbour_lists *n, const cell_grid *c, mx_view x, double cutoff, bool half)
{
    const mx_ctx ctx = n->ctx;
    neighbours_args *const a = &n->args;
    int32_t longest = 0;
    MX_TRY(mx_bind(ctx, x, &a->x));
    MX_TRY(mx_bind(ctx, c->cell, &a->cell));
    MX_TRY(mx_bind(ctx, c->begin, &a->begin));
    MX_TRY(mx_bind(ctx, c->order, &a->order));
    a->cutoff2 = cutoff * cutoff;
    a->side = c->side;
    a->half = half;
    for (;;) {
        MX_TRY(mx_bind(ctx, n->list, &a->list));
        a->capacity = n->capacity;
        MX_TRY(neighbours_find(mx_range_1d(ctx, 0, n->particles), a, &longest));
        if (longest <= n->capacity) return MX_OK;
        MX_TRY(grow(n, longest));
    }
}

mx_err neighbours_destroy(neighbour_lists *n)
{
    MX_TRY(mx_view_destroy(&n->list));
    return mx_view_destroy(&n->count);
}
