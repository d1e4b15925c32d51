#include "fe_input.h"

#include <float.h>
#include <stddef.h>

static const char *const problems[] = {"original", "manufactured", NULL};
static const char *const meshes[] = {"uniform", "distorted", NULL};
static const char *const assemblies[] = {"colours", "atomics", NULL};
static const char *const solvers[] = {"cg", "single-reduction", NULL};
static const char *const preconditioners[] = {"none", "diagonal", "chebyshev", "multigrid", NULL};

#define AT(member) .offset = offsetof(fe_input, member)

/* The original's first, with its defaults. */
static const app_key keys[] = {
    {.name = "nx",
     .type = APP_KEY_INT64,
     AT(nx),
     .low = 1,
     .high = INT32_MAX - 1,
     .standard = 10,
     .help = "elements along x"},
    {.name = "ny",
     .type = APP_KEY_INT64,
     AT(ny),
     .low = 1,
     .high = INT32_MAX - 1,
     .standard = 0,
     .help = "elements along y; default: nx"},
    {.name = "nz",
     .type = APP_KEY_INT64,
     AT(nz),
     .low = 1,
     .high = INT32_MAX - 1,
     .standard = 0,
     .help = "elements along z; default: ny"},
    {.name = "verify_solution",
     .type = APP_KEY_SWITCH,
     AT(verify_solution),
     .help = "compares with the analytic solution (always done; accepted as in the original)"},
    {.name = "max_iterations",
     .type = APP_KEY_INT64,
     AT(max_iterations),
     .low = 0,
     .high = 1e9,
     .standard = 200,
     .help = "at most so many iterations of the solver"},
    {.name = "tolerance",
     .type = APP_KEY_REAL,
     AT(tolerance),
     .low = 0,
     .high = DBL_MAX,
     .standard = DBL_EPSILON,
     .help = "stop at this 2-norm of the residual (absolute)"},
    {.name = "relative_tolerance",
     .type = APP_KEY_REAL,
     AT(relative_tolerance),
     .low = 0,
     .high = 1,
     .standard = 0,
     .help = "stop at this share of the initial residual's 2-norm"},
    {.name = "solver",
     .type = APP_KEY_CHOICE,
     AT(solver),
     .words = solvers,
     .help = "conjugate gradients: as the original, or with one sum over ranks an iteration"},
    {.name = "preconditioner",
     .type = APP_KEY_CHOICE,
     AT(preconditioner),
     .words = preconditioners,
     .help = "of the solver"},
    {.name = "chebyshev_degree",
     .type = APP_KEY_INT64,
     AT(chebyshev_degree),
     .low = 1,
     .high = 100,
     .standard = 2,
     .help = "steps of the preconditioner chebyshev, and of each smoother of multigrid"},
    {.name = "problem",
     .type = APP_KEY_CHOICE,
     AT(problem),
     .words = problems,
     .help = "the original's, or one whose exact solution is known"},
    {.name = "mesh",
     .type = APP_KEY_CHOICE,
     AT(mesh),
     .words = meshes,
     .help = "equal boxes, or elements that are smoothly distorted"},
    {.name = "assembly",
     .type = APP_KEY_CHOICE,
     AT(assembly),
     .words = assemblies,
     .standard = FE_ASSEMBLY_COLOURS,
     .help = "how elements are added: colours (same bits for any threads) or atomics"},
    {.name = "dump",
     .type = APP_KEY_TEXT,
     AT(dump),
     .argument = "FOLDER",
     .parameter = "",
     .help = "writes matrix and vectors as text into this folder"},
};

/* ny is nx and nz is ny where they are not given. */
static mx_err check(app_keys *k)
{
    fe_input *const in = k->target;
    if (in->ny == 0) in->ny = in->nx;
    if (in->nz == 0) in->nz = in->ny;
    return MX_OK;
}

const app_input fe_keys = {
    .keys = keys,
    .count = sizeof keys / sizeof keys[0],
    .size = sizeof(fe_input),
    .check = check,
    .deck_optional = true,
    .free_form = true,
};
