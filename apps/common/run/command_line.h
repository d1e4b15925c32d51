/* The command line as a whole: the same on all ranks, and minx's own options taken out of it.
 * Private to app.c. */
#pragma once
#include "comm/comm.h"

/* MX_ERR_INPUT, on all ranks, unless every rank runs this program with the same arguments: ranks
 * with different arguments would wait for each other, or write to each other's files.
 * argv[0], a path, may differ. Collective, agreed. */
mx_err app_command_compare(app_comm comm, const char *program, int argc, char **argv);

/* A copy of argv, with its NULL, for the caller to free; the strings are those of argv. Not
 * collective. */
mx_err app_command_copy(int argc, char **argv, char ***copy);

/* Is the option among the arguments in front of "--"? */
bool app_command_has(int argc, char **argv, const char *option);

/* Starts minx with the options --mx-KEY, and removes them from argv. What they print comes from
 * rank 0 only. Not collective. */
mx_err app_command_start_minx(app_comm comm, int *argc, char ***argv);
