/* Preconditioners: z = M r, where M is symmetric and positive definite, as conjugate gradients need
 * it.
 *
 * Each has a form, the struct of its functions, which a folder here defines;
 * input/preconditioners.def lists them. All but hpcg are polynomials in the matrix, or made of such:
 * they need its diagonal, and products with it or with a copy of half of it (shared/fe_half.h). */
#pragma once
#include "level/fe_level.h"

typedef struct fe_preconditioner_form {
    /* Vectors of this level's rows that create makes, for the estimate of memory. Those of coarser
     * levels, which have at most an eighth of the rows, are left out. */
    int vectors;
    /* Of a matrix that the operator stores: the bytes a row of what it stores once more, at most. */
    int matrix_bytes;
    /* One use has so many kernels that the host can wait for it without a loss. */
    bool many_kernels;
    /* For z (rows and ghosts) = M r (rows), views of the caller. *state: its own, which is to be
     * destroyed in any case. Collective. */
    mx_err (*create)(fe_level *level, mx_view r, mx_view z, void **state);
    void (*destroy)(void *state);
    /* z = M r. The ghosts of z are undefined. Collective. */
    mx_err (*apply)(void *state);
    /* What that must move and compute on this rank. */
    fe_work (*work)(const void *state);
} fe_preconditioner_form;

typedef struct fe_preconditioner fe_preconditioner;

/* The one that the input of the level names, which is not `none`. The functions of its form follow.
 * Collective. */
mx_err fe_preconditioner_create(fe_level *level, mx_view r, mx_view z, fe_preconditioner **out);
void fe_preconditioner_destroy(fe_preconditioner **preconditioner);
mx_err fe_precondition(fe_preconditioner *preconditioner);
/* An estimate of its memory in bytes, z left out; 0 for `none`. rows: of this rank. matrix: bytes of
 * this rank's matrix. */
double fe_bytes_of_preconditioner(const fe_input *input, double rows, double matrix);
fe_work fe_work_of_preconditioner(const fe_preconditioner *preconditioner);
/* Does it launch many kernels for an iteration? Not if it is NULL. */
bool fe_has_many_kernels(const fe_preconditioner *preconditioner);
