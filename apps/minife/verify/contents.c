/* What a results file of miniFE holds, by its input, and what it stores beside the solution. */
#include "fe_checks.h"

#include <float.h>
#include <stdlib.h>

/* The norm of a residual is the root of a sum: more would be infinite. */
#define MAX_NORM 1.4e154
/* of a rank: a petabyte */
#define MAX_BYTES 1e15
/* of the largest padding of rows, lines and chunks */
#define MAX_BYTES_PER_NONZERO 1e4
#define MAX_PADDING 1e6

/* Numbers of each rank. */
typedef struct shares {
    int64_t *elements, *rows, *nonzeros, *ghosts, *matrix, *vectors;
} shares;

static void check_sum(const minife *m, const char *path, const int64_t *of_rank, double expected)
{
    double sum = 0;
    for (int64_t rank = 0; rank < m->base.ranks; rank++) sum += (double)of_rank[rank];
    vf_number(m->base.verdict, path, sum, expected, 0);
}

/* Five to seven vectors of rows, some with ghosts; a byte at least for a nonzero that is stored. */
static void check_memory(const minife *m, const shares *s)
{
    const bool stored = fe_is_stored(fv_input(m)->operator_kind);
    int64_t astray = 0;
    for (int64_t rank = 0; rank < m->base.ranks; rank++) {
        const double rows = (double)s->rows[rank], nonzeros = (double)s->nonzeros[rank];
        const double vectors = (double)s->vectors[rank], matrix = (double)s->matrix[rank];
        astray += !(vectors >= 5 * 8 * rows &&
                    vectors <= 7 * 8 * (rows + (double)s->ghosts[rank]) + MAX_PADDING);
        astray += !(matrix >= (stored ? nonzeros : 0) &&
                    matrix <= MAX_BYTES_PER_NONZERO * nonzeros + MAX_PADDING);
    }
    vf_count(m->base.verdict, "bytes that rows and nonzeros do not need", astray, 0);
}

/* The shares of the ranks add up to the whole. */
void fv_check_shares(const minife *m)
{
    const double nonzeros = (double)(3 * fv_input(m)->nx + 1) * (double)(3 * fv_input(m)->ny + 1) *
                            (double)(3 * fv_input(m)->nz + 1);
    shares s = {.elements = NULL};
    const struct {
        const char *path;
        int64_t **of_rank;
        double sum; /* 0: not known */
    } all[] = {{"/series/elements_of_rank", &s.elements,
                (double)fv_input(m)->nx * (double)fv_input(m)->ny * (double)fv_input(m)->nz},
               {"/series/rows_of_rank", &s.rows, (double)m->rows},
               {"/series/nonzeros_of_rank", &s.nonzeros, nonzeros},
               {"/series/ghosts_of_rank", &s.ghosts, 0},
               {"/series/matrix_bytes_of_rank", &s.matrix, 0},
               {"/series/vector_bytes_of_rank", &s.vectors, 0}};
    const size_t count = sizeof all / sizeof all[0];
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        int64_t ranks = 0;
        if (app_reader_i64(m->base.reader, all[i].path, &ranks, all[i].of_rank) != MX_OK)
            good = vf_impossible(m->base.verdict, all[i].path, mx_err_message());
        else if (all[i].sum > 0)
            check_sum(m, all[i].path, *all[i].of_rank, all[i].sum);
    }
    if (good) check_memory(m, &s);
    for (size_t i = 0; i < count; i++) free(*all[i].of_rank);
}

/* ---- contents ---- */

static void find_sizes(minife *m)
{
    m->nodes[0] = fv_input(m)->nx + 1;
    m->nodes[1] = fv_input(m)->ny + 1;
    m->nodes[2] = fv_input(m)->nz + 1;
    m->rows = m->nodes[0] * m->nodes[1] * m->nodes[2];
}

