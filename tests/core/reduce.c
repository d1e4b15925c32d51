/* Reductions of every kind over ranges of 1 to 3 dimensions, compared with plain loops. The numbers
 * are integers, so results must be exact. */
#include "reduce.h"
#include "check.h"

enum { N = 50021, B0 = 23, B1 = 37, B2 = 61 };

typedef struct data {
    mx_ctx ctx;
    mx_view x, box, scale;
    int32_t *line;            /* x on the host */
    int32_t cube[B0][B1][B2]; /* box on the host */
    rd_args args;
} data;

static data *make_data(mx_ctx ctx)
{
    data *d = check_memory(sizeof *d);
    const double one_and_half = 1.5;
    d->ctx = ctx;
    d->line = check_memory(N * sizeof *d->line);
    MUST(mx_view_create_1d(ctx, "x", MX_I32, N, &d->x));
    MUST(mx_view_create_3d(ctx, "box", MX_I32, B0, B1, B2, &d->box));
    MUST(mx_view_create_0d(ctx, "scale", MX_F64, &d->scale));
    for (int i = 0; i < N; i++) d->line[i] = (int32_t)check_random_int(-1000, 1000);
    check_upload(ctx, d->x, d->line);
    mx_view mirror = check_fetch(ctx, d->box);
    const mx_view_info info = check_info(mirror);
    for (int64_t i = 0; i < B0; i++)
        for (int64_t j = 0; j < B1; j++)
            for (int64_t k = 0; k < B2; k++) {
                d->cube[i][j][k] = (int32_t)check_random_int(-1000, 1000);
                memcpy(check_at(&info, (int64_t[]){i, j, k}), &d->cube[i][j][k], sizeof(int32_t));
            }
    MUST(mx_deep_copy(ctx, d->box, mirror));
    MUST(mx_fill(ctx, d->scale, &one_and_half));
    MUST(mx_fence(ctx));
    MUST(mx_view_destroy(&mirror));
    MUST(mx_bind(ctx, d->x, &d->args.x));
    MUST(mx_bind(ctx, d->box, &d->args.box));
    MUST(mx_bind(ctx, d->scale, &d->args.scale));
    return d;
}

static void free_data(data *d)
{
    MUST(mx_view_destroy(&d->x));
    MUST(mx_view_destroy(&d->box));
    MUST(mx_view_destroy(&d->scale));
    free(d->line);
    free(d);
}

/* Part of the box; dims 2 takes plane 0. */
typedef struct part {
    int64_t b[3], e[3];
} part;

static part random_part(void)
{
    static const int64_t extents[] = {B0, B1, B2};
    part p;
    for (int d = 0; d < 3; d++) {
        p.b[d] = check_random_int(0, extents[d] - 1);
        p.e[d] = check_random_int(p.b[d], extents[d]);
    }
    return p;
}

static int64_t plain_sum(const data *d, int dims, const part *p)
{
    int64_t sum = 0;
    if (dims == 1)
        for (int64_t i = p->b[0]; i < p->e[0]; i++) sum += d->line[i];
    else
        for (int64_t i = dims == 2 ? 0 : p->b[0]; i < (dims == 2 ? 1 : p->e[0]); i++)
            for (int64_t j = p->b[1]; j < p->e[1]; j++)
                for (int64_t k = p->b[2]; k < p->e[2]; k++) sum += d->cube[i][j][k];
    return sum;
}

