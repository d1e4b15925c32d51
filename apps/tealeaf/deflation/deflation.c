/* Deflated conjugate gradients (Nicolaides, SIAM J. Numer. Anal. 24, 1987, 355; Saad, Yeung,
 * Erhel and Guyomarc'h, SIAM J. Sci. Comput. 21, 2000, 1909; Frank and Vuik, SIAM J. Sci.
 * Comput. 23, 2001, 442).
 *
 * The columns of W are 1 in one coarse cell each (tl_coarse.h), and E = W^T A W. With the
 * projection P = 1 - A W E^-1 W^T the iteration solves P A u = P b, whose slow parts, those that
 * W can represent, are gone:
 *
 *     start     u += W E^-1 W^T r, so that W^T r = 0;  then p = z = M^-1 r
 *     product   w = A p,  y = E^-1 W^T w,  alpha = r.z / (p.w - y.W^T w)
 *     update    u += alpha (p - W y),  r -= alpha (w - A W y)
 *     then      z = M^-1 r,  beta = r.z / r.z before,  p = z + beta p
 *
 * w - A W y is P A p, and p.w - y.W^T w is p.P A p. u moves along P^T p = p - W y. So u is the
 * solution for r at any time, and no correction follows at the end.
 *
 * Rounding errors leave W^T r a little different from 0. The iteration with P A does not reduce
 * this part of r. In the end r consists of it alone, p and A p do not belong together any more,
 * and the iteration may overflow. So each update also sums r, and the next one solves
 * E y = W^T r too and corrects r by A W y and u by W y. This needs no further pass over memory, and the
 * number of iterations stays as in exact arithmetic.
 *
 * Every rank solves the coarse system directly, from the same sums. Where host code can access
 * the arrays, one thread substitutes with the Cholesky factor of E. On devices, whose threads
 * cannot share a substitution well, E^-1 is multiplied; the correction above makes this exact
 * enough. In the update, A W y is 0 but for y itself inside of a coarse cell; at its edges the
 * faces add to that. So the update reads conductivities there only. An iteration moves the bytes
 * of plain CG, and it has as many sums over ranks, of which one is longer.
 *
 * Rejected: to project r before each iteration instead of w, as the sums would need the new r of
 * neighbouring coarse cells; to solve the coarse system by CG, as the reference does: its
 * tolerance would limit that of the whole. */
#include "tl_deflation.h"

#include "cg/tl_cg.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The coarse cells, and the solver of the coarse system. */
typedef struct deflation {
    tl_coarse coarse;
    int64_t segments; /* of this rank */
    bool has_inverse; /* of the coarse matrix; else its factor */
    tl_deflation_views views;
    tl_deflated_args args;
    tl_coarse_sums_args add;
    tl_coarse_inverse_args multiply;
    tl_coarse_factor_args substitute;
} deflation;

static deflation *own_of(const tl_app *app) { return app->cg_own; }

/* ---- set-up ---- */

/* The axes (0: z, 1: y, 2: x) that lines have as outer, inner and along. */
static void axes_of_lines(const tl_app *app, bool left, int axes[3])
{
    axes[TL_OUTER] = left && tl_is_3d(&app->deck) ? 2 : 0;
    axes[TL_ALONG] = !left ? 2 : tl_is_3d(&app->deck) ? 0 : 1;
    axes[TL_INNER] = 3 - axes[TL_OUTER] - axes[TL_ALONG];
}

/* The first cell of this rank and the number of its cells along an axis. */
static void cells_along(const tl_app *app, int axis, int64_t *first, int *cells)
{
    const int at = axis - (3 - app->decomp.dims);
    *first = at < 0 ? 0 : app->decomp.first[at];
    *cells = at < 0 ? 1 : app->decomp.cells[at];
}

static tl_direction direction_along(const tl_app *app, int axis)
{
    const tl_mesh *const m = &app->mesh;
    const bool solid = tl_is_3d(&app->deck);
    if (axis == 0) return solid ? (tl_direction){m->plane, 0, m->rz} : (tl_direction){0, 0, 0};
    return axis == 1 ? (tl_direction){solid ? m->row : 1, 0, m->ry} : (tl_direction){0, 1, m->rx};
}

static void set_segments(const tl_app *app, const tl_coarse *c, const int axes[3], tl_segments *s)
{
    s->row = app->ghosts * (tl_is_3d(&app->deck) ? app->mesh.plane + app->mesh.row : 1);
    s->column = app->ghosts;
    s->coarse = c->count;
    for (int d = 0; d < 3; d++) {
        int64_t first;
        int begin = 0;
        cells_along(app, axes[d], &first, &s->cells[d]);
        while (tl_coarse_begin(c, axes[d], begin + 1) <= first) begin++;
        int end = begin;
        while (end < c->number[axes[d]] && tl_coarse_begin(c, axes[d], end) < first + s->cells[d])
            end++;
        s->local_first[d] = begin;
        s->local[d] = end - begin;
        s->number[d] = c->number[axes[d]];
        s->stride[d] = tl_coarse_stride(c, axes[d]);
        s->direction[d] = direction_along(app, axes[d]);
    }
    s->count = s->local[TL_ALONG];
}

