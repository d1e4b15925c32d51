/* The frames of positions: the box is that of the end; every atom is in it; a lattice begins at its
 * sites; the last frame, if it is of the last step, has the positions of the end; the centre of
 * mass moves with the momentum; and sums over pairs agree with the entry of the same step, or leave
 * no less than 0 of the conserved energy as kinetic energy where there is none.
 *
 * Centre of mass. Positions are known up to whole sides of the box. So where all masses are the
 * same, the sum of all positions changes by the number of atoms times velocity times time, up to
 * whole sides. Its roundings: N positions with 1e-16 of a side each. */
#include "md_checks.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUM_ROUNDING 1e-12
/* The last frame and the last positions differ by whole sides, because atoms are moved into the box
 * only when a list is made, and by rounding: so much, in sides. */
#define AWAY_TOLERANCE 1e-10
#define MOMENTUM_TOLERANCE 1e-9
#define MIXED_MOMENTUM_TOLERANCE 1e-5

/* So many distances, and so many for each byte of the frames, are computed, as the last positions
 * need them. Where all frames need more, only every second frame, or third, ... is compared with
 * its energies. With the usual cutoffs a position (24 bytes) needs 200 to 400. */
#define FREE_FRAME_DISTANCES 1e8
#define FRAME_DISTANCES_PER_BYTE 40

static const char values_path[] = "/particles/all/position/value";

static void check_edges(minimd *m)
{
    int64_t count = 0, wrong = 0;
    double *edges = NULL;
    if (app_reader_f64(m->base.reader, "/particles/all/box/edges/value", &count, &edges) == MX_OK)
        for (int64_t i = 0; i < count; i++) wrong += edges[i] != m->box[3 + i % 3];
    free(edges);
    vf_count(m->base.verdict, "frames: sides that are not those of the box", wrong, 0);
}

/* The largest distance, along an axis, of atoms from where they must be, relative to the side: up
 * to whole sides. */
static double farthest(const minimd *m, const double *got, const double *expected)
{
    double largest = 0;
    for (int64_t i = 0; i < 3 * m->atoms; i++) {
        const double away = (got[i] - expected[i]) / m->box[3 + i % 3];
        largest = fmax(largest, fabs(away - round(away)));
    }
    return largest;
}

/* Of the corner and of a side. */
static double place_rounding(const minimd *m)
{
    double rounding = 0;
    for (int d = 0; d < 3; d++) rounding = fmax(rounding, 1 + fabs(m->box[d]) / m->box[3 + d]);
    return 4 * DBL_EPSILON * rounding;
}

static void check_first(const minimd *m, const double *frame)
{
    double largest = 0;
    for (int64_t i = 0; i < m->atoms; i++) {
        double site[3];
        mv_lattice_site(m, i, site);
        for (int d = 0; d < 3; d++) {
            const double away = (frame[3 * i + d] - site[d]) / m->box[3 + d];
            largest = fmax(largest, fabs(away - round(away)));
        }
    }
    vf_max(m->base.verdict, "first frame: atoms away from their sites", largest, place_rounding(m));
}

/* ---- centre of mass ---- */

static bool has_one_mass(const minimd *m)
{
    bool one = true;
    for (int64_t t = 1; t < m->types; t++) one = one && m->mass[t] == m->mass[0];
    return one;
}

/* In sides, without whole ones: so the sum stays small, and its roundings too. */
static void sum_positions(const minimd *m, const double *frame, double *sum)
{
    for (int d = 0; d < 3; d++) sum[d] = 0;
    for (int64_t i = 0; i < 3 * m->atoms; i++) {
        double *const s = &sum[i % 3];
        *s += frame[i] / m->box[3 + i % 3];
        *s -= floor(*s);
    }
}

/* Counts frames whose centre of mass is not where that of the frame before and the momentum lead
 * it. */
