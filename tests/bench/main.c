/* minx-bench: compares the core with hand-written code, and both with the limits of the machine. */
#define _POSIX_C_SOURCE 200809L /* lstat */
#include "bench.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char HELP[] =
    "usage: minx-bench [options]\n"
    "Times the core and hand-written rivals on the same memory, run after run in turn, and prints medians. Every case is\n"
    "first checked: core and rivals must compute the same. The scalar loop is the rival's, without vectors.\n\n"
    "  --backend=NAME       all (default: serial, openmp and, where there is a device, cuda), or a resource such as\n"
    "                       openmp:threads=2\n"
    "  --filter=NAME,...    only cases of these names; * and ? match as in a shell (default: all). Limits are always measured\n"
    "  --size-factor=X      times the usual sizes (default: 1, which is each array 4 times the last-level cache, or 1/24 of\n"
    "                       the free memory if that is less, and, for NAME-cache, all arrays together half of the caches\n"
    "                       nearest to the cores)\n"
    "  --repeat=N           rounds, each a run of core, rival and scalar loop (default: 21; five times as many where\n"
    "                       a run is short)\n"
    "  --json FILE          also writes the results to FILE\n"
    "  --limits             measures the machine's limits only\n"
    "  --layouts            instead of all this, times kernels on views of layout right and left, and prints what the wrong\n"
    "                       one costs\n"
    "  --list               names the cases and ends\n"
    "  --help               prints this and ends\n\n"
    "The exit code tells whether all cases ran and agreed, never how fast they were.\n";

enum { USAGE = 2, FAILURE = 3 };

/* The value of an option "--name=value" or "--name value"; NULL: another option. */
static const char *value_of(const char *name, int argc, char **argv, int *at)
{
    const size_t length = strlen(name);
    if (strncmp(argv[*at], name, length) != 0) return NULL;
    if (argv[*at][length] == '=') return argv[*at] + length + 1;
    if (argv[*at][length] != '\0') return NULL;
    return *at + 1 < argc ? argv[++*at] : "";
}

static bool parse(int argc, char **argv, bench_options *o)
{
    for (int at = 1; at < argc; at++) {
        const char *const given = argv[at], *value;
        char *end = "";
        bool good = true;
        if (strcmp(given, "--list") == 0)
            o->list = true;
        else if (strcmp(given, "--limits") == 0)
            o->limits = true;
        else if (strcmp(given, "--layouts") == 0)
            o->layouts = true;
        else if ((value = value_of("--backend", argc, argv, &at)) != NULL)
            o->backend = value;
        else if ((value = value_of("--filter", argc, argv, &at)) != NULL)
            o->filter = value;
        else if ((value = value_of("--json", argc, argv, &at)) != NULL)
            o->json = value;
        else if ((value = value_of("--size-factor", argc, argv, &at)) != NULL)
            good = (o->size_factor = strtod(value, &end)) > 0 && *end == '\0';
        else if ((value = value_of("--repeat", argc, argv, &at)) != NULL)
            good = (o->repeat = (int)strtol(value, &end, 10)) > 0 && *end == '\0' &&
                   o->repeat <= 10000;
        else
            good = false;
        if (good) continue;
        fprintf(
            stderr,
            "minx-bench: %s: unknown option, or not a positive number; --help lists the options\n",
            given);
        return false;
    }
    return true;
}

bool bench_wanted(const bench_options *o, const char *name)
{
    char pattern[64];
    for (const char *at = o->filter; *at != '\0'; at += *at == ',') {
        const size_t length = strcspn(at, ",");
        if (length < sizeof pattern) {
            memcpy(pattern, at, length);
            pattern[length] = '\0';
            if (fnmatch(pattern, name, 0) == 0) return true;
        }
        at += length;
    }
    return false;
}

/* ---- targets ---- */

static mx_err open_target(const char *resource, bench_target *target)
{
    memset(target, 0, sizeof *target);
    MX_TRY(mx_ctx_create(resource, &target->ctx));
    MX_TRY(mx_ctx_get_info(target->ctx, &target->info));
    if (strcmp(target->info.backend, "cuda") == 0) return bench_cuda_open(target);
    MX_REQUIRE(target->info.host_accessible, MX_ERR_INPUT,
               "%s: got a backend without rivals, expected serial, openmp or cuda", resource);
    MX_REQUIRE(target->info.layout == MX_LAYOUT_RIGHT, MX_ERR_INPUT,
               "%s: the rivals have layout right only", resource);
    const size_t second = bench_cache_bytes(2), last = bench_last_cache_bytes();
    const bool serial = strcmp(target->info.backend, "serial") == 0;
    target->rivals[0] = serial ? &rivals_serial : &rivals_omp;
    target->rivals[1] = serial ? &rivals_serial_other : &rivals_omp_other;
    target->scalar = &rivals_scalar;
    target->in_cache = (second > 0 ? second : (size_t)1 << 18) / 2 * (size_t)target->info.threads;
    target->out_of_cache = 4 * (last > 0 ? last : (size_t)1 << 25);
    target->available = bench_available_bytes();
    return MX_OK;
}

static void close_target(bench_target *target)
{
    if (target->queue != NULL) bench_cuda_close(target);
    mx_ctx_destroy(&target->ctx);
}

/* ---- cases ---- */

static bool can_run(const bench_target *target, const bench_case *which)
{
    const bool with_cusparse = bench_has_cusparse && target->queue != NULL;
    if (which->only_hosts && !target->info.host_accessible) return false;
    if (which->only_cusparse && !with_cusparse) return false;
    if (which->threads > target->info.threads) return false;
    return which->other != NULL || which->rival(target->rivals[0]) != NULL;
}

