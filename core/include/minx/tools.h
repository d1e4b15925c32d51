/* Profiling tools, by the C interface of Kokkos Tools. mx_init loads the library that
 * KOKKOS_TOOLS_LIBS or --mx-tools-libs= names. The core reports kernels, fences, copies, fills and
 * views to it. Programs report their own regions, sections and events by the functions below, which
 * do nothing without a tool. Names are read during the call; NULL and "" become "[unnamed]".
 *
 * minx fences all open contexts (except those that record a graph) before it reports the begin or
 * end of a kernel or a region, unless the tool switches this off. An error on a device is still
 * reported by the next mx_fence. A tool is called on the thread that does the work; many tools are
 * not thread-safe. */
#pragma once
#include "minx/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Begins a region, a named part of the program. Regions nest. mx_finalize ends regions that are
 * still open. */
void mx_region_push(const char *name);

/* Ends the innermost region; does nothing if there is none. */
void mx_region_pop(void);

/* Sections: named parts of the program that need not nest, and may start and stop many times.
 * *section is the section's number; 0 without a tool. */
void mx_section_create(const char *name, uint32_t *section);
void mx_section_start(uint32_t section);
void mx_section_stop(uint32_t section);
void mx_section_destroy(uint32_t section);

/* Reports an event at this moment. */
void mx_event_mark(const char *name);

/* Reports a property of this run. mx_init reports what mx_print_configuration prints. */
void mx_metadata(const char *key, const char *value);

/* For containers with data on a host and on a device: reports a copy of the most recent data to the
 * device or the host. label and data are those of the view on the device. */
void mx_tool_dual_sync(const char *label, const void *data, bool on_device);

/* Reports that the data on the device or on the host were modified. Arguments as above. */
void mx_tool_dual_modify(const char *label, const void *data, bool on_device);

#ifdef __cplusplus
}
#endif
