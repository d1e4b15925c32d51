/* The first energy and force must be numbers, also the squares of forces: two atoms at one place,
 * or nearly, have none. Sums over all atoms tell; lists of clusters of the embedded-atom method
 * leave out pairs at one place, and count them here. Only where something is wrong, atoms are
 * compared with each other. */
#include "md_app.h"

#include <math.h>
#include <stdlib.h>

/* Atoms of a rank that are compared with all others: the two of a pair have an infinite force, and
 * with the embedded-atom method so have their neighbours. */
enum { MAX_SUSPECTS = 1000 };

/* Two atoms and their distance. */
typedef struct near_pair {
    double distance;
    mx_gid id[2]; /* the smaller one first; 0: there is no pair */
} near_pair;

/* ---- on one rank ---- */

/* Of local atoms and ghosts. */
typedef struct all_atoms {
    int64_t count;
    double (*position)[3], (*force)[3];
    mx_gid *id;
} all_atoms;

static bool is_nearer(const near_pair *a, const near_pair *b)
{
    if (a->id[0] == 0 || b->id[0] == 0) return b->id[0] == 0 && a->id[0] != 0;
    if (a->distance != b->distance) return a->distance < b->distance;
    return a->id[0] != b->id[0] ? a->id[0] < b->id[0] : a->id[1] < b->id[1];
}

static near_pair pair_of(const all_atoms *all, int64_t i, int64_t j)
{
    const double *const x = all->position[i], *const y = all->position[j];
    const mx_gid a = all->id[i], b = all->id[j];
    return (near_pair){.distance = hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]),
                       .id = {a < b ? a : b, a < b ? b : a}};
}

/* Of the atoms without a force, and all others. */
static near_pair nearest_of_suspects(const all_atoms *all, mx_lid local)
{
    near_pair nearest = {0};
    int suspects = 0;
    for (mx_lid i = 0; i < local && suspects < MAX_SUSPECTS; i++) {
        const double *const f = all->force[i];
        if (isfinite(f[0] * f[0] + f[1] * f[1] + f[2] * f[2])) continue;
        suspects++;
        for (int64_t j = 0; j < all->count; j++) {
            const near_pair pair = pair_of(all, i, j);
            if (j != i && is_nearer(&pair, &nearest)) nearest = pair;
        }
    }
    return nearest;
}

static int compare_positions(const void *a, const void *b)
{
    const double *const x = *(double *const *)a, *const y = *(double *const *)b;
    int d = 0;
    while (d < 2 && x[d] == y[d]) d++;
    return (x[d] > y[d]) - (x[d] < y[d]);
}

/* Of atoms that follow each other, sorted by their positions: so one of a pair at one place. */
static mx_err nearest_of_sorted(const all_atoms *all, near_pair *nearest)
{
    double **const sorted = malloc(((size_t)all->count + 1) * sizeof *sorted);
    MX_REQUIRE(sorted, MX_ERR_MEMORY, "no memory to compare %lld atoms", (long long)all->count);
    for (int64_t i = 0; i < all->count; i++) sorted[i] = all->position[i];
    qsort(sorted, (size_t)all->count, sizeof *sorted, compare_positions);
    for (int64_t n = 1; n < all->count; n++) {
        const double *const first = all->position[0];
        const near_pair pair = pair_of(all, (sorted[n - 1] - first) / 3, (sorted[n] - first) / 3);
        if (is_nearer(&pair, nearest)) *nearest = pair;
    }
    free(sorted);
    return MX_OK;
}

