/* A full disk must not be noticed first inside a collective call of MPI-IO or HDF5: libraries leave
 * some ranks waiting, and HDF5 can then neither close the file nor end cleanly. So rank 0 reserves
 * the room from the system before each addition, where a refusal is an ordinary error; what was
 * too much is cut off when the file is closed. Rank 0 makes a new file, with its room, before the
 * ranks open it: HDF5 writes into a file that it has created even when nothing was added to it.
 *
 * On a file system that cannot reserve, glibc writes one byte into each new block, and reads one of
 * each block that is there. No other rank may write meanwhile: all wait in app_agree. Other C
 * libraries refuse, and the file is written without a reservation. */
#define _GNU_SOURCE /* sync_file_range */
#include "results_file.h"

#include "comm/signals.h"
#include "input/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
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

/* Whenever a file is opened, Open MPI prepares a file pointer that ranks share, which HDF5 never
 * uses. Where all ranks are on one host, its choice is a file and a semaphore in shared memory by
 * the file's name: names of more than about 230 characters end the program, without room in
 * /dev/shm the ranks fail or wait for ever, and a killed run leaves the semaphore. The component
 * `individual` uses two small files of each rank instead, which app_file_open removes. It is chosen
 * when the first file is opened. What the user chose in the environment, or by mpirun --mca, stays.
 * On several hosts Open MPI chooses a lock file, and that stays as well: two files of each of many
 * ranks would take long. Other MPI libraries do not read this variable. */
#define SHARED_POINTER "OMPI_MCA_sharedfp"

static void avoid_shared_file_pointers(app_comm comm)
{
    if (app_local_size(comm) != app_size(comm) || getenv(SHARED_POINTER)) return;
    setenv(SHARED_POINTER, "individual", 0);
}

static void remove_small_file(const char *name)
{
    unlink(name);
    app_signals_forget(name);
}

static void for_small_files(app_comm comm, const char *path, void (*act)(const char *name))
{
    static const char *const kinds[] = {"data", "metadata"};
    const char *const component = getenv(SHARED_POINTER);
    if (!component || strcmp(component, "individual") != 0) return;
    for (int k = 0; k < 2; ++k) {
        app_strbuf name = {0};
        if (app_strbuf_add(&name, "%s.%s.%d", path, kinds[k], app_rank(comm)) == MX_OK)
            act(name.text);
        app_strbuf_free(&name);
    }
}

/* How the file is accessed: through MPI-IO by all ranks, or plainly. Negative on failure. */
static hid_t access_list(app_comm comm, bool collective)
{
    const hid_t list = H5Pcreate(H5P_FILE_ACCESS);
#ifdef H5_HAVE_PARALLEL
    if (list >= 0 && collective &&
        (H5Pset_fapl_mpio(list, app_comm_mpi(comm), MPI_INFO_NULL) < 0 ||
         H5Pset_coll_metadata_write(list, true) < 0)) {
        H5Pclose(list);
        return H5I_INVALID_HID;
    }
#else
    (void)comm;
    (void)collective;
#endif
    return list;
}

/* What an addition may take beside its data (headers, attributes, its share of the group's index:
 * well below a kilobyte as a rule), and how much is asked for beyond the need, so that small
 * additions rarely ask. */
enum { METADATA = 8 << 10, RESERVE_MORE = 1 << 20 };

/* A signal may interrupt the system while it reserves room (in memory, for example), and the timer
 * of a profiler may do so each time. */
enum { ATTEMPTS = 10 };

static mx_err allocate(const char *path, hsize_t from, hsize_t bytes)
{
    const int file = open(path, O_RDWR | O_CLOEXEC);
    MX_REQUIRE(file >= 0, MX_ERR_IO, "results file %s: cannot be opened: %s", path,
               strerror(errno));
    int reason = 0;
#if _POSIX_ADVISORY_INFO > 0
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        reason = posix_fallocate(file, (off_t)from, (off_t)bytes);
        if (reason != EINTR) break;
    }
