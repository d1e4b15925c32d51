#include "series.h"

#include <stdlib.h>
#include <string.h>

static mx_err grow(app_series *series, int64_t least)
{
    int64_t capacity = series->capacity > 0 ? 2 * series->capacity : 256;
    if (capacity < least) capacity = least;
    double *const values = realloc(series->values, (size_t)capacity * sizeof *values);
    MX_REQUIRE(values, MX_ERR_MEMORY, "no memory for a history of %lld values",
               (long long)capacity);
    series->values = values;
    series->capacity = capacity;
    return MX_OK;
}

mx_err app_series_add(app_series *series, double value)
{
    if (series->count == series->capacity) MX_TRY(grow(series, series->count + 1));
    series->values[series->count++] = value;
    return MX_OK;
}

mx_err app_series_resize(app_series *series, int64_t count)
{
    if (count > series->capacity) MX_TRY(grow(series, count));
    if (count > series->count)
        memset(series->values + series->count, 0,
               (size_t)(count - series->count) * sizeof *series->values);
    series->count = count;
    return MX_OK;
}

void app_series_free(app_series *series)
{
    free(series->values);
    *series = (app_series){0};
}
