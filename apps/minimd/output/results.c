/* What the results file has of a run: histories; at the end of the run positions, velocities, types
 * and ids of all atoms in the order of their ids; what a check of the physics needs beside them
 * (box, masses, coefficients, the potential's file); and frames of the trajectory, as H5MD asks. */
#include "md_app.h"

#include "domain/id_sort.h"
#include "results/frames.h"

#include <stdio.h>
#include <stdlib.h>

/* Sums of up to 1e9 terms in orders that differ, and steps that amplify the difference. With
 * precision=mixed forces have errors of some 1e-7 instead of 1e-16, which depend on the list: after
 * 100 steps of the default problem velocities differ by 5e-5 of the largest, sums over the atoms by
 * less. */
static app_compare sums(const md_app *app)
{
    return APP_RELATIVE(app->input.precision == MD_PRECISION_MIXED ? 1e-3 : 1e-9);
}
/* What should be 0, and has the size of roundings. */
#define ROUNDINGS APP_NEVER

/* ---- atoms in the order of their ids ---- */

typedef struct sorter {
    md_app *app;
    app_id_sort id_sort;
    void *values, *sorted; /* of this rank's atoms; of this rank's block of ids */
} sorter;

static mx_err open_sorter(md_app *app, sorter *s)
{
    *s = (sorter){.app = app};
    const size_t rows = (size_t)app->local + 1; /* malloc(0) may be NULL */
    const size_t bytes = 3 * sizeof(double);
    const size_t block = (size_t)app_slab_block(app->base.comm, app->atoms).count[0] + 1;
    s->values = malloc(rows * bytes);
    s->sorted = malloc(block * bytes);
    mx_err err = s->values && s->sorted
                     ? md_export_rows(app, app->views.id, app->local, 1, MX_I64, s->values)
                     : MX_FAIL(MX_ERR_MEMORY, "no memory to sort %d atoms by ids", app->local);
    MX_TRY(app_agree(app->base.comm, err));
    mx_gid *const ids = s->values;
    for (mx_lid i = 0; i < app->local; i++) ids[i]--; /* from 0 on: those of a lattice are places */
    return app_id_sort_create(app->base.comm, app->atoms, ids, app->local, &s->id_sort);
}

static void close_sorter(sorter *s)
{
    app_id_sort_destroy(&s->id_sort);
    free(s->values);
    free(s->sorted);
}

mx_err md_check_ids(md_app *app)
{
    sorter s;
    const mx_err err = open_sorter(app, &s);
    close_sorter(&s);
    return err;
}

/* Positions are in the box, and relative to the corner that a data file has. */
static void place_in_file(const md_app *app, double *position)
{
    for (mx_lid i = 0; i < app->local; i++)
        for (int d = 0; d < 3; d++)
            position[3 * i + d] = md_wrap(&app->box, d, position[3 * i + d]) + app->origin[d];
}

/* The positions of all atoms, sorted. */
static mx_err sort_positions(sorter *s)
{
    const md_app *const app = s->app;
    MX_TRY(app_agree(app->base.comm,
                     md_export_rows(app, app->views.position, app->local, 3, MX_F64, s->values)));
    place_in_file(app, s->values);
    return app_id_sort_values(s->id_sort, 3 * sizeof(double), s->values, s->sorted);
}

/* A number of each atom. */
static const app_place on_atoms = {.mesh = "position", .on_nodes = true};

static mx_err store_types(sorter *s)
{
    const md_app *const app = s->app;
    MX_TRY(app_agree(app->base.comm,
                     md_export_rows(app, app->views.type, app->local, 1, MX_I32, s->values)));
    int32_t *const types = s->values;
    for (mx_lid i = 0; i < app->local; i++) types[i]++; /* from 1 on, as in data files */
    const app_array array = {.path = "/fields/type",
                             .unit = "1",
                             .compare = APP_EXACT,
                             .type = MX_I32,
                             .slab = app_id_sort_slab(s->id_sort),
                             .place = &on_atoms};
    MX_TRY(app_id_sort_values(s->id_sort, sizeof *types, s->values, s->sorted));
    return app_results_array(app->base.results, &array, s->sorted);
}

