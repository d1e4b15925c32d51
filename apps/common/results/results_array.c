/* Arrays of a results file, by slabs. With a parallel HDF5 all ranks write and read their boxes in
 * one collective call. With a serial one rank 0 does it for all: the boxes travel in pieces of
 * bounded size (app_slab_piece), so that rank 0 needs little memory beside its own box. */
#include "results_file.h"

#include <stdio.h>
#include <stdlib.h>

/* What rank 0 needs at most beside its own data. */
enum { PIECE_BYTES = 16 << 20 };

/* For smaller arrays a call to begin their writing to the disk saves nothing. */
enum { LARGE_BYTES = 1 << 20 };

static const struct {
    mx_type type;
    const char *name; /* as numpy writes it */
} types[] = {{MX_F32, "<f4"}, {MX_F64, "<f8"}, {MX_I32, "<i4"}, {MX_I64, "<i8"}};

static const char *type_name(mx_type type)
{
    for (size_t t = 0; t < sizeof types / sizeof types[0]; ++t) {
        if (types[t].type == type) return types[t].name;
    }
    return NULL;
}

hid_t app_file_type(mx_type type)
{
    if (type == MX_F32) return H5T_IEEE_F32LE;
    if (type == MX_F64) return H5T_IEEE_F64LE;
    if (type == MX_I32) return H5T_STD_I32LE;
    return type == MX_I64 ? H5T_STD_I64LE : H5I_INVALID_HID;
}

static hid_t memory_type(mx_type type)
{
    if (type == MX_F32) return H5T_NATIVE_FLOAT;
    if (type == MX_F64) return H5T_NATIVE_DOUBLE;
    return type == MX_I32 ? H5T_NATIVE_INT32 : H5T_NATIVE_INT64;
}

static void to_hsize(int rank, const mx_gid *from, hsize_t *to)
{
    for (int d = 0; d < rank; ++d) to[d] = (hsize_t)from[d];
}

/* Writes (`out`) or reads (`in`) the box of the array. A rank with an empty box takes part in the
 * collective call. */
static mx_err transfer_box(hid_t set, const app_array *array, hid_t transfer, const void *out,
                           void *in)
{
    const app_slab *const box = &array->slab;
    hsize_t first[APP_SLAB_MAX_RANK], count[APP_SLAB_MAX_RANK];
    to_hsize(box->rank, box->first, first);
    to_hsize(box->rank, box->count, count);
    const hid_t memory = H5Screate_simple(box->rank, count, NULL), space = H5Dget_space(set);
    const hid_t type = memory_type(array->type);
    const char nothing[8] = {0};
    bool good = memory >= 0 && space >= 0;
    if (good && app_slab_elements(box) == 0) {
        good = H5Sselect_none(memory) >= 0 && H5Sselect_none(space) >= 0;
        if (out) out = nothing;
    } else if (good) {
        good = H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, count, NULL) >= 0;
    }
    if (good) {
        good = (out ? H5Dwrite(set, type, memory, space, transfer, out)
                    : H5Dread(set, type, memory, space, transfer, in)) >= 0;
    }
    mx_err err = MX_OK;
    if (!good)
        err = MX_FAIL(MX_ERR_IO, "cannot %s %s: %s", out ? "write" : "read", array->path,
                      app_h5_reason());
    (void)app_h5_close(space);
    (void)app_h5_close(memory);
    return err;
}

#ifdef H5_HAVE_PARALLEL

static mx_err transfer_all(app_file *file, hid_t set, const app_array *array, const void *out,
                           void *in)
{
    const hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
    mx_err err = MX_OK;
    if (transfer < 0 || (file->collective && H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE) < 0))
        err = MX_FAIL(MX_ERR_IO, "cannot prepare to access %s: %s", array->path, app_h5_reason());
    err = app_agree(file->comm, err);
    if (err == MX_OK) err = transfer_box(set, array, transfer, out, in);
    (void)app_h5_close(transfer);
    return err;
}

#else

enum { PIECE_TAG = 7301 };

/* One piece, of a rank other than 0: rank 0 receives and writes it, or reads and sends it. */
typedef struct piece_box {
    app_slab slab;
    mx_gid from; /* its first element, in the rank's box */
    int bytes;
} piece_box;

