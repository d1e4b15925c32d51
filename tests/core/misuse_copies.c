/* Misuse of copies, fills, single elements, resize, dual views. */
#include "minx/kit/dual.h"
#include "misuse.h"

static mx_err with_view(mu_world *w, mx_type type, int rank, int64_t a, int64_t b, mx_layout layout,
                        mx_err (*use)(mu_world *w, mx_view view))
{
    const int64_t extents[] = {a, b};
    const mx_view_options options = {MX_SPACE_DEFAULT, layout, false, false};
    mx_view view;
    MX_TRY(mx_view_create(w->ctx, "v", type, rank, extents, &options, &view));
    const mx_err err = use(w, view);
    MX_TRY(mx_view_destroy(&view));
    return err;
}

static mx_err to_row(mu_world *w, mx_view v) { return mx_deep_copy(w->ctx, w->row, v); }
static mx_err to_grid(mu_world *w, mx_view v) { return mx_deep_copy(w->ctx, w->grid, v); }
static mx_err remap_row(mu_world *w, mx_view v) { return mx_remap(w->ctx, w->row, v); }

static mx_err copy_other_type(mu_world *w)
{
    return with_view(w, MX_I64, 1, MU_N, 0, MX_LAYOUT_DEFAULT, to_row);
}

static mx_err copy_other_rank(mu_world *w)
{
    return with_view(w, MX_F64, 2, MU_N, 1, MX_LAYOUT_DEFAULT, to_row);
}

static mx_err copy_other_extent(mu_world *w)
{
    return with_view(w, MX_F64, 1, MU_N + 1, 0, MX_LAYOUT_DEFAULT, to_row);
}

static mx_err copy_other_layout(mu_world *w)
{
    return with_view(w, MX_F64, 2, MU_ROWS, MU_COLUMNS, w->other_layout, to_grid);
}

static mx_err remap_other_extent(mu_world *w)
{
    return with_view(w, MX_F64, 1, MU_N - 1, 0, MX_LAYOUT_DEFAULT, remap_row);
}

static mx_err copy_stale(mu_world *w) { return mx_deep_copy(w->ctx, w->row, w->gone); }
static mx_err copy_to_constant(mu_world *w) { return mx_deep_copy(w->ctx, w->fixed, w->to); }
static mx_err copy_without_context(mu_world *w) { return mx_deep_copy(NULL, w->to, w->row); }

static mx_err copy_overlapping(mu_world *w)
{
    mx_view low, high;
    MX_TRY(mx_subview(w->row, MX_SLICES(mx_span(0, 5)), &low));
    MX_TRY(mx_subview(w->row, MX_SLICES(mx_span(1, 6)), &high));
    const mx_err err = mx_deep_copy(w->ctx, low, high);
    MX_TRY(mx_view_destroy(&low));
    MX_TRY(mx_view_destroy(&high));
    return err;
}

static const double one = 1;
static double got;

static mx_err fill_without_value(mu_world *w) { return mx_fill(w->ctx, w->row, NULL); }
static mx_err fill_without_context(mu_world *w) { return mx_fill(NULL, w->row, &one); }
static mx_err fill_constant(mu_world *w) { return mx_fill(w->ctx, w->fixed, &one); }
static mx_err fill_stale(mu_world *w) { return mx_fill(w->ctx, w->gone, &one); }
static mx_err read_beyond(mu_world *w) { return mx_read_element(w->ctx, w->row, MU_N, &got); }
static mx_err read_of_grid(mu_world *w) { return mx_read_element(w->ctx, w->grid, 0, &got); }
static mx_err read_into_null(mu_world *w) { return mx_read_element(w->ctx, w->row, 0, NULL); }
static mx_err read_without_context(mu_world *w) { return mx_read_element(NULL, w->row, 0, &got); }
static mx_err write_negative(mu_world *w) { return mx_write_element(w->ctx, w->row, -1, &one); }
static mx_err write_constant(mu_world *w) { return mx_write_element(w->ctx, w->fixed, 0, &one); }
static mx_err write_nothing(mu_world *w) { return mx_write_element(w->ctx, w->row, 0, NULL); }
static mx_err write_beyond_one(mu_world *w) { return mx_write_element(w->ctx, w->number, 1, &one); }

/* ---- arrays of the host ---- */

static double array[MU_ROWS * MU_COLUMNS];
static float floats[MU_N];
static const int64_t same[] = {1, 1}, still[] = {0, 1}, back[] = {-5, 1},
                     beyond[] = {INT64_MAX / 8, 1};

