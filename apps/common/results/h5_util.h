/* HDF5 in the few forms that a results file needs: scalars, vectors and attributes of three types.
 * Private to the results files. Ids are HDF5's; what a function opens, it closes. HDF5 prints
 * nothing: its reason goes into our message. */
#pragma once
#include "minx/error.h"

#define H5_USE_110_API 1 /* later libraries offer the 1.10 interface under this name */
#include <hdf5.h>

typedef enum app_h5_kind { APP_H5_F64, APP_H5_I64, APP_H5_TEXT } app_h5_kind;

/* Something small to store. Text: one fixed-length string of `count` bytes (an empty one is stored
 * as a single NUL, for HDF5 has no strings without length). Numbers: a scalar, or a vector of
 * `count`. */
typedef struct app_h5_item {
    app_h5_kind kind;
    bool vector;
    hsize_t count;
    hsize_t texts; /* not 0: a vector of so many texts of count / texts bytes each */
    const void *data;
} app_h5_item;

app_h5_item app_h5_f64(const double *value);
app_h5_item app_h5_i64(const int64_t *value);
app_h5_item app_h5_text(const char *text); /* NUL-terminated */

/* The bytes of an item's data. */
size_t app_h5_bytes(const app_h5_item *item);

/* Silences HDF5's own printing on this thread. Cheap; call before any work. */
void app_h5_quiet(void);

/* The innermost reason of HDF5's last failure on this thread; valid until the next call. */
const char *app_h5_reason(void);

/* Closes any id; a negative one is ignored. Returns MX_ERR_IO if HDF5 could not close it. */
mx_err app_h5_close(hid_t id);

/* MX_ERR_INPUT names the first link of the file that is soft, external or of a user's own kind: by it
 * data could come from elsewhere. Only for a file that is open on this rank alone: where ranks share it,
 * HDF5 reads links by broadcasts, which the other ranks have to make as well. */
mx_err app_h5_check_links(hid_t file);

/* Opens dataset `path` ("/GROUP/NAME") of a file that is not trusted, but whose links
 * app_h5_check_links has accepted: the data are in this file, each byte of them, as they are. So what is allocated for them is not more than the file.
 * MX_ERR_INPUT; *set is negative then. */
mx_err app_h5_open_set(hid_t file, const char *path, hid_t *set);

/* Creates group `path`. */
mx_err app_h5_put_group(hid_t file, const char *path);

/* Creates dataset `path`; this rank writes its data if with_data. With a parallel file every rank
 * creates the dataset and one rank writes the data. `units` becomes an attribute unless NULL. */
mx_err app_h5_put(hid_t file, const char *path, const app_h5_item *item, const char *units,
                  bool with_data);

/* Creates attribute `name` of the open object `owner`. */
mx_err app_h5_put_attribute(hid_t owner, const char *name, const app_h5_item *item);

/* Creates a text attribute of variable length. */
mx_err app_h5_put_variable_text(hid_t owner, const char *name, const char *text);

/* The type of an item in the file: little-endian, whatever the machine. The caller closes it.
 * Negative on failure. */
hid_t app_h5_file_type(const app_h5_item *item);
