/* Kernels that pack elements of fields into records, and unpack them. A field has rank 1, or rank 2
 * with an element in each row. A record holds the elements of several fields:
 *
 *     record j:   | field 0: columns | field 1: columns | ... |      all records have the same length
 *
 * One launch packs or unpacks one field of all records. Lengths and offsets are in numbers of the
 * field's type. */
#pragma once
#include "minx/minx.h"

/* M(tag, T, type) */
#define APP_ELEMENT_TYPES(M) \
    M(f64, double, MX_F64)   \
    M(f32, float, MX_F32)    \
    M(i32, int32_t, MX_I32)  \
    M(i64, int64_t, MX_I64)

/* rank, column, rows  the field: `column` if it has rank 1, else `rows`, with `columns` numbers each
 * buffer              record j has this field at j * record + offset
 * index               the element of record j; if `listed` is false, it is first + j
 * from                of a move: the element that replaces index(j)
 * shifts              `shift` has rows; row shift_row(j) is added to record j */
/* clang-format off */
#define APP_ELEMENT_ARGS_(tag, T, type)                             \
    MX_ARGS(app_elements_##tag##_args,                              \
        (mx_##tag##_1s, column)                                     \
        (mx_##tag##_2s, rows)                                       \
        (mx_##tag##_1, buffer)                                      \
        (mx_ci32_1s, index)                                         \
        (mx_ci32_1s, from)                                          \
        (mx_ci32_1, shift_row)                                      \
        (mx_cf64_2, shift),                                         \
        int rank;                                                   \
        int columns;                                                \
        int record;                                                 \
        int offset;                                                 \
        int first;                                                  \
        bool shifts;                                                \
        bool listed;                                                \
    );                                                              \
    MX_DECLARE_FOR(1D, app_pack_##tag, app_elements_##tag##_args)   \
    MX_DECLARE_FOR(1D, app_unpack_##tag, app_elements_##tag##_args) \
    MX_DECLARE_FOR(1D, app_add_##tag, app_elements_##tag##_args)    \
    MX_DECLARE_FOR(1D, app_move_##tag, app_elements_##tag##_args)
/* clang-format on */
APP_ELEMENT_TYPES(APP_ELEMENT_ARGS_)

/* shift_row(j) = s for the records from begin(s) to before begin(s + 1) */
MX_ARGS(app_shift_rows_args,
    (mx_ci32_1, begin)
    (mx_i32_1, shift_row),
    int rows;
);
MX_DECLARE_FOR(1D, app_find_shift_rows, app_shift_rows_args)

/* Which elements leave a rank: list(0..) = those whose rank is another one, in ascending order, and
 * to(0..) = their ranks. With `staying` true: the elements that do not leave. The result of the
 * scan is their number. */
MX_ARGS(app_leaving_args,
    (mx_ci32_1s, rank)
    (mx_i32_1, list)
    (mx_i32_1, to),
    int self;
    bool staying;
);
MX_DECLARE_SCAN(1D, app_leaving, app_leaving_args, int32_t)