static void test_sums(const data *d, const part *p, const int64_t *t)
{
    const mx_range_1 r1 = mx_tiled_1d(mx_range_1d(d->ctx, p->b[0], p->e[0]), t[0]);
    const mx_range_2 r2 =
        mx_tiled_2d(mx_range_2d(d->ctx, p->b[1], p->e[1], p->b[2], p->e[2]), t[1], t[2]);
    const mx_range_3 r3 =
        mx_tiled_3d(mx_range_3d(d->ctx, p->b[0], p->e[0], p->b[1], p->e[1], p->b[2], p->e[2]), t[0],
                    t[1], t[2]);
    int64_t got[6] = {-1, -1, -1, -1, -1, -1};
    double nested = -1;
    CHECK_OK(rd_sum_1d(r1, &d->args, &got[0]));
    CHECK_OK(rd_sum_2d(r2, &d->args, &got[1]));
    CHECK_OK(rd_sum_3d(r3, &d->args, &got[2]));
    CHECK_OK(rd_sum_1d_64(r1, &d->args, &got[3]));
    CHECK_OK(rd_sum_2d_64(r2, &d->args, &got[4]));
    CHECK_OK(rd_sum_3d_64(r3, &d->args, &got[5]));
    for (int g = 0; g < 6; g++) CHECK_I64(got[g], plain_sum(d, g % 3 + 1, p));
    CHECK_OK(rd_nested_3d(r3, &d->args, &nested));
    CHECK_F64(nested, 3 * (double)plain_sum(d, 3, p), 0);
    CHECK_OK(rd_nested_1d_64(r1, &d->args, &got[0]));
    CHECK_OK(rd_nested_2d_64(r2, &d->args, &got[1]));
    CHECK_OK(rd_nested_3d_64(r3, &d->args, &got[2]));
    for (int g = 0; g < 3; g++) CHECK_I64(got[g], plain_sum(d, g + 1, p));
}

static void test_all_sums(const data *d)
{
    const part whole = {{0, 0, 0}, {B0, B1, B2}}, none = {{5, 5, 5}, {5, 3, 9}};
    const int64_t free_tiles[3] = {0, 0, 0};
    int64_t sum = -1;
    double nested = -1;
    test_sums(d, &whole, free_tiles);
    test_sums(d, &none, free_tiles);
    for (int n = 0; n < 40; n++) {
        const part p = random_part();
        const int64_t tiles[3] = {check_random_int(0, 9), check_random_int(0, 9),
                                  check_random_int(0, 99)};
        test_sums(d, &p, tiles);
    }
    /* For both layouts: rows of 0 to 60 items (with layout left up to 37 in two dimensions, up to 23
     * in three), and up to 37 rows of 2, 3 and 4 items. */
    for (int64_t n = 0; n < B2; n++) {
        const part right = {{0, 0, 0}, {2, 3, n}}, left = {{0, 0, 0}, {n, 2, 3}};
        test_sums(d, &right, free_tiles);
        if (n <= B0) test_sums(d, &left, free_tiles);
        for (int64_t m = 2; n <= B1 && m <= 4; m++) {
            const part rows[] = {
                {{0, 0, 0}, {2, n, m}}, {{0, 0, 0}, {m, n, 2}}, {{0, 0, 0}, {2, m, n}}};
            for (int r = 0; r < 3; r++) test_sums(d, &rows[r], free_tiles);
        }
    }
    const part line = {{0, 0, 0}, {N, 0, 0}};
    CHECK_OK(rd_sum_1d(mx_range_1d(d->ctx, 0, N), &d->args, &sum));
    CHECK_I64(sum, plain_sum(d, 1, &line));
    CHECK_OK(rd_nested_1d(mx_range_1d(d->ctx, 0, B0), &d->args, &nested));
    CHECK_F64(nested, (double)plain_sum(d, 3, &whole), 0);
    CHECK_OK(rd_nested_2d(mx_range_2d(d->ctx, 0, B0, 0, B1), &d->args, &nested));
    CHECK_F64(nested, (double)plain_sum(d, 3, &whole), 0);
    uint32_t parity = 1, expected = 0;
    for (int i = 0; i < N; i++) expected ^= (uint32_t)d->line[i];
    CHECK_OK(rd_xor(mx_range_1d(d->ctx, 0, N), &d->args, &parity));
    CHECK_I64(parity, expected);
}

/* ---- structs ---- */

static void add(rd_summary *s, rd_digits *v, int32_t x)
{
    s->mass += 0.5 * x;
    s->lowest = fminf(s->lowest, (float)x);
    s->count++;
    s->highest = x > s->highest ? x : s->highest;
    s->all = s->all && x != 0;
    s->bits |= 1u << (x & 31);
    s->parity ^= (uint32_t)x;
    v->of[(x % 10 + 10) % 10]++;
    v->low = fmin(v->low, x);
    v->high = fmax(v->high, x);
}

