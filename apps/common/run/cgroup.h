/* The limits that control groups (cgroups, versions 1 and 2) set to this process: a container and a
 * job are such groups. A limit holds for the group that has it and for all groups in it, so a
 * process has the limits of its own group and of all groups around that. Knows no MPI. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* What two processes compare to find that they share a limit. */
typedef struct app_limit_id {
    uint64_t device, number; /* of the group's folder: in any container the same */
} app_limit_id;

typedef struct app_limit {
    double amount; /* bytes of memory; CPUs: 1.5 is one and a half */
    /* bytes that processes hold already; without those that the system takes back where it needs
     * memory, as it does with copies of files. CPUs: 0 */
    double used;
    app_limit_id id;
    char name[256]; /* for messages */
} app_limit;

typedef enum app_cgroup_limit { APP_CGROUP_MEMORY, APP_CGROUP_CPUS } app_cgroup_limit;

/* Writes this process's limits to limits[0] and behind it, at most `room` of them, the innermost
 * group first, and returns their number. What cannot be read is no limit. `root` is put in front of
 * all paths: "", or the folder of a test. */
int app_cgroup_limits(const char *root, app_cgroup_limit which, app_limit *limits, int room);
