/* Makes the system, lets the library solve it, computes the residual anew, and writes x0 + e to
 * a file: doubles in the order of rows. The times are those of the slowest rank. */
#include "rival.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double rival_now(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Wtime();
}

static void fail(const char *text, const char *name)
{
    fprintf(stderr, "error: %s%s\n", text, name);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

void *rival_memory(int64_t count, int64_t size)
{
    void *memory = calloc((size_t)(count > 0 ? count : 1), (size_t)size);
    if (memory == NULL) fail("no memory", "");
    return memory;
}

/* ---- miniFE: trilinear hexahedra of h[0] x h[1] x h[2] ---- */

static double slope(int high, double h) { return (high ? 1 : -1) / h; }
static double value(int high, double at) { return (high ? 1 + at : 1 - at) / 2; }

/* The integral of the product of two gradients; a, b: corners, with a bit for the high end along
 * each axis. */
static double stiffness(const double h[3], int a, int b)
{
    static const double gauss = 0.577350269; /* 2 x 2 x 2 points, with the original's nine digits */
    double sum = 0;
    for (int point = 0; point < 8; point++) {
        double at[3], product = 0;
        for (int axis = 0; axis < 3; axis++) at[axis] = point >> axis & 1 ? gauss : -gauss;
        for (int along = 0; along < 3; along++) {
            double both = 1;
            for (int axis = 0; axis < 3; axis++) {
                const int ha = a >> axis & 1, hb = b >> axis & 1;
                both *= axis == along ? slope(ha, h[axis]) * slope(hb, h[axis])
                                      : value(ha, at[axis]) * value(hb, at[axis]);
            }
            product += both;
        }
        sum += product * h[0] * h[1] * h[2] / 8;
    }
    return sum;
}

static void set_up_minife(rival_system *system, const int elements[3])
{
    double h[3];
    for (int axis = 0; axis < 3; axis++) {
        h[axis] = 1.0 / elements[axis];
        system->n[axis] = elements[axis] + 1;
    }
    system->dims = 3;
    system->width = RIVAL_WIDTH;
    system->load = h[0] * h[1] * h[2];
    for (int a = 0; a < 8; a++)
        for (int b = 0; b < 8; b++) {
            int place = 0;
            for (int axis = 2; axis >= 0; axis--)
                place = 3 * place + (b >> axis & 1) - (a >> axis & 1) + 1;
            system->coupling[place] += stiffness(h, a, b);
        }
}

/* u = 1 on x = 1, and u = 0 on the other sides. Rows of such nodes are those of the identity,
 * their columns are eliminated; those of the edges of x = 1, which are in both sets, with the
 * value 0. */
static int minife_row(const rival_system *system, int row, int *columns, double *values, double *b)
{
    const int *n = system->n;
    const int at[3] = {row % n[0], row / n[0] % n[1], row / n[0] / n[1]};
    int count = 0, boundary = 0;
    for (int axis = 0; axis < 3; axis++) boundary |= at[axis] == 0 || at[axis] == n[axis] - 1;
    if (boundary) {
        columns[0] = row;
        values[0] = 1;
        *b = at[0] == n[0] - 1 ? 1 : 0;
        return 1;
    }
    *b = system->load;
    for (int place = 0; place < 27; place++) {
        const int x = at[0] + place % 3 - 1, y = at[1] + place / 3 % 3 - 1,
                  z = at[2] + place / 9 - 1;
        if (x == 0 || y == 0 || z == 0 || y == n[1] - 1 || z == n[2] - 1) continue;
        if (x == n[0] - 1) {
            *b -= system->coupling[place];
            continue;
        }
        columns[count] = x + n[0] * (y + n[1] * z);
        values[count++] = system->coupling[place];
    }
    return count;
}

/* ---- TeaLeaf: a step of backward Euler; faces of cells conduct by the mean of 1 / weight ---- */

static void set_up_tealeaf(rival_system *system, const int cells[2], const char *path)
{
    const int64_t count = (int64_t)cells[0] * cells[1];
    FILE *file = fopen(path, "rb");
    if (file == NULL) fail("cannot read ", path);
    system->dims = 2;
    system->width = 5;
    system->n[0] = cells[0];
    system->n[1] = cells[1];
    system->n[2] = 1;
    system->weight = rival_memory(count, sizeof(double));
    system->initial = rival_memory(count, sizeof(double));
    if (fread(system->weight, sizeof(double), (size_t)count, file) != (size_t)count ||
        fread(system->initial, sizeof(double), (size_t)count, file) != (size_t)count)
        fail("too short: ", path);
    fclose(file);
}

static int tealeaf_row(const rival_system *system, int row, int *columns, double *values, double *b)
{
    static const int step[4][2] = {{0, -1}, {-1, 0}, {1, 0}, {0, 1}};
    const int *n = system->n, x = row % n[0], y = row / n[0];
    double diagonal = 1;
    int count = 0;
    *b = 0; /* what flows into the cell */
    for (int side = 0; side < 4; side++) {
        const int x2 = x + step[side][0], y2 = y + step[side][1], other = x2 + n[0] * y2;
        if (x2 < 0 || y2 < 0 || x2 >= n[0] || y2 >= n[1]) continue;
        const double one = system->weight[row], two = system->weight[other];
        const double flow = system->share[step[side][0] == 0] * (one + two) / (2 * one * two);
        columns[count] = other;
        values[count++] = -flow;
        diagonal += flow;
        *b += flow * (system->initial[other] - system->initial[row]);
    }
    columns[count] = row;
    values[count++] = diagonal;
    return count;
}

/* ---- both ---- */

static void make_rows(rival_system *system, int rank, int ranks)
{
    const int plane = system->dims == 3 ? system->n[0] * system->n[1] : system->n[0];
    const int planes = system->dims == 3 ? system->n[2] : system->n[1];
    system->first = plane * (int)((int64_t)planes * rank / ranks);
    system->end = plane * (int)((int64_t)planes * (rank + 1) / ranks);
    const int64_t rows = system->end - system->first, most = rows * system->width;
    system->start = rival_memory(rows + 1, sizeof *system->start);
    system->columns = rival_memory(most, sizeof *system->columns);
    system->values = rival_memory(most, sizeof *system->values);
    system->b = rival_memory(rows, sizeof *system->b);
    for (int64_t r = 0; r < rows; r++) {
        const int64_t at = system->start[r];
        const int row = system->first + (int)r;
        int *columns = system->columns + at;
        double *values = system->values + at, *b = &system->b[r];
        system->start[r + 1] =
            at + (system->dims == 3 ? minife_row(system, row, columns, values, b)
                                    : tealeaf_row(system, row, columns, values, b));
    }
}

/* The parts of all ranks, on each of them. */
static double *gather(const rival_system *system, const double *e, int ranks)
{
    double *all = rival_memory((int64_t)system->n[0] * system->n[1] * system->n[2], sizeof *all);
    int *count = rival_memory(ranks, sizeof *count), *offset = rival_memory(ranks, sizeof *offset);
    const int rows = system->end - system->first;
    MPI_Allgather(&rows, 1, MPI_INT, count, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Allgather(&system->first, 1, MPI_INT, offset, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Allgatherv(e, rows, MPI_DOUBLE, all, count, offset, MPI_DOUBLE, MPI_COMM_WORLD);
    free(count);
    free(offset);
    return all;
}

/* ||b|| and ||b - A e|| */
static void norms(const rival_system *system, const double *e, double *first, double *last)
{
    double sums[2] = {0, 0};
    for (int r = 0; r < system->end - system->first; r++) {
        double residual = system->b[r];
        for (int64_t k = system->start[r]; k < system->start[r + 1]; k++)
            residual -= system->values[k] * e[system->columns[k]];
        sums[0] += system->b[r] * system->b[r];
        sums[1] += residual * residual;
    }
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    *first = sqrt(sums[0]);
    *last = sqrt(sums[1]);
}

static void write_solution(const rival_system *system, double *all, const char *path)
{
    const size_t rows = (size_t)system->n[0] * (size_t)system->n[1] * (size_t)system->n[2];
    for (size_t r = 0; system->initial != NULL && r < rows; r++) all[r] += system->initial[r];
    FILE *file = fopen(path, "wb");
    const int written = file != NULL && fwrite(all, sizeof *all, rows, file) == rows;
    if (file == NULL || fclose(file) != 0 || !written) fail("cannot write ", path);
}

static int positive(const char *text)
{
    char *end;
    const long number = strtol(text, &end, 10);
    if (*end != 0 || number < 1 || number > 100000)
        fail("expected a number from 1 to 100000, got ", text);
    return (int)number;
}

static void run(int argc, char **argv)
{
    rival_system system = {0};
    rival_result result = {0};
    const char *path;
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc == 8 && strcmp(argv[2], "minife") == 0) {
        set_up_minife(&system, (int[3]){positive(argv[3]), positive(argv[4]), positive(argv[5])});
        system.tolerance = atof(argv[6]);
        path = argv[7];
    } else if (argc == 10 && strcmp(argv[2], "tealeaf") == 0) {
        set_up_tealeaf(&system, (int[2]){positive(argv[3]), positive(argv[4])}, argv[9]);
        system.share[0] = atof(argv[5]);
        system.share[1] = atof(argv[6]);
        system.tolerance = atof(argv[7]);
        path = argv[8];
    } else {
        fail("the arguments are those in rival.h", "");
        return;
    }
    if ((double)system.n[0] * system.n[1] * system.n[2] > INT32_MAX) fail("too many rows", "");
    if (system.n[system.dims - 1] < 2 * ranks)
        fail("fewer than two planes or lines of the mesh for each rank", "");
    make_rows(&system, rank, ranks);
    double *e = rival_memory(system.end - system.first, sizeof *e), first, last;
    const char *wrong = rival_solve(&system, argv[1], e, &result);
    if (wrong != NULL) fail(wrong, "");
    double *all = gather(&system, e, ranks);
    norms(&system, all, &first, &last);
    /* roundings add to the residual that the library has updated */
    if (!(last <= 2 * system.tolerance * first + 1e-13 * first))
        fail("the solution's residual is above the tolerance", "");
    double times[3] = {result.assembly, result.set_up, result.solve};
    MPI_Allreduce(MPI_IN_PLACE, times, 3, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) {
        write_solution(&system, all, path);
        printf("first residual %.17g\nresidual %.17g\niterations %d\n"
               "seconds of assembly %.9f\nseconds of set-up %.9f\nseconds of solve %.9f\n",
               first, last, result.iterations, times[0], times[1], times[2]);
    }
    free(all);
    free(e);
    free(system.start);
    free(system.columns);
    free(system.values);
    free(system.b);
    free(system.weight);
    free(system.initial);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    rival_begin();
    run(argc, argv);
    rival_end();
    MPI_Finalize();
    return 0;
}
