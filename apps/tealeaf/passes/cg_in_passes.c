/* Conjugate gradients without preconditioner, in one pass over the cells an iteration
 * (tl_pass.h).
 *
 * The usual three kernels of an iteration (w = A p; u, r and r.r; p) move 96 bytes a cell and
 * have two sums over ranks. Here one pass does all as soon as alpha is known. Its beta follows
 * from w.w and r.w, before the new r.r is known (Meurant 1987; Chen and Carson, SIAM J. Sci.
 * Comput. 42, 2020, A3230, compare such variants). alpha and the test of convergence use the
 * true r.r. So an iteration moves 72 bytes, or 64 in the mean where u changes in every second
 * pass, and its four sums go over the ranks at once, together with the ghosts of w. The number
 * of iterations was the same in all of the published problems. Where the system is
 * ill-conditioned, the rounding errors of beta can cost iterations: docs/tealeaf-deck.md has
 * numbers.
 *
 * Pass 0 only computes w = A p for p = r, so n iterations take n + 1 passes. The sums of a pass
 * stay with the vectors, in a ring, as in cg/scalars.c; passes queued after convergence change
 * nothing. Where host code can access the arrays, the pass runs by bands, in 2-D only; elsewhere
 * by columns. */
#include "tl_app.h"
#include "tl_passes.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

typedef struct cg_in_passes {
    tl_passes passes;
    app_readback sums;
} cg_in_passes;

static cg_in_passes *own_of(const tl_app *app) { return app->cg_own; }

/* ---- set-up ---- */

/* The form of the pass for caches is in 2-D only. Lines follow the contiguous index, so launches
 * cannot be checked against a backend of another layout. */
static bool is_usable(const tl_app *app)
{
    return app->preconditioner == NULL && !app->other_layout &&
           (!tl_is_3d(&app->deck) || app->on_device);
}

static mx_err make(tl_app *app)
{
    cg_in_passes *const own = app->cg_own = calloc(1, sizeof *own);
    MX_REQUIRE(own != NULL, MX_ERR_MEMORY, "no memory for the passes of CG");
    MX_TRY(tl_passes_create(app->base.ctx, &app->views, app->decomp.dims, app->decomp.cells,
                            app->ghosts, app_size(app->base.comm) > 1, &app->mesh, &own->passes));
    return app_readback_create(app->base.ctx, own->passes.views.sums, &own->sums);
}

static mx_err create(tl_app *app) { return app_agree(app->base.comm, make(app)); }

static void destroy(tl_app *app)
{
    cg_in_passes *const own = own_of(app);
    if (own == NULL) return;
    app_readback_destroy(&own->sums);
    tl_passes_destroy(&own->passes);
    free(own);
    app->cg_own = NULL;
}

/* ---- the iteration ---- */

/* The next pass, its sums over all ranks, and the ghosts of w. */
static mx_err next_pass(tl_app *app)
{
    tl_passes *const s = &own_of(app)->passes;
    const int64_t n = s->done;
    const bool joins = app_transport_joins(app->base.transport);
    mx_partials partials = {NULL, 0};
    MX_TRY(tl_passes_next(app->base.ctx, s, joins ? &partials : NULL));
    return app_box_halo_exchange_and_sum(app->halo, 1, &s->w[n % 2], 1, APP_HALO_FACES, s->numbers,
                                         tl_place_of_pass(n) * TL_PASS_SUMS, TL_PASS_SUMS,
                                         &partials);
}

static mx_err start(tl_app *app, tl_progress *at)
{
    app->cg_start = at->n;
    app->rho.count = app->pw.count = 0;
    tl_passes_restart(&own_of(app)->passes, at->tolerance);
    MX_TRY(next_pass(app));
    return app_series_add(&app->rho, at->rr);
}

/* How many iterations are left if r.r goes on to fall as it did in the second half of those so far.
 * What is queued behind the end changes nothing, so only speed depends on the number. All ranks get
 * the same one: they have the same r.r, and it is computed from the exponents of base 2, in
 * integers. */
