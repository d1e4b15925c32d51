#include "fe_app.h"

#include <stdlib.h>

/* ---- the matrix ---- */

static mx_err make_matrix(fe_app *app)
{
    const mx_ctx ctx = app->base.ctx;
    const int rows = fe_rows(&app->mesh);
    MX_TRY(mx_view_create_1d(ctx, "row begins", MX_I64, rows + 1, &app->views.begin));
    app->structure.mesh = app->mesh;
    MX_TRY(mx_bind(ctx, app->views.begin, &app->structure.begin));
    mx_bind_none(&app->structure.column);
    mx_bind_none(&app->structure.value);
    MX_TRY(fe_row_begins(mx_range_1d(ctx, 0, rows + 1), &app->structure, &app->entries));

    const mx_view_options options = {.uninitialized = true};
    MX_TRY(mx_view_create(ctx, "columns", MX_I32, 1, &app->entries, &options, &app->views.column));
    MX_TRY(mx_view_create(ctx, "matrix", MX_F64, 1, &app->entries, &options, &app->views.value));
    MX_TRY(fe_structure_args_bind(ctx, &app->views, &app->structure));
    MX_TRY(fe_columns(mx_range_1d(ctx, 0, rows), &app->structure));
    return mx_fence(ctx);
}

/* ---- assembly ---- */

static mx_err assemble_by_colours(fe_app *app)
{
    for (int colour = 0; colour < 8; colour++) {
        int64_t begin[] = {0, 0, 0}, end[3];
        for (int d = 0; d < 3; d++) {
            const int low = app->from[d] + (colour >> d & 1);
            app->assemble.low[d] = low;
            end[d] = low < app->to[d] ? (app->to[d] - low + 1) / 2 : 0;
        }
        MX_TRY(fe_assemble_colour(
            mx_range_3d(app->base.ctx, begin[0], end[0], begin[1], end[1], begin[2], end[2]),
            &app->assemble));
    }
    return MX_OK;
}

static mx_err assemble(fe_app *app)
{
    const mx_ctx ctx = app->base.ctx;
    const int *low = app->from, *high = app->to;
    app->coordinates.mesh = app->assemble.mesh = app->mesh;
    app->coordinates.distorted = app->input.mesh == FE_MESH_DISTORTED;
    app->assemble.manufactured = app->input.problem == FE_PROBLEM_MANUFACTURED;
    MX_TRY(mx_view_create_1d(ctx, "b", MX_F64, fe_rows(&app->mesh), &app->views.b));
    MX_TRY(mx_view_create_2d(ctx, "coordinates", MX_F64, 3, fe_held(&app->mesh),
                             &app->views.coordinates));
    MX_TRY(fe_coordinates_args_bind(ctx, &app->views, &app->coordinates));
    MX_TRY(fe_assemble_args_bind(ctx, &app->views, &app->assemble));
    MX_TRY(fe_coordinates(
        mx_range_3d(ctx, 0, app->mesh.extent[0], 0, app->mesh.extent[1], 0, app->mesh.extent[2]),
        &app->coordinates));
    if (app->input.assembly == FE_ASSEMBLY_COLOURS)
        MX_TRY(assemble_by_colours(app));
    else
        MX_TRY(fe_assemble_atomic(
            mx_range_3d(ctx, low[0], high[0], low[1], high[1], low[2], high[2]), &app->assemble));
    return mx_fence(ctx);
}

static mx_err impose_boundary(fe_app *app)
{
    const mx_ctx ctx = app->base.ctx;
    app->boundary.mesh = app->mesh;
    MX_TRY(fe_boundary_args_bind(ctx, &app->views, &app->boundary));
    const mx_range_1 rows = mx_range_1d(ctx, 0, fe_rows(&app->mesh));
    if (app->input.problem == FE_PROBLEM_MANUFACTURED) {
        MX_TRY(fe_boundary_exact(rows, &app->boundary));
        return mx_fence(ctx);
    }
    MX_TRY(fe_boundary(rows, &app->boundary));
    MX_TRY(mx_fence(ctx));
    return mx_view_destroy(&app->views.coordinates); /* the solver does not need them */
}

/* ---- the solver's vectors ---- */

