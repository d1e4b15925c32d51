/* A tool, which the test of tools loads as it would load any connector of Kokkos Tools. It records
 * every call as a line, with what is wrong with the call: names that are missing or empty, an end
 * that does not match the last begin, memory that is freed with another label, size or space than
 * at its allocation, copies outside of the memory of the view that they name, regions or memory
 * that remain at the end. The declarations of the interface are written from its description, not
 * copied from the core.
 *
 * With CONNECTOR_FENCING=no in the environment it declares that it needs no fences. After the event
 * "fence" it requests a fence. With the macro CONNECTOR_PARTIAL it exports some of the functions
 * only, and no pair of begin and end. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Kokkos_Profiling_SpaceHandle {
    char name[64];
} space_handle;

typedef struct Kokkos_Tools_ToolSettings {
    bool requires_global_fencing;
    bool padding[255];
} tool_settings;

typedef struct Kokkos_Tools_ToolProgrammingInterface {
    void (*fence)(const uint32_t);
    void (*padding[31])(void);
} tool_interface;

enum { MAX_OPEN = 64, FIRST_ID = 1000 };

static struct {
    char text[65536], problems[4096], metadata[8192];
    struct {
        char what[16];
        uint64_t id;
    } open[MAX_OPEN];
    int depth, regions, sections;
    uint64_t ids;
    struct {
        char space[64], label[64];
        const char *at;
        uint64_t bytes;
    } memory[MAX_OPEN];
    void (*fence)(const uint32_t);
} log_;

const char *connector_log(void);
const char *connector_problems(void);
const char *connector_metadata(void);
void connector_reset(void);

const char *connector_log(void) { return log_.text; }

const char *connector_problems(void) { return log_.problems; }

const char *connector_metadata(void) { return log_.metadata; }

void connector_reset(void) { memset(&log_, 0, sizeof log_); }

static void append(char *text, size_t size, const char *format, va_list list)
{
    const size_t used = strlen(text);
    vsnprintf(text + used, size - used, format, list);
}

__attribute__((format(printf, 1, 2))) static void note(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    append(log_.text, sizeof log_.text, format, list);
    va_end(list);
}

__attribute__((format(printf, 2, 3))) static void require(bool holds, const char *format, ...)
{
    va_list list;
    if (holds) return;
    va_start(list, format);
    append(log_.problems, sizeof log_.problems, format, list);
    va_end(list);
}

static const char *name_of(const char *name, const char *what)
{
    require(name != NULL && name[0] != '\0', "%s without a name\n", what);
    return name != NULL ? name : "NULL";
}

static void begin(const char *what, const char *name, uint32_t device, uint64_t *id)
{
    note("begin %s %s %08x\n", what, name_of(name, what), (unsigned)device);
    require(log_.depth < MAX_OPEN, "%s nests too deep\n", what);
    if (log_.depth == MAX_OPEN) return;
    *id = FIRST_ID + log_.ids++;
    snprintf(log_.open[log_.depth].what, sizeof log_.open[0].what, "%s", what);
    log_.open[log_.depth++].id = *id;
}

/* ---- what a tool exports ---- */

void kokkosp_init_library(const int sequence, const uint64_t version, const uint32_t devices,
                          void *info);
void kokkosp_begin_parallel_for(const char *name, const uint32_t device, uint64_t *id);
void kokkosp_begin_fence(const char *name, const uint32_t device, uint64_t *id);
void kokkosp_pop_profile_region(void);
void kokkosp_allocate_data(const space_handle space, const char *label, const void *at,
                           const uint64_t bytes);

void kokkosp_init_library(const int sequence, const uint64_t version, const uint32_t devices,
                          void *info)
{
    note("init %d %llu %u %s\n", sequence, (unsigned long long)version, (unsigned)devices,
         info == NULL ? "NULL" : "?");
}

void kokkosp_begin_parallel_for(const char *name, const uint32_t device, uint64_t *id)
{
    begin("for", name, device, id);
}

void kokkosp_begin_fence(const char *name, const uint32_t device, uint64_t *id)
{
    begin("fence", name, device, id);
}

void kokkosp_pop_profile_region(void)
{
    note("pop\n");
    log_.regions--;
}

