/* The arrays, and the arguments of kernels. Rejected for 3-D: kernels over accessors of rank 3,
 * which need structs of arguments of their own. */
#include "mesh/tl_arrays.h"
#include "tl_app.h"

static bool uses(const tl_app *app, unsigned arrays)
{
    return (tl_arrays_of_forms(app) & arrays) != 0;
}

/* Allocators put large arrays at the same offset in a page of memory. A load from one array then waits
 * for a store to the same offset in a page of another array. So where sweeps go over long rows,
 * the arrays that they write begin at different offsets, nine cache lines apart. All rows get
 * the same length, so that arrays can be copied. */
enum { PLACE_OF_OTHERS, PLACE_OF_U, PLACE_OF_NEXT, PLACE_OF_STEP, PLACES };
static mx_err find_distance_of_places(const tl_app *app, int64_t *distance)
{
    enum { APART = 72, LONG = 1024 };
    mx_ctx_info info;
    MX_TRY(mx_ctx_get_info(app->base.ctx, &info));
    const bool one_by_one = app->other_layout || (app_size(app->base.comm) > 1 && app->ghosts == 1);
    const bool sweeps = uses(app, TL_ARRAYS_OF_STEPS) && !tl_is_3d(&app->deck) &&
                        info.host_accessible && info.layout == MX_LAYOUT_RIGHT && !one_by_one;
    *distance = sweeps && app->columns >= LONG ? APART : 0;
    return MX_OK;
}

static mx_err make_array(const tl_app *app, const char *label, int number, int place, mx_view *view)
{
    const int64_t ghosts = 2 * (int64_t)app->ghosts;
    int64_t extents[] = {app->planes + ghosts, app->rows + ghosts, app->columns + ghosts};
    const int flat = tl_is_3d(&app->deck) ? 0 : 1;
    int64_t distance;
    mx_view whole;
    MX_TRY(find_distance_of_places(app, &distance));
    if (distance == 0)
        return tl_make_array(app->base.ctx, label, 3 - flat, extents + flat, app->ghosts, number,
                             view);
    const mx_slice part[] = {mx_all(),
                             mx_span(place * distance, place * distance + extents[2])}; /* in 2-D */
    extents[2] += (PLACES - 1) * distance;
    MX_TRY(tl_make_array(app->base.ctx, label, 2, extents + 1, app->ghosts, TL_ANY_PART, &whole));
    const mx_err err = mx_subview(whole, 2, part, view);
    MX_TRY(mx_view_destroy(&whole)); /* the part keeps the data */
    return err;
}

/* An array of cells. */
typedef struct field {
    const char *label;
    mx_view *view, *bound;
    bool needed;
    int place;
} field;
enum { FIELDS = 12 };

static void list_fields(tl_app *app, field *fields)
{
    const bool steps = uses(app, TL_ARRAYS_OF_STEPS);
    tl_views *const v = &app->views, *const b = &app->bound;
    const field all[FIELDS] = {
        {"density", &v->density, &b->density, true, PLACE_OF_OTHERS},
        {"energy", &v->energy, &b->energy, true, PLACE_OF_OTHERS},
        {"temperature", &v->u, &b->u, true, PLACE_OF_U},
        {"temperature at start", &v->u_start, &b->u_start, true, PLACE_OF_OTHERS},
        {"conductivity", &v->v, &b->v, true, PLACE_OF_OTHERS},
        {"cg r", &v->r, &b->r, true, PLACE_OF_OTHERS},
        {"cg p", &v->p, &b->p, uses(app, TL_ARRAYS_OF_CG), PLACE_OF_OTHERS},
        {"cg w", &v->w, &b->w, uses(app, TL_ARRAYS_OF_CG), PLACE_OF_OTHERS},
        {"cg z", &v->z, &b->z, uses(app, TL_ARRAY_Z), PLACE_OF_U},
        {"1 / diagonal", &v->diagonal, &b->diagonal, uses(app, TL_ARRAY_DIAGONAL), PLACE_OF_OTHERS},
        {"next", &v->next, &b->next, steps, PLACE_OF_NEXT},
        {"step", &v->step, &b->step, steps, PLACE_OF_STEP},
    };
    for (int f = 0; f < FIELDS; f++) fields[f] = all[f];
}

