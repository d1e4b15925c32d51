/* Signals: temporary files do not stay when a signal ends the program, and a batch system can ask a
 * run to stop. What a signal handler needs is global; so this is the one place with global state.
 * Private to apps/common. */
#pragma once
#include "minx/error.h"

/* Notes a file that is to be removed if a signal ends the program: SIGHUP, SIGINT, SIGQUIT,
 * SIGPIPE, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM or SIGXCPU, each unless the program ignores it. The
 * signal then ends the program as it always would, but for a SIGPIPE that a write of this process
 * caused: from now on such a write only fails. Handlers of libraries are replaced: MPICH has one of
 * SIGUSR1, by which it hears that another process has failed, and UCX one of SIGHUP, for debugging.
 * A longer name than PATH_MAX, or more than 16 files at a time, are not noted. */
void app_signals_note(const char *path);
void app_signals_forget(const char *path);

/* Removes all files that are noted. */
void app_signals_remove_files(void);

/* From now on SIGTERM and SIGUSR1 ask the run to stop at the end of a step. A second signal ends
 * the program at once; one that comes within half a second of the first is taken for the same
 * request, because launchers and batch systems often deliver it twice. */
void app_signals_catch_stop(void);

/* The signal that asked this process to stop; 0: none did. */
int app_signals_stop(void);
