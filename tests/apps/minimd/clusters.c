/* Lists of clusters against a sum over all pairs, on every backend: full and half lists, one kind
 * of pairs and several, boxes from smaller than the cutoff to some tiles, pairs in double and in
 * single precision. For one backend, results have the same bits for any number of threads. */
#include "check.h"
#include "clusters/md_clusters.h"
#include "clusters_eam.h"
#include "random.h"

#include <stdlib.h>
#include <time.h>

enum { TYPES = 2, MAX_ATOMS = 40000 };

typedef struct sample {
    int local, ghosts;
    double length[3], cutoff;
    double (*x)[3]; /* local atoms, then their periodic images */
    int32_t *type;
    double (*force)[3];              /* expected */
    double *size;                    /* of each atom: the sum of |force| over its pairs */
    double energy_size, virial_size; /* sums of magnitudes over pairs */
    md_energy energy;
    md_lj_pairs lj;
    double pair[TYPES * TYPES][MD_PAIR_NUMBERS];
} sample;

/* Sites of a simple cubic lattice with a spacing of 1.08, each moved by up to 0.15 along each axis:
 * no pair is so near that its force hides those of others. */
static void place_atoms(sample *s, const int *sites)
{
    uint64_t random = 7;
    s->local = 0;
    for (int d = 0; d < 3; d++) s->length[d] = sites[d] * 1.08;
    for (int n = 0; n < sites[0] * sites[1] * sites[2]; n++) {
        const int at[3] = {n % sites[0], n / sites[0] % sites[1], n / sites[0] / sites[1]};
        for (int d = 0; d < 3; d++)
            s->x[n][d] = 1.08 * (at[d] + 0.5) + 1e-3 * random_int(&random, -150, 150);
        s->type[n] = random_int(&random, 0, TYPES - 1);
        s->local++;
    }
}

static void place_ghosts(sample *s)
{
    int turns[3], n = s->local;
    for (int d = 0; d < 3; d++) turns[d] = (int)ceil(s->cutoff / s->length[d]);
    for (int tz = -turns[2]; tz <= turns[2]; tz++)
        for (int ty = -turns[1]; ty <= turns[1]; ty++)
            for (int tx = -turns[0]; tx <= turns[0]; tx++)
                for (int i = 0; i < s->local && (tx != 0 || ty != 0 || tz != 0); i++) {
                    const int turn[3] = {tx, ty, tz};
                    bool near = true;
                    for (int d = 0; d < 3; d++) {
                        s->x[n][d] = s->x[i][d] + turn[d] * s->length[d];
                        near = near && s->x[n][d] >= -s->cutoff &&
                               s->x[n][d] <= s->length[d] + s->cutoff;
                    }
                    s->type[n] = s->type[i];
                    n += near;
                }
    s->ghosts = n - s->local;
}

static void set_pairs(sample *s, bool one_pair, bool shifted)
{
    s->lj = (md_lj_pairs){.one_pair = one_pair, .shifted = shifted, .types = TYPES};
    for (int k = 0; k < TYPES * TYPES; k++) {
        const double epsilon = one_pair ? 1.0 : 0.7 + 0.1 * (k / TYPES + k % TYPES);
        const double sigma = one_pair ? 1.0 : 0.9 + 0.05 * (k / TYPES + k % TYPES);
        const double cutoff = one_pair ? 2.5 : 2.2 * sigma, s6 = pow(sigma / cutoff, 6);
        md_pair p = {epsilon, pow(sigma, 6), cutoff * cutoff, cutoff, 0, 0};
        p.force_shift = 48 * epsilon * s6 * (s6 - 0.5) / cutoff;
        p.energy_shift = 4 * epsilon * s6 * (s6 - 1);
        const double numbers[] = {p.epsilon, p.sigma6,      p.cutoff_square,
                                  p.cutoff,  p.force_shift, p.energy_shift};
        memcpy(s->pair[k], numbers, sizeof numbers);
        s->lj.one = p;
    }
}

/* Every pair, from either side. */
static void sum_all_pairs(sample *s)
{
    const double shift = s->lj.shifted ? 1 : 0;
    s->energy = (md_energy){0, 0, 0};
    s->energy_size = s->virial_size = 0;
    for (int i = 0; i < s->local; i++) {
        for (int d = 0; d < 3; d++) s->force[i][d] = 0;
        s->size[i] = 0;
        for (int j = 0; j < s->local + s->ghosts; j++) {
            const double *const p = s->pair[s->type[i] * TYPES + s->type[j]];
            double dx[3], r2 = 0;
            for (int d = 0; d < 3; d++) {
                dx[d] = s->x[i][d] - s->x[j][d];
                r2 += dx[d] * dx[d];
            }
            if (i == j || r2 >= p[2]) continue;
            const double s6 = p[1] / (r2 * r2 * r2), r = sqrt(r2);
            const double force = 48 * p[0] * s6 * (s6 - 0.5) / r - shift * p[4];
            for (int d = 0; d < 3; d++) s->force[i][d] += force * dx[d] / r;
            const double energy = 4 * p[0] * s6 * (s6 - 1);
            s->energy.virial += 0.5 * force * r;
            s->energy.potential += 0.5 * (energy + shift * ((r - p[3]) * p[4] - p[5]));
            s->size[i] += 48 * p[0] * s6 * (s6 + 0.5) / r;
            s->virial_size += 24 * p[0] * s6 * (s6 + 0.5);
            s->energy_size += 2 * p[0] * s6 * (s6 + 1);
            s->energy.at_cutoff += 0.5 * (1 - shift) * p[5];
        }
    }
}

