/* The open HDF5 file of a run, in the two ways that exist: with a parallel HDF5 every rank holds it
 * open and writes its own part of a field; with a serial one only rank 0 does, and receives the
 * other ranks' parts in bounded pieces. Private to the results files. Calls marked "collective" are
 * so in both ways; what they return is not agreed yet. */
#pragma once
#include "comm_mpi.h"
#include "decomp.h"
#include "h5_util.h"

typedef struct app_file {
    app_comm comm;
    hid_t id;         /* negative while closed, and on ranks that take no part */
    const char *path; /* borrowed */
    /* rank 0 only, in bytes: */
    hsize_t used;     /* what the file takes at most, with metadata */
    hsize_t reserved; /* what the disk has promised */
} app_file;

/* Which ranks hold the file open: all, or rank 0. These make every change of its structure,
 * together. */
bool app_file_takes_part(app_comm comm);

/* Do the ranks share the reading (parallel HDF5)? */
bool app_file_is_parallel(void);

/* Creates the file, replacing what is at `path`, or opens it for writing. `path` must outlive the
 * file. Collective. */
mx_err app_file_open(app_file *file, app_comm comm, const char *path, bool create);

/* Makes sure, on rank 0, that the disk has room for `bytes` more and for the metadata that comes
 * with them: called before every addition. MX_ERR_IO if it has not, and the file is as it was and
 * can be closed. Not collective: agree on it. */
mx_err app_file_reserve(app_file *file, hsize_t bytes);

/* Writes out what is buffered and closes; also after a failure. Collective. */
mx_err app_file_close(app_file *file);

/* Writes a field at global shape (see app_results_field) with its units, and where given its origin
 * and spacing. Collective, blocking; every rank must pass valid arguments. */
mx_err app_file_field(app_file *file, const char *path, const char *units, const app_decomp *decomp,
                      const double *values, const double *origin, const double *spacing);
