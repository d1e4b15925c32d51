/* The original's YAML file, miniMD-DATE.yaml, and the same on the screen: settings, the lines of
 * thermodynamic output, times.
 *
 * The keys are the original's. Different from there: the file can be read by a YAML library (the
 * lines of output are a list, not one key many times), what the original writes into comments (how
 * times and numbers of atoms spread over the ranks) are data, the conservation is that of the total
 * energy in any units. */
#include "md_app.h"
#include "results/yaml.h"

#include <math.h>
#include <stdlib.h>

/* ---- how values spread over the ranks ---- */

enum { FORCE, LIST, COMM, OTHER, TOTAL, LOCAL, GHOST, SWAPS, NEIGHBOURS, VALUES, HISTOGRAM = 10 };

static const char *const names[VALUES] = {"force_time", "neigh_time", "comm_time",
                                          "other_time", "total_time", "nlocal",
                                          "nghost",     "nswaps",     "neighs"};

typedef struct spread {
    double average, highest, lowest;
    int64_t ranks[HISTOGRAM]; /* in equal parts of lowest to highest */
} spread;

static spread spread_of(const double *all, int ranks, int value)
{
    spread s = {.highest = -INFINITY, .lowest = INFINITY};
    for (int r = 0; r < ranks; r++) {
        const double v = all[r * VALUES + value];
        s.average += v / ranks;
        s.highest = fmax(s.highest, v);
        s.lowest = fmin(s.lowest, v);
    }
    for (int r = 0; r < ranks; r++) {
        const double width = s.highest - s.lowest;
        const double part = width > 0 ? (all[r * VALUES + value] - s.lowest) / width : 0;
        s.ranks[part < 1 ? (int)(part * HISTOGRAM) : HISTOGRAM - 1]++;
    }
    return s;
}

/* Every rank's values, on all ranks. */
static mx_err gather(md_app *app, double **all)
{
    const md_spent t = md_time_spent(app);
    double mine[VALUES] = {[FORCE] = t.force,
                           [LIST] = t.list,
                           [COMM] = t.comm,
                           [OTHER] = t.other,
                           [TOTAL] = t.total,
                           [LOCAL] = app->local,
                           [GHOST] = app->ghosts,
                           [SWAPS] = md_around_count(&app->around) - 1,
                           [NEIGHBOURS] = (double)app->pairs};
    *all = malloc((size_t)app_size(app->base.comm) * sizeof mine);
    MX_TRY(app_agree(app->base.comm,
                     *all ? MX_OK : MX_FAIL(MX_ERR_MEMORY, "no memory for the YAML file")));
    return app_allgather(app->base.comm, mine, sizeof mine, *all);
}

/* ---- the document ---- */

static void add_run(const md_app *app, app_yaml *y)
{
    const md_settings s = md_get_settings(app);
    char variant[128];
    snprintf(variant, sizeof variant, "minx %s (MPI+%s)", mx_version(), s.backend);
    app_yaml_text(y, "variant", variant);
    app_yaml_whole(y, "mpi_processes", app_size(app->base.comm));
    app_yaml_whole(y, "thread_teams", 1);
    app_yaml_whole(y, "threads", s.threads);
    app_yaml_text(y, "datafile", app->input.data_file ? app->input.data_file : "None");
}

static void add_physics(const md_app *app, app_yaml *y)
{
    const md_input *const in = &app->input;
    const md_coefficients first = md_pair_coefficients(app, 0, 0);
    const int64_t cells[] = {in->nx, in->ny, in->nz};
    app_yaml_text(y, "units", in->units == MD_UNITS_LJ ? "LJ" : "METAL");
    app_yaml_whole(y, "atoms", app->atoms);
    app_yaml_whole(y, "atom_types", app->types);
    app_yaml_reals(y, "system_size", app->box.length, 3);
    if (!in->data_file) app_yaml_wholes(y, "unit_cells", cells, 3);
    app_yaml_real(y, "density", md_get_settings(app).density);
    app_yaml_text(y, "force_type", in->force == MD_FORCE_LJ ? "LJ" : "EAM");
    app_yaml_real(y, "force_cutoff", app->force_cutoff);
    if (in->force == MD_FORCE_LJ)
        app_yaml_reals(y, "force_params", (const double[]){first.epsilon, first.sigma}, 2);
    else
        app_yaml_text(y, "force_params", md_potential_name(app));
}

