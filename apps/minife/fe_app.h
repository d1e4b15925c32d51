/* miniFE: one run. main.c goes through the stages in the order of this header; above each stage is
 * the name of its file. Stages are collective and agreed. */
#pragma once
#include "cg/fe_cg_kernels.h"
#include "preconditioners/fe_preconditioner.h"

typedef struct fe_app {
    app_base base;
    fe_input input;
    fe_level level; /* the finest */

    fe_vectors vectors;
    mx_view scalars_host; /* a mirror of scalars */
    struct {
        mx_view x, r, p, s;
    } kept;                            /* rows of the vectors as boxes, for checkpoints */
    fe_preconditioner *preconditioner; /* NULL: none */

    /* kernel arguments, bound once */
    fe_start_args start;
    fe_update_args update;
    fe_direction_args direction;
    fe_dot_args dot;
    fe_single_args single;

    /* what the run did */
    double started;  /* app_now() at the start of set-up */
    fe_name problem; /* in words */
    app_region *mesh_time, *structure_time, *assembly_time, *boundary_time, *preconditioner_time,
        *solve_time;
    struct {
        app_region *exchange, *product, *vectors, *sums, *precondition; /* of solve_time */
        bool counting; /* in cg/cg.c; not on devices, where kernels are queued */
    } parts;
    double tolerance; /* of ||r|| */
    int64_t iterations;
    int64_t first_iterations; /* those done before a restart */
    app_series residuals;     /* ||r|| at the start, and after each iteration */
    double final_residual;    /* as the original prints it: at the start of the last iteration */
    bool breakdown;
    int64_t set_up_resident; /* fe_resident() at the end of set-up */
} fe_app;

/* setup.c: the finest level, and the solver's vectors. */
mx_err fe_set_up(fe_app *app);
/* At the end of a run, however far it came. */
void fe_clean_up(fe_app *app);

/* keep.c: what checkpoints keep; restores it, if the user asks for that. */
mx_err fe_restart(fe_app *app);
/* This rank's nodes in the whole mesh. */
app_slab fe_node_slab(const fe_mesh *mesh);

/* cg/cg.c: conjugate gradients. Collective. */
mx_err fe_run(fe_app *app);
/* r = p = b - A x; *norm = || r ||. Collective. */
mx_err fe_residual(fe_app *app, double *norm);

/* verify.c: compares with what is known of the solution. */
mx_err fe_verify(fe_app *app);

/* analytic.c: the original's check of its problem; residual: ||b - A x||. Collective. */
mx_err fe_check_analytic(fe_app *app, double residual);

/* output.c: the original's last lines; series and fields. */
mx_err fe_write(fe_app *app);
/* The solution at owned rows, for the host, in *owner, which is to be destroyed in any case. On
 * hosts that takes no memory. Collective, agreed. */
mx_err fe_solution_on_host(const fe_app *app, mx_view *owner, const double **x);

/* rank_sizes.c: arrays with a number for each rank: its elements, rows and so on, and its memory.
 * They are to be destroyed in any case. Collective, agreed. */
typedef struct fe_rank_sizes {
    int ranks;
    const int64_t *elements, *rows, *entries, *ghosts;
    const int64_t *matrix, *vectors; /* bytes of their views */
    const int64_t *set_up_resident;  /* fe_resident at the end of the set-up, */
    const int64_t *resident;         /* and now */
    int64_t *numbers;                /* all of them */
} fe_rank_sizes;
mx_err fe_rank_sizes_create(const fe_app *app, fe_rank_sizes *sizes);
void fe_rank_sizes_destroy(fe_rank_sizes *sizes);
/* The largest memory that this process has had so far, in bytes; on a device, without the
 * device's. 0: unknown. Not collective. */
int64_t fe_resident(void);

/* yaml.c: the original's YAML file, into the folder of the key `yaml`; nothing without it.
 * fe_list_files: adds the files of yaml and dump to those of the run; MX_ERR_IO if their values are
 * no folders to write to, MX_ERR_INPUT if a file would replace another one. Collective, agreed. */
mx_err fe_list_files(fe_app *app);
mx_err fe_write_yaml(const fe_app *app, const fe_rank_sizes *sizes);

/* dump.c: the matrix and the vectors as Matrix Market text, into the folder of the key `dump`;
 * nothing without it. `stage` is a part of the files' names: "assembled", "system", "solution".
 * Collective, agreed. */
mx_err fe_dump(fe_app *app, const char *stage);
/* Adds all of these files to those of the run. */
mx_err fe_list_dumps(fe_app *app);
