/* The OpenMP rivals without vectors, as with plain scalar loops. */
#define RIVAL_SCALAR
#include "rivals_omp.c"
