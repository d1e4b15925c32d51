/* Throws HDF5 files at the readers of checkpoints. A whole checkpoint is made once. Each input
 * changes what one reader reads, by valid calls of HDF5: values, types, ranks, extents, storage, or
 * another object or a link in its place. Then the seal is made anew, so that every input gets past
 * it. (Files that HDF5 itself cannot read are for HDF5's own tests.)
 *
 * The reader is number data[0] of the table, or the one that the environment variable
 * MINX_FUZZ_READER names. The rest of the input says what is done, and is the source of numbers.
 *
 * Properties checked for any input:
 *   1. the restart returns, and gives MX_OK, or MX_ERR_INPUT or MX_ERR_IO with a message that names
 *      the file;
 *   2. all that it restored is in the ranges that it was kept with, and rows are as many as there
 *      are, and as there must be;
 *   3. no object of HDF5 stays open. */
#define _GNU_SOURCE /* mkdtemp */
#include "results/checkpoint.h"
#include "results/file_digest.h"
#include "results/results.h"
#include "target.h"

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROWS = 5, COLUMNS = 4, PARTICLES = 6, SITES = 3, GHOSTS = 1, SERIES = 7 };
static const char program[] = "fuzz", lines[] = "cells=9\ndt=0.5\n";

/* ---- what is kept ---- */

typedef struct state {
    int64_t step;
    double time[2];
    bool flag;
    app_series series;
    mx_view field, positions, types, sites;
    mx_lid particles; /* as many as the file has */
    mx_lid fixed;     /* SITES: their number is known */
} state;

static app_comm comm;
static mx_ctx ctx;

static void open_state(state *s)
{
    *s = (state){0};
    HOLDS(mx_view_create_2d(ctx, "field", MX_F64, ROWS + 2, COLUMNS + 2, &s->field) == MX_OK);
    HOLDS(mx_view_create_2d(ctx, "positions", MX_F32, PARTICLES, 3, &s->positions) == MX_OK);
    HOLDS(mx_view_create_1d(ctx, "types", MX_I32, PARTICLES, &s->types) == MX_OK);
    HOLDS(mx_view_create_1d(ctx, "sites", MX_I64, SITES, &s->sites) == MX_OK);
}

static void close_state(state *s)
{
    app_series_free(&s->series);
    HOLDS(mx_view_destroy(&s->field) == MX_OK);
    HOLDS(mx_view_destroy(&s->positions) == MX_OK);
    HOLDS(mx_view_destroy(&s->types) == MX_OK);
    HOLDS(mx_view_destroy(&s->sites) == MX_OK);
}

static void keep(app_checkpoint c, state *s)
{
    const app_slab slab = {.rank = 2, .global = {ROWS, COLUMNS}, .count = {ROWS, COLUMNS}};
    const app_keep_box cells = {ctx, GHOSTS, slab};
    const app_keep_number particles = {ctx, &s->particles, -1}, sites = {ctx, &s->fixed, SITES};
    HOLDS(app_keep_input(c, lines) == MX_OK);
    HOLDS(app_keep_i64(c, "step", &s->step, 1, app_keep_whole(0, 1000)) == MX_OK);
    HOLDS(app_keep_f64(c, "time", s->time, 2, app_keep_from_0()) == MX_OK);
    HOLDS(app_keep_flag(c, "flag", &s->flag) == MX_OK);
    HOLDS(app_keep_series(c, "series", &s->series, app_keep_whole(0, 100)) == MX_OK);
    HOLDS(app_keep_view(c, "field", &s->field, &cells, app_keep_finite()) == MX_OK);
    HOLDS(app_keep_rows(c, "positions", &s->positions, &particles, app_keep_finite()) == MX_OK);
    HOLDS(app_keep_rows(c, "types", &s->types, &particles, app_keep_whole(0, 3)) == MX_OK);
    HOLDS(app_keep_rows(c, "sites", &s->sites, &sites, app_keep_whole(0, 99)) == MX_OK);
}

