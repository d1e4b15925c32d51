/* A level: a mesh of the domain, the part of it that each rank holds, and the system of equations A
 * u = b on it. The solver's own mesh is the finest level. A preconditioner may have others, with
 * fewer elements.
 *
 * A level goes through the stages of this header in their order:
 *
 *     fe_level level = {.base = &app->base, .input = &app->input};
 *     MX_TRY(fe_make_mesh(&level, elements));
 *     MX_TRY(fe_make_structure(&level));
 *     MX_TRY(fe_assemble(&level));
 *     MX_TRY(fe_impose_boundary(&level));
 *     MX_TRY(fe_apply(&level, x, y));
 *     ...
 *     fe_level_destroy(&level);
 *
 * Vectors of a level are views of doubles of rank 1: its rows, and the ghosts behind them if an
 * operation says so. */
#pragma once
#include "app.h"
#include "bisection.h"
#include "index_exchange.h"
#include "input/fe_input.h"
#include "kernels/fe_level_kernels.h"
#include "kernels/fe_overlap_kernels.h"
#include "kernels/fe_product_kernels.h"
#include "operators/csr8/fe_csr8.h"
#include "operators/fe_matrix_free.h"

typedef struct fe_level_views {
    mx_view coordinates;          /* of all nodes held: 3 x nodes, x, y, z */
    mx_view begin, column, value; /* the matrix (fe_storage.h): i64, i32, and f64 or f32 */
    struct {
        mx_view code, distance, ghost_begin, ghost;
    } codes;      /* csr8, instead of column: fe_codes.h */
    mx_view line; /* of a matrix that is stored by lines: i32, 3 x lines */
    mx_view b;
} fe_level_views;

typedef struct fe_level {
    const app_base *base; /* ranks, context and transport. The caller's, as input */
    const fe_input *input;

    /* the mesh */
    fe_mesh mesh; /* this rank's nodes */
    app_box part; /* this rank's elements: each element is in the part of one rank */
    int from[3];  /* the elements that touch owned nodes: the first, */
    int to[3];    /* and the first one behind them */
    app_index_exchange ghosts;
    mx_gid first_row; /* rows of lower ranks */
    mx_gid all_rows;
    mx_gid all_entries;
    int64_t entries; /* of this rank's rows */

    fe_level_views views;
    /* the matrix's form; its accessors are bound in arguments of kernels only */
    fe_storage storage;

    /* kernel arguments; those of products are bound by fe_apply */
    fe_structure_args structure;
    fe_coordinates_args coordinates;
    fe_assemble_args assemble;
    fe_boundary_args boundary;
    fe_rows_args rows;
    fe_codes_args codes;
    fe_lines_args lines;
    fe_free_args free;

    struct fe_outer *outer; /* overlap.c; NULL: products wait for ghosts */
} fe_level;

/* ---- divide.c: which elements each rank has ---- */

/* This rank's part of the elements (along z, y, x): by recursive bisection, then unbalanced until a
 * rank's number of elements differs from the mean by so many percent; 0: not at all. A note says
 * where that is not possible. MX_ERR_INPUT for more ranks than elements. Collective, agreed. */
mx_err fe_divide(const app_base *base, const mx_gid *elements, double imbalance, app_box *part);

/* ---- mesh.c: the nodes and elements of this rank, and the exchange of ghosts ---- */

/* elements: of the whole domain along z, y, x. They are divided by fe_divide. Collective,
 * agreed. */
mx_err fe_make_mesh(fe_level *level, const mx_gid *elements);
/* The same with parts that the caller chose: this rank's, of at least one element; the parts of all
 * ranks fill the domain, and neighbours along one direction share a plane of nodes. Collective,
 * agreed. */
mx_err fe_make_mesh_of_part(fe_level *level, const mx_gid *elements, const app_box *part);
/* A mesh with at most as many elements along each dimension as `fine`, this rank's nodes of a finer
 * one: see fe_coarse.h. A rank may have no nodes. `part` stays empty. Collective, agreed. */
mx_err fe_make_coarse_mesh(fe_level *level, const mx_gid *elements, const fe_mesh *fine);

/* ---- system.c: A and b ---- */

/* What this rank's part of the matrix needs, about. After the mesh. */
double fe_matrix_bytes(const fe_level *level);

/* Collective. */
mx_err fe_make_structure(fe_level *level);
/* Not collective. */
mx_err fe_assemble(fe_level *level);
mx_err fe_impose_boundary(fe_level *level);

/* Frees what the stages made, however far they came. */
void fe_level_destroy(fe_level *level);

/* Divides rows into blocks of at most `largest` rows along each dimension, in a box that begins at
 * `low`; returns their number. */
int64_t fe_divide_rows(fe_blocks *blocks, const int *low, const int *count, const int *largest);

/* diagonal = that of A, which is not stored. coordinates are there. */
mx_err fe_assemble_diagonal(fe_level *level, mx_view diagonal);

/* Binds the accessors of `storage`, which has the level's form. The form NONE needs none. */
mx_err fe_bind_storage(const fe_level *level, fe_storage *storage);

/* ---- operator.c: products with A ---- */

/* Do kernels run on a device, or on simt, which stands for one? Then many small items are best. */
bool fe_on_device(const fe_level *level);
/* The items from `low` (NULL: 0) up to `end` along z, y, x. In the kernel fe_item_at finds the
 * item. */
mx_range_3 fe_box_range(const fe_level *level, const int *low, const int *end);

/* The ghosts of x get the values of their rows on other ranks. Collective. */
mx_err fe_exchange(fe_level *level, mx_view x);
/* y = A x. x has ghosts, which have been exchanged; y has rows (and ghosts, which it leaves as they
 * are). x is not y. Not collective, and asynchronous as kernels are. */
mx_err fe_apply(fe_level *level, mx_view x, mx_view y);
/* The same; element `at` of dot gets this rank's part of x . y. */
mx_err fe_apply_dot(fe_level *level, mx_view x, mx_view y, mx_view dot, int64_t at);
/* y = A x as if no values were given, for rows whose values are not. A is not stored. */
mx_err fe_apply_raw(fe_level *level, mx_view x, mx_view y);
/* entries = the coefficients of A, row after row, in the order of entries (fe_storage.h):
 * level->entries. A is stored. */
mx_err fe_copy_matrix(fe_level *level, mx_view entries);
/* diagonal = that of A: rows. */
mx_err fe_diagonal(fe_level *level, mx_view diagonal);

/* What one product must move and compute on this rank: the matrix, x and y once each. */
typedef struct fe_work {
    double bytes, flops;
} fe_work;
fe_work fe_work_of_product(const fe_level *level);

/* ---- overlap.c: products with the exchange of ghosts ---- */

/* From now on products do not wait for ghosts. After the matrix. With one rank there is nothing to
 * do. Collective. */
mx_err fe_make_overlap(fe_level *level);
void fe_overlap_destroy(fe_level *level);
/* y = A x; the ghosts of x are exchanged, with overlap if there is one. Collective. */
mx_err fe_multiply(fe_level *level, mx_view x, mx_view y);
/* The same with overlap; the FE_PRODUCT_PARTS elements from `at` on of dot get this rank's part of
 * x . y. Collective. */
mx_err fe_overlap_dot(fe_level *level, mx_view x, mx_view y, mx_view dot, int64_t at);
