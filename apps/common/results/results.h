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
#include "array.h"

typedef struct app_results *app_results;

/* A moment in UTC: "2026-01-31T23:59:59Z". */
typedef struct app_date {
    char text[32];
} app_date;
app_date app_date_now(void);

/* Who writes a file. */
typedef struct app_origin {
    const char *app;  /* the name of the program */
    const char *date; /* of its start, for utc_time; NULL: now */
    int argc;         /* its command line */
    char **argv;
} app_origin;

/* To be called before app_comm_open starts MPI: it starts HDF5. If HDF5 started after MPI, it would
 * hook itself into MPI_Finalize, and crash there on a file that it could not write. */
void app_results_start(void);

/* Begins a file that is to be named `path`. Records the origin, the time and the build's provenance
 * (commit, compiler, flags, library versions, host, ranks). MX_ERR_IO if the file could not be
 * written at the end of the run. app_results_publish, app_results_finish or app_results_discard
 * frees the handle. Collective, agreed. */
mx_err app_results_create(app_comm comm, const char *path, const app_origin *origin,
                          app_results *results);

/* The same for any kind of file (results_put.h). *kind must outlive *results. */
typedef struct app_results_kind app_results_kind;
mx_err app_results_begin(app_comm comm, const app_results_kind *kind, const char *path,
                         const app_origin *origin, app_results *results);

/* Of all calls below:
 *   name      part of a path: not empty, not ".", without '/' and control characters. No name
 *             stands twice in a group
 *   unit      "m", "energy/length^2", "1" for none
 *   array     what is said of an array, its path among it (array.h). Provenance and performance are
 *             never compared with those of another run, parameters of the input must be equal
 * All data are in host memory, and written or copied before a call returns. Errors: MX_ERR_ARG for
 * an invalid name or shape, MX_ERR_IO if the file cannot be written, MX_ERR_MEMORY, MX_ERR_COMM. */

/* /provenance/NAME: what only the app knows: backend, threads, layout, device, precision, gpu-mpi
 * path. */
mx_err app_results_provenance(app_results results, const char *name, const char *value);
mx_err app_results_provenance_i64(app_results results, const char *name, int64_t value);

/* The version of minx, its commit, the compiler and its flags, as /provenance has them. */
const char *app_build_version(void);
const char *app_build_commit(void);
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

/* "/series/NAME": a history of n values of array->type, MX_F64 or MX_I64; rank 0's values and n
 * count. Slab and place are not used. */
mx_err app_results_series(app_results results, const app_array *array, const void *values,
                          mx_gid n);

/* "/fields/NAME": any global array, by slabs (slab.h) that fill it without overlap: fields on nodes
 * or cells, particles in the order of their ids. values: this rank's box, without ghosts,
 * row-major. Collective, agreed. */
mx_err app_results_array(app_results results, const app_array *array, const void *values);

/* /meshes/NAME: a mesh for places (array.h). Collective, agreed. */
mx_err app_results_mesh(app_results results, const app_mesh *mesh);

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

/* /verification/NAME: a check that the app made. */
typedef struct app_checked {
    const char *name;
    double value, expected;
    double tolerance; /* relative to |expected|, absolute where that is 0 */
    bool passed;
    app_compare compare; /* of value, expected and tolerance with another run's */
} app_checked;
mx_err app_results_check(app_results results, const app_checked *check);

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