static void expect_series(minife *m)
{
    const double rows = (double)m->rows,
                 elements =
                     (double)fv_input(m)->nx * (double)fv_input(m)->ny * (double)fv_input(m)->nz;
    const struct {
        const char *path, *units;
        double low, high;
    } all[] = {
        {"/series/elements_of_rank", "1", 0, elements},
        {"/series/rows_of_rank", "1", 0, rows},
        {"/series/nonzeros_of_rank", "1", 0, 27 * rows},
        {"/series/ghosts_of_rank", "1", 0, m->base.ranks > 1 ? rows : DBL_TRUE_MIN},
        {"/series/matrix_bytes_of_rank", "B", 0, MAX_BYTES},
        {"/series/vector_bytes_of_rank", "B", 0, MAX_BYTES},
        {"/series/set_up_resident_of_rank", "B", 1, MAX_BYTES},
        {"/series/resident_of_rank", "B", 1, MAX_BYTES},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        vf_expect(&m->base,
                  &(vf_dataset){.path = all[i].path,
                                .kind = APP_NODE_I64,
                                .rank = 1,
                                .shape = {m->base.ranks},
                                .units = all[i].units,
                                .compare = APP_NEVER,
                                .low = all[i].low,
                                .high = all[i].high},
                  1);
    vf_expect(&m->base,
              &(vf_dataset){.path = "/series/residual",
                            .kind = APP_NODE_F64,
                            .rank = 1,
                            .shape = {VF_ANY_EXTENT},
                            .units = "1",
                            .compare = APP_ROUNDING,
                            .high = MAX_NORM},
              1);
}

static void expect_fields(minife *m)
{
    const bool distorted = fv_input(m)->mesh == FE_MESH_DISTORTED;
    const double spacing[] = {1.0 / (double)fv_input(m)->nz, 1.0 / (double)fv_input(m)->ny,
                              1.0 / (double)fv_input(m)->nx};
    const vf_dataset solution = {.path = "/fields/solution",
                                 .kind = APP_NODE_F64,
                                 .rank = 3,
                                 .shape = {m->nodes[2], m->nodes[1], m->nodes[0]},
                                 .units = "temperature",
                                 .compare = APP_RELATIVE(1e-9),
                                 .spacing = distorted ? NULL : spacing};
    const vf_dataset coordinates = {.path = "/meshes/nodes/coordinates",
                                    .kind = APP_NODE_F64,
                                    .rank = 4,
                                    .shape = {m->nodes[2], m->nodes[1], m->nodes[0], 3},
                                    .units = "1"};
    vf_expect(&m->base, &solution, 1);
    if (distorted) vf_expect(&m->base, &coordinates, 1);
}

/* What the summary says: the iterations are those since a restart. */
static void expect_problem(minife *m)
{
    const app_node *const norms = app_reader_find(m->base.reader, "/series/residual");
    const int64_t done = norms != NULL ? norms->count - 1 : 0;
    m->base.problem = (vf_problem){.name = fe_problem_name(fv_input(m), &m->problem),
                                   .size = m->rows,
                                   .iterations = done - m->base.first_step,
                                   .merit = "row iteration rate",
                                   .unit = "row iterations/s"};
}

void fv_contents(void *state)
{
    static const struct {
        const char *name;
        int64_t calls;
    } regions[] = {{"mesh", 1},
                   {"structure", 1},
                   {"assembly", 1},
                   {"boundary", 1},
                   {"preconditioner", -1},
                   {"solve", 1},
                   {"ghosts", -1},
                   {"product", -1},
                   {"precondition", -1},
                   {"vectors", -1},
                   {"sums", -1}};
    minife *const m = state;
    if (fv_input(m)->precision == FE_PRECISION_MIXED) m->base.precision = "f32 matrix, f64 vectors";
    find_sizes(m);
    expect_fields(m);
    expect_series(m);
    expect_problem(m);
    for (size_t i = 0; i < sizeof regions / sizeof regions[0]; i++)
        vf_expect_region(&m->base, regions[i].name, regions[i].calls);
}
