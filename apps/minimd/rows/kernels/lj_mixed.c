/* The kernels of lj.c with the arithmetic of pairs in single precision. */
#define MD_MIXED
#include "lj.c"
