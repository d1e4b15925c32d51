/* What all fuzz targets share. */
#pragma once
#include "minx/minx.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOLDS(condition)                                                                          \
    do {                                                                                          \
        if (!(condition)) {                                                                       \
            fprintf(stderr, "%s:%d: this should hold: %s (%s)\n", __FILE__, __LINE__, #condition, \
                    mx_err_message());                                                            \
            abort();                                                                              \
        }                                                                                         \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A block of its own, so that a sanitizer sees a read beyond the end; the caller frees it. */
static inline char *own_block(const uint8_t *data, size_t size)
{
    char *const text = malloc(size > 0 ? size : 1);
    if (!text) abort();
    if (size > 0) memcpy(text, data, size);
    return text;
}
