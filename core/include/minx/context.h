/* Contexts: where kernels run. A context is one instance of an execution space (a backend with its threads, or a device
 * with a stream), made from a resource string:
 *
 *     serial                      one host thread
 *     openmp[:threads=N]          host threads; N defaults to mx_host_cores(), and is at most 8 times that
 *     openmp:cores=0-3            on these cores of the process alone, a thread each unless threads=N says otherwise: such
 *                                 contexts side by side, each used by a thread of its own, share a machine. The threads that
 *                                 run a launch are bound to them, the calling one too, until it launches on, makes or
 *                                 destroys another context. Threads that it starts meanwhile inherit its core; those that
 *                                 OpenMP starts later have all cores of the process
 *     cuda[:device=N]             device N, default 0, with a stream of its own
 *     simt[:threads=N]            debug: every item is run by its own turn of N threads, in the GPU's layout, on memory
 *                                 that host code cannot touch
 *     serial:order=shuffled[,seed=N]   debug: items in random order, which brings out hidden dependences
 *
 * Every one takes layout=left|right and check=RESOURCE (see mx_ctx_check_against).
 *
 * Consistency: kernels, copies and fills on one context run in the order of their calls. A reduction into host memory is
 * complete on return. All else may still be under way until mx_fence(ctx).
 *
 * Thread safety: one thread at a time per context; several contexts may be used by as many threads. A NULL context is
 * MX_ERR_ARG wherever one is needed. */
#pragma once
#include "minx/error.h"
#include "minx/layout.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mx_ctx_s *mx_ctx;

typedef enum mx_space {
    MX_SPACE_DEFAULT, /* the context's own */
    MX_SPACE_HOST,    /* ordinary memory */
    MX_SPACE_CUDA,    /* memory of a CUDA device */
    MX_SPACE_MANAGED, /* moves between host and device by itself */
    MX_SPACE_PINNED,  /* page-locked host memory, which devices reach too */
    MX_SPACE_SIMT,    /* simt's own, as out of reach for host code as that of a device */
    MX_SPACE_STAGING /* asks for host memory that the context reaches: pinned where it has a device, else ordinary */
} mx_space;

/* "Host", "Cuda", "CudaUVM", "CudaHostPinned", "Simt": the names tools know. */
const char *mx_space_name(mx_space space);

/* Starts the run time; the first call of a program, or the first after mx_finalize. Checks that this CPU has what the kernels
 * were compiled for (MX_ERR_BACKEND), reads settings, and loads the tool that they name (no error if it cannot: stderr says so).
 * Settings are variables MINX_KEY of the environment and, for mx_init_args, options --mx-KEY[=VALUE] in front of any "--", which
 * win over it and leave argv; --mx-help prints all, docs/tools.md explains them. Their strings must live as long as the run
 * time. An unknown option or a bad value is MX_ERR_INPUT, and changes nothing. Not collective, not thread-safe. */
mx_err mx_init(void);
mx_err mx_init_args(int *argc, char ***argv);

/* What this build and this machine have, and the settings that were given: one "minx KEY: VALUE" a line. NULL: to the tool. */
void mx_print_configuration(FILE *out);

/* Ends it. Contexts and views must be gone; in debug builds the views that are not are reported on stderr. */
void mx_finalize(void);

/* The backends this build knows, in order of definition; NULL behind the last. */
const char *mx_backend_name(int index);

/* Can a context be made of this backend here and now? If not, *why (may be NULL) says why not. */
bool mx_backend_available(const char *name, const char **why);

/* Devices that a backend could open here: 0 for host backends and for those that are not available. */
int mx_backend_devices(const char *name);

/* Makes a context. On failure *ctx is NULL. Errors: MX_ERR_INPUT (the string), MX_ERR_BACKEND (backend or layout not in this
 * build, no such device), MX_ERR_MEMORY. Each backend has its own layout; MINX_LAYOUTS=all builds both. */
mx_err mx_ctx_create(const char *resource, mx_ctx *ctx);

/* Waits for its work and frees it. Accepts NULL; sets *ctx = NULL. Views made by it stay valid. */
void mx_ctx_destroy(mx_ctx *ctx);

/* Waits until everything asked of ctx is done. Reports what went wrong on a device since the last fence, with the names
 * of the kernels that may have done it (MX_ERR_DEVICE, MX_ERR_BOUNDS). */
mx_err mx_fence(mx_ctx ctx);

/* mx_fence of every open context, whoever made it; no other thread may be using one. The last failure. */
mx_err mx_fence_all(void);

/* From now on every launch on ctx is repeated on a context of the other resource ("serial") with copies of its views, and
 * all views and results are compared. The first difference above `tolerance` (relative to the largest magnitude in that
 * view; 1e-9 is a good one; for f32, 1e-5 at least) is MX_ERR_MISMATCH, with kernel, view and index. Slow; for debugging.
 * NULL: no more. MX_ERR_ARG: ctx records a graph; on failure nothing changes. MX_ERR_LAYOUT at a launch: a view with accessors
 * of a fixed layout and of the context's, which differ. */
mx_err mx_ctx_check_against(mx_ctx ctx, const char *resource, double tolerance);

typedef struct mx_ctx_info {
    const char *backend; /* "openmp" */
    mx_layout layout;
    mx_space space;           /* where its views live unless told otherwise */
    int threads;              /* host threads; 1 on cuda */
    int device;               /* -1 on hosts */
    const char *device_name;  /* "" on hosts */
    bool host_accessible;     /* can the host read its default space? */
    int64_t launches;         /* kernels launched so far */
    int64_t synchronisations; /* times the host had to wait for a device */
} mx_ctx_info;
mx_err mx_ctx_get_info(mx_ctx ctx, mx_ctx_info *info);

/* Cores that the threads of a launch may run on: those of this process's affinity mask or, where OpenMP binds threads
 * (OMP_PROC_BIND, OMP_PLACES, GOMP_CPU_AFFINITY), those of all its places; with OMP_PROC_BIND=primary, of the place of the thread
 * that asks first. */
int mx_host_cores(void);

/* How minx was built: "0.1.0", "gcc 12.2.0, ...", for provenance records. */
const char *mx_version(void);
const char *mx_build_description(void);

#ifdef __cplusplus
}
#endif
