/* Products with rows that store the numbers of their columns: csr, csr8, ell and sell. */
#pragma once
#include "kernels/fe_product_kernels.h"

MX_ARGS(fe_rows_args,
    (mx_ci64_1, begin) /* csr, sell */
    (fe_column_numbers, column)
    (fe_matrix_values, value)
    (fe_matrix_f32values, f32value)
    (mx_cf64_1, x)
    (mx_f64_1, y),
    int first, end;    /* the rows of the product; ell, sell: first is a multiple of chunk */
    int rows_per_team; /* a multiple of chunk */
    int chunk;         /* ell, sell */
    int64_t pitch;     /* ell; 0: sell */
);

/* The lanes for a row of csr where a thread has several. */
enum { FE_CSR_LANES = 4 };

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
