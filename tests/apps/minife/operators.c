/* Every operator of miniFE against the assembled matrix in csr form: products with random vectors
 * row by row, diagonals, right-hand sides and x . y; on straight and distorted meshes, with both
 * problems, every assembly and both precisions, on every backend, and during the exchange of
 * ghosts. The copy of the matrix that preconditioners have. And what products move and compute, by
 * hand for one mesh. (That csr is right is shown by minife_dumps, and for rows with any columns here.) */
#include "backends.h"
#include "level/fe_level.h"
#include "operators/fe_operators.h"
#include "preconditioners/shared/fe_half.h"
#include "random.h"

#include <float.h>
#include <stdlib.h>

/* Sums of 27 terms in other orders differ by some roundings of the largest; elements computed in
 * another way by some more. */
static const double TOLERANCE = 200 * DBL_EPSILON;
/* Coefficients that were rounded to float. */
static const double F32_TOLERANCE = 2 * FLT_EPSILON;

typedef struct meshed {
    int elements[3]; /* z, y, x */
    int problem, mesh;
    bool only_symmetric; /* of the operators, with one assembly */
} meshed;

/* What a level gives, on the host. */
typedef struct outcome {
    double *b, *y, *diagonal;
    double dot;
} outcome;

static mx_err make_level(fe_level *level, const meshed *m)
{
    const mx_gid elements[] = {m->elements[0], m->elements[1], m->elements[2]};
    MX_TRY(fe_make_mesh(level, elements));
    MX_TRY(fe_make_structure(level));
    MX_TRY(fe_assemble(level));
    return fe_impose_boundary(level);
}

/* x: a number for each node of the whole mesh, the same on all ranks. */
static mx_err import_x(const fe_level *level, mx_view x)
{
    const fe_mesh *m = &level->mesh;
    double *const host = malloc((size_t)fe_held(m) * sizeof *host);
    MX_REQUIRE(host != NULL, MX_ERR_MEMORY, "no memory");
    for (int i = 0; i < fe_held(m); i++) {
        const fe_node n = {{m->low[0] + i / (m->extent[1] * m->extent[2]),
                            m->low[1] + i / m->extent[2] % m->extent[1],
                            m->low[2] + i % m->extent[2]}};
        uint64_t state = (uint64_t)fe_id(m, n);
        host[fe_local(m, n)] = (double)(random_next(&state) >> 11) * 0x1p-52 - 1;
    }
    const mx_err err = mx_import(level->base->ctx, x, host, NULL);
    free(host);
    return err;
}

/* The product and x . y again, with ghosts that come during the product. What was in dot before
 * must not count. */
static mx_err use_overlap(fe_level *level, mx_view x, mx_view y, outcome *o)
{
    const mx_ctx ctx = level->base->ctx;
    mx_view dot;
    double part;
    MX_TRY(mx_view_create_1d(ctx, "dot", MX_F64, FE_PRODUCT_PARTS + 1, &dot));
    MX_TRY(mx_fill(ctx, dot, &(double){1000}));
    MX_TRY(mx_fill(ctx, y, &(double){-1}));
    MX_TRY(fe_make_overlap(level));
    MX_TRY(fe_overlap_dot(level, x, y, dot, 1));
    MX_TRY(mx_export(ctx, y, o->y, NULL));
    o->dot = 0;
    for (int i = 1; i <= FE_PRODUCT_PARTS; i++) {
        MX_TRY(mx_read_element(ctx, dot, i, &part));
        o->dot += part;
    }
    MX_TRY(mx_fill(ctx, y, &(double){-1}));
    MX_TRY(fe_multiply(level, x, y));
    for (int row = 0; row < fe_rows(&level->mesh); row += 7) {
        MX_TRY(mx_read_element(ctx, y, row, &part));
        CHECK_F64(part, o->y[row], 0);
    }
    return mx_view_destroy(&dot);
}

/* The product with the copy of a preconditioner. */
static mx_err use_half(const fe_level *level, mx_view x, mx_view y, const outcome *o)
{
    fe_level half = {.base = NULL};
    double largest = 0;
    double *const got = malloc((size_t)(fe_rows(&level->mesh) + 1) * sizeof *got);
    MX_REQUIRE(got != NULL, MX_ERR_MEMORY, "no memory");
    MX_TRY(mx_fill(level->base->ctx, y, &(double){-1}));
    MX_TRY(fe_half_create(level, &half));
    CHECK_I64(half.base == NULL, level->storage.kind == FE_STORAGE_NONE ||
                                     (fe_is_half(&level->storage) && level->storage.is_f32));
    if (half.base != NULL) {
        MX_TRY(fe_multiply(&half, x, y));
        MX_TRY(mx_export(level->base->ctx, y, got, NULL));
        for (int i = 0; i < fe_rows(&level->mesh); i++) largest = fmax(largest, fabs(o->y[i]));
        for (int i = 0; i < fe_rows(&level->mesh); i++)
            CHECK_F64(got[i], o->y[i], F32_TOLERANCE * largest);
    }
    fe_half_destroy(&half);
    free(got);
    return MX_OK;
}

