/* The tables of keys: one row a key, or one for each dialect where its defaults differ. Defaults
 * are those of the originals' code, not of their manuals, but for the port's end_time, which the
 * port reads and never uses: no limit unless given. */
#include "tl_deck_table.h"

#include <float.h>
#include <math.h>

#define COUNT_MAX 2147483647.0
#define ABOVE_0 DBL_TRUE_MIN
#define NEVER (-INFINITY) /* the default of a key that is an error with any value */

/* Rows that do something: */
#define REAL(key, in, member, least, standard, of, what)                                      \
    {                                                                                         \
        .name = key, .dialects = in, .kind = TL_KEY_REAL, .store = TL_STORE_F64,              \
        .field = offsetof(tl_deck, member), .low = least, .high = DBL_MAX, .value = standard, \
        .unit = of, .help = what                                                              \
    }
#define COUNT(key, in, member, least, most, standard, of, what)                            \
    {                                                                                      \
        .name = key, .dialects = in, .kind = TL_KEY_COUNT, .store = TL_STORE_I64,          \
        .field = offsetof(tl_deck, member), .low = least, .high = most, .value = standard, \
        .unit = of, .help = what                                                           \
    }
#define SWITCH(key, in, how, member, sets, what)                                     \
    {                                                                                \
        .name = key, .dialects = in, .kind = TL_KEY_SWITCH, .store = how,            \
        .field = offsetof(tl_deck, member), .value = sets, .unit = "1", .help = what \
    }
/* rows that change nothing, read so that existing decks run: */
#define IGNORED(key, in, how, what)                                                         \
    {                                                                                       \
        .name = key, .dialects = in, .kind = how, .low = 0, .high = COUNT_MAX, .unit = "1", \
        .help = what                                                                        \
    }
/* rows of what this version does not support: */
#define LATER(key, in, how, least, pass, what, text)                                  \
    {                                                                                 \
        .name = key, .dialects = in, .kind = how, .low = least,                       \
        .high = how == TL_KEY_REAL ? DBL_MAX : COUNT_MAX, .value = pass, .unit = "1", \
        .help = what, .instead = text                                                 \
    }

#define THIS_VERSION ": this version solves with CG without preconditioner"
#define CG_REFERENCE "tl_use_cg" THIS_VERSION
#define CG_PORT "use_cg" THIS_VERSION
#define NO_TUNING "no such key" THIS_VERSION ", which has no such parameter"
#define NO_LIBRARY "tl_use_cg: this version has solvers of its own only"
#define NO_3D "no such key: this version is two-dimensional"
#define NO_DEVICE "no such key: choose by --backend= and --device= on the command line"
#define BY_BACKEND "kernels are chosen by --backend="
#define NO_TILES "there are no tiles"

static const char *const preconditioners[] = {"none", "jac_diag", "jac_block", NULL};

