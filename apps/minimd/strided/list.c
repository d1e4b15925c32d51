/* Neighbour lists in one array, as drivers use them: see md_strided.h. */
#include "md_strided.h"

/* Makes a view of at least `count` elements. What it had is lost. */
static mx_err fit(mx_ctx ctx, const char *label, mx_type type, int64_t count, mx_view *view)
{
    const mx_view_options options = {.uninitialized = true};
    if (view->generation != 0) {
        mx_view_info info;
        MX_TRY(mx_view_get_info(*view, &info));
        if (info.extent[0] >= count) return MX_OK;
        MX_TRY(mx_view_destroy(view));
    }
    const int64_t extent = count + count / 32 + 1;
    return mx_view_create(ctx, label, type, 1, &extent, &options, view);
}

static mx_err search(mx_ctx ctx, const md_bins *bins, double cutoff, int room, md_strided *f,
                     md_list_size *size)
{
    md_search_args args = {.bins = *bins,
                           .cutoff_square = cutoff * cutoff,
                           .step = f->step,
                           .local = f->local,
                           .room = room,
                           .half = f->half,
                           .ghost_newton = f->ghost_newton};
    MX_TRY(md_search_args_bind(ctx, &f->views, &args));
    return md_strided_search(mx_range_1d(ctx, 0, f->local), &args, size);
}

/* begin(i) = i * stride; or, with 0, the counts before i. */
static mx_err set_begins(mx_ctx ctx, int64_t stride, md_strided *f)
{
    md_begin_args args = {.stride = stride, .local = f->local};
    MX_TRY(md_begin_args_bind(ctx, &f->views, &args));
    return md_strided_begins(mx_range_1d(ctx, 0, (int64_t)f->local + 1), &args, NULL);
}

/* Counts, then stores. */
static mx_err build_csr(mx_ctx ctx, const md_bins *bins, double cutoff, md_strided *f,
                        md_list_size *size)
{
    f->step = 1;
    MX_TRY(fit(ctx, "neighbours", MX_I32, 1, &f->views.entry));
    MX_TRY(search(ctx, bins, cutoff, 0, f, size));
    MX_TRY(fit(ctx, "neighbours", MX_I32, size->pairs, &f->views.entry));
    MX_TRY(set_begins(ctx, 0, f));
    return search(ctx, bins, cutoff, -1, f, size);
}

/* Stores what there is room for, and starts again with more room where that was too little. */
static mx_err build_2d(mx_ctx ctx, const md_bins *bins, double cutoff, md_strided *f,
                       md_list_size *size)
{
    if (f->room == 0) f->room = f->half ? 48 : 96;
    for (;;) {
        const bool left = f->form == MD_STRIDED_LEFT;
        f->step = left ? f->local : 1;
        MX_TRY(fit(ctx, "neighbours", MX_I32, (int64_t)f->local * f->room, &f->views.entry));
        MX_TRY(set_begins(ctx, left ? 1 : f->room, f));
        MX_TRY(search(ctx, bins, cutoff, f->room, f, size));
        if (size->longest <= f->room) return MX_OK;
        f->room = (int)(size->longest + size->longest / 32 + 1);
    }
}

/* The scatter view has as many rows as the forces. */
static mx_err make_push(mx_ctx ctx, mx_view force, md_strided *f)
{
    mx_view_info info;
    MX_TRY(mx_view_get_info(force, &info));
    if (f->push_rows == info.extent[0]) return MX_OK;
    f->push_rows = 0;
    MX_TRY(mx_scatter_destroy(&f->push));
    MX_TRY(mx_scatter_create(ctx, force, MX_SUM, &f->push));
    f->push_rows = info.extent[0];
    return MX_OK;
}

mx_err md_strided_build(mx_ctx ctx, const md_views *views, const md_bins *bins, double cutoff,
                        int local, md_strided *f)
{
    md_list_size size = {0, 0};
    f->local = local;
    f->views.position = views->position;
    f->views.type = views->type;
    f->views.pair = views->pair;
    f->views.bin_begin = views->bin_begin;
    f->views.bin_atom = views->bin_atom;
    MX_TRY(fit(ctx, "neighbour begins", MX_I64, (int64_t)local + 1, &f->views.begin));
    MX_TRY(fit(ctx, "neighbour counts", MX_I32, local, &f->views.count));
    MX_TRY(f->form == MD_STRIDED_CSR ? build_csr(ctx, bins, cutoff, f, &size)
                                     : build_2d(ctx, bins, cutoff, f, &size));
    f->pairs = size.pairs;
    return MX_OK;
}

static mx_err bind(mx_ctx ctx, const md_views *views, md_strided *f)
{
    md_strided_args *const a = &f->args;
    MX_TRY(mx_bind(ctx, views->position, &a->position));
    MX_TRY(mx_bind(ctx, views->type, &a->type));
    MX_TRY(mx_bind(ctx, views->pair, &a->pair));
    MX_TRY(mx_bind(ctx, f->views.begin, &a->begin));
    MX_TRY(mx_bind(ctx, f->views.count, &a->count));
    MX_TRY(mx_bind(ctx, f->views.entry, &a->entry));
    MX_TRY(mx_bind(ctx, views->force, &a->force));
    if (!f->half || f->atomic) {
        mx_bind_none(&a->push.view);
        return MX_OK;
    }
    MX_TRY(make_push(ctx, views->force, f));
    return mx_scatter_bind(ctx, &f->push, &a->push);
}

/* The four forms of a kernel. */
#define LAUNCH(kernel)                                                                             \
    (f->team ? energy != NULL ? kernel##_team_energy(league, a, energy) : kernel##_team(league, a) \
     : energy != NULL ? kernel##_energy(atoms, a, energy)                                          \
                      : kernel(atoms, a))

mx_err md_strided_lj(mx_ctx ctx, const md_views *views, const md_lj_pairs *lj, md_strided *f,
                     md_energy *energy)
{
    md_strided_args *const a = &f->args;
    const mx_range_1 atoms = mx_range_1d(ctx, 0, f->local);
    const mx_teams league =
        mx_league(ctx, (f->local + MD_TEAM_ATOMS - 1) / MD_TEAM_ATOMS, MX_AUTO, MX_AUTO);
    const double zero = 0;
    MX_TRY(bind(ctx, views, f));
    a->step = f->step;
    a->local = f->local;
    a->ghost_newton = f->ghost_newton;
    a->lj = *lj;
    if (!f->half) return LAUNCH(md_strided_full);
    if (f->atomic) {
        MX_TRY(mx_fill(ctx, views->force, &zero));
        return LAUNCH(md_strided_atomic);
    }
    MX_TRY(LAUNCH(md_strided_scatter));
    return mx_scatter_overwrite(ctx, &f->push, views->force);
}

void md_strided_destroy(md_strided *f)
{
    mx_view *const views[] = {&f->views.begin, &f->views.count, &f->views.entry};
    for (size_t n = 0; n < sizeof views / sizeof *views; n++) (void)mx_view_destroy(views[n]);
    (void)mx_scatter_destroy(&f->push);
    *f = (md_strided){0};
}