static mx_err use_level(fe_level *level, outcome *o, bool overlap)
{
    const mx_ctx ctx = level->base->ctx;
    const int rows = fe_rows(&level->mesh);
    mx_view x, y, diagonal, dot;
    double plain;
    MX_TRY(mx_view_create_1d(ctx, "x", MX_F64, fe_held(&level->mesh), &x));
    MX_TRY(mx_view_create_1d(ctx, "y", MX_F64, rows, &y));
    MX_TRY(mx_view_create_1d(ctx, "diagonal", MX_F64, rows, &diagonal));
    MX_TRY(mx_view_create_1d(ctx, "dot", MX_F64, 3, &dot));
    MX_TRY(import_x(level, x));
    MX_TRY(fe_apply(level, x, y));
    MX_TRY(mx_read_element(ctx, y, rows / 2, &plain));
    MX_TRY(mx_fill(ctx, y, &(double){-1}));
    MX_TRY(fe_apply_dot(level, x, y, dot, 1));
    MX_TRY(fe_diagonal(level, diagonal));
    MX_TRY(mx_read_element(ctx, dot, 1, &o->dot));
    MX_TRY(mx_export(ctx, y, o->y, NULL));
    MX_TRY(mx_export(ctx, diagonal, o->diagonal, NULL));
    MX_TRY(mx_export(ctx, level->views.b, o->b, NULL));
    CHECK_F64(plain, o->y[rows / 2], 0);
    if (overlap) MX_TRY(use_overlap(level, x, y, o));
    MX_TRY(use_half(level, x, y, o));
    MX_TRY(mx_view_destroy(&x));
    MX_TRY(mx_view_destroy(&y));
    MX_TRY(mx_view_destroy(&diagonal));
    return mx_view_destroy(&dot);
}

static mx_err run(const app_base *base, const fe_input *in, const meshed *m, outcome *o)
{
    const bool overlap = app_size(base->comm) > 1 && in->assembly == FE_ASSEMBLY_AUTO;
    fe_level level = {.base = base, .input = in, .op = fe_operator_forms[in->operator_kind]};
    mx_err err = make_level(&level, m);
    const size_t rows = (size_t)fe_rows(&level.mesh);
    o->b = calloc(3 * rows + 1, sizeof(double));
    MX_REQUIRE(o->b != NULL, MX_ERR_MEMORY, "no memory");
    o->y = o->b + rows;
    o->diagonal = o->y + rows;
    if (err == MX_OK) err = use_level(&level, o, overlap);
    fe_level_destroy(&level);
    return err;
}

static const char *words(const fe_input *in)
{
    static char text[128];
    snprintf(text, sizeof text, "operator %s, precision %d, assembly %d, problem %d, mesh %d",
             fe_traits_of_operators[in->operator_kind].word, in->precision, in->assembly,
             in->problem, in->mesh);
    return text;
}

static void compare(const outcome *got, const outcome *expected, size_t rows, const fe_input *in)
{
    const double tolerance = in->precision == FE_PRECISION_MIXED ? F32_TOLERANCE : TOLERANCE;
    double largest = 0, error = 0;
    for (size_t i = 0; i < 3 * rows; i++) {
        largest = fmax(largest, fabs(expected->b[i]));
        const double difference = fabs(got->b[i] - expected->b[i]);
        if (!(difference <= error)) error = difference;
    }
    const double of_dot = fabs(got->dot - expected->dot);
    if (error <= tolerance * largest && of_dot <= tolerance * largest * (double)rows) return;
    check_failures++;
    fprintf(stderr, "%s: differs from csr by %g, x . y by %g; largest %g\n", words(in), error,
            of_dot, largest);
}

