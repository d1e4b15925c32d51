/* TeaLeaf: one run. app_run goes through the stages in the order of this header; each stage has a
 * file of its name. */
#pragma once
#include "app.h"
#include "box_halo.h"
#include "deflation/tl_deflation.h"
#include "input/tl_deck.h"
#include "multigrid/tl_multigrid.h"
#include "passes/tl_passes.h"
#include "polynomial/tl_polynomial.h"
#include "polynomial/tl_sweep.h"
#include "readback.h"
#include "series.h"

/* How sums over cells, and the solution, compare between runs that add in different orders: the
 * sums of a step differ by rounding, and the solver takes them to the same solution
 * (verify/checks.c has the bound of a sum). */
#define TL_SUMS APP_RELATIVE(1e-11)

/* Bounds of the eigenvalues of M^-1 A. */
typedef struct tl_eigenvalues {
    bool known;
    double low, high;
} tl_eigenvalues;

/* How far a solve is: iterations done, r.r after them, and what it is to become. */
typedef struct tl_progress {
    int64_t n;
    double rr, tolerance;
} tl_progress;

/* Sweeps of several steps (sweeps.c). */
typedef struct tl_sweeps {
    int threads; /* 0: here one step is taken at a time */
    int across;  /* lines are counted along dimension 0, so they are rows; or along 1: columns */
    mx_view line_sums;
    tl_sweep_args on_u, on_z;
    tl_sweep_sums_args sums;
} tl_sweeps;

/* The field summaries so far, one entry each. */
typedef struct tl_summaries {
    app_series step, time, volume, mass, energy, temperature;
} tl_summaries;

/* Deflated CG: the coarse cells, and what solves for them. */
typedef struct tl_deflation {
    tl_coarse coarse;
    int64_t segments; /* of this rank */
    bool has_inverse; /* of the coarse matrix; else its factor */
    tl_deflation_views views;
    tl_deflated_args args;
    tl_coarse_sums_args add;
    tl_coarse_inverse_args multiply;
    tl_coarse_factor_args substitute;
} tl_deflation;

typedef struct tl_app {
    app_base base;
    tl_deck deck;

    /* the mesh: this rank's cells, in rows (y) and columns (x), in 3-D in planes (z) of them; in
     * 2-D there is one plane, whose dz is 1 */
    app_decomp decomp;
    app_box_halo halo;
    double dx, dy, dz;
    int planes, rows, columns;
    int ghosts; /* layers of ghost cells in all arrays */
    /* launches are checked against a backend of another layout: then kernels whose lines follow the
     * contiguous index cannot be repeated there */
    bool other_layout;
    bool on_device; /* host code cannot access the arrays */

    tl_views views; /* of rank 2, in 3-D of rank 3 */
    /* what kernels bind: in 3-D the same memory as arrays of rows, else the same views */
    tl_views bound;
    tl_mesh mesh;
    mx_view rr_host, pw_host; /* mirrors of rr and pw */

    /* kernel arguments, bound once */
    tl_fill_args fill;
    tl_inverse_args inverse;
    tl_start_args start;
    tl_residual_args residual;
    tl_error_args error;
    tl_cg_matvec_args matvec;
    tl_cg_update_args update;
    tl_cg_direction_args direction, direction_of_z;
    tl_diagonal_args diagonal;
    tl_precondition_args precondition;
    tl_dot_args dot;
    tl_polynomial_args on_u[2], on_z[2]; /* from u, or z, to next; and back */
    tl_finish_args finish;
    tl_summary_args summary;
    tl_passes passes;
    app_readback pass_sums;
    tl_multigrid *multigrid; /* NULL: it is not the preconditioner */
    tl_deflation deflation;
    tl_sweeps sweeps;

    /* the solver */
    tl_eigenvalues eigenvalues;
    int64_t inner_steps;               /* of the polynomial */
    bool polynomial_is_preconditioner; /* of CG, now */
    int64_t cg_start;                  /* the iteration at which CG began last */
    app_series rho;                    /* r.r, or r.z with a preconditioner, from cg_start on */
    app_series pw;                     /* p.w, from the iteration after cg_start on */

    /* what the run did */
    int64_t step, first_step; /* done; done before a restart */
    double time;
    double started;           /* app_now() at the start of the time loop */
    double before_iterations; /* seconds from the start of the program to the first iteration */
    int64_t iterations;       /* of all steps */
    /* ||u_start - A u|| / ||u_start - A u_start|| of the last step, by its own recurrence */
    double last_error;
    bool iteration_limit; /* a step ended at max_iters */
    app_series residuals; /* ||r|| of every iteration, each step beginning with its initial one */
    app_series step_iterations; /* iterations of each step */
    tl_summaries summaries;
    tl_summary deck_summary; /* of all ranks: the deck's states, summed on the host */
    tl_summary last;         /* of all ranks: the last one */
    app_region *solve, *rest;
    app_frames energy_frames, temperature_frames; /* NULL: none are asked for */
    double frame_origin[APP_MAX_DIMS], frame_spacing[APP_MAX_DIMS];
} tl_app;

/* The stages (app.h); data is a tl_app. */

/* setup.c: decomposition, views, arguments, the deck's states. */
mx_err tl_set_up(void *data);
void tl_clean_up(void *data);

/* keep.c: what a checkpoint keeps. */
mx_err tl_keep(void *data);
/* Does what a restart restored fit together, and the deck? */
mx_err tl_check_kept(void *data);

/* run.c: the time loop with its printed lines and summaries. */
mx_err tl_run(void *data);

/* visit.c: begins the frames of fields; after a step, and before the first one: writes those that
 * are due. Collective. */
mx_err tl_begin_frames(tl_app *app);
mx_err tl_add_frames(tl_app *app);

