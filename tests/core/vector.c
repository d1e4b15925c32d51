/* Vector loops with a result for each row, compared with plain loops: the largest and the smallest
 * number and their locations, sums and scans. For every number of lanes, for rows of any length
 * including 0, with infinities and NaNs. Sums are of small integers, so they are exact in any
 * order. */
#include "vector.h"
#include "check.h"

#include <float.h>

enum { ROWS = 41, LONGEST = 101 };

typedef struct shape {
    int size, lanes;
} shape;

static int32_t begins[ROWS + 1];

/* Rows of 0, 1 and 2 numbers, some about as long as there are lanes, others long. */
static void make_rows(void)
{
    static const int lengths[] = {0,  1,  2,  3,  4,  7,  8,  9,       15,
                                  16, 17, 31, 32, 33, 64, 65, LONGEST, 0};
    const int count = sizeof lengths / sizeof lengths[0];
    for (int r = 0; r < ROWS; r++)
        begins[r + 1] =
            begins[r] + (r < count ? lengths[r] : (int32_t)check_random_int(0, LONGEST));
}

static mx_view upload(mx_ctx ctx, mx_type type, int64_t count, const void *numbers)
{
    mx_view view;
    MUST(mx_view_create_1d(ctx, "numbers", type, count, &view));
    check_upload(ctx, view, numbers);
    return view;
}

static mx_teams league(mx_ctx ctx, shape s)
{
    return mx_league(ctx, (ROWS + VE_ROWS_PER_TEAM - 1) / VE_ROWS_PER_TEAM, s.size, s.lanes);
}

/* A number that is in no row of whole numbers: what was not stored. */
enum { NEVER = 99 };

/* SPECIAL: of row r and element k of it, an infinity or NaN, or `v`. Rows of NaNs only have the
 * identities. */
