/* The run time: settings, open contexts, and the hooks by which a tool hears what happens. Without a tool a hook costs the test
 * of mx_rt.tool, which is the caller's. */
#pragma once
#include "memory.h"

extern struct mx_runtime {
    bool tool;       /* is one listening? */
    mx_ctx contexts; /* the open ones, a list */
    uint32_t made;   /* contexts so far */
} mx_rt;

/* runtime.c: what settings say where a resource says nothing (*threads 0, *device negative) */
void mx_settings_apply(const mx_backend *backend, int *threads, int *device);
/* context.c: "WHERE: KEY: got 'VALUE', expected ..."; mx_fence_all, or a tool's fence, which leaves errors to the next mx_fence */
mx_err mx_parse_number(const char *where, const char *key, const char *value, int64_t low,
                       int64_t high, int64_t *number);
mx_err mx_fence_contexts(const char *name);
/* tools.c: loads a tool (libs, args: NULL if there are none), or says on stderr why not; ends it; what it knows a context by */
void mx_tool_load(char *program, const char *libs, const char *args, bool help);
void mx_tool_unload(void);
uint32_t mx_tool_device(mx_ctx ctx, uint32_t number);
/* A kernel begins (label: of the view that it is about, or NULL), and ends; a view's memory is there, or is about to go; a copy
 * begins (a NULL record: a value in host memory), and ends; a dual view is synchronised or modified, on the device or not. */
uint64_t mx_tool_begin(mx_ctx ctx, mx_pattern pattern, const char *name, const char *label);
void mx_tool_end(mx_pattern pattern, uint64_t id);
void mx_tool_memory(const mx_record *record, bool there);
void mx_tool_copy(const mx_record *to, const void *to_data, const mx_record *from,
                  const void *from_data, size_t bytes);
mx_err mx_tool_copied(mx_err err); /* err: as it went, which it returns */
void mx_tool_dual_sync(const char *label, const void *data, bool on_device);
void mx_tool_dual_modify(const char *label, const void *data, bool on_device);
/* the backend's fence, as an event of that name; for_all: one of the fences of all contexts */
mx_err mx_ctx_wait(mx_ctx ctx, const char *name, bool for_all);
