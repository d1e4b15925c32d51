/* The parts of minx-verify. Each prints its lines into a verdict; what cannot be read counts as a
 * failed check. */
#pragma once
#include "results/results_reader.h"
#include "verdict.h"

/* Recomputes every digest and compares it with the stored one; finds missing and foreign objects.
 */
void vf_check_integrity(app_reader reader, vf_verdict *verdict);

/* Checks the rows of the app that wrote the file (physics.h), from its stored data alone, and then
 * the stored checks. */
void vf_check_physics(app_reader reader, vf_verdict *verdict);

/* Compares two runs: the objects of their files, all attributes but those of the run itself, and
 * each dataset as its attribute says (compare.h). tolerance NULL: as the file says; else it takes
 * the place of the file's relative tolerances, and 0 makes every comparison exact. */
void vf_compare(app_reader one, app_reader other, const double *tolerance, vf_verdict *verdict);