static void plain_structs(const data *d, int dims, const part *p, rd_summary *s, rd_digits *v)
{
    *s = (rd_summary){0, INFINITY, 0, INT32_MIN, 1, 0, 0};
    *v = (rd_digits){{0}, 1e300, -1e300};
    if (dims == 1)
        for (int64_t i = p->b[0]; i < p->e[0]; i++) add(s, v, d->line[i]);
    else
        for (int64_t i = dims == 2 ? 0 : p->b[0]; i < (dims == 2 ? 1 : p->e[0]); i++)
            for (int64_t j = p->b[1]; j < p->e[1]; j++)
                for (int64_t k = p->b[2]; k < p->e[2]; k++) add(s, v, d->cube[i][j][k]);
}

static void check_summary(const rd_summary *got, const rd_summary *expected)
{
    CHECK_F64(got->mass, expected->mass, 0);
    CHECK_F64(got->lowest, expected->lowest, 0);
    CHECK_I64(got->count, expected->count);
    CHECK_I64(got->highest, expected->highest);
    CHECK_I64(got->all, expected->all);
    CHECK_I64(got->bits, expected->bits);
    CHECK_I64(got->parity, expected->parity);
}

static void check_digits(const rd_digits *got, const rd_digits *expected)
{
    for (int d = 0; d < 10; d++) CHECK_I64(got->of[d], expected->of[d]);
    CHECK_F64(got->low, expected->low, 0);
    CHECK_F64(got->high, expected->high, 0);
}

static void test_structs(const data *d, const part *p)
{
    const mx_range_1 r1 = mx_range_1d(d->ctx, p->b[0], p->e[0]);
    const mx_range_2 r2 = mx_range_2d(d->ctx, p->b[1], p->e[1], p->b[2], p->e[2]);
    const mx_range_3 r3 = mx_range_3d(d->ctx, p->b[0], p->e[0], p->b[1], p->e[1], p->b[2], p->e[2]);
    rd_summary fields[9], summary;
    rd_digits custom[6], digits;
    memset(fields, 1, sizeof fields);
    memset(custom, 1, sizeof custom);
    CHECK_OK(rd_fields_1d(r1, &d->args, &fields[0]));
    CHECK_OK(rd_fields_2d(r2, &d->args, &fields[1]));
    CHECK_OK(rd_fields_3d(r3, &d->args, &fields[2]));
    CHECK_OK(rd_fields_1d_64(r1, &d->args, &fields[3]));
    CHECK_OK(rd_fields_2d_64(r2, &d->args, &fields[4]));
    CHECK_OK(rd_fields_3d_64(r3, &d->args, &fields[5]));
    CHECK_OK(rd_fields_1d_nested(r1, &d->args, &fields[6]));
    CHECK_OK(rd_fields_2d_nested(r2, &d->args, &fields[7]));
    CHECK_OK(rd_fields_3d_nested(r3, &d->args, &fields[8]));
    CHECK_OK(rd_custom_1d(r1, &d->args, &custom[0]));
    CHECK_OK(rd_custom_2d(r2, &d->args, &custom[1]));
    CHECK_OK(rd_custom_3d(r3, &d->args, &custom[2]));
    CHECK_OK(rd_custom_1d_64(r1, &d->args, &custom[3]));
    CHECK_OK(rd_custom_2d_64(r2, &d->args, &custom[4]));
    CHECK_OK(rd_custom_3d_64(r3, &d->args, &custom[5]));
    for (int k = 0; k < 9; k++) {
        plain_structs(d, k % 3 + 1, p, &summary, &digits);
        check_summary(&fields[k], &summary);
        if (k < 6) check_digits(&custom[k], &digits);
    }
}

