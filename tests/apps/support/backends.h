/* A test that runs on every backend that is here. */
#pragma once
#include "check.h"

#include "minx/context.h"

/* main of a test: check(comm, name) for each of these backends. Returns the exit code. */
static inline int check_on_backends(int argc, char **argv,
                                    mx_err (*check)(app_comm comm, const char *backend))
{
    app_comm comm;
    CHECK_OK(app_comm_open(&argc, &argv, &comm));
    CHECK_OK(mx_init());
    for (int b = 0; mx_backend_name(b) != NULL; b++)
        if (mx_backend_available(mx_backend_name(b), NULL))
            CHECK_OK(check(comm, mx_backend_name(b)));
    mx_finalize();
    const int code = check_exit(comm);
    app_comm_close(&comm);
    return code;
}
