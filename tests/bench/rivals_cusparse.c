/* cuSPARSE's product of a matrix in compressed rows and a vector, a = A b. Its algorithms are timed
 * at set-up, and the fastest is the rival. Each has a description of the matrix of its own, because
 * preprocessing ties a buffer to a description. Rows at the border of the cube have several entries
 * in one column. cuSPARSE's documentation does not allow for them, so the comparison with the core
 * has to show that their products are added up. */
#include "bench.h"

#include <cuda_runtime.h>
#include <cusparse.h>
#include <math.h>
#include <stdlib.h>

#define CUSPARSE_TRY(call)                                                                   \
    do {                                                                                     \
        const cusparseStatus_t status_ = (call);                                             \
        if (status_ != CUSPARSE_STATUS_SUCCESS)                                              \
            return MX_FAIL(MX_ERR_DEVICE, "%s: %s", #call, cusparseGetErrorString(status_)); \
    } while (0)

const bool bench_has_cusparse = true;

enum { ALGORITHMS = 2, RUNS = 7, CALLS = 64 };

static const struct {
    cusparseSpMVAlg_t algorithm;
    const char *name;
} algorithms[ALGORITHMS] = {
    {CUSPARSE_SPMV_ALG_DEFAULT, "cusparse-default"},
    {CUSPARSE_SPMV_CSR_ALG2, "cusparse-alg2"},
};

static const cusparseOperation_t PLAIN = CUSPARSE_OPERATION_NON_TRANSPOSE;
static const double ONE = 1, ZERO = 0;

struct bench_cusparse {
    cusparseHandle_t handle;
    cusparseDnVecDescr_t a, b;
    cusparseSpMatDescr_t matrix[ALGORITHMS];
    void *buffer[ALGORITHMS]; /* of a view of the work */
    int chosen;
};

/* Describes the matrix for one algorithm, allocates its buffer, and lets it preprocess. */
static mx_err prepare(bench_work *w, int n)
{
    struct bench_cusparse *const s = w->cusparse;
    const rival_args *const g = &w->rival;
    const cusparseSpMVAlg_t algorithm = algorithms[n].algorithm;
    size_t bytes = 0;
    mx_view buffer;
    CUSPARSE_TRY(cusparseCreateCsr(&s->matrix[n], g->n, g->n, g->entries, g->begin, g->column,
                                   g->value, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                   CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    CUSPARSE_TRY(cusparseSpMV_bufferSize(s->handle, PLAIN, &ONE, s->matrix[n], s->b, &ZERO, s->a,
                                         CUDA_R_64F, algorithm, &bytes));
    MX_TRY(bench_new_view(w, "buffer", MX_F64, (int64_t)(bytes / sizeof(double)) + 1, 0,
                          MX_LAYOUT_DEFAULT, &buffer));
    s->buffer[n] = bench_data(buffer);
    CUSPARSE_TRY(cusparseSpMV_preprocess(s->handle, PLAIN, &ONE, s->matrix[n], s->b, &ZERO, s->a,
                                         CUDA_R_64F, algorithm, s->buffer[n]));
    return MX_OK;
}

/* The shortest of some runs, after a call that loads the kernels. */
static mx_err time_chosen(bench_work *w, double *seconds)
{
    *seconds = INFINITY;
    MX_TRY(bench_cusparse_spmv(w));
    for (int r = 0; r < RUNS; r++) {
        double run;
        MX_TRY(bench_cuda_timer_start(w->target));
        for (int c = 0; c < CALLS; c++) MX_TRY(bench_cusparse_spmv(w));
        MX_TRY(bench_cuda_timer_stop(w->target, &run));
        *seconds = fmin(*seconds, run);
    }
    return MX_OK;
}

static mx_err choose(bench_work *w)
{
    double best = INFINITY;
    int fastest = 0;
    for (int n = 0; n < ALGORITHMS; n++) {
        double seconds;
        w->cusparse->chosen = n;
        MX_TRY(time_chosen(w, &seconds));
        if (seconds >= best) continue;
        best = seconds;
        fastest = n;
    }
    w->cusparse->chosen = fastest;
    w->other_name = algorithms[fastest].name;
    return MX_OK;
}

mx_err bench_cusparse_create(bench_work *w)
{
    const rival_args *const g = &w->rival;
    struct bench_cusparse *const s = calloc(1, sizeof *s);
    MX_REQUIRE(s != NULL, MX_ERR_MEMORY, "no memory for the state of cuSPARSE");
    w->cusparse = s;
    CUSPARSE_TRY(cusparseCreate(&s->handle));
    CUSPARSE_TRY(cusparseSetStream(s->handle, (cudaStream_t)g->queue));
    CUSPARSE_TRY(cusparseCreateDnVec(&s->a, g->n, g->a, CUDA_R_64F));
    CUSPARSE_TRY(cusparseCreateDnVec(&s->b, g->n, g->b, CUDA_R_64F));
    for (int n = 0; n < ALGORITHMS; n++) MX_TRY(prepare(w, n));
    return choose(w);
}

mx_err bench_cusparse_spmv(bench_work *w)
{
    const struct bench_cusparse *const s = w->cusparse;
    const int n = s->chosen;
    CUSPARSE_TRY(cusparseSpMV(s->handle, PLAIN, &ONE, s->matrix[n], s->b, &ZERO, s->a, CUDA_R_64F,
                              algorithms[n].algorithm, s->buffer[n]));
    return MX_OK;
}

/* Destroys what there is. */
static mx_err destroy(const struct bench_cusparse *s)
{
    for (int n = 0; n < ALGORITHMS; n++)
        if (s->matrix[n] != NULL) CUSPARSE_TRY(cusparseDestroySpMat(s->matrix[n]));
    if (s->a != NULL) CUSPARSE_TRY(cusparseDestroyDnVec(s->a));
    if (s->b != NULL) CUSPARSE_TRY(cusparseDestroyDnVec(s->b));
    if (s->handle != NULL) CUSPARSE_TRY(cusparseDestroy(s->handle));
    return MX_OK;
}

mx_err bench_cusparse_destroy(bench_work *w)
{
    const mx_err err = w->cusparse != NULL ? destroy(w->cusparse) : MX_OK;
    free(w->cusparse);
    w->cusparse = NULL;
    return err;
}
