/* The embedded-atom method on lists of clusters against a sum over all pairs, on every backend:
 * full and half lists, one element and two. Lists have inner and outer pairs (md_eam_clusters.h).
 * Forces are computed where the list was made, after short ways, which need inner pairs only, and
 * after long ones, which need outer pairs, too.
 *
 * The potential is made of polynomials, which splines have without an error:
 *     f_ij(r) = d_ij (c - r)^2,  r phi_ij(r) = s_i s_j (c - r)^3,  F(rho) = -0.1 rho^2,
 * c: the cutoff, s: the strength of an element, d_ij: that of the density that an atom of
 * element j adds at one of element i. All four are different, as in potentials of Finnis and
 * Sinclair. */
#include "clusters_eam.h"

#include "check.h"
#include "clusters/md_eam_clusters.h"
#include "random.h"

#include <stdlib.h>

enum { SITES_X = 6, SITES_Y = 5, SITES_Z = 7, OWN = SITES_X * SITES_Y * SITES_Z };
enum { MAX_ATOMS = 4000, R_KNOTS = 32, RHO_KNOTS = 64, PAIR_ROWS = 4 * R_KNOTS };

static const double cutoff = 2.2, list_cutoff = 2.8, spacing = 1.08, embedding_factor = -0.1;
static const double strength[] = {1.0, 0.8};
static const double density_strength[2][2] = {{1.0, 0.7}, {1.2, 0.9}};

typedef struct system_of_atoms {
    int elements, ghosts;
    double length[3];
    double x[MAX_ATOMS][3]; /* local atoms, then their periodic images */
    int32_t type[MAX_ATOMS];
    int image_of[MAX_ATOMS];      /* of ghosts: the local atom, */
    double shift[MAX_ATOMS][3];   /* and where they are from it */
    double derivative[MAX_ATOMS]; /* expected: F'(rho), */
    double force[OWN][3];         /* forces on local atoms, and energies */
    double embedding, potential, virial;
} system_of_atoms;

static double element_strength(const system_of_atoms *s, int atom)
{
    return s->elements == 1 ? strength[0] : strength[s->type[atom]];
}

/* Of what atom j adds at atom i. */
static double strength_at(const system_of_atoms *s, int i, int j)
{
    return s->elements == 1 ? density_strength[0][0] : density_strength[s->type[i]][s->type[j]];
}

/* ---- atoms ---- */

static void place_ghosts(system_of_atoms *s)
{
    int n = OWN;
    for (int turn = 0; turn < 27; turn++) {
        const int turns[3] = {turn % 3 - 1, turn / 3 % 3 - 1, turn / 9 - 1};
        for (int i = 0; i < OWN && turn != 13; i++) {
            bool near = true;
            for (int d = 0; d < 3; d++) {
                s->shift[n][d] = turns[d] * s->length[d];
                s->x[n][d] = s->x[i][d] + s->shift[n][d];
                near =
                    near && s->x[n][d] >= -list_cutoff && s->x[n][d] <= s->length[d] + list_cutoff;
            }
            s->image_of[n] = i;
            s->type[n] = s->type[i];
            n += near;
        }
    }
    s->ghosts = n - OWN;
}

/* Sites of a simple cubic lattice, each moved by up to 0.15 along each axis. */
static void place_atoms(system_of_atoms *s, uint64_t *random)
{
    const int sites[3] = {SITES_X, SITES_Y, SITES_Z};
    for (int d = 0; d < 3; d++) s->length[d] = sites[d] * spacing;
    for (int n = 0; n < OWN; n++) {
        const int at[3] = {n % SITES_X, n / SITES_X % SITES_Y, n / SITES_X / SITES_Y};
        for (int d = 0; d < 3; d++)
            s->x[n][d] = spacing * (at[d] + 0.5) + 1e-3 * random_int(random, -150, 150);
        s->type[n] = random_int(random, 0, 1);
    }
    place_ghosts(s);
}

/* Moves each atom by up to `way` along each axis. */
static void move_atoms(system_of_atoms *s, double way, uint64_t *random)
{
    for (int n = 0; n < OWN; n++)
        for (int d = 0; d < 3; d++) s->x[n][d] += way * 1e-3 * random_int(random, -1000, 1000);
    for (int n = OWN; n < OWN + s->ghosts; n++)
        for (int d = 0; d < 3; d++) s->x[n][d] = s->x[s->image_of[n]][d] + s->shift[n][d];
}