/* verify.c: compares with what is known of the solution. */
mx_err tl_verify(void *data);

/* output.c: the last lines; what only TeaLeaf has in the results file. */
mx_err tl_output(void *data);

/* mesh/cells.c: the cells of this rank as a range of indices, with `layers` of the ghost cells that
 * stand for cells of other ranks; in 2-D and in 3-D. */
mx_range_2 tl_cells(const tl_app *app, int layers);
mx_range_3 tl_cells_3d(const tl_app *app, int layers);

/* Launches a kernel over these cells: NAME(range, arguments of the kernel...), or NAME_3d where the
 * mesh has three dimensions. */
#define TL_LAUNCH(NAME, app, layers, ...)                                      \
    (tl_is_3d(&(app)->deck) ? NAME##_3d(tl_cells_3d(app, layers), __VA_ARGS__) \
                            : NAME(tl_cells(app, layers), __VA_ARGS__))
/* The same of a reduction into an element of a view. */
#define TL_LAUNCH_INTO(NAME, app, layers, ...)                                      \
    (tl_is_3d(&(app)->deck) ? NAME##_3d_into(tl_cells_3d(app, layers), __VA_ARGS__) \
                            : NAME##_into(tl_cells(app, layers), __VA_ARGS__))

/* views.c: what the arrays of this rank need, without those that are small. After the
 * decomposition. */
double tl_bytes_needed(tl_app *app);

/* views.c: the arrays of this rank, and all arguments of kernels that are bound to them. Not
 * collective. */
mx_err tl_make_views(tl_app *app);
void tl_destroy_views(tl_app *app);

/* Do the deck's solver and preconditioner use 1 / diagonal? */
static inline bool tl_uses_diagonal(const tl_deck *deck)
{
    return deck->solver == TL_SOLVER_JACOBI || deck->preconditioner == TL_PRECONDITIONER_DIAGONAL;
}

/* solve.c: one time step: (I - dt div K grad) u = u_start. Collective. */
mx_err tl_solve(tl_app *app);

/* mesh/residual.c: iteration at->n has left this r.r. MX_ERR_INPUT if it is not finite. */
mx_err tl_record(tl_app *app, tl_progress *at, double rr);

/* cg/cg.c: conjugate gradients from u, r (with ghosts; where 3-D does not go by passes, p = r has
 * them) and at->rr; then as far as the tolerance, or iteration `limit`; at the end u and r are
 * completed. A start may follow other iterations. Collective. */
mx_err tl_cg_start(tl_app *app, tl_progress *at);
mx_err tl_cg_iterate(tl_app *app, tl_progress *at, int64_t limit);
mx_err tl_cg_end(tl_app *app);

/* passes/cg_in_passes.c: the same by passes, which cg.c calls where tl_uses_passes. */
bool tl_uses_passes(const tl_app *app);
mx_err tl_pass_start(tl_app *app, const tl_progress *at);
mx_err tl_pass_iterate(tl_app *app, tl_progress *at, int64_t limit);

/* deflation/deflation.c: makes the coarse space and its system, if the deck's solver has one; after
 * the conductivities. Collective. */
mx_err tl_make_deflation(tl_app *app);
void tl_destroy_deflation(tl_app *app);
bool tl_is_deflated(const tl_app *app);
/* The start: u and r are corrected so that each coarse cell's r sums to 0. r.r goes to `place` of
 * the ring and to at->rr; if that is below the tolerance, this was an iteration. Collective. */
mx_err tl_deflate(tl_app *app, tl_progress *at, int place);
/* From p with its ghosts: u and r of the next iteration, with the scalars of app->update; this
 * rank's r.r goes to `place` of the ring. Collective. */
mx_err tl_deflated_step(tl_app *app, int place);

/* polynomial/eigenvalues.c: bounds of the eigenvalues from n iterations of CG: rho(0..n), pw(1..n).
 * MX_ERR_INPUT if there are none. */
mx_err tl_estimate_eigenvalues(const double *rho, const double *pw, int64_t n, tl_eigenvalues *e);

/* polynomial/polynomial.c: Jacobi's or Chebyshev's iteration from u, as far as the tolerance or
 * max_iters; and z = P(A) r. Collective. */
mx_err tl_solve_by_steps(tl_app *app, tl_progress *at);
mx_err tl_apply_polynomial(tl_app *app);

/* polynomial/sweeps.c: what sweeps need, where they are the faster form; not collective.
 * tl_sweeps_agree: no rank has them, unless all have; collective. */
mx_err tl_sweeps_create(tl_app *app);
mx_err tl_sweeps_agree(tl_app *app);
/* How many steps a sweep may take; 1: steps are to be taken one at a time. On several ranks it is
 * at most the number of layers of ghosts. */
int tl_sweep_limit(const tl_app *app);
/* Takes a->steps steps with the coefficients in `a`, and with a->residual the residual after them.
 * The last of these computes `layers` layers of ghosts, each one before one more. */
mx_err tl_sweep(tl_app *app, tl_sweep_args *a, int layers);
/* The sums of this rank in the last sweep, to elements of views.rr from `at` on: q.q of each step,
 * and with a->residual that of the last u and its magnitude. */
mx_err tl_sweep_norms(tl_app *app, const tl_sweep_args *a, int at);

/* mesh/residual.c: ||u_start - A u|| for u as it is, or for u = u_start, over all ranks; and ||
 * |u_start| + |A| |u| ||, in proportion to which its rounding errors are. Collective. */
typedef struct tl_residual_norms {
    double norm, magnitude;
} tl_residual_norms;
mx_err tl_true_residual(tl_app *app, bool of_start, tl_residual_norms *norms);
