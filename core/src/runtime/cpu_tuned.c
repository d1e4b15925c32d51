/* Which CPU features the kernels may use, in the order of cpu_features.def. This file is compiled
 * with the flags of kernel files. It has data only, so the program can test the CPU before it runs
 * a kernel. */
#include <stdbool.h>

extern const bool mx_cpu_tuned[];
#define MX_TEXT_SIZE_(value) sizeof #value
#define MX_CPU(macro, name) \
    MX_TEXT_SIZE_(macro) == sizeof "1", /* an undefined macro stays its name, which is longer */
const bool mx_cpu_tuned[] = {
#include "cpu_features.def"
    false};
