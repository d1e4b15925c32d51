#include "fe_preconditioner.h"

#include <stdlib.h>

#define FE_PRECONDITIONER(NAME, word, ...) \
    extern const fe_preconditioner_form fe_preconditioner_##word;
#include "input/preconditioners.def"
#undef FE_PRECONDITIONER

/* By fe_preconditioning. */
static const fe_preconditioner_form *const forms[] = {
    NULL,
#define FE_PRECONDITIONER(NAME, word, ...) &fe_preconditioner_##word,
#include "input/preconditioners.def"
#undef FE_PRECONDITIONER
};

struct fe_preconditioner {
    const fe_preconditioner_form *form;
    void *state;
};

mx_err fe_preconditioner_create(fe_level *level, mx_view r, mx_view z, fe_preconditioner **out)
{
    fe_preconditioner *const p = calloc(1, sizeof *p);
    *out = p;
    MX_REQUIRE(p != NULL, MX_ERR_MEMORY, "no memory for a preconditioner");
    p->form = forms[level->input->preconditioner];
    const mx_err err = p->form->create(level, r, z, &p->state);
    if (err != MX_OK) fe_preconditioner_destroy(out);
    return err;
}

void fe_preconditioner_destroy(fe_preconditioner **preconditioner)
{
    fe_preconditioner *const p = *preconditioner;
    *preconditioner = NULL;
    if (p == NULL) return;
    if (p->state != NULL) p->form->destroy(p->state);
    free(p);
}

mx_err fe_precondition(fe_preconditioner *p) { return p->form->apply(p->state); }

double fe_bytes_of_preconditioner(const fe_input *input, double rows, double matrix)
{
    const fe_preconditioner_form *const form = forms[input->preconditioner];
    if (form == NULL) return 0;
    return rows * (form->vectors * (double)sizeof(double) + (matrix > 0 ? form->matrix_bytes : 0));
}

fe_work fe_work_of_preconditioner(const fe_preconditioner *p) { return p->form->work(p->state); }

bool fe_has_many_kernels(const fe_preconditioner *p) { return p != NULL && p->form->many_kernels; }
