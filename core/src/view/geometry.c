/* Where the elements of a view are: extents, strides, layouts, overlap. These functions compute;
 * they neither allocate nor copy. */
#include "memory.h"

#include <string.h>

/* ---- offsets and spans ---- */

int64_t mx_view_offset(const mx_view_info *info, const int64_t *index)
{
    int64_t offset = 0;
    for (int d = 0; d < info->rank; d++)
        offset += mx_term_((int)info->layout, info->rank, d, index[d], info->stride[d]);
    return offset;
}

int64_t mx_count_elements(int rank, const int64_t *extent)
{
    int64_t count = 1;
    for (int d = 0; d < rank; d++)
        if (extent[d] == 0) return 0;
    for (int d = 0; d < rank; d++) count *= extent[d];
    return count;
}

void mx_record_measure(mx_record *r)
{
    r->count = mx_count_elements(r->rank, r->extent);
    r->span = r->count > 0 ? 1 : 0;
    for (int d = 0; d < r->rank && r->count > 0; d++)
        if (r->extent[d] > 1) r->span += (r->extent[d] - 1) * r->stride[d];
}

mx_err mx_record_strided(const mx_record *r, const char *what)
{
    MX_REQUIRE(r->layout <= MX_LAYOUT_STRIDE, MX_ERR_LAYOUT,
               "%s of '%s': its layout is %s, expected left, right or stride", what, r->label,
               mx_layout_name(r->layout));
    return MX_OK;
}

bool mx_add_product(int64_t *sum, int64_t a, int64_t b, int64_t limit)
{
    int64_t product, result;
    if (__builtin_mul_overflow(a, b, &product) || __builtin_add_overflow(*sum, product, &result))
        return false;
    if (result > limit) return false;
    *sum = result;
    return true;
}

mx_err mx_record_check_strides(const mx_record *r, const int64_t *strides)
{
    int64_t end = 0;
    for (int d = 0; d < r->rank; d++)
        MX_REQUIRE(r->extent[d] <= 1 || strides[d] <= 0 ||
                       mx_add_product(&end, r->extent[d], strides[d], MX_MAX_ELEMENTS(r->type)),
                   MX_ERR_EXTENT,
                   "view '%s': stride %d: got %lld, with %lld elements along it the view does not "
                   "fit the address space",
                   r->label, d, (long long)strides[d], (long long)r->extent[d]);
    return MX_OK;
}

/* Sets the strides (in elements) and the span (the elements from the first to the last, with gaps).
 * Padding rounds the contiguous extent up, so that each row starts at a multiple of 64 bytes.
 * Layouts without strides round extents by their own rules. */
