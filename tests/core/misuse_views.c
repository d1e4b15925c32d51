/* Misuse of views: creating, wrapping, sharing, destroying, binding. */
#include "minx/kit/dual.h"
#include "misuse.h"

MX_ACCESSOR(mu_rows_of_3, double, 2, MX_LAYOUT_DEFAULT, MX_TRAIT_NONE, 3)

static mx_err create(mu_world *w, mx_type type, int rank, mx_space space, mx_layout layout)
{
    static const int64_t extents[] = {3, 4, 5, 6, 7, 8, 9, 10, 11};
    const mx_view_options options = {space, layout, false, false};
    return mx_view_create(w->ctx, "v", type, rank, extents, &options, &w->out);
}

static mx_err of_extents(mu_world *w, int64_t a, int64_t b, int64_t c)
{
    return mx_view_create_3d(w->ctx, "v", MX_F64, a, b, c, &w->out);
}

static mx_err without_context(mu_world *w)
{
    return mx_view_create_1d(NULL, "v", MX_F64, 3, &w->out);
}
static mx_err without_label(mu_world *w)
{
    return mx_view_create_1d(w->ctx, NULL, MX_F64, 3, &w->out);
}
static mx_err empty_label(mu_world *w) { return mx_view_create_1d(w->ctx, "", MX_F64, 3, &w->out); }
static mx_err into_null(mu_world *w) { return mx_view_create_1d(w->ctx, "v", MX_F64, 3, NULL); }
static mx_err without_extents(mu_world *w)
{
    return mx_view_create(w->ctx, "v", MX_F64, 2, NULL, NULL, &w->out);
}
static mx_err rank_nine(mu_world *w)
{
    return create(w, MX_F64, 9, MX_SPACE_DEFAULT, MX_LAYOUT_DEFAULT);
}
static mx_err rank_negative(mu_world *w)
{
    return create(w, MX_F64, -1, MX_SPACE_DEFAULT, MX_LAYOUT_DEFAULT);
}
static mx_err type_zero(mu_world *w)
{
    return create(w, 0, 1, MX_SPACE_DEFAULT, MX_LAYOUT_DEFAULT);
}
static mx_err type_unknown(mu_world *w)
{
    return create(w, MX_TYPE_(9u, 8), 1, MX_SPACE_DEFAULT, MX_LAYOUT_DEFAULT);
}

/* Every kind with every size but its own, and kinds that there are not. Returns the error of the
 * last one, or MX_OK after one that is taken for a type. */
static mx_err types_of_other_sizes(mu_world *w)
{
    static const mx_type types[] = {MX_F64, MX_F32, MX_I32, MX_I64, MX_U8, MX_U32, MX_U64};
    mx_err err = MX_OK;
    for (unsigned kind = 0; kind < 10; kind++)
        for (unsigned size = 0; size < 20; size++) {
            const mx_type type = MX_TYPE_(kind, size);
            bool known = kind == 0 && size > 0;
            for (int t = 0; t < 7; t++) known = known || type == types[t];
            if (known) continue;
            mx_dual dual;
            const bool refused =
                create(w, type, 1, MX_SPACE_DEFAULT, MX_LAYOUT_DEFAULT) == MX_ERR_TYPE &&
                mx_dual_create(w->ctx, "v", type, 1, &(int64_t){3}, NULL, &dual) == MX_ERR_TYPE &&
                mx_view_wrap(w->ctx, "v", type, 1, &(int64_t){3}, NULL, NULL, w, &w->out) ==
                    MX_ERR_TYPE &&
                strstr(mx_type_name(type), "no type") != NULL;
            if (!refused) return MX_OK;
            err = MX_ERR_TYPE;
        }
    return err;
}

/* A view of structs takes pointers to all types, but to nothing else. */
static mx_err type_of_a_pointer(mu_world *w)
{
    static const char array[3 * 8] = {0};
    mx_view view;
    MX_TRY(mx_view_create_1d(w->ctx, "structs", MX_USER(mx_view), 3, &view));
    const mx_err err = mx_import_(w->ctx, view, array, NULL, MX_TYPE_(1u, 3));
    MX_TRY(mx_view_destroy(&view));
    return err;
}

