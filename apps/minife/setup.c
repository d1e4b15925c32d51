#include "fe_app.h"

#include <stdlib.h>

/* ---- the solver's vectors ---- */

static mx_err make_vectors(fe_app *app)
{
    const mx_ctx ctx = app->base.ctx;
    const int rows = fe_rows(&app->level.mesh), held = fe_held(&app->level.mesh);
    app->vectors.b = app->level.views.b;
    MX_TRY(mx_view_create_1d(ctx, "x", MX_F64, rows, &app->vectors.x));
    MX_TRY(mx_view_create_1d(ctx, "cg r", MX_F64, rows, &app->vectors.r));
    MX_TRY(mx_view_create_1d(ctx, "cg p", MX_F64, held, &app->vectors.p));
    MX_TRY(mx_view_create_1d(ctx, "cg w", MX_F64, rows, &app->vectors.w));
    MX_TRY(mx_view_create_1d(ctx, "cg r.r", MX_F64, FE_RING, &app->vectors.rr));
    MX_TRY(mx_view_create_1d(ctx, "cg p.w", MX_F64, FE_RING, &app->vectors.pw));
    MX_TRY(mx_mirror_view_create(app->vectors.rr, &app->rr_host));
    MX_TRY(mx_mirror_view_create(app->vectors.pw, &app->pw_host));
    MX_TRY(fe_start_args_bind(ctx, &app->vectors, &app->start));
    MX_TRY(fe_update_args_bind(ctx, &app->vectors, &app->update));
    MX_TRY(fe_direction_args_bind(ctx, &app->vectors, &app->direction));
    app->residuals = calloc((size_t)app->input.max_iterations + 1, sizeof(double));
    MX_REQUIRE(app->residuals != NULL, MX_ERR_MEMORY,
               "no memory for the residuals of %lld iterations",
               (long long)app->input.max_iterations);
    return MX_OK;
}

/* ---- stages ---- */

/* Does one part of the set-up, and prints the original's line with the time that it took. */
static mx_err timed(fe_app *app, const char *what, app_region *region, mx_err (*part)(fe_level *))
{
    const double begin = app_now();
    app_region_begin(region);
    const mx_err err = app_agree(app->base.comm, part(&app->level));
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

static mx_err make_mesh(fe_level *level)
{
    const fe_input *in = level->input;
    const mx_gid elements[] = {in->nz, in->ny, in->nx};
    return fe_make_mesh(level, elements);
}

mx_err fe_set_up(void *data)
{
    fe_app *const app = data;
    app->started = app_now();
    app->level.base = &app->base;
    app->level.input = &app->input;
    MX_TRY(add_regions(app));
    app_print_place(&app->base);
    MX_TRY(timed(app, "creating/filling mesh...", app->mesh_time, make_mesh));
    MX_TRY(timed(app, "generating matrix structure...", app->structure_time, fe_make_structure));
    MX_TRY(timed(app, "assembling FE data...", app->assembly_time, fe_assemble));
    MX_TRY(fe_dump(app, "assembled"));
    MX_TRY(timed(app, "imposing Dirichlet BC...", app->boundary_time, fe_impose_boundary));
    MX_TRY(fe_dump(app, "system"));
    return make_vectors(app);
}

void fe_clean_up(void *data)
{
    fe_app *const app = data;
    fe_vectors *const v = &app->vectors;
    mx_view *const all[] = {&v->x,  &v->r,  &v->p,         &v->w,
                            &v->rr, &v->pw, &app->rr_host, &app->pw_host};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) (void)mx_view_destroy(all[i]);
    fe_level_destroy(&app->level);
    free(app->residuals);
}
