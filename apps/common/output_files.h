/* The names of a results file: checked before the run, written under a temporary name, renamed at
 * the end. Private to the results files. None of these is collective: rank 0 acts, and the others
 * learn the name. */
#pragma once
#include "minx/error.h"

typedef struct app_output {
    const char *what; /* for messages: "results file" */
    char *path;       /* the final name, links resolved */
    char *temporary;  /* beside it, this process's own */
    char *side;       /* the XDMF file's final name */
    char *side_temporary;
} app_output;

/* Makes sure that `path` can be written when the run ends, and creates the (empty) temporary file,
 * which has the owner and mode of a file that is to be replaced. A signal that ends the program
 * removes it.
 * MX_ERR_IO with the path and the reason: no such folder, no permission, a folder or device of that
 * name or of the side file's, a write-protected file, a dangling link. A file
 * at `path` is not changed. On failure *output is empty. */
mx_err app_output_reserve(const char *what, const char *path, bool with_side, app_output *output);

/* MX_ERR_INPUT if `path` or its side file is the file `input`, also by links. */
mx_err app_output_check_input(const char *path, const char *input);

/* Do both names mean the same file? If it does not exist yet: would they? */
bool app_output_same(const char *one, const char *other);

/* MX_ERR_INPUT if a checkpoint called `path`, or the previous one PATH.1, would replace the file
 * `other`, also by links and if it does not exist yet. `role`: what it is, for the message. */
mx_err app_output_check_kept(const char *path, const char *other, const char *role);

/* Flushes the temporary file to its disk. Then renames the side file, if there is one, and then the
 * temporary file. With `keep`, an older file of the final name stays, as PATH.1
 * (app_output_previous). MX_ERR_IO on failure. */
mx_err app_output_publish(const app_output *output, bool with_side, bool keep);

/* PATH.1, in *previous, which the caller frees. */
mx_err app_output_previous(const char *path, char **previous);

/* Removes what is left of the temporary files. Accepts an empty output. */
void app_output_remove(const app_output *output);

void app_output_free(app_output *output);

/* The last component of the final name. */
const char *app_output_base(const app_output *output);
