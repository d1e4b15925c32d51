/* The type of the arithmetic of pairs in kernel files: double; or float with MD_MIXED, for
 * precision=mixed. NAME_mixed.c defines MD_MIXED and includes NAME.c, whose kernels are then
 * NAME_mixed. Sums over pairs are in double in both, but forces in clusters/. */
#pragma once

#ifdef MD_MIXED
#define MD_FORM(name) name##_mixed
typedef float md_real;
#else
#define MD_FORM(name) name
typedef double md_real;
#endif
