/* y = A x for a sparse matrix in compressed rows, whose indices are checked. lesson07 [BACKEND] */
#include <minx/kernel.h>

#include "course.h"

/* Row r has the entries value(k) in the columns column(k), for k from begin(r) to begin(r + 1) - 1. */
MX_ARGS(csr_args,
    (mx_ci32_1, begin) (mx_ci32_1, column)
    (mx_cf64_1, value)
    (mx_cf64_1, x)
    (mx_f64_1, y)
);
MX_DECLARE_FOR(1D, csr_multiply, csr_args)

MX_ARGS(csr_index_args,
    (mx_ci32_1, index),
    int end; /* valid: 0 to end - 1 */
);
MX_DECLARE_REDUCE(1D, csr_invalid, csr_index_args, int)

MX_BODY void csr_multiply_body(const csr_args *a, int r)
{
    double sum = 0;
    /* GAP 1: the sum of value(k) x(column(k)) over the entries of row r */
    /* END 1 */
    MX_AT(a->y, r) = sum;
}
MX_FOR(1D, csr_multiply, MX_ITEMS_PLAIN)

/* Counts the indices that are not valid. */
MX_BODY void csr_invalid_body(const csr_index_args *a, int k, int *count)
{
    /* GAP 2: add 1 if index(k) is below 0, or end or more */
    (void)a, (void)k, (void)count;
    /* END 2 */
}
MX_REDUCE(1D, csr_invalid, MX_SUM)

#ifdef MX_DRIVER
enum { ROWS = 100, ENTRIES = 3 * ROWS };

typedef struct matrix {
    int32_t begin[ROWS + 1], column[ENTRIES];
    double value[ENTRIES];
} matrix;

/* -u'' on a ring of points: 2 on the diagonal, -1 for both neighbours. The ring closes: the point
 * before the first is the last one. Returns the number of entries. */
static int make(matrix *m)
{
    int k = 0;
    for (int r = 0; r < ROWS; r++) {
        m->begin[r] = k;
        m->column[k] = (r + ROWS - 1) % ROWS;
        m->value[k++] = -1;
        m->column[k] = r;
        m->value[k++] = 2;
        /* GAP 3: the neighbour behind r; that of the last point is 0 */
        m->column[k] = r + 1;
        /* END 3 */
        m->value[k++] = -1;
    }
    m->begin[ROWS] = k;
    return k;
}

static mx_err count_invalid(mx_ctx ctx, const int32_t *index, int n, int end, int *count)
{
    csr_index_args args = {.end = end};
    mx_view view;
    MX_TRY(mx_view_create_1d(ctx, "indices", MX_I32, n, &view));
    MX_TRY(mx_import(ctx, view, index, NULL));
    MX_TRY(mx_bind(ctx, view, &args.index));
    MX_TRY(csr_invalid(mx_range_1d(ctx, 0, n), &args, count));
    return mx_view_destroy(&view);
}

static mx_err check_indices(mx_ctx ctx, const matrix *m)
{
    /* those at both ends are invalid: a kernel that looks one place too far misses one */
    const int32_t planted[] = {-1, 0, 7, 8, 3, 5, INT32_MAX};
    int count;
    MX_TRY(count_invalid(ctx, planted, 7, 8, &count));
    MX_TRY(course_expect("gap 2: the planted indices that are invalid", count, 3, 0));
    MX_TRY(count_invalid(ctx, m->column, ENTRIES, ROWS, &count));
    MX_REQUIRE(count == 0, MX_ERR_BOUNDS, "gap 3: %d columns of the matrix do not exist", count);
    return course_expect("gap 3: the neighbour behind the last point", m->column[ENTRIES - 1], 0,
                         0);
}

static mx_err multiply(mx_ctx ctx, const matrix *m, const double *x, double *y)
{
    csr_args args;
    mx_view begin, column, value, in, out;
    MX_TRY(mx_view_create_1d(ctx, "begin", MX_I32, ROWS + 1, &begin));
    MX_TRY(mx_view_create_1d(ctx, "column", MX_I32, ENTRIES, &column));
    MX_TRY(mx_view_create_1d(ctx, "value", MX_F64, ENTRIES, &value));
    MX_TRY(mx_view_create_1d(ctx, "x", MX_F64, ROWS, &in));
    MX_TRY(mx_view_create_1d(ctx, "y", MX_F64, ROWS, &out));
    MX_TRY(mx_import(ctx, begin, m->begin, NULL));
    MX_TRY(mx_import(ctx, column, m->column, NULL));
    MX_TRY(mx_import(ctx, value, m->value, NULL));
    MX_TRY(mx_import(ctx, in, x, NULL));
    MX_TRY(mx_bind(ctx, begin, &args.begin));
    MX_TRY(mx_bind(ctx, column, &args.column));
    MX_TRY(mx_bind(ctx, value, &args.value));
    MX_TRY(mx_bind(ctx, in, &args.x));
    MX_TRY(mx_bind(ctx, out, &args.y));
    MX_TRY(csr_multiply(mx_range_1d(ctx, 0, ROWS), &args));
    MX_TRY(mx_export(ctx, out, y, NULL));
    mx_view *views[] = {&begin, &column, &value, &in, &out};
    for (int v = 0; v < 5; v++) MX_TRY(mx_view_destroy(views[v]));
    return MX_OK;
}

static mx_err run(const course *c)
{
    double x[ROWS], y[ROWS], worst = 0;
    matrix m;
    make(&m);
    MX_TRY(check_indices(c->ctx, &m));
    for (int r = 0; r < ROWS; r++) x[r] = cos(2 * MX_PI * r / ROWS);
    MX_TRY(multiply(c->ctx, &m, x, y));
    /* x is an eigenvector: y = 4 sin^2(pi / n) x. The angles, up to 6.3, round to 4e-16, and the
     * entries of a row have the sum 4 of magnitudes. */
    const double s = sin(MX_PI / ROWS), eigenvalue = 4 * s * s;
    for (int r = 0; r < ROWS; r++) worst = fmax(worst, fabs(y[r] - eigenvalue * x[r]));
    MX_TRY(course_expect("gap 1: the largest |y - eigenvalue x|", worst, 0, 3e-15));
    printf("%d rows, %d entries: A x = %.8f x\n", ROWS, ENTRIES, eigenvalue);
    return MX_OK;
}
COURSE(lesson07, run)
#endif
