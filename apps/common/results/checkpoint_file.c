/* The file of a checkpoint: HDF5, with the root attributes and /provenance of a results file,
 *
 *     /              schema "minx-checkpoint", schema_version, app, step
 *     /input/lines   the input, as app_keep_input gave it; /input/sha256: its digest
 *     /state/NAME    what is kept
 *
 * and a seal behind its end (file_digest.h). The seal is compared before HDF5 opens the file. It
 * tells damage, but no author: anybody can make a seal. So whatever HDF5 returns is checked as a
 * deck is: types, extents, storage (results_array.c), and the range of each number (keep.c). */
#include "checkpoint_file.h"

#include "digest.h"
#include "file_digest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECKPOINT_SCHEMA "minx-checkpoint"
enum { CHECKPOINT_VERSION = 1 };

static const char *const groups[] = {"/provenance", "/input", "/state", NULL};
static const app_results_kind kind = {.what = "checkpoint",
                                      .schema = CHECKPOINT_SCHEMA,
                                      .version = CHECKPOINT_VERSION,
                                      .groups = groups,
                                      .beside = APP_OUTPUT_PREVIOUS};

/* ---- writing ---- */

static mx_err put_input(app_results results, const char *lines)
{
    char hex[APP_DIGEST_HEX];
    MX_TRY(app_digest_text(lines, strlen(lines), hex));
    const app_small text = {.compare = APP_NEVER, .item = app_h5_text(lines)};
    const app_small digest = {.compare = APP_NEVER, .item = app_h5_text(hex)};
    app_results_put(results, "/input/lines", &text);
    app_results_put(results, "/input/sha256", &digest);
    return MX_OK;
}

static mx_err put_all(app_checkpoint c, app_results results, int64_t step)
{
    const app_h5_item number = app_h5_i64(&step);
    app_results_put_attribute(results, "/", "step", &number);
    const mx_err err = put_input(results, c->input ? c->input : "");
    for (int i = 0; i < c->count; ++i) app_kept_put(results, &c->kept[i]);
    MX_TRY(app_agree(c->comm, err));
    MX_TRY(app_results_flush(results));
    for (int i = 0; i < c->count; ++i) MX_TRY(app_kept_put_array(results, &c->kept[i]));
    MX_TRY(app_agree(c->comm, app_file_close(&results->file)));
    return app_file_seal(c->comm, results->output.temporary);
}

mx_err app_checkpoint_write(app_checkpoint c, int64_t step)
{
    const app_checkpoint_plan *const plan = &c->plan;
    const app_origin origin = {.app = plan->program, .argc = plan->argc, .argv = plan->argv};
    app_results results = NULL;
    MX_TRY(app_results_begin(c->comm, &kind, plan->file, &origin, &results));
    const mx_err err = put_all(c, results, step);
    if (err == MX_OK) return app_results_publish(&results);
    app_results_discard(&results);
    return MX_PASS(err);
}

/* ---- reading, on rank 0: whose checkpoint it is ---- */

/* Has an open dataset or attribute one element? */
static bool is_one(hid_t object, bool attribute)
{
    const hid_t space = attribute ? H5Aget_space(object) : H5Dget_space(object);
    const bool one = space >= 0 && H5Sget_simple_extent_npoints(space) == 1;
    (void)app_h5_close(space);
    return one;
}

/* The text of an open dataset or attribute; the caller frees it. */
static mx_err read_text(hid_t object, bool attribute, const char *name, char **text)
{
    const hid_t type = attribute ? H5Aget_type(object) : H5Dget_type(object);
    const bool fits = type >= 0 && H5Tget_class(type) == H5T_STRING && !H5Tis_variable_str(type) &&
                      is_one(object, attribute);
    *text = fits ? calloc(H5Tget_size(type) + 1, 1) : NULL;
    herr_t done = -1;
    if (*text && attribute) done = H5Aread(object, type, *text);
    if (*text && !attribute) done = H5Dread(object, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *text);
    (void)app_h5_close(type);
    MX_REQUIRE(done >= 0, MX_ERR_INPUT, "%s is no text that can be read", name);
    return MX_OK;
}

static mx_err read_attribute(hid_t file, const char *name, char **text)
{
    *text = NULL;
    const hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
    MX_REQUIRE(attribute >= 0, MX_ERR_INPUT, "it has no attribute \"%s\"", name);
    const mx_err err = read_text(attribute, true, name, text);
    (void)app_h5_close(attribute);
    return err;
}

static mx_err read_lines(hid_t file, char **text)
{
    static const char path[] = "/input/lines";
    hid_t set;
    *text = NULL;
    mx_err err = app_h5_open_set(file, path, &set);
    if (err == MX_OK) err = read_text(set, false, path, text);
    (void)app_h5_close(set);
    return err;
}

static mx_err check_attribute(hid_t file, const char *name, const char *expected)
{
    char *got = NULL;
    mx_err err = read_attribute(file, name, &got);
    if (err == MX_OK && strcmp(got, expected) != 0)
        err = MX_FAIL(MX_ERR_INPUT, "%s: got \"%.60s\", expected \"%s\"", name, got, expected);
    free(got);
    return err;
}

static mx_err check_version(hid_t file)
{
    int64_t version = 0;
    const hid_t attribute = H5Aopen(file, "schema_version", H5P_DEFAULT);
    const bool read = attribute >= 0 && is_one(attribute, true) &&
                      H5Aread(attribute, H5T_NATIVE_INT64, &version) >= 0;
    (void)app_h5_close(attribute);
    MX_REQUIRE(read && version == CHECKPOINT_VERSION, MX_ERR_INPUT,
               "schema_version: got %lld, expected %d", (long long)version, CHECKPOINT_VERSION);
    return MX_OK;
}

