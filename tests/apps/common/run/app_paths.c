/* The table of the files of a run: which files would replace one that is read, or each other, by
 * whichever names. */
#define _POSIX_C_SOURCE 200809L /* symlink, getcwd, dup2 */
#include "check.h"
#include "run/app.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void make_file(const char *name)
{
    FILE *const file = fopen(name, "w");
    CHECK(file && fputs("text", file) >= 0 && fclose(file) == 0);
}

static void make_files(app_comm comm)
{
    if (app_rank(comm) == 0) {
        (void)mkdir("folder", 0777);
        for (const char *const *name =
                 (const char *const[]){"soft", "hard", "around", "soft.ck", "nowhere", NULL};
             *name; name++)
            (void)unlink(*name);
        make_file("there");
        make_file("there.xmf");
        make_file("there.1");
        make_file("folder/far");
        make_file("folder/far.1");
        CHECK(symlink("there", "soft") == 0 && link("there", "hard") == 0);
        CHECK(symlink("new.h5", "nowhere") == 0);
        CHECK(symlink("folder", "around") == 0 && symlink("folder/far", "soft.ck") == 0);
    }
    CHECK_OK(app_barrier(comm));
}

/* A name by its full path; valid until the next call. */
static const char *full(const char *name)
{
    static char path[PATH_MAX + 64];
    char folder[PATH_MAX];
    CHECK(getcwd(folder, sizeof folder) != NULL);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static mx_err add_read(app_comm comm, app_paths *paths, const char *name)
{
    return app_paths_add(comm, paths, &(app_path){.name = name, .role = "the data file"});
}

static mx_err add_written(app_comm comm, app_paths *paths, const char *name)
{
    return app_paths_add(comm, paths,
                         &(app_path){.name = name, .role = "a dump", .option = "dump"});
}

/* Both orders of one file that is read and one that is written. */
static void check_two(app_comm comm, const char *read, const char *written, bool same)
{
    char read_copy[PATH_MAX + 64], words[2 * PATH_MAX + 200];
    snprintf(read_copy, sizeof read_copy, "%s", read);
    snprintf(words, sizeof words,
             "dump: got %s as a dump, which would replace the data file %s; expected another name",
             written, read_copy);
    for (int order = 0; order < 2; order++) {
        app_paths paths = {0};
        CHECK_OK(order == 0 ? add_read(comm, &paths, read_copy)
                            : add_written(comm, &paths, written));
        const mx_err err =
            order == 0 ? add_written(comm, &paths, written) : add_read(comm, &paths, read_copy);
        if (same)
            CHECK_FAILS(err, MX_ERR_INPUT, words);
        else
            CHECK_OK(err);
        app_paths_free(&paths);
    }
}

static void check_names(app_comm comm)
{
    static const char *const same[][2] = {{"there", "there"},
                                          {"there", "./there"},
                                          {"there", "folder/../there"},
                                          {"there", "soft"},
                                          {"soft", "there"},
                                          {"there", "hard"},
                                          {"folder/far", "around/far"},
                                          {"folder/far", "soft.ck"},
                                          {"not-there", "././not-there"},
                                          {"folder/not-there", "around/not-there"}};
    static const char *const other[][2] = {{"there", "there.1"},
                                           {"there", "not-there"},
                                           {"not-there", "folder/not-there"},
                                           {"no-folder/a", "no-folder-either/a"},
                                           {"/dev/null", "/dev/null"}};
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++)
        check_two(comm, same[i][0], same[i][1], true);
    for (size_t i = 0; i < sizeof other / sizeof other[0]; i++)
        check_two(comm, other[i][0], other[i][1], false);
    check_two(comm, full("there"), "there", true);
    check_two(comm, full("not-there"), "not-there", true);
    app_paths paths = {0};
    CHECK_OK(add_read(comm, &paths, "there"));
    CHECK_OK(add_read(comm, &paths, "soft")); /* both are read only */
    CHECK_OK(add_written(comm, &paths, "a"));
    CHECK_FAILS(add_written(comm, &paths, "./a"), MX_ERR_INPUT, "which would replace a dump a");
    app_paths_free(&paths);
    CHECK(paths.count == 0);
}

