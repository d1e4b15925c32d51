/* A write that fails inside a collective call of MPI-IO or HDF5 is the worst place to find a full
 * disk: libraries leave some ranks waiting, and HDF5 can then neither close the file nor end
 * cleanly. So rank 0 reserves the room from the system before each addition, where a refusal is an
 * ordinary error; HDF5 cuts off what was too much when it closes. File systems that cannot reserve
 * are written to all the same. */
#define _GNU_SOURCE /* fallocate */
#include "results_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool app_file_is_parallel(void)
{
#ifdef H5_HAVE_PARALLEL
    return true;
#else
    return false;
#endif
}

bool app_file_takes_part(app_comm comm) { return app_file_is_parallel() || app_rank(comm) == 0; }

/* How the file is accessed: through MPI-IO by all ranks, or plainly by rank 0. Negative on failure.
 */
static hid_t access_list(app_comm comm)
{
    const hid_t list = H5Pcreate(H5P_FILE_ACCESS);
#ifdef H5_HAVE_PARALLEL
    if (list >= 0 && (H5Pset_fapl_mpio(list, app_comm_mpi(comm), MPI_INFO_NULL) < 0 ||
                      H5Pset_coll_metadata_write(list, true) < 0)) {
        H5Pclose(list);
        return H5I_INVALID_HID;
    }
#else
    (void)comm;
#endif
    return list;
}

mx_err app_file_open(app_file *file, app_comm comm, const char *path, bool create)
{
    *file = (app_file){.comm = comm, .id = H5I_INVALID_HID, .path = path};
    if (!app_file_takes_part(comm)) return MX_OK;
    app_h5_quiet();
    const hid_t list = access_list(comm);
    MX_REQUIRE(list >= 0, MX_ERR_IO, "cannot prepare the access to %s: %s", path, app_h5_reason());
    file->id = create ? H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, list)
                      : H5Fopen(path, H5F_ACC_RDWR, list);
    mx_err err = MX_OK;
    struct stat info;
    if (file->id < 0) {
        err = MX_FAIL(MX_ERR_IO, "cannot open %s: %s", path, app_h5_reason());
    } else if (stat(path, &info) == 0) {
        file->used = (hsize_t)info.st_size;
    }
    (void)app_h5_close(list);
    return err;
}

/* What an addition may take beside its data (headers, attributes, its share of the group's index:
 * well below a kilobyte as a rule), and how much is asked for beyond the need, so that small
 * additions rarely ask. */
enum { METADATA = 8 << 10, RESERVE_MORE = 1 << 20 };

static mx_err allocate(const char *path, hsize_t from, hsize_t bytes)
{
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    MX_REQUIRE(file >= 0, MX_ERR_IO, "results file %s: cannot be opened: %s", path,
               strerror(errno));
    int reason = 0;
#ifdef __linux__
    if (fallocate(file, 0, (off_t)from, (off_t)bytes) != 0) reason = errno;
#else
    (void)from;
    (void)bytes;
#endif
    close(file);
    const bool refused = reason == ENOSPC || reason == EDQUOT || reason == EFBIG || reason == EIO;
    MX_REQUIRE(!refused, MX_ERR_IO, "%s: no room for %llu bytes more: %s", path,
               (unsigned long long)bytes, strerror(reason));
    return MX_OK;
}

mx_err app_file_reserve(app_file *file, hsize_t bytes)
{
    if (file->id < 0 || app_rank(file->comm) != 0) return MX_OK;
    file->used += bytes + METADATA;
    if (file->used <= file->reserved) return MX_OK;
    const hsize_t end = file->used + RESERVE_MORE;
    MX_TRY(allocate(file->path, file->reserved, end - file->reserved));
    file->reserved = end;
    return MX_OK;
}

mx_err app_file_close(app_file *file)
{
    if (file->id < 0) return MX_OK;
    mx_err err = MX_OK;
    if (H5Fflush(file->id, H5F_SCOPE_GLOBAL) < 0) {
        err = MX_FAIL(MX_ERR_IO, "cannot write to the file: %s", app_h5_reason());
    }
    if (H5Fclose(file->id) < 0 && err == MX_OK) {
        err = MX_FAIL(MX_ERR_IO, "cannot close the file: %s", app_h5_reason());
    }
    file->id = H5I_INVALID_HID;
    return err;
}

