/* miniFE: one run. main.c goes through the stages in the order of this header; each stage has a file of its name. */
#pragma once
#include "app.h"
#include "bisection.h"
#include "fe_input.h"
#include "fe_kernels.h"
#include "index_exchange.h"

typedef struct fe_app {
    app_base base;
    fe_input input;

    /* the mesh */
    app_bisection elements; /* of all ranks */
    fe_mesh mesh;           /* this rank's nodes */
    int from[3], to[3];     /* the elements that touch own nodes */
    app_index_exchange ghosts;
    mx_gid first_row; /* rows of lower ranks */
    mx_gid all_rows, all_entries;
    int64_t entries; /* of this rank */

    fe_views views;
    mx_view rr_host, pw_host; /* mirrors of rr and pw */

    /* kernel arguments, bound once */
    fe_structure_args structure;
    fe_coordinates_args coordinates;
    fe_assemble_args assemble;
    fe_boundary_args boundary;
    fe_error_args error;
    fe_product_args product;
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

/* mesh.c: the nodes and elements of this rank, and the exchange of ghosts. Collective. */
mx_err fe_make_mesh(fe_app *app);

/* setup.c: structure, assembly, boundary values, and the solver's vectors. Collective. */
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