void kokkosp_allocate_data(const space_handle space, const char *label, const void *at,
                           const uint64_t bytes)
{
    int m = 0;
    note("allocate %s %s %llu\n", space.name, name_of(label, "memory"), (unsigned long long)bytes);
    while (m < MAX_OPEN - 1 && log_.memory[m].at != NULL) m++;
    require(log_.memory[m].at == NULL, "too much memory\n");
    memcpy(log_.memory[m].space, space.name, sizeof space.name);
    snprintf(log_.memory[m].label, sizeof log_.memory[m].label, "%s", label);
    log_.memory[m].at = at;
    log_.memory[m].bytes = bytes;
}

#ifndef CONNECTOR_PARTIAL

static void end(const char *what, uint64_t id)
{
    note("end %s\n", what);
    require(log_.depth > 0, "end of a %s that has not begun\n", what);
    if (log_.depth == 0) return;
    log_.depth--;
    require(strcmp(log_.open[log_.depth].what, what) == 0, "%s ended while in %s\n", what,
            log_.open[log_.depth].what);
    require(log_.open[log_.depth].id == id, "%s %llu ended while in %llu\n", what,
            (unsigned long long)id, (unsigned long long)log_.open[log_.depth].id);
}

void kokkosp_finalize_library(void);
void kokkosp_request_tool_settings(const uint32_t count, tool_settings *settings);
void kokkosp_provide_tool_programming_interface(const uint32_t count, tool_interface interface);
void kokkosp_print_help(char *program);
void kokkosp_parse_args(int count, char **args);
void kokkosp_declare_metadata(const char *key, const char *value);
void kokkosp_begin_parallel_reduce(const char *name, const uint32_t device, uint64_t *id);
void kokkosp_begin_parallel_scan(const char *name, const uint32_t device, uint64_t *id);
void kokkosp_end_parallel_for(uint64_t id);
void kokkosp_end_parallel_reduce(uint64_t id);
void kokkosp_end_parallel_scan(uint64_t id);
void kokkosp_end_fence(uint64_t id);
void kokkosp_push_profile_region(const char *name);
void kokkosp_create_profile_section(const char *name, uint32_t *id);
void kokkosp_start_profile_section(const uint32_t id);
void kokkosp_stop_profile_section(const uint32_t id);
void kokkosp_destroy_profile_section(const uint32_t id);
void kokkosp_profile_event(const char *name);
void kokkosp_deallocate_data(const space_handle space, const char *label, const void *at,
                             const uint64_t bytes);
void kokkosp_begin_deep_copy(space_handle to_space, const char *to, const void *to_at,
                             space_handle from_space, const char *from, const void *from_at,
                             uint64_t bytes);
void kokkosp_end_deep_copy(void);
void kokkosp_dual_view_sync(const char *label, const void *const at, bool on_device);
void kokkosp_dual_view_modify(const char *label, const void *const at, bool on_device);

void kokkosp_finalize_library(void)
{
    note("finalize\n");
    require(log_.depth == 0, "%d begins without an end\n", log_.depth);
    require(log_.regions == 0, "%d regions left\n", log_.regions);
    for (int m = 0; m < MAX_OPEN; m++)
        require(log_.memory[m].at == NULL, "memory of %s left\n", log_.memory[m].label);
}

void kokkosp_request_tool_settings(const uint32_t count, tool_settings *settings)
{
    const char *fencing = getenv("CONNECTOR_FENCING");
    note("settings %u %d\n", (unsigned)count, settings->requires_global_fencing);
    if (fencing != NULL && strcmp(fencing, "no") == 0) settings->requires_global_fencing = false;
}

void kokkosp_provide_tool_programming_interface(const uint32_t count, tool_interface interface)
{
    note("interface %u %s\n", (unsigned)count, interface.fence != NULL ? "fence" : "NULL");
    for (int p = 0; p < 31; p++)
        require(interface.padding[p] == NULL, "padding of the interface is not empty\n");
    log_.fence = interface.fence;
}

void kokkosp_print_help(char *program)
{
    note("help %s\n", strrchr(program, '/') != NULL ? strrchr(program, '/') + 1 : program);
}

void kokkosp_parse_args(int count, char **args)
{
    note("args");
    for (int a = 1; a < count; a++) note(" '%s'", args[a]);
    note("\n");
    require(args[count] == NULL, "arguments do not end with NULL\n");
}

