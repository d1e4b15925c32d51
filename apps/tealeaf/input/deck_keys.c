/* The table of keys: one row a key, or one for each dialect where its defaults differ. Defaults
 * are those of the originals' code, not of their manuals, but for the port's end_time, which the
 * port reads and never uses: no limit unless given. */
#include "tl_deck_table.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#define COUNT_MAX 2147483647.0
#define ABOVE_0 APP_KEY_ABOVE_0
#define NEVER (-INFINITY) /* the default of a key of which every value is refused */

/* Rows that do something: */
#define REAL(key, in, member, min, normal, of, what, as)                                           \
    {                                                                                              \
        .name = key, .dialects = in, .type = APP_KEY_REAL, .offset = offsetof(tl_deck, member),    \
        .low = min, .high = DBL_MAX, .standard = normal, .unit = of, .help = what, .parameter = as \
    }
#define COUNT(key, in, member, min, max, normal, of, what, as)                                     \
    {                                                                                              \
        .name = key, .dialects = in, .type = APP_KEY_INT64, .offset = offsetof(tl_deck, member),   \
        .low = min, .high = max, .standard = normal, .argument = of, .help = what, .parameter = as \
    }
#define CELLS(key, in, member, also, what)                                                    \
    {                                                                                         \
        .name = key, .aliases = also, .dialects = in, .type = APP_KEY_INT64,                  \
        .offset = offsetof(tl_deck, member), .low = 1, .high = COUNT_MAX - 1, .standard = 10, \
        .argument = "cells", .help = what                                                     \
    }
#define SWITCH(key, in, member, what, as)                                                         \
    {                                                                                             \
        .name = key, .dialects = in, .type = APP_KEY_SWITCH, .offset = offsetof(tl_deck, member), \
        .help = what, .parameter = as                                                             \
    }
#define PICK(key, in, member, names, number, what)                             \
    {                                                                          \
        .name = key, .dialects = in, .type = APP_KEY_PICK, .words = names,     \
        .offset = offsetof(tl_deck, member), .standard = number, .help = what, \
        .parameter = #member                                                   \
    }
#define PRECONDITIONER(key, in)                                                                 \
    {                                                                                           \
        .name = key, .dialects = in, .type = APP_KEY_CHOICE, .words = preconditioners,          \
        .offset = offsetof(tl_deck, preconditioner), .parameter = "preconditioner",             \
        .help = "preconditioner: of CG, and jac_diag of Chebyshev and of PPCG's polynomial too" \
    }
#define SMOOTHING(key, in)                                                                    \
    {                                                                                         \
        .name = key, .dialects = in, .type = APP_KEY_INT,                                     \
        .offset = offsetof(tl_deck, smoothing_steps), .low = 1, .high = 8, .standard = 2,     \
        .unit = "steps", .parameter = "multigrid_smoothing_steps",                            \
        .help = "multigrid: smoothing steps before the correction of each mesh, and after it" \
    }
/* rows that change nothing, read so that existing decks run: */
#define IGNORED(key, in, how, what)                                          \
    {                                                                        \
        .name = key, .dialects = in, .type = how, .offset = APP_KEY_NOWHERE, \
        .sources = APP_KEY_FILE, .high = COUNT_MAX, .help = what             \
    }
/* the same for keys of older versions, with a note at each run: */
#define OLD(key, how, what)                                                      \
    {                                                                            \
        .name = key, .dialects = TL_ALL, .type = how, .offset = APP_KEY_NOWHERE, \
        .sources = APP_KEY_FILE, .high = how == APP_KEY_REAL ? DBL_MAX : 0,      \
        .flags = TL_KEY_IS_OLD, .help = what                                     \
    }
/* rows of what this version does not support: */
#define LATER(key, in, how, min, pass, what, text)                                              \
    {                                                                                           \
        .name = key, .dialects = in, .type = how, .offset = APP_KEY_NOWHERE,                    \
        .sources = APP_KEY_FILE, .low = min, .high = how == APP_KEY_REAL ? DBL_MAX : COUNT_MAX, \
        .standard = pass, .help = what, .instead = text                                         \
    }
/* a part of a state, in the member of each: */
#define STATE(key, in, member, shapes, min, of, what)                                     \
    {                                                                                     \
        .name = key, .parameter = "state_" key, .dialects = in, .type = APP_KEY_REAL,     \
        .sources = APP_KEY_RECORD, .low = min, .high = DBL_MAX, .unit = of, .help = what, \
        .flags = shapes, IN_STATES(member)                                                \
    }
