/* The names of a results file: checked before the run, written under a temporary name, renamed at
 * the end. Private to the results files. None of these is collective: rank 0 acts, and the others
 * learn the name. */
#pragma once
#include "minx/error.h"

typedef struct app_output {
    const char *what; /* for messages: "results file" */
    char *path;       /* the final name, links resolved */
    char *previous;   /* the name that an older file of the final name gets; NULL: it is replaced */
    char *temporary;  /* beside it, this process's own */
    char *side;       /* the XDMF file's final name */
    char *side_temporary;
} app_output;

/* What stands beside the file. */
typedef enum app_output_beside {
    APP_OUTPUT_ALONE,
    APP_OUTPUT_SIDE,    /* its XDMF file */
    APP_OUTPUT_PREVIOUS /* the older file, as PATH.1 */
} app_output_beside;

/* Makes sure that `path` can be written when the run ends, and creates the (empty) temporary file,
 * which has the owner and mode of a file that is to be replaced. A signal that ends the program
 * removes it.
 * MX_ERR_IO with the path and the reason: no such folder, no permission, a folder or device of that
 * name or of a name beside it, a write-protected file, a file that the system will not let a rename
 * replace (of another user, in a folder with the sticky bit), a dangling link. A file
 * at `path` is not changed. On failure *output is empty. */
mx_err app_output_reserve(const char *what, const char *path, app_output_beside beside,
                          app_output *output);

/* MX_ERR_IO if there is something at `path` that is not a plain file with write permission. */
mx_err app_output_check_plain(const char *what, const char *path);

/* MX_ERR_IO if `folder` is no folder to write to. */
mx_err app_output_check_folder(const char *what, const char *folder);

/* Flushes the temporary file to its disk and renames it; an older file of the final name stays as
 * `previous`, if there is one. Then renames the side file, if there is one. MX_ERR_IO on failure.
 * If the rename fails, a file without `previous` keeps its temporary name, and the message says
 * so. */
mx_err app_output_publish(app_output *output, bool with_side);

/* The names of files; the caller frees them. The file that `path` is, links resolved: a link stays,
 * and what it points to is replaced. MX_ERR_IO for a dangling link. */
mx_err app_output_resolve(const char *what, const char *path, char **resolved);
/* run.h5 -> run.xmf; other names get .xmf added. */
mx_err app_output_side(const char *path, char **side);
/* PATH.1 */
mx_err app_output_previous(const char *path, char **previous);

/* Removes what is left of the temporary files. Accepts an empty output. */
void app_output_remove(const app_output *output);

void app_output_free(app_output *output);

/* The last component of the final name. */
const char *app_output_base(const app_output *output);
