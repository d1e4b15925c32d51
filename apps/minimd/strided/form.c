/* Lists in one array, as a form of lists. */
#include "md_strided.h"

#include "md_app.h"

static bool fits(const md_input *in, bool on_host)
{
    (void)on_host;
    return in->force == MD_FORCE_LJ && in->precision == MD_PRECISION_DOUBLE &&
           in->list != MD_LIST_CLUSTERS;
}

/* list=2d: in the backend's layout. */
static mx_err create(md_app *app)
{
    md_strided *const s = app->list;
    const md_input *const in = &app->input;
    mx_ctx_info info;
    MX_TRY(mx_ctx_get_info(app->base.ctx, &info));
    const bool left = in->list == MD_LIST_2D_LEFT ||
                      (in->list != MD_LIST_2D_RIGHT && info.layout == MX_LAYOUT_LEFT);
    app->ghost_newton = app->half && in->ghost_newton != 0;
    s->form = in->list == MD_LIST_CSR ? MD_STRIDED_CSR : left ? MD_STRIDED_LEFT : MD_STRIDED_RIGHT;
    s->half = app->half;
    s->ghost_newton = app->ghost_newton;
    s->atomic = in->newton == MD_NEWTON_ATOMIC;
    s->team = in->policy == MD_POLICY_TEAM;
    return MX_OK;
}

static void destroy(md_app *app) { md_strided_destroy(app->list); }

/* In rows without room to grow. */
static double bytes(const md_app *app, const md_mean_counts *n)
{
    return (double)sizeof(int32_t) * (app->half ? 1 : 2) * n->pairs;
}

static mx_err build(md_app *app)
{
    md_strided *const s = app->list;
    MX_TRY(md_fill_bins(app));
    MX_TRY(
        md_strided_build(app->base.ctx, &app->views, &app->bins, app->list_cutoff, app->local, s));
    app->pairs = s->pairs;
    return MX_OK;
}

static mx_err lj(md_app *app, md_energy *energy)
{
    MX_TRY(md_strided_lj(app->base.ctx, &app->views, &app->lj, app->list, energy));
    return app->ghost_newton ? app_reverse(app->halo, 1, &app->views.force) : MX_OK;
}

const md_list_form md_form_strided = {
    .name = "strided",
    .state_bytes = sizeof(md_strided),
    .fits = fits,
    .create = create,
    .destroy = destroy,
    .bytes = bytes,
    .order = md_order_by_bins,
    .build = build,
    .bins_inverse = md_bins_inverse,
    .lj = lj,
};
