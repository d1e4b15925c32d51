/* Launches, lowest file first: execute.c runs one; graph.c records some; check.c repeats one on
 * another backend; launch.c, which programs call, checks and plans one and hands it to one of
 * these. */
#pragma once
#include "base/state.h"

/* ---- execute.c ---- */

/* Checks where the result goes, and puts that into the launch. result NULL: there is none. */
mx_err mx_launch_set_result(mx_ctx ctx, mx_launch *launch, const mx_result *result);

/* Counts a launch, and notes its name for messages. */
void mx_launch_count(mx_ctx ctx, const mx_launch *launch);

/* Runs a launch that is checked and planned. */
mx_err mx_launch_execute(mx_ctx ctx, mx_launch *launch, const void *args, const mx_result *result);

/* ---- graph.c ---- */

/* Makes a launch a node of the graph. */
mx_err mx_graph_record(struct mx_graph_s *graph, const mx_launch *launch, const void *args,
                       const mx_result *result);

/* ---- check.c ---- */

/* Runs a planned launch on ctx and on the context that checks it, and compares the results. */
mx_err mx_launch_checked(mx_ctx ctx, mx_plan *plan, const void *args, const mx_result *result);
