/* A rank that waits for a late message on a core that other programs use, too: it must not spin away
 * its share of the core. */
#define _GNU_SOURCE /* CPU_SET, RUSAGE_THREAD */
#include "check.h"
#include "comm/messages.h"
#include "minx/minx.h"

#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OTHERS = 2 };
static const double LATE = 1; /* seconds */
/* of one processor. A rank that spins has a third of the core or, on a busier machine, less; one that
 * sleeps spins in the first tenth of a second, until it knows. */
static const double LIMIT = 0.2;

static double processor_seconds(void)
{
    struct rusage u;
    CHECK(getrusage(RUSAGE_THREAD, &u) == 0);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

/* This rank has one core, and so have the others. */
static void start_others(pid_t *others)
{
    cpu_set_t all, one;
    int core = 0;
    CHECK(sched_getaffinity(0, sizeof all, &all) == 0);
    while (core < CPU_SETSIZE - 1 && !CPU_ISSET(core, &all)) core++;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
    for (int n = 0; n < OTHERS; n++) {
        others[n] = fork();
        if (others[n] != 0) continue;
        alarm(60);
        for (volatile unsigned turn = 0;; turn++) {
        }
    }
}

/* Sends a byte to the other rank, and receives one; the share of a processor that the wait took. */
static mx_err exchange(app_comm comm, app_messages m, double *share)
{
    const int self = app_rank(comm);
    const app_message list = {.rank = 1 - self, .send_bytes = 1, .receive_bytes = 1};
    mx_view send, receive;
    void *data;
    MX_TRY(app_messages_resize(m, 1, 1));
    MX_TRY(app_messages_buffers(m, MX_U8, &send, &receive));
    MX_TRY(app_messages_set(m, &list, 1));
    MX_TRY(mx_view_host_data(send, &data));
    *(unsigned char *)data = (unsigned char)(7 + self);
    if (self == 1) usleep((useconds_t)(1e6 * LATE));
    const double wall = mx_seconds(), processor = processor_seconds();
    MX_TRY(app_messages_begin(m));
    MX_TRY(app_messages_end(m));
    *share = (processor_seconds() - processor) / (mx_seconds() - wall);
    MX_TRY(mx_view_host_data(receive, &data));
    CHECK_I64(*(unsigned char *)data, 8 - self);
    return MX_OK;
}

static mx_err test(app_comm comm, double *share)
{
    mx_ctx ctx;
    app_transport transport;
    app_messages messages;
    MX_TRY(mx_ctx_create("serial", &ctx));
    MX_TRY(app_transport_create(comm, ctx, APP_GPU_MPI_AUTO, &transport));
    MX_TRY(app_messages_create(transport, "late", &messages));
    MX_TRY(exchange(comm, messages, share));
    app_messages_destroy(&messages);
    app_transport_destroy(&transport);
    mx_ctx_destroy(&ctx);
    return MX_OK;
}

int main(int argc, char **argv)
{
    app_comm comm = NULL;
    pid_t others[OTHERS];
    double share = 0;
    CHECK_OK(app_comm_open(&argc, &argv, &comm));
    if (!comm || mx_init() != MX_OK) return 1;
    const bool waits = app_rank(comm) == 0;
    if (waits) start_others(others);
    CHECK_OK(test(comm, &share));
    if (waits) CHECK_F64(share, 0, LIMIT);
    for (int n = 0; waits && n < OTHERS; n++) {
        kill(others[n], SIGKILL);
        waitpid(others[n], NULL, 0);
    }
    mx_finalize();
    const int code = check_exit(comm);
    app_comm_close(&comm);
    return code;
}
