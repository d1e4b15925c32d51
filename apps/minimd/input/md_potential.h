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
 *
 * setfl of LAMMPS's pair style eam/fs (Finnis and Sinclair): behind F of an element stand n
 * functions f, what it adds to the density at an atom of each element. With one element the two are
 * the same.
 *
 * Values stand in any number on a line; each part begins on a line of its own. As in LAMMPS, '#'
 * begins a comment behind the lines of comments at the start, and words behind the last value of a
 * part or of a header are not read. A number there is an error: it would be a value too many.
 *
 * The pair potential of funcfl is r phi(r) = 27.2 * 0.529 Z_i(r) Z_j(r), with Hartree and Bohr
 * radius in eV and Angstrom. Several files, one for each element, are brought onto one grid: the
 * longest steps and the longest tables of all. */
typedef enum md_potential_form { MD_FUNCFL, MD_SETFL, MD_SETFL_FS } md_potential_form;

enum { MD_MAX_ELEMENTS = 8, MD_MIN_KNOTS = 6, MD_MAX_KNOTS = 1000000 };

typedef struct md_element {
    char name[16]; /* of setfl; in funcfl, the symbol of its number, "" for 0 */
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
    double *density;         /* f: [elements][r_knots]; eam/fs: [of][at][r_knots], see md_density */
    double
        *pair; /* r phi(r), eV Angstrom: [md_pairs(elements)][r_knots], pair md_table_pair(i, j) */
} md_potential;

static inline int md_pairs(int elements) { return elements * (elements + 1) / 2; }
static inline int md_table_pair(int i, int j)
{
    return i > j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i;
}

/* What an atom of element `of` adds to the density at an atom of element `at`. */
static inline const double *md_density(const md_potential *p, int at, int of)
{
    const int table = p->form == MD_SETFL_FS ? of * p->elements + at : of;
    return p->density + (size_t)table * (size_t)p->r_knots;
}
static inline const double *md_pair_table(const md_potential *p, int i, int j)
{
    return p->pair + (size_t)md_table_pair(i, j) * (size_t)p->r_knots;
}
static inline const double *md_embedding(const md_potential *p, int element)
{
    return p->embedding + (size_t)element * (size_t)p->rho_knots;
}

/* A file, with its name for messages. */
typedef struct md_potential_text {
    const char *name;
    const char *text;
    size_t length;
} md_potential_text;

/* How many files a list "A,B" names; 0: a name is empty, or there are more than MD_MAX_ELEMENTS. */
int md_potential_count(const char *list);

/* What the copy of a file is called in a results file, in /files: potential, potential_2 and so
 * on; from 0 on. */
typedef struct md_potential_copy {
    char name[32];
} md_potential_copy;
md_potential_copy md_potential_copy_of(int file);

/* Reads a potential from its file, or from funcfl files, one for each element. The form is found
 * from line 4: the number and the names of elements in setfl, values in funcfl. eam/fs is told
 * from eam/alloy by the number of values; the file's name says nothing. MX_ERR_INPUT ("NAME:LINE: PART: got ..., expected
 * ..."), MX_ERR_MEMORY; then *potential is all zero. Other dialects of LAMMPS (adp, eam/he,
 * eam/cd, meam) are errors with their names, where the values or the file's name tell them. */
mx_err md_potential_parse_all(const md_potential_text *files, int count, md_potential *potential);
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
 * coefficients: [knots][MD_SPLINE]. Slopes at the knots are central differences of fourth order,
 * of second order beside the ends, one-sided at the ends, as in the original; so value and slope
 * are continuous. In the last row, which stands at the last knot, the spline goes on as a
 * straight line. F does so. Of functions of the distance, as in LAMMPS, value and slope beyond
 * the last knot are those at it. */
void md_spline(const double *values, int knots, double *coefficients);

/* Values at the knots k * to_step, from those at k * from_step: Lagrange's interpolation through
 * four knots. */
void md_resample(const double *from, int from_knots, double from_step, double *to, int to_knots,
                 double to_step);

/* The tables of funcfl files, on their common grid, from their functions as they were read;
 * `pair` of these is Z. With one file the grid is the original's: the file's steps, and one knot
 * less than it has. The elements, cutoff and form of *to are set. MX_ERR_INPUT where the grid
 * has more than MD_MAX_KNOTS; MX_ERR_MEMORY. */
mx_err md_combine_funcfl(const md_potential *files, int count, md_potential *to);

/* ---- elements (potential_elements.c) ---- */

/* The symbol of an element of the periodic table; "" for 0. */
const char *md_element_symbol(int number);

/* The element of each type of atoms. `names`: the elements' names in the order of the types,
 * with commas between them, as LAMMPS's pair_coeff has them. NULL: the only element is that of
 * all types, else type n is element n; then the masses of the types, unless NULL, must be those
 * of their elements within 1 percent. MX_ERR_INPUT, with the names that would fit the masses, if
 * there are some. */
mx_err md_choose_elements(const md_potential *potential, const char *names, int types,
                          const double *masses, int *element);