static mx_err compare_all(const app_base *base, const meshed *m)
{
    fe_input in = {.problem = m->problem, .mesh = m->mesh, .assembly = FE_ASSEMBLY_COLOURS};
    fe_level level = {.base = base, .input = &in, .op = fe_operator_forms[in.operator_kind]};
    const mx_gid elements[] = {m->elements[0], m->elements[1], m->elements[2]};
    outcome expected, got;
    MX_TRY(fe_make_mesh(&level, elements));
    const size_t rows = (size_t)fe_rows(&level.mesh);
    fe_level_destroy(&level);
    MX_TRY(run(base, &in, m, &expected));
    for (int kind = 0; kind < FE_OPERATORS; kind++)
        for (int assembly = 0; assembly <= FE_ASSEMBLY_ATOMICS; assembly++)
            for (int precision = 0; precision <= FE_PRECISION_MIXED; precision++) {
                in.operator_kind = kind;
                in.assembly = assembly;
                in.precision = precision;
                if (m->only_symmetric &&
                    (kind != FE_OPERATOR_SYMMETRIC || assembly != FE_ASSEMBLY_AUTO))
                    continue;
                if (fe_traits_of_operators[kind].equal_elements && m->mesh == FE_MESH_DISTORTED)
                    continue;
                if (!fe_is_stored(kind) && precision == FE_PRECISION_MIXED) continue;
                MX_TRY(run(base, &in, m, &got));
                compare(&got, &expected, rows, &in);
                free(got.b);
            }
    free(expected.b);
    return MX_OK;
}

/* A line of 200 million nodes has 14 times as many coefficients, more than an int can count. */
static void check_long_line(void)
{
    CHECK_I64(fe_in_packs(200000000, FE_DIAGONAL_SLOT), 2800000000);
    CHECK_I64(fe_in_packs(200000003, FE_SLOTS - 1), 2800000000 + 13 * FE_PACK + 3);
}

/* 2 x 3 x 4 elements: 60 rows, 7 x 10 x 13 = 910 entries, by hand. */
static mx_err check_work(const app_base *base)
{
    static const struct {
        int operator_kind;
        double bytes, flops;
    } expected[] = {{FE_OPERATOR_CSR, 910 * 12 + 60 * 24, 1820},
                    {FE_OPERATOR_CSR8, 910 * 9 + 60 * 24, 1820},
                    {FE_OPERATOR_ELL, 910 * 12 + 60 * 16, 1820},
                    {FE_OPERATOR_SELL, 910 * 12 + 60 * 16, 1820},
                    {FE_OPERATOR_LINES, 910 * 8 + 60 * 16, 1820},
                    {FE_OPERATOR_SYMMETRIC, 485 * 8 + 60 * 16, 1820},
                    {FE_OPERATOR_NODES, 60 * 40, 24 * 1520},
                    {FE_OPERATOR_UNIFORM, 60 * 16, 60 * 45}};
    const meshed m = {.elements = {2, 3, 4}};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        const fe_input in = {.operator_kind = expected[i].operator_kind};
        fe_level level = {.base = base, .input = &in, .op = fe_operator_forms[in.operator_kind]};
        MX_TRY(make_level(&level, &m));
        const fe_work work = fe_work_of_product(&level);
        CHECK_F64(work.bytes, expected[i].bytes, 0);
        CHECK_F64(work.flops, expected[i].flops, 0);
        CHECK_I64(level.entries, 910);
        fe_level_destroy(&level);
    }
    return MX_OK;
}

/* Rows of csr with 27 entries, whose columns are nine runs of three numbers. But in row r < 27, entry
 * r has another column. Some runs are at the end of x. */
enum { RUNS_ROWS = 40, RUNS_ENTRIES = RUNS_ROWS * FE_SLOTS, RUNS_X = 50 };

typedef struct rows_of_runs {
    int64_t begin[RUNS_ROWS + 1];
    int32_t column[RUNS_ENTRIES];
    double value[RUNS_ENTRIES], x[RUNS_X], y[RUNS_ROWS];
    float f32value[RUNS_ENTRIES];
} rows_of_runs;

static void make_runs(rows_of_runs *r)
{
    uint64_t state = 7;
    for (int row = 0; row <= RUNS_ROWS; row++) r->begin[row] = FE_SLOTS * row;
    for (int i = 0; i < RUNS_X; i++) r->x[i] = (double)(random_next(&state) % 2000) - 1000;
    for (int e = 0; e < RUNS_ENTRIES; e++) {
        const int start = (int)(random_next(&state) % (RUNS_X - 2));
        r->column[e] = e % 3 == 0 ? start : r->column[e - 1] + 1;
        r->f32value[e] = (float)(random_next(&state) % 2000) - 1000;
        r->value[e] = r->f32value[e];
    }
    for (int row = 0; row < FE_SLOTS; row++)
        r->column[(FE_SLOTS + 1) * row] = (int)(random_next(&state) % RUNS_X);
}

