/* Kernels of bind.c. */
#pragma once
#include "minx/minx.h"

typedef struct bind_args {
    int32_t before; /* so that accessors stand at more than one offset */
    mx_f64_2 x;
    double factor;
    mx_cf64_2 y;
    mx_f64_1 row;
} bind_args;
MX_ARGS(bind_args, x, y, row)
MX_DECLARE_FOR(2D, bind_scale, bind_args)
MX_DECLARE_REDUCE(1D, bind_sum, bind_args, double)
MX_DECLARE_REDUCE_ARRAY(1D, bind_bins, bind_args, double)

typedef struct bind_padded_args {
    mx_f64_1 row;
    int32_t count; /* padding follows */
} bind_padded_args;
MX_ARGS(bind_padded_args, row)
MX_DECLARE_REDUCE(1D, bind_padded, bind_padded_args, double)

/* One list makes the accessors, the views, and what binds them. */
#define BIND_LIST(ACCESSOR)  \
    ACCESSOR(mx_f64_2, grid) \
    ACCESSOR(mx_cf64_1, row)
typedef struct bind_list_args {
    int32_t before;
    MX_ARGS_MEMBERS(BIND_LIST)
    double factor;
} bind_list_args;
typedef struct bind_list_views {
    MX_VIEW_MEMBERS(BIND_LIST)
} bind_list_views;
MX_BUNDLE_LIST(bind_list_args, bind_list_views, BIND_LIST)
MX_DECLARE_FOR(2D, bind_list, bind_list_args)

#define BIND_ROW(ACCESSOR) ACCESSOR(mx_cf64_1, row)
typedef struct bind_row_args {
    MX_ARGS_MEMBERS(BIND_ROW)
} bind_row_args;
MX_ARGS_LIST(bind_row_args, BIND_ROW)
MX_DECLARE_REDUCE(1D, bind_row, bind_row_args, double)
