/* elements: element by element, colour after colour. */
#include "fe_elements.h"
#include "operators/shared/fe_matrix_free.h"

/* Hosts: lines of elements in 4 colours. Devices: elements in 8. */
static mx_err add_colours(const fe_level *level, fe_free_args *a)
{
    const mx_ctx ctx = level->base->ctx;
    const bool host = !fe_on_device(level);
    for (int colour = 0; colour < (host ? 4 : 8); colour++) {
        int end[3];
        for (int d = 0; d < 3; d++) {
            a->low[d] = level->from[d] + (colour >> d & 1);
            end[d] = a->low[d] < level->to[d] ? (level->to[d] - a->low[d] + 1) / 2 : 0;
        }
        MX_TRY(host ? fe_elements_line(mx_range_2d(ctx, 0, end[0], 0, end[1]), a)
                    : fe_elements_one(fe_box_range(level, NULL, end), a));
    }
    return MX_OK;
}

static mx_err apply(const fe_level *level, const fe_product *p)
{
    const mx_range_1 rows = mx_range_1d(level->base->ctx, 0, fe_rows(&level->mesh));
    const fe_dot_product *const dot = p->dot;
    fe_free_args a = {0};
    MX_TRY(fe_bind_free(level, p, &a));
    MX_TRY(fe_elements_begin(rows, &a));
    MX_TRY(add_colours(level, &a));
    return dot == NULL ? MX_OK : fe_elements_dot_into(rows, &a, dot->view, dot->at);
}

const fe_operator_form fe_operator_elements = {.needs_coordinates = true,
                                               .apply = apply,
                                               .diagonal = fe_assemble_diagonal,
                                               .work = fe_work_of_elements};
