/* The digest is that of a list: the SHA-256 of each block of 4 MiB, in order. So ranks can share
 * the blocks. */
#define _POSIX_C_SOURCE 200809L
#include "file_digest.h"

#include "comm/comm_mpi.h"
#include "digest.h"
#include "results_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 4 << 20 };

#define SEAL_FORMAT "\nminx-seal 1 %020lld %s\n"
enum { SEAL_BYTES = 1 + 12 + 20 + 1 + 64 + 1 };

static mx_err read_exactly(int file, const char *path, int64_t from, void *to, size_t bytes)
{
    char *at = to;
    while (bytes > 0) {
        const ssize_t got = pread(file, at, bytes, (off_t)from);
        if (got < 0 && errno == EINTR) continue;
        MX_REQUIRE(got >= 0, MX_ERR_IO, "%s: cannot be read: %s", path, strerror(errno));
        MX_REQUIRE(got > 0, MX_ERR_IO, "%s: is cut short", path);
        at += got;
        from += got;
        bytes -= (size_t)got;
    }
    return MX_OK;
}

/* The digests of the blocks that fall to this rank, in blocks[], which is zero before. */
static mx_err digest_blocks(app_comm comm, int file, const char *path, int64_t size,
                            unsigned char (*blocks)[APP_DIGEST_BYTES])
{
    const bool shared = app_file_is_parallel();
    const int rank = app_rank(comm), ranks = shared ? app_size(comm) : 1;
    if (!shared && rank != 0) return MX_OK;
    char *const buffer = malloc(BLOCK);
    MX_REQUIRE(buffer, MX_ERR_MEMORY, "no memory to read %s", path);
    mx_err err = MX_OK;
    for (int64_t b = rank; b * BLOCK < size && err == MX_OK; b += ranks) {
        const int64_t left = size - b * BLOCK;
        const size_t bytes = left < BLOCK ? (size_t)left : BLOCK;
        err = read_exactly(file, path, b * BLOCK, buffer, bytes);
        if (err == MX_OK) err = app_digest_bytes(buffer, bytes, blocks[b]);
    }
    free(buffer);
    return err;
}

/* The digest of the first `size` bytes, on rank 0. */
static mx_err digest_file(app_comm comm, int file, const char *path, int64_t size,
                          char hex[APP_DIGEST_HEX])
{
    const size_t count = (size_t)((size + BLOCK - 1) / BLOCK);
    unsigned char(*const blocks)[APP_DIGEST_BYTES] = calloc(count + 1, sizeof *blocks);
    mx_err err = blocks ? MX_OK : MX_FAIL(MX_ERR_MEMORY, "no memory for the digests of %s", path);
    if (err == MX_OK) err = digest_blocks(comm, file, path, size, blocks);
    err = app_agree(comm, err);
    if (err == MX_OK && app_file_is_parallel())
        err = app_or_bytes(comm, *blocks, count * APP_DIGEST_BYTES);
    if (err == MX_OK) err = app_digest_text(blocks, count * APP_DIGEST_BYTES, hex);
    free(blocks);
    return app_agree(comm, err);
}

/* On the ranks that read it; elsewhere *file is -1. */
static mx_err open_file(app_comm comm, const char *path, int flags, int *file)
{
    *file = -1;
    if (!app_file_is_parallel() && app_rank(comm) != 0) return MX_OK;
    *file = open(path, flags | O_CLOEXEC);
    MX_REQUIRE(*file >= 0, MX_ERR_IO, "%s: cannot be opened: %s", path, strerror(errno));
    return MX_OK;
}

/* Rank 0's view of the size, on all ranks. */
static mx_err share_size(app_comm comm, const char *path, int file, int64_t *size)
{
    struct stat info = {0};
    mx_err err = MX_OK;
    if (app_rank(comm) == 0 && fstat(file, &info) != 0)
        err = MX_FAIL(MX_ERR_IO, "%s: cannot be read: %s", path, strerror(errno));
    if (err == MX_OK && app_rank(comm) == 0 && !S_ISREG(info.st_mode))
        err = MX_FAIL(MX_ERR_IO, "%s: is not a plain file", path);
    MX_TRY(app_agree(comm, err));
    *size = (int64_t)info.st_size;
    return app_broadcast(comm, size, sizeof *size);
}

static mx_err append(int file, const char *path, int64_t size, const char *hex)
{
    char line[SEAL_BYTES + 1];
    snprintf(line, sizeof line, SEAL_FORMAT, (long long)size, hex);
    const ssize_t written = pwrite(file, line, SEAL_BYTES, (off_t)size);
    MX_REQUIRE(written == SEAL_BYTES, MX_ERR_IO, "%s: cannot be written: %s", path,
               written < 0 ? strerror(errno) : "no room");
    return MX_OK;
}

mx_err app_file_seal(app_comm comm, const char *path)
{
    int file;
    int64_t size = 0;
    char hex[APP_DIGEST_HEX];
    mx_err err = app_agree(comm, open_file(comm, path, O_RDWR, &file));
    if (err == MX_OK) err = share_size(comm, path, file, &size);
    if (err == MX_OK) err = digest_file(comm, file, path, size, hex);
    if (err == MX_OK)
        err = app_agree(comm, app_rank(comm) == 0 ? append(file, path, size, hex) : MX_OK);
    if (file >= 0) close(file);
    return err;
}

/* The seal at the end of a file of `size` bytes: the size and the digest that it names. */
static mx_err read_seal(int file, const char *path, int64_t size, int64_t *sealed,
                        char hex[APP_DIGEST_HEX])
{
    char line[SEAL_BYTES + 1] = "", again[SEAL_BYTES + 1];
    long long number = -1;
    if (size >= SEAL_BYTES) MX_TRY(read_exactly(file, path, size - SEAL_BYTES, line, SEAL_BYTES));
    const int read = sscanf(line, "\nminx-seal 1 %20lld %64s", &number, hex);
    snprintf(again, sizeof again, SEAL_FORMAT, number, hex);
    MX_REQUIRE(read == 2 && memcmp(line, again, SEAL_BYTES) == 0 && number == size - SEAL_BYTES,
               MX_ERR_IO,
               "%s: is cut short, damaged, or no checkpoint: its last line is not a seal", path);
    *sealed = number;
    return MX_OK;
}

static mx_err compare(const char *path, const char *got, const char *expected)
{
    MX_REQUIRE(strcmp(got, expected) == 0, MX_ERR_IO,
               "%s: is damaged: its bytes have the SHA-256 %.16s..., expected %.16s...", path, got,
               expected);
    return MX_OK;
}

mx_err app_file_check_seal(app_comm comm, const char *path)
{
    int file;
    int64_t size = 0, sealed = 0;
    char hex[APP_DIGEST_HEX] = "", expected[APP_DIGEST_HEX] = "";
    mx_err err = app_agree(comm, open_file(comm, path, O_RDONLY, &file));
    if (err == MX_OK) err = share_size(comm, path, file, &size);
    if (err == MX_OK) {
        const bool first = app_rank(comm) == 0;
        err = app_agree(comm, first ? read_seal(file, path, size, &sealed, expected) : MX_OK);
    }
    if (err == MX_OK) err = app_broadcast(comm, &sealed, sizeof sealed);
    if (err == MX_OK) err = digest_file(comm, file, path, sealed, hex);
    if (err == MX_OK)
        err = app_agree(comm, app_rank(comm) == 0 ? compare(path, hex, expected) : MX_OK);
    if (file >= 0) close(file);
    return err;
}
