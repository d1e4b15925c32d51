/* Misuse of launches: ranges, arguments, results, teams, scratch, scans, bodies that launch. */
#include "misuse.h"

static mx_range_1 all(const mu_world *w) { return mx_range_1d(w->ctx, 0, MU_N); }

/* What went wrong in a launch is known at the next fence at the latest. */
static mx_err fenced(mu_world *w, mx_err err)
{
    const mx_err later = mx_fence(w->ctx);
    return err != MX_OK ? err : later;
}

/* ---- ranges and arguments ---- */

static mx_err launch_without_context(mu_world *w)
{
    return mu_double(mx_range_1d(NULL, 0, 1), &w->args);
}
static mx_err launch_without_arguments(mu_world *w) { return mu_double(all(w), NULL); }

static mx_err tile_negative(mu_world *w)
{
    return mu_grid(mx_tiled_2d(mx_range_2d(w->ctx, 0, 2, 0, 2), 1, -4), &w->args);
}

static mx_err range_beyond_32_bits(mu_world *w)
{
    return mu_double(mx_range_1d(w->ctx, 0, (int64_t)1 << 31), &w->args);
}

static mx_err range_from_far_below(mu_world *w)
{
    return mu_double(mx_range_1d(w->ctx, INT64_MIN, 0), &w->args);
}

static mx_err cube(mu_world *w, int64_t begin, int64_t end)
{
    return mu_wide(mx_range_3d(w->ctx, begin, end, begin, end, 0, 1), &w->args);
}

static mx_err range_of_all_numbers(mu_world *w) { return cube(w, INT64_MIN, INT64_MAX); }
static mx_err range_of_2_to_the_64(mu_world *w) { return cube(w, 0, (int64_t)1 << 32); }
static mx_err range_of_2_to_the_62(mu_world *w) { return cube(w, -(1 << 30), 1 << 30); }

/* Fewer, but with a number for each. */
static mx_err reduction_of_2_to_the_60(mu_world *w)
{
    const int64_t end = 1 << 30;
    double sum;
    return mu_far(mx_range_2d(w->ctx, 0, end, 0, end), &w->args, &sum);
}

static mx_err scan_beyond_32_bits(mu_world *w)
{
    return mu_scan(mx_range_1d(w->ctx, 0, (int64_t)1 << 40), &w->args, NULL);
}

/* ---- accessors ---- */

static mx_err with_accessor_of(mu_world *w, mx_view *view, mx_err (*use)(mu_world *w))
{
    MX_TRY(mx_view_create_1d(w->ctx, "short-lived", MX_F64, MU_N, view));
    MX_TRY(mx_bind(w->ctx, *view, &w->args.to));
    const mx_err err = use(w);
    MX_TRY(mx_view_destroy(view));
    return err;
}

static mx_err nothing(mu_world *w) { return w != NULL ? MX_OK : MX_ERR_ARG; }

static mx_err accessor_stale(mu_world *w)
{
    mx_view view;
    MX_TRY(with_accessor_of(w, &view, nothing));
    return mu_double(all(w), &w->args);
}

static mx_err accessor_never_bound(mu_world *w)
{
    memset(&w->args.to, 0, sizeof w->args.to);
    return mu_double(all(w), &w->args);
}

static mx_err accessor_not_listed(mu_world *w)
{
    mu_unlisted_args args;
    MX_TRY(mx_bind(w->ctx, w->row, &args.first));
    MX_TRY(mx_bind(w->ctx, w->row, &args.second));
    return mu_unlisted(all(w), &args);
}

static mx_err declared_with_other_args(mu_world *w) { return mu_launch_with_other_args(w->ctx); }

static mx_err declared_with_other_value(mu_world *w) { return mu_launch_with_other_value(w->ctx); }

static mx_err declared_with_other_type(mu_world *w) { return mu_launch_with_other_type(w->ctx); }