/* A box of cells of a field, local or global. */
typedef struct box {
    int dims;
    hsize_t first[APP_MAX_DIMS], cells[APP_MAX_DIMS];
} box;

static box box_of(const app_decomp *decomp)
{
    box b = {.dims = decomp->dims};
    for (int d = 0; d < decomp->dims; ++d) {
        b.first[d] = (hsize_t)decomp->first[d];
        b.cells[d] = (hsize_t)decomp->cells[d];
    }
    return b;
}

static mx_err write_box(hid_t set, const box *b, hid_t transfer, const double *values,
                        const char *path)
{
    const hid_t memory = H5Screate_simple(b->dims, b->cells, NULL), space = H5Dget_space(set);
    mx_err err = MX_OK;
    if (memory < 0 || space < 0 ||
        H5Sselect_hyperslab(space, H5S_SELECT_SET, b->first, NULL, b->cells, NULL) < 0 ||
        H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, transfer, values) < 0) {
        err = MX_FAIL(MX_ERR_IO, "cannot write field %s: %s", path, app_h5_reason());
    }
    (void)app_h5_close(space);
    (void)app_h5_close(memory);
    return err;
}

#ifdef H5_HAVE_PARALLEL

static mx_err write_parts(app_file *file, hid_t set, const app_decomp *decomp, const double *values,
                          const char *path)
{
    (void)file;
    const box mine = box_of(decomp);
    const hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
    mx_err err = MX_OK;
    if (transfer < 0 || H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE) < 0) {
        err = MX_FAIL(MX_ERR_IO, "cannot prepare to write %s: %s", path, app_h5_reason());
    } else {
        err = write_box(set, &mine, transfer, values, path);
    }
    (void)app_h5_close(transfer);
    return err;
}

#else

/* A piece is whole slices of the first dimension, as many as fit here, at least one: what rank 0
 * needs beyond its own data. One long slice would exceed it, but no local slice exceeds what an MPI
 * count can say. */
enum { PIECE_BYTES = 16 << 20, PIECE_TAG = 7301 };

static hsize_t slice_cells(const box *b)
{
    hsize_t cells = 1;
    for (int d = 1; d < b->dims; ++d) cells *= b->cells[d];
    return cells;
}

/* The part of `whole` that begins at its slice `at`. */
static box piece_of(const box *whole, hsize_t at)
{
    const hsize_t bytes = slice_cells(whole) * sizeof(double);
    const hsize_t max_bytes = bytes < PIECE_BYTES ? PIECE_BYTES / bytes : 1;
    box piece = *whole;
    piece.first[0] += at;
    piece.cells[0] = whole->cells[0] - at < max_bytes ? whole->cells[0] - at : max_bytes;
    return piece;
}

static mx_err send_part(app_comm comm, const box *mine, const double *values)
{
    for (hsize_t at = 0; at < mine->cells[0];) {
        const box piece = piece_of(mine, at);
        const hsize_t count = piece.cells[0] * slice_cells(mine);
        APP_MPI_TRY(MPI_Send(values + at * slice_cells(mine), (int)count, MPI_DOUBLE, 0, PIECE_TAG,
                             app_comm_mpi(comm)));
        at += piece.cells[0];
    }
    return MX_OK;
}

/* Receives all pieces of a rank even if writing has failed, because that rank waits until they are received. */
static mx_err receive_part(app_comm comm, int from, const box *theirs, hid_t set, const char *path,
                           double *buffer)
{
    mx_err err = MX_OK;
    for (hsize_t at = 0; at < theirs->cells[0];) {
        const box piece = piece_of(theirs, at);
        const hsize_t count = piece.cells[0] * slice_cells(theirs);
        APP_MPI_TRY(MPI_Recv(buffer, (int)count, MPI_DOUBLE, from, PIECE_TAG, app_comm_mpi(comm),
                             MPI_STATUS_IGNORE));
        if (err == MX_OK && set >= 0) err = write_box(set, &piece, H5P_DEFAULT, buffer, path);
        at += piece.cells[0];
    }
    return err;
}

static size_t largest_piece(const box *boxes, int size)
{
    size_t max_bytes = 1;
    for (int r = 1; r < size; ++r) {
        const box piece = piece_of(&boxes[r], 0);
        const size_t cells = (size_t)(piece.cells[0] * slice_cells(&piece));
        if (cells > max_bytes) max_bytes = cells;
    }
    return max_bytes;
}