double tl_bytes_needed(tl_app *app)
{
    const int64_t ghosts = 2 * (int64_t)app->ghosts;
    const bool flat = !tl_is_3d(&app->deck);
    int64_t lines[] = {app->rows + ghosts, app->columns + ghosts}, distance;
    mx_ctx_info info;
    field fields[FIELDS];
    if (flat && mx_ctx_get_info(app->base.ctx, &info) == MX_OK &&
        find_distance_of_places(app, &distance) == MX_OK) {
        const int across = info.layout == MX_LAYOUT_RIGHT ? 0 : 1;
        if (distance == 0) lines[across] += tl_spare_lines(&info, 2, lines[across]);
        lines[1] += (PLACES - 1) * distance;
    }
    const double cells =
        (double)lines[0] * (double)lines[1] * (double)(flat ? 1 : app->planes + ghosts);
    double arrays = tl_more_arrays_of_forms(app);
    list_fields(app, fields);
    for (int f = 0; f < FIELDS; f++) arrays += fields[f].needed ? 1 : 0;
    return arrays * cells * (double)sizeof(double);
}

static mx_err make_field(tl_app *app, int number, const field *f)
{
    MX_TRY(make_array(app, f->label, number, f->place, f->view));
    *f->bound = *f->view;
    return tl_is_3d(&app->deck)
               ? tl_make_rows(app->base.ctx, *f->view, &app->mesh.plane, &app->mesh.row, f->bound)
               : MX_OK;
}

static mx_err make_views(tl_app *app)
{
    tl_views *const v = &app->views, *const b = &app->bound;
    field fields[FIELDS];
    list_fields(app, fields);
    for (int f = 0; f < FIELDS; f++) {
        if (fields[f].needed) MX_TRY(make_field(app, f, &fields[f]));
    }
    MX_TRY(
        mx_view_create_1d(app->base.ctx, "cg r.r", MX_F64, TL_RING * TL_SCALARS, &app->views.rr));
    MX_TRY(mx_view_create_1d(app->base.ctx, "cg p.w", MX_F64, TL_RING, &app->views.pw));
    b->rr = v->rr;
    b->pw = v->pw;
    MX_TRY(mx_mirror_if_needed(app->views.rr, &app->rr_host));
    return mx_mirror_if_needed(app->views.pw, &app->pw_host);
}

/* Binds the arguments that are the member NAME of the app. */
#define BIND(TYPE, NAME)                                        \
    do {                                                        \
        MX_TRY(TYPE##_bind(app->base.ctx, &views, &app->NAME)); \
        app->NAME.mesh = app->mesh;                             \
    } while (0)

static mx_err bind_others(tl_app *app)
{
    const bool has_diagonal = uses(app, TL_ARRAY_DIAGONAL);
    tl_views views = app->bound;
    if (has_diagonal) BIND(tl_diagonal_args, diagonal);
    if (!uses(app, TL_ARRAY_Z)) return MX_OK;
    BIND(tl_dot_args, dot);
    if (!has_diagonal) views.diagonal = views.v; /* not read */
    BIND(tl_precondition_args, precondition);
    views.r = views.z;
    BIND(tl_cg_direction_args, direction_of_z);
    return MX_OK;
}

static mx_err bind_kernels(tl_app *app)
{
    tl_views views = app->bound;
    BIND(tl_inverse_args, inverse);
    BIND(tl_start_args, start);
    BIND(tl_finish_args, finish);
    BIND(tl_summary_args, summary);
    BIND(tl_error_args, error);
    BIND(tl_residual_args, residual);
    if (!uses(app, TL_ARRAYS_OF_CG)) return MX_OK;
    BIND(tl_cg_matvec_args, matvec);
    BIND(tl_cg_update_args, update);
    BIND(tl_cg_direction_args, direction);
    return MX_OK;
}

mx_err tl_make_views(tl_app *app)
{
    const double dt = app->deck.initial_timestep;
    app->mesh.rx = 0.5 * dt / (app->dx * app->dx);
    app->mesh.ry = 0.5 * dt / (app->dy * app->dy);
    app->mesh.rz = 0.5 * dt / (app->dz * app->dz);
    app->mesh.mirrors = app->deck.reflective_boundary;
    MX_TRY(make_views(app));
    MX_TRY(bind_kernels(app));
    return bind_others(app);
}

/* Destroys what is in one struct of views. */
static void destroy(tl_views *v)
{
    mx_view *const all[] = {&v->density, &v->energy,    &v->u,        &v->u_start, &v->v, &v->p,
                            &v->r,       &v->w,         &v->rr,       &v->pw,      &v->z, &v->next,
                            &v->step,    &v->materials, &v->diagonal, &v->filled};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) (void)mx_view_destroy(all[i]);
}

void tl_destroy_views(tl_app *app)
{
    tl_views *const rows = &app->bound;
    rows->rr = rows->pw = rows->materials = rows->filled = MX_VIEW_NULL;
    if (tl_is_3d(&app->deck)) destroy(rows);
    destroy(&app->views);
    (void)mx_view_destroy(&app->rr_host);
    (void)mx_view_destroy(&app->pw_host);
}
