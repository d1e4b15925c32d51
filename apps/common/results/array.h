/* What is said of an array that is written to a results file or a checkpoint: the descriptor that
 * its caller fills in once, and that all functions on the way to the file pass on. */
#pragma once
#include "compare.h"
#include "domain/slab.h"

/* Where the values of an array are, for ParaView and VisIt. */
typedef struct app_place {
    /* one of app_results_mesh, or a field of positions; NULL: a uniform mesh of two or three
     * dimensions */
    const char *mesh;
    bool on_nodes;  /* else in cells */
    bool is_vector; /* the last dimension has the components */
    /* of a uniform mesh, one entry for each of its dimensions, in units of length: the low corner
     * of the domain and the sides of a cell; NULL: 0 and 1 */
    const double *origin, *spacing;
    /* the values are the positions of particles; if they are a field, `mesh` is its own name */
    bool is_position;
} app_place;

/* What a member says that is left out: no unit, equal to the bit, not shown. */
typedef struct app_array {
    /* in the file: "/fields/density". Each name in it is not empty, not ".", without control
     * characters */
    const char *path;
    const char *unit;       /* "m", "energy/length^2", "1" for none; NULL: it is not stored */
    app_compare compare;    /* with the array of another run */
    mx_type type;           /* MX_F32, MX_F64, MX_I32 or MX_I64 */
    app_slab slab;          /* the extents of the whole, and this rank's box */
    const app_place *place; /* NULL: ParaView and VisIt do not open it */
} app_array;

/* A mesh for places, at /meshes/NAME. Unstructured: coordinates [nodes][2 or 3], and the eight
 * nodes of each hexahedron, in the order of VTK and Exodus: around the bottom, then around the top;
 * without cells it is points. Curvilinear: coordinates [z][y][x][3] or [y][x][2] of the nodes of a
 * grid, without cells. Each rank has its boxes of both. */
typedef struct app_mesh {
    const char *name, *unit; /* unit: of the coordinates */
    app_slab nodes, cells;   /* cells.rank 0: there are none */
    const double *coordinates;
    const int64_t *connectivity; /* NULL without cells */
} app_mesh;
