/* The rival of miniMD: the benchmark as its original describes it, by hand, as one ordinary C
 * program.
 *
 *     minimd-rival [--no-branches] [CELLS] [STEPS] [BRICKS] [FILE]
 *
 * CELLS are unit cells along each side of the box. The defaults are 32 100 1.
 *
 * Lennard-Jones atoms on a face-centred cubic lattice, at the benchmark's density, temperature,
 * time step, cutoff and skin; or with FILE, a funcfl potential, the benchmark of the embedded-atom
 * method (minimd_rival_eam.c). Velocity Verlet. Every 20 steps atoms change bricks, are sorted by
 * bins, and lists are built. Each pair is computed once (half lists, Newton's third law, also
 * across ghosts), in a scalar loop over a list of fixed width (the two-dimensional list). As in the
 * original, a branch leaves out pairs beyond the cutoff. With --no-branches the force of such a pair
 * (Lennard-Jones) is zero, and lists are built without that branch. This is faster, as the branch is
 * often mispredicted.
 *
 * The box is cut into bricks along z. A thread works on each, with ghosts of its own, as an MPI
 * rank would; but a message is a copy in shared memory, so this is faster than ranks. Ghosts are
 * exchanged along x, then y, then z, as in the original.
 *
 * Prints temperature, energy and pressure of the first and the last step, and nanoseconds for an
 * atom and a step. */
#include "minimd_rival.h"

#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUTOFF 2.5 /* of Lennard-Jones */
enum { EVERY = 20, STENCIL = 125, MAX_BRICKS = 64 };

static double box;
static int bricks_count;
static bool no_branches;
static brick bricks[MAX_BRICKS];
static rival_problem problem = {.density = 0.8442,
                                .temperature = 1.44,
                                .step = 0.005,
                                .list_cutoff = 2.8,
                                .width = 80,
                                .mvv_to_energy = 1,
                                .boltzmann = 1,
                                .printed_energy = 1,
                                .printed_pressure = 1,
                                .mass = 1};

void *rival_allocate(size_t count, size_t size)
{
    void *const memory = aligned_alloc(64, (count * size + 63) / 64 * 64);
    if (memory == NULL) {
        fprintf(stderr, "minimd-rival: no memory\n");
        exit(3);
    }
    return memory;
}

/* ---- set-up ---- */

/* The benchmark's velocities: a multiplicative generator, seeded by the atom's number. */
static double next_random(int64_t *seed)
{
    *seed = *seed * 16807 % 2147483647;
    return (double)*seed / 2147483647.0;
}

static void create_atoms(brick *b, int cells)
{
    const double half = box / cells / 2;
    b->local = 0;
    for (int k = 0; k < 2 * cells; k++) {
        for (int j = 0; j < 2 * cells; j++) {
            for (int i = 0; i < 2 * cells; i++) {
                const double z = k * half;
                if ((i + j + k) % 2 != 0 || z < b->low[2] || z >= b->high[2]) continue;
                int64_t seed = ((int64_t)k * 2 * cells + j) * 2 * cells + i + 1;
                b->x[b->local][0] = i * half;
                b->x[b->local][1] = j * half;
                b->x[b->local][2] = z;
                for (int d = 0; d < 3; d++) {
                    for (int m = 0; m < 5; m++) (void)next_random(&seed);
                    b->v[b->local][d] = next_random(&seed);
                }
                b->local++;
            }
        }
    }
}

