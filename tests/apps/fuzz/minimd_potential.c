/* Throws text at the reader of potential files. Properties checked for any text:
 *   1. the reader returns, reads nothing beyond the end, and gives MX_OK, or MX_ERR_INPUT with a message that has the line;
 *   2. an accepted potential keeps the promises of md_potential.h, and all of its tables are there, of finite numbers;
 *   3. splines of its tables are finite. */
#include "input/md_potential.h"
#include "target.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_table(const double *values, int tables, int knots)
{
    double *const c = malloc((size_t)knots * MD_SPLINE * sizeof *c);
    if (!c) abort();
    for (int i = 0; i < tables; i++) {
        md_spline(values + (size_t)i * (size_t)knots, knots, c);
        for (int k = 0; k < knots * MD_SPLINE; k++) HOLDS(isfinite(c[k]));
    }
    free(c);
}

static void check_potential(const md_potential *p)
{
    HOLDS(p->elements >= 1 && p->elements <= MD_MAX_ELEMENTS);
    HOLDS(p->rho_knots >= MD_MIN_KNOTS - 1 && p->r_knots >= MD_MIN_KNOTS - 1);
    HOLDS(p->rho_step > 0 && p->r_step > 0 && p->cutoff > 0);
    HOLDS(p->cutoff < (p->r_knots + 1.01) * p->r_step);
    for (int i = 0; i < p->elements; i++) HOLDS(p->element[i].mass > 0);
    check_table(p->embedding, p->elements, p->rho_knots);
    check_table(p->density, p->form == MD_SETFL_FS ? p->elements * p->elements : p->elements,
                p->r_knots);
    check_table(p->pair, md_pairs(p->elements), p->r_knots);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    md_potential p;
    char *const text = own_block(data, size);
    mx_err_clear();
    const mx_err err = md_potential_parse("file", text, size, &p);
    HOLDS(err == MX_OK || err == MX_ERR_INPUT);
    if (err == MX_OK)
        check_potential(&p);
    else
        HOLDS(strncmp(mx_err_message(), "file:", 5) == 0 &&
              strstr(mx_err_message(), ", expected ") && p.values == NULL);
    md_potential_free(&p);
    free(text);
    return 0;
}
