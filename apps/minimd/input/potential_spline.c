#include "md_potential.h"

static double slope(const double *f, int knots, int k)
{
    const int last = knots - 1;
    if (k == 0) return f[1] - f[0];
    if (k == last) return f[last] - f[last - 1];
    if (k == 1 || k == last - 1) return 0.5 * (f[k + 1] - f[k - 1]);
    return (f[k - 2] - f[k + 2] + 8 * (f[k + 1] - f[k - 1])) / 12;
}

void md_spline(const double *values, int knots, double *coefficients)
{
    for (int k = 0; k < knots; k++) {
        double *const c = coefficients + (size_t)k * MD_SPLINE;
        const bool last = k == knots - 1;
        const double slope_here = slope(values, knots, k);
        const double next = last ? slope_here : slope(values, knots, k + 1);
        const double rise = last ? slope_here : values[k + 1] - values[k];
        c[0] = slope_here + next - 2 * rise;
        c[1] = 3 * rise - 2 * slope_here - next;
        c[2] = slope_here;
        c[3] = values[k];
    }
}

void md_resample(const double *from, int from_knots, double from_step, double *to, int to_knots,
                 double to_step)
{
    for (int m = 0; m < to_knots; m++) {
        const double x = m * to_step / from_step;
        int k = x < from_knots ? (int)x : from_knots;
        if (k > from_knots - 3) k = from_knots - 3;
        if (k < 1) k = 1;
        const double p = x - k < 2 ? x - k : 2;
        to[m] = -p * (p - 1) * (p - 2) / 6 * from[k - 1] + (p * p - 1) * (p - 2) / 2 * from[k] -
                p * (p + 1) * (p - 2) / 2 * from[k + 1] + p * (p * p - 1) / 6 * from[k + 2];
    }
}
