/* Limits of control groups, read from folders that look like systems of both versions, and of
 * containers; which ranks share a limit. Each rank makes folders of its own. No kernels run. */
#define _POSIX_C_SOURCE 200809L /* mkdir */
#include "run/host_limits.h"
#include "check.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { MAX_FILES = 10, ROOM = 8 };

/* What a file of the system is called below the root, and has. */
typedef struct file {
    const char *path, *text;
} file;

/* A system, and the limits that it sets to this process, the innermost first. */
typedef struct system_case {
    const char *name;
    app_cgroup_limit which;
    file files[MAX_FILES];
    struct {
        const char *folder; /* of the group, below the root */
        double amount, used;
    } expected[4];
} system_case;

#define GROUP "proc/self/cgroup"
#define MOUNTS "proc/self/mountinfo"
#define MOUNT_1 "32 24 0:29 / /cg/memory rw,nosuid - cgroup cgroup rw,memory\n"
#define MOUNT_2 "31 24 0:28 / /cg rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
#define STAT_1 "cache 900\nrss 1\ntotal_cache 5000\ntotal_rss 300\n"
#define STAT_2 "anon 200\nfile 7000\nanon_thp 5\n"

static const system_case cases[] = {
    {"version 1: a job's step in a job, with a limit each",
     APP_CGROUP_MEMORY,
     {{GROUP, "9:name=systemd:/\n4:memory:/job_7/step_0\n1:cpu:/\n0::/\n"},
      {MOUNTS, "30 24 0:27 / / rw - ext4 /dev/vda rw\n" MOUNT_1},
      {"cg/memory/job_7/step_0/memory.limit_in_bytes", "4096\n"},
      {"cg/memory/job_7/step_0/memory.stat", STAT_1},
      {"cg/memory/job_7/memory.limit_in_bytes", "8192\n"},
      {"cg/memory/memory.limit_in_bytes", "9223372036854771712\n"}},
     {{"cg/memory/job_7/step_0", 4096, 300},
      {"cg/memory/job_7", 8192, 0},
      {"cg/memory", 9223372036854771712.0, 0}}},
    {"version 2: a group without a limit in one that has one",
     APP_CGROUP_MEMORY,
     {{GROUP, "0::/user.slice/run\n"},
      {MOUNTS, MOUNT_2},
      {"cg/user.slice/run/memory.max", "max\n"},
      {"cg/user.slice/memory.max", "65536\n"},
      {"cg/user.slice/memory.stat", STAT_2}},
     {{"cg/user.slice", 65536, 200}}},
    {"version 2: a container, whose own group is its root",
     APP_CGROUP_MEMORY,
     {{GROUP, "0::/\n"}, {MOUNTS, MOUNT_2}, {"cg/memory.max", "4096\n"}},
     {{"cg", 4096, 0}}},
    {"version 1: a container's group is mounted, and groups are named as the host sees them",
     APP_CGROUP_MEMORY,
     {{GROUP, "4:memory:/docker/abc/inner\n"},
      {MOUNTS, "32 24 0:29 /docker/abc /cg/memory ro - cgroup cgroup rw,memory\n"},
      {"cg/memory/inner/memory.limit_in_bytes", "100\n"},
      {"cg/memory/memory.limit_in_bytes", "200\n"}},
     {{"cg/memory/inner", 100, 0}, {"cg/memory", 200, 0}}},
    {"the container does not see its group: only the mount point is there",
     APP_CGROUP_MEMORY,
     {{GROUP, "4:memory:/docker/abc\n"},
      {MOUNTS, MOUNT_1},
      {"cg/memory/memory.limit_in_bytes", "7\n"}},
     {{"cg/memory", 7, 0}}},
    {"a name that only begins as the mounted group's",
     APP_CGROUP_MEMORY,
     {{GROUP, "4:memory:/docker/abcd\n"},
      {MOUNTS, "32 24 0:29 /docker/abc /cg/memory ro - cgroup cgroup rw,memory\n"},
      {"cg/memory/d/memory.limit_in_bytes", "100\n"},
      {"cg/memory/memory.limit_in_bytes", "200\n"}},
     {{"cg/memory", 200, 0}}},
    {"the group is outside of what the container sees",
     APP_CGROUP_MEMORY,
     {{GROUP, "0::/../other\n"}, {MOUNTS, MOUNT_2}, {"cg/memory.max", "4096\n"}},
     {{NULL, 0, 0}}},
    {"both versions: the controller is in one of them",
     APP_CGROUP_MEMORY,
     {{GROUP, "2:memory:/a\n0::/b\n"},
      {MOUNTS, MOUNT_1 "33 24 0:30 / /cg/unified rw - cgroup2 cgroup2 rw\n"},
      {"cg/memory/a/memory.limit_in_bytes", "100\n"},
      {"cg/unified/b/cgroup.procs", ""}},
     {{"cg/memory/a", 100, 0}}},
    {"a blank in the mount point, and a colon in the group's name",
     APP_CGROUP_MEMORY,
     {{GROUP, "0::/a:b\n"},
      {MOUNTS, "31 24 0:28 / /my\\040groups rw - cgroup2 cgroup2 rw\n"},
      {"my groups/a:b/memory.max", "64\n"}},
     {{"my groups/a:b", 64, 0}}},
    {"other parts of the tree are mounted, before the one with the group and behind it",
     APP_CGROUP_MEMORY,
     {{GROUP, "0::/job/step\n"},
      {MOUNTS, "30 24 0:28 /other /other rw - cgroup2 cgroup2 rw\n"
               "31 24 0:28 /jobs /jobs rw - cgroup2 cgroup2 rw\n"
               "32 24 0:28 /job /job rw - cgroup2 cgroup2 rw\n" MOUNT_2},
      {"other/memory.max", "1\n"},
      {"jobs/memory.max", "2\n"},
      {"job/step/memory.max", "100\n"},
      {"job/memory.max", "200\n"}},
     {{"job/step", 100, 0}, {"job", 200, 0}}},
    {"the group itself is mounted, behind another one",
     APP_CGROUP_MEMORY,
     {{GROUP, "4:memory:/job\n"},
      {MOUNTS, "30 24 0:28 /other /other rw - cgroup cgroup rw,memory\n"
               "31 24 0:28 /job /job rw - cgroup cgroup rw,memory\n"},
      {"other/memory.limit_in_bytes", "1\n"},
      {"job/memory.limit_in_bytes", "100\n"}},
     {{"job", 100, 0}}},
    {"no control groups", APP_CGROUP_MEMORY, {{GROUP, ""}, {MOUNTS, MOUNT_2}}, {{NULL, 0, 0}}},
    {"no /proc", APP_CGROUP_MEMORY, {{"none", ""}}, {{NULL, 0, 0}}},
    {"lines that are none, and a limit that is no number",
     APP_CGROUP_MEMORY,
     {{GROUP, "\nmemory\n4:memory\n0::/a\n"},
      {MOUNTS, "\n1 2 - cgroup2\n - cgroup2 cgroup2\nx - cgroup2 cgroup2 rw\n" MOUNT_2},
      {"cg/a/memory.max", "much\n"}},
     {{NULL, 0, 0}}},
    {"version 1: a quota of one and a half CPUs; none further out; cpuset is another controller",
     APP_CGROUP_CPUS,
     {{GROUP, "5:cpuset:/x\n3:cpu,cpuacct:/job/step\n"},
      {MOUNTS, "35 24 0:31 / /cg/cpuset rw - cgroup cgroup rw,cpuset\n"
               "36 24 0:32 / /cg/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"},
      {"cg/cpu,cpuacct/job/step/cpu.cfs_quota_us", "150000\n"},
      {"cg/cpu,cpuacct/job/step/cpu.cfs_period_us", "100000\n"},
      {"cg/cpu,cpuacct/job/cpu.cfs_quota_us", "-1\n"},
      {"cg/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n"},
      {"cg/cpuset/x/cpu.cfs_quota_us", "7\n"}},
     {{"cg/cpu,cpuacct/job/step", 1.5, 0}}},
    {"version 2: the quota of the outer group is the smaller one",
     APP_CGROUP_CPUS,
     {{GROUP, "0::/job/step\n"},
      {MOUNTS, MOUNT_2},
      {"cg/job/step/cpu.max", "800000 100000\n"},
      {"cg/job/cpu.max", "25000 50000\n"},
      {"cg/cpu.max", "max 100000\n"}},
     {{"cg/job/step", 8, 0}, {"cg/job", 0.5, 0}}},
};

