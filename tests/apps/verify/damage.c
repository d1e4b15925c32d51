/* minx-verify on damaged results files: it must end, by itself, and say what is wrong. Each case
 * takes a good file and damages a copy at random: its bytes (changed, copied, moved, cut), or its
 * structure (by HDF5: links, types, shapes, storage, names), or both. Half of the damaged
 * structures get digests that hold.
 *
 * usage: test_app_damage MINX-VERIFY GOOD.h5 CASES [FIRST]
 *
 * A case depends on its number alone, so FIRST and CASES repeat some of them. A case that fails
 * leaves its file, damaged_NUMBER.h5. To run many:
 *
 *     build/bin/test_app_damage build/bin/minx-verify GOOD.h5 20000
 *
 * In builds with sanitizers, an error that they find in HDF5 is damage like any other, but one in
 * minx fails the test. One process, as minx-verify is. */
#define _GNU_SOURCE /* wait4 */
#include "damage.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* No bound of the test's own on speed: this only ends what would never end. */
enum { MAX_SECONDS = 120 };

/* Beyond this processor time there must be a message, and no verdict. A loaded machine does not
 * change it. */
static const double SILENT_SECONDS = 1.5;

typedef struct outcome {
    int status; /* as of waitpid */
    bool late;
    double cpu_seconds;
    char text[1 << 16];
} outcome;

typedef struct totals {
    int cases, failures;
    int crashes; /* of the process that reads */
    int codes[4];
    double max_cpu_seconds;
} totals;

/* ---- bytes ---- */

static size_t place(dm_random *r, size_t size) { return (size_t)dm_below(r, (int64_t)size); }

/* Changes the file in memory; *size may shrink, or grow to `room`. */
static void damage_bytes(dm_random *r, unsigned char *data, size_t *size, size_t room)
{
    const size_t at = place(r, *size), from = place(r, *size);
    const size_t rest = *size - (at > from ? at : from);
    const size_t some = place(r, 64), length = some < rest ? some : rest;
    switch (dm_below(r, 12)) {
    case 0: *size = at; break;
    case 1: memset(data + at, 0, length); break;
    case 2: memset(data + at, 0xff, length); break;
    case 3: /* an address, a size or a count of another place */
        memmove(data + at / 8 * 8, data + from / 8 * 8, rest >= 16 ? 8 : 0);
        break;
    case 4: memmove(data + at, data + from, length); break;
    case 5: memmove(data + at, data + from, rest); break;
    case 6: data[at] = (unsigned char)(data[at] + 1); break;
    case 7: data[at] = (unsigned char)(data[at] - 1); break;
    case 8:
        memset(data + *size, 0, room - *size);
        *size += place(r, room - *size + 1);
        break;
    default: data[at] = (unsigned char)(data[at] ^ 1 << dm_below(r, 8)); break;
    }
}

static void damage_file(dm_random *r, const char *path)
{
    size_t size;
    unsigned char *const data = dm_read(path, &size);
    const size_t room = size + DM_SPARE;
    const int64_t times = dm_below(r, 4) > 0 ? 1 : 1 + dm_below(r, 32);
    for (int64_t i = 0; i < times && size > 0; ++i) damage_bytes(r, data, &size, room);
    dm_write(path, data, size);
    free(data);
}

/* ---- a run ---- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void execute(const char *program, const char *file, int output)
{
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    execl(program, program, "--quiet", file, (char *)NULL);
    _exit(127);
}

/* Reads until the end of the output, or until the time is over. */
static void collect(int from, outcome *result)
{
    const double end = now() + MAX_SECONDS;
    size_t used = 0;
    char rest[4096];
    for (;;) {
        struct pollfd ready = {.fd = from, .events = POLLIN};
        const double left = end - now();
        if (left <= 0 || poll(&ready, 1, (int)(1000 * left)) == 0) {
            result->late = true;
            break;
        }
        const size_t room = sizeof result->text - 1 - used;
        const ssize_t got =
            read(from, room > 0 ? result->text + used : rest, room > 0 ? room : sizeof rest);
        if (got <= 0) break;
        if (room > 0) used += (size_t)got;
    }
    result->text[used] = '\0';
}