static void test_all_structs(const data *d)
{
    const part whole = {{0, 0, 0}, {B0, B1, B2}}, none = {{5, 5, 5}, {5, 3, 9}},
               line = {{0, 0, 0}, {N, 0, 0}};
    test_structs(d, &whole);
    test_structs(d, &none);
    test_structs(d, &line);
    for (int n = 0; n < 20; n++) {
        const part p = random_part();
        test_structs(d, &p);
    }
    for (int64_t m = 2; m <= 4; m++)
        for (int64_t n = 0; n <= B1; n += n < 18 ? 1 : 7) {
            const part rows[] = {
                {{0, 0, 0}, {2, n, m}}, {{0, 0, 0}, {m, n, 2}}, {{0, 0, 0}, {2, m, n}}};
            for (int r = 0; r < 3; r++) test_structs(d, &rows[r]);
        }
}

/* ---- places ---- */

static void test_places(data *d)
{
    static const int64_t sizes[] = {1, 2, 33, 2048, 5000, N};
    const mx_ctx ctx = d->ctx;
    int32_t *const few = check_memory(N * sizeof *few);
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int kinds = 1; kinds <= 1000; kinds *= 10) { /* few kinds of values: many ties */
            const int64_t n = sizes[s];
            int64_t low = 0, high = 0;
            for (int64_t i = 0; i < n; i++) {
                few[i] = (int32_t)check_random_int(-kinds, kinds - 2);
                if (few[i] < few[low]) low = i;
                if (few[i] > few[high]) high = i;
            }
            for (int64_t i = n; i < N; i++)
                few[i] = i % 2 > 0 ? 100000 : -100000; /* beyond the range */
            check_upload(ctx, d->x, few);
            mx_loc_i32 min = {0, 0};
            mx_loc_f64 max = {0, 0};
            mx_loc_f32 max_f32 = {0, 0};
            mx_minmaxloc_i64 both = {{0, 0}, {0, 0}};
            CHECK_OK(rd_minloc(mx_range_1d(ctx, 0, n), &d->args, &min));
            CHECK_OK(rd_maxloc(mx_range_1d(ctx, 0, n), &d->args, &max));
            CHECK_OK(rd_maxloc_f32(mx_range_1d(ctx, 0, n), &d->args, &max_f32));
            CHECK_OK(rd_minmaxloc(mx_range_1d(ctx, 0, n), &d->args, &both));
            CHECK_I64(min.value, few[low]);
            CHECK_I64(min.index, low);
            CHECK_F64(max.value, 0.5 * few[high], 0);
            CHECK_I64(max.index, high);
            CHECK_F64(max_f32.value, few[high], 0);
            CHECK_I64(max_f32.index, high);
            CHECK_I64(both.min.value, few[low]);
            CHECK_I64(both.min.index, low);
            CHECK_I64(both.max.value, few[high]);
            CHECK_I64(both.max.index, high);
        }
    mx_minmaxloc_i64 none = {{0, 0}, {0, 0}};
    CHECK_OK(rd_minmaxloc(mx_range_1d(ctx, 3, 3), &d->args, &none));
    CHECK_I64(none.min.index, -1);
    CHECK_I64(none.max.index, -1);
    CHECK_I64(none.min.value, INT64_MAX);
    CHECK_I64(none.max.value, INT64_MIN);
    check_upload(ctx, d->x, d->line);
    free(few);
}

/* Values that are no numbers are passed over, unless there are no others. */
static void test_nan(data *d)
{
    for (int every = 1; every <= 7; every += 2) {
        int64_t low = 0, high = 0; /* with every == 1, the lowest index */
        for (int64_t i = 1; i < N && every > 1; i++) {
            if (i % every == 0) continue;
            if (low == 0 || d->line[i] < d->line[low]) low = i;
            if (high == 0 || d->line[i] > d->line[high]) high = i;
        }
        mx_loc_f64 min = {0, -9}, max = {0, -9};
        double plain = 0;
        d->args.factor = every;
        CHECK_OK(rd_nan_min(mx_range_1d(d->ctx, 0, N), &d->args, &min));
        CHECK_OK(rd_nan_max(mx_range_1d(d->ctx, 0, N), &d->args, &max));
        CHECK_OK(rd_nan_plain_max(mx_range_1d(d->ctx, 0, N), &d->args, &plain));
        CHECK_I64(min.index, low);
        CHECK_I64(max.index, high);
        CHECK(every == 1 ? isnan(min.value) && isnan(max.value)
                         : min.value == d->line[low] && max.value == d->line[high]);
        CHECK_F64(plain, every == 1 ? -(double)INFINITY : (double)d->line[high], 0);
    }
    d->args.factor = 0;
}

