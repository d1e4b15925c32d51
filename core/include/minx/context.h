/* Contexts: where kernels run. A context is one instance of an execution space (a backend with its
 * threads, or a device with a stream), made from a resource string:
 *
 *     serial                      one host thread
 *     openmp[:threads=N]          host threads; N defaults to mx_default_threads, and is at most 8
 *                                 times mx_host_cores()
 *     openmp:cores=0-3            on the first four of the cores that this process may use (0 to
 *                                 mx_host_cores()-1, not the CPU numbers of lscpu), one thread for
 *                                 each core unless threads=N is given. Several such contexts, each
 *                                 used by a thread of its own, can share a machine. The threads
 *                                 that run a launch are bound to these cores. The calling thread
 *                                 stays bound until it launches on another context, or creates or
 *                                 destroys one. A thread that it starts in between inherits its
 *                                 core. Threads that OpenMP starts later may use all cores of the
 *                                 process
 *     cuda[:device=N]             device N, default 0, with a stream of its own. hip is the same
 *     cuda:priority=high          blocks of its kernels start before waiting blocks of other
 *                                 contexts of the device
 *     simt[:threads=N]            debug: N host threads run items one by one, as GPU threads do.
 *                                 Views have the GPU's layout, in memory that host code cannot
 *                                 access
 *     simt:lanes=64               teams with MX_AUTO have 64 lanes, as on AMD's GPUs; else 4
 *     serial:order=shuffled[,seed=N]   debug: items in random order, which shows hidden dependences
 *
 * Every resource takes layout=left|right and check=RESOURCE. With check, each launch is repeated on
 * RESOURCE and the results are compared (mx_ctx_check_against), except those of kernel files that
 * define MX_NOT_CHECKED (minx/kernel.h). On hosts, in builds with MINX_BOUNDS_CHECK, check=races
 * instead finds items that use the same element (docs/debugging.md).
 *
 * Consistency: kernels, copies and fills on one context run in the order of their calls. Reductions
 * into host memory, mx_import, mx_export and mx_read_element are complete on return. All else,
 * unless its comment says so, may still run until mx_fence(ctx) returns.
 *
 * Thread safety: one thread at a time per context; several contexts may be used by as many threads.
 *
 * Bodies: the body of a kernel must not use, change or end what its launch uses: the context, views
 * in the arguments, the graph, the run time. Such a call is MX_ERR_ARG and changes nothing. The
 * launch then returns MX_ERR_ARG too, with a message that names the call. A body may launch on
 * another context; the rule then holds for the bodies of both launches.
 *
 * fork(): a context with several threads, or with a device, belongs to the process that created it.
 * In a child process its use is MX_ERR_ARG; mx_ctx_destroy frees it, but not what the backend had.
 * A child process whose parent had such contexts may not be able to start threads: with GNU's
 * OpenMP creating openmp and simt contexts there is MX_ERR_BACKEND. serial contexts work, except
 * those on which another thread of the parent ran a launch at fork().
 *
 * A NULL context is MX_ERR_ARG wherever one is needed. */
#pragma once
#include "minx/error.h"
#include "minx/layout.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A context. mx_ctx_create makes one, mx_ctx_destroy frees it. */
typedef struct mx_ctx_s *mx_ctx;

typedef enum mx_space {
    MX_SPACE_DEFAULT, /* the context's own */
    MX_SPACE_HOST,    /* ordinary memory */
    MX_SPACE_CUDA,    /* memory of a CUDA device */
    MX_SPACE_MANAGED, /* moves between host and device by itself */
    MX_SPACE_PINNED,  /* page-locked host memory, which devices access too */
    MX_SPACE_SIMT,    /* memory of simt: host code cannot access it, as with a device */
    MX_SPACE_HIP,     /* memory of a HIP device */
    /* a request for host memory that the context can access: pinned if it has a device, else
     * ordinary */
    MX_SPACE_STAGING
} mx_space;

/* The name in messages and profiling tools: "Host", "Cuda", "CudaUVM" (managed), "CudaHostPinned"
 * (pinned), "Simt" or "HIP". */
const char *mx_space_name(mx_space space);

