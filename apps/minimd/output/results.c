/* What the results file has of a run: histories; at the end of the run positions, velocities, types
 * and ids of all atoms in the order of their ids; what a check of the physics needs beside them
 * (box, masses, coefficients, the potential's file); and frames of the trajectory, as H5MD asks. */
#include "md_app.h"

#include "by_id.h"
#include "frames.h"

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
    app_by_id by_id;
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
    return app_by_id_create(app->base.comm, app->atoms, ids, app->local, &s->by_id);
}

static void close_sorter(sorter *s)
{
    app_by_id_destroy(&s->by_id);
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
    return app_by_id_sort(s->by_id, 3 * sizeof(double), s->values, s->sorted);
}

static mx_err store_sorted(sorter *s, const char *name, const char *unit, app_compare compare,
                           mx_type type, int columns, bool is_position)
{
    const app_place place = {.mesh = "position",
                             .on_nodes = true,
                             .is_position = is_position,
                             .is_vector = columns > 1 && !is_position};
    app_slab slab = app_by_id_slab(s->by_id);
    if (columns > 1) slab = app_slab_components(slab, columns);
    return app_results_array(s->app->base.results, name, unit, compare, type, &slab, s->sorted,
                             &place);
}

static mx_err store_types(sorter *s)
{
    const md_app *const app = s->app;
    MX_TRY(app_agree(app->base.comm,
                     md_export_rows(app, app->views.type, app->local, 1, MX_I32, s->values)));
    int32_t *const types = s->values;
    for (mx_lid i = 0; i < app->local; i++) types[i]++; /* from 1 on, as in data files */
    MX_TRY(app_by_id_sort(s->by_id, sizeof *types, s->values, s->sorted));
    return store_sorted(s, "type", "1", APP_EXACT, MX_I32, 1, false);
}

/* The ids of all atoms, sorted. */
static mx_err sort_ids(sorter *s)
{
    const md_app *const app = s->app;
    MX_TRY(app_agree(app->base.comm,
                     md_export_rows(app, app->views.id, app->local, 1, MX_I64, s->values)));
    return app_by_id_sort(s->by_id, sizeof(int64_t), s->values, s->sorted);
}

static mx_err store_ids(sorter *s)
{
    MX_TRY(sort_ids(s));
    return store_sorted(s, "id", "1", APP_EXACT, MX_I64, 1, false);
}

static mx_err store_atoms(sorter *s)
{
    const md_app *const app = s->app;
    const md_scales *const u = &app->scales;
    MX_TRY(sort_positions(s));
    MX_TRY(store_sorted(s, "position", u->length_unit, sums(app), MX_F64, 3, true));
    MX_TRY(app_agree(app->base.comm,
                     md_export_rows(app, app->views.velocity, app->local, 3, MX_F64, s->values)));
    MX_TRY(app_by_id_sort(s->by_id, 3 * sizeof(double), s->values, s->sorted));
    MX_TRY(store_sorted(s, "velocity", u->velocity_unit, sums(app), MX_F64, 3, false));
    MX_TRY(store_types(s));
    return store_ids(s);
}

/* ---- what belongs to the atoms ---- */

/* A small array that every rank has; rank 0 writes it. */
static mx_err store_small(md_app *app, const char *name, const char *unit, int rows, int columns,
                          const double *values)
{
    const bool first = app_rank(app->base.comm) == 0;
    app_slab slab = {.rank = 1, .global = {rows}, .count = {first ? rows : 0}};
    if (columns > 1) slab = app_slab_components(slab, columns);
    return app_results_array(app->base.results, name, unit, APP_EXACT, MX_F64, &slab, values, NULL);
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
    return store_small(app, "pair_coefficients", "epsilon, sigma, cutoff", app->types * app->types,
                       3, table);
}

static mx_err store_system(md_app *app)
{
    const double box[] = {app->origin[0],     app->origin[1],     app->origin[2],
                          app->box.length[0], app->box.length[1], app->box.length[2]};
    MX_TRY(store_small(app, "box", app->scales.length_unit, 2, 3, box));
    MX_TRY(store_small(app, "type_mass", app->scales.mass_unit, app->types, 1, app->mass));
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

mx_err md_store_results(md_app *app)
{
    md_named_series list[MD_HISTORIES];
    const int count = md_list_history(app, list);
    sorter s;
    if (app->base.results == NULL) return MX_OK;
    for (int i = 0; i < count; i++) {
        const bool whole = list[i].series == &app->history.step;
        const bool rounded =
            list[i].unit == app->scales.momentum_unit && list[i].series != &app->history.motion;
        MX_TRY((whole ? app_history_i64 : app_history)(&app->base, list[i].name, list[i].unit,
                                                       whole     ? APP_EXACT
                                                       : rounded ? ROUNDINGS
                                                                 : sums(app),
                                                       list[i].series));
    }
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
        const app_slab slab = app_by_id_slab(s.by_id);
        err = app_frames_constant(app->base.results, "/particles/all/id", "1", MX_I64, &slab,
                                  s.sorted);
    }
    close_sorter(&s);
    return err;
}

mx_err md_begin_frames(md_app *app)
{
    const app_h5md info = {.group = "all", .dims = 3, .periodic = {true, true, true}};
    const app_place moving = {.is_position = true};
    const bool first = app_rank(app->base.comm) == 0;
    const app_slab atoms = app_slab_block(app->base.comm, app->atoms);
    app_frames_definition definition = {.path = "/particles/all/position",
                                        .unit = app->scales.length_unit,
                                        .time_unit = app->scales.time_unit,
                                        .type = MX_F64,
                                        .slab = app_slab_components(atoms, 3),
                                        .compare = sums(app),
                                        .place = &moving};
    if (app->input.frames == 0) return MX_OK;
    MX_TRY(app_h5md_begin(app->base.results, &info));
    if (app->input.data_file) MX_TRY(store_frame_ids(app));
    MX_TRY(app_frames_create(app->base.results, &definition, &app->frames));
    definition.path = "/particles/all/box/edges";
    definition.slab = (app_slab){.rank = 1, .global = {3}, .count = {first ? 3 : 0}};
    definition.place = NULL;
    definition.compare = APP_EXACT;
    return app_frames_create(app->base.results, &definition, &app->box_frames);
}

static mx_err add_frame(sorter *s)
{
    md_app *const app = s->app;
    const double time = (double)app->step * app->input.dt;
    const app_slab atoms = app_slab_components(app_by_id_slab(s->by_id), 3);
    app_slab box = {.rank = 1, .global = {3}};
    if (app_rank(app->base.comm) == 0) box.count[0] = 3;
    MX_TRY(sort_positions(s));
    MX_TRY(app_frames_add(app->frames, app->step, time, &atoms, s->sorted));
    MX_TRY(app_frames_add(app->box_frames, app->step, time, &box, app->box.length));
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