static void create_brick(brick *b, int number, int cells)
{
    const double slab = box / bricks_count;
    for (int d = 0; d < 3; d++) {
        b->low[d] = d == 2 ? number * slab : 0;
        b->high[d] = d == 2 && number + 1 < bricks_count ? (number + 1) * slab : box;
    }
    double volume = 1;
    for (int d = 0; d < 3; d++) volume *= b->high[d] - b->low[d] + 2.5 * problem.list_cutoff;
    b->capacity = (int)(1.1 * volume * problem.density) + 1000;
    const size_t n = (size_t)b->capacity;
    b->x = rival_allocate(n, sizeof(point));
    b->v = rival_allocate(n, sizeof(point));
    b->f = rival_allocate(n, sizeof(point));
    b->spare = rival_allocate(n, sizeof(point));
    b->outbox = rival_allocate(2 * n, sizeof(point));
    b->order = rival_allocate(n, sizeof(int));
    b->bin = rival_allocate(n, sizeof(int));
    b->count = rival_allocate(n, sizeof(int));
    b->list = rival_allocate(n * (size_t)problem.width, sizeof(int));
    for (int s = 0; s < SWAPS; s++) b->swaps[s].index = rival_allocate(n, sizeof(int));
    b->bin_count = 1;
    for (int d = 0; d < 3; d++) {
        const double length = b->high[d] - b->low[d];
        const int inside = (int)(length / (problem.list_cutoff / 2));
        b->per_length[d] = inside / length;
        b->bins[d] = inside + 2 * 3; /* ghosts lie within two bins and a little */
        b->bin_low[d] = b->low[d] - 3 / b->per_length[d];
        b->bin_count *= b->bins[d];
    }
    b->begin = rival_allocate((size_t)b->bin_count + 2, sizeof(int));
    int n_stencil = 0;
    const bool whole = problem.ghosts_twice;
    for (int z = whole ? -2 : 0; z <= 2; z++)
        for (int y = whole || z > 0 ? -2 : 0; y <= 2; y++)
            for (int x = whole || z > 0 || y > 0 ? -2 : 0; x <= 2; x++)
                b->stencil[n_stencil++] = (z * b->bins[1] + y) * b->bins[0] + x;
    b->stencils = n_stencil;
    create_atoms(b, cells);
    if (problem.ghosts_twice) rival_eam_create(b);
}

static void scale_velocities(void)
{
    double sum[3] = {0, 0, 0}, squares = 0;
    int64_t atoms = 0;
    for (int r = 0; r < bricks_count; r++) {
        atoms += bricks[r].local;
        for (int i = 0; i < bricks[r].local; i++)
            for (int d = 0; d < 3; d++) sum[d] += bricks[r].v[i][d];
    }
    for (int r = 0; r < bricks_count; r++)
        for (int i = 0; i < bricks[r].local; i++)
            for (int d = 0; d < 3; d++) {
                bricks[r].v[i][d] -= sum[d] / (double)atoms;
                squares += bricks[r].v[i][d] * bricks[r].v[i][d];
            }
    const double factor = sqrt(problem.temperature * problem.boltzmann * (3 * (double)atoms - 3) /
                               (squares * problem.mass * problem.mvv_to_energy));
    for (int r = 0; r < bricks_count; r++)
        for (int i = 0; i < bricks[r].local; i++)
            for (int d = 0; d < 3; d++) bricks[r].v[i][d] *= factor;
}

/* ---- atoms that change bricks, sorting, ghosts ---- */

static void exchange(brick *b, int number)
{
    int stay = 0;
    b->leaving = 0;
    for (int i = 0; i < b->local; i++) {
        for (int d = 0; d < 3; d++) {
            if (b->x[i][d] < 0) b->x[i][d] += box;
            if (b->x[i][d] >= box) b->x[i][d] -= box;
        }
        if (b->x[i][2] >= b->low[2] && b->x[i][2] < b->high[2]) {
            memmove(b->x[stay], b->x[i], sizeof(point));
            memmove(b->v[stay++], b->v[i], sizeof(point));
        } else {
            memcpy(b->outbox[2 * b->leaving], b->x[i], sizeof(point));
            memcpy(b->outbox[2 * b->leaving++ + 1], b->v[i], sizeof(point));
        }
    }
    b->local = stay;
#pragma omp barrier
    for (int r = 0; r < bricks_count; r++) {
        for (int i = 0; r != number && i < bricks[r].leaving; i++) {
            const double *const from = bricks[r].outbox[2 * i];
            if (from[2] < b->low[2] || from[2] >= b->high[2]) continue;
            memcpy(b->x[b->local], from, sizeof(point));
            memcpy(b->v[b->local++], bricks[r].outbox[2 * i + 1], sizeof(point));
        }
    }
#pragma omp barrier
}

static int bin_of(const brick *b, const double *x)
{
    int c[3];
    for (int d = 0; d < 3; d++) {
        c[d] = (int)((x[d] - b->bin_low[d]) * b->per_length[d]);
        c[d] = c[d] < 0 ? 0 : c[d] < b->bins[d] ? c[d] : b->bins[d] - 1;
    }
    return (c[2] * b->bins[1] + c[1]) * b->bins[0] + c[0];
}

