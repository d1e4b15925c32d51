/* How threads wait for each other. */
#pragma once

/* A thread calls this before each launch on `threads` threads. On cores that other programs use,
 * too, it lets OpenMP's threads sleep where they would spin. */
void mx_waits_watch(int threads);

/* No thread launches any more: OpenMP's threads wait as they did before. */
void mx_waits_end(void);
