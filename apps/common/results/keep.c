#include "keep.h"

#include "input/strbuf.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- ranges ---- */

app_keep_range app_keep_finite(void) { return (app_keep_range){.low = -DBL_MAX, .high = DBL_MAX}; }

app_keep_range app_keep_from_0(void) { return (app_keep_range){.low = 0, .high = DBL_MAX}; }

app_keep_range app_keep_whole(mx_gid low, mx_gid high)
{
    return (app_keep_range){.low = (double)low, .high = (double)high, .whole = true};
}

/* ---- numbers and histories ---- */

static void put_numbers(app_results results, const app_kept *kept, app_h5_kind kind,
                        const void *data, int64_t count)
{
    const app_h5_item item = {.kind = kind, .vector = true, .count = (hsize_t)count, .data = data};
    const app_small small = {.unit = "1", .compare = APP_NEVER, .item = item};
    app_results_put(results, kept->path, &small);
}

void app_kept_put(app_results results, const app_kept *kept)
{
    const app_series *const series = kept->data;
    int64_t flag;
    switch (kept->kind) {
    case APP_KEPT_F64: put_numbers(results, kept, APP_H5_F64, kept->data, kept->count); break;
    case APP_KEPT_I64: put_numbers(results, kept, APP_H5_I64, kept->data, kept->count); break;
    case APP_KEPT_SERIES:
        put_numbers(results, kept, APP_H5_F64, series->values, series->count);
        break;
    case APP_KEPT_FLAG:
        flag = *(const bool *)kept->data ? 1 : 0;
        put_numbers(results, kept, APP_H5_I64, &flag, 1);
        break;
    default: break;
    }
}

/* An array that every rank reads whole. */
static app_slab whole(mx_gid count)
{
    return (app_slab){.rank = 1, .global = {count}, .count = {count}};
}

/* ---- the range of numbers ---- */

static double number_at(mx_type type, const void *values, mx_gid n)
{
    switch (type) {
    case MX_F32: return (double)((const float *)values)[n];
    case MX_F64: return ((const double *)values)[n];
    case MX_I32: return ((const int32_t *)values)[n];
    default: return (double)((const int64_t *)values)[n];
    }
}

static bool is_in(const app_keep_range *range, double number)
{
    const bool inside = number >= range->low && number <= range->high; /* false for NaN */
    return inside && (!range->whole || number == floor(number));
}

/* "3, 0": the indices, in the whole array, of element n of a box. */
static void name_entry(const app_slab *box, mx_gid n, char *text, size_t size)
{
    mx_gid at[APP_SLAB_MAX_RANK] = {0};
    size_t length = 0;
    for (int d = box->rank - 1; d >= 0; --d) {
        at[d] = box->first[d] + n % box->count[d];
        n /= box->count[d];
    }
    for (int d = 0; d < box->rank && length < size; ++d)
        length += (size_t)snprintf(text + length, size - length, "%s%" MX_PRI_GID,
                                   d > 0 ? ", " : "", at[d]);
}

static void name_range(const app_keep_range *range, char *text, size_t size)
{
    const char *const what = range->whole ? "a whole number" : "a finite number";
    if (range->high < DBL_MAX)
        snprintf(text, size, "%s from %.16g to %.16g", what, range->low, range->high);
    else if (range->low > -DBL_MAX)
        snprintf(text, size, "%s from %.16g on", what, range->low);
    else
        snprintf(text, size, "%s", what);
}

static mx_err check_values(const app_array *array, const app_keep_range *range, const void *values)
{
    const mx_gid count = app_slab_elements(&array->slab);
    for (mx_gid n = 0; n < count; ++n) {
        const double number = number_at(array->type, values, n);
        if (is_in(range, number)) continue;
        char entry[128], expected[96];
        name_entry(&array->slab, n, entry, sizeof entry);
        name_range(range, expected, sizeof expected);
        return MX_FAIL(MX_ERR_INPUT, "%s: entry %s: got %.16g, expected %s", array->path, entry,
                       number, expected);
    }
    return MX_OK;
}