/* Atoms 0 to n - 1 into bins: those of bin c are order[begin[c]] to order[begin[c + 1] - 1]. */
static void fill_bins(brick *b, int n)
{
    memset(b->begin, 0, sizeof(int) * ((size_t)b->bin_count + 2));
    for (int i = 0; i < n; i++) b->begin[(b->bin[i] = bin_of(b, b->x[i])) + 2]++;
    for (int c = 0; c < b->bin_count; c++) b->begin[c + 2] += b->begin[c + 1];
    for (int i = 0; i < n; i++) b->order[b->begin[b->bin[i] + 1]++] = i;
}

static void sort_atoms(brick *b)
{
    fill_bins(b, b->local);
    for (int i = 0; i < b->local; i++) memcpy(b->spare[i], b->x[b->order[i]], sizeof(point));
    point *const x = b->spare;
    b->spare = b->x;
    b->x = x;
    for (int i = 0; i < b->local; i++) memcpy(b->spare[i], b->v[b->order[i]], sizeof(point));
    point *const v = b->spare;
    b->spare = b->v;
    b->v = v;
}

/* Which atoms leave by swap s, and from where its ghosts come. */
static void make_swap(brick *b, int number, int s)
{
    swap *const w = &b->swaps[s];
    const int d = s / 2, up = s % 2, ranks = d == 2 ? bricks_count : 1;
    /* up: atoms near the upper face become ghosts below the brick above. The second swap along an
     * axis skips the first's ghosts. */
    const int n = up ? b->swaps[s - 1].first : b->all;
    w->sends = 0;
    for (int i = 0; i < n; i++)
        if (up ? b->x[i][d] >= b->high[d] - problem.list_cutoff
               : b->x[i][d] < b->low[d] + problem.list_cutoff)
            w->index[w->sends++] = i;
    w->from = ranks == 1 ? number : up ? (number + ranks - 1) % ranks : (number + 1) % ranks;
    const bool wraps = ranks == 1 || (up ? number == 0 : number == ranks - 1);
    w->shift = !wraps ? 0 : up ? -box : box;
    w->first = b->all;
}

static void receive_positions(brick *b, int s)
{
    const swap *const w = &b->swaps[s];
    const brick *const from = &bricks[w->from];
    const int d = s / 2, *const index = from->swaps[s].index;
    for (int i = 0; i < w->count; i++) {
        double *const to = b->x[w->first + i];
        memcpy(to, from->x[index[i]], sizeof(point));
        to[d] += w->shift;
    }
}

static void make_ghosts(brick *b, int number)
{
    b->all = b->local;
    for (int s = 0; s < SWAPS; s++) {
        make_swap(b, number, s);
#pragma omp barrier
        b->swaps[s].count = bricks[b->swaps[s].from].swaps[s].sends;
        b->all += b->swaps[s].count;
        if (b->all > b->capacity) {
            fprintf(stderr, "minimd-rival: more ghosts than expected\n");
            exit(3);
        }
        receive_positions(b, s);
#pragma omp barrier
    }
}

/* F'(rho) of ghosts. */
static void update_derivatives(brick *b)
{
    for (int s = 0; s < SWAPS; s++) {
        const swap *const w = &b->swaps[s];
        const brick *const from = &bricks[w->from];
        if (s % 2 == 0) {
#pragma omp barrier
        }
        for (int i = 0; i < w->count; i++)
            b->derivative[w->first + i] = from->derivative[from->swaps[s].index[i]];
    }
#pragma omp barrier
}

static void update_ghosts(brick *b)
{
    for (int s = 0; s < SWAPS; s++) {
        /* along one axis the bricks need each other's ghosts of earlier axes only */
        if (s % 2 == 0) {
#pragma omp barrier
        }
        receive_positions(b, s);
    }
#pragma omp barrier
}

/* The forces on ghosts, added to their atoms: the swaps in reverse. The brick that has the atoms
 * does it. */
