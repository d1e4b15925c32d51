/* A results file from its beginning to its last dataset; results_finish.c ends it. Small items are
 * collected (results_put.c) and written before the first array and at the end; arrays are written
 * at once (results_array.c). */
#include "results.h"

#include "results_put.h"
#include "results_schema.h"
#include "signals.h"

#include <stdlib.h>
#include <string.h>

static mx_err reserve(const char *path, app_results results)
{
    const app_results_kind *const kind = results->kind;
    return app_output_reserve(kind->what, path, kind->beside, &results->output);
}

/* Rank 0 reserves the names and sends the temporary one to the other ranks, which need no other. */
static mx_err share_place(app_results results, const char *path)
{
    const bool first = app_rank(results->comm) == 0;
    MX_TRY(app_agree(results->comm, first ? reserve(path, results) : MX_OK));
    size_t bytes = first ? strlen(results->output.temporary) + 1 : 0;
    MX_TRY(app_broadcast(results->comm, &bytes, sizeof bytes));
    mx_err err = MX_OK;
    if (!first) {
        results->output.temporary = malloc(bytes);
        if (!results->output.temporary)
            err = MX_FAIL(MX_ERR_MEMORY, "no memory for the name of the results file");
    }
    MX_TRY(app_agree(results->comm, err));
    MX_TRY(app_broadcast(results->comm, results->output.temporary, bytes));
    if (!first) app_signals_note(results->output.temporary);
    return MX_OK;
}

static mx_err begin(app_results results, const char *path, const char *app, int argc, char **argv)
{
    const app_results_kind *const kind = results->kind;
    MX_TRY(share_place(results, path));
    MX_TRY(app_agree(results->comm, app_file_open(&results->file, results->comm,
                                                  results->output.temporary, APP_FILE_CREATE)));
    for (int i = 0; kind->groups[i]; ++i) MX_TRY(app_results_put_group(results, kind->groups[i]));
    return app_agree(results->comm, app_results_origin(results, app, argc, argv));
}

mx_err app_results_begin(app_comm comm, const app_results_kind *kind, const char *path,
                         const char *app, int argc, char **argv, app_results *results)
{
    *results = NULL;
    app_results made = calloc(1, sizeof *made);
    mx_err err = made ? MX_OK : MX_FAIL(MX_ERR_MEMORY, "no memory for the %s", kind->what);
    err = app_agree(comm, err);
    if (err == MX_OK) {
        made->comm = comm;
        made->kind = kind;
        made->file.id = H5I_INVALID_HID;
        err = app_agree(comm, begin(made, path, app, argc, argv));
        if (err == MX_OK) {
            *results = made;
            return MX_OK;
        }
        app_results_discard(&made);
        return MX_PASS(err);
    }
    free(made);
    return err;
}

mx_err app_results_create(app_comm comm, const char *path, const char *app, int argc, char **argv,
                          app_results *results)
{
    static const char *const groups[] = {APP_SCHEMA_GROUPS, NULL};
    static const app_results_kind kind = {.what = "results file",
                                          .schema = APP_SCHEMA_NAME,
                                          .version = APP_SCHEMA_VERSION,
                                          .groups = groups,
                                          .beside = APP_OUTPUT_SIDE};
    *results = NULL;
    if (!path) return MX_OK;
    return app_results_begin(comm, &kind, path, app, argc, argv, results);
}

mx_err app_results_provenance(app_results results, const char *name, const char *value)
{
    if (!results) return MX_OK;
    const app_h5_item item = app_h5_text(value);
    return app_results_put(results, "/provenance", name, &item, NULL, APP_NEVER);
}

mx_err app_results_provenance_i64(app_results results, const char *name, int64_t value)
{
    if (!results) return MX_OK;
    const app_h5_item item = app_h5_i64(&value);
    return app_results_put(results, "/provenance", name, &item, "1", APP_NEVER);
}

mx_err app_results_deck(app_results results, const char *text, size_t length)
{
    if (!results) return MX_OK;
    const app_h5_item item = {.kind = APP_H5_TEXT, .count = length, .data = text};
    return app_results_put(results, "/input", "deck", &item, NULL, APP_EXACT);
}

