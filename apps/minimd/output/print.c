/* What the original prints before the first step and after the last one. Lines of settings begin
 * with '#', so that the lines between them are a table for gnuplot and its like. */
#include "md_app.h"

#include <math.h>

md_settings md_get_settings(const md_app *app)
{
    const md_input *const in = &app->input;
    const double *const length = app->box.length;
    mx_ctx_info info = {0};
    md_settings s = {.density = (double)app->atoms / (length[0] * length[1] * length[2])};
    (void)mx_ctx_get_info(app->base.ctx, &info);
    s.backend = info.backend ? info.backend : "unknown";
    s.threads = info.threads > 0 ? info.threads : 1;
    s.half_lists = app->half;
    s.ghost_newton = app->ghost_newton;
    s.sort = in->sort < 0 ? in->every : in->sort;
    for (int d = 0; d < 3; d++) s.bins[d] = llround(length[d] * app->form->bins_inverse(app, d));
    return s;
}

/* With the element of each type, and whose mass counts. */
static void print_potential(const md_app *app)
{
    const char *const masses = app->data.has_masses     ? "of the data file"
                               : app->input.masses == 0 ? "of the potential"
                                                        : "of the key mass";
    app_print(app->base.report,
              "\t# ForceStyle: EAM\n\t# Potential: %s\n\t# Elements:", md_potential_name(app));
    for (int t = 0; t < app->types; t++) {
        const md_element *const e = &app->potential.element[app->elements[t]];
        app_print(app->base.report, "%s %d %s (mass %g", t > 0 ? "," : "", t + 1,
                  e->name[0] ? e->name : "unnamed", app->mass[t]);
        if (app->mass[t] != e->mass) app_print(app->base.report, ", not %g", e->mass);
        app_print(app->base.report, ")");
    }
    app_print(app->base.report, "; masses %s\n", masses);
}

static void print_physics(const md_app *app, const md_settings *s)
{
    const app_report report = app->base.report;
    const md_input *const in = &app->input;
    const double *const length = app->box.length;
    const md_coefficients first = md_pair_coefficients(app, 0, 0);
    app_print(report, "# Physics Settings: \n");
    if (in->force == MD_FORCE_LJ)
        app_print(report, "\t# ForceStyle: LJ\n\t# Force Parameters: %2.2f %2.2f\n", first.epsilon,
                  first.sigma);
    else
        print_potential(app);
    app_print(report, "\t# Units: %s\n", in->units == MD_UNITS_LJ ? "LJ" : "METAL");
    app_print(report, "\t# Atoms: %lld\n\t# Atom types: %d\n", (long long)app->atoms, app->types);
    app_print(report, "\t# System size: %2.2f %2.2f %2.2f", length[0], length[1], length[2]);
    if (in->data_file)
        app_print(report, "\n");
    else
        app_print(report, " (unit cells: %lld %lld %lld)\n", (long long)in->nx, (long long)in->ny,
                  (long long)in->nz);
    app_print(report, "\t# Density: %f\n\t# Force cutoff: %f\n\t# Timestep size: %f\n", s->density,
              app->force_cutoff, in->dt);
}

static void print_technical(const md_app *app, const md_settings *s)
{
    const app_report report = app->base.report;
    const md_input *const in = &app->input;
    app_print(report, "# Technical Settings: \n\t# Neigh cutoff: %f\n", app->list_cutoff);
    app_print(report, "\t# Half neighborlists: %d\n", s->half_lists);
    app_print(report, "\t# Neighbor bins: %lld %lld %lld\n", (long long)s->bins[0],
              (long long)s->bins[1], (long long)s->bins[2]);
    app_print(report, "\t# Neighbor frequency: %d\n\t# Sorting frequency: %d\n", in->every,
              s->sort);
    app_print(report, "\t# Thermo frequency: %lld\n\t# Ghost Newton: %d\n", (long long)in->thermo,
              s->ghost_newton);
    app_print(report, "\t# Use intrinsics: 0\n\t# Do safe exchange: 1\n\t# Size of float: %zu\n\n",
              sizeof(double));
}

void md_print_settings(const md_app *app)
{
    const app_report report = app->base.report;
    const md_settings s = md_get_settings(app);
    app_print(report, "# miniMD-minx %s (MPI+%s) output ...\n# Run Settings: \n", mx_version(),
              s.backend);
    app_print(report, "\t# MPI processes: %d\n\t# OpenMP threads: %d\n", app_size(app->base.comm),
              s.threads);
    app_print(report, "\t# Inputfile: %s\n\t# Datafile: %s\n", app->base.options.deck,
              app->input.data_file ? app->input.data_file : "None");
    print_physics(app, &s);
    print_technical(app, &s);
}

/* ---- after the last step ---- */

md_spent md_time_spent(const md_app *app)
{
    md_spent t = {.total = app->times.solve->totals.seconds,
                  .force = md_part_totals(app, MD_PART_FORCE).seconds,
                  .list = md_part_totals(app, MD_PART_LIST).seconds,
                  .borders = md_part_totals(app, MD_PART_BORDERS).seconds};
    t.comm = md_part_totals(app, MD_PART_GHOSTS).seconds + t.borders;
    t.other = t.total - t.force - t.list - t.comm;
    return t;
}

double md_rate(const md_app *app, double seconds)
{
    const double steps = (double)app->base.iterations;
    return seconds > 0 ? (double)app->atoms * steps / seconds : 0;
}

/* The original's last lines. */
mx_err md_print_performance(md_app *app)
{
    md_spent t = md_time_spent(app);
    const md_settings s = md_get_settings(app);
    const int ranks = app_size(app->base.comm);
    double *const seconds[] = {&t.total, &t.force, &t.list, &t.comm, &t.other, &t.borders};
    for (size_t i = 0; i < sizeof seconds / sizeof seconds[0]; i++)
        MX_TRY(app_max_f64(app->base.comm, seconds[i], 1));
    const double rate = md_rate(app, t.total);
    app_print(
        app->base.report,
        "\n\n# Performance Summary:\n"
        "# MPI_proc OMP_threads nsteps natoms t_total t_force t_neigh t_comm t_other performance perf/thread "
        "grep_string t_extra\n"
        "%i %i %lld %lld %f %f %f %f %f %f %f PERF_SUMMARY %f\n\n\n",
        ranks, s.threads, (long long)app->base.iterations, (long long)app->atoms, t.total, t.force,
        t.list, t.comm, t.other, rate, rate / ranks / s.threads, t.borders);
    return MX_OK;
}
