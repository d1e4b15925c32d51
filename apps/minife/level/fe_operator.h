/* Between operator.c, matrix_free.c and overlap.c. */
#pragma once
#include "fe_level.h"

/* Element `at` of a view gets x . y. */
typedef struct fe_dot_product {
    mx_view view;
    int64_t at;
} fe_dot_product;

/* Some rows of this rank: `first` to `end` - 1. They are whole planes of the mesh, or whole chunks
 * of ell and sell. */
typedef struct fe_part {
    int first, end;
} fe_part;
fe_part fe_all_rows(const fe_level *level);
/* The planes of owned nodes that a part is, whatever its chunks are: 0, 1, ... */
fe_part fe_planes_of(const fe_level *level, fe_part rows);

/* y = A x for these rows. dot: NULL, or where x . y is wanted. */
mx_err fe_apply_part(fe_level *level, mx_view x, mx_view y, const fe_dot_product *dot,
                     fe_part part);

/* The products of operators that store no matrix. operator=elements has no parts. */
mx_err fe_apply_free(fe_level *level, mx_view x, mx_view y, const fe_dot_product *dot, fe_part part,
                     bool raw);
mx_err fe_diagonal_of_uniform(const fe_level *level, mx_view diagonal);
fe_work fe_work_of_free_product(const fe_level *level);