mx_err app_results_parameter_f64(app_results results, const char *name, double value,
                                 const char *unit)
{
    if (!results) return MX_OK;
    const app_h5_item item = app_h5_f64(&value);
    return app_results_put(results, "/input", name, &item, unit, APP_EXACT);
}

mx_err app_results_parameter_i64(app_results results, const char *name, int64_t value,
                                 const char *unit)
{
    if (!results) return MX_OK;
    const app_h5_item item = app_h5_i64(&value);
    return app_results_put(results, "/input", name, &item, unit, APP_EXACT);
}

mx_err app_results_parameter_text(app_results results, const char *name, const char *value)
{
    if (!results) return MX_OK;
    const app_h5_item item = app_h5_text(value);
    return app_results_put(results, "/input", name, &item, NULL, APP_EXACT);
}

mx_err app_results_file(app_results results, const char *name, const char *text, size_t length)
{
    if (!results) return MX_OK;
    const app_h5_item item = {.kind = APP_H5_TEXT, .count = length, .data = text};
    if (!results->files) MX_TRY(app_results_put_group(results, "/files"));
    results->files = true;
    return app_results_put(results, "/files", name, &item, NULL, APP_EXACT);
}

static mx_err put_list(app_results results, const char *group, const char *name, const char *unit,
                       app_compare compare, app_h5_kind kind, const void *values, mx_gid n)
{
    if (!results) return MX_OK;
    const app_h5_item item = {
        .kind = kind, .vector = true, .count = n > 0 ? (hsize_t)n : 0, .data = values};
    return app_results_put(results, group, name, &item, unit, compare);
}

mx_err app_results_parameter_list(app_results results, const char *name, const double *values,
                                  mx_gid n, const char *unit)
{
    return put_list(results, "/input", name, unit, APP_EXACT, APP_H5_F64, values, n);
}

mx_err app_results_series_f64(app_results results, const char *name, const char *unit,
                              app_compare compare, const double *values, mx_gid n)
{
    return put_list(results, "/series", name, unit, compare, APP_H5_F64, values, n);
}

mx_err app_results_series_i64(app_results results, const char *name, const char *unit,
                              app_compare compare, const int64_t *values, mx_gid n)
{
    return put_list(results, "/series", name, unit, compare, APP_H5_I64, values, n);
}

static mx_err copy_text(const char *text, char **copy)
{
    *copy = strdup(text);
    MX_REQUIRE(*copy, MX_ERR_MEMORY, "no memory for the name %s", text);
    return MX_OK;
}

static mx_err copy_times(app_xdmf_field *field, mx_gid frames, const double *times)
{
    field->times = malloc((size_t)frames * sizeof *times + 1);
    MX_REQUIRE(field->times, MX_ERR_MEMORY, "no memory for the times of %s", field->path);
    memcpy(field->times, times, (size_t)frames * sizeof *times);
    field->frames = frames;
    return MX_OK;
}

/* ParaView and VisIt open scalars and vectors of uniform meshes in 2-D and 3-D, and of others. */
mx_err app_results_add_xdmf_field(app_results results, const char *path, mx_type type,
                                  const app_slab *slab, const app_place *place, mx_gid frames,
                                  const double *times)
{
    app_xdmf_field *field;
    const bool uniform = !place->mesh && !place->is_position;
    const int dims = slab->rank - (place->is_vector ? 1 : 0);
    if (app_rank(results->comm) != 0 || (uniform && (dims < 2 || dims > 3))) return MX_OK;
    MX_TRY(app_xdmf_add_field(&results->xdmf, &field));
    MX_TRY(copy_text(path, &field->path));
    MX_TRY(copy_text(strrchr(path, '/') + 1, &field->name));
    if (place->mesh) MX_TRY(copy_text(place->mesh, &field->mesh));
    if (frames > 0) MX_TRY(copy_times(field, frames, times));
    field->type = type;
    field->on_nodes = place->on_nodes;
    field->is_vector = place->is_vector || place->is_position;
    field->is_position = place->is_position;
    field->rank = slab->rank;
    for (int d = 0; d < slab->rank; ++d) field->extents[d] = slab->global[d];
    for (int d = 0; d < APP_MAX_DIMS && d < slab->rank; ++d) {
        field->origin[d] = place->origin ? place->origin[d] : 0.0;
        field->spacing[d] = place->spacing ? place->spacing[d] : 1.0;
    }
    return MX_OK;
}

