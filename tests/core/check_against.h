/* Kernels of check_against.c: good ones, and ones with a planted mistake. */
#pragma once
#include "minx/minx.h"

/* The planted mistake: 1 where a kernel is compiled for simt, else 0. */
#ifdef MX_INSTANCE_SIMT_
#define CA_MISTAKE 1
#else
#define CA_MISTAKE 0
#endif

#define CA_FIELDS(FIELD)        \
    FIELD(double, mass, MX_SUM) \
    FIELD(float, peak, MX_MAX)  \
    FIELD(int64_t, wrong, MX_SUM)
MX_VALUE(ca_value, CA_FIELDS)

MX_ARGS(ca_args,
    (mx_f64_2, x)
    (mx_cf64_2, y)
    (mx_f64_1, row)
    (mx_i32_1s, marks),
    double factor;
);
MX_DECLARE_FOR(2D, ca_good, ca_args)
MX_DECLARE_REDUCE(2D, ca_good_sum, ca_args, double)
MX_DECLARE_REDUCE(2D, ca_good_fields, ca_args, ca_value)
MX_DECLARE_REDUCE_ARRAY(1D, ca_good_bins, ca_args, double)
MX_DECLARE_FOR(1D, ca_carried, ca_args) /* an item reads what the one before it wrote */
MX_DECLARE_FOR(2D, ca_wrong, ca_args)   /* one element is wrong on simt */
MX_DECLARE_FOR(1D, ca_wrong_mark, ca_args)
/* Wrong like ca_wrong_mark, in a file that defines MX_NOT_CHECKED. */
MX_DECLARE_FOR(1D, ca_not_checked, ca_args)
MX_DECLARE_REDUCE(2D, ca_wrong_sum, ca_args, double)
MX_DECLARE_REDUCE(2D, ca_wrong_fields, ca_args, ca_value)
MX_DECLARE_REDUCE_ARRAY(1D, ca_wrong_bins, ca_args, double)

/* Values with functions of the user, with padding behind `peak`. Wrong on simt: what the factor
 * says, one of the CA_MEMBERS. */
typedef struct ca_own {
    float peak;
    int64_t where;
    double mass;
    int32_t count, least;
} ca_own;
enum { CA_PEAK, CA_WHERE, CA_MASS, CA_COUNT, CA_MEMBERS };
MX_DECLARE_REDUCE(2D, ca_own_sum, ca_args, ca_own)
MX_DECLARE_SCAN(1D, ca_own_scan, ca_args, double)

/* The index of a location is wrong on simt. */
MX_DECLARE_REDUCE(1D, ca_place, ca_args, mx_loc_f64)
MX_DECLARE_REDUCE(1D, ca_places, ca_args, mx_minmaxloc_f32)

/* One view through two accessors, the strided one first. */
MX_ARGS(ca_two_args, (mx_cf64_2s, same) (mx_f64_2, x));
MX_DECLARE_FOR(2D, ca_two, ca_two_args)

MX_ARGS(ca_fixed_args, (mx_cf64_2r, same) (mx_f64_2, x));
MX_DECLARE_FOR(2D, ca_fixed, ca_fixed_args)

MX_ARGS(ca_single_args, (mx_f32_1, x));
MX_DECLARE_FOR(1D, ca_single, ca_single_args) /* 1e-3 of 2 wrong on simt */

/* Teams, and a list that items fill in the order in which they come. */
MX_ARGS(ca_team_args, (mx_i32_1, seen));
MX_DECLARE_FOR(TEAM, ca_team_size, ca_team_args)
/* A single is missing: each lane adds. The name begins like those of the core. */
MX_DECLARE_FOR(TEAM, mx_ca_lanes, ca_team_args)

MX_ARGS(ca_list_args,
    (mx_i32_0, count)
    (mx_i32_1, list) (mx_i32_1, place) (mx_i32_1, twice)
);
MX_DECLARE_FOR(1D, ca_fill_list, ca_list_args)
MX_DECLARE_FOR(1D, ca_use_list, ca_list_args)
