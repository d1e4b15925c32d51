/* The XDMF file beside a results file: XML that lets ParaView and VisIt open its fields, on
 * uniform, curvilinear and unstructured meshes, and frames over time. Private to the results files;
 * rank 0 only. */
#pragma once
#include "slab.h"

/* A mesh with coordinates: hexahedra; points where `cells` is 0; a curvilinear grid where
 * `is_grid`. */
typedef struct app_xdmf_mesh {
    char *name; /* its arrays are /meshes/NAME/coordinates and /meshes/NAME/cells */
    mx_gid nodes, cells;
    int dims;
    bool is_grid;
    mx_gid extents[APP_MAX_DIMS]; /* of a grid, in nodes */
} app_xdmf_mesh;

/* A field, or the frames of one. */
typedef struct app_xdmf_field {
    char *name, *path;
    mx_type type;
    char *mesh; /* one with coordinates; NULL: uniform */
    bool on_nodes, is_vector;
    bool is_position; /* the values are the points themselves */
    int rank;         /* of the values, without frames */
    mx_gid extents[APP_SLAB_MAX_RANK];
    double origin[APP_MAX_DIMS], spacing[APP_MAX_DIMS]; /* of a uniform mesh */
    mx_gid frames;                                      /* 0: a field without frames */
    double *times;
} app_xdmf_field;

typedef struct app_xdmf {
    app_xdmf_mesh *meshes;
    int mesh_count;
    app_xdmf_field *fields;
    int field_count;
} app_xdmf;

/* Writes `path` for the HDF5 file called `data_name` in the same folder. MX_ERR_IO with the path
 * and the reason, then no file is left. */
mx_err app_xdmf_write(const char *path, const char *data_name, const app_xdmf *xdmf);

/* Add an empty entry at the end. */
mx_err app_xdmf_add_field(app_xdmf *xdmf, app_xdmf_field **field);
mx_err app_xdmf_add_mesh(app_xdmf *xdmf, app_xdmf_mesh **mesh);

void app_xdmf_free(app_xdmf *xdmf);
