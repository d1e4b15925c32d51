#include "h5_util.h"

#include <stdio.h>
#include <string.h>

static _Thread_local char reason[512];

app_h5_item app_h5_f64(const double *value)
{
    return (app_h5_item){.kind = APP_H5_F64, .count = 1, .data = value};
}

app_h5_item app_h5_i64(const int64_t *value)
{
    return (app_h5_item){.kind = APP_H5_I64, .count = 1, .data = value};
}

app_h5_item app_h5_text(const char *text)
{
    return (app_h5_item){.kind = APP_H5_TEXT, .count = strlen(text), .data = text};
}

size_t app_h5_bytes(const app_h5_item *item)
{
    return (size_t)item->count * (item->kind == APP_H5_TEXT ? 1 : 8);
}

/* HDF5's exit handler would try again to write a file that it could not write before, fail again,
 * and print. It is not needed: we close all that we open. */
void app_h5_quiet(void)
{
    H5dont_atexit();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

/* The innermost entry of the error stack has the most exact reason. */
static herr_t save_innermost(unsigned n, const H5E_error2_t *entry, void *unused)
{
    (void)unused;
    if (n == 0 && entry->desc) snprintf(reason, sizeof reason, "%s", entry->desc);
    return 0;
}

const char *app_h5_reason(void)
{
    snprintf(reason, sizeof reason, "HDF5 gives no reason");
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, save_innermost, NULL);
    return reason;
}

mx_err app_h5_close(hid_t id)
{
    if (id < 0) return MX_OK;
    MX_REQUIRE(H5Idec_ref(id) >= 0, MX_ERR_IO, "HDF5 could not close an object: %s",
               app_h5_reason());
    return MX_OK;
}

/* ---- datasets that are not trusted ---- */

enum { LINK_NAME = 256 };

static herr_t find_link(hid_t group, const char *name, const H5L_info_t *info, void *found)
{
    (void)group;
    if (info->type == H5L_TYPE_HARD) return H5_ITER_CONT;
    snprintf(found, LINK_NAME, "%s", name);
    return H5_ITER_STOP;
}

mx_err app_h5_check_links(hid_t file)
{
    char found[LINK_NAME] = "";
    const herr_t visited = H5Lvisit(file, H5_INDEX_NAME, H5_ITER_NATIVE, find_link, found);
    MX_REQUIRE(visited >= 0, MX_ERR_INPUT, "its groups cannot be read: %s", app_h5_reason());
    MX_REQUIRE(visited == 0, MX_ERR_INPUT, "/%s is a link, expected a group or dataset", found);
    return MX_OK;
}

/* In one piece, neither through filters nor in other files. */
static bool is_plain(hid_t set)
{
    const hid_t list = H5Dget_create_plist(set);
    const H5D_layout_t layout = list >= 0 ? H5Pget_layout(list) : H5D_LAYOUT_ERROR;
    const bool plain = (layout == H5D_CONTIGUOUS || layout == H5D_COMPACT) &&
                       H5Pget_external_count(list) == 0 && H5Pget_nfilters(list) == 0;
    (void)app_h5_close(list);
    return plain;
}

static bool has_all_bytes(hid_t file, hid_t set)
{
    const hid_t space = H5Dget_space(set), type = H5Dget_type(set);
    const hssize_t count = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    const size_t item = type >= 0 ? H5Tget_size(type) : 0;
    const hsize_t stored = H5Dget_storage_size(set);
    hsize_t bytes = 0;
    (void)app_h5_close(type);
    (void)app_h5_close(space);
    return count >= 0 && item > 0 && H5Fget_filesize(file, &bytes) >= 0 && stored <= bytes &&
           (hsize_t)count <= stored / item;
}

mx_err app_h5_open_set(hid_t file, const char *path, hid_t *set)
{
    *set = H5Dopen2(file, path, H5P_DEFAULT);
    MX_REQUIRE(*set >= 0, MX_ERR_INPUT, "%s is missing, or no dataset", path);
    if (is_plain(*set) && has_all_bytes(file, *set)) return MX_OK;
    (void)app_h5_close(*set);
    *set = H5I_INVALID_HID;
    return MX_FAIL(MX_ERR_INPUT, "%s: its data are not in one piece in this file", path);
}

/* ---- small items ---- */