/* Starts the run time. It is the first call of a program, or the first after mx_finalize. It checks
 * that this CPU has the instructions that the kernels were compiled for (MX_ERR_BACKEND), reads the
 * settings from the environment (variables MINX_KEY, docs/tools.md), and loads the profiling tool
 * that they name. A tool that cannot be loaded is no error: a message goes to stderr. The
 * environment must not change before mx_finalize. A bad value is MX_ERR_INPUT, and changes nothing.
 * Not collective, not thread-safe. */
mx_err mx_init(void);

/* The same, with settings from the command line too. Options --mx-KEY[=VALUE] in front of any "--"
 * override the environment and are removed from argv; their strings must live until mx_finalize.
 * --mx-help prints all options. An unknown option is MX_ERR_INPUT, and changes nothing. */
mx_err mx_init_args(int *argc, char ***argv);

/* Prints the properties of this build and this machine, and the settings: one "minx KEY: VALUE" on
 * each line. out NULL: sends them to the profiling tool. */
void mx_print_configuration(FILE *out);

/* Ends the run time. All contexts and views must have been destroyed. Reports the views that still
 * exist on stderr (mx_views_report); if a call failed before, only how many they are. Calls are not counted: one ends the run time for all users in
 * the process, so a library leaves mx_init and mx_finalize to the program. */
void mx_finalize(void);

/* Seconds of a clock that never goes back; the difference of two calls is the time between them.
 * Launches may be asynchronous: fence before the second call. */
double mx_seconds(void);

/* The name of backend number `index` of this build, in order of definition; NULL after the last. */
const char *mx_backend_name(int index);

/* Does this build have the backend and the layout that a resource names, and those of its check?
 * False, too, where the text is no resource. */
bool mx_resource_built(const char *resource);

/* Can a context of this backend be created here and now? If not, *why (may be NULL) gets the
 * reason. */
bool mx_backend_available(const char *name, const char **why);

/* The number of devices that a backend can open here: 0 for host backends and for backends that are
 * not available. */
int mx_backend_devices(const char *name);

/* Creates a context. On failure *ctx is NULL. Errors: MX_ERR_ARG (mx_init was not called),
 * MX_ERR_INPUT (the string), MX_ERR_BACKEND (backend or layout not in this build, no such device),
 * MX_ERR_MEMORY. Each backend has its own
 * layout; MINX_LAYOUTS=all builds both. */
mx_err mx_ctx_create(const char *resource, mx_ctx *ctx);

/* The same, but the work of the context runs on a stream that the caller owns, as one of another
 * library: with cuda a cudaStream_t of the context's device, NULL for the default stream. The stream
 * must exist longer than the context. A graph cannot record on the default stream (MX_ERR_DEVICE).
 * Errors: also MX_ERR_INPUT, the backend has no streams, or the resource has priority= (the stream
 * has one already). */
mx_err mx_ctx_create_on_stream(const char *resource, void *stream, mx_ctx *ctx);

/* Waits for the context's work and frees the context. Accepts NULL; sets *ctx = NULL. Its views
 * stay valid. While a launch runs on it, nothing happens (see "Bodies" above). */
void mx_ctx_destroy(mx_ctx *ctx);

/* Waits until all work on ctx is done. Reports an error that a device met since the last fence,
 * with the names of the kernels that may have caused it (MX_ERR_DEVICE; MX_ERR_BOUNDS: an index;
 * MX_ERR_MEMORY: a team requested more scratch than it has). MX_ERR_DEVICE also says that a
 * reduction has waited too long for its own blocks (--mx-reduction-wait): results since the last
 * fence may be wrong; the context can still be used, and its reductions no longer wait. */
mx_err mx_fence(mx_ctx ctx);

/* Orders two contexts: work that is launched on ctx from now on runs after all work launched on
 * `other` so far. On a device the host does not wait. Where the launches of one of the two run on
 * the host, it waits for `other` as mx_fence does; where those of `other` do, they and its copies are
 * complete on return. Not recorded in graphs. Errors: MX_ERR_ARG (one is NULL, or records a graph),
 * MX_ERR_DEVICE; where the host waits, those of mx_fence. The calling thread must be the one that
 * uses both. */
mx_err mx_ctx_wait(mx_ctx ctx, mx_ctx other);

/* Order a context and a stream of its device that the caller owns (mx_ctx_create_on_stream), as
 * mx_ctx_wait does two contexts; the host does not wait. mx_ctx_wait_stream: work that is launched
 * on ctx from now on runs after all work on the stream so far. mx_stream_wait_ctx: the other way
 * round. Not recorded in graphs. Errors: MX_ERR_ARG (no context, one that records a graph, or one
 * whose backend has no streams), MX_ERR_DEVICE. */
