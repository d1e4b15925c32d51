#include "md_interpolate.h"

static double knot_slope(const double *f, int knots, int k)
{
    const int last = knots - 1;
    if (k == 0) return f[1] - f[0];
    if (k == last) return f[last] - f[last - 1];
    if (k == 1 || k == last - 1) return (f[k + 1] - f[k - 1]) / 2;
    return 2 * (f[k + 1] - f[k - 1]) / 3 - (f[k + 2] - f[k - 2]) / 12;
}

double md_interpolate(const double *f, int knots, double step, double x, double *slope)
{
    const double scaled = x / step;
    const int k = scaled < 1 ? 0 : scaled < knots - 1 ? (int)scaled : knots - 1;
    const double t = scaled - k, a = knot_slope(f, knots, k);
    if (k == knots - 1) {
        *slope = a / step;
        return f[k] + a * t;
    }
    const double b = knot_slope(f, knots, k + 1), u = 1 - t;
    *slope = (6 * t * u * (f[k + 1] - f[k]) + a * u * (1 - 3 * t) + b * t * (3 * t - 2)) / step;
    return f[k] * u * u * (1 + 2 * t) + f[k + 1] * t * t * (3 - 2 * t) + a * t * u * u -
           b * t * t * u;
}
