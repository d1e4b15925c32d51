/* A results file from its beginning to its end. Small items are collected (results_put.c) and
 * written before the first array and at the end; arrays are written at once (results_array.c). At
 * the end come verdict and digests, of the data that were read back; then the file gets its name,
 * or is discarded. */
#include "results.h"

#include "comm/signals.h"
#include "digest.h"
#include "frames.h"
#include "input/strbuf.h"
#include "minx_provenance.h" /* generated at each build by cmake/MinxProvenance.cmake */
#include "results_put.h"
#include "results_schema.h"

#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- where it comes from ---- */

/* Attributes of HDF5 are smaller than 64 KiB. A longer command line is cut, with a remark at its
 * end. */
enum { MAX_COMMAND = 60000 };

const char *app_build_version(void) { return MINX_PROVENANCE_VERSION; }

const char *app_build_commit(void) { return MINX_PROVENANCE_COMMIT; }

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

static mx_err put_command(app_results results, const app_origin *origin)
{
    app_strbuf line = {0};
    mx_err err = join_arguments(origin->argc, origin->argv, &line);
    if (err == MX_OK) {
        const app_h5_item text = app_h5_text(line.text);
        err = app_results_put_attribute(results, "/", "command_line", &text);
    }
    app_strbuf_free(&line);
    return err;
}

