/* Declarations that the files of minx-bench share.
 *
 * A target is a backend on this machine, with its rivals. A case is a computation that both the
 * core and the rivals can do on the same memory. A work is a case that is set up at one size. main
 * runs all cases on all targets, measure.c compares results and measures times, report.c stores and
 * prints them. */
#pragma once
#include "assemble.h"
#include "bench_kernels.h"
#include "heat.h"
#include "layout_kernels.h"
#include "neighbours.h"
#include "pack.h"
#include "pairs.h"
#include "passes/tl_passes.h"
#include "rivals.h"
#include "spmv.h"
#include "stream.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bench_options {
    const char *backend, *filter, *json;
    double size_factor;
    int repeat;
    bool list, limits, layouts;
} bench_options;

/* Whether --filter, patterns with commas between them, selects a case of this name. No name has
 * more than 63 characters. */
bool bench_wanted(const bench_options *options, const char *name);

/* ---- machine.c ---- */
/* The size of one data or unified cache of that level, from sysfs. 0: there is none. */
size_t bench_cache_bytes(int level);
/* The size of all last-level caches that the cores of this process use. */
size_t bench_last_cache_bytes(void);
/* The size of the free memory. */
size_t bench_available_bytes(void);

/* ---- targets ---- */
typedef struct bench_target {
    mx_ctx ctx;
    mx_ctx_info info;
    const rival_set *rivals[3]; /* the fastest of them counts; NULL after the last */
    const rival_set *scalar;    /* printed in a column of its own; NULL: none */
    size_t in_cache;            /* bytes of a working set that fits the cache of all threads */
    size_t out_of_cache;        /* bytes of an array of 4 times the last-level caches */
    size_t available;           /* bytes of free memory */
    void *queue, *partials, *events[2]; /* CUDA */
    double limit[2];                    /* highest bytes per second: in memory, in cache */
} bench_target;

/* ---- cuda.cu ---- */
mx_err bench_cuda_open(bench_target *target);
void bench_cuda_close(bench_target *target);
/* The seconds that the calls between start and stop needed on the device. */
mx_err bench_cuda_timer_start(const bench_target *target);
mx_err bench_cuda_timer_stop(const bench_target *target, double *seconds);

/* ---- cases ---- */
enum { BENCH_VIEWS = 12 };

typedef struct bench_work {
    const bench_target *target;
    const struct bench_case *which;
    bool cached;
    int64_t items;
    double bytes; /* the bytes that one call must move */
    rival_args rival;
    mx_view views[BENCH_VIEWS];
    int view_count;
    mx_view outputs[4], sums[2]; /* the results that must agree: views, and results of reductions */
    int output_count, sum_count;
    mx_range_1 line;
    mx_range_2 cells;
    mx_range_3 block;
    stream_args stream;
    heat_args heat;
    bench_stencil_args stencil;
    bench_summary_args summary;
    bench_histogram_args histogram;
    bench_scatter_args scatter;
    mx_scatter copies;
    bench_force_args force;
    bench_push_args push;
    bench_square_args square;
    mx_range_2 coordinates; /* three for each item */
    mx_view points;
    cell_grid grid;
    neighbour_lists lists;
    pairs_atomic_args pairs_atomic;
    pairs_scatter_args pairs_scatter;
    pack_args pack;
    unpack_args unpack;
    hex_mesh mesh;
    assemble_args assemble;
    bench_layout_args layouts;
    mx_view by_layout[2]; /* the result of each side of an experiment on layouts: right, left */
    bench_scan_args scan;
    spmv_args spmv;
    bench_array_args array;
    mx_graph graph;
    tl_residual_args residual;
    tl_cg_matvec_args matvec;
    tl_cg_update_args update;
    tl_cg_direction_args direction;
    tl_passes passes;
    struct bench_cusparse *cusparse; /* NULL: the case has none */
    const char *other_name;          /* of the case's `other`; NULL: there is none */
} bench_work;

typedef mx_err (*bench_step)(bench_work *w);
typedef void (*bench_rival)(const rival_args *);

typedef struct bench_case {
    const char *name, *text;
    int doubles;         /* that one call accesses for each item, rounded up */
    int bytes_per_item;  /* each array element counts once; a write-allocate is not counted */
    double share;        /* the size out of cache, relative to the usual one; 0: 1 */
    double share_cached; /* the same in cache; 0: 1 */
    int tile[2];         /* rows of a tile in three dimensions; 0: no tiles */
    int length;          /* of the array, or of the bins, to which items add */
    bool only_cached;
    /* each call reads the sums of the call before, so two sets of sums are exchanged after each
     * call */
    bool alternates;
    mx_err (*setup)(bench_work *w);
    /* sets the same initial state for each side, before results are compared; NULL: bench_clear */
    bench_step reset;
    bench_step core;
    bench_step finish; /* makes results comparable, before they are compared; NULL: nothing to do */
    bench_rival (*rival)(const rival_set *set);
    bench_step other; /* instead of a rival: the core in another way, or a library */
    const char *other_name;
    bool only_hosts, only_cusparse; /* only_cusparse: on CUDA, in builds with cuSPARSE */
    int threads;                    /* the number of threads that the case needs */
    /* an additional check, which prints its result; NULL: none */
    mx_err (*check)(bench_work *w);
} bench_case;

/* The last element of each array has no name. */
extern const bench_case bench_vector_cases[], bench_grid_cases[], bench_pattern_cases[],
    bench_particle_cases[], bench_mesh_cases[];
