/* The state of a results file being written, for its parts, and the small items that it collects.
 * Private. */
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
struct app_results_kind {
    const char *what; /* for messages: "results file" */
    const char *schema;
    int64_t version;
    const char *const *groups; /* that it always has; ends with NULL */
    app_output_beside beside;  /* with fields: the side file; or the file that is replaced */
};

struct app_results {
    app_comm comm;
    const app_results_kind *kind;
    app_output output; /* rank 0 has all names, the others only `temporary` */
    app_file file;
    app_put_list list;         /* of rank 0 */
    bool meshes, files;        /* the groups /meshes and /files are there */
    bool begun;                /* the groups that every results file has are written */
    struct app_frames *frames; /* the first of a list (frames.c) */
    app_xdmf xdmf;             /* of rank 0: what the side file says */
    mx_ctx threads;            /* whose threads compute the digests; NULL: the calling thread */
};

/* A small dataset. */
typedef struct app_small {
    const char *unit; /* NULL: a text */
    app_compare compare;
    app_h5_item item;
} app_small;

/* Collects the dataset `path`, with the attributes `units` and `compare`. The path is valid: of
 * app_results_path, or one that passed app_results_check_path. The data of rank 0 are stored; they
 * are copied. Errors are returned by app_results_flush. Not collective, but all ranks make the same
 * calls. */
void app_results_put(app_results results, const char *path, const app_small *small);

/* The same for an attribute of `owner` ("/": the root), and for a group. */
void app_results_put_attribute(app_results results, const char *owner, const char *name,
                               const app_h5_item *item);
void app_results_put_group(app_results results, const char *path);

/* The same for the dataset GROUP/NAME. MX_ERR_ARG, on every rank, for an invalid name. */
mx_err app_results_put_in(app_results results, const char *group, const char *name,
                          const app_small *small);

/* Writes what was collected. Collective, agreed. */
mx_err app_results_flush(app_results results);

/* Called before each array. Before the first one it does app_results_flush, because the group of
 * the array must exist. Later it does nothing. Collective, agreed. */
mx_err app_results_begin_arrays(app_results results);

void app_put_list_free(app_put_list *list);

/* PARENT/NAME; the caller frees *path. MX_ERR_ARG for an invalid name. */
mx_err app_results_path(const char *parent, const char *name, char **path);

/* MX_ERR_ARG unless `path` is "/" and names with '/' between them. */
mx_err app_results_check_path(const char *path);
