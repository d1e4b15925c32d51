/* Three files say what limits a process:
 *
 *   /proc/self/cgroup      the group, once for each hierarchy: "4:memory:/job/step"; of version 2:
 *                          "0::/job/step"
 *   /proc/self/mountinfo   where a hierarchy is mounted, and which group its mount point is: in a
 *                          container often the container's own
 *   MOUNT/job/step/...     the limit, in each group from this one up to the mount point
 *
 * A group that is not there is passed over: in a container the first file may still name groups as
 * the host sees them, of which only the mount point exists. */
#include "cgroup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_BYTES = 4096, LINE_BYTES = 2 * PATH_BYTES };

/* One version's files for one of the two limits. */
typedef struct hierarchy {
    const char *type;       /* of the file system */
    const char *controller; /* version 1: among the mount's options, and in /proc/self/cgroup */
    bool (*read)(const char *group, app_limit *limit);
} hierarchy;

/* ---- one group ---- */

static FILE *open_file(const char *folder, const char *name)
{
    char path[PATH_BYTES + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return fopen(path, "r");
}

/* Reads up to two numbers; "max", and what else is none, ends them. Returns how many there are. */
static int read_numbers(const char *folder, const char *name, double *numbers)
{
    FILE *const file = open_file(folder, name);
    if (!file) return 0;
    const int count = fscanf(file, "%lf %lf", &numbers[0], &numbers[1]);
    fclose(file);
    return count > 0 ? count : 0;
}

/* The number behind a word at the beginning of a line of memory.stat, else 0. */
static double read_stat(const char *folder, const char *word)
{
    char key[64];
    double number = 0, found = 0;
    FILE *const file = open_file(folder, "memory.stat");
    if (!file) return 0;
    while (fscanf(file, "%63s %lf", key, &number) == 2)
        if (strcmp(key, word) == 0) found = number;
    fclose(file);
    return found;
}

static bool read_memory(const char *folder, const char *file, const char *held, app_limit *limit)
{
    double numbers[2];
    if (read_numbers(folder, file, numbers) == 0) return false;
    limit->amount = numbers[0];
    limit->used = read_stat(folder, held);
    snprintf(limit->name, sizeof limit->name, "%s of the control group %s", file, folder);
    return true;
}

static bool read_memory_1(const char *folder, app_limit *limit)
{
    return read_memory(folder, "memory.limit_in_bytes", "total_rss", limit);
}

static bool read_memory_2(const char *folder, app_limit *limit)
{
    return read_memory(folder, "memory.max", "anon", limit);
}

static void set_cpus(const char *folder, const char *file, double microseconds, double period,
                     app_limit *limit)
{
    limit->amount = microseconds / period;
    limit->used = 0;
    snprintf(limit->name, sizeof limit->name, "%s of the control group %s", file, folder);
}

static bool read_cpus_1(const char *folder, app_limit *limit)
{
    static const char file[] = "cpu.cfs_quota_us";
    double quota[2], period[2];
    if (read_numbers(folder, file, quota) == 0 || quota[0] <= 0) return false; /* -1: none */
    if (read_numbers(folder, "cpu.cfs_period_us", period) == 0 || period[0] <= 0) return false;
    set_cpus(folder, file, quota[0], period[0], limit);
    return true;
}

static bool read_cpus_2(const char *folder, app_limit *limit)
{
    double numbers[2];
    if (read_numbers(folder, "cpu.max", numbers) < 2 || numbers[1] <= 0) return false;
    set_cpus(folder, "cpu.max", numbers[0], numbers[1], limit);
    return true;
}

static const hierarchy hierarchies[][2] = {
    [APP_CGROUP_MEMORY] = {{"cgroup", "memory", read_memory_1}, {"cgroup2", "", read_memory_2}},
    [APP_CGROUP_CPUS] = {{"cgroup", "cpu", read_cpus_1}, {"cgroup2", "", read_cpus_2}},
};

/* ---- where groups are ---- */

/* Is the word in a list with commas between words? */
static bool has_word(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; at; at = strchr(at, ',')) {
        if (*at == ',') at++;
        if (strncmp(at, word, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    }
    return false;
}

static void end_line(char *line) { line[strcspn(line, "\n")] = '\0'; }

/* The process's group in a hierarchy, from a file with lines "number:controllers:group". */
static bool find_group(const char *root, const hierarchy *h, char *group)
{
    char line[LINE_BYTES];
    bool found = false;
    FILE *const file = open_file(root, "proc/self/cgroup");
    if (!file) return false;
    while (!found && fgets(line, sizeof line, file)) {
        end_line(line);
        char *const controllers = strchr(line, ':');
        char *const path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!path) continue;
        *path = '\0';
        found = h->controller[0] == '\0' ? strncmp(line, "0:", 2) == 0 && controllers[1] == '\0'
                                         : has_word(controllers + 1, h->controller);
        if (found) snprintf(group, PATH_BYTES, "%s", path + 1);
    }
    fclose(file);
    return found;
}

/* A path of mountinfo, where a blank and its like are \040: undone in place. */
static void unescape(char *path)
{
    char *to = path;
    for (const char *from = path; *from; to++) {
        const bool octal = from[0] == '\\' && strspn(from + 1, "01234567") >= 3;
        const char digits[] = {octal ? from[1] : '0', octal ? from[2] : '0', octal ? from[3] : '0',
                               '\0'};
        *to = octal ? (char)strtol(digits, NULL, 8) : *from;
        from += octal ? 4 : 1;
    }
    *to = '\0';
}

/* A line of mountinfo: "36 35 98:0 ROOT MOUNT options ... - TYPE SOURCE OPTIONS". */
static bool is_mount(char *line, const hierarchy *h, char **top, char **mount)
{
    char *rest = NULL;
    char *const about = strstr(line, " - ");
    if (!about) return false;
    *about = '\0';
    const char *const type = strtok_r(about + 3, " ", &rest);
    (void)strtok_r(NULL, " ", &rest);
    const char *const options = strtok_r(NULL, " ", &rest);
    if (!type || strcmp(type, h->type) != 0) return false;
    if (h->controller[0] != '\0' && (!options || !has_word(options, h->controller))) return false;
    strtok_r(line, " ", &rest);
    for (int word = 1; word < 3; word++) strtok_r(NULL, " ", &rest);
    *top = strtok_r(NULL, " ", &rest);
    *mount = strtok_r(NULL, " ", &rest);
    if (!*mount) return false;
    unescape(*top);
    unescape(*mount);
    return true;
}

/* Where a mount of the group `top` shows a group: the rest of its name. NULL: nowhere. */
static const char *inner_of(const char *group, const char *top)
{
    const size_t above = strcmp(top, "/") == 0 ? 0 : strlen(top);
    if (strncmp(group, top, above) != 0) return NULL;
    if (group[above] != '/' && group[above] != '\0') return NULL;
    return strcmp(group + above, "/") == 0 ? "" : group + above;
}

/* The folder of a group in the first mount that shows it; without such a mount the first mount
 * point of all, which then is a container's view of a group around it. Returns how long the mount
 * point is; 0: no mount is of this hierarchy. */
static size_t find_folder(const char *root, const hierarchy *h, const char *group, char *folder)
{
    char line[LINE_BYTES];
    size_t length = 0;
    bool shown = false;
    const bool outside = strncmp(group, "/..", 3) == 0; /* of all that the container sees */
    FILE *const file = outside ? NULL : open_file(root, "proc/self/mountinfo");
    if (!file) return 0;
    while (!shown && fgets(line, sizeof line, file)) {
        char *top, *mount, path[PATH_BYTES];
        end_line(line);
        if (!is_mount(line, h, &top, &mount)) continue;
        const char *const inner = inner_of(group, top);
        if (!inner && length > 0) continue;
        const int written = snprintf(path, sizeof path, "%s%s%s", root, mount, inner ? inner : "");
        if (written >= PATH_BYTES) continue;
        memcpy(folder, path, (size_t)written + 1);
        length = strlen(root) + strlen(mount);
        shown = inner != NULL;
    }
    fclose(file);
    return length;
}

/* From the process's group up to the mount point. */
static int read_groups(const char *root, const hierarchy *h, app_limit *limits, int room)
{
    char group[PATH_BYTES], folder[PATH_BYTES];
    struct stat about;
    int count = 0;
    const size_t mount = find_group(root, h, group) ? find_folder(root, h, group, folder) : 0;
    for (bool more = mount > 0; more && count < room;) {
        if (stat(folder, &about) == 0 && h->read(folder, &limits[count])) {
            limits[count].id = (app_limit_id){(uint64_t)about.st_dev, (uint64_t)about.st_ino};
            count++;
        }
        more = strlen(folder) > mount;
        if (more) *strrchr(folder, '/') = '\0';
    }
    return count;
}

int app_cgroup_limits(const char *root, app_cgroup_limit which, app_limit *limits, int room)
{
    int count = 0;
    for (int version = 0; version < 2; version++)
        count += read_groups(root, &hierarchies[which][version], limits + count, room - count);
    return count;
}
