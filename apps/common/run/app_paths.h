/* The files of a run: those that it reads and those that it writes, under every name that they have
 * or will get. Each is added to one table before the run writes anything to it, and compared with
 * those that are there: no file may replace one that the run reads, and no two files may have one
 * name. Rank 0 has the table. */
#pragma once
#include "comm/comm.h"

/* A file. The texts must outlive the table, but for the name, which is copied. */
typedef struct app_path {
    const char *name;   /* as it is opened */
    const char *role;   /* for messages: "the data file" */
    const char *option; /* by which the user named what is written: "--output"; NULL: it is read */
    /* Files of one group may be the same: the checkpoint of a restart and those that the run
     * writes. NULL: of none. */
    const char *group;
} app_path;

typedef struct app_paths {
    app_path *path;
    int count, capacity;
} app_paths;

/* Adds a file. MX_ERR_INPUT, with both roles and names, if one of the two files is written and both
 * are the same: by other spellings, by links, and where neither exists yet. MX_ERR_MEMORY.
 * Collective, agreed. */
mx_err app_paths_add(app_comm comm, app_paths *paths, const app_path *path);

/* The files of --output: the results file and its side file. Errors also those of
 * app_output_resolve. Collective, agreed. */
mx_err app_paths_add_results(app_comm comm, app_paths *paths, const char *file);

/* The files of --checkpoint: FILE and the previous checkpoint, FILE.1. */
mx_err app_paths_add_checkpoint(app_comm comm, app_paths *paths, const char *file);

/* The file of --restart, which --checkpoint may name, too. */
mx_err app_paths_add_restart(app_comm comm, app_paths *paths, const char *file);

/* Where the lines of rank 0 go, if these are files. */
mx_err app_paths_add_streams(app_comm comm, app_paths *paths);

void app_paths_free(app_paths *paths);
