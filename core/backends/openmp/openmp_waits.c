/* How threads wait for each other on cores that other programs use, too.
 *
 * At the ends of a parallel region, GCC's OpenMP run time lets threads spin for milliseconds. If the
 * system runs another program in place of one thread, the others spin away their share of the
 * processors, and have none left when that thread goes on. So a loop that takes microseconds takes
 * milliseconds. With more threads than processors the run time spins for some microseconds only
 * (GOMP_SPINCOUNT in its manual), but this is no gain on a machine of one's own: there, threads that
 * sleep are woken late.
 *
 * So a thread that launches looks from time to time how long it was ready to run and had no
 * processor; Linux counts that for each thread. Where this is much, a helper keeps a team of
 * threads that sleep, so that there are more threads than processors. When no thread that launches
 * lacked a processor for a while, or no context is left, it ends. LLVM's run time has a function
 * that says how long threads spin.
 *
 * Nothing is done where the user says how threads wait, or the system does not count. Not seen: a
 * thread that does not launch, is bound to a core, and lacks that one alone.
 */
#include "openmp_waits.h"

#include "base/backend.h"

#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* launches from one look at the clock to the next */
enum { LAUNCHES = 16, MILLISECONDS_BLOCKED = 0 };

/* seconds between two looks at the system's count */
static const double PERIOD = 0.05;
/* parts of the time without a processor: from this one on others use the cores, up to that one they
 * do not */
static const double BUSY = 0.25, FREE = 0.05;
/* so many looks in a row, and so many seconds */
enum { BUSY_LOOKS = 2 };
static const double FREE_SECONDS = 2;

/* LLVM's run time only */
extern void kmp_set_blocktime(int milliseconds) __attribute__((weak));
extern int kmp_get_blocktime(void) __attribute__((weak));

/* What a thread that launches has seen. */
static __thread struct {
    unsigned launches;
    double time, delay; /* at the last look; time 0: there was none */
    int busy_looks;
} seen;
/* when any of them last lacked a processor */
static double last_delay;

/* ---- the helper ---- */

static struct {
    pthread_mutex_t lock;
    pthread_t thread;
    pid_t process; /* that it runs in; 0: there is none */
    int threads;
    sem_t end;
} helper = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *help(void *unused)
{
    int started = 0;
    (void)unused;
#pragma omp parallel num_threads(helper.threads)
    __atomic_fetch_add(&started, 1, __ATOMIC_RELAXED);
    while (sem_wait(&helper.end) != 0) continue; /* interrupted */
    return NULL;
}

/* Signals are for the threads of the program. */
static void start_helper(int threads)
{
    sigset_t all, before;
    helper.threads = threads;
    sigfillset(&all);
    if (sem_init(&helper.end, 0, 0) != 0 || pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
        return;
    if (pthread_create(&helper.thread, NULL, help, NULL) == 0) helper.process = getpid();
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void end_helper(void)
{
    const bool is_here = helper.process == getpid(); /* a child process has no helper */
    helper.process = 0;
    if (!is_here) return;
    (void)sem_post(&helper.end);
    (void)pthread_join(helper.thread, NULL);
    (void)sem_destroy(&helper.end);
}

/* LLVM: a thread decides for the regions that it begins. */
static void set_blocktime(bool shorten)
{
    static __thread int usual = -1; /* -1: it was not changed */
    if (shorten == (usual >= 0)) return;
    const int now = kmp_get_blocktime();
    kmp_set_blocktime(shorten ? MILLISECONDS_BLOCKED : usual);
    usual = shorten ? now : -1;
}

/* Are waits short from now on? `threads` launch. */
static void shorten_waits(bool shorten, int threads)
{
    if (kmp_set_blocktime != NULL && kmp_get_blocktime != NULL) {
        set_blocktime(shorten);
        return;
    }
    if (pthread_mutex_trylock(&helper.lock) != 0) return; /* another thread does it */
    const int more = mx_host_cores() - threads;
    if (shorten && helper.process != getpid())
        start_helper((more > 0 ? more : 0) + 2);
    else if (!shorten && helper.process != 0)
        end_helper();
    pthread_mutex_unlock(&helper.lock);
}

/* ---- what the system counts ---- */

/* Seconds that this thread was ready to run, but did not. -1: not known. */
static double delay_so_far(void)
{
    char text[96];
    char *end;
    const int file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    const ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    if (length <= 0) return -1;
    text[length] = '\0';
    (void)strtoull(text, &end, 10); /* the time that it ran */
    return *end == ' ' ? 1e-9 * (double)strtoull(end, NULL, 10) : -1;
}

static bool user_decides(void)
{
    static const char *const names[] = {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
        if (getenv(names[n]) != NULL) return true;
    return false;
}

/* delay: since the last look, `interval` ago. */
static void judge(double delay, double interval, double now, int threads)
{
    seen.busy_looks = delay > BUSY * interval ? seen.busy_looks + 1 : 0;
    if (delay > FREE * interval) __atomic_store(&last_delay, &now, __ATOMIC_RELAXED);
    double last;
    __atomic_load(&last_delay, &last, __ATOMIC_RELAXED);
    if (seen.busy_looks >= BUSY_LOOKS)
        shorten_waits(true, threads);
    else if (now - last > FREE_SECONDS)
        shorten_waits(false, threads);
}

void mx_waits_watch(int threads)
{
    struct timespec t;
    if (++seen.launches % LAUNCHES != 0) return;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    const double now = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec, before = seen.time;
    if (now - before < PERIOD) return;
    const double delay = user_decides() ? -1 : delay_so_far(), last = seen.delay;
    seen.time = delay < 0 ? 1e300 : now; /* then never again */
    seen.delay = delay;
    if (before > 0 && delay >= 0) judge(delay - last, now - before, now, threads);
}

void mx_waits_end(void) { shorten_waits(false, 0); }
