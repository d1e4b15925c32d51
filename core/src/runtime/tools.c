/* The Kokkos Tools C interface. A tool is a shared library that exports some of the functions
 * kokkosp_NAME. Invariants: each begin event has its end event, also if the work between them
 * fails; no name is NULL or empty; a fence for a tool does not report errors, so the next mx_fence
 * still does. */
#include "minx/tools.h"
#include "base/events.h"
#include "services/services.h"
#include "tool_library.h"
#include "view/memory.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INTERFACE_VERSION = 20240906 };
static const char LIBS[] = "KOKKOS_TOOLS_LIBS";

/* ---- the interface; structs are passed by value ---- */

typedef struct space_handle {
    char name[64];
} space_handle;

typedef struct tool_settings {
    bool requires_global_fencing;
    bool padding[255];
} tool_settings;

typedef struct tool_actions {
    void (*fence)(uint32_t device);
    void (*padding[31])(void);
} tool_actions;

/* clang-format off */
#define PAIR(CALL, x) CALL(begin_##x, (const char *, uint32_t, uint64_t *)) CALL(end_##x, (uint64_t))
#define CALLBACKS(CALL) \
    CALL(init_library, (int, uint64_t, uint32_t, void *)) CALL(finalize_library, (void)) \
    CALL(request_tool_settings, (uint32_t, tool_settings *)) \
    CALL(provide_tool_programming_interface, (uint32_t, tool_actions)) \
    CALL(print_help, (char *)) CALL(parse_args, (int, char **)) \
    CALL(declare_metadata, (const char *, const char *)) CALL(profile_event, (const char *)) \
    PAIR(CALL, parallel_for) PAIR(CALL, parallel_reduce) PAIR(CALL, parallel_scan) PAIR(CALL, fence) \
    CALL(push_profile_region, (const char *)) CALL(pop_profile_region, (void)) \
    CALL(create_profile_section, (const char *, uint32_t *)) CALL(destroy_profile_section, (uint32_t)) \
    CALL(start_profile_section, (uint32_t)) CALL(stop_profile_section, (uint32_t)) \
    CALL(allocate_data, (space_handle, const char *, const void *, uint64_t)) \
    CALL(deallocate_data, (space_handle, const char *, const void *, uint64_t)) \
    CALL(begin_deep_copy, (space_handle, const char *, const void *, space_handle, const char *, \
                           const void *, uint64_t)) CALL(end_deep_copy, (void)) \
    CALL(dual_view_sync, (const char *, const void *, bool)) \
    CALL(dual_view_modify, (const char *, const void *, bool))

/* clang-format on */

#define MEMBER(name, parameters) void(*name) parameters;
#define SYMBOL(name, parameters) {"kokkosp_" #name, &tool.name},
static struct {
    CALLBACKS(MEMBER)    /* NULL: the tool does not export it */
    bool fencing;        /* the tool wants idle contexts when kernels and regions begin and end */
    _Atomic int regions; /* regions that were pushed and not yet popped */
    char **args;
    char *libs_before; /* KOKKOS_TOOLS_LIBS before minx set it; NULL: minx did not set it */
} tool;
static const struct {
    const char *name;
    void *to;
} symbols[] = {CALLBACKS(SYMBOL)};

/* ---- calling the tool ---- */

static void fence_contexts(void)
{
    if (tool.fencing)
        mx_fence_for_tool("Kokkos::Tools::invoke_kokkosp_callback: Kokkos Profile Tool Fence");
}

/* CALL_TOOL(end_fence, (id)) calls kokkosp_end_fence(id), if the tool exports it.
 * FENCE_AND_CALL_TOOL fences all contexts before. CALL_TOOL_FOR_KERNEL chooses the function by the
 * pattern of a kernel; event is `begin` or `end`. */
#define CALL_TOOL(name, arguments) (tool.name != NULL ? (*tool.name)arguments : (void)0)
#define FENCE_AND_CALL_TOOL(name, arguments) \
    (tool.name != NULL ? fence_contexts(), (*tool.name)arguments : (void)0)
