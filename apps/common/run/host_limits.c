#define _DEFAULT_SOURCE /* RLIMIT_AS, sysconf */
#include "host_limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- limits that ranks share ---- */

enum { ROOM = sizeof((app_limits *)0)->limit / sizeof(app_limit) };

/* What a rank tells the others of its host. */
typedef struct limits_of_rank {
    double amount;
    int64_t count;
    app_limit_id id[ROOM];
} limits_of_rank;

static bool has_limit(const limits_of_rank *rank, app_limit_id id)
{
    for (int i = 0; i < rank->count; i++)
        if (rank->id[i].device == id.device && rank->id[i].number == id.number) return true;
    return false;
}

mx_err app_limits_sum(app_comm comm, const app_limits *limits, double mine, double *sums)
{
    const int ranks = app_local_size(comm);
    limits_of_rank own = {.amount = mine, .count = limits->count};
    limits_of_rank *const all = calloc((size_t)ranks, sizeof *all);
    for (int i = 0; i < limits->count; i++) own.id[i] = limits->limit[i].id;
    mx_err err =
        all ? MX_OK : MX_FAIL(MX_ERR_MEMORY, "no memory for the limits of %d ranks", ranks);
    err = app_agree(comm, err);
    if (err == MX_OK) err = app_local_allgather(comm, &own, sizeof own, all);
    for (int i = 0; i < limits->count && err == MX_OK; i++) {
        sums[i] = 0;
        for (int r = 0; r < ranks; r++)
            if (has_limit(&all[r], own.id[i])) sums[i] += all[r].amount;
    }
    free(all);
    return err;
}

/* ---- memory ---- */

/* A number of kilobytes of /proc/self/status, as bytes; 0: it is not there. */
static double read_status(const char *key)
{
    char line[256];
    double kilobytes = 0;
    FILE *const file = fopen("/proc/self/status", "r");
    if (!file) return 0;
    while (fgets(line, sizeof line, file))
        if (strncmp(line, key, strlen(key)) == 0) kilobytes = strtod(line + strlen(key), NULL);
    fclose(file);
    return 1024 * kilobytes;
}

/* All of the memory, though other programs use some: what is free (MemAvailable) does not count
 * caches that a file system of its own keeps and would give back, as that of ZFS does, and no run
 * that would fit may be refused. */
static void add_machine(app_limits *limits)
{
    const double bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (bytes > 0)
        limits->limit[limits->count++] =
            (app_limit){.amount = bytes, .name = "the memory of this host"};
}

static void add_process_limit(app_limits *limits, int resource, int rank, double used,
                              const char *name)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
    app_limit *const to = &limits->limit[limits->count++];
    *to = (app_limit){.amount = (double)limit.rlim_cur,
                      .used = used,
                      .id = {.device = UINT64_MAX, .number = (uint64_t)rank}};
    snprintf(to->name, sizeof to->name, "%s", name);
}

/* An address space that is reserved is used, as far as its limit goes. */
static void find_memory_limits(app_comm comm, app_limits *limits)
{
    enum { OTHERS = 3 };
    const int rank = app_local_rank(comm);
    limits->count = app_cgroup_limits("", APP_CGROUP_MEMORY, limits->limit, ROOM - OTHERS);
    add_machine(limits);
    add_process_limit(limits, RLIMIT_AS, rank, read_status("VmSize:"),
                      "the limit of the address space of a process (ulimit -v)");
    add_process_limit(limits, RLIMIT_DATA, rank, read_status("VmData:"),
                      "the limit of the data of a process (ulimit -d)");
}

/* The limit that is missed most. */
static mx_err compare_memory(const app_limits *limits, const double *needed, const char *things)
{
    const app_limit *worst = NULL;
    double need = 0, missing = 0;
    for (int i = 0; i < limits->count; i++) {
        const app_limit *const l = &limits->limit[i];
        if (needed[i] - (l->amount - l->used) <= missing) continue;
        missing = needed[i] - (l->amount - l->used);
        need = needed[i];
        worst = l;
    }
    if (!worst) return MX_OK;
    const bool of_process = worst->id.device == UINT64_MAX;
    char used[64] = "";
    if (worst->used > 0)
        snprintf(used, sizeof used, ", of which %.2g GB are in use", 1e-9 * worst->used);
    return MX_FAIL(MX_ERR_MEMORY,
                   "the %s need about %.3g GB on %s; %s is %.3g GB%s: use fewer %s, or more %s",
                   things, 1e-9 * need, of_process ? "a rank" : "this host", worst->name,
                   1e-9 * worst->amount, used, things, of_process ? "ranks" : "hosts");
}

mx_err app_memory_check(app_comm comm, mx_ctx ctx, double bytes, const char *things)
{
    app_limits limits;
    double needed[ROOM];
    mx_ctx_info info;
    MX_TRY(app_agree(comm, mx_ctx_get_info(ctx, &info)));
    if (info.device >= 0) return MX_OK;
    find_memory_limits(comm, &limits);
    MX_TRY(app_limits_sum(comm, &limits, bytes, needed));
    return app_agree(comm, compare_memory(&limits, needed, things));
}