/* ---- what is expected ---- */

static double distance(const system_of_atoms *s, int i, int j, double *dx)
{
    double square = 0;
    for (int d = 0; d < 3; d++) {
        dx[d] = s->x[i][d] - s->x[j][d];
        square += dx[d] * dx[d];
    }
    return sqrt(square);
}

static void sum_densities(system_of_atoms *s)
{
    double dx[3];
    s->embedding = 0;
    for (int i = 0; i < OWN; i++) {
        double rho = 0;
        for (int j = 0; j < OWN + s->ghosts; j++) {
            const double left = cutoff - distance(s, i, j, dx);
            if (i != j && left > 0) rho += strength_at(s, i, j) * left * left;
        }
        s->embedding += embedding_factor * rho * rho;
        s->derivative[i] = 2 * embedding_factor * rho;
    }
    for (int n = OWN; n < OWN + s->ghosts; n++) s->derivative[n] = s->derivative[s->image_of[n]];
}

/* Every pair, from either side. */
static void sum_forces(system_of_atoms *s)
{
    s->potential = s->virial = 0;
    for (int i = 0; i < OWN; i++) {
        for (int d = 0; d < 3; d++) s->force[i][d] = 0;
        for (int j = 0; j < OWN + s->ghosts; j++) {
            double dx[3];
            const double r = distance(s, i, j, dx), left = cutoff - r;
            const double si = element_strength(s, i), sj = element_strength(s, j);
            if (i == j || left <= 0) continue;
            const double phi = si * sj * left * left * left / r;
            const double slope = -si * sj * 3 * left * left / r - phi / r;
            const double embedded =
                s->derivative[i] * strength_at(s, i, j) + s->derivative[j] * strength_at(s, j, i);
            const double force = 2 * left * embedded - slope;
            for (int d = 0; d < 3; d++) s->force[i][d] += force * dx[d] / r;
            s->potential += 0.5 * phi;
            s->virial += 0.5 * force * r;
        }
    }
}

/* ---- tables ---- */

/* With r = (k + p) step and a = c - k step: c - r = a - step p. */
static void fill_pair_row(double scale_f, double scale_z, int k, double h, double *knots,
                          double *slopes)
{
    const double a = cutoff - k * h, b = cutoff + 2 * k * h;
    const double f[] = {0, h * h, -2 * a * h, a * a};
    const double z[] = {-h * h * h, 3 * a * h * h, -3 * a * a * h, a * a * a};
    const double slope_f[] = {0, 2 * h, -2 * a, 0};
    /* r z' - z = -(c - r)^2 (c + 2 r) */
    const double slope_z[] = {-2 * h * h * h, 4 * a * h * h - b * h * h,
                              2 * a * b * h - 2 * a * a * h, -a * a * b};
    for (int n = 0; n < MD_SPLINE; n++) {
        knots[n] = scale_f * f[n];
        knots[MD_SPLINE + n] = scale_z * z[n];
        slopes[n] = scale_f * slope_f[n];
        slopes[MD_SPLINE + n] = scale_z * slope_z[n];
    }
}

