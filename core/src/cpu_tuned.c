/* Compiled with the flags of kernel files, and never run: which CPU features kernels may use, in the order of the list. */
#include <stdbool.h>

extern const bool mx_cpu_tuned[];
#define MX_TEXT_SIZE_(value) sizeof #value
#define MX_CPU(macro, name) \
    MX_TEXT_SIZE_(macro) == sizeof "1", /* an undefined one stays its name */
const bool mx_cpu_tuned[] = {
#include "cpu_features.def"
    false};
