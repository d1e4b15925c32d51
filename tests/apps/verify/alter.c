#include "alter.h"

#include <string.h>

hid_t open_set(hid_t file, const char *path)
{
    const hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
    MUST(set >= 0);
    return set;
}

static void *read_set(hid_t set, hid_t type, size_t *count)
{
    const hid_t space = H5Dget_space(set);
    *count = (size_t)H5Sget_simple_extent_npoints(space);
    H5Sclose(space);
    void *const values = malloc(*count * H5Tget_size(type) + 1);
    MUST(values && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    return values;
}

static void write_set(hid_t set, hid_t type, void *values)
{
    MUST(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    free(values);
    H5Dclose(set);
}

void alter_real(hid_t file, const alteration *a)
{
    size_t count;
    const hid_t set = open_set(file, a->path);
    double *const values = read_set(set, H5T_NATIVE_DOUBLE, &count);
    MUST((size_t)a->index < count);
    values[a->index] *= a->factor;
    write_set(set, H5T_NATIVE_DOUBLE, values);
}

void alter_whole(hid_t file, const alteration *a)
{
    size_t count;
    const hid_t set = open_set(file, a->path);
    int64_t *const values = read_set(set, H5T_NATIVE_INT64, &count);
    MUST((size_t)a->index < count);
    values[a->index] += (int64_t)a->factor;
    write_set(set, H5T_NATIVE_INT64, values);
}

/* Temperature and energy of a cell together, so that only the residual can tell. */
void alter_cell(hid_t file, const alteration *a)
{
    alter_real(file, &(alteration){"/fields/temperature", a->index, a->factor});
    alter_real(file, &(alteration){"/fields/energy", a->index, a->factor});
}

/* The same in a frame: the energy of the whole frame tells nothing of a cell with little of it. */
void alter_frame(hid_t file, const alteration *a)
{
    alter_real(file, &(alteration){"/frames/temperature/value", a->index, a->factor});
    alter_real(file, &(alteration){"/frames/energy/value", a->index, a->factor});
}

/* Moves heat between two cells of equal density, all sums but U's parts being kept: the residual
 * again. */
void swap_cells(hid_t file, const alteration *a)
{
    const char *const paths[] = {"/fields/temperature", "/fields/energy"};
    for (int i = 0; i < 2; ++i) {
        size_t count;
        const hid_t set = open_set(file, paths[i]);
        double *const values = read_set(set, H5T_NATIVE_DOUBLE, &count);
        const double kept = values[a->index];
        values[a->index] = values[a->index + 1];
        values[a->index + 1] = kept;
        write_set(set, H5T_NATIVE_DOUBLE, values);
    }
}

void set_nan(hid_t file, const alteration *a)
{
    const double zero = 0.0;
    alter_real(file, &(alteration){a->path, a->index, zero / zero});
}

void set_infinite(hid_t file, const alteration *a)
{
    alter_real(file, &(alteration){a->path, a->index, 1e308 * 1e308});
}

/* An infinite element must not hide that another one differs. */
void set_infinite_and_other(hid_t file, const alteration *a)
{
    set_infinite(file, a);
    alter_real(file, &(alteration){a->path, a->index + 1, a->factor});
}

/* One letter of a text dataset, the first occurrence of "0.004" becoming "0.005" where it has one.
 */
void alter_text(hid_t file, const alteration *a)
{
    size_t count;
    const hid_t set = open_set(file, a->path), type = H5Dget_type(set);
    char *const text = read_set(set, type, &count);
    text[H5Tget_size(type)] = '\0';
    char *const number = strstr(text, "0.004");
    if (number) {
        number[4] = '5';
    } else {
        text[0] = (char)(text[0] + 1);
    }
    write_set(set, type, text);
    H5Tclose(type);
}

static void put_text_attribute(hid_t file, const char *path, const char *name, const char *text)
{
    const hid_t object = H5Oopen(file, path, H5P_DEFAULT), space = H5Screate(H5S_SCALAR),
                type = H5Tcopy(H5T_C_S1);
    MUST(object >= 0 && H5Tset_size(type, strlen(text)) >= 0);
    if (H5Aexists(object, name) > 0) MUST(H5Adelete(object, name) >= 0);
    const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    MUST(attribute >= 0 && H5Awrite(attribute, type, text) >= 0);
    H5Aclose(attribute);
    H5Tclose(type);
    H5Sclose(space);
    H5Oclose(object);
}

void alter_units(hid_t file, const alteration *a)
{
    put_text_attribute(file, a->path, "units", "furlong");
}

static void double_attribute(hid_t file, const char *path, const char *name)
{
    double values[2];
    const hid_t object = H5Oopen(file, path, H5P_DEFAULT);
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    MUST(attribute >= 0 && H5Aread(attribute, H5T_NATIVE_DOUBLE, values) >= 0);
    values[0] = 2.0 * values[0] + 1.0;
    MUST(H5Awrite(attribute, H5T_NATIVE_DOUBLE, values) >= 0);
    H5Aclose(attribute);
    H5Oclose(object);
}

void alter_origin(hid_t file, const alteration *a) { double_attribute(file, a->path, "origin"); }

void alter_spacing(hid_t file, const alteration *a) { double_attribute(file, a->path, "spacing"); }

void alter_compare(hid_t file, const alteration *a)
{
    put_text_attribute(file, a->path, "compare", "never");
}

void alter_schema(hid_t file, const alteration *a)
{
    (void)a;
    put_text_attribute(file, "/", "schema", "other-results");
}

/* `path` is the new verdict. */
void alter_verdict(hid_t file, const alteration *a)
{
    put_text_attribute(file, "/", "verdict", a->path);
}

void alter_app(hid_t file, const alteration *a)
{
    (void)a;
    put_text_attribute(file, "/", "app", "other");
}

static void alter_root_number(hid_t file, const char *name, int64_t value)
{
    const hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
    MUST(attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_INT64, &value) >= 0);
    H5Aclose(attribute);
}

void alter_version(hid_t file, const alteration *a)
{
    (void)a;
    alter_root_number(file, "schema_version", 2);
}

/* `index` is the new code. */
void alter_exit_code(hid_t file, const alteration *a)
{
    alter_root_number(file, "exit_code", a->index);
}

void remove_object(hid_t file, const alteration *a)
{
    MUST(H5Ldelete(file, a->path, H5P_DEFAULT) >= 0);
}

void add_object(hid_t file, const alteration *a)
{
    const hid_t group = H5Gcreate2(file, a->path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    MUST(group >= 0);
    H5Gclose(group);
}

/* A dataset that claims 2^index elements in one row and stores none. */
void add_huge(hid_t file, const alteration *a)
{
    const hsize_t shape[] = {(hsize_t)a->factor, (hsize_t)1 << a->index}, chunk[] = {1, 1024};
    const hid_t space = H5Screate_simple(2, shape, NULL), list = H5Pcreate(H5P_DATASET_CREATE);
    MUST(space >= 0 && H5Pset_chunk(list, 2, chunk) >= 0);
    const hid_t set =
        H5Dcreate2(file, a->path, H5T_IEEE_F64LE, space, H5P_DEFAULT, list, H5P_DEFAULT);
    MUST(set >= 0);
    H5Dclose(set);
    H5Pclose(list);
    H5Sclose(space);
}

void rename_object(hid_t file, const alteration *a)
{
    MUST(H5Lmove(file, a->path, file, "/fields/renamed", H5P_DEFAULT, H5P_DEFAULT) >= 0);
}

/* `index` groups, each in the one before. */
void nest_groups(hid_t file, const alteration *a)
{
    hid_t group = H5Gopen2(file, "/fields", H5P_DEFAULT);
    for (int64_t depth = 0; depth < a->index; ++depth) {
        const hid_t inner = H5Gcreate2(group, "n", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        MUST(inner >= 0 && H5Gclose(group) >= 0);
        group = inner;
    }
    H5Gclose(group);
}

static void add_ten_numbers(hid_t file, const char *path, hid_t list)
{
    const hsize_t ten = 10;
    const hid_t space = H5Screate_simple(1, &ten, NULL);
    const hid_t set = H5Dcreate2(file, path, H5T_IEEE_F64LE, space, H5P_DEFAULT, list, H5P_DEFAULT);
    MUST(set >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(list);
}

/* In the place of a dataset, one whose data are in a file of their own, which is a pipe: reading
 * waits for ever. */
void add_external(hid_t file, const alteration *a)
{
    const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    MUST(H5Ldelete(file, a->path, H5P_DEFAULT) >= 0);
    MUST(H5Pset_external(list, "bad.fifo", 0, 80) >= 0);
    add_ten_numbers(file, a->path, list);
}

void add_virtual(hid_t file, const alteration *a)
{
    const hsize_t ten = 10;
    const hid_t list = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, &ten, NULL);
    MUST(H5Pset_virtual(list, space, "bad.fifo", "/fields/density", space) >= 0);
    H5Sclose(space);
    add_ten_numbers(file, a->path, list);
}

void add_filtered(hid_t file, const alteration *a)
{
    const hsize_t ten = 10;
    const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    MUST(H5Pset_chunk(list, 1, &ten) >= 0 && H5Pset_fletcher32(list) >= 0);
    add_ten_numbers(file, a->path, list);
}

/* A group that contains itself. */
void link_again(hid_t file, const alteration *a)
{
    MUST(H5Lcreate_hard(file, "/fields", file, a->path, H5P_DEFAULT, H5P_DEFAULT) >= 0);
}

void link_outside(hid_t file, const alteration *a)
{
    MUST(H5Ldelete(file, a->path, H5P_DEFAULT) >= 0);
    MUST(H5Lcreate_external("bad.fifo", "/", file, a->path, H5P_DEFAULT, H5P_DEFAULT) >= 0);
}

/* The manifest names an object that a terminal would act on. */
void name_controls(hid_t file, const alteration *a)
{
    size_t count;
    const hid_t set = open_set(file, a->path), type = H5Dget_type(set);
    char *const text = read_set(set, type, &count);
    memcpy(text + 67, "\033[2J", 4);
    write_set(set, type, text);
    H5Tclose(type);
}
