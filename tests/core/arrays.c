/* Seven small programs with host arrays, each in two forms. The first form is written with only
 * host backends in mind: it is right if host code can access the context's memory; otherwise the
 * wrong line gives an error. The second form uses import and export, and is right on every backend.
 * Expected values come from plain C. */
#include "arrays.h"
#include "check.h"

enum { N = 1000, ROWS = 20, COLUMNS = 30, BINS = 16 };

/* What the programs work on, in C arrays. */
static struct {
    double x[N], y[N];
    double u[ROWS][COLUMNS];
    int32_t row[N + 1], column[3 * N];
    double value[3 * N];
    int32_t key[N], count[N];
    double position[N][3], velocity[N][3];
} in;

static void set_up(void)
{
    for (int i = 0; i < N; i++) {
        in.x[i] = i % 17 - 8;
        in.y[i] = i % 5;
        in.key[i] = (i * 7) % BINS;
        in.count[i] = i % 4;
        for (int d = 0; d < 3; d++) {
            in.position[i][d] = i + 10 * d;
            in.velocity[i][d] = d - 1;
        }
        in.row[i + 1] = 3 * (i + 1);
        for (int k = 0; k < 3; k++) {
            in.column[3 * i + k] = (i + k) % N;
            in.value[3 * i + k] = k + 1;
        }
    }
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) in.u[i][j] = i * i - j;
}

/* ---- checks against plain C; all values are exact ---- */

static void check_axpy(const double *y)
{
    for (int i = 0; i < N; i++) CHECK_F64(y[i], in.y[i] + 2 * in.x[i], 0);
}

static void check_dot(double got)
{
    double sum = 0;
    for (int i = 0; i < N; i++) sum += in.x[i] * in.y[i];
    CHECK_F64(got, sum, 0); /* whole numbers: the same in any order */
}

static void check_heat(const double *next)
{
    for (int i = 1; i < ROWS - 1; i++)
        for (int j = 1; j < COLUMNS - 1; j++)
            CHECK_F64(next[i * COLUMNS + j],
                      0.25 * (in.u[i - 1][j] + in.u[i + 1][j] + in.u[i][j - 1] + in.u[i][j + 1]),
                      0);
}

static void check_spmv(const double *y)
{
    for (int i = 0; i < N; i++)
        CHECK_F64(y[i], in.x[i] + 2 * in.x[(i + 1) % N] + 3 * in.x[(i + 2) % N], 0);
}

static void check_histogram(const int32_t *bin)
{
    int32_t expected[BINS] = {0};
    for (int i = 0; i < N; i++) expected[in.key[i]]++;
    for (int b = 0; b < BINS; b++) CHECK_I64(bin[b], expected[b]);
}

static void check_offsets(const int32_t *offset)
{
    int32_t sum = 0;
    for (int i = 0; i < N; i++) {
        CHECK_I64(offset[i], sum);
        sum += in.count[i];
    }
}

static void check_drift(const double (*position)[3])
{
    for (int i = 0; i < N; i++)
        for (int d = 0; d < 3; d++)
            CHECK_F64(position[i][d], in.position[i][d] + 0.5 * in.velocity[i][d], 0);
}

/* ---- views of a program; what is left when it fails is destroyed by its caller ---- */

enum { MAX_VIEWS = 8 };
typedef struct program {
    mx_ctx ctx;
    mx_ctx host; /* serial */
    mx_view view[MAX_VIEWS];
} program;

static mx_err make(program *p, int v, mx_type type, int64_t n, const void *array)
{
    MX_TRY(mx_view_create_1d(p->ctx, "array", type, n, &p->view[v]));
    return array != NULL ? mx_import(p->ctx, p->view[v], array, NULL) : MX_OK;
}

/* A view of one's own array, in the space of the context unless another is given. */
static mx_err wrap(program *p, int v, mx_type type, int64_t n, void *array, mx_space space)
{
    const mx_view_options options = {.space = space};
    return mx_view_wrap(p->ctx, "wrapped", type, 1, &n, NULL, &options, array, &p->view[v]);
}

/* ---- axpy ---- */

static mx_err axpy(program *p, bool first)
{
    static double y[N];
    ar_axpy_args args = {.a = 2};
    memcpy(y, in.y, sizeof y);
    if (first) {
        MX_TRY(wrap(p, 0, MX_F64, N, in.x, MX_SPACE_DEFAULT));
        MX_TRY(wrap(p, 1, MX_F64, N, y, MX_SPACE_DEFAULT));
    } else {
        MX_TRY(make(p, 0, MX_F64, N, in.x));
        MX_TRY(make(p, 1, MX_F64, N, y));
    }
    MX_TRY(mx_bind(p->ctx, p->view[0], &args.x));
    MX_TRY(mx_bind(p->ctx, p->view[1], &args.y));
    MX_TRY(ar_axpy(mx_range_1d(p->ctx, 0, N), &args));
    if (first)
        MX_TRY(mx_fence(p->ctx));
    else
        MX_TRY(mx_export(p->ctx, p->view[1], y, NULL));
    check_axpy(y);
    return MX_OK;
}

