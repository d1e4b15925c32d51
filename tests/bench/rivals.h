/* The rivals: hand-written code with which the core is compared. Each set is written for one
 * backend, as fast as its authors could make it, and computes on the same memory as the core's
 * kernels.
 *
 * Grids have one ghost cell on each side: `rows` rows of `columns` interior cells, `stride`
 * elements from one row to the next; a row is contiguous. The pointers are to the first ghost. On
 * backends of layout left a row runs along the kernel's first index. A face of the matrix A weighs
 * s times the sum of two v. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rival_args {
    int threads;
    void *queue; /* the CUDA stream that the core's context launches on */

    int64_t n; /* vectors */
    double *a, *b, *c;
    double s;

    int rows, columns; /* grids */
    int64_t stride;
    double *u, *r, *p, *w, *v, *energy;
    double volume;

    int32_t *begin, *column; /* a sparse matrix of n compressed rows: a = A b */
    double *value;

    int32_t *index; /* histogram, array reduction */
    int64_t *bins;
    int bin_count;

    /* n particles: coordinates x(i, c), forces f(i, c), neighbours list(i, k), of which count(i);
     * on backends of layout left the second index is `stride` elements away, on the others elements
     * lie densely */
    double *x, *f;
    int32_t *list, *count;
    double cutoff2;

    int64_t *keys, *unsorted, *room; /* sorting: n each; keys = unsorted, in order */

    /* A grid of side^3 interior cells in u and w, `plane` elements from one slowest index to the
     * next; k is s. Its tiles. */
    int side, tile[2];
    int64_t plane;

    /* n particles in side^3 cells: of each particle its cell and slot; begin, counts and order as
     * in examples/kernels/cells.h. Lists have room for `capacity`, as close as x and f; the longest
     * count. */
    int32_t *cell, *slot, *counts, *order, *longest;
    double per_length;
    int capacity;
    bool half;
    double *copies; /* of f, one for each thread */

    /* n elements of 8 nodes, with blocks of 8 x 8; begin, column and value of the matrix, which has
     * `entries` of them */
    int32_t *node;
    double *block;
    int64_t entries;

    /* n positions x(index), packed: from one component to the next x has `stride`, the buffer n */
    double *buffer;

    /* Results, in memory of the backend. CG has rr(n-1) in sums[before] and rr(n) in sums[now],
     * these being 0 and 1; a dot product goes to sums[0]. summary: five numbers. */
    double *sums, *pw, *summary;
    int before, now;
    double tolerance;

    void *partials; /* CUDA: room for partial results */
} rival_args;

enum { RIVAL_SUMS = 2, RIVAL_FIELDS = 5, RIVAL_NEIGHBOURS = 96, RIVAL_MAX_BINS = 2048 };

/* A NULL member: this set has nothing of its own there. */
typedef struct rival_set {
    const char *name;
    void (*copy)(const rival_args *);
    void (*mul)(const rival_args *);
    void (*add)(const rival_args *);
    void (*triad)(const rival_args *);
    void (*dot)(const rival_args *);
    void (*stencil)(const rival_args *);   /* w = the mean of u and its four neighbours */
    void (*matvec)(const rival_args *);    /* w = A p, pw[0] = p.w */
    void (*update)(const rival_args *);    /* u += alpha p, r -= alpha w, sums[now] = r.r */
    void (*direction)(const rival_args *); /* p = r + beta p */
    void (*iteration)(const rival_args *); /* the three above */
    void (*summary)(const rival_args *);   /* density v, energy, temperature u */
    void (*histogram)(const rival_args *); /* bins(index(i)) += 1, by atomics */
    void (*scan)(const rival_args *);      /* a = the inclusive scan of b */
    void (*spmv)(const rival_args *);      /* a = A b, a row a thread or an item */
    void (*spmv_team)(const rival_args *); /* ... as fast as one knows how */
    void (*array)(const rival_args *);     /* sums[index(i)] += b(i), from zero */
    void (*scatter)(const rival_args *);   /* the histogram as fast as one knows how */
    void (*force)(const rival_args *);     /* f from x */
    void (*push)(const rival_args *);      /* f += s x, by an inner loop over three coordinates */
    void (*square)(const rival_args *);    /* sums[0] = the sum of x^2, likewise */
    void (*sort)(const rival_args *);
    void (*heat)(const rival_args *);            /* w = a step from u */
    void (*heat_norm)(const rival_args *);       /* and sums[0] = the squared norm of the change */
    void (*heat_tiled)(const rival_args *);      /* the same by tiles of rows */
    void (*heat_norm_tiled)(const rival_args *); /* ... */
    void (*assemble)(const rival_args *);        /* value = what the blocks add up to */
    void (*cells)(const rival_args *);           /* counts, begin, order */
    void (*neighbours)(const rival_args *);      /* list, count and longest, from cells */
    void (*pairs_atomic)(const rival_args *);    /* f from half lists, by atomics */
    void (*pairs_copies)(
        const rival_args *); /* ... by a copy of f for each thread, or as fast as one knows how */
    void (*pack)(const rival_args *);    /* buffer = x(index) */
    void (*unpack)(const rival_args *);  /* x(index) = buffer */
    void (*nothing)(const rival_args *); /* an empty launch */
    double (*fma)(const rival_args *);   /* multiply-adds on registers; returns the flops it did */
} rival_set;

extern const rival_set rivals_omp, rivals_omp_other, rivals_serial, rivals_serial_other;
extern const rival_set rivals_scalar;
extern const rival_set rivals_cuda, rivals_cuda_fused;
/* rivals_cuda_patterns.cu */
void rival_cuda_scan(const rival_args *);
void rival_cuda_spmv(const rival_args *);
void rival_cuda_spmv_team(const rival_args *);
void rival_cuda_array(const rival_args *);
void rival_cuda_scatter(const rival_args *);
void rival_cuda_scatter_shared(const rival_args *);
/* rivals_cuda_particles.cu */
void rival_cuda_force(const rival_args *);
void rival_cuda_force_branching(const rival_args *);
void rival_cuda_push(const rival_args *);
void rival_cuda_square(const rival_args *);
void rival_cuda_sort(const rival_args *);
/* rivals_cuda_mesh.cu */
void rival_cuda_heat(const rival_args *);
void rival_cuda_heat_norm(const rival_args *);
void rival_cuda_heat_marching(const rival_args *);
void rival_cuda_heat_norm_marching(const rival_args *);
void rival_cuda_assemble(const rival_args *);
void rival_cuda_assemble_counting(const rival_args *);
/* rivals_cuda_cells.cu */
void rival_cuda_cells(const rival_args *);
void rival_cuda_neighbours(const rival_args *);
void rival_cuda_pairs(const rival_args *);
void rival_cuda_pairs_lanes(const rival_args *);
void rival_cuda_pack(const rival_args *);
void rival_cuda_pack_components(const rival_args *);
void rival_cuda_unpack(const rival_args *);
void rival_cuda_unpack_components(const rival_args *);

#ifdef __cplusplus
}
#endif