static mx_err export_atoms(const md_app *app, all_atoms *all)
{
    const md_views *const v = &app->views;
    const mx_lid rows = app->local + app->ghosts;
    const size_t bytes = ((size_t)rows + 1) * sizeof *all->position;
    *all = (all_atoms){.count = rows,
                       .position = malloc(bytes),
                       .force = malloc(bytes),
                       .id = malloc(((size_t)rows + 1) * sizeof *all->id)};
    MX_REQUIRE(all->position && all->force && all->id, MX_ERR_MEMORY,
               "no memory to compare %d atoms", rows);
    MX_TRY(md_export_rows(app, v->position, rows, 3, MX_F64, all->position));
    MX_TRY(md_export_rows(app, v->force, app->local, 3, MX_F64, all->force));
    return md_export_rows(app, v->id, rows, 1, MX_I64, all->id);
}

/* ---- on all ranks ---- */

/* The nearest one of all ranks. */
static mx_err join(app_comm comm, near_pair *nearest)
{
    const int ranks = app_size(comm);
    near_pair *const pairs = calloc((size_t)ranks, sizeof *pairs);
    mx_err err = pairs ? MX_OK : MX_FAIL(MX_ERR_MEMORY, "no memory to compare atoms");
    err = app_agree(comm, err);
    if (err == MX_OK) err = app_allgather(comm, nearest, sizeof *nearest, pairs);
    for (int r = 0; r < ranks && err == MX_OK; r++)
        if (is_nearer(&pairs[r], nearest)) *nearest = pairs[r];
    free(pairs);
    return err;
}

static mx_err find_nearest(md_app *app, near_pair *nearest)
{
    const app_comm comm = app->base.comm;
    all_atoms all = {0};
    *nearest = (near_pair){0};
    MX_TRY(app_forward(app->halo, 1, &app->views.id, APP_UNSHIFTED)); /* ids of ghosts */
    mx_err err = app_agree(comm, export_atoms(app, &all));
    if (err == MX_OK) *nearest = nearest_of_suspects(&all, app->local);
    if (err == MX_OK) err = join(comm, nearest);
    if (err == MX_OK && nearest->id[0] == 0) {
        err = app_agree(comm, nearest_of_sorted(&all, nearest));
        if (err == MX_OK) err = join(comm, nearest);
    }
    free(all.position);
    free(all.force);
    free(all.id);
    return err;
}

static mx_err refuse(md_app *app)
{
    const char *const file = app->base.restarted    ? app->base.restart
                             : app->input.data_file ? app->input.data_file
                                                    : "the lattice";
    near_pair pair;
    MX_TRY(find_nearest(app, &pair));
    const mx_err err =
        pair.id[0] == 0
            ? MX_FAIL(MX_ERR_INPUT, "%s: step %lld: the potential energy is not a finite number",
                      file, (long long)app->step)
            : MX_FAIL(
                  MX_ERR_INPUT,
                  "%s: step %lld: atoms %lld and %lld are at a distance of %g: got a force that "
                  "is no number to compute with, expected atoms farther apart",
                  file, (long long)app->step, (long long)pair.id[0], (long long)pair.id[1],
                  pair.distance);
    return app_agree(app->base.comm, err);
}

/* Finite, if forces and energies are, and no atoms are at one place. */
static mx_err sum_forces(md_app *app, bool energy, double *all)
{
    md_views forces = app->views;
    md_motion_args args;
    md_motion sum;
    int64_t touching = 0;
    forces.velocity = app->views.force;
    MX_TRY(md_motion_args_bind(app->base.ctx, &forces, &args));
    MX_TRY(md_sum_motion(md_local_range(app), &args, &sum)); /* of m f^2 */
    if (app->input.force == MD_FORCE_EAM && app->form->eam_touching != NULL)
        MX_TRY(app->form->eam_touching(app, &touching));
    *all = touching > 0 ? INFINITY : sum.mvv;
    if (energy) *all += app->energy.potential + app->energy.virial;
    return app_sum_f64(app->base.comm, all, 1);
}

mx_err md_check_first_force(md_app *app, bool energy)
{
    double all;
    MX_TRY(sum_forces(app, energy, &all));
    return isfinite(all) ? MX_OK : refuse(app);
}