app_date app_date_now(void)
{
    const time_t now = time(NULL);
    struct tm utc;
    app_date date = {""};
    if (gmtime_r(&now, &utc)) strftime(date.text, sizeof date.text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return date;
}

static mx_err put_root_text(app_results results, const char *name, const char *value)
{
    const app_h5_item text = app_h5_text(value);
    return app_results_put_attribute(results, "/", name, &text);
}

static mx_err put_root(app_results results, const app_origin *origin)
{
    const int64_t version = results->kind->version;
    const app_h5_item number = app_h5_i64(&version);
    const app_date now = app_date_now();
    MX_TRY(put_root_text(results, "schema", results->kind->schema));
    MX_TRY(app_results_put_attribute(results, "/", "schema_version", &number));
    MX_TRY(put_root_text(results, "app", origin->app));
    MX_TRY(put_root_text(results, "utc_time", origin->date ? origin->date : now.text));
    return put_command(results, origin);
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

/* Root attributes and /provenance: what is known when the file begins. */
static mx_err put_origin(app_results results, const app_origin *origin)
{
    MX_TRY(put_root(results, origin));
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

/* ---- the beginning ---- */

static mx_err reserve(const char *path, app_results results)
{
    const app_results_kind *const kind = results->kind;
    return app_output_reserve(kind->what, path, kind->beside, &results->output);
}

/* Rank 0 reserves the names and sends the temporary one to the other ranks, which need no other. */
static mx_err share_place(app_results results, const char *path)
{
    const bool first = app_rank(results->comm) == 0;
    MX_TRY(app_agree(results->comm, first ? reserve(path, results) : MX_OK));
    size_t bytes = first ? strlen(results->output.temporary) + 1 : 0;
    MX_TRY(app_broadcast(results->comm, &bytes, sizeof bytes));
    mx_err err = MX_OK;
    if (!first) {
        results->output.temporary = malloc(bytes);
        if (!results->output.temporary)
            err = MX_FAIL(MX_ERR_MEMORY, "no memory for the name of the results file");
    }
    MX_TRY(app_agree(results->comm, err));
    MX_TRY(app_broadcast(results->comm, results->output.temporary, bytes));
    if (!first) app_signals_note(results->output.temporary);
    return MX_OK;
}

static mx_err begin(app_results results, const char *path, const app_origin *origin)
{
    const app_results_kind *const kind = results->kind;
    MX_TRY(share_place(results, path));
    MX_TRY(app_agree(results->comm, app_file_open(&results->file, results->comm,
                                                  results->output.temporary, APP_FILE_CREATE)));
    for (int i = 0; kind->groups[i]; ++i) MX_TRY(app_results_put_group(results, kind->groups[i]));
    return app_agree(results->comm, put_origin(results, origin));
}

mx_err app_results_begin(app_comm comm, const app_results_kind *kind, const char *path,
                         const app_origin *origin, app_results *results)
{
    *results = NULL;
    app_results made = calloc(1, sizeof *made);
    mx_err err = made ? MX_OK : MX_FAIL(MX_ERR_MEMORY, "no memory for the %s", kind->what);
    err = app_agree(comm, err);
    if (err == MX_OK) {
        made->comm = comm;
        made->kind = kind;
        made->file.id = H5I_INVALID_HID;
        err = app_agree(comm, begin(made, path, origin));
        if (err == MX_OK) {
            *results = made;
            return MX_OK;
        }
        app_results_discard(&made);
        return MX_PASS(err);
    }
    free(made);
    return err;
}

void app_results_start(void) { app_h5_quiet(); }

mx_err app_results_create(app_comm comm, const char *path, const app_origin *origin,
                          app_results *results)
{
    static const char *const groups[] = {APP_SCHEMA_GROUPS, NULL};
    static const app_results_kind kind = {.what = "results file",
                                          .schema = APP_SCHEMA_NAME,
                                          .version = APP_SCHEMA_VERSION,
                                          .groups = groups,
                                          .beside = APP_OUTPUT_SIDE};
    *results = NULL;
    return path ? app_results_begin(comm, &kind, path, origin, results) : MX_OK;
}

/* ---- small items ---- */

mx_err app_results_provenance(app_results results, const char *name, const char *value)
{
    if (!results) return MX_OK;
    const app_small small = {.compare = APP_NEVER, .item = app_h5_text(value)};
    return app_results_put_in(results, "/provenance", name, &small);
}

mx_err app_results_provenance_i64(app_results results, const char *name, int64_t value)
{
    if (!results) return MX_OK;
    const app_small small = {.unit = "1", .compare = APP_NEVER, .item = app_h5_i64(&value)};
    return app_results_put_in(results, "/provenance", name, &small);
}

mx_err app_results_deck(app_results results, const char *text, size_t length)
{
    if (!results) return MX_OK;
    const app_small small = {.item = {.kind = APP_H5_TEXT, .count = length, .data = text}};
    return app_results_put(results, "/input/deck", &small);
}

mx_err app_results_parameter_f64(app_results results, const char *name, double value,
                                 const char *unit)
{
    if (!results) return MX_OK;
    const app_small small = {.unit = unit, .item = app_h5_f64(&value)};
    return app_results_put_in(results, "/input", name, &small);
}

mx_err app_results_parameter_i64(app_results results, const char *name, int64_t value,
                                 const char *unit)
{
    if (!results) return MX_OK;
    const app_small small = {.unit = unit, .item = app_h5_i64(&value)};
    return app_results_put_in(results, "/input", name, &small);
}

mx_err app_results_parameter_text(app_results results, const char *name, const char *value)
{
    if (!results) return MX_OK;
    const app_small small = {.item = app_h5_text(value)};
    return app_results_put_in(results, "/input", name, &small);
}

static app_h5_item list_of(app_h5_kind kind, const void *values, mx_gid n)
{
    return (app_h5_item){
        .kind = kind, .vector = true, .count = n > 0 ? (hsize_t)n : 0, .data = values};
}

mx_err app_results_parameter_list(app_results results, const char *name, const double *values,
                                  mx_gid n, const char *unit)
{
    if (!results) return MX_OK;
    const app_small small = {.unit = unit, .item = list_of(APP_H5_F64, values, n)};
    return app_results_put_in(results, "/input", name, &small);
}

mx_err app_results_file(app_results results, const char *name, const char *text, size_t length)
{
    if (!results) return MX_OK;
    const app_small small = {.item = {.kind = APP_H5_TEXT, .count = length, .data = text}};
    if (!results->files) MX_TRY(app_results_put_group(results, "/files"));
    results->files = true;
    return app_results_put_in(results, "/files", name, &small);
}

mx_err app_results_series(app_results results, const app_array *array, const void *values, mx_gid n)
{
    if (!results) return MX_OK;
    const app_h5_kind kind = array->type == MX_I64 ? APP_H5_I64 : APP_H5_F64;
    const app_small small = {
        .unit = array->unit, .compare = array->compare, .item = list_of(kind, values, n)};
    MX_REQUIRE(array->type == MX_F64 || array->type == MX_I64, MX_ERR_ARG,
               "%s: a history of type %s cannot be stored", array->path, mx_type_name(array->type));
    return app_results_put(results, array->path, &small);
}

/* A group of scalars: /GROUP/NAME with each number a dataset of its own, so that each has its unit.
 */
typedef struct scalar {
    const char *name;
    app_small small;
} scalar;

static mx_err put_record(app_results results, const char *group, const char *name,
                         const scalar *scalars, int count)
{
    char *path = NULL;
    MX_TRY(app_results_path(group, name, &path));
    mx_err err = app_results_put_group(results, path);
    for (int i = 0; i < count && err == MX_OK; ++i)
        err = app_results_put_in(results, path, scalars[i].name, &scalars[i].small);
    free(path);
    return err;
}

mx_err app_results_region(app_results results, const char *name, const app_region_totals *totals)
{
    if (!results) return MX_OK;
    double bounds[2] = {-totals->seconds, totals->seconds}; /* their maxima: -min and max */
    double sums[3] = {totals->seconds, totals->bytes, totals->flops};
    int64_t counts[2] = {totals->calls, totals->synchronisations};
    MX_TRY(app_max_f64(results->comm, bounds, 2));
    MX_TRY(app_sum_f64(results->comm, sums, 3));
    MX_TRY(app_max_i64(results->comm, counts, 2));
    const double mean = sums[0] / app_size(results->comm), min = -bounds[0];
    const scalar scalars[] = {
        {"calls", {"1", APP_NEVER, app_h5_i64(&counts[0])}},
        {"seconds_min", {"s", APP_NEVER, app_h5_f64(&min)}},
        {"seconds_mean", {"s", APP_NEVER, app_h5_f64(&mean)}},
        {"seconds_max", {"s", APP_NEVER, app_h5_f64(&bounds[1])}},
        {"bytes", {"byte", APP_NEVER, app_h5_f64(&sums[1])}},
        {"flops", {"flop", APP_NEVER, app_h5_f64(&sums[2])}},
        {"synchronisations", {"1", APP_NEVER, app_h5_i64(&counts[1])}},
    };
    return put_record(results, "/performance", name, scalars,
                      (int)(sizeof scalars / sizeof scalars[0]));
}

mx_err app_results_check(app_results results, const app_checked *check)
{
    if (!results) return MX_OK;
    const int64_t passed = check->passed ? 1 : 0;
    const scalar scalars[] = {
        {"value", {"1", check->compare, app_h5_f64(&check->value)}},
        {"expected", {"1", check->compare, app_h5_f64(&check->expected)}},
        {"tolerance", {"1", check->compare, app_h5_f64(&check->tolerance)}},
        {"passed", {"1", APP_EXACT, app_h5_i64(&passed)}},
    };
    return put_record(results, "/verification", check->name, scalars,
                      (int)(sizeof scalars / sizeof scalars[0]));
}

/* ---- arrays ---- */

mx_err app_results_array(app_results results, const app_array *array, const void *values)
{
    if (!results) return MX_OK;
    mx_err err = MX_OK;
    MX_TRY(app_agree(results->comm, app_results_check_path(array->path)));
    MX_TRY(app_results_begin_arrays(results));
    MX_TRY(app_file_put(&results->file, array, values));
    if (array->place && app_rank(results->comm) == 0)
        err = app_xdmf_add_field(&results->xdmf, array, 0, NULL);
    return app_agree(results->comm, err);
}

static mx_err check_mesh(const app_mesh *mesh)
{
    const app_slab *const nodes = &mesh->nodes, *const cells = &mesh->cells;
    const mx_gid components = nodes->rank >= 2 ? nodes->global[nodes->rank - 1] : 0;
    MX_REQUIRE(components == 2 || components == 3, MX_ERR_ARG,
               "mesh %s: coordinates have 2 or 3 components", mesh->name);
    MX_REQUIRE(nodes->rank == 2 || (cells->rank == 0 && nodes->rank == components + 1), MX_ERR_ARG,
               "mesh %s: a grid has as many dimensions as coordinates, and no cells", mesh->name);
    MX_REQUIRE(cells->rank == 0 || (cells->rank == 2 && cells->global[1] == 8 && components == 3),
               MX_ERR_ARG, "mesh %s: hexahedra have 8 nodes each, with 3 coordinates", mesh->name);
    return MX_OK;
}

/* Notes the mesh, and creates its group. */
static mx_err begin_mesh(app_results results, const app_mesh *mesh, const char *group)
{
    MX_TRY(check_mesh(mesh));
    if (app_rank(results->comm) == 0) MX_TRY(app_xdmf_add_mesh(&results->xdmf, mesh));
    if (!results->meshes) MX_TRY(app_results_put_group(results, "/meshes"));
    results->meshes = true;
    return app_results_put_group(results, group);
}

static mx_err put_mesh(app_results results, const app_mesh *mesh, const char *group,
                       const char *first, const char *second)
{
    const app_array nodes = {
        .path = first, .unit = mesh->unit, .type = MX_F64, .slab = mesh->nodes};
    const app_array cells = {.path = second, .unit = "1", .type = MX_I64, .slab = mesh->cells};
    MX_TRY(app_agree(results->comm, begin_mesh(results, mesh, group)));
    results->begun = true;
    MX_TRY(app_results_flush(results));
    MX_TRY(app_file_put(&results->file, &nodes, mesh->coordinates));
    return cells.slab.rank > 0 ? app_file_put(&results->file, &cells, mesh->connectivity) : MX_OK;
}

mx_err app_results_mesh(app_results results, const app_mesh *mesh)
{
    char *group = NULL, *first = NULL, *second = NULL;
    if (!results) return MX_OK;
    mx_err err = app_results_path("/meshes", mesh->name, &group);
    if (err == MX_OK) err = app_results_path(group, "coordinates", &first);
    if (err == MX_OK) err = app_results_path(group, "cells", &second);
    err = app_agree(results->comm, err);
    if (err == MX_OK) err = put_mesh(results, mesh, group, first, second);
    free(group);
    free(first);
    free(second);
    return err;
}

/* ---- the end ---- */

static mx_err put_verdict(app_results results, const char *verdict, int exit_code)
{
    const int64_t code = exit_code;
    const app_h5_item text = app_h5_text(verdict), number = app_h5_i64(&code);
    MX_TRY(app_results_put_attribute(results, "/", "verdict", &text));
    return app_results_put_attribute(results, "/", "exit_code", &number);
}

/* Closing and opening again makes sure that what is digested comes from the file, also what other
 * ranks wrote. */
static mx_err reopen(app_results results)
{
    MX_TRY(app_agree(results->comm, app_file_close(&results->file)));
    return app_agree(results->comm, app_file_open(&results->file, results->comm,
                                                  results->output.temporary, APP_FILE_WRITE));
}

/* The digests of all blocks, on every rank that takes part; those without the file contribute
 * nothing. */
static mx_err share_blocks(app_results results, const app_tree *tree,
                           unsigned char (**blocks)[APP_DIGEST_BYTES])
{
    const bool shared = app_file_is_parallel();
    const app_comm comm = results->comm;
    *blocks = calloc((size_t)tree->blocks + 1, sizeof **blocks);
    mx_err err =
        *blocks ? MX_OK
                : MX_FAIL(MX_ERR_MEMORY, "no memory for %lld digests", (long long)tree->blocks);
    const app_digest_share share = {.rank = shared ? app_rank(comm) : 0,
                                    .size = shared ? app_size(comm) : 1,
                                    .ctx = results->threads};
    if (err == MX_OK && results->file.id >= 0)
        err = app_digest_blocks(&share, results->file.id, tree, *blocks);
    MX_TRY(app_agree(comm, err));
    return shared ? app_or_bytes(comm, **blocks, (size_t)tree->blocks * APP_DIGEST_BYTES) : MX_OK;
}

/* The manifest of the file, where it is open; elsewhere *manifest stays NULL. */
static mx_err make_manifest(app_results results, char **manifest)
{
    const bool open = results->file.id >= 0;
    app_tree tree = {0};
    unsigned char(*blocks)[APP_DIGEST_BYTES] = NULL;
    *manifest = NULL;
    mx_err err = app_agree(results->comm, open ? app_tree_read(results->file.id, &tree) : MX_OK);
    if (err == MX_OK) err = share_blocks(results, &tree, &blocks);
    if (err == MX_OK && open) err = app_digest_manifest(results->file.id, &tree, blocks, manifest);
    free(blocks);
    app_tree_free(&tree);
    return app_agree(results->comm, err);
}

static mx_err put_digests(app_results results, const char *manifest, const char *root)
{
    const app_small method = {.compare = APP_NEVER, .item = app_h5_text(APP_DIGEST_METHOD)};
    const app_small list = {.compare = APP_NEVER, .item = app_h5_text(manifest)};
    const app_small digest = {.compare = APP_NEVER, .item = app_h5_text(root)};
    MX_TRY(app_results_put(results, "/integrity/method", &method));
    MX_TRY(app_results_put(results, APP_PATH_MANIFEST, &list));
    return app_results_put(results, APP_PATH_ROOT, &digest);
}

static mx_err put_integrity(app_results results)
{
    char *manifest = NULL;
    mx_err err = make_manifest(results, &manifest);
    char root[APP_DIGEST_HEX] = "";
    if (err == MX_OK && manifest) err = app_digest_text(manifest, strlen(manifest), root);
    err = app_agree(results->comm, err);
    if (err == MX_OK) {
        err = app_agree(results->comm, put_digests(results, manifest ? manifest : "", root));
        if (err == MX_OK) err = app_results_flush(results);
    }
    free(manifest);
    return err;
}

static mx_err write_side_file(app_results results)
{
    if (app_rank(results->comm) != 0 || results->xdmf.field_count == 0) return MX_OK;
    return app_xdmf_write(results->output.side_temporary, app_output_base(&results->output),
                          &results->xdmf);
}

void app_results_set_threads(app_results results, mx_ctx ctx)
{
    mx_ctx_info info;
    if (!results) return;
    const bool several = ctx && mx_ctx_get_info(ctx, &info) == MX_OK && info.threads > 1;
    results->threads = several ? ctx : NULL;
}

mx_err app_results_seal(app_results results, const char *verdict, int exit_code)
{
    if (!results) return MX_OK;
    MX_TRY(app_frames_end(results));
    MX_TRY(put_verdict(results, verdict, exit_code));
    MX_TRY(app_results_flush(results));
    MX_TRY(reopen(results));
    MX_TRY(put_integrity(results));
    MX_TRY(app_agree(results->comm, app_file_close(&results->file)));
    return app_agree(results->comm, write_side_file(results));
}

static void release(app_results *results)
{
    app_results const r = *results;
    app_frames_free(r);
    app_xdmf_free(&r->xdmf);
    app_put_list_free(&r->list);
    app_output_free(&r->output);
    free(r);
    *results = NULL;
}

mx_err app_results_publish(app_results *results)
{
    app_results const r = *results;
    if (!r) return MX_OK;
    mx_err err = MX_OK;
    if (app_rank(r->comm) == 0) err = app_output_publish(&r->output, r->xdmf.field_count > 0);
    err = app_agree(r->comm, err);
    if (err != MX_OK) {
        app_results_discard(results);
        return MX_PASS(err);
    }
    release(results);
    return MX_OK;
}

mx_err app_results_finish(app_results *results, const char *verdict, int exit_code)
{
    const mx_err err = app_results_seal(*results, verdict, exit_code);
    if (err == MX_OK) return app_results_publish(results);
    app_results_discard(results);
    return MX_PASS(err);
}

void app_results_discard(app_results *results)
{
    app_results const r = *results;
    if (!r) return;
    app_frames_free(r);
    (void)app_file_close(&r->file);
    if (app_rank(r->comm) == 0) app_output_remove(&r->output);
    release(results);
}
