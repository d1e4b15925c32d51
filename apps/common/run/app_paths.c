#define _POSIX_C_SOURCE 200809L /* stat, strndup */
#include "app_paths.h"

#include "results/output_files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- are two files the same? ---- */

static bool is_same_node(const struct stat *one, const struct stat *other)
{
    return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

static const char *base_of(const char *name)
{
    const char *const slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

static bool stat_folder(const char *name, struct stat *info)
{
    const size_t length = (size_t)(base_of(name) - name);
    char *const folder = length > 0 ? strndup(name, length) : strdup(".");
    const bool found = folder && stat(folder, info) == 0;
    free(folder);
    return found;
}

/* Devices, pipes and terminals may be read and written; nothing can replace them. */
static bool is_same(const char *one, const char *other)
{
    struct stat info, other_info;
    const bool exists = stat(one, &info) == 0, other_exists = stat(other, &other_info) == 0;
    if (exists || other_exists)
        return exists && other_exists && S_ISREG(info.st_mode) && is_same_node(&info, &other_info);
    return strcmp(base_of(one), base_of(other)) == 0 && stat_folder(one, &info) &&
           stat_folder(other, &other_info) && is_same_node(&info, &other_info);
}

/* ---- the table ---- */

static bool may_be_same(const app_path *one, const app_path *other)
{
    const bool read_only = !one->option && !other->option;
    return read_only || (one->group && other->group && strcmp(one->group, other->group) == 0);
}

static mx_err check_two(const app_path *listed, const app_path *added)
{
    const app_path *const written = added->option ? added : listed;
    const app_path *const other = added->option ? listed : added;
    MX_REQUIRE(may_be_same(listed, added) || !is_same(listed->name, added->name), MX_ERR_INPUT,
               "%s: got %s as %s, which would replace %s %s; expected another name",
               written->option, written->name, written->role, other->role, other->name);
    return MX_OK;
}

static mx_err reserve(app_paths *paths)
{
    if (paths->count < paths->capacity) return MX_OK;
    const int capacity = paths->capacity > 0 ? 2 * paths->capacity : 16;
    app_path *const grown = realloc(paths->path, (size_t)capacity * sizeof *grown);
    MX_REQUIRE(grown, MX_ERR_MEMORY, "no memory for the names of %d files", capacity);
    paths->path = grown;
    paths->capacity = capacity;
    return MX_OK;
}

static mx_err add(app_paths *paths, const app_path *path)
{
    for (int i = 0; i < paths->count; i++) MX_TRY(check_two(&paths->path[i], path));
    MX_TRY(reserve(paths));
    app_path copy = *path;
    copy.name = strdup(path->name);
    MX_REQUIRE(copy.name, MX_ERR_MEMORY, "no memory for the name of a file");
    paths->path[paths->count++] = copy;
    return MX_OK;
}

mx_err app_paths_add(app_comm comm, app_paths *paths, const app_path *path)
{
    return app_agree(comm, app_rank(comm) == 0 ? add(paths, path) : MX_OK);
}

void app_paths_free(app_paths *paths)
{
    for (int i = 0; i < paths->count; i++) free((void *)paths->path[i].name);
    free(paths->path);
    *paths = (app_paths){0};
}

/* ---- the files of the options ---- */

static const char checkpoints[] = "checkpoints";

/* A file, and one beside it whose name is made of the file's own, links resolved. */
static mx_err add_pair(app_paths *paths, app_path first, app_path second,
                       mx_err (*name_second)(const char *first, char **second))
{
    char *resolved = NULL, *beside = NULL;
    MX_TRY(app_output_resolve(first.role, first.name, &resolved));
    mx_err err = add(paths, &first);
    if (err == MX_OK) err = name_second(resolved, &beside);
    second.name = beside;
    if (err == MX_OK) err = add(paths, &second);
    free(beside);
    free(resolved);
    return err;
}

mx_err app_paths_add_results(app_comm comm, app_paths *paths, const char *file)
{
    const app_path main = {.name = file, .role = "the results file", .option = "--output"};
    const app_path side = {.role = "the side file", .option = "--output"};
    return app_agree(comm,
                     app_rank(comm) == 0 ? add_pair(paths, main, side, app_output_side) : MX_OK);
}

mx_err app_paths_add_checkpoint(app_comm comm, app_paths *paths, const char *file)
{
    const app_path newest = {
        .name = file, .role = "the checkpoint", .option = "--checkpoint", .group = checkpoints};
    const app_path previous = {
        .role = "the previous checkpoint", .option = "--checkpoint", .group = checkpoints};
    return app_agree(
        comm, app_rank(comm) == 0 ? add_pair(paths, newest, previous, app_output_previous) : MX_OK);
}

mx_err app_paths_add_restart(app_comm comm, app_paths *paths, const char *file)
{
    return app_paths_add(
        comm, paths,
        &(app_path){.name = file, .role = "the checkpoint of --restart", .group = checkpoints});
}

mx_err app_paths_add_streams(app_comm comm, app_paths *paths)
{
    static const char streams[] = "streams";
    const app_path out = {
        .name = "/dev/stdout", .role = "the standard output", .option = "stdout", .group = streams};
    const app_path err = {
        .name = "/dev/stderr", .role = "the standard error", .option = "stderr", .group = streams};
    MX_TRY(app_paths_add(comm, paths, &out));
    return app_paths_add(comm, paths, &err);
}
