#include "fe_app.h"
#include "mesh/fe_exact.h"

#include <stdlib.h>

/* /meshes/nodes: the coordinates of a distorted mesh's nodes. */
static mx_err write_mesh(fe_app *app)
{
    const fe_mesh *const m = &app->level.mesh;
    const size_t rows = (size_t)fe_rows(m);
    double(*const at)[3] = malloc(rows * sizeof *at);
    mx_err err = at != NULL ? MX_OK : MX_FAIL(MX_ERR_MEMORY, "no memory to write the mesh");
    err = app_agree(app->base.comm, err);
    for (size_t row = 0; row < rows && err == MX_OK; row++) {
        const fe_node n = fe_node_of_row(m, (int)row);
        for (int d = 0; d < 3; d++) at[row][d] = (double)n.at[2 - d] / m->elements[2 - d];
        fe_distort(&at[row][0], &at[row][1], &at[row][2]);
    }
    if (err == MX_OK) {
        const app_mesh nodes = {.name = "nodes",
                                .unit = "1",
                                .nodes = app_slab_components(fe_node_slab(m), 3),
                                .coordinates = at[0]};
        err = app_results_mesh(app->base.results, &nodes);
    }
    free(at);
    return err;
}

static mx_err mirror(const fe_app *app, mx_view *owner, const double **x)
{
    void *data;
    *owner = MX_VIEW_NULL;
    MX_TRY(mx_mirror_view_create(app->vectors.x, owner));
    MX_TRY(mx_deep_copy(app->base.ctx, *owner, app->vectors.x));
    MX_TRY(mx_fence(app->base.ctx));
    MX_TRY(mx_view_host_data(*owner, &data));
    *x = data;
    return MX_OK;
}

mx_err fe_solution_on_host(const fe_app *app, mx_view *owner, const double **x)
{
    return app_agree(app->base.comm, mirror(app, owner, x));
}

static mx_err write_solution(fe_app *app)
{
    if (app->base.results == NULL) return MX_OK;
    double spacing[3];
    const bool distorted = app->input.mesh == FE_MESH_DISTORTED;
    const app_place place = {.mesh = distorted ? "nodes" : NULL,
                             .on_nodes = true,
                             .spacing = distorted ? NULL : spacing};
    if (distorted) MX_TRY(write_mesh(app));
    for (int d = 0; d < 3; d++) spacing[d] = 1.0 / (double)app->level.mesh.elements[d];
    const app_array solution = {.path = "/fields/solution",
                                .unit = "temperature",
                                .compare = APP_RELATIVE(1e-9),
                                .type = MX_F64,
                                .slab = fe_node_slab(&app->level.mesh),
                                .place = &place};
    mx_view owner;
    const double *x;
    mx_err err = fe_solution_on_host(app, &owner, &x);
    if (err == MX_OK) err = app_results_array(app->base.results, &solution, x);
    (void)mx_view_destroy(&owner);
    return err;
}

/* MB of all ranks. */
static double megabytes(const fe_rank_sizes *s, const int64_t *bytes)
{
    double sum = 0;
    for (int rank = 0; rank < s->ranks; rank++) sum += 1e-6 * (double)bytes[rank];
    return sum;
}

static void print_memory(const fe_app *app, const fe_rank_sizes *s)
{
    app_print(app->base.report,
              " memory of all ranks: matrix %.2f MB, vectors %.2f MB; resident at most %.2f MB in "
              "the set-up, %.2f MB in the run\n",
              megabytes(s, s->matrix), megabytes(s, s->vectors), megabytes(s, s->set_up_resident),
              megabytes(s, s->resident));
}

/* The history, and by ranks statistics of the matrix and of memory. */
static mx_err write_series(fe_app *app, const fe_rank_sizes *s)
{
    const app_results results = app->base.results;
    const struct {
        const char *path, *unit;
        const int64_t *share;
    } all[] = {{"/series/elements_of_rank", "1", s->elements},
               {"/series/rows_of_rank", "1", s->rows},
               {"/series/nonzeros_of_rank", "1", s->entries},
               {"/series/ghosts_of_rank", "1", s->ghosts},
               {"/series/matrix_bytes_of_rank", "B", s->matrix},
               {"/series/vector_bytes_of_rank", "B", s->vectors},
               {"/series/set_up_resident_of_rank", "B", s->set_up_resident},
               {"/series/resident_of_rank", "B", s->resident}};
    const app_array residual = {
        .path = "/series/residual", .unit = "1", .compare = APP_ROUNDING, .type = MX_F64};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        const app_array array = {
            .path = all[i].path, .unit = all[i].unit, .compare = APP_NEVER, .type = MX_I64};
        MX_TRY(app_results_series(results, &array, all[i].share, s->ranks));
    }
    return app_results_series(results, &residual, app->residuals.values, app->iterations + 1);
}

static mx_err output(fe_app *app)
{
    const double iterations = (double)app->base.iterations;
    app_region_totals solve;
    MX_TRY(fe_dump(app, "solution"));
    MX_TRY(app_region_total(app->base.report, app->solve_time, &solve));
    MX_TRY(app_report_table(app->base.report, 0));
    if (iterations > 0)
        app_print(app->base.report, "CG: %.0f iterations, milliseconds an iteration: %.4f\n",
                  iterations, 1e3 * solve.seconds / iterations);
    fe_rank_sizes sizes;
    mx_err err = fe_rank_sizes_create(app, &sizes);
    if (err == MX_OK) print_memory(app, &sizes);
    if (err == MX_OK) err = fe_write_yaml(app, &sizes);
    if (err == MX_OK) err = write_series(app, &sizes);
    fe_rank_sizes_destroy(&sizes);
    return err == MX_OK ? write_solution(app) : MX_PASS(err);
}

mx_err fe_write(fe_app *app) { return app_end_stage(&app->base, output(app)); }