static mx_err write_all(app_comm comm, const box *boxes, hid_t set, const double *values,
                        const char *path, double *buffer)
{
    mx_err err = set >= 0 ? write_box(set, &boxes[0], H5P_DEFAULT, values, path) : MX_OK;
    for (int r = 1; r < app_size(comm); ++r) {
        const mx_err received =
            receive_part(comm, r, &boxes[r], err == MX_OK ? set : H5I_INVALID_HID, path, buffer);
        if (err == MX_OK) err = received;
    }
    return err;
}

static mx_err write_parts(app_file *file, hid_t set, const app_decomp *decomp, const double *values,
                          const char *path)
{
    const app_comm comm = file->comm;
    const int size = app_size(comm);
    const box mine = box_of(decomp);
    box *const boxes = app_rank(comm) == 0 ? calloc((size_t)size, sizeof *boxes) : NULL;
    double *buffer = NULL;
    mx_err err = MX_OK;
    if (app_rank(comm) == 0 && !boxes)
        err = MX_FAIL(MX_ERR_MEMORY, "no memory for the pieces of %d ranks", size);
    MX_TRY(app_agree(comm, err)); /* before any message is sent */
    err = app_mpi_check(MPI_Gather(&mine, (int)sizeof mine, MPI_BYTE, boxes, (int)sizeof mine,
                                   MPI_BYTE, 0, app_comm_mpi(comm)),
                        "MPI_Gather");
    if (err == MX_OK && boxes) {
        buffer = malloc(largest_piece(boxes, size) * sizeof *buffer);
        if (!buffer) err = MX_FAIL(MX_ERR_MEMORY, "no memory to receive field %s", path);
    }
    err = app_agree(comm, err);
    if (err == MX_OK) {
        err = boxes ? write_all(comm, boxes, set, values, path, buffer)
                    : send_part(comm, &mine, values);
    }
    free(buffer);
    free(boxes);
    return err;
}

#endif

/* Fields are written whole, so filling them first would only write them twice. */
static hid_t create_field(hid_t file, const char *path, const app_decomp *decomp)
{
    hsize_t shape[APP_MAX_DIMS];
    for (int d = 0; d < decomp->dims; ++d) shape[d] = (hsize_t)decomp->global[d];
    const hid_t space = H5Screate_simple(decomp->dims, shape, NULL),
                list = H5Pcreate(H5P_DATASET_CREATE);
    hid_t set = H5I_INVALID_HID;
    if (space >= 0 && list >= 0 && H5Pset_fill_time(list, H5D_FILL_TIME_NEVER) >= 0) {
        set = H5Dcreate2(file, path, H5T_IEEE_F64LE, space, H5P_DEFAULT, list, H5P_DEFAULT);
    }
    (void)app_h5_close(list);
    (void)app_h5_close(space);
    return set;
}

static mx_err describe_field(hid_t set, const char *units, int dims, const double *origin,
                             const double *spacing)
{
    const app_h5_item text = app_h5_text(units);
    const app_h5_item corner = {
        .kind = APP_H5_F64, .vector = true, .count = (hsize_t)dims, .data = origin};
    const app_h5_item step = {
        .kind = APP_H5_F64, .vector = true, .count = (hsize_t)dims, .data = spacing};
    MX_TRY(app_h5_put_attribute(set, "units", &text));
    if (origin) MX_TRY(app_h5_put_attribute(set, "origin", &corner));
    if (spacing) MX_TRY(app_h5_put_attribute(set, "spacing", &step));
    return MX_OK;
}

mx_err app_file_field(app_file *file, const char *path, const char *units, const app_decomp *decomp,
                      const double *values, const double *origin, const double *spacing)
{
    hid_t set = H5I_INVALID_HID;
    hsize_t bytes = sizeof *values;
    for (int d = 0; d < decomp->dims; ++d) bytes *= (hsize_t)decomp->global[d];
    MX_TRY(app_agree(file->comm, app_file_reserve(file, bytes)));
    mx_err err = MX_OK;
    if (file->id >= 0) {
        set = create_field(file->id, path, decomp);
        err = set >= 0 ? describe_field(set, units, decomp->dims, origin, spacing)
                       : MX_FAIL(MX_ERR_IO, "cannot create field %s: %s", path, app_h5_reason());
    }
    err = app_agree(file->comm, err);
    if (err == MX_OK) err = write_parts(file, set, decomp, values, path);
    const mx_err closed = app_h5_close(set);
    return err != MX_OK ? err : closed;
}
