/* hypre: conjugate gradients with one V-cycle of PFMG (structured grids) or of BoomerAMG (any
 * matrix) as preconditioner. Both have symmetric smoothers; parameters are those that hypre's
 * manual recommends for such systems, or its defaults. */
#include "rival.h"

#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>
#include <HYPRE_struct_ls.h>
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ITERATIONS = 1000 };

void rival_begin(void)
{
#if defined(HYPRE_RELEASE_NUMBER) && HYPRE_RELEASE_NUMBER >= 22900
    HYPRE_Initialize();
#else
    HYPRE_Init();
#endif
}

void rival_end(void) { HYPRE_Finalize(); }

/* Conjugate gradients for rows and for grids: one set of functions of hypre, which takes the
 * handles of both. */
typedef struct cg {
    HYPRE_Solver solver, multigrid;
    HYPRE_PtrToSolverFcn set_up, cycle; /* of multigrid */
    HYPRE_Matrix a;
    HYPRE_Vector b, x;
} cg;

static const char *solve(const cg *of, double tolerance, rival_result *result)
{
    HYPRE_Int iterations = 0, converged = 0;
    double at = rival_now();
    HYPRE_PCGSetMaxIter(of->solver, MAX_ITERATIONS);
    HYPRE_PCGSetTol(of->solver, tolerance);
    HYPRE_PCGSetTwoNorm(of->solver, 1);
    HYPRE_PCGSetPrecond(of->solver, of->cycle, of->set_up, of->multigrid);
    HYPRE_PCGSetup(of->solver, of->a, of->b, of->x);
    result->set_up = rival_now() - at;

    at = rival_now();
    HYPRE_PCGSolve(of->solver, of->a, of->b, of->x);
    result->solve = rival_now() - at;
    HYPRE_PCGGetNumIterations(of->solver, &iterations);
    HYPRE_PCGGetConverged(of->solver, &converged);
    result->iterations = iterations;
    return converged ? NULL : "hypre did not reach the tolerance";
}

/* ---- BoomerAMG ---- */

typedef struct rows_of_hypre {
    HYPRE_IJMatrix a;
    HYPRE_IJVector b, x;
    HYPRE_BigInt *rows;
} rows_of_hypre;

static HYPRE_IJVector vector_of(const rival_system *system, HYPRE_BigInt *rows,
                                const double *values)
{
    HYPRE_IJVector vector;
    HYPRE_IJVectorCreate(MPI_COMM_WORLD, system->first, system->end - 1, &vector);
    HYPRE_IJVectorSetObjectType(vector, HYPRE_PARCSR);
    HYPRE_IJVectorInitialize(vector);
    HYPRE_IJVectorSetValues(vector, system->end - system->first, rows, values);
    HYPRE_IJVectorAssemble(vector);
    return vector;
}

static rows_of_hypre assemble_rows(const rival_system *system, double *zero)
{
    const HYPRE_Int count = system->end - system->first;
    HYPRE_Int *sizes = rival_memory(count, sizeof *sizes);
    HYPRE_BigInt *columns = rival_memory(system->start[count], sizeof *columns);
    rows_of_hypre of = {.rows = rival_memory(count, sizeof(HYPRE_BigInt))};
    for (int64_t k = 0; k < system->start[count]; k++) columns[k] = system->columns[k];
    for (HYPRE_Int r = 0; r < count; r++) {
        of.rows[r] = system->first + r;
        sizes[r] = (HYPRE_Int)(system->start[r + 1] - system->start[r]);
    }
    HYPRE_IJMatrixCreate(MPI_COMM_WORLD, system->first, system->end - 1, system->first,
                         system->end - 1, &of.a);
    HYPRE_IJMatrixSetObjectType(of.a, HYPRE_PARCSR);
    HYPRE_IJMatrixSetRowSizes(of.a, sizes);
    HYPRE_IJMatrixInitialize(of.a);
    HYPRE_IJMatrixSetValues(of.a, count, sizes, of.rows, columns, system->values);
    HYPRE_IJMatrixAssemble(of.a);
    of.b = vector_of(system, of.rows, system->b);
    of.x = vector_of(system, of.rows, zero);
    free(columns);
    free(sizes);
    return of;
}