static mx_err import_without_context(mu_world *w) { return mx_import(NULL, w->row, array, NULL); }
static mx_err import_stale(mu_world *w) { return mx_import(w->ctx, w->gone, array, NULL); }
static mx_err import_constant(mu_world *w) { return mx_import(w->ctx, w->fixed, array, NULL); }
static mx_err import_nothing(mu_world *w)
{
    return mx_import(w->ctx, w->row, (const double *)NULL, NULL);
}
static mx_err import_other_type(mu_world *w) { return mx_import(w->ctx, w->row, floats, NULL); }
static mx_err import_backwards(mu_world *w) { return mx_import(w->ctx, w->grid, array, back); }
static mx_err export_without_context(mu_world *w) { return mx_export(NULL, w->row, array, NULL); }
static mx_err export_stale(mu_world *w) { return mx_export(w->ctx, w->gone, array, NULL); }
static mx_err export_into_null(mu_world *w)
{
    return mx_export(w->ctx, w->row, (double *)NULL, NULL);
}
static mx_err export_other_type(mu_world *w) { return mx_export(w->ctx, w->row, floats, NULL); }
static mx_err import_short_numbers(mu_world *w)
{
    static const short numbers[MU_N];
    return mx_import(w->ctx, w->row, numbers, NULL);
}
static mx_err fill_other_type(mu_world *w) { return mx_fill(w->ctx, w->row, &(float){1}); }
static mx_err read_other_type(mu_world *w) { return mx_read_element(w->ctx, w->row, 0, floats); }
static mx_err write_other_type(mu_world *w)
{
    return mx_write_element(w->ctx, w->row, 0, &(int){3});
}
static mx_err export_backwards(mu_world *w) { return mx_export(w->ctx, w->grid, array, back); }
static mx_err export_overlapping(mu_world *w) { return mx_export(w->ctx, w->grid, array, same); }
static mx_err export_zero_stride(mu_world *w) { return mx_export(w->ctx, w->grid, array, still); }
static mx_err export_beyond_memory(mu_world *w)
{
    return mx_export(w->ctx, w->grid, array, beyond);
}

static mx_err import_while_recording(mu_world *w)
{
    mx_graph graph;
    MX_TRY(mx_graph_create(w->ctx, &graph));
    const mx_err err = mx_import(w->ctx, w->row, array, NULL);
    mx_graph_destroy(&graph);
    return err;
}

static mx_err import_of_a_device(mu_world *w)
{
    mx_view_info info;
    MX_TRY(mx_view_get_info(w->to, &info));
    return mx_import(w->ctx, w->row, (const double *)info.data, NULL);
}

static mx_err by_the_host(mu_world *w, mx_err (*use)(mx_ctx serial, mu_world *w))
{
    mx_ctx serial;
    MX_TRY(mx_ctx_create("serial", &serial));
    const mx_err err = use(serial, w);
    mx_ctx_destroy(&serial);
    return err;
}

static mx_err import_here(mx_ctx serial, mu_world *w)
{
    return mx_import(serial, w->row, array, NULL);
}
static mx_err remap_here(mx_ctx serial, mu_world *w) { return mx_remap(serial, w->to, w->row); }
static mx_err import_not_accessible(mu_world *w) { return by_the_host(w, import_here); }
static mx_err remap_not_accessible(mu_world *w) { return by_the_host(w, remap_here); }

/* ---- other extents ---- */

static mx_err resize(mu_world *w, mx_ctx ctx, mx_view view, const int64_t *extents)
{
    const mx_view before = view;
    const mx_err err = mx_view_resize(ctx, &view, extents);
    MX_REQUIRE(view.slot == before.slot && view.generation == before.generation, MX_OK, "moved");
    (void)w;
    return err;
}

static const int64_t fewer[] = {-1, 3}, more[] = {9, 9}, too_large[] = {(int64_t)1 << 30, 1 << 28};

static mx_err resize_negative(mu_world *w) { return resize(w, w->ctx, w->grid, fewer); }
static mx_err resize_without_extents(mu_world *w) { return resize(w, w->ctx, w->grid, NULL); }
static mx_err resize_beyond_memory(mu_world *w) { return resize(w, w->ctx, w->grid, too_large); }
static mx_err resize_without_context(mu_world *w) { return resize(w, NULL, w->grid, more); }
static mx_err resize_constant(mu_world *w) { return resize(w, w->ctx, w->fixed, more); }
static mx_err resize_stale(mu_world *w) { return resize(w, w->ctx, w->gone, more); }
static mx_err resize_tiles(mu_world *w) { return resize(w, w->ctx, w->tiled, more); }
static mx_err resize_nothing(mu_world *w) { return mx_view_resize(w->ctx, NULL, more); }

/* ---- dual views ---- */

