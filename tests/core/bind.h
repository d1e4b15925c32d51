/* Kernels of bind.c. */
#pragma once
#include "minx/minx.h"

MX_ARGS(bind_args,
    (mx_f64_2, x)
    (mx_cf64_2, y)
    (mx_f64_1, row),
    int32_t shift;
    double factor;
);
MX_DECLARE_FOR(2D, bind_scale, bind_args)
MX_DECLARE_REDUCE(1D, bind_sum, bind_args, double)
MX_DECLARE_REDUCE_ARRAY(1D, bind_bins, bind_args, double)

MX_ARGS(bind_padded_args,
    (mx_f64_1, row),
    int32_t count; /* padding follows */
);
MX_DECLARE_REDUCE(1D, bind_padded, bind_padded_args, double)

typedef struct bind_list_views {
    mx_view grid, row;
} bind_list_views;
MX_ARGS_FROM(bind_list_args, bind_list_views,
    (mx_f64_2, grid)
    (mx_cf64_1, row),
    int32_t shift;
    double factor;
);
MX_DECLARE_FOR(2D, bind_list, bind_list_args)

/* A member with accessors inside, which bind_inner_args_bind leaves to its caller. */
typedef struct bind_rows {
    int32_t count;
    mx_cf64_1 row[2];
} bind_rows;
#define BIND_ROWS(ACCESSOR, m) ACCESSOR(m.row[0]) ACCESSOR(m.row[1])
MX_ARGS_FROM(bind_inner_args, bind_list_views, (bind_rows, rows, BIND_ROWS) (mx_cf64_1, row));
MX_DECLARE_REDUCE(1D, bind_inner, bind_inner_args, double)
