#include "elements.h"

#include "element_kernels.h"

/* ---- records ---- */

static int columns_of(const mx_view_info *info)
{
    return info->rank == 2 ? (int)info->extent[1] : 1;
}

mx_err app_record_of(const char *who, const mx_view *fields, int count, app_record *record)
{
    mx_view_info info;
    record->fields = 0;
    record->bytes = 0;
    MX_REQUIRE(count >= 1 && count <= APP_MAX_FIELDS, MX_ERR_ARG, "%s: %d fields, expected 1 to %d",
               who, count, APP_MAX_FIELDS);
    for (int f = 0; f < count; f++) {
        MX_TRY(mx_view_get_info(fields[f], &info));
        MX_REQUIRE(info.type == MX_F64 || info.type == MX_F32 || info.type == MX_I32 ||
                       info.type == MX_I64,
                   MX_ERR_TYPE, "%s: field '%s' has elements of %s, expected f64, f32, i32 or i64",
                   who, info.label, mx_type_name(info.type));
        MX_REQUIRE(info.rank == 1 || info.rank == 2, MX_ERR_RANK,
                   "%s: field '%s' has rank %d, expected 1 or 2", who, info.label, info.rank);
        const size_t size = MX_TYPE_SIZE(info.type);
        record->field[f] = fields[f];
        record->offset[f] = (record->bytes + size - 1) / size * size;
        record->bytes = record->offset[f] + (size_t)columns_of(&info) * size;
    }
    record->fields = count;
    record->bytes = (record->bytes + 7) / 8 * 8;
    return MX_OK;
}

/* ---- launches ---- */

typedef enum job_kind { PACK, UNPACK, ADD, MOVE } job_kind;

/* What a launch does, for a field of any type. */
typedef struct job {
    job_kind kind;
    mx_view field;
    mx_view buffer;
    size_t record, offset; /* in bytes */
    app_element_list list;
    app_record_shift shift;
    mx_view from;
    mx_lid begin, end;
} job;

static bool is_null(mx_view view) { return view.generation == 0; }

#define BIND_OR_NONE(ctx, view, accessor)         \
    do {                                          \
        if (is_null(view))                        \
            mx_bind_none(accessor);               \
        else                                      \
            MX_TRY(mx_bind(ctx, view, accessor)); \
    } while (0)

#define LAUNCH(tag, T, type)                                                       \
    static mx_err launch_##tag(mx_ctx ctx, const job *j, const mx_view_info *info) \
    {                                                                              \
        const mx_view none = MX_VIEW_NULL;                                         \
        const mx_range_1 range = mx_range_1d(ctx, j->begin, j->end);               \
        app_elements_##tag##_args args = {.rank = info->rank};                     \
        BIND_OR_NONE(ctx, info->rank == 1 ? j->field : none, &args.column);        \
        BIND_OR_NONE(ctx, info->rank == 2 ? j->field : none, &args.rows);          \
        BIND_OR_NONE(ctx, j->buffer, &args.buffer);                                \
        BIND_OR_NONE(ctx, j->list.index, &args.index);                             \
        BIND_OR_NONE(ctx, j->from, &args.from);                                    \
        BIND_OR_NONE(ctx, j->shift.row, &args.shift_row);                          \
        BIND_OR_NONE(ctx, j->shift.shift, &args.shift);                            \
        args.columns = columns_of(info);                                           \
        args.record = (int)(j->record / sizeof(T));                                \
        args.offset = (int)(j->offset / sizeof(T));                                \
        args.first = j->list.first;                                                \
        args.shifts = !is_null(j->shift.shift);                                    \
        args.listed = !is_null(j->list.index);                                     \
        switch (j->kind) {                                                         \
        case PACK: return app_pack_##tag(range, &args);                            \
        case UNPACK: return app_unpack_##tag(range, &args);                        \
        case ADD: return app_add_##tag(range, &args);                              \
        default: return app_move_##tag(range, &args);                              \
        }                                                                          \
    }
APP_ELEMENT_TYPES(LAUNCH)

static mx_err launch(mx_ctx ctx, const job *j)
{
    mx_view_info info;
    MX_TRY(mx_view_get_info(j->field, &info));
    MX_REQUIRE((size_t)j->end * (j->record / MX_TYPE_SIZE(info.type)) <= INT32_MAX, MX_ERR_EXTENT,
               "field '%s': %d records of %zu bytes are too many for one buffer: use more ranks",
               info.label, j->end, j->record);
    switch (info.type) {
    case MX_F64: return launch_f64(ctx, j, &info);
    case MX_F32: return launch_f32(ctx, j, &info);
    case MX_I32: return launch_i32(ctx, j, &info);
    default: return launch_i64(ctx, j, &info);
    }
}

static job job_of(job_kind kind, const app_record *record, int f, const app_element_list *list,
                  mx_view buffer, mx_lid begin, mx_lid end)
{
    return (job){.kind = kind,
                 .field = record->field[f],
                 .buffer = buffer,
                 .record = record->bytes,
                 .offset = record->offset[f],
                 .list = *list,
                 .begin = begin,
                 .end = end};
}

mx_err app_elements_pack(mx_ctx ctx, const app_record *record, int f, const app_element_list *list,
                         const app_record_shift *shift, mx_view buffer, mx_lid begin, mx_lid end)
{
    job j = job_of(PACK, record, f, list, buffer, begin, end);
    if (shift != NULL) j.shift = *shift;
    return launch(ctx, &j);
}

mx_err app_elements_unpack(mx_ctx ctx, const app_record *record, int f,
                           const app_element_list *list, mx_view buffer, mx_lid begin, mx_lid end)
{
    const job j = job_of(UNPACK, record, f, list, buffer, begin, end);
    return launch(ctx, &j);
}

mx_err app_elements_add(mx_ctx ctx, const app_record *record, int f, const app_element_list *list,
                        mx_view buffer, mx_lid begin, mx_lid end)
{
    const job j = job_of(ADD, record, f, list, buffer, begin, end);
    return launch(ctx, &j);
}

mx_err app_elements_move(mx_ctx ctx, mx_view field, mx_view to, mx_view from, mx_lid n)
{
    const job j = {.kind = MOVE, .field = field, .list.index = to, .from = from, .end = n};
    return launch(ctx, &j);
}

mx_err app_elements_shift_rows(mx_ctx ctx, mx_view begin, int rows, mx_view row, mx_lid records)
{
    app_shift_rows_args args = {.rows = rows};
    MX_TRY(mx_bind(ctx, begin, &args.begin));
    MX_TRY(mx_bind(ctx, row, &args.shift_row));
    return app_find_shift_rows(mx_range_1d(ctx, 0, records), &args);
}
