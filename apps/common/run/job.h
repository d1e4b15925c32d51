/* Where and when a run takes place, as its environment says: for provenance and summary. */
#pragma once
#include "results/results.h"

typedef struct app_job {
    app_date date;         /* of the start */
    char host[256];        /* of this rank */
    char cpu[128];         /* the model of its processor, or the architecture */
    char binding[512];     /* the cores of this process, and what binds its threads, in words */
    const char *scheduler; /* the batch system: "slurm", "pbs", "lsf"; NULL: none */
    const char *launcher;  /* what has started the ranks: "mpirun", "srun"; NULL: something else */
    char id[128];          /* of the job in the batch system; "": none */
} app_job;

/* To be called before MPI starts, because MPI sets variables of launchers. Not collective. */
void app_job_find(app_job *job);

/* What this process has used since its start: seconds of processors, and the memory that it had at
 * most. */
typedef struct app_used {
    double cpu_seconds;
    int64_t max_rss_bytes;
} app_used;
app_used app_job_used(void);