static mx_err multiply_runs(const app_base *base, rows_of_runs *r, fe_precision precision)
{
    const bool is_f32 = precision == FE_PRECISION_MIXED;
    const fe_input in = {.operator_kind = FE_OPERATOR_CSR, .precision = precision};
    const fe_part all = {0, RUNS_ROWS};
    const mx_ctx ctx = base->ctx;
    fe_level level = {.base = base,
                      .input = &in,
                      .op = fe_operator_forms[FE_OPERATOR_CSR],
                      .storage = {.kind = FE_STORAGE_CSR}};
    fe_level_views *const v = &level.views;
    mx_view x, y;
    level.storage.is_f32 = is_f32;
    MX_TRY(mx_view_create_1d(ctx, "begins", MX_I64, RUNS_ROWS + 1, &v->begin));
    MX_TRY(mx_view_create_1d(ctx, "columns", MX_I32, RUNS_ENTRIES, &v->column));
    MX_TRY(mx_view_create_1d(ctx, "matrix", is_f32 ? MX_F32 : MX_F64, RUNS_ENTRIES, &v->value));
    MX_TRY(mx_view_create_1d(ctx, "x", MX_F64, RUNS_X, &x));
    MX_TRY(mx_view_create_1d(ctx, "y", MX_F64, RUNS_ROWS, &y));
    MX_TRY(mx_import(ctx, v->begin, r->begin, NULL));
    MX_TRY(mx_import(ctx, v->column, r->column, NULL));
    MX_TRY(mx_import(ctx, v->value, is_f32 ? (const void *)r->f32value : r->value, NULL));
    MX_TRY(mx_import(ctx, x, r->x, NULL));
    MX_TRY(fe_apply_part(&level, x, y, NULL, all));
    MX_TRY(mx_export(ctx, y, r->y, NULL));
    MX_TRY(mx_view_destroy(&x));
    MX_TRY(mx_view_destroy(&y));
    fe_level_destroy(&level);
    return MX_OK;
}

static mx_err check_runs(const app_base *base, fe_precision precision)
{
    static rows_of_runs r;
    make_runs(&r);
    MX_TRY(multiply_runs(base, &r, precision));
    for (int row = 0; row < RUNS_ROWS; row++) {
        double sum = 0;
        for (int e = FE_SLOTS * row; e < FE_SLOTS * (row + 1); e++)
            sum += r.value[e] * r.x[r.column[e]];
        CHECK_F64(r.y[row], sum, 0); /* sums of integers are exact */
    }
    return MX_OK;
}

static mx_err check_backend(app_comm comm, const char *backend)
{
    static const meshed cases[] = {{{4, 5, 19}, FE_PROBLEM_ORIGINAL, FE_MESH_UNIFORM, false},
                                   {{5, 9, 4}, FE_PROBLEM_MANUFACTURED, FE_MESH_UNIFORM, false},
                                   {{9, 4, 11}, FE_PROBLEM_MANUFACTURED, FE_MESH_DISTORTED, false},
                                   {{4, 3, 3}, FE_PROBLEM_ORIGINAL, FE_MESH_DISTORTED, false},
                                   /* several pieces a line; lines without padding */
                                   {{2, 2, 139}, FE_PROBLEM_ORIGINAL, FE_MESH_UNIFORM, true},
                                   {{4, 6, 7}, FE_PROBLEM_ORIGINAL, FE_MESH_UNIFORM, true}};
    app_base base = {.comm = comm};
    char resource[64];
    snprintf(resource, sizeof resource, "%s%s", backend,
             strcmp(backend, "openmp") == 0 || strcmp(backend, "simt") == 0 ? ":threads=2" : "");
    MX_TRY(mx_ctx_create(resource, &base.ctx));
    MX_TRY(app_transport_create(comm, base.ctx, APP_GPU_MPI_AUTO, &base.transport));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        CHECK_OK(compare_all(&base, &cases[i]));
    if (app_size(comm) == 1) {
        check_long_line();
        CHECK_OK(check_work(&base));
        CHECK_OK(check_runs(&base, FE_PRECISION_DOUBLE));
        CHECK_OK(check_runs(&base, FE_PRECISION_MIXED));
    }
    app_transport_destroy(&base.transport);
    mx_ctx_destroy(&base.ctx);
    CHECK_I64(mx_views_alive(), 0);
    return MX_OK;
}

int main(int argc, char **argv) { return check_on_backends(argc, argv, check_backend); }