static void run(const char *program, const char *file, outcome *result)
{
    int ends[2];
    struct rusage usage;
    MUST(pipe(ends) == 0);
    const pid_t child = fork();
    MUST(child >= 0);
    if (child == 0) execute(program, file, ends[1]);
    close(ends[1]);
    result->late = false;
    collect(ends[0], result);
    close(ends[0]);
    if (result->late) kill(child, SIGKILL);
    MUST(wait4(child, &result->status, 0, &usage) == child);
    result->cpu_seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                          1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* ---- what must hold ---- */

/* The first frame of a sanitizer's report that is in minx or in HDF5: is it in minx? */
static bool is_ours(const char *report)
{
    for (const char *line = strstr(report, "\n    #"); line; line = strstr(line + 1, "\n    #")) {
        const size_t length = strcspn(line + 1, "\n");
        char frame[1024];
        snprintf(frame, sizeof frame, "%.*s", (int)length, line + 1);
        if (strstr(frame, "libhdf5")) return false;
        if (strstr(frame, "/apps/")) return true;
    }
    return false;
}

static const char *sanitizer_complaint(const char *text)
{
    const char *const address = strstr(text, "ERROR: AddressSanitizer");
    if (address && is_ours(address)) return "the address sanitizer found an error in minx";
    return strstr(text, "runtime error:") ? "the sanitizer found undefined behaviour" : NULL;
}

static bool has_control(const char *text)
{
    for (; *text; ++text) {
        if (((unsigned char)*text < 0x20 && *text != '\n') || *text == 0x7f) return true;
    }
    return false;
}

/* What is wrong with the run; NULL: nothing. */
static const char *complaint(const outcome *got)
{
    if (got->late) return "did not end";
    if (!WIFEXITED(got->status)) return "was ended by a signal";
    const int code = WEXITSTATUS(got->status);
    if (code != 0 && code != 1 && code != 3)
        return "ended with an exit code that is none of its own";
    if (sanitizer_complaint(got->text)) return sanitizer_complaint(got->text);
    if (code == 3 && !strstr(got->text, "minx-verify: error: ")) return "gave no message";
    if (code != 3 && !strstr(got->text, "physics: ")) return "gave no verdict";
    if (code != 3 && got->cpu_seconds > SILENT_SECONDS) return "took long for its verdict";
    return has_control(got->text) ? "printed control characters" : NULL;
}

static void make_case(const char *good, int64_t number, const char *path)
{
    dm_random r = dm_seed(number);
    dm_copy(good, path);
    const bool structure = dm_below(&r, 3) == 0;
    if (structure) {
        dm_damage_structure(&r, path);
        if (dm_below(&r, 2) == 0) dm_seal(path);
    }
    if (!structure || dm_below(&r, 4) == 0) damage_file(&r, path);
}

static void try_case(const char *program, const char *good, int64_t number, totals *all)
{
    static outcome got;
    static const char path[] = "damaged.h5";
    make_case(good, number, path);
    run(program, path, &got);
    const char *const wrong = complaint(&got);
    ++all->cases;
    if (got.cpu_seconds > all->max_cpu_seconds) all->max_cpu_seconds = got.cpu_seconds;
    if (!wrong) {
        ++all->codes[WEXITSTATUS(got.status)];
        if (strstr(got.text, "HDF5 failed")) ++all->crashes;
        return;
    }
    char kept[64];
    snprintf(kept, sizeof kept, "damaged_%lld.h5", (long long)number);
    dm_copy(path, kept);
    ++all->failures;
    fprintf(stderr, "case %lld: %s (status %d, %.2f s); see %s\n%.2000s\n", (long long)number,
            wrong, got.status, got.cpu_seconds, kept, got.text);
}

/* Without damage the file must pass: else the cases would show nothing. */
static bool is_good(const char *program, const char *good)
{
    static outcome got;
    run(program, good, &got);
    const bool passed = !got.late && WIFEXITED(got.status) && WEXITSTATUS(got.status) == 0;
    if (!passed)
        fprintf(stderr, "%s %s: exit code %d (127: it cannot be started), expected 0\n%.2000s\n",
                program, good, WIFEXITED(got.status) ? WEXITSTATUS(got.status) : -1, got.text);
    return passed;
}

int main(int argc, char **argv)
{
    MUST(argc == 4 || argc == 5);
    const int64_t count = atoll(argv[3]), first = argc == 5 ? atoll(argv[4]) : 0;
    totals all = {.cases = 0};
    /* HDF5 leaks what it read of a damaged file; an allocation that is too large must fail as it
     * does elsewhere */
    setenv("ASAN_OPTIONS", "detect_leaks=0:allocator_may_return_null=1", 1);
    if (!is_good(argv[1], argv[2])) return 1;
    dm_begin();
    for (int64_t i = first; i < first + count; ++i) try_case(argv[1], argv[2], i, &all);
    if (count >= 1000) {
        printf("%d cases: %d without effect, %d failed verification, %d unreadable, %d wrong\n"
               "%d crashes of HDF5 reported as damage; at most %.2f s of processor time\n",
               all.cases, all.codes[0], all.codes[1], all.codes[3], all.failures, all.crashes,
               all.max_cpu_seconds);
    }
    return all.failures == 0 ? 0 : 1;
}
