#include "tl_arrays.h"

#include <limits.h>

/* Cells in a line of the cache, or in what a GPU reads at once. */
enum { HOST_LINE = 64 / sizeof(double), DEVICE_LINE = 128 / sizeof(double) };
/* Padding would take a large part of the memory of lines with fewer cells. In these, cell 0 is
 * only at an even place. */
enum { NARROW = 64 };

/* A page of memory has a part for each array of a kernel. Lines of memory in front of an array of n
 * lines are n / FEW at most. They can bring its cells to most parts, but not where a line is a whole
 * number of pages long, or of halves of one. */
enum { PAGE = 4096, PARTS = 6, SPARE = 32, FEW = 16 };

/* Behind how many spare lines an array begins nearest to part `number` of a page. */
static int64_t choose_line(const mx_view_info *whole, int across, int64_t spare, int number)
{
    const int64_t wanted = number % PARTS * (PAGE / PARTS);
    int64_t best = 0, nearest = PAGE;
    for (int64_t line = 0; line <= spare; line++) {
        const uintptr_t bytes = (uintptr_t)(line * whole->stride[across]) * sizeof(double);
        const int64_t at = (int64_t)(((uintptr_t)whole->data + bytes) % PAGE);
        const int64_t apart = at > wanted ? at - wanted : wanted - at;
        const int64_t distance = mx_min(apart, PAGE - apart);
        if (distance < nearest) {
            nearest = distance;
            best = line;
        }
    }
    return best;
}

int64_t tl_spare_lines(const mx_ctx_info *ctx, int rank, int64_t lines)
{
    return rank == 2 && ctx->host_accessible ? mx_min(lines / FEW, SPARE) : 0;
}

mx_err tl_make_array(mx_ctx ctx, const char *label, int rank, const int64_t *extents, int ghosts,
                     int number, mx_view *view)
{
    int64_t all[3];
    mx_slice part[] = {mx_all(), mx_all(), mx_all()};
    mx_ctx_info info;
    mx_view_info placed;
    mx_view whole;
    MX_TRY(mx_ctx_get_info(ctx, &info));
    const bool right = info.layout == MX_LAYOUT_RIGHT;
    const int along = right ? rank - 1 : 0,
              cache_line = info.host_accessible ? HOST_LINE : DEVICE_LINE;
    const int line = extents[along] < NARROW ? TL_PAIR : cache_line;
    const int64_t before = line - 1 - (ghosts - 1) % line, end = before + extents[along];
    for (int d = 0; d < rank; d++) all[d] = extents[d];
    all[along] = (end + line - 1) / line * line;
    part[along] = mx_span(before, end);
    const int across = right ? 0 : rank - 1;
    const int64_t lines = extents[across];
    const int64_t spare = number == TL_ANY_PART ? 0 : tl_spare_lines(&info, rank, lines);
    all[across] += spare;
    MX_TRY(mx_view_create(ctx, label, MX_F64, rank, all, NULL, &whole));
    mx_err err = mx_view_get_info(whole, &placed);
    if (err == MX_OK && spare > 0) {
        const int64_t first = choose_line(&placed, across, spare, number);
        part[across] = mx_span(first, first + lines);
    }
    if (err == MX_OK) err = mx_subview(whole, rank, part, view);
    MX_TRY(mx_view_destroy(&whole)); /* the part keeps the data */
    return err;
}

mx_err tl_make_rows(mx_ctx ctx, mx_view view, int *plane, int *row, mx_view *rows)
{
    mx_view_info f;
    MX_TRY(mx_view_get_info(view, &f));
    const bool planes_first = f.stride[0] > f.stride[1];
    const int64_t between = planes_first ? f.stride[1] : f.stride[0];
    const int64_t last =
        ((f.extent[0] - 1) * f.stride[0] + (f.extent[1] - 1) * f.stride[1]) / between;
    const int64_t extents[] = {last + 1, f.extent[2]};
    const int64_t strides[] = {between, f.stride[2]};
    const mx_view_options options = {.space = f.space};
    MX_REQUIRE(extents[0] <= INT_MAX, MX_ERR_EXTENT,
               "a rank has %lld rows of cells, expected at most %d: use more ranks",
               (long long)extents[0], INT_MAX);
    *plane = (int)(f.stride[0] / between);
    *row = (int)(f.stride[1] / between);
    return mx_view_wrap(ctx, f.label, f.type, 2, extents, strides, &options, f.data, rows);
}