/* Reads this rank's box of an array, whose numbers are in the range. Collective, agreed. */
static mx_err get_checked(app_file *file, const app_array *array, const app_keep_range *range,
                          void *values)
{
    MX_TRY(app_file_get(file, array, values));
    return app_agree(file->comm, check_values(array, range, values));
}

/* ---- restoring numbers and histories ---- */

/* Into a buffer first: what is refused changes nothing. */
static mx_err get_numbers(app_file *file, const app_kept *kept, mx_type type, void *data)
{
    const app_array array = {.path = kept->path, .type = type, .slab = whole(kept->count)};
    const size_t bytes = (size_t)kept->count * MX_TYPE_SIZE(type);
    void *const buffer = malloc(bytes + 1);
    mx_err err = buffer ? MX_OK : MX_FAIL(MX_ERR_MEMORY, "no memory to read %s", kept->path);
    err = app_agree(file->comm, err);
    if (err == MX_OK) err = get_checked(file, &array, &kept->range, buffer);
    if (err == MX_OK) memcpy(data, buffer, bytes);
    free(buffer);
    return err;
}

static mx_err get_flag(app_file *file, const app_kept *kept)
{
    app_kept number = *kept;
    int64_t flag = 0;
    number.count = 1;
    MX_TRY(get_numbers(file, &number, MX_I64, &flag));
    *(bool *)kept->data = flag != 0;
    return MX_OK;
}

/* The length of an array of one dimension. */
static mx_err get_length(app_file *file, const char *path, mx_type type, mx_gid *length)
{
    app_array array = {.path = path, .type = type};
    MX_TRY(app_file_extents(file, &array));
    MX_REQUIRE(array.slab.rank == 1, MX_ERR_INPUT, "%s has %d dimensions, expected 1", path,
               array.slab.rank);
    *length = array.slab.global[0];
    return MX_OK;
}

static mx_err get_series(app_file *file, const app_kept *kept)
{
    app_series *const series = kept->data;
    app_array array = {.path = kept->path, .type = MX_F64};
    mx_gid count = 0;
    MX_TRY(get_length(file, kept->path, MX_F64, &count));
    MX_TRY(app_agree(file->comm, app_series_resize(series, count)));
    array.slab = whole(count);
    return get_checked(file, &array, &kept->range, series->values);
}

/* ---- views: through a buffer in host memory ---- */

static mx_err make_buffer(app_comm comm, const app_array *array, void **buffer)
{
    const size_t elements = (size_t)app_slab_elements(&array->slab);
    *buffer = malloc(elements * MX_TYPE_SIZE(array->type) + 1);
    const mx_err err =
        *buffer ? MX_OK
                : MX_FAIL(MX_ERR_MEMORY, "no memory for %zu elements of %s", elements, array->path);
    return app_agree(comm, err);
}

/* Copies a box of a view, the elements behind the ghosts, to (`out`) or from (`in`) a buffer. */
static mx_err copy_box(const app_kept *kept, mx_view view, const app_slab *slab, void *out,
                       const void *in)
{
    const int first = kept->ghosts;
    mx_slice slices[APP_SLAB_MAX_RANK];
    mx_view box = MX_VIEW_NULL;
    mx_view_info info;
    if (app_slab_elements(slab) == 0) return MX_OK;
    for (int d = 0; d < slab->rank; ++d) slices[d] = mx_span(first, first + slab->count[d]);
    MX_TRY(mx_view_get_info(view, &info));
    MX_TRY(mx_subview(view, slab->rank, slices, &box));
    mx_err err = out ? mx_export_(kept->ctx, box, out, NULL, info.type)
                     : mx_import_(kept->ctx, box, in, NULL, info.type);
    if (err == MX_OK) err = mx_fence(kept->ctx);
    const mx_err destroyed = mx_view_destroy(&box);
    return err != MX_OK ? err : destroyed;
}

static mx_err view_type(app_comm comm, mx_view view, mx_type *type)
{
    mx_view_info info = {0};
    const mx_err err = mx_view_get_info(view, &info);
    *type = info.type;
    return app_agree(comm, err);
}