#else
    (void)from;
    (void)bytes;
#endif
    if (close(file) != 0 && reason == 0) reason = errno; /* NFS reports a full disk here */
    const bool refused = reason == ENOSPC || reason == EDQUOT || reason == EFBIG || reason == EIO;
    MX_REQUIRE(!refused, MX_ERR_IO, "%s: no room for %llu bytes more: %s", path,
               (unsigned long long)bytes, strerror(reason));
    return MX_OK;
}

/* The bytes of an open file. The caller frees *image, also after a failure. */
static mx_err image_of(hid_t id, const char *path, void **image, size_t *bytes)
{
    ssize_t size = -1;
    if (id >= 0 && H5Fflush(id, H5F_SCOPE_GLOBAL) >= 0) size = H5Fget_file_image(id, NULL, 0);
    MX_REQUIRE(size > 0, MX_ERR_IO, "%s: HDF5 cannot make a file: %s", path, app_h5_reason());
    *bytes = (size_t)size;
    *image = malloc(*bytes);
    MX_REQUIRE(*image, MX_ERR_MEMORY, "%s: no memory for %zd bytes", path, size);
    MX_REQUIRE(H5Fget_file_image(id, *image, *bytes) == size, MX_ERR_IO,
               "%s: HDF5 cannot make a file: %s", path, app_h5_reason());
    return MX_OK;
}

/* An HDF5 file without content, made in memory. */
static mx_err empty_image(const char *path, void **image, size_t *bytes)
{
    const hid_t list = H5Pcreate(H5P_FILE_ACCESS);
    hid_t id = H5I_INVALID_HID;
    if (list >= 0 && H5Pset_fapl_core(list, METADATA, false) >= 0)
        id = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, list);
    const mx_err err = image_of(id, path, image, bytes);
    (void)app_h5_close(id);
    (void)app_h5_close(list);
    return err;
}

static mx_err write_image(const char *path, const void *image, size_t bytes)
{
    FILE *const file = fopen(path, "r+");
    MX_REQUIRE(file, MX_ERR_IO, "%s: cannot be opened: %s", path, strerror(errno));
    int reason = fwrite(image, 1, bytes, file) == bytes ? 0 : errno;
    if (fclose(file) != 0 && reason == 0) reason = errno;
    MX_REQUIRE(reason == 0, MX_ERR_IO, "%s: cannot be written: %s", path, strerror(reason));
    return MX_OK;
}

static mx_err truncate_file(const char *path)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    MX_REQUIRE(file >= 0, MX_ERR_IO, "%s: cannot be created: %s", path, strerror(errno));
    close(file);
    return MX_OK;
}

/* On rank 0: an empty HDF5 file, with room. */
static mx_err create(app_file *file)
{
    void *image = NULL;
    size_t bytes = 0;
    app_h5_quiet();
    mx_err err = truncate_file(file->path);
    if (err == MX_OK) err = empty_image(file->path, &image, &bytes);
    if (err == MX_OK) err = app_file_reserve(file, bytes);
    if (err == MX_OK) err = write_image(file->path, image, bytes);
    free(image);
    return err;
}