#define SHAPE(in, names)                                                                     \
    {                                                                                        \
        .name = "geometry", .parameter = "state_geometry", .type = APP_KEY_CHOICE,           \
        .sources = APP_KEY_RECORD, .dialects = in, .words = names, .low = TL_RECTANGLE,      \
        .help = "the shape that the state fills",                                            \
        .flags = TL_NEEDED_BY(TL_FOR_RECTANGLE | ROUND) | TL_ALLOWED_FOR(TL_FOR_BACKGROUND), \
        IN_STATES(geometry)                                                                  \
    }
#define IN_STATES(member)                                                                        \
    .offset = offsetof(tl_deck, state) + offsetof(tl_state, member), .stride = sizeof(tl_state), \
    .length = offsetof(tl_deck, states), .capacity = TL_MAX_STATES
#define ROUND (TL_FOR_CIRCLE | TL_FOR_POINT)
#define CORNER (TL_NEEDED_BY(TL_FOR_RECTANGLE | ROUND) | TL_ALLOWED_FOR(TL_FOR_BACKGROUND))
#define OTHER_CORNER \
    (TL_NEEDED_BY(TL_FOR_RECTANGLE) | TL_ALLOWED_FOR(TL_FOR_BACKGROUND) | TL_IGNORED_FOR(ROUND))
/* what the parser finds out: */
#define DERIVED(key, how, member, names, what)                                                     \
    {                                                                                              \
        .name = key, .type = how, .sources = APP_KEY_DERIVED, .offset = offsetof(tl_deck, member), \
        .words = names, .help = what                                                               \
    }

#define THIS_VERSION ": this version solves with CG, DPCG, Chebyshev, PPCG or Jacobi"
#define NO_TUNING "no such key" THIS_VERSION ", which has no such parameter"
#define NO_LIBRARY "tl_use_cg: this version has solvers of its own only"
#define NO_DEVICE "no such key: choose by --backend= and --device= on the command line"
#define BY_BACKEND "kernels are chosen by --backend="
#define BY_DEVICE "devices are chosen by --backend= and --device="
#define NO_TILES "there are no tiles"
#define DIRECT "the coarse system of deflated CG is solved directly"

static const char *const dialects[] = {"reference", "port", "3-D", NULL};
static const char *const solvers[] = {"cg", "jacobi", "chebyshev", "ppcg", "dpcg", NULL};
static const char *const coefficients[] = {"density", "inverse_density", NULL};
static const char *const shapes[] = {"background", "rectangle", "circle", "point", NULL};
static const char *const shapes_3d[] = {"background", "cuboid", "sphere", "point", "circle", NULL};
static const char *const port_shapes[] = {"background", "rectangle", "circular", "point", NULL};
static const char *const preconditioners[] = {"none", "jac_diag", "jac_block", "multigrid", NULL};

const char *tl_problem_name(const tl_deck *deck, tl_name *name)
{
    const bool plain = deck->preconditioner == TL_PRECONDITIONER_NONE;
    snprintf(name->text, sizeof name->text, "%s%s%s %s", solvers[deck->solver], plain ? "" : " ",
             plain ? "" : preconditioners[deck->preconditioner], tl_is_3d(deck) ? "3-D" : "2-D");
    return name->text;
}

