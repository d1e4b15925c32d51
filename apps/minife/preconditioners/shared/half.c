#include "fe_half.h"

#include "operators/fe_operators.h"

static const fe_operator_form *form_of(const fe_level *level)
{
    return level->storage.kind != FE_STORAGE_NONE ? fe_operator_forms[FE_OPERATOR_SYMMETRIC]
                                                  : level->op;
}

static mx_err copy_matrix(const fe_level *level, fe_level *copy)
{
    fe_half_args a = {.mesh = level->mesh};
    int count[3];
    MX_TRY(fe_make_structure(copy));
    MX_TRY(fe_bind_storage(level, &a.from));
    MX_TRY(fe_bind_storage(copy, &a.to));
    fe_box_of_rows(copy, &copy->storage, a.low, count);
    return fe_copy_half(fe_box_range(copy, NULL, count), &a);
}

mx_err fe_half_create(const fe_level *level, fe_level *copy)
{
    const fe_operator_form *const form = form_of(level);
    if (level->op == form && (level->storage.kind == FE_STORAGE_NONE || level->storage.is_f32))
        return MX_OK;
    *copy = *level;
    copy->op = form;
    copy->views = (fe_level_views){.value = MX_VIEW_NULL};
    copy->storage = (fe_storage){.is_f32 = true};
    copy->outer = NULL;
    MX_TRY(copy_matrix(level, copy));
    return level->outer != NULL ? fe_make_overlap(copy) : MX_OK;
}

void fe_half_destroy(fe_level *copy)
{
    fe_overlap_destroy(copy);
    (void)mx_view_destroy(&copy->views.value);
    (void)mx_view_destroy(&copy->views.line);
}

mx_err fe_half_coarse(const fe_level *finer, const mx_gid *elements, fe_level *coarse)
{
    coarse->op = finer->input->mesh == FE_MESH_UNIFORM ? fe_operator_forms[FE_OPERATOR_UNIFORM]
                                                       : form_of(finer);
    coarse->storage.is_f32 = true;
    return fe_make_coarse_level(finer, elements, coarse);
}