static void add_technical(const md_app *app, app_yaml *y)
{
    const md_input *const in = &app->input;
    const md_settings s = md_get_settings(app);
    app_yaml_real(y, "neighbor_cutoff", app->list_cutoff);
    app_yaml_whole(y, "neighbor_type", s.half_lists);
    app_yaml_wholes(y, "neighbor_bins", s.bins, 3);
    app_yaml_whole(y, "neighbor_frequency", in->every);
    app_yaml_whole(y, "sort_frequency", s.sort);
    app_yaml_real(y, "timestep_size", in->dt);
    app_yaml_whole(y, "thermo_frequency", in->thermo);
    app_yaml_whole(y, "ghost_newton", s.ghost_newton);
    app_yaml_whole(y, "use_intrinsics", 0);
    app_yaml_whole(y, "safe_exchange", 1);
    app_yaml_whole(y, "float_size", sizeof(double));
}

static void add_lines(const md_app *app, app_yaml *y)
{
    const md_history *const h = &app->history;
    app_yaml_list(y, "thermodynamic_output");
    for (int64_t i = 0; i < h->step.count; i++) {
        app_yaml_item(y);
        app_yaml_whole(y, "timestep", (int64_t)h->step.values[i]);
        app_yaml_real(y, "T*", h->temperature.values[i]);
        app_yaml_real(y, "U*", h->potential.values[i] * app->scales.printed_energy);
        app_yaml_real(y, "P*", h->pressure.values[i]);
        app_yaml_real(y, "Conservation", h->total.values[i] / h->total.values[0]);
        app_yaml_up(y);
    }
    app_yaml_up(y);
}

/* Of the slowest rank, each. */
static void add_times(const md_app *app, app_yaml *y, const double *all)
{
    const int ranks = app_size(app->base.comm);
    const double total = spread_of(all, ranks, TOTAL).highest;
    const double rate = md_rate(app, total);
    app_yaml_map(y, "time");
    app_yaml_map(y, "total");
    app_yaml_real(y, "time", total);
    app_yaml_real(y, "performance", rate);
    app_yaml_real(y, "performance_proc", rate / ranks);
    app_yaml_up(y);
    app_yaml_real(y, "force", spread_of(all, ranks, FORCE).highest);
    app_yaml_real(y, "neigh", spread_of(all, ranks, LIST).highest);
    app_yaml_real(y, "comm", spread_of(all, ranks, COMM).highest);
    app_yaml_real(y, "other", spread_of(all, ranks, OTHER).highest);
    app_yaml_up(y);
}

static void add_spreads(const md_app *app, app_yaml *y, const double *all)
{
    const int ranks = app_size(app->base.comm);
    const double pairs = spread_of(all, ranks, NEIGHBOURS).average * ranks;
    app_yaml_map(y, "statistics");
    for (int v = 0; v < VALUES; v++) {
        const spread s = spread_of(all, ranks, v);
        app_yaml_map(y, names[v]);
        app_yaml_real(y, "average", s.average);
        app_yaml_real(y, "maximum", s.highest);
        app_yaml_real(y, "minimum", s.lowest);
        app_yaml_wholes(y, "histogram", s.ranks, HISTOGRAM);
        app_yaml_up(y);
    }
    app_yaml_whole(y, "total_neighbors", llround(pairs));
    app_yaml_real(y, "neighbors_per_atom", pairs / (double)app->atoms);
    app_yaml_up(y);
}

static mx_err write(md_app *app, app_yaml *y, const double *all)
{
    app_yaml_name name;
    app_yaml_map(y, "run_configuration");
    add_run(app, y);
    add_physics(app, y);
    add_technical(app, y);
    app_yaml_up(y);
    add_lines(app, y);
    add_times(app, y, all);
    add_spreads(app, y, all);
    if (app->input.yaml_screen && y->text.text) app_print(app->base.report, "%s", y->text.text);
    if (!app->input.yaml) return MX_OK;
    return app_yaml_write(app->base.comm, y, app_yaml_file_name("miniMD-", NULL, &name));
}

mx_err md_write_yaml(md_app *app)
{
    double *all = NULL;
    app_yaml yaml = {0};
    if (!app->input.yaml && !app->input.yaml_screen) return MX_OK;
    mx_err err = gather(app, &all);
    if (err == MX_OK) err = write(app, &yaml, all);
    app_yaml_free(&yaml);
    free(all);
    return err;
}
