/* Ordinary memory of the host, and the loop that copies elements there. */
#include "memory.h"

#include <stdlib.h>
#include <string.h>

enum { CACHE_LINE = 64 }; /* bytes: memory starts at one, and ends with one */

mx_err mx_host_allocate(mx_ctx ctx, mx_space space, size_t bytes, void **data)
{
    const size_t rounded = (bytes + CACHE_LINE - 1) & ~(size_t)(CACHE_LINE - 1);
    (void)ctx;
    (void)space;
    *data = bytes <= PTRDIFF_MAX - CACHE_LINE ? aligned_alloc(CACHE_LINE, rounded) : NULL;
    MX_REQUIRE(*data != NULL, MX_ERR_MEMORY, "no %zu bytes of host memory", bytes);
    return MX_OK;
}

void mx_host_release(mx_space space, void *data)
{
    (void)space;
    free(data);
}

/* With a constant size each element is one load and one store. */
static inline void copy_row(char *to, const char *from, const mx_strided_axis *axis, int64_t n,
                            size_t size)
{
    const size_t to_step = (size_t)axis->to * size;
    const size_t from_step = (size_t)axis->from * size;
    for (size_t e = 0; e < (size_t)n; e++) memcpy(to + e * to_step, from + e * from_step, size);
}

void mx_strided_run(const mx_strided *c, int64_t first, int64_t last)
{
    const mx_strided_axis *row = &c->axis[c->axes - 1];
    const bool by_rows =
        !row->indexed && c->to_layout <= MX_LAYOUT_STRIDE && c->from_layout <= MX_LAYOUT_STRIDE;
    while (first < last) {
        int64_t to, from;
        int64_t n = by_rows ? row->extent - first % row->extent : 1;
        if (n > last - first) n = last - first;
        mx_strided_offsets_(c, first, &to, &from);
        char *const t = c->to + (size_t)to * c->size;
        const char *const f = c->from + (size_t)from * c->size;
        if (c->size == 8)
            copy_row(t, f, row, n, 8);
        else if (c->size == 4)
            copy_row(t, f, row, n, 4);
        else
            copy_row(t, f, row, n, c->size);
        first += n;
    }
}
