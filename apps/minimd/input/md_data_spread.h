/* A LAMMPS data file on all ranks: rank 0 reads it, some rows at a time, and every rank gets about
 * the same number of atoms, whatever their ids are. */
#pragma once
#include "comm/comm.h"
#include "md_data_file.h"

/* The atoms of this rank, in the order of their ids. Host memory, which md_data_free_atoms
 * frees. */
typedef struct md_data_atoms {
    mx_lid count;
    int64_t *id;           /* as in the file */
    double (*position)[3]; /* as in the file */
    double (*velocity)[3]; /* 0 where the file has none */
    int32_t *type;         /* from 0 on */
} md_data_atoms;

/* Collective, agreed. Every atom is there once: an id that comes twice, or a velocity without an
 * atom, is an error. Those of md_data_open; MX_ERR_EXTENT if a rank's atoms do not fit mx_lid.
 * On failure *atoms is empty. */
mx_err md_data_spread(app_comm comm, const char *path, md_data_about *about, md_data_atoms *atoms);

/* Accepts empty ones; empties them. */
void md_data_free_atoms(md_data_atoms *atoms);