enum { BENCH_TRIAD, BENCH_DOT }; /* the first cases of bench_vector_cases */

/* The views of the cases a = f(b, c), in cases_vector.c. */
mx_err bench_stream_setup(bench_work *w);

/* The bytes of one array out of cache, for size_factor 1 and a case without a share: 4 times the
 * last-level caches, or what fits: twelve arrays, those of a case and copies to compare, in half of
 * the free memory. */
size_t bench_array_bytes(const bench_target *target);

mx_err bench_work_create(const bench_target *target, const bench_case *which, bool cached,
                         double size_factor, bench_work *work);
void bench_work_destroy(bench_work *work);
/* Creates a view that belongs to the work. columns 0: rank 1. bench_data gives the address of a
 * view's elements. */
mx_err bench_new_view(bench_work *w, const char *label, mx_type type, int64_t rows, int64_t columns,
                      mx_layout layout, mx_view *view);
void *bench_data(mx_view view);
/* Creates index(i), random numbers below `length`, for the core and for the rivals. */
mx_err bench_new_index(bench_work *w, int length, mx_ci32_1 *index);
/* The number of lattice cells along each edge of the cube with the particles of
 * particle_kernels.h. */
int bench_cells_a_side(const bench_work *w);
/* Creates the positions and forces of the particles of particle_kernels.h, and their neighbour
 * lists. */
mx_err bench_new_points(bench_work *w, mx_layout layout, mx_view *x, mx_view *f);
mx_err bench_new_lists(bench_work *w, mx_layout layout, mx_view x, mx_view *list, mx_view *count);
/* Creates a view of doubles that belongs to the work: n elements, or rows x columns with one ghost
 * cell on each side. Grids with different seeds begin in different parts of a page of memory. */
mx_err bench_new_vector(bench_work *w, const char *label, double seed, mx_view *view,
                        double **data);
mx_err bench_new_grid(bench_work *w, const char *label, double seed, mx_view *view, double **data);
/* Creates a small view for results of reductions, which must agree. */
mx_err bench_new_sums(bench_work *w, const char *label, mx_type type, int64_t n, double **data);

/* ---- rivals_cusparse.c; no_cusparse.c in builds without it ---- */
extern const bool bench_has_cusparse;
/* Sets up cuSPARSE's product of the work's matrix, a = A b. Times the algorithms, so it blocks and
 * writes a. The name of the fastest goes to w->other_name. On failure bench_cusparse_destroy frees
 * what there is. */
mx_err bench_cusparse_create(bench_work *w);
/* Enqueues the product. */
mx_err bench_cusparse_spmv(bench_work *w);
mx_err bench_cusparse_destroy(bench_work *w);

/* ---- measure.c ---- */
typedef struct bench_ratio {
    double median, low, high; /* low and high: the quartiles; all 0: not measured */
} bench_ratio;

typedef struct bench_times {
    double core, rival, scalar;      /* median seconds of a call; scalar 0: none */
    bench_ratio to_rival, to_scalar; /* the core's time over theirs */
    int rounds;
    const char *rival_name;
} bench_times;

/* Sets all results that must agree to zero, so that one side cannot pass with the results of the
 * other. */
mx_err bench_clear(bench_work *w);
/* Checks that core and every rival compute the same. MX_ERR_MISMATCH: they do not. */
mx_err bench_agree(bench_work *w);
/* Compares two views in host memory with the same strides. Differences are relative to the largest
 * element or, if `each`, to the element itself. */
mx_err bench_compare(const bench_work *w, const char *rival, mx_view core, mx_view other,
                     bool each);
/* Measures rounds of runs: the core, the fastest rival, and the scalar loop if there is one. */
mx_err bench_measure(bench_work *w, int repeat, bench_times *times);
/* Median seconds of the fastest rival, and its name. */
mx_err bench_time_rival(bench_work *w, int repeat, double *seconds, const char **name);
/* Seconds and flops of one call of set->fma. */
mx_err bench_time_fma(const bench_target *target, const rival_set *set, const rival_args *args,
                      double *flops, double *seconds);
double bench_median(double *values, int count); /* sorts them */

/* ---- report.c ---- */
typedef struct bench_row {
    char name[64];
    char backend[48]; /* a copy: the context is destroyed before the JSON file is written */
    const char *rival_name;
    int threads;
    int64_t n;
    bool cached;
    double bytes; /* of a call */
    double limit; /* bytes per second; 0: none */
    bench_times times;
    double flops;      /* only for limit/fma */
    size_t last_cache; /* bytes of the last-level cache; only for limits */
} bench_row;

typedef struct bench_report {
    bench_row *rows;
    int count;
} bench_report;

mx_err bench_report_add(bench_report *report, const bench_row *row); /* also prints the row */
mx_err bench_report_keep(bench_report *report, const bench_row *row);
void bench_report_head(void);
void bench_print_seconds(double seconds); /* 11 characters */
mx_err bench_report_write(const bench_report *report, const char *path);

/* ---- limits.c ---- */
mx_err bench_limits(bench_target *target, const bench_options *options, bench_report *report);

/* ---- layouts.c ---- */
mx_err bench_layouts(const bench_target *target, const bench_options *options,
                     bench_report *report);
/* Prints the names of its cases. */
void bench_layouts_list(void);
/* Does --filter select one of its cases? */
bool bench_layouts_wanted(const bench_options *options);

#ifdef __cplusplus
}
#endif
