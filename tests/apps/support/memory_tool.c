/* A tool with Kokkos's interface that counts the bytes of views: at the end it prints the most that
 * existed at a time. Memory that is no view is not counted: scratch, MPI, HDF5. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

typedef struct tool_space {
    char name[64];
} tool_space;

static uint64_t now, peak;

void kokkosp_allocate_data(tool_space space, const char *label, const void *data, uint64_t bytes);
void kokkosp_deallocate_data(tool_space space, const char *label, const void *data, uint64_t bytes);
void kokkosp_finalize_library(void);

void kokkosp_allocate_data(tool_space space, const char *label, const void *data, uint64_t bytes)
{
    (void)space;
    (void)label;
    (void)data;
    now += bytes;
    if (now > peak) peak = now;
}

void kokkosp_deallocate_data(tool_space space, const char *label, const void *data, uint64_t bytes)
{
    (void)space;
    (void)label;
    (void)data;
    now -= bytes;
}

void kokkosp_finalize_library(void) { printf("views: %" PRIu64 " bytes at most\n", peak); }
