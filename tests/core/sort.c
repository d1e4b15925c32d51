/* Sorting, compared with qsort. For equal keys qsort compares the indices, so that its result is
 * that of a stable sort. Every key type with duplicates, extreme values, zeros of both signs and
 * NaNs; values that are structs or have rank 2; strided views; bins, some of them out of range;
 * permutations. */
#include "sort.h"
#include "check.h"

enum { MAX_COUNT = 70000, BINS = 300 };

/* ---- the model ---- */

static mx_type model_type;
static const char *model_keys;

static long double number_at(int64_t i)
{
    const void *at = model_keys + (size_t)i * MX_TYPE_SIZE(model_type);
    switch (model_type) {
    case MX_F64: return *(const double *)at;
    case MX_F32: return *(const float *)at;
    case MX_I32: return *(const int32_t *)at;
    case MX_I64: return *(const int64_t *)at;
    case MX_U8: return *(const uint8_t *)at;
    case MX_U32: return *(const uint32_t *)at;
    default: return *(const uint64_t *)at; /* a long double holds 64 bits */
    }
}

static int by_key(const void *a, const void *b)
{
    const int32_t i = *(const int32_t *)a, j = *(const int32_t *)b;
    const long double x = number_at(i), y = number_at(j);
    if (isnan(x) || isnan(y)) return isnan(x) == isnan(y) ? i - j : isnan(x) ? 1 : -1;
    return x < y ? -1 : x > y ? 1 : i - j;
}

static int32_t *model_order(mx_type type, const void *keys, int64_t n)
{
    int32_t *order = check_memory((size_t)n * sizeof *order);
    for (int i = 0; i < n; i++) order[i] = i;
    model_type = type;
    model_keys = keys;
    qsort(order, (size_t)n, sizeof *order, by_key);
    return order;
}

/* Random keys: of few values, of any bits, of the special ones, or (integers) such that only the
 * first and the last bits differ. */
static void make_keys(mx_type type, void *keys, int64_t n, int kind)
{
    static const double reals[] = {0,   -0.0,     INFINITY,  -INFINITY, NAN, -NAN,
                                   1.5, 4.9e-324, -4.9e-324, 1e300,     -1,  1e-40};
    const size_t size = MX_TYPE_SIZE(type);
    for (int64_t i = 0; i < n; i++) {
        void *at = (char *)keys + (size_t)i * size;
        const uint64_t bits = check_random();
        const double real = kind == 0   ? (double)(bits % 100) - 50.25
                            : kind == 1 ? ldexp((double)(int64_t)bits, (int)(bits % 90) - 60)
                                        : reals[bits % 12];
        const float narrow = (float)real;
        const int64_t whole = kind == 0   ? (int64_t)(bits % 100) - 50
                              : kind == 1 ? (int64_t)bits
                              : kind == 2 ? (int64_t)((uint64_t)(bits % 3 - 1) << bits / 3 % 64)
                                          : (int64_t)(bits % 5 << 61 | bits / 5 % 1000);
        memcpy(at,
               type == MX_F64   ? (const void *)&real
               : type == MX_F32 ? &narrow
                                : (const void *)&whole,
               size);
    }
}

/* ---- by key ---- */

static void check_rows(mx_ctx ctx, mx_view rows, const int32_t *order, int64_t n)
{
    mx_view got = check_fetch(ctx, rows);
    const mx_view_info info = check_info(got);
    int64_t wrong = 0;
    for (int64_t at[2] = {0, 0}; at[0] < n; at[0]++)
        for (at[1] = 0; at[1] < 3; at[1]++)
            wrong += *(int64_t *)check_at(&info, at) != order[at[0]] * 10 + at[1];
    CHECK_I64(wrong, 0);
    MUST(mx_view_destroy(&got));
}

