/* The views of atoms: how many atoms they have room for, and the kernel arguments that are bound to
 * them. */
#include "md_app.h"

/* ---- kernel arguments ---- */

mx_err md_bind(md_app *app)
{
    const mx_ctx ctx = app->base.ctx;
    const md_views *const v = &app->views;
    MX_TRY(md_move_args_bind(ctx, v, &app->move));
    MX_TRY(md_motion_args_bind(ctx, v, &app->motion));
    if (app->input.neigh_check) MX_TRY(md_moved_args_bind(ctx, v, &app->moved));
    /* at the sites of a lattice forces cancel; what is left differs between backends. Vectors swap
     * their memory when atoms are sorted */
    MX_TRY(mx_view_set_check_scale(v->position, 0));
    MX_TRY(mx_view_set_check_scale(v->velocity, 0));
    MX_TRY(mx_view_set_check_scale(v->force, md_force_scale(app)));
    return app->form->bind != NULL ? app->form->bind(app) : MX_OK;
}

/* ---- room ---- */

/* A view of atoms: what it has is kept, or need not be. */
typedef struct atom_view {
    mx_view *view; /* NULL: not needed */
    const char *label;
    mx_type type;
    int columns; /* 0: rank 1 */
    bool kept;
} atom_view;

static mx_err extend(mx_ctx ctx, const atom_view *a, int64_t capacity)
{
    const int64_t extents[] = {capacity, a->columns};
    const int rank = a->columns > 0 ? 2 : 1;
    mx_view_info info;
    if (a->view->generation == 0)
        return mx_view_create(ctx, a->label, a->type, rank, extents, NULL, a->view);
    MX_TRY(mx_view_get_info(*a->view, &info));
    if (info.extent[0] >= capacity) return MX_OK;
    return a->kept ? mx_view_resize(ctx, a->view, extents) : mx_view_realloc(ctx, a->view, extents);
}

enum { MAX_ATOM_VIEWS = 16 };

/* All views of atoms; returns how many there are. */
static int list_atom_views(md_app *app, atom_view *list)
{
    md_views *const v = &app->views;
    const atom_view all[] = {
        {&v->position, "position", MX_F64, 3, true},
        {&v->velocity, "velocity", MX_F64, 3, true},
        {&v->force, "force", MX_F64, 3, true},
        {&v->type, "type", MX_I32, 0, true},
        {&v->id, "id", MX_I64, 0, true},
        {&v->rank, "rank", MX_I32, 0, false},
        {&v->bin, "bin", MX_I32, 0, false},
        {&v->bin_atom, "bin atoms", MX_I32, 0, false},
        {&v->order, "order", MX_I32, 0, false},
        {&v->type_spare, "type spare", MX_I32, 0, false},
        {&v->id_spare, "id spare", MX_I64, 0, false},
        {md_keeps_built(app) ? &v->built_position : NULL, "built position", MX_F64, 3, true},
        {app->input.force == MD_FORCE_EAM ? &v->derivative : NULL, "derivative", MX_F64, 0, false},
    };
    int count = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i].view != NULL) list[count++] = all[i];
    return count;
}

double md_bytes_of_atom(md_app *app)
{
    atom_view all[MAX_ATOM_VIEWS];
    const int views = list_atom_views(app, all);
    double bytes = 0;
    for (int i = 0; i < views; i++)
        bytes += (double)MX_TYPE_SIZE(all[i].type) * (all[i].columns > 0 ? all[i].columns : 1);
    return bytes;
}

/* A quarter more than is needed, as app_migrate makes views grow. */
mx_err md_choose_capacity(int64_t atoms, int64_t *capacity)
{
    *capacity = atoms + atoms / 4 + 64;
    MX_REQUIRE(*capacity <= MX_INDEX_END, MX_ERR_EXTENT,
               "a rank would hold %lld atoms and ghosts (limit %d): use more ranks",
               (long long)atoms, MX_INDEX_END);
    return MX_OK;
}

mx_err md_reserve(md_app *app, int64_t atoms)
{
    atom_view all[MAX_ATOM_VIEWS];
    const int views = list_atom_views(app, all);
    int64_t capacity;
    if (atoms <= app->capacity && app->capacity > 0) return MX_OK;
    MX_TRY(md_choose_capacity(atoms, &capacity));
    for (int i = 0; i < views; i++) MX_TRY(extend(app->base.ctx, &all[i], capacity));
    app->capacity = (mx_lid)capacity;
    return app->bound ? md_bind(app) : MX_OK;
}

/* ---- rows on the host ---- */

mx_err md_export_rows(const md_app *app, mx_view view, mx_lid rows, int columns, mx_type type,
                      void *values)
{
    const mx_ctx ctx = app->base.ctx;
    mx_view part;
    mx_err err = columns > 1 ? mx_subview(view, MX_SLICES(mx_span(0, rows), mx_all()), &part)
                             : mx_subview(view, MX_SLICES(mx_span(0, rows)), &part);
    if (err != MX_OK) return err;
    if (type == MX_F64)
        err = mx_export(ctx, part, (double *)values, NULL);
    else if (type == MX_I64)
        err = mx_export(ctx, part, (int64_t *)values, NULL);
    else
        err = mx_export(ctx, part, (int32_t *)values, NULL);
    const mx_err destroyed = mx_view_destroy(&part);
    return err != MX_OK ? err : destroyed;
}