static mx_err layout_unknown(mu_world *w)
{
    return create(w, MX_F64, 2, MX_SPACE_DEFAULT, (mx_layout)99);
}
static mx_err layout_stride(mu_world *w)
{
    return create(w, MX_F64, 2, MX_SPACE_DEFAULT, MX_LAYOUT_STRIDE);
}
static mx_err layout_not_for_rank(mu_world *w)
{
    return create(w, MX_F64, 4, MX_SPACE_DEFAULT, MX_LAYOUT_MORTON);
}
static mx_err space_unknown(mu_world *w)
{
    return create(w, MX_F64, 2, (mx_space)99, MX_LAYOUT_DEFAULT);
}
static mx_err space_beyond_bits(mu_world *w)
{
    return create(w, MX_F64, 2, (mx_space)33, MX_LAYOUT_DEFAULT);
}
static mx_err space_of_a_device(mu_world *w)
{
    return create(w, MX_F64, 2, MX_SPACE_CUDA, MX_LAYOUT_DEFAULT);
}
static mx_err space_of_the_host(mu_world *w)
{
    return create(w, MX_F64, 2, MX_SPACE_HOST, MX_LAYOUT_DEFAULT);
}
static mx_err extent_negative(mu_world *w) { return of_extents(w, 3, -4, 5); }
static mx_err extents_overflow(mu_world *w)
{
    return of_extents(w, (int64_t)1 << 40, 1 << 20, 1 << 20);
}
static mx_err extents_beyond_memory(mu_world *w)
{
    return of_extents(w, (int64_t)1 << 40, 1 << 18, 1);
}

static mx_err long_label(mu_world *w)
{
    char label[80] = "";
    memset(label, 'a', sizeof label - 1);
    return mx_view_create_1d(w->ctx, label, MX_F64, 3, &w->out);
}

/* ---- wrapping ---- */

static double memory[64];

static mx_err wrap(mu_world *w, int64_t a, int64_t b, int64_t stride_a, int64_t stride_b,
                   char *data)
{
    const int64_t extents[] = {a, b}, strides[] = {stride_a, stride_b};
    return mx_view_wrap(w->ctx, "mine", MX_F64, 2, extents, strides, NULL, data, &w->out);
}

static mx_err wrap_lowest_stride(mu_world *w)
{
    return wrap(w, 4, 4, 10, INT64_MIN, (char *)memory);
}
static mx_err wrap_nothing(mu_world *w) { return wrap(w, 4, 4, 4, 1, NULL); }
static mx_err wrap_misaligned(mu_world *w) { return wrap(w, 4, 4, 4, 1, (char *)memory + 4); }
static mx_err wrap_overlapping(mu_world *w) { return wrap(w, 4, 4, 3, 1, (char *)memory); }
static mx_err wrap_equal_strides(mu_world *w) { return wrap(w, 4, 4, 1, 1, (char *)memory); }
static mx_err wrap_interleaved(mu_world *w) { return wrap(w, 3, 4, 2, 3, (char *)memory); }
static mx_err wrap_zero_stride(mu_world *w) { return wrap(w, 4, 4, 0, 1, (char *)memory); }
static mx_err wrap_backwards(mu_world *w) { return wrap(w, 4, 4, -4, 1, (char *)memory); }
static mx_err wrap_beyond_memory(mu_world *w)
{
    return wrap(w, 4, 4, INT64_MAX / 2, 1, (char *)memory);
}
static mx_err wrap_largest_stride(mu_world *w)
{
    return wrap(w, 2, 2, INT64_MAX, 1, (char *)memory);
}

static mx_err wrap_against_layout(mu_world *w)
{
    const int64_t extents[] = {4, 4}, strides[] = {1, 4};
    const mx_view_options right = {MX_SPACE_DEFAULT, MX_LAYOUT_RIGHT, false, false};
    return mx_view_wrap(w->ctx, "mine", MX_F64, 2, extents, strides, &right, memory, &w->out);
}

static mx_err wrap_tiles_with_strides(mu_world *w)
{
    const int64_t extents[] = {4, 4}, strides[] = {4, 1};
    const mx_view_options tiled = {MX_SPACE_DEFAULT, MX_LAYOUT_TILED, false, false};
    return mx_view_wrap(w->ctx, "mine", MX_F64, 2, extents, strides, &tiled, memory, &w->out);
}

static mx_err wrap_in(mx_ctx ctx, mu_world *w, mx_space space, void *data)
{
    const int64_t extent = MU_N;
    const mx_view_options options = {.space = space};
    return mx_view_wrap(ctx, "mine", MX_F64, 1, &extent, NULL, &options, data, &w->out);
}

