/* The Kokkos Tools C interface: a tool is a shared library that exports some of the functions kokkosp_NAME. Every begin has its
 * end, also where what is between fails; no name is NULL or empty; waiting for a tool takes no error from the next mx_fence. */
#include "minx/tools.h"
#include "context.h"
#include "events.h"
#include "memory.h"
#include "tool_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INTERFACE_VERSION = 20240906 };
static const char LIBS[] = "KOKKOS_TOOLS_LIBS";

/* ---- the interface; structs go by value ---- */

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
    CALLBACKS(MEMBER)    /* NULL: not exported */
    bool fencing;        /* contexts are to be idle where kernels and regions begin and end */
    _Atomic int regions; /* pushed */
    char **args;
    char *libs_before; /* KOKKOS_TOOLS_LIBS before minx set it; NULL: it did not */
} tool;
static const struct {
    const char *name;
    void *to;
} symbols[] = {CALLBACKS(SYMBOL)};

/* ---- calling the tool ---- */

static void wait_for_contexts(void)
{
    if (tool.fencing)
        mx_fence_for_tool("Kokkos::Tools::invoke_kokkosp_callback: Kokkos Profile Tool Fence");
}

/* TELL(end_fence, (id)) calls the tool; TELL_IDLE does so when all contexts are idle, TELL_KERNEL of a kernel. */
#define TELL(name, arguments) (tool.name != NULL ? (*tool.name)arguments : (void)0)
#define TELL_IDLE(name, arguments) \
    (tool.name != NULL ? wait_for_contexts(), (*tool.name)arguments : (void)0)
