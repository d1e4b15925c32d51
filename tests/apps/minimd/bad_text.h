/* A text that a reader refuses, which may have NULs, and a part of the message. */
#pragma once
#include <stddef.h>

typedef struct bad_text {
    const char *text;
    size_t length;
    const char *message;
} bad_text;

#define BAD(TEXT, MESSAGE)              \
    {                                   \
        TEXT, sizeof(TEXT) - 1, MESSAGE \
    }
