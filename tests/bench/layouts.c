/* The cost of the wrong layout: the same kernels on views of layout right and of layout left. Both
 * run as kernels of the same instance, so the mapping of indices to threads and vector lanes is the
 * same (the last index of a range is contiguous on hosts, the first on GPUs). Only the types of the
 * accessors differ. In the table, the context's layout is in the column of the core, the other
 * layout in that of the rival. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RIGHT, LEFT, SIDES };
static const mx_layout layouts[SIDES] = {MX_LAYOUT_RIGHT, MX_LAYOUT_LEFT};
static const char *const names[SIDES] = {"right", "left"};

#define BIND(side, w, view, args, member)                                             \
    ((side) == RIGHT ? mx_bind((w)->target->ctx, view, &(w)->layouts.args##_r.member) \
                     : mx_bind((w)->target->ctx, view, &(w)->layouts.args##_l.member))

/* ---- five points ---- */

static mx_err stencil_setup(bench_work *w)
{
    const int64_t rows = w->rival.rows + 2, columns = w->rival.columns + 2;
    for (int side = 0; side < SIDES; side++) {
        bench_set_2d_args set = {.seed = 1};
        mx_view in, *const out = &w->by_layout[side];
        MX_TRY(bench_new_view(w, "in", MX_F64, rows, columns, layouts[side], &in));
        MX_TRY(bench_new_view(w, "out", MX_F64, rows, columns, layouts[side], out));
        MX_TRY(mx_bind(w->target->ctx, in, &set.x));
        MX_TRY(bench_set_2d(mx_range_2d(w->target->ctx, 0, rows, 0, columns), &set));
        MX_TRY(BIND(side, w, in, stencil, in));
        MX_TRY(BIND(side, w, *out, stencil, out));
    }
    w->items = (int64_t)w->rival.rows * w->rival.columns;
    return MX_OK;
}

static mx_err stencil_right(bench_work *w)
{
    return bench_stencil_r(w->cells, &w->layouts.stencil_r);
}

static mx_err stencil_left(bench_work *w)
{
    return bench_stencil_l(w->cells, &w->layouts.stencil_l);
}

/* ---- a sparse matrix with entry k of row r at (r, k) ---- */

static mx_err columns_setup(bench_work *w)
{
    mx_view x;
    MX_TRY(bench_new_vector(w, "x", 1, &x, &w->rival.b));
    for (int side = 0; side < SIDES; side++) {
        bench_set_columns_args set = {.rows = (int)w->items,
                                      .side = (int)ceil(cbrt((double)w->items))};
        mx_view column, value, *const y = &w->by_layout[side];
        MX_TRY(bench_new_view(w, "column", MX_I32, w->items, BENCH_ROW, layouts[side], &column));
        MX_TRY(bench_new_view(w, "value", MX_F64, w->items, BENCH_ROW, layouts[side], &value));
        MX_TRY(bench_new_view(w, "y", MX_F64, w->items, 0, layouts[side], y));
        MX_TRY(mx_bind(w->target->ctx, column, &set.column));
        MX_TRY(mx_bind(w->target->ctx, value, &set.value));
        MX_TRY(bench_set_columns(w->line, &set));
        MX_TRY(BIND(side, w, column, columns, column));
        MX_TRY(BIND(side, w, value, columns, value));
        MX_TRY(BIND(side, w, x, columns, x));
        MX_TRY(BIND(side, w, *y, columns, y));
    }
    return MX_OK;
}

static mx_err columns_right(bench_work *w)
{
    return bench_columns_r(w->line, &w->layouts.columns_r);
}

static mx_err columns_left(bench_work *w)
{
    return bench_columns_l(w->line, &w->layouts.columns_l);
}

/* ---- forces between pairs of particles ---- */

static mx_err force_setup(bench_work *w)
{
    mx_view count;
    for (int side = 0; side < SIDES; side++) {
        mx_view x, list, *const f = &w->by_layout[side];
        MX_TRY(bench_new_points(w, layouts[side], &x, f));
        MX_TRY(bench_new_lists(w, layouts[side], x, &list, &count));
        MX_TRY(BIND(side, w, x, force, x));
        MX_TRY(BIND(side, w, *f, force, f));
        MX_TRY(BIND(side, w, list, force, list));
        MX_TRY(BIND(side, w, count, force, count));
    }
    w->layouts.force_l.cutoff2 = w->layouts.force_r.cutoff2 = BENCH_CUTOFF * BENCH_CUTOFF;
    return MX_OK;
}

static mx_err force_right(bench_work *w) { return bench_force_r(w->line, &w->layouts.force_r); }

static mx_err force_left(bench_work *w) { return bench_force_l(w->line, &w->layouts.force_l); }

/* ---- the table ---- */

