/* What a run of miniFE is to do: the original's parameters, and ours. */
#pragma once
#include "keys.h"

typedef enum fe_assembly { FE_ASSEMBLY_COLOURS, FE_ASSEMBLY_ATOMICS } fe_assembly;

typedef enum fe_problem { FE_PROBLEM_ORIGINAL, FE_PROBLEM_MANUFACTURED } fe_problem;
typedef enum fe_mesh_kind { FE_MESH_UNIFORM, FE_MESH_DISTORTED } fe_mesh_kind;

typedef struct fe_input {
    int64_t nx, ny, nz; /* elements along x, y, z */
    int64_t max_iterations;
    double tolerance; /* of the residual's 2-norm: absolute, as in the original */
    bool verify_solution;
    int problem;      /* fe_problem */
    int mesh;         /* fe_mesh_kind */
    int assembly;     /* fe_assembly */
    const char *dump; /* NULL: none */
} fe_input;

extern const app_input fe_keys;