const tl_key tl_keys[] = {
    REAL("initial_timestep", TL_BOTH, initial_timestep, ABOVE_0, 0.1, "time",
         "the time step, constant over the run"),
    REAL("end_time", TL_REFERENCE, end_time, 0, 10, "time", "stop when it is passed"),
    REAL("end_time", TL_PORT, end_time, 0, DBL_MAX, "time", "stop when it is passed"),
    COUNT("end_step", TL_REFERENCE, end_step, 0, COUNT_MAX, 640000, "steps",
          "stop after it, or by end_time"),
    COUNT("end_step", TL_PORT, end_step, 0, COUNT_MAX, COUNT_MAX, "steps",
          "stop after it, or by end_time"),
    REAL("xmin", TL_BOTH, xmin, -DBL_MAX, 0, "length", "left side of the domain"),
    REAL("xmax", TL_BOTH, xmax, -DBL_MAX, 100, "length", "right side of the domain"),
    REAL("ymin", TL_BOTH, ymin, -DBL_MAX, 0, "length", "bottom of the domain"),
    REAL("ymax", TL_BOTH, ymax, -DBL_MAX, 100, "length", "top of the domain"),
    COUNT("x_cells", TL_BOTH, x_cells, 1, COUNT_MAX - 1, 10, "cells", "cells along x"),
    COUNT("y_cells", TL_BOTH, y_cells, 1, COUNT_MAX - 1, 10, "cells", "cells along y"),
    SWITCH("tl_use_cg", TL_REFERENCE, TL_STORE_SOLVER, solver, TL_SOLVER_CG,
           "solve with CG; must be given"),
    SWITCH("use_cg", TL_PORT, TL_STORE_SOLVER, solver, TL_SOLVER_CG, "solve with CG; the default"),
    REAL("tl_eps", TL_REFERENCE, eps, ABOVE_0, 1e-10, "1",
         "solve until the residual is below eps times the first one"),
    REAL("eps", TL_PORT, eps, ABOVE_0, 1e-15, "1",
         "solve until the residual is below eps times the first one"),
    COUNT("tl_max_iters", TL_REFERENCE, max_iters, 1, COUNT_MAX, 1000, "iterations",
          "maximum number of iterations of a step"),
    COUNT("max_iters", TL_PORT, max_iters, 1, COUNT_MAX, 10000, "iterations",
          "maximum number of iterations of a step"),
    SWITCH("tl_coefficient_density", TL_REFERENCE, TL_STORE_COEFFICIENT, coefficient,
           TL_COEFFICIENT_DENSITY, "conductivity of a face: mean of 1/density; the default"),
    SWITCH("coefficient_density", TL_PORT, TL_STORE_COEFFICIENT, coefficient,
           TL_COEFFICIENT_DENSITY, "conductivity of a face: mean of 1/density; the default"),
    SWITCH("tl_coefficient_inverse_density", TL_REFERENCE, TL_STORE_COEFFICIENT, coefficient,
           TL_COEFFICIENT_INVERSE_DENSITY, "conductivity of a face: mean of density"),
    SWITCH("coefficient_inverse_density", TL_PORT, TL_STORE_COEFFICIENT, coefficient,
           TL_COEFFICIENT_INVERSE_DENSITY, "conductivity of a face: mean of density"),
    COUNT("summary_frequency", TL_BOTH, summary_frequency, 0, COUNT_MAX, 10, "steps",
          "steps between field summaries; 0: at the start and the end only"),
    SWITCH("tl_check_result", TL_REFERENCE, TL_STORE_INT, check_result, 1,
           "print the true residual of each step"),
    SWITCH("check_result", TL_PORT, TL_STORE_INT, check_result, 1,
           "print the true residual of each step"),
    {.name = "test_problem",
     .dialects = TL_REFERENCE,
     .kind = TL_KEY_COUNT,
     .store = TL_STORE_INT,
     .field = offsetof(tl_deck, test_problem),
     .low = 0,
     .high = 6,
     .unit = "1",
     .help = "compare with the reference's published value; 0: do not"},
    SWITCH("profiler_on", TL_REFERENCE, TL_STORE_INT, profiler_on, 1,
           "print the table of regions at the end"),
    SWITCH("verbose_on", TL_REFERENCE, TL_STORE_INT, verbose_on, 1,
           "print the residual of each iteration"),

    IGNORED("test_problem", TL_PORT, TL_KEY_COUNT,
            "expected values are looked up by the problem itself"),
    IGNORED("profiler_on", TL_PORT, TL_KEY_SWITCH, "the port ignores it too"),
    IGNORED("use_c_kernels", TL_PORT, TL_KEY_SWITCH, BY_BACKEND),
    IGNORED("use_fortran_kernels", TL_BOTH, TL_KEY_SWITCH, BY_BACKEND),
    IGNORED("use_cuda_kernels", TL_BOTH, TL_KEY_SWITCH, BY_BACKEND),
    IGNORED("use_opencl_kernels", TL_BOTH, TL_KEY_SWITCH, BY_BACKEND),
    IGNORED("tiles_per_task", TL_REFERENCE, TL_KEY_COUNT, NO_TILES),
    IGNORED("tiles_per_problem", TL_REFERENCE, TL_KEY_COUNT, NO_TILES),
    IGNORED("sub_tiles_per_tile", TL_REFERENCE, TL_KEY_COUNT, NO_TILES),
    IGNORED("tiling_frequency", TL_REFERENCE, TL_KEY_COUNT, NO_TILES),

    LATER("tl_use_jacobi", TL_REFERENCE, TL_KEY_SWITCH, 0, 0, "solve with Jacobi", CG_REFERENCE),
    LATER("tl_use_chebyshev", TL_REFERENCE, TL_KEY_SWITCH, 0, 0, "solve with Chebyshev",
          CG_REFERENCE),
    LATER("tl_use_ppcg", TL_REFERENCE, TL_KEY_SWITCH, 0, 0,
          "solve with polynomially preconditioned CG", CG_REFERENCE),
    LATER("tl_use_dpcg", TL_REFERENCE, TL_KEY_SWITCH, 0, 0, "solve with deflated CG", CG_REFERENCE),
    LATER("use_jacobi", TL_PORT, TL_KEY_SWITCH, 0, 0, "solve with Jacobi", CG_PORT),
    LATER("use_chebyshev", TL_PORT, TL_KEY_SWITCH, 0, 0, "solve with Chebyshev", CG_PORT),
    LATER("use_ppcg", TL_PORT, TL_KEY_SWITCH, 0, 0, "solve with polynomially preconditioned CG",
          CG_PORT),
    {.name = "tl_preconditioner_type",
     .dialects = TL_REFERENCE,
     .kind = TL_KEY_WORD,
     .unit = "1",
     .help = "preconditioner of CG",
     .instead = "none" THIS_VERSION,
     .words = preconditioners},
    LATER("tl_preconditioner_on", TL_REFERENCE, TL_KEY_SWITCH, 0, 0, "precondition CG", NO_TUNING),
    LATER("preconditioner_on", TL_PORT, TL_KEY_SWITCH, 0, 0, "precondition CG; the port ignores it",
          NO_TUNING),
    LATER("tl_ch_cg_presteps", TL_REFERENCE, TL_KEY_COUNT, 0, NEVER,
          "CG iterations before Chebyshev", NO_TUNING),
    LATER("tl_ch_cg_epslim", TL_REFERENCE, TL_KEY_REAL, 0, NEVER,
          "error at which Chebyshev may begin", NO_TUNING),
    LATER("tl_ch_cg_errswitch", TL_REFERENCE, TL_KEY_SWITCH, 0, 0, "begin Chebyshev by the error",
          NO_TUNING),
    LATER("presteps", TL_PORT, TL_KEY_COUNT, 0, NEVER, "CG iterations before Chebyshev", NO_TUNING),
    LATER("epslim", TL_PORT, TL_KEY_REAL, 0, NEVER, "error at which Chebyshev may begin",
          NO_TUNING),
    LATER("errswitch", TL_PORT, TL_KEY_SWITCH, 0, 0, "begin Chebyshev by the error", NO_TUNING),
    LATER("tl_ppcg_inner_steps", TL_REFERENCE, TL_KEY_COUNT, -1, NEVER,
          "degree of PPCG's polynomial", NO_TUNING),
    LATER("ppcg_inner_steps", TL_PORT, TL_KEY_COUNT, -1, NEVER, "degree of PPCG's polynomial",
          NO_TUNING),
    LATER("coarse_solve_eps", TL_REFERENCE, TL_KEY_REAL, 0, NEVER, "of deflated CG", NO_TUNING),
    LATER("coarse_solve_max_iters", TL_REFERENCE, TL_KEY_COUNT, 0, NEVER, "of deflated CG",
          NO_TUNING),
    LATER("visit_frequency", TL_REFERENCE, TL_KEY_COUNT, 0, 0,
          "steps between dumps of the fields; 0: none",
          "0 or no such key: --output=FILE.h5 writes the final fields"),
    LATER("reflective_boundary", TL_REFERENCE, TL_KEY_SWITCH, 0, 0, "zero flux by mirrored halos",
          "no such key: boundaries have zero flux, which has the same solution"),
    LATER("halo_depth", TL_REFERENCE, TL_KEY_COUNT, 1, 1, "width of halos, for PPCG",
          "1" THIS_VERSION),
    LATER("halo_depth", TL_PORT, TL_KEY_COUNT, 1, 2, "width of halos", "1 or 2" THIS_VERSION),
    LATER("num_chunks_per_rank", TL_PORT, TL_KEY_COUNT, 1, 1, "pieces of mesh per rank",
          "1: a rank has one piece"),
    LATER("cuda_device", TL_REFERENCE, TL_KEY_COUNT, 0, NEVER, "the GPU to use", NO_DEVICE),
    LATER("opencl_device", TL_REFERENCE, TL_KEY_COUNT, 0, NEVER, "the device to use", NO_DEVICE),
    LATER("use_petsc", TL_REFERENCE, TL_KEY_SWITCH, 0, 0, "solve with PETSc", NO_LIBRARY),
    LATER("use_hypre", TL_REFERENCE, TL_KEY_SWITCH, 0, 0, "solve with hypre", NO_LIBRARY),
    LATER("use_trilinos", TL_REFERENCE, TL_KEY_SWITCH, 0, 0, "solve with Trilinos", NO_LIBRARY),
    LATER("z_cells", TL_REFERENCE, TL_KEY_COUNT, 1, NEVER, "cells along z", NO_3D),
    LATER("zmin", TL_REFERENCE, TL_KEY_REAL, -DBL_MAX, NEVER, "front of the domain", NO_3D),
    LATER("zmax", TL_REFERENCE, TL_KEY_REAL, -DBL_MAX, NEVER, "back of the domain", NO_3D),
};
const int tl_key_count = (int)(sizeof tl_keys / sizeof tl_keys[0]);