/* The ids of all atoms, sorted. */
static mx_err sort_ids(sorter *s)
{
    const md_app *const app = s->app;
    MX_TRY(app_agree(app->base.comm,
                     md_export_rows(app, app->views.id, app->local, 1, MX_I64, s->values)));
    return app_id_sort_values(s->id_sort, sizeof(int64_t), s->values, s->sorted);
}

static mx_err store_ids(sorter *s)
{
    const app_array array = {.path = "/fields/id",
                             .unit = "1",
                             .compare = APP_EXACT,
                             .type = MX_I64,
                             .slab = app_id_sort_slab(s->id_sort),
                             .place = &on_atoms};
    MX_TRY(sort_ids(s));
    return app_results_array(s->app->base.results, &array, s->sorted);
}

static mx_err store_atoms(sorter *s)
{
    const md_app *const app = s->app;
    const app_place points = {.mesh = "position", .on_nodes = true, .is_position = true};
    const app_place vectors = {.mesh = "position", .on_nodes = true, .is_vector = true};
    const app_slab slab = app_slab_components(app_id_sort_slab(s->id_sort), 3);
    const app_array position = {.path = "/fields/position",
                                .unit = app->scales.length_unit,
                                .compare = sums(app),
                                .type = MX_F64,
                                .slab = slab,
                                .place = &points};
    const app_array velocity = {.path = "/fields/velocity",
                                .unit = app->scales.velocity_unit,
                                .compare = sums(app),
                                .type = MX_F64,
                                .slab = slab,
                                .place = &vectors};
    MX_TRY(sort_positions(s));
    MX_TRY(app_results_array(app->base.results, &position, s->sorted));
    MX_TRY(app_agree(app->base.comm,
                     md_export_rows(app, app->views.velocity, app->local, 3, MX_F64, s->values)));
    MX_TRY(app_id_sort_values(s->id_sort, 3 * sizeof(double), s->values, s->sorted));
    MX_TRY(app_results_array(app->base.results, &velocity, s->sorted));
    MX_TRY(store_types(s));
    return store_ids(s);
}

/* ---- what belongs to the atoms ---- */

/* A small array that every rank has; rank 0 writes it. */
static app_slab small_slab(const md_app *app, int rows)
{
    const bool first = app_rank(app->base.comm) == 0;
    return (app_slab){.rank = 1, .global = {rows}, .count = {first ? rows : 0}};
}

static mx_err store_coefficients(md_app *app)
{
    double table[MD_MAX_TYPES * MD_MAX_TYPES * 3];
    for (int i = 0; i < app->types; i++) {
        for (int j = 0; j < app->types; j++) {
            const md_coefficients c = md_pair_coefficients(app, i, j);
            double *const row = table + (i * app->types + j) * 3;
            row[0] = c.epsilon;
            row[1] = c.sigma;
            row[2] = c.cutoff;
        }
    }
    const app_slab rows = small_slab(app, app->types * app->types);
    const app_array array = {.path = "/fields/pair_coefficients",
                             .unit = "epsilon, sigma, cutoff",
                             .compare = APP_EXACT,
                             .type = MX_F64,
                             .slab = app_slab_components(rows, 3)};
    return app_results_array(app->base.results, &array, table);
}

static mx_err store_system(md_app *app)
{
    const double box[] = {app->origin[0],     app->origin[1],     app->origin[2],
                          app->box.length[0], app->box.length[1], app->box.length[2]};
    const app_array corners = {.path = "/fields/box",
                               .unit = app->scales.length_unit,
                               .compare = APP_EXACT,
                               .type = MX_F64,
                               .slab = app_slab_components(small_slab(app, 2), 3)};
    const app_array masses = {.path = "/fields/type_mass",
                              .unit = app->scales.mass_unit,
                              .compare = APP_EXACT,
                              .type = MX_F64,
                              .slab = small_slab(app, app->types)};
    MX_TRY(app_results_array(app->base.results, &corners, box));
    MX_TRY(app_results_array(app->base.results, &masses, app->mass));
    return app->input.force == MD_FORCE_LJ ? store_coefficients(app) : MX_OK;
}

