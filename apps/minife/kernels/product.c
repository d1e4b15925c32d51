/* Products y = A x. */
#include "minx/kernel.h"
#include "minx/team.h"

#include "fe_level_kernels.h"

/* y = A x for the rows of a team; returns what this lane adds to x . y. */
MX_BODY double csr_rows(const fe_csr_args *a, mx_team *t)
{
    const int first = t->league_rank * a->rows_per_team;
    const int last = first + a->rows_per_team < a->rows ? first + a->rows_per_team : a->rows;
    double dot = 0;
    MX_TEAM_FOR (t, row, first, last) {
        const int64_t begin = MX_AT(a->begin, row);
        const int entries = (int)(MX_AT(a->begin, row + 1) - begin);
        double sum;
        MX_VECTOR_SUM (t, e, 0, entries, sum)
            sum += MX_LOAD(a->value, begin + e) * MX_AT(a->x, MX_LOAD(a->column, begin + e));
        MX_VECTOR_SINGLE (t) {
            MX_AT(a->y, row) = sum;
            dot += MX_AT(a->x, row) * sum;
        }
    }
    return dot;
}

MX_BODY void fe_csr_body(const fe_csr_args *a, mx_team *t) { (void)csr_rows(a, t); }
MX_FOR(TEAM, fe_csr)

MX_BODY void fe_csr_dot_body(const fe_csr_args *a, mx_team *t, double *dot)
{
    *dot += csr_rows(a, t);
}
MX_REDUCE(TEAM, fe_csr_dot, MX_SUM)

MX_BODY void fe_diagonal_of_csr_body(const fe_diagonal_args *a, int row)
{
    const fe_node node = fe_node_of_row(&a->mesh, row);
    const fe_stencil s = fe_stencil_of(&a->mesh, node);
    MX_AT(a->diagonal, row) = MX_AT(a->value, MX_AT(a->begin, row) + fe_entry_of(&s, node));
}
MX_FOR(1D, fe_diagonal_of_csr)