static sample make_sample(const int *sites, double cutoff, bool one_pair, bool shifted)
{
    sample s = {.cutoff = cutoff};
    s.x = calloc(MAX_ATOMS, sizeof *s.x);
    s.type = calloc(MAX_ATOMS, sizeof *s.type);
    s.force = calloc(MAX_ATOMS, sizeof *s.force);
    s.size = calloc(MAX_ATOMS, sizeof *s.size);
    if (s.x == NULL || s.type == NULL || s.force == NULL || s.size == NULL) exit(3);
    place_atoms(&s, sites);
    place_ghosts(&s);
    set_pairs(&s, one_pair, shifted);
    sum_all_pairs(&s);
    return s;
}

static void free_sample(sample *s)
{
    free(s->x);
    free(s->type);
    free(s->force);
    free(s->size);
}

/* How a list is made and used. */
typedef struct form {
    bool half, mixed;
} form;

/* The forces by a list of clusters, into `force`. */
static mx_err compute(mx_ctx ctx, const sample *s, form f, double (*force)[3], md_energy *energy)
{
    md_clusters c = {.mixed = f.mixed};
    md_cluster_atoms atoms = {
        .local = s->local, .ghosts = s->ghosts, .cutoff = s->cutoff, .pushes = true};
    const int64_t count = s->local + s->ghosts;
    for (int d = 0; d < 3; d++) atoms.high[d] = s->length[d];
    MX_TRY(mx_view_create_2d(ctx, "position", MX_F64, count, 3, &atoms.position));
    MX_TRY(mx_view_create_2d(ctx, "force", MX_F64, s->local, 3, &atoms.force));
    MX_TRY(mx_view_create_1d(ctx, "type", MX_I32, count, &atoms.type));
    MX_TRY(mx_view_create_2d(ctx, "pair", MX_F64, TYPES * TYPES, MD_PAIR_NUMBERS, &atoms.pair));
    MX_TRY(mx_view_create_1d(ctx, "bin", MX_I32, count, &atoms.bin));
    MX_TRY(mx_view_create_1d(ctx, "bin atoms", MX_I32, count, &atoms.bin_atom));
    MX_TRY(mx_import(ctx, atoms.position, s->x[0], NULL));
    MX_TRY(mx_import(ctx, atoms.type, s->type, NULL));
    MX_TRY(mx_import(ctx, atoms.pair, s->pair[0], NULL));
    MX_TRY(md_clusters_build(ctx, &atoms, f.half, &c));
    MX_TRY(md_clusters_lj_local(ctx, &c, &s->lj, energy));
    MX_TRY(md_clusters_lj_ghosts(ctx, &c, energy));
    MX_TRY(md_clusters_lj_local(ctx, &c, &s->lj, NULL));
    MX_TRY(md_clusters_lj_ghosts(ctx, &c, NULL));
    MX_TRY(mx_export(ctx, atoms.force, force[0], NULL));
    md_clusters_destroy(&c);
    MX_TRY(mx_view_destroy(&atoms.position));
    MX_TRY(mx_view_destroy(&atoms.force));
    MX_TRY(mx_view_destroy(&atoms.type));
    MX_TRY(mx_view_destroy(&atoms.bin));
    MX_TRY(mx_view_destroy(&atoms.bin_atom));
    return mx_view_destroy(&atoms.pair);
}

/* Double: forces are of size 100, and sums have 80 terms of that size: rounding is 1e-12 at most,
 * so 1e-11 leaves room for the order. Mixed: a distance has an error of 2^-24 of itself and of a
 * unit, 2^-27 of the cutoff of 2.8 or less, all together 1.5e-7 along an axis. 14 / r times of it in
 * a force, with r of 0.78 at least, is 3e-6. The arithmetic of a pair and a sum of 80 pairs in
 * single precision add at most 5 + 80 roundings of 2^-24, which is 5e-6. */
