/* miniFE with a preconditioner that is not positive definite, z = -r: conjugate gradients break
 * down in the first iteration. The run must say so, end with code 4, and store no residual that
 * nobody computed. */
#include "preconditioners/fe_preconditioner.h"

#include <stdlib.h>

struct fe_preconditioner {
    fe_level *level;
    mx_view r, z;
};

mx_err fe_preconditioner_create(fe_level *level, mx_view r, mx_view z, fe_preconditioner **out)
{
    fe_preconditioner *const p = calloc(1, sizeof *p);
    *out = p;
    MX_REQUIRE(p != NULL, MX_ERR_MEMORY, "no memory");
    *p = (fe_preconditioner){.level = level, .r = r, .z = z};
    return MX_OK;
}

void fe_preconditioner_destroy(fe_preconditioner **preconditioner)
{
    free(*preconditioner);
    *preconditioner = NULL;
}

mx_err fe_precondition(fe_preconditioner *p)
{
    const mx_ctx ctx = p->level->base->ctx;
    const size_t rows = (size_t)fe_rows(&p->level->mesh), held = (size_t)fe_held(&p->level->mesh);
    double *const z = calloc(held, sizeof *z);
    MX_REQUIRE(z != NULL, MX_ERR_MEMORY, "no memory");
    mx_err err = mx_export(ctx, p->r, z, NULL);
    for (size_t i = 0; i < rows; i++) z[i] = -z[i];
    if (err == MX_OK) err = mx_import(ctx, p->z, z, NULL);
    free(z);
    return err;
}

double fe_bytes_of_preconditioner(const fe_input *input, double rows, double matrix)
{
    (void)input, (void)rows, (void)matrix;
    return 0;
}

fe_work fe_work_of_preconditioner(const fe_preconditioner *p)
{
    (void)p;
    return (fe_work){0, 0};
}

bool fe_has_many_kernels(const fe_preconditioner *p)
{
    (void)p;
    return false;
}
