/* Rows: vectors of four doubles, for sums over short runs of neighbours in memory.
 *
 *   mx_row_f64                              + - * += of two rows, and a[d]
 *   mx_row_set(x)                           all four x
 *   mx_row_load(p)  mx_row_load_f32(p)      p[0] to p[3], of double or float; p need not be aligned
 *   MX_ROW_IS_REGISTER                      1: a row is a register of the processor; 0: loops over single numbers are faster */
#pragma once
#include "minx/kit/simd.h"

#if !defined(MX_GPU_CODE_) && defined(__AVX2__)
#define MX_ROW_IS_REGISTER 1
#else
#define MX_ROW_IS_REGISTER 0
#endif

#ifdef MX_GPU_CODE_
#define MX_ROW_OPERATOR_(op)                                                  \
    friend MX_METHOD_ mx_row_f64 operator op(mx_row_f64 a, mx_row_f64 b)      \
    {                                                                         \
        for (int d = 0; d < 4; d++) a.number[d] = a.number[d] op b.number[d]; \
        return a;                                                             \
    }
struct mx_row_f64 {
    double number[4];
    MX_METHOD_ double operator[](int d) const { return number[d]; }
    MX_ROW_OPERATOR_(+)
    MX_ROW_OPERATOR_(-)
    MX_ROW_OPERATOR_(*)
    MX_METHOD_ mx_row_f64 &operator+=(mx_row_f64 b) { return *this = *this + b; }
};
MX_INLINE mx_row_f64 mx_row_load(const double *p)
{
    const mx_row_f64 row = {p[0], p[1], p[2], p[3]};
    return row;
}
#else
typedef double mx_row_f64 __attribute__((vector_size(32)));
typedef mx_row_f64 mx_row_f64_memory_ __attribute__((aligned(8), may_alias));
/* As one load: from four numbers gcc would make several loads, where rows overlap. */
MX_INLINE mx_row_f64 mx_row_load(const double *p) { return *(const mx_row_f64_memory_ *)p; }
#endif

MX_INLINE mx_row_f64 mx_row_set(double x)
{
    const mx_row_f64 row = {x, x, x, x};
    return row;
}

MX_INLINE mx_row_f64 mx_row_load_f32(const float *p)
{
    const mx_row_f64 row = {(double)p[0], (double)p[1], (double)p[2], (double)p[3]};
    return row;
}