/* Another view lives in the slot now, of the same shape and perhaps at the same address. */
static mx_err accessor_of_slot_used_again(mu_world *w)
{
    mx_view first, next = MX_VIEW_NULL;
    MX_TRY(mx_view_create_1d(w->ctx, "first", MX_F64, MU_N, &first));
    MX_TRY(mx_bind(w->ctx, first, &w->args.to));
    const uint32_t slot = first.slot;
    MX_TRY(mx_view_destroy(&first));
    for (int n = 0; n < 100000 && next.slot != slot; n++) {
        MX_TRY(mx_view_destroy(&next));
        MX_TRY(mx_view_create_1d(w->ctx, "next", MX_F64, MU_N, &next));
    }
    const mx_err err = next.slot == slot ? mu_double(all(w), &w->args) : MX_OK;
    MX_TRY(mx_view_destroy(&next));
    return err;
}

/* Bound without a context an accessor is the host's, in the layout of its view. */
static mx_err accessor_of_other_layout(mu_world *w)
{
    const int64_t extents[] = {MU_ROWS, MU_COLUMNS};
    const mx_view_options turned = {MX_SPACE_STAGING, w->other_layout, false, false};
    mx_view view;
    MX_TRY(mx_view_create(w->ctx, "turned", MX_F64, 2, extents, &turned, &view));
    MX_TRY(mx_bind(NULL, view, &w->args.grid));
    const mx_err err = mu_grid(mx_range_2d(w->ctx, 0, 2, 0, 2), &w->args);
    MX_TRY(mx_view_destroy(&view));
    return err;
}

static mx_err accessor_of_the_host(mu_world *w)
{
    mx_view mirror;
    MX_TRY(mx_mirror_create(w->row, &mirror));
    MX_TRY(mx_bind(NULL, mirror, &w->args.to));
    const mx_err err = mu_double(all(w), &w->args);
    MX_TRY(mx_view_destroy(&mirror));
    return err;
}

/* ---- results ---- */

static mx_err sum_into(mu_world *w, mx_view view, int64_t index)
{
    return mu_sum_into(all(w), &w->args, view, index);
}

static mx_err result_into_null(mu_world *w) { return mu_sum(all(w), &w->args, NULL); }
static mx_err result_into_stale(mu_world *w) { return sum_into(w, w->gone, 0); }
static mx_err result_into_other_type(mu_world *w) { return sum_into(w, w->ints, 0); }
static mx_err result_into_grid(mu_world *w) { return sum_into(w, w->grid, 0); }
static mx_err result_beyond(mu_world *w) { return sum_into(w, w->row, MU_N); }
static mx_err result_before(mu_world *w) { return sum_into(w, w->row, -1); }
static mx_err result_beyond_one(mu_world *w) { return sum_into(w, w->number, 1); }
static mx_err result_into_constant(mu_world *w) { return sum_into(w, w->fixed, 0); }

static mx_err result_not_accessible(mu_world *w)
{
    mx_view mirror;
    MX_TRY(mx_mirror_create(w->row, &mirror));
    const mx_err err = sum_into(w, mirror, 0);
    MX_TRY(mx_view_destroy(&mirror));
    return err;
}

static mx_err scan_into_other_type(mu_world *w)
{
    return mu_scan_into(all(w), &w->args, w->ints, 0);
}

static double some_bins[2];
static double *volatile bins = some_bins; /* compilers do not know its length */
static mx_err array_negative(mu_world *w) { return mu_bins(all(w), &w->args, -1, bins); }
static mx_err array_huge(mu_world *w) { return mu_bins(all(w), &w->args, INT64_MAX / 8, bins); }
static mx_err array_beyond_memory(mu_world *w)
{
    return mu_bins(all(w), &w->args, (int64_t)1 << 40, bins);
}
static mx_err array_too_short(mu_world *w)
{
#ifdef __OPTIMIZE__
    return mu_bins(all(w), &w->args, 3, some_bins);
#else
    (void)w;
    return MX_PASS(mx_result_fits_("mu_bins", 16, 3, 8)); /* compilers do not look */
#endif
}
static mx_err array_into_stale(mu_world *w) { return mu_bins_into(all(w), &w->args, w->gone); }
static mx_err array_into_grid(mu_world *w) { return mu_bins_into(all(w), &w->args, w->grid); }

