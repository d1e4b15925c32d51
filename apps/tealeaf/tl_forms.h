/* The forms of solvers and of preconditioners. Each is a folder with a form, a struct of functions;
 * forms.c lists them, and set-up chooses from these lists once. Nothing else of the program knows the
 * folder, but for cg/, on which deflation/ and polynomial/ build. So a form is deleted by deleting its
 * folder, its name in forms.c, its lines in CMakeLists.txt and its own tests; a deck that asks for it is
 * then an error. (minx-bench compiles two files of passes/.)
 *
 * Functions of a form are collective if nothing else is said. start, iterate, apply and cost are
 * needed, and so are the arrays TL_ARRAYS_OF_CG of a form of CG, and TL_ARRAY_Z of a preconditioner.
 * Where another function is NULL there is nothing to do. What a form has of its own it keeps behind a
 * pointer of tl_app: cg_own, solver_own or preconditioner_own. */
#pragma once
#include "input/tl_deck.h"
#include "minx/minx.h"

typedef struct tl_app tl_app;

/* How far a solve is: iterations done, r.r after them, and the r.r that ends it. */
typedef struct tl_progress {
    int64_t n;
    double rr, tolerance;
} tl_progress;

/* Arrays of tl_views that not all forms use. */
enum {
    TL_ARRAYS_OF_CG = 1 << 0, /* p, w */
    TL_ARRAY_Z = 1 << 1,      /* z, and the arguments of the kernels of preconditioned CG */
    TL_ARRAY_DIAGONAL = 1 << 2,
    TL_ARRAYS_OF_STEPS = 1 << 3 /* next, step */
};

/* A form of a solver. */
typedef struct tl_form {
    tl_solver solver;    /* of the deck */
    unsigned arrays;     /* TL_ARRAYS_OF_CG and so on */
    bool is_cg;          /* conjugate gradients: keeps its own in cg_own, others in solver_own */
    bool begins_with_cg; /* so a form of TL_SOLVER_CG is chosen too */

    /* May it be used with this deck and preconditioner, and on this backend? NULL: always. Not
     * collective */
    bool (*is_usable)(const tl_app *app);
    /* Layers of ghosts that arrays get. NULL: one. Not collective */
    int (*ghosts)(const tl_app *app);
    /* The arrays that it makes beside those of tl_views, counted in arrays of the mesh. NULL: none.
     * Not collective */
    double (*more_arrays)(const tl_app *app);

    /* Set-up, when the matrix is there. destroy: also after a failure, and where create was not
     * called; not collective */
    mx_err (*create)(tl_app *app);
    void (*destroy)(tl_app *app);
    /* A line about it */
    void (*print)(const tl_app *app);

    /* A step. start needs u, r with ghosts, and at->rr. iterate goes on until r.r is at most
     * at->tolerance, or until iteration `limit`. end completes u and r */
    mx_err (*start)(tl_app *app, tl_progress *at);
    mx_err (*iterate)(tl_app *app, tl_progress *at, int64_t limit);
    mx_err (*end)(tl_app *app);

    /* Bytes and flops of one iteration in each cell, without those that it begins with */
    void (*cost)(const tl_app *app, double *bytes, double *flops);
} tl_form;

/* A form of a preconditioner of conjugate gradients. It keeps its own in preconditioner_own. */
typedef struct tl_preconditioner_form {
    tl_preconditioner preconditioner; /* of the deck */
    unsigned arrays;
    bool is_flexible;                         /* beta has another form: cg/precondition.c */
    int64_t max_batch;                        /* iterations that a device may queue; 0: TL_BATCH */
    double (*more_arrays)(const tl_app *app); /* as for a solver */

    mx_err (*create)(tl_app *app);
    void (*destroy)(tl_app *app);
    void (*print)(const tl_app *app);

    /* z = M^-1 r; this rank's part of r.z goes to element `at` of views.rr */
    mx_err (*apply)(tl_app *app, int64_t at);

    /* As for a solver, of one application */
    void (*cost)(const tl_app *app, double *bytes, double *flops);
} tl_preconditioner_form;

/* Chooses app->solver, app->cg and app->preconditioner by the deck. Of the forms of the deck's
 * solver the first one that is usable is taken. MX_ERR_INPUT if there is none. Not collective. */
mx_err tl_choose_forms(tl_app *app);

/* What the forms say that were chosen. */
mx_err tl_create_forms(tl_app *app);
void tl_destroy_forms(tl_app *app);
void tl_print_forms(const tl_app *app);
unsigned tl_arrays_of_forms(const tl_app *app);
double tl_more_arrays_of_forms(const tl_app *app);
