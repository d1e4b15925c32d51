/* A results file from its beginning to its last dataset; results_finish.c ends it. Small items are collected (results_put.c)
 * and written before the first array and at the end; arrays are written at once (results_array.c). */
#include "results.h"

#include "results_put.h"
#include "results_schema.h"
#include "signals.h"

#include <stdlib.h>
#include <string.h>

static mx_err reserve(const char *path, app_results results)
{
    const app_results_kind *const kind = results->kind;
    return app_output_reserve(kind->what, path, kind->with_fields, &results->output);
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

mx_err app_results_check_input(app_comm comm, const char *path, const char *input)
{
    if (!path) return MX_OK;
    return app_agree(comm, app_rank(comm) == 0 ? app_output_check_input(path, input) : MX_OK);
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
                                          .with_fields = true};
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

/* Remembers a field for the XDMF file. */
static mx_err note_field(app_results results, const char *name, const app_decomp *decomp,
                         const double *origin, const double *spacing)
{
    const size_t count = (size_t)results->field_count + 1;
    app_xdmf_field *const fields = realloc(results->fields, count * sizeof *fields);
    MX_REQUIRE(fields, MX_ERR_MEMORY, "no memory to note field %s", name);
    results->fields = fields;
    app_xdmf_field *const field = &fields[results->field_count];
    *field = (app_xdmf_field){.name = strdup(name), .dims = decomp->dims};
    MX_REQUIRE(field->name, MX_ERR_MEMORY, "no memory to note field %s", name);
    for (int d = 0; d < decomp->dims; ++d) {
        field->cells[d] = decomp->global[d];
        field->origin[d] = origin ? origin[d] : 0.0;
        field->spacing[d] = spacing ? spacing[d] : 1.0;
    }
    ++results->field_count;
    return MX_OK;
}

/* What was collected comes before the first array, whose group it holds. */
static mx_err begin_arrays(app_results results)
{
    if (results->begun) return MX_OK;
    results->begun = true;
    return app_results_flush(results);
}

static mx_err put_array(app_results results, const app_array *array, const void *values)
{
    MX_TRY(begin_arrays(results));
    return app_file_put(&results->file, array, values);
}

mx_err app_results_array(app_results results, const char *name, const char *unit,
                         app_compare compare, mx_type type, const app_slab *slab,
                         const void *values)
{
    if (!results) return MX_OK;
    char *path = NULL;
    app_compare_words words;
    mx_err err = app_agree(results->comm, app_results_path("/fields", name, &path));
    const app_array array = {.path = path,
                             .type = type,
                             .slab = *slab,
                             .units = unit,
                             .compare = app_compare_text(compare, &words)};
    if (err == MX_OK) err = put_array(results, &array, values);
    free(path);
    return err;
}

mx_err app_results_field(app_results results, const char *name, const char *unit,
                         app_compare compare, const app_decomp *decomp, const double *values,
                         const double *origin, const double *spacing)
{
    if (!results) return MX_OK;
    char *path = NULL;
    app_compare_words words;
    mx_err err = values ? app_results_path("/fields", name, &path)
                        : MX_FAIL(MX_ERR_ARG, "field %s: no values were passed", name);
    err = app_agree(results->comm, err);
    if (err == MX_OK) {
        const app_array array = {.path = path,
                                 .type = MX_F64,
                                 .slab = app_slab_cells(decomp),
                                 .units = unit,
                                 .compare = app_compare_text(compare, &words),
                                 .origin = origin,
                                 .spacing = spacing};
        err = put_array(results, &array, values);
        if (err == MX_OK)
            err = app_agree(results->comm, note_field(results, name, decomp, origin, spacing));
    }
    free(path);
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
