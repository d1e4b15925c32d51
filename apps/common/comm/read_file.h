/* Small text inputs (decks), read once and given to all ranks. */
#pragma once
#include "comm.h"

enum { APP_READ_FILE_LIMIT = 16 * 1024 * 1024 }; /* bytes; no deck is that long */

/* Reads the file on rank 0 and gives every rank a copy in *text: `length` bytes and a NUL behind
 * them, to be freed by the caller. Pipes can be read too. Collective, and what it returns is
 * agreed. MX_ERR_INPUT if there is no such file, it may not be read, is a folder, is empty, or is
 * larger than the limit; MX_ERR_IO if reading breaks off; MX_ERR_MEMORY. On failure *text is
 * NULL. */
mx_err app_read_file(app_comm comm, const char *path, char **text, size_t *length);