static void check_forces(const sample *s, form f, double (*force)[3])
{
    double worst = 0;
    for (int i = 0; i < s->local; i++) {
        const double tolerance = f.mixed ? 1e-5 * s->size[i] : 1e-11;
        for (int d = 0; d < 3; d++)
            worst = fmax(worst, fabs(force[i][d] - s->force[i][d]) / tolerance);
    }
    CHECK_F64(worst, 0, 1);
}

/* Energies are sums over all atoms; mixed: of errors of either sign, each as above. `first`: forces
 * of an earlier run that must be equal in all bits; zero: none. */
static void check_sample(mx_ctx ctx, const sample *s, form f, double (*first)[3], bool compare)
{
    double(*const force)[3] = calloc(MAX_ATOMS, sizeof *force);
    md_energy energy;
    if (force == NULL) exit(3);
    CHECK_OK(compute(ctx, s, f, force, &energy));
    check_forces(s, f, force);
    const double local = s->local, mixed = f.mixed ? 1e-5 : 0;
    CHECK_F64(energy.potential, s->energy.potential, 1e-11 * local + mixed * s->energy_size);
    CHECK_F64(energy.virial, s->energy.virial, 1e-10 * local + mixed * s->virial_size);
    CHECK_F64(energy.at_cutoff, s->energy.at_cutoff, 1e-12 * local + mixed * local);
    const size_t bytes = sizeof *force * (size_t)s->local;
    if (compare) CHECK(memcmp(first, force, bytes) == 0);
    memcpy(first, force, bytes);
    free(force);
}

enum { RESOURCES = 6 };

/* Of resource number r; NULL: it is not available. */
static mx_ctx open_resource(int r)
{
    static const char *const resources[RESOURCES] = {
        "serial", "openmp:threads=1", "openmp:threads=2", "simt", "cuda", "hip"};
    char name[16];
    const char *why;
    mx_ctx ctx = NULL;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(resources[r], ":"), resources[r]);
    if (mx_backend_available(name, &why)) CHECK_OK(mx_ctx_create(resources[r], &ctx));
    return ctx;
}

static void check_resources(const sample *s, form f)
{
    double(*const first)[3] = calloc(MAX_ATOMS, sizeof *first);
    if (first == NULL) exit(3);
    for (int r = 0; r < RESOURCES; r++) {
        mx_ctx ctx = open_resource(r);
        if (ctx == NULL) continue;
        check_sample(ctx, s, f, first, r > 0 && r < 3);
        mx_ctx_destroy(&ctx);
    }
    free(first);
}

/* Vectors are numbered in 32 bits. Counts are given, so this needs no memory for them. */
static void test_vectors(void)
{
    const int32_t counts[2][4] = {{3, 0, 5, 1}, {1 << 30, 1 << 30, 1 << 30, 1 << 30}};
    mx_ctx ctx = NULL;
    md_vector_views v;
    int64_t vectors;
    int32_t begin[5];
    CHECK_OK(mx_ctx_create("serial", &ctx));
    CHECK_OK(mx_view_create_1d(ctx, "count", MX_I32, 4, &v.count));
    CHECK_OK(mx_view_create_1d(ctx, "begin", MX_I32, 5, &v.begin));
    CHECK_OK(mx_import(ctx, v.count, counts[0], NULL));
    CHECK_OK(md_vectors_begin(ctx, &v, 4, &vectors));
    CHECK_OK(mx_export(ctx, v.begin, begin, NULL));
    CHECK_I64(vectors, 9);
    for (int n = 0, sum = 0; n < 5; sum += n < 4 ? counts[0][n] : 0, n++) CHECK_I64(begin[n], sum);
    CHECK_OK(mx_import(ctx, v.count, counts[1], NULL));
    CHECK_FAILS(md_vectors_begin(ctx, &v, 4, &vectors), MX_ERR_EXTENT,
                "4294967296 vectors of pairs");
    CHECK_OK(mx_view_destroy(&v.count));
    CHECK_OK(mx_view_destroy(&v.begin));
    mx_ctx_destroy(&ctx);
}

int main(void)
{
    const int boxes[][3] = {{9, 10, 13}, {2, 3, 2}, {1, 1, 1}, {19, 8, 2}};
    int eam_failures = 0;
    CHECK_OK(mx_init());
    for (int b = 0; b < 4; b++) {
        for (int kind = 0; kind < 3; kind++) {
            sample s = make_sample(boxes[b], 2.8, kind == 0, kind == 2);
            for (int f = 0; f < 4; f++)
                check_resources(&s, (form){.half = f % 2 == 1, .mixed = f / 2 == 1});
            free_sample(&s);
        }
    }
    test_vectors();
    for (int r = 0; r < RESOURCES; r++) {
        mx_ctx ctx = open_resource(r);
        if (ctx != NULL) eam_failures = test_eam_clusters(ctx);
        mx_ctx_destroy(&ctx);
    }
    CHECK_I64(mx_views_alive(), 0);
    mx_finalize();
    return check_failures + eam_failures > 0;
}