static void return_forces(brick *b, int number)
{
    for (int s = SWAPS - 1; s >= 0; s--) {
        const int ranks = s / 2 == 2 ? bricks_count : 1;
        const int to = ranks == 1 ? number
                       : s % 2    ? (number + 1) % ranks
                                  : (number + ranks - 1) % ranks;
        const brick *const there = &bricks[to];
        const swap *const w = &b->swaps[s];
#pragma omp barrier
        for (int i = 0; i < w->sends; i++)
            for (int d = 0; d < 3; d++)
                b->f[w->index[i]][d] += there->f[there->swaps[s].first + i][d];
    }
#pragma omp barrier
}

/* ---- lists and forces ---- */

/* Is atom j, at o, in the list of atom i, of the same bin? Each pair with a ghost is in one list of
 * two, by their positions. */
static bool listed(const brick *b, int i, int j, const double *o)
{
    const double *const x = b->x[i];
    if (j < b->local) return j > i;
    return o[2] > x[2] || (o[2] == x[2] && (o[1] > x[1] || (o[1] == x[1] && o[0] >= x[0])));
}

static inline __attribute__((always_inline)) void build_lists_by(brick *b, bool branches)
{
    const double cutoff_square = problem.list_cutoff * problem.list_cutoff;
    const int width = problem.width;
    fill_bins(b, b->all);
    for (int i = 0; i < b->local; i++) {
        const double x = b->x[i][0], y = b->x[i][1], z = b->x[i][2];
        int *const list = &b->list[(size_t)i * (size_t)width], count = 0;
        for (int s = 0; s < b->stencils; s++) {
            const int bin = b->bin[i] + b->stencil[s];
            for (int k = b->begin[bin]; k < b->begin[bin + 1]; k++) {
                const int j = b->order[k];
                const double *const o = b->x[j];
                if (problem.ghosts_twice ? j <= i : s == 0 && !listed(b, i, j, o)) continue;
                const double dx = x - o[0], dy = y - o[1], dz = z - o[2];
                const bool near = dx * dx + dy * dy + dz * dz <= cutoff_square;
                if (branches && !near) continue;
                if (count < width) list[count] = j;
                count += near;
            }
        }
        if (count > width) {
            fprintf(stderr, "minimd-rival: a list of %d atoms, more than %d\n", count, width);
            exit(3);
        }
        b->count[i] = count;
    }
}

static void build_lists(brick *b)
{
    if (no_branches)
        build_lists_by(b, false);
    else
        build_lists_by(b, true);
}

static inline __attribute__((always_inline)) void forces_of(brick *b, bool energies, bool branches)
{
    point *const restrict x = b->x, *const restrict f = b->f;
    const size_t width = (size_t)problem.width;
    double energy = 0, virial = 0;
    memset(f, 0, sizeof(point) * (size_t)b->all);
    for (size_t i = 0; i < (size_t)b->local; i++) {
        const double xi = x[i][0], yi = x[i][1], zi = x[i][2];
        const int *const list = &b->list[i * width], count = b->count[i];
        double fx = 0, fy = 0, fz = 0;
        for (int k = 0; k < count; k++) {
            const int j = list[k];
            const double dx = xi - x[j][0], dy = yi - x[j][1], dz = zi - x[j][2];
            const double r2 = dx * dx + dy * dy + dz * dz;
            const bool inside = r2 < CUTOFF * CUTOFF;
            if (branches && !inside) continue;
            const double s2 = 1.0 / r2, s6 = s2 * s2 * s2;
            const double force = 48.0 * s6 * (s6 - 0.5) * s2 * inside;
            fx += dx * force;
            fy += dy * force;
            fz += dz * force;
            f[j][0] -= dx * force;
            f[j][1] -= dy * force;
            f[j][2] -= dz * force;
            if (energies) {
                energy += 4 * s6 * (s6 - 1) * inside;
                virial += r2 * force;
            }
        }
        f[i][0] += fx;
        f[i][1] += fy;
        f[i][2] += fz;
    }
    b->energy = energy;
    b->virial = virial;
}

static void compute_forces(brick *b, int number, bool energies)
{
    const double start = omp_get_wtime();
    if (problem.ghosts_twice) {
        rival_eam_densities(b, &problem);
        update_derivatives(b);
        rival_eam_forces(b, &problem, energies);
    } else if (energies) {
        forces_of(b, true, !no_branches); /* in the first and the last step only */
    } else if (no_branches) {
        forces_of(b, false, false);
    } else {
        forces_of(b, false, true);
    }
    const double computed = omp_get_wtime();
    if (!problem.ghosts_twice) return_forces(b, number);
    b->seconds[0] += computed - start;
    b->seconds[2] += omp_get_wtime() - computed;
}

