/* The state of a results file being written, for its parts: the public calls (results.c), what it
 * says about the build and the run (results_origin.c), how it ends (results_finish.c). Private. */
#pragma once
#include "output_files.h"
#include "results.h"
#include "results_file.h"
#include "xdmf.h"

struct app_results {
    app_comm comm;
    app_output output; /* rank 0 has all names, the others only `temporary` */
    app_file file;
    app_xdmf_field *fields;
    int field_count;
};

/* Stores `item` as GROUP/NAME. Rank 0's data and count go into the file; the others pass the same
 * kind. `units` NULL: a text. Collective; what it returns is agreed. MX_ERR_ARG for a name that
 * cannot be one. */
mx_err app_results_put(app_results results, const char *group, const char *name,
                       const app_h5_item *item, const char *units);

/* An attribute of the root; as above. */
mx_err app_results_put_root(app_results results, const char *name, const app_h5_item *item);

/* Root attributes and /provenance: what is known when the file begins. Collective, agreed. */
mx_err app_results_origin(app_results results, const char *app, int argc, char **argv);