/* A view of n rows of three: row i has 10 i, 10 i + 1, 10 i + 2. */
static mx_view make_rows(mx_ctx ctx, int64_t n)
{
    mx_view rows, mirror;
    MUST(mx_view_create_2d(ctx, "rows", MX_I64, n, 3, &rows));
    MUST(mx_mirror_create(rows, &mirror));
    const mx_view_info info = check_info(mirror);
    for (int64_t at[2] = {0, 0}; at[0] < n; at[0]++)
        for (at[1] = 0; at[1] < 3; at[1]++) *(int64_t *)check_at(&info, at) = at[0] * 10 + at[1];
    MUST(mx_deep_copy(ctx, rows, mirror));
    MUST(mx_fence(ctx));
    MUST(mx_view_destroy(&mirror));
    return rows;
}

static void check_sorts(mx_ctx ctx, mx_type type, int64_t n, int kind)
{
    const size_t size = MX_TYPE_SIZE(type), bytes = (size_t)n * size;
    char *keys = check_memory(bytes), *got = check_memory(bytes);
    so_record *records = check_memory((size_t)n * sizeof *records);
    int32_t *order = check_memory((size_t)n * sizeof *order);
    mx_view key, to, values, rows = make_rows(ctx, n);
    make_keys(type, keys, n, kind);
    int32_t *expected = model_order(type, keys, n);
    MUST(mx_view_create_1d(ctx, "key", type, n, &key));
    MUST(mx_view_create_1d(ctx, "order", MX_I32, n, &to));
    MUST(mx_view_create_1d(ctx, "values", MX_USER(so_record), n, &values));
    for (int i = 0; i < n; i++) records[i] = (so_record){i, (float)i, -i};
    check_upload(ctx, key, keys);
    check_upload(ctx, values, records);
    CHECK_OK(mx_sort_order(ctx, key, to));
    check_download(ctx, to, order);
    CHECK(memcmp(order, expected, (size_t)n * sizeof *order) == 0);
    check_download(ctx, key, got);
    CHECK(memcmp(got, keys, bytes) == 0); /* the keys stayed */
    CHECK_OK(mx_sort_by_key(ctx, key, values));
    check_download(ctx, key, got);
    check_download(ctx, values, records);
    int64_t wrong = 0;
    for (int64_t i = 0; i < n; i++) {
        wrong += memcmp(got + (size_t)i * size, keys + (size_t)expected[i] * size, size) != 0;
        wrong += records[i].id != expected[i] || records[i].weight != (float)expected[i] ||
                 records[i].rest != -expected[i];
    }
    CHECK_I64(wrong, 0);
    check_upload(ctx, key, keys);
    CHECK_OK(mx_sort_by_key(ctx, key, rows));
    check_rows(ctx, rows, expected, n);
    check_upload(ctx, key, keys);
    CHECK_OK(mx_sort(ctx, key));
    check_download(ctx, key, keys);
    CHECK(memcmp(got, keys, bytes) == 0);
    MUST(mx_view_destroy(&key));
    MUST(mx_view_destroy(&to));
    MUST(mx_view_destroy(&values));
    MUST(mx_view_destroy(&rows));
    free(keys);
    free(got);
    free(records);
    free(order);
    free(expected);
}