static const char *by_boomeramg(const rival_system *system, double *e, rival_result *result)
{
    HYPRE_ParCSRMatrix a;
    HYPRE_ParVector b, x;
    HYPRE_Solver pcg, amg;
    const double at = rival_now();
    rows_of_hypre of = assemble_rows(system, e);
    HYPRE_IJMatrixGetObject(of.a, (void **)&a);
    HYPRE_IJVectorGetObject(of.b, (void **)&b);
    HYPRE_IJVectorGetObject(of.x, (void **)&x);
    result->assembly = rival_now() - at;

    HYPRE_ParCSRPCGCreate(MPI_COMM_WORLD, &pcg);
    HYPRE_BoomerAMGCreate(&amg);
    HYPRE_BoomerAMGSetTol(amg, 0);
    HYPRE_BoomerAMGSetMaxIter(amg, 1);
    HYPRE_BoomerAMGSetRelaxType(amg, 6); /* symmetric Gauss-Seidel in a rank, Jacobi between them */
    HYPRE_BoomerAMGSetRelaxOrder(amg, 0);
    HYPRE_BoomerAMGSetKeepTranspose(amg, 1);
    const cg cg = {.solver = pcg,
                   .multigrid = amg,
                   .set_up = (HYPRE_PtrToSolverFcn)HYPRE_BoomerAMGSetup,
                   .cycle = (HYPRE_PtrToSolverFcn)HYPRE_BoomerAMGSolve,
                   .a = (HYPRE_Matrix)a,
                   .b = (HYPRE_Vector)b,
                   .x = (HYPRE_Vector)x};
    const char *wrong = solve(&cg, system->tolerance, result);
    HYPRE_IJVectorGetValues(of.x, system->end - system->first, of.rows, e);
    HYPRE_BoomerAMGDestroy(amg);
    HYPRE_ParCSRPCGDestroy(pcg);
    HYPRE_IJMatrixDestroy(of.a);
    HYPRE_IJVectorDestroy(of.b);
    HYPRE_IJVectorDestroy(of.x);
    free(of.rows);
    return wrong;
}

/* ---- PFMG ---- */

/* The grid has the cells, or the nodes that are not at the boundary. */

typedef struct box {
    HYPRE_Int low[3], high[3];
    int64_t count;
} box;

static box box_of(const rival_system *system)
{
    const int last = system->dims - 1, edge = system->dims == 3;
    const int plane = edge ? system->n[0] * system->n[1] : system->n[0];
    box of = {.count = 1};
    for (int axis = 0; axis < system->dims; axis++) {
        of.low[axis] = edge;
        of.high[axis] = system->n[axis] - 1 - edge;
    }
    const int low = system->first / plane, high = system->end / plane - 1;
    of.low[last] = low > of.low[last] ? low : of.low[last];
    of.high[last] = high < of.high[last] ? high : of.high[last];
    for (int axis = 0; axis < system->dims; axis++) of.count *= of.high[axis] - of.low[axis] + 1;
    return of;
}

/* The row of the box's element number k, counted along x first. */
static int row_of(const rival_system *system, const box *of, int64_t k)
{
    const int64_t nx = of->high[0] - of->low[0] + 1, ny = of->high[1] - of->low[1] + 1;
    const int64_t x = of->low[0] + k % nx, y = of->low[1] + k / nx % ny,
                  z = of->low[2] + k / nx / ny;
    return (int)(x + system->n[0] * (y + system->n[1] * z));
}

/* The half of the stencil with the diagonal: offsets of its entries, and the difference of the
 * two rows. Returns their number. */
static int stencil_of(const rival_system *system, HYPRE_Int offsets[27][3], int difference[27])
{
    int count = 0;
    for (int k = 0; k <= 13; k++) {
        const int x = k % 3 - 1, y = k / 3 % 3 - 1, z = k / 9 - 1;
        if (system->dims == 2 && (z != 0 || abs(x) + abs(y) > 1)) continue;
        offsets[count][0] = x;
        offsets[count][1] = y;
        offsets[count][2] = z;
        difference[count++] = x + system->n[0] * (y + system->n[1] * z);
    }
    return count;
}

static HYPRE_StructVector grid_vector(HYPRE_StructGrid grid, box *of, double *values)
{
    HYPRE_StructVector vector;
    HYPRE_StructVectorCreate(MPI_COMM_WORLD, grid, &vector);
    HYPRE_StructVectorInitialize(vector);
    HYPRE_StructVectorSetBoxValues(vector, of->low, of->high, values);
    HYPRE_StructVectorAssemble(vector);
    return vector;
}

