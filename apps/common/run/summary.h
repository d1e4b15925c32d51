/* The summary of a run, for scripts: who ran what where, with which outcome, in what time (schema
 * minx-summary-1). --summary=FILE.json writes it as JSON, and a results file has the same under
 * /summary. docs/summary.md describes it.
 *
 * The file is reserved when the run begins. It has the content of a run that ended with a verdict,
 * or was stopped after a checkpoint; a run that ends with an error leaves an older file as it
 * was. */
#pragma once
#include "report.h"
#include "results/json.h"
#include "results/output_files.h"

#define APP_SUMMARY_SCHEMA "minx-summary-1"

typedef struct app_base app_base;

/* What an app says of the problem that it solves: app_solves (app.h). Texts are not copied. */
typedef struct app_problem {
    const char *name; /* "cg 2-D" */
    int64_t size;     /* cells, rows, atoms */
    /* the figure of merit, size times iterations by the seconds of `solve`: larger is better */
    const char *merit, *unit; /* "cell iteration rate", "cell iterations/s" */
    const app_region *solve;  /* the iterations; NULL: the whole run */
} app_problem;

typedef struct app_summary {
    app_output file; /* of rank 0; empty: none is asked for */
    app_json json;
    double wall_seconds; /* from the start of the program to here: of the slowest rank */
    double merit;
    int64_t nodes; /* hosts that have ranks */
} app_summary;

/* Reserves the file, which the table of files has, if there is to be one. MX_ERR_IO if it could not
 * be written at the end.
 * Collective, agreed. */
mx_err app_summary_open(app_base *base);

/* Makes the summary of the run, which ends now, and adds it to the results file, if there is one.
 * MX_ERR_MEMORY, MX_ERR_COMM. Collective, agreed. */
mx_err app_summary_make(app_base *base);

/* Writes the file, if there is to be one, and gives it its name. MX_ERR_IO. Collective, agreed. */
mx_err app_summary_publish(app_base *base);

/* Removes a file that was not published. */
void app_summary_close(app_base *base);
