/* Which coefficients the matrix has, and where they are. How, the operator's form says. */
#include "fe_level.h"

double fe_matrix_bytes(const fe_level *level)
{
    return level->op->bytes != NULL ? level->op->bytes(level) : 0;
}

mx_err fe_make_structure(fe_level *level)
{
    const mx_ctx ctx = level->base->ctx;
    fe_storage *const s = &level->storage;
    int64_t values = 0;
    level->all_entries = level->entries = fe_entries(&level->mesh);
    MX_TRY(app_sum_i64(level->base->comm, &level->all_entries, 1));
    s->is_f32 = s->is_f32 || level->input->precision == FE_PRECISION_MIXED;
    s->chunk = 1;
    if (level->op->set_up != NULL) MX_TRY(level->op->set_up(level, &values));
    if (s->kind == FE_STORAGE_NONE) return mx_fence(ctx);
    const bool all_written = level->op->all_written && fe_assembly_of(level) == FE_ASSEMBLY_BLOCKS;
    const mx_view_options options = {.uninitialized = all_written};
    MX_TRY(mx_view_create(ctx, "matrix", s->is_f32 ? MX_F32 : MX_F64, 1, &values, &options,
                          &level->views.value));
    return mx_fence(ctx);
}
