/* Text that grows as it is written: manifests, XML, command lines. Private to apps/common and
 * apps/verify. */
#pragma once
#include "minx/error.h"

/* Start from {0}. `text` is NULL until something is added, then NUL-terminated. */
typedef struct app_strbuf {
    char *text;
    size_t length, capacity;
} app_strbuf;

/* Appends formatted text. MX_ERR_MEMORY on failure, then the buffer is as before. */
mx_err app_strbuf_add(app_strbuf *buffer, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* Frees the text; the buffer is empty again. */
void app_strbuf_free(app_strbuf *buffer);
