#define _GNU_SOURCE /* sched_getaffinity */
#include "backend.h"

#include "host_limits.h"

#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

void app_backends_print(FILE *out)
{
    const char *why;
    for (int b = 0; mx_backend_name(b) != NULL; b++)
        if (mx_backend_available(mx_backend_name(b), &why))
            fprintf(out, "%s\n", mx_backend_name(b));
        else
            fprintf(out, "# %s: %s\n", mx_backend_name(b), why);
}

/* The number of ranks of this host with the same affinity mask as this one, itself included. The
 * mask is that of the calling thread. */
static mx_err ranks_sharing_cores(app_comm comm, int *sharing)
{
    cpu_set_t mine;
    cpu_set_t *all = calloc((size_t)app_local_size(comm), sizeof *all);
    mx_err err = all != NULL ? MX_OK
                             : MX_FAIL(MX_ERR_MEMORY, "no memory for %d affinity masks",
                                       app_local_size(comm));
    err = app_agree(comm, err); /* what follows is collective */
    if (err != MX_OK) {
        free(all);
        return err;
    }
    CPU_ZERO(&mine);
    const bool known = sched_getaffinity(0, sizeof mine, &mine) == 0;
    err = app_local_allgather(comm, &mine, sizeof mine, all);
    *sharing = 0;
    for (int r = 0; r < app_local_size(comm); r++) *sharing += CPU_EQUAL(&all[r], &mine) ? 1 : 0;
    if (!known) *sharing = 1;
    free(all);
    return err;
}

/* OMP_THREAD_LIMIT if it is a whole number of at least 1; else no limit. */
static int thread_limit(void)
{
    const char *text = getenv("OMP_THREAD_LIMIT");
    const long limit = text != NULL ? strtol(text, NULL, 10) : 0;
    return limit >= 1 && limit < INT_MAX ? (int)limit : INT_MAX;
}

/* The backend that "auto" stands for: the same on all ranks. */
static mx_err automatic(app_comm comm, const char **backend)
{
    *backend = "openmp";
    for (int b = 0; mx_backend_name(b) != NULL; b++) {
        double devices = mx_backend_devices(mx_backend_name(b));
        MX_TRY(app_min_f64(comm, &devices, 1));
        if (devices > 0) {
            *backend = mx_backend_name(b);
            return MX_OK;
        }
    }
    return MX_OK;
}

enum { NAME_BYTES = 128 };

/* The name of the backend, which is what a resource string begins with. */
static void backend_name(const char *resource, char name[NAME_BYTES])
{
    snprintf(name, NAME_BYTES, "%.*s", (int)strcspn(resource, ":,"), resource);
}

static bool names(const char *resource, const char *backend)
{
    char name[NAME_BYTES];
    backend_name(resource, name);
    return strcmp(name, backend) == 0;
}

static void append(char *text, size_t size, const char *key, const char *value)
{
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%c%s=%s", strchr(text, ':') == NULL ? ':' : ',', key,
             value);
}

static void append_number(char *text, size_t size, const char *key, int value)
{
    char number[16];
    snprintf(number, sizeof number, "%d", value);
    append(text, size, key, number);
}

/* A number of threads, and what says it. */
typedef struct thread_choice {
    int number;
    const char *origin;
} thread_choice;

static void limit_threads(thread_choice *threads, int most, const char *origin)
{
    if (threads->number <= most) return;
    *threads = (thread_choice){.number = most > 1 ? most : 1, .origin = origin};
}

/* This rank's part of the cores of its affinity mask, but not more than of a CPU quota: threads
 * that use up a quota are stopped until the next period, one after another, and all wait for
 * them. */
static mx_err share_cores(app_comm comm, thread_choice *threads)
{
    app_limits quotas;
    double ranks[sizeof quotas.limit / sizeof quotas.limit[0]];
    int sharing = 1;
    *threads = (thread_choice){.number = INT_MAX};
    MX_TRY(ranks_sharing_cores(comm, &sharing));
    limit_threads(threads, mx_host_cores() / (sharing > 0 ? sharing : 1), "cores");
    quotas.count = app_cgroup_limits("", APP_CGROUP_CPUS, quotas.limit,
                                     sizeof quotas.limit / sizeof quotas.limit[0]);
    MX_TRY(app_limits_sum(comm, &quotas, 1, ranks));
    for (int q = 0; q < quotas.count; q++)
        if (quotas.limit[q].amount / ranks[q] < threads->number)
            limit_threads(threads, (int)(quotas.limit[q].amount / ranks[q]), "CPU quota");
    limit_threads(threads, thread_limit(), "OMP_THREAD_LIMIT");
    return MX_OK;
}

