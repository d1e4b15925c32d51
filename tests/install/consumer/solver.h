#pragma once
#include <minx/error.h>

/* The sum of y = 1 + 3 * 2 over n elements, on a context of this resource. */
mx_err solve(const char *resource, int n, double *sum);
