/* Checking one backend against another. Correct kernels give no error. Kernels with a deliberate
 * mistake give an error with kernel, view and index. The mistakes are in the simt instance only, so
 * hosts and cuda are checked against simt, and simt against serial. */
#include "check_against.h"
#include "check.h"

#include <math.h>

enum { ROWS = 40, COLUMNS = 90 };

typedef struct set {
    mx_view x, y, row, marks;
    ca_args args;
} set;

static set make_set(mx_ctx ctx)
{
    set s;
    memset(&s, 0, sizeof s);
    const double two = 2, half = 0.5;
    MUST(mx_view_create_2d(ctx, "x", MX_F64, ROWS, COLUMNS, &s.x));
    MUST(mx_view_create_2d(ctx, "y", MX_F64, ROWS, COLUMNS, &s.y));
    MUST(mx_view_create_1d(ctx, "row", MX_F64, COLUMNS, &s.row));
    MUST(mx_view_create_1d(ctx, "marks", MX_I32, COLUMNS, &s.marks));
    MUST(mx_fill(ctx, s.y, &two));
    MUST(mx_fill(ctx, s.row, &half));
    MUST(mx_bind(ctx, s.x, &s.args.x));
    MUST(mx_bind(ctx, s.y, &s.args.y));
    MUST(mx_bind(ctx, s.row, &s.args.row));
    MUST(mx_bind(ctx, s.marks, &s.args.marks));
    s.args.factor = 3;
    return s;
}

static void free_set(set *s)
{
    MUST(mx_view_destroy(&s->x));
    MUST(mx_view_destroy(&s->y));
    MUST(mx_view_destroy(&s->row));
    MUST(mx_view_destroy(&s->marks));
}

static void test_good(mx_ctx ctx, const char *other)
{
    set s = make_set(ctx);
    const mx_range_2 all = mx_range_2d(ctx, 0, ROWS, 0, COLUMNS);
    const double cells = ROWS * COLUMNS;
    mx_view into;
    double sum = -1, bins[5] = {0};
    ca_value fields;
    MUST(mx_view_create_1d(ctx, "into", MX_F64, 3, &into));
    CHECK_OK(mx_ctx_check_against(ctx, other, 1e-9));
    CHECK_OK(ca_good(all, &s.args));
    CHECK_OK(ca_good(mx_tiled_2d(mx_range_2d(ctx, 3, 30, 5, 80), 7, 8), &s.args));
    CHECK_OK(ca_good_sum(all, &s.args, &sum));
    CHECK_F64(sum, 0.2 * cells, 1e-9 * cells); /* additions round, each by less than 1e-12 */
    CHECK_OK(ca_good_sum_into(all, &s.args, into, 2));
    sum = 0;
    MUST(mx_read_element(ctx, into, 2, &sum));
    CHECK_F64(sum, 0.2 * cells, 1e-9 * cells);
    CHECK_OK(ca_good_fields(all, &s.args, &fields));
    CHECK_F64(fields.mass, 0.2 * cells, 1e-9 * cells);
    CHECK_OK(
        ca_good_fields(mx_range_2d(ctx, 3, 3, 0, 9), &s.args, &fields)); /* empty: identities */
    CHECK_OK(ca_good_bins(mx_range_1d(ctx, 0, COLUMNS), &s.args, 5, bins));
    CHECK_F64(bins[4], 0.05 * (double)COLUMNS / 5, 1e-9);
    /* the launch itself did its work, once */
    mx_view mirror = check_fetch(ctx, s.x);
    const mx_view_info info = check_info(mirror);
    CHECK_F64(*(double *)check_at(&info, (int64_t[]){10, 10}), 0.1 * 10, 0);
    MUST(mx_view_destroy(&mirror));
    CHECK_OK(mx_ctx_check_against(ctx, NULL, 0));
    MUST(mx_view_destroy(&into));
    free_set(&s);
}

