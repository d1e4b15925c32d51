/* Potentials of the embedded-atom method (EAM), as files tabulate them. No MPI, no views: for the
 * program, minx-verify and tests.
 *
 *     E = sum_i F_ti(rho_i) + sum_{i<j} phi_titj(r_ij),    rho_i = sum_{j != i} f_tj(r_ij)
 *
 * F: the energy to embed an atom in the electron density rho of its neighbours; f: what an atom
 * adds to the density at the distance r; phi: the pair potential. t is an atom's type. Daw and
 * Baskes, Phys. Rev. B 29 (1984) 6443. Units: Angstrom, eV, atomic mass units; the density's unit
 * is the file's own. */
#pragma once
#include "minx/error.h"

/* funcfl: one element.                        setfl: alloys, as LAMMPS's pair style eam/alloy reads them.
 *   1   comment                                  1-3   comments
 *   2   number, mass, lattice constant, lattice  4     n, and the names of n elements
 *   3   nrho drho nr dr cutoff                   5     nrho drho nr dr cutoff
 *   then nrho values F, nr values Z,             then for each element a line "number mass lattice-constant lattice",
 *   nr values f                                  nrho values F and nr values f;
 *                                                then r phi(r) for each pair (i, j <= i), i = 1, 2, ...: nr values each
 * Values stand in any number on a line; each part begins on a line of its own. The pair potential
 * of funcfl is r phi(r) = 27.2 * 0.529 Z(r)^2, with Hartree and Bohr radius in eV and Angstrom. */
typedef enum md_potential_form { MD_FUNCFL, MD_SETFL } md_potential_form;

enum { MD_MAX_ELEMENTS = 8, MD_MIN_KNOTS = 6, MD_MAX_KNOTS = 1000000 };

typedef struct md_element {
    char name[16]; /* of setfl; "" in funcfl */
    int number;    /* in the periodic table */
    double mass;
    double lattice_constant; /* Angstrom */
} md_element;

typedef struct md_potential {
    md_potential_form form;
    int elements;
    md_element element[MD_MAX_ELEMENTS];
    double cutoff;           /* Angstrom: there is no force beyond it */
    int rho_knots, r_knots;  /* knot k stands at k * rho_step, k * r_step */
    double rho_step, r_step; /* r_step in Angstrom */
    double *values;          /* owns the arrays: */
    double *embedding;       /* F, eV: [elements][rho_knots] */
    double *density;         /* f: [elements][r_knots] */
    double
        *pair; /* r phi(r), eV Angstrom: [md_pairs(elements)][r_knots], pair md_table_pair(i, j) */
} md_potential;

static inline int md_pairs(int elements) { return elements * (elements + 1) / 2; }
static inline int md_table_pair(int i, int j)
{
    return i > j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i;
}

/* Reads a potential file; `name` begins every message. The form is found from line 4: the number
 * and the names of elements in setfl, values in funcfl. MX_ERR_INPUT ("NAME:LINE: PART: got ...,
 * expected ..."), MX_ERR_MEMORY; then *potential is all zero. */
mx_err md_potential_parse(const char *name, const char *text, size_t length,
                          md_potential *potential);

/* Accepts a potential that is all zero, and makes it so. */
void md_potential_free(md_potential *potential);

/* ---- splines (potential_spline.c) ---- */

/* Where in a table a value is looked up: the interval from knot `knot` on, and where in it, in
 * units of the step. */
enum { MD_SPLINE = 4 };

/* The coefficients of a cubic spline through `knots` values: in the interval from knot k on, at p =
 * x / step - k,
 *     value = ((c[0] p + c[1]) p + c[2]) p + c[3],    derivative = ((3 c[0] p + 2 c[1]) p + c[2]) / step
 * coefficients: [knots][MD_SPLINE]. Slopes at the knots are central differences of fourth order, of
 * second order beside the ends, one-sided at the ends, as in the original; so value and slope are
 * continuous. In the last row, which stands at the last knot, the spline goes on as a straight
 * line. */
void md_spline(const double *values, int knots, double *coefficients);

/* Values at the knots k * to_step, from those at k * from_step: Lagrange's interpolation through
 * four knots. */
void md_resample(const double *from, int from_knots, double from_step, double *to, int to_knots,
                 double to_step);
