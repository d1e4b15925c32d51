/* A results file, written on any number of ranks, is read back with the reader (its digests are
 * checked from outside by scripts/verify_digests.py). Wherever the same content is written, the
 * digests must be the same: the expected root digest of the content that does not name the run is
 * shared between the runs on 1, 2 and 4 ranks through a file beside them. */
#include "results/results.h"
#include "check.h"
#include "results/digest.h"
#include "results/results_reader.h"

#include "minx/minx.h"

#include <stdlib.h>
#include <unistd.h>

enum {
    ROWS = 700,
    COLUMNS = 600
}; /* more than one digest block (1 MiB is 218 rows), and none divides evenly */

static double value_at(mx_gid j, mx_gid k)
{
    return sin(0.001 * (double)(j * COLUMNS + k)) + 1e-3 * (double)k;
}

static double *local_field(const app_decomp *d)
{
    double *const values = malloc((size_t)d->cells[0] * (size_t)d->cells[1] * sizeof *values);
    if (!values) return NULL;
    for (mx_lid j = 0; j < d->cells[0]; ++j) {
        for (mx_lid k = 0; k < d->cells[1]; ++k)
            values[j * d->cells[1] + k] = value_at(d->first[0] + j, d->first[1] + k);
    }
    return values;
}

static void put_solid(app_comm comm, app_results results)
{
    app_decomp d;
    CHECK_OK(app_decomp_create(comm, 3, (mx_gid[]){5, 6, 7}, &d));
    double values[5 * 6 * 7];
    int n = 0;
    for (mx_lid i = 0; i < d.cells[0]; ++i) {
        for (mx_lid j = 0; j < d.cells[1]; ++j) {
            for (mx_lid k = 0; k < d.cells[2]; ++k) {
                values[n++] =
                    (double)(((d.first[0] + i) * 6 + d.first[1] + j) * 7 + d.first[2] + k);
            }
        }
    }
    const app_array solid = {.path = "/fields/solid",
                             .unit = "1",
                             .compare = APP_EXACT,
                             .type = MX_F64,
                             .slab = app_slab_cells(&d),
                             .place = &(app_place){0}};
    CHECK_OK(app_results_array(results, &solid, values));
}

/* Arrays of the narrow types: a vector in each node, and a whole number in each row of a block. */
static void put_arrays(app_comm comm, app_results results)
{
    app_decomp d;
    CHECK_OK(app_decomp_create(comm, 2, (mx_gid[]){4, 5}, &d));
    const double spacing[2] = {2, 3}; /* for two dimensions: components have none */
    const app_array nodes = {
        .path = "/fields/vectors",
        .unit = "m",
        .compare = APP_RELATIVE(1e-6),
        .type = MX_F32,
        .slab = app_slab_components(app_slab_nodes(&d), 2),
        .place = &(app_place){.on_nodes = true, .is_vector = true, .spacing = spacing}};
    const app_array rows = {.path = "/fields/numbers",
                            .unit = "1",
                            .compare = APP_WITHIN(2),
                            .type = MX_I32,
                            .slab = app_slab_block(comm, 9)};
    app_array bad = rows;
    float vectors[5 * 6 * 2];
    int32_t numbers[9];
    for (mx_gid i = 0; i < app_slab_elements(&nodes.slab); ++i) vectors[i] = 0.1f;
    for (mx_gid i = 0; i < rows.slab.count[0]; ++i)
        numbers[i] = (int32_t)(rows.slab.first[0] + i) - 4;
    CHECK_OK(app_results_array(results, &nodes, vectors));
    CHECK_OK(app_results_array(results, &rows, numbers));
    bad.path = "/fields/bad";
    bad.type = MX_U8;
    CHECK_FAILS(app_results_array(results, &bad, numbers), MX_ERR_ARG,
                "elements of type u8 cannot be stored");
    bad.type = MX_I32;
    CHECK_FAILS(app_results_array(results, &bad, NULL), MX_ERR_ARG,
                "/fields/bad: no values were passed");
    bad.path = "/fields/a//b";
    CHECK_FAILS(app_results_array(results, &bad, numbers), MX_ERR_ARG, "must not be empty");
    bad.path = "fields/bad";
    CHECK_FAILS(app_results_array(results, &bad, numbers), MX_ERR_ARG, "begins with '/'");
}

