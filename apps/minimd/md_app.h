/* miniMD: one run. main.c goes through the stages md_set_up, md_restart, md_run, md_verify and
 * md_write (app.h), which are collective and agreed. Each file has what stands under its name. */
#pragma once
#include "comm/sparse_alltoall.h"
#include "domain/index_exchange.h"
#include "domain/migrate.h"
#include "input/md_data_spread.h"
#include "input/md_input.h"
#include "kernels/md_eam_tables.h"
#include "lists/md_lists.h"
#include "results/frames.h"
#include "results/series.h"
#include "run/app.h"

/* What the units of the deck mean (thermo.c). */
typedef struct md_scales {
    double mvv_to_energy;  /* energy units in mass * velocity^2 */
    double boltzmann;      /* energy units in a unit of temperature */
    double printed_energy; /* what the original prints for an energy of 1 an atom */
    double pressure;       /* pressure units in an energy unit per volume */
    const char *energy_unit, *temperature_unit, *pressure_unit, *length_unit, *time_unit;
    const char *mass_unit, *velocity_unit, *momentum_unit;
} md_scales;

/* The state of the whole system at a step. */
typedef struct md_state {
    double temperature, pressure;
    double potential, kinetic; /* of all atoms, in energy units */
    double conserved; /* potential and kinetic energy, without what pairs have at the cutoff */
    double momentum[3];
    /* the sum of m |v_x|, m |v_y| and m |v_z| of all atoms: the size of what adds up to the momentum */
    double motion;
} md_state;

/* The states that were printed, an entry each. */
typedef struct md_history {
    app_series step, time, temperature, pressure;
    app_series potential, total, conserved; /* energies an atom */
    app_series momentum[3], motion;
} md_history;

/* One of them, as files have it. */
typedef struct md_named_series {
    const char *name, *unit;
    app_series *series;
} md_named_series;
enum { MD_HISTORIES = 16 };

/* The parts of the time loop (timing.c). */
typedef enum md_part {
    MD_PART_FORCE,
    MD_PART_LIST,
    MD_PART_GHOSTS,  /* their positions, between two lists; what forces need of them */
    MD_PART_BORDERS, /* migration, sorting, and new lists of ghosts */
    MD_PART_MOTION,
    MD_PARTS
} md_part;

/* What a part has to move and to compute on this rank, in one call. */
typedef struct md_work {
    double bytes, flops;
} md_work;

typedef struct md_times {
    app_region *part[MD_PARTS], *solve; /* solve: the loop */
    bool asynchronous;                  /* the host does not wait for kernels */
    int64_t calls[MD_PARTS];            /* in the time loop, timed or not */
    app_region_totals before[MD_PARTS]; /* the time loop */
    int64_t first_step;                 /* done before the loop */
} md_times;

/* Of Lennard-Jones, of two types. */
typedef struct md_coefficients {
    double epsilon, sigma, cutoff;
} md_coefficients;

/* The neighbours in app->halo: bricks around this one (domain.c). */
typedef struct md_peers {
    int count;
    app_index_neighbour *at;
    double *shift;  /* three for each */
    int32_t *begin; /* count + 1: where the images for each begin */
} md_peers;

typedef struct md_app {
    app_base base;
    md_input input;
    md_data_about data;       /* of the data file; without one all 0 */
    md_data_atoms data_atoms; /* until they are in views */

    md_box box;
    /* the low corner of the box, to which positions are relative; 0 but for data files */
    double origin[3];
    md_lattice lattice;
    md_scales scales;
    mx_gid atoms;                   /* of all ranks */
    mx_lid local, ghosts, capacity; /* atoms of this rank, ghosts, and atoms that the views hold */
    /* local atoms 0 to interior - 1 have no ghosts as neighbours in the current list; 0 where atoms
     * were not sorted for it */
    mx_lid interior;
    int types;
    bool one_mass;
    double mass[MD_MAX_TYPES];
    double force_cutoff, list_cutoff; /* list: with the skin */

    app_migration migration;
    app_index_exchange halo; /* ghosts, from neighbouring bricks */
    app_sparse sparse;
    md_around around;
    md_peers peers;
    md_views views;

    /* EAM only */
    md_potential potential;
    char *potential_texts[MD_MAX_ELEMENTS]; /* of the files, verbatim */
    size_t potential_lengths[MD_MAX_ELEMENTS];
    int potential_count;
    int elements[MD_MAX_TYPES];         /* of each type, in the potential */
    int used_elements[MD_MAX_ELEMENTS]; /* those that types have: eam.elements */
    double embedding; /* of this rank: the sum of F(rho), from the last forces with energy */

    bool bound;        /* all views exist */
    mx_lid image_room; /* images that the views have room for */

    /* the list */
    const md_list_form *form;
    void *list;        /* its state; NULL where it was freed */
    bool half;         /* each pair is in one list only */
    bool ghost_newton; /* half: also a pair with a ghost is in one list only */
    md_bins bins;
    /* atoms are sorted by blocks of bins: for devices, whose neighbouring threads share a cache */
    bool in_blocks;
    int64_t pairs; /* of atoms, in the list */

    /* kernel arguments, bound anew after views were replaced (md_bind) */
    md_move_args move;
    md_moved_args moved;
    md_motion_args motion;

    /* what forms of lists give to the kernels of forces */
    md_lj_pairs lj;
    md_eam_tables eam;

    /* what the run did */
    int64_t step;     /* done */
    int64_t builds;   /* lists made in the time loop */
    bool kicked;      /* velocities are half a step behind */
    md_energy energy; /* of this rank, from the last forces with energy */
    md_state last;    /* as last summed */
    md_history history;
    app_frames frames, box_frames; /* of the trajectory; NULL where there are none */
    md_times times;
} md_app;

