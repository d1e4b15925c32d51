/* Ids and potential of a results file, for minx-verify. */
#pragma once
#include "physics.h"

#include "input/md_input.h"
#include "input/md_potential.h"

/* How many files an input's potential has (0: as md_potential_count), and the path of one in a
 * results file; from 0 on. */
int md_stored_potentials(const md_input *input);
typedef struct md_stored_path {
    char text[48];
} md_stored_path;
md_stored_path md_stored_potential_path(int file);

/* Reads /files/potential, potential_2 and so on, as many as the input names, and finds the
 * element of each type as the run did. False: it cannot be read, and a line says why. */
bool md_stored_potential(vf_base *base, const md_input *input, int types, md_potential *potential,
                         int *element);

/* Reads ids, of this many atoms: they rise, those of a lattice have no gaps, and those of frames
 * are those of the fields. False: they do not, and a line says so. */
bool md_stored_ids(vf_base *base, const md_input *input, int64_t atoms);
