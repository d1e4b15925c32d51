/* An app whose check fails on the last rank alone: all ranks end with the code of a failed
 * check. */
#include "app.h"

static mx_err verify(void *data)
{
    const app_base *const base = data;
    const bool last = app_rank(base->comm) == app_size(base->comm) - 1;
    return app_check(data, "rank", last ? 1 : 0, 0, 0, APP_EXACT);
}

int main(int argc, char **argv)
{
    static const app_definition definition = {
        .name = "one_fails", .summary = "a test", .size = sizeof(app_base), .verify = verify};
    return app_run(&definition, argc, argv);
}