static mx_err with_dual(mu_world *w, mx_err (*use)(mu_world *w, mx_dual *dual))
{
    const int64_t extent = 4;
    mx_dual dual;
    MX_TRY(mx_dual_create(w->ctx, "both", MX_F64, 1, &extent, NULL, &dual));
    const mx_err err = use(w, &dual);
    MX_TRY(mx_dual_destroy(&dual));
    return err;
}

/* A side that there is not counts as the device: nothing beside the notes is written. */
static mx_err sync_both(mu_world *w, mx_dual *dual)
{
    mx_dual_modify(dual, (mx_side)7);
    mx_dual_modify(dual, MX_SIDE_HOST);
    mx_dual_modify(NULL, MX_SIDE_HOST);
    return mx_dual_sync(w->ctx, dual, MX_SIDE_HOST);
}

static mx_err sync_without_context(mu_world *w, mx_dual *dual)
{
    (void)w;
    mx_dual_modify(dual, MX_SIDE_HOST);
    return mx_dual_sync(NULL, dual, MX_SIDE_DEVICE);
}

static mx_err sync_ended(mu_world *w, mx_dual *dual)
{
    MX_TRY(mx_dual_destroy(dual));
    return mx_dual_sync(w->ctx, dual, MX_SIDE_DEVICE);
}

static mx_err dual_both_modified(mu_world *w) { return with_dual(w, sync_both); }
static mx_err dual_without_context(mu_world *w) { return with_dual(w, sync_without_context); }
static mx_err dual_ended(mu_world *w) { return with_dual(w, sync_ended); }
static mx_err dual_nothing(mu_world *w) { return mx_dual_sync(w->ctx, NULL, MX_SIDE_HOST); }

static mx_err dual_into_null(mu_world *w)
{
    return mx_dual_create(w->ctx, "both", MX_F64, 1, more, NULL, NULL);
}