/* ---- arrays ---- */

static void test_arrays(data *d)
{
    static const int lengths[] = {1, 7, 1000};
    static const int64_t sizes[] = {0, 1, 6, 999, 5000, N};
    for (int l = 0; l < 3; l++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            const int length = lengths[l];
            double *const sums = check_memory((size_t)length * 2 * sizeof *sums);
            double *const got = sums + length;
            int64_t *const tops = check_memory((size_t)length * 2 * sizeof *tops);
            int64_t *const top = tops + length;
            for (int e = 0; e < length; e++) tops[e] = INT64_MIN;
            for (int64_t i = 0; i < sizes[s]; i++) {
                sums[i % length] += d->line[i];
                if (d->line[i] > tops[i % length]) tops[i % length] = d->line[i];
            }
            memset(got, 1, (size_t)length * sizeof *got);
            d->args.factor = length;
            CHECK_OK(rd_bins(mx_range_1d(d->ctx, 0, sizes[s]), &d->args, length, got));
            CHECK_OK(rd_tops(mx_range_1d(d->ctx, 0, sizes[s]), &d->args, length, top));
            for (int e = 0; e < length; e++) CHECK_F64(got[e], sums[e], 0);
            for (int e = 0; e < length; e++) CHECK_I64(top[e], tops[e]);
            free(sums);
            free(tops);
        }
    d->args.factor = 0;
}

/* Arrays over boxes. */
static void test_arrays_of_boxes(data *d)
{
    enum { LENGTH = 11 };
    for (int n = 0; n < 20; n++) {
        const part p = n == 0 ? (part){{0, 0, 0}, {B0, B1, B2}} : random_part();
        double sums_2d[LENGTH] = {0}, sums_3d[LENGTH] = {0}, got[LENGTH];
        for (int64_t i = 0; i < B0; i++)
            for (int64_t j = p.b[1]; j < p.e[1]; j++)
                for (int64_t k = p.b[2]; k < p.e[2]; k++) {
                    if (i == 0) sums_2d[(j + k) % LENGTH] += d->cube[0][j][k];
                    if (i >= p.b[0] && i < p.e[0])
                        sums_3d[(i + j + k) % LENGTH] += d->cube[i][j][k];
                }
        d->args.factor = LENGTH;
        CHECK_OK(
            rd_bins_2d(mx_range_2d(d->ctx, p.b[1], p.e[1], p.b[2], p.e[2]), &d->args, LENGTH, got));
        for (int e = 0; e < LENGTH; e++) CHECK_F64(got[e], sums_2d[e], 0);
        CHECK_OK(rd_bins_3d(mx_range_3d(d->ctx, p.b[0], p.e[0], p.b[1], p.e[1], p.b[2], p.e[2]),
                            &d->args, LENGTH, got));
        for (int e = 0; e < LENGTH; e++) CHECK_F64(got[e], sums_3d[e], 0);
    }
    d->args.factor = 0;
}

