/* Products y = A x of one level, for each form of the matrix (fe_storage.h). A kernel `..._dot`
 * also gives x . y. x has ghosts. */
#pragma once
#include "fe_storage.h"

/* Read once in each product, and not written by it. */
MX_ACCESSOR(fe_column_numbers, const int32_t, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS)
MX_ACCESSOR(fe_matrix_values, const double, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS)
MX_ACCESSOR(fe_matrix_f32values, const float, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS)

/* Coefficient number `at` of arguments with both types of coefficients, in a kernel. */
#define FE_VALUE(a, at, is_f32) \
    ((is_f32) ? (double)MX_LOAD((a)->f32value, at) : MX_LOAD((a)->value, at))

/* Kernels `name`, `name_dot`, and those for coefficients of type float. */
#define FE_DECLARE_PRODUCTS(S, name, ARGS)         \
    MX_DECLARE_FOR(S, name, ARGS)                  \
    MX_DECLARE_FOR(S, name##_f32, ARGS)            \
    MX_DECLARE_REDUCE(S, name##_dot, ARGS, double) \
    MX_DECLARE_REDUCE(S, name##_f32_dot, ARGS, double)

/* ---- kernels/product.c ---- */

typedef struct fe_rows_args {
    mx_ci64_1 begin; /* csr, sell */
    fe_column_numbers column;
    fe_matrix_values value;
    fe_matrix_f32values f32value;
    mx_cf64_1 x;
    mx_f64_1 y;
    int first, end;    /* the rows of the product; ell, sell: first is a multiple of chunk */
    int rows_per_team; /* a multiple of chunk */
    int chunk;         /* ell, sell */
    int64_t pitch;     /* ell; 0: sell */
} fe_rows_args;
MX_ARGS(fe_rows_args, begin, column, value, f32value, x, y)
/* The lanes for a row of csr where a thread has several. */
enum { FE_CSR_LANES = 4 };
FE_DECLARE_PRODUCTS(TEAM, fe_csr, fe_rows_args)
/* ell and sell; ell is in chunks too */
FE_DECLARE_PRODUCTS(TEAM, fe_chunks, fe_rows_args)

/* ---- kernels/lines.c, packs.c: on hosts ---- */

typedef struct fe_lines_args {
    fe_matrix_values value;
    fe_matrix_f32values f32value;
    /* For line (z, y) of the nodes held and one more on each side: the local indices of its
     * nodes at x = first, first - 1 and first + count of the mesh. Those between first and first
     * + count follow the first one. A node that does not exist has any index, because its
     * coefficient is 0. */
    mx_ci32_2 line;
    mx_cf64_1 x;
    mx_f64_1 y;
    fe_mesh mesh;
    int64_t pitch;
    int low[3], width; /* as in fe_storage */
    int first, end;    /* the lines of rows of the product; fe_lines_row, fe_half_row: not used */
    int lines_per_team;
} fe_lines_args;
MX_ARGS(fe_lines_args, value, f32value, line, x, y)
FE_DECLARE_PRODUCTS(TEAM, fe_lines, fe_lines_args)
FE_DECLARE_PRODUCTS(TEAM, fe_packs, fe_lines_args)

/* ---- kernels/line_rows.c: lines and half on devices, row (z, y, x) of the owned rows ---- */

FE_DECLARE_PRODUCTS(3D, fe_lines_row, fe_lines_args)
FE_DECLARE_PRODUCTS(3D, fe_half_row, fe_lines_args)

/* Defines rows(args, team, is_f32), as FE_DEFINE_PRODUCTS needs it, where the entries of a row
 * follow one another: csr and csr8. With one lane a thread, row_by_one(args, row, begin, end,
 * is_f32) computes a row, whose entries are from begin to end. With FE_CSR_LANES, each lane
 * computes part_of_row(args, row, at, entries, is_f32): every FE_CSR_LANES-th entry from `at` on,
 * of the `entries` that are left of the row. */
#define FE_DEFINE_ROWS(rows, ARGS, row_by_one, part_of_row)                                     \
    /* Returns what this lane adds to x . y. */                                                 \
    MX_BODY double rows(const ARGS *a, mx_team *t, bool is_f32)                                 \
    {                                                                                           \
        const int first = a->first + t->league_rank * a->rows_per_team;                         \
        const int last = a->end - first > a->rows_per_team ? first + a->rows_per_team : a->end; \
        double dot = 0;                                                                         \
        MX_TEAM_FOR (t, row, first, last) {                                                     \
            const int64_t begin = MX_AT(a->begin, row);                                         \
            const int64_t end = MX_AT(a->begin, row + 1);                                       \
            double sum;                                                                         \
            if (t->lanes == 1) {                                                                \
                sum = row_by_one(a, row, begin, end, is_f32);                                   \
            } else {                                                                            \
                MX_VECTOR_SUM (t, l, 0, FE_CSR_LANES, sum)                                      \
                    sum += part_of_row(a, row, begin + l, (int)(end - begin) - l, is_f32);      \
            }                                                                                   \
            MX_VECTOR_SINGLE (t) {                                                              \
                MX_AT(a->y, row) = sum;                                                         \
                dot += MX_AT(a->x, row) * sum;                                                  \
            }                                                                                   \
        }                                                                                       \
        return dot;                                                                             \
    }

/* Defines the kernels of FE_DECLARE_PRODUCTS(TEAM, ...) in a kernel file. rows(args, team, is_f32)
 * computes the team's rows, and returns what this lane adds to x . y. */
#define FE_DEFINE_PRODUCTS(name, ARGS, rows)                                            \
    MX_BODY void name##_body(const ARGS *a, mx_team *t) { (void)rows(a, t, false); }    \
    MX_BODY void name##_f32_body(const ARGS *a, mx_team *t) { (void)rows(a, t, true); } \
    MX_BODY void name##_dot_body(const ARGS *a, mx_team *t, double *dot)                \
    {                                                                                   \
        *dot += rows(a, t, false);                                                      \
    }                                                                                   \
    MX_BODY void name##_f32_dot_body(const ARGS *a, mx_team *t, double *dot)            \
    {                                                                                   \
        *dot += rows(a, t, true);                                                       \
    }                                                                                   \
    MX_FOR(TEAM, name)                                                                  \
    MX_FOR(TEAM, name##_f32)                                                            \
    MX_REDUCE(TEAM, name##_dot, MX_SUM)                                                 \
    MX_REDUCE(TEAM, name##_f32_dot, MX_SUM)

/* The same for FE_DECLARE_PRODUCTS(3D, ...). row(args, i, j, k, is_f32) computes one row, and
 * returns its part of x . y. */
#define FE_DEFINE_ROW_PRODUCTS(name, ARGS, row)                                                    \
    MX_BODY void name##_body(const ARGS *a, int i, int j, int k) { (void)row(a, i, j, k, false); } \
    MX_BODY void name##_f32_body(const ARGS *a, int i, int j, int k)                               \
    {                                                                                              \
        (void)row(a, i, j, k, true);                                                               \
    }                                                                                              \
    MX_BODY void name##_dot_body(const ARGS *a, int i, int j, int k, double *dot)                  \
    {                                                                                              \
        *dot += row(a, i, j, k, false);                                                            \
    }                                                                                              \
    MX_BODY void name##_f32_dot_body(const ARGS *a, int i, int j, int k, double *dot)              \
    {                                                                                              \
        *dot += row(a, i, j, k, true);                                                             \
    }                                                                                              \
    MX_FOR(3D, name, MX_ITEMS_PLAIN)                                                               \
    MX_FOR(3D, name##_f32, MX_ITEMS_PLAIN)                                                         \
    MX_REDUCE(3D, name##_dot, MX_SUM, MX_ITEMS_PLAIN)                                              \
    MX_REDUCE(3D, name##_f32_dot, MX_SUM, MX_ITEMS_PLAIN)
