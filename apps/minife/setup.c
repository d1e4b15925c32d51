#include "fe_app.h"
#include "operators/fe_operators.h"
#include "run/host_limits.h"

/* ---- the solver's vectors ---- */

static mx_err make_vector(fe_app *app, const char *label, int64_t count, mx_view *view)
{
    return mx_view_create_1d(app->base.ctx, label, MX_F64, count, view);
}

static mx_err bind_vectors(fe_app *app)
{
    const mx_ctx ctx = app->base.ctx;
    const fe_vectors *v = &app->vectors;
    MX_TRY(fe_start_args_bind(ctx, v, &app->start));
    MX_TRY(fe_update_args_bind(ctx, v, &app->update));
    MX_TRY(fe_direction_args_bind(ctx, v, &app->direction));
    if (app->preconditioner != NULL) MX_TRY(fe_dot_args_bind(ctx, v, &app->dot));
    if (app->input.solver == FE_SOLVER_SINGLE_REDUCTION)
        MX_TRY(fe_single_args_bind(ctx, v, &app->single));
    return MX_OK;
}

/* Single reduction multiplies A and z, which without preconditioner is r. */
static mx_err make_vectors(fe_app *app)
{
    fe_vectors *const v = &app->vectors;
    const int64_t rows = fe_rows(&app->level.mesh), held = fe_held(&app->level.mesh);
    const bool single = app->input.solver == FE_SOLVER_SINGLE_REDUCTION,
               preconditioned = app->input.preconditioner != FE_PRECONDITIONER_NONE;
    v->b = app->level.views.b;
    MX_TRY(make_vector(app, "x", rows, &v->x));
    MX_TRY(make_vector(app, "cg r", single && !preconditioned ? held : rows, &v->r));
    MX_TRY(make_vector(app, "cg p", held, &v->p));
    MX_TRY(make_vector(app, "cg w", rows, &v->w));
    if (single) MX_TRY(make_vector(app, "cg s", rows, &v->s));
    if (preconditioned)
        MX_TRY(make_vector(app, "cg z", held, &v->z));
    else
        MX_TRY(mx_view_retain(v->z = v->r));
    MX_TRY(make_vector(app, "cg scalars", FE_RING * FE_SCALARS, &v->scalars));
    return mx_mirror_if_needed(v->scalars, &app->scalars_host);
}

/* ---- the preconditioner ---- */

static mx_err make_preconditioner(fe_app *app)
{
    if (app->input.preconditioner == FE_PRECONDITIONER_NONE) return MX_OK;
    app_region_begin(app->preconditioner_time);
    mx_err err =
        fe_preconditioner_create(&app->level, app->vectors.r, app->vectors.z, &app->preconditioner);
    if (err == MX_OK) err = mx_fence(app->base.ctx);
    app_region_end(app->preconditioner_time, 0, 0, 0);
    return err;
}

/* ---- memory ---- */

/* What this rank needs: matrix, vectors, and coordinates where products read them. The coarser
 * meshes of a preconditioner, which have at most an eighth of the nodes, are left out. */
