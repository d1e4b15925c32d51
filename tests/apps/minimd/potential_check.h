/* What the tests of potentials share. */
#pragma once
#include <math.h>
#include <stdio.h>

static int failures;

static inline void check(const char *what, double got, double expected, double tolerance)
{
    if (fabs(got - expected) <= tolerance) return;
    fprintf(stderr, "%s: got %.15g, expected %.15g, tolerance %g\n", what, got, expected,
            tolerance);
    failures++;
}
