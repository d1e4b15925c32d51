/* The embedded-atom method over full lists: each atom sums over all of its neighbours, and writes
 * to itself alone. So no two threads write to the same atom, and results have the same bits for any
 * number of threads.
 *
 * A spline's value and slope come from the coefficients of its interval (md_spline), found by
 * multiplying with 1 / step.
 *
 * The time of a GPU goes into gathers of coefficients, a line of the cache for each lane. So there
 * is a form for teams, which keep the splines of one element in their scratch: columns of two
 * coefficients, [2 * MD_SPLINE / 2][r_knots], so that lanes with different knots mostly read
 * different banks. */
#include "minx/team.h"
#include "rows/md_rows.h"

/* Interval and place in it, of a table with `knots` knots; the last interval goes on as a straight
 * line. */
typedef struct place {
    int knot;
    double at;
} place;

MX_BODY place place_in(double x, double inverse, int knots)
{
    place p;
    const double scaled = x * inverse;
    p.knot = scaled < knots - 1 ? (int)scaled : knots - 1; /* NaN: the last one */
    p.knot = p.knot > 0 ? p.knot : 0;
    p.at = scaled - p.knot;
    return p;
}

/* The same of a distance, which is not negative; beyond the last knot it is at that knot. */
MX_BODY place place_of_distance(double r, double inverse, int knots)
{
    place p;
    const double scaled = r * inverse, last = knots - 1;
    const double bounded = scaled < last ? scaled : last; /* NaN: the last one */
    p.knot = (int)bounded;
    p.at = bounded - p.knot;
    return p;
}

/* The row of element e_i with a neighbour of element e_j. */
MX_BODY int pair_row(const md_eam_tables *t, int ei, int ej, int knot)
{
    return (ei * t->elements + ej) * t->r_knots + knot;
}

/* c: the coefficients of an interval, in falling order of powers. */
MX_BODY double spline_value(mx_double4 c, double at)
{
    return ((c.a * at + c.b) * at + c.c) * at + c.d;
}
MX_BODY double spline_slope(mx_double4 c, double at) { return (3 * c.a * at + 2 * c.b) * at + c.c; }

/* Where the splines of pairs are: in the view, or in a team's scratch. */
typedef struct pair_splines {
    md_pair_knots view;
    mx_f64_2r scratch;
    int knots; /* of the scratch */
    bool in_scratch;
} pair_splines;

/* Spline number `which` of a row. */
MX_BODY mx_double4 pair_spline(const pair_splines *s, int row, int which)
{
    mx_double4 c;
    if (!s->in_scratch) return MX_LOAD4(s->view, row, which * MD_SPLINE);
    const int column = which * (MD_SPLINE / 2);
    const mx_double2 first = MX_LOAD2(s->scratch, column * s->knots + row, 0),
                     second = MX_LOAD2(s->scratch, (column + 1) * s->knots + row, 0);
    c.a = first.a;
    c.b = first.b;
    c.c = second.a;
    c.d = second.b;
    return c;
}

MX_BODY pair_splines splines_in_view(md_pair_knots view)
{
    pair_splines s = {view, {0}, 0, false};
    return s;
}

/* Copies the first `columns` columns to the team's scratch. */
MX_BODY void copy_splines(mx_team *t, const pair_splines *s, int columns)
{
    MX_TEAM_VECTOR_FOR(t, row, 0, s->knots)
    {
        for (int c = 0; c < columns; c++) {
            MX_AT(s->scratch, c * s->knots + row, 0) = MX_LOAD(s->view, row, 2 * c);
            MX_AT(s->scratch, c * s->knots + row, 1) = MX_LOAD(s->view, row, 2 * c + 1);
        }
    }
    mx_team_barrier(t);
}

/* ---- densities ---- */

/* one: there is one element, and types are not read. */
MX_BODY double density_at(const md_eam_density_args *a, const pair_splines *s, int i, bool one)
{
    const md_eam_tables *const t = &a->tables;
    const double x = MX_LOAD(a->position, i, 0), y = MX_LOAD(a->position, i, 1),
                 z = MX_LOAD(a->position, i, 2);
    const int ei = one ? 0 : t->element[MX_LOAD(a->type, i)];
    const int neighbours = MX_AT(a->neighbour_count, i);
    double rho = 0;
    MX_UNROLL(2)
    MX_SIMD_SUM(rho)
    for (int n = 0; n < neighbours; n++) {
        const int j = MX_AT(a->neighbour, i, n);
        const double dx = x - MX_LOAD(a->position, j, 0), dy = y - MX_LOAD(a->position, j, 1),
                     dz = z - MX_LOAD(a->position, j, 2);
        const double square = dx * dx + dy * dy + dz * dz;
        const int ej = one ? 0 : t->element[MX_LOAD(a->type, j)];
        const place p = place_of_distance(sqrt(square), t->r_inverse, t->r_knots);
        const int row = pair_row(t, ei, ej, p.knot);
        const double f = spline_value(pair_spline(s, row, 0), p.at);
        rho += square < t->cutoff_square ? f : 0;
    }
    return rho;
}

MX_BODY double embed(const md_eam_density_args *a, const pair_splines *s, int i, bool one,
                     bool energy)
{
    const md_eam_tables *const t = &a->tables;
    const double rho = density_at(a, s, i, one);
    const place p = place_in(rho, t->rho_inverse, t->rho_knots);
    const int row = (one ? 0 : t->element[MX_LOAD(a->type, i)]) * t->rho_knots + p.knot;
    const mx_double4 embedding = MX_LOAD4(a->embedding_knots, row, 0);
    MX_AT(a->derivative, i) = spline_slope(embedding, p.at) * t->rho_inverse;
    return energy ? spline_value(embedding, p.at) : 0;
}

