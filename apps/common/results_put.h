/* The state of a results file being written, for its parts: the public calls (results.c), the list
 * of small items (results_put.c), what it says about the build and the run (results_origin.c), how
 * it ends (results_finish.c). Private. */
#pragma once
#include "output_files.h"
#include "results.h"
#include "results_file.h"
#include "xdmf.h"

/* Groups, attributes and small datasets that are not in the file yet: they are collected on rank 0
 * without any communication, and written together. */
typedef struct app_put_list {
    struct app_put *put;
    int count, capacity;
    mx_err failed; /* the first failure of an addition, and its message */
    char reason[256];
} app_put_list;

/* What kind of file it is. */
typedef struct app_results_kind {
    const char *what; /* for messages: "results file" */
    const char *schema;
    int64_t version;
    const char *const *groups; /* that it always has; ends with NULL */
    app_output_beside beside;  /* with fields: the side file; or the file that is replaced */
} app_results_kind;

struct app_results {
    app_comm comm;
    const app_results_kind *kind;
    app_output output; /* rank 0 has all names, the others only `temporary` */
    app_file file;
    app_put_list list;         /* of rank 0 */
    bool meshes, files;        /* the groups /meshes and /files are there */
    bool begun;                /* the groups that every results file has are written */
    struct app_frames *frames; /* the first of a list */
    app_xdmf xdmf;             /* of rank 0: what the side file says */
    mx_ctx threads;            /* whose threads compute the digests; NULL: the calling thread */
};

/* app_results_create for any kind. *kind must outlive *results. Collective, agreed. */
mx_err app_results_begin(app_comm comm, const app_results_kind *kind, const char *path,
                         const char *app, int argc, char **argv, app_results *results);

/* Collects GROUP/NAME, with the attributes `units` (NULL: a text) and `compare`. The data of rank 0
 * are stored; they are copied. MX_ERR_ARG, on every rank, for an invalid name. All other errors are
 * returned by app_results_flush. Not collective, but all ranks make the same calls. */
mx_err app_results_put(app_results results, const char *group, const char *name,
                       const app_h5_item *item, const char *units, app_compare compare);

/* The same for an attribute of `owner` ("/": the root), and for a group. */
mx_err app_results_put_attribute(app_results results, const char *owner, const char *name,
                                 const app_h5_item *item);
mx_err app_results_put_group(app_results results, const char *path);

/* Writes what was collected. Collective, agreed. */
mx_err app_results_flush(app_results results);

/* Called before each array. Before the first one it does app_results_flush, because the group of
 * the array must exist. Later it does nothing. Collective, agreed. */
mx_err app_results_begin_arrays(app_results results);

/* Adds a field to the list of the XDMF file, on rank 0. `frames` 0: an array without frames. */
mx_err app_results_add_xdmf_field(app_results results, const char *path, mx_type type,
                                  const app_slab *slab, const app_place *place, mx_gid frames,
                                  const double *times);

/* frames.c: adds all frames to the list of the XDMF file and closes their datasets; frees them. */
mx_err app_results_end_frames(app_results results);
void app_results_free_frames(app_results results);

void app_put_list_free(app_put_list *list);

/* PARENT/NAME; the caller frees *path. MX_ERR_ARG for an invalid name. */
mx_err app_results_path(const char *parent, const char *name, char **path);

/* Root attributes and /provenance: what is known when the file begins. */
mx_err app_results_origin(app_results results, const char *app, int argc, char **argv);