/* Other backends than openmp have a default that fits them. The environment may differ from rank to
 * rank, so each of them tells the others what it shares with them. */
static mx_err append_threads(app_comm comm, const app_options *options, char *resource, size_t size,
                             const char **origin)
{
    const bool is_set = strstr(resource, "threads=") != NULL;
    thread_choice share;
    int by_default;
    *origin = NULL;
    if (options->threads > 0 && !is_set) {
        append_number(resource, size, "threads", options->threads);
        *origin = "--threads";
        return MX_OK;
    }
    if (is_set || strstr(resource, "cores=") != NULL) {
        *origin = "--backend";
        return MX_OK;
    }
    if (!names(resource, "openmp")) return MX_OK;
    MX_TRY(share_cores(comm, &share));
    MX_TRY(mx_default_threads(&by_default, origin));
    if (*origin != NULL) return MX_OK; /* the core knows */
    append_number(resource, size, "threads", share.number);
    *origin = share.origin;
    return MX_OK;
}

static void append_device(app_comm comm, const app_options *options, char *resource, size_t size)
{
    char name[NAME_BYTES];
    backend_name(resource, name);
    const int devices = mx_backend_devices(name);
    if (strstr(resource, "device=") != NULL || (options->device < 0 && devices == 0)) return;
    append_number(resource, size, "device",
                  options->device >= 0 ? options->device : app_local_rank(comm) % devices);
}

/* An option, and the key of a resource string that means the same. Given twice, they could
 * contradict each other. */
static mx_err check_once(const char *backend, const char *option, const char *key, bool given)
{
    const char *const keys = strchr(backend, ':');
    MX_REQUIRE(!given || keys == NULL || strstr(keys, key) == NULL, MX_ERR_INPUT,
               "--%s: got it beside --backend=%s, which sets it too, expected only one of them",
               option, backend);
    return MX_OK;
}

static mx_err check_options(const app_options *options)
{
    const char *const b = options->backend;
    MX_TRY(check_once(b, "threads", "threads=", options->threads > 0));
    MX_TRY(check_once(b, "device", "device=", options->device >= 0));
    MX_TRY(check_once(b, "layout", "layout=", strcmp(options->layout, "auto") != 0));
    return check_once(b, "check-against", "check=", options->check_against != NULL);
}

/* A backend or a layout that this build does not have is a mistake in the command line. One that is
 * not available on this machine is a failure at run time. */
static mx_err of_command_line(mx_err err, const char *resource)
{
    if (err != MX_ERR_BACKEND || mx_resource_built(resource)) return err;
    return MX_FAIL(MX_ERR_INPUT, "%s", mx_err_message());
}

static mx_err open_context(app_comm comm, const app_options *options, const char *backend,
                           mx_ctx *ctx, const char **threads_origin)
{
    char resource[256];
    MX_TRY(check_options(options));
    MX_REQUIRE(!names(backend, "auto"), MX_ERR_INPUT,
               "--backend=%s: auto takes no keys; expected auto alone, or the name of a backend in "
               "its place",
               backend);
    MX_REQUIRE(strlen(backend) < NAME_BYTES, MX_ERR_INPUT,
               "--backend: got '%.40s...', expected a backend", backend);
    snprintf(resource, sizeof resource, "%s", backend);
    MX_TRY(append_threads(comm, options, resource, sizeof resource, threads_origin));
    append_device(comm, options, resource, sizeof resource);
    if (strcmp(options->layout, "auto") != 0)
        append(resource, sizeof resource, "layout", options->layout);
    MX_TRY(of_command_line(mx_ctx_create(resource, ctx), resource));
    if (options->check_against == NULL) return MX_OK;
    const mx_err err = of_command_line(mx_ctx_check_against(*ctx, options->check_against, 1e-9),
                                       options->check_against);
    if (err == MX_OK) return MX_OK;
    mx_ctx_destroy(ctx);
    return MX_FAIL(err, "--check-against=%s: %s", options->check_against, mx_err_message());
}

/* The cores that a rank has, as its first thread sees them. */
typedef struct cores_of_rank {
    cpu_set_t mask;
    int threads;
    bool bound; /* OpenMP has bound that thread to some of the process's cores */
} cores_of_rank;

