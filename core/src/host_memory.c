/* Ordinary memory of the host. */
#include "memory.h"

#include <stdlib.h>

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
