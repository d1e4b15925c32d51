/* Alterations of a results file, made with HDF5 itself. */
#pragma once
#include <stdint.h>
#define H5_USE_110_API 1
#include "must.h"

#include <hdf5.h>

/* One element of a dataset, and others. */
typedef struct alteration {
    const char *path; /* of a dataset; what else a function needs is in its name */
    int64_t index;    /* of the element, row-major */
    double factor;    /* a real number becomes value * factor, a whole one value + factor */
} alteration;

hid_t open_set(hid_t file, const char *path);

void alter_real(hid_t file, const alteration *a);
void alter_whole(hid_t file, const alteration *a);
void alter_cell(hid_t file, const alteration *a);
void alter_frame(hid_t file, const alteration *a);
void swap_cells(hid_t file, const alteration *a);
void set_nan(hid_t file, const alteration *a);
void alter_text(hid_t file, const alteration *a);
void alter_units(hid_t file, const alteration *a);
void alter_schema(hid_t file, const alteration *a);
void alter_verdict(hid_t file, const alteration *a);
void alter_app(hid_t file, const alteration *a);
void alter_version(hid_t file, const alteration *a);
void alter_exit_code(hid_t file, const alteration *a);
void remove_object(hid_t file, const alteration *a);
void add_object(hid_t file, const alteration *a);
void add_huge(hid_t file, const alteration *a);
void rename_object(hid_t file, const alteration *a);
void set_infinite(hid_t file, const alteration *a);
void set_infinite_and_other(hid_t file, const alteration *a);
void alter_origin(hid_t file, const alteration *a);
void alter_spacing(hid_t file, const alteration *a);
void alter_compare(hid_t file, const alteration *a);
void forge_heat(hid_t file, const alteration *a);
void forge_spread(hid_t file, const alteration *a);
void forge_beginning(hid_t file, const alteration *a);
void nest_groups(hid_t file, const alteration *a);
void add_external(hid_t file, const alteration *a);
void add_virtual(hid_t file, const alteration *a);
void add_filtered(hid_t file, const alteration *a);
void link_again(hid_t file, const alteration *a);
void link_outside(hid_t file, const alteration *a);
void name_controls(hid_t file, const alteration *a);
