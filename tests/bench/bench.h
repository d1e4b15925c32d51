/* Declarations that the files of minx-bench share.
 *
 * A target is a backend on this machine, with its rivals. A case is a computation that both the core and the rivals can do on the same
 * memory. A work is a case that is set up at one size. main runs all cases on all targets, measure.c compares results and measures
 * times, report.c stores and prints them. */
#pragma once
#include "assemble.h"
#include "bench_kernels.h"
#include "heat.h"
#include "layout_kernels.h"
#include "neighbours.h"
#include "pack.h"
#include "pairs.h"
#include "rivals.h"
#include "spmv.h"
#include "stream.h"
#include "tl_kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bench_options {
    const char *backend, *filter, *json;
    double size_factor;
    int repeat;
    bool list, limits, layouts;
} bench_options;

/* ---- machine.c ---- */
size_t bench_cache_bytes(
    int level); /* one data or unified cache of that level, as sysfs has it; 0: none */
size_t bench_last_cache_bytes(void); /* all last-level caches that this process's cores use */
size_t bench_available_bytes(void);  /* memory that is free to use */

/* ---- targets ---- */
typedef struct bench_target {
    mx_ctx ctx;
    mx_ctx_info info;
    const rival_set *rivals[3]; /* the fastest of them is the rival; NULL behind the last */
    const rival_set *scalar;    /* printed beside; NULL: none */
    size_t in_cache;     /* bytes of a working set that stays in the cache nearest to all threads */
    size_t out_of_cache; /* bytes of one array that no cache holds a quarter of */
    size_t available;    /* bytes of memory */
    void *queue, *partials, *events[2]; /* CUDA */
    double limit[2];                    /* best bytes per second: in memory, in cache */
} bench_target;

/* ---- cuda.cu ---- */
mx_err bench_cuda_open(bench_target *target);
void bench_cuda_close(bench_target *target);
/* Seconds that the calls queued between the two took on the device. */
mx_err bench_cuda_timer_start(const bench_target *target);
mx_err bench_cuda_timer_stop(const bench_target *target, double *seconds);

/* ---- cases ---- */
enum { BENCH_VIEWS = 12 };

typedef struct bench_work {
    const bench_target *target;
    const struct bench_case *which;
    bool cached;
    int64_t items;
    double bytes; /* that one call must move */
    rival_args rival;
    mx_view views[BENCH_VIEWS];
    int view_count;
    mx_view outputs[4], sums[2]; /* what must agree after a call: by element, and reduced */
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
    mx_range_2 coordinates; /* three of each item */
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
    mx_view by_layout[2]; /* what each side of an experiment on layouts computes: right, left */
    bench_scan_args scan;
    spmv_args spmv;
    bench_array_args array;
    mx_graph graph;
    tl_residual_args residual;
    tl_cg_matvec_args matvec;
    tl_cg_update_args update;
    tl_cg_direction_args direction;
} bench_work;

typedef mx_err (*bench_step)(bench_work *w);
typedef void (*bench_rival)(const rival_args *);

typedef struct bench_case {
    const char *name, *text;
    int arrays;         /* that one call touches */
    int bytes_per_item; /* each array element once; the line that a store may first read is not counted */
    double share;       /* of the usual size; 0: 1 */
    double share_cached; /* the same in cache; 0: share */
    int tile[2];         /* rows of a tile in three dimensions; 0: no tiles */
    int length;          /* of the array or the bins that items add to */
    bool only_cached;
    bool
        alternates; /* each call reads the sums that the one before left: before and now change places */
    mx_err (*setup)(bench_work *w);
    /* the same start for each side, before results are compared; NULL: bench_clear */
    bench_step reset;
    bench_step core;
    bench_step finish; /* what makes results comparable, before they are compared; NULL: nothing */
    bench_rival (*rival)(const rival_set *set);
    bench_step other; /* the core in another way, instead of a rival */
    const char *other_name;
    bool only_hosts;
    int threads;                    /* needs so many */
    mx_err (*check)(bench_work *w); /* more than that both sides agree; prints; NULL: none */
} bench_case;

extern const bench_case bench_vector_cases[], bench_grid_cases[], bench_pattern_cases[],
    bench_particle_cases[], bench_mesh_cases[]; /* the last has no name */
enum { BENCH_TRIAD, BENCH_DOT };                /* the first of bench_vector_cases */

mx_err bench_work_create(const bench_target *target, const bench_case *which, bool cached,
                         double size_factor, bench_work *work);
void bench_work_destroy(bench_work *work);
/* A new view among those of the work, of rank 1 where columns are 0; and where its elements are. */
mx_err bench_new_view(bench_work *w, const char *label, mx_type type, int64_t rows, int64_t columns,
                      mx_layout layout, mx_view *view);
void *bench_data(mx_view view);
/* index(i) for `length` bins, and for the rivals. */
mx_err bench_new_index(bench_work *w, int length, mx_ci32_1 *index);
/* Lattice cells along each edge of the cube that has the particles of particle_kernels.h. */
int bench_cells_a_side(const bench_work *w);
/* The particles of particle_kernels.h, with room for forces; their lists. */
mx_err bench_new_points(bench_work *w, mx_layout layout, mx_view *x, mx_view *f);
mx_err bench_new_lists(bench_work *w, mx_layout layout, mx_view x, mx_view *list, mx_view *count);
/* A new view of doubles among those of the work: n elements, or rows x columns with one ghost around each. */
mx_err bench_new_vector(bench_work *w, const char *label, double seed, mx_view *view,
                        double **data);
mx_err bench_new_grid(bench_work *w, const char *label, double seed, mx_view *view, double **data);
/* A small view that results go to, among the sums that must agree. */
mx_err bench_new_sums(bench_work *w, const char *label, mx_type type, int64_t n, double **data);

/* ---- measure.c ---- */
typedef struct bench_times {
    double core, rival, scalar; /* median seconds of a call; scalar 0: none */
    double ratio, low, high;    /* core over rival: median and quartiles of the pairs */
    int pairs;
    const char *rival_name;
} bench_times;

/* Zeros to all that must agree, so that no side passes with the other's results. */
mx_err bench_clear(bench_work *w);
/* Do core and every rival compute the same? MX_ERR_MISMATCH if not. */
mx_err bench_agree(bench_work *w);
/* Two views in host memory with the same strides: by elements against the largest, or, if `each`, against themselves. */
mx_err bench_compare(const bench_work *w, const char *rival, mx_view core, mx_view other,
                     bool each);
/* Interleaves core and the fastest rival. */
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
    char backend[48]; /* a copy: the context that it names is gone when the JSON file is written */
    const char *rival_name;
    int threads;
    int64_t n;
    bool cached;
    double bytes, limit; /* of a call; bytes per second, 0: none */
    bench_times times;
    double flops; /* limit/fma */
} bench_row;

typedef struct bench_report {
    bench_row *rows;
    int count;
} bench_report;

mx_err bench_report_add(bench_report *report, const bench_row *row); /* prints it as well */
mx_err bench_report_keep(bench_report *report, const bench_row *row);
void bench_report_head(void);
void bench_print_seconds(double seconds); /* 11 characters */
mx_err bench_report_write(const bench_report *report, const char *path);

/* ---- limits.c ---- */
mx_err bench_limits(bench_target *target, const bench_options *options, bench_report *report);

/* ---- layouts.c ---- */
mx_err bench_layouts(const bench_target *target, const bench_options *options,
                     bench_report *report);

#ifdef __cplusplus
}
#endif
