/* The diagonal of A, also called Jacobi's preconditioner: z = r / diagonal. */
#include "fe_diagonal_kernels.h"
#include "preconditioners/fe_preconditioner.h"

#include <stdlib.h>

typedef struct diagonal {
    const fe_level *level;
    mx_view view;
    fe_scale_args args;
} diagonal;

static mx_err create(fe_level *level, mx_view r, mx_view z, void **state)
{
    const mx_ctx ctx = level->base->ctx;
    diagonal *const d = *state = calloc(1, sizeof *d);
    MX_REQUIRE(d != NULL, MX_ERR_MEMORY, "no memory for a preconditioner");
    d->level = level;
    MX_TRY(mx_view_create_1d(ctx, "diagonal", MX_F64, fe_rows(&level->mesh), &d->view));
    MX_TRY(mx_bind(ctx, d->view, &d->args.diagonal));
    MX_TRY(mx_bind(ctx, r, &d->args.r));
    MX_TRY(mx_bind(ctx, z, &d->args.z));
    return fe_diagonal(level, d->view);
}

static void destroy(void *state)
{
    diagonal *const d = state;
    (void)mx_view_destroy(&d->view);
    free(d);
}

static mx_err apply(void *state)
{
    const diagonal *const d = state;
    return fe_scale(mx_range_1d(d->level->base->ctx, 0, fe_rows(&d->level->mesh)), &d->args);
}

/* It reads two vectors and writes one. */
static fe_work work(const void *state)
{
    const diagonal *const d = state;
    const double n = fe_rows(&d->level->mesh);
    const fe_work of_rows = {24 * n, n};
    return of_rows;
}

const fe_preconditioner_form fe_preconditioner_diagonal = {
    .vectors = 1, .create = create, .destroy = destroy, .apply = apply, .work = work};