mx_err app_h5_put_group(hid_t file, const char *path)
{
    const hid_t group = H5Gcreate2(file, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    MX_REQUIRE(group >= 0, MX_ERR_IO, "cannot create group %s: %s", path, app_h5_reason());
    return app_h5_close(group);
}

static hid_t text_type(hsize_t length)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    if (type < 0) return type;
    const bool good = H5Tset_size(type, length > 0 ? (size_t)length : 1) >= 0 &&
                      H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0 &&
                      H5Tset_cset(type, H5T_CSET_UTF8) >= 0;
    if (good) return type;
    H5Tclose(type);
    return H5I_INVALID_HID;
}

hid_t app_h5_file_type(const app_h5_item *item)
{
    if (item->kind == APP_H5_TEXT)
        return text_type(item->texts > 0 ? item->count / item->texts : item->count);
    return H5Tcopy(item->kind == APP_H5_F64 ? H5T_IEEE_F64LE : H5T_STD_I64LE);
}

static hid_t memory_type(const app_h5_item *item)
{
    if (item->kind == APP_H5_TEXT)
        return text_type(item->texts > 0 ? item->count / item->texts : item->count);
    return H5Tcopy(item->kind == APP_H5_F64 ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64);
}

static hid_t space_of(const app_h5_item *item)
{
    const hsize_t *const extent = item->texts > 0 ? &item->texts : &item->count;
    return item->vector ? H5Screate_simple(1, extent, NULL) : H5Screate(H5S_SCALAR);
}

static const void *data_of(const app_h5_item *item)
{
    return item->kind == APP_H5_TEXT && item->count == 0 ? "" : item->data;
}

static bool is_empty(const app_h5_item *item) { return item->vector && item->count == 0; }

mx_err app_h5_put(hid_t file, const char *path, const app_h5_item *item, const char *units,
                  bool with_data)
{
    const hid_t type = app_h5_file_type(item), memory = memory_type(item), space = space_of(item);
    const hid_t set = H5Dcreate2(file, path, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    mx_err err = MX_OK;
    if (set < 0) {
        err = MX_FAIL(MX_ERR_IO, "cannot create dataset %s: %s", path, app_h5_reason());
    } else if (with_data && !is_empty(item) &&
               H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data_of(item)) < 0) {
        err = MX_FAIL(MX_ERR_IO, "cannot write dataset %s: %s", path, app_h5_reason());
    }
    if (err == MX_OK && units) {
        const app_h5_item text = app_h5_text(units);
        err = app_h5_put_attribute(set, "units", &text);
    }
    const mx_err closed = app_h5_close(set);
    (void)app_h5_close(space);
    (void)app_h5_close(memory);
    (void)app_h5_close(type);
    return err != MX_OK ? err : closed;
}

mx_err app_h5_put_attribute(hid_t owner, const char *name, const app_h5_item *item)
{
    const hid_t type = app_h5_file_type(item), memory = memory_type(item), space = space_of(item);
    const hid_t attribute = H5Acreate2(owner, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    mx_err err = MX_OK;
    if (attribute < 0) {
        err = MX_FAIL(MX_ERR_IO, "cannot create attribute %s: %s", name, app_h5_reason());
    } else if (!is_empty(item) && H5Awrite(attribute, memory, data_of(item)) < 0) {
        err = MX_FAIL(MX_ERR_IO, "cannot write attribute %s: %s", name, app_h5_reason());
    }
    const mx_err closed = app_h5_close(attribute);
    (void)app_h5_close(space);
    (void)app_h5_close(memory);
    (void)app_h5_close(type);
    return err != MX_OK ? err : closed;
}

mx_err app_h5_put_variable_text(hid_t owner, const char *name, const char *text)
{
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5I_INVALID_HID;
    bool good = type >= 0 && space >= 0 && H5Tset_size(type, H5T_VARIABLE) >= 0 &&
                H5Tset_cset(type, H5T_CSET_UTF8) >= 0;
    if (good) attribute = H5Acreate2(owner, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    good = attribute >= 0 && H5Awrite(attribute, type, &text) >= 0;
    mx_err err = MX_OK;
    if (!good) err = MX_FAIL(MX_ERR_IO, "cannot write attribute %s: %s", name, app_h5_reason());
    (void)app_h5_close(attribute);
    (void)app_h5_close(space);
    (void)app_h5_close(type);
    return err;
}
