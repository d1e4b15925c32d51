/* Between operator.c and matrix_free.c. */
#pragma once
#include "fe_level.h"

/* Element `at` of a view gets x . y. */
typedef struct fe_dot_product {
    mx_view view;
    int64_t at;
} fe_dot_product;

/* The products of operators that store no matrix. dot: NULL, or where x . y is wanted. */
mx_err fe_apply_free(fe_level *level, mx_view x, mx_view y, const fe_dot_product *dot, bool raw);
mx_err fe_diagonal_of_uniform(const fe_level *level, mx_view diagonal);
fe_work fe_work_of_free_product(const fe_level *level);
