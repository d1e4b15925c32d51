/* Macros that the files of OpenMP rivals share: their pragmas, which are empty without threads
 * (RIVAL_SERIAL) or without vectors (RIVAL_SCALAR), and the names of the sets. */
#pragma once
#include "rivals.h"

#include <omp.h>

#define STRING_(...) #__VA_ARGS__
#define PRAGMA(...) _Pragma(STRING_(__VA_ARGS__))
#if defined(RIVAL_SCALAR)
#define SET rivals_scalar
#define NAME "scalar"
#elif defined(RIVAL_SERIAL)
#define SET rivals_serial
#define OTHER rivals_serial_other
#define NAME "simd"
#define OTHER_NAME "other"
#else
#define SET rivals_omp
#define OTHER rivals_omp_other
#define NAME "omp simd"
#define OTHER_NAME "omp other"
#endif
#ifdef RIVAL_SCALAR
#define SIMD(...)
#define FOR_SIMD for
#else
#define SIMD(...) PRAGMA(omp simd __VA_ARGS__)
#define FOR_SIMD for \
    simd
#endif
#ifdef RIVAL_SERIAL
#define PARALLEL(...)
#define BARRIER()
#define SHARED_FOR(...)
#define PARALLEL_FOR(...)
#define PARALLEL_FOR_SIMD(...) SIMD(__VA_ARGS__)
#define TEAM(g) ((void)(g)->threads)
#else
#define PARALLEL(...) PRAGMA(omp parallel __VA_ARGS__ num_threads(threads))
#define PARALLEL_FOR(...) PARALLEL(for schedule(static) __VA_ARGS__)
/* within a parallel region */
#define BARRIER() PRAGMA(omp barrier)
#define SHARED_FOR(...) PRAGMA(omp for schedule(static) __VA_ARGS__)
#define PARALLEL_FOR_SIMD(...) PARALLEL(FOR_SIMD schedule(static) __VA_ARGS__)
#define TEAM(g) const int threads = (g)->threads
#endif
