/* Bins of local atoms and ghosts, for lists in rows, and the order of atoms by bins. */
#include "md_app.h"
#include "minx/kit/sort.h"

#include <math.h>

/* Bins with sides of at least `min_side`; returns how many there are. They fill the brick and the
 * list's cutoff around it. */
static double set_bins(md_app *app, double min_side)
{
    const md_box *const box = &app->box;
    md_bins *const b = &app->bins;
    double all = 1;
    for (int d = 0; d < 3; d++) {
        const double low = md_brick_low(box, d, box->brick[d]) - app->list_cutoff;
        const double width = md_brick_low(box, d, box->brick[d] + 1) + app->list_cutoff - low;
        const double wanted =
            app->input.bins > 0 ? box->length[d] / app->input.bins : 0.5 * app->list_cutoff;
        const double bins = fmax(1, floor(width / fmax(wanted, min_side)));
        b->bins[d] = (int)fmin(bins, 1e9);
        b->low[d] = low;
        b->inverse[d] = b->bins[d] / width;
        b->cutoff_bins[d] = (int)ceil(app->list_cutoff * b->inverse[d]);
        all *= bins;
    }
    return all;
}

/* Sides of about half the cutoff, or those of the input's number of bins along the box; larger ones
 * where there would be more than four bins for each atom. */
static void choose_bins(md_app *app)
{
    const md_bins *const b = &app->bins;
    const double limit = 4 * fmax(64, app->local + app->ghosts);
    double bins = set_bins(app, 0), volume = 1;
    for (int d = 0; d < 3; d++) volume *= b->bins[d] / b->inverse[d];
    /* in a long box all bins may be along one axis: then cubes of the mean volume are too many */
    for (double side = cbrt(volume / limit); bins > limit; side *= 1.1) bins = set_bins(app, side);
}

static int64_t count_bins(const md_bins *b)
{
    return (int64_t)b->bins[0] * b->bins[1] * b->bins[2];
}

/* A view of the begins of so many bins. */
static mx_err reserve_bins(md_app *app, int64_t bins)
{
    mx_view_info info = {0};
    if (app->views.bin_begin.generation != 0) MX_TRY(mx_view_get_info(app->views.bin_begin, &info));
    if (info.extent[0] == bins + 1) return MX_OK;
    MX_TRY(mx_view_destroy(&app->views.bin_begin));
    return mx_view_create_1d(app->base.ctx, "bin begins", MX_I32, bins + 1, &app->views.bin_begin);
}

/* Sorts atoms 0 to atoms - 1, whose bins are known: their order goes to `order_view`, and where
 * bins begin to `begins`, unless it is NULL. */
static mx_err sort_bins(md_app *app, int64_t atoms, const mx_view *begins, mx_view order_view)
{
    const mx_view none = {0};
    mx_view bin, order;
    MX_TRY(mx_subview(app->views.bin, MX_SLICES(mx_span(0, atoms)), &bin));
    mx_err err = mx_subview(order_view, MX_SLICES(mx_span(0, atoms)), &order);
    if (err == MX_OK) {
        err = mx_bin_sort(app->base.ctx, bin, begins != NULL ? *begins : none, order);
        MX_TRY(mx_view_destroy(&order));
    }
    MX_TRY(mx_view_destroy(&bin));
    return err;
}

/* ---- the order of local atoms ---- */

/* Whole blocks have more places than there are bins. Where they have many more, because the box is
 * flat, bins are sorted by. */
static void choose_order(const md_app *app, md_order_args *args)
{
    const md_bins *const b = &app->bins;
    const int64_t bins = count_bins(b);
    double places = (double)MD_BLOCK * MD_BLOCK * MD_BLOCK;
    for (int d = 0; d < 3; d++) places *= md_blocks_along(b, d);
    args->bins = *b;
    args->in_blocks = app->in_blocks && places <= fmin(8.0 * (double)bins, 1e9);
    args->places = args->in_blocks ? (int)places : (int)bins;
}

/* Finds the new order of local atoms, by bins; on several ranks first those that are farther than
 * the list's cutoff from the sides of the brick, then the others. */
static mx_err find_order(md_app *app)
{
    const md_box *const box = &app->box;
    const bool one_rank = app_size(app->base.comm) == 1;
    md_order_args args = {.in_blocks = false};
    int64_t interior;
    choose_order(app, &args);
    for (int d = 0; d < 3; d++) {
        const double low = md_brick_low(box, d, box->brick[d]),
                     high = md_brick_low(box, d, box->brick[d] + 1);
        args.inner_low[d] = one_rank ? -INFINITY : low + app->list_cutoff;
        args.inner_high[d] = one_rank ? INFINITY : high - app->list_cutoff;
    }
    MX_TRY(md_order_args_bind(app->base.ctx, &app->views, &args));
    MX_TRY(md_find_places(md_local_range(app), &args, &interior));
    app->interior = one_rank ? 0 : (mx_lid)interior;
    return sort_bins(app, app->local, NULL, app->views.order);
}

mx_err md_order_by_bins(md_app *app)
{
    choose_bins(app);
    return find_order(app);
}

/* ---- local atoms and ghosts ---- */

mx_err md_fill_bins(md_app *app)
{
    const int64_t atoms = (int64_t)app->local + app->ghosts;
    md_bin_args args;
    choose_bins(app);
    args.bins = app->bins;
    MX_TRY(md_bin_args_bind(app->base.ctx, &app->views, &args));
    MX_TRY(md_find_bins(mx_range_1d(app->base.ctx, 0, atoms), &args));
    MX_TRY(reserve_bins(app, count_bins(&app->bins)));
    return sort_bins(app, atoms, &app->views.bin_begin, app->views.bin_atom);
}

double md_bins_inverse(const md_app *app, int d) { return app->bins.inverse[d]; }