/* The next piece of a box; false: there is none. Starts from {0}. */
static bool next_piece(const app_slab *box, size_t item, piece_box *piece)
{
    piece->from += piece->bytes / (mx_gid)item;
    if (piece->from >= app_slab_elements(box)) return false;
    piece->slab = app_slab_piece(box, piece->from, PIECE_BYTES / (mx_gid)item);
    piece->bytes = (int)(app_slab_elements(&piece->slab) * (mx_gid)item);
    return true;
}

static mx_err pass_piece(app_comm comm, int with, void *data, int bytes, bool send)
{
    if (send) {
        APP_MPI_TRY(MPI_Send(data, bytes, MPI_BYTE, with, PIECE_TAG, app_comm_mpi(comm)));
    } else {
        APP_MPI_TRY(MPI_Recv(data, bytes, MPI_BYTE, with, PIECE_TAG, app_comm_mpi(comm),
                             MPI_STATUS_IGNORE));
    }
    return MX_OK;
}

/* A rank other than 0. */
static mx_err pass_box(app_file *file, const app_array *array, const void *out, void *in)
{
    const size_t item = MX_TYPE_SIZE(array->type);
    piece_box piece = {0};
    while (next_piece(&array->slab, item, &piece)) {
        char *const data = (out ? (char *)(uintptr_t)out : (char *)in) + (size_t)piece.from * item;
        MX_TRY(pass_piece(file->comm, 0, data, piece.bytes, out != NULL));
    }
    return MX_OK;
}

/* What rank 0 needs to pass the boxes of the others. */
typedef struct server {
    app_slab *boxes; /* of all ranks */
    char *buffer;    /* a piece */
} server;

/* Rank 0 for the others. All messages are passed even after a failure, because the other ranks wait
 * for them. */
static mx_err serve_boxes(app_file *file, hid_t set, const app_array *array, const server *s,
                          bool write)
{
    mx_err err = MX_OK;
    for (int r = 1; r < app_size(file->comm); ++r) {
        app_array part = *array;
        piece_box piece = {0};
        while (next_piece(&s->boxes[r], MX_TYPE_SIZE(array->type), &piece)) {
            mx_err one = MX_OK;
            part.slab = piece.slab;
            if (write) MX_TRY(pass_piece(file->comm, r, s->buffer, piece.bytes, false));
            if (err == MX_OK)
                one = transfer_box(set, &part, H5P_DEFAULT, write ? s->buffer : NULL,
                                   write ? NULL : s->buffer);
            if (err == MX_OK) err = one;
            if (!write) MX_TRY(pass_piece(file->comm, r, s->buffer, piece.bytes, true));
        }
    }
    return err;
}

static mx_err transfer_all(app_file *file, hid_t set, const app_array *array, const void *out,
                           void *in)
{
    const bool first = app_rank(file->comm) == 0;
    const app_slab mine = array->slab;
    const server s = {.boxes = first ? calloc((size_t)app_size(file->comm), sizeof mine) : NULL,
                      .buffer = first ? malloc(PIECE_BYTES) : NULL};
    mx_err err = MX_OK;
    if (first && (!s.boxes || !s.buffer))
        err = MX_FAIL(MX_ERR_MEMORY, "no memory for the pieces of %d ranks", app_size(file->comm));
    err = app_agree(file->comm, err); /* before any message is sent */
    if (err == MX_OK) {
        err = app_mpi_check(MPI_Gather(&mine, (int)sizeof mine, MPI_BYTE, s.boxes, (int)sizeof mine,
                                       MPI_BYTE, 0, app_comm_mpi(file->comm)),
                            "MPI_Gather");
    }
    if (err == MX_OK && first) {
        if (app_slab_elements(&mine) > 0) err = transfer_box(set, array, H5P_DEFAULT, out, in);
        const mx_err served = serve_boxes(file, set, array, &s, out != NULL);
        if (err == MX_OK) err = served;
    } else if (err == MX_OK) {
        err = pass_box(file, array, out, in);
    }
    free(s.buffer);
    free(s.boxes);
    return err;
}

#endif

mx_err app_array_check(const app_array *array)
{
    MX_REQUIRE(type_name(array->type), MX_ERR_ARG, "%s: elements of type %s cannot be stored",
               array->path, mx_type_name(array->type));
    return app_slab_check(&array->slab, array->path);
}

mx_err app_array_check_values(const app_array *array, const void *values)
{
    MX_REQUIRE(values || app_slab_elements(&array->slab) == 0, MX_ERR_ARG,
               "%s: no values were passed", array->path);
    return MX_OK;
}

