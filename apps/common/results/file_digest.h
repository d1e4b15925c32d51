/* A seal: a line behind the end of a file with the file's size and the SHA-256 of its bytes. A file
 * is checked by it before any library reads it, so that damage is reported as an error, and no
 * library can crash on it. HDF5 ignores bytes behind the end of its data. Private to the
 * checkpoints. */
#pragma once
#include "comm/comm.h"

/* Seals the closed file. With a parallel HDF5 the ranks share the reading, else rank 0 does it.
 * Collective, agreed. MX_ERR_IO. */
mx_err app_file_seal(app_comm comm, const char *path);

/* Compares the seal with the file. MX_ERR_IO if the file cannot be read, has no seal (it is cut
 * short, or something else), or its bytes have another digest. Collective, agreed. */
mx_err app_file_check_seal(app_comm comm, const char *path);