mx_err app_file_open(app_file *file, app_comm comm, const char *path, app_file_mode mode)
{
    /* MPI-IO gains nothing for reading on one host, and may write beside the file */
    const bool one_host = app_local_size(comm) == app_size(comm);
    const bool collective = app_file_is_parallel() && !(mode == APP_FILE_READ && one_host);
    *file = (app_file){.comm = comm, .id = H5I_INVALID_HID, .path = path, .collective = collective};
    if (mode == APP_FILE_CREATE)
        MX_TRY(app_agree(comm, app_rank(comm) == 0 ? create(file) : MX_OK));
    if (!app_file_takes_part(comm)) return MX_OK;
    app_h5_quiet();
    if (collective) avoid_shared_file_pointers(comm);
    const hid_t list = access_list(comm, collective);
    MX_REQUIRE(list >= 0, MX_ERR_IO, "cannot prepare the access to %s: %s", path, app_h5_reason());
    /* a signal that ends the program in between removes them too */
    if (collective) for_small_files(comm, path, app_signals_note);
    file->id = H5Fopen(path, mode == APP_FILE_READ ? H5F_ACC_RDONLY : H5F_ACC_RDWR, list);
    if (collective) for_small_files(comm, path, remove_small_file);
    mx_err err = MX_OK;
    struct stat info;
    if (file->id < 0) {
        err = MX_FAIL(MX_ERR_IO, "cannot open %s: %s", path, app_h5_reason());
    } else if (mode != APP_FILE_CREATE && stat(path, &info) == 0) {
        file->used = file->reserved = (hsize_t)info.st_size;
    }
    (void)app_h5_close(list);
    return err;
}

mx_err app_file_reserve(app_file *file, hsize_t bytes)
{
    if (app_rank(file->comm) != 0) return MX_OK;
    file->used += bytes + METADATA;
    if (file->used <= file->reserved) return MX_OK;
    const hsize_t end = file->used + RESERVE_MORE;
    MX_TRY(allocate(file->path, file->reserved, end - file->reserved));
    file->reserved = end;
    return MX_OK;
}

/* Only Linux has this call. Without it, or where it fails, the system begins later. The file is
 * opened for reading, because NFS writes a file whole when one that was opened for writing is
 * closed. */
void app_file_begin_writing(const app_file *file)
{
#ifdef SYNC_FILE_RANGE_WRITE
    const int descriptor = app_rank(file->comm) == 0 ? open(file->path, O_RDONLY | O_CLOEXEC) : -1;
    if (descriptor < 0) return;
    (void)sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE);
    close(descriptor);
#else
    (void)file;
#endif
}

/* A parallel HDF5 may cut the file off at the end of its data here, and with it the room. */
mx_err app_file_flush(app_file *file)
{
    mx_err err = MX_OK;
    struct stat info;
    if (file->id >= 0 && H5Fflush(file->id, H5F_SCOPE_GLOBAL) < 0)
        err = MX_FAIL(MX_ERR_IO, "%s: cannot be written: %s", file->path, app_h5_reason());
    MX_TRY(app_agree(file->comm, err));
    if (app_rank(file->comm) == 0 && stat(file->path, &info) == 0 &&
        (hsize_t)info.st_size < file->reserved)
        file->reserved = (hsize_t)info.st_size;
    return MX_OK;
}

/* Without MPI-IO, HDF5 knows the size that the file had when it was opened, and what it has written
 * itself: it does not cut off room that was reserved in between. */
static mx_err cut_off_room(const app_file *file, hsize_t size)
{
    struct stat info;
    if (file->collective || file->reserved <= size) return MX_OK;
    if (stat(file->path, &info) != 0 || (hsize_t)info.st_size <= size) return MX_OK;
    MX_REQUIRE(truncate(file->path, (off_t)size) == 0, MX_ERR_IO, "%s: cannot be cut off: %s",
               file->path, strerror(errno));
    return MX_OK;
}

mx_err app_file_close(app_file *file)
{
    if (file->id < 0) return MX_OK;
    mx_err err = MX_OK;
    hsize_t size = 0;
    if (H5Fflush(file->id, H5F_SCOPE_GLOBAL) < 0 ||
        (!file->collective && H5Fget_filesize(file->id, &size) < 0)) {
        err = MX_FAIL(MX_ERR_IO, "cannot write to the file: %s", app_h5_reason());
    }
    if (H5Fclose(file->id) < 0 && err == MX_OK) {
        err = MX_FAIL(MX_ERR_IO, "cannot close the file: %s", app_h5_reason());
    }
    file->id = H5I_INVALID_HID;
    return err == MX_OK ? cut_off_room(file, size) : err;
}