static mx_err put_box(app_results results, const app_kept *kept, mx_view view, const app_slab *slab)
{
    app_array array = {.path = kept->path, .unit = "1", .compare = APP_NEVER, .slab = *slab};
    void *buffer;
    MX_TRY(view_type(results->comm, view, &array.type));
    mx_err err = make_buffer(results->comm, &array, &buffer);
    if (err == MX_OK) err = app_agree(results->comm, copy_box(kept, view, slab, buffer, NULL));
    if (err == MX_OK) err = app_file_put(&results->file, &array, buffer);
    free(buffer);
    return err;
}

static mx_err get_box(app_file *file, const app_kept *kept, mx_view view, const app_slab *slab)
{
    app_array array = {.path = kept->path, .slab = *slab};
    void *buffer;
    MX_TRY(view_type(file->comm, view, &array.type));
    mx_err err = make_buffer(file->comm, &array, &buffer);
    if (err == MX_OK) err = get_checked(file, &array, &kept->range, buffer);
    if (err == MX_OK) err = app_agree(file->comm, copy_box(kept, view, slab, NULL, buffer));
    free(buffer);
    return err;
}

/* ---- rows: an array with the rows of rank 0, then those of rank 1, and so on; and a second one,
 * PATH_of_rank, with the number of each rank's rows ---- */

static mx_err counts_path(const char *path, char **counts)
{
    app_strbuf text = {0};
    MX_TRY(app_strbuf_add(&text, "%s_of_rank", path));
    *counts = text.text;
    return MX_OK;
}

/* This rank's rows, as a slab of the view's rank. */
static mx_err row_slab(app_comm comm, mx_view view, mx_gid rows, app_slab *slab)
{
    mx_view_info info = {0};
    mx_err err = mx_view_get_info(view, &info);
    if (err == MX_OK && (info.rank < 1 || info.rank > 2))
        err = MX_FAIL(MX_ERR_ARG, "kept rows are of a view of rank 1 or 2, got %d", info.rank);
    MX_TRY(app_agree(comm, err));
    MX_TRY(app_slab_stack(comm, rows, slab));
    if (info.rank == 2) *slab = app_slab_components(*slab, info.extent[1]);
    return MX_OK;
}

static mx_err put_rows(app_results results, const app_kept *kept)
{
    const int64_t rows = *kept->rows;
    char *counts = NULL;
    app_slab slab;
    MX_TRY(app_agree(results->comm, counts_path(kept->path, &counts)));
    app_array array = {.path = counts, .unit = "1", .compare = APP_NEVER, .type = MX_I64};
    mx_err err = app_slab_stack(results->comm, 1, &array.slab);
    if (err == MX_OK) err = app_file_put(&results->file, &array, &rows);
    free(counts);
    if (err == MX_OK) err = row_slab(results->comm, *kept->rows_view, rows, &slab);
    if (err == MX_OK) err = put_box(results, kept, *kept->rows_view, &slab);
    return err;
}

/* The number of rows of an array, whose rank is that of its view. */
static mx_err count_rows(app_file *file, const app_kept *kept, mx_gid *rows)
{
    mx_view_info info = {0};
    app_array array = {.path = kept->path};
    MX_TRY(app_agree(file->comm, mx_view_get_info(*kept->rows_view, &info)));
    array.type = info.type;
    MX_TRY(app_file_extents(file, &array));
    MX_REQUIRE(array.slab.rank == info.rank, MX_ERR_INPUT, "%s has %d dimensions, expected %d",
               kept->path, array.slab.rank, info.rank);
    *rows = array.slab.global[0];
    MX_REQUIRE(kept->total < 0 || *rows == kept->total, MX_ERR_INPUT,
               "%s has %" MX_PRI_GID " rows, expected %" MX_PRI_GID, kept->path, *rows,
               kept->total);
    return MX_OK;
}

/* The rows of the ranks that wrote the file add up to those of the array. */
static mx_err check_counts(const app_kept *kept, const app_array *counts, const int64_t *values,
                           mx_gid rows)
{
    const app_keep_range range = app_keep_whole(0, rows);
    mx_gid sum = 0;
    MX_TRY(check_values(counts, &range, values));
    for (mx_gid r = 0; r < counts->slab.count[0] && sum <= rows; ++r) sum += values[r];
    MX_REQUIRE(sum == rows, MX_ERR_INPUT,
               "%s: the sum is %" MX_PRI_GID "%s, expected %" MX_PRI_GID ", the rows of %s",
               counts->path, sum, sum > rows ? " or more" : "", rows, kept->path);
    return MX_OK;
}