/* Every other element: what lies between belongs to others. */
static mx_err array_into_gaps(mu_world *w)
{
    mx_view apart;
    const mx_slice rows = mx_all(), columns = mx_all();
    MX_TRY(w->info.layout == MX_LAYOUT_LEFT
               ? mx_subview(w->grid, MX_SLICES(mx_index(1), columns), &apart)
               : mx_subview(w->grid, MX_SLICES(rows, mx_index(1)), &apart));
    const mx_err err = mu_bins_into(all(w), &w->args, apart);
    MX_TRY(mx_view_destroy(&apart));
    return err;
}

/* ---- teams ---- */

static mx_err team(mu_world *w, int size, int lanes)
{
    w->args.count = 0;
    return fenced(w, mu_scratch(mx_league(w->ctx, 1, size, lanes), &w->args));
}

static mx_err team_of_none(mu_world *w) { return team(w, 0, 1); }
static mx_err team_negative(mu_world *w) { return team(w, -7, 1); }
static mx_err team_oversized(mu_world *w) { return team(w, 5000, 1); }
static mx_err team_overflow(mu_world *w) { return team(w, 1 << 26, 32); }
static mx_err team_larger_than_threads(mu_world *w) { return team(w, w->info.threads + 1, 1); }
static mx_err lanes_of_none(mu_world *w) { return team(w, 1, 0); }
static mx_err lanes_no_power(mu_world *w) { return team(w, 1, 3); }
static mx_err lanes_too_many(mu_world *w) { return team(w, 1, 128); }
static mx_err league_too_large(mu_world *w)
{
    return mu_scratch(mx_league(w->ctx, (int64_t)1 << 33, 1, 1), &w->args);
}

/* What a kernel takes of scratch, and what its policy gave. */
static mx_err scratch(mu_world *w, int level, int takes, size_t given)
{
    const mx_teams teams = mx_league(w->ctx, 3, 1, 1);
    w->args.level = level;
    w->args.count = takes;
    return fenced(w, mu_scratch(mx_with_scratch(teams, level, given, 0), &w->args));
}

static mx_err scratch_overflow_0(mu_world *w) { return scratch(w, 0, 5, 32); }
static mx_err scratch_overflow_1(mu_world *w) { return scratch(w, 1, 5, 32); }
static mx_err scratch_not_requested(mu_world *w) { return scratch(w, 0, 1, 0); }
static mx_err scratch_negative(mu_world *w) { return scratch(w, 1, -1, 32); }
static mx_err scratch_of_no_level(mu_world *w) { return scratch(w, 2, 5, 32); }
static mx_err scratch_all_memory(mu_world *w) { return scratch(w, 1, 1, SIZE_MAX - 7); }

static mx_err scratch_sum_overflow(mu_world *w)
{
    const mx_teams teams = mx_league(w->ctx, 1, 1, 1);
    w->args.level = 1;
    w->args.count = 1;
    return mu_scratch(mx_with_scratch(teams, 1, (size_t)1 << 63, (size_t)1 << 63), &w->args);
}

/* ---- bodies ---- */

static mx_err body_launches(mu_world *w)
{
    w->args.ctx = w->ctx;
    return mu_nested(all(w), &w->args);
}

/* A missing single: another backend tells. Many teams, as threads might just happen not to get in
 * each other's way. */
static mx_err checked(mu_world *w, mx_err (*kernel)(mx_teams, const mu_args *), int size, int lanes)
{
    enum { LEAGUE = 500 };
    const mu_args before = w->args;
    mx_view from, to;
    const double one = 1;
    MX_TRY(mx_view_create_1d(w->ctx, "from", MX_F64, LEAGUE, &from));
    MX_TRY(mx_view_create_1d(w->ctx, "stored to", MX_F64, LEAGUE, &to));
    MX_TRY(mx_fill(w->ctx, from, &one));
    MX_TRY(mx_bind(w->ctx, from, &w->args.from));
    MX_TRY(mx_bind(w->ctx, to, &w->args.to));
    MX_TRY(mx_ctx_check_against(w->ctx, "serial", 1e-9));
    const mx_err err = kernel(mx_league(w->ctx, LEAGUE, size, lanes), &w->args);
    MX_TRY(mx_ctx_check_against(w->ctx, NULL, 0));
    MX_TRY(mx_view_destroy(&from));
    MX_TRY(mx_view_destroy(&to));
    w->args = before;
    return err;
}

