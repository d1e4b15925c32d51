#define _POSIX_C_SOURCE 200809L /* strdup, getpwuid */
#include "frames.h"

#include "input/strbuf.h"
#include "results_put.h"
#include "series.h"

#include <ctype.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A chunk of a value holds at most this many bytes of one frame; one of steps and times this
 * many. */
enum { CHUNK_BYTES = 1 << 20, CHUNK_STEPS = 256 };

enum { STEP, TIME, VALUE, PARTS };

struct app_frames {
    app_results results;
    app_frames next; /* of the results file */
    app_array array; /* one frame; its unit is in the file already, and NULL here */
    char *path;      /* copies of what it points to */
    app_place place;
    mx_gid count;
    hsize_t frame_bytes; /* of the chunks of a frame, and their share of the index */
    app_series times;    /* of rank 0 */
    struct {
        char *path;
        mx_type type;
        hid_t set;
    } part[PARTS];
};

/* ---- units that H5MD's readers know ---- */

static bool is_unit(const char *word, size_t length)
{
    static const char *const known[] = {
        "m", "cm", "um",  "nm", "pm", "Angstrom", "s", "ms", "us", "ns", "ps",  "fs",  "K",  "kg",
        "g", "u",  "mol", "C",  "e",  "N",        "J", "kJ", "eV", "Pa", "kPa", "MPa", "GPa"};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; ++k) {
        if (strlen(known[k]) == length && memcmp(known[k], word, length) == 0) return true;
    }
    return false;
}

/* Words with blanks between them, each a unit and perhaps a whole exponent: "Angstrom ps-1". */
static bool is_h5md_unit(const char *text)
{
    if (*text == '\0') return false;
    while (*text) {
        const size_t all = strcspn(text, " ");
        size_t length = all;
        while (length > 0 && isdigit((unsigned char)text[length - 1])) --length;
        if (length < all && length > 0 && (text[length - 1] == '-' || text[length - 1] == '+'))
            --length;
        if (!is_unit(text, length)) return false;
        text += all;
        text += strspn(text, " ");
    }
    return true;
}

/* ---- creation ---- */

static mx_err describe(hid_t set, const char *unit)
{
    return unit && is_h5md_unit(unit) ? app_h5_put_variable_text(set, "unit", unit) : MX_OK;
}

/* chunk: what is stored together. */
static mx_err create_part(app_frames f, int p, const app_slab *chunk, const char *unit,
                          app_compare compare)
{
    app_file *const file = &f->results->file;
    const app_array array = {.path = f->part[p].path,
                             .unit = unit,
                             .compare = compare,
                             .type = f->part[p].type,
                             .slab = *chunk};
    mx_err err = app_file_reserve(file, CHUNK_BYTES);
    err = app_agree(file->comm, err);
    if (err == MX_OK && file->id >= 0) {
        err = app_file_create_growing(file, &array, &f->part[p].set);
        if (err == MX_OK && p != STEP) err = describe(f->part[p].set, unit);
    }
    return app_agree(file->comm, err);
}

/* A chunk: as much of a frame as fits, in whole slices. */
static app_slab value_chunk(const app_slab *slab, mx_type type)
{
    app_slab whole = *slab;
    for (int d = 0; d < whole.rank; ++d) {
        whole.first[d] = 0;
        whole.count[d] = whole.global[d] > 0 ? whole.global[d] : 1;
    }
    const app_slab piece = app_slab_piece(&whole, 0, CHUNK_BYTES / (mx_gid)MX_TYPE_SIZE(type));
    return app_slab_frame(&piece, 0, 0);
}

/* What the index says of a chunk, rounded up: nodes of its tree, which may be half full. */
enum { INDEX_BYTES = 256 };

/* The chunks of a frame are stored whole, also those at its ends. */
static hsize_t frame_bytes(const app_slab *chunk, mx_type type)
{
    hsize_t chunks = 1, bytes = MX_TYPE_SIZE(type);
    for (int d = 1; d < chunk->rank; ++d) {
        const mx_gid count = (chunk->global[d] + chunk->count[d] - 1) / chunk->count[d];
        chunks *= (hsize_t)count;
        bytes *= (hsize_t)chunk->count[d];
    }
    return chunks * (bytes + INDEX_BYTES);
}