/* Rows of the numbers from 0 on. */
static void put_rows(app_comm comm, app_results results, const char *path, mx_gid rows,
                     mx_gid columns)
{
    static int64_t values[3000007];
    app_array array = {.path = path,
                       .unit = "1",
                       .compare = APP_EXACT,
                       .type = MX_I64,
                       .slab = app_slab_block(comm, rows)};
    if (columns > 1) array.slab = app_slab_components(array.slab, columns);
    CHECK(app_slab_elements(&array.slab) <= 3000007);
    for (mx_gid i = 0; i < app_slab_elements(&array.slab); ++i)
        values[i] = array.slab.first[0] * columns + i;
    CHECK_OK(app_results_array(results, &array, values));
}

/* More blocks than a batch has; rows larger than a block, of which a batch has fewer; and a row that
 * is larger than a batch. */
static void put_large(app_comm comm, app_results results)
{
    put_rows(comm, results, "/fields/many", 3000007, 1);
    put_rows(comm, results, "/fields/wide", 13, 200001);
    put_rows(comm, results, "/fields/widest", 1, 2200001);
}

static void check_arrays(app_reader reader)
{
    double *vectors = NULL;
    int64_t *numbers = NULL, count = 0;
    char *attributes = NULL;
    CHECK_OK(app_reader_attributes(reader, "/fields/vectors", &attributes));
    CHECK(attributes && strstr(attributes, " <f8 [2] spacing\n"));
    free(attributes);
    CHECK_OK(app_reader_f64(reader, "/fields/vectors", &count, &vectors));
    CHECK_I64(count, 5 * 6 * 2);
    for (int64_t i = 0; i < count; ++i) CHECK_F64(vectors[i], (double)0.1f, 0.0);
    free(vectors);
    CHECK_OK(app_reader_i64(reader, "/fields/numbers", &count, &numbers));
    CHECK_I64(count, 9);
    for (int64_t i = 0; i < count; ++i) CHECK_I64(numbers[i], i - 4);
    free(numbers);
}

static const char deck[] = "*tea\nx_cells=3 ! a comment with \"quotes\" & <brackets>\n*endtea\n";

static void put_histories(app_results results, bool first)
{
    const double residuals[4] = {0.5, 0.25, 0.125, 1.0 / 3.0};
    const int64_t counts[3] = {1, (int64_t)1 << 40, -3};
    const app_array residual = {
        .path = "/series/residual", .unit = "1", .compare = APP_ROUNDING, .type = MX_F64};
    const app_array iterations = {
        .path = "/series/iterations", .unit = "1", .compare = APP_EXACT, .type = MX_I64};
    const app_array nothing = {
        .path = "/series/nothing", .unit = "s", .compare = APP_EXACT, .type = MX_F64};
    const app_array bad = {
        .path = "/series/bad", .unit = "s", .compare = APP_EXACT, .type = MX_F32};
    /* rank 0's values and length count */
    CHECK_OK(app_results_series(results, &residual, first ? residuals : NULL, first ? 4 : 99));
    CHECK_OK(app_results_series(results, &iterations, counts, 3));
    CHECK_OK(app_results_series(results, &nothing, NULL, 0));
    CHECK_FAILS(app_results_series(results, &bad, NULL, 0), MX_ERR_ARG, "type f32");
}

