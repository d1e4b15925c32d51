/* The state of checkpoints of a run, and their files. Private to the checkpoints. */
#pragma once
#include "keep.h"

struct app_checkpoint {
    app_comm comm;
    app_checkpoint_plan plan;
    app_kept *kept;
    int count, capacity;
    char *input;         /* lines "name=value" */
    int64_t every_steps; /* 0: not by steps */
    double every_seconds;
    double written_at;    /* app_now() when the last one was written */
    int64_t step;         /* the last one that ended; -1: not known yet, after a restart */
    int64_t written_step; /* -1: none yet */
    double checked_at;    /* when the ranks last compared signals */
    int64_t steps_since_check;
    int64_t check_in; /* they compare again when steps_since_check is this number */
    char stop_line[512];
};

/* Writes a checkpoint. If this fails, the previous file is unchanged. Collective, agreed. */
mx_err app_checkpoint_write(app_checkpoint checkpoint, int64_t step);

/* Reads the file of plan.restart, all of it or nothing. Collective, agreed. */
mx_err app_checkpoint_read(app_checkpoint checkpoint);
