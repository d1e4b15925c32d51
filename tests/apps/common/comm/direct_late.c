/* Direct messages from a rank that stops, as one does that waits for a file system: the others give up
 * after MINX_MESSAGE_SECONDS. Run by abort.py on 2 ranks. */
#define _POSIX_C_SOURCE 200809L /* kill, mkstemp, setenv */
#include "check.h"
#include "fake_direct.h"
#include "minx/minx.h"

#include <signal.h>

enum { ROUNDS = 20, LAST = 10 };

static mx_err run_rounds(app_comm comm)
{
    const app_path path = fake_direct();
    app_transport t;
    mx_view view;
    mx_ctx ctx;
    MX_TRY(mx_ctx_create("serial", &ctx));
    MX_TRY(mx_view_create_1d(ctx, "sums", MX_F64, 1, &view));
    MX_TRY(app_transport_create_path(comm, ctx, &path, &t));
    for (int round = 0; round < ROUNDS; round++) {
        if (round == LAST && app_rank(comm) == 1) (void)kill(getpid(), SIGSTOP);
        MX_TRY(app_sum_view(t, view, 0, 1));
    }
    return app_transport_fence(t);
}

int main(int argc, char **argv)
{
    app_comm comm = NULL;
    setenv("MINX_MESSAGE_SECONDS", "1", 1);
    if (app_comm_open(&argc, &argv, &comm) != MX_OK || mx_init() != MX_OK) return 1;
    if (run_rounds(comm) == MX_OK) return 1;
    app_abort(comm, "direct_late");
    return 0; /* not reached */
}