/* What is added first, the option, its file, and what the message says; NULL: there is none. */
static const struct {
    const char *read, *option, *file, *words;
} cases[] = {
    {"there", "output", "./there", "--output: got ./there as the results file, which"},
    {"there.xmf", "output", "there.h5", "--output: got there.xmf as the side file, which"},
    {"there.xmf", "output", "there", "--output: got there.xmf as the side file, which"},
    {"there.xmf", "output", "soft", "as the side file, which"}, /* beside what the link is */
    {"there.1", "output", "there", NULL},
    {"there", "checkpoint", "there", "--checkpoint: got there as the checkpoint, which"},
    {"there.1", "checkpoint", "there", "--checkpoint: got there.1 as the previous checkpoint"},
    {"folder/far.1", "checkpoint", "soft.ck", "as the previous checkpoint, which"},
    {"there.xmf", "checkpoint", "there", NULL},
};

static void check_options(app_comm comm)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        app_paths paths = {0};
        const bool output = strcmp(cases[i].option, "output") == 0;
        CHECK_OK(add_read(comm, &paths, cases[i].read));
        const mx_err err = output ? app_paths_add_results(comm, &paths, cases[i].file)
                                  : app_paths_add_checkpoint(comm, &paths, cases[i].file);
        if (cases[i].words)
            CHECK_FAILS(err, MX_ERR_INPUT, cases[i].words);
        else
            CHECK_OK(err);
        app_paths_free(&paths);
    }
}

/* A run that goes on with the checkpoints of an earlier one; what else must be another file. */
static void check_restart(app_comm comm)
{
    static const char *const restarts[] = {"there", "there.1", "soft"};
    for (size_t i = 0; i < sizeof restarts / sizeof restarts[0]; i++) {
        app_paths paths = {0};
        CHECK_OK(app_paths_add_restart(comm, &paths, restarts[i]));
        CHECK_OK(app_paths_add_checkpoint(comm, &paths, "there"));
        CHECK_FAILS(app_paths_add_results(comm, &paths, restarts[i]), MX_ERR_INPUT,
                    "would replace the checkpoint of --restart");
        app_paths_free(&paths);
    }
    app_paths paths = {0};
    CHECK_OK(app_paths_add_results(comm, &paths, "new.h5"));
    CHECK_FAILS(app_paths_add_checkpoint(comm, &paths, "new.h5"), MX_ERR_INPUT,
                "--checkpoint: got new.h5 as the checkpoint, which would replace the results file");
    CHECK_FAILS(app_paths_add_checkpoint(comm, &paths, full("new.xmf")), MX_ERR_INPUT,
                "which would replace the side file new.xmf");
    app_paths_free(&paths);
    CHECK_OK(app_paths_add_results(comm, &paths, "new.1"));
    CHECK_FAILS(app_paths_add_checkpoint(comm, &paths, "new"), MX_ERR_INPUT,
                "got new.1 as the previous checkpoint, which would replace the results file");
    app_paths_free(&paths);
}

/* stdout and stderr may be one file; nothing may replace it. */
static void check_streams(app_comm comm)
{
    const int kept = dup(STDOUT_FILENO);
    const int log = open("log", O_WRONLY | O_CREAT, 0666);
    CHECK(kept >= 0 && log >= 0 && dup2(log, STDOUT_FILENO) >= 0);
    app_paths paths = {0};
    CHECK_OK(app_paths_add_streams(comm, &paths));
    const mx_err err = app_paths_add_results(comm, &paths, "./log");
    CHECK(dup2(kept, STDOUT_FILENO) >= 0);
    CHECK_FAILS(err, MX_ERR_INPUT,
                "--output: got ./log as the results file, which would replace "
                "the standard output");
    app_paths_free(&paths);
    close(log);
    close(kept);
}

/* What a stage says that it will write: not through a link to a file that another part of the run
 * may make. */
static void check_stage(app_comm comm)
{
    app_base base = {.comm = comm};
    CHECK_OK(app_paths_add_results(comm, &base.paths, "new.h5"));
    CHECK_OK(app_path_writes(&base, "dump", "a dump", "there"));
    CHECK_FAILS(app_path_writes(&base, "dump", "a dump", "nowhere"), MX_ERR_IO,
                "dump nowhere: cannot follow the link: No such file");
    CHECK_FAILS(app_path_writes(&base, "dump", "a dump", "folder"), MX_ERR_IO, "it is a folder");
    CHECK_FAILS(app_path_writes(&base, "dump", "a dump", "soft"), MX_ERR_INPUT,
                "which would replace a dump there");
    app_paths_free(&base.paths);
}

int main(int argc, char **argv)
{
    app_comm comm = NULL;
    CHECK_OK(app_comm_open(&argc, &argv, &comm));
    if (!comm) return 1;
    make_files(comm);
    check_names(comm);
    check_options(comm);
    check_restart(comm);
    check_streams(comm);
    check_stage(comm);
    const int exit_code = check_exit(comm);
    app_comm_close(&comm);
    return exit_code;
}
