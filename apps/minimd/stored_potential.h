/* The potential that a results file has, for minx-verify. */
#pragma once
#include "physics.h"

#include "md_input.h"
#include "md_potential.h"

/* Reads /files/potential, potential_2 and so on, as many as the input names, and finds the element of
 * each type as the run did. False: it cannot be read, and a line says why. */
bool md_stored_potential(vf_base *base, const md_input *input, int types, md_potential *potential,
                         int *element);