MX_BODY double embed_from_view(const md_eam_density_args *a, int i, bool energy)
{
    const pair_splines s = splines_in_view(a->pair_knots);
    return a->tables.elements == 1 ? embed(a, &s, i, true, energy) : embed(a, &s, i, false, energy);
}

MX_BODY void md_eam_density_body(const md_eam_density_args *a, int i)
{
    (void)embed_from_view(a, i, false);
}
MX_FOR(1D, md_eam_density, MX_ITEMS_RESIDENT_4)

MX_BODY void md_eam_density_energy_body(const md_eam_density_args *a, int i, double *sum)
{
    *sum += embed_from_view(a, i, true);
}
MX_REDUCE(1D, md_eam_density_energy, MX_SUM, MX_ITEMS_PLAIN)

MX_BODY void md_eam_density_team_body(const md_eam_density_args *a, mx_team *t)
{
    const int first = t->league_rank * a->team_atoms;
    const int last = mx_min(first + a->team_atoms, a->local);
    MX_TEAM_SCRATCH(t, 0, mx_f64_2r, scratch, MD_SPLINE / 2 * a->tables.r_knots, 2);
    const pair_splines s = {a->pair_knots, scratch, a->tables.r_knots, true};
    copy_splines(t, &s, MD_SPLINE / 2);
    MX_TEAM_VECTOR_FOR(t, i, first, last) { (void)embed(a, &s, i, true, false); }
}
MX_FOR(TEAM, md_eam_density_team)

/* ---- forces ---- */

MX_BODY void force_on(const md_eam_force_args *a, const pair_splines *s, int i, bool one,
                      bool energy, md_energy *sum)
{
    const md_eam_tables *const t = &a->tables;
    const double x = MX_LOAD(a->position, i, 0), y = MX_LOAD(a->position, i, 1),
                 z = MX_LOAD(a->position, i, 2);
    const double derivative = MX_LOAD(a->derivative, i);
    const int ei = one ? 0 : t->element[MX_LOAD(a->type, i)];
    const int neighbours = MX_AT(a->neighbour_count, i);
    double fx = 0, fy = 0, fz = 0, potential = 0, virial = 0;
    MX_UNROLL(2)
    MX_SIMD_SUM(fx, fy, fz, potential, virial)
    for (int n = 0; n < neighbours; n++) {
        const int j = MX_AT(a->neighbour, i, n);
        const double dx = x - MX_LOAD(a->position, j, 0), dy = y - MX_LOAD(a->position, j, 1),
                     dz = z - MX_LOAD(a->position, j, 2);
        const double square = dx * dx + dy * dy + dz * dz;
        const double inverse = mx_rsqrt(square);
        const int ej = one ? 0 : t->element[MX_LOAD(a->type, j)];
        const place p = place_of_distance(square * inverse, t->r_inverse, t->r_knots);
        const int row = pair_row(t, ei, ej, p.knot);
        const mx_double4 pair = pair_spline(s, row, 1);
        const double slope_j = spline_slope(pair_spline(s, row, 0), p.at);
        double slope_i = slope_j;
        if (!one) slope_i = spline_slope(pair_spline(s, pair_row(t, ej, ei, p.knot), 0), p.at);
        const double phi = spline_value(pair, p.at) * inverse;
        const double phi_slope = spline_slope(pair, p.at);
        /* phi' = ((r phi)' - phi) / r; slopes are in units of the step */
        const double embedded = derivative * slope_j + MX_LOAD(a->derivative, j) * slope_i;
        const double all = embedded * t->r_inverse + (phi_slope * t->r_inverse - phi) * inverse;
        const bool inside = square < t->cutoff_square;
        const double force = inside ? -all * inverse : 0;
        fx += dx * force;
        fy += dy * force;
        fz += dz * force;
        if (energy) {
            potential += inside ? 0.5 * phi : 0;
            virial += 0.5 * square * force;
        }
    }
    MX_AT(a->force, i, 0) = fx;
    MX_AT(a->force, i, 1) = fy;
    MX_AT(a->force, i, 2) = fz;
    sum->potential += potential;
    sum->virial += virial;
}

MX_BODY void force_from_view(const md_eam_force_args *a, int i, bool energy, md_energy *sum)
{
    const pair_splines s = splines_in_view(a->pair_knots);
    if (a->tables.elements == 1)
        force_on(a, &s, i, true, energy, sum);
    else
        force_on(a, &s, i, false, energy, sum);
}

MX_BODY void md_eam_force_body(const md_eam_force_args *a, int i)
{
    md_energy none = {0, 0, 0};
    force_from_view(a, i, false, &none);
}
MX_FOR(1D, md_eam_force, MX_ITEMS_RESIDENT_4)

MX_BODY void md_eam_force_energy_body(const md_eam_force_args *a, int i, md_energy *sum)
{
    force_from_view(a, i, true, sum);
}
MX_REDUCE_FIELDS(1D, md_eam_force_energy, MD_ENERGY, MX_ITEMS_PLAIN)

MX_BODY void md_eam_force_team_body(const md_eam_force_args *a, mx_team *t)
{
    const int first = t->league_rank * a->team_atoms;
    const int last = mx_min(first + a->team_atoms, a->local);
    MX_TEAM_SCRATCH(t, 0, mx_f64_2r, scratch, MD_SPLINE * a->tables.r_knots, 2);
    const pair_splines s = {a->pair_knots, scratch, a->tables.r_knots, true};
    copy_splines(t, &s, MD_SPLINE);
    MX_TEAM_VECTOR_FOR(t, i, first, last)
    {
        md_energy none = {0, 0, 0};
        force_on(a, &s, i, true, false, &none);
    }
}
MX_FOR(TEAM, md_eam_force_team)
