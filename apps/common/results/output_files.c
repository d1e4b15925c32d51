#define _GNU_SOURCE /* realpath, O_DIRECTORY */
#include "output_files.h"

#include "comm/signals.h"
#include "input/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

mx_err app_output_check_plain(const char *what, const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        MX_REQUIRE(errno == ENOENT, MX_ERR_IO, "%s %s: cannot be written: %s", what, path,
                   strerror(errno));
        return MX_OK;
    }
    MX_REQUIRE(!S_ISDIR(info.st_mode), MX_ERR_IO, "%s %s: cannot be written: it is a folder", what,
               path);
    MX_REQUIRE(S_ISREG(info.st_mode), MX_ERR_IO, "%s %s: cannot be written: it is not a plain file",
               what, path);
    MX_REQUIRE(access(path, W_OK) == 0, MX_ERR_IO, "%s %s: cannot be replaced: %s", what, path,
               strerror(errno));
    return MX_OK;
}

mx_err app_output_check_folder(const char *what, const char *folder)
{
    struct stat info;
    const bool is_folder = stat(folder, &info) == 0 && S_ISDIR(info.st_mode);
    MX_REQUIRE(is_folder && access(folder, W_OK | X_OK) == 0, MX_ERR_IO,
               "%s: got '%s', expected an existing folder to write to", what, folder);
    return MX_OK;
}

/* A file that already has the final name must be a plain file with write permission: a rename would
 * also replace /dev/null or a write-protected result.
 *
 * The system may refuse the rename all the same: another user's file in a folder with the sticky
 * bit, a file that is immutable. Whether it does depends on owners, capabilities and attributes, so
 * it is asked: rmdir never removes a file, and needs the same permission. */
static mx_err check_target(const char *what, const char *path)
{
    MX_REQUIRE(path[0] != '\0', MX_ERR_IO, "the %s needs a name, got an empty one", what);
    struct stat info;
    MX_TRY(app_output_check_plain(what, path));
    if (lstat(path, &info) != 0) return MX_OK;
    const bool refused = rmdir(path) != 0 && (errno == EPERM || errno == EACCES || errno == EROFS);
    MX_REQUIRE(!refused, MX_ERR_IO,
               "%s %s: cannot be replaced: %s (is it another user's, in a folder with the sticky "
               "bit?)",
               what, path, strerror(errno));
    return MX_OK;
}

/* HOST and PID make the name unique to this process. The number avoids temporary files that a
 * killed run with the same pid left. Of a long name only the beginning is in the temporary one,
 * because file systems allow 255 bytes. */
static mx_err name_temporary(const char *path, int attempt, char **temporary)
{
    enum { MAX_BASE = 120, MAX_HOST = 64 };
    char host[256] = "host";
    gethostname(host, sizeof host - 1);
    const char *const slash = strrchr(path, '/'), *const base = slash ? slash + 1 : path;
    size_t length = strlen(base);
    if (length > MAX_BASE) length = MAX_BASE;
    app_strbuf name = {0};
    *temporary = NULL;
    const mx_err err =
        app_strbuf_add(&name, "%.*s.tmp-%.*s-%ld-%d", (int)((size_t)(base - path) + length), path,
                       MAX_HOST, host, (long)getpid(), attempt);
    if (err != MX_OK) {
        app_strbuf_free(&name);
        return err;
    }
    *temporary = name.text;
    return MX_OK;
}

/* A file that replaces another one keeps its owner, as far as this user may set it, and its
 * mode. */
static void keep_owner(const char *path, int file)
{
    struct stat before, now;
    if (stat(path, &before) != 0 || fstat(file, &now) != 0) return;
    const bool same = before.st_uid == now.st_uid && before.st_gid == now.st_gid;
    const bool owned = same || fchown(file, before.st_uid, before.st_gid) == 0 ||
                       fchown(file, (uid_t)-1, before.st_gid) == 0;
    /* If the group could not be kept, its permissions are dropped: this user's group must not get
     * them. */
    const mode_t mode = owned ? before.st_mode & 0777 : before.st_mode & 0707;
    (void)fchmod(file, mode | S_IRUSR | S_IWUSR);
}

static mx_err create_temporary(const char *what, const char *path, char **temporary)
{
    enum { ATTEMPTS = 100 };
    for (int attempt = 0; attempt < ATTEMPTS; ++attempt) {
        MX_TRY(name_temporary(path, attempt, temporary));
        app_signals_note(*temporary);
        const int file = open(*temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0) {
            keep_owner(path, file);
            close(file);
            return MX_OK;
        }
        const int reason = errno;
        app_signals_forget(*temporary);
        free(*temporary);
        *temporary = NULL;
        MX_REQUIRE(reason == EEXIST, MX_ERR_IO, "%s %s: cannot be created: %s", what, path,
                   strerror(reason));
    }
    return MX_FAIL(MX_ERR_IO, "%s %s: cannot be created: %d temporary files are in the way", what,
                   path, ATTEMPTS);
}

mx_err app_output_side(const char *path, char **side)
{
    const size_t length = strlen(path);
    const bool has_ending = length > 3 && strcmp(path + length - 3, ".h5") == 0;
    app_strbuf name = {0};
    *side = NULL;
    MX_TRY(app_strbuf_add(&name, "%.*s.xmf", (int)(has_ending ? length - 3 : length), path));
    *side = name.text;
    return MX_OK;
}