/* Every kind of items gives what the default gives. */
static void test_kinds_of_items(const data *d)
{
    for (int n = 0; n < 20; n++) {
        const part p = n == 0 ? (part){{0, 0, 0}, {B0, B1, B2}} : random_part();
        const mx_range_2 r2 = mx_range_2d(d->ctx, p.b[1], p.e[1], p.b[2], p.e[2]);
        const mx_range_3 r3 = mx_range_3d(d->ctx, p.b[0], p.e[0], p.b[1], p.e[1], p.b[2], p.e[2]);
        int64_t sum = -1;
        rd_summary fields, summary;
        rd_digits custom, digits;
        CHECK_OK(rd_resident_2d(r2, &d->args, &sum));
        CHECK_I64(sum, plain_sum(d, 2, &p));
        CHECK_OK(rd_resident_3d(r3, &d->args, &sum));
        CHECK_I64(sum, plain_sum(d, 3, &p));
        plain_structs(d, 2, &p, &summary, &digits);
        CHECK_OK(rd_resident_fields(r2, &d->args, &fields));
        check_summary(&fields, &summary);
        CHECK_OK(rd_plain_custom(r2, &d->args, &custom));
        check_digits(&custom, &digits);
        CHECK_OK(rd_column_sum(r2, &d->args, &sum));
        CHECK_I64(sum, plain_sum(d, 2, &p));
        plain_structs(d, 3, &p, &summary, &digits);
        CHECK_OK(rd_column_fields(r3, &d->args, &fields));
        check_summary(&fields, &summary);
        CHECK_OK(rd_resident_custom(r3, &d->args, &custom));
        check_digits(&custom, &digits);
    }
}

/* An array into a view: all of it, no more. */
static void test_arrays_into(data *d)
{
    enum { LENGTH = 7 };
    mx_view row, wrong, scalar;
    double got[LENGTH], sums[LENGTH] = {0}, one = -1, all = 0;
    MUST(mx_view_create_1d(d->ctx, "row", MX_F64, LENGTH, &row));
    MUST(mx_view_create_1d(d->ctx, "wrong", MX_I64, LENGTH, &wrong));
    MUST(mx_view_create_0d(d->ctx, "scalar", MX_F64, &scalar));
    for (int i = 0; i < N; i++) {
        sums[i % LENGTH] += d->line[i];
        all += d->line[i];
    }
    for (int checked = 0; checked < 2; checked++) {
        d->args.factor = LENGTH;
        CHECK_OK(mx_ctx_check_against(d->ctx, checked ? "serial" : NULL, 1e-9));
        CHECK_OK(rd_bins_into(mx_range_1d(d->ctx, 0, N), &d->args, row));
        check_download(d->ctx, row, got);
        for (int e = 0; e < LENGTH; e++) CHECK_F64(got[e], sums[e], 0);
        d->args.factor = 1;
        CHECK_OK(rd_bins_into(mx_range_1d(d->ctx, 0, N), &d->args, scalar));
        MUST(mx_read_element(d->ctx, scalar, 0, &one));
        CHECK_F64(one, all, 0);
    }
    CHECK_OK(mx_ctx_check_against(d->ctx, NULL, 0));
    CHECK_FAILS(rd_bins_into(mx_range_1d(d->ctx, 0, N), &d->args, wrong), MX_ERR_TYPE, "'wrong'");
    mx_view table, column;
    MUST(mx_view_create_2d(d->ctx, "table", MX_F64, LENGTH, LENGTH, &table));
    MUST(check_info(table).layout == MX_LAYOUT_RIGHT
             ? mx_subview(table, MX_SLICES(mx_all(), mx_index(2)), &column)
             : mx_subview(table, MX_SLICES(mx_index(2), mx_all()), &column));
    CHECK_FAILS(rd_bins_into(mx_range_1d(d->ctx, 0, N), &d->args, column), MX_ERR_LAYOUT,
                "elements are not contiguous");
    MUST(mx_view_destroy(&column));
    MUST(mx_view_destroy(&table));
    CHECK_FAILS(rd_bins_into(mx_range_1d(d->ctx, 0, N), &d->args, MX_VIEW_NULL), MX_ERR_STALE, "");
    d->args.factor = 0;
    MUST(mx_view_destroy(&row));
    MUST(mx_view_destroy(&wrong));
    MUST(mx_view_destroy(&scalar));
}