static void check_field(const state *s)
{
    double field[(ROWS + 2) * (COLUMNS + 2)];
    HOLDS(mx_export(ctx, s->field, field, NULL) == MX_OK);
    for (size_t i = 0; i < sizeof field / sizeof *field; i++) HOLDS(isfinite(field[i]));
}

static void check_particles(const state *s)
{
    mx_view_info positions, types;
    HOLDS(mx_view_get_info(s->positions, &positions) == MX_OK);
    HOLDS(mx_view_get_info(s->types, &types) == MX_OK);
    HOLDS(s->particles >= 0 && s->particles <= positions.extent[0] &&
          s->particles <= types.extent[0]);
    float *const x = calloc((size_t)positions.extent[0] * 3 + 1, sizeof *x);
    int32_t *const type = calloc((size_t)types.extent[0] + 1, sizeof *type);
    HOLDS(x && type);
    HOLDS(mx_export(ctx, s->positions, x, NULL) == MX_OK);
    HOLDS(mx_export(ctx, s->types, type, NULL) == MX_OK);
    for (mx_lid i = 0; i < s->particles; i++) {
        HOLDS(type[i] >= 0 && type[i] <= 3);
        for (int d = 0; d < 3; d++) HOLDS(isfinite(x[3 * i + d]));
    }
    free(x);
    free(type);
}

static void check_sites(const state *s)
{
    int64_t sites[SITES];
    HOLDS(s->fixed == SITES);
    HOLDS(mx_export(ctx, s->sites, sites, NULL) == MX_OK);
    for (int i = 0; i < SITES; i++) HOLDS(sites[i] >= 0 && sites[i] <= 99);
}

static void check_state(const state *s)
{
    HOLDS(s->step >= 0 && s->step <= 1000);
    for (int i = 0; i < 2; i++) HOLDS(s->time[i] >= 0 && isfinite(s->time[i]));
    for (int64_t i = 0; i < s->series.count; i++) {
        const double x = s->series.values[i];
        HOLDS(x >= 0 && x <= 100 && x == floor(x));
    }
    check_field(s);
    check_particles(s);
    check_sites(s);
}

/* ---- the whole checkpoint ---- */

static char folder[64], path[128];
static void *whole;
static size_t whole_bytes;

static void write_whole(void)
{
    state s;
    bool stop;
    app_checkpoint c;
    const app_checkpoint_plan plan = {.program = program, .file = path, .every = "1"};
    open_state(&s);
    s.particles = PARTICLES;
    s.fixed = SITES;
    for (int i = 0; i < SERIES; i++) HOLDS(app_series_add(&s.series, i) == MX_OK);
    HOLDS(app_checkpoint_create(comm, &plan, &c) == MX_OK);
    keep(c, &s);
    HOLDS(app_checkpoint_step(c, 1, &stop) == MX_OK);
    app_checkpoint_destroy(&c);
    close_state(&s);
}

static void read_whole(void)
{
    struct stat info;
    FILE *const file = fopen(path, "rb");
    HOLDS(file && fstat(fileno(file), &info) == 0);
    whole_bytes = (size_t)info.st_size;
    whole = malloc(whole_bytes);
    HOLDS(whole && fread(whole, 1, whole_bytes, file) == whole_bytes);
    fclose(file);
}

