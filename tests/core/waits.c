/* On cores that other programs use, too, threads wait for each other by sleeping: a helper has
 * threads of its own then. Where the system does not count how long a thread waits for a core, or
 * the environment says how threads wait, only the results are checked. */
#include "check.h"

#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ITEMS = 100000, OTHERS_PER_CORE = 2, MAX_OTHERS = 64 };

extern void kmp_set_blocktime(int milliseconds) __attribute__((weak)); /* LLVM's run time */

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
    return access("/proc/thread-self/schedstat", R_OK) == 0 && kmp_set_blocktime == NULL &&
           getenv("OMP_WAIT_POLICY") == NULL && getenv("GOMP_SPINCOUNT") == NULL;
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

/* Until the helper is there, or `seconds` have passed. */
static int launch_for(mx_ctx ctx, mx_view view, double seconds)
{
    int most = 0;
    void *memory;
    const double begin = mx_seconds();
    for (int turn = 1; mx_seconds() - begin < seconds && most <= 2; turn++) {
        CHECK_OK(mx_fill(ctx, view, (double)turn));
        CHECK_OK(mx_view_host_data(view, &memory));
        const double *const data = memory;
        CHECK_I64((int64_t)data[0], turn);
        CHECK_I64((int64_t)data[ITEMS - 1], turn);
        if (turn % 100 == 0) most = threads_of_process();
    }
    return most;
}

int main(void)
{
    pid_t others[MAX_OTHERS];
    mx_ctx ctx;
    mx_view view;
    const bool known = is_known();
    CHECK_OK(mx_init());
    if (mx_host_cores() < 2) {
        printf("needs two cores\n");
        return CHECK_SKIPPED;
    }
    const int count = start_others(others);
    CHECK_OK(mx_ctx_create("openmp:threads=2", &ctx));
    CHECK_OK(mx_view_create_1d(ctx, "x", MX_F64, ITEMS, &view));
    const int most = launch_for(ctx, view, known ? 60 : 0.5);
    for (int n = 0; n < count; n++) {
        kill(others[n], SIGKILL);
        waitpid(others[n], NULL, 0);
    }
    if (known) CHECK(most > 2);
    CHECK_OK(mx_view_destroy(&view));
    mx_ctx_destroy(&ctx);
    mx_finalize();
    return check_failures != 0;
}