static void test_mistakes(mx_ctx ctx, const char *other)
{
    set s = make_set(ctx);
    const mx_range_2 all = mx_range_2d(ctx, 0, ROWS, 0, COLUMNS);
    double sum, bins[5];
    ca_value fields;
    CHECK_OK(ca_wrong(all, &s.args)); /* unchecked, nobody knows */
    CHECK_OK(mx_ctx_check_against(ctx, other, 1e-9));
    CHECK_FAILS(ca_wrong(all, &s.args), MX_ERR_MISMATCH, "kernel ca_wrong: view 'x' at (3, 7): ");
    CHECK_TEXT(mx_err_message(), "2.000999");
    CHECK_OK(ca_wrong(mx_range_2d(ctx, 4, ROWS, 0, COLUMNS), &s.args));
    CHECK_FAILS(ca_wrong_mark(mx_range_1d(ctx, 0, COLUMNS), &s.args), MX_ERR_MISMATCH,
                "kernel ca_wrong_mark: view 'marks' at (5): ");
    /* MX_NOT_CHECKED: no error, and the launch itself does its work, once */
    const int32_t zero = 0;
    MUST(mx_fill(ctx, s.marks, &zero));
    CHECK_OK(ca_not_checked(mx_range_1d(ctx, 0, COLUMNS), &s.args));
    int32_t mark = -1;
    MUST(mx_read_element(ctx, s.marks, 3, &mark));
    CHECK_I64(mark, 3);
    CHECK_FAILS(ca_wrong_sum(all, &s.args, &sum), MX_ERR_MISMATCH,
                "kernel ca_wrong_sum: result 0: ");
    CHECK_FAILS(ca_wrong_fields(all, &s.args, &fields), MX_ERR_MISMATCH,
                "kernel ca_wrong_fields: wrong 0: ");
    CHECK_FAILS(ca_wrong_bins(mx_range_1d(ctx, 0, COLUMNS), &s.args, 5, bins), MX_ERR_MISMATCH,
                "kernel ca_wrong_bins: result 4: ");
    /* a tolerance that covers the mistake: 1e-3 of 2 */
    CHECK_OK(mx_ctx_check_against(ctx, other, 1e-2));
    CHECK_OK(ca_wrong(all, &s.args));
    CHECK_FAILS(ca_wrong_mark(mx_range_1d(ctx, 0, COLUMNS), &s.args), MX_ERR_MISMATCH,
                "'marks'"); /* integers: exact */
    CHECK_OK(mx_ctx_check_against(ctx, NULL, 0));
    CHECK_OK(ca_wrong_sum(all, &s.args, &sum));
    free_set(&s);
}

/* Several threads compare a long view, each a part: one element differs, at the ends of parts. */
static void test_long_view(mx_ctx ctx, const char *other)
{
    enum { LENGTH = 100003, PART = 65536 / sizeof(int32_t) };
    static const int places[] = {5, PART - 1, PART, 3 * PART - 1, LENGTH - 1};
    set s = make_set(ctx);
    mx_view marks;
    MUST(mx_view_create_1d(ctx, "long", MX_I32, LENGTH, &marks));
    MUST(mx_bind(ctx, marks, &s.args.marks));
    CHECK_OK(mx_ctx_check_against(ctx, other, 1e-9));
    CHECK_OK(ca_wrong_mark(mx_range_1d(ctx, 0, 5), &s.args));
    for (size_t p = 0; p < sizeof places / sizeof places[0]; p++) {
        char expected[64];
        snprintf(expected, sizeof expected, "view 'long' at (%d): ", places[p]);
        CHECK_FAILS(ca_wrong_mark(mx_range_1d(ctx, places[p], places[p] + 1), &s.args),
                    MX_ERR_MISMATCH, expected);
    }
    CHECK_OK(mx_ctx_check_against(ctx, NULL, 0));
    MUST(mx_view_destroy(&marks));
    free_set(&s);
}