/* The value behind "name=" in lines; NULL: there is none. *length: up to the end of its line. */
static const char *find_value(const char *lines, const char *name, size_t name_length,
                              size_t *length)
{
    for (const char *line = lines; *line; line += strcspn(line, "\n") + (strchr(line, '\n') != 0)) {
        if (strncmp(line, name, name_length) != 0 || line[name_length] != '=') continue;
        *length = strcspn(line + name_length + 1, "\n");
        return line + name_length + 1;
    }
    return NULL;
}

/* Names the first line of `lines` that the other input has not. */
static mx_err compare_lines(const char *lines, const char *others, bool lines_are_ours)
{
    for (const char *line = lines; *line; line += strcspn(line, "\n") + (strchr(line, '\n') != 0)) {
        const size_t name = strcspn(line, "=\n"), all = strcspn(line, "\n");
        const char *const value = line + (name < all ? name + 1 : all);
        const size_t length = all - (size_t)(value - line);
        size_t other_length = 0;
        const char *const other = find_value(others, line, name, &other_length);
        if (other && other_length == length && memcmp(value, other, length) == 0) continue;
        const char *const got = lines_are_ours ? value : other;
        const char *const kept = lines_are_ours ? other : value;
        const size_t got_length = lines_are_ours ? length : other_length;
        const size_t kept_length = lines_are_ours ? other_length : length;
        return MX_FAIL(MX_ERR_INPUT,
                       "it was made with another input: %.*s: got %.*s, expected %.*s", (int)name,
                       line, got ? (int)(got_length < 80 ? got_length : 80) : 7,
                       got ? got : "nothing", kept ? (int)(kept_length < 80 ? kept_length : 80) : 7,
                       kept ? kept : "nothing");
    }
    return MX_OK;
}

static mx_err check_input(hid_t file, const char *ours)
{
    char *stored = NULL;
    mx_err err = read_lines(file, &stored);
    if (err == MX_OK) err = compare_lines(ours, stored, true);
    if (err == MX_OK) err = compare_lines(stored, ours, false);
    free(stored);
    return err;
}

static mx_err check_open(app_checkpoint c, hid_t file)
{
    MX_TRY(app_h5_check_links(file));
    MX_TRY(check_attribute(file, "schema", CHECKPOINT_SCHEMA));
    MX_TRY(check_version(file));
    MX_TRY(check_attribute(file, "app", c->plan.program));
    return check_input(file, c->input ? c->input : "");
}

/* The file is opened by this rank alone, and closed before the ranks open it together: HDF5 reads
 * links of a shared file by broadcasts (h5_util.h). */
static mx_err check_origin(app_checkpoint c)
{
    app_h5_quiet();
    const hid_t file = H5Fopen(c->plan.restart, H5F_ACC_RDONLY, H5P_DEFAULT);
    MX_REQUIRE(file >= 0, MX_ERR_IO, "cannot open %s: %s", c->plan.restart, app_h5_reason());
    const mx_err err = check_open(c, file);
    const mx_err closed = app_h5_close(file);
    return err != MX_OK ? err : closed;
}

/* ---- reading ---- */

/* Do rows before number `at` of the list share its *rows? */
static bool rows_are_known(app_checkpoint c, int at)
{
    for (int i = 0; i < at; ++i)
        if (c->kept[at].kind == APP_KEPT_ROWS && c->kept[i].kind == APP_KEPT_ROWS &&
            c->kept[i].rows == c->kept[at].rows)
            return true;
    return false;
}

static mx_err restore(app_checkpoint c, app_file *file)
{
    for (int i = 0; i < c->count; ++i)
        MX_TRY(app_kept_get(file, &c->kept[i], rows_are_known(c, i)));
    return MX_OK;
}

static mx_err read_file(app_checkpoint c)
{
    app_file file;
    const char *const path = c->plan.restart;
    MX_TRY(app_file_check_seal(c->comm, path));
    MX_TRY(app_agree(c->comm, app_rank(c->comm) == 0 ? check_origin(c) : MX_OK));
    MX_TRY(app_agree(c->comm, app_file_open(&file, c->comm, path, APP_FILE_READ)));
    const mx_err err = restore(c, &file);
    const mx_err closed = app_agree(c->comm, app_file_close(&file));
    return err != MX_OK ? err : closed;
}

/* Where the newest checkpoint cannot be used, the one before may be. */
static mx_err explain(app_checkpoint c, mx_err err)
{
    char *previous = NULL, message[700];
    const char *const path = c->plan.restart;
    snprintf(message, sizeof message, "%s", mx_err_message());
    const bool named = strncmp(message, path, strlen(path)) == 0;
    const bool other = err == MX_ERR_IO && app_output_previous(path, &previous) == MX_OK &&
                       access(previous, R_OK) == 0;
    const mx_err result =
        other ? MX_FAIL(err, "--restart: %s%s%s; the checkpoint before it is %s", named ? "" : path,
                        named ? "" : ": ", message, previous)
              : MX_FAIL(err, "--restart: %s%s%s", named ? "" : path, named ? "" : ": ", message);
    free(previous);
    return result;
}

mx_err app_checkpoint_read(app_checkpoint c)
{
    const mx_err err = read_file(c);
    return err == MX_OK ? MX_OK : app_agree(c->comm, explain(c, err));
}