mx_err mx_record_lay_out(mx_record *r)
{
    const int64_t size = (int64_t)MX_TYPE_SIZE(r->type);
    const int64_t limit = MX_MAX_ELEMENTS(r->type);
    const bool no_strides = r->layout > MX_LAYOUT_STRIDE;
    uint64_t extent[MX_MAX_RANK], stride[MX_MAX_RANK];
    int64_t step = 1;
    bool fits = true;
    memcpy(extent, r->extent, sizeof extent);
#define MX_LAYOUT_STRIDES(NAME, name, prefix, ...) \
    if (r->layout == MX_LAYOUT_##NAME)             \
        fits = prefix##_strides_(r->rank, extent, stride, __VA_ARGS__);
    MX_LAYOUTS_(MX_LAYOUT_STRIDES)
    MX_REQUIRE(fits, MX_ERR_RANK, "view '%s': layout %s is not for rank %d", r->label,
               mx_layout_name(r->layout), r->rank);
    for (int n = 0; n < r->rank; n++) {
        const int d = r->layout == MX_LAYOUT_LEFT ? n : r->rank - 1 - n;
        MX_REQUIRE(extent[d] <= (uint64_t)limit - 64, MX_ERR_EXTENT,
                   "view '%s' does not fit the address space", r->label);
        int64_t rounded = (int64_t)extent[d];
        r->stride[d] = no_strides ? (int64_t)stride[d] : step;
        if (r->padding && !no_strides && n == 0 && r->rank > 1 && 64 % size == 0) {
            const int64_t per_line = 64 / size; /* elements of a cache line */
            rounded = (rounded + per_line - 1) / per_line * per_line;
        }
        MX_REQUIRE(rounded == 0 || step <= limit / rounded, MX_ERR_EXTENT,
                   "view '%s' does not fit the address space", r->label);
        step *= rounded;
    }
    r->count = mx_count_elements(r->rank, r->extent);
    r->span = step;
    return MX_OK;
}

/* MX_AT computes strides that depend on static extents only, and does not read them. So the view
 * must have exactly these. */
bool mx_strides_follow(const mx_record *r, const int64_t *fixed, mx_layout layout)
{
    int64_t expected = 1, known = 1; /* known: 0 from the first run-time extent on */
    if (layout == MX_LAYOUT_STRIDE) return false;
    for (int n = 0; n < r->rank; n++) {
        const int d = layout == MX_LAYOUT_LEFT ? n : r->rank - 1 - n;
        if (r->extent[d] > 1 && r->stride[d] < expected) return false;
        if (known > 0 && r->extent[d] > 1 && r->stride[d] != known) return false;
        if (r->extent[d] != 1) expected = r->stride[d] * r->extent[d];
        known *= fixed != NULL ? fixed[d] : 0;
    }
    return true;
}

/* The strides are the user's. No two elements may share memory, so each stride must be at least the
 * span of the dimensions with smaller strides. */
mx_err mx_record_set_strides(mx_record *r, const int64_t *strides, mx_layout requested)
{
    MX_TRY(mx_record_check_strides(r, strides));
    for (int d = 0; d < r->rank; d++) {
        int64_t inner_span = 1; /* of the dimensions with smaller strides */
        r->stride[d] = strides[d];
        if (r->extent[d] <= 1) continue;
        for (int e = 0; e < r->rank; e++)
            if (strides[e] < strides[d] || (strides[e] == strides[d] && e < d))
                inner_span +=
                    r->extent[e] > 1 && strides[e] > 0 ? (r->extent[e] - 1) * strides[e] : 0;
        MX_REQUIRE(strides[d] >= inner_span, MX_ERR_LAYOUT,
                   "view '%s': stride %d: got %lld, expected %lld or more, the span of the "
                   "dimensions with smaller strides",
                   r->label, d, (long long)strides[d], (long long)inner_span);
    }
    const bool follow = mx_strides_follow(r, NULL, r->layout);
    MX_REQUIRE(follow || requested == MX_LAYOUT_DEFAULT, MX_ERR_LAYOUT,
               "view '%s': the strides given do not follow layout %s", r->label,
               mx_layout_name(requested));
    if (!follow) r->layout = MX_LAYOUT_STRIDE;
    return MX_OK;
}

/* ---- overlap of two views ---- */

bool mx_record_has_gaps(const mx_record *r)
{
    return r->span != r->count && r->layout <= MX_LAYOUT_STRIDE &&
           (r->release == NULL || r->root.generation != 0);
}

mx_view mx_record_root(mx_view view, const mx_record *r)
{
    return r->root.generation != 0 ? r->root : view;
}

bool mx_records_overlap(const mx_record *a, const mx_record *b)
{
    const char *i = a->data;
    const char *j = b->data;
    return a->count > 0 && b->count > 0 && i < j + (size_t)b->span * MX_TYPE_SIZE(b->type) &&
           j < i + (size_t)a->span * MX_TYPE_SIZE(a->type);
}

bool mx_record_overlaps_memory(const mx_record *r, const void *memory, size_t size)
{
    const mx_record bytes = {
        .type = MX_U8, .count = 1, .span = (int64_t)size, .data = (void *)memory};
    return mx_records_overlap(r, &bytes);
}

bool mx_views_overlap(mx_view a, mx_view b)
{
    const mx_record *x = mx_record_of(a);
    const mx_record *y = mx_record_of(b);
    const mx_view root = mx_record_root(a, x);
    if (root.slot != mx_record_root(b, y).slot) return mx_records_overlap(x, y);
    if (x->count == 0 || y->count == 0) return false;
    for (int d = 0; d < mx_record_of(root)->rank; d++)
        if (x->root_begin[d] >= y->root_end[d] || y->root_begin[d] >= x->root_end[d]) return false;
    return true;
}