/* Results with functions of the user. */
static void test_own_results(mx_ctx ctx, const char *other)
{
    static const char *const bytes[CA_MEMBERS] = {"bytes 0 to 7", "bytes 8 to 15", "bytes 16 to 23",
                                                  "bytes 24 to 31"};
    set s = make_set(ctx);
    const mx_range_2 all = mx_range_2d(ctx, 0, ROWS, 0, COLUMNS);
    ca_own own;
    double total;
    mx_view into;
    MUST(mx_view_create_1d(ctx, "into", MX_USER(ca_own), 2, &into));
    CHECK_OK(mx_ctx_check_against(ctx, other, 1e-9));
    CHECK_FAILS(ca_own_scan(mx_range_1d(ctx, 0, COLUMNS), &s.args, &total), MX_ERR_MISMATCH,
                "kernel ca_own_scan: result 0: ");
#if defined(__has_builtin)
#if __has_builtin(__builtin_clear_padding)
    for (int member = 0; member < CA_MEMBERS; member++) {
        char expected[64];
        snprintf(expected, sizeof expected, "kernel ca_own_sum: result, %s: ", bytes[member]);
        s.args.factor = member;
        CHECK_FAILS(ca_own_sum(all, &s.args, &own), MX_ERR_MISMATCH, expected);
        CHECK_FAILS(ca_own_sum_into(all, &s.args, into, 1), MX_ERR_MISMATCH, expected);
    }
#endif
#endif
    s.args.factor = CA_MEMBERS; /* none: sums differ in last bits, and padding in all */
    CHECK_OK(ca_own_sum(all, &s.args, &own));
    CHECK_OK(ca_own_sum_into(all, &s.args, into, 0));
    CHECK_I64(own.where, ROWS * COLUMNS - 1);
    CHECK_I64(own.count, ROWS * COLUMNS);
    CHECK_OK(mx_ctx_check_against(ctx, NULL, 0));
    (void)bytes;
    MUST(mx_view_destroy(&into));
    free_set(&s);
}

/* Locations are compared by their members: indices exactly. */
static void test_locations(mx_ctx ctx, const char *other)
{
    set s = make_set(ctx);
    mx_loc_f64 place;
    mx_minmaxloc_f32 places;
    CHECK_OK(mx_ctx_check_against(ctx, other, 1e-9));
    CHECK_OK(ca_place(mx_range_1d(ctx, 0, 7), &s.args, &place));
    CHECK_I64(place.index, 9000000);
    CHECK_OK(ca_places(mx_range_1d(ctx, 0, 7), &s.args, &places));
    CHECK_FAILS(ca_place(mx_range_1d(ctx, 0, COLUMNS), &s.args, &place), MX_ERR_MISMATCH,
                "kernel ca_place: index of result 0: ");
    CHECK_TEXT(mx_err_message(), "9000050");
    CHECK_FAILS(ca_places(mx_range_1d(ctx, 0, COLUMNS), &s.args, &places), MX_ERR_MISMATCH,
                "kernel ca_places: index of result.max 0: ");
    CHECK_OK(mx_ctx_check_against(ctx, NULL, 0));
    free_set(&s);
}