static mx_err run_case(const bench_target *target, const bench_case *which, bool cached,
                       const bench_options *o, bench_report *report)
{
    bench_work w;
    bench_row row;
    memset(&row, 0, sizeof row);
    snprintf(row.name, sizeof row.name, "%s%s", which->name, cached ? "-cache" : "");
    if (!bench_wanted(o, row.name) || !can_run(target, which)) return MX_OK;
    MX_TRY(bench_work_create(target, which, cached, o->size_factor, &w));
    mx_err err = bench_agree(&w);
    if (err == MX_OK) err = bench_measure(&w, o->repeat, &row.times);
    snprintf(row.backend, sizeof row.backend, "%s", target->info.backend);
    row.threads = target->info.threads;
    row.n = w.items;
    row.cached = cached;
    row.bytes = (double)which->bytes_per_item * (double)w.items;
    row.limit = target->limit[cached];
    row.rival_name = row.times.rival_name;
    bench_work_destroy(&w);
    if (err != MX_OK) return MX_PASS(err);
    return bench_report_add(report, &row);
}

static mx_err run_cases(const bench_target *target, const bench_case *cases, const bench_options *o,
                        bench_report *report)
{
    for (; cases->name != NULL; cases++) {
        if (!cases->only_cached) MX_TRY(run_case(target, cases, false, o, report));
        MX_TRY(run_case(target, cases, true, o, report));
    }
    return MX_OK;
}

static const bench_case *const all_cases[] = {bench_vector_cases, bench_grid_cases,
                                              bench_pattern_cases, bench_particle_cases,
                                              bench_mesh_cases};
enum { TABLES = sizeof all_cases / sizeof all_cases[0] };

static mx_err run_target(const char *resource, const bench_options *o, bench_report *report)
{
    bench_target target;
    mx_err err = open_target(resource, &target);
    if (err == MX_OK) {
        const double mib = 1048576;
        printf("# %s%s%s: %d threads, each array %.2f MiB out of cache, %.2f MiB in all in cache\n",
               resource, target.info.device_name[0] != '\0' ? " " : "", target.info.device_name,
               target.info.threads, (double)bench_array_bytes(&target) / mib * o->size_factor,
               (double)target.in_cache / mib * o->size_factor);
        err = o->layouts ? bench_layouts(&target, o, report) : bench_limits(&target, o, report);
    }
    const bool with_cases = !o->layouts && !o->limits;
    for (int t = 0; t < TABLES && err == MX_OK && with_cases; t++)
        err = run_cases(&target, all_cases[t], o, report);
    close_target(&target);
    return err;
}

static mx_err run_all(const bench_options *o, bench_report *report)
{
    static const char *const all[] = {"serial", "openmp", "cuda"};
    const char *why;
    if (!o->layouts) bench_report_head();
    if (strcmp(o->backend, "all") != 0) return run_target(o->backend, o, report);
    for (int b = 0; b < 3; b++) {
        if (mx_backend_available(all[b], &why))
            MX_TRY(run_target(all[b], o, report));
        else
            printf("# %s: %s\n", all[b], why);
    }
    return MX_OK;
}

/* Does --filter select a case at all? */
static bool selects_any(const bench_options *o)
{
    char cached[64];
    if (o->layouts) return bench_layouts_wanted(o);
    for (int t = 0; t < TABLES; t++)
        for (const bench_case *c = all_cases[t]; c->name != NULL; c++) {
            snprintf(cached, sizeof cached, "%s-cache", c->name);
            if (bench_wanted(o, c->name) || bench_wanted(o, cached)) return true;
        }
    return false;
}

/* What would end a long run without a result: found before anything is measured. */
static mx_err check_options(const bench_options *o)
{
    MX_REQUIRE(selects_any(o), MX_ERR_INPUT,
               "--filter: got '%s', which selects no case, expected names that --list prints",
               o->filter);
    if (o->json == NULL) return MX_OK;
    struct stat about;
    const bool is_new = lstat(o->json, &about) != 0;
    FILE *const f = fopen(o->json, "a"); /* keeps what an older file has */
    MX_REQUIRE(f != NULL, MX_ERR_IO, "--json: cannot write '%s': %s", o->json, strerror(errno));
    fclose(f);
    if (is_new) remove(o->json); /* a run that fails leaves no empty file */
    return MX_OK;
}

static void list(void)
{
    for (int t = 0; t < TABLES; t++)
        for (const bench_case *c = all_cases[t]; c->name != NULL; c++)
            printf("%-24s %s\n", c->name, c->text);
    bench_layouts_list();
    printf("NAME is out of cache, NAME-cache in it\n");
}

int main(int argc, char **argv)
{
    bench_options o = {.backend = "all", .filter = "*", .size_factor = 1, .repeat = 21};
    bench_report report = {NULL, 0};
    for (int at = 1; at < argc; at++)
        if (strcmp(argv[at], "--help") == 0) return fputs(HELP, stdout), 0;
    if (!parse(argc, argv, &o)) return USAGE;
    if (o.list) return list(), 0;
    mx_err err = mx_init();
    if (err == MX_OK) err = check_options(&o);
    if (err == MX_OK) err = run_all(&o, &report);
    if (err == MX_OK && o.json != NULL) err = bench_report_write(&report, o.json);
    if (err != MX_OK) fprintf(stderr, "minx-bench: %s\n%s", mx_err_message(), mx_err_trace());
    free(report.rows);
    mx_finalize();
    return err == MX_OK ? 0 : err == MX_ERR_INPUT ? USAGE : FAILURE;
}
