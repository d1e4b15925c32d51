/* What a results file of miniMD holds, by its input. */
#include "md_checks.h"

#include <float.h>
#include <stdlib.h>

/* Units, as the file has them: of Lennard-Jones, and metal. */
static const mv_units lj = {.energy = 1,
                            .boltzmann = 1,
                            .pressure = 1,
                            .energy_name = "epsilon",
                            .temperature_name = "epsilon/k",
                            .pressure_name = "epsilon/sigma^3",
                            .length_name = "sigma",
                            .time_name = "tau",
                            .mass_name = "mass",
                            .velocity_name = "sigma/tau",
                            .momentum_name = "mass*sigma/tau"};
static const mv_units metal = {.energy = 1.036427e-4,
                               .boltzmann = 8.617343e-5,
                               .pressure = 1.602176e6,
                               .energy_name = "eV",
                               .temperature_name = "K",
                               .pressure_name = "bar",
                               .length_name = "Angstrom",
                               .time_name = "ps",
                               .mass_name = "u",
                               .velocity_name = "Angstrom ps-1",
                               .momentum_name = "u*Angstrom/ps",
                               .is_h5md = true};

/* The first extent of a dataset; 0: there is none. */
static int64_t rows_of(const minimd *m, const char *path)
{
    const app_node *const node = app_reader_find(m->base.reader, path);
    return node && node->rank > 0 ? node->shape[0] : 0;
}

/* A data file is not stored: how many atoms and types it had is known from the arrays alone. */
static void find_sizes(minimd *m)
{
    const md_input *const in = mv_input(m);
    const bool lattice = in->data_file == NULL;
    m->units = in->units == MD_UNITS_METAL ? metal : lj;
    m->atoms = lattice ? 4 * in->nx * in->ny * in->nz : rows_of(m, "/fields/id");
    m->types = lattice ? in->types : rows_of(m, "/fields/type_mass");
    m->last_step = in->steps > m->base.first_step ? in->steps : m->base.first_step;
    m->lines = (vf_schedule){.every = in->thermo > 0  ? in->thermo
                                      : in->steps > 0 ? in->steps
                                                      : 1,
                             .after = -1,
                             .last = in->steps,
                             .with_last = true};
    /* before a restart `thermo` may have been another one */
    m->entries = m->base.first_step > 0 ? rows_of(m, "/series/step") : vf_schedule_count(&m->lines);
    if (m->atoms < 1 || m->entries < 1 || m->types < 1 || m->types > MD_MAX_TYPES)
        m->base.intact =
            vf_words(m->base.verdict, "sizes", false,
                     "got %lld atoms, %lld types and %lld entries, expected one of each "
                     "at least, and %d types at most",
                     (long long)m->atoms, (long long)m->types, (long long)m->entries, MD_MAX_TYPES);
}

static app_compare sums(const minimd *m)
{
    return APP_RELATIVE(mv_input(m)->precision == MD_PRECISION_MIXED ? 1e-3 : 1e-9);
}

static void expect_fields(minimd *m)
{
    const mv_units *const u = &m->units;
    const int64_t n = m->atoms, types = m->types;
    const struct {
        const char *path, *units;
        app_node_kind kind;
        int64_t rows, columns; /* columns 0: of rank 1 */
        app_compare compare;
        double low, high;
    } all[] = {
        {"/fields/box", u->length_name, APP_NODE_F64, 2, 3, APP_EXACT, 0, 0},
        {"/fields/id", "1", APP_NODE_I64, n, 0, APP_EXACT, 1, DBL_MAX},
        {"/fields/type", "1", APP_NODE_I32, n, 0, APP_EXACT, 1, (double)types},
        {"/fields/type_mass", u->mass_name, APP_NODE_F64, types, 0, APP_EXACT, DBL_TRUE_MIN,
         DBL_MAX},
        {"/fields/position", u->length_name, APP_NODE_F64, n, 3, sums(m), 0, 0},
        {"/fields/velocity", u->velocity_name, APP_NODE_F64, n, 3, sums(m), 0, 0},
        {"/fields/pair_coefficients", "epsilon, sigma, cutoff", APP_NODE_F64, types * types, 3,
         APP_EXACT, 0, DBL_MAX}, /* the last one: not with a potential's file */
    };
    const size_t count = sizeof all / sizeof all[0] - (mv_is_eam(m) ? 1 : 0);
    for (size_t i = 0; i < count; i++)
        vf_expect(&m->base,
                  &(vf_dataset){.path = all[i].path,
                                .kind = all[i].kind,
                                .rank = all[i].columns > 0 ? 2 : 1,
                                .shape = {all[i].rows, all[i].columns},
                                .units = all[i].units,
                                .compare = all[i].compare,
                                .low = all[i].low,
                                .high = all[i].high},
                  1);
    for (int file = 0; mv_is_eam(m) && file < md_stored_potentials(mv_input(m)); file++)
        vf_expect(&m->base,
                  &(vf_dataset){.path = md_stored_potential_path(file).text,
                                .kind = APP_NODE_TEXT,
                                .not_empty = true},
                  1);
}