mx_err app_file_write_box(app_file *file, hid_t set, const app_array *array, const void *values)
{
    static const char nothing[8];
    return app_agree(file->comm, transfer_all(file, set, array, values ? values : nothing, NULL));
}

/* Arrays are written whole, so filling them first would only write them twice. */
static mx_err create_set(hid_t file, const app_array *array, hid_t *set)
{
    hsize_t shape[APP_SLAB_MAX_RANK];
    to_hsize(array->slab.rank, array->slab.global, shape);
    const hid_t space = H5Screate_simple(array->slab.rank, shape, NULL),
                list = H5Pcreate(H5P_DATASET_CREATE);
    if (space >= 0 && list >= 0 && H5Pset_fill_time(list, H5D_FILL_TIME_NEVER) >= 0) {
        *set = H5Dcreate2(file, array->path, app_file_type(array->type), space, H5P_DEFAULT, list,
                          H5P_DEFAULT);
    }
    mx_err err = MX_OK;
    if (*set < 0) err = MX_FAIL(MX_ERR_IO, "cannot create %s: %s", array->path, app_h5_reason());
    (void)app_h5_close(list);
    (void)app_h5_close(space);
    return err;
}

static mx_err describe_place(hid_t set, const app_array *array)
{
    const app_place *const place = array->place;
    const hsize_t dims = (hsize_t)(array->slab.rank - (place->is_vector ? 1 : 0));
    const app_h5_item corner = {
        .kind = APP_H5_F64, .vector = true, .count = dims, .data = place->origin};
    const app_h5_item step = {
        .kind = APP_H5_F64, .vector = true, .count = dims, .data = place->spacing};
    if (place->origin) MX_TRY(app_h5_put_attribute(set, "origin", &corner));
    return place->spacing ? app_h5_put_attribute(set, "spacing", &step) : MX_OK;
}

static mx_err describe_set(hid_t set, const app_array *array)
{
    app_compare_words words;
    const app_h5_item rule = app_h5_text(app_compare_text(array->compare, &words));
    if (array->unit) {
        const app_h5_item unit = app_h5_text(array->unit);
        MX_TRY(app_h5_put_attribute(set, "units", &unit));
    }
    MX_TRY(app_h5_put_attribute(set, APP_COMPARE_ATTRIBUTE, &rule));
    return array->place ? describe_place(set, array) : MX_OK;
}

/* The properties of a dataset that grows: it has chunks, and missing groups on its path are
 * created. */
static bool set_growing(hid_t list, hid_t links, const app_slab *slab)
{
    hsize_t chunk[APP_SLAB_MAX_RANK];
    to_hsize(slab->rank, slab->count, chunk);
    return list >= 0 && links >= 0 && H5Pset_fill_time(list, H5D_FILL_TIME_NEVER) >= 0 &&
           H5Pset_chunk(list, slab->rank, chunk) >= 0 &&
           H5Pset_create_intermediate_group(links, 1) >= 0;
}

mx_err app_file_create_growing(app_file *file, const app_array *array, hid_t *set)
{
    hsize_t shape[APP_SLAB_MAX_RANK], max[APP_SLAB_MAX_RANK];
    const int rank = array->slab.rank;
    to_hsize(rank, array->slab.global, shape);
    to_hsize(rank, array->slab.global, max);
    shape[0] = 0;
    max[0] = H5S_UNLIMITED;
    const hid_t space = H5Screate_simple(rank, shape, max), list = H5Pcreate(H5P_DATASET_CREATE),
                links = H5Pcreate(H5P_LINK_CREATE);
    *set = H5I_INVALID_HID;
    if (space >= 0 && set_growing(list, links, &array->slab)) {
        *set = H5Dcreate2(file->id, array->path, app_file_type(array->type), space, links, list,
                          H5P_DEFAULT);
    }
    mx_err err = MX_OK;
    if (*set < 0) err = MX_FAIL(MX_ERR_IO, "cannot create %s: %s", array->path, app_h5_reason());
    (void)app_h5_close(links);
    (void)app_h5_close(list);
    (void)app_h5_close(space);
    return err == MX_OK ? describe_set(*set, array) : err;
}

