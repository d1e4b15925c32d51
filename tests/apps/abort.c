/* Every rank meets its end alone, in the middle of writing: run by abort.py. */
#include "results.h"

int main(int argc, char **argv)
{
    app_comm comm = NULL;
    app_results results = NULL;
    if (app_comm_open(&argc, &argv, &comm) != MX_OK) return 1;
    if (app_results_create(comm, "abort.h5", "test", 0, NULL, &results) != MX_OK) return 1;
    (void)MX_FAIL(MX_ERR_MEMORY, "no memory for the test");
    app_abort(comm, "abort");
    return 0; /* not reached */
}