static int64_t expected(const tl_app *app, const tl_progress *at)
{
    const int64_t done = at->n - app->cg_start, half = done / 2;
    const int64_t fallen = ilogb(app->rho.values[half]) - ilogb(at->rr);
    const int64_t left = ilogb(at->rr) - ilogb(at->tolerance);
    if (done == 0) return TL_BATCH;
    return fallen > 0 ? left * (done - half) / fallen : INT_MAX;
}

/* The smallest batch: with fewer iterations the wait of the host would cost too much. */
enum { SMALL_BATCH = 4 };

/* Queues the next batch behind *queued: on a device as many iterations as are expected, but
 * SMALL_BATCH to TL_BATCH; on hosts one; none beyond the limit. */
static mx_err queue(tl_app *app, int64_t more, int64_t limit, int64_t *queued)
{
    const int64_t batch = app->on_device ? mx_clamp(more, SMALL_BATCH, TL_BATCH) : 1;
    const int64_t last = *queued + batch < limit ? *queued + batch : limit;
    for (; *queued < last; ++*queued) MX_TRY(next_pass(app));
    return MX_OK;
}

/* Takes the completed iterations up to `last`, as far as the first that converged. */
static mx_err follow(tl_app *app, tl_progress *at, int64_t last)
{
    app_readback *const readback = &own_of(app)->sums;
    tl_pass_sums *sums;
    MX_TRY(app_readback_end(readback, (void **)&sums));
    if (app_readback_overlaps(readback)) app->waits = readback->waits;
    do {
        at->n++;
        const int64_t pass = at->n - app->cg_start;
        MX_TRY(tl_record(app, at, sums[tl_place_of_pass(pass)].rr));
        MX_TRY(app_series_add(&app->rho, sums[tl_place_of_pass(pass)].rr));
        MX_TRY(app_series_add(&app->pw, sums[tl_place_of_pass(pass - 1)].pw));
    } while (at->n < last && at->rr > at->tolerance);
    return MX_OK;
}

/* While the host waits for the sums of a batch and follows it, a device runs the next one, unless
 * the end is near, or the transport makes the host wait in each pass. The copy of the sums holds
 * all that the host reads: at its begin at most TL_BATCH iterations are queued that the host has
 * not followed, and the batch behind it writes the ring after it. */
static mx_err iterate(tl_app *app, tl_progress *at, int64_t limit)
{
    app_readback *const readback = &own_of(app)->sums;
    const bool overlaps =
        app_readback_overlaps(readback) && !app_transport_waits(app->base.transport);
    int64_t queued = at->n;
    while (at->rr > at->tolerance && at->n < limit) {
        const int64_t end = at->n + expected(app, at);
        if (queued == at->n) MX_TRY(queue(app, end - queued, limit, &queued));
        const int64_t last = queued;
        MX_TRY(app_readback_begin(readback));
        if (overlaps && end - queued >= TL_BATCH) MX_TRY(queue(app, end - queued, limit, &queued));
        MX_TRY(follow(app, at, last));
    }
    return MX_OK;
}

static mx_err end(tl_app *app) { return tl_passes_end(app->base.ctx, &own_of(app)->passes); }

static void cost(const tl_app *app, double *bytes, double *flops)
{
    *bytes = TL_PASS_BYTES;
    *flops = tl_is_3d(&app->deck) ? TL_PASS_FLOPS_3D : TL_PASS_FLOPS;
}

/* By columns there are second arrays for r, p and w; by bands, their edges only. */
static double more_arrays(const tl_app *app)
{
    return app->on_device || tl_is_3d(&app->deck) ? 3 : 0;
}

const tl_form tl_passes_form = {.solver = TL_SOLVER_CG,
                                .arrays = TL_ARRAYS_OF_CG,
                                .is_cg = true,
                                .is_usable = is_usable,
                                .more_arrays = more_arrays,
                                .create = create,
                                .destroy = destroy,
                                .start = start,
                                .iterate = iterate,
                                .end = end,
                                .cost = cost};
