/* One kernel of each pattern. The names of the types below are common names of parameters and variables: with -Wshadow a compiler
 * warns if minx's macros declare a variable of such a name. */
#pragma once
#include <minx/kit/scatter.h>
#include <minx/minx.h>

typedef struct args args;
typedef struct range range;
typedef struct policy policy;
typedef struct view view;
typedef struct views views;
typedef struct result result;
typedef struct value value;
typedef struct array array;
typedef struct tile tile;
typedef struct lane lane;
typedef struct launch launch;
typedef struct chunk chunk;
typedef struct team team;
typedef struct part part;
typedef struct first first;
typedef struct last last;
typedef struct to to;
typedef struct out out;
typedef struct total total;
typedef struct length length;

MX_ARGS(box_args,
    (mx_f64_1, x)
    (mx_i32_1, count)
    (mx_f64_2, position),
    double shift[3], plane[2];
);

typedef struct box_views {
    mx_view x, count, position;
} box_views;
MX_ARGS_FROM(filled_args, box_views, (mx_f64_1, x) (mx_i32_1, count));

MX_ARGS(spread_args,
    (MX_SCATTER_OF(mx_f64_1, MX_SUM), sum, MX_SCATTER_ACCESSOR)
    (MX_SCATTER_OF(mx_i32_1, MX_MIN), least, MX_SCATTER_ACCESSOR)
);

#define SUMMARY(FIELD) FIELD(double, total, MX_SUM) FIELD(int32_t, largest, MX_MAX)
MX_VALUE(summary, SUMMARY)

typedef struct moments {
    double first, second;
} moments;

MX_DECLARE_FOR(1D, scale, box_args)
MX_DECLARE_REDUCE(1D, find, box_args, int)
MX_DECLARE_REDUCE(1D_64, find_least, box_args, mx_loc_f64)
MX_DECLARE_FOR(2D, move, box_args)
MX_DECLARE_FOR(2D, slide, box_args)
MX_DECLARE_FOR(1D, add_all, spread_args)
MX_DECLARE_REDUCE(2D, distance, box_args, double)
MX_DECLARE_REDUCE(3D, extremes, box_args, summary)
MX_DECLARE_REDUCE(3D_64, volume, box_args, int64_t)
MX_DECLARE_REDUCE(1D, summarise, box_args, summary)
MX_DECLARE_REDUCE(1D, add_moments, box_args, moments)
MX_DECLARE_REDUCE(1D, find_hottest, box_args, mx_minmaxloc_f64)
MX_DECLARE_REDUCE(1D, find_fullest, box_args, mx_loc_i32)
MX_DECLARE_REDUCE_ARRAY(1D, histogram, box_args, int64_t)
MX_DECLARE_SCAN(1D, offsets, box_args, int32_t)
MX_DECLARE_SCAN(1D, sum_moments, box_args, moments)
MX_DECLARE_FOR(TEAM, rows, box_args)
MX_DECLARE_REDUCE(TEAM, row_total, box_args, double)
