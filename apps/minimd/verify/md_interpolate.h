/* Tables of potentials between their knots, for minx-verify: by Hermite's basis functions from
 * values and slopes at the knots, not from coefficients as in the run. */
#pragma once

/* The value at x of a table whose knots are `step` apart, the first one at 0, and its slope there.
 * Beyond the last knot a straight line. */
double md_interpolate(const double *f, int knots, double step, double x, double *slope);
