/* The parts of minx-verify. Each prints its lines into a verdict; what cannot be read counts as a
 * failed check. */
#pragma once
#include "keys.h"
#include "results_reader.h"
#include "verdict.h"

/* Recomputes every digest and compares it with the stored one; finds missing and foreign objects.
 */
void vf_integrity(app_reader reader, vf_verdict *verdict);

/* Recomputes the physics of the app that wrote the file, from its stored data alone, and then the
 * stored checks. */
void vf_physics(app_reader reader, vf_verdict *verdict);

/* Parses the stored deck, with what the command line set, into *target, and compares every parameter of /input. False where the
 * deck cannot be parsed. *keys is to be closed in any case; texts in *target are valid until then. */
bool vf_input(app_reader reader, const app_input *input, app_keys *keys, void *target,
              vf_verdict *verdict);

/* Compares two runs: the objects of their files, all attributes but those of the run itself, and each
 * dataset as its attribute says (compare.h). tolerance NULL: as the file says; else it takes the place
 * of the file's relative tolerances, and 0 makes every comparison exact. */
void vf_compare(app_reader one, app_reader other, const double *tolerance, vf_verdict *verdict);

/* What the stored check of this name, /verification/NAME, must hold. It may not be absent. */
typedef struct vf_recomputed {
    const char *name;
    double value, value_tolerance;
    double expected, expected_tolerance;
    double tolerance, tolerance_tolerance; /* the check's own, and how far it may be off */
} vf_recomputed;

enum { VF_MOST_RECOMPUTED = 8 };

typedef struct vf_physics_result {
    vf_recomputed check[VF_MOST_RECOMPUTED];
    int count;
    const char *verdict; /* of a run whose checks all hold */
} vf_physics_result;

/* The physics of TeaLeaf; *result (empty before) gets what its checks must hold. */
void vf_tealeaf(app_reader reader, vf_verdict *verdict, vf_physics_result *result);
