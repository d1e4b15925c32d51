/* Parts of views (subviews). A part shares the data of its root, the view that has the memory, and
 * counts as one of the root's owners. A part of a part has the same root. A part covers a range of
 * the root's indices in each dimension:
 *
 *     root u, 6 x 9      p = u[1:5, :]      q = p[2, 3:7] = u[3, 3:7]: ranges 3..4 and 3..7, dimension 0 dropped
 *
 * Invariants: the ranges of a part lie inside those of the view that it is a part of; two parts of
 * one root share an element exactly if their ranges overlap in every dimension; an empty part
 * points to the root's memory, which is never empty. */
#include "memory.h"

#include <stdio.h>
#include <string.h>

/* Sets the label: "u[3,2:5,:]", with the ranges in the root's indices. */
static void name_part(mx_record *part, const mx_record *root)
{
    char text[512];
    int used = snprintf(text, sizeof text, "%s", root->label), kept = 0;
    for (int d = 0; d < root->rank; d++) {
        const long long begin = part->root_begin[d], end = part->root_end[d];
        const bool drops = kept == part->rank || part->root_dim[kept] != d;
        const bool all = begin == 0 && end == root->extent[d];
        const char *const comma = d > 0 ? "," : "[";
        char *const at = text + used;
        const size_t space_left = sizeof text - (size_t)used;
        kept += !drops;
        used += drops ? snprintf(at, space_left, "%s%lld", comma, begin)
                : all ? snprintf(at, space_left, "%s:", comma)
                      : snprintf(at, space_left, "%s%lld:%lld", comma, begin, end);
    }
    snprintf(part->label, sizeof part->label, "%.62s%s", text, root->rank > 0 ? "]" : "");
}

/* Applies the slice of dimension d of `of`: appends the dimension to the part, unless the slice is
 * a single index. */
static mx_err apply_slice(const mx_record *of, int d, mx_slice slice, mx_record *part)
{
    const int64_t extent = of->extent[d], begin = slice.begin;
    const int64_t end = slice.drops ? begin : slice.end == MX_TO_END_ ? extent : slice.end;
    const int q = of->root_dim[d];
    MX_REQUIRE(begin >= 0 && begin <= end && end <= extent - slice.drops, MX_ERR_BOUNDS,
               "subview of '%s': %s %d: got %lld to %lld, its extent is %lld", of->label,
               slice.drops ? "index" : "range", d, (long long)begin, (long long)end,
               (long long)extent);
    part->root_begin[q] = of->root_begin[q] + begin;
    part->root_end[q] = of->root_begin[q] + end + slice.drops;
    if (slice.drops) return MX_OK;
    part->extent[part->rank] = end - begin;
    part->stride[part->rank] = of->stride[d];
    part->root_dim[part->rank++] = q;
    return MX_OK;
}

/* The first element of a part that is not empty: only there are all first indices inside. */
static void *first_element(const mx_record *of, const mx_slice *slices)
{
    int64_t offset = 0;
    for (int d = 0; d < of->rank; d++) offset += slices[d].begin * of->stride[d];
    return (char *)of->data + (size_t)offset * MX_TYPE_SIZE(of->type);
}

/* Adds a view that shares the memory of `of`. */
static mx_err insert_shared(mx_record *described, mx_view of, mx_view *view)
{
    mx_record last; /* not set: `of` is still an owner */
    described->root = mx_record_root(of, described);
    mx_record_retain(mx_record_of(described->root), 1, 1);
    const mx_err err = mx_record_insert(described, view);
    if (err != MX_OK) (void)mx_record_release(described->root, true, &last);
    return err;
}

mx_err(mx_subview)(mx_view view, int count, const mx_slice *slices, mx_view *part)
{
    mx_record *of;
    MX_TRY(mx_view_set_null(part));
    MX_TRY(mx_record_find(view, &of));
    MX_REQUIRE(count == of->rank && (count == 0 || slices != NULL), MX_ERR_RANK,
               "subview of '%s': got %d slices, expected %d, one for each dimension", of->label,
               slices != NULL ? count : 0, of->rank);
    MX_TRY(mx_record_strided(of, "subview"));
    mx_record described = mx_record_retain(of, 0, 0);
    described.rank = 0;
    for (int d = 0; d < MX_MAX_RANK; d++) described.extent[d] = described.stride[d] = 0;
    for (int d = 0; d < count; d++) MX_TRY(apply_slice(of, d, slices[d], &described));
    mx_record_measure(&described);
    if (described.count > 0) described.data = first_element(of, slices);
    if (!mx_strides_follow(&described, NULL, of->layout)) described.layout = MX_LAYOUT_STRIDE;
    name_part(&described, mx_record_of(mx_record_root(view, of)));
    return insert_shared(&described, view, part);
}

mx_err(mx_view_constant)(mx_view view, mx_view *constant)
{
    mx_record *of;
    MX_TRY(mx_view_set_null(constant));
    MX_TRY(mx_record_find(view, &of));
    mx_record described = mx_record_retain(of, 0, 0);
    described.constant = true;
    return insert_shared(&described, view, constant);
}