/* ---- setup.c: stages ---- */

mx_err md_set_up(md_app *app);
/* At the end of a run, however far it came. */
void md_clean_up(md_app *app);

/* ---- views.c: views of atoms ---- */

/* The local atoms: 0 to local - 1. */
static inline mx_range_1 md_local_range(const md_app *app)
{
    return mx_range_1d(app->base.ctx, 0, app->local);
}
/* Is views.built_position needed? */
static inline bool md_keeps_built(const md_app *app)
{
    return app->input.neigh_check || app->base.checkpoint != NULL;
}
/* Makes all views of atoms at least `atoms` long; what they have is kept. Binds again where a view
 * was replaced. */
mx_err md_reserve(md_app *app, int64_t atoms);
/* How many atoms md_reserve makes room for. MX_ERR_EXTENT: an index cannot count them. */
mx_err md_choose_capacity(int64_t atoms, int64_t *capacity);
/* Bytes of all views of atoms, for one atom. */
double md_bytes_of_atom(md_app *app);
/* Binds all kernel arguments that last. */
mx_err md_bind(md_app *app);
/* The first rows of a view of atoms, of rank 1 (one column) or 2, into host memory: f64, i64 or
 * i32. Not collective. */
mx_err md_export_rows(const md_app *app, mx_view view, mx_lid rows, int columns, mx_type type,
                      void *values);

/* ---- input/find_file.c ---- */

typedef struct md_path {
    char text[1024];
} md_path;
/* A file that the deck or the command line names: in the working folder, as the original does, else
 * beside the deck. Returns the name itself, also if there is no such file, or path->text. */
const char *md_find_file(const md_app *app, const char *name, md_path *path);

/* ---- input/data_atoms.c: the data file that the input names ---- */

/* Reads it: the box, the numbers of atoms and types, what else it has. Collective, agreed. */
mx_err md_read_data(md_app *app);
/* The masses of the types are those of the file, if it has some. */
void md_use_data_masses(md_app *app);
/* Puts its atoms into the views; md_migrate brings them to their bricks. Collective. */
mx_err md_place_data(md_app *app);

/* ---- forces/coefficients.c ---- */

md_coefficients md_pair_coefficients(const md_app *app, int i, int j);

/* ---- domain.c ---- */

/* The bricks of the box, whose lengths are given; which bricks have ghosts of this one's atoms.
 * Collective, agreed. */
mx_err md_make_domain(md_app *app);
void md_free_domain(md_app *app);
/* Wraps positions, and sends each local atom to the rank whose brick it is in. There are no ghosts
 * then. Atoms whose positions are no numbers, or that are missing, end the run: MX_ERR_COMM.
 * Collective, agreed. */
mx_err md_migrate(md_app *app);
/* Finds the atoms that other bricks need, makes the lists of app->halo, and fetches positions and
 * types of ghosts. Collective. */
mx_err md_make_borders(md_app *app);
/* Positions of ghosts; begin and end of that, between which ghosts must not be accessed.
 * Collective. */
mx_err md_update_ghosts(md_app *app);
mx_err md_update_ghosts_begin(md_app *app);
mx_err md_update_ghosts_end(md_app *app);

/* ---- lists/lists.c ---- */

/* The form of the list, which the input asks for, or else the fastest one on this backend; and
 * its settings. Agreed. */
mx_err md_choose_list(md_app *app);
/* Frees the list: at the end of a run only. */
void md_free_list(md_app *app);

/* ---- lists/bins.c: for lists in rows ---- */

/* The atoms of each bin, with ghosts: views.bin_begin and bin_atom. */
mx_err md_fill_bins(md_app *app);
/* views.order: by bins. On several ranks first the atoms that have no ghosts as neighbours. */
mx_err md_order_by_bins(md_app *app);
double md_bins_inverse(const md_app *app, int d);

/* ---- lists/sort.c ---- */

/* Puts local atoms into the order of the list. Not between md_make_borders and the next
 * list. */
mx_err md_sort_atoms(md_app *app);

