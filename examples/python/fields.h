/* A library of kernels as other languages call it: plain functions that take a context, views and
 * numbers, return an error, and put results last. Views are handles of 8 bytes, passed by value;
 * what a view must be is checked where it is bound. Launches may be under way on return (mx_fence),
 * results are there. */
#pragma once
#include <minx/minx.h>

/* y += a x. f64, rank 1, elements next to each other, of one extent. */
mx_err fields_axpy(mx_ctx ctx, double a, mx_view x, mx_view y);

/* *dot: the sum of x y. Views as of axpy. */
mx_err fields_dot(mx_ctx ctx, mx_view x, mx_view y, double *dot);

/* out: the mean of each element's four neighbours in u; the border of out is left as it is. f64,
 * rank 2, of the same extents, in any strides; they share no memory. */
mx_err fields_smooth(mx_ctx ctx, mx_view u, mx_view out);

/* *largest: the largest element, minus infinity if there is none. f64, rank 2, in any strides. */
mx_err fields_largest(mx_ctx ctx, mx_view u, double *largest);
