/* What happens when a results file cannot be written: an error in one sentence on every rank,
 * nothing left behind, an older file as it was. The full disk is a limit on the size of files,
 * which the kernel enforces as it would a full disk. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "check.h"
#include "results/results.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__linux__) && defined(__GLIBC__)
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

/* In place of the C library's: the next call ends as if a signal had interrupted it. */
static bool interrupted;

int posix_fallocate(int file, off_t from, off_t bytes)
{
    int (*real)(int, off_t, off_t);
    *(void **)&real = dlsym(RTLD_NEXT, "posix_fallocate");
    if (!interrupted && real) return real(file, from, bytes);
    interrupted = false;
    return EINTR;
}

static void make_file(app_comm comm, const char *path, const char *text)
{
    if (app_rank(comm) == 0) {
        FILE *const file = fopen(path, "w");
        CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
    }
    CHECK_OK(app_barrier(comm));
}

static void check_unchanged(app_comm comm, const char *path, const char *text)
{
    CHECK_OK(app_barrier(comm));
    if (app_rank(comm) != 0) return;
    char got[64] = "";
    FILE *const file = fopen(path, "r");
    CHECK(file != NULL);
    if (!file) return;
    got[fread(got, 1, sizeof got - 1, file)] = '\0';
    fclose(file);
    CHECK(strcmp(got, text) == 0);
}

/* Removes temporary files and returns how many there were. */
static int remove_temporaries(void)
{
    int found = 0;
    DIR *const folder = opendir(".");
    CHECK(folder != NULL);
    if (!folder) return 0;
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        if (strstr(entry->d_name, ".tmp-")) found += remove(entry->d_name) == 0;
    }
    closedir(folder);
    return found;
}

static void check_no_temporaries(app_comm comm)
{
    CHECK_OK(app_barrier(comm));
    if (app_rank(comm) == 0) CHECK_I64(remove_temporaries(), 0);
}

static const app_origin origin = {.app = "test"};

/* Cells of 0: a field of `d`. */
static app_array field_of(const char *path, const app_decomp *d)
{
    return (app_array){.path = path, .unit = "1", .type = MX_F64, .slab = app_slab_cells(d)};
}

static void check_refused(app_comm comm, const char *path, const char *reason)
{
    app_results results = NULL;
    CHECK_FAILS(app_results_create(comm, path, &origin, &results), MX_ERR_IO, reason);
    CHECK(results == NULL);
    CHECK(strstr(mx_err_message(), path) != NULL);
}

static void check_places(app_comm comm)
{
    check_refused(comm, "no-such-folder/out.h5", "No such file or directory");
    check_refused(comm, "/dev/null", "not a plain file");
    check_refused(comm, "/proc/out.h5", "cannot be created");
    check_refused(comm, ".", "it is a folder");
    make_file(comm, "plain", "");
    check_refused(comm, "plain/out.h5", "Not a directory");
    if (geteuid() != 0) { /* root may write everywhere */
        make_file(comm, "protected.h5", "old");
        if (app_rank(comm) == 0) chmod("protected.h5", 0444);
        CHECK_OK(app_barrier(comm));
        check_refused(comm, "protected.h5", "Permission denied");
    }
    app_results results = NULL;
    CHECK_FAILS(app_results_create(comm, "", &origin, &results), MX_ERR_IO, "empty");
    check_no_temporaries(comm);
}

static void check_discard(app_comm comm)
{
    make_file(comm, "old.h5", "an older result");
    app_results results = NULL;
    CHECK_OK(app_results_create(comm, "old.h5", &origin, &results));
    CHECK_OK(app_results_parameter_f64(results, "x", 1.0, "1"));
    app_results_discard(&results);
    check_unchanged(comm, "old.h5", "an older result");
    check_no_temporaries(comm);
}

/* A name that is stored already, of a dataset and of an array. */
static void check_second_time(app_comm comm)
{
    const double value = 1;
    const app_array history = {.path = "/series/x", .unit = "1", .type = MX_F64};
    app_results results = NULL;
    app_decomp d;
    CHECK_OK(app_results_create(comm, "second.h5", &origin, &results));
    CHECK_OK(app_results_parameter_f64(results, "x", 1.0, "1"));
    CHECK_OK(app_results_series(results, &history, &value, 1));
    CHECK_OK(app_results_parameter_i64(results, "x", 2, "1"));
    CHECK_FAILS(app_results_finish(&results, "verified", 0), MX_ERR_ARG,
                "/input/x is stored a second time");
    CHECK_OK(app_decomp_create(comm, 2, (mx_gid[]){4, 3}, &d));
    const double cells[12] = {0};
    const app_array u = field_of("/fields/u", &d);
    CHECK_OK(app_results_create(comm, "second.h5", &origin, &results));
    CHECK_OK(app_results_array(results, &u, cells));
    CHECK_FAILS(app_results_array(results, &u, cells), MX_ERR_IO, "/fields/u");
    app_results_discard(&results);
    check_no_temporaries(comm);
}