/* Launches whose body reads what is in the result before: through an accessor, in its arguments. */
static void test_arrays_again(const data *d)
{
    enum { LENGTH = 7, LAUNCHES = 3 };
    static const int64_t sizes[] = {5000, N}; /* on hosts one chunk, several */
    mx_view table, row;
    rd_again_args args = {.length = LENGTH};
    MUST(mx_view_create_1d(d->ctx, "table", MX_F64, 2 * LENGTH, &table));
    MUST(mx_subview(table, MX_SLICES(mx_span(0, LENGTH)), &row));
    MUST(mx_bind(d->ctx, d->x, &args.x));
    const mx_view_info info = check_info(row);
    for (int whole = 0; whole < 2; whole++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            const mx_range_1 range = mx_range_1d(d->ctx, 0, sizes[s]);
            double before[LENGTH] = {0}, got[LENGTH];
            MUST(mx_bind(d->ctx, whole ? table : row, &args.before));
            MUST(mx_fill(d->ctx, table, &(double){0}));
            memset(args.earlier, 0, sizeof args.earlier);
            for (int n = 0; n < LAUNCHES; n++) {
                double sums[LENGTH] = {0};
                for (int64_t i = 0; i < sizes[s]; i++)
                    sums[i % LENGTH] += d->line[i] + before[i % LENGTH];
                if (info.space == MX_SPACE_HOST && n == LAUNCHES - 1)
                    CHECK_OK(rd_bins_again(range, &args, LENGTH, info.data));
                else
                    CHECK_OK(rd_bins_again_into(range, &args, row));
                CHECK_OK(rd_bins_of_args(range, &args, LENGTH, args.earlier));
                check_download(d->ctx, row, got);
                for (int e = 0; e < LENGTH; e++) {
                    CHECK_F64(got[e], sums[e], 0);
                    CHECK_F64(args.earlier[e], sums[e], 0);
                }
                memcpy(before, sums, sizeof before);
            }
        }
    MUST(mx_view_destroy(&row));
    MUST(mx_view_destroy(&table));
}

/* ---- results into views; prologues ---- */

static void test_into(const data *d)
{
    mx_view scalar, row, structs;
    int64_t got = -1, all[9];
    rd_summary fields, expected;
    rd_digits digits;
    const int64_t minus = -5;
    const part p = {{100, 0, 0}, {40000, 0, 0}};
    const mx_range_1 range = mx_range_1d(d->ctx, p.b[0], p.e[0]);
    MUST(mx_view_create_0d(d->ctx, "scalar", MX_I64, &scalar));
    MUST(mx_view_create_1d(d->ctx, "row", MX_I64, 9, &row));
    MUST(mx_view_create_1d(d->ctx, "structs", MX_USER(rd_summary), 3, &structs));
    MUST(mx_fill(d->ctx, row, &minus));
    CHECK_OK(rd_sum_1d_into(range, &d->args, scalar, 0));
    CHECK_OK(rd_sum_1d_into(range, &d->args, row, 3));
    CHECK_OK(rd_sum_1d_into(mx_range_1d(d->ctx, 7, 7), &d->args, row,
                            8)); /* an empty range writes the identity */
    CHECK_OK(rd_fields_1d_into(range, &d->args, structs, 2));
    MUST(mx_read_element(d->ctx, scalar, 0, &got));
    CHECK_I64(got, plain_sum(d, 1, &p));
    check_download(d->ctx, row, all);
    for (int e = 0; e < 9; e++) CHECK_I64(all[e], e == 3 ? plain_sum(d, 1, &p) : e == 8 ? 0 : -5);
    MUST(mx_read_element(d->ctx, structs, 2, &fields));
    plain_structs(d, 1, &p, &expected, &digits);
    check_summary(&fields, &expected);
    MUST(mx_view_destroy(&scalar));
    MUST(mx_view_destroy(&row));
    MUST(mx_view_destroy(&structs));
}