/* The middle column of rows, sorted in place: its neighbours stay. */
static void check_strided(mx_ctx ctx)
{
    enum { N = 2000 };
    mx_view rows, column, mirror;
    int64_t keys[N];
    make_keys(MX_I64, keys, N, 1);
    int32_t *expected = model_order(MX_I64, keys, N);
    MUST(mx_view_create_2d(ctx, "rows", MX_I64, N, 3, &rows));
    MUST(mx_mirror_create(rows, &mirror));
    const mx_view_info info = check_info(mirror);
    for (int64_t at[2] = {0, 0}; at[0] < N; at[0]++)
        for (at[1] = 0; at[1] < 3; at[1]++)
            *(int64_t *)check_at(&info, at) = at[1] == 1 ? keys[at[0]] : at[0];
    MUST(mx_deep_copy(ctx, rows, mirror));
    MUST(mx_subview(rows, MX_SLICES(mx_all(), mx_index(1)), &column));
    CHECK_OK(mx_sort(ctx, column));
    MUST(mx_deep_copy(ctx, mirror, rows));
    MUST(mx_fence(ctx));
    int64_t wrong = 0;
    for (int64_t at[2] = {0, 0}; at[0] < N; at[0]++)
        for (at[1] = 0; at[1] < 3; at[1]++)
            wrong +=
                *(int64_t *)check_at(&info, at) != (at[1] == 1 ? keys[expected[at[0]]] : at[0]);
    CHECK_I64(wrong, 0);
    CHECK_FAILS(mx_sort(ctx, rows), MX_ERR_TYPE, "'rows', i64 of rank 2");
    CHECK_FAILS(mx_sort_by_key(ctx, column, rows), MX_ERR_EXTENT, "other memory");
    MUST(mx_view_destroy(&mirror));
    MUST(mx_view_destroy(&column));
    MUST(mx_view_destroy(&rows));
    free(expected);
}

/* ---- bins ---- */

/* Where items are: in some bins, with empty ones between them; in all bins and beyond them; all in
 * one bin; all beyond the bins. */
typedef enum bins_kind {
    SOME_BINS,
    STRAYS,
    FIRST_BIN,
    LAST_BIN,
    BELOW,
    ABOVE,
    BINS_KINDS
} bins_kind;

static int32_t random_bin(bins_kind kind)
{
    switch (kind) {
    case SOME_BINS: return (int32_t)check_random_int(0, BINS - 1) / 7 * 7;
    case STRAYS: return (int32_t)check_random_int(-20, BINS + 20);
    case FIRST_BIN: return 0;
    case LAST_BIN: return BINS - 1;
    case BELOW: return -1;
    default: return BINS;
    }
}

static void check_bins(mx_ctx ctx, int64_t n, bins_kind kind, bool in_place)
{
    int32_t *bin = check_memory((size_t)n * sizeof *bin),
            *order = check_memory((size_t)n * sizeof *order);
    int32_t offsets[BINS + 1];
    mx_view bins, to, at;
    for (int64_t i = 0; i < n; i++) bin[i] = random_bin(kind);
    if (kind == STRAYS && n > 2) {
        bin[0] = INT32_MIN;
        bin[1] = INT32_MAX;
    }
    MUST(mx_view_create_1d(ctx, "bins", MX_I32, n, &bins));
    MUST(mx_view_create_1d(ctx, "order", MX_I32, n, &to));
    MUST(mx_view_create_1d(ctx, "offsets", MX_I32, BINS + 1, &at));
    check_upload(ctx, bins, bin);
    CHECK_OK(mx_bin_sort(ctx, bins, at, in_place ? bins : to));
    check_download(ctx, in_place ? bins : to, order);
    check_download(ctx, at, offsets);
    int32_t *expected = model_order(MX_I32, bin, n);
    CHECK(memcmp(order, expected, (size_t)n * sizeof *order) == 0);
    for (int b = 0; b <= BINS; b++) {
        int64_t before = 0;
        for (int64_t i = 0; i < n; i++) before += bin[i] < b;
        CHECK_I64(offsets[b], before);
    }
    free(expected);
    MUST(mx_view_destroy(&bins));
    MUST(mx_view_destroy(&to));
    MUST(mx_view_destroy(&at));
    free(bin);
    free(order);
}