static cores_of_rank cores_of(mx_ctx ctx)
{
    cores_of_rank own = {.threads = 1};
    mx_ctx_info info;
    if (mx_ctx_get_info(ctx, &info) == MX_OK) own.threads = info.threads;
    if (sched_getaffinity(0, sizeof own.mask, &own.mask) != 0) CPU_ZERO(&own.mask);
    own.bound = CPU_COUNT(&own.mask) < mx_host_cores();
    return own;
}

/* Ranks and threads that have cores in common with one rank, and the number of cores of all these. */
typedef struct sharing {
    int ranks, threads, cores;
} sharing;

static sharing sharing_with(const cores_of_rank *one, const cores_of_rank *all, int ranks)
{
    sharing found = {0};
    cpu_set_t both, cores = one->mask;
    for (int r = 0; r < ranks; r++) {
        CPU_AND(&both, &one->mask, &all[r].mask);
        if (CPU_COUNT(&both) == 0) continue;
        CPU_OR(&cores, &cores, &all[r].mask);
        found.ranks++;
        found.threads += all[r].threads;
    }
    found.cores = CPU_COUNT(&cores);
    return found;
}

/* One line that says what to set. Of ranks that OpenMP binds only the core of the first thread is
 * known; it has up to HARDWARE_THREADS CPUs. */
static void print_shared(const sharing *s, const cores_of_rank *own)
{
    enum { HARDWARE_THREADS = 2 };
    if (own->bound && s->ranks > 1 && HARDWARE_THREADS * s->ranks > s->cores)
        fprintf(
            stderr,
            "note: %d ranks have their first thread on the same core, as OpenMP binds each rank as if it were "
            "alone: unset OMP_PROC_BIND and OMP_PLACES, or bind the ranks (mpirun --map-by slot:PE=%d "
            "--bind-to core)\n",
            s->ranks, own->threads);
    else if (!own->bound && s->threads > s->cores)
        fprintf(
            stderr,
            "note: %d threads of %d rank%s share %d core%s: give each its own (mpirun --bind-to none for one "
            "rank, --map-by slot:PE=%d --bind-to core for several), or use fewer\n",
            s->threads, s->ranks, s->ranks > 1 ? "s" : "", s->cores, s->cores > 1 ? "s" : "",
            own->threads);
}

/* mpirun binds each rank to one core by default, and OpenMP may bind all ranks to the same ones.
 * Several threads on one core are slower than one. This is a warning, no error. Collective. */
static mx_err warn_of_shared_cores(app_comm comm, mx_ctx ctx)
{
    const int ranks = app_local_size(comm);
    const cores_of_rank own = cores_of(ctx);
    cores_of_rank *const all = calloc((size_t)ranks, sizeof *all);
    mx_err err = all ? MX_OK : MX_FAIL(MX_ERR_MEMORY, "no memory for the cores of %d ranks", ranks);
    err = app_agree(comm, err);
    if (err == MX_OK) err = app_local_allgather(comm, &own, sizeof own, all);
    if (err == MX_OK && app_rank(comm) == 0) {
        const sharing shared = sharing_with(&own, all, ranks);
        print_shared(&shared, &own);
    }
    free(all);
    return err;
}

mx_err app_context_create(app_comm comm, const app_options *options, mx_ctx *ctx,
                          const char **threads_origin)
{
    const char *backend = options->backend;
    *ctx = NULL;
    *threads_origin = NULL;
    if (strcmp(backend, "auto") == 0) MX_TRY(automatic(comm, &backend));
    mx_err err = app_agree(comm, open_context(comm, options, backend, ctx, threads_origin));
    if (err == MX_OK && (names(backend, "openmp") || names(backend, "serial")))
        err = warn_of_shared_cores(comm, *ctx);
    if (err != MX_OK) mx_ctx_destroy(ctx);
    return err;
}

mx_err app_host_context_create(app_comm comm, const app_options *options, mx_ctx *host)
{
    char resource[32] = "openmp";
    const char *origin;
    *host = NULL;
    mx_err err = append_threads(comm, options, resource, sizeof resource, &origin);
    if (err == MX_ERR_INPUT) err = MX_OK; /* OMP_NUM_THREADS: then there is no context */
    MX_TRY(app_agree(comm, err));
    if (mx_ctx_create(resource, host) != MX_OK) mx_err_clear();
    return MX_OK;
}