/* ---- folders ---- */

static void write_file(const char *root, const file *f)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", root, f->path);
    for (char *at = strchr(path, '/'); at; at = strchr(at + 1, '/')) {
        *at = '\0';
        CHECK(mkdir(path, 0777) == 0 || errno == EEXIST);
        *at = '/';
    }
    FILE *const out = fopen(path, "w");
    CHECK(out && fputs(f->text, out) >= 0 && fclose(out) == 0);
}

/* The file, and the folders that are empty then. */
static void remove_file(const char *root, const file *f)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", root, f->path);
    CHECK(remove(path) == 0);
    for (char *at = strrchr(path, '/'); at; at = strrchr(path, '/')) {
        *at = '\0';
        if (remove(path) != 0) break;
    }
}

static void check_case(const system_case *c, const char *root)
{
    app_limit limits[ROOM];
    int expected = 0;
    for (int f = 0; f < MAX_FILES && c->files[f].path; f++) write_file(root, &c->files[f]);
    while (expected < 4 && c->expected[expected].folder) expected++;
    const int before = check_failures, count = app_cgroup_limits(root, c->which, limits, ROOM);
    CHECK_I64(count, expected);
    for (int i = 0; i < count && i < expected; i++) {
        char folder[512];
        struct stat about;
        snprintf(folder, sizeof folder, "%s/%s", root, c->expected[i].folder);
        CHECK(stat(folder, &about) == 0);
        CHECK_F64(limits[i].amount, c->expected[i].amount, 0);
        CHECK_F64(limits[i].used, c->expected[i].used, 0);
        CHECK(strstr(limits[i].name, folder) != NULL);
        CHECK_I64((int64_t)limits[i].id.device, (int64_t)about.st_dev);
        CHECK_I64((int64_t)limits[i].id.number, (int64_t)about.st_ino);
    }
    CHECK_I64(app_cgroup_limits(root, c->which, limits, 1), expected > 1 ? 1 : expected);
    for (int f = 0; f < MAX_FILES && c->files[f].path; f++) remove_file(root, &c->files[f]);
    if (check_failures > before) fprintf(stderr, "case: %s\n", c->name);
}