/* Particles into cells by a kernel, and their positions into that order. */
static void check_particles(mx_ctx ctx)
{
    enum { N = 5000, CELLS = 512 };
    static double x[N][3];
    int32_t order[N], offsets[CELLS + 1];
    mx_view positions, sorted, mirror, by, at;
    so_args args;
    memset(&args, 0, sizeof args);
    MUST(mx_view_create_2d(ctx, "x", MX_F64, N, 3, &positions));
    MUST(mx_view_create_2d(ctx, "sorted", MX_F64, N, 3, &sorted));
    MUST(mx_view_create_1d(ctx, "order", MX_I32, N, &by));
    MUST(mx_view_create_1d(ctx, "offsets", MX_I32, CELLS + 1, &at));
    MUST(mx_mirror_create(positions, &mirror));
    const mx_view_info info = check_info(mirror);
    for (int64_t e[2] = {0, 0}; e[0] < N; e[0]++)
        for (e[1] = 0; e[1] < 3; e[1]++)
            *(double *)check_at(&info, e) = x[e[0]][e[1]] =
                (double)(check_random() >> 11) * 0x1p-53;
    MUST(mx_deep_copy(ctx, positions, mirror));
    MUST(mx_bind(ctx, positions, &args.x));
    MUST(mx_bind(ctx, by, &args.bin));
    MUST(so_bins(mx_range_1d(ctx, 0, N), &args));
    CHECK_OK(mx_bin_sort(ctx, by, at, by));
    CHECK_OK(mx_permute(ctx, sorted, positions, by));
    check_download(ctx, by, order);
    check_download(ctx, at, offsets);
    MUST(mx_deep_copy(ctx, mirror, sorted));
    MUST(mx_fence(ctx));
    CHECK_I64(offsets[0], 0);
    CHECK_I64(offsets[CELLS], N);
    int64_t wrong = 0;
    for (int c = 0; c < CELLS; c++)
        for (int k = offsets[c]; k < offsets[c + 1]; k++) {
            const double *p = x[order[k]];
            wrong += ((int)(8 * p[0]) * 8 + (int)(8 * p[1])) * 8 + (int)(8 * p[2]) != c;
            wrong += k > offsets[c] && order[k - 1] >= order[k];
            for (int64_t e[2] = {k, 0}; e[1] < 3; e[1]++)
                wrong += *(double *)check_at(&info, e) != p[e[1]];
        }
    CHECK_I64(wrong, 0);
    MUST(mx_view_destroy(&positions));
    MUST(mx_view_destroy(&sorted));
    MUST(mx_view_destroy(&mirror));
    MUST(mx_view_destroy(&by));
    MUST(mx_view_destroy(&at));
}

/* ---- permutations ---- */

/* Rank 3, another layout, indices that repeat; of one row, too. */
static void check_permute(mx_ctx ctx, mx_type type, int64_t rows, int64_t from_rows)
{
    const int64_t to_extents[3] = {rows, 3, 5}, from_extents[3] = {from_rows, 3, 5};
    const mx_view_options other = {.layout = MX_LAYOUT_LEFT}, another = {.layout = MX_LAYOUT_RIGHT};
    const size_t size = MX_TYPE_SIZE(type);
    mx_view to, from, index, mirror;
    char *indices = check_memory((size_t)rows * size);
    int64_t *wanted = check_memory((size_t)rows * sizeof *wanted), wrong = 0;
    MUST(mx_view_create(ctx, "to", MX_F32, 3, to_extents, &other, &to));
    MUST(mx_view_create(ctx, "from", MX_F32, 3, from_extents, &another, &from));
    MUST(mx_view_create_1d(ctx, "index", type, rows, &index));
    for (int64_t i = 0; i < rows; i++) {
        wanted[i] = check_random_int(0, from_rows - 1);
        const int32_t narrow = (int32_t)wanted[i];
        memcpy(indices + (size_t)i * size, size == 4 ? (const void *)&narrow : &wanted[i], size);
    }
    check_upload(ctx, index, indices);
    MUST(mx_mirror_create(from, &mirror));
    mx_view_info info = check_info(mirror);
    for (int64_t e = 0; e < info.count; e++) ((float *)info.data)[e] = (float)e;
    MUST(mx_deep_copy(ctx, from, mirror));
    MUST(mx_fence(ctx));
    MUST(mx_view_destroy(&mirror));
    CHECK_OK(mx_permute(ctx, to, from, index));
    mirror = check_fetch(ctx, to);
    info = check_info(mirror);
    int64_t e[MX_MAX_RANK] = {0};
    do wrong += *(float *)check_at(&info, e) != (float)((wanted[e[0]] * 3 + e[1]) * 5 + e[2]);
    while (check_next(&info, e));
    CHECK_I64(wrong, 0);
    CHECK_FAILS(mx_permute(ctx, to, to, index), MX_ERR_TYPE, "other memory");
    CHECK_FAILS(mx_permute(ctx, to, index, index), MX_ERR_TYPE, "'to'");
    CHECK_FAILS(mx_permute(ctx, from, to, index), MX_ERR_EXTENT, "'from'");
    MUST(mx_view_destroy(&mirror));
    MUST(mx_view_destroy(&to));
    MUST(mx_view_destroy(&from));
    MUST(mx_view_destroy(&index));
    free(indices);
    free(wanted);
}

