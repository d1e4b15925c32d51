#define _POSIX_C_SOURCE 200809L /* stat: a folder opens like a file */
#include "read_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A pipe has no size that could be asked for, so the buffer doubles until the end of the file. It
 * always has room for one byte more than was read: for the NUL, and to detect a file over the
 * limit. */
static mx_err read_stream(FILE *stream, const char *path, char **text, size_t *length)
{
    size_t capacity = 4096;
    size_t used = 0;
    char *buffer = malloc(capacity);
    MX_REQUIRE(buffer, MX_ERR_MEMORY, "%s: no memory to read it", path);
    for (;;) {
        used += fread(buffer + used, 1, capacity - used, stream);
        if (used < capacity || used > APP_READ_FILE_LIMIT) break;
        char *const larger = realloc(buffer, 2 * capacity);
        if (!larger) {
            free(buffer);
            return MX_FAIL(MX_ERR_MEMORY, "%s: no memory to read it", path);
        }
        buffer = larger;
        capacity *= 2;
    }
    mx_err err = MX_OK;
    if (ferror(stream)) {
        err = MX_FAIL(MX_ERR_IO, "%s: reading broke off after %zu bytes: %s", path, used,
                      strerror(errno));
    } else if (used > APP_READ_FILE_LIMIT) {
        err = MX_FAIL(MX_ERR_INPUT, "%s: got more than %d bytes, expected a deck", path,
                      APP_READ_FILE_LIMIT);
    } else if (used == 0) {
        err = MX_FAIL(MX_ERR_INPUT, "%s: got an empty file, expected a deck", path);
    }
    if (err != MX_OK) {
        free(buffer);
        return err;
    }
    buffer[used] = '\0'; /* used < capacity, or the loop would have gone on */
    *text = buffer;
    *length = used;
    return MX_OK;
}

static mx_err read_here(const char *path, char **text, size_t *length)
{
    struct stat about;
    if (stat(path, &about) != 0) {
        return MX_FAIL(MX_ERR_INPUT, "%s: %s, expected a file to read", path, strerror(errno));
    }
    MX_REQUIRE(!S_ISDIR(about.st_mode), MX_ERR_INPUT, "%s: got a folder, expected a file", path);
    FILE *const stream = fopen(path, "rb");
    MX_REQUIRE(stream, MX_ERR_INPUT, "%s: %s, expected a file to read", path, strerror(errno));
    const mx_err err = read_stream(stream, path, text, length);
    fclose(stream);
    return err;
}

/* After rank 0 has the file: its size to all, memory on all, then the bytes. */
static mx_err share(app_comm comm, char **text, size_t *length)
{
    uint64_t bytes = *length;
    MX_TRY(app_broadcast(comm, &bytes, sizeof bytes));
    *length = (size_t)bytes;
    if (app_rank(comm) != 0) *text = malloc(*length + 1);
    MX_TRY(app_agree(comm,
                     *text ? MX_OK
                           : MX_FAIL(MX_ERR_MEMORY, "no memory for a deck of %zu bytes", *length)));
    return app_broadcast(comm, *text, *length + 1);
}

mx_err app_read_file(app_comm comm, const char *path, char **text, size_t *length)
{
    mx_err err = MX_OK;
    *text = NULL;
    *length = 0;
    if (app_rank(comm) == 0) err = read_here(path, text, length);
    MX_TRY(app_agree(comm, err));
    err = share(comm, text, length);
    if (err != MX_OK) {
        free(*text);
        *text = NULL;
    }
    return err;
}
