/* Names of types, layouts and memory spaces, for messages and tools. */
#include "minx/view.h"

#include <stdio.h>

const char *mx_type_name(mx_type type)
{
    static const char *const names[] = {"user", "f64", "f32", "i32", "i64", "u8", "u32", "u64"};
    static _Thread_local char texts[2][32]; /* two, for messages that name two types */
    static _Thread_local unsigned turn;
    const unsigned kind = MX_TYPE_KIND(type);
    if (kind > 0 && kind < sizeof names / sizeof names[0]) return names[kind];
    char *const text = texts[turn++ % 2];
    snprintf(text, sizeof texts[0], "user[%zu]", MX_TYPE_SIZE(type));
    return text;
}

const char *mx_layout_name(mx_layout layout)
{
#define MX_LAYOUT_TEXT(NAME, name, prefix, ...) name,
    static const char *const names[] = {"default", "left", "right", "stride",
                                        MX_LAYOUTS_(MX_LAYOUT_TEXT)};
    return (unsigned)layout < MX_LAYOUT_COUNT_ ? names[layout] : "unknown";
}

const char *mx_space_name(mx_space space)
{
    static const char *const names[] = {"default",        "Host", "Cuda",   "CudaUVM",
                                        "CudaHostPinned", "Simt", "staging"};
    return (unsigned)space <= MX_SPACE_STAGING ? names[space] : "unknown";
}