static int larger(int a, int b) { return a > b ? a : b; }

/* The views `cuts` and `line_cell`. */
static mx_err make_tables(tl_app *app, const int axes[3], const tl_segments *s)
{
    deflation *const d = own_of(app);
    const int cuts = larger(s->local[0], larger(s->local[1], s->local[2])) + 1;
    const int lines = larger(s->cells[TL_OUTER], s->cells[TL_INNER]);
    int32_t *const cut = calloc(3 * (size_t)cuts, sizeof *cut);
    int32_t *const cell = calloc(2 * (size_t)lines, sizeof *cell);
    mx_err err = cut && cell ? MX_OK : MX_FAIL(MX_ERR_MEMORY, "no memory for %d lines", lines);
    for (int i = 0; err == MX_OK && i < 3; i++) {
        int64_t first;
        int number;
        cells_along(app, axes[i], &first, &number);
        int32_t *const at = cut + (size_t)i * (size_t)cuts;
        for (int c = 0; c <= s->local[i]; c++)
            at[c] = (int32_t)(tl_coarse_begin(&d->coarse, axes[i], s->local_first[i] + c) - first);
        for (int n = 0, c = 0; i < TL_ALONG && n < number; n++) {
            if (n == at[c + 1]) c++;
            cell[(size_t)i * (size_t)lines + (size_t)n] = c;
        }
    }
    if (err == MX_OK)
        err = mx_view_create_2d(app->base.ctx, "coarse cuts", MX_I32, 3, cuts, &d->views.cuts);
    if (err == MX_OK)
        err = mx_view_create_2d(app->base.ctx, "coarse cells of lines", MX_I32, 2, lines,
                                &d->views.line_cell);
    if (err == MX_OK) err = mx_import(app->base.ctx, d->views.cuts, cut, NULL);
    if (err == MX_OK) err = mx_import(app->base.ctx, d->views.line_cell, cell, NULL);
    free(cut);
    free(cell);
    return err;
}

static mx_err make_vectors(tl_app *app)
{
    deflation *const d = own_of(app);
    const mx_ctx ctx = app->base.ctx;
    const int64_t n = d->coarse.count;
    MX_TRY(mx_view_create_1d(ctx, "segment sums", MX_F64, 3 * d->segments, &d->views.segment_sums));
    MX_TRY(mx_view_create_1d(ctx, "coarse sums", MX_F64, 3 * n + 1, &d->views.sums));
    MX_TRY(mx_view_create_1d(ctx, "coarse solution", MX_F64, 2 * n, &d->views.solution));
    MX_TRY(mx_view_create_1d(ctx, "coarse product", MX_F64, 1, &d->views.product));
    return mx_view_create_1d(ctx, "coarse factor", MX_F64, n * (d->coarse.band + 1),
                             &d->views.factor);
}

static mx_err make_local(tl_app *app)
{
    deflation *const d = app->cg_own = calloc(1, sizeof *d);
    mx_ctx_info info;
    int axes[3];
    tl_segments s;
    MX_REQUIRE(d != NULL, MX_ERR_MEMORY, "no memory for the coarse cells of deflated CG");
    MX_TRY(mx_ctx_get_info(app->base.ctx, &info));
    MX_TRY(tl_coarse_choose(&app->deck, app_size(app->base.comm), &d->coarse));
    axes_of_lines(app, info.layout == MX_LAYOUT_LEFT, axes);
    set_segments(app, &d->coarse, axes, &s);
    d->segments = (int64_t)s.cells[TL_OUTER] * s.cells[TL_INNER] * s.count;
    MX_REQUIRE(
        3 * d->segments <= INT_MAX, MX_ERR_EXTENT,
        "deflated CG: a rank has %lld segments of lines, expected at most %d: use more ranks",
        (long long)d->segments, INT_MAX / 3);
    MX_TRY(make_tables(app, axes, &s));
    MX_TRY(make_vectors(app));
    d->views.u = app->bound.u;
    d->views.r = app->bound.r;
    d->views.p = app->bound.p;
    d->views.w = app->bound.w;
    d->views.v = app->bound.v;
    d->views.rr = app->bound.rr;
    MX_TRY(tl_deflated_args_bind(app->base.ctx, &d->views, &d->args));
    MX_TRY(tl_coarse_sums_args_bind(app->base.ctx, &d->views, &d->add));
    d->args.segments = d->add.segments = s;
    return MX_OK;
}

