/* Throws text at the reader of LAMMPS data files.
 *
 * Properties checked for any text:
 *   1. the reader returns, reads nothing beyond the end, and gives MX_OK, or MX_ERR_INPUT with a message;
 *   2. an accepted file keeps what md_data_file.h promises: as many rows as the header says, ids and types in their ranges, finite
 *      numbers, a box with sides. */
#include "input/md_data_file.h"
#include "target.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check_rows(const md_data_about *about, const md_data_rows *rows)
{
    HOLDS(rows->count <= MD_DATA_ROWS);
    for (int i = 0; i < rows->count; i++) {
        const md_data_row *const row = &rows->row[i];
        HOLDS(row->id >= 1 && row->id < (int64_t)1 << 53 && row->line > 0);
        HOLDS(rows->section == MD_DATA_VELOCITIES || (row->type >= 0 && row->type < about->types));
        for (int d = 0; d < 3; d++) HOLDS(isfinite(row->value[d]));
    }
}

static void check_about(const md_data_about *a)
{
    HOLDS(a->atoms >= 1 && a->types >= 1 && a->types <= MD_MAX_TYPES);
    for (int d = 0; d < 3; d++) HOLDS(isnormal(a->high[d] - a->low[d]) && a->high[d] > a->low[d]);
    for (int i = 0; i < a->types; i++) {
        HOLDS(!a->has_masses || (a->mass[i] > 0 && isfinite(a->mass[i])));
        for (int j = i; a->has_pairs && j < a->types; j++) {
            const md_data_pair *const p = &a->pair[i][j];
            HOLDS(p->given == (a->each_pair || i == j));
            HOLDS(!p->given || (p->epsilon >= 0 && p->sigma > 0 && p->cutoff >= 0));
        }
    }
}

static mx_err read_all(const char *text, size_t size, int64_t *counts, md_data_about *about)
{
    static md_data_rows rows;
    md_data_file file;
    MX_TRY(md_data_open("file", text, size, &file));
    mx_err err;
    do {
        err = md_data_next(file, &rows);
        if (err == MX_OK) check_rows(md_data_header(file), &rows);
        if (err == MX_OK) counts[rows.section] += rows.count;
    } while (err == MX_OK && rows.count > 0);
    *about = *md_data_header(file);
    md_data_close(&file);
    return err;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int64_t counts[2] = {0};
    md_data_about about;
    char *const text = own_block(data, size);
    mx_err_clear();
    const mx_err err = read_all(text, size, counts, &about);
    HOLDS(err == MX_OK || err == MX_ERR_INPUT);
    if (err == MX_ERR_INPUT) {
        HOLDS(strncmp(mx_err_message(), "file:", 5) == 0 &&
              strstr(mx_err_message(), ", expected "));
    } else {
        check_about(&about);
        HOLDS(counts[MD_DATA_ATOMS] == about.atoms);
        HOLDS(counts[MD_DATA_VELOCITIES] == (about.has_velocities ? about.atoms : 0));
    }
    free(text);
    return 0;
}
