#define _DEFAULT_SOURCE /* gethostname */
#include "job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

/* ---- processor ---- */

/* The text behind "KEY<blanks>: " in the first such line of a file of the system; false: there is
 * none. */
static bool find_line(const char *path, const char *key, char *text, size_t size)
{
    char line[1024];
    bool found = false;
    FILE *const file = fopen(path, "r");
    while (file && !found && fgets(line, sizeof line, file)) {
        const char *const colon = strchr(line, ':');
        if (!colon || strncmp(line, key, strlen(key)) != 0) continue;
        const char *const begin = colon + 1 + strspn(colon + 1, " \t");
        snprintf(text, size, "%.*s", (int)strcspn(begin, "\n"), begin);
        found = text[0] != '\0';
    }
    if (file) fclose(file);
    return found;
}

static void find_processor(app_job *job)
{
    struct utsname system;
    if (find_line("/proc/cpuinfo", "model name", job->cpu, sizeof job->cpu)) return;
    const bool named = uname(&system) == 0;
    snprintf(job->cpu, sizeof job->cpu, "%.100s", named ? system.machine : "unknown");
}

/* ---- cores ---- */

static void find_binding(app_job *job)
{
    const char *const bind = getenv("OMP_PROC_BIND"), *const places = getenv("OMP_PLACES");
    char cores[256] = "unknown";
    (void)find_line("/proc/self/status", "Cpus_allowed_list", cores, sizeof cores);
    snprintf(job->binding, sizeof job->binding, "cores %s%s%.100s%s%.100s", cores,
             bind ? ", OMP_PROC_BIND=" : "", bind ? bind : "", places ? ", OMP_PLACES=" : "",
             places ? places : "");
}

/* ---- batch system and launcher ---- */

static void find_scheduler(app_job *job)
{
    static const struct {
        const char *variable, *name;
    } all[] = {{"SLURM_JOB_ID", "slurm"}, {"PBS_JOBID", "pbs"}, {"LSB_JOBID", "lsf"}};
    for (size_t i = 0; i < sizeof all / sizeof all[0] && !job->scheduler; i++) {
        const char *const id = getenv(all[i].variable);
        if (!id || id[0] == '\0') continue;
        job->scheduler = all[i].name;
        snprintf(job->id, sizeof job->id, "%s", id);
    }
}

/* An mpirun inside of a job may use srun, whose variables then are there too. */
static void find_launcher(app_job *job)
{
    static const char *const of_mpirun[] = {"OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE",
                                            "MPI_LOCALNRANKS", "HYDI_CONTROL_FD"};
    for (size_t v = 0; v < sizeof of_mpirun / sizeof of_mpirun[0]; v++)
        if (getenv(of_mpirun[v])) job->launcher = "mpirun";
    if (!job->launcher && getenv("SLURM_STEP_NUM_TASKS")) job->launcher = "srun";
}

void app_job_find(app_job *job)
{
    *job = (app_job){.date = app_date_now(), .host = "unknown"};
    gethostname(job->host, sizeof job->host - 1);
    find_processor(job);
    find_binding(job);
    find_scheduler(job);
    find_launcher(job);
}

/* ---- what was used ---- */

static double seconds_of(struct timeval t) { return (double)t.tv_sec + 1e-6 * (double)t.tv_usec; }

/* ru_maxrss may be that of the process that started this one: exec keeps it. VmHWM is of this program. */
static int64_t max_rss(const struct rusage *used)
{
    char peak[64];
    const bool found = find_line("/proc/self/status", "VmHWM", peak, sizeof peak);
    return (found ? strtoll(peak, NULL, 10) : (int64_t)used->ru_maxrss) * 1024; /* kilobytes */
}

app_used app_job_used(void)
{
    struct rusage used;
    if (getrusage(RUSAGE_SELF, &used) != 0) return (app_used){0};
    return (app_used){.cpu_seconds = seconds_of(used.ru_utime) + seconds_of(used.ru_stime),
                      .max_rss_bytes = max_rss(&used)};
}