static mx_teams teams(const tl_app *app, int64_t items, int each)
{
    return mx_league(app->base.ctx, (items + each - 1) / each, MX_AUTO, MX_AUTO);
}

static mx_teams segment_teams(const tl_app *app)
{
    return teams(app, own_of(app)->segments, TL_TEAM_SEGMENTS);
}

/* Sums of coarse cells over all ranks, from those of segments, and `more` scalars behind them. */
static mx_err add_up(tl_app *app, int fields, int more)
{
    deflation *const d = own_of(app);
    const int64_t numbers = (int64_t)fields * d->coarse.count;
    d->add.fields = fields;
    MX_TRY(tl_coarse_sums(teams(app, numbers, TL_TEAM_ROWS), &d->add));
    return app_sum_view(app->base.transport, d->views.sums, 0, numbers + more);
}

/* The weights of the faces between coarse cells, along z, y and x. */
static mx_err sum_faces(tl_app *app, double *faces)
{
    deflation *const d = own_of(app);
    const size_t n = (size_t)d->coarse.count;
    double *const sums = malloc(sizeof *sums * (3 * n + 1));
    mx_ctx_info info;
    int axes[3];
    mx_err err = sums ? MX_OK : MX_FAIL(MX_ERR_MEMORY, "no memory for %zu coarse cells", n);
    err = app_agree(app->base.comm, err);
    if (err == MX_OK) err = mx_ctx_get_info(app->base.ctx, &info);
    if (err == MX_OK) err = tl_coarse_faces(segment_teams(app), &d->args);
    if (err == MX_OK) err = add_up(app, 3, 0);
    if (err == MX_OK) err = mx_export(app->base.ctx, d->views.sums, sums, NULL);
    if (err == MX_OK) axes_of_lines(app, info.layout == MX_LAYOUT_LEFT, axes);
    for (int i = 0; err == MX_OK && i < 3; i++)
        memcpy(faces + (size_t)axes[i] * n, sums + (size_t)i * n, sizeof *sums * n);
    free(sums);
    return err;
}

/* What solves the coarse system: the factor, or from it the inverse. */
static mx_err make_solver(tl_app *app, const double *factor)
{
    deflation *const d = own_of(app);
    const mx_ctx ctx = app->base.ctx;
    const int64_t n = d->coarse.count;
    tl_coarse_invert_args invert = {.coarse = d->coarse.count, .band = d->coarse.band};
    mx_ctx_info info;
    MX_TRY(mx_ctx_get_info(ctx, &info));
    MX_TRY(mx_import(ctx, d->views.factor, factor, NULL));
    d->has_inverse = !info.host_accessible;
    if (!d->has_inverse) {
        d->substitute.coarse = d->coarse.count;
        d->substitute.band = d->coarse.band;
        return tl_coarse_factor_args_bind(ctx, &d->views, &d->substitute);
    }
    MX_TRY(mx_view_create_1d(ctx, "coarse inverse", MX_F64, n * n, &d->views.inverse));
    MX_TRY(tl_coarse_invert_args_bind(ctx, &d->views, &invert));
    MX_TRY(tl_coarse_invert(mx_range_1d(ctx, 0, n), &invert));
    d->multiply.coarse = d->coarse.count;
    return tl_coarse_inverse_args_bind(ctx, &d->views, &d->multiply);
}

static mx_err make_factor(tl_app *app, const double *faces)
{
    const tl_coarse *const c = &own_of(app)->coarse;
    const size_t numbers = (size_t)c->count * ((size_t)c->band + 1);
    double *const factor = malloc(sizeof *factor * numbers);
    mx_err err =
        factor ? MX_OK : MX_FAIL(MX_ERR_MEMORY, "no memory for a factor of %zu numbers", numbers);
    if (err == MX_OK) err = tl_coarse_factor(c, faces, factor);
    if (err == MX_OK) err = make_solver(app, factor);
    free(factor);
    return err;
}

static mx_err create(tl_app *app)
{
    const app_comm comm = app->base.comm;
    MX_TRY(app_agree(comm, make_local(app)));
    const size_t n = (size_t)own_of(app)->coarse.count;
    double *const faces = malloc(sizeof *faces * 3 * n);
    mx_err err = faces ? MX_OK : MX_FAIL(MX_ERR_MEMORY, "no memory for %zu coarse cells", n);
    err = app_agree(comm, err);
    if (err == MX_OK) err = sum_faces(app, faces);
    if (err == MX_OK) err = app_agree(comm, make_factor(app, faces));
    free(faces);
    return err;
}