static void find_neighbours(brick *b, int number)
{
    const double start = omp_get_wtime();
    exchange(b, number);
    sort_atoms(b);
    make_ghosts(b, number);
    const double arrived = omp_get_wtime();
    build_lists(b);
    b->seconds[2] += arrived - start;
    b->seconds[1] += omp_get_wtime() - arrived;
}

/* ---- the run ---- */

static void print_state(int step)
{
    double energy = 0, virial = 0, kinetic = 0, atoms = 0;
    for (int r = 0; r < bricks_count; r++) {
        const brick *const b = &bricks[r];
        energy += b->energy;
        virial += b->virial;
        atoms += b->local;
        for (int i = 0; i < b->local; i++)
            for (int d = 0; d < 3; d++) kinetic += b->v[i][d] * b->v[i][d];
    }
    const double mvv = kinetic * problem.mass * problem.mvv_to_energy;
    printf("step %d: T %e U %e P %e\n", step, mvv / (3 * atoms - 3) / problem.boltzmann,
           problem.printed_energy * energy / atoms,
           problem.printed_pressure * (mvv + virial) / (3 * box * box * box));
}

static void advance(brick *b, int number, int step, bool energies)
{
    const double kick = problem.step / 2 / (problem.mass * problem.mvv_to_energy);
    for (int i = 0; i < b->local; i++) {
        for (int d = 0; d < 3; d++) {
            b->v[i][d] += kick * b->f[i][d];
            b->x[i][d] += problem.step * b->v[i][d];
        }
    }
    if (step % EVERY == 0) {
        find_neighbours(b, number);
    } else {
        const double start = omp_get_wtime();
        update_ghosts(b);
        b->seconds[2] += omp_get_wtime() - start;
    }
    compute_forces(b, number, energies);
    for (int i = 0; i < b->local; i++)
        for (int d = 0; d < 3; d++) b->v[i][d] += kick * b->f[i][d];
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--no-branches") == 0) {
        no_branches = true;
        argc--;
        argv++;
    }
    const int cells = argc > 1 ? atoi(argv[1]) : 32, steps = argc > 2 ? atoi(argv[2]) : 100;
    bricks_count = argc > 3 ? atoi(argv[3]) : 1;
    if (argc == 5 && !rival_eam_read(argv[4], &problem)) return 3;
    box = cells * cbrt(4 / problem.density);
    if (argc > 5 || steps < 1 || bricks_count < 1 || bricks_count > MAX_BRICKS ||
        box / bricks_count < 2 * problem.list_cutoff) {
        fprintf(stderr,
                "usage: minimd-rival [--no-branches] [CELLS] [STEPS] [BRICKS] [FILE], the box %g "
                "long for each brick\n",
                2 * problem.list_cutoff);
        return 2;
    }
    double seconds = 0;
    omp_set_dynamic(0);
#pragma omp parallel num_threads(bricks_count)
    {
        const int number = omp_get_thread_num();
        brick *const b = &bricks[number];
        create_brick(b, number, cells);
#pragma omp barrier
#pragma omp single
        scale_velocities();
        find_neighbours(b, number);
        compute_forces(b, number, true);
        memset(b->seconds, 0, sizeof b->seconds);
#pragma omp barrier
#pragma omp single
        {
            print_state(0);
            seconds = omp_get_wtime();
        }
        for (int step = 1; step <= steps; step++) advance(b, number, step, step == steps);
#pragma omp barrier
#pragma omp single
        seconds = omp_get_wtime() - seconds;
    }
    print_state(steps);
    const double each = 1e9 / (4.0 * cells * cells * cells) / steps;
    const double *const part = bricks[0].seconds;
    printf(
        "%.3f s, %.1f ns for an atom and a step; brick 0: forces %.1f, lists %.1f, exchange %.1f\n",
        seconds, seconds * each, part[0] * each * bricks_count, part[1] * each * bricks_count,
        part[2] * each * bricks_count);
    return 0;
}
