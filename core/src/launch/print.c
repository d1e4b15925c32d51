/* Prints a view: a line about it, then its first elements, row by row. */
#include "view/memory.h"

#include <stdlib.h>
#include <string.h>

/* The part that has the first `max_count` elements in the order of the indices, and not many more.
 * It is the view itself where there are no parts: a view of tiles, or in Morton order. */
static mx_err first_elements(mx_view view, const mx_view_info *info, int64_t max_count,
                             mx_view *part)
{
    mx_slice slices[MX_MAX_RANK];
    if (info->layout > MX_LAYOUT_STRIDE) {
        *part = view;
        return mx_view_retain(view);
    }
    for (int d = info->rank - 1; d >= 0; d--) {
        const int64_t extent = info->extent[d], n = max_count < extent ? max_count : extent;
        slices[d] = mx_span(0, n);
        if (n > 0) max_count = (max_count + n - 1) / n;
    }
    return mx_subview(view, info->rank, slices, part);
}

static void print_head(FILE *out, const mx_view_info *info)
{
    fprintf(out, "view '%s': %s", info->label, mx_type_name(info->type));
    for (int d = 0; d < info->rank; d++)
        fprintf(out, "%s%lld", d > 0 ? " x " : ", ", (long long)info->extent[d]);
    fprintf(out, ", layout %s, in %s\n", mx_layout_name(info->layout), mx_space_name(info->space));
}

static void print_number(FILE *out, mx_type type, const char *at)
{
#define MX_PRINT_NUMBER(tag, T, kind)                                                \
    case MX_TYPE_((unsigned)(kind), sizeof(T)): {                                    \
        T number;                                                                    \
        memcpy(&number, at, sizeof number);                                          \
        if ((T)0.5 != 0)                                                             \
            fprintf(out, " %.*g", sizeof number == 4 ? 9 : 17, (double)number);      \
        else                                                                         \
            fprintf(out, " %.0Lf", (long double)number); /* exact: it has 64 bits */ \
        break;                                                                       \
    }
    switch (type) {
        MX_NUMBER_TYPES_(MX_PRINT_NUMBER)
    default: fprintf(out, " ?");
    }
}

/* Rows of the part, each behind the indices of the dimensions before the last. */
static void print_rows(FILE *out, const mx_view_info *part, const char *elements, int64_t max_count)
{
    const int64_t columns = part->rank > 0 ? part->extent[part->rank - 1] : 1;
    for (int64_t e = 0; e < part->count && e < max_count; e++) {
        if (e % columns == 0) {
            int64_t row = e / columns, index[MX_MAX_RANK] = {0};
            for (int d = part->rank - 2; d >= 0; row /= part->extent[d], d--)
                index[d] = row % part->extent[d];
            fprintf(out, "%s ", e > 0 ? "\n" : "");
            for (int d = 0; d < part->rank - 1; d++) fprintf(out, " %lld", (long long)index[d]);
            fprintf(out, "%s", part->rank > 1 ? ":" : "");
        }
        print_number(out, part->type, elements + (size_t)e * MX_TYPE_SIZE(part->type));
    }
    fprintf(out, "\n");
}

mx_err mx_view_print(mx_ctx ctx, mx_view view, int64_t max_count, FILE *out)
{
    mx_view_info info, first = {0};
    mx_view part;
    MX_REQUIRE(out != NULL, MX_ERR_ARG, "print: no file");
    MX_TRY(mx_view_get_info(view, &info));
    print_head(out, &info);
    if (max_count <= 0 || info.count == 0) return MX_OK;
    MX_TRY(first_elements(view, &info, max_count, &part));
    mx_err err = mx_view_get_info(part, &first);
    const size_t bytes = (size_t)first.count * MX_TYPE_SIZE(first.type);
    char *const elements = err == MX_OK ? malloc(bytes) : NULL;
    if (err == MX_OK && elements == NULL)
        err = MX_FAIL(MX_ERR_MEMORY, "print '%s': no memory for %zu bytes", info.label, bytes);
    if (err == MX_OK) err = mx_export(ctx, part, (void *)elements, NULL);
    if (err == MX_OK) print_rows(out, &first, elements, max_count);
    if (err == MX_OK && first.count > max_count) first.count = max_count;
    if (err == MX_OK && first.count < info.count)
        fprintf(out, "  ... %lld of %lld elements\n", (long long)first.count,
                (long long)info.count);
    free(elements);
    (void)mx_view_destroy(&part);
    return err;
}