#define TELL_KERNEL(pattern, when, arguments)                                    \
    ((pattern) == MX_PATTERN_FOR    ? TELL_IDLE(when##_parallel_for, arguments)  \
     : (pattern) == MX_PATTERN_SCAN ? TELL_IDLE(when##_parallel_scan, arguments) \
                                    : TELL_IDLE(when##_parallel_reduce, arguments))

static const char *name_or_unnamed(const char *name)
{
    return name != NULL && name[0] != '\0' ? name : "[unnamed]";
}

/* ---- what the core reports ---- */

/* A context as tools number it: type of device in 8 bits, device in 7, instance in 17. */
enum { TYPE_SHIFT = 24, DEVICE_SHIFT = 17, DEVICE_MASK = 127, INSTANCE_MASK = (1 << 17) - 1 };

static uint32_t device_of(mx_ctx ctx)
{
    const uint32_t device = ctx->device > 0 ? (uint32_t)ctx->device & DEVICE_MASK : 0;
    return ctx->backend->info.tool_type << TYPE_SHIFT | device << DEVICE_SHIFT |
           (ctx->number & INSTANCE_MASK);
}

static uint64_t fence_begins(mx_ctx ctx, const char *name, bool for_all)
{
    const uint32_t device = device_of(ctx);
    uint64_t id = 0;
    TELL(begin_fence, (name, for_all ? device & ~(uint32_t)INSTANCE_MASK : device, &id));
    return id;
}

static void fence_ends(uint64_t id) { TELL(end_fence, (id)); }

static uint64_t kernel_begins(mx_ctx ctx, mx_pattern pattern, const char *name, const char *label)
{
    char text[128];
    uint64_t id = 0;
    if (label != NULL) snprintf(text, sizeof text, "%s [%s]", name, label);
    TELL_KERNEL(pattern, begin, (label != NULL ? text : name, device_of(ctx), &id));
    return id;
}

static void kernel_ends(mx_pattern pattern, uint64_t id) { TELL_KERNEL(pattern, end, (id)); }

static space_handle space_of(const mx_record *r)
{
    space_handle handle = {{0}};
    strcpy(handle.name, mx_space_name(r != NULL ? r->space : MX_SPACE_HOST));
    return handle;
}

static const char *label_of(const mx_record *r) { return r != NULL ? r->label : "Scalar"; }

static void memory(const mx_record *r, bool there)
{
    const uint64_t bytes = (uint64_t)r->span * MX_TYPE_SIZE(r->type);
    if (there)
        TELL(allocate_data, (space_of(r), r->label, r->data, bytes));
    else
        TELL(deallocate_data, (space_of(r), r->label, r->data, bytes));
}

static void copy_begins(const mx_record *to, const void *to_data, const mx_record *from,
                        const void *from_data, size_t bytes)
{
    TELL(begin_deep_copy,
         (space_of(to), label_of(to), to_data, space_of(from), label_of(from), from_data, bytes));
}

static void copy_ends(void) { TELL(end_deep_copy, ()); }

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
    TELL(dual_view_sync, (name_or_unnamed(label), data, on_device));
}

void mx_tool_dual_modify(const char *label, const void *data, bool on_device)
{
    TELL(dual_view_modify, (name_or_unnamed(label), data, on_device));
}

void mx_metadata(const char *key, const char *value)
{
    TELL(declare_metadata, (name_or_unnamed(key), name_or_unnamed(value)));
}

void mx_event_mark(const char *name) { TELL(profile_event, (name_or_unnamed(name))); }

void mx_section_create(const char *name, uint32_t *section)
{
    if (section == NULL) return;
    *section = 0;
    TELL(create_profile_section, (name_or_unnamed(name), section));
}

void mx_section_start(uint32_t section) { TELL(start_profile_section, (section)); }

void mx_section_stop(uint32_t section) { TELL(stop_profile_section, (section)); }

void mx_section_destroy(uint32_t section) { TELL(destroy_profile_section, (section)); }

void mx_region_push(const char *name)
{
    tool.regions++;
    TELL_IDLE(push_profile_region, (name_or_unnamed(name)));
}

void mx_region_pop(void)
{
    if (tool.regions == 0) return;
    tool.regions--;
    TELL_IDLE(pop_profile_region, ());
}

/* ---- loading ---- */

/* What the tool calls. It names a device, and all of them are waited for, as Kokkos does. */
static void fence_asked(uint32_t device)
{
    (void)device;
    mx_fence_for_tool("minx::fence asked for by the tool");
}

/* Opens the first library of the list; does it export anything? It stays open: tools may have handlers that run at exit. */
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
        fprintf(stderr, "minx: no tool '%s', going on without: %s\n", path,
                library == NULL ? dlerror() : "it exports no kokkosp_ function");
    return found > 0;
}

/* Blanks divide the arguments, the first is the program. The tool may keep them until it ends. */
static void pass_arguments(char *program, const char *text)
{
    const size_t length = strlen(text), max_count = length / 2 + 3;
    tool.args = calloc(1, max_count * sizeof *tool.args + length + 1);
    if (tool.args == NULL) return;
    char *rest = strcpy((char *)(tool.args + max_count), text);
    int count = 0;
    for (char *word = program; word != NULL; word = strsep(&rest, " \t\n"))
        if (count == 0 || word[0] != '\0') tool.args[count++] = word;
    if (count > 1) TELL(parse_args, (count, tool.args));
}

bool mx_tool_load(char *program, const mx_tool_settings *settings)
{
    tool_settings wanted = {.requires_global_fencing = true};
    if (settings->libs == NULL || settings->libs[0] == '\0') return false;
    const char *const before = getenv(LIBS);
    tool.libs_before = strdup(before != NULL ? before : "");
    setenv(LIBS, settings->libs, 1); /* tools that call others find their names there */
    if (!open_library(settings->libs)) return false;
    mx_tool = &listener;
    TELL(init_library, (0, INTERFACE_VERSION, 0, NULL));
    TELL(request_tool_settings, (1, &wanted));
    tool.fencing = wanted.requires_global_fencing;
    TELL(provide_tool_programming_interface, (1, (tool_actions){.fence = fence_asked}));
    if (settings->help) TELL(print_help, (program));
    if (settings->args != NULL) pass_arguments(program, settings->args);
    return true;
}

void mx_tool_unload(void)
{
    while (tool.regions > 0) mx_region_pop();
    TELL(finalize_library, ());
    free(tool.args);
    if (tool.libs_before != NULL) unsetenv(LIBS);
    if (tool.libs_before != NULL && tool.libs_before[0] != '\0') setenv(LIBS, tool.libs_before, 1);
    free(tool.libs_before);
    memset(&tool, 0, sizeof tool);
    mx_tool = NULL;
}
