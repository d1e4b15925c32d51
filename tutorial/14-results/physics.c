/* What minx-verify checks of a results file of the lesson: it reads the field, and knows nothing of the program that made it. */
#include "physics.h"

#include "ripple.h"

#include <math.h>
#include <stdlib.h>

/* The mean of u^2, from the stored field, against theory. */
static bool check_energy(void *data)
{
    vf_base *const base = data;
    const ripple_input *const input = base->input;
    const double s = sin(acos(-1.0) / (double)input->cells);
    const double factor = 1 - 8 * RIPPLE_R * s * s;
    const double theory = 0.25 * pow(factor, 2 * (double)input->steps);
    int64_t count = 0;
    double sum = 0, *u = NULL;
    if (app_reader_f64(base->reader, "/fields/u", &count, &u) != MX_OK) count = 0;
    for (int64_t i = 0; i < count; i++) sum += u[i] * u[i];
    free(u);
    const double energy = sum / (double)(input->cells * input->cells);
    vf_recompute(base, (vf_recomputed){"energy", energy, 1e-12, theory, 1e-12, RIPPLE_TOLERANCE, 0,
                                       false, APP_RELATIVE(1e-11)});
    return vf_number(base->verdict, "energy", energy, theory, RIPPLE_TOLERANCE);
}

static const vf_row checks[] = {{"energy", check_energy}};
const vf_physics vf_physics_ripple = {
    .app = "ripple", .input = &ripple_keys, .rows = checks, .count = 1};