/* ---- forces/force.c: forces on local atoms, from the list; with `energy` true also app->energy.
 * Collective. ---- */

mx_err md_prepare_force(md_app *app); /* once: the potential, its cutoff, masses */
mx_err md_compute_force(md_app *app, bool energy);
/* Can forces be computed in two phases? One phase, without energies. Not collective. */
bool md_force_has_parts(const md_app *app);
mx_err md_compute_force_part(md_app *app, md_phase phase);
md_work md_force_work(const md_app *app);
double md_force_scale(const md_app *app); /* the order of magnitude of the force of a pair */
void md_free_force(md_app *app);

/* ---- forces/lj.c ---- */

mx_err md_prepare_lj(md_app *app);

/* ---- forces/eam.c ---- */

mx_err md_prepare_eam(md_app *app);
/* The file's name, or several with commas between them. */
const char *md_potential_name(const md_app *app);
/* Between the densities and the forces, ghosts get F'(rho) of their atoms. Collective. */
mx_err md_compute_eam(md_app *app, bool energy);
void md_free_eam(md_app *app);

/* ---- forces/first_force.c ---- */

/* After the first forces, with or without energies: MX_ERR_INPUT unless they are finite. The
 * message names the two nearest atoms. Collective, agreed. */
mx_err md_check_first_force(md_app *app, bool energy);

/* ---- run.c ---- */

mx_err md_run(md_app *app);
/* md_migrate, sort, md_make_borders, and a new list. Collective. */
mx_err md_reneighbour(md_app *app);

/* ---- timing.c ---- */

mx_err md_add_parts(md_app *app);
/* At the begin and the end of each call of a part. */
mx_err md_part_begin(md_app *app, md_part part);
mx_err md_part_end(md_app *app, md_part part, md_work work);
/* At the begin and the end of the time loop. */
mx_err md_loop_begin(md_app *app);
mx_err md_loop_end(md_app *app);
/* The totals of a part in the time loop on this rank: where not every call was timed, estimates. */
app_region_totals md_part_totals(const md_app *app, md_part part);

/* ---- thermo.c ---- */

void md_choose_scales(md_app *app);
/* The state from velocities and app->energy. Collective. */
mx_err md_sum_state(md_app *app, md_state *state);
/* Sums, prints a line and adds it to the history. Collective. */
mx_err md_print_state(md_app *app);
/* Sums over the atoms of all ranks. Collective. */
mx_err md_sum_all_motion(md_app *app, md_motion *sum);
/* The temperature of all atoms, from their sum of m v^2. */
double md_temperature(const md_app *app, double mvv);

/* ---- output/print.c: what the original prints ---- */

/* What follows from the input and the machine. */
typedef struct md_settings {
    const char *backend;
    int threads;
    double density; /* atoms per volume */
    bool half_lists, ghost_newton;
    int64_t bins[3]; /* along the whole box */
    int sort;        /* steps between sorts; 0: never */
} md_settings;
/* After the first list. */
md_settings md_get_settings(const md_app *app);
void md_print_settings(const md_app *app);

/* Seconds of this rank in the time loop. */
typedef struct md_spent {
    double total, force, list, comm, other;
    double borders; /* a part of comm */
} md_spent;
md_spent md_time_spent(const md_app *app);
/* Atom-steps a second of all ranks, in a time loop of so many seconds. */
double md_rate(const md_app *app, double seconds);
/* With the times of the slowest rank, of each part. Collective. */
mx_err md_print_performance(md_app *app);

/* ---- output/write_yaml.c: the original's YAML file, if the input asks for it. Collective, agreed.
 * ---- */

mx_err md_write_yaml(md_app *app);

/* ---- output/history.c: histories ---- */

/* Fills list[MD_HISTORIES]; returns how many there are. */
int md_list_history(md_app *app, md_named_series *list);
void md_free_history(md_app *app);

/* ---- restart.c: checkpoints and the restart ---- */

/* What a checkpoint keeps; restores it, if the user asks for that. */
mx_err md_restart(md_app *app);
/* After a restart: ghosts and the list as they were when the checkpoint was written. Collective. */
mx_err md_resume(md_app *app);

/* ---- output/results.c: the results file. Collective. ---- */

/* At the end of a run: with a results file the neighbour lists are freed before atoms are sorted. */
mx_err md_store_results(md_app *app);
/* MX_ERR_ARG unless each id is there once, from 1 on, and as many as atoms; they may have gaps.
 * Agreed. */
mx_err md_check_ids(md_app *app);
/* The elements of H5MD, where frames are wanted. */
mx_err md_begin_frames(md_app *app);
/* After a step: writes a frame, where one is due. */
mx_err md_add_frame(md_app *app);

/* ---- output.c: the original's last lines, and what only miniMD has in the results file ---- */

mx_err md_write(md_app *app);

/* ---- verify.c: compares with what is known of the run ---- */

mx_err md_verify(md_app *app);
