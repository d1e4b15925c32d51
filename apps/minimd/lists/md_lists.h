/* Neighbour lists: each form has a folder with its list, its forces and their kernels, and an
 * md_list_form, which lists.c names. The form is chosen once, at set-up. All forms give the same
 * forces.
 *
 *     clusters/   for each atom the groups of eight atoms that are near it; full and half
 *     rows/       a row of a table for each atom, in the backend's layout; full
 *     strided/    one array, with a begin and a stride for each atom: rows, columns, CSR; full and half
 *
 * To add a form: a folder whose form.c has the md_list_form, its name in lists.c, its files
 * in CMakeLists.txt; and, if the input shall name it, a word of the key `list` (input/keys.c). */
#pragma once
#include "input/md_input.h"
#include "kernels/md_kernels.h"

typedef struct md_app md_app;

/* The two phases of forces: what needs no ghosts, while they are on their way; then the rest. */
typedef enum md_phase { MD_WITHOUT_GHOSTS, MD_WITH_GHOSTS } md_phase;

/* Numbers of atoms and pairs of a rank, in the mean over ranks of a box that is as dense
 * everywhere. */
typedef struct md_mean_counts {
    double density;     /* atoms per volume */
    double local, held; /* atoms, without and with ghosts */
    double pairs;       /* of local atoms with others, up to the list's cutoff, once */
} md_mean_counts;

/* A form of neighbour list. Functions of an md_app work on app->list, the form's state. A member that
 * may be NULL says so. */
typedef struct md_list_form {
    const char *name;
    size_t state_bytes; /* of app->list, all zero at first */
    bool half_on_hosts; /* neighbours=auto gives half lists on hosts, else full ones */
    bool eam_slopes;    /* the embedded-atom method needs views.pair_slopes */

    /* Has it what the input asks for; and is it the one to take, where the input leaves that open? */
    bool (*fits)(const md_input *in, bool on_host);
    /* Once, when app->half is known: settings of the input; NULL: there are none. */
    mx_err (*create)(md_app *app);
    /* Accepts a state that is all zero, and makes it so. */
    void (*destroy)(md_app *app);
    /* Bytes that a rank needs for the list. */
    double (*bytes)(const md_app *app, const md_mean_counts *n);

    /* views.order: the order of local atoms in which they are sorted. */
    mx_err (*order)(md_app *app);
    /* The list, and app->pairs. Waits for the context. */
    mx_err (*build)(md_app *app);
    /* After views of atoms were replaced, also when there is no list yet; NULL: nothing to do. */
    mx_err (*bind)(md_app *app);
    /* Bins for a unit of length along an axis, of the last list. */
    double (*bins_inverse)(const md_app *app, int d);

    /* Lennard-Jones: forces on local atoms; and their energy, unless that is NULL. Collective. */
    mx_err (*lj)(md_app *app, md_energy *energy);
    /* Can forces be computed in two phases, without energies? NULL: never. */
    bool (*has_phases)(const md_app *app);
    mx_err (*lj_phase)(md_app *app, md_phase phase);

    /* The embedded-atom method; NULL where `fits` refuses it. First F'(rho) of local atoms, into
     * views.derivative, and the sum of F(rho), unless `embedding` is NULL. Then, with those of
     * ghosts, forces on local atoms, and the energy of pairs. */
    mx_err (*eam_density)(md_app *app, double *embedding);
    mx_err (*eam_force)(md_app *app, md_energy *energy);
    /* Pairs of atoms at one place, at the last forces; NULL: their forces are not finite. */
    mx_err (*eam_touching)(md_app *app, int64_t *touching);
} md_list_form;
