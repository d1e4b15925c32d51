#include "physics.h"

#include "sample.h"

#include <stdlib.h>

/* Heat is conserved, but for the roundings of sums. */
static bool check_sum(void *data)
{
    vf_base *const base = data;
    int64_t count = 0;
    double sum = 0, *u = NULL;
    if (app_reader_f64(base->reader, "/fields/u", &count, &u) != MX_OK) count = 0;
    for (int64_t i = 0; i < count; i++) sum += u[i];
    free(u);
    vf_recompute(base,
                 (vf_recomputed){"sum", sum, 1e-12, 1, 0, 1e-12, 0, false, APP_RELATIVE(1e-12)});
    return vf_number(base->verdict, "sum", sum, 1, 1e-12);
}
static const vf_row checks[] = {{"sum", check_sum}};
const vf_physics vf_physics_sample = {
    .app = "sample", .input = &sample_keys, .rows = checks, .count = 1};