static mx_err store_potential(md_app *app)
{
    for (int i = 0; i < app->potential_count; i++) {
        const md_potential_copy copy = md_potential_copy_of(i);
        MX_TRY(app_results_file(app->base.results, copy.name, app->potential_texts[i],
                                app->potential_lengths[i]));
    }
    return MX_OK;
}

static mx_err store_history(md_app *app, const md_named_series *history)
{
    const bool whole = history->series == &app->history.step;
    const bool rounded =
        history->unit == app->scales.momentum_unit && history->series != &app->history.motion;
    char path[64];
    snprintf(path, sizeof path, "/series/%s", history->name);
    const app_array array = {.path = path,
                             .unit = history->unit,
                             .compare = whole     ? APP_EXACT
                                        : rounded ? ROUNDINGS
                                                  : sums(app),
                             .type = whole ? MX_I64 : MX_F64};
    return app_history(&app->base, &array, history->series);
}

mx_err md_store_results(md_app *app)
{
    md_named_series list[MD_HISTORIES];
    const int count = md_list_history(app, list);
    sorter s;
    if (app->base.results == NULL) return MX_OK;
    for (int i = 0; i < count; i++) MX_TRY(store_history(app, &list[i]));
    MX_TRY(store_potential(app));
    MX_TRY(store_system(app));
    md_free_list(app); /* the largest arrays: sorting takes another hundred bytes an atom */
    mx_err err = open_sorter(app, &s);
    if (err == MX_OK) err = store_atoms(&s);
    close_sorter(&s);
    return err;
}

/* ---- frames ---- */

/* Those of a data file may have gaps; those of a lattice are 1 to the number of atoms. */
static mx_err store_frame_ids(md_app *app)
{
    sorter s;
    mx_err err = open_sorter(app, &s);
    if (err == MX_OK) err = sort_ids(&s);
    if (err == MX_OK) {
        const app_array ids = {.path = "/particles/all/id",
                               .unit = "1",
                               .compare = APP_EXACT,
                               .type = MX_I64,
                               .slab = app_id_sort_slab(s.id_sort)};
        err = app_results_array(app->base.results, &ids, s.sorted);
    }
    close_sorter(&s);
    return err;
}

mx_err md_begin_frames(md_app *app)
{
    const app_h5md info = {.group = "all", .dims = 3, .periodic = {true, true, true}};
    const app_place moving = {.is_position = true};
    const char *const time_unit = app->scales.time_unit;
    const app_slab atoms = app_slab_block(app->base.comm, app->atoms); /* as sorters have them */
    const app_array positions = {.path = "/particles/all/position",
                                 .unit = app->scales.length_unit,
                                 .compare = sums(app),
                                 .type = MX_F64,
                                 .slab = app_slab_components(atoms, 3),
                                 .place = &moving};
    const app_array edges = {.path = "/particles/all/box/edges",
                             .unit = app->scales.length_unit,
                             .compare = APP_EXACT,
                             .type = MX_F64,
                             .slab = small_slab(app, 3)};
    if (app->input.frames == 0) return MX_OK;
    MX_TRY(app_h5md_begin(app->base.results, &info));
    if (app->input.data_file) MX_TRY(store_frame_ids(app));
    MX_TRY(app_frames_create(app->base.results, &positions, time_unit, &app->frames));
    return app_frames_create(app->base.results, &edges, time_unit, &app->box_frames);
}

static mx_err add_frame(sorter *s)
{
    md_app *const app = s->app;
    const double time = (double)app->step * app->input.dt;
    MX_TRY(sort_positions(s));
    MX_TRY(app_frames_add(app->frames, app->step, time, s->sorted));
    MX_TRY(app_frames_add(app->box_frames, app->step, time, app->box.length));
    return app_frames_flush(app->base.results);
}

mx_err md_add_frame(md_app *app)
{
    sorter s;
    if (app->input.frames == 0 || app->step % app->input.frames != 0) return MX_OK;
    mx_err err = open_sorter(app, &s);
    if (err == MX_OK) err = add_frame(&s);
    close_sorter(&s);
    return err;
}
