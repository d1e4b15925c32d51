/* minife-operators: the iterations of conjugate gradients of miniFE with several operators, in turn.
 *
 *     minife-operators [ELEMENTS [THREADS [ROUNDS [OPERATOR...]]]]        100 2 20 csr symmetric
 *
 * Operator `plain` is the rival: csr's matrix, multiplied by the plainest loop in OpenMP.
 *
 * The memory of a shared machine is faster in one minute than in the next. So in each round every
 * operator does some iterations, after one that is not timed, and a loop reads an array as long as
 * the matrix of csr: the limit. Ratios and shares are of the same round; the table has their
 * medians. Vectors and matrix of the other operators displace those of an operator from the caches
 * before its turn, but not during it. */
#include "cg/fe_cg_kernels.h"
#include "input/text.h"
#include "level/fe_level.h"
#include "operators/fe_operators.h"
#include "run/app.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS = 6, MAX_ROUNDS = 1000, MAX_OPERATORS = 6 };

typedef struct contestant {
    const char *name;
    bool is_plain;
    fe_input input;
    fe_level level;
    fe_vectors vectors;
    fe_start_args start;
    fe_update_args update;
    fe_direction_args direction;
    int64_t k;                                              /* iterations done */
    double iteration[MAX_ROUNDS], product[MAX_ROUNDS];      /* seconds */
    double ratio[MAX_ROUNDS];                               /* the first operator's to this one's */
    double share_of_product[MAX_ROUNDS], share[MAX_ROUNDS]; /* of the limit */
} contestant;

typedef struct contest {
    app_base base;
    int elements, threads, rounds, operators;
    contestant *all;
    mx_view stream;
    int64_t stream_count;
    double limit[MAX_ROUNDS]; /* bytes a second */
} contest;

static mx_err make_vectors(contestant *c)
{
    const mx_ctx ctx = c->level.base->ctx;
    const int64_t rows = fe_rows(&c->level.mesh), scalars = FE_RING * FE_SCALARS;
    fe_vectors *const v = &c->vectors;
    v->b = c->level.views.b;
    MX_TRY(mx_view_create_1d(ctx, "x", MX_F64, rows, &v->x));
    MX_TRY(mx_view_create_1d(ctx, "r", MX_F64, rows, &v->r));
    MX_TRY(mx_view_create_1d(ctx, "p", MX_F64, rows, &v->p));
    MX_TRY(mx_view_create_1d(ctx, "w", MX_F64, rows, &v->w));
    MX_TRY(mx_view_create_1d(ctx, "scalars", MX_F64, scalars, &v->scalars));
    v->z = v->r;
    MX_TRY(fe_start_args_bind(ctx, v, &c->start));
    MX_TRY(fe_update_args_bind(ctx, v, &c->update));
    return fe_direction_args_bind(ctx, v, &c->direction);
}

static mx_err create(contest *t, contestant *c, const char *name)
{
    const mx_gid elements[] = {t->elements, t->elements, t->elements};
    int number = 0;
    c->is_plain = strcmp(name, "plain") == 0;
    if (c->is_plain) name = "csr";
    while (number < FE_OPERATORS && strcmp(name, fe_traits_of_operators[number].word) != 0)
        number++;
    char words[128];
    app_text_list(fe_stored_operators, words, sizeof words);
    MX_REQUIRE(number < FE_OPERATORS && fe_is_stored(number), MX_ERR_INPUT,
               "operator %s: expected plain or %s", name, words);
    c->name = c->is_plain ? "plain" : fe_traits_of_operators[number].word;
    c->input.operator_kind = number;
    c->level.op = fe_operator_forms[number];
    c->level.base = &t->base;
    c->level.input = &c->input;
    MX_TRY(fe_make_mesh(&c->level, elements));
    MX_TRY(fe_make_structure(&c->level));
    MX_TRY(fe_assemble(&c->level));
    MX_TRY(fe_impose_boundary(&c->level));
    return make_vectors(c);
}

/* The value is p . w. */
static double multiply_rows(int rows, const int64_t *begin, const int32_t *column,
                            const double *value, const double *p, double *w, int threads)
{
    double dot = 0;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : dot)
    for (int row = 0; row < rows; row++) {
        double sum = 0;
        for (int64_t e = begin[row]; e < begin[row + 1]; e++) sum += value[e] * p[column[e]];
        w[row] = sum;
        dot += p[row] * sum;
    }
    return dot;
}

static mx_err multiply_plainly(contestant *c, int at)
{
    const fe_level_views *const v = &c->level.views;
    mx_ctx_info info;
    int64_t *begin;
    int32_t *column;
    double *value, *p, *w, *scalars;
    MX_TRY(mx_ctx_get_info(c->level.base->ctx, &info));
    MX_TRY(mx_view_host_data(v->begin, (void **)&begin));
    MX_TRY(mx_view_host_data(v->column, (void **)&column));
    MX_TRY(mx_view_host_data(v->value, (void **)&value));
    MX_TRY(mx_view_host_data(c->vectors.p, (void **)&p));
    MX_TRY(mx_view_host_data(c->vectors.w, (void **)&w));
    MX_TRY(mx_view_host_data(c->vectors.scalars, (void **)&scalars));
    scalars[at] = multiply_rows(fe_rows(&c->level.mesh), begin, column, value, p, w, info.threads);
    return MX_OK;
}

