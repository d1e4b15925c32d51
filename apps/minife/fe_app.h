/* miniFE: one run. main.c goes through the stages in the order of this header; each stage has a file of its name. */
#pragma once
#include "fe_kernels.h"
#include "fe_level.h"

typedef struct fe_app {
    app_base base;
    fe_input input;
    fe_level level; /* the finest */

    fe_vectors vectors;
    mx_view rr_host, pw_host; /* mirrors of rr and pw */

    /* kernel arguments, bound once */
    fe_start_args start;
    fe_update_args update;
    fe_direction_args direction;

    /* what the run did */
    double started; /* app_now() at the start of set-up */
    app_region *mesh_time, *structure_time, *assembly_time, *boundary_time, *solve_time;
    int64_t iterations;
    double *residuals;     /* ||r|| at the start, and after each iteration */
    double final_residual; /* as the original prints it: at the start of the last iteration */
    bool breakdown;
} fe_app;

/* setup.c: the finest level, and the solver's vectors. Collective. */
mx_err fe_set_up(void *app);
void fe_clean_up(void *app);

/* solve.c: conjugate gradients. Collective. */
mx_err fe_run(void *app);
/* r = p = b - A x; rr(at) = r . r over all ranks. Collective. */
mx_err fe_residual(fe_app *app, int at);

/* verify.c. Collective. */
mx_err fe_verify(void *app);

/* output.c: the original's last lines; series and fields. Collective. */
mx_err fe_output(void *app);

/* dump.c: the matrix and the vectors as text, one file for each rank, into the folder of the key `dump`; nothing without it.
 * `stage` is a part of the files' names: "assembled", "system", "solution". Collective, agreed. */
mx_err fe_dump(fe_app *app, const char *stage);
