/* The kernels of lj_clusters.c with the arithmetic of pairs in single precision. */
#define MD_MIXED
#include "lj_clusters.c"
