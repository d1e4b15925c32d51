/* Events for a profiling tool. Every layer reports its events by the functions below. The listener
 * is tools.c, in the highest layer. Without a tool an event costs the test of one pointer. */
#pragma once
#include "backend.h"

struct mx_record;

typedef struct mx_listener {
    /* A kernel begins, and ends. label: of the view that it is about, or NULL. */
    uint64_t (*kernel_begins)(mx_ctx ctx, mx_pattern pattern, const char *name, const char *label);
    void (*kernel_ends)(mx_pattern pattern, uint64_t id);
    /* A fence begins, and ends. for_all: one of the fences of all contexts. */
    uint64_t (*fence_begins)(mx_ctx ctx, const char *name, bool for_all);
    void (*fence_ends)(uint64_t id);
    /* A view's memory was allocated, or will be freed now. */
    void (*memory)(const struct mx_record *record, bool allocated);
    /* A copy begins, and ends. A NULL record: a value in host memory. */
    void (*copy_begins)(const struct mx_record *to, const void *to_data,
                        const struct mx_record *from, const void *from_data, size_t bytes);
    void (*copy_ends)(void);
} mx_listener;

/* NULL: there is no listener. */
extern const mx_listener *mx_tool;

static inline uint64_t mx_tool_begin(mx_ctx ctx, mx_pattern pattern, const char *name,
                                     const char *label)
{
    return mx_tool != NULL ? mx_tool->kernel_begins(ctx, pattern, name, label) : 0;
}

static inline void mx_tool_end(mx_pattern pattern, uint64_t id)
{
    if (mx_tool != NULL) mx_tool->kernel_ends(pattern, id);
}

static inline void mx_tool_memory(const struct mx_record *record, bool allocated)
{
    if (mx_tool != NULL) mx_tool->memory(record, allocated);
}

static inline void mx_tool_copy(const struct mx_record *to, const void *to_data,
                                const struct mx_record *from, const void *from_data, size_t bytes)
{
    if (mx_tool != NULL) mx_tool->copy_begins(to, to_data, from, from_data, bytes);
}

/* Waits for the context by its backend's fence, and reports that as an event of this name. for_all:
 * all contexts are fenced, this is one of them. */
mx_err mx_fence_event(mx_ctx ctx, const char *name, bool for_all);

/* Reports the end of a copy. Returns err, the result of the copy. */
static inline mx_err mx_tool_copied(mx_err err)
{
    if (mx_tool != NULL) mx_tool->copy_ends();
    return err;
}