static double bytes_needed(const fe_level *level)
{
    const fe_input *const in = level->input;
    const bool preconditioned = in->preconditioner != FE_PRECONDITIONER_NONE;
    const bool single = in->solver == FE_SOLVER_SINGLE_REDUCTION;
    const bool coordinates = level->op->needs_coordinates;
    /* b, x, r, p, w; s; z */
    const int vectors = 5 + (single ? 1 : 0) + (preconditioned ? 1 : 0);
    const double rows = fe_rows(&level->mesh), matrix = fe_matrix_bytes(level);
    return matrix + fe_bytes_of_preconditioner(in, rows, matrix) +
           (double)sizeof(double) *
               (vectors * rows + (coordinates ? 3 : 0) * (double)fe_held(&level->mesh));
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

static mx_err add_parts(fe_app *app)
{
    const app_report report = app->base.report;
    MX_TRY(app_region_add(report, "ghosts", &app->parts.exchange));
    MX_TRY(app_region_add(report, "product", &app->parts.product));
    MX_TRY(app_region_add(report, "precondition", &app->parts.precondition));
    MX_TRY(app_region_add(report, "vectors", &app->parts.vectors));
    return app_region_add(report, "sums", &app->parts.sums);
}

static mx_err add_regions(fe_app *app)
{
    const app_report report = app->base.report;
    MX_TRY(app_region_add(report, "mesh", &app->mesh_time));
    MX_TRY(app_region_add(report, "structure", &app->structure_time));
    MX_TRY(app_region_add(report, "assembly", &app->assembly_time));
    MX_TRY(app_region_add(report, "boundary", &app->boundary_time));
    MX_TRY(app_region_add(report, "preconditioner", &app->preconditioner_time));
    MX_TRY(app_region_add(report, "solve", &app->solve_time));
    return add_parts(app);
}

static mx_err make_mesh(fe_level *level)
{
    const fe_input *in = level->input;
    const mx_gid elements[] = {in->nz, in->ny, in->nx};
    MX_TRY(fe_make_mesh(level, elements));
    return app_memory_check(level->base->comm, level->base->ctx, bytes_needed(level), "elements");
}

static void note_ignored_keys(const fe_app *app)
{
    const app_keys *const keys = &app->base.keys;
    for (int i = 0; i < keys->input->count; i++) {
        const app_key *const row = &keys->input->keys[i];
        if ((row->flags & FE_KEY_IS_IGNORED) && keys->given[i].source != 0)
            app_print_note(&app->base, "%s: a key of the original, without effect here: %s",
                           row->name, row->help);
    }
}

static mx_err set_up(fe_app *app)
{
    app->started = app_now();
    note_ignored_keys(app);
    app->level.base = &app->base;
    app->level.input = &app->input;
    app->level.op = fe_operator_forms[app->input.operator_kind];
    MX_TRY(fe_list_files(app));
    MX_TRY(add_regions(app));
    app_print_place(&app->base);
    if (app->input.precision == FE_PRECISION_MIXED) {
        app->base.precision = "f32 matrix, f64 vectors";
        app_print(app->base.report, " precision mixed: %s\n", app->base.precision);
    }
    MX_TRY(timed(app, "creating/filling mesh...", app->mesh_time, make_mesh));
    MX_TRY(timed(app, "generating matrix structure...", app->structure_time, fe_make_structure));
    MX_TRY(timed(app, "assembling FE data...", app->assembly_time, fe_assemble));
    MX_TRY(fe_dump(app, "assembled"));
    MX_TRY(timed(app, "imposing Dirichlet BC...", app->boundary_time, fe_impose_boundary));
    MX_TRY(fe_dump(app, "system"));
    app_solves(&app->base, &(app_problem){.name = fe_problem_name(&app->input, &app->problem),
                                          .size = app->level.all_rows,
                                          .merit = "row iteration rate",
                                          .unit = "row iterations/s",
                                          .solve = app->solve_time});
    if (app->input.overlap) MX_TRY(fe_make_overlap(&app->level));
    MX_TRY(make_vectors(app));
    MX_TRY(make_preconditioner(app));
    app->set_up_resident = fe_resident();
    return bind_vectors(app);
}

mx_err fe_set_up(fe_app *app) { return app_end_stage(&app->base, set_up(app)); }

void fe_clean_up(fe_app *app)
{
    fe_vectors *const v = &app->vectors;
    mx_view *const all[] = {&app->kept.x, &app->kept.r, &app->kept.p, &app->kept.s,
                            &v->x,        &v->r,        &v->p,        &v->w,
                            &v->z,        &v->s,        &v->scalars,  &app->scalars_host};
    fe_preconditioner_destroy(&app->preconditioner);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) (void)mx_view_destroy(all[i]);
    fe_level_destroy(&app->level);
    app_series_free(&app->residuals);
}
