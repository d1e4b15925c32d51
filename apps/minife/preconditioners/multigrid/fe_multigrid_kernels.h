/* Transfers between the levels of multigrid, and its coarsest level. */
#pragma once
#include "mesh/fe_coarse.h"
#include "minx/minx.h"

/* ---- transfers ---- */

MX_ARGS(fe_restrict_args,
    (mx_cf64_1, b) (mx_cf64_1, w) /* fine */
    (mx_f64_1, coarse),           /* with ghosts */
    fe_pair pair;
);
/* Node (z, y, x) of the coarse nodes held gets what this rank's fine nodes give it of the residual
 * b - w. */
MX_DECLARE_FOR(3D, fe_restrict, fe_restrict_args)

MX_ARGS(fe_prolong_args,
    (mx_f64_1, x)        /* fine */
    (mx_cf64_1, coarse), /* with ghosts */
    fe_pair pair;
    int lines_per_team;
);
/* Lines of owned nodes of the fine mesh: x += the correction at its place. */
MX_DECLARE_FOR(TEAM, fe_prolong, fe_prolong_args)

/* ---- the coarsest level: all of its nodes on each rank ---- */

MX_ARGS(fe_bottom_args,
    (mx_cf64_1, b)
    (mx_f64_1, x)
    (mx_f64_1, all)       /* b of all nodes, by id */
    (mx_cf64_2, inverse), /* of the matrix, by ids */
    fe_mesh mesh;
);
/* all(id) = b of node id if it is this rank's, else 0 */
MX_DECLARE_FOR(1D, fe_bottom_collect, fe_bottom_args)
/* x = inverse * all at node (z, y, x) of those held */
MX_DECLARE_FOR(3D, fe_bottom_solve, fe_bottom_args)
