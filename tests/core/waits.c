/* On cores that other programs use, too, threads wait for each other by sleeping: a helper has
 * threads of its own then, until the last context is destroyed, and LLVM's threads do not spin. Where
 * the system does not count how long a thread waits for a core, or the environment says how threads
 * wait, only the results are checked. */
#include "check.h"

#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ITEMS = 100000, OTHERS_PER_CORE = 2, MAX_OTHERS = 64 };

extern int kmp_get_blocktime(void) __attribute__((weak)); /* LLVM's run time */

static int threads_of_process(void)
{
    int count = 0;
    DIR *const tasks = opendir("/proc/self/task");
    for (struct dirent *one; tasks != NULL && (one = readdir(tasks)) != NULL;)
        count += one->d_name[0] != '.';
    if (tasks != NULL) closedir(tasks);
    return count;
}

static bool is_known(void)
{
    return access("/proc/thread-self/schedstat", R_OK) == 0 && getenv("OMP_WAIT_POLICY") == NULL &&
           getenv("GOMP_SPINCOUNT") == NULL && getenv("KMP_BLOCKTIME") == NULL;
}

/* Do OpenMP's threads sleep now where they would spin? `usual`: how long LLVM's spin. */
static bool sleeps(int usual)
{
    return kmp_get_blocktime != NULL ? kmp_get_blocktime() < usual : threads_of_process() > 2;
}

static int start_others(pid_t *others)
{
    int count = OTHERS_PER_CORE * (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (count > MAX_OTHERS) count = MAX_OTHERS;
    for (int n = 0; n < count; n++) {
        others[n] = fork();
        if (others[n] == 0) {
            alarm(60);
            for (volatile unsigned turn = 0;; turn++) {
            }
        }
    }
    return count;
}

/* Until threads sleep, or `seconds` have passed. */
static void launch_for(mx_ctx ctx, mx_view view, int usual, double seconds)
{
    void *memory;
    const double begin = mx_seconds();
    for (int turn = 1; mx_seconds() - begin < seconds; turn++) {
        CHECK_OK(mx_fill(ctx, view, (double)turn));
        CHECK_OK(mx_view_host_data(view, &memory));
        const double *const data = memory;
        CHECK_I64((int64_t)data[0], turn);
        CHECK_I64((int64_t)data[ITEMS - 1], turn);
        if (turn % 100 == 0 && sleeps(usual)) return;
    }
}

/* The run time's own threads end a little later than the helper's. */
static bool helper_ends(int usual)
{
    const double begin = mx_seconds();
    while (sleeps(usual) && mx_seconds() - begin < 30) usleep(1000);
    return !sleeps(usual);
}

static void test(int usual, double seconds)
{
    mx_ctx ctx, other;
    mx_view view;
    CHECK_OK(mx_ctx_create("openmp:threads=2", &ctx));
    CHECK_OK(mx_view_create_1d(ctx, "x", MX_F64, ITEMS, &view));
    launch_for(ctx, view, usual, seconds);
    const bool slept = sleeps(usual);
    CHECK(slept == is_known());
    /* contexts that were not opened do not count */
    CHECK_FAILS(mx_ctx_create("openmp:threads=1000000", &other), MX_ERR_INPUT, "threads");
    CHECK(sleeps(usual) == slept);
    CHECK_OK(mx_view_destroy(&view));
    mx_ctx_destroy(&ctx);
    CHECK(helper_ends(usual));
}

int main(void)
{
    pid_t others[MAX_OTHERS];
    const int usual = kmp_get_blocktime != NULL ? kmp_get_blocktime() : 0;
    CHECK_OK(mx_init());
    if (mx_host_cores() < 2) {
        printf("needs two cores\n");
        return CHECK_SKIPPED;
    }
    const int count = start_others(others);
    for (int times = 0; times < 2; times++) test(usual, is_known() ? 60 : 0.3);
    for (int n = 0; n < count; n++) {
        kill(others[n], SIGKILL);
        waitpid(others[n], NULL, 0);
    }
    mx_finalize();
    return check_failures != 0;
}
