/* What the files of the test of misuse share: its kernels, the world that a case finds, and the
 * tables of cases. */
#pragma once
#include "minx/minx.h"

#include <string.h>

enum { MU_N = 8, MU_ROWS = 6, MU_COLUMNS = 5 };

MX_ARGS(mu_args,
    (mx_cf64_1, from)
    (mx_f64_1, to)
    (mx_f64_2, grid)
    (mx_i32_1, tokens),
    int level, count;
    mx_ctx ctx; /* of a body that launches */
);
MX_DECLARE_FOR(1D, mu_double, mu_args)            /* to = 2 from */
MX_DECLARE_FOR(2D, mu_grid, mu_args)              /* grid += 0 */
MX_DECLARE_FOR(3D_64, mu_wide, mu_args)           /* nothing, with 64-bit indices */
MX_DECLARE_REDUCE(2D_64, mu_far, mu_args, double) /* nothing, with 64-bit indices */
MX_DECLARE_REDUCE(1D, mu_sum, mu_args, double)
MX_DECLARE_SCAN(1D, mu_scan, mu_args, double)
MX_DECLARE_REDUCE_ARRAY(1D, mu_bins, mu_args, double)
MX_DECLARE_FOR(TEAM, mu_scratch, mu_args)   /* takes `count` numbers of scratch at `level` */
MX_DECLARE_FOR(1D, mu_nested, mu_args)      /* wrong: its body launches a kernel (on hosts) */
MX_DECLARE_FOR(TEAM, mu_no_single, mu_args) /* wrong: all lanes store */
MX_DECLARE_FOR(TEAM, mu_no_team_single, mu_args)
MX_DECLARE_FOR(TEAM, mu_require, mu_args)    /* wrong: one thread ends in front of a barrier */
MX_DECLARE_FOR(TEAM, mu_barrier, mu_args)    /* wrong: not all threads come to it */
MX_DECLARE_FOR(TEAM, mu_collective, mu_args) /* the same */
MX_DECLARE_FOR(TEAM, mu_lanes, mu_args)      /* wrong: not all lanes come to a vector loop */
MX_DECLARE_FOR(1D, mu_token, mu_args)

/* Wrong: the list lacks an accessor. */
MX_ARGS(mu_unlisted_args,
    (mx_f64_1, second),
    mx_f64_1 first;
);
MX_DECLARE_FOR(1D, mu_unlisted, mu_unlisted_args)

/* misuse_redeclared.c declares these in other ways. */
MX_ARGS(mu_count_args, ,
    double count;
);
MX_DECLARE_REDUCE(1D, mu_level, mu_count_args, double)
MX_DECLARE_REDUCE(1D, mu_count, mu_count_args, double)
MX_DECLARE_REDUCE(1D, mu_height, mu_count_args, double)
mx_err mu_launch_with_other_args(mx_ctx ctx);
mx_err mu_launch_with_other_value(mx_ctx ctx);
mx_err mu_launch_with_other_type(mx_ctx ctx);

/* What is there when a case begins, and must be there unchanged when it has ended. */
typedef struct mu_world {
    mx_ctx ctx;
    mx_ctx_info info;
    mx_layout other_layout;
    mx_view row;    /* f64, MU_N: element i is i */
    mx_view to;     /* f64, MU_N */
    mx_view grid;   /* f64, MU_ROWS x MU_COLUMNS: element (i, j) is 10 i + j */
    mx_view ints;   /* i32, MU_N: element i is i */
    mx_view number; /* f64, rank 0 */
    mx_view fixed;  /* constant, of row */
    mx_view tiled;  /* f64, MU_ROWS x MU_COLUMNS, layout tiled */
    mx_view gone;   /* ended */
    mu_args args;   /* bound to row, to and grid */
    mx_view out;    /* garbage; where a case makes a view, null behind it */
    mx_ctx made;    /* the same */
} mu_world;

/* A case: what is done wrong, on which backends it is, what it returns, and two parts of the
 * message. */
enum {
    MU_ALL,
    MU_HOSTS,   /* all but cuda */
    MU_CORES,   /* hosts but simt */
    MU_SIMT,    /* simt, but in builds with the thread sanitizer */
    MU_DEVICES, /* whose memory is not accessible to host code: simt and cuda */
    MU_CUDA
};
typedef struct mu_case {
    const char *name;
    mx_err (*wrong)(mu_world *w);
    int on;
    mx_err code;
    const char *words, *more;
} mu_case;
#define MU_CASE(f, on, code, ...)    \
    {                                \
#f, f, on, code, __VA_ARGS__ \
    }
/* Ended by a row without name. */
extern const mu_case mu_view_cases[], mu_copy_cases[], mu_launch_cases[], mu_graph_cases[],
    mu_context_cases[], mu_kit_cases[];
