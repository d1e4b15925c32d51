/* The XDMF file beside a results file: XML that lets ParaView and VisIt open its fields, on
 * uniform, curvilinear and unstructured meshes, and frames over time. Private to the results files;
 * rank 0 only. */
#pragma once
#include "array.h"

/* A mesh with coordinates: hexahedra; points where it has no cells; a curvilinear grid where its
 * nodes have more than two dimensions. */
typedef struct app_xdmf_mesh {
    char *name;            /* its arrays are /meshes/NAME/coordinates and /meshes/NAME/cells */
    app_slab nodes, cells; /* the extents count; cells.rank 0: there are none */
} app_xdmf_mesh;

/* A field, or the frames of one. */
typedef struct app_xdmf_field {
    char *path;
    mx_type type;
    app_slab slab; /* of the values, without frames; the extents count */
    char *mesh;    /* one with coordinates; NULL: uniform */
    bool on_nodes, is_vector;
    bool is_position;                                   /* the values are the points themselves */
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

/* Add a field or a mesh at the end; what they are given is copied. A field whose mesh ParaView and
 * VisIt would not open, a uniform one that has neither two nor three dimensions, is left out.
 * `frames` and `times`: of an array over time, of which `array` is one frame; 0 and NULL: it is
 * none. MX_ERR_MEMORY. */
mx_err app_xdmf_add_field(app_xdmf *xdmf, const app_array *array, mx_gid frames,
                          const double *times);
mx_err app_xdmf_add_mesh(app_xdmf *xdmf, const app_mesh *mesh);

/* Writes `path` for the HDF5 file called `data_name` in the same folder. MX_ERR_IO with the path
 * and the reason, then no file is left. */
mx_err app_xdmf_write(const char *path, const char *data_name, const app_xdmf *xdmf);

void app_xdmf_free(app_xdmf *xdmf);
