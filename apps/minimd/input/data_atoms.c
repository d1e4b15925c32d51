/* Atoms, box, masses and coefficients from a LAMMPS data file. Positions are relative to the low
 * corner of the box here; results have them as the file does. */
#include "md_app.h"

static const char *file_of(const md_app *app) { return app->input.data_file; }

/* What the file says must not be said by the deck too; the deck's line of epsilon and sigma, which
 * is always there, gives way. */
static mx_err check_conflicts(const md_app *app)
{
    const md_data_about *const a = &app->data;
    const md_input *const in = &app->input;
    const app_given *const epsilon = app_keys_given(&app->base.keys, offsetof(md_input, epsilon));
    const app_given *const sigma = app_keys_given(&app->base.keys, offsetof(md_input, sigma));
    const bool commanded = (epsilon && epsilon->source == APP_KEY_COMMAND) ||
                           (sigma && sigma->source == APP_KEY_COMMAND);
    MX_REQUIRE(!a->has_masses || in->masses == 0, MX_ERR_INPUT,
               "%s: Masses: got masses here and by the key mass, expected one of them",
               file_of(app));
    MX_REQUIRE(
        !a->has_pairs || in->force == MD_FORCE_LJ, MX_ERR_INPUT,
        "%s: Pair Coeffs: got coefficients of Lennard-Jones, expected none with the force eam",
        file_of(app));
    MX_REQUIRE(
        !a->has_pairs || !commanded, MX_ERR_INPUT,
        "%s: Pair Coeffs: got coefficients here and on the command line, expected one of them",
        file_of(app));
    return MX_OK;
}

/* The list has pairs up to the deck's cutoff. */
static mx_err check_cutoffs(const md_app *app)
{
    const double limit = app->input.cutoff;
    for (int i = 0; app->data.has_pairs && i < app->types; i++)
        for (int j = 0; j < app->types; j++)
            MX_REQUIRE(
                md_pair_coefficients(app, i, j).cutoff <= limit, MX_ERR_INPUT,
                "%s: Pair Coeffs: got the cutoff %g for types %d and %d, expected at most %g, the deck's",
                file_of(app), md_pair_coefficients(app, i, j).cutoff, i + 1, j + 1, limit);
    return MX_OK;
}

/* Values of each type: one for all, or one for each. */
static mx_err check_list(const md_app *app, const char *name, int count)
{
    MX_REQUIRE(count <= 1 || count == app->types, MX_ERR_INPUT,
               "%s: got %d values, expected one, or %d as %s has types", name, count, app->types,
               file_of(app));
    return MX_OK;
}

mx_err md_read_data(md_app *app)
{
    md_data_about *const a = &app->data;
    md_path path;
    const char *const file = md_find_file(app, file_of(app), &path);
    MX_TRY(app_path_reads(&app->base, "the data file", file));
    MX_TRY(md_data_spread(app->base.comm, file, a, &app->data_atoms));
    app->atoms = a->atoms;
    app->types = a->types;
    for (int d = 0; d < 3; d++) {
        app->origin[d] = a->low[d];
        app->box.length[d] = a->high[d] - a->low[d];
    }
    MX_TRY(check_list(app, "epsilon", app->input.epsilons));
    MX_TRY(check_list(app, "sigma", app->input.sigmas));
    MX_TRY(check_list(app, "mass", app->input.masses));
    MX_TRY(check_conflicts(app));
    return check_cutoffs(app);
}

void md_use_data_masses(md_app *app)
{
    for (int t = 0; app->data.has_masses && t < app->types; t++) app->mass[t] = app->data.mass[t];
}

/* The first `count` elements of a view. */
static mx_err import_atoms(mx_ctx ctx, mx_view view, mx_lid count, int columns, const void *values,
                           mx_type type)
{
    mx_view part;
    if (columns > 0)
        MX_TRY(mx_subview(view, MX_SLICES(mx_span(0, count), mx_all()), &part));
    else
        MX_TRY(mx_subview(view, MX_SLICES(mx_span(0, count)), &part));
    const mx_err err = mx_import_(ctx, part, values, NULL, type);
    MX_TRY(mx_view_destroy(&part));
    return err;
}

static mx_err import_all(md_app *app)
{
    const mx_ctx ctx = app->base.ctx;
    const md_data_atoms *const a = &app->data_atoms;
    const md_views *const v = &app->views;
    MX_TRY(import_atoms(ctx, v->position, a->count, 3, a->position, MX_F64));
    MX_TRY(import_atoms(ctx, v->velocity, a->count, 3, a->velocity, MX_F64));
    MX_TRY(import_atoms(ctx, v->type, a->count, 0, a->type, MX_I32));
    return import_atoms(ctx, v->id, a->count, 0, a->id, MX_I64);
}

/* They go to the ranks of their bricks before the first list is made (md_migrate). */
mx_err md_place_data(md_app *app)
{
    md_data_atoms *const a = &app->data_atoms;
    for (mx_lid i = 0; i < a->count; i++)
        for (int d = 0; d < 3; d++) a->position[i][d] -= app->origin[d];
    MX_TRY(app_agree(app->base.comm, md_reserve(app, a->count)));
    app->local = a->count;
    MX_TRY(app_agree(app->base.comm, import_all(app)));
    md_data_free_atoms(a);
    return MX_OK;
}
