/* The list of what a checkpoint keeps, and how each kind is stored and restored. Private to the
 * checkpoints. */
#pragma once
#include "checkpoint.h"
#include "results_put.h"

typedef enum app_kept_kind {
    APP_KEPT_F64,
    APP_KEPT_I64,
    APP_KEPT_FLAG,
    APP_KEPT_SERIES,
    APP_KEPT_VIEW,
    APP_KEPT_ROWS
} app_kept_kind;

typedef struct app_kept {
    app_kept_kind kind;
    char *path; /* "/state/NAME" */
    void *data; /* F64, I64, FLAG, SERIES: the app's variable */
    int count;  /* F64, I64 */
    mx_ctx ctx; /* VIEW and ROWS */
    const mx_view *view;
    int ghosts;
    app_slab slab;
    mx_view *rows_view;
    mx_lid *rows;
    mx_gid total; /* rows of all ranks; negative: any number */
    app_keep_range range;
} app_kept;

/* Stores numbers and histories, which are small. Called before app_results_flush. */
void app_kept_put(app_results results, const app_kept *kept);

/* Stores views. Called after app_results_flush. Collective, agreed. */
mx_err app_kept_put_array(app_results results, const app_kept *kept);

/* Restores any kind, if its numbers are in their range. rows_known: rows that were restored before
 * have the same *rows. Collective, agreed. */
mx_err app_kept_get(app_file *file, const app_kept *kept, bool rows_known);
