/* The results file of a run (schema "minx-results" 1): one HDF5 file that says what was run, on
 * what, with which outcome, and that anyone can verify. docs/results-file.md describes it.
 *
 * It is written under a temporary name beside the final one and renamed when complete: a file that
 * has its name is whole, and a failed run leaves an older file as it was. With a parallel HDF5 all
 * ranks write their parts collectively; with a serial one, rank 0 receives them in bounded chunks
 * and writes. With `path` NULL the handle is inert and every call succeeds at once.
 *
 * All ranks make the same calls. Those for small items (provenance, parameters, series, checks) do
 * not communicate: rank 0 collects the items, and they are written together. What fails then is
 * returned by the next call that is collective: a field, or app_results_finish. What collective
 * calls return is agreed among the ranks. */
#pragma once
#include "compare.h"
#include "slab.h"

typedef struct app_results *app_results;

/* Begins a file that is to be named `path`. Records the name of the app, the command line, the time
 * and the build's provenance (commit, compiler, flags, library versions, host, ranks). MX_ERR_IO if
 * the file could not be written at the end of the run. app_results_publish, app_results_finish or
 * app_results_discard frees the handle. Collective, agreed. */
mx_err app_results_create(app_comm comm, const char *path, const char *app, int argc, char **argv,
                          app_results *results);

/* Of all calls below:
 *   name      part of a path: not empty, not ".", without '/' and control characters. No name
 *             stands twice in a group
 *   unit      "m", "energy/length^2", "1" for none
 *   compare   how the data are compared with those of another run (compare.h). Provenance and
 *             performance are never compared, parameters of the input must be equal
 * All data are in host memory, and written or copied before a call returns. Errors: MX_ERR_ARG for
 * an invalid name or shape, MX_ERR_IO if the file cannot be written, MX_ERR_MEMORY, MX_ERR_COMM. */

/* /provenance/NAME: what only the app knows: backend, threads, layout, device, precision, gpu-mpi
 * path. */
mx_err app_results_provenance(app_results results, const char *name, const char *value);
mx_err app_results_provenance_i64(app_results results, const char *name, int64_t value);

/* The compiler and its flags, as /provenance has them. */
const char *app_build_compiler(void);
const char *app_build_flags(void);

/* /input/deck: the input verbatim, `length` bytes; /input/NAME: a resolved parameter with its unit
 * ("1": none). */
mx_err app_results_deck(app_results results, const char *text, size_t length);
mx_err app_results_parameter_f64(app_results results, const char *name, double value,
                                 const char *unit);
mx_err app_results_parameter_list(app_results results, const char *name, const double *values,
                                  mx_gid n, const char *unit);
mx_err app_results_parameter_i64(app_results results, const char *name, int64_t value,
                                 const char *unit);
mx_err app_results_parameter_text(app_results results, const char *name, const char *value);

/* /files/NAME: a file that the input names, verbatim, `length` bytes: what a check of the physics
 * needs of it. */
mx_err app_results_file(app_results results, const char *name, const char *text, size_t length);

/* /series/NAME: a history of n values; rank 0's values count. */
mx_err app_results_series_f64(app_results results, const char *name, const char *unit,
                              app_compare compare, const double *values, mx_gid n);
mx_err app_results_series_i64(app_results results, const char *name, const char *unit,
                              app_compare compare, const int64_t *values, mx_gid n);

/* /fields/NAME: a cell field at global shape. `values` holds this rank's cells only (no halo),
 * row-major in the order of decomp's dimensions. For ParaView: `origin`, the low corner of the
 * domain, and `spacing`, the sides of a cell, in units of length (dims entries, in the same order);
 * NULL: 0 and 1. Collective, agreed. */
mx_err app_results_field(app_results results, const char *name, const char *unit,
                         app_compare compare, const app_decomp *decomp, const double *values,
                         const double *origin, const double *spacing);

/* Where the values of an array are, for ParaView and VisIt. */
typedef struct app_place {
    /* one of app_results_mesh, or a field of positions; NULL: a uniform mesh of two or three
     * dimensions */
    const char *mesh;
    bool on_nodes;                  /* else in cells */
    bool is_vector;                 /* the last dimension has the components */
    const double *origin, *spacing; /* of a uniform mesh: dims entries; NULL: 0 and 1 */
    /* the values are the positions of particles; if they are a field, `mesh` is its own name */
    bool is_position;
} app_place;

/* /fields/NAME: any global array, by slabs (slab.h) that fill it without overlap: fields on nodes
 * or cells, particles in the order of their ids. type: MX_F32, MX_F64, MX_I32 or MX_I64. values:
 * this rank's box, row-major, in host memory. place NULL: ParaView and VisIt do not open it.
 * Collective. */
mx_err app_results_array(app_results results, const char *name, const char *unit,
                         app_compare compare, mx_type type, const app_slab *slab,
                         const void *values, const app_place *place);

/* /meshes/NAME: a mesh for places. Unstructured: coordinates [nodes][2 or 3], and the eight nodes
 * of each hexahedron, in the order of VTK and Exodus: around the bottom, then around the top. cells
 * NULL: points. Curvilinear: coordinates [z][y][x][3] or [y][x][2] of the nodes of a grid, cells
 * NULL. Collective. */
mx_err app_results_mesh(app_results results, const char *name, const char *unit,
                        const app_slab *nodes, const double *coordinates, const app_slab *cells,
                        const int64_t *connectivity);

/* /performance/NAME: one region. `seconds` is this rank's; the file gets minimum, mean and maximum
 * over ranks. `bytes` and `flops` are this rank's totals that the algorithm must move and do; the
 * file gets their sums. `calls` and `synchronisations`: the file gets the largest of a rank.
 * Collective. */
typedef struct app_region_totals {
    int64_t calls;
    double seconds;
    double bytes, flops;
    int64_t synchronisations;
} app_region_totals;
mx_err app_results_region(app_results results, const char *name, const app_region_totals *totals);

/* /verification/NAME: a check that the app made. `tolerance` is relative to |expected|, absolute
 * where that is 0. `compare`: how value, expected and tolerance are compared with another run's. */
mx_err app_results_check(app_results results, const char *name, double value, double expected,
                         double tolerance, bool passed, app_compare compare);

/* The host context whose threads compute the digests. It must exist until app_results_seal returns.
 * NULL, the default, or a context of one thread: the calling thread computes them. Accepts results
 * NULL. Not collective. */
void app_results_set_threads(app_results results, mx_ctx ctx);

/* Ends the file's contents: writes verdict and exit code, and the digests of all objects
 * (/integrity), and closes the file. It still has its temporary name. After a failure call
 * app_results_discard. Collective, agreed. */
mx_err app_results_seal(app_results results, const char *verdict, int exit_code);

/* Gives the sealed file its name, and writes the XDMF side file if there are fields. Frees the
 * handle and sets *results = NULL, also on failure (then the temporary file is removed).
 * Collective, agreed. */
mx_err app_results_publish(app_results *results);

/* app_results_seal and app_results_publish. */
mx_err app_results_finish(app_results *results, const char *verdict, int exit_code);

/* Removes the temporary file, frees the handle and sets *results = NULL. For runs that
 * fail. Accepts a handle that is NULL. Collective. */
void app_results_discard(app_results *results);