/* Density and energy make every state. A circle's centre and a point are given by xmin and ymin.
 * The background fills the domain, so its shape means nothing and may stand. */
#define ROUND (TL_FOR_CIRCLE | TL_FOR_POINT)
#define STATE(key, member, must, may, may_port, least, of, what)                          \
    {                                                                                     \
        .name = key, .field = offsetof(tl_state, member), .needed = must, .allowed = may, \
        .ignored = may_port, .low = least, .unit = of, .help = what                       \
    }

const tl_state_key tl_state_keys[] = {
    STATE("density", density, TL_FOR_ALL, 0, 0, ABOVE_0, "mass/area", "mass density"),
    STATE("energy", energy, TL_FOR_ALL, 0, 0, 0, "energy/mass", "specific energy"),
    {.name = "geometry",
     .needed = TL_FOR_RECTANGLE | ROUND,
     .allowed = TL_FOR_BACKGROUND,
     .unit = "1",
     .help = "the shape that the state fills"},
    STATE("xmin", xmin, TL_FOR_RECTANGLE | ROUND, TL_FOR_BACKGROUND, 0, -DBL_MAX, "length",
          "left side, or centre"),
    STATE("ymin", ymin, TL_FOR_RECTANGLE | ROUND, TL_FOR_BACKGROUND, 0, -DBL_MAX, "length",
          "bottom, or centre"),
    STATE("xmax", xmax, TL_FOR_RECTANGLE, TL_FOR_BACKGROUND, ROUND, -DBL_MAX, "length",
          "right side"),
    STATE("ymax", ymax, TL_FOR_RECTANGLE, TL_FOR_BACKGROUND, ROUND, -DBL_MAX, "length", "top"),
    STATE("radius", radius, TL_FOR_CIRCLE, TL_FOR_BACKGROUND, 0, ABOVE_0, "length",
          "radius of a circle"),
};
const int tl_state_key_count = (int)(sizeof tl_state_keys / sizeof tl_state_keys[0]);
