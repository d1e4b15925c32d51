/* The open HDF5 file of a run, in the two ways that exist: with a parallel HDF5 every rank holds it
 * open and writes its own part of a field; with a serial one only rank 0 does, and receives the
 * other ranks' parts in bounded pieces. Private to the results files. Calls marked "collective" are
 * so in both ways; what they return is not agreed yet. */
#pragma once
#include "array.h"
#include "comm/comm_mpi.h"
#include "h5_util.h"

typedef struct app_file {
    app_comm comm;
    hid_t id;         /* negative while closed, and on ranks that take no part */
    const char *path; /* borrowed */
    bool collective;  /* through MPI-IO */
    /* rank 0 only, in bytes: */
    hsize_t used;     /* what the file takes at most, with metadata */
    hsize_t reserved; /* what the disk has promised */
} app_file;

/* Which ranks hold the file open: all, or rank 0. These make every change of its structure,
 * together. */
bool app_file_takes_part(app_comm comm);

/* Do the ranks share the reading (parallel HDF5)? */
bool app_file_is_parallel(void);

typedef enum app_file_mode {
    APP_FILE_CREATE, /* replaces what is at the path */
    APP_FILE_WRITE,
    APP_FILE_READ
} app_file_mode;

/* `path` must outlive the file. Collective. */
mx_err app_file_open(app_file *file, app_comm comm, const char *path, app_file_mode mode);

/* Makes sure, on rank 0, that the disk has room for `bytes` more and for the metadata that comes
 * with them: called before every addition. MX_ERR_IO if it has not, and the file is as it was and
 * can be closed. Not collective: agree on it. */
mx_err app_file_reserve(app_file *file, hsize_t bytes);

/* Asks the system, on rank 0, to begin writing to the disk what the file has so far. Then less is
 * left when the file is published, which waits for the disk. May itself wait while the disk's queue
 * is full. Not collective. */
void app_file_begin_writing(const app_file *file);

/* Writes out what is buffered. Collective, agreed. */
mx_err app_file_flush(app_file *file);

/* Writes out what is buffered and closes; also after a failure. Collective. */
mx_err app_file_close(app_file *file);

/* ---- arrays, by slabs ---- */

/* MX_ERR_ARG for a type that cannot be stored or an invalid slab. Not collective. */
mx_err app_array_check(const app_array *array);

/* MX_ERR_ARG if `values` is NULL and this rank's box is not empty. Not collective. */
mx_err app_array_check_values(const app_array *array, const void *values);

/* Creates the dataset, with what the descriptor says in its attributes; the boxes of the ranks fill
 * it without overlap. values: this rank's box, row-major, in host memory. Errors also those of
 * app_array_check and app_array_check_values. Collective, agreed. */
mx_err app_file_put(app_file *file, const app_array *array, const void *values);

/* Reads this rank's box; boxes may overlap. Of the descriptor path, type and slab are used.
 * MX_ERR_INPUT if the dataset is missing or has another type or other extents than
 * array->slab.global, MX_ERR_IO if it cannot be read. Collective, agreed. */
mx_err app_file_get(app_file *file, const app_array *array, void *values);

/* The extents of a dataset, in array->slab.global, and its rank; the rest of the slab is not set.
 * Collective, agreed; errors as above. */
mx_err app_file_extents(app_file *file, app_array *array);

/* Creates a dataset without entries whose first dimension can grow. The further extents are
 * array->slab.global[1..], those of its chunks are array->slab.count. Groups on its path are
 * created. On the ranks that take part, together. */
mx_err app_file_create_growing(app_file *file, const app_array *array, hid_t *set);

/* Writes into an open dataset, which is negative on ranks that take no part. Collective, agreed. */
mx_err app_file_write_box(app_file *file, hid_t set, const app_array *array, const void *values);

/* The type in the file of elements of this type: little-endian. H5I_INVALID_HID for a type that is
 * none of the four. */
hid_t app_file_type(mx_type type);
