#include "fe_matrix.h"

mx_err fe_bind_values(const fe_level *level, fe_matrix_values *value, fe_matrix_f32values *f32value)
{
    const mx_ctx ctx = level->base->ctx;
    mx_bind_none(value);
    mx_bind_none(f32value);
    return level->storage.is_f32 ? mx_bind(ctx, level->views.value, f32value)
                                 : mx_bind(ctx, level->views.value, value);
}

double fe_bytes_of_entries(const fe_level *level, double more)
{
    const double value = level->input->precision == FE_PRECISION_MIXED ? 4 : 8;
    return (double)fe_entries(&level->mesh) * (value + more);
}

fe_work fe_work_of_stored(const fe_level *level, double stored, double more)
{
    const double rows = fe_rows(&level->mesh), value = level->storage.is_f32 ? 4 : 8;
    const fe_work work = {rows * 16 + stored * (value + more), (double)level->entries * 2};
    return work;
}
