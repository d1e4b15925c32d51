#include "minx/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each thread has its own record, so that a failure on one thread does not change that of another.
 * A trace that is full is cut. */
typedef struct error_record {
    char message[1024];
    char trace[2048];
} error_record;

static _Thread_local error_record last;

const char *mx_err_name(mx_err err)
{
    static const char *const names[] = {
        "MX_OK",        "MX_ERR_ARG",   "MX_ERR_MEMORY", "MX_ERR_BACKEND",  "MX_ERR_DEVICE",
        "MX_ERR_TYPE",  "MX_ERR_RANK",  "MX_ERR_EXTENT", "MX_ERR_LAYOUT",   "MX_ERR_SPACE",
        "MX_ERR_CONST", "MX_ERR_STALE", "MX_ERR_BOUNDS", "MX_ERR_MISMATCH", "MX_ERR_INPUT",
        "MX_ERR_IO",    "MX_ERR_COMM",  "MX_ERR_BODY",
    };
    return (size_t)err < sizeof names / sizeof names[0] ? names[err] : "unknown error";
}

const char *mx_err_message(void) { return last.message; }

const char *mx_err_trace(void) { return last.trace; }

void mx_err_clear(void) { last.message[0] = last.trace[0] = '\0'; }

void mx_frame_(const char *file, int line, const char *func)
{
    const size_t used = strlen(last.trace);
    snprintf(last.trace + used, sizeof last.trace - used, "  %s (%s:%d)\n", func, file, line);
}

void mx_fail_(const char *file, int line, const char *func, const char *format, ...)
{
    /* the arguments may point into the old message, so the new one is written to other memory
     * first */
    char text[sizeof last.message];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    memcpy(last.message, text, sizeof text);
    last.trace[0] = '\0';
    mx_frame_(file, line, func);
}

#ifndef NDEBUG
void mx_assert_failed_(const char *condition, const char *file, int line)
{
    fprintf(stderr, "minx: %s:%d: this should always hold: %s\n", file, line, condition);
    abort();
}
#endif
