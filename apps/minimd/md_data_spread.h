/* A LAMMPS data file on all ranks: rank 0 reads it, some rows at a time, and every rank gets the
 * atoms of a block of ids. */
#pragma once
#include "comm.h"
#include "md_data_file.h"

/* The atoms of this rank, in the order of their ids: those from first_id on. Host memory, which
 * md_data_free_atoms frees. */
typedef struct md_data_atoms {
    mx_gid first_id;
    int64_t *id; /* first_id, first_id + 1, ... */
    mx_lid count;
    double (*position)[3]; /* as in the file */
    double (*velocity)[3]; /* 0 where the file has none */
    int32_t *type;         /* from 0 on */
} md_data_atoms;

/* Collective, agreed. Every atom is there once: an id that is missing or that comes twice is an
 * error. Those of md_data_open; MX_ERR_EXTENT if a rank's block does not fit mx_lid. On failure
 * *atoms is empty. */
mx_err md_data_spread(app_comm comm, const char *path, md_data_about *about, md_data_atoms *atoms);

/* Accepts empty ones; empties them. */
void md_data_free_atoms(md_data_atoms *atoms);
