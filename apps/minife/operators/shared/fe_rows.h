/* What the forms share whose rows store the numbers of their columns: csr, csr8, ell and sell. */
#pragma once
#include "fe_matrix.h"
#include "fe_row_kernels.h"

/* csr, csr8: where the rows begin. */
mx_err fe_make_row_begins(fe_level *level);
/* The columns of so many rows, those behind the last one with padding; values: of the matrix. */
mx_err fe_make_columns(fe_level *level, int rows, int64_t values);

/* A team has so many rows on hosts, and so many with so many lanes (MX_AUTO) on devices. */
mx_teams fe_teams_of_rows(const fe_level *level, fe_part part, int device_rows, int device_lanes,
                          int *rows_per_team);
/* All but rows_per_team and the chunks. */
mx_err fe_bind_rows(const fe_level *level, const fe_product *product, fe_rows_args *args);