static void write_file(app_comm comm, const char *path, mx_ctx threads, int argc, char **argv)
{
    app_results results = NULL;
    app_decomp d;
    const bool first = app_rank(comm) == 0;
    CHECK_OK(app_decomp_create(comm, 2, (mx_gid[]){ROWS, COLUMNS}, &d));
    double *const values = local_field(&d);
    const app_origin origin = {.app = "test", .argc = argc, .argv = argv};
    CHECK_OK(app_results_create(comm, path, &origin, &results));
    CHECK_OK(app_results_provenance(results, "backend", "serial"));
    CHECK_OK(app_results_deck(results, deck, sizeof deck - 1));
    CHECK_OK(app_results_parameter_f64(results, "eps", 1e-15, "1"));
    CHECK_OK(app_results_parameter_i64(results, "cells", (int64_t)1 << 33, "cell"));
    CHECK_OK(app_results_parameter_text(results, "coefficient", "density"));
    CHECK_OK(app_results_parameter_text(results, "empty", ""));
    put_histories(results, first);
    const app_place place = {.origin = (double[]){-1.0, 2.0}, .spacing = (double[]){0.5, 0.25}};
    const app_array wave = {.path = "/fields/wave",
                            .unit = "K",
                            .compare = APP_RELATIVE(1e-11),
                            .type = MX_F64,
                            .slab = app_slab_cells(&d),
                            .place = &place};
    CHECK_OK(app_results_array(results, &wave, values));
    put_solid(comm, results);
    put_arrays(comm, results);
    put_large(comm, results);
    const app_region_totals totals = {.calls = 7,
                                      .seconds = 1.0 + app_rank(comm),
                                      .bytes = 100.0,
                                      .flops = 10.0,
                                      .synchronisations = 3};
    CHECK_OK(app_results_region(results, "solve", &totals));
    const app_checked volume = {.name = "volume",
                                .value = 1.0,
                                .expected = 1.0,
                                .tolerance = 1e-10,
                                .passed = true,
                                .compare = APP_EXACT};
    CHECK_OK(app_results_check(results, &volume));
    CHECK_FAILS(app_results_parameter_f64(results, "a/b", 1.0, "1"), MX_ERR_ARG,
                "must not contain '/'");
    app_results_set_threads(results, threads);
    CHECK_OK(app_results_finish(&results, "passed", 0));
    CHECK(results == NULL);
    free(values);
}

static void check_text(app_reader reader, const char *path, const char *expected)
{
    char *text = NULL;
    size_t length = 0;
    CHECK_OK(app_reader_text(reader, path, &length, &text));
    CHECK_I64((int64_t)length, (int64_t)strlen(expected));
    CHECK(text && strcmp(text, expected) == 0);
    free(text);
}

static void check_f64(app_reader reader, const char *path, int64_t n, const double *expected)
{
    double *values = NULL;
    int64_t count = 0;
    CHECK_OK(app_reader_f64(reader, path, &count, &values));
    CHECK_I64(count, n);
    for (int64_t i = 0; i < count && i < n; ++i)
        CHECK_F64(values[i], expected[i], 0.0); /* stored, not computed: exact */
    free(values);
}

static void check_i64(app_reader reader, const char *path, int64_t n, const int64_t *expected)
{
    int64_t *values = NULL, count = 0;
    CHECK_OK(app_reader_i64(reader, path, &count, &values));
    CHECK_I64(count, n);
    for (int64_t i = 0; i < count && i < n; ++i) CHECK_I64(values[i], expected[i]);
    free(values);
}

static void check_field(app_reader reader)
{
    double *values = NULL;
    int64_t count = 0, wrong = 0;
    CHECK_OK(app_reader_f64(reader, "/fields/wave", &count, &values));
    CHECK_I64(count, (int64_t)ROWS * COLUMNS);
    for (int64_t i = 0; i < count; ++i) wrong += values[i] != value_at(i / COLUMNS, i % COLUMNS);
    CHECK_I64(wrong, 0);
    free(values);
    CHECK_OK(app_reader_f64(reader, "/fields/solid", &count, &values));
    for (int64_t i = 0; i < count; ++i) CHECK_F64(values[i], (double)i, 0.0);
    free(values);
    const app_node *const node = app_reader_find(reader, "/fields/wave");
    CHECK(node && node->rank == 2 && node->shape[0] == ROWS && node->shape[1] == COLUMNS);
}

