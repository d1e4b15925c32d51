/* serial: one thread runs all chunks in order. */
#include "base/backend.h"

static mx_err serial_open(mx_ctx ctx)
{
    MX_REQUIRE(ctx->threads <= 1, MX_ERR_INPUT,
               "%s: threads: got %d, expected 1: serial has one thread", ctx->name, ctx->threads);
    ctx->threads = 1;
    ctx->device = -1;
    return MX_OK;
}

static void serial_run(mx_ctx ctx, const mx_launch *launch, mx_run_fn run, int64_t chunks)
{
    mx_host_run_part(ctx, launch, run, 0, 0, chunks);
}

extern const mx_backend mx_backend_shuffled;

const mx_backend mx_backend_serial = {
    .info = {.name = "serial",
             .instance = MX_INSTANCE_HOST,
             .layout = MX_LAYOUT_RIGHT,
             .tool_type = 0,
             .open = serial_open},
    .memory = MX_HOST_MEMORY,
    .launch = MX_HOST_LAUNCH,
    .host = {.run = serial_run,
             /* it runs item by item, with the kernels of simt */
             .shuffled = &mx_backend_shuffled},
};