static mx_err wrap_array(mu_world *w) { return wrap_in(w->ctx, w, MX_SPACE_DEFAULT, memory); }
static mx_err wrap_array_as_host(mu_world *w) { return wrap_in(w->ctx, w, MX_SPACE_HOST, memory); }
static mx_err wrap_array_as_pinned(mu_world *w)
{
    return wrap_in(w->ctx, w, MX_SPACE_PINNED, memory);
}

static mx_err wrap_device_as_pinned(mu_world *w)
{
    mx_view_info info;
    MX_TRY(mx_view_get_info(w->row, &info));
    return wrap_in(w->ctx, w, MX_SPACE_PINNED, info.data);
}

static mx_err wrap_device_by_the_host(mu_world *w)
{
    mx_ctx serial;
    mx_view_info info;
    MX_TRY(mx_view_get_info(w->row, &info));
    MX_TRY(mx_ctx_create("serial", &serial));
    const mx_err err = wrap_in(serial, w, MX_SPACE_DEFAULT, info.data);
    mx_ctx_destroy(&serial);
    return err;
}

static mx_err wrap_pinned_as_device(mu_world *w)
{
    const int64_t extent = MU_N;
    const mx_view_options options = {.space = MX_SPACE_PINNED};
    mx_view pinned;
    mx_view_info info;
    MX_TRY(mx_view_create(w->ctx, "pinned", MX_F64, 1, &extent, &options, &pinned));
    MX_TRY(mx_view_get_info(pinned, &info));
    const mx_err err = wrap_in(w->ctx, w, MX_SPACE_DEFAULT, info.data);
    MX_TRY(mx_view_destroy(&pinned));
    return err;
}

/* ---- handles ---- */

static mx_err info_into_null(mu_world *w) { return mx_view_get_info(w->row, NULL); }

static mx_err info_of_stale(mu_world *w)
{
    mx_view_info info;
    return mx_view_get_info(w->gone, &info);
}

static mx_err info_of_never_created(mu_world *w)
{
    mx_view_info info;
    (void)w;
    return mx_view_get_info((mx_view){12345678, 1}, &info);
}

static mx_err data_into_null(mu_world *w) { return mx_view_host_data(w->row, NULL); }

static mx_err data_of_a_device(mu_world *w)
{
    void *data;
    return mx_view_host_data(w->row, &data);
}

static mx_err retain_stale(mu_world *w) { return mx_view_retain(w->gone); }

static mx_err destroy_twice(mu_world *w)
{
    mx_view copy = w->gone;
    return mx_view_destroy(&copy);
}

/* A part owns the memory: a handle that was given back already must not take it away. */
static mx_err destroy_twice_with_part(mu_world *w)
{
    mx_view whole, copy, part;
    double got = 0;
    const double five = 5;
    MX_TRY(mx_view_create_1d(w->ctx, "whole", MX_F64, MU_N, &whole));
    MX_TRY(mx_subview(whole, MX_SLICES(mx_span(2, 4)), &part));
    copy = whole;
    MX_TRY(mx_view_destroy(&whole));
    const mx_err err = mx_view_destroy(&copy);
    MX_TRY(mx_write_element(w->ctx, part, 1, &five));
    MX_TRY(mx_read_element(w->ctx, part, 1, &got));
    MX_TRY(mx_view_destroy(&part));
    return got == 5 ? err : MX_OK;
}

static mx_err slot_used_again(mu_world *w)
{
    mx_view first, second = MX_VIEW_NULL;
    mx_view_info info;
    mx_err err = MX_OK;
    MX_TRY(mx_view_create_1d(w->ctx, "first", MX_F64, 3, &first));
    const mx_view old = first;
    MX_TRY(mx_view_destroy(&first));
    for (int n = 0; n < 100000 && second.slot != old.slot; n++) {
        MX_TRY(mx_view_destroy(&second));
        MX_TRY(mx_view_create_1d(w->ctx, "second", MX_F64, 3, &second));
    }
    if (second.slot == old.slot) err = mx_view_get_info(old, &info);
    MX_TRY(mx_view_destroy(&second));
    return err;
}

/* ---- parts ---- */

