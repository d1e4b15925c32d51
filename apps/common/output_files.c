#include "output_files.h"

#include "strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file that already has the final name must be a plain file with write permission: a rename would
 * also replace /dev/null or a write-protected result. */
static mx_err check_target(const char *path)
{
    struct stat info;
    MX_REQUIRE(path[0] != '\0', MX_ERR_IO, "the results file needs a name, got an empty one");
    if (stat(path, &info) != 0) {
        MX_REQUIRE(errno == ENOENT, MX_ERR_IO, "results file %s: cannot be written: %s", path,
                   strerror(errno));
        return MX_OK;
    }
    MX_REQUIRE(!S_ISDIR(info.st_mode), MX_ERR_IO,
               "results file %s: cannot be written: it is a folder", path);
    MX_REQUIRE(S_ISREG(info.st_mode), MX_ERR_IO,
               "results file %s: cannot be written: it is not a plain file", path);
    MX_REQUIRE(access(path, W_OK) == 0, MX_ERR_IO, "results file %s: cannot be replaced: %s", path,
               strerror(errno));
    return MX_OK;
}

/* HOST and PID make the name unique to this process. The number avoids temporary files that a killed
 * run with the same pid left. */
static mx_err name_temporary(const char *path, int attempt, char **temporary)
{
    char host[256] = "host";
    gethostname(host, sizeof host - 1);
    app_strbuf name = {0};
    *temporary = NULL;
    const mx_err err =
        app_strbuf_add(&name, "%s.tmp-%s-%ld-%d", path, host, (long)getpid(), attempt);
    if (err != MX_OK) {
        app_strbuf_free(&name);
        return err;
    }
    *temporary = name.text;
    return MX_OK;
}

static mx_err create_temporary(const char *path, char **temporary)
{
    enum { ATTEMPTS = 100 };
    for (int attempt = 0; attempt < ATTEMPTS; ++attempt) {
        MX_TRY(name_temporary(path, attempt, temporary));
        const int file = open(*temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0) {
            close(file);
            return MX_OK;
        }
        const int reason = errno;
        free(*temporary);
        *temporary = NULL;
        MX_REQUIRE(reason == EEXIST, MX_ERR_IO, "results file %s: cannot be created: %s", path,
                   strerror(reason));
    }
    return MX_FAIL(MX_ERR_IO,
                   "results file %s: cannot be created: %d temporary files are in the way", path,
                   ATTEMPTS);
}

/* run.h5 -> run.xmf; other names get .xmf added. */
static mx_err name_side(const char *path, char **side)
{
    const size_t length = strlen(path);
    const bool has_ending = length > 3 && strcmp(path + length - 3, ".h5") == 0;
    app_strbuf name = {0};
    MX_TRY(app_strbuf_add(&name, "%.*s.xmf", (int)(has_ending ? length - 3 : length), path));
    *side = name.text;
    return MX_OK;
}

/* The link itself stays; the file that it points to is replaced. */
static mx_err resolve(const char *path, char **resolved)
{
    struct stat info;
    const bool is_link = lstat(path, &info) == 0 && S_ISLNK(info.st_mode);
    *resolved = is_link ? realpath(path, NULL) : strdup(path);
    MX_REQUIRE(*resolved || !is_link, MX_ERR_IO, "results file %s: cannot follow the link: %s",
               path, strerror(errno));
    MX_REQUIRE(*resolved, MX_ERR_MEMORY, "no memory for the name of the results file");
    return MX_OK;
}

static mx_err set_names(const char *path, app_output *output)
{
    MX_TRY(resolve(path, &output->path));
    MX_TRY(check_target(output->path));
    MX_TRY(name_side(output->path, &output->side));
    MX_TRY(check_target(output->side));
    MX_TRY(create_temporary(output->path, &output->temporary));
    app_strbuf name = {0};
    MX_TRY(app_strbuf_add(&name, "%s.xmf", output->temporary));
    output->side_temporary = name.text;
    return MX_OK;
}

mx_err app_output_reserve(const char *path, app_output *output)
{
    *output = (app_output){0};
    const mx_err err = set_names(path, output);
    if (err != MX_OK) {
        app_output_remove(output);
        app_output_free(output);
    }
    return err;
}

static mx_err check_not_input(const char *path, const struct stat *input)
{
    struct stat info;
    if (stat(path, &info) != 0) return MX_OK;
    MX_REQUIRE(info.st_dev != input->st_dev || info.st_ino != input->st_ino, MX_ERR_INPUT,
               "--output: got %s, which is the input, expected another file", path);
    return MX_OK;
}

mx_err app_output_check_input(const char *path, const char *input)
{
    struct stat info;
    if (stat(input, &info) != 0) return MX_OK; /* it has been read and is gone */
    char *side = NULL;
    MX_TRY(check_not_input(path, &info));
    MX_TRY(name_side(path, &side));
    const mx_err err = check_not_input(side, &info);
    free(side);
    return err;
}

/* Some file systems report a full disk only here. */
static mx_err flush(const char *path)
{
    const int file = open(path, O_RDWR | O_CLOEXEC);
    MX_REQUIRE(file >= 0, MX_ERR_IO, "%s: cannot be opened again: %s", path, strerror(errno));
    const bool flushed =
        fsync(file) == 0 || errno == EINVAL; /* EINVAL: a file system without fsync */
    const int reason = errno;
    close(file);
    MX_REQUIRE(flushed, MX_ERR_IO, "%s: cannot be written: %s", path, strerror(reason));
    return MX_OK;
}

static mx_err move(const char *from, const char *to)
{
    MX_REQUIRE(rename(from, to) == 0, MX_ERR_IO, "results file %s: cannot take its name: %s", to,
               strerror(errno));
    return MX_OK;
}

mx_err app_output_publish(const app_output *output, bool with_side)
{
    MX_TRY(flush(output->temporary));
    if (with_side) MX_TRY(move(output->side_temporary, output->side));
    return move(output->temporary, output->path);
}

void app_output_remove(const app_output *output)
{
    if (output->temporary) unlink(output->temporary);
    if (output->side_temporary) unlink(output->side_temporary);
}

void app_output_free(app_output *output)
{
    free(output->path);
    free(output->temporary);
    free(output->side);
    free(output->side_temporary);
    *output = (app_output){0};
}

const char *app_output_base(const app_output *output)
{
    const char *const slash = strrchr(output->path, '/');
    return slash ? slash + 1 : output->path;
}