static mx_err make_tables(mx_ctx ctx, int elements, md_views *v, md_eam_tables *t)
{
    const double h = cutoff / (R_KNOTS - 1), e = embedding_factor;
    const mx_view_options options = {.layout = MX_LAYOUT_RIGHT};
    const int64_t pair_extents[] = {elements * elements * R_KNOTS, MD_PAIR_SPLINES};
    const int64_t embedding_extents[] = {elements * RHO_KNOTS, MD_SPLINE};
    double knots[PAIR_ROWS][MD_PAIR_SPLINES], slopes[PAIR_ROWS][MD_PAIR_SPLINES];
    double embedding[2 * RHO_KNOTS][MD_SPLINE];
    for (int n = 0; n < elements * elements * R_KNOTS; n++) {
        const int i = n / R_KNOTS / elements, j = n / R_KNOTS % elements;
        fill_pair_row(density_strength[i][j], strength[i] * strength[j], n % R_KNOTS, h, knots[n],
                      slopes[n]);
    }
    for (int n = 0; n < elements * RHO_KNOTS; n++) { /* rho = k + p */
        const double k = n % RHO_KNOTS, row[] = {0, e, 2 * e * k, e * k * k};
        memcpy(embedding[n], row, sizeof row);
    }
    *t = (md_eam_tables){.elements = elements,
                         .element = {0, elements - 1},
                         .r_knots = R_KNOTS,
                         .rho_knots = RHO_KNOTS,
                         .r_inverse = 1 / h,
                         .rho_inverse = 1,
                         .cutoff_square = cutoff * cutoff};
    MX_TRY(mx_view_create(ctx, "knots", MX_F64, 2, pair_extents, &options, &v->pair_knots));
    MX_TRY(mx_view_create(ctx, "slopes", MX_F64, 2, pair_extents, &options, &v->pair_slopes));
    MX_TRY(mx_view_create(ctx, "embedding", MX_F64, 2, embedding_extents, &options,
                          &v->embedding_knots));
    MX_TRY(mx_import(ctx, v->pair_knots, knots[0], NULL));
    MX_TRY(mx_import(ctx, v->pair_slopes, slopes[0], NULL));
    return mx_import(ctx, v->embedding_knots, embedding[0], NULL);
}

/* ---- a list and its views ---- */

typedef struct list {
    mx_ctx ctx;
    md_views views;
    md_eam_tables tables;
    md_cluster_atoms atoms;
    md_clusters clusters;
    md_eam_clusters eam;
} list;

static mx_err make_views(const system_of_atoms *s, list *l)
{
    const int64_t count = OWN + s->ghosts;
    md_views *const v = &l->views;
    MX_TRY(mx_view_create_2d(l->ctx, "position", MX_F64, count, 3, &v->position));
    MX_TRY(mx_view_create_2d(l->ctx, "force", MX_F64, count, 3, &v->force));
    MX_TRY(mx_view_create_1d(l->ctx, "type", MX_I32, count, &v->type));
    MX_TRY(mx_view_create_1d(l->ctx, "derivative", MX_F64, count, &v->derivative));
    MX_TRY(mx_view_create_1d(l->ctx, "bin", MX_I32, count, &v->bin));
    MX_TRY(mx_view_create_1d(l->ctx, "bin atoms", MX_I32, count, &v->bin_atom));
    MX_TRY(mx_import(l->ctx, v->position, s->x[0], NULL));
    MX_TRY(mx_import(l->ctx, v->type, s->type, NULL));
    return make_tables(l->ctx, s->elements, v, &l->tables);
}

static mx_err make_list(const system_of_atoms *s, bool half, list *l)
{
    MX_TRY(make_views(s, l));
    l->atoms = (md_cluster_atoms){.position = l->views.position,
                                  .force = l->views.force,
                                  .type = l->views.type,
                                  .bin = l->views.bin,
                                  .bin_atom = l->views.bin_atom,
                                  .local = OWN,
                                  .ghosts = s->ghosts,
                                  .cutoff = list_cutoff};
    for (int d = 0; d < 3; d++) l->atoms.high[d] = s->length[d];
    MX_TRY(md_clusters_build(l->ctx, &l->atoms, half, &l->clusters));
    MX_TRY(md_eam_clusters_bind(l->ctx, &l->clusters, &l->views, &l->tables, &l->eam));
    return md_eam_clusters_list(l->ctx, &l->clusters, list_cutoff, &l->eam);
}

static mx_err free_list(list *l)
{
    md_views *const v = &l->views;
    mx_view *const all[] = {&v->position,   &v->force,       &v->type,
                            &v->derivative, &v->bin,         &v->bin_atom,
                            &v->pair_knots, &v->pair_slopes, &v->embedding_knots};
    md_eam_clusters_destroy(&l->eam);
    md_clusters_destroy(&l->clusters);
    for (size_t n = 0; n < sizeof all / sizeof *all; n++) MX_TRY(mx_view_destroy(all[n]));
    return MX_OK;
}

/* ---- forces ---- */

typedef struct result {
    double embedding;
    md_energy energy;
    double force[MAX_ATOMS][3];
    double moved; /* the square */
} result;

