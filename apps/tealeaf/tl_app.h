/* TeaLeaf: one run. main.c goes through the stages in the order of this header; above each stage is
 * the name of its file. */
#pragma once
#include "comm/readback.h"
#include "domain/box_halo.h"
#include "kernels/tl_kernels.h"
#include "results/series.h"
#include "run/app.h"
#include "tl_forms.h"

/* How sums over cells, and the solution, compare between runs that add in different orders: the
 * sums of a step differ by rounding, and the solver takes them to the same solution. */
#define TL_SUMS APP_SUMS

/* Bounds of the eigenvalues of M^-1 A. */
typedef struct tl_eigenvalues {
    bool known;
    double low, high;
} tl_eigenvalues;

/* The field summaries so far, one entry each. */
typedef struct tl_summaries {
    app_series step, time, volume, mass, energy, temperature;
} tl_summaries;

struct tl_app {
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
    tl_finish_args finish;
    tl_summary_args summary;

    /* the solver: the forms that set-up has chosen, and what they have of their own */
    const tl_form *solver; /* of the deck */
    const tl_form *cg;     /* the form of CG that it is or begins with; NULL: none */
    const tl_preconditioner_form
        *preconditioner; /* of CG, while PPCG iterates its polynomial; NULL: none */
    void *solver_own, *cg_own, *preconditioner_own;
    tl_eigenvalues eigenvalues;
    int64_t cg_start; /* the iteration at which CG began last */
    app_series rho;   /* r.r, or r.z with a preconditioner, from cg_start on */
    app_series pw;    /* p.w, from the iteration after cg_start on */
    int64_t waits;    /* of the host, those that the context does not count */

    /* what the run did */
    int64_t step, first_step; /* done; done before a restart */
    double time;
    double started; /* app_now() at the start of the time loop */
    /* ||u_start - A u|| / ||u_start - A u_start|| of the last step, by its own recurrence */
    double last_error;
    bool iteration_limit; /* a step ended at max_iters */
    app_series residuals; /* ||r|| of every iteration, each step beginning with its initial one */
    app_series step_iterations; /* iterations of each step */
    tl_summaries summaries;
    tl_summary deck_summary; /* of all ranks: the deck's states, summed on the host */
    tl_summary last;         /* of all ranks: the last one */
    app_region *solve, *rest;
    tl_name problem;                              /* in words */
    app_frames energy_frames, temperature_frames; /* NULL: none are asked for */
    double frame_origin[APP_MAX_DIMS], frame_spacing[APP_MAX_DIMS];
};

/* The stages (app.h). Collective, agreed. */

/* setup.c: decomposition, views, arguments, the deck's states. */
mx_err tl_set_up(tl_app *app);
/* At the end of a run, however far it came. */
void tl_clean_up(tl_app *app);

/* keep.c: what a checkpoint keeps; restores it, if the user asks for that. */
mx_err tl_restart(tl_app *app);

/* run.c: the time loop with its printed lines and summaries. */
mx_err tl_run(tl_app *app);

/* visit.c: begins the frames of fields; after a step, and before the first one: writes those that
 * are due. Collective. */
mx_err tl_begin_frames(tl_app *app);
mx_err tl_add_frames(tl_app *app);

/* verify.c: compares with what is known of the solution. */
mx_err tl_verify(tl_app *app);

/* output.c: the last lines; what only TeaLeaf has in the results file. */
mx_err tl_write(tl_app *app);

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

/* solve.c: one time step: (I - dt div K grad) u = u_start. Collective. */
mx_err tl_solve(tl_app *app);

/* mesh/residual.c: iteration at->n has left this r.r. MX_ERR_INPUT if it is not finite. */
mx_err tl_record(tl_app *app, tl_progress *at, double rr);

/* mesh/residual.c: ||u_start - A u|| for u as it is, or for u = u_start, over all ranks; and ||
 * |u_start| + |A| |u| ||, in proportion to which its rounding errors are. Collective. */
typedef struct tl_residual_norms {
    double norm, magnitude;
} tl_residual_norms;
mx_err tl_true_residual(tl_app *app, bool of_start, tl_residual_norms *norms);