static void write_file(const void *bytes, size_t size)
{
    FILE *const file = fopen(path, "wb");
    HOLDS(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

/* MPI is not ended: it unloads plug-ins whose memory would then count as leaked. */
static void remove_files(void)
{
    unlink(path);
    rmdir(folder);
}

static void open_all(void)
{
    static char name[] = "fuzz_checkpoint", *words[] = {name, NULL}, **argv = words;
    const char *const memory = getenv("MINX_FUZZ_FOLDER"); /* a file system in memory is fast */
    int argc = 1;
    app_results_start();
    HOLDS(app_comm_open(&argc, &argv, &comm) == MX_OK);
    HOLDS(mx_init() == MX_OK && mx_ctx_create("serial", &ctx) == MX_OK);
    snprintf(folder, sizeof folder, "%s/fuzz-XXXXXX", memory ? memory : "/tmp");
    HOLDS(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/c.h5", folder);
    write_whole();
    read_whole();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    (void)atexit(remove_files);
}

/* ---- the input as a source of numbers; at its end they are 0 ---- */

typedef struct source {
    const uint8_t *at;
    size_t left;
} source;

static unsigned next(source *s, unsigned below)
{
    if (s->left == 0) return 0;
    s->left--;
    return *s->at++ % below;
}

static void fill(source *s, void *to, size_t bytes)
{
    memset(to, 0, bytes);
    for (size_t i = 0; i < bytes && s->left > 0; i++) ((uint8_t *)to)[i] = (uint8_t)next(s, 256);
}

static hsize_t next_extent(source *s)
{
    static const hsize_t extents[] = {
        0, 1, 2, 3, 4, 5, 6, 7, 8, 20, 1000, (hsize_t)1 << 31, (hsize_t)1 << 40, (hsize_t)1 << 61};
    const unsigned count = sizeof extents / sizeof *extents, n = next(s, count + 1);
    return n < count ? extents[n] : next(s, 256) * 256 + next(s, 256);
}

/* ---- what takes the place of an object ---- */

enum { MAX_BYTES = 1 << 16 }; /* that are written */

static hid_t text_type(source *s)
{
    static const size_t sizes[] = {1, 8, 13, 64, 70, 4096};
    const hid_t type = H5Tcopy(H5T_C_S1);
    const unsigned n = next(s, 7);
    H5Tset_size(type, n < 6 ? sizes[n] : H5T_VARIABLE);
    H5Tset_strpad(type, next(s, 2) ? H5T_STR_NULLPAD : H5T_STR_NULLTERM);
    return type;
}

static hid_t composed_type(source *s)
{
    const hid_t record = H5Tcreate(H5T_COMPOUND, 16);
    const hsize_t two = 2;
    H5Tinsert(record, "a", 0, H5T_IEEE_F64LE);
    H5Tinsert(record, "b", 8, H5T_STD_I64LE);
    if (next(s, 2)) return record;
    H5Tclose(record);
    return next(s, 2) ? H5Tarray_create2(H5T_IEEE_F64LE, 1, &two) : H5Tvlen_create(H5T_STD_I32LE);
}

static hid_t next_type(source *s)
{
    const hid_t numbers[] = {H5T_IEEE_F64LE, H5T_IEEE_F32LE, H5T_STD_I64LE,  H5T_STD_I32LE,
                             H5T_STD_U64LE,  H5T_STD_I8LE,   H5T_IEEE_F64BE, H5T_STD_I64BE,
                             H5T_STD_B64LE,  H5T_STD_REF_OBJ};
    const unsigned count = sizeof numbers / sizeof *numbers, n = next(s, count + 4);
    if (n < count) return H5Tcopy(numbers[n]);
    return n < count + 2 ? text_type(s) : composed_type(s);
}

static hid_t next_space(source *s)
{
    hsize_t extents[7];
    const int rank = (int)next(s, 8) - 1; /* -1: null */
    if (rank <= 0) return H5Screate(rank < 0 ? H5S_NULL : H5S_SCALAR);
    for (int d = 0; d < rank; d++) extents[d] = next_extent(s);
    return H5Screate_simple(rank, extents, NULL);
}

/* How the data of a new dataset are stored. */
static hid_t next_storage(source *s, hid_t space)
{
    const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    const int rank = H5Sget_simple_extent_ndims(space);
    hsize_t chunk[7] = {1, 1, 1, 1, 1, 1, 1};
    switch (next(s, 6)) {
    case 1: H5Pset_layout(list, H5D_COMPACT); break;
    case 2: H5Pset_external(list, "other", 0, H5F_UNLIMITED); break;
    case 3:
        if (rank > 0) H5Pset_chunk(list, rank, chunk);
        if (next(s, 2)) H5Pset_shuffle(list);
        break;
    case 4:
        if (rank > 0) H5Pset_virtual(list, space, "other.h5", "/x", space);
        break;
    default: break;
    }
    return list;
}

/* Numbers that readers may stumble over, of any type, among those of the input. */
static void next_values(source *s, void *values, size_t bytes)
{
    const double reals[] = {(double)NAN, (double)INFINITY, -1, 1e300, 0.5, 0x1p53, -0.0, 4};
    const int64_t whole_numbers[] = {-1, INT64_MAX, INT64_MIN, (int64_t)INT32_MAX + 1, 7, 4, 6, 3};
    const int32_t small[] = {-1, INT32_MAX, INT32_MIN, 7, 4, 3, 1, 0x7fc00000 /* NaN */};
    const unsigned kind = next(s, 4), n = next(s, 8);
    const size_t item = kind == 3 ? 4 : 8;
    char *const at = values;
    fill(s, values, bytes);
    if (kind == 0 || bytes < item) return;
    const void *const from = kind == 1   ? (const void *)&reals[n]
                             : kind == 2 ? (const void *)&whole_numbers[n]
                                         : (const void *)&small[n];
    memcpy(at + next(s, 256) % (bytes / item) * item, from, item);
}

static bool is_flat(hid_t type)
{
    const H5T_class_t kind = H5Tget_class(type);
    return kind != H5T_VLEN && kind != H5T_REFERENCE &&
           !(kind == H5T_STRING && H5Tis_variable_str(type));
}

/* Values for an open dataset or attribute, if they are few. */
static void write_values(source *s, hid_t object, bool attribute)
{
    const hid_t type = attribute ? H5Aget_type(object) : H5Dget_type(object);
    const hid_t space = attribute ? H5Aget_space(object) : H5Dget_space(object);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    const size_t item = H5Tget_size(type);
    static char values[MAX_BYTES];
    if (is_flat(type) && count > 0 && (hsize_t)count <= MAX_BYTES / item) {
        next_values(s, values, (size_t)count * item);
        if (attribute)
            (void)H5Awrite(object, type, values);
        else
            (void)H5Dwrite(object, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    }
    H5Sclose(space);
    H5Tclose(type);
}

static void make_set(source *s, hid_t file, const char *name)
{
    const hid_t type = next_type(s), space = next_space(s), list = next_storage(s, space);
    const hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    if (set >= 0) {
        write_values(s, set, false);
        H5Dclose(set);
    }
    H5Pclose(list);
    H5Sclose(space);
    H5Tclose(type);
}

static void change_values(source *s, hid_t file, const char *name)
{
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    HOLDS(set >= 0);
    write_values(s, set, false);
    H5Dclose(set);
}

static void make_link(source *s, hid_t file, const char *name)
{
    static const char *const targets[] = {"/state/step", "/state", "/state/series", "/nothing",
                                          "/"};
    const char *const target = targets[next(s, 5)];
    switch (next(s, 3)) {
    case 0: (void)H5Lcreate_soft(target, file, name, H5P_DEFAULT, H5P_DEFAULT); break;
    case 1: (void)H5Lcreate_external(path, target, file, name, H5P_DEFAULT, H5P_DEFAULT); break;
    default: (void)H5Lcreate_hard(file, target, file, name, H5P_DEFAULT, H5P_DEFAULT); break;
    }
}

static void make_other(source *s, hid_t file, const char *name)
{
    hid_t object;
    if (next(s, 2)) {
        object = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        H5Gclose(object);
    } else {
        object = H5Tcopy(H5T_STD_I64LE);
        (void)H5Tcommit2(file, name, object, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        H5Tclose(object);
    }
}

/* The group of the object behind a link, or away. */
static void change_group(source *s, hid_t file, const char *name)
{
    char group[16];
    snprintf(group, sizeof group, "%.*s", (int)strcspn(name + 1, "/") + 1, name);
    (void)H5Lmove(file, group, file, "/moved", H5P_DEFAULT, H5P_DEFAULT);
    if (next(s, 2)) (void)H5Lcreate_soft("/moved", file, group, H5P_DEFAULT, H5P_DEFAULT);
}

static void change_set(source *s, hid_t file, const char *name)
{
    const unsigned what = next(s, 10);
    if (what < 4) {
        change_values(s, file, name);
        return;
    }
    if (what == 4) {
        change_group(s, file, name);
        return;
    }
    HOLDS(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
    if (what < 8)
        make_set(s, file, name);
    else if (what == 8)
        make_link(s, file, name);
    else if (next(s, 4) > 0)
        make_other(s, file, name);
}

static void change_attribute(source *s, hid_t file, const char *name)
{
    hid_t attribute;
    if (next(s, 3) == 0) {
        attribute = H5Aopen(file, name, H5P_DEFAULT);
    } else {
        HOLDS(H5Adelete(file, name) >= 0);
        if (next(s, 8) == 0) return;
        const hid_t type = next_type(s), space = next_space(s);
        attribute = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
        H5Sclose(space);
        H5Tclose(type);
    }
    if (attribute < 0) return;
    write_values(s, attribute, true);
    H5Aclose(attribute);
}

/* ---- readers ---- */

typedef struct reader {
    const char *name, *object;
    void (*change)(source *s, hid_t file, const char *object);
} reader;

static const reader readers[] = {
    {"i64", "/state/step", change_set},
    {"f64", "/state/time", change_set},
    {"flag", "/state/flag", change_set},
    {"series", "/state/series", change_set},
    {"view", "/state/field", change_set},
    {"rows", "/state/types", change_set},
    {"counts", "/state/types_of_rank", change_set},
    {"lines", "/input/lines", change_set},
    {"schema", "schema", change_attribute},
    {"version", "schema_version", change_attribute},
    {"app", "app", change_attribute},
    {"seal", NULL, NULL},
    {"total", "/state/sites", change_set},
};
enum { READERS = sizeof readers / sizeof *readers };

static const reader *choose(source *s)
{
    const char *const wanted = getenv("MINX_FUZZ_READER");
    const unsigned n = next(s, READERS);
    if (!wanted) return &readers[n];
    for (int i = 0; i < READERS; i++)
        if (strcmp(readers[i].name, wanted) == 0) return &readers[i];
    fprintf(stderr, "fuzz_checkpoint: MINX_FUZZ_READER: got %s, expected one of", wanted);
    for (int i = 0; i < READERS; i++) fprintf(stderr, " %s", readers[i].name);
    fprintf(stderr, "\n");
    exit(2);
}

/* The end of the file, which has the seal, as the input says. */
static void change_seal(source *s)
{
    char *const bytes = malloc(whole_bytes + s->left);
    const size_t cut = next(s, 2) ? 1 + next(s, 256) : 0;
    HOLDS(bytes && cut < whole_bytes);
    memcpy(bytes, whole, whole_bytes);
    size_t size = whole_bytes - cut;
    if (next(s, 2)) size = size > 100 ? next(s, 100) : size;
    memcpy(bytes + size, s->at, s->left);
    write_file(bytes, size + s->left);
    free(bytes);
}

/* HDF5 cuts off the old seal. */
static void make_file(const reader *r, source *s)
{
    if (!r->object) {
        change_seal(s);
        return;
    }
    write_file(whole, whole_bytes);
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    HOLDS(file >= 0);
    r->change(s, file, r->object);
    HOLDS(H5Fclose(file) >= 0);
    HOLDS(app_file_seal(comm, path) == MX_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const app_checkpoint_plan plan = {.program = program, .restart = path};
    source input = {data, size};
    app_checkpoint c;
    state s;
    if (!comm) open_all();
    make_file(choose(&input), &input);
    mx_err_clear();
    open_state(&s);
    HOLDS(app_checkpoint_create(comm, &plan, &c) == MX_OK);
    keep(c, &s);
    const mx_err err = app_checkpoint_restore(c);
    HOLDS(err == MX_OK || err == MX_ERR_INPUT || err == MX_ERR_IO);
    if (err == MX_OK)
        check_state(&s);
    else
        HOLDS(strncmp(mx_err_message(), "--restart: ", 11) == 0 && strstr(mx_err_message(), path));
    app_checkpoint_destroy(&c);
    close_state(&s);
    HOLDS(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL) == 0);
    return 0;
}
