/* Replaces rivals_cusparse.c in builds without cuSPARSE, which have no row of it. */
#include "bench.h"

const bool bench_has_cusparse = false;

mx_err bench_cusparse_create(bench_work *w)
{
    return MX_FAIL(MX_ERR_BACKEND, "%s: this build has no cuSPARSE", w->which->name);
}

mx_err bench_cusparse_spmv(bench_work *w) { return bench_cusparse_create(w); }

mx_err bench_cusparse_destroy(bench_work *w)
{
    (void)w;
    return MX_OK;
}
