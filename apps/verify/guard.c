/* The limits are linear in the size of the files, with room for a slow machine: a valid file never
 * reaches them. Memory: fields, their copies in the checks, and a block for the digests; libraries
 * map up to a few hundred MiB. Time: hashing takes 1 s for 300 MB or more; the physics of a cell
 * (32 bytes) up to a few microseconds where a deck has hundreds of states, that of a position in a
 * frame (24 bytes) ten microseconds, half a second for a mebibyte. */
#include "guard.h"

#include "verdict.h"

#include <errno.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

/* Exit codes of the child begin here, where none of a library or a sanitizer is. */
enum { CHILD_CODE = 70, CHILD_CODES = 10 };

/* Address sanitizers reserve terabytes of address space. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static const bool limits_memory = false;
#else
static const bool limits_memory = true;
#endif

/* A file system with compression stores less of an honest file: of numbers of a computation half,
 * of zeros next to nothing. So there is room. Where it says that nothing is stored, it does not
 * know: the files of some networks and archives. The cap keeps sums and products in range. */
int64_t vf_bytes_of(const char *path)
{
    enum { ROOM_MIB = 64, RATIO = 64, BLOCK = 512 };
    const int64_t most = (int64_t)1 << 50;
    struct stat info;
    if (!path || stat(path, &info) != 0) return 0;
    int64_t bytes = (int64_t)info.st_size < most ? (int64_t)info.st_size : most;
    const int64_t blocks = (int64_t)info.st_blocks;
    if (blocks > 0 && blocks < most / (RATIO * BLOCK)) {
        const int64_t stored = blocks * RATIO * BLOCK + ((int64_t)ROOM_MIB << 20);
        if (stored < bytes) bytes = stored;
    }
    return bytes;
}

vf_limits vf_limits_of(int64_t file_bytes)
{
    const int64_t mebibytes = file_bytes >> 20;
    vf_limits limits = {.cpu_seconds = 2 + 4 * mebibytes,
                        .memory_bytes = (mebibytes * 4 + 1024) << 20};
    limits.wall_seconds = 60 + 20 * limits.cpu_seconds;
    return limits;
}

static bool limit(int resource, int64_t value)
{
    struct rlimit both;
    if (getrlimit(resource, &both) != 0) return false;
    if (both.rlim_max != RLIM_INFINITY && (rlim_t)value > both.rlim_max)
        value = (int64_t)both.rlim_max;
    both.rlim_cur = (rlim_t)value;
    return setrlimit(resource, &both) == 0;
}

static bool set_limits(vf_limits limits)
{
    const int64_t seconds = limits.wall_seconds < INT32_MAX ? limits.wall_seconds : INT32_MAX;
    alarm((unsigned)seconds);
    return limit(RLIMIT_CPU, limits.cpu_seconds) && limit(RLIMIT_CORE, 0) &&
           (!limits_memory || limit(RLIMIT_AS, limits.memory_bytes));
}

/* What this process may have inherited: signals that are ignored or blocked would void the
 * limits. */
static void reset_signals(void)
{
    static const int ends[] = {SIGALRM, SIGXCPU, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
#if !defined(__SANITIZE_ADDRESS__) /* which reports crashes by handlers of its own */
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; ++i) signal(ends[i], SIG_DFL);
#else
    (void)ends;
#endif
    signal(SIGPIPE, SIG_IGN);
}

static void be_child(vf_limits limits, int (*work)(const void *data), const void *data)
{
    reset_signals();
#ifdef M_ARENA_MAX
    (void)mallopt(M_ARENA_MAX, 1); /* glibc would reserve 64 MiB of address space for each thread */
#endif
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* ends with its parent */
#endif
    if (!set_limits(limits)) {
        fprintf(stderr, "minx-verify: error: cannot set limits: %s\n", strerror(errno));
        exit(EXIT_FAILURE);
    }
    exit(CHILD_CODE + work(data));
}

static void say_signal(const char *files, int number, vf_limits limits)
{
    if (number == SIGXCPU || number == SIGALRM) {
        const bool cpu = number == SIGXCPU;
        vf_complain("%s: reading took more than %lld s%s, expected less for a file of this size: "
                    "is damaged",
                    files, (long long)(cpu ? limits.cpu_seconds : limits.wall_seconds),
                    cpu ? " of processor time" : "");
    } else if (number == SIGKILL || number == SIGTERM || number == SIGINT || number == SIGHUP) {
        vf_complain("%s: reading was ended from outside: %s", files, strsignal(number));
    } else {
        vf_complain("%s: is damaged: HDF5 failed when it read it: %s", files, strsignal(number));
    }
}

int vf_guard(const char *files, vf_limits limits, int (*work)(const void *data), const void *data)
{
    fflush(stdout);
    const pid_t child = fork();
    if (child < 0) {
        vf_complain("cannot start a process: %s", strerror(errno));
        return VF_GUARD_FAILED;
    }
    if (child == 0) be_child(limits, work, data);
    int status = 0;
    pid_t ended;
    do {
        ended = waitpid(child, &status, 0);
    } while (ended < 0 && errno == EINTR);
    const int code = ended == child && WIFEXITED(status) ? WEXITSTATUS(status) - CHILD_CODE : -1;
    if (code >= 0 && code < CHILD_CODES) return code;
    if (ended == child && WIFSIGNALED(status)) {
        say_signal(files, WTERMSIG(status), limits);
    } else {
        vf_complain("%s: the reading process ended early", files);
    }
    return VF_GUARD_FAILED;
}
