#include "md_app.h"
#include "run/host_limits.h"

#include <math.h>

/* ---- memory ---- */

static md_mean_counts count_mean(const md_app *app)
{
    const md_box *const box = &app->box;
    const double cutoff = app->list_cutoff, sphere = 4.0 / 3.0 * MX_PI * pow(cutoff, 3);
    md_mean_counts n = {.density = (double)app->atoms,
                        .local = (double)app->atoms / app_size(app->base.comm)};
    n.held = n.local;
    for (int d = 0; d < 3; d++) {
        n.density /= box->length[d];
        n.held *= 1 + 2 * cutoff * box->ranks[d] / box->length[d];
    }
    n.pairs = 0.5 * n.local * n.density * sphere;
    return n;
}

/* What a rank needs: its atoms and ghosts, with the spare room of md_reserve; messages about ghosts;
 * the list. */
static double bytes_needed(md_app *app)
{
    const md_mean_counts n = count_mean(app);
    const double of_position = 3 * sizeof(double);
    return 1.25 * md_bytes_of_atom(app) * n.held + 2 * of_position * (n.held - n.local) +
           app->form->bytes(app, &n);
}

/* What an index cannot count would not fit either, but more hosts would not help. */
static mx_err check_memory(md_app *app)
{
    const app_comm comm = app->base.comm;
    int64_t capacity;
    MX_TRY(md_choose_capacity(app->atoms / app_size(comm), &capacity));
    return app_memory_check(comm, app->base.ctx, bytes_needed(app), "atoms");
}

/* ---- atoms of a lattice ---- */

/* The sites of this rank along an axis: those whose positions are in its brick. */
static void cut_sites(const md_box *box, md_lattice *l, int d)
{
    const int64_t sites = 2 * l->cells[d];
    int64_t bound[2];
    for (int end = 0; end < 2; end++) {
        const double low = md_brick_low(box, d, box->brick[d] + end);
        int64_t site = (int64_t)(low / l->spacing) - 1; /* at or before the first one */
        if (site < 0) site = 0;
        while (site < sites && l->spacing * (double)site < low) site++;
        bound[end] = box->brick[d] + end == box->ranks[d] ? sites : site;
    }
    l->first[d] = bound[0];
    l->count[d] = (int)(bound[1] - bound[0]);
}

/* Atoms of a unit cell of this density fill it: 4 in a cube. */
static void choose_lattice(md_app *app)
{
    const md_input *const in = &app->input;
    const int64_t cells[] = {in->nx, in->ny, in->nz};
    const double side = pow(4.0 / in->density, 1.0 / 3.0);
    app->lattice.spacing = 0.5 * side;
    for (int d = 0; d < 3; d++) {
        app->lattice.cells[d] = cells[d];
        app->box.length[d] = side * (double)cells[d];
    }
    app->atoms = 4 * in->nx * in->ny * in->nz;
    app->types = in->types;
}

static mx_err make_lattice(md_app *app)
{
    md_lattice *const l = &app->lattice;
    for (int d = 0; d < 3; d++) cut_sites(&app->box, l, d);
    const int64_t local = md_lattice_atoms(l);
    MX_TRY(app_agree(app->base.comm, md_reserve(app, local)));
    app->local = (mx_lid)local;
    md_lattice_args args = {.lattice = *l, .types = app->types};
    MX_TRY(md_lattice_args_bind(app->base.ctx, &app->views, &args));
    const mx_range_3 range =
        mx_range_3d(app->base.ctx, 0, l->count[2], 0, l->count[1], 0, (l->count[0] + 1) / 2);
    return md_make_lattice(range, &args);
}

/* ---- velocities ---- */