mx_err mx_ctx_wait_stream(mx_ctx ctx, void *stream);
mx_err mx_stream_wait_ctx(void *stream, mx_ctx ctx);

/* Calls mx_fence for every open context. No other thread may use a context meanwhile. Returns the
 * last failure. */
mx_err mx_fence_all(void);

/* From now on every launch on ctx is repeated on a context of the other resource, a backend that
 * runs on the host ("serial"; MX_ERR_INPUT otherwise), with copies of its views. All views are
 * compared, and all results. Floating-point numbers may differ by `tolerance` (check=: 1e-9; for
 * f32 at least 1e-5 is used) times the largest magnitude in that view, or of that result; integers
 * and structs must be equal. Of a location (mx_loc_*) the value may differ so, the index may not.
 * Of a result that is another struct without a list of fields, eight bytes that may be a double or
 * two floats are compared as such (a compiler without __builtin_clear_padding leaves these structs
 * out). The first difference is MX_ERR_MISMATCH, with kernel, view and index. Slow; for debugging.
 * mx_view_set_unchecked excludes a view from the comparison; mx_view_set_check_scale is for views
 * whose numbers can all be rounding errors.
 *
 * resource "races": the race check. All items run in order on one thread. A launch in which two
 * items access the same element of a view in its arguments is MX_ERR_MISMATCH, unless both only
 * read it, or both use atomics; the message names kernel, view, index and both items. The launch
 * has run to its end then. MX_ERR_BACKEND: this build cannot (MINX_BOUNDS_CHECK); MX_ERR_INPUT: ctx
 * has a device.
 *
 * resource NULL ends the checks. MX_ERR_ARG: ctx records a graph, or the tolerance is negative; on
 * failure nothing changes. At a launch: MX_ERR_LAYOUT, a view has one accessor of a fixed layout and
 * another of the context's layout, and the two layouts differ; MX_ERR_ARG, views of its arguments
 * share memory, or its result is in the memory of one. */
mx_err mx_ctx_check_against(mx_ctx ctx, const char *resource, double tolerance);

typedef struct mx_ctx_info {
    const char *backend; /* "openmp" */
    mx_layout layout;
    mx_space space;           /* where its views live by default */
    int threads;              /* host threads; 1 on a GPU */
    int device;               /* -1 on hosts */
    const char *device_name;  /* "" on hosts */
    bool host_accessible;     /* can host code access the default space? */
    int64_t launches;         /* kernels launched so far */
    int64_t synchronisations; /* times the host had to wait for a device */
    /* the layout of the context that launches are checked against; without a check, `layout` */
    mx_layout check_layout;
} mx_ctx_info;
/* Gives the properties of a context. MX_ERR_ARG: ctx is NULL. */
mx_err mx_ctx_get_info(mx_ctx ctx, mx_ctx_info *info);

/* The number of cores that the threads of a launch may use: the cores in this process's affinity
 * mask. Where OpenMP binds threads (OMP_PROC_BIND, OMP_PLACES, GOMP_CPU_AFFINITY), they are the
 * cores of all its places; with OMP_PROC_BIND=primary, the cores in the place of the first thread
 * that calls this. */
int mx_host_cores(void);

/* The number of threads of an openmp context whose resource string names neither threads nor cores.
 * The first of these that is set gives the number: the option --mx-num-threads, and the variables
 * MINX_NUM_THREADS and OMP_NUM_THREADS of the environment. *origin is its name, or
 * "OMP_THREAD_LIMIT" where that is less than OMP_NUM_THREADS. Else the number is mx_host_cores(),
 * and *origin is NULL. The CPU quota of a control group is not looked at: a program that knows how
 * many processes share it may give the number (the mini-apps do). Of a list in OMP_NUM_THREADS
 * ("4,2") the first number counts. MX_ERR_INPUT: the value of OMP_NUM_THREADS is no number, or
 * above 8 * mx_host_cores(). */
mx_err mx_default_threads(int *threads, const char **origin);

/* The version of minx, for provenance records: "0.1.0". */
const char *mx_version(void);

/* How minx was built, for provenance records: "gcc 12.2.0, ...". */
const char *mx_build_description(void);

#ifdef __cplusplus
}
#endif