mx_err app_output_previous(const char *path, char **previous)
{
    app_strbuf name = {0};
    *previous = NULL;
    MX_TRY(app_strbuf_add(&name, "%s.1", path));
    *previous = name.text;
    return MX_OK;
}

mx_err app_output_resolve(const char *what, const char *path, char **resolved)
{
    struct stat info;
    const bool is_link = lstat(path, &info) == 0 && S_ISLNK(info.st_mode);
    *resolved = is_link ? realpath(path, NULL) : strdup(path);
    MX_REQUIRE(*resolved || !is_link, MX_ERR_IO, "%s %s: cannot follow the link: %s", what, path,
               strerror(errno));
    MX_REQUIRE(*resolved, MX_ERR_MEMORY, "no memory for the name of the %s", what);
    return MX_OK;
}

static mx_err set_side_names(app_output *output)
{
    MX_TRY(app_output_side(output->path, &output->side));
    MX_TRY(check_target(output->what, output->side));
    app_strbuf name = {0};
    MX_TRY(app_strbuf_add(&name, "%s.xmf", output->temporary));
    output->side_temporary = name.text;
    app_signals_note(output->side_temporary);
    return MX_OK;
}

static mx_err set_names(const char *path, app_output_beside beside, app_output *output)
{
    MX_TRY(app_output_resolve(output->what, path, &output->path));
    MX_TRY(check_target(output->what, output->path));
    if (beside == APP_OUTPUT_PREVIOUS) {
        MX_TRY(app_output_previous(output->path, &output->previous));
        MX_TRY(check_target(output->what, output->previous));
    }
    MX_TRY(create_temporary(output->what, output->path, &output->temporary));
    return beside == APP_OUTPUT_SIDE ? set_side_names(output) : MX_OK;
}

mx_err app_output_reserve(const char *what, const char *path, app_output_beside beside,
                          app_output *output)
{
    *output = (app_output){.what = what};
    const mx_err err = set_names(path, beside, output);
    if (err != MX_OK) {
        app_output_remove(output);
        app_output_free(output);
    }
    return err;
}

/* Some file systems report a full disk only here. */
static mx_err flush(const char *what, const char *path)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    MX_REQUIRE(file >= 0, MX_ERR_IO, "%s %s: cannot be opened again: %s", what, path,
               strerror(errno));
    const int failed = fsync(file) != 0 ? errno : 0;
    close(file);
    MX_REQUIRE(failed == 0, MX_ERR_IO, "%s %s: cannot be written to the disk: %s", what, path,
               strerror(failed));
    return MX_OK;
}

static mx_err move(const char *what, const char *from, const char *to)
{
    MX_REQUIRE(rename(from, to) == 0, MX_ERR_IO, "%s %s: cannot be renamed to its final name: %s",
               what, to, strerror(errno));
    app_signals_forget(from);
    return MX_OK;
}

/* Names are on the disk when their folder is. A file system that cannot do it is no failure. */
static void flush_folder(const char *path)
{
    const char *const slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    char *const folder = slash ? strndup(path, length) : strdup(".");
    const int file = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (file >= 0) {
        (void)fsync(file);
        close(file);
    }
    free(folder);
}

/* PATH becomes PATH.1 also. A second link to the file does it without a moment in which there is no
 * PATH; where there are no links, a rename does. */
static mx_err keep_previous(const app_output *output)
{
    struct stat info;
    app_strbuf second = {0};
    if (stat(output->path, &info) != 0) return MX_OK;
    mx_err err = app_strbuf_add(&second, "%s-1", output->temporary);
    if (err == MX_OK) {
        const bool linked = link(output->path, second.text) == 0;
        err = move(output->what, linked ? second.text : output->path, output->previous);
        if (linked) unlink(second.text); /* still there if both names were the same file */
    }
    app_strbuf_free(&second);
    return err;
}

static void keep_side_owner(const app_output *output)
{
    const int file = open(output->side_temporary, O_WRONLY | O_CLOEXEC);
    if (file < 0) return;
    keep_owner(output->side, file);
    close(file);
}

/* The file is complete, but its name cannot be given to it: something has changed since it was
 * reserved. The work of a whole run is not thrown away for that. */
static mx_err leave_temporary(app_output *output)
{
    const mx_err err =
        MX_FAIL(MX_ERR_IO, "%s; the complete file is %s", mx_err_message(), output->temporary);
    app_signals_forget(output->temporary);
    free(output->temporary);
    output->temporary = NULL;
    return err;
}

mx_err app_output_publish(app_output *output, bool with_side)
{
    MX_TRY(flush(output->what, output->temporary));
    if (output->previous) MX_TRY(keep_previous(output));
    const mx_err err = move(output->what, output->temporary, output->path);
    if (err != MX_OK) return output->previous ? MX_PASS(err) : leave_temporary(output);
    if (with_side) {
        keep_side_owner(output);
        MX_TRY(move("side file", output->side_temporary, output->side));
    }
    flush_folder(output->path);
    return MX_OK;
}

static void remove_file(const char *path)
{
    if (!path) return;
    unlink(path);
    app_signals_forget(path);
}

void app_output_remove(const app_output *output)
{
    remove_file(output->temporary);
    remove_file(output->side_temporary);
}

void app_output_free(app_output *output)
{
    if (output->temporary) app_signals_forget(output->temporary);
    if (output->side_temporary) app_signals_forget(output->side_temporary);
    free(output->path);
    free(output->previous);
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