/* Takes away the velocity of the centre of mass, and scales to the temperature of the deck. */
static mx_err scale_velocities(md_app *app)
{
    md_motion sum;
    MX_TRY(md_sum_all_motion(app, &sum));
    md_scale_args args = {.mean = {(sum.up_x - sum.down_x) / sum.mass,
                                   (sum.up_y - sum.down_y) / sum.mass,
                                   (sum.up_z - sum.down_z) / sum.mass},
                          .factor = 1};
    MX_TRY(md_scale_args_bind(app->base.ctx, &app->views, &args));
    MX_TRY(md_scale_velocities(md_local_range(app), &args));
    MX_TRY(md_sum_all_motion(app, &sum));
    const double temperature = md_temperature(app, sum.mvv);
    args =
        (md_scale_args){.factor = temperature > 0 ? sqrt(app->input.temperature / temperature) : 0};
    MX_TRY(md_scale_args_bind(app->base.ctx, &app->views, &args));
    return md_scale_velocities(md_local_range(app), &args);
}

/* ---- stages ---- */

static mx_err make_masses(md_app *app)
{
    app->one_mass = true;
    for (int t = 1; t < app->types; t++)
        if (app->mass[t] != app->mass[0]) app->one_mass = false;
    MX_TRY(mx_view_create_1d(app->base.ctx, "mass", MX_F64, app->types, &app->views.mass));
    MX_TRY(mx_import(app->base.ctx, app->views.mass, app->mass, NULL));
    /* metal units: force in eV/A, mass in g/mol, velocity in A/ps */
    app->move.one_mass = app->one_mass;
    app->move.dt = app->input.dt;
    app->move.factor = 0.5 * app->input.dt / app->scales.mvv_to_energy;
    if (app->one_mass) app->move.factor /= app->mass[0];
    return MX_OK;
}

static mx_err set_up(md_app *app)
{
    const bool from_file = app->input.data_file != NULL;
    MX_TRY(md_choose_list(app));
    if (app->input.precision == MD_PRECISION_MIXED) app->base.precision = "f64, pairs in f32";
    MX_REQUIRE(app->input.frames == 0 || app->base.results != NULL, MX_ERR_INPUT,
               "frames: got %lld without a results file, expected --output too",
               (long long)app->input.frames);
    if (app->input.yaml) MX_TRY(app_path_folder(&app->base, "yaml_output", "."));
    MX_TRY(md_add_parts(app));
    app_print_place(&app->base);
    app_print(app->base.report, "# Create System:\n");
    md_choose_scales(app);
    if (from_file)
        MX_TRY(md_read_data(app));
    else
        choose_lattice(app);
    MX_TRY(md_prepare_force(app));
    md_use_data_masses(app);
    MX_TRY(md_make_domain(app));
    MX_TRY(check_memory(app));
    MX_TRY(make_masses(app));
    MX_TRY(from_file ? md_place_data(app) : make_lattice(app));
    MX_TRY(md_bind(app));
    app->bound = true;
    if (!from_file) MX_TRY(scale_velocities(app));
    app_solves(&app->base, &(app_problem){.name = md_problem_name(&app->input),
                                          .size = app->atoms,
                                          .merit = "atom step rate",
                                          .unit = "atom-steps/s",
                                          .solve = app->times.solve});
    app_print(app->base.report, "# Done .... \n");
    return MX_OK;
}

mx_err md_set_up(md_app *app) { return app_end_stage(&app->base, set_up(app)); }

void md_clean_up(md_app *app)
{
    md_views *const v = &app->views;
    mx_view *const all[] = {
        &v->position, &v->velocity,   &v->force,       &v->type,       &v->id,
        &v->mass,     &v->pair,       &v->rank,        &v->bin,        &v->built_position,
        &v->bin_atom, &v->bin_begin,  &v->order,       &v->send,       &v->type_spare,
        &v->id_spare, &v->image_atom, &v->image_place, &v->send_begin, &v->slot,
    };
    md_free_domain(app);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) (void)mx_view_destroy(all[i]);
    md_free_history(app);
    md_data_free_atoms(&app->data_atoms);
    md_free_force(app);
    md_free_list(app);
}