void kokkosp_declare_metadata(const char *key, const char *value)
{
    const size_t used = strlen(log_.metadata);
    if (used == 0) note("metadata\n");
    snprintf(log_.metadata + used, sizeof log_.metadata - used, "%s=%s\n", name_of(key, "metadata"),
             name_of(value, "metadata"));
}

void kokkosp_begin_parallel_reduce(const char *name, const uint32_t device, uint64_t *id)
{
    begin("reduce", name, device, id);
}

void kokkosp_begin_parallel_scan(const char *name, const uint32_t device, uint64_t *id)
{
    begin("scan", name, device, id);
}

void kokkosp_end_parallel_for(uint64_t id) { end("for", id); }

void kokkosp_end_parallel_reduce(uint64_t id) { end("reduce", id); }

void kokkosp_end_parallel_scan(uint64_t id) { end("scan", id); }

void kokkosp_end_fence(uint64_t id) { end("fence", id); }

void kokkosp_push_profile_region(const char *name)
{
    note("push %s\n", name_of(name, "region"));
    log_.regions++;
}

void kokkosp_create_profile_section(const char *name, uint32_t *id)
{
    *id = 70 + (uint32_t)log_.sections++;
    note("section %s %u\n", name_of(name, "section"), (unsigned)*id);
}

void kokkosp_start_profile_section(const uint32_t id) { note("start %u\n", (unsigned)id); }

void kokkosp_stop_profile_section(const uint32_t id) { note("stop %u\n", (unsigned)id); }

void kokkosp_destroy_profile_section(const uint32_t id) { note("destroy %u\n", (unsigned)id); }

void kokkosp_profile_event(const char *name)
{
    note("event %s\n", name_of(name, "event"));
    if (strcmp(name, "fence") == 0) log_.fence(0);
}

void kokkosp_deallocate_data(const space_handle space, const char *label, const void *at,
                             const uint64_t bytes)
{
    int m = 0;
    note("deallocate %s %s %llu\n", space.name, name_of(label, "memory"),
         (unsigned long long)bytes);
    while (m < MAX_OPEN - 1 && log_.memory[m].at != at) m++;
    require(at != NULL && log_.memory[m].at == at && strcmp(log_.memory[m].label, label) == 0 &&
                log_.memory[m].bytes == bytes && strcmp(log_.memory[m].space, space.name) == 0,
            "memory of %s was never allocated so\n", label);
    log_.memory[m].at = NULL;
}

/* One side of a copy: inside the memory of that label (a part's is "label[...]") and space, or a
 * value of the host's. */
static void check_side(const space_handle *space, const char *label, const char *at, uint64_t bytes)
{
    bool inside = strcmp(label, "Scalar") == 0 && strcmp(space->name, "Host") == 0 && at != NULL;
    for (int m = 0; m < MAX_OPEN && !inside; m++)
        inside = log_.memory[m].at != NULL && strlen(log_.memory[m].label) == strcspn(label, "[") &&
                 strncmp(log_.memory[m].label, label, strcspn(label, "[")) == 0 &&
                 strcmp(log_.memory[m].space, space->name) == 0 && at >= log_.memory[m].at &&
                 at + bytes <= log_.memory[m].at + log_.memory[m].bytes;
    require(inside, "a copy touches what is not in %s\n", label);
}

void kokkosp_begin_deep_copy(space_handle to_space, const char *to, const void *to_at,
                             space_handle from_space, const char *from, const void *from_at,
                             uint64_t bytes)
{
    uint64_t id = 0;
    char name[256];
    snprintf(name, sizeof name, "%s %s from %s %s", to_space.name, name_of(to, "copy"),
             from_space.name, name_of(from, "copy"));
    check_side(&to_space, to, to_at, bytes);
    check_side(&from_space, from, from_at, bytes);
    begin("copy", name, (uint32_t)bytes, &id);
}

void kokkosp_end_deep_copy(void) { end("copy", log_.depth > 0 ? log_.open[log_.depth - 1].id : 0); }

void kokkosp_dual_view_sync(const char *label, const void *const at, bool on_device)
{
    note("sync %s %s %d\n", name_of(label, "dual view"), at != NULL ? "data" : "NULL", on_device);
}

void kokkosp_dual_view_modify(const char *label, const void *const at, bool on_device)
{
    note("modify %s %s %d\n", name_of(label, "dual view"), at != NULL ? "data" : "NULL", on_device);
}

#endif