static const app_key rows[] = {
    REAL("initial_timestep", TL_ALL, initial_timestep, ABOVE_0, 0.1, "time",
         "the time step, constant over the run", NULL),
    REAL("end_time", TL_REFERENCE, end_time, 0, 10, "time", "stop when it is passed", NULL),
    REAL("end_time", TL_PORT, end_time, 0, DBL_MAX, "time", "stop when it is passed", NULL),
    COUNT("end_step", TL_REFERENCE, end_step, 0, COUNT_MAX, 640000, "steps",
          "stop after it, or by end_time", NULL),
    COUNT("end_step", TL_PORT, end_step, 0, COUNT_MAX, COUNT_MAX, "steps",
          "stop after it, or by end_time", NULL),
    REAL("xmin", TL_ALL, xmin, -DBL_MAX, 0, "length", "left side of the domain", NULL),
    REAL("xmax", TL_ALL, xmax, -DBL_MAX, 100, "length", "right side of the domain", NULL),
    REAL("ymin", TL_ALL, ymin, -DBL_MAX, 0, "length", "bottom of the domain", NULL),
    REAL("ymax", TL_ALL, ymax, -DBL_MAX, 100, "length", "top of the domain", NULL),
    REAL("zmin", TL_3D, zmin, -DBL_MAX, 0, "length", "front of the domain", NULL),
    REAL("zmax", TL_3D, zmax, -DBL_MAX, 100, "length", "back of the domain", NULL),
    CELLS("x_cells", TL_ALL, x_cells, "-x", "cells along x"),
    CELLS("y_cells", TL_ALL, y_cells, "-y", "cells along y"),
    CELLS("z_cells", TL_3D, z_cells, NULL,
          "cells along z; with this key, zmin or zmax the deck is three-dimensional"),
    PICK("tl_use_jacobi", TL_REFERENCE, solver, solvers, TL_SOLVER_JACOBI,
         "solve with Jacobi's iteration; the default"),
    PICK("tl_use_cg", TL_REFERENCE, solver, solvers, TL_SOLVER_CG, "solve with CG"),
    PICK("tl_use_chebyshev", TL_REFERENCE, solver, solvers, TL_SOLVER_CHEBYSHEV,
         "solve with Chebyshev's iteration after some of CG"),
    PICK("tl_use_ppcg", TL_REFERENCE, solver, solvers, TL_SOLVER_PPCG,
         "solve with polynomially preconditioned CG"),
    PICK("tl_use_dpcg", TL_REFERENCE, solver, solvers, TL_SOLVER_DPCG,
         "solve with deflated CG; deflation space: functions constant on each coarse cell"),
    PICK("use_jacobi", TL_PORT, solver, solvers, TL_SOLVER_JACOBI, "solve with Jacobi's iteration"),
    PICK("use_cg", TL_PORT, solver, solvers, TL_SOLVER_CG, "solve with CG; the default"),
    PICK("use_chebyshev", TL_PORT, solver, solvers, TL_SOLVER_CHEBYSHEV,
         "solve with Chebyshev's iteration after some of CG"),
    PICK("use_ppcg", TL_PORT, solver, solvers, TL_SOLVER_PPCG,
         "solve with polynomially preconditioned CG"),
    PRECONDITIONER("tl_preconditioner_type", TL_REFERENCE),
    PRECONDITIONER("preconditioner_type", TL_PORT),
    SMOOTHING("tl_multigrid_smoothing_steps", TL_REFERENCE),
    SMOOTHING("multigrid_smoothing_steps", TL_PORT),
    COUNT("tl_ch_cg_presteps", TL_REFERENCE, presteps, 2, COUNT_MAX, 25, "iterations",
          "CG iterations before Chebyshev or PPCG, for the eigenvalues", "presteps"),
    COUNT("presteps", TL_PORT, presteps, 2, COUNT_MAX, 30, "iterations",
          "CG iterations before Chebyshev or PPCG, for the eigenvalues", NULL),
    REAL("tl_ch_cg_epslim", TL_2D, epslim, 0, 1, "energy/length^2",
         "CG goes on before Chebyshev or PPCG while the residual is above it", "epslim"),
    REAL("tl_ch_cg_epslim", TL_3D, epslim, 0, 1, "energy/length^3",
         "CG goes on before Chebyshev or PPCG while the residual is above it", "epslim"),
    REAL("epslim", TL_PORT, epslim, 0, 1e-5, "energy/length^2",
         "CG goes on before Chebyshev or PPCG while the residual is above it", NULL),
    COUNT("tl_ppcg_inner_steps", TL_2D, inner_steps, -1, COUNT_MAX, -1, "steps",
          "steps of PPCG's polynomial; -1: 4 times the fourth root of the number of cells",
          "inner_steps"),
    COUNT("tl_ppcg_inner_steps", TL_3D, inner_steps, -1, COUNT_MAX, -1, "steps",
          "steps of PPCG's polynomial; -1: 4 times the eighth root of the number of cells",
          "inner_steps"),
    COUNT("ppcg_inner_steps", TL_PORT, inner_steps, -1, COUNT_MAX, 10, "steps",
          "steps of PPCG's polynomial; -1: 4 times the fourth root of the number of cells",
          "inner_steps"),
    {.name = "halo_depth",
     .dialects = TL_REFERENCE,
     .type = APP_KEY_INT,
     .offset = offsetof(tl_deck, halo_depth),
     .low = 1,
     .high = 64,
     .standard = 1,
     .unit = "cells",
     .help = "PPCG, in 2-D also Chebyshev and Jacobi: width of halos, which are exchanged once in "
             "as many steps"},
    {.name = "tiles_per_problem",
     .aliases = "total_tiles",
     .dialects = TL_REFERENCE,
     .type = APP_KEY_INT64,
     .offset = offsetof(tl_deck, tiles_per_problem),
     .high = COUNT_MAX,
     .argument = "tiles",
     .help = "DPCG: coarse cells, in units of sub_tiles_per_tile; 0: by tiles_per_task"},
    COUNT("tiles_per_task", TL_REFERENCE, tiles_per_task, 0, COUNT_MAX, 0, "tiles",
          "DPCG: the same for each rank; 0: 1, or with no such key by the number of cells", NULL),
    COUNT("sub_tiles_per_tile", TL_REFERENCE, sub_tiles_per_tile, 0, COUNT_MAX, 0, "coarse cells",
          "DPCG: coarse cells of a tile; 0: 1", NULL),
    REAL("tl_eps", TL_REFERENCE, eps, ABOVE_0, 1e-10, "1",
         "solve until the residual is below eps times the first one", "eps"),
    REAL("eps", TL_PORT, eps, ABOVE_0, 1e-15, "1",
         "solve until the residual is below eps times the first one", NULL),
    COUNT("tl_max_iters", TL_REFERENCE, max_iters, 1, COUNT_MAX, 1000, "iterations",
          "maximum number of iterations of a step", "max_iters"),
    COUNT("max_iters", TL_PORT, max_iters, 1, COUNT_MAX, 10000, "iterations",
          "maximum number of iterations of a step", NULL),
    PICK("tl_coefficient_density", TL_REFERENCE, coefficient, coefficients, TL_COEFFICIENT_DENSITY,
         "conductivity of a face: mean of 1/density; the default"),
    PICK("coefficient_density", TL_PORT, coefficient, coefficients, TL_COEFFICIENT_DENSITY,
         "conductivity of a face: mean of 1/density; the default"),
    PICK("tl_coefficient_inverse_density", TL_REFERENCE, coefficient, coefficients,
         TL_COEFFICIENT_INVERSE_DENSITY, "conductivity of a face: mean of density"),
    PICK("coefficient_inverse_density", TL_PORT, coefficient, coefficients,
         TL_COEFFICIENT_INVERSE_DENSITY, "conductivity of a face: mean of density"),
    COUNT("summary_frequency", TL_ALL, summary_frequency, 0, COUNT_MAX, 10, "steps",
          "steps between field summaries; 0: at the start and the end only", NULL),
    SWITCH("reflective_boundary", TL_REFERENCE, reflective_boundary,
           "zero flux by mirrored cells, as the diagonals of preconditioners and Jacobi have it",
           NULL),
    COUNT("visit_frequency", TL_REFERENCE, visit_frequency, 0, COUNT_MAX, 0, "steps",
          "steps between frames of the fields in the results file, for ParaView and VisIt; 0: none",
          NULL),
    SWITCH("tl_check_result", TL_REFERENCE, check_result, "print the true residual of each step",
           "check_result"),
    SWITCH("check_result", TL_PORT, check_result, "print the true residual of each step", NULL),
    {.name = "test_problem",
     .dialects = TL_REFERENCE,
     .type = APP_KEY_INT,
     .offset = offsetof(tl_deck, test_problem),
     .low = 0,
     .high = 6,
     .help = "compare with the reference's published value in 2-D or 3-D; 0: do not"},
    SWITCH("profiler_on", TL_REFERENCE, profiler_on, "print the table of regions at the end", NULL),
    SWITCH("verbose_on", TL_REFERENCE, verbose_on, "print the residual of each iteration", NULL),

    /* on the command line only */
    {.name = "file",
     .aliases = "-f -i --in",
     .type = APP_KEY_TEXT,
     .sources = APP_KEY_DECK_NAME,
     .offset = APP_KEY_NOWHERE,
     .argument = "FILE",
     .help = "the deck, as the argument DECK"},
    {.name = "out",
     .aliases = "-o",
     .type = APP_KEY_TEXT,
     .sources = APP_KEY_COMMAND,
     .offset = offsetof(tl_deck, out),
     .argument = "FILE",
     .parameter = "",
     .help = "write what is printed to this file too, as the original does to tea.out"},

    IGNORED("test_problem", TL_PORT, APP_KEY_INT64,
            "expected values are looked up by the problem itself"),
    IGNORED("profiler_on", TL_PORT, APP_KEY_SWITCH, "the port ignores it too"),
    IGNORED("use_c_kernels", TL_PORT, APP_KEY_SWITCH, BY_BACKEND),
    IGNORED("use_fortran_kernels", TL_ALL, APP_KEY_SWITCH, BY_BACKEND),
    IGNORED("use_cuda_kernels", TL_ALL, APP_KEY_SWITCH, BY_BACKEND),
    IGNORED("use_opencl_kernels", TL_ALL, APP_KEY_SWITCH, BY_BACKEND),
    IGNORED("tiling_frequency", TL_REFERENCE, APP_KEY_INT64, NO_TILES),
    IGNORED("coarse_solve_eps", TL_REFERENCE, APP_KEY_REAL, DIRECT),
    IGNORED("coarse_solve_max_iters", TL_REFERENCE, APP_KEY_INT64, DIRECT),

    OLD("timestep_rise", APP_KEY_REAL, "steps are constant, as these values ask"),
    OLD("max_timestep", APP_KEY_REAL, "steps are constant, as these values ask"),
    OLD("profile_solver", APP_KEY_SWITCH, "profiler_on prints a table of regions"),
    OLD("use_ext_kernels", APP_KEY_SWITCH, BY_BACKEND),
    OLD("hydro_off", APP_KEY_SWITCH, "there are no hydrodynamics"),
    OLD("opencl_vendor", APP_KEY_TEXT, BY_DEVICE),
    OLD("opencl_type", APP_KEY_TEXT, BY_DEVICE),
    OLD("opencl_usefirst", APP_KEY_SWITCH, BY_DEVICE),
    OLD("use_hypre_print", APP_KEY_SWITCH, "there is no hypre"),

    LATER("use_pgcg", TL_REFERENCE, APP_KEY_SWITCH, 0, 0, "a solver of PETSc", NO_LIBRARY),
    LATER("pgcg_cg_iter", TL_REFERENCE, APP_KEY_INT64, 0, NEVER, "a solver of PETSc", NO_LIBRARY),
    LATER("tl_solver_type", TL_REFERENCE, APP_KEY_INT64, 0, NEVER, "a solver of hypre", NO_LIBRARY),
    LATER("tl_preconditioner_on", TL_REFERENCE, APP_KEY_SWITCH, 0, 0, "precondition CG",
          "tl_preconditioner_type with one of its values"),
    LATER("preconditioner_on", TL_PORT, APP_KEY_SWITCH, 0, 0,
          "precondition CG; the port ignores it", "preconditioner_type with one of its values"),
    LATER("tl_ch_cg_errswitch", TL_REFERENCE, APP_KEY_SWITCH, 0, 0, "begin Chebyshev by the error",
          NO_TUNING),
    LATER("errswitch", TL_PORT, APP_KEY_SWITCH, 0, 0, "begin Chebyshev by the error", NO_TUNING),
    LATER("halo_depth", TL_PORT, APP_KEY_INT64, 1, 2, "width of halos",
          "1 or 2: halos are as wide as they need to be"),
    LATER("num_chunks_per_rank", TL_PORT, APP_KEY_INT64, 1, 1, "pieces of mesh per rank",
          "1: a rank has one piece"),
    LATER("cuda_device", TL_REFERENCE, APP_KEY_INT64, 0, NEVER, "the GPU to use", NO_DEVICE),
    LATER("opencl_device", TL_REFERENCE, APP_KEY_INT64, 0, NEVER, "the device to use", NO_DEVICE),
    LATER("use_petsc", TL_REFERENCE, APP_KEY_SWITCH, 0, 0, "solve with PETSc", NO_LIBRARY),
    LATER("use_hypre", TL_REFERENCE, APP_KEY_SWITCH, 0, 0, "solve with hypre", NO_LIBRARY),
    LATER("use_trilinos", TL_REFERENCE, APP_KEY_SWITCH, 0, 0, "solve with Trilinos", NO_LIBRARY),

    /* Density and energy make every state. A circle's centre and a point are given by xmin and
     * ymin. The background fills the domain, so its shape has no meaning, and is allowed. */
    STATE("density", TL_2D | TL_PORT, density, TL_NEEDED_BY(TL_FOR_ALL), ABOVE_0, "mass/length^2",
          "mass density"),
    STATE("density", TL_3D, density, TL_NEEDED_BY(TL_FOR_ALL), ABOVE_0, "mass/length^3",
          "mass density"),
    STATE("energy", TL_ALL, energy, TL_NEEDED_BY(TL_FOR_ALL), 0, "energy/mass", "specific energy"),
    SHAPE(TL_2D, shapes),
    SHAPE(TL_3D, shapes_3d),
    SHAPE(TL_PORT, port_shapes),
    STATE("xmin", TL_ALL, xmin, CORNER, -DBL_MAX, "length", "left side, or centre"),
    STATE("ymin", TL_ALL, ymin, CORNER, -DBL_MAX, "length", "bottom, or centre"),
    STATE("zmin", TL_3D, zmin, CORNER, -DBL_MAX, "length", "front, or centre"),
    STATE("xmax", TL_ALL, xmax, OTHER_CORNER, -DBL_MAX, "length", "right side"),
    STATE("ymax", TL_ALL, ymax, OTHER_CORNER, -DBL_MAX, "length", "top"),
    STATE("zmax", TL_3D, zmax, OTHER_CORNER, -DBL_MAX, "length", "back"),
    STATE("radius", TL_ALL, radius, TL_NEEDED_BY(TL_FOR_CIRCLE) | TL_ALLOWED_FOR(TL_FOR_BACKGROUND),
          ABOVE_0, "length", "radius of a circle or sphere"),

    DERIVED("dialect", APP_KEY_CHOICE, dialect, dialects, "whose keys the deck has"),
    DERIVED("states", APP_KEY_INT, states, NULL, "number of states"),
    DERIVED("steps", APP_KEY_INT64, steps, NULL, "steps to be done, by end_step and end_time"),
};
enum { KEYS = sizeof rows / sizeof rows[0] };

