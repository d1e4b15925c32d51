/* The provenance of a results file: program, command line, time, build, libraries, machine. */
#include "minx_provenance.h" /* generated at each build by cmake/MinxProvenance.cmake */
#include "results_put.h"
#include "strbuf.h"

#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Attributes of HDF5 are smaller than 64 KiB. A longer command line is cut, with a remark at its
 * end. */
enum { MAX_COMMAND = 60000 };

const char *app_build_compiler(void) { return MINX_PROVENANCE_COMPILER; }

const char *app_build_flags(void) { return MINX_PROVENANCE_FLAGS; }

/* An argument as a shell would have to read it. */
static mx_err add_argument(app_strbuf *line, const char *argument)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
    if (argument[0] != '\0' && strspn(argument, plain) == strlen(argument))
        return app_strbuf_add(line, "%s", argument);
    MX_TRY(app_strbuf_add(line, "'"));
    for (; *argument; ++argument) {
        MX_TRY(*argument == '\'' ? app_strbuf_add(line, "'\\''")
                                 : app_strbuf_add(line, "%c", *argument));
    }
    return app_strbuf_add(line, "'");
}

static mx_err join_arguments(int argc, char **argv, app_strbuf *line)
{
    MX_TRY(app_strbuf_add(line, "%s", ""));
    for (int i = 0; i < argc; ++i) {
        if (i > 0) MX_TRY(app_strbuf_add(line, " "));
        MX_TRY(add_argument(line, argv[i]));
    }
    if (line->length > MAX_COMMAND) memcpy(line->text + MAX_COMMAND, " ...", sizeof " ...");
    return MX_OK;
}

static mx_err put_command(app_results results, int argc, char **argv)
{
    app_strbuf line = {0};
    mx_err err = join_arguments(argc, argv, &line);
    if (err == MX_OK) {
        const app_h5_item text = app_h5_text(line.text);
        err = app_results_put_attribute(results, "/", "command_line", &text);
    }
    app_strbuf_free(&line);
    return err;
}

static mx_err put_root_text(app_results results, const char *name, const char *value)
{
    const app_h5_item text = app_h5_text(value);
    return app_results_put_attribute(results, "/", name, &text);
}

static mx_err put_root(app_results results, const char *app, int argc, char **argv)
{
    const int64_t version = results->kind->version;
    const app_h5_item number = app_h5_i64(&version);
    const time_t now = time(NULL);
    struct tm utc;
    char when[32] = "";
    if (gmtime_r(&now, &utc)) strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &utc);
    MX_TRY(put_root_text(results, "schema", results->kind->schema));
    MX_TRY(app_results_put_attribute(results, "/", "schema_version", &number));
    MX_TRY(put_root_text(results, "app", app));
    MX_TRY(put_root_text(results, "utc_time", when));
    return put_command(results, argc, argv);
}

static mx_err put_libraries(app_results results)
{
    unsigned major = 0, minor = 0, release = 0;
    MX_REQUIRE(H5get_libversion(&major, &minor, &release) >= 0, MX_ERR_IO,
               "HDF5 does not know its version");
    char hdf5[64];
    snprintf(hdf5, sizeof hdf5, "%u.%u.%u %s", major, minor, release,
             app_file_is_parallel() ? "parallel" : "serial");
    MX_TRY(app_results_provenance(results, "mpi_version", app_comm_version(results->comm)));
    MX_TRY(app_results_provenance(results, "hdf5_version", hdf5));
    return app_results_provenance(results, "openssl_version", OpenSSL_version(OPENSSL_VERSION));
}

mx_err app_results_origin(app_results results, const char *app, int argc, char **argv)
{
    MX_TRY(put_root(results, app, argc, argv));
    MX_TRY(app_results_provenance(results, "minx_version", MINX_PROVENANCE_VERSION));
    MX_TRY(app_results_provenance(results, "git_commit", MINX_PROVENANCE_COMMIT));
    MX_TRY(app_results_provenance(results, "git_dirty", MINX_PROVENANCE_DIRTY));
    MX_TRY(app_results_provenance(results, "compiler", MINX_PROVENANCE_COMPILER));
    MX_TRY(app_results_provenance(results, "compiler_flags", MINX_PROVENANCE_FLAGS));
    MX_TRY(put_libraries(results));
    char host[256] = "unknown";
    gethostname(host, sizeof host - 1);
    MX_TRY(app_results_provenance(results, "host", host));
    return app_results_provenance_i64(results, "ranks", app_size(results->comm));
}
