/* Elements of fields in records: what index exchange and migration pack, unpack and move. Private
 * to them.
 *
 * A field is a view of f64, f32, i32 or i64, of rank 1, or of rank 2 with an element in each
 * row. */
#pragma once
#include "comm/comm.h"
#include "minx/view.h"

enum { APP_MAX_FIELDS = 16 };

/* Where the elements of some fields are in a record. */
typedef struct app_record {
    int fields;
    mx_view field[APP_MAX_FIELDS];
    size_t offset[APP_MAX_FIELDS]; /* bytes from the start of the record */
    size_t bytes;                  /* of a record, a multiple of 8 */
} app_record;

/* The elements of records 0, 1, ...: those in the list `index` (i32, rank 1), or, where it is null,
 * first, first + 1, ... */
typedef struct app_element_list {
    mx_view index;
    mx_lid first;
} app_element_list;

/* What is added to the numbers of records: see element_kernels.h. Null views: nothing. */
typedef struct app_record_shift {
    mx_view row; /* i32 [records] */
    mx_view shift;
} app_record_shift;

/* Fills *record. `who` begins error messages. MX_ERR_ARG (number of fields), MX_ERR_TYPE,
 * MX_ERR_RANK, MX_ERR_STALE. */
mx_err app_record_of(const char *who, const mx_view *fields, int count, app_record *record);

/* Packs, unpacks, or adds field `f` of the records from `begin` to before `end`. `buffer` is a view
 * of the whole buffer with elements of the field's type. Kernels on ctx. */
mx_err app_elements_pack(mx_ctx ctx, const app_record *record, int f, const app_element_list *list,
                         const app_record_shift *shift, mx_view buffer, mx_lid begin, mx_lid end);
mx_err app_elements_unpack(mx_ctx ctx, const app_record *record, int f,
                           const app_element_list *list, mx_view buffer, mx_lid begin, mx_lid end);
mx_err app_elements_add(mx_ctx ctx, const app_record *record, int f, const app_element_list *list,
                        mx_view buffer, mx_lid begin, mx_lid end);

/* row(j) = s for the records j from begin(s) to before begin(s + 1); begin has rows + 1 entries. */
mx_err app_elements_shift_rows(mx_ctx ctx, mx_view begin, int rows, mx_view row, mx_lid records);

/* Copies element from(j) of a field to element to(j), for j from 0 to n - 1. No element is in both
 * lists. */
mx_err app_elements_move(mx_ctx ctx, mx_view field, mx_view to, mx_view from, mx_lid n);