/* ---- dot ---- */

static mx_err dot(program *p, bool first)
{
    ar_dot_args args;
    double sum = 0;
    if (first) {
        MX_TRY(wrap(p, 0, MX_F64, N, in.x, MX_SPACE_HOST));
        MX_TRY(wrap(p, 1, MX_F64, N, in.y, MX_SPACE_HOST));
    } else {
        MX_TRY(make(p, 0, MX_F64, N, in.x));
        MX_TRY(make(p, 1, MX_F64, N, in.y));
    }
    MX_TRY(mx_bind(p->ctx, p->view[0], &args.x));
    MX_TRY(mx_bind(p->ctx, p->view[1], &args.y));
    MX_TRY(ar_dot(mx_range_1d(p->ctx, 0, N), &args, &sum));
    check_dot(sum);
    return MX_OK;
}

/* ---- heat: a matrix in C order, views in the context's layout ---- */

static mx_err heat(program *p, bool first)
{
    const int64_t extents[] = {ROWS, COLUMNS}, strides[] = {COLUMNS, 1};
    double out[ROWS * COLUMNS];
    ar_heat_args args;
    MX_TRY(mx_view_create(p->ctx, "u", MX_F64, 2, extents, NULL, &p->view[0]));
    MX_TRY(mx_view_create(p->ctx, "next", MX_F64, 2, extents, NULL, &p->view[1]));
    if (first) {
        MX_TRY(mx_view_wrap(p->host, "matrix", MX_F64, 2, extents, strides, NULL, &in.u[0][0],
                            &p->view[2]));
        MX_TRY(mx_remap(p->ctx, p->view[0], p->view[2])); /* layout and space at once */
    } else {
        MX_TRY(mx_import(p->ctx, p->view[0], &in.u[0][0], NULL));
    }
    MX_TRY(mx_bind(p->ctx, p->view[0], &args.u));
    MX_TRY(mx_bind(p->ctx, p->view[1], &args.next));
    MX_TRY(ar_heat(mx_range_2d(p->ctx, 1, ROWS - 1, 1, COLUMNS - 1), &args));
    if (!first) {
        MX_TRY(mx_export(p->ctx, p->view[1], out, NULL));
        check_heat(out);
        return MX_OK;
    }
    double *data;
    MX_TRY(mx_fence(p->ctx));
    MX_TRY(mx_view_host_data(p->view[1], (void **)&data));
    const mx_view_info info = check_info(p->view[1]);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            out[i * COLUMNS + j] = data[i * info.stride[0] + j * info.stride[1]];
    check_heat(out);
    return MX_OK;
}

/* ---- spmv: a matrix in CSR ---- */

static mx_err spmv(program *p, bool first)
{
    static double y[N];
    ar_spmv_args args;
    if (first) {
        MX_TRY(wrap(p, 0, MX_I32, N + 1, in.row, MX_SPACE_DEFAULT));
        MX_TRY(wrap(p, 1, MX_I32, 3 * N, in.column, MX_SPACE_DEFAULT));
        MX_TRY(wrap(p, 2, MX_F64, 3 * N, in.value, MX_SPACE_DEFAULT));
        MX_TRY(wrap(p, 3, MX_F64, N, in.x, MX_SPACE_DEFAULT));
        MX_TRY(wrap(p, 4, MX_F64, N, y, MX_SPACE_DEFAULT));
    } else {
        MX_TRY(make(p, 0, MX_I32, N + 1, in.row));
        MX_TRY(make(p, 1, MX_I32, 3 * N, in.column));
        MX_TRY(make(p, 2, MX_F64, 3 * N, in.value));
        MX_TRY(make(p, 3, MX_F64, N, in.x));
        MX_TRY(make(p, 4, MX_F64, N, NULL));
    }
    MX_TRY(mx_bind(p->ctx, p->view[0], &args.row));
    MX_TRY(mx_bind(p->ctx, p->view[1], &args.column));
    MX_TRY(mx_bind(p->ctx, p->view[2], &args.value));
    MX_TRY(mx_bind(p->ctx, p->view[3], &args.x));
    MX_TRY(mx_bind(p->ctx, p->view[4], &args.y));
    MX_TRY(ar_spmv(mx_range_1d(p->ctx, 0, N), &args));
    if (first)
        MX_TRY(mx_fence(p->ctx));
    else
        MX_TRY(mx_export(p->ctx, p->view[4], y, NULL));
    check_spmv(y);
    return MX_OK;
}

/* ---- histogram: by atomics; host code reads the bins through an accessor of its own ---- */

static mx_err histogram(program *p, bool first)
{
    int32_t bins[BINS];
    ar_histogram_args args;
    MX_TRY(make(p, 0, MX_I32, N, in.key));
    MX_TRY(make(p, 1, MX_I32, BINS, NULL));
    MX_TRY(mx_bind(p->ctx, p->view[0], &args.key));
    MX_TRY(mx_bind(p->ctx, p->view[1], &args.bin));
    MX_TRY(ar_histogram(mx_range_1d(p->ctx, 0, N), &args));
    MX_TRY(mx_fence(p->ctx));
    if (first) {
        mx_ci32_1s bin;
        MX_TRY(mx_bind(NULL, p->view[1], &bin));
        for (int b = 0; b < BINS; b++) bins[b] = MX_AT(bin, b);
    } else {
        MX_TRY(mx_export(p->ctx, p->view[1], bins, NULL));
    }
    check_histogram(bins);
    return MX_OK;
}

