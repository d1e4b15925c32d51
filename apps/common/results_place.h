/* Where a results file goes: checked before the run, written under another name, given its own at
 * the end. Private to the results files. None of these is collective: rank 0 acts, and the others
 * learn the name. */
#pragma once
#include "minx/error.h"

typedef struct app_place {
    char *path;      /* the final name, links resolved */
    char *temporary; /* beside it, this process's own */
    char *side;      /* the XDMF file's final name */
    char *side_temporary;
} app_place;

/* Makes sure that `path` can be written when the run ends, and creates the (empty) temporary file.
 * MX_ERR_IO with the path and the reason: no such folder, no permission, a folder or device of that
 * name or of the side file's, a write-protected file, a link to nothing. What is at `path` is not touched. On failure *place is empty. */
mx_err app_place_reserve(const char *path, app_place *place);

/* MX_ERR_INPUT if `path` or its side file is the file `input`, also by links. */
mx_err app_place_spare(const char *path, const char *input);

/* Flushes the temporary file to its disk, then renames the side file, where there is one, and it.
 * MX_ERR_IO on failure. */
mx_err app_place_publish(const app_place *place, bool with_side);

/* Removes what is left of the temporary files. Accepts an empty place. */
void app_place_remove(const app_place *place);

void app_place_free(app_place *place);

/* The last component of the final name. */
const char *app_place_base(const app_place *place);
