#include "cells.h"

#include <string.h>

static mx_err create(cell_grid *c)
{
    const mx_ctx ctx = c->ctx;
    MX_TRY(mx_view_create_1d(ctx, "cell", MX_I32, c->particles, &c->cell));
    MX_TRY(mx_view_create_1d(ctx, "slot", MX_I32, c->particles, &c->slot));
    MX_TRY(mx_view_create_1d(ctx, "counts", MX_I32, c->count + 1, &c->counts));
    MX_TRY(mx_view_create_1d(ctx, "begin", MX_I32, c->count + 1, &c->begin));
    MX_TRY(mx_view_create_1d(ctx, "order", MX_I32, c->particles, &c->order));
    MX_TRY(mx_bind(ctx, c->cell, &c->count_args.cell));
    MX_TRY(mx_bind(ctx, c->slot, &c->count_args.slot));
    MX_TRY(mx_bind(ctx, c->counts, &c->count_args.count));
    MX_TRY(mx_bind(ctx, c->counts, &c->scan_args.count));
    MX_TRY(mx_bind(ctx, c->begin, &c->scan_args.begin));
    MX_TRY(mx_bind(ctx, c->cell, &c->fill_args.cell));
    MX_TRY(mx_bind(ctx, c->slot, &c->fill_args.slot));
    MX_TRY(mx_bind(ctx, c->begin, &c->fill_args.begin));
    MX_TRY(mx_bind(ctx, c->order, &c->fill_args.order));
    MX_TRY(mx_bind(ctx, c->begin, &c->sort_args.begin));
    return mx_bind(ctx, c->order, &c->sort_args.order);
}

mx_err cells_create(mx_ctx ctx, int particles, int side, double length, cell_grid *c)
{
    memset(c, 0, sizeof *c);
    c->ctx = ctx;
    c->particles = particles;
    c->side = side;
    c->count = side * side * side;
    c->count_args.side = side;
    c->count_args.per_length = side / length;
    const mx_err err = create(c);
    if (err == MX_OK) return MX_OK;
    MX_TRY(cells_destroy(c));
    return MX_PASS(err);
}

mx_err cells_build(cell_grid *c, mx_view x)
{
    const mx_range_1 particles = mx_range_1d(c->ctx, 0, c->particles);
    const int32_t zero = 0;
    MX_TRY(mx_bind(c->ctx, x, &c->count_args.x));
    MX_TRY(mx_fill(c->ctx, c->counts, &zero));
    MX_TRY(cells_count(particles, &c->count_args));
    MX_TRY(offsets(mx_range_1d(c->ctx, 0, c->count + 1), &c->scan_args, NULL));
    return cells_fill(particles, &c->fill_args);
}

mx_err cells_build_sorted(cell_grid *c, mx_view x)
{
    MX_TRY(cells_build(c, x));
    return cells_sort(mx_range_1d(c->ctx, 0, c->count), &c->sort_args);
}

mx_err cells_destroy(cell_grid *c)
{
    MX_TRY(mx_view_destroy(&c->cell));
    MX_TRY(mx_view_destroy(&c->slot));
    MX_TRY(mx_view_destroy(&c->counts));
    MX_TRY(mx_view_destroy(&c->begin));
    return mx_view_destroy(&c->order);
}