static mx_err create_parts(app_frames f, const char *time_unit)
{
    const app_slab steps = {.rank = 1, .count = {CHUNK_STEPS}};
    const app_array *const array = &f->array;
    app_slab values = value_chunk(&array->slab, array->type);
    for (int k = 0; k < array->slab.rank; ++k) values.global[k + 1] = array->slab.global[k];
    f->frame_bytes = frame_bytes(&values, array->type);
    MX_TRY(create_part(f, STEP, &steps, "1", APP_EXACT));
    MX_TRY(create_part(f, TIME, &steps, time_unit, APP_EXACT));
    MX_TRY(create_part(f, VALUE, &values, array->unit, array->compare));
    f->array.unit = NULL;
    return MX_OK;
}

static mx_err copy_array(app_frames f, const app_array *array)
{
    f->path = strdup(array->path);
    MX_REQUIRE(f->path, MX_ERR_MEMORY, "no memory for frames of %s", array->path);
    f->array = *array;
    f->array.path = f->path;
    if (array->place) {
        f->place = *array->place;
        f->array.place = &f->place;
    }
    return MX_OK;
}

static mx_err make(app_results results, const app_array *array, app_frames *frames)
{
    static const char *const names[] = {"step", "time", "value"};
    const mx_type types[] = {MX_I64, MX_F64, array->type};
    app_frames const made = calloc(1, sizeof *made);
    *frames = made;
    MX_REQUIRE(made, MX_ERR_MEMORY, "no memory for frames of %s", array->path);
    made->results = results;
    for (int p = 0; p < PARTS; ++p) {
        app_strbuf path = {0};
        made->part[p].type = types[p];
        made->part[p].set = H5I_INVALID_HID;
        MX_TRY(app_strbuf_add(&path, "%s/%s", array->path, names[p]));
        made->part[p].path = path.text;
    }
    MX_TRY(copy_array(made, array));
    MX_TRY(app_results_check_path(array->path));
    MX_REQUIRE(array->slab.rank < APP_SLAB_MAX_RANK, MX_ERR_ARG,
               "%s: a frame has at most %d dimensions", array->path, APP_SLAB_MAX_RANK - 1);
    return app_array_check(array);
}

static void close_parts(app_frames f)
{
    for (int p = 0; p < PARTS; ++p) {
        (void)app_h5_close(f->part[p].set);
        f->part[p].set = H5I_INVALID_HID;
    }
}

static void destroy(app_frames f)
{
    if (!f) return;
    close_parts(f);
    for (int p = 0; p < PARTS; ++p) free(f->part[p].path);
    app_series_free(&f->times);
    free(f->path);
    free(f);
}

mx_err app_frames_create(app_results results, const app_array *array, const char *time_unit,
                         app_frames *frames)
{
    app_frames made = NULL;
    *frames = NULL;
    if (!results) return MX_OK;
    mx_err err = app_agree(results->comm, make(results, array, &made));
    if (err == MX_OK) err = app_results_begin_arrays(results);
    if (err == MX_OK) err = create_parts(made, time_unit);
    if (err != MX_OK) {
        destroy(made);
        return MX_PASS(err);
    }
    made->next = results->frames;
    results->frames = made;
    *frames = made;
    return MX_OK;
}

mx_err app_frames_end(app_results results)
{
    mx_err err = MX_OK;
    for (app_frames f = results->frames; f && err == MX_OK; f = f->next) {
        close_parts(f);
        if (f->array.place && f->count > 0 && app_rank(results->comm) == 0)
            err = app_xdmf_add_field(&results->xdmf, &f->array, f->count, f->times.values);
    }
    return app_agree(results->comm, err);
}

void app_frames_free(app_results results)
{
    while (results->frames) {
        app_frames const next = results->frames->next;
        destroy(results->frames);
        results->frames = next;
    }
}

/* ---- the next frame ---- */

const app_array *app_frames_array(app_frames f) { return &f->array; }