/* Every number carries its unit. */
static void check_units(app_reader reader)
{
    for (int i = 0; i < app_reader_count(reader); ++i) {
        const app_node *const node = app_reader_node(reader, i);
        if (node->kind != APP_NODE_F64 && node->kind != APP_NODE_I64) continue;
        char *units = NULL;
        CHECK_OK(app_reader_attribute_text(reader, node->path, "units", &units));
        free(units);
    }
}

static void check_integrity(app_reader reader)
{
    char *stored = NULL, *root = NULL, *manifest = NULL, hex[65] = "";
    size_t length = 0;
    CHECK_OK(app_reader_text(reader, "/integrity/manifest", &length, &stored));
    CHECK_OK(app_reader_manifest(reader, &manifest));
    CHECK(stored && manifest && strcmp(stored, manifest) == 0);
    if (stored) CHECK_OK(app_reader_sha256(stored, length, hex));
    CHECK_OK(app_reader_text(reader, "/integrity/root", &length, &root));
    CHECK(root && strcmp(root, hex) == 0);
    free(root);
    free(manifest);
    free(stored);
}

/* The lines of the manifest about inputs, series and fields name no run: they must not depend on
 * the number of ranks. The first run leaves them in a file beside the runs' folders, the others
 * compare. */
static void check_same_everywhere(app_reader reader)
{
    char *manifest = NULL, *rest = NULL, mine[16384] = "", theirs[16384] = "";
    CHECK_OK(app_reader_manifest(reader, &manifest));
    for (char *line = manifest ? strtok_r(manifest, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest)) {
        const char *const path = line + 66;
        if (strncmp(path, "/input", 6) != 0 && strncmp(path, "/series", 7) != 0 &&
            strncmp(path, "/fields", 7) != 0)
            continue;
        snprintf(mine + strlen(mine), sizeof mine - strlen(mine), "%s\n", line);
    }
    free(manifest);
    char name[64];
    snprintf(name, sizeof name, "new-%ld", (long)getpid());
    FILE *file = fopen(name, "w");
    CHECK(file && fputs(mine, file) >= 0 && fclose(file) == 0);
    const int fresh = link(name, "../results_digests"); /* fails where a run before has left one */
    (void)fresh;
    remove(name);
    file = fopen("../results_digests", "r");
    CHECK(file != NULL);
    if (!file) return;
    theirs[fread(theirs, 1, sizeof theirs - 1, file)] = '\0';
    fclose(file);
    CHECK(strcmp(mine, theirs) == 0);
}

static void read_file(const char *path, int ranks)
{
    app_reader reader = NULL;
    CHECK_OK(app_reader_open(path, &reader));
    if (!reader) return;
    const double eps = 1e-15, history[4] = {0.5, 0.25, 0.125, 1.0 / 3.0}, mean = 0.5 * (1 + ranks),
                 bytes = 100.0 * ranks;
    const double min = 1.0, max = ranks;
    const int64_t cells = (int64_t)1 << 33, counts[3] = {1, (int64_t)1 << 40, -3}, size = ranks,
                  passed = 1, calls = 7;
    check_text(reader, "/input/deck", deck);
    check_text(reader, "/input/coefficient", "density");
    check_text(reader, "/input/empty", "");
    check_text(reader, "/provenance/backend", "serial");
    check_f64(reader, "/input/eps", 1, &eps);
    check_i64(reader, "/input/cells", 1, &cells);
    check_f64(reader, "/series/residual", 4, history);
    check_f64(reader, "/series/nothing", 0, NULL);
    check_i64(reader, "/series/iterations", 3, counts);
    check_i64(reader, "/provenance/ranks", 1, &size);
    check_i64(reader, "/verification/volume/passed", 1, &passed);
    check_i64(reader, "/performance/solve/calls", 1, &calls);
    check_f64(reader, "/performance/solve/seconds_min", 1, &min);
    check_f64(reader, "/performance/solve/seconds_mean", 1, &mean);
    check_f64(reader, "/performance/solve/seconds_max", 1, &max);
    check_f64(reader, "/performance/solve/bytes", 1, &bytes);
    char *text = NULL;
    CHECK_OK(app_reader_attribute_text(reader, "/", "verdict", &text));
    CHECK(text && strcmp(text, "passed") == 0);
    free(text);
    check_field(reader);
    check_arrays(reader);
    check_units(reader);
    check_integrity(reader);
    check_same_everywhere(reader);
    app_reader_close(&reader);
}

