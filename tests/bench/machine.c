/* Sizes of caches and memory, from the operating system. */
#include "bench.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

/* The text of a file of sysfs about cache `index` of a core; false: there is none. */
static bool cache_text(int cpu, int index, const char *file, char *text, int size)
{
    char path[128];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index%d/%s", cpu, index, file);
    FILE *f = fopen(path, "r");
    if (f == NULL) return false;
    const bool got = fgets(text, size, f) != NULL;
    fclose(f);
    if (got) text[strcspn(text, "\n")] = '\0';
    return got;
}

static size_t cache_size(int cpu, int index)
{
    char text[32];
    unsigned long long size = 0;
    char unit = ' ';
    if (!cache_text(cpu, index, "size", text, sizeof text) ||
        sscanf(text, "%llu%c", &size, &unit) < 1)
        return 0;
    return (size_t)size << (unit == 'K' ? 10 : unit == 'M' ? 20 : 0);
}

/* The index of a core's data cache of this level, -1: none; level 0: its last. */
static int cache_index(int cpu, int level)
{
    char text[32];
    int found = -1, highest = 0, has = 0;
    for (int index = 0; cache_text(cpu, index, "level", text, sizeof text); index++) {
        if (sscanf(text, "%d", &has) != 1 || !cache_text(cpu, index, "type", text, sizeof text))
            continue;
        if (strcmp(text, "Instruction") == 0 || (level > 0 ? has != level : has < highest))
            continue;
        highest = has;
        found = index;
    }
    return found;
}

static int first_cpu(void)
{
    cpu_set_t mask;
    if (sched_getaffinity(0, sizeof mask, &mask) != 0) return 0;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &mask)) return cpu;
    return 0;
}

size_t bench_cache_bytes(int level)
{
    const int cpu = first_cpu(), index = cache_index(cpu, level);
    return index >= 0 ? cache_size(cpu, index) : 0;
}

size_t bench_last_cache_bytes(void)
{
    cpu_set_t mask;
    size_t bytes = 0;
    char seen[64][64], shared[64];
    int count = 0;
    if (sched_getaffinity(0, sizeof mask, &mask) != 0) return 0;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &mask)) continue;
        const int index = cache_index(cpu, 0);
        if (index < 0 || !cache_text(cpu, index, "shared_cpu_list", shared, sizeof shared))
            continue;
        bool known = false;
        for (int s = 0; s < count; s++) known = known || strcmp(seen[s], shared) == 0;
        if (known || count == 64) continue;
        memcpy(seen[count++], shared, sizeof shared);
        bytes += cache_size(cpu, index);
    }
    return bytes;
}

size_t bench_available_bytes(void)
{
    char line[256];
    unsigned long long kilobytes = 0;
    FILE *f = fopen("/proc/meminfo", "r");
    if (f == NULL) return (size_t)1 << 30;
    while (fgets(line, sizeof line, f) != NULL &&
           sscanf(line, "MemAvailable: %llu", &kilobytes) != 1) {
    }
    fclose(f);
    return (size_t)kilobytes << 10;
}