/* ---- offsets: a scan of counts, which a mirror holds ---- */

static mx_err offsets(program *p, bool first)
{
    static int32_t offset[N];
    ar_offsets_args args;
    int32_t total = 0;
    MX_TRY(make(p, 0, MX_I32, N, first ? NULL : in.count));
    MX_TRY(make(p, 1, MX_I32, N, NULL));
    if (first) { /* the mirror is the view itself where that is accessible to host code */
        void *data;
        MX_TRY(mx_mirror_if_needed(p->view[0], &p->view[2]));
        MX_TRY(mx_view_host_data(p->view[2], &data));
        memcpy(data, in.count, sizeof in.count);
    }
    MX_TRY(mx_bind(p->ctx, p->view[first ? 2 : 0], &args.count));
    MX_TRY(mx_bind(p->ctx, p->view[1], &args.offset));
    MX_TRY(ar_offsets(mx_range_1d(p->ctx, 0, N), &args, &total));
    MX_TRY(mx_export(p->ctx, p->view[1], offset, NULL));
    check_offsets(offset);
    return MX_OK;
}

/* ---- drift: particles in arrays of n by 3 ---- */

static mx_err drift(program *p, bool first)
{
    const int64_t extents[] = {N, 3}, strides[] = {3, 1};
    static double out[N][3];
    ar_drift_args args = {.dt = 0.5};
    MX_TRY(mx_view_create(p->ctx, "position", MX_F64, 2, extents, NULL, &p->view[0]));
    MX_TRY(mx_view_create(p->ctx, "velocity", MX_F64, 2, extents, NULL, &p->view[1]));
    MX_TRY(mx_import(p->ctx, p->view[1], &in.velocity[0][0], strides));
    if (first) { /* element by element through the data pointer */
        double *data;
        MX_TRY(mx_view_host_data(p->view[0], (void **)&data));
        const mx_view_info info = check_info(p->view[0]);
        for (int i = 0; i < N; i++)
            for (int d = 0; d < 3; d++)
                data[i * info.stride[0] + d * info.stride[1]] = in.position[i][d];
    } else {
        MX_TRY(mx_import(p->ctx, p->view[0], &in.position[0][0], NULL));
    }
    MX_TRY(mx_bind(p->ctx, p->view[0], &args.position));
    MX_TRY(mx_bind(p->ctx, p->view[1], &args.velocity));
    MX_TRY(ar_drift(mx_range_1d(p->ctx, 0, N), &args));
    MX_TRY(mx_export(p->ctx, p->view[0], &out[0][0], NULL));
    check_drift((const double(*)[3])out);
    return MX_OK;
}

/* ---- the table ---- */

static const struct {
    mx_err (*run)(program *p, bool first);
    const char *words; /* of the error, where the context's memory is not accessible to host code */
    const char *advice;
} programs[] = {
    {axpy, "view 'wrapped': the memory at 0x", "copy the array into it by mx_import"},
    {dot, "cannot access memory space Host", "copy host arrays by mx_import and mx_export"},
    {heat, "view 'next' is in memory space", "copy it by mx_export"},
    {spmv, "view 'wrapped': the memory at 0x", "copy the array into it by mx_import"},
    {histogram, "bind &bin to view 'array': it is in memory space",
     "which the host cannot access: export it (mx_export), or bind a mirror"},
    {offsets, "bind &args.count to view 'array': it is in memory space Host",
     "cannot access: create a view with this context, and copy the data into"},
    {drift, "view 'position' is in memory space", "copy it by mx_export"},
};
enum { PROGRAMS = sizeof programs / sizeof programs[0] };

static void run_form(program *p, int number, bool first, bool reached)
{
    const mx_err err = programs[number].run(p, first);
    if (!first || reached) {
        CHECK_OK(err);
    } else {
        CHECK_FAILS(err, MX_ERR_SPACE, programs[number].words);
        CHECK_TEXT(mx_err_message(), programs[number].advice);
        CHECK_TEXT(mx_err_trace(), "arrays.c:");
    }
    for (int v = 0; v < MAX_VIEWS; v++) MUST(mx_view_destroy(&p->view[v]));
}

static void test(mx_ctx ctx)
{
    program p = {.ctx = ctx};
    mx_ctx_info info;
    MUST(mx_ctx_get_info(ctx, &info));
    MUST(mx_ctx_create("serial", &p.host));
    set_up();
    for (int n = 0; n < PROGRAMS; n++) {
        run_form(&p, n, true, info.host_accessible);
        run_form(&p, n, false, info.host_accessible);
    }
    mx_ctx_destroy(&p.host);
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