static void test_cases(app_comm comm)
{
    char root[64];
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        snprintf(root, sizeof root, "limits_%d_%zu", app_rank(comm), c);
        check_case(&cases[c], root);
    }
}

/* ---- which ranks share a limit ---- */

static app_limit limit_of(uint64_t number) { return (app_limit){.id = {.number = number}}; }

/* Rank r has r + 1 of something. A limit of all ranks, one of each pair of ranks, one of this rank,
 * and in rank 0 one more, so that ranks have different numbers of limits. */
static void test_sums(app_comm comm)
{
    const int rank = app_rank(comm), size = app_size(comm);
    app_limits limits = {.count = 3};
    double sums[4], all = 0;
    limits.limit[0] = limit_of(1);
    limits.limit[1] = limit_of(10 + (uint64_t)rank / 2);
    limits.limit[2] = limit_of(100 + (uint64_t)rank);
    if (rank == 0) limits.limit[limits.count++] = limit_of(1000);
    for (int r = 0; r < size; r++) all += r + 1;
    const int other = rank % 2 == 0 ? rank + 1 : rank - 1;
    CHECK_OK(app_limits_sum(comm, &limits, rank + 1, sums));
    CHECK_F64(sums[0], all, 0);
    CHECK_F64(sums[1], rank + 1 + (other < size ? other + 1 : 0), 0);
    CHECK_F64(sums[2], rank + 1, 0);
    if (rank == 0) CHECK_F64(sums[3], 1, 0);
}

/* No memory is needed always, and more than any machine has never. Which limit is missed most
 * depends on where the test runs: under `ulimit -v` it is one of each rank. */
static void test_check(app_comm comm)
{
    mx_ctx ctx = NULL;
    CHECK_OK(mx_ctx_create("serial", &ctx));
    CHECK_OK(app_memory_check(comm, ctx, 0, "things"));
    char of_host[64];
    snprintf(of_host, sizeof of_host, "the things need about %de+09 GB on this host",
             app_size(comm));
    CHECK(app_memory_check(comm, ctx, 1e18, "things") == MX_ERR_MEMORY);
    CHECK(strstr(mx_err_message(), of_host) ||
          strstr(mx_err_message(), "the things need about 1e+09 GB on a rank"));
    CHECK_FAILS(app_memory_check(comm, ctx, INFINITY, "things"), MX_ERR_MEMORY, "fewer things");
    mx_ctx_destroy(&ctx);
}

int main(int argc, char **argv)
{
    app_comm comm;
    CHECK_OK(app_comm_open(&argc, &argv, &comm));
    if (!comm) return 1;
    CHECK_OK(mx_init());
    test_cases(comm);
    test_sums(comm);
    test_check(comm);
    mx_finalize();
    const int code = check_exit(comm);
    app_comm_close(&comm);
    return code;
}