/* A view whose numbers are small beside the terms that they are sums of. */
static void test_scale(mx_ctx ctx, const char *other)
{
    set s = make_set(ctx);
    const mx_range_2 all = mx_range_2d(ctx, 0, ROWS, 0, COLUMNS);
    const int64_t more[] = {ROWS + 1, COLUMNS};
    mx_view part, into;
    CHECK_OK(mx_ctx_check_against(ctx, other, 1e-6));
    CHECK_OK(mx_view_set_check_scale(s.x, 999)); /* of the mistake: 1e-3 */
    CHECK_FAILS(ca_wrong(all, &s.args), MX_ERR_MISMATCH, "kernel ca_wrong: view 'x' at (3, 7): ");
    CHECK_OK(mx_view_set_check_scale(s.x, 1001));
    CHECK_OK(ca_wrong(all, &s.args));
    /* that of the root holds for its parts */
    MUST(mx_subview(s.x, MX_SLICES(mx_all(), mx_all()), &part));
    MUST(mx_bind(ctx, part, &s.args.x));
    CHECK_OK(ca_wrong(all, &s.args));
    /* a view that grows keeps it */
    MUST(mx_view_destroy(&part));
    MUST(mx_view_resize(ctx, &s.x, more));
    MUST(mx_bind(ctx, s.x, &s.args.x));
    CHECK_OK(ca_wrong(all, &s.args));
    /* results in a view; the mistake is 1 */
    MUST(mx_view_create_1d(ctx, "into", MX_F64, 1, &into));
    CHECK_FAILS(ca_wrong_sum_into(all, &s.args, into, 0), MX_ERR_MISMATCH, "result 0: ");
    CHECK_OK(mx_view_set_check_scale(into, 1.001e6));
    CHECK_OK(ca_wrong_sum_into(all, &s.args, into, 0));
    MUST(mx_view_destroy(&into));
    CHECK_FAILS(mx_view_set_check_scale(s.x, -1), MX_ERR_ARG, "view 'x': scale of checks: got -1");
    CHECK_FAILS(mx_view_set_check_scale(s.x, (double)NAN), MX_ERR_ARG, "expected 0 or more");
    CHECK_OK(mx_ctx_check_against(ctx, NULL, 0));
    free_set(&s);
}

/* Host memory of a result that is an element of a view in the arguments. */
static void test_result_in_view(mx_ctx ctx, const char *other)
{
    set s = make_set(ctx);
    const mx_range_2 all = mx_range_2d(ctx, 0, ROWS, 0, COLUMNS);
    const mx_view_options options = {.space = MX_SPACE_STAGING};
    const int64_t extent = COLUMNS + 1;
    const double half = 0.5;
    double *data, *sums;
    mx_view longer;
    MUST(mx_view_create(ctx, "longer", MX_F64, 1, &extent, &options, &longer));
    MUST(mx_fill(ctx, longer, &half));
    MUST(mx_fence(ctx));
    MUST(mx_bind(ctx, longer, &s.args.row));
    MUST(mx_view_host_data(longer, (void **)&data));
    sums = data + COLUMNS; /* the kernels read the elements before it */
    CHECK_OK(ca_good_sum(all, &s.args, sums));
    CHECK_OK(mx_ctx_check_against(ctx, other, 1e-9));
    CHECK_FAILS(
        ca_good_sum(all, &s.args, sums), MX_ERR_ARG,
        "kernel ca_good_sum: the pointer to its result is between the first and the last element "
        "of view 'longer'");
    CHECK_FAILS(ca_good_bins(mx_range_1d(ctx, 0, COLUMNS), &s.args, 5, sums - 4), MX_ERR_ARG,
                "element of view 'longer', so another backend cannot repeat the launch");
    CHECK_OK(ca_good_sum_into(all, &s.args, longer, COLUMNS));
    CHECK_OK(mx_ctx_check_against(ctx, NULL, 0));
    MUST(mx_view_destroy(&longer));
    free_set(&s);
}

/* A view with two accessors, of which one takes any layout: the other context sees it in its
 * own. */
static void test_two_accessors(mx_ctx ctx, const char *other)
{
    mx_view x;
    ca_two_args args;
    MUST(mx_view_create_2d(ctx, "x", MX_F64, ROWS, COLUMNS, &x));
    MUST(mx_bind(ctx, x, &args.x));
    MUST(mx_bind(ctx, x, &args.same));
    CHECK_OK(mx_ctx_check_against(ctx, other, 1e-9));
    CHECK_OK(ca_two(mx_range_2d(ctx, 0, ROWS, 0, COLUMNS), &args));
    CHECK_OK(mx_ctx_check_against(ctx, NULL, 0));
    MUST(mx_view_destroy(&x));
}