static mx_err grow(app_frames f)
{
    MX_TRY(app_agree(f->results->comm, app_file_reserve(&f->results->file, f->frame_bytes)));
    for (int p = 0; p < PARTS; ++p) {
        if (f->part[p].set < 0) continue;
        const app_slab slab = p == VALUE ? app_slab_frame(&f->array.slab, 0, f->count + 1)
                                         : (app_slab){.rank = 1, .global = {f->count + 1}};
        hsize_t extents[APP_SLAB_MAX_RANK];
        for (int d = 0; d < slab.rank; ++d) extents[d] = (hsize_t)slab.global[d];
        MX_REQUIRE(H5Dset_extent(f->part[p].set, extents) >= 0, MX_ERR_IO,
                   "cannot make %s longer: %s", f->part[p].path, app_h5_reason());
    }
    return MX_OK;
}

static mx_err write_part(app_frames f, int p, const app_slab *slab, const void *values)
{
    const app_array array = {.path = f->part[p].path, .type = f->part[p].type, .slab = *slab};
    return app_file_write_box(&f->results->file, f->part[p].set, &array, values);
}

mx_err app_frames_add(app_frames f, int64_t step, double time, const void *values)
{
    if (!f) return MX_OK;
    const app_comm comm = f->results->comm;
    MX_TRY(app_agree(comm, app_array_check_values(&f->array, values)));
    mx_err err = grow(f);
    if (err == MX_OK && app_rank(comm) == 0) err = app_series_add(&f->times, time);
    MX_TRY(app_agree(comm, err));
    const mx_gid number = f->count++;
    const app_slab one = {.rank = 1,
                          .global = {number + 1},
                          .first = {number},
                          .count = {app_rank(comm) == 0 ? 1 : 0}};
    const app_slab box = app_slab_frame(&f->array.slab, number, number + 1);
    MX_TRY(write_part(f, STEP, &one, &step));
    MX_TRY(write_part(f, TIME, &one, &time));
    return write_part(f, VALUE, &box, values);
}

mx_err app_frames_flush(app_results results)
{
    if (!results) return MX_OK;
    return app_file_flush(&results->file);
}

/* ---- H5MD ---- */

static void put_text(app_results results, const char *owner, const char *name, const char *value)
{
    const app_h5_item text = app_h5_text(value);
    app_results_put_attribute(results, owner, name, &text);
}

static void put_head(app_results results, const char *author)
{
    static const int64_t version[2] = {1, 1};
    const app_h5_item item = {.kind = APP_H5_I64, .vector = true, .count = 2, .data = version};
    const struct passwd *const user = getpwuid(geteuid());
    const char *const login = user ? user->pw_name : "unknown";
    app_results_put_group(results, "/h5md");
    app_results_put_attribute(results, "/h5md", "version", &item);
    app_results_put_group(results, "/h5md/author");
    put_text(results, "/h5md/author", "name", author ? author : login);
    app_results_put_group(results, "/h5md/creator");
    put_text(results, "/h5md/creator", "name", "minx");
    put_text(results, "/h5md/creator", "version", mx_version());
}

static void put_box(app_results results, const char *path, const app_h5md *info)
{
    char words[3][8] = {"none", "none", "none"};
    const int64_t dims = info->dims;
    const app_h5_item number = app_h5_i64(&dims);
    const app_h5_item boundary = {.kind = APP_H5_TEXT,
                                  .vector = true,
                                  .count = (hsize_t)info->dims * sizeof words[0],
                                  .texts = (hsize_t)info->dims,
                                  .data = words};
    for (int d = 0; d < 3 && d < info->dims; ++d) {
        if (info->periodic[d]) memcpy(words[d], "periodic", sizeof words[0]);
    }
    app_results_put_group(results, path);
    app_results_put_attribute(results, path, "dimension", &number);
    app_results_put_attribute(results, path, "boundary", &boundary);
}

mx_err app_h5md_begin(app_results results, const app_h5md *info)
{
    char *group = NULL;
    app_strbuf box = {0};
    if (!results) return MX_OK;
    mx_err err = app_results_path("/particles", info->group, &group);
    if (err == MX_OK && (info->dims < 1 || info->dims > 3))
        err = MX_FAIL(MX_ERR_ARG, "a box of particles has 1 to 3 dimensions, got %d", info->dims);
    if (err == MX_OK) err = app_strbuf_add(&box, "%s/box", group);
    if (err == MX_OK) {
        put_head(results, info->author);
        app_results_put_group(results, "/particles");
        app_results_put_group(results, group);
        put_box(results, box.text, info);
    }
    app_strbuf_free(&box);
    free(group);
    MX_TRY(app_agree(results->comm, err));
    return app_results_flush(results);
}
