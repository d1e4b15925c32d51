#include "strbuf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static mx_err reserve(app_strbuf *buffer, size_t capacity)
{
    if (capacity <= buffer->capacity) return MX_OK;
    size_t grown = buffer->capacity > 0 ? buffer->capacity : 256;
    while (grown < capacity) grown *= 2;
    char *const text = realloc(buffer->text, grown);
    MX_REQUIRE(text, MX_ERR_MEMORY, "no memory for %zu bytes of text", grown);
    buffer->text = text;
    buffer->capacity = grown;
    return MX_OK;
}

mx_err app_strbuf_add(app_strbuf *buffer, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    mx_err err =
        length < 0 ? MX_FAIL(MX_ERR_ARG, "text that cannot be formatted: %s", format) : MX_OK;
    if (err == MX_OK) err = reserve(buffer, buffer->length + (size_t)length + 1);
    if (err == MX_OK) {
        vsnprintf(buffer->text + buffer->length, (size_t)length + 1, format, again);
        buffer->length += (size_t)length;
    }
    va_end(again);
    return err;
}

void app_strbuf_free(app_strbuf *buffer)
{
    free(buffer->text);
    *buffer = (app_strbuf){0};
}