/* ---- arrays ---- */

mx_err app_results_begin_arrays(app_results results)
{
    if (results->begun) return MX_OK;
    results->begun = true;
    return app_results_flush(results);
}

static mx_err put_array(app_results results, const char *path, const char *unit,
                        app_compare compare, mx_type type, const app_slab *slab, const void *values,
                        const app_place *place)
{
    app_compare_words words;
    const app_array array = {.path = path,
                             .type = type,
                             .slab = *slab,
                             .units = unit,
                             .compare = app_compare_text(compare, &words),
                             .origin = place ? place->origin : NULL,
                             .spacing = place ? place->spacing : NULL};
    MX_TRY(app_results_begin_arrays(results));
    MX_TRY(app_file_put(&results->file, &array, values));
    if (!place) return MX_OK;
    return app_agree(results->comm,
                     app_results_add_xdmf_field(results, path, type, slab, place, 0, NULL));
}

mx_err app_results_array(app_results results, const char *name, const char *unit,
                         app_compare compare, mx_type type, const app_slab *slab,
                         const void *values, const app_place *place)
{
    if (!results) return MX_OK;
    char *path = NULL;
    mx_err err = app_agree(results->comm, app_results_path("/fields", name, &path));
    if (err == MX_OK) err = put_array(results, path, unit, compare, type, slab, values, place);
    free(path);
    return err;
}

mx_err app_results_field(app_results results, const char *name, const char *unit,
                         app_compare compare, const app_decomp *decomp, const double *values,
                         const double *origin, const double *spacing)
{
    const app_slab slab = app_slab_cells(decomp);
    const app_place place = {.origin = origin, .spacing = spacing};
    if (!results) return MX_OK;
    const mx_err err =
        values ? MX_OK : MX_FAIL(MX_ERR_ARG, "field %s: no values were passed", name);
    MX_TRY(app_agree(results->comm, err));
    return app_results_array(results, name, unit, compare, MX_F64, &slab, values, &place);
}

static mx_err add_xdmf_mesh(app_results results, const char *name, const app_slab *nodes,
                            const app_slab *cells)
{
    app_xdmf_mesh *mesh;
    if (app_rank(results->comm) != 0) return MX_OK;
    MX_TRY(app_xdmf_add_mesh(&results->xdmf, &mesh));
    mesh->nodes = nodes->global[0];
    mesh->is_grid = nodes->rank > 2;
    mesh->dims = (int)nodes->global[nodes->rank - 1];
    for (int d = 0; mesh->is_grid && d < mesh->dims; ++d) mesh->extents[d] = nodes->global[d];
    mesh->cells = cells ? cells->global[0] : 0;
    return copy_text(name, &mesh->name);
}

static mx_err check_mesh(const char *name, const app_slab *nodes, const app_slab *cells)
{
    const mx_gid components = nodes->global[nodes->rank - 1];
    MX_REQUIRE(nodes->rank >= 2 && (components == 2 || components == 3), MX_ERR_ARG,
               "mesh %s: coordinates have 2 or 3 components", name);
    MX_REQUIRE(nodes->rank == 2 || (!cells && nodes->rank == components + 1), MX_ERR_ARG,
               "mesh %s: a grid has as many dimensions as coordinates, and no cells", name);
    MX_REQUIRE(!cells || (cells->rank == 2 && cells->global[1] == 8 && components == 3), MX_ERR_ARG,
               "mesh %s: hexahedra have 8 nodes each, with 3 coordinates", name);
    return MX_OK;
}