static void check_centre(const minimd *m, const double *values, int64_t frames)
{
    const double allowed = mv_input(m)->precision == MD_PRECISION_MIXED ? MIXED_MOMENTUM_TOLERANCE
                                                                        : MOMENTUM_TOLERANCE;
    const md_energies e = mv_energies(m);
    const double motion = fmax(m->motion[0], m->motion[m->entries - 1]);
    const double change = fmax(allowed * motion, md_momentum_roundings(&e));
    double before[3], now[3];
    int64_t astray = 0;
    if (!m->conserves_momentum || !has_one_mass(m)) return;
    for (int64_t f = 0; f < frames; f++) {
        sum_positions(m, values + 3 * m->atoms * f, now);
        const int64_t steps =
            f == 0 ? 0 : vf_schedule_step(&m->frames, f) - vf_schedule_step(&m->frames, f - 1);
        const double time = (double)steps * mv_input(m)->dt;
        for (int d = 0; d < 3 && f > 0; d++) {
            const double per_side = time / m->mass[0] / m->box[3 + d];
            const double away = now[d] - before[d] - m->momentum_now[d] * per_side;
            const double tolerance =
                SUM_ROUNDING * (double)m->atoms * (1 + place_rounding(m)) + change * per_side;
            astray += !(fabs(away - round(away)) <= tolerance);
        }
        memcpy(before, now, sizeof before);
    }
    vf_count(m->base.verdict, "frames: jumps of the centre of mass", astray, 0);
}

/* ---- energies ---- */

/* The entry of a step; -1: there is none. */
static int64_t entry_of(const minimd *m, int64_t step)
{
    int64_t low = 0, high = m->entries - 1;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (m->step[middle] < step)
            low = middle + 1;
        else
            high = middle;
    }
    return m->step[low] == step ? low : -1;
}

/* The kinetic energy of a frame, which is the conserved energy without the potential energy, is not
 * negative. The tolerance is that with which the app checks that the energy is conserved. */
static void check_rest(const minimd *m)
{
    const double atoms = (double)m->atoms;
    const double rest = m->conserved[0] - (m->energy - m->at_cutoff) / atoms;
    const md_energies e = mv_energies(m);
    const double tolerance =
        2 * LIST_TOLERANCE * fmax(md_energy_size_at(&e, 0), md_energy_size_at(&e, m->entries - 1)) +
        (mv_pairs_tolerance(m) * m->energy_size + m->edge_energy) / atoms;
    if (m->conserves_energy && !(rest >= -tolerance))
        vf_words(m->base.verdict, "frames: energy", false,
                 "got %.17g of an atom, expected at most the conserved %.17g",
                 m->conserved[0] - rest, m->conserved[0]);
}

static void check_energies(minimd *m, const double *values, int64_t frames)
{
    const double bytes = 24.0 * (double)m->atoms * (double)frames;
    const double work = m->distances * (double)frames;
    const double share = work / (FREE_FRAME_DISTANCES + FRAME_DISTANCES_PER_BYTE * bytes);
    const int64_t every = share > 1 ? (int64_t)fmin(ceil(share), (double)frames) : 1;
    for (int64_t f = 0; f < frames; f += every) {
        const int64_t step = vf_schedule_step(&m->frames, f), entry = entry_of(m, step);
        if (step == 0 && !mv_input(m)->data_file) continue; /* a lattice: checked with its entry */
        if (!mv_sum_pairs(m, values + 3 * m->atoms * f)) return;
        if (entry >= 0)
            mv_check_entry(m, entry);
        else
            check_rest(m);
    }
}

static void check_frames(minimd *m, double *values, int64_t frames)
{
    const int64_t numbers = 3 * m->atoms;
    char name[64];
    for (int64_t f = 0; f < frames; f++) {
        snprintf(name, sizeof name, "%s, frame %lld", values_path, (long long)f);
        if (!mv_to_corner(m, name, values + numbers * f)) return;
    }
    if (vf_schedule_step(&m->frames, 0) == 0 && !mv_input(m)->data_file) check_first(m, values);
    if (vf_schedule_step(&m->frames, frames - 1) == m->last_step)
        vf_max(m->base.verdict, "last frame: distances from the last positions",
               farthest(m, values + numbers * (frames - 1), m->position), AWAY_TOLERANCE);
    check_centre(m, values, frames);
    check_energies(m, values, frames);
}

bool mv_row_frames(void *state)
{
    minimd *const m = state;
    const int64_t frames = mv_input(m)->frames > 0 ? vf_schedule_count(&m->frames) : 0;
    int64_t count = 0;
    double *values = NULL;
    if (frames == 0) return true;
    check_edges(m);
    if (app_reader_f64(m->base.reader, values_path, &count, &values) == MX_OK)
        check_frames(m, values, frames);
    else
        vf_impossible(m->base.verdict, values_path, mx_err_message());
    free(values);
    return true;
}