/* An accessor of a fixed layout beside one of the context's: no one layout suits both on a context
 * of the other. */
static void test_fixed_layout(void)
{
    mx_ctx ctx;
    mx_view x;
    ca_fixed_args args;
    MUST(mx_ctx_create("serial", &ctx));
    MUST(mx_view_create_2d(ctx, "x", MX_F64, ROWS, COLUMNS, &x));
    MUST(mx_bind(ctx, x, &args.x));
    MUST(mx_bind(ctx, x, &args.same));
    CHECK_OK(mx_ctx_check_against(ctx, "openmp", 1e-9));
    CHECK_OK(ca_fixed(mx_range_2d(ctx, 0, ROWS, 0, COLUMNS), &args));
    CHECK_OK(mx_ctx_check_against(ctx, "simt", 1e-9));
    CHECK_FAILS(ca_fixed(mx_range_2d(ctx, 0, ROWS, 0, COLUMNS), &args), MX_ERR_LAYOUT,
                "view 'x' has one accessor of fixed layout right");
    MUST(mx_view_destroy(&x));
    mx_ctx_destroy(&ctx);
}

/* Tolerances below 1e-5 mean nothing for f32; above, they hold for it as for f64. */
static void test_single_precision(mx_ctx ctx, const char *other)
{
    mx_view x;
    ca_single_args args;
    MUST(mx_view_create_1d(ctx, "x", MX_F32, COLUMNS, &x));
    MUST(mx_bind(ctx, x, &args.x));
    CHECK_OK(mx_ctx_check_against(ctx, other, 1e-9));
    CHECK_FAILS(ca_single(mx_range_1d(ctx, 0, COLUMNS), &args), MX_ERR_MISMATCH,
                "kernel ca_single: view 'x' at (3): ");
    CHECK_OK(mx_ctx_check_against(ctx, other, 1e-2));
    CHECK_OK(ca_single(mx_range_1d(ctx, 0, COLUMNS), &args));
    CHECK_OK(mx_ctx_check_against(ctx, NULL, 0));
    MUST(mx_view_destroy(&x));
}

/* An item that reads what another one writes: found by any other order of items. */
static void test_carried(void)
{
    static const char *const pairs[][2] = {{"serial", "serial:order=shuffled"},
                                           {"serial:order=shuffled", "serial"}};
    for (int p = 0; p < 2; p++) {
        mx_ctx ctx;
        char resource[96];
        snprintf(resource, sizeof resource, "%s%scheck=%s", pairs[p][0], p == 0 ? ":" : ",",
                 pairs[p][1]); /* in the resource string this time */
        MUST(mx_ctx_create(resource, &ctx));
        set s = make_set(ctx);
        CHECK_OK(ca_good(mx_range_2d(ctx, 0, ROWS, 0, COLUMNS), &s.args));
        CHECK_FAILS(ca_carried(mx_range_1d(ctx, 1, COLUMNS), &s.args), MX_ERR_MISMATCH,
                    "kernel ca_carried: view 'row' at (");
        CHECK_TEXT(mx_err_message(), "serial");
        free_set(&s);
        mx_ctx_destroy(&ctx);
    }
}

/* The other backend runs the teams that were asked for, and several threads and lanes on simt where
 * MX_AUTO was. */
