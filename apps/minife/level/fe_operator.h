/* A form of the operator A: how its coefficients are stored or computed, and how it is multiplied.
 *
 * Each form is a struct of functions, which a folder in operators/ defines; input/operators.def
 * lists them. A level has one of them, chosen at set-up. What a level does with A goes through it:
 * structure.c, boundary.c, product.c and overlap.c know no operator. Where coefficients are stored,
 * kernels must know too: kernels/fe_storage.h has a formula for each kind of storage. An operator
 * with a new kind adds its formula there. */
#pragma once
#include "kernels/fe_storage.h"

struct fe_level;

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

/* A product y = A x for some rows. x has ghosts, which have been exchanged; y has rows (and ghosts,
 * which it leaves as they are). x is not y. */
typedef struct fe_product {
    mx_view x, y;
    const fe_dot_product *dot; /* NULL, or where x . y is wanted */
    fe_part part;
    bool raw; /* as if no values were given: only of operators that store no matrix */
} fe_product;

/* What a product must move and compute on this rank: the matrix, x and y once each. */
typedef struct fe_work {
    double bytes, flops;
} fe_work;

typedef struct fe_operator_form {
    bool needs_coordinates; /* in products */
    bool has_parts;         /* a product can be computed for some planes of rows */
    /* Assembly in blocks writes every coefficient that is stored, so none has to be set to 0 first:
     * there is no padding, and each coefficient is stored in one row. */
    bool all_written;
    /* What this rank's part of the matrix needs, about. After the mesh. NULL: nothing is stored. */
    double (*bytes)(const struct fe_level *level);
    /* Chooses the kind of level->storage, and makes the tables among level->views. *values: how
     * many coefficients the view of the matrix has; not set if none are stored. NULL: there are no
     * tables, and no matrix. */
    mx_err (*set_up)(struct fe_level *level, int64_t *values);
    /* Not collective, and asynchronous as kernels are. */
    mx_err (*apply)(const struct fe_level *level, const fe_product *product);
    /* diagonal = that of A: rows. NULL: it is read from the matrix. */
    mx_err (*diagonal)(const struct fe_level *level, mx_view diagonal);
    fe_work (*work)(const struct fe_level *level);
} fe_operator_form;
