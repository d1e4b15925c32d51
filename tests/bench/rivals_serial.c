/* The OpenMP rivals without threads: the best that one core can do. */
#define RIVAL_SERIAL
#include "rivals_omp.c"