static void expect_series(minimd *m)
{
    const mv_units *const u = &m->units;
    const struct {
        const char *path, *units;
        app_compare compare;
        double low, high;
    } all[] = {
        {"/series/time", u->time_name, sums(m), 0, DBL_MAX},
        {"/series/temperature", u->temperature_name, sums(m), 0, DBL_MAX},
        {"/series/pressure", u->pressure_name, sums(m), 0, 0},
        {"/series/potential_energy", u->energy_name, sums(m), 0, 0},
        {"/series/total_energy", u->energy_name, sums(m), 0, 0},
        {"/series/conserved_energy", u->energy_name, sums(m), 0, 0},
        {"/series/motion", u->momentum_name, sums(m), 0, DBL_MAX},
        {"/series/momentum_x", u->momentum_name, APP_NEVER, 0, 0},
        {"/series/momentum_y", u->momentum_name, APP_NEVER, 0, 0},
        {"/series/momentum_z", u->momentum_name, APP_NEVER, 0, 0},
    };
    vf_dataset row = {.path = "/series/step",
                      .kind = APP_NODE_I64,
                      .rank = 1,
                      .shape = {m->entries},
                      .units = "1",
                      .high = 9e18};
    vf_expect(&m->base, &row, 1);
    row.kind = APP_NODE_F64;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        row.path = all[i].path;
        row.units = all[i].units;
        row.compare = all[i].compare;
        row.low = all[i].low;
        row.high = all[i].high;
        vf_expect(&m->base, &row, 1);
    }
}

/* H5MD: what its readers need beside positions and box. */
static void expect_h5md(minimd *m)
{
    static const int64_t version[2] = {1, 1}, dimension = 3;
    static const char boundary[3][8] = {"periodic", "periodic", "periodic"};
    const vf_attribute head[] = {{"version", "<i8", 2, version, sizeof version}};
    const vf_attribute box[] = {{"boundary", "|S8", 3, boundary, sizeof boundary},
                                {"dimension", "<i8", 0, &dimension, sizeof dimension}};
    char *made_by = NULL, *author = NULL;
    size_t length = 0;
    vf_expect_attributes(&m->base, "/h5md", head, 1);
    vf_expect_attributes(&m->base, "/particles/all/box", box, 2);
    if (app_reader_attribute_text(m->base.reader, "/h5md/author", "name", &author) != MX_OK)
        vf_impossible(m->base.verdict, "/h5md/author", mx_err_message());
    else
        vf_expect_text_attributes(&m->base, "/h5md/author",
                                  (const char *const[]){"name", author, NULL});
    if (app_reader_text(m->base.reader, "/provenance/minx_version", &length, &made_by) == MX_OK)
        vf_expect_text_attributes(&m->base, "/h5md/creator",
                                  (const char *const[]){"name", "minx", "version", made_by, NULL});
    free(author);
    free(made_by);
}

static void expect_frames(minimd *m)
{
    const mv_units *const u = &m->units;
    const int64_t after = m->base.first_step > 0 ? m->base.first_step : -1;
    m->frames =
        (vf_schedule){.every = mv_input(m)->frames, .after = after, .last = mv_input(m)->steps};
    vf_frames f = {.path = "/particles/all/position",
                   .schedule = m->frames,
                   .dt = mv_input(m)->dt,
                   .rank = 2,
                   .shape = {m->atoms, 3},
                   .units = u->length_name,
                   .time_units = u->time_name,
                   .h5md_units = u->is_h5md ? u->length_name : NULL,
                   .h5md_time_units = u->is_h5md ? u->time_name : NULL,
                   .compare = sums(m)};
    if (mv_input(m)->frames == 0) return;
    vf_expect_frames(&m->base, &f);
    f.path = "/particles/all/box/edges";
    f.rank = 1;
    f.shape[0] = 3;
    f.compare = APP_EXACT;
    vf_expect_frames(&m->base, &f);
    if (mv_input(m)->data_file) /* its ids may have gaps */
        vf_expect(&m->base,
                  &(vf_dataset){.path = "/particles/all/id",
                                .kind = APP_NODE_I64,
                                .rank = 1,
                                .shape = {m->atoms},
                                .units = "1",
                                .compare = APP_EXACT,
                                .low = 1,
                                .high = DBL_MAX},
                  1);
    expect_h5md(m);
}

void mv_contents(void *state)
{
    static const char *const parts[] = {"force", "neighbour_list", "ghosts", "borders",
                                        "integration"};
    minimd *const m = state;
    if (mv_input(m)->precision == MD_PRECISION_MIXED) m->base.precision = "f64, pairs in f32";
    find_sizes(m);
    expect_fields(m);
    expect_series(m);
    expect_frames(m);
    m->base.problem = (vf_problem){.name = md_problem_name(mv_input(m)),
                                   .size = m->atoms,
                                   .iterations = m->last_step - m->base.first_step,
                                   .merit = "atom step rate",
                                   .unit = "atom-steps/s"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        vf_expect_region(&m->base, parts[i], -1);
    vf_expect_region(&m->base, "solve", 1);
}
