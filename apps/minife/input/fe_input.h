/* What a run of miniFE is to do: the original's parameters, and ours. */
#pragma once
#include "input/keys.h"

#include <math.h>

typedef enum fe_assembly {
    FE_ASSEMBLY_AUTO,
    FE_ASSEMBLY_BLOCKS,
    FE_ASSEMBLY_COLOURS,
    FE_ASSEMBLY_ATOMICS
} fe_assembly;
typedef enum fe_operator {
#define FE_OPERATOR(NAME, ...) FE_OPERATOR_##NAME,
#include "operators.def"
#undef FE_OPERATOR
    FE_OPERATORS
} fe_operator;

/* What the input must know of an operator: operators.def. By fe_operator. */
typedef struct fe_operator_traits {
    const char *word;
    bool stores_matrix, equal_elements;
} fe_operator_traits;
extern const fe_operator_traits fe_traits_of_operators[FE_OPERATORS];
/* The words of those that store a matrix; ends with NULL. */
extern const char *const fe_stored_operators[];
static inline bool fe_is_stored(int kind) { return fe_traits_of_operators[kind].stores_matrix; }

typedef enum fe_precision { FE_PRECISION_DOUBLE, FE_PRECISION_MIXED } fe_precision;

typedef enum fe_problem { FE_PROBLEM_ORIGINAL, FE_PROBLEM_MANUFACTURED } fe_problem;
typedef enum fe_mesh_kind { FE_MESH_UNIFORM, FE_MESH_DISTORTED } fe_mesh_kind;
typedef enum fe_solver { FE_SOLVER_CG, FE_SOLVER_SINGLE_REDUCTION } fe_solver;
typedef enum fe_preconditioning {
    FE_PRECONDITIONER_NONE,
#define FE_PRECONDITIONER(NAME, ...) FE_PRECONDITIONER_##NAME,
#include "preconditioners.def"
#undef FE_PRECONDITIONER
    FE_PRECONDITIONERS
} fe_preconditioning;

typedef struct fe_input {
    int64_t nx, ny, nz; /* elements along x, y, z */
    int64_t max_iterations;
    double tolerance;          /* of the residual's 2-norm: absolute, as in the original */
    double relative_tolerance; /* the same as a share of the initial one; the larger counts */
    int solver;                /* fe_solver */
    int preconditioner;        /* fe_preconditioning */
    int64_t chebyshev_degree;
    int overlap;           /* products do not wait for ghosts */
    double load_imbalance; /* %, of elements */
    int verify_solution;
    int problem;       /* fe_problem */
    int mesh;          /* fe_mesh_kind */
    int assembly;      /* fe_assembly */
    int operator_kind; /* fe_operator */
    int precision;     /* fe_precision */
    const char *dump;  /* folders; NULL: none */
    const char *yaml;
    const char *name; /* a part of the YAML file's name, or NULL */
} fe_input;

extern const app_input fe_keys;

/* The row of a key of the original that means nothing here. */
enum { FE_KEY_IS_IGNORED = 1 };

/* What is solved, in short: "csr", "nodes multigrid". Returns name->text. */
typedef struct fe_name {
    char text[64];
} fe_name;
const char *fe_problem_name(const fe_input *in, fe_name *name);

/* Iteration k is done if the norm after k - fe_lag iterations (or the initial one) is above the
 * tolerance: see cg/cg.c. */
static inline int64_t fe_lag(const fe_input *in)
{
    return in->solver == FE_SOLVER_CG && in->preconditioner == FE_PRECONDITIONER_NONE ? 2 : 1;
}

/* precision=mixed: by how much the residual of the system in float may differ from that of the same
 * system in double. The coefficients of a row are sums over 8 elements. Each sum is stored as a
 * float, and some assemblies round it after each element: 8 roundings, by at most 2^-24 of sum over
 * e of |K_e|, in A and in what the given values take from b. So the difference is at most
 *
 *     8 * 2^-24 || sum over e of |K_e| |v_e| ||  <=  8 * 2^-24 sqrt(8 * sum over e of || |K_e| |v_e| ||^2),
 *
 * because at most 8 elements add to a row (Cauchy and Schwarz). v is the solution, and where a
 * value is given the larger of the two. squares: the last sum. */
static inline double fe_float_bound(double squares) { return 8 * 0x1p-24 * sqrt(8 * squares); }

/* What the solver has left undone adds at most so much to the error at a node: analytic.c. */
static inline double fe_unfinished(double rows, double residual)
{
    return 0.3 * sqrt(rows) * residual;
}

static inline double fe_tolerance(const fe_input *in, double initial_norm)
{
    const double relative = in->relative_tolerance * initial_norm;
    return in->tolerance > relative ? in->tolerance : relative;
}

/* Did max_iterations end the solver, and not its rule? residual: of the start, and after each
 * iteration. */
static inline bool fe_reached_limit(const fe_input *in, int64_t iterations, const double *residual)
{
    const double tolerance = fe_tolerance(in, residual[0]);
    const int64_t lag = fe_lag(in), compared = iterations >= lag ? iterations + 1 - lag : 0;
    return iterations == in->max_iterations && !(residual[iterations] <= tolerance) &&
           !(residual[compared] <= tolerance);
}