/* Both sides compute the same. */
static mx_err check(bench_work *w)
{
    const mx_view right = w->by_layout[RIGHT];
    mx_view same, a, b;
    mx_view_info info;
    MX_TRY(w->which->core(w));
    MX_TRY(w->which->other(w));
    MX_TRY(mx_view_get_info(right, &info));
    MX_TRY(bench_new_view(w, "left, remapped", MX_F64, info.extent[0],
                          info.rank == 2 ? info.extent[1] : 0, MX_LAYOUT_RIGHT, &same));
    MX_TRY(mx_remap(w->target->ctx, same, w->by_layout[LEFT]));
    MX_TRY(mx_mirror_create(right, &a));
    mx_err err = mx_mirror_create(right, &b);
    if (err == MX_OK) err = mx_deep_copy(w->target->ctx, a, right);
    if (err == MX_OK) err = mx_deep_copy(w->target->ctx, b, same);
    if (err == MX_OK) err = mx_fence(w->target->ctx);
    if (err == MX_OK) err = bench_compare(w, "the other layout", a, b, false);
    MX_TRY(mx_view_destroy(&a));
    MX_TRY(mx_view_destroy(&b));
    return err == MX_OK ? MX_OK : MX_PASS(err);
}

/* core and other: on views of layout right and left. */
static const bench_case cases[] = {
    {.name = "stencil",
     .doubles = 4,
     .bytes_per_item = 16,
     .setup = stencil_setup,
     .core = stencil_right,
     .other = stencil_left,
     .check = check},
    {.name = "spmv-columns",
     .doubles = 84,
     .bytes_per_item = BENCH_ROW * 12 + 16,
     .share = 0.05,
     .setup = columns_setup,
     .core = columns_right,
     .other = columns_left,
     .check = check},
    {.name = "force",
     .doubles = 101,
     .bytes_per_item = BENCH_FORCE_BYTES,
     .share = 0.03,
     .setup = force_setup,
     .core = force_right,
     .other = force_left,
     .check = check},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static void print_row(const bench_row *row, const char *name, int own_layout)
{
    const bench_times *t = &row->times;
    printf("%-13s %-7s %3d %11lld ", name, row->backend, row->threads, (long long)row->n);
    bench_print_seconds(own_layout == RIGHT ? t->core : t->rival);
    printf(" ");
    bench_print_seconds(own_layout == LEFT ? t->core : t->rival);
    printf(" %11.2f (%.2f %.2f)  %s\n", 1 / t->to_rival.median, 1 / t->to_rival.high,
           1 / t->to_rival.low, names[own_layout]);
    fflush(stdout);
}

static mx_err run(const bench_target *target, const bench_case *which, const bench_options *o,
                  bench_report *report)
{
    const int own_layout = target->info.layout == MX_LAYOUT_RIGHT ? RIGHT : LEFT;
    bench_case c = *which;
    bench_work w;
    bench_row row;
    memset(&row, 0, sizeof row);
    c.core = own_layout == RIGHT ? which->core : which->other;
    c.other = own_layout == RIGHT ? which->other : which->core;
    c.other_name = names[!own_layout];
    MX_TRY(bench_work_create(target, &c, false, o->size_factor, &w));
    mx_err err = bench_agree(&w);
    if (err == MX_OK) err = bench_measure(&w, o->repeat, &row.times);
    snprintf(row.name, sizeof row.name, "layout/%s", c.name);
    snprintf(row.backend, sizeof row.backend, "%s", target->info.backend);
    row.threads = target->info.threads;
    row.n = w.items;
    row.bytes = w.bytes;
    row.rival_name = row.times.rival_name;
    bench_work_destroy(&w);
    if (err != MX_OK) return MX_PASS(err);
    print_row(&row, c.name, own_layout);
    return bench_report_keep(report, &row);
}

static bool wanted(const bench_options *options, const bench_case *which)
{
    char name[64];
    snprintf(name, sizeof name, "layout/%s", which->name);
    return bench_wanted(options, name) || bench_wanted(options, which->name);
}

bool bench_layouts_wanted(const bench_options *options)
{
    for (int c = 0; c < CASES; c++)
        if (wanted(options, &cases[c])) return true;
    return false;
}

mx_err bench_layouts(const bench_target *target, const bench_options *options, bench_report *report)
{
    printf("%-13s %-7s %3s %11s %11s %11s %11s %-13s %s\n", "case", "backend", "thr", "n", "right",
           "left", "wrong/own", "(quartiles)", "own");
    for (int c = 0; c < CASES; c++)
        if (wanted(options, &cases[c])) MX_TRY(run(target, &cases[c], options, report));
    return MX_OK;
}

void bench_layouts_list(void)
{
    for (int c = 0; c < CASES; c++) printf("layout/%-17s with --layouts\n", cases[c].name);
}