static void destroy(tl_app *app)
{
    deflation *const d = own_of(app);
    if (d == NULL) return;
    tl_deflation_views *const v = &d->views;
    mx_view *const views[] = {&v->cuts,     &v->line_cell, &v->segment_sums, &v->sums,
                              &v->solution, &v->product,   &v->factor,       &v->inverse};
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++) (void)mx_view_destroy(views[i]);
    free(d);
    app->cg_own = NULL;
}

static void print(const tl_app *app)
{
    const tl_coarse *const c = &own_of(app)->coarse;
    const char *const plural = c->count > 1 ? "s" : "";
    if (tl_is_3d(&app->deck))
        app_print(app->base.report, " deflated by %d coarse cell%s, %d x %d x %d\n", c->count,
                  plural, c->number[2], c->number[1], c->number[0]);
    else
        app_print(app->base.report, " deflated by %d coarse cell%s, %d x %d\n", c->count, plural,
                  c->number[2], c->number[1]);
}

/* ---- the iteration ---- */

/* y = E^-1 W^T w and E^-1 W^T r from the sums, and y.W^T w. */
static mx_err solve_coarse(tl_app *app)
{
    deflation *const d = own_of(app);
    if (!d->has_inverse)
        return tl_coarse_substitute_into(mx_range_1d(app->base.ctx, 0, 1), &d->substitute,
                                         d->views.product, 0);
    return tl_coarse_multiply_into(teams(app, d->coarse.count, TL_TEAM_ROWS), &d->multiply,
                                   d->views.product, 0);
}

/* With the scalars of the usual update, and whether u moves along p, and whether r is corrected. */
static mx_err update(tl_app *app, bool moves, bool corrects, int64_t place)
{
    tl_deflated_args *const a = &own_of(app)->args;
    a->tolerance = app->update.tolerance;
    a->norm = app->update.norm;
    a->before = app->update.before;
    a->moves = moves;
    a->corrects = corrects;
    return tl_is_3d(&app->deck)
               ? tl_deflated_update_3d_into(segment_teams(app), a, app->views.rr, place)
               : tl_deflated_update_into(segment_teams(app), a, app->views.rr, place);
}

/* The start: u and r are corrected so that each coarse cell's r sums to 0. If r.r is then below the
 * tolerance, this was an iteration. */
static mx_err deflate(tl_app *app, tl_progress *at)
{
    const int place = tl_place(at->n, TL_RR);
    if (at->rr <= at->tolerance) return MX_OK;
    app->update.norm = app->update.before = place;
    MX_TRY(update(app, false, false, place)); /* for the sums of r */
    MX_TRY(add_up(app, TL_DEFLATION_SUMS, 0));
    MX_TRY(app_sum_view(app->base.transport, app->views.rr, place, 1));
    MX_TRY(solve_coarse(app));
    MX_TRY(update(app, false, true, place));
    MX_TRY(app_box_halo_exchange_and_sum(app->halo, 1, &app->views.r, 1, APP_HALO_FACES,
                                         app->views.rr, place, 1, NULL));
    MX_TRY(mx_read_element(app->base.ctx, app->views.rr, place, &at->rr));
    if (at->rr > at->tolerance) return MX_OK;
    at->n++; /* the coarse space has the solution */
    return tl_record(app, at, at->rr);
}

static mx_err start(tl_app *app, tl_progress *at)
{
    MX_TRY(tl_begin_scalars(app, at));
    MX_TRY(deflate(app, at));
    return tl_cg_start(app, at);
}

static mx_err iteration(tl_app *app, int64_t n)
{
    deflation *const d = own_of(app);
    const int product = TL_DEFLATION_SUMS * d->coarse.count;
    MX_TRY(tl_is_3d(&app->deck)
               ? tl_deflated_matvec_3d_into(segment_teams(app), &d->args, d->views.sums, product)
               : tl_deflated_matvec_into(segment_teams(app), &d->args, d->views.sums, product));
    MX_TRY(add_up(app, TL_DEFLATION_SUMS, 1));
    MX_TRY(solve_coarse(app));
    MX_TRY(update(app, true, true, tl_place(n, TL_RR)));
    return tl_cg_next_direction(app, n);
}

static mx_err iterate(tl_app *app, tl_progress *at, int64_t limit)
{
    return tl_cg_iterate_by(app, at, limit, iteration);
}

static void cost(const tl_app *app, double *bytes, double *flops)
{
    tl_cg_cost(app, bytes, flops);
    *flops += TL_DEFLATED_FLOPS;
}

const tl_form tl_deflation_form = {.solver = TL_SOLVER_DPCG,
                                   .arrays = TL_ARRAYS_OF_CG,
                                   .is_cg = true,
                                   .create = create,
                                   .destroy = destroy,
                                   .print = print,
                                   .start = start,
                                   .iterate = iterate,
                                   .cost = cost};
