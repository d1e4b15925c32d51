/* A history: numbers that are added one by one, one entry per step or event. Each rank has its own;
 * of what is written to a file, rank 0's entries count. Nothing here is collective. */
#pragma once
#include "minx/error.h"

/* Begins as {0}. */
typedef struct app_series {
    int64_t count, capacity;
    double *values;
} app_series;

/* MX_ERR_MEMORY when it cannot grow; then it is as before. */
mx_err app_series_add(app_series *series, double value);

/* Makes it `count` entries long; new ones are 0. */
mx_err app_series_resize(app_series *series, int64_t count);

/* Frees the entries; the series is empty again. */
void app_series_free(app_series *series);
