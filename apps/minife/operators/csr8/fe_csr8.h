/* csr8: csr whose column numbers are codes of one byte. Owned rows are numbered by their nodes, line
 * after line, so the column of an owned node is at one of 27 distances from its row:
 *
 *     code < 27     column = row + distance[code]; the code is the slot (fe_storage.h)
 *     code >= 27    column = ghost[begin of the row's ghosts + code - 27]
 *
 * A nonzero has 9 bytes instead of 12. Rows that have ghosts need a list beside it; where a rank
 * holds no ghosts there is none. Rejected: differences to the column before, in 16 bits. Planes of
 * more than 65535 nodes do not fit, and each column would wait for the one before it. */
#pragma once
#include "operators/shared/fe_row_kernels.h"

/* Read once in each product. */
MX_ACCESSOR(fe_column_codes, const uint8_t, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS)

/* ---- structure ---- */

MX_ARGS(fe_csr8_columns_args,
    (mx_ci64_1, begin)
    (mx_u8_1, code)
    (mx_i64_1, ghost_begin) /* of each row, and the end; not used without ghosts */
    (mx_i32_1, ghost),
    fe_mesh mesh;
);
/* ghost_begin(r), r from 0 to the number of rows, both included; the value is the entries that are
 * ghosts */
MX_DECLARE_SCAN(1D, fe_ghost_begins, fe_csr8_columns_args, int64_t)
/* codes and ghosts of row r */
MX_DECLARE_FOR(1D, fe_codes, fe_csr8_columns_args)

/* ---- products ---- */

MX_ARGS(fe_csr8_args,
    (mx_ci64_1, begin)
    (fe_column_codes, code)
    (mx_ci32_1, distance)
    (mx_ci64_1, ghost_begin)
    (mx_ci32_1, ghost)
    (fe_matrix_values, value)
    (fe_matrix_f32values, f32value)
    (mx_cf64_1, x)
    (mx_f64_1, y),
    int first, end; /* the rows of the product */
    int rows_per_team;
    bool has_ghosts;
);
FE_DECLARE_PRODUCTS(TEAM, fe_csr8, fe_csr8_args)