/* By the kernels with energies (`energies`), or those without. */
static mx_err compute(const system_of_atoms *s, list *l, bool energies, result *r)
{
    MX_TRY(mx_import(l->ctx, l->views.position, s->x[0], NULL));
    MX_TRY(md_eam_clusters_density(l->ctx, &l->clusters, &l->eam, energies ? &r->embedding : NULL));
    MX_TRY(mx_import(l->ctx, l->views.derivative, s->derivative, NULL));
    MX_TRY(md_eam_clusters_force(l->ctx, &l->clusters, &l->eam, energies ? &r->energy : NULL));
    MX_TRY(mx_read_element(l->ctx, l->eam.views.moved, 0, &r->moved));
    return mx_export(l->ctx, l->views.force, r->force[0], NULL);
}

static double worst_force(const system_of_atoms *s, const result *r)
{
    double worst = 0;
    for (int i = 0; i < OWN; i++)
        for (int d = 0; d < 3; d++) worst = fmax(worst, fabs(r->force[i][d] - s->force[i][d]));
    return worst;
}

/* Numbers of a pair are of size 10, and sums have 40 of them: rounding is 1e-12 at most, so 1e-11
 * leaves room for the order. Energies are sums over all atoms. */
static void check_result(const system_of_atoms *s, const result *r)
{
    CHECK_F64(worst_force(s, r), 0, 1e-11);
    CHECK_F64(r->embedding, s->embedding, 1e-11 * OWN);
    CHECK_F64(r->energy.potential, s->potential, 1e-11 * OWN);
    CHECK_F64(r->energy.virial, s->virial, 1e-11 * OWN);
}

static bool equal(const result *one, const result *other)
{
    return memcmp(one->force, other->force, sizeof one->force[0] * OWN) == 0;
}

/* `outer`: atoms have moved so far that outer pairs are needed. */
static void check_place(const system_of_atoms *s, list *l, bool outer)
{
    static result first, other;
    const double allowed = l->eam.args.allowed_square;
    CHECK_OK(compute(s, l, true, &first));
    check_result(s, &first);
    CHECK_OK(compute(s, l, false, &other));
    CHECK(equal(&other, &first));
    CHECK((other.moved > allowed) == outer);
    /* all pairs: the same bits; inner ones only: not enough where outer ones are needed */
    l->eam.args.allowed_square = -1;
    CHECK_OK(compute(s, l, false, &other));
    CHECK(equal(&other, &first));
    l->eam.args.allowed_square = INFINITY;
    CHECK_OK(compute(s, l, false, &other));
    CHECK(equal(&other, &first) == !outer);
    l->eam.args.allowed_square = allowed;
}

/* A list whose pairs are counted with one cutoff and written with another: an error, and nothing
 * behind the views is written. */
static mx_err fill_with_another_cutoff(list *l, int64_t *wrong)
{
    const int local = l->clusters.local_clusters;
    md_eam_list_args args = {.local_clusters = local, .inner_square = list_cutoff * list_cutoff};
    MX_TRY(md_eam_list_args_bind(l->ctx, &l->eam.views, &args));
    return md_eam_fill_vectors(mx_range_1d(l->ctx, 0, 2 * (int64_t)local), &args, wrong);
}

static void check_list(mx_ctx ctx, int elements, bool half)
{
    static system_of_atoms s;
    uint64_t random = 11;
    int64_t wrong = 0;
    list l = {.ctx = ctx, .clusters.whole = true};
    s.elements = elements;
    place_atoms(&s, &random);
    CHECK_OK(make_list(&s, half, &l));
    /* an atom may move by half of 0.33 * (2.8 - 2.2) = 0.099 with inner pairs only. The
     * moves add up to at most 0.17 along each axis: many of 210 atoms move farther than that, and
     * none more than half of 0.6. */
    const double ways[] = {0, 0.05, 0.12};
    for (int n = 0; n < 3; n++) {
        move_atoms(&s, ways[n], &random);
        sum_densities(&s);
        sum_forces(&s);
        check_place(&s, &l, n == 2);
    }
    if (!half) {
        CHECK_OK(fill_with_another_cutoff(&l, &wrong));
        CHECK(wrong > 0);
    }
    CHECK_OK(free_list(&l));
}

int test_eam_clusters(mx_ctx ctx)
{
    for (int elements = 1; elements <= 2; elements++) {
        check_list(ctx, elements, false);
        check_list(ctx, elements, true);
    }
    return check_failures;
}
