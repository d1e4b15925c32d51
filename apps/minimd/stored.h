/* Ids and potential of a results file, for minx-verify. */
#pragma once
#include "physics.h"

#include "md_input.h"
#include "md_potential.h"

/* Reads /files/potential, potential_2 and so on, as many as the input names, and finds the
 * element of each type as the run did. False: it cannot be read, and a line says why. */
bool md_stored_potential(vf_base *base, const md_input *input, int types, md_potential *potential,
                         int *element);

/* Reads ids, of this many atoms: they rise, those of a lattice have no gaps, and those of frames
 * are those of the fields. False: they do not, and a line says so. */
bool md_stored_ids(vf_base *base, const md_input *input, int64_t atoms);
