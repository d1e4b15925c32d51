/* The division of the elements among the ranks: recursive bisection; and with load_imbalance one
 * that is uneven on purpose, as the original makes it. From the bisection on, until some rank's
 * number of elements differs from the mean by so many percent:
 *
 *   1. the rank with most elements grows by one plane of elements,
 *   2. the rank with fewest shrinks by one plane;
 *
 * of equal ranks the lowest one. The side that moves is the first that can, in the order z upper, z
 * lower, y upper, y lower, x upper, x lower. All boxes that have a side in the same plane move it
 * too, so that boxes still fill the domain without overlap. A side can move unless it is the
 * domain's, or a box that would shrink has two layers or fewer. It ends as well when the largest
 * deviation no longer grows.
 *
 * Each rank computes all boxes: 48 bytes a rank. On one rank nothing is moved. */
#include "fe_level.h"

#include <math.h>
#include <stdlib.h>

typedef struct division {
    int ranks;
    double wanted; /* deviation, % */
    mx_gid global[3];
    app_box *box;
} division;

static double elements_of(const app_box *box)
{
    return (double)box->cells[0] * (double)box->cells[1] * (double)box->cells[2];
}

static mx_gid end_of(const app_box *box, int d) { return box->first[d] + box->cells[d]; }

/* The rank with the largest number of elements, or with the smallest. */
static int extreme(const division *v, bool largest)
{
    int found = 0;
    for (int rank = 1; rank < v->ranks; rank++) {
        const double one = elements_of(&v->box[rank]), other = elements_of(&v->box[found]);
        if (largest ? one > other : one < other) found = rank;
    }
    return found;
}

/* The largest deviation from the mean, in %. */
static double deviation(const division *v)
{
    const double mean =
        (double)v->global[0] * (double)v->global[1] * (double)v->global[2] / v->ranks;
    const double largest = elements_of(&v->box[extreme(v, true)]),
                 smallest = elements_of(&v->box[extreme(v, false)]);
    return 100 * fmax(largest / mean - 1, 1 - smallest / mean);
}

/* By how many planes a side moves: one, as in the original. In a mesh of more planes than MAX_MOVES
 * it is a small share of them, because single planes would take minutes. */
static mx_gid planes_of_a_move(const division *v, int d)
{
    enum { MAX_MOVES = 65536 };
    return 1 + (v->global[d] - 1) / MAX_MOVES;
}

/* Moves all sides in the plane number `plane` of dimension d on; false: they cannot move. */
static bool move_plane(division *v, int d, mx_gid plane, bool up)
{
    const mx_gid planes = planes_of_a_move(v, d), shift = up ? planes : -planes;
    if (plane == 0 || plane == v->global[d]) return false;
    for (int rank = 0; rank < v->ranks; rank++) {
        const app_box *box = &v->box[rank];
        const bool shrinks = up ? box->first[d] == plane : end_of(box, d) == plane;
        if (shrinks && box->cells[d] <= 1 + planes) return false;
    }
    for (int rank = 0; rank < v->ranks; rank++) {
        app_box *const box = &v->box[rank];
        const bool at_start = box->first[d] == plane, at_end = end_of(box, d) == plane;
        if (at_start) box->first[d] += shift;
        if (at_start) box->cells[d] -= shift;
        if (at_end) box->cells[d] += shift;
    }
    return true;
}

static bool change(division *v, int rank, bool grow)
{
    for (int d = 0; d < 3; d++) {
        if (move_plane(v, d, end_of(&v->box[rank], d), grow)) return true;
        if (move_plane(v, d, v->box[rank].first[d], !grow)) return true;
    }
    return false;
}

/* Returns the deviation that was reached. */
static double unbalance(division *v)
{
    double reached = deviation(v);
    while (reached < v->wanted) {
        (void)change(v, extreme(v, true), true);
        (void)change(v, extreme(v, false), false);
        const double now = deviation(v);
        if (!(now > reached)) break;
        reached = now;
    }
    return deviation(v);
}

mx_err fe_partition(const app_base *base, const mx_gid *elements, double imbalance, app_box *part)
{
    app_bisection all;
    division v = {.ranks = app_size(base->comm), .wanted = imbalance};
    MX_TRY(app_bisection_create(v.ranks, 3, elements, &all));
    *part = app_bisection_box(&all, app_rank(base->comm));
    if (imbalance <= 0 || v.ranks == 1) return MX_OK;
    v.box = malloc((size_t)v.ranks * sizeof *v.box);
    mx_err err = v.box != NULL
                     ? MX_OK
                     : MX_FAIL(MX_ERR_MEMORY, "no memory for the boxes of %d ranks", v.ranks);
    err = app_agree(base->comm, err);
    if (err != MX_OK) {
        free(v.box);
        return err;
    }
    for (int d = 0; d < 3; d++) v.global[d] = elements[d];
    for (int rank = 0; rank < v.ranks; rank++) v.box[rank] = app_bisection_box(&all, rank);
    const double reached = unbalance(&v);
    *part = v.box[app_rank(base->comm)];
    free(v.box);
    if (reached < imbalance)
        app_print_note(base, "load_imbalance: got %g %%, reached %.3g %%: no plane can be moved on",
                       imbalance, reached);
    return MX_OK;
}