#define CALL_TOOL_FOR_KERNEL(pattern, event, arguments)                                     \
    ((pattern) == MX_PATTERN_FOR    ? FENCE_AND_CALL_TOOL(event##_parallel_for, arguments)  \
     : (pattern) == MX_PATTERN_SCAN ? FENCE_AND_CALL_TOOL(event##_parallel_scan, arguments) \
                                    : FENCE_AND_CALL_TOOL(event##_parallel_reduce, arguments))

static const char *name_or_unnamed(const char *name)
{
    return name != NULL && name[0] != '\0' ? name : "[unnamed]";
}

/* ---- what the core reports ---- */

/* The number of a context for tools: 8 bits for the type of device, 7 for the device, 17 for the
 * context. */
enum { TYPE_SHIFT = 24, DEVICE_SHIFT = 17, DEVICE_MASK = 127, INSTANCE_MASK = (1 << 17) - 1 };

static uint32_t device_of(mx_ctx ctx)
{
    const uint32_t device = ctx->device > 0 ? (uint32_t)ctx->device & DEVICE_MASK : 0;
    return ctx->backend->info.tool_type << TYPE_SHIFT | device << DEVICE_SHIFT |
           (mx_core(ctx)->number & INSTANCE_MASK);
}

static uint64_t fence_begins(mx_ctx ctx, const char *name, bool for_all)
{
    const uint32_t device = device_of(ctx);
    uint64_t id = 0;
    CALL_TOOL(begin_fence, (name, for_all ? device & ~(uint32_t)INSTANCE_MASK : device, &id));
    return id;
}

static void fence_ends(uint64_t id) { CALL_TOOL(end_fence, (id)); }

static uint64_t kernel_begins(mx_ctx ctx, mx_pattern pattern, const char *name, const char *label)
{
    char text[128];
    uint64_t id = 0;
    if (label != NULL) snprintf(text, sizeof text, "%s [%s]", name, label);
    CALL_TOOL_FOR_KERNEL(pattern, begin, (label != NULL ? text : name, device_of(ctx), &id));
    return id;
}

static void kernel_ends(mx_pattern pattern, uint64_t id)
{
    CALL_TOOL_FOR_KERNEL(pattern, end, (id));
}

static space_handle space_of(const mx_record *r)
{
    space_handle handle = {{0}};
    strcpy(handle.name, mx_space_name(r != NULL ? r->space : MX_SPACE_HOST));
    return handle;
}

static const char *label_of(const mx_record *r) { return r != NULL ? r->label : "Scalar"; }

static void memory(const mx_record *r, bool allocated)
{
    const uint64_t bytes = (uint64_t)r->span * MX_TYPE_SIZE(r->type);
    if (allocated)
        CALL_TOOL(allocate_data, (space_of(r), r->label, r->data, bytes));
    else
        CALL_TOOL(deallocate_data, (space_of(r), r->label, r->data, bytes));
}

static void copy_begins(const mx_record *to, const void *to_data, const mx_record *from,
                        const void *from_data, size_t bytes)
{
    CALL_TOOL(begin_deep_copy, (space_of(to), label_of(to), to_data, space_of(from), label_of(from),
                                from_data, bytes));
}

static void copy_ends(void) { CALL_TOOL(end_deep_copy, ()); }

static const mx_listener listener = {
    .kernel_begins = kernel_begins,
    .kernel_ends = kernel_ends,
    .fence_begins = fence_begins,
    .fence_ends = fence_ends,
    .memory = memory,
    .copy_begins = copy_begins,
    .copy_ends = copy_ends,
};

/* ---- what programs report ---- */

void mx_tool_dual_sync(const char *label, const void *data, bool on_device)
{
    CALL_TOOL(dual_view_sync, (name_or_unnamed(label), data, on_device));
}

void mx_tool_dual_modify(const char *label, const void *data, bool on_device)
{
    CALL_TOOL(dual_view_modify, (name_or_unnamed(label), data, on_device));
}

void mx_metadata(const char *key, const char *value)
{
    CALL_TOOL(declare_metadata, (name_or_unnamed(key), name_or_unnamed(value)));
}

void mx_event_mark(const char *name) { CALL_TOOL(profile_event, (name_or_unnamed(name))); }

void mx_section_create(const char *name, uint32_t *section)
{
    if (section == NULL) return;
    *section = 0;
    CALL_TOOL(create_profile_section, (name_or_unnamed(name), section));
}

void mx_section_start(uint32_t section) { CALL_TOOL(start_profile_section, (section)); }

void mx_section_stop(uint32_t section) { CALL_TOOL(stop_profile_section, (section)); }

void mx_section_destroy(uint32_t section) { CALL_TOOL(destroy_profile_section, (section)); }

void mx_region_push(const char *name)
{
    tool.regions++;
    FENCE_AND_CALL_TOOL(push_profile_region, (name_or_unnamed(name)));
}

void mx_region_pop(void)
{
    if (tool.regions == 0) return;
    tool.regions--;
    FENCE_AND_CALL_TOOL(pop_profile_region, ());
}

/* ---- loading ---- */

/* The tool calls this function. It names a device, but all contexts are fenced, as Kokkos does. */
static void fence_for_tool(uint32_t device)
{
    (void)device;
    mx_fence_for_tool("minx::fence requested by the tool");
}

/* Opens the first library of the list. false: it exports no function of the interface. The library
 * stays open, because tools may have handlers that run at exit. */
static bool open_library(const char *list)
{
    char path[4096];
    snprintf(path, sizeof path, "%.*s", (int)strcspn(list, ";"), list);
    void *const library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    int found = 0;
    for (size_t s = 0; library != NULL && s < sizeof symbols / sizeof symbols[0]; s++) {
        void *const symbol = dlsym(library, symbols[s].name);
        memcpy(symbols[s].to, &symbol, sizeof symbol);
        found += symbol != NULL;
    }
    if (found == 0)
        fprintf(stderr, "minx: tool '%s' was not loaded, the program runs without it: %s\n", path,
                library == NULL ? dlerror() : "it exports no kokkosp_ function");
    return found > 0;
}

/* Passes the arguments, which are separated by blanks; the first is the program's name. The tool
 * may keep pointers to them until it ends. */
static void pass_arguments(char *program, const char *text)
{
    const size_t length = strlen(text), max_count = length / 2 + 3;
    tool.args = calloc(1, max_count * sizeof *tool.args + length + 1);
    if (tool.args == NULL) return;
    char *rest = strcpy((char *)(tool.args + max_count), text);
    int count = 0;
    for (char *word = program; word != NULL; word = strsep(&rest, " \t\n"))
        if (count == 0 || word[0] != '\0') tool.args[count++] = word;
    if (count > 1) CALL_TOOL(parse_args, (count, tool.args));
}

bool mx_tool_load(char *program, const mx_tool_settings *settings)
{
    tool_settings wanted = {.requires_global_fencing = true};
    if (settings->libs == NULL || settings->libs[0] == '\0') return false;
    const char *const before = getenv(LIBS);
    tool.libs_before = strdup(before != NULL ? before : "");
    setenv(LIBS, settings->libs, 1); /* a tool that loads other tools finds their names there */
    if (!open_library(settings->libs)) return false;
    mx_tool = &listener;
    CALL_TOOL(init_library, (0, INTERFACE_VERSION, 0, NULL));
    CALL_TOOL(request_tool_settings, (1, &wanted));
    tool.fencing = wanted.requires_global_fencing;
    CALL_TOOL(provide_tool_programming_interface, (1, (tool_actions){.fence = fence_for_tool}));
    if (settings->help) CALL_TOOL(print_help, (program));
    if (settings->args != NULL) pass_arguments(program, settings->args);
    return true;
}

void mx_tool_unload(void)
{
    while (tool.regions > 0) mx_region_pop();
    CALL_TOOL(finalize_library, ());
    free(tool.args);
    if (tool.libs_before != NULL) unsetenv(LIBS);
    if (tool.libs_before != NULL && tool.libs_before[0] != '\0') setenv(LIBS, tool.libs_before, 1);
    free(tool.libs_before);
    memset(&tool, 0, sizeof tool);
    mx_tool = NULL;
}