const mu_case mu_copy_cases[] = {
    MU_CASE(copy_other_type, MU_ALL, MX_ERR_TYPE, "copy 'row' from 'v'", "differ: f64 and i64"),
    MU_CASE(copy_other_rank, MU_ALL, MX_ERR_RANK, "copy 'row' from 'v'", "differ: 1 and 2"),
    MU_CASE(copy_other_extent, MU_ALL, MX_ERR_EXTENT, "copy 'row'", "extent 0 differs: 8 and 9"),
    MU_CASE(copy_other_layout, MU_ALL, MX_ERR_LAYOUT, "copy 'grid' from 'v'", "layouts differ"),
    MU_CASE(remap_other_extent, MU_ALL, MX_ERR_EXTENT, "copy 'row'", "extent 0 differs: 8 and 7"),
    MU_CASE(copy_stale, MU_ALL, MX_ERR_STALE, "does not exist (any more)", ""),
    MU_CASE(copy_to_constant, MU_ALL, MX_ERR_CONST, "view 'row", "read-only"),
    MU_CASE(copy_without_context, MU_ALL, MX_ERR_ARG, "'to'", "a copy needs a context"),
    MU_CASE(copy_overlapping, MU_ALL, MX_ERR_ARG, "copy 'row[0:5]' from 'row[1:6]'", "overlap"),
    MU_CASE(fill_without_value, MU_ALL, MX_ERR_ARG, "fill 'row'", "no value"),
    MU_CASE(fill_without_context, MU_ALL, MX_ERR_ARG, "'row'", "a copy needs a context"),
    MU_CASE(fill_constant, MU_ALL, MX_ERR_CONST, "view 'row", "read-only"),
    MU_CASE(fill_stale, MU_ALL, MX_ERR_STALE, "does not exist (any more)", ""),
    MU_CASE(read_beyond, MU_ALL, MX_ERR_BOUNDS, "view 'row'", "index 8, its extent is 8"),
    MU_CASE(read_of_grid, MU_ALL, MX_ERR_RANK, "view 'grid'", "got rank 2, expected 0 or 1"),
    MU_CASE(read_into_null, MU_ALL, MX_ERR_ARG, "view 'row'", "no value"),
    MU_CASE(read_without_context, MU_ALL, MX_ERR_ARG, "view 'row'", "a copy needs a context"),
    MU_CASE(write_negative, MU_ALL, MX_ERR_BOUNDS, "view 'row'", "index -1, its extent is 8"),
    MU_CASE(write_constant, MU_ALL, MX_ERR_CONST, "view 'row", "read-only"),
    MU_CASE(write_nothing, MU_ALL, MX_ERR_ARG, "view 'row'", "no value"),
    MU_CASE(write_beyond_one, MU_ALL, MX_ERR_BOUNDS, "view 'number'", "index 1, its extent is 1"),
    MU_CASE(import_without_context, MU_ALL, MX_ERR_ARG, "view 'row'", "a copy needs a context"),
    MU_CASE(import_stale, MU_ALL, MX_ERR_STALE, "does not exist (any more)", ""),
    MU_CASE(import_constant, MU_ALL, MX_ERR_CONST, "view 'row", "read-only"),
    MU_CASE(import_nothing, MU_ALL, MX_ERR_ARG, "import 'row'", "no array"),
    MU_CASE(import_other_type, MU_ALL, MX_ERR_TYPE, "import 'row'",
            "elements f64, the pointer is to f32"),
    MU_CASE(import_backwards, MU_ALL, MX_ERR_LAYOUT, "import 'grid'",
            "stride 0 of the array: got -5"),
    MU_CASE(import_while_recording, MU_ALL, MX_ERR_ARG, "view 'row'", "records a graph"),
    MU_CASE(import_of_a_device, MU_DEVICES, MX_ERR_SPACE, "import 'row'",
            "that the host can access"),
    MU_CASE(import_not_accessible, MU_DEVICES, MX_ERR_SPACE, "'row'",
            "serial cannot copy memory space"),
    MU_CASE(export_without_context, MU_ALL, MX_ERR_ARG, "view 'row'", "a copy needs a context"),
    MU_CASE(export_stale, MU_ALL, MX_ERR_STALE, "does not exist (any more)", ""),
    MU_CASE(export_into_null, MU_ALL, MX_ERR_ARG, "export 'row'", "no array"),
    MU_CASE(export_other_type, MU_ALL, MX_ERR_TYPE, "export 'row'",
            "elements f64, the pointer is to f32"),
    MU_CASE(import_short_numbers, MU_ALL, MX_ERR_TYPE, "import 'row'", "the pointer is to user[2]"),
    MU_CASE(fill_other_type, MU_ALL, MX_ERR_TYPE, "fill 'row'",
            "elements f64, the pointer is to f32"),
    MU_CASE(read_other_type, MU_ALL, MX_ERR_TYPE, "element of 'row'", "the pointer is to f32"),
    MU_CASE(write_other_type, MU_ALL, MX_ERR_TYPE, "element of 'row'", "the pointer is to i32"),
    MU_CASE(export_backwards, MU_ALL, MX_ERR_LAYOUT, "export 'grid'",
            "stride 0 of the array: got -5"),
    MU_CASE(export_overlapping, MU_ALL, MX_ERR_LAYOUT, "'host array'",
            "stride 1: got 1, expected 6"),
    MU_CASE(export_zero_stride, MU_ALL, MX_ERR_LAYOUT, "'host array'", "stride 0: got 0"),
    MU_CASE(export_beyond_memory, MU_ALL, MX_ERR_EXTENT, "'host array'", "the address space"),
    MU_CASE(remap_not_accessible, MU_DEVICES, MX_ERR_SPACE, "'to'",
            "serial cannot copy memory space"),
    MU_CASE(resize_negative, MU_ALL, MX_ERR_EXTENT, "view 'grid'", "extent 0: got -1"),
    MU_CASE(resize_without_extents, MU_ALL, MX_ERR_ARG, "view 'grid'", "without extents"),
    MU_CASE(resize_beyond_memory, MU_ALL, MX_ERR_MEMORY, "view 'grid'", "no 2305843009213693952"),
    MU_CASE(resize_without_context, MU_ALL, MX_ERR_ARG, "a view needs a context", ""),
    MU_CASE(resize_constant, MU_ALL, MX_ERR_CONST, "view 'row", "read-only"),
    MU_CASE(resize_stale, MU_ALL, MX_ERR_STALE, "does not exist (any more)", ""),
    MU_CASE(resize_tiles, MU_ALL, MX_ERR_LAYOUT, "resize of 'tiled'", "its layout is tiled"),
    MU_CASE(resize_nothing, MU_ALL, MX_ERR_ARG, "resize: no view", ""),
    MU_CASE(dual_both_modified, MU_ALL, MX_ERR_ARG, "dual view 'both'", "both sides were modified"),
    MU_CASE(dual_without_context, MU_ALL, MX_ERR_ARG, "view 'both'", "a copy needs a context"),
    MU_CASE(dual_ended, MU_ALL, MX_ERR_STALE, "does not exist (any more)", ""),
    MU_CASE(dual_nothing, MU_ALL, MX_ERR_STALE, "does not exist (any more)", ""),
    MU_CASE(dual_into_null, MU_ALL, MX_ERR_ARG, "is NULL", ""),
    {NULL, NULL, 0, MX_OK, NULL, NULL},
};
