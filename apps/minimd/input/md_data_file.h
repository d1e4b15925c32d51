/* LAMMPS data files with atoms of the style atomic: read from begin to end, some rows at a time, so
 * that a file of any size needs little memory. Knows no MPI; data_spread.c spreads the rows over
 * ranks.
 *
 *     a title, which is not read
 *
 *     2 atoms                      what the file has, in any order; '#' begins a comment
 *     1 atom types
 *     -1 9.5 xlo xhi               sides of the periodic box
 *     0 10 ylo yhi
 *     0 10 zlo zhi
 *
 *     Masses                       of each type
 *
 *     1 63.55
 *
 *     Pair Coeffs # lj/cut         type, epsilon, sigma, and a cutoff where it is not the deck's
 *
 *     1 1.0 1.0 2.5
 *
 *     Atoms # atomic               id, type, x, y, z, and how often the atom crossed each side, which changes nothing here;
 *                                  ids may have gaps
 *
 *     1 1 0.5 0.25 0 0 0 -1
 *     2 1 2.5 0.25 0 0 1 0
 *
 *     Velocities                   id, vx, vy, vz
 *
 *     2 0.1 0 0
 *     1 -0.1 0 0
 *
 * Sections may come in any order. PairIJ Coeffs (two types, then the same) give each pair of
 * types itself. Lines of the header that say nothing about atoms ("2 extra bond per atom", "3
 * bond types") are read. Everything else that LAMMPS knows, bonds or tilted boxes for example,
 * is refused. Lines have at most MD_DATA_LINE bytes. */
#pragma once
#include "md_input.h"

enum { MD_DATA_ROWS = 16384, MD_DATA_LINE = 65535 };

/* Coefficients of two types. */
typedef struct md_data_pair {
    bool given;
    double epsilon, sigma;
    double cutoff; /* 0: that of the deck */
} md_data_pair;

/* What the file has beside rows of atoms. Complete when md_data_next has returned no more rows, but
 * for the first four members, which are complete when the file is open. */
typedef struct md_data_about {
    int64_t atoms;
    int types;              /* at most MD_MAX_TYPES */
    double low[3], high[3]; /* sides of the box */

    bool has_masses, has_velocities, has_pairs;
    double mass[MD_MAX_TYPES];
    bool each_pair; /* PairIJ Coeffs: pair[i][j] with i <= j are given; else pair[i][i] */
    md_data_pair pair[MD_MAX_TYPES][MD_MAX_TYPES];
} md_data_about;

typedef enum md_data_section { MD_DATA_ATOMS, MD_DATA_VELOCITIES } md_data_section;

typedef struct md_data_row {
    int64_t id;      /* 1 or more; that each comes once is not checked here */
    int64_t line;    /* in the file */
    double value[3]; /* position or velocity */
    int32_t type;    /* from 0 on; of velocities -1 */
} md_data_row;

/* Consecutive rows of one section. */
typedef struct md_data_rows {
    md_data_section section;
    int count; /* 0: the file has ended */
    md_data_row row[MD_DATA_ROWS];
} md_data_rows;

typedef struct md_data_file *md_data_file;

/* Opens a file, and reads it up to the first section. `text` not NULL: `length` bytes of text
 * instead, valid until the file is closed; then `path` is used in messages only. On failure *file
 * is NULL. MX_ERR_INPUT with one message "PATH:LINE: WHAT: got X, expected Y", MX_ERR_IO,
 * MX_ERR_MEMORY. */
mx_err md_data_open(const char *path, const char *text, size_t length, md_data_file *file);

const md_data_about *md_data_header(md_data_file file);

/* Reads on. Errors of md_data_open; the end of a file without all that it says it has is one. */
mx_err md_data_next(md_data_file file, md_data_rows *rows);

/* Accepts NULL; sets *file = NULL. */
void md_data_close(md_data_file *file);