static void check_errors(mx_ctx ctx)
{
    mx_view key, few, constant;
    mx_graph graph;
    MUST(mx_view_create_1d(ctx, "key", MX_F64, 10, &key));
    MUST(mx_view_create_1d(ctx, "few", MX_I32, 9, &few));
    MUST(mx_view_constant(key, &constant));
    CHECK_FAILS(mx_sort_by_key(ctx, key, few), MX_ERR_EXTENT,
                "'few', i32 of rank 1, first extent 9, expected as many as keys");
    CHECK_FAILS(mx_sort_order(ctx, key, few), MX_ERR_EXTENT,
                "expected contiguous i32, as many as keys");
    CHECK_FAILS(mx_bin_sort(ctx, key, key, few), MX_ERR_EXTENT, "'few'");
    CHECK_FAILS(mx_sort(ctx, constant), MX_ERR_CONST, "'key'");
    MUST(mx_graph_create(ctx, &graph));
    CHECK_FAILS(mx_sort(ctx, key), MX_ERR_ARG, "graph");
    mx_graph_destroy(&graph);
    MUST(mx_view_destroy(&constant));
    MUST(mx_view_destroy(&key));
    CHECK_FAILS(mx_sort(ctx, key), MX_ERR_STALE, "");
    MUST(mx_view_destroy(&few));
}

static void test(mx_ctx ctx)
{
    static const mx_type types[] = {MX_F64, MX_F32, MX_I32, MX_I64, MX_U8, MX_U32, MX_U64};
    static const int64_t sizes[] = {0, 1, 2, 7, 255, 3001};
    for (int t = 0; t < 7; t++)
        for (int kind = 0; kind < 3; kind++) {
            for (int s = 0; s < 6; s++) check_sorts(ctx, types[t], sizes[s], kind);
        }
    check_sorts(ctx, MX_F64, MAX_COUNT, 1);
    check_sorts(ctx, MX_I32, MAX_COUNT, 0);
    check_sorts(ctx, MX_U32, MAX_COUNT, 1);
    for (int kind = 1; kind < 4; kind++) {
        check_sorts(ctx, MX_I64, MAX_COUNT, kind);
        check_sorts(ctx, MX_U64, MAX_COUNT, kind);
    }
    check_strided(ctx);
    for (int64_t n = 0; n < 5000; n = 3 * n + 1)
        for (int kind = 0; kind < BINS_KINDS; kind++)
            check_bins(ctx, n, (bins_kind)kind, (n + kind) % 2 == 0);
    check_particles(ctx);
    check_permute(ctx, MX_I32, 900, 700);
    check_permute(ctx, MX_I64, 900, 1000);
    check_permute(ctx, MX_I64, 1, 4);
    check_errors(ctx);
    MUST(mx_ctx_check_against(ctx, "serial", 1e-12));
    check_sorts(ctx, MX_I64, 500, 0);
    MUST(mx_ctx_check_against(ctx, NULL, 0));
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
