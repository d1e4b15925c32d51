/* Names of types, layouts, memory spaces and items, for messages and tools. */
#include "state.h"

#include <stdio.h>

/* The name of a type of number; NULL: it is none. */
static const char *number_name(mx_type type)
{
#define MX_NUMBER_NAME(tag, T, kind) \
    case MX_TYPE_((unsigned)(kind), sizeof(T)): return #tag;
    switch (type) {
        MX_NUMBER_TYPES_(MX_NUMBER_NAME)
    default: return NULL;
    }
}

static bool is_user_type(mx_type type) { return MX_TYPE_KIND(type) == 0 && MX_TYPE_SIZE(type) > 0; }

bool mx_is_type(mx_type type) { return is_user_type(type) || number_name(type) != NULL; }

const char *mx_type_name(mx_type type)
{
    static _Thread_local char texts[2][32]; /* two, for messages that name two types */
    static _Thread_local unsigned turn;
    const char *const name = number_name(type);
    if (name != NULL) return name;
    char *const text = texts[turn++ % 2];
    if (is_user_type(type))
        snprintf(text, sizeof texts[0], "user[%zu]", MX_TYPE_SIZE(type));
    else
        snprintf(text, sizeof texts[0], "no type (0x%x)", type);
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
    static const char *const names[] = {"default",        "Host", "Cuda", "CudaUVM",
                                        "CudaHostPinned", "Simt", "HIP",  "staging"};
    return (unsigned)space <= MX_SPACE_STAGING ? names[space] : "unknown";
}

void mx_say_indices(int count, const int64_t *index, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, count > 1 ? "(" : "");
    for (int d = 0; d < count && used < size; d++)
        used += (size_t)snprintf(text + used, size - used, "%s%lld", d > 0 ? ", " : "",
                                 (long long)index[d]);
    if (count > 1 && used < size) snprintf(text + used, size - used, ")");
}

void mx_say_item(int dims, const int64_t *index, char text[MX_ITEM_TEXT])
{
    text[0] = '\0';
    if (dims == 0) return;
    const int used = snprintf(text, MX_ITEM_TEXT, " in item ");
    mx_say_indices(dims, index, text + used, MX_ITEM_TEXT - (size_t)used);
}