mx_err app_file_put(app_file *file, const app_array *array, const void *values)
{
    hid_t set = H5I_INVALID_HID;
    hsize_t bytes = 0;
    mx_err err = app_array_check(array);
    if (err == MX_OK) err = app_array_check_values(array, values);
    if (err == MX_OK) {
        bytes = (hsize_t)app_slab_elements_global(&array->slab) * MX_TYPE_SIZE(array->type);
        err = app_file_reserve(file, bytes);
    }
    err = app_agree(file->comm, err);
    if (err == MX_OK && file->id >= 0) {
        err = create_set(file->id, array, &set);
        if (err == MX_OK) err = describe_set(set, array);
    }
    err = app_agree(file->comm, err);
    if (err == MX_OK && bytes > 0) err = app_file_write_box(file, set, array, values);
    if (err == MX_OK && bytes >= LARGE_BYTES) app_file_begin_writing(file);
    const mx_err closed = app_h5_close(set);
    return app_agree(file->comm, err != MX_OK ? err : closed);
}

/* ---- reading ---- */

static mx_err check_type(hid_t set, const app_array *array)
{
    const hid_t type = H5Dget_type(set);
    const bool good = type >= 0 && H5Tequal(type, app_file_type(array->type)) > 0;
    (void)app_h5_close(type);
    MX_REQUIRE(good, MX_ERR_INPUT, "%s has elements of another type, expected %s", array->path,
               type_name(array->type));
    return MX_OK;
}

static mx_err read_extents(hid_t set, app_array *array)
{
    hsize_t shape[H5S_MAX_RANK] = {0};
    const hid_t space = H5Dget_space(set);
    const int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
    const bool good = rank >= 0 && H5Sget_simple_extent_dims(space, shape, NULL) >= 0;
    (void)app_h5_close(space);
    MX_REQUIRE(good, MX_ERR_IO, "cannot read the extents of %s: %s", array->path, app_h5_reason());
    MX_REQUIRE(rank <= APP_SLAB_MAX_RANK, MX_ERR_INPUT, "%s has %d dimensions, expected at most %d",
               array->path, rank, APP_SLAB_MAX_RANK);
    array->slab.rank = rank;
    for (int d = 0; d < rank; ++d) array->slab.global[d] = (mx_gid)shape[d];
    return MX_OK;
}

static void name_extents(const app_slab *slab, char *text, size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    for (int d = 0; d < slab->rank && length < size; ++d) {
        length += (size_t)snprintf(text + length, size - length, "%s%" MX_PRI_GID,
                                   d > 0 ? " x " : "", slab->global[d]);
    }
}

static mx_err check_extents(hid_t set, const app_array *array)
{
    app_array stored = *array;
    MX_TRY(read_extents(set, &stored));
    bool same = stored.slab.rank == array->slab.rank;
    for (int d = 0; same && d < array->slab.rank; ++d)
        same = stored.slab.global[d] == array->slab.global[d];
    char got[128], expected[128];
    name_extents(&stored.slab, got, sizeof got);
    name_extents(&array->slab, expected, sizeof expected);
    MX_REQUIRE(same, MX_ERR_INPUT, "%s has the extents %s, expected %s", array->path, got,
               expected);
    return MX_OK;
}

static mx_err open_set(app_file *file, const app_array *array, hid_t *set)
{
    *set = H5I_INVALID_HID;
    MX_REQUIRE(type_name(array->type), MX_ERR_ARG, "%s: elements of type %s cannot be read",
               array->path, mx_type_name(array->type));
    if (file->id < 0) return MX_OK;
    MX_TRY(app_h5_open_set(file->id, array->path, set));
    return check_type(*set, array);
}

mx_err app_file_get(app_file *file, const app_array *array, void *values)
{
    hid_t set;
    char nothing[8];
    mx_err err = open_set(file, array, &set);
    if (err == MX_OK) err = app_slab_check(&array->slab, array->path);
    if (err == MX_OK && set >= 0) err = check_extents(set, array);
    err = app_agree(file->comm, err);
    if (err == MX_OK && app_slab_elements_global(&array->slab) > 0)
        err =
            app_agree(file->comm, transfer_all(file, set, array, NULL, values ? values : nothing));
    (void)app_h5_close(set);
    return err;
}

mx_err app_file_extents(app_file *file, app_array *array)
{
    hid_t set;
    mx_err err = open_set(file, array, &set);
    if (err == MX_OK && set >= 0) err = read_extents(set, array);
    (void)app_h5_close(set);
    MX_TRY(app_agree(file->comm, err));
    return app_broadcast(file->comm, &array->slab, sizeof array->slab);
}