/* The digests do not depend on the number of ranks that share the blocks, nor on the context whose
 * threads compute. */
static void check_shares(const char *path, const char *resource)
{
    mx_ctx threads = NULL;
    CHECK_OK(mx_ctx_create(resource, &threads));
    enum { MAX_BLOCKS = 200 };
    static unsigned char alone[MAX_BLOCKS][APP_DIGEST_BYTES];
    app_tree tree;
    const app_digest_share whole = {.size = 1};
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    CHECK(file >= 0);
    CHECK_OK(app_tree_read(file, &tree));
    CHECK(tree.blocks > 40 && tree.blocks <= MAX_BLOCKS);
    if (tree.blocks <= MAX_BLOCKS) CHECK_OK(app_digest_blocks(&whole, file, &tree, alone));
    for (int size = 1; size <= 3 && tree.blocks <= MAX_BLOCKS; ++size) {
        static unsigned char shared[MAX_BLOCKS][APP_DIGEST_BYTES];
        memset(shared, 0, sizeof shared);
        for (int rank = 0; rank < size; ++rank) {
            const app_digest_share share = {.rank = rank, .size = size, .ctx = threads};
            CHECK_OK(app_digest_blocks(&share, file, &tree, shared));
        }
        CHECK(memcmp(alone, shared, sizeof alone) == 0);
    }
    app_tree_free(&tree);
    CHECK(H5Fclose(file) >= 0);
    mx_ctx_destroy(&threads);
}

static void check_inert(app_comm comm)
{
    app_results results = NULL;
    CHECK_OK(app_results_create(comm, NULL, &(app_origin){.app = "test"}, &results));
    CHECK_OK(app_results_parameter_f64(results, "x", 1.0, "1"));
    CHECK_OK(app_results_series(results, &(app_array){.path = "/series/x"}, NULL, 0));
    CHECK_OK(app_results_finish(&results, "passed", 0));
    app_results_discard(&results);
}

int main(int argc, char **argv)
{
    app_comm comm = NULL;
    app_results_start();
    CHECK_OK(app_comm_open(&argc, &argv, &comm));
    if (!comm) return 1;
    mx_ctx threads = NULL;
    CHECK_OK(mx_init());
    CHECK_OK(mx_ctx_create("openmp:threads=3", &threads));
    write_file(comm, "out.h5", threads, argc, argv);
    if (app_rank(comm) == 0) {
        read_file("out.h5", app_size(comm));
        static const char *const hosts[] = {"serial", "serial:order=shuffled", "openmp:threads=3",
                                            "simt"};
        for (int h = 0; h < 4; ++h) check_shares("out.h5", hosts[h]);
        CHECK(access("out.xmf", R_OK) == 0);
    }
    check_inert(comm);
    mx_ctx_destroy(&threads);
    mx_finalize();
    const int exit_code = check_exit(comm);
    app_comm_close(&comm);
    return exit_code;
}