static void test_prologues(const data *d)
{
    const part p = {{0, 3, 5}, {40000, 30, 60}}; /* 2 * scale is 3 */
    double sum = -1, sum_2d = -1, expected[10] = {0};
    rd_summary fields;
    rd_digits digits;
    CHECK_OK(rd_prologue(mx_range_1d(d->ctx, p.b[0], p.e[0]), &d->args, &sum));
    CHECK_F64(sum, 3 * (double)plain_sum(d, 1, &p), 0);
    CHECK_OK(
        rd_prologue_2d(mx_range_2d(d->ctx, p.b[1], p.e[1], p.b[2], p.e[2]), &d->args, &sum_2d));
    CHECK_F64(sum_2d, 3 * (double)plain_sum(d, 2, &p), 0);
    CHECK_OK(rd_prologue_fields(mx_range_1d(d->ctx, p.b[0], p.e[0]), &d->args, &fields));
    CHECK_F64(fields.mass, 3 * (double)plain_sum(d, 1, &p), 0);
    CHECK_I64(fields.count, 40000);
    CHECK_OK(rd_prologue_custom(mx_range_1d(d->ctx, p.b[0], p.e[0]), &d->args, &digits));
    for (int64_t i = 0; i < 40000; i++) expected[(3 * d->line[i] % 10 + 10) % 10]++;
    for (int e = 0; e < 10; e++) CHECK_F64((double)digits.of[e], expected[e], 0);
    double bins[5], plain_bins[5] = {0};
    for (int64_t i = 0; i < 40000; i++) plain_bins[i % 5] += 3 * d->line[i];
    CHECK_OK(rd_bins_prologue(mx_range_1d(d->ctx, 0, 40000), &d->args, 5, bins));
    for (int e = 0; e < 5; e++) CHECK_F64(bins[e], plain_bins[e], 0);
    CHECK_F64(d->args.factor, 0, 0); /* the prologue worked on a copy */

    rd_store_args store;
    mx_view y;
    double *const got = check_memory(5000 * sizeof *got);
    memset(&store, 0, sizeof store);
    MUST(mx_view_create_1d(d->ctx, "y", MX_F64, 5000, &y));
    MUST(mx_bind(d->ctx, y, &store.y));
    MUST(mx_bind(d->ctx, d->scale, &store.scale));
    CHECK_OK(rd_prologue_for(mx_range_1d(d->ctx, 0, 5000), &store));
    check_download(d->ctx, y, got);
    for (int i = 0; i < 5000; i++) CHECK_F64(got[i], 3.0 * i, 0);
    free(got);
    MUST(mx_view_destroy(&y));
}

/* Each item once, none outside: on cuda a thread runs two rows of these kernels. */
static void test_prologues_of_grids(const data *d)
{
    enum { SIDE = 70 };
    static const int64_t extents[] = {1, 2, 3, 7, 33, SIDE - 1};
    rd_grid_args args;
    mx_view y;
    double got[SIDE][SIDE];
    const double zero = 0;
    memset(&args, 0, sizeof args);
    MUST(mx_view_create_2d(d->ctx, "y", MX_F64, SIDE, SIDE, &y));
    MUST(mx_bind(d->ctx, y, &args.y));
    MUST(mx_bind(d->ctx, d->scale, &args.scale));
    for (int form = 0; form < 2 * 2 * 6 * 6; form++) {
        const int64_t i0 = form / 2 % 2, rows = extents[form / 4 % 6], columns = extents[form / 24];
        const int64_t j0 = 1 - i0;
        const mx_range_2 range = mx_range_2d(d->ctx, i0, i0 + rows, j0, j0 + columns);
        MUST(mx_fill(d->ctx, y, &zero));
        if (form % 2 == 0)
            CHECK_OK(rd_prologue_grid(range, &args));
        else
            CHECK_OK(rd_prologue_grid_64(range, &args));
        CHECK_OK(mx_export(d->ctx, y, &got[0][0], NULL));
        for (int64_t i = 0; i < SIDE; i++) {
            for (int64_t j = 0; j < SIDE; j++) {
                const bool inside = i >= i0 && i < i0 + rows && j >= j0 && j < j0 + columns;
                CHECK_F64(got[i][j], inside ? 3.0 * (double)(100 * i + j) : 0, 0);
            }
        }
    }
    MUST(mx_view_destroy(&y));
}

static void test(mx_ctx ctx)
{
    data *d = make_data(ctx);
    test_all_sums(d);
    test_all_structs(d);
    test_places(d);
    test_nan(d);
    test_arrays(d);
    test_arrays_of_boxes(d);
    test_arrays_into(d);
    test_arrays_again(d);
    test_kinds_of_items(d);
    test_into(d);
    test_prologues(d);
    test_prologues_of_grids(d);
    free_data(d);
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