#define VE_TEST(tag, T, TYPE, LOW, HIGH, SPECIAL)                                                  \
    static void expect_row_##tag(int r, const T *x, const T *y, const T *got[8])                   \
    {                                                                                              \
        T least = HIGH, least_y = HIGH, largest = LOW, sum = 0;                                    \
        for (int k = begins[r]; k < begins[r + 1]; k++) {                                          \
            if (x[k] < least) least = x[k];                                                        \
            if (y[k] < least_y) least_y = y[k];                                                    \
            if (x[k] > largest) largest = x[k];                                                    \
            CHECK_F64((double)got[6][k], y[k] == 0 ? (double)NEVER : (double)sum, 0);              \
            sum = (T)(sum + y[k]);                                                                 \
            CHECK_F64((double)got[7][k], (double)sum, 0);                                          \
        }                                                                                          \
        const T expected[6] = {least, least_y, largest, sum, sum, sum};                            \
        for (int l = 0; l < VE_LANES; l++)                                                         \
            for (int n = 0; n < 6; n++)                                                            \
                CHECK_F64((double)got[n][r * VE_LANES + l], (double)expected[n], 0);               \
    }                                                                                              \
    static void check_rows_##tag(mx_ctx ctx, shape s)                                              \
    {                                                                                              \
        const int64_t elements = begins[ROWS];                                                     \
        T x[ROWS * LONGEST], y[ROWS * LONGEST];                                                    \
        static T results[8][ROWS * LONGEST];                                                       \
        const T *got[8];                                                                           \
        const T never = NEVER;                                                                     \
        ve_##tag##_args args;                                                                      \
        memset(&args, 0, sizeof args);                                                             \
        for (int r = 0; r < ROWS; r++)                                                             \
            for (int k = begins[r]; k < begins[r + 1]; k++) {                                      \
                const T v = (T)check_random_int((LOW) < 0 ? -40 : 1, 90);                          \
                x[k] = SPECIAL;                                                                    \
                y[k] = (T)check_random_int(0, 7);                                                  \
            }                                                                                      \
        mx_view in[3] = {upload(ctx, MX_I32, ROWS + 1, begins), upload(ctx, TYPE, elements, x),    \
                         upload(ctx, TYPE, elements, y)},                                          \
                out[8];                                                                            \
        MUST(mx_bind(ctx, in[0], &args.begin));                                                    \
        MUST(mx_bind(ctx, in[1], &args.x));                                                        \
        MUST(mx_bind(ctx, in[2], &args.y));                                                        \
        for (int n = 0; n < 8; n++) {                                                              \
            MUST(                                                                                  \
                mx_view_create_1d(ctx, "out", TYPE, n < 6 ? ROWS * VE_LANES : elements, &out[n])); \
            MUST(mx_fill(ctx, out[n], &never));                                                    \
        }                                                                                          \
        MUST(mx_bind(ctx, out[0], &args.least));                                                   \
        MUST(mx_bind(ctx, out[1], &args.least_y));                                                 \
        MUST(mx_bind(ctx, out[2], &args.largest));                                                 \
        MUST(mx_bind(ctx, out[3], &args.sum));                                                     \
        MUST(mx_bind(ctx, out[4], &args.total));                                                   \
        MUST(mx_bind(ctx, out[5], &args.all));                                                     \
        MUST(mx_bind(ctx, out[6], &args.before));                                                  \
        MUST(mx_bind(ctx, out[7], &args.behind));                                                  \
        args.rows = ROWS;                                                                          \
        CHECK_OK(ve_rows_##tag(league(ctx, s), &args));                                            \
        for (int n = 0; n < 8; n++) {                                                              \
            check_download(ctx, out[n], results[n]);                                               \
            got[n] = results[n];                                                                   \
            MUST(mx_view_destroy(&out[n]));                                                        \
        }                                                                                          \
        for (int r = 0; r < ROWS; r++) expect_row_##tag(r, x, y, got);                             \
        for (int n = 0; n < 3; n++) MUST(mx_view_destroy(&in[n]));                                 \
    }

#define VE_REAL(v, r, k) \
    ((r) % 7 == 6 ? NAN : (r) % 5 == 4 && (k) % 3 != 0 ? NAN : (r) % 9 == 8 ? -INFINITY : (v))
VE_TEST(f64, double, MX_F64, -INFINITY, INFINITY, VE_REAL(v, r, k))
VE_TEST(f32, float, MX_F32, -INFINITY, INFINITY, (float)VE_REAL(v, r, k))
VE_TEST(i32, int32_t, MX_I32, INT32_MIN, INT32_MAX, v)
VE_TEST(i64, int64_t, MX_I64, INT64_MIN, INT64_MAX, v)
VE_TEST(u32, uint32_t, MX_U32, 0, UINT32_MAX, v)
VE_TEST(u64, uint64_t, MX_U64, 0, UINT64_MAX, v)

/* Rows of few different numbers, so that the lowest of several equal ones counts; NaNs only where a
 * row has nothing else. */
static void check_locations(mx_ctx ctx, shape s)
{
    const int64_t elements = begins[ROWS];
    double x[ROWS * LONGEST], value[ROWS * VE_LANES], least[ROWS * VE_LANES];
    int64_t index[ROWS * VE_LANES], least_index[ROWS * VE_LANES];
    ve_loc_args args;
    memset(&args, 0, sizeof args);
    args.rows = ROWS;
    for (int r = 0; r < ROWS; r++)
        for (int k = begins[r]; k < begins[r + 1]; k++)
            x[k] = r % 7 == 6 || (r % 5 == 4 && k % 3 != 0) ? NAN : (double)check_random_int(-2, 2);
    mx_view views[6] = {upload(ctx, MX_I32, ROWS + 1, begins), upload(ctx, MX_F64, elements, x)};
    for (int n = 2; n < 6; n++)
        MUST(mx_view_create_1d(ctx, "out", n % 2 == 0 ? MX_F64 : MX_I64, ROWS * VE_LANES,
                               &views[n]));
    MUST(mx_bind(ctx, views[0], &args.begin));
    MUST(mx_bind(ctx, views[1], &args.x));
    MUST(mx_bind(ctx, views[2], &args.value));
    MUST(mx_bind(ctx, views[3], &args.index));
    MUST(mx_bind(ctx, views[4], &args.least));
    MUST(mx_bind(ctx, views[5], &args.least_index));
    CHECK_OK(ve_locations(league(ctx, s), &args));
    check_download(ctx, views[2], value);
    check_download(ctx, views[3], index);
    check_download(ctx, views[4], least);
    check_download(ctx, views[5], least_index);
    for (int r = 0; r < ROWS; r++) {
        int64_t top = -1, bottom = -1;
        for (int64_t k = begins[r]; k < begins[r + 1]; k++) {
            if (top < 0 || x[k] > x[top] || (isnan(x[top]) && !isnan(x[k]))) top = k;
            if (bottom < 0 || x[k] < x[bottom] || (isnan(x[bottom]) && !isnan(x[k]))) bottom = k;
        }
        for (int l = 0; l < VE_LANES; l++) {
            const int at = r * VE_LANES + l;
            CHECK_I64(index[at], top);
            CHECK_I64(least_index[at], bottom);
            if (top >= 0 && isnan(x[top])) continue;
            CHECK_F64(value[at], top < 0 ? -INFINITY : x[top], 0);
            CHECK_F64(least[at], bottom < 0 ? INFINITY : x[bottom], 0);
        }
    }
    for (int n = 0; n < 6; n++) MUST(mx_view_destroy(&views[n]));
}

/* One type of each size, and locations. */
static void check_shape(mx_ctx ctx, shape s)
{
    check_rows_f64(ctx, s);
    check_rows_i32(ctx, s);
    check_locations(ctx, s);
}

static void check_all_types(mx_ctx ctx, shape s)
{
    check_shape(ctx, s);
    check_rows_f32(ctx, s);
    check_rows_i64(ctx, s);
    check_rows_u32(ctx, s);
    check_rows_u64(ctx, s);
}

static void test(mx_ctx ctx)
{
    mx_ctx_info info;
    MUST(mx_ctx_get_info(ctx, &info));
    const bool many = check_is(ctx, "simt") || check_is_gpu(ctx);
    const int max_lanes = check_is_gpu(ctx) ? 32 : VE_LANES; /* waves of 64: by MX_AUTO */
    make_rows();
    for (int lanes = 1; lanes <= max_lanes; lanes *= 2) {
        /* lanes of simt are threads, of which many on few cores take seconds */
        const bool few = lanes <= 4 || !check_is(ctx, "simt");
        void (*const check)(mx_ctx, shape) = few ? check_all_types : check_shape;
        check(ctx, (shape){1, lanes});
        if (many || info.threads >= 2) check(ctx, (shape){2, lanes});
    }
    if (many) check_all_types(ctx, (shape){3, 4});
    if (check_is_gpu(ctx)) check_all_types(ctx, (shape){32, 32});
    check_all_types(ctx, (shape){MX_AUTO, MX_AUTO});
    MUST(mx_ctx_check_against(ctx, "serial", 1e-12));
    check_shape(ctx, (shape){1, 4});
    MUST(mx_ctx_check_against(ctx, NULL, 0));
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
