/* From the command line to a context: which backend, how many threads, which device. */
#pragma once
#include "input/options.h"
#include "minx/context.h"

/* Opens the context that the options ask for. The caller destroys it.
 *   backend         "auto": the first backend with a device on every rank (cuda), else openmp;
 *                   anything else is a resource string of the core
 *   threads         0: mx_default_threads, where that has an origin; else the cores of this rank's
 *                   affinity mask, or of the CPU quota of its control groups if that is less,
 *                   divided by the ranks that share them
 *   device          -1: the rank's number on its host, modulo the number of devices there
 *   layout          "auto": the layout of the backend
 *   check_against   NULL: launches are not compared; else a resource string of the core. The
 *                   tolerance is 1e-9
 * MX_ERR_INPUT for a bad resource string, for a backend that this build does not have, and for an
 * option that the resource string of the backend also sets; else the errors of mx_ctx_create and
 * mx_ctx_check_against. On failure *ctx is NULL.
 * *threads_origin: what says the number of threads ("--threads", "OMP_NUM_THREADS", "cores"), or
 * NULL: the backend does. Collective, agreed. */
mx_err app_context_create(app_comm comm, const app_options *options, mx_ctx *ctx,
                          const char **threads_origin);

/* Opens a context for host work beside a device's: openmp, with as many threads as
 * app_context_create would give it. *host is NULL where that fails: the calling thread has to do
 * such work. The caller destroys *host. MX_ERR_MEMORY, MX_ERR_COMM. Collective, agreed. */
mx_err app_host_context_create(app_comm comm, const app_options *options, mx_ctx *host);

/* Prints the backends that are available here, one a line, and why others are not, as comments ("#
 * cuda: ..."). */
void app_backends_print(FILE *out);