/* ---- what --help-deck says of the lines of states ---- */

static void print_needed_by(unsigned users, FILE *out)
{
    static const struct {
        unsigned shape;
        const char *name;
    } all[] = {{TL_FOR_RECTANGLE, "rectangle"}, {TL_FOR_CIRCLE, "circle"}, {TL_FOR_POINT, "point"}};
    fprintf(out, " needed by:");
    if (users == TL_FOR_ALL) fprintf(out, " all");
    for (size_t s = 0; s < sizeof all / sizeof all[0]; s++)
        if (users != TL_FOR_ALL && (users & all[s].shape)) fprintf(out, " %s", all[s].name);
    fprintf(out, "\n");
}

/* Does a row above have the same key, for another dialect? */
static bool is_repeated(int at)
{
    for (int i = 0; i < at; i++)
        if (tl_is_state_key(&rows[i]) && rows[i].offset == rows[at].offset) return true;
    return false;
}

static void print_states(FILE *out)
{
    fprintf(
        out,
        "\nStates: state N key=value ... on one line, N from 1 to %d without gaps. State 1 fills the domain; each\n"
        "later one fills its shape, over those before it. geometry is rectangle, circle (circular in the port's\n"
        "dialect) or point; in three dimensions cuboid, sphere (or circle) or point, densities are mass/length^3, and\n"
        "states have zmin and zmax too:\n",
        TL_MAX_STATES);
    for (int i = 0; i < KEYS; i++) {
        const app_key *const row = &rows[i];
        if (!tl_is_state_key(row) || is_repeated(i)) continue;
        fprintf(out, "  %-10s %-12s %-26s", row->name, row->unit ? row->unit : "1", row->help);
        print_needed_by(row->flags & TL_FOR_ALL, out);
    }
}

/* ---- the input ---- */

const app_input tl_input = {
    .keys = rows,
    .count = KEYS,
    .size = sizeof(tl_deck),
    .dialects = dialects,
    .about =
        "A deck stands between the lines *tea and *endtea. Blanks, = and , separate words; !, ; and # begin a comment;\n"
        "\\ at the end of a line continues it; letters of either case are the same. Two dialects: that of the\n"
        "reference code (tl_use_cg, tl_eps) and that of its C++ port (use_cg, eps); a deck keeps to one. A deck of\n"
        "the reference with z_cells, zmin or zmax is three-dimensional (dialect 3-D).\n",
    .more = print_states,
    .read = tl_deck_read,
    .check = tl_deck_check,
};

mx_err tl_deck_parse(const char *name, const char *text, size_t length, tl_deck *deck)
{
    app_keys keys;
    const mx_err err =
        app_keys_read(&keys, &tl_input, name, length > 0 ? text : "", length, NULL, deck);
    app_keys_close(&keys);
    return err;
}
