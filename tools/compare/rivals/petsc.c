/* PETSc: conjugate gradients with its algebraic multigrid GAMG, with PETSc's defaults;
 * PETSC_OPTIONS changes them. */
#include "rival.h"

#include <petscksp.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(_Generic((PetscScalar)0, double : 1, default : 0),
               "needs a PETSc with real numbers in double precision");

void rival_begin(void)
{
    if (PetscInitialize(NULL, NULL, NULL, NULL) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
}

void rival_end(void)
{
    if (PetscFinalize() != 0) MPI_Abort(MPI_COMM_WORLD, 1);
}

/* How many entries of each row are on this rank's diagonal block, and how many beside it. */
static void count_entries(const rival_system *system, PetscInt *inside, PetscInt *outside)
{
    for (int r = 0; r < system->end - system->first; r++)
        for (int64_t k = system->start[r]; k < system->start[r + 1]; k++) {
            const int own = system->columns[k] >= system->first && system->columns[k] < system->end;
            ++*(own ? &inside[r] : &outside[r]);
        }
}

static PetscErrorCode assemble(const rival_system *system, Mat *a, Vec *b, Vec *x)
{
    const PetscInt rows = system->end - system->first;
    PetscInt *inside = rival_memory(rows, sizeof *inside),
             *outside = rival_memory(rows, sizeof *outside);
    PetscInt columns[RIVAL_WIDTH];
    count_entries(system, inside, outside);
    PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, rows, rows, PETSC_DETERMINE, PETSC_DETERMINE, 0,
                           inside, 0, outside, a));
    PetscCall(MatCreateVecs(*a, x, b));
    for (PetscInt r = 0; r < rows; r++) {
        const int64_t at = system->start[r];
        const PetscInt row = system->first + r, count = (PetscInt)(system->start[r + 1] - at);
        for (PetscInt k = 0; k < count; k++) columns[k] = system->columns[at + k];
        PetscCall(MatSetValues(*a, 1, &row, count, columns, system->values + at, INSERT_VALUES));
        PetscCall(VecSetValue(*b, row, system->b[r], INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(*a, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*a, MAT_FINAL_ASSEMBLY));
    PetscCall(VecAssemblyBegin(*b));
    PetscCall(VecAssemblyEnd(*b));
    PetscCall(MatSetOption(*a, MAT_SPD, PETSC_TRUE));
    free(inside);
    free(outside);
    return 0;
}

static PetscErrorCode by_gamg(const rival_system *system, double *e, rival_result *result,
                              PetscBool *converged)
{
    Mat a;
    Vec b, x;
    KSP ksp;
    PC preconditioner;
    PetscInt iterations;
    KSPConvergedReason reason;
    const PetscScalar *values;
    double at = rival_now();
    PetscCall(assemble(system, &a, &b, &x));
    result->assembly = rival_now() - at;

    at = rival_now();
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
    PetscCall(KSPSetOperators(ksp, a, a));
    PetscCall(KSPSetType(ksp, KSPCG));
    PetscCall(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
    PetscCall(KSPSetTolerances(ksp, system->tolerance, 1e-300, PETSC_DEFAULT, 1000));
    PetscCall(KSPGetPC(ksp, &preconditioner));
    PetscCall(PCSetType(preconditioner, PCGAMG));
    PetscCall(KSPSetFromOptions(ksp));
    PetscCall(KSPSetUp(ksp));
    PetscCall(KSPSetUpOnBlocks(ksp));
    result->set_up = rival_now() - at;

    at = rival_now();
    PetscCall(KSPSolve(ksp, b, x));
    result->solve = rival_now() - at;
    PetscCall(KSPGetIterationNumber(ksp, &iterations));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    result->iterations = (int)iterations;
    *converged = reason > 0;
    PetscCall(VecGetArrayRead(x, &values));
    memcpy(e, values, (size_t)(system->end - system->first) * sizeof *e);
    PetscCall(VecRestoreArrayRead(x, &values));
    PetscCall(KSPDestroy(&ksp));
    PetscCall(MatDestroy(&a));
    PetscCall(VecDestroy(&b));
    PetscCall(VecDestroy(&x));
    return 0;
}

const char *rival_solve(const rival_system *system, const char *method, double *e,
                        rival_result *result)
{
    PetscBool converged = PETSC_FALSE;
    if (strcmp(method, "gamg") != 0) return "the method is gamg";
    if (by_gamg(system, e, result, &converged) != 0) return "PETSc reports an error";
    return converged ? NULL : "PETSc did not reach the tolerance";
}
