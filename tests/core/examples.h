/* The kernels of examples/kernels against plain C: what the files of this test share. */
#pragma once
#include "check.h"

void check_stream(mx_ctx ctx);
void check_heat(mx_ctx ctx);
void check_spmv(mx_ctx ctx);
void check_cells(mx_ctx ctx);
void check_neighbours(mx_ctx ctx);
void check_pairs(mx_ctx ctx);
void check_pack(mx_ctx ctx);
void check_assembly(mx_ctx ctx);

/* A view of the context with the elements of a C array, row by row, whatever the layout; and
 * back. */
mx_view view_of(mx_ctx ctx, const char *label, mx_type type, int rank, const int64_t *extents,
                const void *array);
void array_of(mx_ctx ctx, mx_view view, void *array);
#define VIEW_1D(ctx, label, type, n, array) \
    view_of(ctx, label, type, 1, (const int64_t[]){n}, array)
#define VIEW_2D(ctx, label, type, n, m, array) \
    view_of(ctx, label, type, 2, ((const int64_t[]){n, m}), array)
