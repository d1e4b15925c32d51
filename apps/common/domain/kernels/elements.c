#include "minx/kernel.h"
#include "minx/scan.h"

#include "domain/element_kernels.h"

/* The element of record j. */
#define ELEMENT_OF(a, j) ((a)->listed ? MX_AT((a)->index, j) : (a)->first + (j))
/* Number c of element i. */
#define NUMBER(a, i, c) (*((a)->rank == 1 ? &MX_AT((a)->column, i) : &MX_AT((a)->rows, i, c)))
#define RECORD(a, j, c) MX_AT((a)->buffer, (j) * (a)->record + (a)->offset + (c))

/* By bisection. */
MX_BODY void app_find_shift_rows_body(const app_shift_rows_args *a, int j)
{
    int low = 0, high = a->rows;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (MX_AT(a->begin, middle) <= j)
            low = middle;
        else
            high = middle;
    }
    MX_AT(a->shift_row, j) = low;
}
MX_FOR(1D, app_find_shift_rows, MX_ITEMS_PLAIN)

#define KERNELS(tag, T, type)                                                               \
    MX_BODY void app_pack_##tag##_body(const app_elements_##tag##_args *a, int j)           \
    {                                                                                       \
        const int i = ELEMENT_OF(a, j);                                                     \
        const int s = a->shifts ? MX_AT(a->shift_row, j) : 0;                               \
        for (int c = 0; c < a->columns; c++)                                                \
            RECORD(a, j, c) =                                                               \
                a->shifts ? (T)(NUMBER(a, i, c) + MX_AT(a->shift, s, c)) : NUMBER(a, i, c); \
    }                                                                                       \
    MX_FOR(1D, app_pack_##tag, MX_ITEMS_PLAIN)                                              \
    MX_BODY void app_unpack_##tag##_body(const app_elements_##tag##_args *a, int j)         \
    {                                                                                       \
        const int i = ELEMENT_OF(a, j);                                                     \
        for (int c = 0; c < a->columns; c++) NUMBER(a, i, c) = RECORD(a, j, c);             \
    }                                                                                       \
    MX_FOR(1D, app_unpack_##tag, MX_ITEMS_PLAIN)                                            \
    MX_BODY void app_add_##tag##_body(const app_elements_##tag##_args *a, int j)            \
    {                                                                                       \
        const int i = ELEMENT_OF(a, j);                                                     \
        for (int c = 0; c < a->columns; c++) NUMBER(a, i, c) += RECORD(a, j, c);            \
    }                                                                                       \
    MX_FOR(1D, app_add_##tag, MX_ITEMS_PLAIN)                                               \
    MX_BODY void app_move_##tag##_body(const app_elements_##tag##_args *a, int j)           \
    {                                                                                       \
        const int i = MX_AT(a->index, j), from = MX_AT(a->from, j);                         \
        for (int c = 0; c < a->columns; c++) NUMBER(a, i, c) = NUMBER(a, from, c);          \
    }                                                                                       \
    MX_FOR(1D, app_move_##tag, MX_ITEMS_PLAIN)
APP_ELEMENT_TYPES(KERNELS)

MX_BODY void app_leaving_body(const app_leaving_args *a, int i, int32_t *count, bool final)
{
    const int rank = MX_AT(a->rank, i);
    if ((rank == a->self) != a->staying) return;
    if (final) {
        MX_AT(a->list, *count) = i;
        MX_AT(a->to, *count) = rank;
    }
    (*count)++;
}
MX_SCAN(1D, app_leaving, MX_SUM)
