/* Profiling tools: minx speaks the C interface of Kokkos Tools. mx_init loads the library that KOKKOS_TOOLS_LIBS or
 * --mx-tools-libs= names; the core tells it of kernels, fences, copies, fills and views, and programs of what only they know, by
 * these functions, which do nothing without a tool. Names are read during the call; NULL and "" become "[unnamed]". Unless the
 * tool needs none, minx waits for all open contexts (but those that record a graph) before it tells of the begin or end of a
 * kernel or a region; what went wrong on a device is still for the next mx_fence. Tools are called on the thread that acts: many
 * are not thread-safe. */
#pragma once
#include "minx/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A named part of the program; parts nest. mx_finalize pops what a program that failed has left; a pop too many does nothing. */
void mx_region_push(const char *name);
void mx_region_pop(void);

/* Parts that need not nest, and may start and stop many times. *section: what to call it by; 0 without a tool. */
void mx_section_create(const char *name, uint32_t *section);
void mx_section_start(uint32_t section);
void mx_section_stop(uint32_t section);
void mx_section_destroy(uint32_t section);
/* Something that happened now; something to know of this run (mx_init tells what mx_print_configuration prints). */
void mx_event_mark(const char *name);
void mx_metadata(const char *key, const char *value);

/* For containers with data on a host and on a device: what the side with the most recent data is copied to; which side was
 * modified. label, data: of the view on the device. */
void mx_tool_dual_sync(const char *label, const void *data, bool on_device);
void mx_tool_dual_modify(const char *label, const void *data, bool on_device);

#ifdef __cplusplus
}
#endif
