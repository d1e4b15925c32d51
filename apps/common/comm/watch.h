/* Watches the processes of the other ranks of this host. Where one of them ends, kernels that wait
 * for its words would wait for ever, and so would the host behind them: a thread of this rank tells
 * both. Linux only, as /proc says who lives. */
#pragma once
#include "comm.h"

typedef struct app_watch *app_watch;

/* From now on *state becomes `ended` plus the number on the host of a rank whose process has ended.
 * This process then has some seconds to find that and to end; after them it is ended with exit code
 * 3. Collective; agreed. MX_ERR_BACKEND: the processes of the host cannot see each other. */
mx_err app_watch_create(app_comm comm, uint32_t *state, uint32_t ended, app_watch *watch);

/* Accepts NULL; sets *watch = NULL. Not collective; but a process that ends before another one has
 * stopped to watch it is missed there. */
void app_watch_destroy(app_watch *watch);
