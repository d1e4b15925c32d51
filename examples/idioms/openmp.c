/* The lines of OpenMP in docs/idioms.md, each with a check of its result. */
#include <stdio.h>
#include <stdlib.h>

enum { n = 4096, rows = 24, columns = 40, bins = 10 };

typedef struct moments {
    double count, mean, m2;
} moments;

static void moments_join(moments *into, const moments *v)
{
    const double count = into->count + v->count, d = v->mean - into->mean;
    if (count == 0) return;
    into->mean += d * v->count / count;
    into->m2 += v->m2 + d * d * into->count * v->count / count;
    into->count = count;
}
/* clang-format off */
#pragma omp declare reduction(join : moments : moments_join(&omp_out, &omp_in)) initializer(omp_priv = (moments){0})
/* clang-format on */

static int failures;

static void expect(const char *what, double value, double expected)
{
    const double difference = value < expected ? expected - value : value - expected;
    if (difference <= 1e-9 * expected) return;
    printf("%s: got %.17g, expected %.17g\n", what, value, expected);
    failures++;
}

static void axpy(int count, double alpha, const double *x, double *y)
{
#pragma omp parallel for
    for (int i = 0; i < count; i++) y[i] += alpha * x[i];
}

static double *vector(void)
{
    double *x = calloc(n, sizeof *x);
    if (x == NULL) exit(3);
    return x;
}

static void elements(void)
{
    double *x = vector(), *y = vector(), alpha = 2, sum = 0, least = 1e300, most = -1e300;
    moments m = {0, 0, 0};
    for (int i = 0; i < n; i++) x[i] = i;
#pragma omp target enter data map(to : x[:n])
#pragma omp target exit data map(release : x[:n])

#pragma omp parallel for
    for (int i = 0; i < n; i++) y[i] += alpha * x[i];
    expect("for", y[n - 1], 2.0 * (n - 1));

#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    expect("reduce", sum, 2.0 * (n - 1) * n * (2 * n - 1) / 6);

#pragma omp parallel for reduction(min : least) reduction(max : most)
    for (int i = 0; i < n; i++) {
        least = x[i] < least ? x[i] : least;
        most = most < x[i] ? x[i] : most;
    }
    expect("several results", most - least, n - 1);

#pragma omp parallel for reduction(join : m)
    for (int i = 0; i < n; i++) moments_join(&m, &(moments){1, x[i], 0});
    expect("your own reducer", m.m2 / n, ((double)n * n - 1) / 12);

#pragma omp parallel for
    for (int team = 0; team < n / 64; team++) {
        double part[64];
        for (int i = 0; i < 64; i++) part[i] = x[64 * team + i];
        for (int i = 0; i < 64; i++) y[64 * team + i] = part[63 - i];
    }
    expect("scratch", y[64], 127);

#pragma omp parallel
    {
#pragma omp for nowait
        for (int i = 0; i < n; i++) y[i] = 1;
#pragma omp barrier
#pragma omp for
        for (int i = 0; i < n; i++) x[i] = y[n - 1 - i];
    }
    expect("barrier", x[0], 1);

#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : y[0])
        axpy(n, alpha, x, y);
#pragma omp task depend(inout : y[0])
        axpy(n, alpha, x, y);
#pragma omp taskwait
    }
    expect("streams", y[n - 1], 5);
#pragma omp target data map(to : y[:n])
    {
#pragma omp target update from(y[:n])
    } free(x);
    free(y);
}

static void lists(void)
{
    static int bin[n], count[n], begin[n];
    double sums[bins] = {0};
    int sum = 0;
    for (int i = 0; i < n; i++) {
        bin[i] = i % bins;
        count[i] = 3;
    }
#pragma omp parallel for reduction(inscan, + : sum)
    for (int i = 0; i < n; i++) {
        begin[i] = sum;
#pragma omp scan exclusive(sum)
        sum += count[i];
    }
    expect("scan", begin[n - 1], 3 * (n - 1));

#pragma omp parallel for
    for (int i = 0; i < n; i++) {
#pragma omp atomic
        sums[bin[i]] += 1.0;
    }
#pragma omp parallel for reduction(+ : sums[:bins])
    for (int i = 0; i < n; i++) sums[bin[i]] += 1.0;
    expect("atomic and scatter", sums[0], 2.0 * ((n + bins - 1) / bins));
}

static void grids(void)
{
    double(*u)[columns] = calloc((size_t)rows, sizeof *u);
    double(*fresh)[columns] = calloc((size_t)rows, sizeof *fresh);
    double *left = calloc((size_t)rows * columns, sizeof *left), sums[rows];
    if (u == NULL || fresh == NULL || left == NULL) exit(3);
    double *row = u[3];
    for (int j = 0; j < columns; j++) row[j] = 3;

#pragma omp parallel for collapse(2)
    for (int i = 1; i < rows - 1; i++)
        for (int j = 0; j < columns; j++) fresh[i][j] = 0.5 * (u[i - 1][j] + u[i + 1][j]);
    expect("2-D for", fresh[2][columns - 1], 1.5);

#pragma omp parallel for
    for (int i = 0; i < rows; i++) {
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int j = 0; j < columns; j++) sum += u[i][j];
        sums[i] = sum;
    }
    expect("team", sums[3], 3.0 * columns);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) left[j * rows + i] = u[i][j];
    expect("layout", left[3], 3);
    free(u);
    free(fresh);
    free(left);
}

int main(void)
{
    elements();
    lists();
    grids();
    return failures != 0;
}
