/* A level: a mesh of the domain, the part of it that each rank holds, and the system of equations A
 * u = b on it. The solver's own mesh is the finest level. A preconditioner may have others, with
 * fewer elements.
 *
 * A level goes through the stages of this header in their order:
 *
 *     fe_level level = {.base = &app->base, .input = &app->input, .op = fe_operator_forms[...]};
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
#include "domain/bisection.h"
#include "domain/index_exchange.h"
#include "fe_operator.h"
#include "input/fe_input.h"
#include "kernels/fe_level_kernels.h"
#include "kernels/fe_overlap_kernels.h"
#include "run/app.h"

/* Views that only one operator has. */
enum { FE_OPERATOR_VIEWS = 4 };

typedef struct fe_level_views {
    mx_view coordinates;          /* of all nodes held: 3 x nodes, x, y, z */
    mx_view begin, column, value; /* the matrix (fe_storage.h): i64, i32, and f64 or f32 */
    mx_view line;                 /* of operators that go through lines: i32, 3 x lines */
    mx_view of_operator[FE_OPERATOR_VIEWS];
    mx_view b;
} fe_level_views;

typedef struct fe_level {
    const app_base *base; /* ranks, context and transport. The caller's, as input */
    const fe_input *input;
    const fe_operator_form *op; /* the form of A */

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

    /* kernel arguments */
    fe_coordinates_args coordinates;
    fe_assemble_args assemble;
    fe_boundary_args boundary;

    struct fe_outer *outer; /* overlap.c; NULL: products wait for ghosts */
} fe_level;

/* ---- partition.c: which elements each rank has ---- */

/* This rank's part of the elements (along z, y, x): by recursive bisection, then unbalanced until a
 * rank's number of elements differs from the mean by so many percent; 0: not at all. A note says
 * where that is not possible. MX_ERR_INPUT for more ranks than elements. Collective, agreed. */
mx_err fe_partition(const app_base *base, const mx_gid *elements, double imbalance, app_box *part);

/* ---- mesh.c: the nodes and elements of this rank, and the exchange of ghosts ---- */

/* elements: of the whole domain along z, y, x. They are divided by fe_partition. Collective,
 * agreed. */
mx_err fe_make_mesh(fe_level *level, const mx_gid *elements);
/* The same with parts that the caller chose: this rank's, of at least one element; the parts of all
 * ranks fill the domain, and neighbours along one direction share a plane of nodes. Collective,
 * agreed. */
mx_err fe_make_mesh_of_part(fe_level *level, const mx_gid *elements, const app_box *part);
/* A mesh with at most as many elements along each dimension as `fine`, this rank's nodes of a finer
 * one: see fe_coarse.h. A rank may have no nodes. `part` stays empty. Collective, agreed. */
mx_err fe_make_coarse_mesh(fe_level *level, const mx_gid *elements, const fe_mesh *fine);

/* The ghosts of x get the values of their rows on other ranks. Collective. */
mx_err fe_exchange(fe_level *level, mx_view x);

/* ---- ranges.c ---- */

/* Do kernels run on a device, or on simt, which stands for one? Then many small items are best. */
bool fe_on_device(const fe_level *level);
/* The items from `low` (NULL: 0) up to `end` along z, y, x. In the kernel fe_item_at finds the
 * item. */
mx_range_3 fe_box_range(const fe_level *level, const int *low, const int *end);
fe_part fe_all_rows(const fe_level *level);
/* The planes of owned nodes that a part is, whatever its chunks are: 0, 1, ... */
fe_part fe_planes_of(const fe_level *level, fe_part rows);
static inline int fe_round_up(int64_t n, int to) { return (int)((n + to - 1) / to * to); }

/* ---- storage.c: where the coefficients are ---- */

/* Binds the accessors of `storage`, which has the level's form. The form NONE needs none. */
mx_err fe_bind_storage(const fe_level *level, fe_storage *storage);
/* Binds those of the matrix in `args`; `column` and `line` stay empty. */
mx_err fe_bind_structure(const fe_level *level, fe_structure_args *args);
/* The box of the rows that a matrix of this form has. */
void fe_box_of_rows(const fe_level *level, const fe_storage *storage, int *low, int *count);

/* ---- structure.c, assembly.c, boundary.c: A and b ---- */

/* What this rank's part of the matrix needs, about. After the mesh. */
double fe_matrix_bytes(const fe_level *level);

/* Collective. */
mx_err fe_make_structure(fe_level *level);
/* Not collective. */
mx_err fe_assemble(fe_level *level);
mx_err fe_impose_boundary(fe_level *level);

/* How elements are added: `auto` is one of the others. */
fe_assembly fe_assembly_of(const fe_level *level);
/* Divides rows into blocks of at most `largest` rows along each dimension, in a box that begins at
 * `low`; returns their number. */
int64_t fe_divide_rows(fe_blocks *blocks, const int *low, const int *count, const int *largest);
/* diagonal = that of A, which is not stored. coordinates are there. */
mx_err fe_assemble_diagonal(const fe_level *level, mx_view diagonal);

/* ---- product.c: products with A ---- */

/* y = A x. x has ghosts, which have been exchanged; y has rows (and ghosts, which it leaves as they
 * are). x is not y. Not collective, and asynchronous as kernels are. */
mx_err fe_apply(const fe_level *level, mx_view x, mx_view y);
/* The same; element `at` of dot gets this rank's part of x . y. */
mx_err fe_apply_dot(const fe_level *level, mx_view x, mx_view y, mx_view dot, int64_t at);
/* The same for some rows. dot: NULL, or where x . y is wanted. */
mx_err fe_apply_part(const fe_level *level, mx_view x, mx_view y, const fe_dot_product *dot,
                     fe_part part);
/* y = A x as if no values were given, for rows whose values are not. A is not stored. */
mx_err fe_apply_raw(const fe_level *level, mx_view x, mx_view y);
/* entries = the coefficients of A, row after row, in the order of entries (fe_storage.h):
 * level->entries. A is stored. */
mx_err fe_copy_matrix(const fe_level *level, mx_view entries);
/* diagonal = that of A: rows. */
mx_err fe_diagonal(const fe_level *level, mx_view diagonal);
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

/* ---- level.c ---- */

/* A level with these elements, with its matrix. coarse: all 0, but the form of A, if it is to be
 * another one, and storage.is_f32, if the matrix is to be floats in any case. Collective. */
mx_err fe_make_coarse_level(const fe_level *finer, const mx_gid *elements, fe_level *coarse);
/* Frees what the stages made, however far they came. */
void fe_level_destroy(fe_level *level);
