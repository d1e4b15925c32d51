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