static mx_err part_of_too_few(mu_world *w)
{
    return mx_subview(w->grid, MX_SLICES(mx_all()), &w->out);
}
static mx_err part_without_slices(mu_world *w) { return mx_subview(w->grid, 2, NULL, &w->out); }
static mx_err part_beyond(mu_world *w)
{
    return mx_subview(w->grid, MX_SLICES(mx_all(), mx_index(MU_COLUMNS)), &w->out);
}
static mx_err part_negative(mu_world *w)
{
    return mx_subview(w->grid, MX_SLICES(mx_index(-1), mx_all()), &w->out);
}
static mx_err part_backwards(mu_world *w)
{
    return mx_subview(w->grid, MX_SLICES(mx_span(4, 2), mx_all()), &w->out);
}
static mx_err part_too_long(mu_world *w)
{
    return mx_subview(w->row, MX_SLICES(mx_span(1, MU_N + 1)), &w->out);
}
static mx_err part_of_tiles(mu_world *w)
{
    return mx_subview(w->tiled, MX_SLICES(mx_all(), mx_all()), &w->out);
}
static mx_err part_of_stale(mu_world *w)
{
    return mx_subview(w->gone, MX_SLICES(mx_all()), &w->out);
}
static mx_err part_into_null(mu_world *w) { return mx_subview(w->row, MX_SLICES(mx_all()), NULL); }
static mx_err constant_of_stale(mu_world *w) { return mx_view_constant(w->gone, &w->out); }
static mx_err mirror_into_null(mu_world *w) { return mx_mirror_create(w->row, NULL); }
static mx_err mirror_of_stale(mu_world *w) { return mx_mirror_if_needed(w->gone, &w->out); }

/* ---- binding ---- */

static mx_err bind_other_type(mu_world *w)
{
    mx_f32_1 x;
    return mx_bind(w->ctx, w->row, &x);
}

static mx_err bind_other_sign(mu_world *w)
{
    mx_u32_1 x;
    return mx_bind(w->ctx, w->ints, &x);
}

static mx_err bind_other_rank(mu_world *w) { return mx_bind(w->ctx, w->row, &w->args.grid); }

static mx_err bind_constant(mu_world *w) { return mx_bind(w->ctx, w->fixed, &w->args.to); }

static mx_err bind_stale(mu_world *w) { return mx_bind(w->ctx, w->gone, &w->args.to); }

static mx_err bind_nothing(mu_world *w) { return mx_bind(w->ctx, w->row, (mx_f64_1 *)NULL); }

static mx_err bind_tiles(mu_world *w) { return mx_bind(w->ctx, w->tiled, &w->args.grid); }

static mx_err bind_fixed_layout(mu_world *w)
{
    mx_f64_2l left;
    mx_f64_2r right;
    return w->other_layout == MX_LAYOUT_LEFT ? mx_bind(w->ctx, w->grid, &left)
                                             : mx_bind(w->ctx, w->grid, &right);
}

static mx_err bind_static_extents(mu_world *w)
{
    mu_rows_of_3 x;
    return mx_bind(w->ctx, w->grid, &x);
}

static mx_err bind_far_origin(mu_world *w)
{
    const int64_t origin[] = {0, (int64_t)1 << 40};
    return mx_bind_origin(w->ctx, w->grid, origin, &w->args.grid);
}

/* Memory of the host for kernels of a device, memory of a device for the host. */
static mx_err bind_mirror(mu_world *w)
{
    mx_view mirror;
    MX_TRY(mx_mirror_create(w->row, &mirror));
    const mx_err err = mx_bind(w->ctx, mirror, &w->args.to);
    MX_TRY(mx_view_destroy(&mirror));
    return err;
}

static mx_err bind_for_the_host(mu_world *w) { return mx_bind(NULL, w->row, &w->args.to); }

