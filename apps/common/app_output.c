/* What apps write into their results file, from views and histories. */
#include "app.h"

#include <stdlib.h>

/* This rank's cells of a view, without ghosts, in `values`. */
static mx_err export_cells(app_base *base, const app_decomp *decomp, mx_view view, int ghosts,
                           double *values)
{
    mx_view cells;
    const mx_lid *const n = decomp->cells;
    if (decomp->dims == 2)
        MX_TRY(mx_subview(view,
                          MX_SLICES(mx_span(ghosts, ghosts + n[0]), mx_span(ghosts, ghosts + n[1])),
                          &cells));
    else
        MX_TRY(mx_subview(view,
                          MX_SLICES(mx_span(ghosts, ghosts + n[0]), mx_span(ghosts, ghosts + n[1]),
                                    mx_span(ghosts, ghosts + n[2])),
                          &cells));
    const mx_err err = mx_export(base->ctx, cells, values, NULL);
    MX_TRY(mx_view_destroy(&cells));
    return err;
}

/* Memory for a field. It is used again by later ones, because new memory takes about as long as the
 * copy into it. */
static mx_err reserve_field(app_base *base, const app_decomp *decomp)
{
    size_t cells = 1;
    for (int d = 0; d < decomp->dims; d++) cells *= (size_t)decomp->cells[d];
    if (cells <= base->field_capacity) return MX_OK;
    free(base->field);
    base->field_capacity = 0;
    base->field = malloc(cells * sizeof *base->field);
    MX_REQUIRE(base->field, MX_ERR_MEMORY, "no memory to write a field");
    base->field_capacity = cells;
    return MX_OK;
}

/* Copies this rank's cells to base->field. Agreed. */
static mx_err export_to_field(app_base *base, const app_decomp *decomp, mx_view view, int ghosts)
{
    mx_err err = reserve_field(base, decomp);
    if (err == MX_OK) err = export_cells(base, decomp, view, ghosts, base->field);
    return app_agree(base->comm, err);
}

mx_err app_field(app_base *base, const char *name, const char *unit, app_compare compare,
                 const app_decomp *decomp, mx_view view, int ghosts, const double *origin,
                 const double *spacing)
{
    if (!base->results) return MX_OK;
    MX_TRY(export_to_field(base, decomp, view, ghosts));
    return app_results_field(base->results, name, unit, compare, decomp, base->field, origin,
                             spacing);
}

mx_err app_field_frame(app_base *base, app_frames frames, int64_t step, double time,
                       const app_decomp *decomp, mx_view view, int ghosts)
{
    const app_slab cells = app_slab_cells(decomp);
    if (!frames) return MX_OK;
    MX_TRY(export_to_field(base, decomp, view, ghosts));
    return app_frames_add(frames, step, time, &cells, base->field);
}

mx_err app_history(app_base *base, const char *name, const char *unit, app_compare compare,
                   const app_series *series)
{
    return app_results_series_f64(base->results, name, unit, compare, series->values,
                                  series->count);
}

mx_err app_history_i64(app_base *base, const char *name, const char *unit, app_compare compare,
                       const app_series *series)
{
    if (!base->results) return MX_OK;
    const size_t count = (size_t)(series->count > 0 ? series->count : 1);
    int64_t *const values = malloc(count * sizeof *values);
    mx_err err = values ? MX_OK : MX_FAIL(MX_ERR_MEMORY, "no memory to write the series %s", name);
    err = app_agree(base->comm, err);
    if (err == MX_OK) {
        for (int64_t i = 0; i < series->count; i++) values[i] = (int64_t)series->values[i];
        err = app_results_series_i64(base->results, name, unit, compare, values, series->count);
    }
    free(values);
    return err;
}

void app_merit(app_base *base, double value, const char *unit)
{
    base->merit = value;
    base->merit_unit = unit;
}