/* The side file's name is taken by a folder: said before the run, the results file not touched. */
static void check_side(app_comm comm)
{
    app_results results = NULL;
    make_file(comm, "side.h5", "an older result");
    if (app_rank(comm) == 0) mkdir("side.xmf", 0777);
    CHECK_OK(app_barrier(comm));
    CHECK_FAILS(app_results_create(comm, "side.h5", &origin, &results), MX_ERR_IO,
                "side.xmf: cannot be written: it is a folder");
    check_unchanged(comm, "side.h5", "an older result");
    check_no_temporaries(comm);
}

/* The name is taken by a folder while the run computes: its results are not thrown away. */
static void check_late_folder(app_comm comm)
{
    app_results results = NULL;
    CHECK_OK(app_results_create(comm, "late.h5", &origin, &results));
    if (app_rank(comm) == 0) CHECK(mkdir("late.h5", 0777) == 0);
    CHECK_OK(app_barrier(comm));
    CHECK_FAILS(app_results_finish(&results, "passed", 0), MX_ERR_IO,
                "the complete file is late.h5.tmp-");
    const char *const kept = strstr(mx_err_message(), "late.h5.tmp-");
    struct stat info;
    CHECK(kept && stat(kept, &info) == 0 && info.st_size > 1000);
    CHECK_OK(app_barrier(comm));
    if (app_rank(comm) != 0) return;
    CHECK_I64(remove_temporaries(), 1);
    CHECK(rmdir("late.h5") == 0);
}

/* A link stays a link; what it names is written. */
static void check_link(app_comm comm)
{
    struct stat info;
    app_results results = NULL;
    make_file(comm, "target.h5", "an older result");
    if (app_rank(comm) == 0) {
        unlink("link.h5");
        unlink("broken.h5");
        CHECK(symlink("target.h5", "link.h5") == 0 && symlink("nowhere.h5", "broken.h5") == 0);
    }
    CHECK_OK(app_barrier(comm));
    check_refused(comm, "broken.h5", "cannot follow the link");
    CHECK_OK(app_results_create(comm, "link.h5", &origin, &results));
    CHECK_OK(app_results_finish(&results, "passed", 0));
    CHECK_OK(app_barrier(comm));
    CHECK(lstat("link.h5", &info) == 0 && S_ISLNK(info.st_mode));
    CHECK(stat("target.h5", &info) == 0 && info.st_size > 1000);
    check_no_temporaries(comm);
}

/* Writes until something fails; returns the first error. */
static mx_err write_much(app_comm comm, const char *path, const double *values, const app_decomp *d)
{
    app_results results = NULL;
    mx_err err = app_results_create(comm, path, &origin, &results);
    for (int i = 0; i < 4 && err == MX_OK; ++i) {
        char name[32];
        snprintf(name, sizeof name, "/fields/f%d", i);
        const app_array field = field_of(name, d);
        err = app_results_array(results, &field, values);
    }
    if (err == MX_OK) return app_results_finish(&results, "passed", 0);
    app_results_discard(&results);
    return err;
}

static void check_full_disk(app_comm comm, rlim_t bytes)
{
    app_decomp d;
    CHECK_OK(app_decomp_create(comm, 2, (mx_gid[]){400, 300}, &d));
    double *const values = calloc((size_t)d.cells[0] * (size_t)d.cells[1], sizeof *values);
    CHECK(values != NULL);
    make_file(comm, "old.h5", "an older result");
    struct rlimit old, small;
    CHECK(getrlimit(RLIMIT_FSIZE, &old) == 0);
    small = old;
    small.rlim_cur = bytes;
    CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
    const mx_err err = write_much(comm, "old.h5", values, &d);
    CHECK(setrlimit(RLIMIT_FSIZE, &old) == 0);
    CHECK_FAILS(err, MX_ERR_IO, "no room");
    free(values);
    check_unchanged(comm, "old.h5", "an older result");
    check_no_temporaries(comm);
}

/* From here on this thread gets no fallocate from the system, as on some file systems: glibc writes
 * into each block instead. Where the system has no such filters, nothing changes. */
static void refuse_fallocate(void)
{
#if defined(__linux__) && defined(__GLIBC__)
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fallocate, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const struct sock_fprog program = {.len = sizeof steps / sizeof steps[0], .filter = steps};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        return;
    CHECK(syscall(SYS_fallocate, -1, 0, 0L, 0L) == -1 && errno == EOPNOTSUPP);
#endif
}

int main(int argc, char **argv)
{
    app_comm comm = NULL;
    app_results_start();
    CHECK_OK(app_comm_open(&argc, &argv, &comm));
    if (!comm) return 1;
    if (app_rank(comm) == 0) (void)remove_temporaries(); /* of an earlier run that was killed */
    CHECK_OK(app_barrier(comm));
    check_places(comm);
    check_discard(comm);
    check_second_time(comm);
    check_side(comm);
    check_late_folder(comm);
    check_link(comm);
    check_full_disk(comm, 4 << 20); /* has room for some of the four fields of 960 kB */
    check_full_disk(comm, 4 << 10); /* for the headers only */
    check_full_disk(comm, 0);
    interrupted = true;
    check_full_disk(comm, 4 << 10);
    CHECK(app_rank(comm) != 0 || !interrupted);
    interrupted = false;
    refuse_fallocate();
    check_link(comm);
    check_full_disk(comm, 4 << 20);
    check_full_disk(comm, 4 << 10);
    const int exit_code = check_exit(comm);
    app_comm_close(&comm);
    return exit_code;
}