const mu_case mu_view_cases[] = {
    MU_CASE(without_context, MU_ALL, MX_ERR_ARG, "a view needs a context", ""),
    MU_CASE(without_label, MU_ALL, MX_ERR_ARG, "a view needs a label", ""),
    MU_CASE(empty_label, MU_ALL, MX_ERR_ARG, "a view needs a label", ""),
    MU_CASE(long_label, MU_ALL, MX_ERR_ARG, "label 'aaaa",
            "got 79 characters, expected at most 63"),
    MU_CASE(into_null, MU_ALL, MX_ERR_ARG, "is NULL", ""),
    MU_CASE(without_extents, MU_ALL, MX_ERR_ARG, "view 'v'", "rank 2 without extents"),
    MU_CASE(rank_nine, MU_ALL, MX_ERR_RANK, "view 'v'", "got 9, expected 0 to 8"),
    MU_CASE(rank_negative, MU_ALL, MX_ERR_RANK, "view 'v'", "got -1, expected 0 to 8"),
    MU_CASE(type_zero, MU_ALL, MX_ERR_TYPE, "view 'v'", "element type: got 0x0"),
    MU_CASE(type_unknown, MU_ALL, MX_ERR_TYPE, "view 'v'", "element type: got 0x809"),
    MU_CASE(types_of_other_sizes, MU_ALL, MX_ERR_TYPE, "view 'v'", "element type: got 0x1309"),
    MU_CASE(type_of_a_pointer, MU_ALL, MX_ERR_TYPE, "import 'structs'", "no type (0x301)"),
    MU_CASE(layout_unknown, MU_ALL, MX_ERR_LAYOUT, "view 'v'",
            "got 99, expected a layout of layout.h"),
    MU_CASE(layout_stride, MU_ALL, MX_ERR_LAYOUT, "view 'v'",
            "got 3, expected a layout of layout.h"),
    MU_CASE(layout_not_for_rank, MU_ALL, MX_ERR_RANK, "view 'v'", "morton is not for rank 4"),
    MU_CASE(space_unknown, MU_ALL, MX_ERR_SPACE, "view 'v'", "cannot access memory space unknown"),
    MU_CASE(space_beyond_bits, MU_ALL, MX_ERR_SPACE, "view 'v'", "memory space unknown"),
    MU_CASE(space_of_a_device, MU_HOSTS, MX_ERR_SPACE, "view 'v'", "memory space Cuda"),
    MU_CASE(space_of_the_host, MU_DEVICES, MX_ERR_SPACE, "view 'v'", "memory space Host"),
    MU_CASE(extent_negative, MU_ALL, MX_ERR_EXTENT, "view 'v'", "extent 1: got -4, expected 0"),
    MU_CASE(extents_overflow, MU_ALL, MX_ERR_EXTENT, "view 'v'", "does not fit the address space"),
    MU_CASE(extents_beyond_memory, MU_ALL, MX_ERR_MEMORY, "view 'v'",
            "no 2305843009213693952 bytes"),
    MU_CASE(wrap_lowest_stride, MU_ALL, MX_ERR_LAYOUT, "stride 1: got -9223372036854775808",
            "expected"),
    MU_CASE(wrap_nothing, MU_ALL, MX_ERR_ARG, "view 'mine'", "aligned to 8 bytes"),
    MU_CASE(wrap_misaligned, MU_ALL, MX_ERR_ARG, "view 'mine'", "aligned to 8 bytes"),
    MU_CASE(wrap_overlapping, MU_ALL, MX_ERR_LAYOUT, "view 'mine'", "stride 0: got 3, expected 4"),
    MU_CASE(wrap_equal_strides, MU_ALL, MX_ERR_LAYOUT, "view 'mine'",
            "stride 1: got 1, expected 4"),
    MU_CASE(wrap_interleaved, MU_ALL, MX_ERR_LAYOUT, "view 'mine'", "stride 1: got 3, expected 5"),
    MU_CASE(wrap_zero_stride, MU_ALL, MX_ERR_LAYOUT, "view 'mine'", "stride 0: got 0, expected 1"),
    MU_CASE(wrap_backwards, MU_ALL, MX_ERR_LAYOUT, "view 'mine'", "stride 0: got -4, expected 1"),
    MU_CASE(wrap_beyond_memory, MU_ALL, MX_ERR_EXTENT, "view 'mine'", "the address space"),
    MU_CASE(wrap_largest_stride, MU_ALL, MX_ERR_EXTENT, "view 'mine'", "the address space"),
    MU_CASE(wrap_against_layout, MU_ALL, MX_ERR_LAYOUT, "view 'mine'",
            "do not follow layout right"),
    MU_CASE(wrap_tiles_with_strides, MU_ALL, MX_ERR_LAYOUT, "'mine'", "its layout is tiled"),
    MU_CASE(info_into_null, MU_ALL, MX_ERR_ARG, "view 'row'", "is NULL"),
    MU_CASE(info_of_stale, MU_ALL, MX_ERR_STALE, "does not exist (any more)", ""),
    MU_CASE(info_of_never_created, MU_ALL, MX_ERR_STALE, "slot 12345678, generation 1", ""),
    MU_CASE(data_into_null, MU_ALL, MX_ERR_ARG, "view 'row'", "is NULL"),
    MU_CASE(wrap_array, MU_DEVICES, MX_ERR_SPACE, "is ordinary host memory", "by mx_import"),
    MU_CASE(wrap_array_as_host, MU_DEVICES, MX_ERR_SPACE, "cannot access memory space Host",
            "copy host arrays by mx_import"),
    MU_CASE(wrap_array_as_pinned, MU_DEVICES, MX_ERR_SPACE, "ordinary host memory",
            "CudaHostPinned"),
    MU_CASE(wrap_device_as_pinned, MU_DEVICES, MX_ERR_SPACE, "not CudaHostPinned", "wrap it with"),
    MU_CASE(wrap_device_by_the_host, MU_DEVICES, MX_ERR_SPACE, "not Host: wrap it with",
            "and a context that can access it"),
    MU_CASE(wrap_pinned_as_device, MU_DEVICES, MX_ERR_SPACE, "is in memory space CudaHostPinned",
            "wrap it with .space = MX_SPACE_PINNED"),
    MU_CASE(data_of_a_device, MU_DEVICES, MX_ERR_SPACE, "view 'row'", "copy it by mx_export"),
    MU_CASE(retain_stale, MU_ALL, MX_ERR_STALE, "does not exist (any more)", ""),
    MU_CASE(destroy_twice, MU_ALL, MX_ERR_STALE, "does not exist (any more)", ""),
    MU_CASE(destroy_twice_with_part, MU_ALL, MX_ERR_STALE, "view 'whole'", "was destroyed before"),
    MU_CASE(slot_used_again, MU_ALL, MX_ERR_STALE, "does not exist (any more)", ""),
    MU_CASE(part_of_too_few, MU_ALL, MX_ERR_RANK, "subview of 'grid'", "got 1 slices, expected 2"),
    MU_CASE(part_without_slices, MU_ALL, MX_ERR_RANK, "subview of 'grid'", "got 0 slices"),
    MU_CASE(part_beyond, MU_ALL, MX_ERR_BOUNDS, "index 1: got 5 to 5, its extent is 5", "'grid'"),
    MU_CASE(part_negative, MU_ALL, MX_ERR_BOUNDS, "index 0: got -1 to -1", "'grid'"),
    MU_CASE(part_backwards, MU_ALL, MX_ERR_BOUNDS, "range 0: got 4 to 2", "'grid'"),
    MU_CASE(part_too_long, MU_ALL, MX_ERR_BOUNDS, "range 0: got 1 to 9, its extent is 8", "'row'"),
    MU_CASE(part_of_tiles, MU_ALL, MX_ERR_LAYOUT, "subview of 'tiled'", "its layout is tiled"),
    MU_CASE(part_of_stale, MU_ALL, MX_ERR_STALE, "does not exist (any more)", ""),
    MU_CASE(part_into_null, MU_ALL, MX_ERR_ARG, "is NULL", ""),
    MU_CASE(constant_of_stale, MU_ALL, MX_ERR_STALE, "does not exist (any more)", ""),
    MU_CASE(mirror_into_null, MU_ALL, MX_ERR_ARG, "is NULL", ""),
    MU_CASE(mirror_of_stale, MU_ALL, MX_ERR_STALE, "does not exist (any more)", ""),
    MU_CASE(bind_other_type, MU_ALL, MX_ERR_TYPE, "bind &x to view 'row'", "f64, the accessor f32"),
    MU_CASE(bind_other_sign, MU_ALL, MX_ERR_TYPE, "bind &x to view 'ints'",
            "i32, the accessor u32"),
    MU_CASE(bind_other_rank, MU_ALL, MX_ERR_RANK, "view 'row'", "has rank 1, the accessor 2"),
    MU_CASE(bind_constant, MU_ALL, MX_ERR_CONST, "bind &w->args.to to view 'row", "const accessor"),
    MU_CASE(bind_stale, MU_ALL, MX_ERR_STALE, "bind &w->args.to", "does not exist (any more)"),
    MU_CASE(bind_nothing, MU_ALL, MX_ERR_ARG, "no accessor", ""),
    MU_CASE(bind_tiles, MU_ALL, MX_ERR_LAYOUT, "'tiled'", "has layout tiled, the accessor"),
    MU_CASE(bind_fixed_layout, MU_ALL, MX_ERR_LAYOUT, "view 'grid'", "the view has layout"),
    MU_CASE(bind_static_extents, MU_ALL, MX_ERR_EXTENT, "view 'grid'",
            "the accessor's is always 3"),
    MU_CASE(bind_far_origin, MU_ALL, MX_ERR_EXTENT, "view 'grid'", "origin 1, 1099511627776"),
    MU_CASE(bind_mirror, MU_DEVICES, MX_ERR_SPACE, "view 'row'", "in memory space Host, which"),
    MU_CASE(bind_for_the_host, MU_DEVICES, MX_ERR_SPACE, "view 'row'",
            "which the host cannot access"),
    {NULL, NULL, 0, MX_OK, NULL, NULL},
};