static mx_err multiply(contestant *c, double *seconds)
{
    const double begin = app_now();
    const int at = fe_scalar_at(c->k, FE_PW);
    MX_TRY(c->is_plain
               ? multiply_plainly(c, at)
               : fe_apply_dot(&c->level, c->vectors.p, c->vectors.w, c->vectors.scalars, at));
    *seconds += app_now() - begin;
    return MX_OK;
}

/* r = p = b - A x */
static mx_err start(contestant *c)
{
    const mx_range_1 rows = mx_range_1d(c->level.base->ctx, 0, fe_rows(&c->level.mesh));
    double seconds = 0;
    MX_TRY(fe_copy(rows, &c->start));
    MX_TRY(multiply(c, &seconds));
    return fe_start_into(rows, &c->start, c->vectors.scalars, fe_scalar_at(0, FE_RR));
}

static mx_err iterate(contestant *c, double *product)
{
    const mx_range_1 rows = mx_range_1d(c->level.base->ctx, 0, fe_rows(&c->level.mesh));
    const int64_t k = ++c->k;
    const fe_iteration at = {.k = (int)(k % FE_RING),
                             .before = (int)((k - 1) % FE_RING),
                             .earlier = (int)(k > 1 ? (k - 2) % FE_RING : 0),
                             .compared = (int)((k - 1) % FE_RING),
                             .product = FE_RR,
                             .first = k == 1};
    c->update.at = c->direction.at = at;
    MX_TRY(fe_direction(rows, &c->direction));
    MX_TRY(multiply(c, product));
    return fe_update_into(rows, &c->update, c->vectors.scalars, fe_scalar_at(k, FE_RR));
}

static mx_err measure_round(contestant *c, int round)
{
    double product = 0;
    MX_TRY(iterate(c, &product));
    product = 0;
    const double begin = app_now();
    for (int i = 0; i < ITERATIONS; i++) MX_TRY(iterate(c, &product));
    const double iterations = ITERATIONS;
    c->iteration[round] = (app_now() - begin) / iterations;
    c->product[round] = product / iterations;
    return MX_OK;
}

/* ---- the limit ---- */

/* Reads an array; returns bytes a second. */
static double read_stream(const double *a, int64_t count, int threads)
{
    enum { BLOCK = 4096, AHEAD = 1024, LINE = 8, SUMS = 32 };
    double sum = 0;
    const double begin = app_now();
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : sum)
    for (int64_t block = 0; block < count / BLOCK; block++) {
        const double *const p = a + block * BLOCK;
        double sums[SUMS] = {0};
        for (int i = 0; i < BLOCK; i += SUMS) {
            for (int l = 0; l < SUMS; l += LINE) __builtin_prefetch(p + i + l + AHEAD, 0, 0);
#pragma omp simd
            for (int l = 0; l < SUMS; l++) sums[l] += p[i + l];
        }
        for (int l = 0; l < SUMS; l++) sum += sums[l];
    }
    const double seconds = app_now() - begin;
    if (sum != 0) printf("the limit's sum is %g, expected 0\n", sum);
    return (double)(count / BLOCK * BLOCK) * sizeof *a / seconds;
}

static mx_err make_stream(contest *t)
{
    const double nodes = t->elements + 1.0;
    t->stream_count = (int64_t)(1.5 * 27 * nodes * nodes * nodes);
    return mx_view_create_1d(t->base.ctx, "stream", MX_F64, t->stream_count, &t->stream);
}

/* ---- all rounds ---- */

static double share_of(const contest *t, int round, double bytes, double seconds)
{
    return bytes / seconds / t->limit[round];
}