static void test_teams(void)
{
    mx_ctx ctx;
    mx_view seen;
    ca_team_args args;
    MUST(mx_ctx_create("openmp:threads=2,check=simt", &ctx));
    MUST(mx_view_create_1d(ctx, "seen", MX_I32, 8, &seen));
    MUST(mx_bind(ctx, seen, &args.seen));
    CHECK_OK(ca_team_size(mx_league(ctx, 8, 2, 1), &args));
    CHECK_OK(mx_fill(ctx, seen, &(int32_t){0}));
    CHECK_FAILS(mx_ca_lanes(mx_league(ctx, 8, MX_AUTO, MX_AUTO), &args), MX_ERR_MISMATCH,
                "kernel mx_ca_lanes: view 'seen' at (0): ");
    /* serial has teams of one only */
    CHECK_OK(mx_ctx_check_against(ctx, "serial", 1e-9));
    CHECK_FAILS(ca_team_size(mx_league(ctx, 8, 2, 1), &args), MX_ERR_MISMATCH, "view 'seen'");
    MUST(mx_view_destroy(&seen));
    mx_ctx_destroy(&ctx);
}

enum { LIST = 500 };

/* A list in the order in which items came, and a kernel that uses it. `other` has another order of
 * items. */
static void test_order(const char *resource, const char *other)
{
    mx_ctx ctx;
    mx_view count, list, place, twice;
    ca_list_args args;
    MUST(mx_ctx_create(resource, &ctx));
    MUST(mx_view_create_0d(ctx, "count", MX_I32, &count));
    MUST(mx_view_create_1d(ctx, "list", MX_I32, LIST, &list));
    MUST(mx_view_create_1d(ctx, "place", MX_I32, LIST, &place));
    MUST(mx_view_create_1d(ctx, "twice", MX_I32, LIST, &twice));
    MUST(mx_bind(ctx, count, &args.count));
    MUST(mx_bind(ctx, list, &args.list));
    MUST(mx_bind(ctx, place, &args.place));
    MUST(mx_bind(ctx, twice, &args.twice));
    CHECK_OK(mx_ctx_check_against(ctx, other, 1e-9));
    CHECK_FAILS(ca_fill_list(mx_range_1d(ctx, 0, LIST), &args), MX_ERR_MISMATCH, "at (");
    CHECK_OK(mx_view_set_unchecked(list));
    CHECK_OK(mx_view_set_unchecked(place));
    CHECK_OK(mx_fill(ctx, count, &(int32_t){0}));
    CHECK_OK(ca_fill_list(mx_range_1d(ctx, 0, LIST), &args));
    CHECK_OK(ca_use_list(mx_range_1d(ctx, 0, LIST), &args));
    MUST(mx_view_destroy(&count));
    MUST(mx_view_destroy(&list));
    MUST(mx_view_destroy(&place));
    MUST(mx_view_destroy(&twice));
    mx_ctx_destroy(&ctx);
}

static void test(mx_ctx ctx)
{
    mx_ctx_info info;
    MUST(mx_ctx_get_info(ctx, &info));
    const bool simt =
        strcmp(info.backend, "simt") == 0 || strcmp(info.backend, "serial:order=shuffled") == 0;
    test_good(ctx, "serial");
    test_good(ctx, "openmp:threads=3");
    test_good(ctx, "simt");
    test_good(ctx, "serial:order=shuffled");
    test_mistakes(ctx, simt ? "serial" : "simt");
    test_long_view(ctx, simt ? "openmp:threads=3" : "simt");
    test_own_results(ctx, simt ? "serial" : "simt");
    test_locations(ctx, simt ? "serial" : "simt");
    test_scale(ctx, simt ? "serial" : "simt");
    test_single_precision(ctx, simt ? "serial" : "simt");
    test_result_in_view(ctx, "serial");
    test_result_in_view(ctx, "simt");
    test_two_accessors(ctx, "serial");
    test_two_accessors(ctx, "simt");
    test_fixed_layout();
    test_carried();
    test_teams();
    test_order("serial", "serial:order=shuffled");
    test_order("openmp:threads=2", "serial:order=shuffled");
    CHECK_FAILS(mx_ctx_check_against(ctx, "nothing", 1e-9), MX_ERR_INPUT, "backend: got 'nothing'");
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