static mx_err make_vectors(fe_app *app)
{
    const mx_ctx ctx = app->base.ctx;
    const int rows = fe_rows(&app->mesh), held = fe_held(&app->mesh);
    MX_TRY(mx_view_create_1d(ctx, "x", MX_F64, rows, &app->views.x));
    MX_TRY(mx_view_create_1d(ctx, "cg r", MX_F64, rows, &app->views.r));
    MX_TRY(mx_view_create_1d(ctx, "cg p", MX_F64, held, &app->views.p));
    MX_TRY(mx_view_create_1d(ctx, "cg w", MX_F64, rows, &app->views.w));
    MX_TRY(mx_view_create_1d(ctx, "cg r.r", MX_F64, FE_RING, &app->views.rr));
    MX_TRY(mx_view_create_1d(ctx, "cg p.w", MX_F64, FE_RING, &app->views.pw));
    MX_TRY(mx_mirror_view_create(app->views.rr, &app->rr_host));
    MX_TRY(mx_mirror_view_create(app->views.pw, &app->pw_host));
    MX_TRY(fe_product_args_bind(ctx, &app->views, &app->product));
    MX_TRY(fe_start_args_bind(ctx, &app->views, &app->start));
    MX_TRY(fe_update_args_bind(ctx, &app->views, &app->update));
    MX_TRY(fe_direction_args_bind(ctx, &app->views, &app->direction));
    app->residuals = calloc((size_t)app->input.max_iterations + 1, sizeof(double));
    MX_REQUIRE(app->residuals != NULL, MX_ERR_MEMORY,
               "no memory for the residuals of %lld iterations",
               (long long)app->input.max_iterations);
    return MX_OK;
}

/* ---- stages ---- */

/* Does one part of the set-up, and prints the original's line with the time that it took. */
static mx_err timed(fe_app *app, const char *what, app_region *region, mx_err (*part)(fe_app *))
{
    const double begin = app_now();
    app_region_begin(region);
    const mx_err err = app_agree(app->base.comm, part(app));
    app_region_end(region, 0, 0, 0);
    if (err == MX_OK)
        app_print(app->base.report, "%30s%gs, total time: %g\n", what, app_now() - begin,
                  app_now() - app->started);
    return err;
}

static mx_err add_regions(fe_app *app)
{
    const app_report report = app->base.report;
    MX_TRY(app_region_add(report, "mesh", &app->mesh_time));
    MX_TRY(app_region_add(report, "structure", &app->structure_time));
    MX_TRY(app_region_add(report, "assembly", &app->assembly_time));
    MX_TRY(app_region_add(report, "boundary", &app->boundary_time));
    return app_region_add(report, "cg", &app->solve_time);
}

static mx_err count(fe_app *app)
{
    int64_t sums[] = {fe_rows(&app->mesh), app->entries};
    MX_TRY(app_sum_i64(app->base.comm, sums, 2));
    app->all_rows = sums[0];
    app->all_entries = sums[1];
    return MX_OK;
}

mx_err fe_set_up(void *data)
{
    fe_app *const app = data;
    app->started = app_now();
    MX_TRY(add_regions(app));
    app_print_place(&app->base);
    MX_TRY(timed(app, "creating/filling mesh...", app->mesh_time, fe_make_mesh));
    MX_TRY(timed(app, "generating matrix structure...", app->structure_time, make_matrix));
    MX_TRY(timed(app, "assembling FE data...", app->assembly_time, assemble));
    MX_TRY(fe_dump(app, "assembled"));
    MX_TRY(timed(app, "imposing Dirichlet BC...", app->boundary_time, impose_boundary));
    MX_TRY(fe_dump(app, "system"));
    MX_TRY(count(app));
    return make_vectors(app);
}

void fe_clean_up(void *data)
{
    fe_app *const app = data;
    fe_views *const v = &app->views;
    mx_view *const all[] = {&v->coordinates, &v->begin,     &v->column,   &v->value, &v->b,
                            &v->x,           &v->r,         &v->p,        &v->w,     &v->rr,
                            &v->pw,          &app->rr_host, &app->pw_host};
    app_index_exchange_destroy(&app->ghosts);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) (void)mx_view_destroy(all[i]);
    free(app->residuals);
}