static HYPRE_StructMatrix grid_matrix(const rival_system *system, HYPRE_StructGrid grid, box *of)
{
    HYPRE_StructStencil stencil;
    HYPRE_StructMatrix a;
    HYPRE_Int offsets[27][3], entries[27];
    int difference[27];
    const int width = stencil_of(system, offsets, difference);
    HYPRE_StructStencilCreate(system->dims, width, &stencil);
    for (int entry = 0; entry < width; entry++) {
        HYPRE_StructStencilSetElement(stencil, entry, offsets[entry]);
        entries[entry] = entry;
    }
    HYPRE_StructMatrixCreate(MPI_COMM_WORLD, grid, stencil, &a);
    HYPRE_StructMatrixSetSymmetric(a, 1);
    HYPRE_StructMatrixInitialize(a);
    double *values = rival_memory(of->count * width, sizeof *values);
    for (int64_t k = 0; k < of->count; k++) {
        const int row = row_of(system, of, k), r = row - system->first;
        for (int64_t j = system->start[r]; j < system->start[r + 1]; j++)
            for (int entry = 0; entry < width; entry++)
                if (system->columns[j] - row == difference[entry])
                    values[k * width + entry] = system->values[j];
    }
    HYPRE_StructMatrixSetBoxValues(a, of->low, of->high, width, entries, values);
    HYPRE_StructMatrixAssemble(a);
    HYPRE_StructStencilDestroy(stencil);
    free(values);
    return a;
}

/* ||b|| of all rows over that of the grid's: the tolerance is a share of the first one. */
static double larger_norm(const rival_system *system, const box *of, const double *b)
{
    double sums[2] = {0, 0};
    for (int r = 0; r < system->end - system->first; r++) sums[0] += system->b[r] * system->b[r];
    for (int64_t k = 0; k < of->count; k++) sums[1] += b[k] * b[k];
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sqrt(sums[0] / sums[1]);
}

static const char *by_pfmg(const rival_system *system, double *e, rival_result *result)
{
    box of = box_of(system);
    double *b_values = rival_memory(of.count, sizeof *b_values),
           *x_values = rival_memory(of.count, sizeof *x_values);
    HYPRE_StructGrid grid;
    HYPRE_StructSolver pcg, pfmg;
    const double at = rival_now();
    HYPRE_StructGridCreate(MPI_COMM_WORLD, system->dims, &grid);
    if (of.count > 0) HYPRE_StructGridSetExtents(grid, of.low, of.high);
    HYPRE_StructGridAssemble(grid);
    for (int64_t k = 0; k < of.count; k++)
        b_values[k] = system->b[row_of(system, &of, k) - system->first];
    HYPRE_StructMatrix a = grid_matrix(system, grid, &of);
    HYPRE_StructVector b = grid_vector(grid, &of, b_values), x = grid_vector(grid, &of, x_values);
    const double tolerance = system->tolerance * larger_norm(system, &of, b_values);
    result->assembly = rival_now() - at;

    HYPRE_StructPCGCreate(MPI_COMM_WORLD, &pcg);
    HYPRE_StructPFMGCreate(MPI_COMM_WORLD, &pfmg);
    HYPRE_StructPFMGSetMaxIter(pfmg, 1);
    HYPRE_StructPFMGSetTol(pfmg, 0);
    HYPRE_StructPFMGSetZeroGuess(pfmg);
    HYPRE_StructPFMGSetSkipRelax(pfmg, 0);
    const cg cg = {.solver = (HYPRE_Solver)pcg,
                   .multigrid = (HYPRE_Solver)pfmg,
                   .set_up = (HYPRE_PtrToSolverFcn)HYPRE_StructPFMGSetup,
                   .cycle = (HYPRE_PtrToSolverFcn)HYPRE_StructPFMGSolve,
                   .a = (HYPRE_Matrix)a,
                   .b = (HYPRE_Vector)b,
                   .x = (HYPRE_Vector)x};
    const char *wrong = solve(&cg, tolerance, result);
    HYPRE_StructVectorGetBoxValues(x, of.low, of.high, x_values);
    if (system->dims == 3)
        memcpy(e, system->b, (size_t)(system->end - system->first) * sizeof *e); /* the boundary */
    for (int64_t k = 0; k < of.count; k++) e[row_of(system, &of, k) - system->first] = x_values[k];
    HYPRE_StructPFMGDestroy(pfmg);
    HYPRE_StructPCGDestroy(pcg);
    HYPRE_StructMatrixDestroy(a);
    HYPRE_StructVectorDestroy(b);
    HYPRE_StructVectorDestroy(x);
    HYPRE_StructGridDestroy(grid);
    free(b_values);
    free(x_values);
    return wrong;
}

const char *rival_solve(const rival_system *system, const char *method, double *e,
                        rival_result *result)
{
    const char *wrong = strcmp(method, "pfmg") == 0        ? by_pfmg(system, e, result)
                        : strcmp(method, "boomeramg") == 0 ? by_boomeramg(system, e, result)
                                                           : "the method is pfmg or boomeramg";
    return wrong == NULL && HYPRE_GetError() != 0 ? "hypre reports an error" : wrong;
}