/* How many rows this rank gets: its own ones, or those of a block. `path`: of the counts. */
static mx_err read_counts(app_file *file, const app_kept *kept, const char *path, int64_t *rows)
{
    app_array array = {.path = path, .type = MX_I64};
    mx_gid ranks = 0, total = 0;
    MX_TRY(count_rows(file, kept, &total));
    MX_TRY(get_length(file, path, MX_I64, &ranks));
    array.slab = whole(ranks);
    int64_t *const counts = calloc((size_t)ranks + 1, sizeof *counts);
    mx_err err = counts ? MX_OK : MX_FAIL(MX_ERR_MEMORY, "no memory to read %s", path);
    err = app_agree(file->comm, err);
    if (err == MX_OK) err = app_file_get(file, &array, counts);
    if (err == MX_OK) err = app_agree(file->comm, check_counts(kept, &array, counts, total));
    if (err == MX_OK)
        *rows = ranks == app_size(file->comm) ? counts[app_rank(file->comm)]
                                              : app_slab_block(file->comm, total).count[0];
    free(counts);
    return err;
}

static mx_err get_row_count(app_file *file, const app_kept *kept, int64_t *rows)
{
    char *path = NULL;
    MX_TRY(app_agree(file->comm, counts_path(kept->path, &path)));
    const mx_err err = read_counts(file, kept, path, rows);
    free(path);
    return err;
}

static mx_err fit_rows(const app_kept *kept, int64_t rows)
{
    mx_view_info info;
    MX_TRY(mx_view_get_info(*kept->rows_view, &info));
    MX_REQUIRE(rows <= INT32_MAX, MX_ERR_EXTENT, "%s: %lld rows are too many for a rank",
               kept->path, (long long)rows);
    if (info.extent[0] >= rows) return MX_OK;
    const int64_t extents[2] = {rows, info.extent[1]};
    return mx_view_realloc(kept->ctx, kept->rows_view, extents);
}

static mx_err get_rows(app_file *file, const app_kept *kept, bool known)
{
    int64_t rows = 0;
    app_slab slab;
    mx_err err = MX_OK;
    MX_TRY(get_row_count(file, kept, &rows));
    if (known && rows != *kept->rows)
        err = MX_FAIL(MX_ERR_INPUT,
                      "%s_of_rank: entry %d: got %lld, expected %d, as the rows before it have",
                      kept->path, app_rank(file->comm), (long long)rows, (int)*kept->rows);
    MX_TRY(app_agree(file->comm, err));
    MX_TRY(app_agree(file->comm, fit_rows(kept, rows)));
    MX_TRY(row_slab(file->comm, *kept->rows_view, rows, &slab));
    MX_TRY(get_box(file, kept, *kept->rows_view, &slab));
    *kept->rows = (mx_lid)rows;
    return MX_OK;
}

/* ---- any kind ---- */

mx_err app_kept_put_array(app_results results, const app_kept *kept)
{
    if (kept->kind == APP_KEPT_VIEW) return put_box(results, kept, *kept->view, &kept->slab);
    return kept->kind == APP_KEPT_ROWS ? put_rows(results, kept) : MX_OK;
}

mx_err app_kept_get(app_file *file, const app_kept *kept, bool rows_known)
{
    switch (kept->kind) {
    case APP_KEPT_F64: return get_numbers(file, kept, MX_F64, kept->data);
    case APP_KEPT_I64: return get_numbers(file, kept, MX_I64, kept->data);
    case APP_KEPT_FLAG: return get_flag(file, kept);
    case APP_KEPT_SERIES: return get_series(file, kept);
    case APP_KEPT_VIEW: return get_box(file, kept, *kept->view, &kept->slab);
    case APP_KEPT_ROWS: return get_rows(file, kept, rows_known);
    }
    return MX_OK;
}