static mx_err do_round(contest *t, int round)
{
    double *a;
    MX_TRY(mx_view_host_data(t->stream, (void **)&a));
    t->limit[round] = read_stream(a, t->stream_count, t->threads);
    for (int o = 0; o < t->operators; o++) {
        contestant *const c = &t->all[o];
        const fe_work work = fe_work_of_product(&c->level);
        const double vectors = 72.0 * fe_rows(&c->level.mesh); /* see cg/cg.c */
        MX_TRY(measure_round(c, round));
        c->ratio[round] = t->all[0].iteration[round] / c->iteration[round];
        c->share_of_product[round] = share_of(t, round, work.bytes, c->product[round]);
        c->share[round] = share_of(t, round, work.bytes + vectors, c->iteration[round]);
    }
    return MX_OK;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Element `n` of `of` of the sorted values: 0 of 1 is the smallest, 1 of 2 the median. */
static double quantile(const contest *t, const double *values, int n, int of)
{
    double sorted[MAX_ROUNDS];
    memcpy(sorted, values, (size_t)t->rounds * sizeof *values);
    qsort(sorted, (size_t)t->rounds, sizeof *sorted, ascending);
    return sorted[(t->rounds - 1) * n / of];
}

static void print_table(const contest *t)
{
    printf("%d elements along each side, %d threads, %d rounds of %d iterations; limit %.1f GB/s "
           "(median; %.1f to %.1f)\n",
           t->elements, t->threads, t->rounds, ITERATIONS, 1e-9 * quantile(t, t->limit, 1, 2),
           1e-9 * quantile(t, t->limit, 0, 1), 1e-9 * quantile(t, t->limit, 1, 1));
    printf("%-10s %20s %20s %26s %20s %8s\n", "operator", "iteration, ms (best)",
           "product, ms (best)", "ratio to the first (range)", "share: of product", "all");
    for (int o = 0; o < t->operators; o++) {
        const contestant *const c = &t->all[o];
        printf("%-10s %12.2f (%5.2f) %12.2f (%5.2f) %11.2f (%5.2f to %4.2f) %20.2f %8.2f\n",
               c->name, 1e3 * quantile(t, c->iteration, 1, 2),
               1e3 * quantile(t, c->iteration, 0, 1), 1e3 * quantile(t, c->product, 1, 2),
               1e3 * quantile(t, c->product, 0, 1), quantile(t, c->ratio, 1, 2),
               quantile(t, c->ratio, 0, 1), quantile(t, c->ratio, 1, 1),
               quantile(t, c->share_of_product, 1, 2), quantile(t, c->share, 1, 2));
    }
}

static mx_err run(contest *t, char **names)
{
    static const char *const usual[] = {"csr", "symmetric"};
    char resource[64];
    snprintf(resource, sizeof resource, "openmp:threads=%d", t->threads);
    MX_TRY(mx_ctx_create(resource, &t->base.ctx));
    MX_TRY(app_transport_create(t->base.comm, t->base.ctx, APP_GPU_MPI_AUTO, &t->base.transport));
    if (t->operators == 0) t->operators = 2;
    for (int o = 0; o < t->operators; o++)
        MX_TRY(create(t, &t->all[o], names[0] != NULL ? names[o] : usual[o]));
    MX_TRY(make_stream(t));
    for (int o = 0; o < t->operators; o++) MX_TRY(start(&t->all[o]));
    for (int round = 0; round < t->rounds; round++) MX_TRY(do_round(t, round));
    print_table(t);
    return MX_OK;
}

static void destroy(contest *t)
{
    for (int o = 0; o < t->operators; o++) {
        fe_vectors *const v = &t->all[o].vectors;
        mx_view *const views[] = {&v->x, &v->r, &v->p, &v->w, &v->scalars};
        for (size_t i = 0; i < sizeof views / sizeof views[0]; i++) (void)mx_view_destroy(views[i]);
        fe_level_destroy(&t->all[o].level);
    }
    (void)mx_view_destroy(&t->stream);
    app_transport_destroy(&t->base.transport);
    mx_ctx_destroy(&t->base.ctx);
}

/* Argument `n`, a number from 1 to `max`, or `otherwise`; 0 if it is none. */
static int number_of(int argc, char **argv, int n, int otherwise, int max)
{
    if (n >= argc) return otherwise;
    char *end;
    const long number = strtol(argv[n], &end, 10);
    return *end == '\0' && number >= 1 && number <= max ? (int)number : 0;
}

int main(int argc, char **argv)
{
    static contest t;
    static contestant all[MAX_OPERATORS];
    t.elements = number_of(argc, argv, 1, 100, 500);
    t.threads = number_of(argc, argv, 2, 2, 1024);
    t.rounds = number_of(argc, argv, 3, 20, MAX_ROUNDS);
    t.operators = argc > 4 ? argc - 4 : 0;
    t.all = all;
    if (t.elements == 0 || t.threads == 0 || t.rounds == 0 || t.operators > MAX_OPERATORS) {
        fprintf(stderr,
                "usage: minife-operators [ELEMENTS [THREADS [ROUNDS [OPERATOR...]]]], with up to "
                "500 elements, %d rounds and %d operators\n",
                MAX_ROUNDS, MAX_OPERATORS);
        return 2;
    }
    mx_err err = app_comm_open(&argc, &argv, &t.base.comm);
    if (err == MX_OK) err = mx_init();
    if (err == MX_OK) err = run(&t, argc > 4 ? argv + 4 : (char *[]){NULL});
    if (err != MX_OK) fprintf(stderr, "minife-operators: %s\n", mx_err_message());
    destroy(&t);
    mx_finalize();
    app_comm_close(&t.base.comm);
    return err == MX_OK ? 0 : 1;
}