static mx_err missing_vector_single(mu_world *w) { return checked(w, mu_no_single, 1, 4); }
static mx_err missing_team_single(mu_world *w) { return checked(w, mu_no_team_single, 4, 1); }

const mu_case mu_launch_cases[] = {
    MU_CASE(launch_without_context, MU_ALL, MX_ERR_ARG, "kernel mu_double", "without a context"),
    MU_CASE(launch_without_arguments, MU_ALL, MX_ERR_ARG, "mu_double", "without arguments"),
    MU_CASE(tile_negative, MU_ALL, MX_ERR_ARG, "kernel mu_grid: tile 1: got -4", "expected 0"),
    MU_CASE(range_beyond_32_bits, MU_ALL, MX_ERR_EXTENT, "mu_double", "0 to 2147483648 is beyond"),
    MU_CASE(range_from_far_below, MU_ALL, MX_ERR_EXTENT, "mu_double", "its int indices"),
    MU_CASE(range_of_all_numbers, MU_ALL, MX_ERR_EXTENT,
            "kernel mu_wide: range -9223372036854775808 to ", "is beyond its indices"),
    MU_CASE(range_of_2_to_the_64, MU_ALL, MX_ERR_EXTENT, "mu_wide: a range of 1.84467e+19", ""),
    MU_CASE(range_of_2_to_the_62, MU_ALL, MX_ERR_EXTENT, "mu_wide: a range of 4.61169e+18", ""),
    MU_CASE(reduction_of_2_to_the_60, MU_ALL, MX_ERR_EXTENT, "mu_far: a range of 1.15292e+18", ""),
    MU_CASE(scan_beyond_32_bits, MU_ALL, MX_ERR_EXTENT, "kernel mu_scan", "int indices"),
    MU_CASE(accessor_never_bound, MU_ALL, MX_ERR_ARG, "mu_double: accessor 'to'", "never bound"),
    MU_CASE(
        accessor_not_listed, MU_ALL, MX_ERR_ARG,
        "mu_unlisted: the accessor of mu_unlisted_args that is bound to view 'row' is not in the list of MX_ARGS",
        ""),
    MU_CASE(declared_with_other_args, MU_ALL, MX_ERR_ARG,
            "mu_level: its arguments have 16 bytes where it is launched, 8 where it is defined",
            "expected one declaration, in a header that both files include"),
    MU_CASE(declared_with_other_value, MU_ALL, MX_ERR_ARG,
            "mu_count: its value has 4 bytes where it is launched, 8 where it is defined", ""),
    MU_CASE(declared_with_other_type, MU_ALL, MX_ERR_ARG,
            "mu_height: its value is i64 where it is launched, f64 where it is defined", ""),
    MU_CASE(accessor_stale, MU_ALL, MX_ERR_STALE, "mu_double: accessor 'to' was bound", "bind it"),
    MU_CASE(accessor_of_slot_used_again, MU_ALL, MX_ERR_STALE, "mu_double",
            "view that is destroyed"),
    MU_CASE(accessor_of_other_layout, MU_ALL, MX_ERR_LAYOUT, "mu_grid", "of view 'turned' was"),
    MU_CASE(accessor_of_the_host, MU_DEVICES, MX_ERR_SPACE, "mu_double: accessor 'to': view 'row'",
            "Host, which"),
    MU_CASE(result_into_null, MU_ALL, MX_ERR_STALE, "kernel mu_sum", "the result pointer is NULL"),
    MU_CASE(result_into_stale, MU_ALL, MX_ERR_STALE, "kernel mu_sum", "its view does not exist"),
    MU_CASE(result_into_other_type, MU_ALL, MX_ERR_TYPE, "mu_sum", "8 bytes, the elements of view"),
    MU_CASE(result_into_grid, MU_ALL, MX_ERR_RANK, "mu_sum", "view 'grid': got rank 2, expected 0"),
    MU_CASE(result_beyond, MU_ALL, MX_ERR_BOUNDS, "mu_sum", "'row': index 8, its extent is 8"),
    MU_CASE(result_before, MU_ALL, MX_ERR_BOUNDS, "mu_sum", "'row': index -1, its extent is 8"),
    MU_CASE(result_beyond_one, MU_ALL, MX_ERR_BOUNDS, "mu_sum", "'number': index 1"),
    MU_CASE(result_into_constant, MU_ALL, MX_ERR_CONST, "mu_sum", "it is read-only"),
    MU_CASE(result_not_accessible, MU_DEVICES, MX_ERR_SPACE, "mu_sum",
            "in memory space Host, which"),
    MU_CASE(scan_into_other_type, MU_ALL, MX_ERR_TYPE, "mu_scan", "the elements of view 'ints'"),
    MU_CASE(array_negative, MU_ALL, MX_ERR_ARG, "mu_bins", "length of its result: got -1"),
    MU_CASE(array_huge, MU_ALL, MX_ERR_ARG, "mu_bins",
            "length of its result: got 1152921504606846975"),
    MU_CASE(array_beyond_memory, MU_ALL, MX_ERR_ARG, "mu_bins",
            "length of its result: got 1099511627776, expected 0 to 977343669134"),
    MU_CASE(array_too_short, MU_ALL, MX_ERR_EXTENT, "mu_bins: its result has 3 values",
            "has room for 2"),
    MU_CASE(array_into_stale, MU_ALL, MX_ERR_STALE, "does not exist (any more)", ""),
    MU_CASE(array_into_grid, MU_ALL, MX_ERR_RANK, "mu_bins", "view 'grid': got rank 2"),
    MU_CASE(array_into_gaps, MU_ALL, MX_ERR_LAYOUT, "mu_bins", "its elements are not contiguous"),
    MU_CASE(team_of_none, MU_ALL, MX_ERR_ARG, "mu_scratch: teams of 0 threads", "expected 1"),
    MU_CASE(team_negative, MU_ALL, MX_ERR_ARG, "mu_scratch: teams of -7 threads", "expected"),
    MU_CASE(team_oversized, MU_ALL, MX_ERR_ARG, "mu_scratch: teams of 5000 threads", "expected"),
    MU_CASE(team_overflow, MU_ALL, MX_ERR_ARG, "teams of 67108864 threads", "expected at most"),
    MU_CASE(team_larger_than_threads, MU_CORES, MX_ERR_ARG, "kernel mu_scratch",
            "expected at most"),
    MU_CASE(lanes_of_none, MU_ALL, MX_ERR_ARG, "mu_scratch", "with 0 lanes: expected"),
    MU_CASE(lanes_no_power, MU_ALL, MX_ERR_ARG, "mu_scratch", "with 3 lanes: expected"),
    MU_CASE(lanes_too_many, MU_ALL, MX_ERR_ARG, "mu_scratch", "with 128 lanes: expected"),
    MU_CASE(league_too_large, MU_ALL, MX_ERR_EXTENT, "kernel mu_scratch", "8589934592"),
    MU_CASE(scratch_overflow_0, MU_ALL, MX_ERR_MEMORY, "scratch of level 0", "mu_scratch"),
    MU_CASE(scratch_overflow_1, MU_ALL, MX_ERR_MEMORY, "level 1: a kernel requested 40",
            "mu_scratch"),
    MU_CASE(scratch_not_requested, MU_ALL, MX_ERR_MEMORY, "level 0: a kernel requested 8 ",
            "its policy has"),
    MU_CASE(scratch_negative, MU_ALL, MX_ERR_MEMORY, "level 1: a kernel requested -8",
            "mu_scratch"),
    MU_CASE(scratch_of_no_level, MU_ALL, MX_ERR_MEMORY, "level 1: a kernel requested 40", ""),
    MU_CASE(scratch_all_memory, MU_ALL, MX_ERR_ARG, "mu_scratch", "expected less than 64 GiB"),
    MU_CASE(scratch_sum_overflow, MU_ALL, MX_ERR_ARG, "mu_scratch", "less than 64 GiB"),
    MU_CASE(body_launches, MU_HOSTS, MX_ERR_ARG, "mu_nested: kernel mu_double was launched", ""),
    MU_CASE(missing_vector_single, MU_SIMT, MX_ERR_MISMATCH, "mu_no_single", "view 'stored to' at"),
    MU_CASE(missing_team_single, MU_SIMT, MX_ERR_MISMATCH, "mu_no_team_single", "'stored to' at"),
    {NULL, NULL, 0, MX_OK, NULL, NULL},
};
