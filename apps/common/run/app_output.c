/* What apps write into their results file, from views and histories. */
#include "app.h"

#include <stdlib.h>

/* This rank's cells of a view, without ghosts, in base->field. */
static mx_err export_cells(app_base *base, const app_slab *slab, app_cells cells)
{
    mx_slice slices[APP_SLAB_MAX_RANK];
    mx_view inside;
    for (int d = 0; d < slab->rank; d++)
        slices[d] = mx_span(cells.ghosts, cells.ghosts + slab->count[d]);
    MX_TRY(mx_subview(cells.view, slab->rank, slices, &inside));
    const mx_err err = mx_export(base->ctx, inside, base->field, NULL);
    MX_TRY(mx_view_destroy(&inside));
    return err;
}

/* Memory for a field. It is used again by later ones, because new memory takes about as long as the
 * copy into it. */
static mx_err reserve_field(app_base *base, size_t cells)
{
    if (cells <= base->field_capacity) return MX_OK;
    free(base->field);
    base->field_capacity = 0;
    base->field = malloc(cells * sizeof *base->field);
    MX_REQUIRE(base->field, MX_ERR_MEMORY, "no memory to write a field");
    base->field_capacity = cells;
    return MX_OK;
}

static mx_err export_array(app_base *base, const app_array *array, app_cells cells)
{
    MX_REQUIRE(array->type == MX_F64, MX_ERR_ARG, "%s: the cells of a view are doubles, not %s",
               array->path, mx_type_name(array->type));
    MX_TRY(app_slab_check(&array->slab, array->path));
    MX_TRY(reserve_field(base, (size_t)app_slab_elements(&array->slab)));
    return export_cells(base, &array->slab, cells);
}

/* Copies this rank's cells to base->field. Agreed. */
static mx_err export_to_field(app_base *base, const app_array *array, app_cells cells)
{
    return app_agree(base->comm, export_array(base, array, cells));
}

mx_err app_field(app_base *base, const app_array *array, app_cells cells)
{
    if (!base->results) return MX_OK;
    MX_TRY(export_to_field(base, array, cells));
    return app_results_array(base->results, array, base->field);
}

mx_err app_field_frame(app_base *base, app_frames frames, int64_t step, double time,
                       app_cells cells)
{
    if (!frames) return MX_OK;
    MX_TRY(export_to_field(base, app_frames_array(frames), cells));
    return app_frames_add(frames, step, time, base->field);
}

/* Histories are doubles; these are stored as whole numbers. */
static mx_err write_history_i64(app_base *base, const app_array *array, const app_series *series)
{
    const size_t count = (size_t)(series->count > 0 ? series->count : 1);
    int64_t *const values = malloc(count * sizeof *values);
    mx_err err = values ? MX_OK : MX_FAIL(MX_ERR_MEMORY, "no memory to write %s", array->path);
    err = app_agree(base->comm, err);
    if (err == MX_OK) {
        for (int64_t i = 0; i < series->count; i++) values[i] = (int64_t)series->values[i];
        err = app_results_series(base->results, array, values, series->count);
    }
    free(values);
    return err;
}

mx_err app_history(app_base *base, const app_array *array, const app_series *series)
{
    if (!base->results) return MX_OK;
    if (array->type == MX_I64) return write_history_i64(base, array, series);
    return app_results_series(base->results, array, series->values, series->count);
}

void app_solves(app_base *base, const app_problem *problem) { base->problem = *problem; }
