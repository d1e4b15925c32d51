/* The OpenMP rivals without vectors: what a plain loop would give. */
#define RIVAL_SCALAR
#include "rivals_omp.c"