mx_err app_results_mesh(app_results results, const char *name, const char *unit,
                        const app_slab *nodes, const double *coordinates, const app_slab *cells,
                        const int64_t *connectivity)
{
    char *group = NULL, *first = NULL, *second = NULL;
    if (!results) return MX_OK;
    mx_err err = app_results_path("/meshes", name, &group);
    if (err == MX_OK) err = check_mesh(name, nodes, cells);
    if (err == MX_OK) err = app_results_path(group, "coordinates", &first);
    if (err == MX_OK) err = app_results_path(group, "cells", &second);
    if (err == MX_OK) err = add_xdmf_mesh(results, name, nodes, cells);
    if (err == MX_OK && !results->meshes) err = app_results_put_group(results, "/meshes");
    results->meshes = true;
    if (err == MX_OK) err = app_results_put_group(results, group);
    err = app_agree(results->comm, err);
    if (err == MX_OK) err = app_results_flush(results);
    results->begun = true;
    if (err == MX_OK)
        err = put_array(results, first, unit, APP_EXACT, MX_F64, nodes, coordinates, NULL);
    if (err == MX_OK && cells)
        err = put_array(results, second, "1", APP_EXACT, MX_I64, cells, connectivity, NULL);
    free(group);
    free(first);
    free(second);
    return err;
}

/* A group of scalars: /GROUP/NAME with each number a dataset of its own, so that each has its unit.
 */
typedef struct scalar {
    const char *name, *unit;
    app_h5_item item;
    app_compare compare;
} scalar;

static mx_err put_record(app_results results, const char *group, const char *name,
                         const scalar *scalars, int count)
{
    char *path = NULL;
    MX_TRY(app_results_path(group, name, &path));
    mx_err err = app_results_put_group(results, path);
    for (int i = 0; i < count && err == MX_OK; ++i) {
        err = app_results_put(results, path, scalars[i].name, &scalars[i].item, scalars[i].unit,
                              scalars[i].compare);
    }
    free(path);
    return err;
}

mx_err app_results_region(app_results results, const char *name, const app_region_totals *totals)
{
    if (!results) return MX_OK;
    double bounds[2] = {-totals->seconds, totals->seconds}; /* their maxima: -min and max */
    double sums[3] = {totals->seconds, totals->bytes, totals->flops};
    int64_t counts[2] = {totals->calls, totals->synchronisations};
    MX_TRY(app_max_f64(results->comm, bounds, 2));
    MX_TRY(app_sum_f64(results->comm, sums, 3));
    MX_TRY(app_max_i64(results->comm, counts, 2));
    const double mean = sums[0] / app_size(results->comm), min = -bounds[0];
    const scalar scalars[] = {
        {"calls", "1", app_h5_i64(&counts[0]), APP_NEVER},
        {"seconds_min", "s", app_h5_f64(&min), APP_NEVER},
        {"seconds_mean", "s", app_h5_f64(&mean), APP_NEVER},
        {"seconds_max", "s", app_h5_f64(&bounds[1]), APP_NEVER},
        {"bytes", "byte", app_h5_f64(&sums[1]), APP_NEVER},
        {"flops", "flop", app_h5_f64(&sums[2]), APP_NEVER},
        {"synchronisations", "1", app_h5_i64(&counts[1]), APP_NEVER},
    };
    return put_record(results, "/performance", name, scalars,
                      (int)(sizeof scalars / sizeof scalars[0]));
}

mx_err app_results_check(app_results results, const char *name, double value, double expected,
                         double tolerance, bool passed, app_compare compare)
{
    if (!results) return MX_OK;
    const int64_t outcome = passed ? 1 : 0;
    const scalar scalars[] = {
        {"value", "1", app_h5_f64(&value), compare},
        {"expected", "1", app_h5_f64(&expected), compare},
        {"tolerance", "1", app_h5_f64(&tolerance), compare},
        {"passed", "1", app_h5_i64(&outcome), APP_EXACT},
    };
    return put_record(results, "/verification", name, scalars,
                      (int)(sizeof scalars / sizeof scalars[0]));
}
