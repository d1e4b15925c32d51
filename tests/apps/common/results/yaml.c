/* A YAML document with everything that there is, written by all ranks together; yaml_read.py
 * compares it with what a YAML library reads. No file is replaced. */
#define _POSIX_C_SOURCE 200809L /* symlink, stat */
#include "results/yaml.h"
#include "check.h"

#include <float.h>
#include <sys/stat.h>
#include <unistd.h>

static void fill(app_yaml *y)
{
    const double reals[] = {1, -2.5e-300, 1e22};
    const int64_t wholes[] = {INT64_MIN, 0, INT64_MAX};
    app_yaml_map(y, "run configuration");
    app_yaml_text(y, "text", "a: \"b\" \\ #c\n\t- 1, [2] \xc3\xa9");
    app_yaml_text(y, "number", "1.5");
    app_yaml_text(y, "empty", "");
    app_yaml_map(y, "inner");
    app_yaml_whole(y, "whole", INT64_MAX);
    app_yaml_up(y);
    app_yaml_up(y);
    app_yaml_real(y, "small", DBL_MIN);
    app_yaml_real(y, "power", 1e-5);
    app_yaml_real(y, "one", 1);
    app_yaml_real(y, "third", 1.0 / 3.0);
    app_yaml_real(y, "infinite", -INFINITY);
    app_yaml_real(y, "undefined", NAN);
    app_yaml_reals(y, "reals", reals, 3);
    app_yaml_reals(y, "none", reals, 0);
    app_yaml_wholes(y, "wholes", wholes, 3);
    app_yaml_list(y, "steps");
    for (int i = 0; i < 2; i++) {
        app_yaml_item(y);
        app_yaml_whole(y, "step", i);
        app_yaml_up(y);
    }
    app_yaml_up(y);
    app_yaml_whole(y, "last", -1);
}

/* A name that is free, and names that are not: of a file, of a link to nowhere, without ending. */
static void make_old_files(void)
{
    static const char *const free_names[] = {"test.yaml", "old-3.yaml", "plain-2"};
    for (size_t i = 0; i < sizeof free_names / sizeof free_names[0]; i++)
        (void)remove(free_names[i]);
    (void)remove("old-2.yaml");
    FILE *const old = fopen("old.yaml", "w"), *const plain = fopen("plain", "w");
    CHECK(old && plain && fclose(old) == 0 && fclose(plain) == 0);
    CHECK(symlink("nowhere", "old-2.yaml") == 0);
}

static int64_t size_of(const char *name)
{
    struct stat info;
    return stat(name, &info) == 0 ? (int64_t)info.st_size : -1;
}

/* No file was replaced. */
static void check_new_files(void)
{
    CHECK_I64(size_of("old.yaml"), 0);
    CHECK_I64(size_of("nowhere"), -1);
    CHECK_I64(size_of("plain"), 0);
    CHECK(size_of("test.yaml") > 0);
    CHECK_I64(size_of("old-3.yaml"), size_of("test.yaml"));
    CHECK_I64(size_of("plain-2"), size_of("test.yaml"));
}

int main(int argc, char **argv)
{
    app_comm comm;
    app_yaml yaml = {0};
    app_yaml_name name;
    if (app_comm_open(&argc, &argv, &comm) != MX_OK) return 1;
    if (app_rank(comm) == 0) fill(&yaml);
    if (app_rank(comm) == 0) make_old_files();
    CHECK_OK(app_barrier(comm));
    CHECK_OK(app_yaml_write(comm, &yaml, "test.yaml"));
    CHECK_OK(app_yaml_write(comm, &yaml, "old.yaml"));
    CHECK_OK(app_yaml_write(comm, &yaml, "plain"));
    if (app_rank(comm) == 0) check_new_files();
    CHECK_FAILS(app_yaml_write(comm, &yaml, "no/such/folder.yaml"), MX_ERR_IO, "no/such/folder");
    app_yaml_free(&yaml);
    CHECK(strlen(app_yaml_file_name("mini-", NULL, &name)) ==
          strlen("mini-2000-01-01-00-00-00.yaml"));
    CHECK(strlen(app_yaml_file_name("a.", "%Y:%m:%d-%H:%M:%S", &name)) ==
          strlen("a.2000:01:01-00:00:00.yaml"));
    const int code = check_exit(comm);
    app_comm_close(&comm);
    return code;
}
